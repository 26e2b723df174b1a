//! Broad phases: which of many bodies may collide?
//!
//! All implement [`BroadPhase`], return the pairs whose boxes overlap, and can be exchanged at run
//! time with [`swap_broad_phase`]. [`DynamicAabbTree`] is the default; [`FrameCost`] decides when a
//! broad phase pays at all. Which one when: `docs/guide/broad-phases.md`.

mod body_table;
mod broad_phase;
mod brute_force;
mod cell_box;
mod cost_model;
mod dynamic_aabb_tree;
mod hash_grid;
mod hierarchical_grid;
mod large_bodies;
mod linear_bvh8;
mod morton_order;
mod obb_cells;
mod object;
mod octree;
mod octree_changes;
mod pair_counters;
#[cfg(feature = "parallel")]
mod parallel_filter;
mod parallel_resize;
mod radix_sort;
mod regions;
mod slab_octree;
mod sweep_and_prune;
mod uniform_grid;

pub use body_table::BodyTable;
pub use broad_phase::{BroadPhase, Detector, DetectorPhase, key, slots, swap_broad_phase};
pub use brute_force::{BruteForce, BruteForceDetector};
pub use cost_model::FrameCost;
pub use dynamic_aabb_tree::{DynamicAabbTree, DynamicAabbTreeConfig, DynamicAabbTreeDetector};
pub use hash_grid::{HashGrid, HashGridConfig, HashGridDetector};
pub use hierarchical_grid::{HierarchicalGrid, HierarchicalGridDetector};
pub use object::{Bounds, BroadError, BroadWork, ObjectId, ObjectPair, PairChange};
pub use octree::{Octree, OctreeConfig, OctreeDetector, OctreeMoves};
pub use regions::{RegionDetector, RegionPartition};
pub use slab_octree::{SlabDirections, SlabOctree, SlabOctreeDetector};
pub use sweep_and_prune::{
    SweepAndPrune, SweepAndPruneDetector, SweepAxes, SweepConfig, SweepCounters,
};
pub use uniform_grid::{OrientedCells, UniformGrid, UniformGridConfig, UniformGridDetector};
