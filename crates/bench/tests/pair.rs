//! The `pair` command with our own engines alone, so that it needs no peer.

use std::process::Command;

const POSES: &str = "[
  [1,0,0,0.9, 0,1,0,0.3, 0,0,1,0.2, 0,0,0,1],
  [[0,-1,0,2.2],[1,0,0,0.1],[0,0,1,0],[0,0,0,1]]
]";

fn pair(name: &str, poses: &str, arguments: &[&str]) -> std::io::Result<std::process::Output> {
    let file = std::env::temp_dir().join(format!("impinge-{}-{name}.json", std::process::id()));
    std::fs::write(&file, poses)?;
    let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
        .args([
            "pair",
            "blob:300",
            "gear:300",
            "--rounds",
            "1",
            "--repeats",
            "1",
        ])
        .arg("--poses")
        .arg(&file)
        .args(arguments)
        .output()?;
    std::fs::remove_file(&file)?;
    Ok(output)
}

#[test]
fn every_row_has_the_promised_fields_and_engines_agree() {
    let engines = "impinge,impinge:face-sweep";
    let output = pair(
        "rows",
        POSES,
        &[
            "--json",
            "--engines",
            engines,
            "--questions",
            "intersects,pairs,distance",
        ],
    )
    .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.len(), 2 * 3 * 2);
    for row in &rows {
        for field in [
            "engine",
            "question",
            "pose",
            "answer",
            "median_ns",
            "spread_ns",
        ] {
            assert!(row.get(field).is_some(), "{field} is missing in {row}");
        }
        let supported = row["engine"] == "impinge" || row["question"] != "distance";
        assert_eq!(row["verdict"] == "right", supported, "{row}");
        assert_eq!(row["median_ns"].is_number(), supported, "{row}");
    }
    let answers = |question: &str, pose: u64| -> Vec<f64> {
        rows.iter()
            .filter(|row| row["question"] == question && row["pose"] == pose)
            .filter_map(|row| row["answer"].as_f64())
            .collect()
    };
    assert_eq!(answers("intersects", 0), [1.0, 1.0]);
    assert_eq!(answers("intersects", 1), [0.0, 0.0]);
    let pairs = answers("pairs", 0);
    assert!(pairs[0] > 0.0 && pairs[0] == pairs[1]);
    assert_eq!(answers("distance", 0), [0.0]);
    assert!(answers("distance", 1)[0] > 0.0);
}

#[test]
fn a_file_of_something_else_and_unknown_names_are_refused() {
    let refused = |poses: &str, arguments: &[&str], word: &str| {
        let output = pair(word, poses, arguments).unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && message.contains(word),
            "{message}"
        );
    };
    refused("[[1, 2, 3]]", &["--engines", "impinge"], "row-major");
    refused(POSES, &["--engines", "nobody"], "nobody");
    refused(POSES, &["--engines", "impinge:nothing"], "nothing");
    refused(
        POSES,
        &["--engines", "impinge", "--questions", "colour"],
        "colour",
    );
}
