//! Inner sphere trees (IST): hierarchies over the spheres of a packing.
//!
//! A node is the smallest enclosing sphere of all leaves below it (a wrapped hierarchy). The gap of
//! two trees is at least the distance of the solids, their lens sum at most the overlap volume; the
//! opposite bounds need the surface. Weller and Zachmann 2009.
//! `docs/algorithms/inner-sphere-trees.md`.

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
mod meeting_faces;
mod neural_gas;
mod overlap;
mod overlap_step;
mod pair_list;
mod secondary_radii;
mod serialize;
mod shared_volume;
mod sheet_space;
mod sheet_spheres;
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
pub use shared_volume::BallVolume;
pub use sheet_spheres::{SheetError, SheetOverlap, SheetSide, SheetSpheres};
pub use split::SphereSplit;
pub use swept_impact::SweptImpact;
pub use tree_pair::InnerSphereTreeCache;
