//! The sphere that covers given points and adds least excess volume outside the solid.
//!
//! **Idea.** The radius follows from the centre: the distance of the farthest point that must be
//! covered. The objective is the sum over gauges (surface samples that estimate the excess) of the
//! height that the sphere adds above the others. Both are cheap to evaluate and not smooth, so a
//! compass search in a frame along the mean normal finds the centre.

use glam::DVec3;

use super::surface_samples::Gauge;
use crate::spheres::solid_ball::SolidBall;

/// The first step and the last as parts of the radius: of a new ball, and of one that is corrected.
pub(super) const NEW_STEPS: [f64; 2] = [0.25, 0.02];
pub(super) const CORRECTING_STEPS: [f64; 2] = [0.06, 0.003];
/// Maximum number of steps of the search.
const MOST_STEPS: usize = 40;
/// Rounds of the rough enclosing ball.
const ENCLOSING_ROUNDS: usize = 12;
/// What a ball costs besides, as a part of its volume: of balls that add alike the smaller is taken. Between gauges a
/// large ball might else bulge unseen.
const SIZE_COST: f64 = 5e-4;
/// Radii are larger by this than the farthest point.
const OUTWARD: f64 = 1.0 + 1e-10;

/// A gauge near the ball, with the volume that other balls hold above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearGauge {
    pub(super) point: DVec3,
    pub(super) gauge: Gauge,
    pub(super) others: f64,
}

/// How high the ball rises above the point in the direction of the normal; none outside of the ball.
pub(super) fn height(ball: &SolidBall, point: DVec3, normal: DVec3) -> Option<f64> {
    let from_center = point - ball.center;
    let power = ball.radius * ball.radius - from_center.length_squared();
    if power < 0.0 {
        return None;
    }
    let along = normal.dot(from_center);
    let root = (along * along + power).sqrt();
    // Without cancellation.
    Some(if along > 0.0 {
        power / (along + root)
    } else {
        root - along
    })
}

/// What a ball costs for its size alone.
pub(super) fn size_cost(ball: &SolidBall) -> f64 {
    SIZE_COST * ball.volume()
}

/// What has to be covered, and what is paid.
#[derive(Debug, Default)]
pub(super) struct FitProblem {
    /// Points that no other ball covers.
    pub(super) must: Vec<DVec3>,
    pub(super) gauges: Vec<NearGauge>,
    /// Where the gauges were gathered: balls that reach beyond are not considered.
    pub(super) center: DVec3,
    pub(super) reach: f64,
    /// Smaller balls are not made.
    pub(super) least_radius: f64,
}

impl FitProblem {
    /// The smallest ball about `center` that covers what must be covered.
    fn around(&self, center: DVec3) -> SolidBall {
        let farthest_sq = self
            .must
            .iter()
            .fold(0.0_f64, |m, p| m.max((*p - center).length_squared()));
        SolidBall {
            center,
            radius: (farthest_sq.sqrt() * OUTWARD).max(self.least_radius),
        }
    }

    /// The volume that the ball adds to that of the others, and the cost of its size.
    fn added(&self, ball: &SolidBall) -> f64 {
        let mut sum = size_cost(ball);
        for near in &self.gauges {
            if let Some(height) = height(ball, near.point, near.gauge.normal) {
                sum += (near.gauge.volume(height) - near.others).max(0.0);
            }
        }
        sum
    }

    fn evaluate(&self, center: DVec3) -> (f64, SolidBall) {
        let ball = self.around(center);
        if (center - self.center).length() + ball.radius > self.reach {
            return (f64::INFINITY, ball);
        }
        (self.added(&ball), ball)
    }

    /// A centre about which the ball is hardly larger than the smallest enclosing one.
    fn enclosing_center(&self, start: DVec3) -> DVec3 {
        let mut center = start;
        for round in 0..ENCLOSING_ROUNDS {
            let mut farthest = (0.0, center);
            for &p in &self.must {
                let distance_sq = (p - center).length_squared();
                if distance_sq > farthest.0 {
                    farthest = (distance_sq, p);
                }
            }
            center += (farthest.1 - center) / (round + 2) as f64;
        }
        center
    }

    /// The best ball found from the given centres, and what it costs; none when nothing has to be covered.
    pub(super) fn solve(&self, starts: &[DVec3], steps: [f64; 2]) -> Option<(f64, SolidBall)> {
        let &first = self.must.first()?;
        let mean = self.must.iter().fold(DVec3::ZERO, |sum, p| sum + *p) / self.must.len() as f64;
        let enclosing = self.enclosing_center(mean);
        let mut best = (f64::INFINITY, self.around(enclosing));
        for &start in starts.iter().chain(&[enclosing]) {
            let tried = self.evaluate(start);
            if tried.0 < best.0 {
                best = tried;
            }
        }
        if !best.0.is_finite() {
            let fallback = self.around(enclosing);
            return Some((self.added(&fallback).max(fallback.volume()), fallback));
        }
        let normal = self
            .gauges
            .iter()
            .filter(|near| (near.point - best.1.center).length_squared() <= best.1.radius.powi(2))
            .fold(DVec3::ZERO, |sum, near| {
                sum + near.gauge.normal * (near.gauge.area + near.gauge.wedge)
            })
            .try_normalize()
            .or_else(|| (first - mean).try_normalize())
            .unwrap_or(DVec3::Z);
        let (s, t) = normal.any_orthonormal_pair();
        let [mut step, least] = steps.map(|step| step * best.1.radius);
        let mut axis_of_success = None;
        for _ in 0..MOST_STEPS {
            if step < least {
                break;
            }
            let mut moved = None;
            // The direction that helped last comes first.
            let directions = [normal, -normal, s, -s, t, -t];
            for &direction in axis_of_success.iter().chain(&directions) {
                let tried = self.evaluate(best.1.center + direction * step);
                if tried.0 < best.0 {
                    best = tried;
                    moved = Some(direction);
                    break;
                }
            }
            axis_of_success = moved;
            if moved.is_none() {
                step *= 0.5;
            }
        }
        Some(best)
    }
}
