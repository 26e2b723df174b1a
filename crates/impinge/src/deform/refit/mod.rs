//! A BVH that is refitted while the scene deforms.
//!
//! An implicit tree with eight children per node: faces are ordered once, and a part of the order
//! whose faces have moved apart is sorted again. Van den Bergen 1997; Larsson and Akenine-Möller
//! 2001. No pair is lost. `docs/algorithms/deforming-scenes.md`.

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
