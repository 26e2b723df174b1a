//! Motion: a pose for every time of a step.
//!
//! **Question.** Where is a moving body at time `t ∈ [0, 1]`, and how far can its points travel?
//! **Idea.** Turn at a constant rate about a constant axis while one body point, the *centre*,
//! follows a straight line or a circular arc. Interpolation between poses, screw motion and motion by
//! velocities are all of this form.
//! **Source.** Screw motion: Chasles, 1830. The arc is written as
//! `sin(tθ/2)/sin(θ/2) · Rot((t−1)θ/2) · chord`, which stays accurate as the angle goes to 0.
//! **Promise.** `at(0)` and `at(1)` are the given poses, entry for entry; between them rotations are orthonormal to
//! rounding. If a given rotation is off by more than rounding (up to the tolerance of [`Pose::new`]),
//! poses strictly inside the step use the nearest rotation.
//! **Limits.** Speeds bound the ideal motion; a computed pose is off by a few units of rounding.

use glam::{DMat3, DVec3};
use thiserror::Error;

use super::pose::{deviation_from_rotation, rotation_about};
use super::rotation::{apply, direction, length, orthonormal, product, turn_between};
use super::{MAX_COORDINATE, Pose, is_valid_point};

/// The most radians a motion may turn in one step (about 680 million turns): beyond, `t` is too coarse a clock.
const MAX_ANGLE: f64 = (1u64 << 32) as f64;

/// A rigid motion over one step, `t` from 0 to 1: a constant turn about an axis through a centre that itself moves.
///
/// ```
/// use impinge::{math::Motion, DVec3, Pose};
/// let start = Pose::IDENTITY;
/// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
/// let motion = Motion::between(&start, &end);
/// assert_eq!((motion.at(0.0), motion.at(1.0)), (start, end));
/// assert_eq!(motion.at(0.5) * DVec3::ZERO, DVec3::new(1.0, 0.0, 0.0));
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    start: Pose,
    end: Pose,
    /// The start rotation, orthonormal to rounding.
    base: DMat3,
    /// In the body's frame.
    center: DVec3,
    /// Where the centre is at the start, in the world.
    origin: DVec3,
    /// What the centre covers along a straight line.
    line: DVec3,
    /// What the centre covers along an arc about `axis`; perpendicular to it.
    chord: DVec3,
    axis: DVec3,
    angle: f64,
}

/// The velocity of a motion's centre at an instant, in its two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rates {
    /// Along the straight line, the same at all times.
    pub(crate) line: DVec3,
    /// Along the arc; it turns with the body.
    pub(crate) arc: DVec3,
    /// The arc's speed, the same at all times, rounded up.
    pub(crate) arc_speed: f64,
}

/// Why a motion was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MotionError {
    /// A velocity or centre is NaN or infinite.
    #[error("{what} {value} of the motion is not finite")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
    /// The body would leave the range of coordinates.
    #[error(
        "{what} {value} takes the motion beyond the largest allowed coordinate {MAX_COORDINATE:e}"
    )]
    TooFar {
        /// Which argument.
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
    /// The body would turn too often for `t` to resolve.
    #[error("motion turns by {angle:e} radians in one step, the most allowed is {MAX_ANGLE:e}")]
    TooFast {
        /// The whole angle of the step.
        angle: f64,
    },
}

impl Motion {
    /// The motion that stays where it is.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// assert_eq!(Motion::still(&Pose::IDENTITY).at(0.7), Pose::IDENTITY);
    /// ```
    #[must_use]
    pub fn still(pose: &Pose) -> Self {
        Self::between(pose, pose)
    }

