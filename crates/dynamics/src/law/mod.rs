//! Contact laws: the wrench that drives a tool out of a solid.
//!
//! **Question.** A tool overlaps a solid: which force and torque push it out?
//! **Idea.** One trait with six implementations: the gradient of the exact overlap volume, inner sphere trees by cones of normals,
//! inner sphere trees by the lens gradient within a budget or with friction, Voxmap-PointShell, and the deepest point.
//! **Source.** Weller 2012 for spheres and cones; McNeely and others 1999 for voxels.
//! **Promise.** A law is a function of the pose alone, except for the budgeted one, whose threshold adapts slowly to its work,
//! and friction, which remembers the way of the tool.
//! **Limits.** None of them holds a tool that has passed the middle of a thin solid; the
//! [guard](crate::guard) does.
//!
//! | law | force grows with | cost grows with | use it for |
//! |---|---|---|---|
//! | [`ExactVolumeLaw`] | area of contact | faces that cross | truth, coarse meshes |
//! | [`ConeLaw`] | volume | spheres that overlap | detailed solids, the default |
//! | [`BudgetedSphereLaw`] | area of contact | at most its budget | a bounded tick |
//! | [`FrictionLaw`] | area of contact | spheres that overlap | contact with friction |
//! | [`VoxmapLaw`] | depths of points | points near the solid | one static, one small body |
//! | [`DepthLaw`] | greatest depth | faces near the contact | convex parts |

mod depth;
mod exact_volume;
mod solid_frame;
mod spheres;
mod volumetric_friction;
mod voxmap;

pub use depth::DepthLaw;
pub use exact_volume::ExactVolumeLaw;
pub use spheres::{BudgetedSphereLaw, ConeLaw};
pub use volumetric_friction::{FrictionDesc, FrictionLaw};
pub use voxmap::VoxmapLaw;

use impinge::Pose;
use impinge::query::{Limits, Outcome};

use crate::Wrench;

/// The result of a contact law at a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactResponse {
    /// On the tool, about the tool's origin, in world axes.
    pub wrench: Wrench,
    /// An estimate of how fast the force falls as the tool moves along it, in N/m; 0 when nothing is known.
    pub stiffness: f64,
    /// Whether the law was fully evaluated.
    pub outcome: Outcome,
}

impl ContactResponse {
    /// No contact.
    pub const NONE: Self = Self {
        wrench: Wrench::ZERO,
        stiffness: 0.0,
        outcome: Outcome::Complete,
    };
}

/// A rule that gives the wrench on a tool at a pose.
///
/// ```
/// use impinge::{DVec3, Pose, query::Limits};
/// use impinge_dynamics::{Wrench, law::{ContactLaw, ContactResponse}};
/// /// A floor of springs.
/// struct Floor(f64);
/// impl ContactLaw for Floor {
///     fn at(&mut self, world_from_tool: &Pose, _: Limits<'_>) -> ContactResponse {
///         let depth = (-world_from_tool.translation().y).max(0.0);
///         let wrench = Wrench::from_force(DVec3::Y * (self.0 * depth));
///         ContactResponse { wrench, stiffness: self.0, ..ContactResponse::NONE }
///     }
/// }
/// let pressed = Floor(500.0).at(&Pose::from_translation([0.0, -0.01, 0.0])?, Limits::default());
/// assert_eq!(pressed.wrench.force, DVec3::Y * 5.0);
/// # Ok::<(), impinge::PoseError>(())
/// ```
pub trait ContactLaw {
    /// The wrench on a tool at this pose.
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse;

    /// Moves a solid, by its number; returns whether there is one that can move. A law of one solid has number 0.
    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        let _ = (solid, world_from_solid);
        false
    }
}

impl<L: ContactLaw + ?Sized> ContactLaw for Box<L> {
    fn at(&mut self, world_from_tool: &Pose, limits: Limits<'_>) -> ContactResponse {
        (**self).at(world_from_tool, limits)
    }

    fn set_pose(&mut self, solid: usize, world_from_solid: &Pose) -> bool {
        (**self).set_pose(solid, world_from_solid)
    }
}
