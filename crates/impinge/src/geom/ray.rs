//! Rays.

use glam::DVec3;
use thiserror::Error;

use crate::math::{MAX_COORDINATE, is_valid_point};

/// A half-line: all points `origin + t · direction` with `t ≥ 0`. Valid by construction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    origin: DVec3,
    direction: DVec3,
}

/// Why a ray was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RayError {
    /// A coordinate is not finite or too large.
    #[error("{what} {value} of the ray is not finite or exceeds {MAX_COORDINATE:e}")]
    OutOfRange {
        /// "origin" or "direction".
        what: &'static str,
        /// Its value.
        value: DVec3,
    },
    /// The direction is the zero vector.
    #[error("direction of the ray is zero")]
    NoDirection,
}

impl Ray {
    /// The ray from `origin` along `direction`, which may have any length but 0.
    ///
    /// # Errors
    /// [`RayError`] when a coordinate is invalid or the direction is zero.
    ///
    /// ```
    /// use impinge::{geom::Ray, DVec3};
    /// let ray = Ray::new(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0))?;
    /// assert_eq!(ray.at(1.5), DVec3::new(0.0, 0.0, 3.0));
    /// assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
    /// # Ok::<(), impinge::geom::RayError>(())
    /// ```
    pub fn new(origin: impl Into<DVec3>, direction: impl Into<DVec3>) -> Result<Self, RayError> {
        let (origin, direction) = (origin.into(), direction.into());
        for (what, value) in [("origin", origin), ("direction", direction)] {
            if !is_valid_point(value) {
                return Err(RayError::OutOfRange { what, value });
            }
        }
        if direction == DVec3::ZERO {
            return Err(RayError::NoDirection);
        }
        Ok(Self { origin, direction })
    }

    /// Where the ray starts.
    ///
    /// ```
    /// use impinge::{geom::Ray, DVec3};
    /// let ray = Ray::new([1.0, 0.0, 0.0], [0.0, 0.0, 2.0])?;
    /// assert_eq!(ray.origin(), DVec3::X);
    /// # Ok::<(), impinge::geom::RayError>(())
    /// ```
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Where it goes, with the length it was given.
    ///
    /// ```
    /// use impinge::{geom::Ray, DVec3};
    /// let ray = Ray::new([1.0, 0.0, 0.0], [0.0, 0.0, 2.0])?;
    /// assert_eq!(ray.direction(), DVec3::new(0.0, 0.0, 2.0));
    /// # Ok::<(), impinge::geom::RayError>(())
    /// ```
    #[must_use]
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The point at `t` lengths of the direction.
    ///
    /// ```
    /// use impinge::{geom::Ray, DVec3};
    /// let ray = Ray::new([1.0, 0.0, 0.0], [0.0, 0.0, 2.0])?;
    /// assert_eq!(ray.at(0.5), DVec3::new(1.0, 0.0, 1.0));
    /// # Ok::<(), impinge::geom::RayError>(())
    /// ```
    #[must_use]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }
}
