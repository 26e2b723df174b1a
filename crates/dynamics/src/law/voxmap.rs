//! Contact law of Voxmap-PointShell.

use std::sync::Arc;

use impinge::Pose;
use impinge::query::Limits;
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};

use super::solid_frame::SolidFrame;
use super::{ContactLaw, ContactResponse};
use crate::{QuantityError, quantity};

/// Pushes each point of the tool's shell out of the voxels of the solid.
///
/// ```
/// use impinge::{DVec3, Pose, generate, query::Limits, voxmap::{Pointshell, Voxmap}};
/// use impinge_dynamics::law::{ContactLaw, VoxmapLaw};
/// use std::sync::Arc;
/// let cube = generate::cuboid(DVec3::ONE, [1; 3])?;
/// let (map, shell) = (Arc::new(Voxmap::new(&cube, 20)?), Arc::new(Pointshell::new(&cube, 20)?));
/// let mut law = VoxmapLaw::new(map, Pose::IDENTITY, shell, 1.0)?;
/// let pressed = law.at(&Pose::from_translation([0.0, 0.9, 0.0])?, Limits::default());
/// assert!(pressed.wrench.force.y > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct VoxmapLaw {
    map: Arc<Voxmap>,
    frame: SolidFrame,
    shell: Arc<Pointshell>,
    stiffness: f64,
}

impl VoxmapLaw {
    /// A shell of points against voxels, with a force of `stiffness` newtons per metre of depth of a point.
    ///
    /// # Errors
    /// [`QuantityError`] when the stiffness is not positive.
    pub fn new(
        map: Arc<Voxmap>,
        world_from_solid: Pose,
        shell: Arc<Pointshell>,
        stiffness: f64,
    ) -> Result<Self, QuantityError> {
        Ok(Self {
            map,
            frame: SolidFrame::new(world_from_solid),
            shell,
            stiffness: quantity::positive("stiffness of a point", stiffness)?,
        })
    }
}

impl ContactLaw for VoxmapLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let solid_from_tool = self.frame.solid_from_tool(world_from_tool);
        let pressing = Limits {
            max_distance: Some(0.0),
            ..limits
        };
        let found = VoxmapQuery::new(&self.map, &self.shell).at(&solid_from_tool, pressing);
        let wrench = [
            found.force_on_a * -self.stiffness,
            found.torque_on_a * -self.stiffness,
        ];
        self.frame.response(world_from_tool, wrench, found.outcome)
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        self.frame.set_pose(solid, world_from_solid)
    }
}
