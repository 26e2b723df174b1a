//! Records: what a run writes, what a table and a picture make of it, and what is refused.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, HEADER, OPEN, said};

/// What the table of a file of records says.
fn from(folder: &Folder, file: &Path) -> std::process::Output {
    folder.run(&["run", "rigid", "--from", crate::folder::word(file)])
}

/// Records of two poses of a pair of this set: ours with the verdict, FCL, Coal five times slower.
fn records_in(set: &str, verdict: &str, fcl_ns: u32) -> String {
    let mut csv = format!("{HEADER}\n");
    for pose in 0..2 {
        for (engine, verdict, excused, ns, build) in [
            ("impinge", verdict, 0, 1000, 1000),
            ("fcl", "excused", 3, fcl_ns, 30_000),
            ("coal", "right", 0, 5_000, 7_000),
        ] {
            csv.push_str(&format!(
                "gear-gear,cad,10,10,0.1,{pose},0,0.1,intersects,{engine},1.0,0,{verdict},{excused},{ns},10,{ns},{build},{ns},{set}\n"
            ));
        }
    }
    csv
}

/// The same of a judging pair, FCL being ten times slower.
fn records(verdict: &str) -> String {
    records_in("judging", verdict, 10_000)
}

/// The line of a table about a question, beside a peer.
fn row<'t>(table: &'t str, question: &str, peer: &str) -> Option<&'t str> {
    table
        .lines()
        .find(|line| line.starts_with(question) && line.contains(&format!("| {peer} ")))
}

#[test]
fn the_table_of_a_record_says_what_is_met_and_what_is_missed() {
    let folder = Folder::new("table");
    let file = folder.file("rigid.csv", &records("right"));
    let output = from(&folder, &file);
    let table = said(&output);
    // 12.5 times faster than FCL is the bar. One-shot: 40 µs beside 2.
    let beside_fcl = row(&table, "any intersection, apart", "fcl").unwrap();
    let words: Vec<&str> = beside_fcl.split_whitespace().collect();
    for word in ["10.0x", "12.5x", "20.0x", "5.0x"] {
        assert!(words.contains(&word), "{word}: {beside_fcl}");
    }
    assert!(beside_fcl.ends_with("MISSED"), "{beside_fcl}");
    let beside_ode = row(&table, "any intersection, apart", "ode").unwrap();
    assert!(beside_ode.ends_with("no peer"), "{beside_ode}");
    assert!(!output.status.success());
    // This pair is not on the list, and none of those that are was measured.
    let whole = table
        .lines()
        .find(|line| line.contains("every judging pair"));
    assert!(whole.unwrap().ends_with("not measured"));
    let excused = table.lines().find(|line| line.starts_with("fcl ")).unwrap();
    let words: Vec<&str> = excused.split_whitespace().collect();
    assert_eq!(
        words[2..5],
        ["0", "2", "6"],
        "right, excused, pairs: {excused}"
    );
    assert!(table.contains("no wrong answer of ours (0 in 2): met"));
}

#[test]
fn a_wrong_answer_of_ours_fails_the_run() {
    let folder = Folder::new("wrong");
    let quick = records_in("judging", "right", 20_000);
    let file = folder.file("rigid.csv", &quick);
    let output = from(&folder, &file);
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    let file = folder.file(
        "rigid.csv",
        &quick.replacen("impinge,1.0,0,right", "impinge,1.0,0,wrong", 1),
    );
    let output = from(&folder, &file);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("no wrong answer of ours (1 in 2): MISSED"));
}

#[test]
fn only_judging_pairs_enter_a_bar() {
    let folder = Folder::new("sets");
    for set in ["tuning", "generated"] {
        let file = folder.file("rigid.csv", &records_in(set, "right", 10_000));
        let output = from(&folder, &file);
        let table = said(&output);
        assert_eq!(output.status.code(), Some(OPEN), "{table}");
        let bar = row(&table, "any intersection, apart", "fcl").unwrap();
        assert!(bar.ends_with("not measured"), "{bar}");
        assert!(table.contains(&format!("The {set} pairs, which enter no bar:")));
        assert!(!table.contains("every judging pair"));
    }
    // Beside judging ones they change nothing.
    let fast = records_in("tuning", "right", 90_000).replace("gear-gear", "blob-blob");
    let (_, fast) = fast.split_once('\n').unwrap();
    let file = folder.file("rigid.csv", &format!("{}{fast}", records("right")));
    let table = said(&from(&folder, &file));
    let bar = row(&table, "any intersection, apart", "fcl").unwrap();
    assert!(bar.contains("10.0x") && bar.ends_with("MISSED"), "{bar}");
}

#[test]
fn an_engine_called_pqp_has_bars_of_its_own() {
    let folder = Folder::new("pqp");
    let without = folder.file("rigid.csv", &records("right"));
    assert!(!said(&from(&folder, &without)).contains("pqp"));
    let with = folder.file("rigid.csv", &records("right").replace("coal", "pqp"));
    let table = said(&from(&folder, &with));
    // Five times faster, where six are asked.
    let bar = row(&table, "any intersection, apart", "pqp").unwrap();
    assert!(bar.contains("5.0x") && bar.contains("6.0x") && bar.ends_with("MISSED"));
    for (question, least) in [
        ("any intersection, hit", "6.0x"),
        ("all face pairs", "8.0x"),
        ("distance, apart", "12.0x"),
        ("distance, hit", "60.0x"),
    ] {
        let bar = row(&table, question, "pqp").unwrap();
        assert!(
            bar.contains(least) && bar.ends_with("not measured"),
            "{bar}"
        );
    }
}