    /// The motion from `start` to `end` whose body origin moves on a straight line while the body rotates by the smallest angle.
    ///
    /// For a turn by 180° both ways are equally short; which is taken is fixed but unspecified.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert_eq!(motion.at(0.5) * DVec3::ZERO, DVec3::X);
    /// assert!((motion.angle() - 1.0).abs() < 1e-15);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn between(start: &Pose, end: &Pose) -> Self {
        let (axis, angle) = turn_between(start, end);
        Self {
            start: *start,
            end: *end,
            base: orthonormal(start),
            center: DVec3::ZERO,
            origin: start.translation(),
            line: end.translation() - start.translation(),
            chord: DVec3::ZERO,
            axis,
            angle,
        }
    }

    /// As [`Motion::between`], but the body point `center` moves on the straight line.
    ///
    /// # Errors
    /// [`MotionError`] when the centre is not finite or so far away that poses would leave the range of coordinates.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [0.0; 3])?;
    /// let center = DVec3::new(3.0, 0.0, 0.0);
    /// let motion = Motion::between_about(&Pose::IDENTITY, &end, center)?;
    /// let halfway = (center + end * center) / 2.0;
    /// assert!((motion.at(0.5) * center - halfway).length() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between_about(
        start: &Pose,
        end: &Pose,
        center: impl Into<DVec3>,
    ) -> Result<Self, MotionError> {
        let center = center.into();
        check_finite("centre", center)?;
        let (from, to) = (start.transform_point(center), end.transform_point(center));
        let reach = from.abs().max(to.abs()) + DVec3::splat(length(center));
        check_reach("centre", center, reach)?;
        Ok(Self {
            center,
            origin: from,
            line: to - from,
            ..Self::between(start, end)
        })
    }

    /// The screw motion from `start` to `end`: a turn about a fixed line while sliding along it.
    ///
    /// The angle is at most 180°. Poses that differ by a translation only are joined by a straight line.
    ///
    /// # Errors
    /// [`MotionError::TooFar`] when the arc swings out of the range of coordinates.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// // A half turn about the vertical line through (1, 0, 0), rising by 4.
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], std::f64::consts::PI, [2.0, 0.0, 4.0])?;
    /// let motion = Motion::screw(&Pose::IDENTITY, &end)?;
    /// let on_axis = DVec3::new(1.0, 0.0, 0.0);
    /// assert!((motion.at(0.5) * on_axis - DVec3::new(1.0, 0.0, 2.0)).length() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn screw(start: &Pose, end: &Pose) -> Result<Self, MotionError> {
        let straight = Self::between(start, end);
        let whole = straight.line;
        let line = straight.axis * straight.axis.dot(whole);
        let chord = whole - line;
        // The arc stays within one chord of its start, for it is at most a half circle.
        let reach = start.translation().abs() + whole.abs() + DVec3::splat(length(chord));
        check_reach("translation", end.translation(), reach)?;
        if straight.angle == 0.0 {
            return Ok(straight);
        }
        Ok(Self {
            line,
            chord,
            ..straight
        })
    }

    /// The motion that carries the body point `center` by `linear` while the body turns by `|angular|` radians about the
    /// direction of `angular`, both in world coordinates and per step. Any number of turns.
    ///
    /// # Errors
    /// [`MotionError`] when an argument is not finite, the motion leaves the range of coordinates, or it
    /// turns by more than 2³² radians.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let fifty_turns = DVec3::new(0.0, 0.0, 100.0 * std::f64::consts::PI);
    /// let motion = Motion::from_velocity(&Pose::IDENTITY, [1.0, 0.0, 0.0], fifty_turns, [0.0; 3])?;
    /// assert!((motion.at(0.25) * DVec3::X - DVec3::new(-0.75, 0.0, 0.0)).length() < 1e-12);
    /// # Ok::<(), impinge::math::MotionError>(())
    /// ```
    pub fn from_velocity(
        start: &Pose,
        linear: impl Into<DVec3>,
        angular: impl Into<DVec3>,
        center: impl Into<DVec3>,
    ) -> Result<Self, MotionError> {
        let (linear, angular, center) = (linear.into(), angular.into(), center.into());
        check_finite("linear velocity", linear)?;
        check_finite("angular velocity", angular)?;
        check_finite("centre", center)?;
        let angle = length(angular);
        if angle > MAX_ANGLE {
            return Err(MotionError::TooFast { angle });
        }
        let origin = start.transform_point(center);
        let arm = DVec3::splat(length(center));
        check_reach("centre", center, origin.abs() + arm)?;
        check_reach("linear velocity", linear, (origin + linear).abs() + arm)?;
        let mut motion = Self {
            center,
            origin,
            line: linear,
            axis: direction(angular),
            angle,
            ..Self::still(start)
        };
        motion.end = motion.between_ends(1.0);
        Ok(motion)
    }

    /// The pose at time `t`; times outside `[0, 1]` are clamped to it, NaN counts as 0.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert_eq!((motion.at(-1.0), motion.at(2.0)), (Pose::IDENTITY, end));
    /// assert_eq!(motion.at(f64::NAN), Pose::IDENTITY);
    /// # let _ = DVec3::X;
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn at(&self, t: f64) -> Pose {
        if t >= 1.0 {
            self.end
        } else if t > 0.0 {
            self.between_ends(t)
        } else {
            self.start
        }
    }

    /// The pose at time 0.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert_eq!(*motion.start(), Pose::IDENTITY);
    /// # let _ = DVec3::X;
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn start(&self) -> &Pose {
        &self.start
    }

    /// The pose at time 1.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert_eq!(*motion.end(), end);
    /// # let _ = DVec3::X;
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn end(&self) -> &Pose {
        &self.end
    }

    /// The body point about which radii are measured, in the body's frame.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert_eq!(motion.center(), DVec3::ZERO);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The unit axis of the turn, in world coordinates; some direction when nothing turns.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert!((motion.axis() - DVec3::Z).length() < 1e-15);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn axis(&self) -> DVec3 {
        self.axis
    }

    /// The whole angle of the turn, in radians, never negative.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert!((motion.angle() - 1.0).abs() < 1e-15);
    /// # let _ = DVec3::X;
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn angle(&self) -> f64 {
        self.angle
    }

    /// An upper bound on the speed, in length per step, of every body point within `radius` of the centre; infinite for
    /// a radius that is not finite.
    ///
    /// ```
    /// use impinge::{math::Motion, Pose};
    /// let motion = Motion::from_velocity(&Pose::IDENTITY, [3.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0; 3])?;
    /// let speed = motion.max_speed(5.0);
    /// assert!(speed >= 13.0 && speed < 13.0 + 1e-12);
    /// # Ok::<(), impinge::math::MotionError>(())
    /// ```
    #[must_use]
    pub fn max_speed(&self, radius: f64) -> f64 {
        // Along the axis only the line moves a point; across it line, arc and turn add up at worst.
        let along = self.axis.dot(self.line).abs();
        let across = length(self.line - self.axis * self.axis.dot(self.line));
        let round = self.arc_speed() + self.angle * radius.max(0.0);
        let speed = raised(length(DVec3::new(along, across + round, 0.0)));
        if is_bound(speed, radius.is_finite()) {
            speed
        } else {
            f64::INFINITY
        }
    }

    /// An upper bound on the length of the path of every body point within `radius` of the centre, from `t0` to `t1`,
    /// times being clamped as by [`Motion::at`]; infinite when an argument is NaN.
    ///
    /// ```
    /// use impinge::{math::Motion, Pose};
    /// let motion = Motion::from_velocity(&Pose::IDENTITY, [0.0; 3], [0.0, 0.0, 2.0], [0.0; 3])?;
    /// assert!(motion.max_travel(1.0, 0.25, 0.75) >= 1.0);
    /// assert_eq!(motion.max_travel(1.0, 0.5, 0.5), 0.0);
    /// # Ok::<(), impinge::math::MotionError>(())
    /// ```
    #[must_use]
    pub fn max_travel(&self, radius: f64, t0: f64, t1: f64) -> f64 {
        let duration = (t1.clamp(0.0, 1.0) - t0.clamp(0.0, 1.0)).abs();
        if duration.is_nan() || radius.is_nan() {
            f64::INFINITY
        } else if duration > 0.0 {
            raised(self.max_speed(radius) * duration)
        } else {
            0.0
        }
    }

    /// An upper bound on the speed along the unit vector `direction` (world) of every body point within `radius` of the
    /// centre, at any time; negative when all of them certainly move the other way, infinite when an argument is not
    /// finite.
    ///
    /// This is what conservative advancement divides a distance by.
    ///
    /// ```
    /// use impinge::{math::Motion, DVec3, Pose};
    /// let end = Pose::from_translation([2.0, 0.0, 0.0])?;
    /// let motion = Motion::between(&Pose::IDENTITY, &end);
    /// assert!(motion.max_speed_along(DVec3::NEG_X, 1.0) < 0.0);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn max_speed_along(&self, direction: DVec3, radius: f64) -> f64 {
        // v · n = line · n + (ω × (arm + r)) · n, and the last term is at most |ω × n| times the radius.
        let line = self.line.dot(direction);
        let lever = length(self.axis.cross(direction));
        let round = lever * (self.arc_speed() + self.angle * radius.max(0.0));
        // Rounding of the dot product is relative to the whole length of the line, not to its part along n.
        let slack = 8.0 * f64::EPSILON * (length(self.line) + round);
        let speed = raised(line + round) + slack;
        if is_bound(speed, radius.is_finite() && direction.is_finite()) {
            speed
        } else {
            f64::INFINITY
        }
    }

    /// The motion of a body that is fixed to this one.
    pub(crate) fn of_child(&self, body_from_child: &Pose) -> Self {
        Self {
            start: self.start * *body_from_child,
            end: self.end * *body_from_child,
            base: product(&self.base, body_from_child.rotation()),
            center: body_from_child.inverse() * self.center,
            ..*self
        }
    }

    /// What moves at time `t`, in world coordinates.
    pub(crate) fn rates(&self, t: f64) -> Rates {
        let mut arc = DVec3::ZERO;
        if self.chord != DVec3::ZERO {
            // The derivative of the arc's formula on the module page.
            let half = 0.5 * self.angle;
            let (sine, cosine) = libm::sincos((2.0 * t - 1.0) * half);
            let turned = rotation_about(self.axis, sine, cosine);
            arc = apply(&turned, self.chord) * (half / libm::sin(half));
        }
        Rates {
            line: self.line,
            arc,
            arc_speed: raised(self.arc_speed()),
        }
    }

    /// No body point within `radius` of the body's origin is ever farther than this from the world's.
    pub(crate) fn farthest(&self, radius: f64) -> f64 {
        let path = length(self.origin) + length(self.line) + length(self.chord);
        raised(path + length(self.center) + radius)
    }

    /// How far the given end rotations are from rotations, as in [`Pose::new`].
    pub(crate) fn deviation(&self) -> f64 {
        let start = deviation_from_rotation(self.start.rotation());
        start.max(deviation_from_rotation(self.end.rotation()))
    }

    /// The speed of the centre on its arc.
    fn arc_speed(&self) -> f64 {
        if self.chord == DVec3::ZERO {
            return 0.0;
        }
        let half = 0.5 * self.angle;
        length(self.chord) * half / libm::sin(half)
    }

    fn between_ends(&self, t: f64) -> Pose {
        let rotation = if self.angle == 0.0 {
            self.base
        } else {
            let (sine, cosine) = libm::sincos(t * self.angle);
            product(&rotation_about(self.axis, sine, cosine), &self.base)
        };
        let mut center = self.origin + self.line * t;
        if self.chord != DVec3::ZERO {
            let half = 0.5 * self.angle;
            let (sine, cosine) = libm::sincos((t - 1.0) * half);
            let turned = rotation_about(self.axis, sine, cosine);
            center += apply(&turned, self.chord) * (libm::sin(t * half) / libm::sin(half));
        }
        let translation = center - apply(&rotation, self.center);
        // Rounding may pass the limit of coordinates by one step.
        let limit = DVec3::splat(MAX_COORDINATE);
        Pose::new(rotation, translation.clamp(-limit, limit)).unwrap_or(self.start)
    }
}

/// Whether a speed computed from arguments that are finite or not is a bound.
fn is_bound(speed: f64, is_asked_finitely: bool) -> bool {
    is_asked_finitely && !speed.is_nan()
}

/// A bound lifted over the rounding of the dozen operations that led to it.
fn raised(bound: f64) -> f64 {
    if bound == 0.0 {
        return 0.0;
    }
    (bound + bound.abs() * (16.0 * f64::EPSILON)).next_up()
}

fn check_finite(what: &'static str, value: DVec3) -> Result<(), MotionError> {
    if value.is_finite() {
        Ok(())
    } else {
        Err(MotionError::NotFinite { what, value })
    }
}

fn check_reach(what: &'static str, value: DVec3, reach: DVec3) -> Result<(), MotionError> {
    if is_valid_point(reach) {
        Ok(())
    } else {
        Err(MotionError::TooFar { what, value })
    }
}
