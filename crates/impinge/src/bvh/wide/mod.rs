//! Wide BVH, the default mesh index: eight oriented boxes per node in `f32`, exact leaves in `f64`.
//!
//! **Question.** Do two placed meshes meet, in which faces, and how far apart are they?
//! **Idea.** Each node holds eight individually fitted boxes, so that one step compares a box of one
//! tree with eight of the other in SIMD lanes. Leaves hold eight faces around an origin of their
//! own; most face pairs are decided in lanes as well, and only those that `f32` cannot decide go to
//! exact arithmetic, or are measured in `f64`.
//! **Source.** Gottschalk, Lin and Manocha's oriented boxes (1996), made wide; the margins are derived
//! in `relative_pose.rs` and `triangle_lanes.rs`.
//! **Cost.** About 75 bytes a face; some 4 ns for a pair of boxes with AVX2.
//! **Promise.** The answers are those of exact arithmetic on the placed coordinates, whatever the
//! instructions, the cache or the number of threads that built the tree.
//! **Limits.** Meshes that differ a billionfold in size, or are farther apart than 64 times their
//! size, are answered by a slower search in `f64`.
#![expect(
    clippy::needless_range_loop,
    reason = "lanes, corners and axes are numbered; iterators with closures would lose the vector instructions"
)]

mod ball_cast;
pub mod batch;
mod bounded_queries;
mod build;
mod bvtt_front;
mod bvtt_front_update;
mod cache_slot;
mod candidate_distances;
mod closest_point;
mod descent;
mod distance;
mod f64_fallback;
mod intersect;
mod lane_culling;
mod layout;
mod leaf_distance_bounds;
mod leaf_fill;
mod leaf_view;
mod local_ray;
mod node_view;
mod obb_fit;
mod obb_lanes;
mod point_box_bound;
mod queries;
mod ray_cast;
mod ray_crossings;
mod ray_or_segment;
mod relative_pose;
mod sah_split;
mod self_intersect;
mod serialize;
mod single_tree;
mod tree;
mod tree_quality;
mod triangle_distance_lanes;
mod triangle_lanes;
mod validate;
mod winding_number;
mod within_distance;

pub use ball_cast::{BallCastError, BallFaceHit};
pub use closest_point::{ClosestFace, PointError};
pub use intersect::WideCache;
pub use leaf_view::LeafBox;
pub use queries::{BoxKind, DistanceError, WideConfig};
pub use ray_or_segment::{FaceHit, RayOrSegment};
pub use self_intersect::{SelfIntersectOptions, SharedCornerRule};
pub use serialize::LoadError;
#[cfg(feature = "spheres")]
pub(crate) use serialize::check_header;
pub use single_tree::SingleTreeCache;
pub use tree::WideTree;
pub use winding_number::WindingIndex;

pub(crate) use cache_slot::{
    DepthScratch, DirectionCone, KnownDepth, OtherSolid, SupportDirection, SurfacePiece,
};
pub(crate) use lane_culling::LaneCulling;
pub(crate) use layout::WIDTH;
pub(crate) use node_view::{NodeBox, NodeView};
