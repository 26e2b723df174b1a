//! Motion bounds: how long two convex pieces certainly stay apart.
//!
//! Everything is expressed in the frame of `a` at the current time. A point `x` of a body moves by
//! `line·h` plus a rotation. With `k` the body's centre and `ω` its angular velocity, its velocity
//! now is `line + arc + ω × (x − k)`. Along a direction `n`, after a time `h`, the rotational part
//! has moved the point by at most each of
//!
//! - `s·h + ½·c·h²`, with `s` its velocity along `n` now and `c = |ω|·S` a bound on its
//!   acceleration along `n`,
//! - `S·h`, with `S = |n × ω|·ρ + arc speed·|n × axis|` a bound on its speed along `n`, `ρ` its
//!   distance from the axis,
//! - the distance to the farthest point along `n` of its circle.
//!
//! The part of the line is exact and the same for all points. If none of these can close the gap
//! along `n`, the pieces stay disjoint. Any direction is valid: a bad one gives a small step, never
//! a wrong one.

use glam::DVec3;

use crate::bvh::wide::NodeBox;
use crate::math::{Motion, Pose};

/// Taken off every step, for the rounding of the few operations that lead to it.
const SHORTENED: f64 = 1.0 - 1e-12;

/// One body's motion at an instant.
#[derive(Clone, Copy, Debug)]
struct BodyVelocity {
    line: DVec3,
    arc: DVec3,
    arc_speed: f64,
    angular: DVec3,
    axis: DVec3,
    rate: f64,
    center: DVec3,
}

impl BodyVelocity {
    /// The motion at time `t` in a frame that is placed at `world_from_frame`; the centre is given in that frame.
    fn new(motion: &Motion, t: f64, world_from_frame: &Pose, center: DVec3) -> Self {
        let back = world_from_frame.rotation().transpose();
        let rates = motion.rates(t);
        let axis = back * motion.axis();
        Self {
            line: back * rates.line,
            arc: back * rates.arc,
            arc_speed: rates.arc_speed,
            angular: axis * motion.angle(),
            axis,
            rate: motion.angle(),
            center,
        }
    }

    fn along(&self, n: DVec3) -> DirectionalVelocity<'_> {
        let lever = n.cross(self.angular);
        DirectionalVelocity {
            flow: self,
            n,
            lever,
            turn: lever.length(),
            across: n.cross(self.axis).length(),
            axial: self.axis.dot(n),
            base: self.center.dot(n),
            arc: self.arc.dot(n),
        }
    }

    /// A bound on the speed of the turning part, in any direction, of anything in the box.
    fn turning_speed(&self, b: &NodeBox) -> f64 {
        let arm = b.center - self.center;
        let off_axis = arm.cross(self.axis).length() + b.outer_radius();
        self.rate * off_axis + self.arc_speed
    }
}

/// A flow seen along one direction.
#[derive(Clone, Copy, Debug)]
struct DirectionalVelocity<'f> {
    flow: &'f BodyVelocity,
    n: DVec3,
    /// `n × ω`: its product with an arm is the arm's velocity along `n`.
    lever: DVec3,
    turn: f64,
    across: f64,
    axial: f64,
    base: f64,
    arc: f64,
}

/// How far a piece reaches along a direction, now and later, the line's part aside.
#[derive(Clone, Copy, Debug)]
struct SupportReach {
    now: f64,
    speed: f64,
    fastest: f64,
    ever: f64,
}

