//! Balls in a solid: packings and what is built on them.
//!
//! [`pack`] fills a closed mesh, [`pack_interior`] any solid that knows its surface. [`voronoi_nodes`] are the places where
//! large balls would sit, [`SphereGraph`] tells which balls touch, [`cover`] surrounds a solid by few balls, and [`sphere_files`] writes
//! and reads lists of balls. [`InnerSphereTree`] is a tree over the balls of a packing that bounds distances and shared volumes.

mod cover;
mod enclosing_ball;
mod interior;
mod pack;
mod solid_ball;
pub mod sphere_files;
mod sphere_graph;
mod tree;

pub use cover::{Cover, CoverError, CoverOptions, cover};
pub use enclosing_ball::enclosing_ball;
pub use interior::{Interior, MeshSolid, SolidError};
pub use pack::{
    Ascent, Cooling, Feasibility, PackEnd, PackError, PackOptions, PackProgress, PackWork, Packing,
    VoxelError, VoxelOptions, VoxelPacking, converge, pack, pack_interior, pack_interior_with,
    pack_single, pack_voxels, pack_voxels_with, pack_with, voronoi_nodes,
};
pub use solid_ball::SolidBall;
pub use sphere_graph::SphereGraph;
pub use tree::{
    BallContact, BallImpact, BallOverlap, BallProximity, BallSeparation, BudgetedForce,
    BudgetedForces, ConeForces, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeError,
    InnerSphereTreeOptions, LeafSurface, NeuralGasOptions, NormalCone, PairForces, PairList,
    RefinedSeparation, SphereSplit, SweptImpact, Wrench, secondary_radii, segment_sums,
};
