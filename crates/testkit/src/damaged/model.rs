//! A damaged mesh, what must be found in it, and both as files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use impinge::{DVec3, TriMesh};
use serde::{Deserialize, Serialize};

use super::{body, border, junction};

/// A damaged mesh.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// Its file name without extension.
    pub name: &'static str,
    /// How it was damaged.
    pub why: &'static str,
    /// The mesh.
    pub mesh: TriMesh,
    /// What must be found, and nothing else, in the order of kinds.
    pub expected: Vec<Expected>,
}

/// Findings of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The name of the kind.
    pub kind: String,
    /// How many there are.
    pub count: usize,
    /// Where they are, in words and in order.
    pub places: Vec<String>,
}

/// The mesh as a Wavefront OBJ file that reads back to the same coordinates.
#[must_use]
pub fn to_obj(damaged: &Damaged) -> String {
    let mut text = format!("# {}\n", damaged.why);
    for p in damaged.mesh.positions() {
        let _ = writeln!(text, "v {:?} {:?} {:?}", p.x, p.y, p.z);
    }
    for [a, b, c] in damaged.mesh.faces() {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

/// What must be found in each file, as JSON, by file name.
#[must_use]
pub fn expected_json(meshes: &[Damaged]) -> String {
    let by_file: BTreeMap<String, &Vec<Expected>> = meshes
        .iter()
        .map(|damaged| (format!("{}.obj", damaged.name), &damaged.expected))
        .collect();
    let mut text = serde_json::to_string_pretty(&by_file).unwrap_or_default();
    text.push('\n');
    text
}

/// The damaged mesh of these points and faces, with its findings by kind and place.
pub(super) fn damaged(
    name: &'static str,
    why: &'static str,
    points: impl AsRef<[[f64; 3]]>,
    faces: impl AsRef<[[u32; 3]]>,
    expected: &[(&str, &[&str])],
) -> Damaged {
    let positions = points.as_ref().iter().map(|&p| DVec3::from_array(p));
    let mesh = TriMesh::from_points(positions, faces.as_ref().iter().copied());
    Damaged {
        name,
        why,
        // Only constants of this file come here; a mistake in them shows as a mesh without faces.
        mesh: mesh.unwrap_or_default(),
        expected: expected
            .iter()
            .map(|(kind, places)| Expected {
                kind: (*kind).to_owned(),
                count: places.len(),
                places: places.iter().map(|place| (*place).to_owned()).collect(),
            })
            .collect(),
    }
}

/// All damaged meshes.
#[must_use]
pub fn damaged_meshes() -> Vec<Damaged> {
    [
        border::flips(),
        border::holes(),
        border::one_sided(),
        junction::duplicates(),
        junction::pinches(),
        body::thin(),
        body::pieces(),
    ]
    .concat()
}
