//! A placed solid, and how a force on a tool is reported in its frame.

use impinge::query::Outcome;
use impinge::{DVec3, Pose};

use super::ContactResponse;
use crate::{QuantityError, Wrench, quantity};

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

    /// Moves the only solid; returns whether `solid` is its number.
    pub(super) fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        if solid == 0 {
            self.world_from_solid = *world_from_solid;
            self.solid_from_world = world_from_solid.inverse();
        }
        solid == 0
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

/// What the law of a tool against a solid has: both, where the solid stands, a positive factor of its forces, and memory for queries.
#[derive(Debug)]
pub(super) struct LawBodies<S, C> {
    solid: S,
    tool: S,
    pub(super) frame: SolidFrame,
    pub(super) factor: f64,
    pub(super) cache: C,
}

impl<S, C> LawBodies<S, C> {
    pub(super) fn new(
        [solid, tool]: [S; 2],
        world_from_solid: Pose,
        (name, factor): (&'static str, f64),
        cache: C,
    ) -> Result<Self, QuantityError> {
        Ok(Self {
            solid,
            tool,
            frame: SolidFrame::new(world_from_solid),
            factor: quantity::positive(name, factor)?,
            cache,
        })
    }

    pub(super) fn tool(&self) -> &S {
        &self.tool
    }

    /// What a query about solid, tool and where the tool is in the frame of the solid returns.
    pub(super) fn ask<R>(
        &mut self,
        world_from_tool: &Pose,
        query: impl FnOnce(&S, &S, &Pose, &mut C) -> R,
    ) -> R {
        let solid_from_tool = self.frame.solid_from_tool(world_from_tool);
        query(&self.solid, &self.tool, &solid_from_tool, &mut self.cache)
    }

    /// The response to a force and torque for factor 1, in the frame of the solid about its origin.
    pub(super) fn response(
        &mut self,
        world_from_tool: &Pose,
        push: [DVec3; 2],
        outcome: Outcome,
    ) -> ContactResponse {
        let wrench = push.map(|part| part * self.factor);
        self.frame.response(world_from_tool, wrench, outcome)
    }
}
