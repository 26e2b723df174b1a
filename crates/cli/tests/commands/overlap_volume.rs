//! `impinge query --ask volume` against closed forms.

use crate::program::{CUBE, Folder, moved};

#[test]
fn cubes_share_a_box_and_are_pushed_apart() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("overlap.json", &moved(0.75, 0.5, 0.0));
    folder.write("apart.json", &moved(1.5, 0.0, 0.0));
    let query = ["query", "cube.obj", "cube.obj", "--ask", "volume", "--pose"];
    let ran = folder.run(&[&query[..], &["overlap.json", "--json"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let volume = &ran.json()["volume"];
    assert_eq!(volume["value"], 0.125);
    assert_eq!(volume["method"], "boundary-integral");
    assert!(volume["lower"].as_f64() <= Some(0.125) && volume["upper"].as_f64() >= Some(0.125));
    assert_eq!(volume["centroid"], serde_json::json!([0.875, 0.75, 0.5]));
    assert_eq!(volume["force_on_b"][0], 0.5);
    let ran = folder.run(&[&query[..], &["apart.json"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("volume"), "{ran:?}");
}

#[test]
fn forces_are_opposite_and_the_shared_solid_is_written() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("overlap.json", &moved(0.75, 0.5, 0.0));
    let query = ["query", "cube.obj", "cube.obj", "--pose", "overlap.json"];
    let asked = ["--ask", "volume,force", "--overlap", "shared.glb", "--json"];
    let ran = folder.run(&[&query[..], &asked].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let json = ran.json();
    assert_eq!(json["volume"]["value"], 0.125);
    assert_eq!(json["force"]["on_b"], json["volume"]["force_on_b"]);
    assert_eq!(json["force"]["on_b"][0], 0.5);
    assert_eq!(json["force"]["on_a"][0], -0.5);
    let ran = folder.run(&["info", "shared.glb", "--json"]);
    let area = ran.json()["area"].as_f64().unwrap_or(0.0);
    // A box of 0.25 by 0.5 by 1.
    assert!((area - 2.0 * (0.125 + 0.25 + 0.5)).abs() < 1e-5, "{ran:?}");
    let refused = folder.run(&[&query[..], &["--overlap", "shared.glb"]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--ask"), "{refused:?}");
}

#[test]
fn open_meshes_have_no_volume_and_the_edge_is_named() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write(
        "open.obj",
        CUBE.rsplit_once("f ").map_or("", |(kept, _)| kept),
    );
    let ran = folder.run(&["query", "cube.obj", "open.obj", "--ask", "volume"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("open.obj") && ran.err.contains("edge between"),
        "{ran:?}"
    );
}

#[test]
fn every_method_brackets_the_same_volume_and_says_its_name() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("overlap.json", &moved(0.5, 0.25, 0.0));
    let query = ["query", "cube.obj", "cube.obj", "--pose", "overlap.json"];
    let methods = [
        ("exact", "boundary-integral", "volume,force"),
        ("spheres", "inner-spheres", "volume,force"),
        ("voxmap", "voxmap", "volume,force"),
        ("tetrahedra", "tetrahedra", "volume"),
    ];
    for (method, name, ask) in methods {
        let mut words = [&query[..], &["--json", "--ask", ask, "--method", method]].concat();
        if method == "spheres" {
            words.extend(["--balls", "500"]);
        }
        if method == "voxmap" {
            words.extend(["--voxels", "60"]);
        }
        let ran = folder.run(&words);
        assert_eq!(ran.code, 1, "{ran:?}");
        let json = ran.json();
        let volume = &json["volume"];
        assert_eq!(volume["method"], name);
        let number = |key: &str| volume[key].as_f64().unwrap();
        assert!(
            number("lower") <= 0.375 && 0.375 <= number("upper"),
            "{volume}"
        );
        assert!((number("value") - 0.375).abs() < 0.03, "{volume}");
        if ask.contains("force") {
            assert_eq!(json["force"]["method"], name);
            assert!(json["force"]["on_b"][0].as_f64().unwrap() > 0.0, "{json}");
            let cones = &json["force"]["cones"];
            assert_eq!(cones.is_object(), method == "spheres");
        }
    }
    let ran = folder.run(&[&query[..], &["--ask", "force", "--method", "spheres"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("cones of normals"), "{ran:?}");
}

#[test]
fn methods_that_cannot_answer_are_explained() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write(
        "open.obj",
        CUBE.rsplit_once("f ").map_or("", |(kept, _)| kept),
    );
    let refused = |words: &[&str], said: &str| {
        let ran = folder.run(&[&["query", "cube.obj"], words].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    };
    refused(&["cube.obj", "--method", "spheres"], "--ask");
    refused(
        &["cube.obj", "--ask", "force", "--method", "tetrahedra"],
        "--method exact or spheres",
    );
    refused(
        &["cube.obj", "--ask", "volume", "--balls", "9"],
        "--method spheres",
    );
    refused(
        &["cube.obj", "--ask", "volume", "--voxels", "9"],
        "--method voxmap",
    );
    for method in ["exact", "spheres", "voxmap", "tetrahedra"] {
        refused(
            &["open.obj", "--ask", "volume", "--method", method],
            "open.obj",
        );
    }
}
