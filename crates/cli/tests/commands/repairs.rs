//! `impinge convert --repair` and `--wrap`, and who names them.

use crate::program::{CUBE, Folder};

/// The cube without its lid, every face with vertices of its own.
fn loose_open_cube(folder: &Folder) {
    folder.write("open.obj", &CUBE.replace("f 5 6 7 8\n", ""));
    assert_eq!(folder.run(&["convert", "open.obj", "open.stl"]).code, 0);
}

#[test]
fn repair_says_in_one_line_what_it_did() {
    let folder = Folder::new();
    loose_open_cube(&folder);
    let ran = folder.run(&["convert", "open.stl", "shut.obj", "--repair"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    for word in [
        "22 vertices merged",
        "1 hole closed",
        "nothing left to repair",
    ] {
        assert!(lines[1].contains(word), "{word} is not in {}", lines[1]);
    }
    assert_eq!(folder.run(&["info", "shut.obj"]).code, 0);
}

#[test]
fn repair_says_what_it_could_not_do_and_why() {
    let folder = Folder::new();
    loose_open_cube(&folder);
    let words = [
        "convert",
        "open.stl",
        "x.obj",
        "--repair",
        "--fill-holes",
        "3",
        "--json",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.code, 0, "{ran:?}");
    let left = ran.json()["not_repaired"].clone();
    assert_eq!(left.as_array().unwrap().len(), 1, "{left}");
    assert!(
        left[0].as_str().unwrap().contains("more than 3 edges"),
        "{left}"
    );
    let line = ran.json()["repairs"][0].as_str().unwrap().to_owned();
    assert!(
        line.contains("not repaired: 1 hole") && line.contains("--wrap 1%"),
        "{line}"
    );

    // Three faces at one edge, and two bodies through each other.
    folder.write(
        "fin.obj",
        &format!("{CUBE}v 2 2 2\nf 5 6 9\nv 0.5 0.5 0.5\nv 2 0.5 0.5\nv 0.5 2 0.5\nv 0.5 0.5 2\nf 10 12 11\nf 10 11 13\nf 11 12 13\nf 12 10 13\n"),
    );
    let ran = folder.run(&["convert", "fin.obj", "x.obj", "--repair"]);
    for word in [
        "1 edge of three or more faces",
        "1 border",
        "self-intersections",
    ] {
        assert!(ran.out.contains(word), "{word} is not in {}", ran.out);
    }
}

#[test]
fn a_wrap_makes_a_solid_that_other_commands_take() {
    let folder = Folder::new();
    folder.write("fin.obj", &format!("{CUBE}v 2 2 2\nf 5 6 9\nf 1 2 3 4\n"));
    for (words, hint) in [
        (&["pack", "fin.obj", "-n", "5"][..], "cannot be filled"),
        (
            &["query", "fin.obj", "fin.obj", "--ask", "depth"][..],
            "is open",
        ),
        (
            &["query", "fin.obj", "fin.obj", "--ask", "volume"][..],
            "is none",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, 2, "{ran:?}");
        for word in [hint, "`impinge convert fin.obj OUT --repair`", "--wrap 1%"] {
            assert!(ran.err.contains(word), "{word} is not in {}", ran.err);
        }
    }
    let ran = folder.run(&["convert", "fin.obj", "wrap.stl", "--wrap", "4%", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    let wrap = ran.json()["wrap"].clone();
    let [near, far, offset] =
        ["nearest", "farthest", "offset"].map(|key| wrap[key].as_f64().unwrap());
    assert!(0.0 < near && near < far && far <= offset, "{wrap}");
    assert!((offset - 0.04 * 12.0_f64.sqrt()).abs() < 1e-12, "{offset}");

    let ran = folder.run(&["info", "wrap.stl", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for key in ["closed", "manifold", "outward"] {
        assert_eq!(ran.json()[key], true, "{key}");
    }
    let volume = ran.json()["volume"].as_f64().unwrap();
    assert!((1.0..2.0).contains(&volume), "{volume}");
    assert_eq!(folder.run(&["pack", "wrap.stl", "-n", "5"]).code, 0);
    let ran = folder.run(&["query", "wrap.stl", "wrap.stl", "--ask", "volume", "--json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
}

#[test]
fn a_gap_is_closed_on_request() {
    let folder = Folder::new();
    folder.write("open.obj", &CUBE.replace("f 5 6 7 8\n", ""));
    let volume = |words: &[&str]| {
        let words = [&["convert", "open.obj", "x.ply", "--wrap", "0.1"], words].concat();
        let ran = folder.run(&words);
        assert_eq!(ran.code, 0, "{ran:?}");
        let ran = folder.run(&["info", "x.ply", "--json"]);
        ran.json()["volume"].as_f64().unwrap()
    };
    assert!(volume(&[]) < 0.6);
    assert!(volume(&["--gap", "1.5"]) > 0.9);
    assert_eq!(
        folder
            .run(&["convert", "open.obj", "x.ply", "--gap", "1"])
            .code,
        2
    );
}

#[test]
fn an_offset_that_cannot_be_is_refused() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    for (offset, hint) in [
        ("0", "positive length"),
        ("-1%", "positive length"),
        ("wide", "positive length"),
        ("1e-12", "smallest offset"),
    ] {
        let wrap = format!("--wrap={offset}");
        let ran = folder.run(&["convert", "cube.obj", "x.ply", &wrap]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(hint), "{hint} is not in {}", ran.err);
    }
}

#[test]
fn info_names_the_command_that_helps() {
    let folder = Folder::new();
    loose_open_cube(&folder);
    folder.write("fin.obj", &format!("{CUBE}v 2 2 2\nf 5 6 9\n"));
    folder.write("cube.obj", CUBE);
    let advice = |file: &str| folder.run(&["info", file, "--json"]).json()["advice"].clone();
    for file in ["open.obj", "open.stl"] {
        let text = advice(file).as_str().unwrap().to_owned();
        assert!(
            text.contains(&format!("impinge convert {file} OUT --repair")),
            "{text}"
        );
    }
    assert!(advice("fin.obj").as_str().unwrap().contains("--wrap 1%"));
    assert!(advice("cube.obj").is_null());
    let text = folder.run(&["info", "fin.obj"]).out;
    assert!(
        text.contains("help: `impinge convert fin.obj OUT --wrap 1%`"),
        "{text}"
    );
}

#[test]
fn loose_triangles_are_taken_as_connected_in_every_format() {
    let folder = Folder::new();
    folder.write("cube.obj", CUBE);
    assert_eq!(folder.run(&["convert", "cube.obj", "cube.stl"]).code, 0);
    // STL has no shared vertices, and without --weld they stay as they are.
    for file in ["loose.obj", "loose.ply", "loose.off"] {
        assert_eq!(folder.run(&["convert", "cube.stl", file]).code, 0);
        let ran = folder.run(&["info", file, "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(
            (&ran.json()["welded"], &ran.json()["volume"]),
            (&true.into(), &1.0.into())
        );
        assert_eq!(folder.run(&["pack", file, "-n", "5"]).code, 0);
    }
}
