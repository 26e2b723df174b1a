//! Peers that are missing, crash, hang, lie or babble: each costs its own rows and nothing else.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files; a failure fails the test"
)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// A target folder of its own, with a runner that stands for FCL.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, on_ask: Option<&str>) -> Self {
        let folder =
            std::env::temp_dir().join(format!("impinge-peers-{}-{name}", std::process::id()));
        let peers = folder.join("peers");
        std::fs::create_dir_all(&peers).unwrap();
        if let Some(on_ask) = on_ask {
            let script = format!(
                "#!/bin/sh\n\
                 while read -r word rest; do\n\
                 case \"$word\" in\n\
                 hello) echo 'engine fcl 0.0 f64' ;;\n\
                 build) echo 'built 1 1 0' ;;\n\
                 pose) echo 'pose 0' ;;\n\
                 ask) {on_ask} ;;\n\
                 *) echo unsupported ;;\n\
                 esac\n\
                 done\n"
            );
            let file = peers.join("fcl");
            std::fs::write(&file, script).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self(folder)
    }

    /// The rows of ours and of the peer, and what was said beside them. The meshes are apart.
    fn rows(&self) -> (Vec<Value>, Vec<Value>, String) {
        let poses = self.0.join("poses.json");
        std::fs::write(&poses, "[[1,0,0,5, 0,1,0,0, 0,0,1,0, 0,0,0,1]]").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_impinge-bench"))
            .env("CARGO_TARGET_DIR", &self.0)
            .args(["pair", "blob:100", "blob:100", "--json", "--rounds", "2"])
            .args(["--engines", "fcl,impinge", "--limit", "0.3"])
            .args(["--questions", "intersects,pairs", "--poses"])
            .arg(&poses)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        // A peer's trouble is no failure of ours.
        assert!(output.status.success(), "{said}");
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let (ours, peer): (Vec<Value>, Vec<Value>) =
            rows.into_iter().partition(|row| row["engine"] == "impinge");
        assert_eq!(ours.len(), 2);
        assert!(ours.iter().all(|row| row["verdict"] == "right"));
        (ours, peer, said)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_missing_peer_is_named_and_has_no_rows() {
    let (_, peer, said) = Folder::new("missing", None).rows();
    assert!(peer.is_empty());
    assert!(said.contains("absent: fcl"), "{said}");
}

#[test]
fn a_crashing_peer_has_rows_that_say_so() {
    let (_, peer, _) = Folder::new("crashing", Some("exit 3")).rows();
    assert_eq!(peer.len(), 2);
    for row in peer {
        assert_eq!(row["verdict"], "died", "{row}");
        assert!(row["median_ns"].is_null() && row["answer"].is_null());
    }
}

#[test]
fn a_peer_that_cannot_even_start_is_left_out() {
    let folder = Folder::new("broken", Some("exit"));
    std::fs::write(folder.0.join("peers/fcl"), "#!/bin/sh\nexit 1\n").unwrap();
    let (_, peer, said) = folder.rows();
    assert!(peer.is_empty());
    assert!(said.contains("left out"), "{said}");
}

#[test]
fn a_hanging_peer_is_stopped_and_counts_as_long_as_it_was_allowed() {
    // In place of the shell, so that nothing outlives it.
    let (_, peer, _) = Folder::new("hanging", Some("exec sleep 60")).rows();
    assert_eq!(peer.len(), 2);
    for row in peer {
        assert_eq!(row["verdict"], "timed-out", "{row}");
        assert_eq!(row["median_ns"], 3e8);
    }
}

#[test]
fn a_wrong_answer_has_no_time() {
    let (_, peer, _) = Folder::new("lying", Some("echo 'answer 1 10'")).rows();
    let intersects = peer.iter().find(|row| row["question"] == "intersects");
    let row = intersects.unwrap();
    assert_eq!(row["verdict"], "wrong");
    assert_eq!(row["answer"], 1.0);
    assert!(row["median_ns"].is_null());
}

#[test]
fn a_peer_that_makes_no_sense_is_as_good_as_dead() {
    let (_, peer, said) = Folder::new("babbling", Some("echo 'answer maybe 10'")).rows();
    assert!(peer.iter().all(|row| row["verdict"] == "died"));
    assert!(said.contains("maybe"), "{said}");
}
