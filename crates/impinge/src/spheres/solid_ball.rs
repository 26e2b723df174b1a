//! One ball.

use std::f64::consts::PI;

use glam::DVec3;

/// A ball given by its centre and radius.
///
/// ```
/// use impinge::{DVec3, spheres::SolidBall};
/// let ball = SolidBall { center: DVec3::ZERO, radius: 2.0 };
/// assert!((ball.volume() - 33.510321638291124).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolidBall {
    /// Its centre.
    pub center: DVec3,
    /// Its radius, not negative.
    pub radius: f64,
}

impl SolidBall {
    /// Its volume.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::SolidBall};
    /// assert_eq!(SolidBall { center: DVec3::ONE, radius: 0.0 }.volume(), 0.0);
    /// ```
    #[must_use]
    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius * self.radius * self.radius
    }

    /// The gap to another ball, negative when they overlap; rounded.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::SolidBall};
    /// let ball = |x| SolidBall { center: DVec3::X * x, radius: 1.0 };
    /// assert_eq!(ball(0.0).gap(&ball(3.0)), 1.0);
    /// ```
    #[must_use]
    pub fn gap(&self, other: &Self) -> f64 {
        (self.center - other.center).length() - self.radius - other.radius
    }

    /// A number such that it and the radius together are at most the distance of the centre from `p`, exactly; negative inside.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::SolidBall};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let gap = ball.distance_at_least(DVec3::X * 3.0);
    /// assert!(gap <= 2.0 && gap > 1.999_999_999_999_99);
    /// ```
    #[must_use]
    pub fn distance_at_least(&self, p: DVec3) -> f64 {
        // Three differences, their squares, two sums and a root: below four units of rounding. The difference rounds once more.
        let distance = (p - self.center).length() * (1.0 - 8.0 * f64::EPSILON);
        let gap = distance - self.radius;
        gap - gap.abs() * f64::EPSILON
    }
}
