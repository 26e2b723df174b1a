//! Removing faces and vertices that contribute nothing.

use super::super::TriMesh;
use super::super::check_topology::duplicate_faces;
use super::super::exact_sign::is_flat;
use super::super::half_edge::HalfEdges;
use super::super::half_edge_build::is_proper;
use super::repaired::{RepairCounts, Repaired};
use crate::query::{FaceId, HalfEdgeId, VertexId};

/// What becomes of two faces with the same vertices in opposite directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OppositeFaces {
    /// Both are kept: a sheet with two sides.
    Keep,
    /// One stays, the smaller.
    #[default]
    KeepOne,
    /// Both are removed: a wall inside a body, or two bodies that share a face.
    DropBoth,
}

/// The mesh without faces that name a vertex twice. Neighbours of such a face are neighbours of
/// each other already, so nothing opens.
///
/// ```
/// use impinge::{TriMesh, mesh::repair::drop_degenerate};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let repaired = drop_degenerate(&TriMesh::from_points(points, [[0, 0, 1], [0, 1, 2]])?);
/// assert_eq!(repaired.mesh.faces(), [[0, 1, 2]]);
/// assert_eq!(repaired.face_map[0], None);
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn drop_degenerate(mesh: &TriMesh) -> Repaired {
    Repaired::keeping_faces(mesh, |face| is_proper(&mesh.faces()[face.index()]))
}

/// The mesh with at most one face for each three vertices and direction; `opposite` says what
/// becomes of pairs in opposite directions.
///
/// ```
/// use impinge::{TriMesh, mesh::repair::{OppositeFaces, drop_duplicate_faces}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = TriMesh::from_points(points, [[0, 1, 2], [1, 2, 0], [2, 1, 0]])?;
/// assert_eq!(drop_duplicate_faces(&mesh, OppositeFaces::Keep).mesh.faces(), [[0, 1, 2], [2, 1, 0]]);
/// assert_eq!(drop_duplicate_faces(&mesh, OppositeFaces::KeepOne).mesh.faces(), [[0, 1, 2]]);
/// assert!(drop_duplicate_faces(&mesh, OppositeFaces::DropBoth).mesh.is_empty());
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn drop_duplicate_faces(mesh: &TriMesh, opposite: OppositeFaces) -> Repaired {
    let mut keep = vec![true; mesh.face_count()];
    for group in duplicate_faces(mesh.faces()) {
        let is_even = |face: FaceId| {
            let [a, b, c] = mesh.faces()[face.index()];
            (a < b) ^ (b < c) ^ (c < a)
        };
        for &face in &group {
            keep[face.index()] = false;
        }
        let first = group[0];
        let reverse = group.iter().find(|&&face| is_even(face) != is_even(first));
        keep[first.index()] = reverse.is_none() || opposite != OppositeFaces::DropBoth;
        if let Some(reverse) = reverse {
            keep[reverse.index()] = opposite == OppositeFaces::Keep;
        }
    }
    Repaired::keeping_faces(mesh, |face| keep[face.index()])
}

/// The mesh without vertices that no face uses.
///
/// ```
/// use impinge::{TriMesh, mesh::repair::drop_unreferenced};
/// let points = [[9.0, 9.0, 9.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let repaired = drop_unreferenced(&TriMesh::from_points(points, [[1, 2, 3]])?);
/// assert_eq!(repaired.mesh.faces(), [[0, 1, 2]]);
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn drop_unreferenced(mesh: &TriMesh) -> Repaired {
    let mut is_used = vec![false; mesh.vertex_count()];
    for &v in mesh.faces().iter().flatten() {
        is_used[v as usize] = true;
    }
    let mut positions = Vec::new();
    let vertex_map: Vec<Option<VertexId>> = is_used
        .iter()
        .zip(mesh.positions())
        .map(|(&is_used, &p)| {
            is_used.then(|| {
                positions.push(p);
                VertexId::new(positions.len() as u32 - 1)
            })
        })
        .collect();
    let faces = mesh
        .faces()
        .iter()
        .map(|face| face.map(|v| vertex_map[v as usize].map_or(0, VertexId::raw)))
        .collect();
    Repaired {
        changes: RepairCounts {
            vertices_dropped: mesh.vertex_count() - positions.len(),
            ..RepairCounts::default()
        },
        mesh: TriMesh::from_valid(positions, faces),
        face_map: mesh.face_ids().map(Some).collect(),
        vertex_map,
    }
}

