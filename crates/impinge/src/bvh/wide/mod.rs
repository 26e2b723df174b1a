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
mod line;
mod local_line;
mod locate;
mod nearest;
mod own;
mod point_bound;
mod probe;
mod query;
mod ray;
mod relative;
mod split;
mod tree;
mod validate;
mod winding;

pub use intersect::WideCache;
pub use line::{FaceHit, Line};
pub use nearest::{ClosestFace, PointError};
pub use own::{OwnOptions, Sharing};
pub use probe::ProbeCache;
pub use query::{DistanceError, WideConfig};
pub use tree::WideTree;
pub use winding::WindingIndex;
