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
    // No frame has contacts, but what happens on the way counts.
    let summary = &records[2];
    assert_eq!(summary["worst_frame"], 0);
    assert_eq!(summary["most_pairs"], 0);
    assert_eq!(summary["most_contacts"], records[0]["on_the_way"]);
    let step = records[0]["step_milliseconds"].as_f64().unwrap();
    assert!(step > 0.0 && summary["mean_step_milliseconds"] == step);
    assert!(records[1].get("step_milliseconds").is_none());
    let words = [
        "deform",
        "jump*.obj",
        "--continuous",
        "--csv",
        "way.csv",
        "--png",
        "way.png",
    ];
    let ran = folder.run(&words);
    assert!(
        ran.out.contains("worst") && ran.out.contains("on the way"),
        "{ran:?}"
    );
    assert!(ran.out.contains("a step"), "{ran:?}");
    let table = folder.read("way.csv");
    assert!(
        table.starts_with("frame,")
            && table
                .lines()
                .next()
                .unwrap()
                .ends_with(",step_milliseconds")
    );
    assert!(folder.picture("way.png").2);
}

/// A slab that breaks into two parts, which then cross.
fn breaking(folder: &Folder) {
    let slab = "o slab\nv 0 0 0\nv 4 0 0\nv 0 4 0\nv 4 4 0\nf 1 2 3\nf 3 2 4\n";
    folder.write("break0.obj", slab);
    let parts = |height: f64| {
        format!(
            "o left\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\no right\nv 1 1 {height}\nv 2 1 {}\nv 1 2 {}\nf 4 5 6\n",
            height + 1.0,
            height + 1.0
        )
    };
    for (k, height) in [(1, 2.0), (2, -0.5), (3, -3.0)] {
        folder.write(&format!("break{k}.obj"), &parts(height));
    }
    folder.write("break4.obj", slab);
}

