//! Configurations are made, checked and measured at; damage and failing peers are said and survived.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::path::{Path, PathBuf};

use crate::folder::{Folder, OPEN, assert_met, said};
use serde_json::Value;

/// Changes a byte in the middle.
fn damage(path: &Path) {
    let mut bytes = std::fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

/// Where a damaged file is kept.
fn aside(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.damaged", path.display()))
}

/// The sheet of a name among the records of a folder.
fn sheet(folder: &Folder, name: &str) -> Value {
    let path = folder.0.join("records").join(format!("{name}.sheet.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
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
    let names = "configurations-knot-blob-lattice-blob";
    assert_eq!(sheet(&folder, names)["open"], Value::Null);
    let file = folder
        .0
        .join("configurations/everyday/knot-blob.distance.conf");
    let whole = std::fs::read(&file).unwrap();
    damage(&file);
    let damaged = std::fs::read(&file).unwrap();
    let refused = folder.run(&resumed);
    assert!(!refused.status.success());
    let place = "knot-blob.distance.conf: block";
    assert!(said(&refused).contains(place), "{}", said(&refused));
    // Generating goes on: the damaged file is named, kept under another name, and made anew; the others are left alone.
    let generate = [
        &["configurations", "generate", "--resume"][..],
        &pairs,
        &stride,
    ]
    .concat();
    let output = folder.run(&generate);
    assert_met(&output);
    let words = said(&output);
    assert!(
        words.contains(place) && words.contains("knot-blob.distance.conf.damaged"),
        "{words}"
    );
    assert_eq!(words.matches("is there").count(), 3, "{words}");
    assert_eq!(std::fs::read(&file).unwrap(), whole);
    assert_eq!(std::fs::read(aside(&file)).unwrap(), damaged);
}

#[test]
fn a_check_names_what_it_left_out_and_hides_no_other() {
    let folder = Folder::new("partial");
    let generate = ["configurations", "generate", "--stride", "1499"];
    assert_met(&folder.run(&[&generate[..], &["--pairs", "knot-blob,flake"]].concat()));
    let check = |more: &[&str]| folder.run(&[&["configurations", "check"][..], more].concat());
    let whole = check(&["--resume"]);
    assert_met(&whole);
    let before = sheet(&folder, "configurations");
    assert!(
        before["notes"]
            .to_string()
            .contains("Not there: blob.distance.conf")
    );
    // A check of less leaves the sheet of a whole one as it is, says what was not asked for, and counts what was.
    let output = check(&["--pairs", "knot-blob", "--kind", "distance"]);
    assert_met(&output);
    assert_eq!(sheet(&folder, "configurations"), before);
    let part = sheet(&folder, "configurations-knot-blob-distance");
    let command = "impinge-bench configurations check --pairs knot-blob --kind distance";
    assert_eq!(part["command"], command);
    let notes = part["notes"].to_string();
    assert!(
        notes.contains("There, and not asked for: flake.distance.conf, knot-blob.volume.conf"),
        "{notes}"
    );
    let claim = part["bars"][0]["claim"].as_str().unwrap();
    assert!(
        claim.starts_with("every distance of knot-blob is"),
        "{claim}"
    );
    // What was never checked is in the sheet, in the denominator, and leaves the bar open.
    let kept = folder
        .0
        .join("configurations/everyday/knot-blob.volume.by-columns-below-pairs-of-faces.json");
    std::fs::remove_file(kept).unwrap();
    let output = check(&["--kept"]);
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    let after = sheet(&folder, "configurations");
    let all = before["tables"][0]["rows"].as_array().unwrap();
    let volumes = all.iter().find(|row| row[2] == "volume").unwrap()[3].clone();
    let rows = after["tables"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), all.len());
    let row = rows.iter().find(|row| row[2] == "volume").unwrap();
    assert_eq!((&row[3], row[4].as_f64()), (&volumes, Some(0.0)));
    assert!(
        row[5]["reason"]
            .as_str()
            .unwrap()
            .contains("no earlier check")
    );
    let open = after["open"][0].as_str().unwrap();
    let asked = format!("0 of {} asked about", volumes.as_f64().unwrap());
    assert!(
        open.contains(&asked) && open.contains("1 files not checked"),
        "{open}"
    );
}

#[test]
fn a_bar_over_nothing_is_open_and_numbers_that_make_no_sense_are_refused() {
    let folder = Folder::new("nothing");
    let open = folder.run(&[
        "configurations",
        "generate",
        "--pairs",
        "flake",
        "--kind",
        "volume",
    ]);
    assert_eq!(open.status.code(), Some(OPEN), "{}", said(&open));
    assert!(said(&open).contains("0 of 0 pairs"), "{}", said(&open));
    for (words, option) in [
        (
            &["configurations", "check", "--distances", "0"][..],
            "--distances",
        ),
        (&["configurations", "check", "--volumes", "0"], "--volumes"),
        (&["configurations", "generate", "--stride", "0"], "--stride"),
        (
            &["configurations", "generate", "--threads", "0"],
            "--threads",
        ),
        (&["run", "performance", "--most", "0"], "--most"),
        (&["run", "quality", "--tau", "nan"], "--tau"),
        (&["run", "quality", "--tau", "0"], "--tau"),
        (&["run", "quality", "--places", "0"], "--places"),
        (&["run", "quality", "--patience", "nan"], "--patience"),
    ] {
        let output = folder.run(words);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{words:?}: {}",
            said(&output)
        );
        assert!(said(&output).contains(option), "{}", said(&output));
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named_at_once() {
    let folder = Folder::new("refused");
    let file = folder.file("file", "");
    let below = file.join("below");
    let below = below.to_str().unwrap();
    for words in [
        &["configurations", "generate", "--folder", below][..],
        &["configurations", "check", "--records", below],
        &["run", "all", "--records", below],
        &["run", "performance", "--records", below],
    ] {
        let output = folder.run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(
            said(&output).contains(below),
            "{words:?}: {}",
            said(&output)
        );
    }
}

#[test]
fn outside_of_a_checkout_everything_stays_below_the_current_folder() {
    let folder = Folder::new("elsewhere");
    let run = |words: &[&str]| {
        let mut command = folder.bench(words);
        command
            .env_remove("CARGO_TARGET_DIR")
            .current_dir(&folder.0);
        command.output().unwrap()
    };
    let pairs = ["--pairs", "flake"];
    let generate = ["configurations", "generate", "--stride", "4999"];
    assert_met(&run(&[&generate[..], &pairs].concat()));
    assert_met(&run(&[&["configurations", "check"][..], &pairs].concat()));
    let made = folder.0.join("impinge-bench");
    assert!(
        made.join("configurations/everyday/flake.distance.conf")
            .is_file()
    );
    assert!(
        made.join("records/configurations-flake.sheet.json")
            .is_file()
    );
}

#[test]
fn a_run_at_damaged_files_that_were_given_has_met_nothing() {
    let folder = Folder::new("given");
    let files = folder.0.join("given");
    let given = files.to_str().unwrap();
    let generate = [
        "configurations",
        "generate",
        "--stride",
        "4999",
        "--folder",
        given,
    ];
    assert_met(&folder.run(&[&generate[..], &["--pairs", "flake"]].concat()));
    let file = files.join("flake.distance.conf");
    damage(&file);
    let damaged = std::fs::read(&file).unwrap();
    let output = folder.run(&[
        "run",
        "performance",
        "--pairs",
        "flake",
        "--engines",
        "impinge",
        "--configurations",
        given,
    ]);
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    let sheet = sheet(&folder, "performance");
    assert_eq!(sheet["bars"], Value::Array(Vec::new()), "{}", said(&output));
    let open = sheet["open"].to_string();
    assert!(
        open.contains("0 records; 1 files of configurations left out"),
        "{open}"
    );
    // It is somebody's own: it stays as it is.
    assert_eq!(std::fs::read(&file).unwrap(), damaged);
    assert!(!aside(&file).exists());
}

fn check_flake(folder: &Folder, peer: &str) -> std::process::Output {
    let words = ["--pairs", "flake", "--peer", peer];
    folder.run(&[&["configurations", "check"], &words[..]].concat())
}

/// `check` with a peer in FCL's place, and what its sheet says.
fn checked_by_peer(folder: &Folder) -> (std::process::Output, Value) {
    let output = check_flake(folder, "fcl");
    let sheet = folder.0.join("records/configurations-fcl-flake.sheet.json");
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
    let output = check_flake(&folder, &peer);
    assert_met(&output);
    assert!(said(&output).contains("by stranger"), "{}", said(&output));
}

/// Where a column is among those of a CSV.
fn column(csv: &str, name: &str) -> usize {
    let head = csv.lines().next().unwrap();
    head.split(',').position(|c| c == name).unwrap()
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
    let [verdict, mean, error] = ["verdict", "mean_ns", "error"].map(|name| column(&csv, name));
    let rows: Vec<Vec<&str>> = csv
        .lines()
        .map(|line| line.split(',').collect())
        .filter(|row: &Vec<&str>| row.contains(&"average"))
        .collect();
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!(row[verdict], "approximate");
        assert!(row[mean].parse::<f64>().unwrap() > 0.0);
        let wrong = row[error].parse::<f64>().unwrap();
        assert!((0.0..=1.0).contains(&wrong), "{wrong}");
    }
    assert!(sheet().to_string().contains("average (approximate)"));
    // Balls and voxels tell distances, each with its time and its error.
    let [kind, question] = ["kind", "question"].map(|name| column(&csv, name));
    for name in ["balls-200", "voxmap-30"] {
        let told = csv.lines().map(|line| line.split(',').collect());
        let told: Vec<Vec<&str>> = told
            .filter(|row: &Vec<&str>| row.contains(&name) && row[kind] == "distance")
            .collect();
        let distances = told.iter().filter(|row| row[question] == "distance");
        assert_eq!(distances.clone().count(), 7, "{name}");
        for row in distances {
            assert_eq!(row[verdict], "approximate");
            let off = row[error].parse::<f64>().unwrap();
            assert!(off > 0.0 && off < 0.2, "{name}: {off}");
        }
    }
    let file = folder.0.join("configurations/quick/blob.distance.conf");
    let whole = std::fs::read(&file).unwrap();
    damage(&file);
    assert_met(&folder.run(&run));
    assert!(failed("blob.distance.conf"));
    // Made anew, the damaged one kept.
    assert_eq!(std::fs::read(&file).unwrap(), whole);
    assert_ne!(std::fs::read(aside(&file)).unwrap(), whole);
    // Of seventeen or fewer there is no 99th percentile.
    let csv = std::fs::read_to_string(folder.0.join("records/performance.csv")).unwrap();
    let [p99, largest] = ["p99_ns", "max_ns"].map(|name| column(&csv, name));
    for line in csv.lines().skip(1) {
        assert_eq!(line.split(',').nth(p99), Some(""), "{line}");
    }
    assert!(
        csv.lines()
            .skip(1)
            .any(|line| line.split(',').nth(largest) != Some(""))
    );
    // Nothing is left to measure, and the sheet is whole all the same.
    let csv = |name: &str| folder.0.join("records").join(name);
    std::fs::rename(csv("performance.csv"), csv("performance.partial.csv")).unwrap();
    let before = std::fs::read(csv("performance.partial.csv")).unwrap();
    assert_met(&folder.run(&[&run[..], &["--resume"]].concat()));
    assert_eq!(std::fs::read(csv("performance.csv")).unwrap(), before);
    // Whoever comes later was not asked, which is said.
    let mut resumed = [&run[..], &["--resume"]].concat();
    resumed[5] = "impinge,obb,aabb";
    let output = folder.run(&resumed);
    assert_eq!(output.status.code(), Some(OPEN), "{}", said(&output));
    assert!(
        said(&output).contains("not asked at the targets that were kept: aabb"),
        "{}",
        said(&output)
    );
    assert_eq!(std::fs::read(csv("performance.csv")).unwrap(), before);
    // More configurations than before are asked about anew, for all there are.
    (resumed[5], resumed[7]) = ("impinge,obb", "3");
    assert_met(&folder.run(&resumed));
    let after = std::fs::read_to_string(csv("performance.csv")).unwrap();
    let asked = column(&after, "configurations");
    let counts = after.lines().skip(1).map(|line| line.split(',').nth(asked));
    assert!(
        counts
            .clone()
            .all(|count| count == Some("3") || count == Some("0"))
    );
    assert!(counts.clone().any(|count| count == Some("3")));
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
pub(crate) fn stranger(folder: &Folder, name: &str, serves: &str, own: &str) -> String {
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
    let output = folder.run_blob(&engines, &["--most", "2", "--minutes", "20"]);
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
