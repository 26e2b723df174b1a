//! Configurations are made, checked and measured at; damage and failing peers are said and survived.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::Path;

use crate::folder::{Folder, OPEN, assert_met, said};
use serde_json::Value;

/// Changes a byte in the middle.
fn damage(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn the_presets_have_the_published_numbers() {
    assert_met(&Folder::new("count").run(&["configurations", "count"]));
}

#[test]
fn configurations_meet_their_targets_and_damage_is_found() {
    let folder = Folder::new("check");
    let pairs = ["--pairs", "knot-blob,lattice-blob"];
    let stride = ["--stride", "1499"];
    assert_met(&folder.run(&[&["configurations", "generate"][..], &pairs, &stride].concat()));
    let check = [&["configurations", "check"][..], &pairs].concat();
    let resumed = [&check[..], &["--resume"]].concat();
    let earlier = ", from an earlier check";
    for (args, taken) in [(&resumed, 0), (&resumed, 4), (&check, 0)] {
        let output = folder.run(args);
        assert_met(&output);
        let found = said(&output).matches(earlier).count();
        assert_eq!(found, taken, "{}", said(&output));
    }
    damage(
        &folder
            .0
            .join("configurations/everyday/knot-blob.distance.conf"),
    );
    let refused = folder.run(&resumed);
    assert!(!refused.status.success());
    let place = "knot-blob.distance.conf: block";
    assert!(said(&refused).contains(place), "{}", said(&refused));
}

/// `check` with a peer in FCL's place, and what its sheet says.
fn checked_by_peer(folder: &Folder) -> (std::process::Output, Value) {
    let output = folder.run(&[
        "configurations",
        "check",
        "--pairs",
        "flake",
        "--peer",
        "fcl",
    ]);
    let sheet = folder.0.join("records/configurations-fcl.sheet.json");
    let sheet = std::fs::read_to_string(sheet).unwrap();
    (output, serde_json::from_str(&sheet).unwrap())
}

#[test]
fn a_peer_confirms_configurations_refutes_them_or_says_nothing() {
    let folder = Folder::new("foreign");
    let stride = ["--stride", "2999"];
    assert_met(
        &folder.run(
            &[
                &["configurations", "generate", "--pairs", "flake"][..],
                &stride,
            ]
            .concat(),
        ),
    );
    // None is there: that is told, and no failure of ours.
    let (output, sheet) = checked_by_peer(&folder);
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    assert!(said(&output).contains("absent: fcl"), "{}", said(&output));
    assert_eq!(sheet["failures"][0]["is_ours"], false);
    assert!(sheet["bars"].as_array().unwrap().is_empty());
    // One that crashes has no say.
    folder.add_peer("exit 1");
    let (output, sheet) = checked_by_peer(&folder);
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    assert!(sheet["bars"].as_array().unwrap().is_empty());
    let reason = sheet["failures"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("not answered"), "{reason}");
    // One that contradicts is heard.
    folder.add_peer("echo \"answer 0.123$times\"");
    let (output, sheet) = checked_by_peer(&folder);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(sheet["bars"][0]["is_met"], false);
    assert!(
        !folder
            .run(&["configurations", "check", "--peer", "obb"])
            .status
            .success()
    );
}

#[test]
fn a_runner_of_any_name_confirms_what_it_finds_too() {
    let folder = Folder::new("runner");
    let generate = ["configurations", "generate", "--stride", "2999"];
    assert_met(&folder.run(&[&generate[..], &["--pairs", "flake"]].concat()));
    // Ours behind a shell, as if it were a stranger's.
    let script = format!(
        "#!/bin/sh\nexec {} serve obb \"$@\"\n",
        env!("CARGO_BIN_EXE_impinge-bench")
    );
    let runner = folder.file("stranger.sh", &script);
    crate::folder::permit(&runner);
    let peer = format!("stranger={}", runner.display());
    let output = folder.run(&[
        "configurations",
        "check",
        "--pairs",
        "flake",
        "--peer",
        &peer,
    ]);
    assert_met(&output);
    assert!(said(&output).contains("by stranger"), "{}", said(&output));
}

#[test]
fn a_crashing_peer_a_missing_one_and_a_damaged_file_are_told_and_survived() {
    let folder = Folder::new("peers");
    folder.add_peer("exit 1");
    let run = [
        "run",
        "performance",
        "--pairs",
        "blob",
        "--engines",
        "impinge,obb,average,balls-200,voxmap-30,fcl,coal",
        "--most",
        "2",
        "--minutes",
        "20",
    ];
    let sheet = || -> Value {
        let text = std::fs::read_to_string(folder.0.join("records/performance.sheet.json"));
        serde_json::from_str(&text.unwrap()).unwrap()
    };
    let failed = |subject: &str| {
        let sheet = sheet();
        let failures = sheet["failures"].as_array().unwrap().clone();
        assert!(
            failures.iter().all(|f| f["is_ours"] == false),
            "{failures:?}"
        );
        failures
            .iter()
            .any(|f| f["subject"].as_str().unwrap().contains(subject))
    };
    assert_met(&folder.run(&run));
    assert!(failed("fcl") && failed("coal") && failed("manifold"));
    // An engine that may err keeps its time and says how often it was wrong, and nobody takes it for an exact one.
    let csv = std::fs::read_to_string(folder.0.join("records/performance.csv")).unwrap();
    let column = |name: &str| {
        csv.lines()
            .next()
            .unwrap()
            .split(',')
            .position(|c| c == name)
    };
    let (verdict, mean, error) = (column("verdict"), column("mean_ns"), column("error"));
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .map(|line| line.split(',').collect())
        .filter(|row: &Vec<&str>| row.contains(&"average"))
        .collect();
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!(row[verdict.unwrap()], "approximate");
        assert!(row[mean.unwrap()].parse::<f64>().unwrap() > 0.0);
        let wrong = row[error.unwrap()].parse::<f64>().unwrap();
        assert!((0.0..=1.0).contains(&wrong), "{wrong}");
    }
    assert!(sheet().to_string().contains("average (approximate)"));
    // Balls and voxels tell distances, each with its time and its error.
    let (kind, question) = (column("kind").unwrap(), column("question").unwrap());
    for name in ["balls-200", "voxmap-30"] {
        let told = csv.lines().map(|line| line.split(',').collect());
        let told: Vec<Vec<&str>> = told
            .filter(|row: &Vec<&str>| row.contains(&name) && row[kind] == "distance")
            .collect();
        let distances = told.iter().filter(|row| row[question] == "distance");
        assert_eq!(distances.clone().count(), 7, "{name}");
        for row in distances {
            assert_eq!(row[verdict.unwrap()], "approximate");
            let off = row[error.unwrap()].parse::<f64>().unwrap();
            assert!(off > 0.0 && off < 0.2, "{name}: {off}");
        }
    }
    damage(&folder.0.join("configurations/quick/blob.distance.conf"));
    assert_met(&folder.run(&run));
    assert!(failed("blob.distance.conf"));
    // Nothing is left to measure, and the sheet is whole all the same.
    let csv = |name: &str| folder.0.join("records").join(name);
    std::fs::rename(csv("performance.csv"), csv("performance.partial.csv")).unwrap();
    let before = std::fs::read(csv("performance.partial.csv")).unwrap();
    assert_met(&folder.run(&[&run[..], &["--resume"]].concat()));
    assert_eq!(std::fs::read(csv("performance.csv")).unwrap(), before);
}

