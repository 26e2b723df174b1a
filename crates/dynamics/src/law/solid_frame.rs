//! A solid that stands somewhere, and how a force on a tool there is reported.

use impinge::query::Outcome;
use impinge::{DVec3, Pose};

use super::ContactResponse;
use crate::Wrench;

/// Where the solid of a law stands, and the stiffness that its last forces tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolidFrame {
    world_from_solid: Pose,
    solid_from_world: Pose,
    secant: SecantStiffness,
}

impl SolidFrame {
    pub(super) fn new(world_from_solid: Pose) -> Self {
        Self {
            world_from_solid,
            solid_from_world: world_from_solid.inverse(),
            secant: SecantStiffness::default(),
        }
    }

    pub(super) fn solid_from_tool(&self, world_from_tool: &Pose) -> Pose {
        self.solid_from_world * *world_from_tool
    }

    /// A wrench in the frame of the solid about its origin, as one on the tool in the world about the tool's origin.
    pub(super) fn on_tool(&self, solid_from_tool: &Pose, force: DVec3, torque: DVec3) -> Wrench {
        let torque = torque - solid_from_tool.translation().cross(force);
        Wrench {
            force: self.world_from_solid.transform_vector(force),
            torque: self.world_from_solid.transform_vector(torque),
        }
    }

    /// The response to a force and torque in the frame of the solid about its origin, with the stiffness along the last two forces.
    pub(super) fn response(
        &mut self,
        world_from_tool: &Pose,
        [force, torque]: [DVec3; 2],
        outcome: Outcome,
    ) -> ContactResponse {
        let wrench = self.on_tool(&self.solid_from_tool(world_from_tool), force, torque);
        ContactResponse {
            wrench,
            stiffness: self
                .secant
                .update(world_from_tool.translation(), wrench.force),
            outcome,
        }
    }
}

/// Estimates a stiffness from the last two forces along the line between their poses.
#[derive(Clone, Copy, Debug, Default)]
struct SecantStiffness {
    last: Option<(DVec3, DVec3)>,
    stiffness: f64,
}

impl SecantStiffness {
    fn update(&mut self, position: DVec3, force: DVec3) -> f64 {
        if force == DVec3::ZERO {
            *self = Self::default();
            return 0.0;
        }
        if let Some((place, before)) = self.last {
            let along = force.normalize_or_zero();
            let moved = (position - place).dot(along);
            if moved.abs() > 1e-12 {
                self.stiffness = ((before - force).dot(along) / moved).max(0.0);
            }
        }
        self.last = Some((position, force));
        self.stiffness
    }
}
