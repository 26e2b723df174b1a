//! Virtual coupling: a six-degree-of-freedom tool connected to the device by a spring and a damper.
//!
//! **Question.** The device is inside a solid, the tool must not be: where is the tool, and what does the hand feel?
//! **Idea.** A spring for position and one for orientation connect the tool to the device, and a [contact law](crate::law) pushes the tool
//! out of the solid. *Quasi-static*: the tool is at the equilibrium of both. *Dynamic*: the tool has a mass and moves by implicit Euler.
//! **Source.** McNeely, Puterbaugh and Troy 1999; Otaduy and Lin 2006 for the implicit step.
//! **Promise.** The damper acts on the velocity relative to the hand, so that a hand that moves evenly in free space feels nothing. The rendered stiffness is at
//! most that of the coupling.
//! **Limits.** Laws whose force vanishes inside thin solids let the tool through; see [`guard`](crate::guard).

mod dynamic;
mod matrix6;
mod quasi_static;

pub use dynamic::DynamicCoupling;
pub use quasi_static::{MAX_NEWTON_STEPS, QuasiStaticCoupling};

use impinge::{DVec3, Pose};

use crate::device::rotation_vector;
use crate::{QuantityError, Wrench, quantity};

/// Springs between device and tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingStiffness {
    /// N/m.
    pub translation: f64,
    /// Nm/rad.
    pub rotation: f64,
}

impl CouplingStiffness {
    /// These stiffnesses.
    ///
    /// # Errors
    /// [`QuantityError`] for a number that is not positive.
    ///
    /// ```
    /// use impinge_dynamics::coupling::CouplingStiffness;
    /// assert!(CouplingStiffness::new(1000.0, 1.0).is_ok());
    /// assert!(CouplingStiffness::new(1000.0, 0.0).is_err());
    /// ```
    pub fn new(translation: f64, rotation: f64) -> Result<Self, QuantityError> {
        Ok(Self {
            translation: quantity::positive("coupling stiffness", translation)?,
            rotation: quantity::positive("rotational coupling stiffness", rotation)?,
        })
    }

    /// The wrench of the springs on a tool: it pulls the tool towards the device.
    pub(crate) fn pull(&self, world_from_device: &Pose, world_from_tool: &Pose) -> Wrench {
        let apart = world_from_device.translation() - world_from_tool.translation();
        let turned = rotation_vector(&(*world_from_device * world_from_tool.inverse()));
        Wrench {
            force: apart * self.translation,
            torque: turned * self.rotation,
        }
    }
}

/// The result of one tick of a coupled tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolStep {
    /// The pose of the tool now.
    pub world_from_tool: Pose,
    /// The wrench on the hand.
    pub wrench: Wrench,
    /// The wrench of the law on the tool.
    pub contact: Wrench,
    /// Evaluations of the law.
    pub evaluations: usize,
    /// The residual force and torque, as a fraction of the largest that act; 0 for a dynamic tool.
    pub residual: f64,
}

/// The pose moved by a translation and turned by a rotation vector about its own origin.
pub(crate) fn moved(pose: &Pose, translation: DVec3, turn: DVec3) -> Pose {
    let angle = turn.length();
    let center = pose.translation() + translation;
    let turned = if angle > 0.0 {
        Pose::from_axis_angle(turn / angle, angle, DVec3::ZERO).ok()
    } else {
        None
    };
    let rotation = match turned {
        Some(turn) => *(turn * *pose).rotation(),
        None => *pose.rotation(),
    };
    Pose::new(rotation, center).unwrap_or(*pose)
}
