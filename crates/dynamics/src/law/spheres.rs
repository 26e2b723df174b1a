//! Contact laws of inner sphere trees.

use std::sync::Arc;

use impinge::Pose;
use impinge::query::{Limits, Outcome};
use impinge::spheres::{BudgetedForces, InnerSphereTree, InnerSphereTreeCache};

use super::solid_frame::SolidFrame;
use super::{ContactLaw, ContactResponse};
use crate::{QuantityError, quantity};

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
    solid: Arc<InnerSphereTree>,
    frame: SolidFrame,
    tool: Arc<InnerSphereTree>,
    stiffness: f64,
    cache: InnerSphereTreeCache,
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
        Ok(Self {
            solid,
            frame: SolidFrame::new(world_from_solid),
            tool,
            stiffness: quantity::positive("force per volume", stiffness)?,
            cache: InnerSphereTreeCache::default(),
        })
    }
}

impl ContactLaw for ConeLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let solid_from_tool = self.frame.solid_from_tool(world_from_tool);
        let found = self
            .solid
            .overlap(&self.tool, &solid_from_tool, limits, &mut self.cache);
        let push = found.cones.push;
        let wrench = [push.force * self.stiffness, push.torque * self.stiffness];
        self.frame.response(world_from_tool, wrench, found.outcome)
    }
}

/// The force is proportional to the negative gradient of the overlap volume of the balls, within a budget and without force steps.
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
    solid: Arc<InnerSphereTree>,
    frame: SolidFrame,
    tool: Arc<InnerSphereTree>,
    pressure: f64,
    forces: BudgetedForces,
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
        Ok(Self {
            solid,
            frame: SolidFrame::new(world_from_solid),
            tool,
            pressure: quantity::positive("pressure", pressure)?,
            forces: BudgetedForces::new(tests, 0.0),
        })
    }
}

impl ContactLaw for BudgetedSphereLaw {
    /// [`Limits::max_tests`] takes the place of the budget where it is smaller.
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        if let Some(most) = limits.max_tests {
            self.forces.set_budget(most);
        }
        let solid_from_tool = self.frame.solid_from_tool(world_from_tool);
        let found = self.forces.at(&self.solid, &self.tool, &solid_from_tool);
        let outcome = if self.forces.threshold() == 0.0 {
            Outcome::Complete
        } else {
            Outcome::OutOfBudget
        };
        let wrench = [
            found.gradient.translation * -self.pressure,
            found.gradient.rotation * -self.pressure,
        ];
        self.frame.response(world_from_tool, wrench, outcome)
    }
}
