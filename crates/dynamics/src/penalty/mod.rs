//! The point penalty method: force proportional to the depth of a point in a volume.
//!
//! **Question.** Which force pushes the device's point out of simple solids?
//! **Idea.** In each volume, the depth below the nearest face times a stiffness, along that face's
//! normal; the forces of all volumes are added.
//! **Source.** Vector-field haptics before 1995, as described by Zilles and Salisbury 1995, *A
//! constraint-based god-object method for haptic display*.
//! **Cost.** O(volumes).
//! **Limits.** Kept as a baseline. Its three failures are the reason for [`proxy`](crate::proxy), and tests reproduce
//! them: on the diagonal of a box the force turns by 90°; a slab is pierced by a force above half of its stiffness
//! times its thickness; where volumes overlap, forces add up.
//!
//! ```
//! use impinge::DVec3;
//! use impinge_dynamics::penalty::{PenaltyField, PenaltyVolume};
//! let floor = PenaltyVolume::half_space([0.0, 1.0, 0.0], 0.0)?;
//! let block = PenaltyVolume::cuboid([-1.0; 3], [1.0; 3])?;
//! let ball = PenaltyVolume::ball([9.0, 0.5, 0.0], 1.0)?;
//! let field = PenaltyField::new(1000.0, vec![floor, block, ball])?;
//! assert_eq!(field.force(DVec3::new(9.0, -0.01, 5.0)), DVec3::Y * 10.0);
//! # Ok::<(), impinge_dynamics::penalty::PenaltyError>(())
//! ```

use impinge::DVec3;
use impinge::math::is_valid_point;
use thiserror::Error;

use crate::{QuantityError, quantity};

/// Why a volume or a field was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PenaltyError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// A point or a normal has a coordinate that is not finite or too large.
    #[error("{what} {value} is not finite or too large")]
    Point {
        /// Which value.
        what: &'static str,
        /// The value passed.
        value: DVec3,
    },
    /// A normal has no direction.
    #[error("the normal of a half space must not be zero")]
    NoNormal,
    /// A box must extend along every axis.
    #[error("the box from {low} to {high} has no volume")]
    NoVolume {
        /// Lower corner.
        low: DVec3,
        /// Upper corner.
        high: DVec3,
    },
}

/// A solid that pushes a point out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyVolume(Kind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ball { center: DVec3, radius: f64 },
    HalfSpace { normal: DVec3, offset: f64 },
    Cuboid { low: DVec3, high: DVec3 },
}

fn checked(what: &'static str, value: DVec3) -> Result<DVec3, PenaltyError> {
    if is_valid_point(value) {
        Ok(value)
    } else {
        Err(PenaltyError::Point { what, value })
    }
}

impl PenaltyVolume {
    /// A ball.
    ///
    /// # Errors
    /// [`PenaltyError`] when the centre is not finite or the radius not positive.
    pub fn ball(center: impl Into<DVec3>, radius: f64) -> Result<Self, PenaltyError> {
        Ok(Self(Kind::Ball {
            center: checked("centre", center.into())?,
            radius: quantity::positive("radius", radius)?,
        }))
    }

    /// All points `p` with `normal · p ≤ offset`, for the normal made a unit vector.
    ///
    /// # Errors
    /// [`PenaltyError`] when the normal is zero or a number not finite.
    pub fn half_space(normal: impl Into<DVec3>, offset: f64) -> Result<Self, PenaltyError> {
        let normal = checked("normal", normal.into())?;
        let normal = normal.try_normalize().ok_or(PenaltyError::NoNormal)?;
        quantity::not_negative("magnitude of the offset", offset.abs())?;
        Ok(Self(Kind::HalfSpace { normal, offset }))
    }

    /// The box between two corners; it pushes through its nearest face.
    ///
    /// # Errors
    /// [`PenaltyError`] when a corner is not finite or the box has no volume.
    pub fn cuboid(low: impl Into<DVec3>, high: impl Into<DVec3>) -> Result<Self, PenaltyError> {
        let low = checked("lower corner", low.into())?;
        let high = checked("upper corner", high.into())?;
        if !low.cmplt(high).all() {
            return Err(PenaltyError::NoVolume { low, high });
        }
        Ok(Self(Kind::Cuboid { low, high }))
    }

    /// Depth times outward direction; zero outside. At the centre of a ball, where no direction is
    /// nearest, upwards.
    fn way_out(&self, point: DVec3) -> DVec3 {
        match self.0 {
            Kind::Ball { center, radius } => {
                let arm = point - center;
                let depth = radius - arm.length();
                if depth <= 0.0 {
                    return DVec3::ZERO;
                }
                arm.try_normalize().unwrap_or(DVec3::Y) * depth
            }
            Kind::HalfSpace { normal, offset } => normal * (offset - normal.dot(point)).max(0.0),
            Kind::Cuboid { low, high } => {
                let faces = [
                    (point.x - low.x, DVec3::NEG_X),
                    (high.x - point.x, DVec3::X),
                    (point.y - low.y, DVec3::NEG_Y),
                    (high.y - point.y, DVec3::Y),
                    (point.z - low.z, DVec3::NEG_Z),
                    (high.z - point.z, DVec3::Z),
                ];
                let mut nearest = faces[0];
                for face in faces {
                    if face.0 < nearest.0 {
                        nearest = face;
                    }
                }
                nearest.1 * nearest.0.max(0.0)
            }
        }
    }
}

/// Volumes that push with one stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct PenaltyField {
    stiffness: f64,
    volumes: Vec<PenaltyVolume>,
}

impl PenaltyField {
    /// These volumes, with a stiffness in newtons per metre.
    ///
    /// # Errors
    /// [`PenaltyError`] when the stiffness is not positive.
    pub fn new(stiffness: f64, volumes: Vec<PenaltyVolume>) -> Result<Self, PenaltyError> {
        Ok(Self {
            stiffness: quantity::positive("stiffness", stiffness)?,
            volumes,
        })
    }

    /// The stiffness of each volume, in newtons per metre. Where volumes overlap, theirs add up.
    ///
    /// ```
    /// use impinge_dynamics::penalty::PenaltyField;
    /// assert_eq!(PenaltyField::new(800.0, Vec::new())?.stiffness(), 800.0);
    /// # Ok::<(), impinge_dynamics::penalty::PenaltyError>(())
    /// ```
    #[must_use]
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// The force on a point.
    #[must_use]
    pub fn force(&self, point: DVec3) -> DVec3 {
        let ways = self.volumes.iter().map(|volume| volume.way_out(point));
        ways.fold(DVec3::ZERO, |sum, way| sum + way) * self.stiffness
    }
}
