//! A stranger's runner is measured beside ours by its name and its path.

use std::path::Path;
use std::process::{Command, Stdio};

const POSES: &str = "[[1,0,0,0.9, 0,1,0,0.3, 0,0,1,0.2, 0,0,0,1],
  [[0,-1,0,2.2],[1,0,0,0.1],[0,0,1,0],[0,0,0,1]]]";

#[test]
fn the_example_runner_agrees_with_ours() {
    let python = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !python.is_ok_and(|status| status.success()) {
        println!("not tested: there is no python3");
        return;
    }
    let file = std::env::temp_dir().join(format!("impinge-others-{}.json", std::process::id()));
    std::fs::write(&file, POSES).unwrap();
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("engines/example/runner.py");
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args([
            "pair",
            "blob:200",
            "gear:200",
            "--rounds",
            "1",
            "--repeats",
            "1",
            "--json",
        ])
        .args(["--questions", "intersects,pairs", "--poses"])
        .arg(&file)
        .arg("--engines")
        .arg(format!("impinge,example={}", runner.display()))
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.len(), 2 * 2 * 2);
    for question in ["intersects", "pairs"] {
        for pose in 0..2 {
            let answers: Vec<&serde_json::Value> = rows
                .iter()
                .filter(|row| row["question"] == question && row["pose"] == pose)
                .map(|row| &row["answer"])
                .collect();
            assert_eq!(answers.len(), 2, "{question} at {pose}");
            assert_eq!(answers[0], answers[1], "{question} at {pose}");
        }
    }
    assert!(rows.iter().any(|row| row["engine"] == "example"));
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(["pair", "blob:200", "gear:200", "--poses", "nowhere.json"])
        .args(["--engines", "mine=/no/such/program"])
        .output()
        .unwrap();
    assert!(!output.status.success());
}
