//! Temporal coherence: one pair of parts queried repeatedly as it moves.

use super::convex_piece::{ConvexPiece, PieceCache, meet};
use crate::convex::{Convex, ConvexClass, ConvexMethod, ConvexQueryKind, choose_method};
use crate::math::Pose;

/// Whether two placed parts share a point; the cache is of these two alone.
pub(super) fn meet_coherently(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    cache: &mut PieceCache,
) -> bool {
    if let (
        ConvexPiece::Convex(Convex::Polyhedron(p)),
        ConvexPiece::Convex(Convex::Polyhedron(q)),
    ) = (a, b)
    {
        let classes = [&**p, &**q].map(ConvexClass::from);
        let choice = choose_method(ConvexQueryKind::Intersection, classes, true);
        if choice.method == ConvexMethod::KeptPlane {
            return cache.plane.meets(p, q, a_from_b);
        }
    }
    meet(a, b, a_from_b, cache)
}
