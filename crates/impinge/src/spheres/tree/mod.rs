//! Inner sphere trees: hierarchies over the balls of a packing.
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
//! **Limits.** The opposite bounds need the surface, see [`InnerSphereTree::distance`] and [`InnerSphereTree::overlap`]. Where a solid could lie
//! entirely in a gap of the other's packing, touching neither balls nor surface, the lower bound of the distance is 0.

mod budgeted_force;
mod contact;
mod coverage;
mod distance;
mod distance_step;
mod face_refinement;
mod forces;
mod gap_cells;
mod impact;
mod inflated_radii;
mod inner_sphere_tree;
mod leaf_surface;
mod lens_batch;
mod neural_gas;
mod overlap;
mod overlap_step;
mod pair_list;
mod secondary_radii;
mod serialize;
mod split;
mod swept_impact;
mod topology;
mod tree_pair;
mod volume_grid;

pub use budgeted_force::{BudgetedForce, BudgetedForces};
pub use contact::{BallContact, BallProximity};
pub use distance::BallSeparation;
pub use face_refinement::RefinedSeparation;
pub use forces::{ConeForces, Wrench};
pub use impact::BallImpact;
pub use inner_sphere_tree::{InnerSphereTree, InnerSphereTreeError, InnerSphereTreeOptions};
pub use leaf_surface::{LeafSurface, NormalCone};
pub use neural_gas::{NeuralGasOptions, segment_sums};
pub use overlap::BallOverlap;
pub use pair_list::{PairForces, PairList};
pub use secondary_radii::secondary_radii;
pub use split::SphereSplit;
pub use swept_impact::SweptImpact;
pub use tree_pair::InnerSphereTreeCache;
