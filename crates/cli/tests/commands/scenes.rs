//! `impinge run` and `impinge replay`.

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
    let began = |event: &&serde_json::Value| event["event"] == "began";
    // Through the surface, inside of it, and through it again.
    assert_eq!(events.iter().filter(began).count(), 2);
    assert_eq!(summary["events"]["began"], 2);
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
        ran.out.matches("began\",\"a\"").count(),
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
    folder.write("other.trace", &text.replacen("\nbegan ", "\nended ", 1));
    let ran = folder.run(&["replay", "other.trace"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("expected 'ended") && ran.out.contains("found 'began"));
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
}
