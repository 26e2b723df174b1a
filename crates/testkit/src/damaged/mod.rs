//! Small meshes, each damaged in one known way, and what must be found in them.
//!
//! The expectations are written by hand, from the way each mesh was damaged; they are exported
//! with the meshes to `corpus/damaged`, so that tools that read files can be held to them too.

mod body;
mod border;
mod junction;
mod model;
mod shape;

pub use model::{Damaged, Expected, damaged_meshes, expected_json, to_obj};
