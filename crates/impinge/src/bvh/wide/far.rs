//! Pairs that `f32` cannot hold: one mesh a billion times larger or farther than the other.

use super::intersect::WideCache;
use super::tree::WideTree;
use crate::geom::triangles_intersect;
use crate::math::Pose;
use crate::query::{FacePair, Limits, Outcome, Sink};

pub(super) fn intersections(
    a: &WideTree,
    b: &WideTree,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut WideCache,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    for fa in a.mesh.face_ids() {
        for fb in b.mesh.face_ids() {
            cache.work.face_tests += 1;
            if !limits.allows(cache.work.tests()) {
                return Outcome::OutOfBudget;
            }
            let placed = b.mesh.triangle(fb).map(|p| a_from_b.transform_point(p));
            if triangles_intersect(&a.mesh.triangle(fa), &placed)
                && sink.accept(FacePair { a: fa, b: fb }).is_break()
            {
                return Outcome::StoppedBySink;
            }
        }
    }
    Outcome::Complete
}
