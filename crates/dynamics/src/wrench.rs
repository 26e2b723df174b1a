//! Wrench: force and torque.

use std::ops::{Add, Mul, Neg, Sub};

use impinge::DVec3;

/// A force in newtons and a torque in newton metres, both in the world frame.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::Wrench;
/// let push = Wrench::from_force(DVec3::X);
/// assert_eq!((push + push * 2.0).force, DVec3::X * 3.0);
/// assert!(push.is_finite() && Wrench::ZERO - push == -push);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Newtons.
    pub force: DVec3,
    /// Newton metres, about the tool's origin.
    pub torque: DVec3,
}

impl Wrench {
    /// No force and no torque.
    pub const ZERO: Self = Self {
        force: DVec3::ZERO,
        torque: DVec3::ZERO,
    };

    /// A force without torque.
    #[must_use]
    pub fn from_force(force: DVec3) -> Self {
        Self {
            force,
            torque: DVec3::ZERO,
        }
    }

    /// Whether no entry is NaN or infinite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.force.is_finite() && self.torque.is_finite()
    }
}

impl Add for Wrench {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            force: self.force + other.force,
            torque: self.torque + other.torque,
        }
    }
}

impl Sub for Wrench {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Wrench {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            force: -self.force,
            torque: -self.torque,
        }
    }
}

impl Mul<f64> for Wrench {
    type Output = Self;

    fn mul(self, scale: f64) -> Self {
        Self {
            force: self.force * scale,
            torque: self.torque * scale,
        }
    }
}

/// The vector, scaled down to at most `limit` in its own direction, and whether it had to be.
pub(crate) fn limited(vector: DVec3, limit: f64) -> (DVec3, bool) {
    // `length` overflows only for vectors no device could be meant by; those give 0.
    let length = vector.length();
    if length > limit {
        (vector * (limit / length), true)
    } else {
        (vector, false)
    }
}
