//! Penetration depth and signed distance of two solids, and their derivatives by the pose.
//!
//! Three measures, each with bounds that hold it:
//!
//! | function | the number | closes its bracket |
//! |---|---|---|
//! | [`deepest_point`] | the largest distance of a surface point of one solid, inside the other, from the other's surface | always, to a tolerance |
//! | [`separating_translation`] | the smallest move of `b` along a direction after which the solids are disjoint | when the way out is free, as for convex solids |
//! | [`penetration_depth`] | the smallest move of `b` in any direction after which they are disjoint | for nearly convex solids, and for shallow contacts of convex parts, to a tolerance |
//!
//! They are ordered: the deepest point is never deeper than the penetration depth, which is never larger than any
//! separating translation. All are about the polyhedra as given, so they converge under refinement as the meshes
//! do. [`signed_distance`] is the distance of disjoint solids and minus the deepest-point depth of overlapping
//! ones.
//!
//! Solids are closed meshes, [`Solid::closed`]: each edge has an even number of faces, and inside is meant
//! in the sense of parity. For a solid [by winding number](Solid::by_winding) brackets hold where no hole of the mesh is near: there inside
//! ends without a surface.

mod batch;
mod deepest_point;
mod depth_scratch;
mod directional_depth;
mod directional_faces;
mod distance_gradient;
mod min_translation;
mod min_width;
mod signed_distance;
mod solid_queries;

pub use crate::bvh::Solid;
pub use batch::{deepest_point_all, penetration_depth_all, signed_distance_all};
pub use deepest_point::{DepthOptions, deepest_point, deepest_point_of_a};
pub use directional_depth::{DirectionalDepth, separating_translation};
pub use distance_gradient::{DistanceGradient, bounded_distance_gradient, distance_gradient};
pub use min_translation::{MinTranslation, penetration_depth};
pub use signed_distance::{SignedDistance, signed_distance};
