//! A plug-in written in C is loaded, and every way in which one can be wrong is refused by name.
#![cfg(all(unix, feature = "load"))]
#![expect(unsafe_code, reason = "plug-ins are loaded")]

use std::path::{Path, PathBuf};
use std::process::Command;

use impinge_plugin::{CreateError, Library, LoadError};

/// The C plug-in, compiled with these definitions; none where there is no C compiler.
fn compiled(name: &str, definitions: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/plugin.c");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.so"));
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&file);
    command.args(definitions.iter().map(|d| format!("-D{d}")));
    let done = command.arg(source).arg("-lm").status().ok()?;
    assert!(done.success());
    Some(file)
}

fn load(name: &str, definitions: &[&str]) -> Option<Result<Library, LoadError>> {
    let file = compiled(name, definitions);
    if file.is_none() {
        println!("no C compiler: nothing was tested");
    }
    // SAFETY: compiled from the source in this folder, whose faults are such as are checked.
    file.map(|file| unsafe { Library::open(file) })
}

#[test]
fn a_plugin_in_c_gives_support_points() {
    let Some(library) = load("good", &[]) else {
        return;
    };
    let library = library.unwrap();
    let kind = library.kind("half ball").unwrap();
    assert!(kind.is_convex() && !kind.has_distance());
    let shape = kind.create(&[2.0]).unwrap();
    assert_eq!(shape.bounds(), [[-2.0, -2.0, 0.0], [2.0; 3]]);
    assert_eq!(shape.support([0.0, 0.0, 5.0]), Some([0.0, 0.0, 2.0]));
    assert_eq!(shape.support([-3.0, 0.0, -4.0]), Some([-2.0, 0.0, 0.0]));
    assert_eq!(shape.signed_distance([0.0; 3]), None);
}

#[test]
fn shapes_outlive_the_library_they_came_from() {
    let Some(library) = load("outlived", &[]) else {
        return;
    };
    let kind = library.unwrap().kind("half ball").unwrap().clone();
    let shapes: Vec<_> = (1..100).map(|r| kind.create(&[f64::from(r)])).collect();
    drop(kind);
    for (radius, shape) in (1..100).map(f64::from).zip(shapes) {
        let shape = shape.unwrap();
        let found = std::thread::spawn(move || shape.support([1.0, 0.0, 0.0])).join();
        assert_eq!(found.unwrap(), Some([radius, 0.0, 0.0]));
    }
}

#[test]
fn a_wrong_plugin_is_refused_and_told_why() {
    let table = size_of::<impinge_plugin::PluginTable>() as u32;
    let missing = |what| LoadError::Missing { kind: 0, what };
    let cases = [
        ("no-entry", "NO_ENTRY", LoadError::NoEntry),
        ("null-table", "NULL_TABLE", LoadError::NullTable),
        (
            "older",
            "VERSION=0",
            LoadError::Version {
                found: 0,
                expected: 1,
            },
        ),
        (
            "newer",
            "VERSION=2",
            LoadError::Version {
                found: 2,
                expected: 1,
            },
        ),
        (
            "short",
            "BYTES=8",
            LoadError::Size {
                what: "table",
                found: 8,
                expected: table,
            },
        ),
        ("none", "COUNT=0", LoadError::KindCount { found: 0 }),
        (
            "many",
            "COUNT=1000000",
            LoadError::KindCount { found: 1_000_000 },
        ),
        ("no-create", "NO_CREATE", missing("`create`")),
        (
            "no-answer",
            "NO_ANSWER",
            missing("both `support` and `signed_distance`"),
        ),
        ("no-name", "NO_NAME", LoadError::BadName { kind: 0 }),
        (
            "same-name",
            "SAME_NAME",
            LoadError::SameName {
                name: "half ball".to_owned(),
            },
        ),
    ];
    for (name, definition, expected) in cases {
        let Some(found) = load(name, &[definition]) else {
            return;
        };
        assert_eq!(found.unwrap_err(), expected, "{definition}");
    }
}

#[test]
fn the_message_of_another_version_names_both() {
    let Some(found) = load("versions", &["VERSION=7"]) else {
        return;
    };
    assert_eq!(
        found.unwrap_err().to_string(),
        "the plug-in was written for version 7 of the interface, this is version 1"
    );
}

#[test]
fn what_is_no_library_is_refused() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/plugin.c");
    for file in [source.as_path(), Path::new("/no/such/file.so")] {
        // SAFETY: neither is a library.
        let refused = unsafe { Library::open(file) };
        assert!(matches!(refused, Err(LoadError::Open { .. })));
    }
}

#[test]
fn a_shape_with_bad_parameters_or_bounds_is_refused() {
    let Some(library) = load("refusing", &[]) else {
        return;
    };
    let library = library.unwrap();
    let kind = library.kind("half ball").unwrap();
    for refused in [vec![], vec![-1.0], vec![1.0, 2.0]] {
        let found = kind.create(&refused).unwrap_err();
        assert!(matches!(found, CreateError::Refused { .. }));
    }
    let found = kind.create(&[f64::NAN]).unwrap_err();
    assert!(matches!(found, CreateError::BadParameter { index: 0, .. }));
    let Some(library) = load("bad-bounds", &["BAD_BOUNDS"]) else {
        return;
    };
    let found = library.unwrap().kinds()[0].create(&[1.0]).unwrap_err();
    assert!(matches!(found, CreateError::BadBounds { .. }));
}

#[test]
fn support_points_that_are_no_numbers_or_too_far_stay_within_the_bounds() {
    let Some(library) = load("bad-support", &["BAD_SUPPORT"]) else {
        return;
    };
    let shape = library.unwrap().kinds()[0].create(&[1.0]).unwrap();
    assert_eq!(shape.support([0.0, 0.0, 1.0]), Some([0.0, 1.0, 1.0]));
}

#[test]
fn a_folder_is_scanned_for_plugins_by_name_and_others_are_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("folder-of-plugins");
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    for (name, definitions) in [("b-good", &[][..]), ("a-old", &["VERSION=0"])] {
        let Some(file) = compiled(&format!("scanned-{name}"), definitions) else {
            println!("no C compiler: nothing was tested");
            return;
        };
        let suffix = std::env::consts::DLL_EXTENSION;
        std::fs::copy(file, folder.join(name).with_extension(suffix)).unwrap();
    }
    std::fs::write(folder.join("notes.txt"), "no library").unwrap();
    // SAFETY: what is in the folder was compiled from the source beside this file.
    let found = unsafe { Library::scan(&folder) }.unwrap();
    let names: Vec<_> = found
        .iter()
        .map(|(path, _)| path.file_stem().unwrap())
        .collect();
    assert_eq!(names, ["a-old", "b-good"]);
    assert!(matches!(
        found[0].1,
        Err(LoadError::Version { found: 0, .. })
    ));
    assert!(found[1].1.as_ref().unwrap().kind("half ball").is_some());
}
