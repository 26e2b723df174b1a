//! Bounding volume hierarchies (BVH) of any volume, with any builder, arity and descent rule.
//!
//! **Question.** Which faces of two placed meshes intersect, and how far apart are the meshes?
//!
//! **Idea.** One tree, generic over the bounding volume; everything else is an option in
//! [`BvhConfig`]. All options give the same answers, so that they can be compared by their
//! [`Work`](crate::query::Work), their time, and [`TreeQuality`].
//!
//! **Limits.** For speed alone use the default engine, [`WideTree`](super::wide::WideTree).

mod bottom_up;
mod build;
mod build_item;
mod cache;
mod config;
mod descent_rule;
mod distance;
mod insertion_build;
mod intersect;
mod mesh_index;
mod node;
mod polygon_clip;
mod refit;
mod sah;
mod top_down;
mod topology;
mod tree_quality;
mod validate;

pub use cache::BvhCache;
pub use config::{
    Arity, Builder, BvhConfig, BvhPreset, Descent, RefitRule, SplitAxis, SplitPoint, Straddle,
    TopDown,
};
pub use node::Bvh;
pub use refit::RefitError;
pub use tree_quality::{NodeMeasure, TreeQuality, tree_quality};
