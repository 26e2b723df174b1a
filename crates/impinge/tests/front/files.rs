//! Files through the front door.

use std::path::PathBuf;

use impinge::clash::ClashKind;
use impinge::io::{ReadOptions, read};
use impinge::prelude::*;

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_file_is_opened_as_it_is_read() {
    let models = root().join("corpus/models");
    for name in ["block.obj", "octahedron.ply", "gearbox.obj"] {
        let path = models.join(name);
        let mesh = Mesh::open(&path).unwrap();
        let (expected, _) = read(&path, &ReadOptions::default()).unwrap().merged();
        assert_eq!(**mesh.tri_mesh(), expected);
        assert!(mesh.is_closed(), "{name}");
    }
    let options = ReadOptions {
        scale: 0.5,
        ..ReadOptions::default()
    };
    let small = Mesh::open_with(models.join("block.obj"), &options).unwrap();
    assert_eq!(small.bounds().max, DVec3::splat(0.5));
}

#[test]
fn an_error_names_the_file() {
    for path in ["nowhere/at all.stl", "Cargo.toml"] {
        let text = Mesh::open(path).unwrap_err().to_string();
        assert!(text.starts_with(path), "{text}");
        let text = Assembly::open(path).unwrap_err().to_string();
        assert!(text.starts_with(path), "{text}");
    }
}

#[test]
fn opening_repairs_nothing() {
    let soup = root().join("corpus/damaged/soup.obj");
    let mesh = Mesh::open(soup).unwrap();
    assert!(!mesh.is_closed());
    assert_eq!(
        mesh.tri_mesh().vertex_count(),
        3 * mesh.tri_mesh().face_count()
    );
    assert!(mesh.welded().tri_mesh().vertex_count() < mesh.tri_mesh().vertex_count());
}

#[test]
fn the_gears_of_the_gearbox_clash() {
    let gearbox = Assembly::open(root().join("corpus/models/gearbox.obj")).unwrap();
    let clashes = gearbox.clashes(&ClashOptions::default()).unwrap();
    assert_eq!(clashes.len(), 1);
    assert_eq!(clashes[0].kind, ClashKind::Crossing);
    assert_eq!(gearbox.names(&clashes[0]), ["small gear", "large gear"]);
    let near = ClashOptions {
        clearance: Some(0.5),
        ..ClashOptions::default()
    };
    let near = gearbox.clashes(&near).unwrap();
    assert_eq!(
        near.len(),
        5,
        "plate and cover are half a unit from both gears"
    );
    assert_eq!(near[0], clashes[0], "the gravest comes first");
    let bad = ClashOptions {
        clearance: Some(-1.0),
        ..ClashOptions::default()
    };
    assert!(gearbox.clashes(&bad).is_err());
}
