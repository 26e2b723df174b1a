//! Capsule-capsule distance, by their axes.

use glam::DVec3;

use super::placed_box::ROUNDING;
use crate::convex::{Capsule, SupportMap, segment_pair};
use crate::math::Pose;
use crate::query::Separation;

/// Whether two capsules meet, where plain arithmetic decides.
#[inline]
pub(super) fn capsules_meet(a: &Capsule, b: &Capsule, a_from_b: &Pose) -> Option<bool> {
    let radii = a.radius() + b.radius();
    let found = segment_pair(a.ends(), b.ends().map(|p| *a_from_b * p));
    let slack = capsule_rounding(a, b, a_from_b);
    let (near, far) = ((radii - slack).max(0.0), radii + slack);
    if found.distance_sq < near * near {
        Some(true)
    } else if found.plane > 0.0 && found.plane * found.plane > far * far * found.distance_sq {
        Some(false)
    } else {
        None
    }
}

/// The nearest points of the axes of two capsules, where plain arithmetic finds them to within rounding.
#[inline]
pub(super) fn capsule_cores(a: &Capsule, b: &Capsule, a_from_b: &Pose) -> Option<Separation> {
    let found = segment_pair(a.ends(), b.ends().map(|p| *a_from_b * p));
    let distance = found.distance_sq.sqrt();
    let room = 0.25 * capsule_rounding(a, b, a_from_b);
    let is_certain = distance > f64::MIN_POSITIVE && distance - found.plane / distance <= room;
    is_certain.then_some(Separation {
        distance,
        point_a: found.points[0],
        point_b: found.points[1],
    })
}

/// [Rounding](super::convex_piece::rounding) of two capsules.
#[inline]
fn capsule_rounding(a: &Capsule, b: &Capsule, a_from_b: &Pose) -> f64 {
    let far = |ends: [DVec3; 2]| ends[0].abs().max(ends[1].abs()).max_element();
    let far_a = far(a.ends()) + a.radius();
    let far_b = far(b.ends()) + b.radius();
    let translation = a_from_b.translation().abs().max_element();
    2.0 * ROUNDING * (far_a + 2.0 * far_b + translation) + f64::MIN_POSITIVE
}
