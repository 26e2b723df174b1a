//! `impinge generate`, `info` and `convert`, and files that pass through all of them.

use crate::program::{CUBE, Folder};

#[test]
fn a_generated_model_survives_conversion_and_meets_itself() {
    let folder = Folder::new();
    let ran = folder.run(&[
        "generate", "ball", "--faces", "500", "-o", "ball.ply", "--json",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let faces = ran.json()["faces"].as_u64().unwrap();
    assert!(faces > 100);

    let before = folder.run(&["info", "ball.ply", "--json"]);
    assert_eq!(before.code, 0, "{before:?}");
    assert_eq!(before.json()["closed"], true);
    assert_eq!(before.json()["faces"], faces);

    assert_eq!(folder.run(&["convert", "ball.ply", "ball.obj.gz"]).code, 0);
    let after = folder.run(&["info", "ball.obj.gz", "--json"]);
    // Text holds every digit.
    assert_eq!(after.json()["volume"], before.json()["volume"]);
    assert_eq!(after.json()["inertia"], before.json()["inertia"]);

    let ran = folder.run(&["query", "ball.ply", "ball.obj.gz", "--json"]);
    assert_eq!(ran.code, 1);
    assert!(ran.json()["face_pairs"].as_u64().unwrap() >= faces);
}

#[test]
fn every_listed_model_can_be_made_and_is_described() {
    let folder = Folder::new();
    let list = folder.run(&["generate", "--list", "--json"]);
    assert_eq!(list.code, 0);
    assert!(list.out.lines().count() > 3);
    for line in list.out.lines() {
        let model: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(!model["description"].as_str().unwrap().is_empty());
        let name = model["name"].as_str().unwrap();
        let ran = folder.run(&["generate", name, "-o", "model.off", "--quiet"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
    }
    let text = folder.run(&["generate", "--list"]).out;
    assert!(text.lines().all(|line| line.len() < 120), "{text}");
}

#[test]
fn generate_refuses_what_it_does_not_know() {
    let folder = Folder::new();
    let ran = folder.run(&["generate", "torus-not", "-o", "x.obj"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("did you mean 'torus-knot'?"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["generate", "ball"]).code, 2);
    assert_eq!(folder.run(&["generate", "ball", "-o", "x.doc"]).code, 2);
    assert_eq!(
        folder
            .run(&["generate", "ball", "-o", "no/such/folder/x.obj"])
            .code,
        2
    );
}

#[test]
fn a_clean_cube_has_its_measures_and_no_defects() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    let ran = folder.run(&["info", "cube.obj", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let cube = ran.json();
    for (key, value) in [
        ("closed", true),
        ("manifold", true),
        ("outward", true),
        ("convex", true),
    ] {
        assert_eq!(cube[key], value, "{key}");
    }
    assert_eq!(cube["faces"], 12);
    assert_eq!(cube["genus"], 0);
    assert_eq!(cube["volume"], 1.0);
    assert_eq!(cube["area"], 6.0);
    assert_eq!(cube["centroid"], serde_json::json!([0.5, 0.5, 0.5]));
    assert_eq!(cube["bounds"]["max"], serde_json::json!([1.0, 1.0, 1.0]));
    assert_eq!((&cube["errors"], &cube["warnings"]), (&0.into(), &0.into()));
    assert!((cube["inertia"][0][0].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-12);
    let text = folder.run(&["info", "cube.obj"]).out;
    assert!(
        text.contains("convex") && text.contains("no errors, no warnings"),
        "{text}"
    );
}

#[test]
fn defects_are_found_located_drawn_and_repaired() {
    let folder = Folder::new();
    // The lid is missing.
    folder.write("open.obj", &CUBE.replace("f 5 6 7 8\n", ""));
    let words = [
        "info", "open.obj", "--json", "--png", "open.png", "--up", "y",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 1, "{ran:?}");
    let open = ran.json();
    assert_eq!(open["closed"], false);
    assert!(open["volume"].is_null());
    let finding = &open["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["severity"]),
        (&"hole".into(), &"error".into())
    );
    assert_eq!(finding["vertices"].as_array().unwrap().len(), 4);
    assert_eq!(finding["point"][2], 1.0);
    assert_eq!(folder.picture("open.png"), (1200, 750, true));

    let ran = folder.run(&[
        "convert",
        "open.obj",
        "shut.obj",
        "--fill-holes",
        "4",
        "--json",
    ]);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.json()["faces"], 12);
    assert!(
        ran.json()["repairs"][0]
            .as_str()
            .unwrap()
            .contains("1 holes filled")
    );
    assert_eq!(folder.run(&["info", "shut.obj"]).code, 0);
    // Larger holes than allowed stay.
    folder.run(&["convert", "open.obj", "still.obj", "--fill-holes", "3"]);
    assert_eq!(folder.run(&["info", "still.obj"]).code, 1);
}

#[test]
fn self_intersections_are_found() {
    let folder = Folder::new();
    let second = "\
v 0.5 0.5 0.5\nv 2 0.5 0.5\nv 0.5 2 0.5\nv 0.5 0.5 2\nf 9 11 10\nf 9 10 12\nf 10 11 12\nf 11 9 12\n";
    folder.write("two.obj", &format!("{CUBE}{second}"));
    let ran = folder.run(&["info", "two.obj", "--json"]);
    assert_eq!(ran.code, 1);
    let counts = ran.json()["counts"].clone();
    assert!(
        counts
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c["kind"] == "self-intersection"),
        "{counts}"
    );
}

#[test]
fn loose_triangles_of_stl_are_taken_as_connected() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    for flag in [&["--ascii"][..], &[]] {
        let words = [
            &["convert", "cube.obj", "cube.stl", "--scale", "2"][..],
            flag,
        ]
        .concat();
        assert_eq!(folder.run(&words).code, 0);
        let ran = folder.run(&["info", "cube.stl", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.json()["welded"], true);
        assert_eq!(ran.json()["volume"], 8.0);
    }
    let ran = folder.run(&["convert", "cube.stl", "welded.off", "--weld", "--json"]);
    assert_eq!(ran.json()["vertices"], 8);
    let ran = folder.run(&["info", "welded.off", "--units", "cm", "--json"]);
    assert!((ran.json()["volume"].as_f64().unwrap() - 8e-6).abs() < 1e-15);
}

#[test]
fn a_bad_file_does_not_stop_the_others() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("bad.obj", "v 0 0 zero\n");
    let ran = folder.run(&["info", "bad.obj", "missing.stl", "cube.obj", "--json"]);
    assert_eq!(ran.code, 2);
    let lines: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0]["error"].as_str().unwrap().contains("line 1"));
    assert_eq!(lines[1]["file"], "missing.stl");
    assert_eq!(lines[2]["volume"], 1.0);
}

#[test]
fn one_part_can_be_taken_out() {
    let folder = Folder::new();
    folder.write(
        "parts.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no base\nf 1 2 3\no wall\nf 1 2 4\nf 1 4 3\n",
    );
    let ran = folder.run(&[
        "convert",
        "parts.obj",
        "wall.obj",
        "--part",
        "wall",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(
        (&ran.json()["faces"], &ran.json()["parts"]),
        (&2.into(), &1.into())
    );
    let ran = folder.run(&["convert", "parts.obj", "x.obj", "--part", "wal"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean 'wall'?"), "{}", ran.err);
    let ran = folder.run(&["info", "parts.obj"]);
    assert!(ran.out.contains("2: base, wall"), "{}", ran.out);
}