#[test]
fn records_from_before_there_were_sets_are_read_and_decide_nothing() {
    let folder = Folder::new("earlier");
    let cut = |line: &str| line.rsplitn(4, ',').last().unwrap().to_owned() + "\n";
    let earlier: String = records("right").lines().map(cut).collect();
    let file = folder.file("rigid.csv", &earlier);
    let output = from(&folder, &file);
    let table = said(&output);
    assert_eq!(output.status.code(), Some(OPEN), "{table}");
    let bar = row(&table, "any intersection, apart", "fcl").unwrap();
    assert!(
        bar.contains("10.0x") && bar.ends_with("not measured"),
        "{bar}"
    );
}

#[test]
fn without_models_there_is_nothing_to_judge() {
    let folder = Folder::new("no-models");
    let output = folder.run(&["run", "rigid", "--engines", "impinge"]);
    assert!(!output.status.success());
    assert!(said(&output).contains("cargo xtask models"));
}

#[test]
fn records_of_another_shape_are_refused() {
    let folder = Folder::new("shape");
    for (bad, word) in [
        ("pair,class\n".to_owned(), "header"),
        (format!("{HEADER}\na,b,1\n"), ":2"),
        (records("right").replace("0.1,0,0,", "far,0,0,"), ":2"),
        (records("right").replace(",judging", ""), ":2"),
    ] {
        let file = folder.file("rigid.csv", &bad);
        let output = from(&folder, &file);
        assert!(!output.status.success());
        assert!(said(&output).contains(word), "{}", said(&output));
    }
}

#[test]
fn a_chart_shows_every_peer_and_tells_when_it_is_old() {
    let folder = Folder::new("chart");
    let file = folder.file("rigid.csv", &records("right"));
    let picture = folder.0.join("rigid.svg");
    let draw = |more: &[&str]| {
        folder
            .bench(&["chart", "rigid"])
            .arg("--records")
            .arg(&file)
            .arg("--output")
            .arg(&picture)
            .args(more)
            .output()
            .unwrap()
    };
    assert!(draw(&[]).status.success());
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    for word in ["fcl 1.0", "coal 1.0", "any intersection", "10×", "5.0×"] {
        assert!(svg.contains(word), "{word} is not in the picture");
    }
    assert!(draw(&["--check"]).status.success());
    folder.file("rigid.csv", &records("right").replace("10000", "70000"));
    assert!(!draw(&["--check"]).status.success());
}

#[test]
fn a_run_leaves_records_and_no_partial_ones() {
    let folder = Folder::new("run");
    let output = folder
        .bench(&["run", "rigid", "--quick", "--set", "generated"])
        .args(["--only", "screw-nut"])
        .args(["--engines", "impinge", "--minutes", "1", "--records"])
        .arg(&folder.0)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    let csv = std::fs::read_to_string(folder.0.join("rigid.csv")).unwrap();
    assert_eq!(csv.lines().next(), Some(HEADER));
    // Nine levels and one engaged pose, three questions each.
    assert_eq!(csv.lines().count(), 1 + 10 * 3);
    let json = std::fs::read_to_string(folder.0.join("rigid.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["bars"].as_array().unwrap().len() > 8);
    assert!(folder.0.join("rigid.md").is_file());
    assert!(!folder.0.join("rigid.partial.csv").exists());
}

#[test]
fn a_run_that_is_stopped_leaves_what_it_had() {
    let folder = Folder::new("stopped");
    let mut child = folder
        .bench(&["run", "rigid", "--quick", "--set", "generated"])
        .args(["--engines", "impinge"])
        .arg("--records")
        .arg(&folder.0)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let file = folder.0.join("rigid.partial.csv");
    let start = Instant::now();
    let lines = || std::fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    while lines() < 4 && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The last line may be half written; what comes before it is a record.
    let text = std::fs::read_to_string(&file).unwrap();
    let whole = &text[..=text.rfind('\n').unwrap()];
    let kept = folder.file("kept.csv", whole);
    let output = from(&folder, &kept);
    assert!(String::from_utf8_lossy(&output.stdout).contains("any intersection"));
}

#[test]
fn scenario_one_records_every_tree_and_draws_it_again() {
    let folder = Folder::new("scenario");
    let picture = folder.0.join("scenario-1.svg");
    let output = folder
        .bench(&["run", "scenario-1", "--quick", "--faces", "200"])
        .args(["--lines", "1", "--records"])
        .arg(&folder.0)
        .arg("--output")
        .arg(&picture)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let csv = std::fs::read_to_string(folder.0.join("scenario-1.csv")).unwrap();
    let engines: std::collections::BTreeSet<&str> = csv
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').nth(4))
        .collect();
    for engine in ["wide", "aabb", "obb", "18-dop", "ball", "cut-tree"] {
        assert!(engines.contains(engine), "{engine} is missing");
    }
    // Six gaps of seven generated models.
    assert_eq!(csv.lines().count(), 1 + 6 * 7 * engines.len());
    assert!(folder.0.join("scenario-1.json").is_file());
    let output = folder
        .bench(&["chart", "scenario-1", "--check", "--records"])
        .arg(folder.0.join("scenario-1.csv"))
        .arg("--output")
        .arg(&picture)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
}

#[test]
fn the_pictures_in_the_documents_are_those_of_the_newest_records() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["rigid", "scenario-1"] {
        let has_record = std::fs::read_dir(root.join("records")).is_ok_and(|folders| {
            folders
                .filter_map(Result::ok)
                .any(|folder| folder.path().join(format!("{name}.csv")).is_file())
        });
        if !has_record {
            continue;
        }
        let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
            .args(["chart", name, "--check"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
    }
}
