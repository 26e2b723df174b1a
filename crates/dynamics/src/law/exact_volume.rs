//! The gradient of the exact overlap volume.

use std::sync::Arc;

use impinge::Pose;
use impinge::query::{Limits, Outcome};
use impinge::volume::{OverlapCache, VolumeIndex};

use super::solid_frame::LawBodies;
use super::{ContactLaw, ContactResponse};
use crate::QuantityError;

/// The force is proportional to the negative gradient of the overlap volume of tool and solid.
///
/// ```
/// use impinge::{DVec3, Pose, generate, query::Limits, volume::VolumeIndex};
/// use impinge_dynamics::law::{ContactLaw, ExactVolumeLaw};
/// use std::sync::Arc;
/// let cube = |size| VolumeIndex::new(Arc::new(generate::cuboid(DVec3::splat(size), [1; 3]).unwrap()));
/// let (solid, tool) = (Arc::new(cube(4.0)?), Arc::new(cube(2.0)?));
/// let mut law = ExactVolumeLaw::new(solid, Pose::IDENTITY, tool, 10.0)?;
/// let pressed = law.at(&Pose::from_translation([2.5, 0.0, 0.0])?, Limits::default());
/// // The area of contact is 4 m².
/// assert!((pressed.wrench.force - DVec3::X * 40.0).length() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ExactVolumeLaw {
    bodies: LawBodies<Arc<VolumeIndex>, OverlapCache>,
}

impl ExactVolumeLaw {
    /// A tool against a solid, with a force of `pressure` newtons per square metre of contact.
    ///
    /// # Errors
    /// [`QuantityError`] when the pressure is not positive.
    pub fn new(
        solid: Arc<VolumeIndex>,
        world_from_solid: Pose,
        tool: Arc<VolumeIndex>,
        pressure: f64,
    ) -> Result<Self, QuantityError> {
        let pressure = ("pressure", pressure);
        let cache = OverlapCache::default();
        let bodies = LawBodies::new([solid, tool], world_from_solid, pressure, cache)?;
        Ok(Self { bodies })
    }
}

impl ContactLaw for ExactVolumeLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let found = self
            .bodies
            .ask(world_from_tool, |solid, tool, pose, cache| {
                solid.overlap(tool, pose, limits, cache)
            });
        // Signs that contradict each other are a bug of the library: no force is the safe answer.
        let Ok(found) = found else {
            return ContactResponse {
                outcome: Outcome::OutOfBudget,
                ..ContactResponse::NONE
            };
        };
        let gradient = found.value.gradient;
        let push = [-gradient.translation, -gradient.rotation];
        self.bodies.response(world_from_tool, push, found.outcome)
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        self.bodies.frame.set_pose(solid, world_from_solid)
    }
}
