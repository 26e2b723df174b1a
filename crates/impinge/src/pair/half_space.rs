//! A half-space against everything else.
//!
//! **Idea.** The lowest point above the plane answers every query. For a shape of many parts a BVH
//! traversal finds it, since no point of a box is lower than its lowest corner.

use glam::DVec3;

use super::best_pair::{SearchEnd, best_piece};
use super::composite::Composite;
use super::item_bvh::{DescentEnd, WorkMeter};
use crate::bound::Aabb;
use crate::convex::{HalfSpace, HalfSpaceHeight, SupportMap};
use crate::math::Pose;
use crate::query::{Bounded, Outcome, Separation};

/// Rounding of a height, in units of the coordinates involved.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// The plane as the other shape sees it, with the pose that takes that shape to the plane's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfSpaceAbove {
    pub(super) plane: HalfSpace,
    pub(super) plane_from_other: Pose,
    normal: DVec3,
    offset: f64,
}

impl HalfSpaceAbove {
    pub(super) fn new(plane: &HalfSpace, plane_from_other: &Pose) -> Self {
        let normal = plane_from_other.rotation().transpose() * plane.normal();
        let foot = plane.normal() * offset(plane);
        Self {
            plane: *plane,
            plane_from_other: *plane_from_other,
            normal,
            offset: plane.normal().dot(foot) - plane.normal().dot(plane_from_other.translation()),
        }
    }

    /// No point of a box of the other shape is lower than this.
    pub(super) fn box_height(&self, bounds: &Aabb) -> f64 {
        if bounds.is_empty() {
            return f64::INFINITY;
        }
        let n = self.normal;
        let pick = |n: f64, low: f64, high: f64| if n >= 0.0 { low } else { high };
        let corner = DVec3::new(
            pick(n.x, bounds.min.x, bounds.max.x),
            pick(n.y, bounds.min.y, bounds.max.y),
            pick(n.z, bounds.min.z, bounds.max.z),
        );
        n.dot(corner) - self.offset - self.rounding(bounds)
    }

    pub(super) fn rounding(&self, bounds: &Aabb) -> f64 {
        let far = bounds.min.abs().max(bounds.max.abs()).max_element();
        let moved = self.plane_from_other.translation().abs().max_element();
        ROUNDING * (far + moved + self.offset.abs()) + f64::MIN_POSITIVE
    }

    pub(super) fn height_of(&self, other: &Composite, part: u32) -> HalfSpaceHeight {
        self.plane
            .height_of(&other.part(part), &self.plane_from_other)
    }

    /// The lowest part and its height, when it is at most `within`.
    pub(super) fn lowest(
        &self,
        other: &Composite,
        within: f64,
        meter: &mut WorkMeter<'_>,
    ) -> (Option<(u32, HalfSpaceHeight)>, SearchEnd) {
        let mut best: Option<(u32, HalfSpaceHeight)> = None;
        let searched = best_piece(
            other,
            within,
            meter,
            &|bounds| self.box_height(bounds),
            &mut |part| {
                let own = self.height_of(other, part);
                let beaten = best.is_some_and(|(_, height)| height.height <= own.height);
                if own.height <= within && !beaten {
                    best = Some((part, own));
                }
                best.map_or(within, |(_, height)| height.height)
            },
        );
        (best, searched)
    }

    /// The distance of the plane, as `a`, and the other shape, as `b`, in the plane's frame.
    pub(super) fn distance(
        &self,
        other: &Composite,
        within: f64,
        meter: &mut WorkMeter<'_>,
    ) -> Bounded<Option<Separation>> {
        let (lowest, searched) = self.lowest(other, within, meter);
        let rounding = self.rounding(&other.whole());
        let value = lowest.map(|(_, height)| Separation {
            distance: height.height.max(0.0),
            point_a: if height.height > 0.0 {
                height.foot
            } else {
                height.point
            },
            point_b: height.point,
        });
        let seen = value.map_or(within, |s| s.distance - rounding);
        Bounded {
            value,
            lower: seen.min(searched.unexplored).max(0.0),
            upper: value.map_or(f64::INFINITY, |s| s.distance + rounding),
            outcome: outcome(searched.ended),
        }
    }
}

/// The offset of a half-space: the height of the origin below its plane.
pub(super) fn offset(plane: &HalfSpace) -> f64 {
    -plane.height_of(&OriginPoint, &Pose::IDENTITY).height
}

/// The point at the origin.
struct OriginPoint;

impl SupportMap for OriginPoint {
    fn support(&self, _: DVec3, _: u32) -> crate::convex::SupportPoint {
        crate::convex::SupportPoint {
            point: DVec3::ZERO,
            vertex: 0,
        }
    }
    fn bounds(&self) -> Aabb {
        Aabb::enclosing([DVec3::ZERO])
    }
}

/// Two half-spaces: a gap and two points that have it, when their planes face each other; else a point of both.
pub(super) fn planes(a: &HalfSpace, b: &HalfSpace, a_from_b: &Pose) -> Separation {
    let normal_b = a_from_b.transform_vector(b.normal());
    let point_a = a.normal() * offset(a);
    let point_b = *a_from_b * (b.normal() * offset(b));
    let sum = a.normal() + normal_b;
    // Planes that are not exactly opposite meet somewhere.
    let gap = a.normal().dot(point_b - point_a);
    let is_opposite = sum.length_squared() <= ROUNDING * ROUNDING;
    if is_opposite && gap > 0.0 {
        return Separation {
            distance: gap,
            point_a: point_b - a.normal() * gap,
            point_b,
        };
    }
    // Far enough against both normals; where they are opposite, on the plane of `b`.
    let point = if is_opposite {
        point_b
    } else {
        let out = (sum / sum.length_squared()).clamp_length_max(crate::math::MAX_COORDINATE);
        let deep = a
            .normal()
            .dot(point_b - point_a)
            .abs()
            .max(normal_b.dot(point_a - point_b).abs());
        let middle = 0.5 * point_a + 0.5 * point_b;
        middle - out * 2.0 * deep
    };
    Separation {
        distance: 0.0,
        point_a: point,
        point_b: point,
    }
}

pub(super) fn outcome(ended: DescentEnd) -> Outcome {
    match ended {
        DescentEnd::Complete => Outcome::Complete,
        DescentEnd::Stopped => Outcome::StoppedBySink,
        DescentEnd::OutOfBudget => Outcome::OutOfBudget,
    }
}