/// Rounds in which flat faces may be handed on to a neighbour.
const FLIP_ROUNDS: usize = 16;

/// The mesh in which faces with their vertices on one line exchanged their long edge with the
/// neighbour across it, so that both have area. The surface stays the same set of points.
///
/// A flat face with two vertices in one place needs [`weld`](super::weld) first. Faces whose
/// neighbour is missing, or where the exchanged edge exists already, are left alone and counted.
///
/// ```
/// use impinge::{TriMesh, mesh::repair::flip_flat};
/// let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]];
/// let repaired = flip_flat(&TriMesh::from_points(points, [[1, 0, 2], [0, 1, 3]])?);
/// assert_eq!(repaired.mesh.faces(), [[1, 3, 2], [3, 0, 2]]);
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn flip_flat(mesh: &TriMesh) -> Repaired {
    let mut result = Repaired::unchanged(mesh.clone());
    for _ in 0..FLIP_ROUNDS {
        let before = result.changes.faces_flipped;
        result = flip_round(result);
        if result.changes.left_alone == 0 || result.changes.faces_flipped == before {
            break;
        }
    }
    result
}

/// One pass over all flat faces; a face touched in this pass waits for the next.
fn flip_round(mut result: Repaired) -> Repaired {
    let half_edges = HalfEdges::new(&result.mesh);
    let (positions, mut faces) = std::mem::take(&mut result.mesh).into_parts();
    let mut is_touched = vec![false; faces.len()];
    let mut new_edges = std::collections::BTreeSet::new();
    result.changes.left_alone = 0;
    for face in (0..faces.len() as u32).map(FaceId::new) {
        let triangle = faces[face.index()].map(|v| positions[v as usize]);
        if !half_edges.is_in_surface(face) || !is_flat(&triangle) {
            continue;
        }
        let flip = || {
            if is_touched[face.index()] {
                return None;
            }
            let long = long_edge(&half_edges, &triangle, face)?;
            let twin = half_edges.twin(long)?;
            let across = half_edges.face(twin);
            let middle = half_edges.origin(half_edges.previous(long));
            let apex = half_edges.origin(half_edges.previous(twin));
            let ends = [middle.min(apex), middle.max(apex)];
            let is_free = !is_touched[across.index()]
                && middle != apex
                && half_edges.edge_between(middle, apex).is_none()
                && !new_edges.contains(&ends);
            is_free.then_some((long, across, middle, apex, ends))
        };
        let Some((long, across, middle, apex, ends)) = flip() else {
            result.changes.left_alone += 1;
            continue;
        };
        let (from, to) = (half_edges.origin(long), half_edges.target(long));
        faces[face.index()] = [from, apex, middle].map(VertexId::raw);
        faces[across.index()] = [apex, to, middle].map(VertexId::raw);
        is_touched[face.index()] = true;
        is_touched[across.index()] = true;
        new_edges.insert(ends);
        result.changes.faces_flipped += 2;
    }
    result.mesh = TriMesh::from_valid(positions, faces);
    result
}

/// The edge of a flat face that contains the vertex opposite in its interior; none if two corners coincide.
fn long_edge(
    half_edges: &HalfEdges,
    triangle: &[glam::DVec3; 3],
    face: FaceId,
) -> Option<HalfEdgeId> {
    (0..3)
        .find(|&k| {
            let (a, b, m) = (triangle[k], triangle[(k + 1) % 3], triangle[(k + 2) % 3]);
            // On one line, so lying between in the box means lying between on the line.
            m != a && m != b && a.min(b).cmple(m).all() && m.cmple(a.max(b)).all()
        })
        .map(|k| half_edges.of_face(face)[k])
}