/// The rows of `performance.csv` of one engine on one question of one scenario, as names and fields.
fn rows_of(
    folder: &Folder,
    engine: &str,
    kind: &str,
    question: &str,
) -> Vec<Vec<(String, String)>> {
    let csv = std::fs::read_to_string(folder.0.join("records/performance.csv")).unwrap();
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let rows = csv.lines().skip(1).map(|line| -> Vec<(String, String)> {
        let fields = line.split(',').map(str::to_owned);
        head.iter().map(|h| (*h).to_owned()).zip(fields).collect()
    });
    rows.filter(|row| {
        [("engine", engine), ("kind", kind), ("question", question)]
            .iter()
            .all(|(name, value)| field(row, name) == *value)
    })
    .collect()
}

fn field<'r>(row: &'r [(String, String)], name: &str) -> &'r str {
    row.iter().find(|(n, _)| n == name).unwrap().1.as_str()
}

/// A stranger's runner: one of ours behind a shell, with lines of its own in front.
fn stranger(folder: &Folder, name: &str, serves: &str, own: &str) -> String {
    let bench = env!("CARGO_BIN_EXE_impinge-bench");
    let script = format!(
        "#!/bin/sh\n\
         mkfifo \"$0.$$\"\n\
         {bench} serve {serves} \"$@\" < \"$0.$$\" &\n\
         exec 3> \"$0.$$\"\n\
         rm \"$0.$$\"\n\
         nines() {{ k=0; while [ $k -lt \"${{1##* }}\" ]; do printf ' 9'; k=$((k+1)); done; echo; }}\n\
         while read -r line; do\n\
         case \"$line\" in\n\
         {own}\n\
         *) echo \"$line\" >&3 ;;\n\
         esac\n\
         done\n"
    );
    let runner = folder.file(&format!("{name}.sh"), &script);
    crate::folder::permit(&runner);
    format!("{name}={}", runner.display())
}

