//! The program as a citizen of the shell: help, manual, completions, pipes.

use std::io::Read;
use std::process::Stdio;

use crate::program::{CUBE, Folder};

const COMMANDS: [&str; 14] = [
    "tour",
    "info",
    "cloud",
    "cloud-info",
    "convert",
    "generate",
    "pack",
    "query",
    "run",
    "replay",
    "deform",
    "clash",
    "completions",
    "man",
];

#[test]
fn every_command_explains_itself() {
    let folder = Folder::new();
    let ran = folder.run(&["--help"]);
    assert_eq!(ran.code, 0);
    for command in COMMANDS {
        assert!(ran.out.contains(command), "{command} is not in the help");
        let ran = folder.run(&[command, "--help"]);
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("Usage: impinge"), "{}", ran.out);
    }
    assert!(ran.out.contains("0 no") && ran.out.contains("1 yes") && ran.out.contains("2 error"));
    assert!(folder.run(&["--version"]).out.starts_with("impinge "));
    assert_eq!(folder.run(&["frobnicate"]).code, 2);
}

#[test]
fn manual_pages_and_completions_cover_every_command() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["man", "pages"]).code, 0);
    for command in COMMANDS {
        assert!(
            !folder
                .read(&format!("pages/impinge-{command}.1"))
                .is_empty()
        );
    }
    assert_eq!(
        folder.run(&["man", "pages", "--json"]).json()["folder"],
        "pages"
    );
    assert!(folder.run(&["man"]).out.contains(".TH"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = folder.run(&["completions", shell]);
        assert_eq!(ran.code, 0);
        assert!(ran.out.contains("limit-tests"), "{shell}");
    }
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    for words in [
        &["generate", "--list"][..],
        &["query", "cube.obj", "cube.obj"],
        &["completions", "bash"],
        &["info", "cube.obj"],
    ] {
        let mut child = folder
            .command(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut complaints = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaints)
            .unwrap();
        assert_eq!(complaints, "", "{words:?}");
        let expected = i32::from(words[0] == "query");
        assert_eq!(child.wait().unwrap().code(), Some(expected), "{words:?}");
    }
}

#[test]
fn quiet_prints_nothing_but_still_answers() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    let ran = folder.run(&["query", "cube.obj", "cube.obj", "--quiet"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (1, "", ""));
    let ran = folder.run(&["--quiet", "--json", "query", "cube.obj", "cube.obj"]);
    assert_eq!(ran.json()["intersects"], true);
}

#[test]
fn a_picture_must_be_named_as_one() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    for words in [
        &["info", "cube.obj", "--png", "cube.jpg"][..],
        &["query", "cube.obj", "cube.obj", "--png", "cube"],
        &["tour", "-o", "cube.bmp"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("name it 'cube.png'"), "{ran:?}");
    }
}

#[test]
fn the_help_names_units_and_columns() {
    let help = Folder::new().run(&["query", "--help"]).out;
    let words: Vec<&str> = help.split_whitespace().collect();
    let help = words.join(" ");
    assert!(help.contains("metres with --units"), "{help}");
    assert!(help.contains("face_a,face_b"), "{help}");
}

#[test]
fn the_help_of_query_names_every_question() {
    let folder = Folder::new();
    let help = folder.run(&["query", "--help"]).out;
    for question in [
        "intersects",
        "pairs",
        "curves",
        "distance",
        "tolerance",
        "depth",
        "volume",
        "force",
        "impact",
    ] {
        let line = format!("\n  {question} ");
        assert!(help.contains(&line), "{question} is not explained");
    }
}

