//! Boxes around placed convex shapes, rounding included.

use glam::DVec3;

use crate::bound::Aabb;
use crate::convex::{Convex, SupportMap};
use crate::math::Pose;

/// Rounding of a placed coordinate, in units of the coordinates involved.
pub(super) const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The box around a placed convex shape: tight, and never too small.
pub(super) fn placed_box(shape: &Convex, pose: &Pose) -> Aabb {
    let core = match shape.vertex_count() {
        // The placed vertices are what the exact answers are about, so the box of a polytope needs no room.
        Some(count) if count <= 64 => Aabb::enclosing((0..count).map(|i| *pose * shape.vertex(i))),
        Some(_) => shape.bounds().transformed(pose),
        None => {
            let turned = pose.rotation().transpose();
            let mut core = Aabb::EMPTY;
            for axis in DVec3::AXES {
                let along = turned * axis;
                for direction in [along, -along] {
                    let point = *pose * shape.support_certain(direction).point;
                    core = core.union(&Aabb::enclosing([point]));
                }
            }
            core
        }
    };
    let radius = if shape.vertex_count().is_some_and(|count| count > 64) {
        0.0
    } else {
        shape.radius()
    };
    let far = core.min.abs().max(core.max.abs()).max_element();
    let room = if shape.vertex_count().is_some() && radius == 0.0 {
        0.0
    } else {
        ROUNDING * (far + radius)
    };
    core.inflated(radius + room)
}

/// No point of a box is farther than this from `from`.
pub(super) fn reach(bounds: &Aabb, from: DVec3) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let corner = (bounds.min - from).abs().max((bounds.max - from).abs());
    corner.length() * (1.0 + 4.0 * f64::EPSILON)
}
