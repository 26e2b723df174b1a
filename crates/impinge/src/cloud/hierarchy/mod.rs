//! Point cloud hierarchy: do the surfaces of two clouds intersect? Answered without a mesh.
//!
//! A binary tree whose nodes have boxes, slabs and spheres that cover the surface; leaves are
//! tested by Newton's method or by sampling. Klein 2005, section 5.2. The covering is sampled, so
//! an
//! answer is certain only where the clouds are far apart.
//! `docs/algorithms/point-cloud-hierarchy.md`.

mod answer;
mod budget_controller;
mod build;
mod confidence;
mod crossings;
mod distance_bounds;
mod leaf_hulls;
mod leaf_test;
mod node;
mod node_overlap;
mod options;
mod query;
mod refit;
mod relative_pose;
mod serialize;
mod sign_priority;
mod sphere_cover;
mod traverse;
mod validate;

pub use answer::{CloudAnswer, CloudDistance};
pub use budget_controller::{BudgetController, BudgetOptions, CloudBudget};
pub use node::{CloudNode, CloudTree};
pub use options::{
    CloudCollisionOptions, CloudTreeOptions, CoverDraw, LeafTest, NodeSampling, PairPriority,
    SampleSize,
};
pub use query::CloudCollision;
pub use refit::CloudTreeRefit;
