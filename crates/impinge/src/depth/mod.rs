//! Penetration depth and signed distance of two solids, and their derivatives by the pose.
//!
//! [`deepest_point`] ≤ [`penetration_depth`] ≤ [`separating_translation`], each with lower and
//! upper bounds. They refer to the polyhedra as given and converge under refinement. For a solid
//! [by winding number](Solid::by_winding) bounds hold only away from holes.
//! `docs/algorithms/penetration-depth.md`.

mod batch;
mod deepest_point;
mod depth_scratch;
mod directional_depth;
mod directional_faces;
mod distance_gradient;
mod min_width;
mod penetration_depth;
mod signed_distance;
mod solid_queries;

pub use crate::bvh::Solid;
pub use batch::{deepest_point_all, penetration_depth_all, signed_distance_all};
pub use deepest_point::{DepthOptions, deepest_point, deepest_point_of_a};
pub use directional_depth::{DirectionalDepth, separating_translation};
pub use distance_gradient::{DistanceGradient, bounded_distance_gradient, distance_gradient};
pub use penetration_depth::{MinTranslation, penetration_depth};
pub use signed_distance::{SignedDistance, signed_distance};
