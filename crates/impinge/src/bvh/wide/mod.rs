//! Wide BVH, the default mesh index: eight oriented boxes per node in `f32`, exact leaves in `f64`.
//!
//! One step compares a box of one tree with eight of the other in SIMD lanes; face pairs that `f32`
//! cannot decide go to exact arithmetic. Oriented boxes after Gottschalk, Lin and Manocha 1996.
//! About 75 bytes a face. `docs/algorithms/wide-tree.md`.
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
mod convex_core;
mod convex_faces;
mod convex_search;
mod descent;
mod distance;
mod distance_state;
mod f64_fallback;
mod first_hit_search;
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
mod ray_nodes;
mod ray_or_segment;
mod ray_order;
mod relative_pose;
mod sah_split;
mod self_intersect;
mod serialize;
mod single_tree;
mod slab_ray;
mod stop_poll;
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
pub(crate) use serialize::check_header;
pub use single_tree::SingleTreeCache;
pub use tree::WideTree;
pub use winding_number::WindingIndex;

pub(crate) use cache_slot::{
    DepthScratch, DirectionCone, KnownDepth, OtherSolid, SupportDirection, SurfacePiece,
};
pub(crate) use convex_core::{ConvexCore, CoreKind, MAX_HULL_POINTS};
pub(crate) use convex_search::{ConvexProbe, ConvexVisitor};
pub(crate) use intersect::WantedPairs;
pub(crate) use lane_culling::LaneCulling;
pub(crate) use layout::WIDTH;
pub(crate) use node_view::{NodeBox, NodeView};
pub(crate) use stop_poll::StopPoll;
