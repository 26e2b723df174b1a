//! `impinge deform`: what it says about sequences, and about those that are damaged.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use crate::program::Folder;

/// Two triangles; the second sinks through the first.
fn frame(height: f64) -> String {
    format!(
        "o floor\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\no stone\nv 1 1 {height}\nv 1.5 1 {}\nv 1 1.5 {}\nf 4 5 6\n",
        height + 1.0,
        height + 1.0
    )
}

fn sinking(folder: &Folder) {
    for (k, height) in [1.0, 0.25, -0.5, -2.5].into_iter().enumerate() {
        folder.write(&format!("sink{k:03}.obj"), &frame(height));
    }
}

fn lines(out: &str) -> Vec<serde_json::Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_folder_of_numbered_meshes_is_played() {
    let folder = Folder::new();
    sinking(&folder);
    let ran = folder.run(&[
        "deform",
        ".",
        "--json",
        "--csv",
        "table.csv",
        "--png",
        "worst.png",
        "--glb",
        "worst.glb",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let records = lines(&ran.out);
    assert_eq!(records.len(), 5);
    let between: Vec<_> = records[..4]
        .iter()
        .map(|r| r["between"].as_u64().unwrap())
        .collect();
    assert_eq!(between, [0, 0, 1, 0]);
    let summary = &records[4];
    assert_eq!(summary["worst_frame"], 2);
    assert_eq!(summary["objects"], 2);
    assert_eq!(summary["frames_with_contact"], 1);
    assert_eq!(folder.read("table.csv").lines().count(), 5);
    let (width, height, is_varied) = folder.picture("worst.png");
    assert!(width > 100 && height > 100 && is_varied);
    assert_eq!(folder.run(&["info", "worst.glb"]).code, 1);
}

#[test]
fn what_happens_between_frames_is_found_when_asked_for() {
    let folder = Folder::new();
    folder.write("jump1.obj", &frame(1.0));
    folder.write("jump2.obj", &frame(-3.0));
    let ran = folder.run(&["deform", "jump*.obj"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = folder.run(&["deform", "jump*.obj", "--continuous", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let records = lines(&ran.out);
    assert!(records[0]["on_the_way"].as_u64().unwrap() > 0, "{ran:?}");
    let first = records[0]["first_contact"].as_f64().unwrap();
    assert!((first - 0.25).abs() < 1e-5, "{first}");
}

#[test]
fn every_engine_finds_the_same() {
    let folder = Folder::new();
    let scene = "scene:curtain?faces=2000&frames=6";
    let mut totals = Vec::new();
    let help = folder.run(&["deform", "--help"]).out;
    for engine in [
        "auto",
        "refit",
        "clustering",
        "hashed-grid",
        "kd-tree",
        "active-sweep",
        "brute-force",
    ] {
        assert!(help.contains(engine), "{engine} is not in the help");
        let ran = folder.run(&["deform", scene, "--engine", engine, "--json"]);
        assert_eq!(ran.code, 1, "{engine}: {ran:?}");
        let records = lines(&ran.out);
        let pairs = |r: &serde_json::Value| (r["within"].as_u64(), r["between"].as_u64());
        totals.push(records[..6].iter().map(pairs).collect::<Vec<_>>());
    }
    assert!(totals.iter().all(|t| *t == totals[0]), "{totals:?}");
}

#[test]
fn without_a_sequence_a_built_in_scene_is_played() {
    let folder = Folder::new();
    let ran = folder.run(&["deform", "--every", "20"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("scene:curtain: 3 frames"), "{ran:?}");
    assert!(ran.out.contains("2 objects"), "{ran:?}");
}

#[test]
fn damaged_frames_are_named_and_left_out() {
    let folder = Folder::new();
    sinking(&folder);
    folder.write("sink001.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("sink003.obj", &frame(-2.5).replace("-2.5", "nan"));
    let ran = folder.run(&["deform", "sink###.obj", "--json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("frame 1") && ran.err.contains("6 are expected"),
        "{ran:?}"
    );
    assert!(
        ran.err.contains("frame 3") && ran.err.contains("not finite"),
        "{ran:?}"
    );
    let records = lines(&ran.out);
    assert_eq!(records.len(), 3);
    assert_eq!(records[1]["between"], 1);
    assert_eq!(records[2]["refused_frames"], 2);
}

#[test]
fn what_is_no_sequence_is_explained() {
    let folder = Folder::new();
    for (words, wanted) in [
        (vec!["deform", "nothing-*.obj"], "number"),
        (vec!["deform", "."], "numbered"),
        (
            vec!["deform", "scene:curtian"],
            "did you mean scene:curtain",
        ),
        (vec!["deform", "scene:vase?size=3"], "faces=N"),
        (vec!["deform", "missing.pc2"], "mesh"),
        (vec!["deform", "--engine", "best"], "brute-force"),
        (vec!["deform", "--rate", "0", "."], "rate"),
    ] {
        let ran = folder.run(&words);
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(ran.err.contains(wanted), "{words:?}: {ran:?}");
    }
}

#[test]
fn one_mesh_is_one_frame_and_its_pieces_can_be_objects() {
    let folder = Folder::new();
    folder.write(
        "both.obj",
        &frame(-0.5)
            .replace("o floor\n", "")
            .replace("o stone\n", ""),
    );
    let ran = folder.run(&["deform", "both.obj", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(lines(&ran.out)[0]["within"], 1);
    let ran = folder.run(&["deform", "both.obj", "--pieces", "--json"]);
    assert_eq!(lines(&ran.out)[0]["between"], 1);
}