impl DirectionalVelocity<'_> {
    #[inline]
    fn of_box(&self, b: &NodeBox) -> SupportReach {
        let now = self.n.dot(b.center) + b.radius(self.n);
        if self.flow.rate == 0.0 {
            return SupportReach::still(now);
        }
        let arm = b.center - self.flow.center;
        let off_axis = arm.cross(self.flow.axis).length() + b.outer_radius();
        let speed = arm.dot(self.lever) + b.radius(self.lever) + self.arc;
        let height = arm.dot(self.flow.axis) * self.axial;
        let height = height + b.radius(self.flow.axis) * self.axial.abs();
        self.reach(now, speed, off_axis, height)
    }

    /// The corners' speeds, and the most that any corner has of everything.
    #[inline]
    fn of_corners(&self, corners: &[DVec3; 3], now: f64) -> ([f64; 3], SupportReach) {
        if self.flow.rate == 0.0 {
            return ([0.0; 3], SupportReach::still(now));
        }
        let mut speed = [self.arc; 3];
        let (mut off_axis_sq, mut height) = (0.0_f64, f64::NEG_INFINITY);
        for i in 0..3 {
            let arm = corners[i] - self.flow.center;
            speed[i] += arm.dot(self.lever);
            off_axis_sq = off_axis_sq.max(arm.cross(self.flow.axis).length_squared());
            height = height.max(arm.dot(self.flow.axis) * self.axial);
        }
        let most = speed[0].max(speed[1]).max(speed[2]);
        (speed, self.reach(now, most, off_axis_sq.sqrt(), height))
    }

    #[inline]
    fn reach(&self, now: f64, speed: f64, off_axis: f64, height: f64) -> SupportReach {
        // The arc's circle has the radius speed / rate, and its centre is that far away.
        let swing = off_axis + 2.0 * self.flow.arc_speed / self.flow.rate;
        SupportReach {
            now,
            speed,
            fastest: self.turn * off_axis + self.flow.arc_speed * self.across,
            ever: (self.base + height + swing * self.across).max(now),
        }
    }
}

impl SupportReach {
    fn still(now: f64) -> Self {
        Self {
            now,
            speed: 0.0,
            fastest: 0.0,
            ever: now,
        }
    }
}

/// Two moving bodies at an instant, in the frame of `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct MotionBounds {
    a: BodyVelocity,
    b: BodyVelocity,
    /// How fast the lines alone close a gap: a's less b's.
    closing: DVec3,
    /// A gap that rounding may have made; it does not count.
    slack: f64,
}

impl MotionBounds {
    pub(super) fn at(
        t: f64,
        motions: [&Motion; 2],
        world_from_a: &Pose,
        a_from_b: &Pose,
        slack: f64,
    ) -> Self {
        let [motion_a, motion_b] = motions;
        let a = BodyVelocity::new(motion_a, t, world_from_a, motion_a.center());
        let center_b = a_from_b.transform_point(motion_b.center());
        let b = BodyVelocity::new(motion_b, t, world_from_a, center_b);
        Self {
            a,
            b,
            closing: a.line - b.line,
            slack,
        }
    }

    /// A bound on how fast anything in the two boxes approaches anything in the other.
    pub(super) fn speed_at_most(&self, a: &NodeBox, b: &NodeBox) -> f64 {
        (self.closing.length() + self.a.turning_speed(a) + self.b.turning_speed(b)) * (1.0 + 1e-12)
    }

    /// The step that a gap and a bound on the speed allow.
    pub(super) fn step_at_speed(&self, gap: f64, speed: f64) -> f64 {
        let gap = gap - self.slack;
        if gap > 0.0 {
            shortened(gap / speed.max(f64::MIN_POSITIVE))
        } else {
            0.0
        }
    }

    /// A distance beyond which a bound on the speed allows at least this step.
    pub(super) fn distance_for(&self, step: f64, speed: f64) -> f64 {
        (step * speed + self.slack) * (1.0 + 1e-9)
    }

    /// A time for which two boxes stay apart; the search for a better one ends at `enough`.
    pub(super) fn box_step(&self, a: &NodeBox, b: &NodeBox, enough: f64) -> f64 {
        let between = b.center - a.center;
        let mut best: f64 = 0.0;
        for axis in a.axes.iter().chain(&b.axes) {
            let along = axis.dot(between);
            let n = if along < 0.0 { -*axis } else { *axis };
            if along.abs() - a.radius(n) - b.radius(n) > self.slack {
                best = best.max(self.box_step_along(a, b, n));
                if best >= enough {
                    return best;
                }
            }
        }
        if let Some(n) = unit(between) {
            best = best.max(self.box_step_along(a, b, n));
        }
        best
    }