#[test]
fn faces_may_change_where_that_is_asked_for() {
    let folder = Folder::new();
    breaking(&folder);
    let ran = folder.run(&["deform", "break#.obj", "--json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("frame 1") && ran.err.contains("are expected"),
        "{ran:?}"
    );
    let words = [
        "deform",
        "break#.obj",
        "--changing-faces",
        "--continuous",
        "--json",
        "--glb",
        "worst.glb",
    ];
    for engine in ["auto", "refit", "refit-hybrid", "clustering", "kd-tree"] {
        let ran = folder.run(&[&words[..], &["--engine", engine]].concat());
        assert_eq!(ran.code, 1, "{ran:?}");
        let records = lines(&ran.out);
        assert_eq!(records.len(), 6);
        let between: Vec<_> = records[..5]
            .iter()
            .map(|r| r["between"].as_u64().unwrap())
            .collect();
        assert_eq!(between, [0, 0, 1, 0, 0], "{engine}");
        let changed: Vec<bool> = records[..5]
            .iter()
            .map(|r| r.get("faces_changed").is_some_and(|c| c == true))
            .collect();
        assert_eq!(changed, [false, true, false, false, true]);
        // Nothing is known of the way to a frame with other faces.
        assert!(records[0].get("on_the_way").is_none() && records[3].get("on_the_way").is_none());
        assert!(records[1]["on_the_way"].as_u64().unwrap() > 0, "{ran:?}");
        assert!(
            ran.err
                .contains("frame 1: the faces change: 2 faces, 2 objects"),
            "{ran:?}"
        );
        assert!(ran.err.contains("frame 4: the faces change"), "{ran:?}");
    }
    assert!(
        std::fs::metadata(folder.path().join("worst.glb"))
            .unwrap()
            .len()
            > 0
    );
}

#[test]
fn pieces_of_a_breaking_solid_without_parts_are_objects() {
    let folder = Folder::new();
    let ply = |points: &[[f64; 3]], faces: &[[u32; 3]]| {
        let mut text = format!(
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
            points.len(),
            faces.len()
        );
        for [x, y, z] in points {
            text += &format!("{x} {y} {z}\n");
        }
        for [a, b, c] in faces {
            text += &format!("3 {a} {b} {c}\n");
        }
        text
    };
    let slab = [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [4., 4., 0.]];
    folder.write("solid-0.ply", &ply(&slab, &[[0, 1, 2], [2, 1, 3]]));
    let parts = [
        [0., 0., 0.],
        [4., 0., 0.],
        [0., 4., 0.],
        [1., 1., -0.5],
        [2., 1., 0.5],
        [1., 2., 0.5],
    ];
    folder.write("solid-1.ply", &ply(&parts, &[[0, 1, 2], [3, 4, 5]]));
    let ran = folder.run(&[
        "deform",
        "solid-*.ply",
        "--changing-faces",
        "--pieces",
        "--json",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let records = lines(&ran.out);
    let pairs = |r: &serde_json::Value| {
        (
            r["within"].as_u64().unwrap(),
            r["between"].as_u64().unwrap(),
        )
    };
    assert_eq!((pairs(&records[0]), pairs(&records[1])), ((0, 0), (0, 1)));
    assert_eq!(records[2]["objects"], 2);
}

#[test]
fn a_soup_can_be_welded_and_may_come_apart() {
    let folder = Folder::new();
    let soup = |height: f64| {
        format!(
            "o one\nv 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\no two\nv 0 4 {height}\nv 4 0 {height}\nv 4 4 {height}\nf 4 5 6\n"
        )
    };
    for (k, height) in [0.0, 0.0, 1.0].into_iter().enumerate() {
        folder.write(&format!("soup{k}.obj"), &soup(height));
    }
    let ran = folder.run(&["deform", "soup#.obj", "--json"]);
    assert_eq!(
        (ran.code, lines(&ran.out)[0]["between"].as_u64()),
        (1, Some(1)),
        "{ran:?}"
    );
    let ran = folder.run(&["deform", "soup#.obj", "--weld", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let records = lines(&ran.out);
    assert!(records[1].get("faces_changed").is_none() && records[2]["faces_changed"] == true);
    assert!(
        ran.err
            .contains("frame 2: vertices that were joined come apart"),
        "{ran:?}"
    );
    assert_eq!(
        (&records[3]["objects"], &records[3]["refused_frames"]),
        (&2.into(), &0.into())
    );
    // Welded, it is one piece, until it comes apart.
    let ran = folder.run(&["deform", "soup0.obj", "--weld", "--pieces", "--json"]);
    assert_eq!(lines(&ran.out)[1]["objects"], 1, "{ran:?}");
}

#[test]
fn stages_are_timed_and_the_choice_is_explained() {
    let folder = Folder::new();
    let scene = "scene:curtain?faces=2000&frames=3";
    for (engine, wanted) in [
        (
            "clustering",
            &[
                "points",
                "clusters",
                "assignment",
                "sort",
                "decision",
                "answer",
            ][..],
        ),
        ("auto", &["order", "boxes", "decision", "answer"][..]),
        ("kd-tree", &["all"][..]),
    ] {
        let words = ["deform", scene, "--engine", engine, "--stages"];
        let ran = folder.run(&[&words[..], &["--json"]].concat());
        let records = lines(&ran.out);
        for record in &records {
            let stages: Vec<&str> = record["stages"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s["stage"].as_str().unwrap())
                .collect();
            assert_eq!(stages, wanted);
        }
        let summary = &records[3];
        let counters = summary["counters"].as_array().unwrap();
        assert!(
            counters
                .iter()
                .any(|c| c[0] == "candidates" && c[1].as_u64() > Some(0))
        );
        assert_eq!(summary.get("reason").is_some(), engine == "auto");
        let ran = folder.run(&words);
        for text in wanted.iter().chain(&["candidates", "exact tests"]) {
            assert!(ran.out.contains(text), "{text}: {ran:?}");
        }
        assert_eq!(
            ran.out.contains("boxes per face"),
            engine == "auto",
            "{ran:?}"
        );
    }
    // Without the flag there are no stages.
    let ran = folder.run(&["deform", scene, "--json"]);
    let records = lines(&ran.out);
    assert!(records.iter().all(|r| r.get("stages").is_none()));
    assert!(
        records[3]["reason"]
            .as_str()
            .unwrap()
            .contains("boxes per face")
    );
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
        "separation-list",
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
fn a_separation_list_finds_contacts_on_the_way_in_order_of_time() {
    let folder = Folder::new();
    sinking(&folder);
    let words = ["deform", "sink###.obj", "--engine", "separation-list"];
    let ran = folder.run(&[&words[..], &["--json", "--csv", "table.csv"]].concat());
    assert_eq!(ran.code, 1, "{ran:?}");
    let records = lines(&ran.out);
    let numbers = |name: &str| -> Vec<_> { records[..4].iter().map(|r| r[name].clone()).collect() };
    assert_eq!(numbers("between"), [0, 0, 1, 0]);
    // The tip reaches the floor a third of the way to frame 2, and two edges leave it before frame 3.
    assert_eq!(records[0]["on_the_way"], 0);
    let first = records[1]["first_contact"].as_f64().unwrap();
    assert!((first - 1.0 / 3.0).abs() < 1e-6, "{first}");
    assert!(records[3].get("on_the_way").is_none());
    let on_the_way = |r: &serde_json::Value| r["on_the_way"].as_u64().unwrap();
    let all: u64 = records[..3].iter().map(on_the_way).sum();
    let summary = &records[4];
    assert_eq!(summary["engine"], "separation-list");
    assert_eq!(summary["list"]["contacts"].as_u64(), Some(all));
    assert!(summary["list"]["events"].as_u64() > Some(0));
    assert!(folder.read("table.csv").contains("on_the_way"));
    let text = folder.run(&words).out;
    assert!(text.contains("contacts in order of time"), "{text}");
    assert!(text.contains("a step, at most"), "{text}");
    // The same first contact as by steps.
    let ran = folder.run(&["deform", "sink###.obj", "--continuous", "--json"]);
    let stepped = lines(&ran.out)[1]["first_contact"].as_f64().unwrap();
    assert!((stepped - first).abs() < 1e-6, "{stepped} {first}");
}

#[test]
fn a_separation_list_refuses_what_is_no_plan() {
    let folder = Folder::new();
    sinking(&folder);
    let list = ["deform", "sink###.obj", "--engine", "separation-list"];
    for (more, word) in [
        (&["--every", "9"][..], "2 frames"),
        (&["--changing-faces"][..], "--changing-faces"),
    ] {
        let ran = folder.run(&[&list[..], more].concat());
        assert!(ran.code == 2 && ran.err.contains(word), "{ran:?}");
    }
    folder.write("sink001.obj", "v 0 0");
    let ran = folder.run(&list);
    assert!(ran.code == 2 && ran.err.contains("frame 1"), "{ran:?}");
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
fn more_frames_than_anyone_can_look_at_are_refused_unless_some_are_left_out() {
    let folder = Folder::new();
    let scene = "scene:vase?faces=200&frames=18446744073709551615";
    let ran = folder.run(&["deform", scene]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("18446744073709551615 frames") && ran.err.contains("--every"),
        "{ran:?}"
    );
    let ran = folder.run(&["deform", scene, "--json", "--every", "9223372036854775808"]);
    let records = lines(&ran.out);
    assert_eq!(records.len(), 3, "{ran:?}");
    assert_eq!(records[1]["frame"], 1_u64 << 63);
    // A file that says so and holds none.
    folder.write("cloth.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let mut header = b"POINTCACHE2\0".to_vec();
    for word in [1, 3, 0, 1_f32.to_bits(), u32::MAX] {
        header.extend(word.to_le_bytes());
    }
    std::fs::write(folder.path().join("cloth.pc2"), header).unwrap();
    let ran = folder.run(&["deform", "cloth.pc2"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("0 of 4294967295 frames are whole"),
        "{ran:?}"
    );
    assert!(ran.err.lines().count() < 10, "{ran:?}");
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
