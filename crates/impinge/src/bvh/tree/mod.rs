//! Trees of any bounding volume, with any builder, arity and rule of descent.
//!
//! **Question.** Which faces of two placed meshes meet, and how far apart are the meshes?
//!
//! **Idea.** One tree, generic over the volume; everything else is a choice in [`BvhConfig`]. All choices give the same
//! answers, so that they can be compared by their [`Work`](crate::query::Work) and their time, and by [`Quality`].
//!
//! **Limits.** For speed alone use the default engine, [`WideTree`](super::wide::WideTree).

mod bottom_up;
mod build;
mod cache;
mod clip;
mod config;
mod descent;
mod index;
mod insertion;
mod intersect;
mod item;
mod nearest;
mod node;
mod quality;
mod refit;
mod sah;
mod shape;
mod top_down;
mod validate;

pub use cache::BvhCache;
pub use config::{
    Arity, Builder, BvhConfig, Descent, Preset, Refit, SplitAxis, SplitPoint, Straddle, TopDown,
};
pub use node::Bvh;
pub use quality::{NodeMeasure, Quality, quality};
pub use refit::RefitError;
