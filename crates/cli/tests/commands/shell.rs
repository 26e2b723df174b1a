//! The program as a citizen of the shell: help, manual, completions, pipes.

use std::io::Read;
use std::process::Stdio;

use crate::program::{CUBE, Folder};

const COMMANDS: [&str; 9] = [
    "tour",
    "info",
    "cloud",
    "cloud-info",
    "convert",
    "generate",
    "query",
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
