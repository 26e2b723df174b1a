//! Sphere packings of solids, sphere covers and inner sphere trees.
//!
//! [`pack`] fills a closed mesh, [`pack_interior`] any solid with a closest-point query.
//! [`voronoi_nodes`] are the centres of large empty spheres, [`medial_axis`] joins them,
//! [`SphereGraph`] lists which spheres touch, [`cover`] contains a solid in few spheres, and [`sphere_files`] writes and reads lists of
//! spheres. [`InnerSphereTree`] is a tree over the spheres of a packing that bounds distances and
//! overlap volumes.

#[cfg(feature = "spheres")]
mod cover;
#[cfg(feature = "spheres")]
mod enclosing_ball;
#[cfg(feature = "spheres")]
mod interior;
#[cfg(feature = "spheres")]
mod medial_axis;
#[cfg(feature = "spheres")]
mod pack;
mod solid_ball;
#[cfg(feature = "spheres")]
pub mod sphere_files;
#[cfg(feature = "spheres")]
mod sphere_graph;
#[cfg(feature = "spheres")]
mod tree;

#[cfg(feature = "spheres")]
pub use crate::mesh::SolidError;
#[cfg(feature = "spheres")]
pub use cover::{
    Cover, CoverError, CoverMode, CoverOptions, CoverProof, CoverSequence, SurfaceSolid,
    WindingSolid, cover,
};
#[cfg(feature = "spheres")]
pub use enclosing_ball::enclosing_ball;
#[cfg(feature = "spheres")]
pub use interior::{Interior, MeshSolid};
#[cfg(feature = "spheres")]
pub use medial_axis::{MedialAxis, medial_axis};
#[cfg(feature = "spheres")]
pub use pack::{
    Ascent, Cooling, Feasibility, PackEnd, PackError, PackOptions, PackProgress, PackWork, Packing,
    pack, pack_interior, pack_interior_with, pack_with, voronoi_nodes,
};
pub use solid_ball::SolidBall;
#[cfg(feature = "spheres")]
pub use sphere_graph::SphereGraph;
#[cfg(feature = "spheres")]
pub use tree::{
    BallContact, BallImpact, BallOverlap, BallProximity, BallSeparation, BallVolume, BudgetedForce,
    BudgetedForces, ConeForces, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeError,
    InnerSphereTreeOptions, LeafSurface, NeuralGasOptions, NormalCone, PairForces, PairList,
    RefinedSeparation, SheetError, SheetOverlap, SheetSide, SheetSpheres, SphereSplit, SweptImpact,
    Wrench, secondary_radii, segment_sums,
};
