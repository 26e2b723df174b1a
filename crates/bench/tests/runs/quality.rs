//! A small run of the benchmark of forces meets its bars, and leaves a sheet behind.

use std::process::Command;

#[test]
fn exact_forces_are_near_the_formulas() {
    let folder = std::env::temp_dir().join(format!("impinge-quality-{}", std::process::id()));
    let ran = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args(["run", "quality", "--only", "exact", "--places", "64"])
        // Whatever else the machine does: this is about forces, of solids that are built at once.
        .args(["--tau", "1000", "--patience", "0.01", "--records"])
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
    let tables = sheet["tables"].as_array().unwrap();
    assert!(tables.len() >= 7);
    // Nothing takes a second here: no engine is said to be on a line of equal time, and each says what its finest pair took.
    let table = tables
        .iter()
        .find(|t| t["title"] == "Equivalent resolutions");
    let table = table.unwrap();
    let column = |name: &str| {
        let columns = table["columns"].as_array().unwrap();
        columns.iter().position(|c| c == name).unwrap()
    };
    let (taken, finest) = (column("what was taken"), column("ms of the finest"));
    for row in table["rows"].as_array().unwrap() {
        let words = row[taken].to_string();
        assert!(words.contains("the best of nine: "), "{row}");
        let ms = row[finest].as_f64().unwrap();
        assert!(ms > 0.0 && words.contains(&format!("{ms:.3} ms")), "{row}");
    }
}
