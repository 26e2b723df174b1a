//! Strangers' runners that answer rubbish, babble, or leave something behind: ours is right all the same, and nothing goes on.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files; a failure fails the test"
)]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::folder::{Folder, OPEN, permit, word};

const BUILT: &str = "built 1 1 0";

/// `pair` with these engines on meshes that are apart, and on some that meet.
fn pair(folder: &Folder, engines: &str, questions: &str) -> Command {
    let poses = "[[1,0,0,5, 0,1,0,0, 0,0,1,0, 0,0,0,1], [1,0,0,0.5, 0,1,0,0, 0,0,1,0, 0,0,0,1]]";
    let poses = folder.file("poses.json", poses);
    let mut command = folder.bench(&["pair", "blob:100", "blob:100", "--json", "--rounds", "2"]);
    command.args(["--engines", engines, "--questions", questions]);
    command.args(["--poses", word(&poses)]);
    command
}

/// The rows of ours, all of them right and timed, and those of the others.
fn rows(output: &Output) -> (Vec<Value>, Vec<Value>, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let (ours, others): (Vec<Value>, Vec<Value>) =
        rows.into_iter().partition(|row| row["engine"] == "impinge");
    assert!(!ours.is_empty());
    for row in &ours {
        assert_eq!(row["verdict"], "right", "{row}");
        assert!(row["median_ns"].as_f64().unwrap() > 0.0, "{row}");
    }
    (ours, others, said)
}

#[test]
fn strangers_that_lie_about_a_distance_do_not_outvote_ours() {
    let folder = Folder::new("liars");
    let lie = "echo \"answer 0$times\"";
    let liars = ["x", "y", "z"].map(|name| folder.runner(name, "f64", BUILT, lie));
    for count in [1, 3] {
        let engines = format!("impinge,{}", liars[..count].join(","));
        let (_, others, _) = rows(&pair(&folder, &engines, "distance").output().unwrap());
        assert_eq!(others.len(), 2 * count);
        for row in others {
            // Where they meet it is no lie.
            let (verdict, is_timed) = if row["pose"] == 0 {
                ("wrong", false)
            } else {
                ("right", true)
            };
            assert_eq!(row["verdict"], verdict, "{row}");
            assert_eq!(row["median_ns"].is_number(), is_timed, "{row}");
        }
    }
    // Tolerance is judged by the distance, too.
    let engines = format!("impinge,{}", liars.join(","));
    rows(&pair(&folder, &engines, "tolerance").output().unwrap());
    // Alone, a liar is no better.
    let output = pair(&folder, &liars[0], "distance").output().unwrap();
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows[0]["verdict"], "wrong");
}

#[test]
fn what_cannot_be_an_answer_or_a_time_is_none() {
    let folder = Folder::new("nonsense");
    for (k, (question, on_ask)) in [
        ("intersects", "echo \"answer nan$times\""),
        ("intersects", "echo \"answer 2$times\""),
        ("pairs", "echo \"answer 0.5$times\""),
        ("distance", "echo \"answer nan$times\""),
        ("distance", "echo \"answer inf$times\""),
        ("distance", "echo \"answer -1$times\""),
        // Times: not a number, negative, none, nothing, too few.
        ("intersects", "echo 'answer 0 nan'"),
        ("intersects", "echo 'answer 0 -7'"),
        ("intersects", "echo 'answer 0'"),
        ("intersects", "echo 'answer 0 0'"),
        ("intersects", "echo \"answer 0$times 10\""),
        // A line too many, which would be the next answer.
        ("intersects", "echo 'answer 0 10'; echo 'answer 0 10'"),
    ]
    .into_iter()
    .enumerate()
    {
        let x = folder.runner(&format!("x{k}"), "approximate", BUILT, on_ask);
        let output = pair(&folder, &format!("impinge,{x}"), question)
            .output()
            .unwrap();
        let (_, others, said) = rows(&output);
        assert_eq!(others.len(), 2, "{on_ask}");
        let mut died = 0;
        for row in others {
            if row["verdict"] == "died" {
                died += 1;
                assert!(row["median_ns"].is_null(), "{on_ask}: {row}");
            }
        }
        // One line too many is seen when the next question comes.
        let least = if on_ask.contains(';') { 1 } else { 2 };
        assert!(died >= least, "{on_ask}: {said}");
        let words = ["no sense", "unasked"];
        assert!(words.iter().any(|word| said.contains(word)), "{said}");
    }
}

#[test]
fn a_time_that_comes_once_for_many_repeats_has_no_row_of_its_own() {
    let folder = Folder::new("once");
    let x = folder.runner("x", "f64", BUILT, "echo 'answer 0 10'");
    let output = pair(&folder, &format!("impinge,{x}"), "intersects")
        .output()
        .unwrap();
    let (_, others, said) = rows(&output);
    assert!(said.contains("no sense"), "{said}");
    for row in others {
        let verdict = if row["pose"] == 0 { "died" } else { "wrong" };
        assert_eq!(row["verdict"], verdict, "{row}");
        assert!(row["median_ns"].is_null(), "{row}");
    }
}

