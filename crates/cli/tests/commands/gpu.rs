//! `impinge devices`, `impinge deform --engine gpu` and `impinge pack --gpu`, with twins where there is no adapter.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use crate::program::{CUBE, Folder};

const SCENE: &str = "scene:curtain?faces=600&frames=5";

fn lines(out: &str) -> Vec<serde_json::Value> {
    out.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn devices_lists_adapters_or_says_that_there_is_none() {
    let folder = Folder::new();
    let text = folder.run(&["devices"]);
    let json = folder.run(&["devices", "--json"]);
    assert_eq!(text.code, json.code);
    match text.code {
        0 => assert!(
            text.out.contains("no graphics adapter was found"),
            "{text:?}"
        ),
        1 => {
            let records = lines(&json.out);
            assert!(!records.is_empty() && records[0]["name"].is_string());
            assert!(text.out.contains("adapter"), "{text:?}");
        }
        _ => panic!("{text:?}"),
    }
}

#[test]
fn the_engine_on_cards_finds_what_the_others_find() {
    let folder = Folder::new();
    let contacts = |words: &[&str]| -> Vec<(u64, u64)> {
        let mut all = vec!["deform", SCENE, "--json"];
        all.extend(words);
        let ran = folder.run(&all);
        assert!(ran.code < 2, "{ran:?}");
        let records = lines(&ran.out);
        let frames = records.iter().filter(|record| record["frame"].is_u64());
        frames
            .map(|r| {
                (
                    r["within"].as_u64().unwrap(),
                    r["between"].as_u64().unwrap(),
                )
            })
            .collect()
    };
    let expected = contacts(&[]);
    assert_eq!(expected.len(), 5);
    for clusters in ["1", "8"] {
        let words = [
            "--engine",
            "gpu",
            "--devices",
            "twin",
            "--clusters",
            clusters,
        ];
        assert_eq!(contacts(&words), expected);
    }
    // A device of any adapter that there is.
    if folder.run(&["devices"]).code == 1 {
        for devices in ["1", "2", "all"] {
            let words = ["--engine", "gpu", "--devices", devices, "--clusters", "4"];
            assert_eq!(contacts(&words), expected);
        }
    }
}

#[test]
fn the_engine_on_cards_explains_itself() {
    let folder = Folder::new();
    let ran = folder.run(&[
        "deform",
        SCENE,
        "--engine",
        "gpu",
        "--devices",
        "twin",
        "--explain",
    ]);
    for word in [
        "devices",
        "twin",
        "stages",
        "kernels a frame",
        "bytes up a frame",
        "unsure",
    ] {
        assert!(ran.out.contains(word), "{word}: {ran:?}");
    }
    let ran = folder.run(&["deform", SCENE, "--explain"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--engine gpu"), "{ran:?}");
}

#[test]
fn devices_that_do_not_exist_are_an_error() {
    let folder = Folder::new();
    for wanted in ["no such card", "0"] {
        let ran = folder.run(&["deform", SCENE, "--engine", "gpu", "--devices", wanted]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(
            ran.err.contains("adapter") || ran.err.contains("nobody"),
            "{ran:?}"
        );
    }
    let ran = folder.run(&["deform", SCENE, "--engine", "gpu", "--clusters", "65"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn faces_are_coloured_by_cluster() {
    let folder = Folder::new();
    let ran = folder.run(&[
        "deform",
        "scene:half-torus?faces=2000&frames=2",
        "--colour",
        "clusters",
        "--png",
        "c.png",
        "--glb",
        "c.glb",
    ]);
    assert!(ran.code < 2, "{ran:?}");
    assert!(folder.picture("c.png").2, "more than one colour");
    let bytes = std::fs::read(folder.path().join("c.glb")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("cluster 0"), "surfaces are named by cluster");
}

#[test]
fn a_card_packs_a_cube_as_the_processor_does() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    let ran = folder.run(&[
        "pack", "cube.obj", "-n", "9", "--gpu", "--device", "twin", "--json",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let record = ran.json();
    assert_eq!(record["balls"], 9);
    let [largest, smallest] =
        ["largest_radius", "smallest_radius"].map(|name| record[name].as_f64().unwrap());
    assert!((smallest / largest - 0.26795).abs() < 1e-3, "{record}");
    let ran = folder.run(&["pack", "cube.obj", "--gpu", "--cover", "3"]);
    assert_eq!(ran.code, 2, "{ran:?}");
}
