//! `impinge haptics`, `impinge workspace` and `impinge study`.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use crate::program::Folder;

fn records(text: &str) -> Vec<serde_json::Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_small_built_in_scene_is_felt_and_nothing_is_passed() {
    let folder = Folder::new();
    let listed = folder.run(&["haptics", "list"]);
    for name in [
        "plane",
        "edge",
        "corner",
        "groove",
        "room",
        "terrain",
        "teeth",
        "moving-ball",
        "skinned",
    ] {
        assert!(listed.out.contains(name), "{}", listed.out);
        let ran = folder.run(&["haptics", name, "--json"]);
        assert_eq!(ran.code, 1, "{name}: {ran:?}");
        let found = &records(&ran.out)[0];
        assert_eq!(found["crossings"], 0, "{name}");
        assert!(
            found["largest_force"].as_f64().unwrap() > 0.5,
            "{name}: {found}"
        );
        assert!(found["largest_force"].as_f64().unwrap() <= 10.0 + 1e-9);
        assert!(
            found["lowest_energy"].as_f64().unwrap() > -5.1e-3,
            "{name}: {found}"
        );
        assert!(found.get("fault").is_none(), "{name}: {found}");
    }
}

#[test]
fn a_recording_replays_bit_by_bit_and_a_changed_one_is_refused() {
    let folder = Folder::new();
    let words = [
        "haptics",
        "corner",
        "--device",
        "hand",
        "--record",
        "corner.rec",
    ];
    assert_eq!(folder.run(&words).code, 1);
    let again = folder.run(&["haptics", "replay", "corner.rec"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.out.contains("all as recorded"), "{}", again.out);
    let path = folder.path().join("corner.rec");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(folder.run(&["haptics", "replay", "corner.rec"]).code, 2);
}

#[test]
fn bodies_move_under_every_law_but_the_penalty_and_replay() {
    let folder = Folder::new();
    // The device rests where the body comes by.
    folder.write(
        "scene.json",
        r#"{"bodies": [{"mesh": "model:icosphere?faces=320", "size": 0.1, "velocity": [0, 0, 0.1]}],
            "tool": {"mesh": "model:icosphere?faces=80", "size": 0.03}, "device": "virtuose", "start": [0, 0, 0.07],
            "script": [{"t": 0, "position": [0, 0, 0.07]}, {"t": 2.2, "position": [0, 0, 0.07]}], "seconds": 3}"#,
    );
    for law in ["exact", "spheres", "voxmap", "depth", "guard", "god-object"] {
        let words = [
            "haptics",
            "scene.json",
            "--law",
            law,
            "--record",
            "r.rec",
            "--json",
        ];
        let ran = folder.run(&words);
        assert_eq!(ran.code, 1, "{law}: {ran:?}");
        let found = &records(&ran.out)[0];
        assert!(
            found["largest_force"].as_f64().unwrap() > 0.3,
            "{law}: {found}"
        );
        assert_eq!(folder.run(&["haptics", "replay", "r.rec"]).code, 0, "{law}");
    }
    let ran = folder.run(&["haptics", "scene.json", "--law", "penalty"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("bodies[0] moves"), "{}", ran.err);
}

#[test]
fn a_stiff_scene_without_a_controller_is_refused_unless_it_may_be_active() {
    let folder = Folder::new();
    folder.write(
        "scene.json",
        r#"{"bodies": [{"box": [0.1, 0.1, 0.1]}], "controller": "off", "stiffness": 5000, "seconds": 0.1}"#,
    );
    let ran = folder.run(&["haptics", "scene.json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("switch a passivity controller on"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("--allow-active"), "{}", ran.err);
    let words = [
        "haptics",
        "scene.json",
        "--allow-active",
        "--record",
        "r.rec",
    ];
    assert_eq!(folder.run(&words).code, 0);
    assert_eq!(folder.run(&["haptics", "replay", "r.rec"]).code, 0);
}

#[test]
fn pictures_and_plots_are_written() {
    let folder = Folder::new();
    let ran = folder.run(&[
        "haptics",
        "explore",
        "model:icosphere",
        "--png",
        "a.png",
        "--svg",
        "a.svg",
        "--html",
        "a.html",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(
        std::fs::read(folder.path().join("a.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
    assert!(folder.read("a.svg").contains("force on the hand"));
    let page = folder.read("a.html");
    assert!(page.contains("data:image/png;base64,iVBOR") && page.contains("largest force"));
}

#[test]
fn bad_scenes_name_the_line_and_the_field() {
    let folder = Folder::new();
    let cases = [
        (
            "{\n \"bodies\": [{\"box\": [1, 1, 1]}],\n \"stifness\": 3\n}",
            "line 3: stifness",
            "stiffness",
        ),
        (
            "{\n \"bodies\": [\n  {\"box\": [1, 1]}\n ]\n}",
            "line 3: bodies[0].box",
            "three numbers",
        ),
        ("{\n \"bodies\": []\n}", "line 2: bodies", "at least one"),
        (
            "{\n \"bodies\": [{\"box\": [1, 1, 1]}],\n\n \"law\": \"magic\"\n}",
            "line 4: law",
            "god-object",
        ),
        (
            "{\n \"bodies\": [{\"box\": [1, 1, 1]}],\n \"script\": [{\"t\": 1},\n  {\"t\": 0.5}]\n}",
            "line 4: script[1].t",
            "later",
        ),
        (
            "{\n \"bodies\": [{\"mesh\": \"none.obj\"}]\n}",
            "line 2: bodies[0].mesh",
            "none.obj",
        ),
        ("{\n \"bodies\": [\n", "line 3", "EOF"),
    ];
    for (text, place, what) in cases {
        folder.write("scene.json", text);
        let ran = folder.run(&["haptics", "scene.json"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.err.contains(place) && ran.err.contains(what),
            "{}",
            ran.err
        );
    }
    let ran = folder.run(&["haptics", "plaine"]);
    assert!(ran.err.contains("did you mean 'plane'?"), "{}", ran.err);
    let ran = folder.run(&["haptics", "plane", "--device", "magic"]);
    assert!(
        ran.err.contains("script:FILE, hand and udp:PORT"),
        "{}",
        ran.err
    );
}

#[test]
fn laws_can_be_chosen() {
    let folder = Folder::new();
    folder.write(
        "scene.json",
        r#"{"bodies": [{"mesh": "model:icosphere?faces=320", "size": 0.1}], "tool": {"mesh": "model:icosphere?faces=80", "size": 0.03},
            "device": "virtuose", "start": [0, 0, 0.09],
            "script": [{"t": 0, "position": [0, 0, 0.09]}, {"t": 2.3, "position": [0, 0, 0.09]}, {"t": 2.6, "position": [0, 0, 0.055]}]}"#,
    );
    for law in [
        "exact",
        "spheres",
        "voxmap",
        "depth",
        "guard",
        "god-object",
        "penalty",
    ] {
        let ran = folder.run(&["haptics", "scene.json", "--law", law, "--json"]);
        assert_ne!(ran.code, 2, "{law}: {ran:?}");
        let found = &records(&ran.out)[0];
        assert_eq!(found["law"], law);
        let touches = !matches!(law, "god-object" | "penalty");
        assert!(
            !touches || found["largest_force"].as_f64().unwrap() > 0.1,
            "{law}: {found}"
        );
    }
}

#[test]
fn a_script_file_leads_the_device() {
    let folder = Folder::new();
    folder.write(
        "script.json",
        r#"[{"t": 0, "position": [0, 0, 0.02]}, {"t": 0.5, "position": [0, 0, 0.01]}]"#,
    );
    let ran = folder.run(&[
        "haptics",
        "plane",
        "--device",
        "script:script.json",
        "--seconds",
        "1",
        "--json",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(records(&ran.out)[0]["ticks"], 1000);
}

#[test]
fn a_workspace_is_played_and_bad_ones_are_refused() {
    let folder = Folder::new();
    folder.write(
        "scene.json",
        r#"{"users": 2, "hands": 1, "bodies": 3, "balls": 60, "seconds": 0.5}"#,
    );
    let ran = folder.run(&["workspace", "scene.json", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(records(&ran.out).len(), 2);
    folder.write(
        "scene.json",
        "{\"users\": 2, \"hands\": 2,\n \"bodies\": 3}",
    );
    let ran = folder.run(&["workspace", "scene.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("line 2: bodies"), "{}", ran.err);
}

#[test]
fn a_study_is_run_and_its_statistics_are_those_of_the_papers() {
    let folder = Folder::new();
    let ran = folder.run(&["study", "anova", "39:4.95:3.692", "8:9.00:5.757", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // Printed: 6.538, from means that were not rounded.
    let f = records(&ran.out)[0]["f"].as_f64().unwrap();
    assert!((f - 6.533).abs() < 5e-4, "{f}");
    folder.write("t.csv", "a,b\n2,1\n3,1\n5,2\n");
    let ran = folder.run(&["study", "compare", "t.csv", "a", "b", "--json"]);
    let t = records(&ran.out)[0]["t"].as_f64().unwrap();
    assert!((t - 2.0 * 3.0_f64.sqrt()).abs() < 1e-12);
    let words = [
        "study",
        "run",
        "--participants",
        "4",
        "--training",
        "1",
        "--play",
        "1",
        "--log",
        "log.csv",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(folder.read("log.csv").lines().count() >= 8);
    let ran = folder.run(&["study", "compare", "t.csv", "a", "c"]);
    assert!(
        ran.code == 2 && ran.err.contains("there are a, b"),
        "{}",
        ran.err
    );
}

#[test]
fn two_hands_may_hold_one_body() {
    let ran = Folder::new().run(&["workspace", "assembly", "--seconds", "0.3", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(records(&ran.out).len(), 2);
}
