//! Conservative advancement of two moving convex shapes.
//!
//! **Question.** What is the first time at which they are no farther apart than a tolerance?
//! **Idea.** Conservative advancement. At a time when they are `d` apart along `n`, no point of
//! either can close that gap along `n` before `d` over the largest closing speed along `n`. Advance
//! by that time and repeat.
//! **Source.** Mirtich 1996, *Impulse-based dynamic simulation of rigid body systems*; Zhang, Lee
//! and Kim 2006, doi:10.1007/s00371-006-0060-0.
//! **Cost.** A distance per step; the last answer starts the next.
//! **Promise.** Nothing touches before the reported time, rotation included: speeds are bounds for
//! the whole step.
//! **Limits.** At the [cap](MAX_ADVANCES) the time reached is a lower bound and the outcome is
//! `OutOfBudget`. The outcome is the same, with a value, if the distance is above the tolerance but
//! cannot be distinguished from 0: gaps below some 10^-14 of the size are lost in rounding.

use glam::DVec3;

use super::cache::GjkCache;
use super::gjk::distance;
use super::pair_setup::PairSetup;
use super::support_map::SupportMap;
use crate::math::{Motion, Pose};
use crate::query::{Bounded, Outcome};

/// Maximum number of distance queries in one query.
pub const MAX_ADVANCES: u32 = 512;

/// The time at which two moving shapes come near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexAdvancement {
    /// The time, in `[0, 1]`.
    pub time: f64,
    /// How far apart they still are: at most the tolerance, unless the outcome is `OutOfBudget`.
    pub distance: f64,
    /// The unit direction from `a` to `b`, in world coordinates; zero when they already overlap.
    pub normal: DVec3,
    /// The nearest point of `a`, in world coordinates.
    pub point: DVec3,
}

/// The first time at which the moving shapes are within `tolerance`, or none when they never are. No contact comes before
/// `lower`.
///
/// ```
/// use impinge::{Pose, convex::{Ball, GjkCache, conservative_advancement}, math::Motion};
/// let ball = Ball::new(1.0)?;
/// let still = Motion::still(&Pose::IDENTITY);
/// let (from, to) = (Pose::from_translation([6.0, 0.0, 0.0])?, Pose::from_translation([-2.0, 0.0, 0.0])?);
/// let found = conservative_advancement(&ball, &ball, &still, &Motion::between(&from, &to), 1e-9, &mut GjkCache::new());
/// let time = found.value.ok_or("they pass")?.time;
/// assert!(time <= 0.5 && time > 0.5 - 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
#[doc(alias = "TOI")]
#[doc(alias = "CCD")]
#[doc(alias = "shape cast")]
#[doc(alias = "sweep test")]
pub fn conservative_advancement<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    motion_a: &Motion,
    motion_b: &Motion,
    tolerance: f64,
    cache: &mut GjkCache,
) -> Bounded<Option<ConvexAdvancement>> {
    let (radius_a, radius_b) = (reach(a, motion_a.center()), reach(b, motion_b.center()));
    let mut time = 0.0;
    let answer = |value: Option<ConvexAdvancement>, lower: f64, outcome| Bounded {
        value,
        lower,
        upper: 1.0,
        outcome,
    };
    for _ in 0..MAX_ADVANCES {
        let (world_from_a, world_from_b): (Pose, Pose) = (motion_a.at(time), motion_b.at(time));
        let a_from_b = world_from_a.inverse() * world_from_b;
        let gap = distance(a, b, &a_from_b, cache);
        let across = (gap.value.point_b - gap.value.point_a).normalize_or_zero();
        let normal = world_from_a.transform_vector(across);
        let is_near = gap.value.distance <= tolerance.max(0.0);
        if is_near || gap.lower <= 0.0 {
            let found = ConvexAdvancement {
                time,
                distance: gap.value.distance,
                normal,
                point: world_from_a * gap.value.point_a,
            };
            // Not proven apart, and not measured near either: where the time of nearness is cannot be told any better.
            let outcome = if is_near {
                Outcome::Complete
            } else {
                Outcome::OutOfBudget
            };
            return answer(Some(found), time, outcome);
        }
        let closing = motion_a.max_speed_along(normal, radius_a)
            + motion_b.max_speed_along(-normal, radius_b);
        let planes = plane_gap(a, b, &a_from_b, across);
        // The planes at the two nearest points part, or stay: nothing meets any more.
        if planes > 0.0 && closing <= 0.0 {
            return answer(None, 1.0, Outcome::Complete);
        }
        // The distance closes no faster than any two points can; the gap between the planes across `normal` no faster than along it.
        let any_way = motion_a.max_speed(radius_a) + motion_b.max_speed(radius_b);
        let along = if closing > 0.0 { planes / closing } else { 0.0 };
        // Rounding of the normal and of the inverse pose, generously.
        time += along.max(gap.lower / any_way) * (1.0 - 1e-9);
        if time > 1.0 || time.is_nan() {
            return answer(None, 1.0, Outcome::Complete);
        }
    }
    answer(None, time, Outcome::OutOfBudget)
}

/// How far apart the planes across a unit direction are between which nothing of the two shapes lies, less rounding; 0 when there is no direction.
fn plane_gap<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    n: DVec3,
) -> f64 {
    if n == DVec3::ZERO {
        return 0.0;
    }
    let p = a.support_certain(n).point;
    let turned = a_from_b.rotation().transpose() * -n;
    let q = *a_from_b * b.support_certain(turned).point;
    let setting = PairSetup::new(a, b, a_from_b);
    n.dot(q - p) - a.radius() - b.radius() - 2.0 * setting.slack * setting.unscale
}

/// No point of the shape is farther than this from a point of its frame.
fn reach<S: SupportMap + ?Sized>(shape: &S, from: DVec3) -> f64 {
    let bounds = shape.bounds();
    let corner = (bounds.min - from).abs().max((bounds.max - from).abs());
    corner.length() * (1.0 + 4.0 * f64::EPSILON)
}