#[test]
fn strangers_are_asked_about_solids_and_judged() {
    let folder = Folder::new("solids");
    let engines = [
        "impinge".to_owned(),
        stranger(&folder, "right", "exact-volume", "'never ') ;;"),
        // A volume that is a little off, and a force that points inwards.
        stranger(
            &folder,
            "wrong",
            "exact-volume",
            "'ask volume'*) printf 'answer 0.5'; nines \"$line\" ;;\n'ask force'*' 1') echo 'answer 0 0 -1 9' ;;\n'ask force'*) echo unsupported ;;",
        ),
        stranger(&folder, "crashing", "wide", "'ask volume'*) exit 1 ;;"),
        stranger(
            &folder,
            "one-number",
            "wide",
            "'ask force'*) echo 'answer 1 9 9' ;;",
        ),
        stranger(
            &folder,
            "no",
            "wide",
            "'ask intersects'*) printf 'answer 0'; nines \"$line\" ;;",
        ),
        "balls-200".to_owned(),
        "voxmap-30".to_owned(),
    ];
    let engines = engines.join(",");
    let output = folder.run(&[
        "run",
        "performance",
        "--pairs",
        "blob",
        "--engines",
        &engines,
        "--most",
        "2",
        "--minutes",
        "20",
    ]);
    assert_met(&output);
    let verdicts = |engine: &str, kind: &str, question: &str| -> Vec<String> {
        let rows = rows_of(&folder, engine, kind, question);
        rows.iter()
            .map(|row| {
                let verdict = field(row, "verdict");
                let is_timed = matches!(verdict, "right" | "approximate");
                assert_eq!(!field(row, "mean_ns").is_empty(), is_timed, "{row:?}");
                verdict.to_owned()
            })
            .collect()
    };
    let all = |engine: &str, kind: &str, question: &str, verdict: &str| {
        let found = verdicts(engine, kind, question);
        assert!(
            !found.is_empty() && found.iter().all(|v| v == verdict),
            "{engine} on {question}, {kind}: {found:?}\n{}",
            said(&output)
        );
    };
    // Beside ours in this process, at the same placements.
    for question in ["volume", "force"] {
        all("exact-volume", "volume", question, "right");
        all("right", "volume", question, "right");
        all("wrong", "volume", question, "wrong");
        all("balls-200", "volume", question, "approximate");
        for row in rows_of(&folder, "right", "volume", question) {
            let ratio = field(&row, "common_ns").parse::<f64>().unwrap();
            assert!(ratio > 0.0 && !field(&row, "common_ours_ns").is_empty());
        }
    }
    all("voxmap-30", "volume", "force", "approximate");
    all("crashing", "volume", "volume", "died");
    all("one-number", "volume", "force", "died");
    // What a runner does not answer is no row.
    assert!(rows_of(&folder, "voxmap-30", "volume", "volume").is_empty());
    assert!(rows_of(&folder, "right", "volume", "intersects").is_empty());
    assert!(rows_of(&folder, "impinge", "volume", "volume").is_empty());
    // Yes is right where they overlap: whoever never says it has no time for its no.
    all("impinge", "volume", "intersects", "right");
    all("impinge", "distance", "intersects", "right");
    all("no", "volume", "intersects", "wrong");
    all("no", "distance", "intersects", "denies");
    all("no", "distance", "distance", "right");
    let sheet = std::fs::read_to_string(folder.0.join("records/performance.sheet.json")).unwrap();
    assert!(sheet.contains("Error over time") && sheet.contains("it never says yes"));
    let sheet: Value = serde_json::from_str(&sheet).unwrap();
    let failures = sheet["failures"].as_array().unwrap();
    for name in ["crashing", "one-number"] {
        assert!(
            failures.iter().any(|f| f["subject"] == name),
            "{failures:?}"
        );
    }
    assert!(failures.iter().all(|f| f["is_ours"] == false));
}
