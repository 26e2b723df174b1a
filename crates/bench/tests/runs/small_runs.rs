//! Small runs of the benchmark program meet their bars of correctness.

#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]
use std::process::Command;

/// Runs the program and checks that it says of every bar that it is met.
fn meets_its_bars(arguments: &[&str]) {
    let ran = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(arguments)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{arguments:?}: {out}\n{err}");
    let mut bars = out
        .lines()
        .filter(|line| line.starts_with("bar:"))
        .peekable();
    assert!(bars.peek().is_some(), "{arguments:?}: {out}");
    assert!(bars.all(|line| line.trim_end().ends_with("met")), "{out}");
}

#[test]
fn triangles_are_decided_as_rational_arithmetic_decides_them() {
    meets_its_bars(&["tri-tri-truth", "--pairs", "20000"]);
}

#[test]
fn mutated_files_are_read_or_refused() {
    meets_its_bars(&["fuzz-formats", "--files", "500", "--faces", "0"]);
}

#[test]
fn no_first_contact_is_passed() {
    meets_its_bars(&["impact-truth", "--motions", "500", "--timed", "0"]);
}

#[test]
fn exact_engines_find_the_pairs_of_brute_force() {
    meets_its_bars(&["engine-truth", "--cases", "400"]);
}

#[test]
fn probable_answers_err_no_more_often_than_published() {
    let folder = std::env::temp_dir().join(format!("impinge-average-{}", std::process::id()));
    let records = folder.to_str().unwrap();
    meets_its_bars(&["run", "average", "--preset", "tiny", "--records", records]);
    meets_its_bars(&["run", "model", "--preset", "tiny", "--records", records]);
    let _ = std::fs::remove_dir_all(&folder);
}
