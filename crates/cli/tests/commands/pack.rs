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
    let record = ran.json();
    let excess = record["excess"].as_f64().unwrap();
    let bound = |k: usize| record["excess_bounds"][k].as_f64().unwrap();
    assert!(
        excess > 0.0 && bound(0) <= excess && excess <= bound(1),
        "{record}"
    );
    assert_eq!(record["proof"], "solid");
    let ran = folder.run(&["pack", "cube.obj", "--max-excess", "0.5", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.json()["excess"].as_f64().unwrap() <= 0.5);
    for (mode, proof) in [("inner", "inside"), ("fit", "none")] {
        let words = [
            "pack",
            "cube.obj",
            "--cover",
            "8",
            "--cover-mode",
            mode,
            "--json",
        ];
        let ran = folder.run(&words);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(ran.json()["proof"], proof);
    }
    for words in [
        &["pack", "cube.obj", "--hull"][..],
        &["pack", "cube.obj", "--max-excess", "-1"],
        &["pack", "cube.obj", "--cover-total", "8"],
        &["pack", "cube.obj", "--cover", "8", "--nodes", "nodes.json"],
    ] {
        assert_eq!(folder.run(words).code, 2, "{words:?}");
    }
}

#[test]
fn open_meshes_are_covered_and_a_folder_shares_its_spheres() {
    let folder = Folder::new();
    let open = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    folder.write("open.obj", open);
    let ran = folder.run(&["pack", "open.obj", "--cover", "6", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["proof"], "surface");
    assert!(ran.err.contains("winds"), "{ran:?}");
    let ran = folder.run(&["pack", "open.obj", "--cover", "6", "--hull", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["proof"], "solid");

    folder.write("cube.obj", CUBE);
    for output in ["all.yaml", "all.json", "all.urdf"] {
        let ran = folder.run(&["pack", ".", "--cover-total", "20", "-o", output, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let balls: u64 = ran
            .out
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
            .map(|record| record["balls"].as_u64().unwrap())
            .sum();
        assert!(balls <= 20 && balls > 2, "{ran:?}");
    }
    let yaml = folder.read("all.yaml");
    assert!(yaml.starts_with("collision_spheres:\n  \"cube\":\n    - center: ["));
    assert!(yaml.contains("  \"open\":\n"));
    let list: serde_json::Value = serde_json::from_str(&folder.read("all.json")).unwrap();
    assert_eq!(list["parts"].as_array().unwrap().len(), 2);
    assert!(list["parts"][0]["spheres"][0]["weight"].is_number());
    assert!(folder.read("all.urdf").contains("<child link=\"open\"/>"));
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
