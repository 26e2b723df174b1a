//! `impinge cloud`, and `impinge query` about files of points.

use crate::program::{CUBE, Folder, Ran, moved};

/// Points of the unit cube's corners, as rows.
const CORNERS: &str = "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("corners.xyz", CORNERS);
    folder.write("cube.obj", CUBE);
    let vertices: String = CORNERS.lines().map(|row| format!("v {row}\n")).collect();
    folder.write("points.obj", &vertices);
    folder.write("inside.csv", "0.5,0.5,0.25\n3,3,3\n");
    folder.write("apart.json", &moved(3.0, 0.0, 0.0));
    folder.write("touching.json", &moved(1.0, 0.0, 0.0));
    folder
}

/// A ball as a spiral of points.
fn ball(count: u32, radius: f64) -> String {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count)
        .map(|i| {
            let z = 1.0 - 2.0 * (f64::from(i) + 0.5) / f64::from(count);
            let around = golden * f64::from(i);
            let r = (1.0 - z * z).sqrt();
            let [x, y, z] = [r * around.cos(), r * around.sin(), z].map(|c| c * radius);
            format!("{x} {y} {z}\n")
        })
        .collect()
}

#[test]
fn two_clouds_are_told_apart_or_touching_with_their_nearest_points() {
    let folder = folder();
    let ran = folder.run(&[
        "cloud",
        "corners.xyz",
        "points.obj",
        "--pose",
        "apart.json",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = ran.json();
    assert_eq!(record["intersects"], false);
    assert_eq!(record["distance"]["value"], 2.0);
    assert_eq!(record["distance"]["number_a"], 1);
    assert_eq!(record["distance"]["number_b"], 0);
    assert_eq!(record["distance"]["complete"], true);
    assert_eq!(record["a"]["points"], 8);
    assert_eq!(record["b"]["kind"], "cloud");
    let ran = folder.run(&[
        "cloud",
        "corners.xyz",
        "points.obj",
        "--pose",
        "touching.json",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.starts_with("yes: they share a point"), "{ran:?}");
    let ran = folder.run(&["cloud", "corners.xyz", "points.obj", "--pose", "apart.json"]);
    assert!(ran.out.starts_with("no: they are 2 apart"), "{ran:?}");
    assert!(ran.out.contains("point 1 of a"), "{ran:?}");
}

#[test]
fn a_point_inside_a_closed_mesh_meets_it() {
    let folder = folder();
    let ran = folder.run(&["cloud", "cube.obj", "inside.csv", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let record = ran.json();
    assert_eq!(record["solid"], true);
    assert_eq!(record["distance"]["value"], 0.0);
    // As surfaces they are apart by the point's depth.
    let ran = folder.run(&["query", "cube.obj", "inside.csv", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["distance"]["value"], 0.25);
    let ran = folder.run(&["query", "cube.obj", "inside.csv", "--solid", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn query_answers_what_points_can_and_refuses_the_rest() {
    let folder = folder();
    folder.write("below.json", &moved(0.0, 0.0, -5.0));
    let query = |words: &[&str]| folder.run(&[&["query", "cube.obj"], words].concat());
    let ran = query(&[
        "inside.csv",
        "--ask",
        "tolerance",
        "--tolerance",
        "0.3",
        "--json",
    ]);
    assert_eq!(
        (ran.code, &ran.json()["tolerance"]["within"]),
        (1, &true.into()),
        "{ran:?}"
    );
    let ran = query(&["inside.csv", "--ask", "depth", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let depth = ran.json()["depth"]["value"].as_f64().unwrap();
    assert!((depth - 0.25).abs() < 1e-5, "{ran:?}");
    let ran = query(&[
        "inside.csv",
        "--ask",
        "impact",
        "--to",
        "below.json",
        "--json",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let time = ran.json()["impact"]["value"].as_f64().unwrap();
    assert!((time - 0.05).abs() < 1e-6, "{ran:?}");
    for (words, said) in [
        (&["inside.csv", "--ask", "volume"][..], "clouds answer"),
        (
            &["inside.csv", "--ask", "curves"],
            "impinge cloud --surface",
        ),
        (
            &["inside.csv", "--explain"],
            "--explain is about two meshes",
        ),
    ] {
        let ran = query(words);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(said), "{ran:?}");
    }
    let ran = folder.run(&["query", "inside.csv", "corners.xyz", "--ask", "depth"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("neither has an inside"), "{ran:?}");
}

#[test]
fn mistakes_are_named_with_a_way_out() {
    let folder = folder();
    folder.write("holes.xyz", "0 0 0\nnan nan nan\n1 0 0\n");
    folder.write("empty.xyz", "");
    for (words, said) in [
        (&["holes.xyz", "corners.xyz"][..], "--drop-invalid"),
        (&["cube.obj", "cube.obj"], "impinge query"),
        (
            &["cube.obj", "corners.xyz", "--surface"],
            "cube.obj is a mesh",
        ),
        (
            &["corners.xyz", "corners.xyz", "--budget", "-1"],
            "--budget must be",
        ),
        (&["empty.xyz", "corners.xyz"], "no point"),
        (&["missing.pcd", "corners.xyz"], "missing.pcd"),
    ] {
        let ran = folder.run(&[&["cloud"], words].concat());
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(said), "{said}: {ran:?}");
    }
    // What the system said is told once.
    let ran = folder.run(&["cloud", "missing.xyz", "corners.xyz"]);
    let system = std::fs::File::open(folder.path().join("missing.xyz")).unwrap_err();
    assert_eq!(ran.err.matches(&system.to_string()).count(), 1, "{ran:?}");
    let ran = folder.run(&["cloud", "holes.xyz", "corners.xyz", "--drop-invalid"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("1 point was not finite"), "{ran:?}");
    let ran = folder.run(&["query", "holes.xyz", "corners.xyz", "--drop-invalid"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("1 point was not finite"), "{ran:?}");
    let ran = folder.run(&["query", "holes.xyz", "corners.xyz"]);
    assert!(
        ran.code == 2 && ran.err.contains("--drop-invalid"),
        "{ran:?}"
    );
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--drop-invalid"]);
    assert!(
        ran.code == 2 && ran.err.contains("is about clouds"),
        "{ran:?}"
    );
}

/// A unit ball of so many points, and where it may be put: half-way and apart.
fn ball_and_places(points: u32, apart: f64) -> Folder {
    let folder = Folder::new();
    folder.write("ball.xyz", &ball(points, 1.0));
    folder.write("half.json", &moved(1.0, 0.0, 0.0));
    folder.write("apart.json", &moved(apart, 0.0, 0.0));
    folder
}

/// Asks about the surface behind a cloud and the same one elsewhere.
fn surfaces(folder: &Folder, cloud: &str, pose: &str) -> Ran {
    folder.run(&["cloud", cloud, cloud, "--surface", "--pose", pose, "--json"])
}

#[test]
fn surfaces_behind_two_balls_cross_in_a_circle() {
    let folder = ball_and_places(1500, 2.5);
    let ran = surfaces(&folder, "ball.xyz", "half.json");
    assert_eq!(ran.code, 1, "{ran:?}");
    let surface = &ran.json()["surface"];
    assert_eq!(surface["crosses"], true);
    assert!(surface["confidence"].as_f64().unwrap() >= 0.5);
    // Normals in the file turn sides around, and change no crossing.
    let inward: String = ball(1500, 1.0)
        .lines()
        .zip(ball(1500, -1.0).lines())
        .map(|(place, normal)| format!("{place} {normal}\n"))
        .collect();
    folder.write("inward.xyz", &inward);
    let beside = surfaces(&folder, "inward.xyz", "half.json");
    assert_eq!(&beside.json()["surface"]["crosses"], &surface["crosses"]);
    let curves = [&beside.json()["surface"]["curve"], &surface["curve"]]
        .map(|curve| curve.as_array().unwrap().len());
    assert_eq!(curves[0], curves[1]);
    let curve = surface["curve"].as_array().unwrap();
    assert!(!curve.is_empty());
    for place in curve {
        let point = |i: usize| place["point"][i].as_f64().unwrap();
        let around = point(1).hypot(point(2));
        assert!((point(0) - 0.5).abs() < 0.05, "{place}");
        assert!((around - 0.75_f64.sqrt()).abs() < 0.05, "{place}");
    }
    let ran = surfaces(&folder, "ball.xyz", "apart.json");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["surface"]["crosses"], false);
    let apart = ran.json()["surface"]["distance"].as_f64().unwrap();
    assert!((apart - 0.5).abs() < 0.05, "{apart}");
    assert_eq!(ran.json()["surface"]["distance_complete"], true);
    assert!(
        ran.json()["surface"]["curve"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn points_surfaces_and_curves_are_drawn() {
    let folder = ball_and_places(600, 3.0);
    for (words, png, glb) in [
        (&["--pose", "apart.json"][..], "points.png", "points.glb"),
        (
            &["--pose", "half.json", "--surface"],
            "surface.png",
            "surface.glb",
        ),
    ] {
        let files = ["--png", png, "--glb", glb];
        let ran = folder.run(&[&["cloud", "ball.xyz", "ball.xyz"], words, &files].concat());
        assert!(ran.code < 2, "{ran:?}");
        let (width, height, is_varied) = folder.picture(png);
        assert!(width > height && is_varied);
        let ran = folder.run(&["info", glb, "--json"]);
        assert!(ran.code < 2, "{ran:?}");
        assert!(ran.json()["faces"].as_u64().unwrap() > 1000, "{ran:?}");
    }
}

#[test]
fn the_graph_is_drawn_where_it_is_wanted() {
    let folder = Folder::new();
    folder.write("ball.xyz", &ball(600, 1.0));
    folder.write("half.json", &moved(1.0, 0.0, 0.0));
    let asked = [
        "cloud",
        "ball.xyz",
        "ball.xyz",
        "--pose",
        "half.json",
        "--surface",
        "--png",
    ];
    let ran = folder.run(&[&asked[..], &["plain.png"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let ran = folder.run(&[&asked[..], &["graph.png", "--graph"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(folder.picture("graph.png").2);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_ne!(bytes("plain.png"), bytes("graph.png"));
    let ran = folder.run(&["cloud", "ball.xyz", "ball.xyz", "--graph"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn a_budget_changes_no_answer_that_is_reached_within_it() {
    let folder = folder();
    for (words, code) in [
        (&["corners.xyz", "points.obj"][..], 1),
        (&["corners.xyz", "points.obj", "--pose", "touching.json"], 1),
        (&["corners.xyz", "points.obj", "--pose", "apart.json"], 0),
        (&["inside.csv", "cube.obj"], 1),
        (&["inside.csv", "cube.obj", "--pose", "touching.json"], 0),
    ] {
        let free = folder.run(&[&["cloud"], words, &["--json"]].concat());
        let bound = folder.run(&[&["cloud"], words, &["--json", "--budget", "60000"]].concat());
        assert_eq!((free.code, bound.code), (code, code), "{free:?} {bound:?}");
        assert_eq!(free.json()["intersects"], bound.json()["intersects"]);
        // A thousandth of a microsecond: an answer or none, never a wrong one.
        let hasty = folder.run(&[&["cloud"], words, &["--json", "--budget", "1e-9"]].concat());
        let told = &hasty.json()["intersects"];
        assert!(
            told.is_null() || *told == free.json()["intersects"],
            "{hasty:?}"
        );
    }
}

#[test]
fn a_scene_holds_clouds_and_its_trace_replays() {
    let folder = folder();
    folder.write(
        "scene.json",
        r#"{
  "steps": 20, "dt": 0.1,
  "shapes": {"ball": {"ball": 0.25}, "scan": {"cloud": "corners.xyz"}},
  "objects": [
    {"name": "shot", "shape": "ball", "position": [-1, 0, 0], "velocity": [1, 0, 0]},
    {"name": "scan", "shape": "scan", "static": true}
  ]
}"#,
    );
    let ran = folder.run(&["run", "scene.json", "--trace", "scene.trace"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("shot touches scan"), "{ran:?}");
    let ran = folder.run(&["replay", "scene.trace"]);
    assert_eq!(ran.code, 0, "{ran:?}");
}
