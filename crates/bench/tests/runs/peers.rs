//! Peers that are missing, crash, hang, lie or babble: each costs its own rows and nothing else.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test's own files; a failure fails the test"
)]

use crate::folder::Folder;
use serde_json::Value;

/// A folder with a runner that stands for FCL and does as told when it is asked.
fn with_peer(name: &str, on_ask: &str) -> Folder {
    let folder = Folder::new(name);
    folder.add_peer(on_ask);
    folder
}

/// The rows of ours and of the peer, and what was said beside them. The meshes are apart.
fn rows(folder: &Folder) -> (Vec<Value>, Vec<Value>, String) {
    let poses = folder.0.join("poses.json");
    std::fs::write(&poses, "[[1,0,0,5, 0,1,0,0, 0,0,1,0, 0,0,0,1]]").unwrap();
    let output = folder
        .bench(&["pair", "blob:100", "blob:100", "--json", "--rounds", "2"])
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

#[test]
fn a_missing_peer_is_named_and_has_no_rows() {
    let (_, peer, said) = rows(&Folder::new("missing"));
    assert!(peer.is_empty());
    assert!(said.contains("absent: fcl"), "{said}");
}

#[test]
fn a_crashing_peer_has_rows_that_say_so() {
    let (_, peer, _) = rows(&with_peer("crashing", "exit 3"));
    assert_eq!(peer.len(), 2);
    for row in peer {
        assert_eq!(row["verdict"], "died", "{row}");
        assert!(row["median_ns"].is_null() && row["answer"].is_null());
    }
}

#[test]
fn a_peer_that_cannot_even_start_is_left_out() {
    let folder = with_peer("broken", "exit");
    std::fs::write(folder.0.join("peers/fcl"), "#!/bin/sh\nexit 1\n").unwrap();
    let (_, peer, said) = rows(&folder);
    assert!(peer.is_empty());
    assert!(said.contains("left out"), "{said}");
}

#[test]
fn a_hanging_peer_is_stopped_and_counts_as_long_as_it_was_allowed() {
    let (_, peer, _) = rows(&with_peer("hanging", "sleep 60"));
    assert_eq!(peer.len(), 2);
    for row in peer {
        assert_eq!(row["verdict"], "timed-out", "{row}");
        assert_eq!(row["median_ns"], 3e8);
    }
}

#[test]
fn a_wrong_answer_has_no_time() {
    let (_, peer, _) = rows(&with_peer("lying", "echo \"answer 1$times\""));
    let intersects = peer.iter().find(|row| row["question"] == "intersects");
    let row = intersects.unwrap();
    assert_eq!(row["verdict"], "wrong");
    assert_eq!(row["answer"], 1.0);
    assert!(row["median_ns"].is_null());
}

#[test]
fn a_peer_that_makes_no_sense_is_as_good_as_dead() {
    let (_, peer, said) = rows(&with_peer("babbling", "echo 'answer maybe 10'"));
    assert!(peer.iter().all(|row| row["verdict"] == "died"));
    assert!(said.contains("maybe"), "{said}");
}
