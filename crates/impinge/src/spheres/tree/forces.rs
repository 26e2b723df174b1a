//! Contact forces and torques of two overlapping solids.
//!
//! Three rules, each a sum over pairs of overlapping spheres. The *gradient* of the lens sum acts
//! along the line of centres. *Cones* act along the normals of the surface next to a sphere: as
//! published, the cone of a sphere pushes the other body, so that the two forces are not opposite
//! in general; the symmetric rule takes the difference of both axes and is the default.

use glam::DVec3;

/// Axes that differ by less than this push less than fully: the direction would jump otherwise where they agree.
pub(super) const FULL_PUSH: f64 = 0.5;
/// The same for centres, in units of the smaller radius.
pub(super) const FULL_DISTANCE: f64 = 0.25;

/// A force, and its torque about the origin of the frame of `a`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wrench {
    /// The force, in the frame of `a`.
    pub force: DVec3,
    /// The torque.
    pub torque: DVec3,
}

impl Wrench {
    /// The same force with its torque about another point.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::Wrench};
    /// let wrench = Wrench { force: DVec3::X, torque: DVec3::ZERO };
    /// assert_eq!(wrench.about(DVec3::Y).torque, DVec3::Z);
    /// ```
    #[must_use]
    pub fn about(&self, point: DVec3) -> Self {
        Self {
            force: self.force,
            torque: self.torque - point.cross(self.force),
        }
    }

    /// The opposite.
    ///
    /// ```
    /// use impinge::{DVec3, spheres::Wrench};
    /// let wrench = Wrench { force: DVec3::X, torque: DVec3::Z };
    /// assert_eq!(wrench.reversed().force, DVec3::NEG_X);
    /// ```
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self {
            force: -self.force,
            torque: -self.torque,
        }
    }
}

/// Forces by cones of normals, per unit of stiffness: volumes times directions, acting at the centroids of lenses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ConeForces {
    /// The symmetric rule, on `b`; what acts on `a` is the opposite, bit by bit.
    pub push: Wrench,
    /// As published, on `a`: along the axes of `b`'s cones.
    pub published_on_a: Wrench,
    /// As published, on `b`: along the axes of `a`'s cones.
    pub published_on_b: Wrench,
}
