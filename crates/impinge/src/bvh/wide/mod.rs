//! The default index: an eight-wide tree of oriented boxes in `f32`, exact leaves in `f64`.

mod boxes;
mod build;
mod closest;
mod distance;
mod faces;
mod far;
mod fit;
mod intersect;
mod layout;
mod part;
mod query;
mod relative;
mod sieve;
mod split;
mod tree;
mod validate;

pub use intersect::WideCache;
pub use query::{DistanceError, WideConfig};
pub use tree::WideTree;

pub(crate) use layout::WIDTH;
pub(crate) use part::{Part, PartBox};
pub(crate) use sieve::Sieve;