#[test]
fn every_failure_names_the_file_and_is_a_record_with_json() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write("bad.obj", "v 0 0 zero\n");
    folder.write("bad.json", "[1, 2");
    for (words, named) in [
        (&["info", "none.obj"][..], "none.obj"),
        (&["info", "bad.obj"], "bad.obj"),
        (&["info", "cube.obj", "--scale", "-1"], "scale"),
        (&["cloud-info", "none.pcd"], "none.pcd"),
        (&["cloud", "none.pcd", "cube.obj"], "none.pcd"),
        (&["convert", "none.obj", "x.ply"], "none.obj"),
        (&["convert", "cube.obj", "x.3mf"], "x.3mf"),
        (&["convert", "cube.obj", "nowhere/x.ply"], "nowhere/x.ply"),
        (&["convert", "cube.obj", "x.what"], "x.what"),
        (
            &["convert", "cube.obj", "x.ply", "--part", "lid"],
            "cube.obj",
        ),
        (&["convert", "cube.obj", "x.ply", "--weld=-1"], "cube.obj"),
        (
            &["generate", "torus", "-o", "nowhere/x.obj"],
            "nowhere/x.obj",
        ),
        (&["pack", "none.obj"], "none.obj"),
        (&["pack", "cube.obj", "--cover", "0"], "cube.obj"),
        (
            &["pack", "cube.obj", "-o", "nowhere/x.json"],
            "nowhere/x.json",
        ),
        (&["query", "cube.obj", "none.obj"], "none.obj"),
        (
            &["query", "cube.obj", "cube.obj", "--pose", "bad.json"],
            "bad.json",
        ),
        (
            &["query", "cube.obj", "cube.obj", "--poses", "none.json"],
            "none.json",
        ),
        (&["run", "none.json"], "none.json"),
        (&["run", "bad.json"], "bad.json"),
        (&["replay", "none.trace"], "none.trace"),
        (&["replay", "cube.obj"], "cube.obj"),
        (&["deform", "none/"], "none"),
        (&["clash", "cube.obj", "--rules", "none.txt"], "none.txt"),
        (&["clash", "cube.obj", "--baseline", "bad.json"], "bad.json"),
        (&["tour", "-o", "nowhere/x.png"], "nowhere/x.png"),
    ] {
        let ran = folder.run(&[words, &["--json"]].concat());
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(ran.err.contains(named), "{words:?}: {ran:?}");
        assert!(!ran.err.contains("panicked"), "{words:?}: {ran:?}");
        let last = ran.out.lines().last().unwrap_or_default();
        let record: serde_json::Value = serde_json::from_str(last).unwrap();
        assert!(record["error"].is_string(), "{words:?}: {ran:?}");
    }
    // Nothing half-written stays behind, and nothing that was there is lost.
    let ran = folder.run(&["convert", "cube.obj", "cube.obj", "--part", "lid"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(folder.read("cube.obj"), CUBE);
    let left = std::fs::read_dir(folder.path()).unwrap();
    assert!(
        left.flatten()
            .all(|file| !file.file_name().to_string_lossy().contains("partial"))
    );
}

#[test]
fn files_that_were_written_are_named() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    folder.write(
        "scene.json",
        r#"{"shapes": {"ball": {"ball": 1}}, "objects": [{"shape": "ball"}]}"#,
    );
    for (words, files) in [
        (
            &[
                "pack", "cube.obj", "-n", "3", "-o", "b.json", "--glb", "b.glb",
            ][..],
            &["b.json", "b.glb"][..],
        ),
        (&["run", "scene.json", "--trace", "t.trace"], &["t.trace"]),
        (&["clash", "cube.obj", "--csv", "c.csv"], &["c.csv"]),
        (
            &[
                "deform",
                "scene:curtain?faces=200&frames=2",
                "--csv",
                "d.csv",
            ],
            &["d.csv"],
        ),
        (&["convert", "cube.obj", "c.ply.gz"], &["c.ply.gz"]),
        (&["generate", "torus", "-o", "t.stl"], &["t.stl"]),
    ] {
        let ran = folder.run(words);
        assert!(ran.code < 2, "{words:?}: {ran:?}");
        for file in files {
            assert!(ran.out.contains(&format!("wrote {file}")), "{ran:?}");
            assert!(folder.path().join(file).exists(), "{file}");
        }
    }
    // A sequence is told with its settings, so that it can be played again.
    let ran = folder.run(&["deform", "scene:curtain?faces=200&frames=2", "--json"]);
    let summary: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(summary["sequence"], "scene:curtain?faces=200&frames=2");
}