    fn box_step_along(&self, a: &NodeBox, b: &NodeBox, n: DVec3) -> f64 {
        let reach_a = self.a.along(n).of_box(a);
        let reach_b = self.b.along(-n).of_box(b);
        let gap = -(reach_a.now + reach_b.now) - self.slack;
        if gap <= 0.0 || gap.is_nan() {
            return 0.0;
        }
        let closing = self.closing.dot(n);
        let curve = self.a.rate * reach_a.fastest + self.b.rate * reach_b.fastest;
        let by_curve = first_root(gap, closing + reach_a.speed + reach_b.speed, curve);
        let others = self.step_by_speed_or_place(gap, closing, &reach_a, &reach_b);
        shortened(by_curve.max(others))
    }

    /// The same for two faces along `n`, corner by corner; a first bound that is `enough` is not improved.
    pub(super) fn face_step_along(
        &self,
        a: &[DVec3; 3],
        b: &[DVec3; 3],
        n: DVec3,
        enough: f64,
    ) -> f64 {
        let now_a = [n.dot(a[0]), n.dot(a[1]), n.dot(a[2])];
        let now_b = [-n.dot(b[0]), -n.dot(b[1]), -n.dot(b[2])];
        let most_now_a = now_a[0].max(now_a[1]).max(now_a[2]);
        let most_now_b = now_b[0].max(now_b[1]).max(now_b[2]);
        let gap = -(most_now_a + most_now_b) - self.slack;
        if gap <= 0.0 || gap.is_nan() {
            return 0.0;
        }
        let closing = self.closing.dot(n);
        let (speed_a, most_a) = self.a.along(n).of_corners(a, most_now_a);
        let (speed_b, most_b) = self.b.along(-n).of_corners(b, most_now_b);
        let curve = self.a.rate * most_a.fastest + self.b.rate * most_b.fastest;
        let together = first_root(gap, closing + most_a.speed + most_b.speed, curve);
        let others = self.step_by_speed_or_place(gap, closing, &most_a, &most_b);
        let step = shortened(together.max(others));
        if step >= enough || curve == 0.0 {
            return step;
        }
        let mut by_curve = f64::INFINITY;
        for i in 0..3 {
            for j in 0..3 {
                let gap = -(now_a[i] + now_b[j]) - self.slack;
                let speed = closing + speed_a[i] + speed_b[j];
                by_curve = by_curve.min(first_root(gap, speed, curve));
            }
        }
        shortened(by_curve).max(step)
    }

    fn step_by_speed_or_place(
        &self,
        gap: f64,
        closing: f64,
        a: &SupportReach,
        b: &SupportReach,
    ) -> f64 {
        let speed = closing + a.fastest + b.fastest;
        let by_speed = if speed > 0.0 {
            gap / speed
        } else {
            f64::INFINITY
        };
        let lasting = -(a.ever + b.ever) - self.slack;
        let by_place = if lasting <= 0.0 {
            0.0
        } else if closing > 0.0 {
            lasting / closing
        } else {
            f64::INFINITY
        };
        by_speed.max(by_place)
    }
}

/// The smallest positive `h` with `gap − speed·h − ½·curve·h² = 0`, for a positive gap and `curve ≥ 0`.
fn first_root(gap: f64, speed: f64, curve: f64) -> f64 {
    let root = (speed * speed + 2.0 * curve * gap).sqrt();
    // Either form is free of cancellation for one sign of the speed.
    if speed > 0.0 {
        2.0 * gap / (speed + root)
    } else if curve > 0.0 {
        (root - speed) / curve
    } else {
        f64::INFINITY
    }
}

fn shortened(step: f64) -> f64 {
    if step.is_nan() { 0.0 } else { step * SHORTENED }
}

/// The unit vector along `v`, none for a zero vector.
pub(super) fn unit(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        let scaled = v / largest;
        Some(scaled / scaled.dot(scaled).sqrt())
    } else {
        None
    }
}
