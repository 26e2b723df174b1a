//! `impinge pack`: what it writes, and what it says about meshes that cannot be filled.

use crate::program::{CUBE, Folder};

#[test]
fn a_cube_is_packed_and_the_list_can_be_read_back() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    let ran = folder.run(&["pack", "cube.obj", "-n", "9", "-o", "balls.json", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = ran.json();
    assert_eq!(record["balls"], 9);
    assert_eq!(record["ended_by"], "count");
    let largest = record["largest_radius"].as_f64().unwrap();
    let smallest = record["smallest_radius"].as_f64().unwrap();
    assert!((smallest / largest - 0.26795).abs() < 1e-4, "{record}");
    let list: serde_json::Value = serde_json::from_str(&folder.read("balls.json")).unwrap();
    assert_eq!(list["spheres"].as_array().unwrap().len(), 9);
}

#[test]
fn pictures_models_and_urdf_are_written() {
    let folder = Folder::new();
    let words = [
        "pack",
        "model:torus?faces=500",
        "--fill",
        "0.6",
        "-o",
        "torus.urdf",
        "--glb",
        "torus.glb",
        "--png",
        "torus.png",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("filled"), "{ran:?}");
    assert!(folder.read("torus.urdf").contains("<sphere radius="));
    assert!(folder.path().join("torus.glb").exists() && folder.path().join("torus.png").exists());
    assert_eq!(folder.run(&["info", "torus.glb"]).code, 0);
}

#[test]
fn what_cannot_be_filled_is_explained() {
    let folder = Folder::new();
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let ran = folder.run(&["pack", "open.obj", "-n", "5"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("does not close"), "{ran:?}");
    folder.write("cube.obj", CUBE);
    let ran = folder.run(&["pack", "cube.obj", "-n", "5", "-o", "balls.stl"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--glb"), "{ran:?}");
    let ran = folder.run(&["pack", "cube.obj", "--fill", "1.5"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("above 0 and below 1"), "{ran:?}");
}

#[test]
fn a_cover_says_how_much_it_holds_beyond_the_mesh() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    let ran = folder.run(&["pack", "cube.obj", "--cover", "8", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.json()["excess"].as_f64().unwrap() > 0.0);
}
