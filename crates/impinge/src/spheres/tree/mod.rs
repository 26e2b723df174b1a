//! Trees over the balls of a packing: inner sphere trees.
//!
//! **Question.** How far apart are two packed solids, or how much of them overlaps, without looking at every ball?
//!
//! **Idea.** The leaves are the balls of a packing, disjoint and inside. A node is the smallest ball around all *leaves* below it, which may be
//! smaller than a ball around its children. One step compares a ball with the eight children of a node in vector lanes.
//!
//! **Source.** Weller and Zachmann's inner sphere trees (2009); wrapped hierarchies: Agarwal, Guibas, Nguyen, Russel and Zhang, 2004,
//! doi:10.1016/j.comgeo.2004.05.001.
//!
//! **Cost.** A node of eight children takes 192 bytes; a ball about 100 with all that is attached to it.
//!
//! **Promise.** Every ball lies in every node above it, rounding included. The gap of two trees is at least the distance of the solids, and
//! their lens sum at most the volume that the solids share.
//!
//! **Limits.** Bounds on the other side need the surface, see [`SphereTree::distance`] and [`SphereTree::overlap`]. Where a solid could lie as a
//! whole in a gap of the other's packing, touching neither balls nor surface, they say nothing.

mod approach;
mod blocks;
mod distance;
mod faces;
mod fit;
mod forces;
mod gaps;
mod gas;
mod grid;
mod impact;
mod leaf;
mod lenses;
mod meeting;
mod overlap;
mod plan;
mod reach;
mod scene;
mod secondary;
mod split;
mod store;
mod swollen;

pub use distance::BallSeparation;
pub use faces::RefinedSeparation;
pub use fit::{SphereTree, TreeError, TreeOptions};
pub use forces::{ConeForces, Wrench};
pub use gas::{GasOptions, segment_sums};
pub use impact::BallImpact;
pub use leaf::{LeafSurface, NormalCone};
pub use meeting::{BallContact, BallMeeting};
pub use overlap::BallOverlap;
pub use scene::TreeCache;
pub use secondary::secondary_radii;
pub use split::Split;
