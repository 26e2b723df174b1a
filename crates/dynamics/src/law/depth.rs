//! Contact law of the deepest point (penetration depth).

use impinge::Pose;
use impinge::bvh::Solid;
use impinge::bvh::wide::WideCache;
use impinge::depth::{DepthOptions, deepest_point};
use impinge::query::Limits;

use super::solid_frame::LawBodies;
use super::{ContactLaw, ContactResponse};
use crate::QuantityError;

/// The force is a stiffness times the greatest depth of a point, along the direction to the nearest surface point.
///
/// Where two points are equally deep, the deepest point jumps, and the torque with it: use it for tools that touch in one place.
///
/// ```
/// use impinge::{DVec3, Pose, bvh::{Solid, wide::WideTree}, generate, query::Limits};
/// use impinge_dynamics::law::{ContactLaw, DepthLaw};
/// use std::sync::Arc;
/// let cube = |size| generate::cuboid(DVec3::splat(size), [1; 3]).map(|mesh| WideTree::new(Arc::new(mesh)));
/// let (large, small) = (cube(4.0)?, cube(2.0)?);
/// let mut law = DepthLaw::new(Solid::closed(&large)?, Pose::IDENTITY, Solid::closed(&small)?, 100.0)?;
/// let pressed = law.at(&Pose::from_translation([2.9, 0.2, 0.1])?, Limits::default());
/// assert!((pressed.wrench.force.x - 10.0).abs() < 0.02);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DepthLaw<'t> {
    bodies: LawBodies<Solid<'t>, WideCache>,
}

impl<'t> DepthLaw<'t> {
    /// A tool against a solid, with a force of `stiffness` newtons per metre of depth.
    ///
    /// # Errors
    /// [`QuantityError`] when the stiffness is not positive.
    pub fn new(
        solid: Solid<'t>,
        world_from_solid: Pose,
        tool: Solid<'t>,
        stiffness: f64,
    ) -> Result<Self, QuantityError> {
        let stiffness = ("stiffness of depth", stiffness);
        let cache = WideCache::default();
        let bodies = LawBodies::new([solid, tool], world_from_solid, stiffness, cache)?;
        Ok(Self { bodies })
    }
}

impl ContactLaw for DepthLaw<'_> {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let bodies = &mut self.bodies;
        let found = bodies.ask(world_from_tool, |solid, tool, pose, cache| {
            deepest_point(solid, tool, pose, &DepthOptions::default(), limits, cache)
        });
        let push = found
            .value
            .and_then(|deep| Some((deep, deep.normal()? * (bodies.factor * deep.depth))));
        let Some((deep, force)) = push else {
            return ContactResponse {
                outcome: found.outcome,
                ..ContactResponse::NONE
            };
        };
        let solid_from_tool = bodies.frame.solid_from_tool(world_from_tool);
        let torque = deep.point_b.cross(force);
        let wrench = bodies.frame.on_tool(&solid_from_tool, force, torque);
        ContactResponse {
            wrench,
            stiffness: bodies.factor,
            outcome: found.outcome,
        }
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        self.bodies.frame.set_pose(solid, world_from_solid)
    }
}
