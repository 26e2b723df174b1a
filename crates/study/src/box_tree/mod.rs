//! Trees whose boxes are the root's box, cut again and again.
//!
//! No node stores a box. A child is its parent cut at a plane, and two trees are descended with a
//! test between boxes that follows the cuts instead of starting anew ([`ClippedPair`]).
//!
//! | tree | what a node keeps | faces |
//! |---|---|---|
//! | [`CutTree`] | one plane; the children tile their parent | in every leaf they enter |
//! | [`BoxTree`] | two planes across one axis, one for each child | in one leaf |
//! | [`RestrictedTree`] | for each child the sides worth moving | in one leaf |
//!
//! All of them report exactly the pairs of faces that share a point. [`BoxTree`] can also keep a
//! second, inner box for its nodes: without faces, to leave pairs out, and inside the solid, to be sure of
//! a meeting early ([`BoxTree::solids_meet`]).

#[expect(
    clippy::module_inception,
    reason = "the folder is named after its best known tree"
)]
mod box_tree;
mod clipped_pair;
mod counts;
mod cut_build;
mod cut_tree;
mod inner_boxes;
mod leaf_test;
mod partition;
mod relative_frames;
mod restricted_tree;
mod scratch;
pub(crate) mod seen_pairs;
mod solid;
mod split_plane;
mod traverse;

pub use box_tree::{BoxTree, BoxTreeConfig};
pub use clipped_pair::{BoxTest, ClippedPair, PairSide, PlaneCut};
pub use counts::{BoxTreeCounts, TreeShape};
pub use cut_tree::{CutLeaf, CutTree, CutTreeConfig, LeafPair, LeafRule};
pub use inner_boxes::{InnerBox, InnerConfig};
pub use relative_frames::BoxFrames;
pub use restricted_tree::{RestrictedTree, RestrictedTreeConfig};
pub use scratch::BoxTreeCache;
pub use solid::SolidIntersection;
pub use split_plane::CutStrategy;
