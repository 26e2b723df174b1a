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
    /// What it holds.
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
}
