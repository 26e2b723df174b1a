//! One pair of parts that is asked again and again as it moves.

use super::part::{Part, PartCache, meet};
use crate::convex::{Convex, ConvexClass, ConvexMethod, ConvexQuestion, choose};
use crate::math::Pose;

/// Whether two placed parts share a point; the cache is of these two alone.
pub(super) fn meet_again(a: &Part, b: &Part, a_from_b: &Pose, cache: &mut PartCache) -> bool {
    if let (Part::Convex(Convex::Polyhedron(p)), Part::Convex(Convex::Polyhedron(q))) = (a, b) {
        let classes = [&**p, &**q].map(ConvexClass::from);
        let choice = choose(ConvexQuestion::Intersection, classes, true);
        if choice.method == ConvexMethod::KeptPlane {
            return cache.plane.meets(p, q, a_from_b);
        }
    }
    meet(a, b, a_from_b, cache)
}