#[test]
fn a_precision_that_nobody_knows_and_a_build_that_took_less_than_nothing_are_refused() {
    let folder = Folder::new("precision");
    let ask = "echo \"answer 0$times\"";
    for (k, (precision, built, expected)) in [
        (
            "aproximate",
            BUILT,
            "must be exact, f64, f32 or approximate",
        ),
        ("f64", "built nan -1 inf", "built nan -1 inf"),
        ("f64", "built -1 1 0", "built -1 1 0"),
        ("f64", "built 1 1", "NS_A NS_B BYTES"),
        ("f64", "finished 1 1 0", "NS_A NS_B BYTES"),
    ]
    .into_iter()
    .enumerate()
    {
        let x = folder.runner(&format!("x{k}"), precision, built, ask);
        let output = pair(&folder, &format!("impinge,{x}"), "intersects")
            .output()
            .unwrap();
        let (_, others, said) = rows(&output);
        assert!(others.is_empty(), "{others:?}");
        assert!(
            said.contains("left out") && said.contains(expected),
            "{said}"
        );
    }
}

#[test]
fn a_runner_that_counts_poses_otherwise_is_not_believed() {
    let folder = Folder::new("index");
    let x = folder.runner("x", "f64", BUILT, "echo \"answer 0$times\"");
    let script = folder.0.join("x.sh");
    let text = std::fs::read_to_string(&script).unwrap();
    std::fs::write(&script, text.replace("pose $poses", "pose 7")).unwrap();
    let output = pair(&folder, &format!("impinge,{x}"), "intersects")
        .output()
        .unwrap();
    let (_, others, said) = rows(&output);
    assert!(said.contains("not `pose 0`"), "{said}");
    assert!(others.iter().all(|row| row["verdict"] == "died"));
}

#[test]
fn a_line_without_end_ends_the_runner() {
    let folder = Folder::new("endless");
    for (name, script) in [
        (
            "at-once",
            "#!/bin/sh\nexec tr '\\0' y < /dev/zero\n".to_owned(),
        ),
        ("lines", "#!/bin/sh\nexec yes\n".to_owned()),
    ] {
        let runner = folder.file(&format!("{name}.sh"), &script);
        permit(&runner);
        let engines = format!("impinge,{name}={}", runner.display());
        let output = pair(&folder, &engines, "intersects").output().unwrap();
        let (_, others, said) = rows(&output);
        assert!(others.is_empty() && said.contains("left out"), "{said}");
        let expected = if name == "at-once" {
            "more than 1048576 bytes"
        } else {
            "`y`"
        };
        assert!(said.contains(expected), "{said}");
    }
}

/// A runner that is a shell around another process, which writes its number to a file and never ends.
fn around(folder: &Folder, name: &str) -> (String, std::path::PathBuf) {
    let file = folder.0.join(format!("{name}.pid"));
    let on_ask = format!("sleep 600 & echo $! >> {}; wait", file.display());
    (folder.runner(name, "f64", BUILT, &on_ask), file)
}

/// Whether every process in a file is gone, soon.
fn are_gone(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap();
    let ids: Vec<&str> = text.split_whitespace().collect();
    assert!(!ids.is_empty());
    let is_gone = |id: &&str| {
        let is_known = Command::new("sh")
            .args(["-c", &format!("kill -0 {id}")])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success();
        // What has ended and was not waited for has a number still.
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !is_known || state.contains(") Z ")
    };
    (0..600).any(|_| {
        let gone = ids.iter().all(is_gone);
        if !gone {
            std::thread::sleep(Duration::from_millis(50));
        }
        gone
    })
}

#[test]
fn what_a_runner_started_ends_with_it() {
    let folder = Folder::new("orphans");
    let (x, file) = around(&folder, "x");
    let output = pair(&folder, &format!("impinge,{x}"), "intersects")
        .args(["--limit", "0.5"])
        .output()
        .unwrap();
    let (_, others, _) = rows(&output);
    assert!(others.iter().all(|row| row["verdict"] == "timed-out"));
    assert!(are_gone(&file));
}

#[test]
fn a_runner_does_not_outlive_the_program_however_that_ends() {
    let folder = Folder::new("killed");
    let (x, file) = around(&folder, "x");
    let mut command = pair(&folder, &x, "intersects");
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_asked = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        std::fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_asked && are_gone(&file));
}

#[test]
fn a_runner_that_hangs_when_the_time_of_a_run_is_up_is_not_blamed() {
    let folder = Folder::new("minutes");
    let x = folder.runner("x", "f64", BUILT, "sleep 600");
    let engines = format!("impinge,{x}");
    let output = folder.run_blob(&engines, &["--most", "1", "--minutes", "0.15"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(OPEN), "{said}");
    assert!(said.contains("unfinished: "), "{said}");
    let csv = std::fs::read_to_string(folder.0.join("records/performance.csv")).unwrap();
    for line in csv.lines().filter(|line| line.contains(",x,")) {
        assert!(line.contains(",skipped,"), "{line}");
    }
}

#[test]
fn the_example_of_the_guide_can_be_run() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/guide/runner-protocol.md")).unwrap();
    let poses = page
        .split_whitespace()
        .skip_while(|word| *word != "--poses")
        .nth(1)
        .unwrap();
    assert!(root.join(poses).is_file(), "{poses}");
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(["pair", "blob:100", "gear:100", "--engines", "impinge"])
        .args(["--questions", "intersects", "--poses"])
        .arg(root.join(poses))
        .output()
        .unwrap();
    assert!(output.status.success());
}
