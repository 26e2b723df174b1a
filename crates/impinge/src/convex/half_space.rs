//! Half-space: everything on one side of a plane.

use glam::DVec3;

use super::error::{ShapeError, positive, valid};
use super::support_map::SupportMap;
use crate::math::Pose;

/// All points `p` with `normal · p ≤ offset`.
///
/// It has no farthest points, so it is not one of the bounded shapes; but one support point of the other shape
/// answers every query about the two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: DVec3,
    offset: f64,
}

impl HalfSpace {
    /// The half-space behind the plane through `point`; `normal` may have any length but zero and points outwards.
    ///
    /// # Errors
    /// [`ShapeError`] unless the point is valid and the normal has a direction.
    ///
    /// ```
    /// use impinge::convex::HalfSpace;
    /// assert!(HalfSpace::new([0.0, 0.0, 2.0], [0.0; 3]).is_ok());
    /// assert!(HalfSpace::new([0.0; 3], [0.0; 3]).is_err());
    /// ```
    pub fn new(normal: impl Into<DVec3>, point: impl Into<DVec3>) -> Result<Self, ShapeError> {
        let normal: DVec3 = normal.into();
        let [point] = valid([point.into()])?;
        let largest = normal.abs().max_element();
        if !normal.is_finite() || positive("normal", largest).is_err() {
            return Err(ShapeError::BadNormal { normal });
        }
        let scaled = normal / largest;
        let normal = scaled / scaled.length();
        Ok(Self {
            normal,
            offset: normal.dot(point),
        })
    }

    /// The outward unit normal.
    ///
    /// ```
    /// use impinge::{DVec3, convex::HalfSpace};
    /// assert_eq!(HalfSpace::new([0.0, 0.0, 2.0], [0.0; 3])?.normal(), DVec3::Z);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// How high the lowest point of `b` lies above the plane; negative when it is inside.
    ///
    /// The negative height is the penetration depth, and the outward normal the direction in which `b` leaves.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Ball, HalfSpace}};
    /// let ground = HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?;
    /// let ball = Ball::new(0.5)?;
    /// assert_eq!(ground.height_of(&ball, &Pose::from_translation([0.0, 0.0, 2.0])?).height, 1.5);
    /// assert_eq!(ground.height_of(&ball, &Pose::IDENTITY).height, -0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn height_of<B: SupportMap + ?Sized>(&self, b: &B, a_from_b: &Pose) -> HalfSpaceHeight {
        let down = a_from_b.rotation().transpose() * -self.normal;
        let point = *a_from_b * b.support_certain(down).point - self.normal * b.radius();
        let height = self.normal.dot(point) - self.offset;
        HalfSpaceHeight {
            height,
            point,
            foot: point - self.normal * height,
        }
    }
}

/// How high a shape is above a half-space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpaceHeight {
    /// The height of the lowest point above the plane, negative below it.
    pub height: f64,
    /// The lowest point, in the frame of the half-space.
    pub point: DVec3,
    /// The point of the plane under it.
    pub foot: DVec3,
}
