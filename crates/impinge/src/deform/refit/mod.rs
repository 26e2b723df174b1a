//! A BVH that is refitted while the scene deforms.
//!
//! **Question.** All pairs of faces that meet, frame after frame, when neighbours stay neighbours.
//! **Idea.** Faces are ordered once so that neighbours in space are neighbours in the order; eight in a row are a leaf, eight leaves a node, and so
//! on. The tree is nothing but this order, so that a frame costs one pass over the faces for the boxes of a
//! level and an eighth of that for the next. Then every leaf asks the tree, eight boxes at a time, which leaves after it may meet. Where motion has torn a
//! part of the order apart, which its boxes show, that part alone is ordered again.
//! **Source.** Van den Bergen 1997 (refitting); Larsson and Akenine-Möller 2001 (bottom-up, top-down, hybrid); implicit wide trees are ours.
//! **Cost.** Linear in the faces to refit, about logarithmic per leaf to ask; see `docs/algorithms/deforming-scenes.md`.
//! **Promise.** No pair is lost: boxes are compared in `f32` after a monotone map (shift, then rounding), under which intervals that
//! overlap still overlap.
//! **Limits.** Scenes much larger than their detail (beyond some 10⁵ to 1) have loose boxes and many candidates.

mod box_lanes;
mod engine;
mod face_order;
mod lazy_refit;
mod leaf_corners;
mod refit_bvh;
mod self_traversal;

pub use engine::{RefitBvhEngine, RefitMode, RefitOptions};

pub(super) use box_lanes::{BoxGroup, LaneBounds, Point, QueryBox, WIDTH, point};
pub(super) use refit_bvh::{MOST_LEVELS, RefitBvh};
pub(super) use self_traversal::{each_candidate, leaf_parts};
