//! The gradient of the exact overlap volume.

use std::sync::Arc;

use impinge::Pose;
use impinge::query::{Limits, Outcome};
use impinge::volume::{OverlapCache, VolumeIndex};

use super::solid_frame::SolidFrame;
use super::{ContactLaw, ContactResponse};
use crate::{QuantityError, quantity};

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
    solid: Arc<VolumeIndex>,
    frame: SolidFrame,
    tool: Arc<VolumeIndex>,
    pressure: f64,
    cache: OverlapCache,
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
        Ok(Self {
            solid,
            frame: SolidFrame::new(world_from_solid),
            tool,
            pressure: quantity::positive("pressure", pressure)?,
            cache: OverlapCache::default(),
        })
    }
}

impl ContactLaw for ExactVolumeLaw {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        let solid_from_tool = self.frame.solid_from_tool(world_from_tool);
        let found = self
            .solid
            .overlap(&self.tool, &solid_from_tool, limits, &mut self.cache);
        // Signs that contradict each other are a bug of the library: no force is the safe answer.
        let Ok(found) = found else {
            return ContactResponse {
                outcome: Outcome::OutOfBudget,
                ..ContactResponse::NONE
            };
        };
        let gradient = found.value.gradient;
        let wrench = [
            gradient.translation * -self.pressure,
            gradient.rotation * -self.pressure,
        ];
        self.frame.response(world_from_tool, wrench, found.outcome)
    }
}
