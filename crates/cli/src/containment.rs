//! Surfaces that share no point may still have one body inside the other.

use impinge::TriMesh;
use impinge::mesh::components::Components;
use impinge::mesh::point_in_mesh::{InsideTest, Location};
use serde::Serialize;

/// Pieces that are looked at; a point test costs a pass over the other mesh.
const MAX_PIECES: usize = 64;

/// Which body has a piece inside the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PieceInside {
    /// A piece of A lies inside B.
    AInB,
    /// A piece of B lies inside A.
    BInA,
}

impl PieceInside {
    /// Which of two meshes in one frame, whose surfaces share no point, is inside the other; none
    /// when neither is, or the outer one is not closed.
    pub(crate) fn of(a: &TriMesh, b: &TriMesh) -> Option<Self> {
        if has_piece_inside(a, b) {
            Some(Self::AInB)
        } else if has_piece_inside(b, a) {
            Some(Self::BInA)
        } else {
            None
        }
    }

    /// The relation in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::AInB => "a lies inside b",
            Self::BInA => "b lies inside a",
        }
    }
}

fn has_piece_inside(inner: &TriMesh, outer: &TriMesh) -> bool {
    let (small, large) = (inner.bounds(), outer.bounds());
    if !small.overlaps(&large) {
        return false;
    }
    let Ok(test) = InsideTest::new(outer) else {
        return false;
    };
    // The surfaces do not meet, so a piece is inside when one of its points is.
    let pieces = Components::by_vertex(inner);
    (0..pieces.count().min(MAX_PIECES)).any(|piece| {
        let face = inner.face(pieces.first(piece));
        face.is_some_and(|[p, ..]| matches!(test.locate(p), Ok(Location::Inside)))
    })
}
