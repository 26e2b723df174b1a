//! A small run of the benchmark of forces meets its bars, and leaves a sheet behind.

use std::process::Command;

#[test]
fn exact_forces_are_near_the_formulas() {
    let folder = std::env::temp_dir().join(format!("impinge-quality-{}", std::process::id()));
    let ran = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(["run", "quality", "--only", "exact", "--places", "64"])
        // Whatever else the machine does: this is about forces.
        .args(["--tau", "1000", "--records"])
        .arg(&folder)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&ran.stdout);
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{out}\n{err}");
    let bars: Vec<&str> = out
        .lines()
        .filter(|line| line.starts_with("bar:"))
        .collect();
    assert_eq!(bars.len(), 6, "{out}");
    assert!(bars.iter().all(|line| line.ends_with(": met")), "{out}");
    let sheet = std::fs::read_to_string(folder.join("quality.sheet.json")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let sheet: serde_json::Value = serde_json::from_str(&sheet).unwrap();
    assert!(sheet["plots"].as_array().unwrap().len() >= 10);
    assert!(sheet["tables"].as_array().unwrap().len() >= 7);
}
