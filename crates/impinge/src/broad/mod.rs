//! Broad phases: which of many bodies come near each other?
//!
//! A broad phase knows bodies by their bounds and finds the pairs whose boxes overlap, so that only those need an exact answer.
//! All implement [`BroadPhase`], give the same answers, and can be exchanged at run time with [`exchange`].
//!
//! | | idea | for |
//! |---|---|---|
//! | [`Tree`] | widened boxes in a tree of eight | everything; the default |
//! | [`Exhaustive`] | all pairs, eight at a time | fewer than about a hundred bodies |
//! | [`SweepPrune`] | sorted ends, repaired by exchanges | few changes of order between frames |
//! | [`Grid`] | lists by cell of a bounded universe | bodies of one size in a known space |
//! | [`HashGrid`] | the same without borders, made anew each time | bodies of one size anywhere |
//! | [`HierarchicalGrid`] | cells of doubling size | sizes that differ by orders of magnitude |
//! | [`Octree`] | lists by octant | few large bodies among small ones |
//! | [`SlabOctree`] | intervals along up to 13 directions | slanted bodies with oriented boxes |
//! | [`Regions`] | a broad phase per region | rooms of different kind |
//!
//! Unbounded boxes are allowed everywhere; they are compared with all others. [`FrameCost`] tells when a broad phase
//! pays at all.

mod bodies;
mod cells;
mod cost;
mod exhaustive;
mod grid;
mod grow;
mod hash_grid;
mod hierarchical_grid;
mod large;
mod levels;
mod object;
mod octree;
mod order;
mod pair_set;
mod phase;
#[cfg(feature = "parallel")]
mod pieces;
mod radix;
mod regions;
mod slab_octree;
mod stab;
mod sweep_prune;
mod tree;

pub use bodies::Bodies;
pub use cost::FrameCost;
pub use exhaustive::{AllPairs, Exhaustive};
pub use grid::{CellLists, Grid, GridConfig, OrientedCells};
pub use hash_grid::{Buckets, HashGrid, HashGridConfig};
pub use hierarchical_grid::{HierarchicalGrid, LevelCells};
pub use object::{Bounds, BroadError, BroadWork, Change, ObjectId, Pair};
pub use octree::{Octants, Octree, OctreeConfig};
pub use phase::{BroadPhase, Detector, Phase, exchange, key, slots};
pub use regions::{RegionList, Regions};
pub use slab_octree::{SlabCells, SlabDirections, SlabOctree};
pub use sweep_prune::{SortedEnds, SweepAxes, SweepConfig, SweepCounters, SweepPrune};
pub use tree::{BoxTree, Tree, TreeConfig};
