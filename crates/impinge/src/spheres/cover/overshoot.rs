//! How far a union of spheres extends beyond a solid.
//!
//! **Idea.** Branch and bound over patches of the spheres: the point of the solid nearest to the
//! middle of a patch bounds the distance of all others. Patches inside another sphere are skipped,
//! and so are those that cannot contain the farthest point.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::surface_solid::SurfaceSolid;
use crate::bvh::wide::SingleTreeCache;
use crate::spheres::solid_ball::SolidBall;

/// Maximum number of distances that are computed.
const MOST_TESTS: usize = 12_000;
/// The bracket at the end, as a part of the upper bound.
const TOLERANCE: f64 = 0.05;

/// The part of a sphere behind a square of one side of the cube around it.
struct Patch {
    upper: f64,
    ball: u32,
    /// The side of the cube, and the square on it.
    face: u8,
    u: f64,
    v: f64,
    half: f64,
}

impl PartialEq for Patch {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Patch {}

impl Ord for Patch {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_upper = self.upper.total_cmp(&other.upper);
        by_upper.then_with(|| other.ball.cmp(&self.ball))
    }
}

impl PartialOrd for Patch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Two numbers between which the largest distance of a point of the balls from the solid lies.
pub(super) fn overshoot(solid: &(impl SurfaceSolid + ?Sized), balls: &[SolidBall]) -> (f64, f64) {
    let mut cache = SingleTreeCache::default();
    let mut queue = BinaryHeap::new();
    let mut lower = 0.0_f64;
    let mut look = |patch: Patch, lower: &mut f64, queue: &mut BinaryHeap<Patch>| {
        let ball = &balls[patch.ball as usize];
        let direction = direction(patch.face, patch.u, patch.v);
        let p = ball.center + direction * ball.radius;
        // Projection to the sphere shortens, so the patch is within its square's reach.
        let reach = patch.half * 2.0_f64.sqrt() * ball.radius * (1.0 + 1e-9);
        let is_hidden = balls.iter().enumerate().any(|(k, other)| {
            let room = other.radius - reach;
            k != patch.ball as usize
                && room > 0.0
                && (other.center - p).length_squared() < room * room
        });
        if is_hidden {
            return;
        }
        let from_solid = if solid.contains_with(p, &mut cache) {
            DVec3::ZERO
        } else {
            p - solid.closest_with(p, &mut cache)
        };
        let distance = from_solid.length();
        let is_exposed = |(k, other): (usize, &SolidBall)| {
            k == patch.ball as usize
                || (other.center - p).length_squared() >= other.radius * other.radius
        };
        if balls.iter().enumerate().all(is_exposed) {
            *lower = lower.max(distance);
        }
        // The point of the solid next to p bounds the distance of the others. They lie beside p, or lower.
        let along = from_solid.dot(direction);
        let beside = (from_solid - direction * along).length();
        let lower_by = (-along).max(0.0) * reach * reach / ball.radius.max(f64::MIN_POSITIVE);
        let square = distance * distance + (2.0 * beside + reach) * reach + lower_by;
        queue.push(Patch {
            upper: (square.sqrt() * (1.0 + 1e-9)).min(distance + reach) + solid.error(),
            ..patch
        });
    };
    for ball in 0..balls.len() as u32 {
        for face in 0..6 {
            let whole = Patch {
                upper: f64::INFINITY,
                ball,
                face,
                u: 0.0,
                v: 0.0,
                half: 1.0,
            };
            look(whole, &mut lower, &mut queue);
        }
    }
    let mut calls = 0;
    loop {
        let Some(top) = queue.pop() else {
            return (lower, lower);
        };
        if top.upper <= lower * (1.0 + TOLERANCE) || calls >= MOST_TESTS {
            return (lower, top.upper.max(lower));
        }
        let half = 0.5 * top.half;
        for (du, dv) in [(-half, -half), (-half, half), (half, -half), (half, half)] {
            calls += 1;
            let part = Patch {
                u: top.u + du,
                v: top.v + dv,
                half,
                ..top
            };
            look(part, &mut lower, &mut queue);
        }
    }
}

/// The unit vector through a point of a side of the cube.
fn direction(face: u8, u: f64, v: f64) -> DVec3 {
    let side = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    let p = match face / 2 {
        0 => DVec3::new(side, u, v),
        1 => DVec3::new(u, side, v),
        _ => DVec3::new(u, v, side),
    };
    p.normalize()
}
