//! Wrapping (alpha wrap): a closed surface around any triangles.
//!
//! Marching tetrahedra on a body-centred cubic lattice that is fine only near the mesh. The result
//! is closed, manifold, faces outward, does not intersect itself, contains the mesh, and is nowhere
//! farther from it than the offset. `docs/algorithms/wrapping.md`.

mod cell_tree;
mod lattice;
mod marching;
mod options;
mod outside;
mod wrapping;

pub use options::{WrapError, WrapOptions};
pub use wrapping::{Wrapped, wrap};
