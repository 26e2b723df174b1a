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
    assert_eq!(html.matches("<li data-kind").count(), rows);
    assert_eq!(html.matches("data:image/png;base64,").count(), 2);
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
