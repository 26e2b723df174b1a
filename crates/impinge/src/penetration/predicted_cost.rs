//! Whether the boundary integral takes less time than narrowing the bracket of inner spheres.
//!
//! **Idea.** The lens sum is made in any case. Its derivative is the area of the contact, seen along the push, and so
//! bounds the length of the curve along which the surfaces cross; the mean edge of each mesh says how many faces
//! cross along it. The integral takes a time that is proportional to these.
//!
//! **Promise.** The choice depends on the solids, the pose and the limits, and on no earlier query. A bad
//! prediction costs time, never a wrong answer.

use crate::query::Limits;
use crate::spheres::{BallOverlap, InnerSphereTree, InnerSphereTreeCache};
use crate::volume::VolumeIndex;

/// What the integral counts as, in comparisons of two balls, by the time that it takes: for each crossing of two faces, and in any case.
const CROSSING: f64 = 500.0;
const BEGIN: f64 = 5_000.0;
/// A curve of contact is longer than the circle around the same area by about this factor.
const LONGER: f64 = 1.5;
/// The integral is taken in any case below this: about a millisecond, the period of a haptic loop.
const LITTLE: u64 = 500_000;

/// What of a mesh decides how many faces a curve crosses.
pub(super) struct ContactSurface {
    mean_edge: f64,
}

impl ContactSurface {
    pub(super) fn of(index: &VolumeIndex) -> Self {
        let faces = index.mesh().face_count().max(1) as f64;
        // Of equilateral faces.
        let mean_edge = (4.0 / 3.0_f64.sqrt() * index.area() / faces).sqrt();
        Self { mean_edge }
    }
}

/// Tests that the integral is predicted to take.
pub(super) fn contact_cost(found: &BallOverlap, surfaces: &[ContactSurface; 2]) -> f64 {
    // Where solids pierce each other, pushes of both sides cancel: then the volume tells more.
    let seen = found.value_gradient.translation.length();
    let thick = libm::cbrt(found.value * found.value);
    let length = LONGER * (4.0 * std::f64::consts::PI * seen.max(thick)).sqrt();
    let crossings: f64 = surfaces.iter().map(|s| length / s.mean_edge).sum();
    BEGIN + CROSSING * crossings
}

/// Tests that the integral may take: a millisecond, or as many as looking up gaps or the lenses take, and no more than are left.
pub(super) fn most_for_boundary(
    trees: [&InnerSphereTree; 2],
    cache: &InnerSphereTreeCache,
    limits: Limits<'_>,
) -> f64 {
    let [a, b] = trees.map(InnerSphereTree::most_look_ups);
    let looking = if a > 0 && b > 0 { a + b } else { 0 };
    let most = LITTLE.max(looking).max(cache.tests());
    let left = limits
        .max_tests
        .map_or(u64::MAX, |most| most.saturating_sub(cache.tests()));
    most.min(left) as f64
}
