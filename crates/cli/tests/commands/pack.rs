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

#[test]
fn nodes_and_the_graph_of_touching_balls_are_written() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    let words = ["pack", "cube.obj", "-n", "9", "--json", "--node-cells", "8"];
    let files = ["--nodes", "nodes.json", "--graph", "graph.json"];
    let ran = folder.run(&[&words[..], &files].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = ran.json();
    let nodes: serde_json::Value = serde_json::from_str(&folder.read("nodes.json")).unwrap();
    let nodes = nodes["spheres"].as_array().unwrap();
    assert_eq!(record["nodes"].as_u64(), Some(nodes.len() as u64));
    assert!((nodes[0]["radius"].as_f64().unwrap() - 0.5).abs() < 1e-4);
    // The ball in the middle touches the eight in the corners.
    let graph: serde_json::Value = serde_json::from_str(&folder.read("graph.json")).unwrap();
    assert_eq!(graph["balls"], 9);
    let edges = graph["edges"].as_array().unwrap();
    assert_eq!(edges.iter().filter(|edge| edge[0] == 0).count(), 8);
    assert_eq!(record["touching_pairs"].as_u64(), Some(edges.len() as u64));

    let ran = folder.run(&["pack", "cube.obj", "-n", "1", "--nodes", "nodes.ply"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        folder
            .read("nodes.ply")
            .starts_with("ply\nformat ascii 1.0\n")
    );
    for (flag, file) in [("--nodes", "nodes.obj"), ("--graph", "graph.csv")] {
        let ran = folder.run(&["pack", "cube.obj", "-n", "1", flag, file]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(file), "{ran:?}");
    }
}
