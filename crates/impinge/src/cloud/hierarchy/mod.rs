//! Point cloud hierarchy: do the surfaces of two clouds intersect? Answered without a mesh.
//!
//! **Question.** Two clouds, one placed in the frame of the other: is there a place where both functions are zero? How far apart are the surfaces?
//! **Idea.** A binary tree of the points. A node has a box, the plane its points are nearest to with how thick they lie about it, a few of its points as samples, and a radius
//! with which balls about the samples cover the surface inside; a leaf also lists the points just outside its box, so that the function can be evaluated from what the leaf knows.
//! Two nodes are excluded when boxes, slabs or balls are apart. Those left are ordered by how many samples of one lie on either side of the other, and at two leaves places between them are tested:
//! at random, on a lattice, by brackets along the surface, or by Newton's steps towards the common zero.
//! **Source.** Klein, 5.2. Ours: the slabs, samples chosen farthest-first, a covering of the cells of the points instead of hulls, and Newton's steps.
//! **Cost.** O(n log n) to build; tens of microseconds for a query. **Promise.** Deterministic by seed; nothing is allocated once a query has run a few times.
//! **Limits.** The covering is sampled: a part of the surface below one in a hundred may stick out a little. An answer is certain only when the boxes, or for a distance a plane between the points, show that the surfaces are far apart.

mod answer;
mod budget_controller;
mod build;
mod confidence;
mod crossings;
mod distance_bounds;
mod leaf_test;
mod node;
mod node_overlap;
mod options;
mod query;
mod relative_pose;
mod sphere_cover;
mod traverse;
mod validate;

pub use answer::{CloudAnswer, CloudDistance};
pub use budget_controller::{BudgetController, BudgetOptions, CloudBudget};
pub use node::{CloudNode, CloudTree};
pub use options::{CloudCollisionOptions, CloudTreeOptions, LeafTest, SampleSize};
pub use query::CloudCollision;
