//! Welds vertices at the same position, or nearly so.

use std::collections::HashMap;

use glam::DVec3;
use thiserror::Error;

use super::super::TriMesh;
use super::super::check_geometry::position_key;
use super::super::union_find::UnionFind;
use super::repaired::{RepairCounts, Repaired};
use crate::query::VertexId;

/// Why vertices were not joined.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum WeldError {
    /// The tolerance is negative or not finite.
    #[error("the tolerance must be finite and not negative, found {value}")]
    BadTolerance {
        /// The tolerance given.
        value: f64,
    },
}

/// The mesh with vertices joined that are at most `tolerance` apart, and so on along chains of such
/// vertices; tolerance 0 joins equal positions only.
///
/// A joined vertex lies where its smallest old one lay. All faces are kept: some may now name a
/// vertex twice, which [`drop_degenerate`](super::drop_degenerate) removes. Takes linear time as long
/// as few vertices share a cube of the size of the tolerance.
///
/// # Errors
/// [`WeldError::BadTolerance`].
///
/// ```
/// use impinge::{TriMesh, mesh::repair::weld};
/// let seam = TriMesh::from_points(
///     [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
///     [[0, 1, 2], [3, 4, 5]],
/// )?;
/// let welded = weld(&seam, 0.0)?;
/// assert_eq!(welded.mesh.faces(), [[0, 1, 2], [0, 2, 3]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn weld(mesh: &TriMesh, tolerance: f64) -> Result<Repaired, WeldError> {
    if !(tolerance >= 0.0 && tolerance.is_finite()) {
        return Err(WeldError::BadTolerance { value: tolerance });
    }
    let mut sets = UnionFind::new(mesh.vertex_count());
    join_equal(mesh, &mut sets);
    if tolerance > 0.0 {
        join_near(mesh, tolerance, &mut sets);
    }
    let mut positions = Vec::new();
    let mut new_of = vec![VertexId::new(0); mesh.vertex_count()];
    for v in 0..mesh.vertex_count() as u32 {
        let root = sets.find(v);
        new_of[v as usize] = if root == v {
            positions.push(mesh.positions()[v as usize]);
            VertexId::new(positions.len() as u32 - 1)
        } else {
            new_of[root as usize]
        };
    }
    let faces = mesh
        .faces()
        .iter()
        .map(|face| face.map(|v| new_of[v as usize].raw()))
        .collect();
    Ok(Repaired {
        changes: RepairCounts {
            vertices_merged: mesh.vertex_count() - positions.len(),
            ..RepairCounts::default()
        },
        mesh: TriMesh::from_valid(positions, faces),
        face_map: mesh.face_ids().map(Some).collect(),
        vertex_map: new_of.into_iter().map(Some).collect(),
    })
}

fn join_equal(mesh: &TriMesh, sets: &mut UnionFind) {
    let mut first_at = HashMap::with_capacity(mesh.vertex_count());
    for (v, &p) in mesh.positions().iter().enumerate() {
        let first = *first_at.entry(position_key(p)).or_insert(v as u32);
        sets.join(first, v as u32);
    }
}

/// The cells before a cell in the order of its neighbours; with itself, every pair of neighbouring cells once.
const BEFORE: [[f64; 3]; 13] = [
    [-1.0, -1.0, -1.0],
    [-1.0, -1.0, 0.0],
    [-1.0, -1.0, 1.0],
    [-1.0, 0.0, -1.0],
    [-1.0, 0.0, 0.0],
    [-1.0, 0.0, 1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, 1.0, 0.0],
    [-1.0, 1.0, 1.0],
    [0.0, -1.0, -1.0],
    [0.0, -1.0, 0.0],
    [0.0, -1.0, 1.0],
    [0.0, 0.0, -1.0],
];

fn join_near(mesh: &TriMesh, tolerance: f64, sets: &mut UnionFind) {
    // A power of two above the tolerance: dividing by it is exact, so vertices within the
    // tolerance are never more than one cell apart. Cells are numbered by floats, because a tiny
    // tolerance may make more of them than integers count; where their numbers lose the last digit,
    // different coordinates are farther apart than a cell, and only equal ones share it.
    let (_, exponent) = libm::frexp(tolerance);
    let cell_size = libm::ldexp(1.0, exponent.max(-800));
    let cell_of = |v: usize| (mesh.positions()[v] / cell_size).floor();
    let mut cells: HashMap<[u64; 3], Vec<u32>> = HashMap::new();
    for v in 0..mesh.vertex_count() {
        // Equal positions are joined already; the smallest speaks for all.
        if sets.find(v as u32) == v as u32 {
            let cell = position_key(cell_of(v));
            cells.entry(cell).or_default().push(v as u32);
        }
    }
    let is_near = |a: u32, b: u32| {
        let d = mesh.positions()[a as usize] - mesh.positions()[b as usize];
        (d / tolerance).length_squared() <= 1.0
    };
    // In order of vertices, not of the map.
    for v in 0..mesh.vertex_count() {
        let home = cell_of(v);
        let Some(here) = cells.get(&position_key(home)) else {
            continue;
        };
        if here[0] != v as u32 {
            continue;
        }
        for (i, &a) in here.iter().enumerate() {
            for &b in &here[..i] {
                if is_near(a, b) {
                    sets.join(a, b);
                }
            }
        }
        for offset in BEFORE {
            let neighbour = position_key(home + DVec3::from_array(offset));
            for &b in cells.get(&neighbour).into_iter().flatten() {
                for &a in here {
                    if is_near(a, b) {
                        sets.join(a, b);
                    }
                }
            }
        }
    }
}
