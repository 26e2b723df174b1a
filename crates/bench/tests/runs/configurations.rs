//! Configurations are made, checked and measured at; damage and failing peers are said and survived.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A target folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("impinge-configurations-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder.join("peers")).unwrap();
        Self(folder)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
            .env("CARGO_TARGET_DIR", &self.0)
            .args(arguments)
            .output()
            .unwrap()
    }

    /// A peer that is there and ends when it is asked.
    fn add_crashing_peer(&self) {
        let script = "#!/bin/sh\n\
             while read -r word rest; do\n\
             case \"$word\" in\n\
             hello) echo 'engine fcl 0.0 f64' ;;\n\
             build) echo 'built 1 1 0' ;;\n\
             pose) echo 'pose 0' ;;\n\
             *) exit 1 ;;\n\
             esac\n\
             done\n";
        let file = self.0.join("peers/fcl");
        std::fs::write(&file, script).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn said(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(err)
}

fn assert_met(output: &Output) {
    let said = said(output);
    assert!(output.status.success(), "{said}");
    let mut bars = said
        .lines()
        .filter(|line| line.starts_with("bar:"))
        .peekable();
    assert!(bars.peek().is_some(), "{said}");
    assert!(bars.all(|line| line.trim_end().ends_with("met")), "{said}");
}

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
    assert_met(&folder.run(&[&["configurations", "check"][..], &pairs].concat()));
    damage(
        &folder
            .0
            .join("configurations/everyday/knot-blob.distance.conf"),
    );
    let refused = folder.run(&[&["configurations", "check"][..], &pairs].concat());
    assert!(!refused.status.success());
    let place = "knot-blob.distance.conf: block";
    assert!(said(&refused).contains(place), "{}", said(&refused));
}

#[test]
fn a_crashing_peer_a_missing_one_and_a_damaged_file_are_told_and_survived() {
    let folder = Folder::new("peers");
    folder.add_crashing_peer();
    let run = [
        "run",
        "performance",
        "--pairs",
        "blob",
        "--engines",
        "impinge,obb,fcl,coal",
        "--most",
        "2",
        "--minutes",
        "1",
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
