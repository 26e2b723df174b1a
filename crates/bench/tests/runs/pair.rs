//! The `pair` command with our own engines alone, so that it needs no peer.

use std::process::Command;

use impinge_study::engines::mesh_engine;

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
fn every_engine_of_ours_agrees_on_every_question() {
    let questions = "intersects,pairs,distance,tolerance,impact";
    let arguments = ["--json", "--engines", "ours", "--questions", questions];
    let output = pair("ours", POSES, &arguments).unwrap();
    assert!(output.status.success());
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
    let engines = rows
        .iter()
        .filter(|row| row["question"] == "intersects" && row["pose"] == 0)
        .count();
    assert!(engines >= 18);
    // One row per engine, question and pose, whether or not there is an answer.
    assert_eq!(rows.len(), engines * 5 * 2);
    for row in &rows {
        let verdict = row["verdict"].as_str().unwrap();
        let name = row["engine"].as_str().unwrap();
        let engine = mesh_engine(name);
        // Those that only tell what is likely are no engines of meshes.
        assert!(engine.is_some() || name.starts_with("average"), "{row}");
        let expected: &[&str] = if engine.is_some_and(|engine| engine.is_exact()) {
            &["right", "unsupported"]
        } else {
            &["right", "unsupported", "unjudged"]
        };
        assert!(expected.contains(&verdict), "{row}");
    }
}

#[test]
fn an_impact_goes_to_the_next_pose_or_to_the_one_that_is_named() {
    let impact = |name: &str, more: &[&str]| -> Vec<Option<f64>> {
        let mut arguments = vec!["--json", "--engines", "wide", "--questions", "impact"];
        arguments.extend(more);
        let output = pair(name, POSES, &arguments).unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{message}");
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
        rows.iter().map(|row| row["answer"].as_f64()).collect()
    };
    // They meet at the first pose; from the last, nothing moves and they stay apart.
    assert_eq!(impact("next", &[]), [Some(0.0), None]);
    let file = std::env::temp_dir().join(format!("impinge-{}-ends.json", std::process::id()));
    std::fs::write(&file, "[[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]]").unwrap();
    let found = impact("named", &["--to", file.to_str().unwrap()]);
    assert_eq!(found[0], Some(0.0));
    assert!(found[1].is_some_and(|t| 0.0 < t && t < 1.0), "{found:?}");
    let three = format!("[{}]", ["[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]"; 3].join(","));
    std::fs::write(&file, three).unwrap();
    let arguments = [
        "--engines",
        "wide",
        "--questions",
        "impact",
        "--to",
        file.to_str().unwrap(),
    ];
    let output = pair("three", POSES, &arguments).unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("3 poses"));
    assert!(!output.status.success());
    std::fs::remove_file(&file).unwrap();
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
    refused("{\"poses\": []}", &["--engines", "impinge"], "array");
    refused("[[1,0,0", &["--engines", "impinge"], "matrices");
    let stretched = "[[2,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]]";
    refused(stretched, &["--engines", "impinge"], "matrix 0");
    let mirrored = "[[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]]";
    refused(mirrored, &["--engines", "impinge"], "matrix 1");
    refused("[]", &["--engines", "impinge"], "no pose");
    refused(POSES, &["--engines", "nobody"], "nobody");
    refused(POSES, &["--engines", "impinge:nothing"], "nothing");
    refused(
        POSES,
        &["--engines", "impinge", "--questions", "colour"],
        "colour",
    );
    for (option, value) in [
        ("--tolerance", "nan"),
        ("--tolerance", "-1"),
        ("--limit", "0"),
        ("--limit", "nan"),
        ("--budget", "-3"),
    ] {
        let both = format!("{option}={value}");
        refused(POSES, &["--engines", "impinge", &both], option);
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused_by_name() {
    let refused = |arguments: &[&str], word: &str| {
        let file = std::env::temp_dir().join(format!("impinge-{}-door.json", std::process::id()));
        std::fs::write(&file, POSES).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
            .args(["pair", "--engines", "impinge", "--poses"])
            .arg(&file)
            .args(arguments)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains(word), "{message}");
        assert!(output.stdout.is_empty());
    };
    for source in ["blob:abc", "blob:-5", "blob:0", "blob:"] {
        refused(&[source, "gear:300"], source);
    }
    refused(&["blob:300", "gear:300", "--rounds", "0"], "--rounds");
    refused(&["blob:300", "gear:300", "--repeats", "0"], "--repeats");
}
