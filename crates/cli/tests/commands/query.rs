//! `impinge query`.

use crate::program::{CUBE, Folder, SHARD, moved};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("shard.obj", SHARD);
    folder.write("touching.json", &moved(1.0, 0.0, 0.0));
    folder.write("apart.json", &moved(1.5, 0.0, 0.0));
    folder
}

#[test]
fn exit_codes_tell_no_yes_and_error() {
    let folder = folder();
    let query = |pose| folder.run(&["query", "cube.obj", "cube.obj", "--pose", pose]);
    assert_eq!(query("touching.json").code, 1);
    assert_eq!(query("apart.json").code, 0);
    assert_eq!(query("missing.json").code, 2);
    assert_eq!(folder.run(&["query", "cube.obj", "nowhere.obj"]).code, 2);
    assert_eq!(folder.run(&["query", "cube.obj"]).code, 2);
}

#[test]
fn json_says_what_was_asked_and_found() {
    let folder = folder();
    let ran = folder.run(&["query", "cube.obj", "shard.obj", "--json"]);
    assert_eq!(ran.code, 1);
    let answer = ran.json();
    assert_eq!(answer["intersects"], true);
    // The shard leaves the cube through both triangles of the side x = 1.
    assert_eq!(answer["face_pairs"], 2);
    assert_eq!(answer["complete"], true);
    assert_eq!(answer["a"]["faces"], 12);
    assert_eq!(answer["b"]["faces"], 1);
    assert_eq!(answer["b"]["source"], "shard.obj");
    assert_eq!(answer["engine"], "wide");
    assert!(answer["distance"].is_null());
    assert!(answer["work"]["face_tests"].as_u64().unwrap() >= 2);
    assert!(answer["milliseconds"]["search"].as_f64().unwrap() >= 0.0);

    let ran = folder.run(&[
        "query",
        "cube.obj",
        "cube.obj",
        "--pose",
        "apart.json",
        "--json",
    ]);
    assert_eq!(ran.json()["intersects"], false);
    assert_eq!(ran.json()["face_pairs"], 0);
    assert_eq!(ran.json()["a_from_b"][3], 1.5);
    assert_eq!(ran.json()["distance"]["value"], 0.5);
}

#[test]
fn every_engine_finds_the_same_pairs() {
    let folder = folder();
    for engine in ["wide", "face-sweep", "obb", "cut-tree"] {
        let ran = folder.run(&[
            "query",
            "cube.obj",
            "shard.obj",
            "--json",
            "--engine",
            engine,
        ]);
        assert_eq!(ran.json()["face_pairs"], 2, "{engine}");
        assert_eq!(ran.json()["engine"], engine);
    }
    let ran = folder.run(&["query", "cube.obj", "shard.obj", "--engine", "steam"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("wide"), "the engines are named: {ran:?}");
}

#[test]
fn pairs_are_sorted_and_name_the_polygons_of_the_file() {
    let folder = folder();
    let ran = folder.run(&["query", "cube.obj", "shard.obj", "--pairs", "pairs.csv"]);
    assert_eq!(ran.code, 1);
    assert_eq!(
        folder.read("pairs.csv"),
        "face_a,face_b,polygon_a,polygon_b\n8,0,4,0\n9,0,4,0\n"
    );
    let ran = folder.run(&["query", "shard.obj", "shard.obj", "--pairs", "own.csv"]);
    assert_eq!(ran.code, 1);
    assert_eq!(folder.read("own.csv"), "face_a,face_b\n0,0\n");
    // No pairs still make a file with a header.
    folder.run(&[
        "query",
        "cube.obj",
        "cube.obj",
        "--pose",
        "apart.json",
        "--pairs",
        "none.csv",
    ]);
    assert!(folder.read("none.csv").starts_with("face_a,face_b"));
    assert_eq!(folder.read("none.csv").lines().count(), 1);
}

#[test]
fn a_pose_that_is_no_rotation_is_refused_and_can_be_repaired() {
    let folder = folder();
    folder.write(
        "drifted.json",
        "[[1.001,0,0,9],[0,1,0,0],[0,0,1,0],[0,0,0,1]]",
    );
    let words = ["query", "cube.obj", "cube.obj", "--pose", "drifted.json"];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("deviates by 2.0"), "{}", ran.err);
    assert!(ran.err.contains("--repair-pose"), "{}", ran.err);
    let ran = folder.run(&[&words[..], &["--repair-pose", "--json"]].concat());
    assert_eq!(
        (ran.code, ran.json()["pose_repaired"].as_bool()),
        (0, Some(true))
    );

    folder.write("short.json", "[1, 2, 3]");
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--pose", "short.json"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("short.json") && ran.err.contains("found 3 numbers"),
        "{}",
        ran.err
    );
}

#[test]
fn errors_in_json_are_json_too() {
    let folder = folder();
    let ran = folder.run(&["query", "cube.obj", "nowhere.obj", "--json"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.json()["error"]
            .as_str()
            .unwrap()
            .contains("nowhere.obj")
    );
    assert!(ran.err.contains("nowhere.obj"));
}

#[test]
fn a_budget_that_runs_out_leaves_the_answer_open() {
    let folder = folder();
    let ran = folder.run(&[
        "query",
        "cube.obj",
        "cube.obj",
        "--limit-tests",
        "1",
        "--json",
    ]);
    assert_eq!(ran.code, 2);
    assert!(ran.json()["intersects"].is_null());
    assert_eq!(ran.json()["complete"], false);
}

#[test]
fn built_in_models_need_no_files_and_slips_are_recognised() {
    let folder = Folder::new();
    let ran = folder.run(&[
        "query",
        "model:ball?faces=500",
        "model:ball?faces=300",
        "--json",
    ]);
    assert!(ran.code < 2, "{ran:?}");
    let ran = folder.run(&["query", "model:icospere", "model:ball"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean 'icosphere'?"), "{}", ran.err);
    let ran = folder.run(&["query", "ball", "model:ball"]);
    assert!(ran.err.contains("model:ball"), "{}", ran.err);
    let ran = folder.run(&["query", "model:ball?colour=red", "model:ball"]);
    assert!(ran.err.contains("colour=red"), "{}", ran.err);
}

#[test]
fn scale_applies_to_both_meshes() {
    let folder = folder();
    folder.write("far.json", &moved(1.5, 0.0, 0.0));
    let words = ["query", "cube.obj", "cube.obj", "--pose", "far.json"];
    assert_eq!(folder.run(&words).code, 0);
    assert_eq!(
        folder.run(&[&words[..], &["--scale", "2"]].concat()).code,
        1
    );
    assert_eq!(
        folder.run(&[&words[..], &["--scale", "-1"]].concat()).code,
        2
    );
}

#[test]
fn the_picture_has_the_promised_size() {
    let folder = folder();
    let ran = folder.run(&[
        "query",
        "cube.obj",
        "shard.obj",
        "--png",
        "both.png",
        "--quiet",
    ]);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert_eq!(folder.picture("both.png"), (1200, 750, true));
}
