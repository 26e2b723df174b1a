//! Broad phases: which of many bodies may collide?
//!
//! A broad phase knows bodies by their bounds and finds the pairs whose boxes overlap, so that only those need an exact answer.
//! All implement [`BroadPhase`], give the same answers, and can be exchanged at run time with [`swap_broad_phase`].
//!
//! | | idea | for |
//! |---|---|---|
//! | [`DynamicAabbTree`] | widened boxes in a tree of eight | everything; the default |
//! | [`BruteForce`] | all pairs, eight at a time | fewer than about a hundred bodies |
//! | [`SweepAndPrune`] | sorted ends, repaired by exchanges | few changes of order between frames |
//! | [`UniformGrid`] | lists by cell of a bounded universe | bodies of one size in a known space |
//! | [`HashGrid`] | the same without borders, rebuilt each time | bodies of one size anywhere |
//! | [`HierarchicalGrid`] | cells of doubling size | sizes that differ by orders of magnitude |
//! | [`Octree`] | lists by octant | few large bodies among small ones |
//! | [`SlabOctree`] | intervals along up to 13 directions | slanted bodies with oriented boxes |
//! | [`RegionPartition`] | a broad phase per region | rooms of different kind |
//!
//! Unbounded boxes are allowed everywhere; they are compared with all others. [`FrameCost`] tells when a broad phase
//! pays at all.

mod aabb_tree;
mod body_table;
mod broad_phase;
mod brute_force;
mod cell_box;
mod cost_model;
mod hash_grid;
mod hierarchical_grid;
mod large_bodies;
mod linear_bvh8;
mod morton_order;
mod obb_cells;
mod object;
mod octree;
mod pair_counters;
#[cfg(feature = "parallel")]
mod parallel_filter;
mod parallel_resize;
mod radix_sort;
mod regions;
mod slab_octree;
mod sweep_and_prune;
mod uniform_grid;

pub use aabb_tree::{DynamicAabbTree, DynamicAabbTreeConfig, DynamicAabbTreeDetector};
pub use body_table::BodyTable;
pub use broad_phase::{BroadPhase, Detector, DetectorPhase, key, slots, swap_broad_phase};
pub use brute_force::{BruteForce, BruteForceDetector};
pub use cost_model::FrameCost;
pub use hash_grid::{HashGrid, HashGridConfig, HashGridDetector};
pub use hierarchical_grid::{HierarchicalGrid, HierarchicalGridDetector};
pub use object::{Bounds, BroadError, BroadWork, ObjectId, ObjectPair, PairChange};
pub use octree::{Octree, OctreeConfig, OctreeDetector};
pub use regions::{RegionDetector, RegionPartition};
pub use slab_octree::{SlabDirections, SlabOctree, SlabOctreeDetector};
pub use sweep_and_prune::{
    SweepAndPrune, SweepAndPruneDetector, SweepAxes, SweepConfig, SweepCounters,
};
pub use uniform_grid::{OrientedCells, UniformGrid, UniformGridConfig, UniformGridDetector};
