//! Wrapping: a closed surface around any triangles.
//!
//! **Question.** Which solid contains a mesh that has holes, doubled faces or no orientation, and
//! stays close to it?
//!
//! **Idea.** The distance to the mesh is sampled at the nodes of a body-centred cubic lattice, in
//! an octree that is fine only near the mesh. A flood from infinity finds the nodes outside;
//! marching tetrahedra put a surface between them and the others. See
//! `docs/algorithms/wrapping.md`.
//!
//! **Promise.** Closed, manifold, facing outward, without self-intersection, exactly and not within
//! rounding; contains the mesh; nowhere farther from it than the offset.
//!
//! **Limits.** Gaps wider than about twice the offset stay open unless [`WrapOptions::gap`] closes
//! them: an open sheet becomes a thin solid. Details smaller than the offset are rounded.

mod cell_tree;
mod lattice;
mod marching;
mod options;
mod outside;
mod wrapping;

pub use options::{WrapError, WrapOptions};
pub use wrapping::{Wrapped, wrap};
