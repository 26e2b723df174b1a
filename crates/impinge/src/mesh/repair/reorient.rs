//! Makes adjacent faces consistent, and closed components face outwards.

use super::super::TriMesh;
use super::super::half_edge::HalfEdges;
use super::super::orientation::Orientation;
use super::super::shells::{NESTING_BUDGET, shells};
use super::repaired::{RepairCounts, Repaired, all_vertices};

/// Which way closed pieces inside others shall face.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nesting {
    /// All outwards: a piece inside another is a body of its own.
    #[default]
    AllOutward,
    /// In turns: a piece inside another bounds a cavity and faces the hollow.
    Alternating,
}

/// The mesh with as few faces turned as needed for neighbours to agree, then every closed piece
/// turned to face as `nesting` says. One-sided pieces are left alone and counted; so are the
/// directions of pieces that do not close or enclose nothing.
///
/// ```
/// use impinge::{TriMesh, mesh::{findings, repair::{Nesting, reorient}}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let muddled = TriMesh::from_points(points, [[0, 2, 1], [0, 3, 1], [0, 2, 3], [1, 2, 3]])?;
/// let repaired = reorient(&muddled, Nesting::AllOutward);
/// assert_eq!(repaired.changes.faces_turned, 2);
/// assert!(findings(&repaired.mesh).is_empty());
/// # Ok::<(), impinge::MeshError>(())
/// ```
pub fn reorient(mesh: &TriMesh, nesting: Nesting) -> Repaired {
    let half_edges = HalfEdges::new(mesh);
    let orientation = Orientation::new(&half_edges);
    let pieces = &orientation.pieces;
    let mut disagreeing = vec![0_usize; pieces.count()];
    for face in mesh.face_ids() {
        disagreeing[pieces.of(face)] += usize::from(orientation.disagrees[face.index()]);
    }
    // The majority is right; in a tie, the first face is.
    let mut turn: Vec<bool> = mesh
        .face_ids()
        .map(|face| {
            let piece = pieces.of(face);
            let first_is_wrong = 2 * disagreeing[piece] > pieces.size(piece);
            orientation.is_orientable[piece]
                && orientation.disagrees[face.index()] != first_is_wrong
        })
        .collect();
    let consistent = turned(mesh, &turn);
    let half_edges = HalfEdges::new(&consistent);
    for shell in shells(&consistent, &half_edges, pieces, NESTING_BUDGET).list {
        let is_cavity =
            nesting == Nesting::Alternating && shell.depth.is_some_and(|depth| depth % 2 == 1);
        let wanted = if is_cavity { -1 } else { 1 };
        if shell.is_closed && shell.facing == -wanted {
            for face in shell.faces {
                turn[face.index()] = !turn[face.index()];
            }
        }
    }
    Repaired {
        mesh: turned(mesh, &turn),
        face_map: mesh.face_ids().map(Some).collect(),
        vertex_map: all_vertices(mesh.vertex_count()),
        changes: RepairCounts {
            faces_turned: turn.iter().filter(|&&turn| turn).count(),
            left_alone: orientation.is_orientable.iter().filter(|&&is| !is).count(),
            ..RepairCounts::default()
        },
    }
}

/// The mesh with some faces reversed; the first vertex stays first.
fn turned(mesh: &TriMesh, turn: &[bool]) -> TriMesh {
    let faces = mesh
        .faces()
        .iter()
        .zip(turn)
        .map(|(&[a, b, c], &turn)| if turn { [a, c, b] } else { [a, b, c] })
        .collect();
    TriMesh::from_valid(mesh.positions().to_vec(), faces)
}
