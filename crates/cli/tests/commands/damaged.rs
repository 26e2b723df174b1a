//! `impinge info` finds what was planted in every mesh of the corpus.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::program::Folder;
use serde_json::Value;

/// Kind and count of each finding.
fn counts(list: &Value) -> BTreeMap<String, u64> {
    let entry = |x: &Value| {
        let kind = x["kind"].as_str().unwrap().to_owned();
        (kind, x["count"].as_u64().unwrap())
    };
    list.as_array().unwrap().iter().map(entry).collect()
}

#[test]
fn every_planted_defect_of_the_corpus_is_reported() {
    let folder = Folder::new();
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/damaged");
    let expected = std::fs::read_to_string(corpus.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    let expected = expected.as_object().unwrap();
    assert!(expected.len() >= 30);
    for (file, planted) in expected {
        let path = corpus.join(file);
        let ran = folder.run(&["info", path.to_str().unwrap(), "--json", "--all"]);
        let mut found = counts(&ran.json()["counts"]);
        // The list speaks of topology and shape; crossing faces are found in addition.
        found.remove("self-intersection");
        // Loose triangles are taken as connected, as in STL.
        if ran.json()["welded"] == true {
            assert_eq!((file.as_str(), found.len()), ("soup.obj", 0));
            continue;
        }
        assert_eq!(found, counts(planted), "{file}");
    }
}

#[test]
fn faces_that_cross_are_reported_with_their_number() {
    // Two tetrahedra through each other: each of four faces of one pierced by an edge of the other.
    let folder = Folder::new();
    folder.write(
        "crossing.obj",
        "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\nv 1 1 -1\nv 5 1 -1\nv 1 5 -1\nv 1 1 3\n\
         f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n",
    );
    let ran = folder.run(&["info", "crossing.obj", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(counts(&ran.json()["counts"])["self-intersection"] > 0);
}
