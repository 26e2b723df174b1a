//! `impinge clash`.
#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use crate::program::{CUBE, Folder};
use serde_json::Value;

/// The unit cube as an OBJ object at a place.
fn cube_at(name: &str, first: usize, x: f64, y: f64, z: f64) -> String {
    let mut text = format!("o {name}\n");
    for line in CUBE.lines() {
        let numbers: Vec<f64> = line
            .split_whitespace()
            .skip(1)
            .map(|n| n.parse().unwrap())
            .collect();
        if line.starts_with('v') {
            let [p, q, r] = [numbers[0] + x, numbers[1] + y, numbers[2] + z];
            text += &format!("v {p} {q} {r}\n");
        } else {
            let corners: Vec<String> = numbers
                .iter()
                .map(|n| (*n as usize + 8 * first).to_string())
                .collect();
            text += &format!("f {}\n", corners.join(" "));
        }
    }
    text
}

/// Cubes at places, one object each.
fn cubes(places: &[(&str, f64, f64, f64)]) -> String {
    places
        .iter()
        .enumerate()
        .map(|(i, (name, x, y, z))| cube_at(name, i, *x, *y, *z))
        .collect()
}

fn machine() -> Folder {
    let folder = Folder::new();
    let places = [
        ("base", 0.0, 0.0, 0.0),
        ("lid", 0.25, 0.25, 0.75),
        ("bolt one", 1.0, 0.0, 0.0),
        ("copy", 0.0, 0.0, 0.0),
        ("far", 0.0, 9.0, 0.0),
        ("near", 0.0, -1.125, 0.0),
    ];
    folder.write("machine.obj", &cubes(&places));
    folder
}

fn kinds(record: &Value) -> Vec<String> {
    let words = |clash: &Value| {
        let mut names = [&clash["a"], &clash["b"]].map(|p| p["name"].as_str().unwrap().to_owned());
        names.sort();
        format!(
            "{} {}-{}",
            clash["kind"].as_str().unwrap(),
            names[0],
            names[1]
        )
    };
    record["clashes"]
        .as_array()
        .unwrap()
        .iter()
        .map(words)
        .collect()
}

