//! `impinge run` and `impinge replay`.
#![expect(
    clippy::unwrap_used,
    reason = "what tests share fails the test when something is wrong"
)]

use crate::program::{CUBE, Folder};

/// A ball that flies into a cube and past it, over a floor that it is told to ignore.
const SCENE: &str = r#"{
  "steps": 40, "dt": 0.1,
  "shapes": {
    "ball": {"ball": 0.25},
    "cube": {"mesh": "cube.obj"},
    "floor": {"half-space": {"normal": [0, 0, 1], "point": [0, 0, 0]}}
  },
  "objects": [
    {"name": "shot", "shape": "ball", "position": [-1.0, 0.5, 0.5], "velocity": [1, 0, 0], "spin": [0, 0, 90]},
    {"name": "target", "shape": "cube", "static": true},
    {"shape": "floor", "static": true},
    {"name": "apart", "shape": "cube", "position": [0, 9, 5], "turn": [0, 0, 45]}
  ],
  "ignore": [["shot", "floor#2"]]
}"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("scene.json", SCENE);
    folder
}

#[test]
fn a_run_tells_contacts_and_exits_with_1() {
    let ran = folder().run(&["run", "scene.json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        ran.out.contains("step 9: shot touches target"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("4 objects, 40 steps"), "{}", ran.out);
    assert!(!ran.out.contains("floor#2"), "{}", ran.out);
    let early = folder().run(&["run", "scene.json", "--steps", "5"]);
    assert_eq!(early.code, 0, "nothing touches yet: {early:?}");
}

#[test]
fn json_has_a_line_per_event_and_a_summary() {
    let ran = folder().run(&["run", "scene.json", "--json"]);
    let lines: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (summary, events) = lines.split_last().unwrap();
    let began = |event: &&serde_json::Value| event["event"] == "contact-begin";
    // Through the surface, inside of it, and through it again.
    assert_eq!(events.iter().filter(began).count(), 2);
    assert_eq!(summary["events"]["contact-begin"], 2);
    assert_eq!(
        (&summary["objects"], &summary["steps"]),
        (&4.into(), &40.into())
    );
    let solid = folder();
    solid.write(
        "scene.json",
        &SCENE.replace("\"steps\"", "\"solid\": true, \"steps\""),
    );
    let ran = solid.run(&["run", "scene.json", "--json"]);
    assert_eq!(
        ran.out.matches("contact-begin\",\"a\"").count(),
        1,
        "a solid is touched once: {}",
        ran.out
    );
}

#[test]
fn a_trace_replays_the_same_in_every_broad_phase() {
    let folder = folder();
    assert_eq!(
        folder
            .run(&["run", "scene.json", "--trace", "scene.trace"])
            .code,
        1
    );
    for broad in ["tree", "exhaustive", "sweep-and-prune", "octree"] {
        let ran = folder.run(&["replay", "scene.trace", "--broad-phase", broad]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.out.contains("40 steps") && ran.out.contains("all as recorded"));
    }
    let text = folder.read("scene.trace");
    folder.write(
        "other.trace",
        &text.replacen("\ncontact-begin ", "\ncontact-end ", 1),
    );
    let ran = folder.run(&["replay", "other.trace"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("expected 'contact-end") && ran.out.contains("found 'contact-begin"));
    assert!(ran.out.contains("(shot and target)"), "{}", ran.out);
    let ran = folder.run(&["replay", "other.trace", "--json"]);
    assert!(
        ran.out
            .lines()
            .last()
            .unwrap()
            .contains("\"different_steps\":1")
    );
}

#[test]
fn a_run_that_fails_half_way_leaves_the_old_trace_and_nothing_else() {
    let folder = folder();
    folder.write("scene.trace", "old\n");
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let fast = SCENE.replace("[1, 0, 0]", "[1e308, 0, 0]");
    folder.write("fast.json", &fast);
    let ran = folder.run(&["run", "fast.json", "--trace", "scene.trace"]);
    assert!(
        ran.code == 2 && ran.err.contains("left the world"),
        "{ran:?}"
    );
    assert_eq!(folder.read("scene.trace"), "old\n");
    let after = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(after, before + 1, "the scene, and no part of a trace");
    // One that cannot be written is refused before the first step.
    let ran = folder.run(&["run", "scene.json", "--json", "--trace", "none/scene.trace"]);
    assert!(
        ran.code == 2 && !ran.out.contains("contact-begin"),
        "{ran:?}"
    );
}

#[test]
fn damaged_files_are_refused_with_the_line() {
    let folder = folder();
    folder.run(&["run", "scene.json", "--trace", "scene.trace"]);
    let text = folder.read("scene.trace");
    let place = text
        .lines()
        .position(|line| line.starts_with("pose "))
        .unwrap();
    let damaged = text.replacen("\npose ", "\npoise ", 1);
    folder.write("bad.trace", &damaged);
    let ran = folder.run(&["replay", "bad.trace"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains(&format!("bad.trace: line {}: 'poise'", place + 1)),
        "{}",
        ran.err
    );
    folder.write("half.trace", &text[..text.len() / 2]);
    let ran = folder.run(&["replay", "half.trace"]);
    assert!(ran.code == 2 && ran.err.contains("line "), "{ran:?}");
    std::fs::write(
        folder.path().join("bytes.trace"),
        b"impinge-trace 1\n\xff\xfe",
    )
    .unwrap();
    let ran = folder.run(&["replay", "bytes.trace"]);
    assert!(
        ran.code == 2 && ran.err.contains("line 2: this is not text"),
        "{ran:?}"
    );
    assert_eq!(folder.run(&["replay", "nowhere.trace"]).code, 2);
}

#[test]
fn a_bad_scene_says_where_and_what() {
    let folder = folder();
    let message = |from: &str, to: &str| {
        folder.write("bad.json", &SCENE.replacen(from, to, 1));
        let ran = folder.run(&["run", "bad.json"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        ran.err
    };
    assert!(message("\"steps\"", "\"stepps\"").contains("unknown field `stepps`"));
    assert!(message("\"steps\"", "steps").contains("line 2"));
    assert!(message("0.25", "-0.25").contains("shape 'ball': radius must be above 0"));
    assert!(message("\"shape\": \"ball\"", "\"shape\": \"bal\"").contains("did you mean 'ball'"));
    assert!(message("cube.obj", "missing.obj").contains("missing.obj"));
    assert!(message("[\"shot\"", "[\"shoot\"").contains("there is no object 'shoot'"));
    assert!(
        message("\"name\": \"target\"", "\"name\": \"shot\"").contains("two objects are called")
    );
    let broad = message("\"dt\"", "\"broad_phase\": \"octre\", \"dt\"");
    assert!(broad.contains("did you mean 'octree'"), "{broad}");
    assert!(broad.contains("there are tree, exhaustive"), "{broad}");
}

#[test]
fn contacts_tell_where_objects_touch() {
    let folder = folder();
    let ran = folder.run(&["run", "scene.json", "--contacts"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let line = ran.out.lines().find(|line| line.contains("touches"));
    let line = line.unwrap();
    assert!(line.starts_with("step 9: shot touches target, "), "{line}");
    assert!(line.ends_with(", 0.05 deep at (0.05, 0.5, 0.5)"), "{line}");
    folder.write(
        "contacts.json",
        &SCENE.replacen('{', "{\"contacts\": true,", 1),
    );
    for words in [
        ["run", "scene.json", "--contacts", "--json"],
        ["run", "contacts.json", "--steps=40", "--json"],
    ] {
        let ran = folder.run(&words);
        let contacts: Vec<serde_json::Value> = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|record: &serde_json::Value| record["event"] == "contacts")
            .collect();
        let first = &contacts[0];
        assert_eq!((&first["step"], &first["a"]), (&9.into(), &"shot".into()));
        let point = &first["points"][0];
        // The ball touches the face x = 0 of the cube, in world coordinates, and the normal is from the ball to it.
        let is = |found: &serde_json::Value, x: f64| (found.as_f64().unwrap() - x).abs() < 1e-9;
        assert!(is(&point["point_b"][0], 0.0), "{first}");
        assert!(is(&point["normal"][0], 1.0), "{first}");
        assert!(is(&point["depth"], 0.05), "{first}");
    }
    let without = folder.run(&["run", "scene.json", "--json"]);
    assert!(!without.out.contains("\"contacts\""));
}

#[test]
fn compounds_are_made_of_other_shapes_of_the_scene() {
    let folder = folder();
    let compound = r#""dumbbell": {"compound": [
        {"shape": "ball", "position": [0, -3, 0]},
        {"shape": "cube", "position": [0, 3, 0], "turn": [0, 0, 45]}
    ]}, "ball": {"#;
    let scene = SCENE.replacen("\"shape\": \"ball\"", "\"shape\": \"dumbbell\"", 1);
    let scene = scene.replacen("\"ball\": {", compound, 1);
    let scene = scene.replacen("[0, 0, 90]", "[0, 0, 0]", 1);
    folder.write("compound.json", &scene);
    // The target is between the two ends, which fly past it.
    let ran = folder.run(&["run", "compound.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    folder.write("hit.json", &scene.replacen("[0, -3, 0]", "[0, 0, 0]", 1));
    let ran = folder.run(&["run", "hit.json", "--trace", "hit.trace"]);
    assert!(
        ran.code == 1 && ran.out.contains("shot touches target"),
        "{ran:?}"
    );
    assert_eq!(folder.run(&["replay", "hit.trace"]).code, 0);
    let message = |from: &str, to: &str| {
        folder.write("bad.json", &scene.replacen(from, to, 1));
        let ran = folder.run(&["run", "bad.json"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        ran.err
    };
    let unknown = message(
        "{\"shape\": \"cube\", \"position\"",
        "{\"shape\": \"cub\", \"position\"",
    );
    assert!(unknown.contains("shape 'dumbbell'") && unknown.contains("did you mean 'cube'"));
    let nested = message(
        "{\"shape\": \"cube\", \"position\"",
        "{\"shape\": \"dumbbell\", \"position\"",
    );
    assert!(
        nested.contains("'dumbbell' that is not a compound"),
        "{nested}"
    );
}

#[test]
fn a_run_takes_any_broad_phase_and_lists_them_when_there_is_none_such() {
    let folder = folder();
    let events = |ran: &str| -> Vec<String> {
        let lines = ran.lines().filter(|line| line.contains("\"event\""));
        lines.map(str::to_owned).collect()
    };
    let expected = events(&folder.run(&["run", "scene.json", "--json"]).out);
    assert!(!expected.is_empty());
    for (broad, name) in [("octree", "octree"), ("oriented-grid", "grid")] {
        let ran = folder.run(&["run", "scene.json", "--json", "--broad-phase", broad]);
        assert_eq!(events(&ran.out), expected, "{broad}");
        assert!(ran.out.contains(name), "{}", ran.out);
    }
    let ran = folder.run(&["run", "scene.json", "--broad-phase", "octre"]);
    assert_eq!(ran.code, 2);
    for name in [
        "tree",
        "sweep-and-prune",
        "hash-grid",
        "oriented-grid",
        "slab-octree",
    ] {
        assert!(ran.err.contains(name), "{}", ran.err);
    }
}

#[test]
fn a_trace_has_names_and_one_of_the_first_version_replays_too() {
    let folder = folder();
    folder.run(&["run", "scene.json", "--trace", "scene.trace"]);
    let text = folder.read("scene.trace");
    assert!(text.starts_with("impinge-trace 2\n"));
    assert!(text.contains("\nname 0.0 shot\n") && text.contains("\nname 2.0 floor#2\n"));
    let old: String = text
        .lines()
        .filter(|line| !line.starts_with("name "))
        .map(|line| line.replace("impinge-trace 2", "impinge-trace 1") + "\n")
        .collect();
    folder.write("old.trace", &old.replace(" oriented_boxes=0", ""));
    let ran = folder.run(&["replay", "old.trace"]);
    assert!(
        ran.code == 0 && ran.out.contains("all as recorded"),
        "{ran:?}"
    );
}

/// The summary of a run of a random population.
fn population(args: &[&str]) -> serde_json::Value {
    let mut all = vec![
        "run", "--random", "30", "--faces", "60", "--steps", "30", "--room", "5", "--json",
    ];
    all.extend(args);
    let ran = Folder::new().run(&all);
    assert_eq!(ran.code, 1, "{ran:?}");
    serde_json::from_str(ran.out.lines().last().unwrap()).unwrap()
}

#[test]
fn a_random_population_has_the_same_contacts_whatever_finds_them() {
    let plain = population(&[]);
    assert_eq!(plain["objects"], 36, "with six walls");
    assert!(
        plain["events"]["contact-begin"].as_u64() > Some(10),
        "{plain}"
    );
    for (stage, time) in plain["timings"].as_object().unwrap() {
        let [min, mean, max] = ["min", "mean", "max"].map(|key| time[key].as_f64().unwrap());
        assert!(0.0 <= min && min <= mean && mean <= max, "{stage}: {time}");
    }
    assert_eq!(plain["timings"].as_object().unwrap().len(), 5);
    for args in [
        &["--engine", "edge-polygon"][..],
        &["--engine", "box-tree", "--threads", "1"],
        &["--broad-phase", "grid", "--resolution", "8"],
        &[
            "--broad-phase",
            "octree",
            "--resolution",
            "8",
            "--threads",
            "3",
        ],
    ] {
        let other = population(args);
        assert_eq!(other["events"], plain["events"], "{args:?}");
        assert_eq!(other["seed"], 1);
    }
    assert_ne!(population(&["--seed", "2"])["events"], plain["events"]);
    // Few movers among the others: only their pairs are tested.
    let few = population(&["--movers", "8"]);
    assert!(few["pairs_tested"].as_u64() < plain["pairs_tested"].as_u64());
}

#[test]
fn a_random_population_says_in_text_how_long_its_stages_took() {
    let ran = Folder::new().run(&["run", "--random", "5", "--models", "ball", "--steps", "5"]);
    assert!(ran.out.contains("11 objects, 5 steps"), "{}", ran.out);
    assert!(ran.out.contains("narrow phase"), "{}", ran.out);
    let timed = folder().run(&["run", "scene.json", "--timings"]);
    assert!(timed.out.contains("narrow phase"), "{}", timed.out);
    for args in [
        &["run"][..],
        &["run", "scene.json", "--random", "3"],
        &["run", "--random", "0"],
        &["run", "--random", "3", "--models", "unicorn"],
        &["run", "--random", "3", "--room", "-1"],
        &["run", "--random", "3", "--resolution", "8"],
    ] {
        assert_eq!(folder().run(args).code, 2, "{args:?}");
    }
}

#[test]
fn a_pyramid_rests_and_falls_when_spheres_hit_it() {
    let folder = Folder::new();
    let ran = folder.run(&["run", "--pyramid", "5", "--json", "--glb", "end.glb"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let found: serde_json::Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&found["boxes"], &found["spheres"]),
        (&15.into(), &3.into())
    );
    assert!(found["rest_drift"].as_f64() < Some(5e-3), "{found}");
    assert!(found["deepest"].as_f64() < Some(0.05), "{found}");
    assert!(found["fallen"].as_u64() > Some(0), "{found}");
    let info = folder.run(&["info", "end.glb"]);
    assert!(info.out.contains("18"), "{}", info.out);
    let rest = folder.run(&["run", "--pyramid", "3", "--spheres", "0"]);
    assert_eq!(rest.code, 0, "nothing falls: {rest:?}");
    assert_eq!(
        folder.run(&["run", "--pyramid", "3", "--random", "3"]).code,
        2
    );
}
