//! Device specifications: workspace, force and torque limits.
//!
//! **Source.** Figures of the two profiles: Weller 2012, *New Geometric Data Structures for
//! Collision Detection*, Table 7.1.

use impinge::DVec3;

use crate::wrench::limited;
use crate::{QuantityError, Wrench, quantity};

/// Where a device can move its tool, about its own origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Workspace {
    /// A box with these half extents.
    Box(DVec3),
    /// A ball of this radius.
    Ball(f64),
}

impl Workspace {
    /// Whether the device reaches the position.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::device::Workspace;
    /// assert!(Workspace::Ball(0.06).reaches(DVec3::X * 0.06));
    /// assert!(!Workspace::Box(DVec3::splat(0.051)).reaches(DVec3::X * 0.06));
    /// ```
    #[must_use]
    pub fn reaches(&self, position: DVec3) -> bool {
        match *self {
            Self::Box(half_extent) => position.abs().cmple(half_extent).all(),
            Self::Ball(radius) => position.length() <= radius,
        }
    }
}

/// Which parts of a wrench had to be scaled down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saturation {
    /// The force was beyond the device's limit.
    pub force: bool,
    /// The torque was beyond the device's limit.
    pub torque: bool,
}

impl Saturation {
    /// Whether anything was scaled down.
    ///
    /// ```
    /// assert!(!impinge_dynamics::device::Saturation::default().any());
    /// ```
    #[must_use]
    pub fn any(self) -> bool {
        self.force || self.torque
    }
}

/// The limits of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSpecification {
    /// Name of the device.
    pub name: &'static str,
    /// The workspace.
    pub workspace: Workspace,
    /// Rotation it can sense about each axis, radians from rest; 0 for a device of 3 degrees of
    /// freedom.
    pub rotation: f64,
    /// Newtons.
    pub max_force: f64,
    /// Newton metres; 0 when it cannot render torque.
    pub max_torque: f64,
    /// Viscous damping of the mechanism itself, newton seconds per metre. Not published for the
    /// profiles, which assume 0: then no sampled wall is passive without a controller.
    pub damping: f64,
}

impl DeviceSpecification {
    /// Novint Falcon: 3 degrees of freedom, a box of 102 mm, 10 N.
    ///
    /// ```
    /// use impinge_dynamics::device::DeviceSpecification;
    /// assert_eq!(DeviceSpecification::falcon().max_force, 10.0);
    /// ```
    #[must_use]
    pub fn falcon() -> Self {
        Self {
            name: "Novint Falcon",
            workspace: Workspace::Box(DVec3::splat(0.051)),
            rotation: 0.0,
            max_force: 10.0,
            max_torque: 0.0,
            damping: 0.0,
        }
    }

    /// Haption Virtuose 6D Desktop: 6 degrees of freedom, a ball of 120 mm, 35° about each axis,
    /// 15 N, 0.5 Nm.
    ///
    /// ```
    /// use impinge_dynamics::device::DeviceSpecification;
    /// assert_eq!(DeviceSpecification::virtuose().max_torque, 0.5);
    /// ```
    #[must_use]
    pub fn virtuose() -> Self {
        Self {
            name: "Haption Virtuose 6D Desktop",
            workspace: Workspace::Ball(0.060),
            rotation: 35.0 * std::f64::consts::PI / 180.0,
            max_force: 15.0,
            max_torque: 0.5,
            damping: 0.0,
        }
    }

    /// The same specification, if its numbers make sense.
    ///
    /// # Errors
    /// [`QuantityError`] for a limit that is negative or not finite.
    ///
    /// ```
    /// use impinge_dynamics::device::DeviceSpecification;
    /// let broken = DeviceSpecification { max_force: f64::NAN, ..DeviceSpecification::falcon() };
    /// assert!(DeviceSpecification::falcon().checked().is_ok() && broken.checked().is_err());
    /// ```
    pub fn checked(self) -> Result<Self, QuantityError> {
        match self.workspace {
            Workspace::Box(half_extent) => {
                quantity::positive("workspace half extent", half_extent.min_element())?;
                quantity::positive("workspace half extent", half_extent.max_element())?;
            }
            Workspace::Ball(radius) => {
                quantity::positive("workspace radius", radius)?;
            }
        }
        quantity::not_negative("rotation range", self.rotation)?;
        quantity::positive("largest force", self.max_force)?;
        quantity::not_negative("largest torque", self.max_torque)?;
        quantity::not_negative("device damping", self.damping)?;
        Ok(self)
    }

    /// The wrench scaled to what the device can do, force and torque each in its own direction, and
    /// what had to be scaled.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::{Wrench, device::DeviceSpecification};
    /// let push = Wrench::from_force(DVec3::new(12.0, 16.0, 0.0));
    /// let (held, saturation) = DeviceSpecification::falcon().saturated(push);
    /// assert!((held.force - DVec3::new(6.0, 8.0, 0.0)).length() < 1e-12 && saturation.any());
    /// ```
    #[must_use]
    pub fn saturated(&self, wrench: Wrench) -> (Wrench, Saturation) {
        let (force, force_cut) = limited(wrench.force, self.max_force);
        let (torque, torque_cut) = limited(wrench.torque, self.max_torque);
        let saturation = Saturation {
            force: force_cut,
            torque: torque_cut,
        };
        (Wrench { force, torque }, saturation)
    }
}
