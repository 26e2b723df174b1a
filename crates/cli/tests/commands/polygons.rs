//! `impinge info` tells what is imperfect about polygons, and how far it looked.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::program::{CUBE, Folder};
use serde_json::Value;

#[test]
fn findings_about_polygons_are_those_of_the_corpus() {
    let folder = Folder::new();
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/polygons");
    let expected = std::fs::read_to_string(corpus.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_str(&expected).unwrap();
    for (file, planted) in expected.as_object().unwrap() {
        let path = corpus.join(file);
        let ran = folder.run(&["info", path.to_str().unwrap(), "--json", "--all"]);
        let answer = ran.json();
        let is_about_polygons = |x: &&Value| x["kind"].as_str().unwrap().starts_with("polygon-");
        let counts = answer["counts"].as_array().unwrap().iter();
        let planted = planted.as_array().unwrap();
        assert_eq!(
            counts.filter(is_about_polygons).count(),
            planted.len(),
            "{file}: {answer}"
        );
        for finding in planted {
            let kind = &finding["kind"];
            let counts = answer["counts"].as_array().unwrap().iter();
            let found = counts.clone().find(|x| &x["kind"] == kind);
            assert_eq!(
                found.unwrap()["count"],
                finding["count"],
                "{file}: {answer}"
            );
            let listed = answer["findings"].as_array().unwrap().iter();
            let listed = listed.clone().find(|x| &x["kind"] == kind).unwrap();
            assert_eq!(listed["polygon"], finding["polygon"], "{file}: {answer}");
            // The text says the same.
            let text = folder.run(&["info", path.to_str().unwrap(), "--all"]).out;
            assert!(text.contains(listed["text"].as_str().unwrap()), "{text}");
        }
    }
}

#[test]
fn a_bent_polygon_is_a_note_and_a_crossed_one_a_warning() {
    let folder = Folder::new();
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/polygons");
    let bent = folder.run(&[
        "info",
        corpus.join("bent-quad.obj").to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(
        (bent.code, &bent.json()["warnings"]),
        (0, &0.into()),
        "{bent:?}"
    );
    let bent = bent.json();
    let finding = &bent["findings"].as_array().unwrap().iter();
    let finding = finding.clone().find(|f| f["kind"] == "polygon-not-flat");
    assert_eq!(
        finding.unwrap()["point"],
        serde_json::json!([1.0, 1.0, 1.1])
    );
    let crossed = folder.run(&["info", corpus.join("crossed-quad.obj").to_str().unwrap()]);
    assert_eq!(crossed.code, 1, "{crossed:?}");
    folder.write("cube.obj", CUBE);
    let cube = folder.run(&["info", "cube.obj", "--json"]).json();
    let counts = cube["counts"].as_array().unwrap();
    assert!(
        counts
            .iter()
            .all(|c| !c["kind"].as_str().unwrap().contains("polygon"))
    );
}

#[test]
fn a_search_that_was_given_up_says_so() {
    // Ten thousand faces around one corner: fifty million pairs of neighbours.
    let folder = Folder::new();
    let mut fan = String::from("v 0 0 0\n");
    for i in 0..10_000 {
        let t = f64::from(i);
        writeln!(
            fan,
            "v {} {} {}",
            (t * 0.7).cos(),
            (t * 0.7).sin(),
            (t * 1.3).sin()
        )
        .unwrap();
    }
    for i in 2..10_001 {
        writeln!(fan, "f 1 {i} {}", i % 10_000 + 2).unwrap();
    }
    folder.write("fan.obj", &fan);
    let ran = folder.run(&["info", "fan.obj", "--json"]);
    assert_eq!(ran.json()["self_intersections_complete"], false);
    let text = folder.run(&["info", "fan.obj"]).out;
    assert!(text.contains("not fully checked"), "{text}");
}

#[test]
fn copies_of_a_face_are_compared_once() {
    let folder = Folder::new();
    let mut many = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 2 2 0\n");
    many += &"f 1 2 3\n".repeat(20_000);
    many += "f 4 5 6\n";
    folder.write("many.obj", &many);
    let answer = folder.run(&["info", "many.obj", "--json"]).json();
    assert_eq!(answer["self_intersections_complete"], true);
    let counts = answer["counts"].as_array().unwrap();
    let crossings = counts.iter().find(|c| c["kind"] == "self-intersection");
    assert_eq!(crossings.unwrap()["count"], 1);
}
