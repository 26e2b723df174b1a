//! `impinge sculpt`.

use crate::program::Folder;

const DENT: &str = r#"{"pot": "ball", "polygons": 600, "tool": "fingertip", "size": 1.2,
 "strokes": [{"from": [0, 0, 1.3], "to": [0, 0, 0.8], "frames": 20},
             {"from": [1.3, 0, 0], "to": [0.9, 0, 0], "frames": 10, "around": 3}]}"#;

#[test]
fn a_script_shapes_clay_and_writes_it() {
    let folder = Folder::new();
    folder.write("dent.json", DENT);
    let words = [
        "sculpt",
        "dent.json",
        "-o",
        "dent.glb",
        "--png",
        "dent.png",
        "--json",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    let found = ran.json();
    assert_eq!(
        (&found["strokes"], &found["frames"]),
        (&4.into(), &50.into())
    );
    assert!(found["vertices_moved"].as_u64().unwrap() > 0, "{found}");
    assert_eq!(found["self_intersections"], 0);
    assert_eq!(found["euler_number"], 2);
    let [before, after] = ["volume_before", "volume"].map(|name| found[name].as_f64().unwrap());
    assert!((after / before - 1.0).abs() < 1e-9, "{found}");
    // What was written is the clay: as many faces, closed, of the same volume.
    let info = folder.run(&["info", "dent.glb", "--json"]).json();
    assert_eq!(info["faces"], found["faces"], "{info}");
    assert!(
        std::fs::read(folder.path().join("dent.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
    // The same again, byte for byte.
    folder.run(&["sculpt", "dent.json", "-o", "again.glb"]);
    let [one, two] =
        ["dent.glb", "again.glb"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    assert_eq!(one, two);
    let stl = folder.run(&["sculpt", "dent.json", "-o", "dent.stl"]);
    assert!(
        stl.code == 0 && stl.out.contains("wrote dent.stl"),
        "{stl:?}"
    );
}

#[test]
fn the_built_in_scripts_are_listed_and_the_first_one_runs_without_a_name() {
    let folder = Folder::new();
    let listed = folder.run(&["sculpt", "--list"]);
    assert!(
        listed.out.contains("vase") && listed.out.contains("torus"),
        "{listed:?}"
    );
    let found = folder.run(&["sculpt", "--json"]).json();
    assert_eq!(
        (&found["script"], &found["pot"]),
        (&"vase".into(), &"cylinder".into())
    );
    assert!(found["vertices_moved"].as_u64().unwrap() > 1000, "{found}");
    assert_eq!(found["self_intersections"], 0);
    let found = folder.run(&["sculpt", "torus", "--json"]).json();
    assert!(
        found["volume"].as_f64() < found["volume_before"].as_f64(),
        "{found}"
    );
    assert_eq!(found["euler_number"], 0);
}

#[test]
fn complaints_name_line_and_field() {
    let folder = Folder::new();
    for (text, complaint) in [
        ("{\"pot\": \"bowl\"}", "line 1: pot 'bowl' is not known"),
        (
            "{\n\"pot\": \"torsu\"}",
            "line 2: pot 'torsu' is not known; did you mean 'torus'?",
        ),
        (
            "{\"pot\": \"ball\",\n \"polygons\": 9}",
            "line 2: polygons is refused: a pot has 10 to 10000",
        ),
        (
            "{\"strokes\": []}",
            "line 1: strokes must list at least one stroke",
        ),
        (
            "{\"strokes\": [\n{\"from\": [0, 0, 1]}]}",
            "strokes[0].to is missing",
        ),
        (
            "{\"strokes\": [\n{\"from\": [0, 0, 1], \"to\": [0, 0],\n\"frames\": 5}]}",
            "line 2: strokes[0].to must be three numbers",
        ),
        (
            "{\"strokes\": [{\"from\": [0, 0, 1], \"to\": [0, 0, 0],\n\"frames\": 1}]}",
            "line 2: strokes[0].frames frames of a stroke must lie between 2 and 100000, found 1",
        ),
        (
            "{\"strokes\": [{\"from\": [0, 0, 1], \"to\": [0, 0, 0],\n\"operator\": \"pres\"}]}",
            "line 2: strokes[0].operator 'pres' is not known; did you mean 'press'?",
        ),
        (
            "{\"tool\": \"hammer\"}",
            "line 1: tool 'hammer' is not known; there are fingertip",
        ),
        (
            "{\"strok\": []}",
            "line 1: strok is not known; did you mean 'strokes'?",
        ),
        (
            "{\"size\": -1, \"strokes\": []}",
            "line 1: size must be positive, found -1",
        ),
        (
            "{\"mesh\": \"model:cloth\", \"strokes\": [{\"from\": [0, 0, 1], \"to\": [0, 0, 0]}]}",
            "closed manifold",
        ),
        ("{", "EOF"),
    ] {
        folder.write("bad.json", text);
        let ran = folder.run(&["sculpt", "bad.json"]);
        assert_eq!(ran.code, 2, "{text}: {ran:?}");
        assert!(ran.err.contains(complaint), "{text}: {}", ran.err);
    }
    let ran = folder.run(&["sculpt", "vace"]);
    assert!(
        ran.code == 2 && ran.err.contains("did you mean 'vase'?"),
        "{ran:?}"
    );
}
