//! What drives two overlapping solids apart.
//!
//! Three rules, each a sum over pairs of balls that overlap. The *gradient* of the lens sum pushes along the line of centres. *Cones* push along the
//! normals of the surface next to a ball: as published, the cone of a ball pushes the other body, so that the two forces are not
//! opposite in general; the symmetric rule takes the difference of both axes and is the default.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;

use super::fit::SphereTree;
use super::scene::Scene;

/// Axes that differ by less than this push less than fully: the direction would jump otherwise where they agree.
const FULL_PUSH: f64 = 0.5;
/// The same for centres, in units of the smaller radius.
const FULL_DISTANCE: f64 = 0.25;

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
    /// Adds a force that acts at a point.
    #[inline]
    pub(super) fn add_at(&mut self, point: DVec3, force: DVec3) {
        self.force += force;
        self.torque += point.cross(force);
    }

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

/// A pair of balls that overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) a: usize,
    pub(super) b: usize,
    /// From the centre of `a` to that of `b`.
    pub(super) between: DVec3,
    pub(super) smaller: f64,
    pub(super) centroid: DVec3,
    pub(super) volume: f64,
}

impl Scene<'_> {
    /// Adds what a pair of balls contributes.
    #[inline]
    pub(super) fn add_forces(&self, shared: &Shared, forces: &mut ConeForces) {
        // Normals on all sides have no way out in common.
        let cone = |tree: &SphereTree, leaf: usize| {
            let cone = tree.surfaces.get(leaf)?.cone;
            let is_usable = cone.half_angle < FRAC_PI_2 && cone.axis != DVec3::ZERO;
            is_usable.then_some(cone.axis)
        };
        // Without an axis, the line of centres; it fades where centres coincide.
        let line = shared.between
            / shared
                .between
                .length()
                .max(FULL_DISTANCE * shared.smaller)
                .max(f64::MIN_POSITIVE);
        let of_a = cone(self.a.tree, shared.a);
        let of_b = cone(self.b.tree, shared.b).map(|axis| self.a_from_b.transform_vector(axis));
        let (out_of_a, out_of_b) = (of_a.unwrap_or(line), of_b.unwrap_or(-line));
        let apart = out_of_a - out_of_b;
        let push = apart / apart.length().max(FULL_PUSH);
        let at = shared.centroid;
        forces.push.add_at(at, push * shared.volume);
        forces.published_on_b.add_at(at, out_of_a * shared.volume);
        forces.published_on_a.add_at(at, out_of_b * shared.volume);
    }
}
