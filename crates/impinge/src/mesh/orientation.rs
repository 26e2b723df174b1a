//! Which faces must be flipped for a consistent orientation.

use super::components::Components;
use super::half_edge::{EdgeKind, HalfEdges};
use crate::query::FaceId;

/// For each piece of surface, the faces that disagree with its first one.
#[derive(Clone, Debug)]
pub(super) struct Orientation {
    /// The pieces joined by edges of exactly two faces.
    pub(super) pieces: Components,
    /// For each face, whether it must be turned to agree with the first face of its piece.
    pub(super) disagrees: Vec<bool>,
    /// For each piece, whether all neighbours can agree.
    pub(super) is_orientable: Vec<bool>,
}

impl Orientation {
    pub(super) fn new(half_edges: &HalfEdges) -> Self {
        let pieces = Components::by_surface(half_edges);
        let n = half_edges.face_count();
        let mut disagrees = vec![false; n];
        let mut seen = vec![false; n];
        let mut is_orientable = vec![true; pieces.count()];
        let mut stack = Vec::new();
        for (piece, is_orientable) in is_orientable.iter_mut().enumerate() {
            let first = pieces.first(piece);
            seen[first.index()] = true;
            stack.push(first);
            while let Some(face) = stack.pop() {
                for (neighbour, is_inconsistent) in neighbours(half_edges, face) {
                    let wanted = disagrees[face.index()] ^ is_inconsistent;
                    if !seen[neighbour.index()] {
                        seen[neighbour.index()] = true;
                        disagrees[neighbour.index()] = wanted;
                        stack.push(neighbour);
                    } else if disagrees[neighbour.index()] != wanted {
                        *is_orientable = false;
                    }
                }
            }
        }
        Self {
            pieces,
            disagrees,
            is_orientable,
        }
    }
}

/// The faces across two-faced edges, and whether the shared edge runs the same way in both.
fn neighbours(half_edges: &HalfEdges, face: FaceId) -> impl Iterator<Item = (FaceId, bool)> + '_ {
    half_edges.of_face(face).into_iter().filter_map(move |h| {
        let edge = half_edges.edge(h)?;
        let &[a, b] = edge.half_edges else {
            return None;
        };
        let other = if a == h { b } else { a };
        Some((half_edges.face(other), edge.kind == EdgeKind::Inconsistent))
    })
}
