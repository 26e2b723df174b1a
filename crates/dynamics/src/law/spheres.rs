//! Contact laws of inner sphere trees.

use std::sync::Arc;

use impinge::Pose;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{BudgetedForces, InnerSphereTree, InnerSphereTreeCache};

use super::solid_frame::LawBodies;
use super::{ContactLaw, ContactResponse};
use crate::QuantityError;

/// The force points along the normal cones of overlapping balls, proportional to their overlap volume.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits, spheres::*};
/// use impinge_dynamics::law::{ConeLaw, ContactLaw};
/// use std::sync::Arc;
/// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
/// let tree = Arc::new(InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?);
/// let mut law = ConeLaw::new(tree.clone(), Pose::IDENTITY, tree, 100.0)?;
/// let pressed = law.at(&Pose::from_translation([0.0, 1.5, 0.0])?, Limits::default());
/// assert!(pressed.wrench.force.y > 0.0 && pressed.wrench.force.x == 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConeLaw {
    bodies: LawBodies<Arc<InnerSphereTree>, InnerSphereTreeCache>,
}

impl ConeLaw {
    /// A tool against a solid, with a force of `stiffness` newtons per cubic metre.
    ///
    /// # Errors
    /// [`QuantityError`] when the stiffness is not positive.
    pub fn new(
        solid: Arc<InnerSphereTree>,
        world_from_solid: Pose,
        tool: Arc<InnerSphereTree>,
        stiffness: f64,
    ) -> Result<Self, QuantityError> {
        let stiffness = ("force per volume", stiffness);
        let cache = InnerSphereTreeCache::default();
        let bodies = LawBodies::new([solid, tool], world_from_solid, stiffness, cache)?;
        Ok(Self { bodies })
    }
}

impl ContactLaw for ConeLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let bodies = &mut self.bodies;
        let found = bodies.ask(world_from_tool, |solid, tool, pose, cache| {
            solid.overlap(tool, pose, limits, cache)
        });
        let push = found.cones.push;
        bodies.response(world_from_tool, [push.force, push.torque], found.outcome)
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        self.bodies.frame.set_pose(solid, world_from_solid)
    }
}

/// The force is proportional to the negative gradient of the overlap volume of the balls, within a budget and with small force steps.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits, spheres::*};
/// use impinge_dynamics::law::{BudgetedSphereLaw, ContactLaw};
/// use std::sync::Arc;
/// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
/// let tree = Arc::new(InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?);
/// let mut law = BudgetedSphereLaw::new(tree.clone(), Pose::IDENTITY, tree, 100.0, 2000)?;
/// let pressed = law.at(&Pose::from_translation([0.0, 1.5, 0.0])?, Limits::default());
/// assert!(pressed.wrench.force.y > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BudgetedSphereLaw {
    bodies: LawBodies<Arc<InnerSphereTree>, BudgetedForces>,
}

impl BudgetedSphereLaw {
    /// A tool against a solid, with a force of `pressure` newtons per square metre of contact and about `tests`
    /// comparisons of balls a call.
    ///
    /// # Errors
    /// [`QuantityError`] when the pressure is not positive.
    pub fn new(
        solid: Arc<InnerSphereTree>,
        world_from_solid: Pose,
        tool: Arc<InnerSphereTree>,
        pressure: f64,
        tests: u64,
    ) -> Result<Self, QuantityError> {
        let pressure = ("pressure", pressure);
        let forces = BudgetedForces::new(tests, 0.0);
        let bodies = LawBodies::new([solid, tool], world_from_solid, pressure, forces)?;
        Ok(Self { bodies })
    }
}

impl ContactLaw for BudgetedSphereLaw {
    /// [`Limits::max_tests`] takes the place of the budget where it is smaller.
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        if let Some(most) = limits.max_tests {
            self.bodies.cache.set_budget(most);
        }
        let bodies = &mut self.bodies;
        let found = bodies.ask(world_from_tool, |solid, tool, pose, forces| {
            forces.at(solid, tool, pose)
        });
        let outcome = if bodies.cache.threshold() == 0.0 {
            Outcome::Complete
        } else {
            Outcome::OutOfBudget
        };
        let push = [-found.gradient.translation, -found.gradient.rotation];
        bodies.response(world_from_tool, push, outcome)
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        self.bodies.frame.set_pose(solid, world_from_solid)
    }
}