#[test]
fn clashes_are_named_ranked_and_told_by_the_exit_code() {
    let folder = machine();
    let ran = folder.run(&["clash", "machine.obj", "--json"]);
    assert_eq!(ran.code, 1);
    let record = ran.json();
    assert_eq!(record["parts"], 6);
    let mut found = kinds(&record);
    assert_eq!(found[0], "duplicate base-copy", "duplicates first");
    found.sort();
    let expected = [
        "crossing base-lid",
        "crossing bolt one-lid",
        "crossing copy-lid",
        "duplicate base-copy",
        "touching base-bolt one",
        "touching bolt one-copy",
    ];
    assert_eq!(found, expected);
    let depth = &record["clashes"][1]["depth"];
    assert!(depth["lower"].as_f64().unwrap() <= 0.25 && depth["upper"].as_f64().unwrap() >= 0.25);

    let ran = folder.run(&["clash", "machine.obj", "--clearance", "0.125", "--json"]);
    let with_gaps = kinds(&ran.json());
    assert!(
        with_gaps.contains(&"clearance base-near".to_owned()),
        "{with_gaps:?}"
    );
    let ran = folder.run(&["clash", "machine.obj", "--tolerance", "0.5", "--json"]);
    assert_eq!(kinds(&ran.json()), ["duplicate base-copy"]);

    folder.write(
        "apart.obj",
        &cubes(&[("a", 0.0, 0.0, 0.0), ("b", 3.0, 0.0, 0.0)]),
    );
    let ran = folder.run(&["clash", "apart.obj"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("no clashes"), "{ran:?}");
    assert_eq!(folder.run(&["clash", "missing.obj"]).code, 2);
    assert_eq!(
        folder
            .run(&["clash", "apart.obj", "--clearance", "-1"])
            .code,
        2
    );
    assert_eq!(folder.run(&["clash"]).code, 2);
}

#[test]
fn rules_leave_pairs_out() {
    let folder = machine();
    folder.write("rules", "ignore copy\nignore \"bolt *\" *  # wanted\n");
    let ran = folder.run(&["clash", "machine.obj", "--rules", "rules", "--json"]);
    assert_eq!(kinds(&ran.json()), ["crossing base-lid"]);
    folder.write("rules", "select bolt* copy\n");
    let ran = folder.run(&["clash", "machine.obj", "--rules", "rules", "--json"]);
    assert_eq!(kinds(&ran.json()), ["touching bolt one-copy"]);
    folder.write("rules", "forget it\n");
    let ran = folder.run(&["clash", "machine.obj", "--rules", "rules"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("rules") && ran.err.contains("line 1"),
        "{ran:?}"
    );
}

#[test]
fn a_baseline_tells_new_persisting_and_resolved_clashes() {
    let folder = Folder::new();
    let before = [
        ("a", 0.0, 0.0, 0.0),
        ("b", 0.5, 0.1, 0.2),
        ("c", 0.0, 0.9, 0.3),
    ];
    folder.write("m.obj", &cubes(&before));
    let ran = folder.run(&["clash", "m.obj", "--json"]);
    folder.write("old.json", &ran.out);
    let old = ran.json();
    assert_eq!(old["clashes"].as_array().unwrap().len(), 3);
    assert!(old["resolved"].is_null() && old["clashes"][0]["status"].is_null());

    // b goes away, c moves a little, d comes.
    let now = [
        ("a", 0.0, 0.0, 0.0),
        ("b", 5.0, 0.0, 0.0),
        ("c", 0.0, 0.8, 0.3),
        ("d", 0.2, -0.7, 0.1),
    ];
    folder.write("m.obj", &cubes(&now));
    let ran = folder.run(&["clash", "m.obj", "--baseline", "old.json", "--json"]);
    assert_eq!(ran.code, 1);
    let record = ran.json();
    let status = |list: &str| -> Vec<(String, String)> {
        let mut found: Vec<_> = record[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|clash| {
                let name = |side: &str| clash[side]["name"].as_str().unwrap().to_owned();
                (
                    name("a") + &name("b"),
                    clash["status"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        found.sort();
        found
    };
    let pair = |names: &str, status: &str| (names.to_owned(), status.to_owned());
    assert_eq!(
        status("clashes"),
        [pair("ac", "persisting"), pair("ad", "new")]
    );
    assert_eq!(
        status("resolved"),
        [pair("ab", "resolved"), pair("bc", "resolved")]
    );
    let ac = record["clashes"].as_array().unwrap();
    let ac = ac
        .iter()
        .find(|clash| clash["status"] == "persisting")
        .unwrap();
    assert_eq!(ac["changed"], true);
    let ids = |record: &Value, names: [&str; 2]| {
        let list = record["clashes"].as_array().unwrap().clone();
        let is = |clash: &&Value| clash["a"]["name"] == names[0] && clash["b"]["name"] == names[1];
        list.iter().find(is).unwrap()["id"].clone()
    };
    assert_eq!(ids(&record, ["a", "c"]), ids(&old, ["a", "c"]));

    // Only new ones count when asked.
    let words = [
        "clash",
        "m.obj",
        "--baseline",
        "old.json",
        "--new-only",
        "--json",
    ];
    assert_eq!(kinds(&folder.run(&words).json()), ["crossing a-d"]);
    folder.write("new.json", &ran.out);
    let words = ["clash", "m.obj", "--baseline", "new.json", "--new-only"];
    assert_eq!(folder.run(&words).code, 0);

    // Renamed parts are known by their content.
    let renamed = now.map(|(name, x, y, z)| (if name == "d" { "dee" } else { name }, x, y, z));
    folder.write("m.obj", &cubes(&renamed));
    assert_eq!(folder.run(&words).code, 0);
    assert_eq!(folder.run(&["clash", "m.obj", "--new-only"]).code, 2);
    folder.write("bad.json", "{}");
    let ran = folder.run(&["clash", "m.obj", "--baseline", "bad.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is no baseline"), "{ran:?}");
}

#[test]
fn a_damaged_part_is_reported_and_the_rest_is_checked() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    folder.write("parts/one.obj", &cube_at("cube", 0, 0.0, 0.0, 0.0));
    folder.write("parts/two.obj", &cube_at("cube", 0, 0.5, 0.1, 0.1));
    folder.write("parts/three.obj", &cube_at("cube", 0, 0.6, 0.2, 0.3));
    folder.write("parts/readme.txt", "not a mesh");
    let ran = folder.run(&["clash", "parts", "--json"]);
    assert_eq!(
        (ran.code, ran.json()["clashes"].as_array().unwrap().len()),
        (1, 3)
    );
    folder.write("old.json", &ran.out);

    folder.write("parts/three.obj", "v 0 0 zero\nf 1 2 3\n");
    let ran = folder.run(&["clash", "parts", "--json", "--baseline", "old.json"]);
    assert_eq!(ran.code, 2);
    let record = ran.json();
    assert_eq!(kinds(&record), ["crossing one-two"]);
    assert_eq!(record["skipped"][0]["name"], "three");
    assert!(
        ran.err.contains("three") && ran.err.contains("line 1"),
        "{ran:?}"
    );
    // What was not looked at is not resolved.
    assert_eq!(record["resolved"].as_array().unwrap().len(), 0);
    assert_eq!(record["unchecked"].as_array().unwrap().len(), 2);
}

#[test]
fn pages_models_tables_and_issue_files_are_written() {
    let folder = machine();
    let words = [
        "clash",
        "machine.obj",
        "--clearance",
        "0.2",
        "--csv",
        "c.csv",
        "--html",
        "c.html",
        "--glb",
        "c.glb",
        "--bcf",
        "c.bcfzip",
        "--pictures",
        "2",
    ];
    let mut command = folder.command(&words);
    let output = command.env("SOURCE_DATE_EPOCH", "0").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let csv = folder.read("c.csv");
    assert!(csv.starts_with("rank,id,kind,status,a,b,"));
    let rows = csv.lines().count() - 1;
    assert!(rows >= 6, "{csv}");
    let html = folder.read("c.html");
    assert_eq!(html.matches("<tr id=").count(), rows);
    // One of everything, one of each of two kinds.
    assert_eq!(html.matches("data:image/png;base64,").count(), 3);
    assert_eq!(html.matches("<figure id=").count(), 2);
    assert_eq!(html.matches("<circle ").count(), rows, "a mark for each");
    for told in [
        "<dt>units</dt>",
        "<dt>clearance</dt><dd>0.2</dd>",
        "aria-label=\"find a part\"",
        "part b, dashed outline",
        "what they share",
        "e.key==='Escape'",
    ] {
        assert!(html.contains(told), "{told}");
    }
    assert!(html.contains("bolt one") && html.contains("prefers-color-scheme:dark"));
    assert!(!html.contains("http"), "nothing comes from elsewhere");
    let info = folder.run(&["info", "c.glb", "--json"]).json();
    assert_eq!(info["parts"].as_array().unwrap().len(), 6);

    let bytes = std::fs::read(folder.path().join("c.bcfzip")).unwrap();
    assert!(bytes.starts_with(b"PK"));
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let names: Vec<String> = zip
        .file_names()
        .map(|name| name.unwrap().into_owned())
        .collect();
    let count = |end: &str| names.iter().filter(|name| name.ends_with(end)).count();
    assert_eq!(count("bcf.version"), 1);
    assert_eq!(
        (count("/markup.bcf"), count("/viewpoint.bcfv")),
        (rows, rows)
    );
    assert_eq!(count("/snapshot.png"), 2);
    let markup = names
        .iter()
        .find(|name| name.ends_with("/markup.bcf"))
        .unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut zip.by_name(markup).unwrap(), &mut text).unwrap();
    let guid = markup.split('/').next().unwrap();
    assert!(text.contains(&format!("<Topic Guid=\"{guid}\"")), "{text}");
    assert!(text.contains("1970-01-01T00:00:00Z"));
}

#[test]
fn several_files_prefix_their_parts_and_equal_names_get_numbers() {
    let folder = machine();
    folder.write("b.obj", &cube_at("x", 0, 0.1, 0.1, 0.1));
    let twins = [("x", 0.0, 0.0, 0.0), ("y", 9.0, 0.0, 0.0)];
    folder.write("twins.obj", &cubes(&twins));
    let ran = folder.run(&["clash", "b.obj", "twins.obj", "--json"]);
    assert_eq!(kinds(&ran.json()), ["crossing b-twins/x"]);
    let ran = folder.run(&["clash", "b.obj", "b.obj", "--json"]);
    assert_eq!(kinds(&ran.json()), ["duplicate b-b#2"]);
    let ran = folder.run(&["clash", "model:lock", "--json"]);
    assert!(ran.json()["parts"].as_u64().unwrap() > 1, "{ran:?}");
}

#[test]
fn the_answer_does_not_depend_on_the_memory_allowed() {
    let folder = machine();
    let run = |mib: &str| {
        folder
            .run(&["clash", "machine.obj", "--memory", mib, "--json"])
            .out
    };
    assert_eq!(run("0"), run("1024"));
}

/// A box of twelve faces between two corners, as an OBJ object whose numbers are printed by the given function.
fn block(
    name: &str,
    first: usize,
    min: [f64; 3],
    max: [f64; 3],
    print: impl Fn(f64) -> String,
) -> String {
    let mut text = format!("o {name}\n");
    for i in 0..8 {
        let pick = |axis: usize| print([min, max][i >> axis & 1][axis]);
        text += &format!("v {} {} {}\n", pick(0), pick(1), pick(2));
    }
    let sides = [
        [1, 3, 4, 2],
        [5, 6, 8, 7],
        [1, 2, 6, 5],
        [3, 7, 8, 4],
        [1, 5, 7, 3],
        [2, 4, 8, 6],
    ];
    for [p, q, r, s] in sides.map(|side| side.map(|v| v + 8 * first)) {
        text += &format!("f {p} {q} {r}\nf {p} {r} {s}\n");
    }
    text
}

/// The corners of a wall and of a second one, the kind of their clash and its depth.
const PLACEMENTS: [(&str, [[f64; 3]; 2], &str, f64); 8] = [
    (
        "aligned",
        [[4.95, 0.0, 0.0], [9.95, 0.2, 3.0]],
        "crossing",
        0.05,
    ),
    (
        "nudged",
        [[0.0, 0.198, 0.0], [5.0, 0.398, 3.0]],
        "crossing",
        0.002,
    ),
    (
        "far in",
        [[2.5, 0.0, 0.0], [7.5, 0.2, 3.0]],
        "crossing",
        0.1,
    ),
    (
        "twice",
        [[0.0, 0.0, 0.0], [5.0, 0.2, 3.0]],
        "duplicate",
        0.0,
    ),
    (
        "beside",
        [[5.0, 0.0, 0.0], [10.0, 0.2, 3.0]],
        "touching",
        0.0,
    ),
    (
        "across",
        [[2.0, -2.0, 0.0], [2.2, 2.0, 3.0]],
        "crossing",
        0.1,
    ),
    (
        "inside",
        [[1.0, 0.05, 1.0], [2.0, 0.125, 2.0]],
        "contained",
        0.125,
    ),
    ("clear", [[0.0, 0.3, 0.0], [5.0, 0.5, 3.0]], "none", 0.0),
];

#[test]
fn eight_placements_of_two_walls_are_right_in_text_and_in_single_numbers() {
    let folder = Folder::new();
    for (name, [min, max], kind, depth) in PLACEMENTS {
        let print = |x: f64| x.to_string();
        let text =
            block("wall", 0, [0.0; 3], [5.0, 0.2, 3.0], print) + &block(name, 1, min, max, print);
        folder.write("walls.obj", &text);
        assert_eq!(folder.run(&["convert", "walls.obj", "walls.glb"]).code, 0);
        for (file, off) in [("walls.obj", 1e-12), ("walls.glb", 1e-6)] {
            let record = folder.run(&["clash", file, "--json"]).json();
            let found = record["clashes"].as_array().unwrap();
            // A file that has one part has no clash: GLB keeps groups apart.
            assert_eq!(record["parts"], 2, "{file}");
            if kind == "none" {
                assert!(found.is_empty(), "{name}: {found:?}");
                continue;
            }
            assert_eq!(found[0]["kind"], kind, "{file} {name}: {found:?}");
            if depth > 0.0 {
                let bound = |which: &str| found[0]["depth"][which].as_f64().unwrap();
                let (lower, upper) = (bound("lower"), bound("upper"));
                assert!((lower - depth).abs() <= off, "{file} {name}: {lower}");
                assert!((upper - depth).abs() <= off, "{file} {name}: {upper}");
            }
        }
    }
}

#[test]
fn walls_that_stand_on_slabs_up_to_rounding_touch_within_precision() {
    let folder = Folder::new();
    // Single numbers in print: nine digits.
    let print = |x: f64| (x as f32).to_string();
    let mut text = block("slab", 0, [0.0, 0.0, -0.3], [10.0, 10.0, 0.0], print);
    for i in 0..4 {
        let x = 1.0 + 2.0 * i as f64 / 3.0;
        let foot = [-2.4e-8, 2.4e-8, 0.0, -1.0e-9][i];
        text += &block(
            &format!("wall{i}"),
            i + 1,
            [x, 1.0, foot],
            [x + 0.1, 9.0, 2.7],
            print,
        );
    }
    folder.write("house.obj", &text);
    let ran = folder.run(&["clash", "house.obj", "--json"]);
    let record = ran.json();
    assert!(record["precision"].as_f64().unwrap() > 2.4e-8);
    let found = record["clashes"].as_array().unwrap();
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|c| c["kind"] == "touching"), "{found:?}");
    let within = found.iter().filter(|c| c["within_precision"] == true);
    assert_eq!(within.count(), 3);
    let ran = folder.run(&["clash", "house.obj"]);
    assert!(ran.out.contains("3 within file precision"), "{ran:?}");
    // Taken as they are, two overlap, and a hint names what to set.
    let ran = folder.run(&["clash", "house.obj", "--precision", "0", "--json"]);
    let count = |kind: &str| {
        let all = ran.json();
        let list = all["clashes"].as_array().unwrap();
        list.iter().filter(|c| c["kind"] == kind).count()
    };
    assert_eq!((count("crossing"), count("touching")), (2, 1));
    assert!(ran.err.contains("--tolerance 1e-7"), "{ran:?}");
    let ran = folder.run(&[
        "clash",
        "house.obj",
        "--precision",
        "0",
        "--tolerance",
        "1e-7",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn rules_of_one_kind_are_one_sided_and_idle_rules_are_reported() {
    let folder = Folder::new();
    let print = |x: f64| x.to_string();
    let text = block("slab", 0, [0.0; 3], [4.0, 4.0, 1.0], print)
        + &block("bar", 1, [1.0, 1.0, 0.25], [3.0, 1.25, 0.5], print)
        + &block("lid", 2, [0.0, 0.0, 1.0], [4.0, 4.0, 2.0], print);
    folder.write("m.obj", &text);
    let run = |rules: &str| {
        folder.write("rules", rules);
        folder.run(&["clash", "m.obj", "--rules", "rules", "--json"])
    };
    let both = ["contained bar-slab", "touching lid-slab"];
    assert_eq!(kinds(&run("ignore nothing").json()), both);
    assert_eq!(kinds(&run("ignore:contained bar slab").json()), [both[1]]);
    // The other way round is another clash.
    assert_eq!(kinds(&run("ignore:contained slab bar").json()), both);
    assert_eq!(kinds(&run("ignore:touching *").json()), [both[0]]);
    let ran = run("# remarks are no rules\nignore bar\nignore nut* slab\n");
    assert_eq!(ran.json()["idle_rules"], serde_json::json!([3]));
    assert!(ran.err.contains("a pattern of line 3"), "{ran:?}");
    let ran = run("ignore:grazing bar slab");
    assert!(
        ran.code == 2 && ran.err.contains("no kind of clash 'grazing'"),
        "{ran:?}"
    );
}

#[test]
fn a_baseline_of_other_settings_is_reported_and_persisting_clashes_are_counted() {
    let folder = machine();
    let old = folder.run(&["clash", "machine.obj", "--json"]);
    folder.write("old.json", &old.out);
    let words = [
        "clash",
        "machine.obj",
        "--baseline",
        "old.json",
        "--new-only",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0);
    let count = old.json()["clashes"].as_array().unwrap().len();
    let told = format!("0 new, {count} persisting, 0 resolved");
    assert!(ran.out.contains(&told), "{ran:?}");
    assert!(!ran.err.contains("other settings"), "{ran:?}");
    let ran = folder.run(&[&words[..], &["--tolerance", "0.01", "--json"]].concat());
    assert!(ran.err.contains("tolerance 0, now 0.01"), "{ran:?}");
    let record = ran.json();
    assert_eq!(record["other_settings"].as_array().unwrap().len(), 1);
    assert_eq!(
        record["persisting"], 4,
        "touching ones are not told with a tolerance"
    );
}

#[test]
fn groups_gather_clashes_and_become_one_topic_each() {
    let folder = Folder::new();
    let print = |x: f64| x.to_string();
    // A duct through five walls, and two blocks far away.
    let mut text = block("duct", 0, [-1.0, 0.25, 1.0], [11.0, 0.75, 1.5], print);
    for i in 0..5 {
        let x = 2.0 * i as f64;
        let (low, high) = ([x, 0.0, 0.0], [x + 0.25, 8.0, 3.0]);
        text += &block(&format!("wall{i}"), i + 1, low, high, print);
    }
    text += &block("crate", 6, [90.0, 0.0, 0.0], [91.0, 1.0, 1.0], print);
    text += &block("box", 7, [90.5, 0.25, 0.25], [92.0, 2.0, 2.0], print);
    folder.write("m.obj", &text);
    let words = ["clash", "m.obj", "--json", "--bcf", "m.bcfzip", "--group"];
    for (by, first) in [("part", "duct"), ("place", "near ")] {
        let record = folder.run(&[&words[..], &[by]].concat()).json();
        assert_eq!(record["clashes"].as_array().unwrap().len(), 6);
        let groups = record["groups"].as_array().unwrap();
        assert_eq!(groups.len(), 2, "{groups:?}");
        assert!(groups[0]["name"].as_str().unwrap().starts_with(first));
        assert_eq!(
            (&groups[0]["clashes"], &groups[1]["clashes"]),
            (&5.into(), &1.into())
        );
        let bytes = std::fs::read(folder.path().join("m.bcfzip")).unwrap();
        let zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let topics = zip.file_names().filter(|name| {
            name.as_ref()
                .is_ok_and(|name| name.ends_with("/markup.bcf"))
        });
        assert_eq!(topics.count(), 2);
    }
    let ran = folder.run(&[
        "clash",
        "m.obj",
        "--group",
        "place",
        "--group-distance",
        "0.5",
        "--json",
    ]);
    assert_eq!(ran.json()["groups"].as_array().unwrap().len(), 6);
}

#[test]
fn depths_are_shown_as_a_value_and_ranked_by_it() {
    let folder = machine();
    let ran = folder.run(&["clash", "machine.obj"]);
    // Exact depths have no bracket to show.
    assert!(
        ran.out.contains("0.25") && !ran.out.contains('≥'),
        "{ran:?}"
    );
    assert!(!ran.out.contains('±'), "{ran:?}");
}
