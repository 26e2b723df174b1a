//! Balls in a solid: packings and what is built on them.
//!
//! [`pack`] fills a closed mesh, [`pack_interior`] any solid that knows its surface. [`voronoi_nodes`] are the places where
//! large balls would sit, [`SphereGraph`] tells which balls touch, [`cover`] surrounds a solid by few balls, and [`exchange`] writes
//! and reads lists of balls. [`SphereTree`] is a tree over the balls of a packing that bounds distances and shared volumes.

mod ball;
mod cover;
mod enclosing;
pub mod exchange;
mod graph;
mod interior;
mod pack;
mod tree;

pub use ball::SolidBall;
pub use cover::{Cover, CoverError, CoverOptions, cover};
pub use enclosing::enclosing_ball;
pub use graph::SphereGraph;
pub use interior::{Interior, MeshSolid, SolidError};
pub use pack::{
    Ascent, Cooling, Feasibility, PackEnd, PackError, PackOptions, PackProgress, PackWork, Packing,
    VoxelError, VoxelOptions, VoxelPacking, converge, pack, pack_interior, pack_interior_with,
    pack_single, pack_voxels, pack_voxels_with, pack_with, voronoi_nodes,
};
pub use tree::{
    BallContact, BallImpact, BallMeeting, BallOverlap, BallSeparation, ConeForces, GasOptions,
    LeafSurface, NormalCone, RefinedSeparation, SphereTree, Split, TreeCache, TreeError,
    TreeOptions, Wrench, secondary_radii, segment_sums,
};
