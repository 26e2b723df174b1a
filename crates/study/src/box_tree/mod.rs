//! Box-trees: trees whose boxes are the root's box, cut repeatedly.
//!
//! No node stores a box. A child is its parent cut at a plane, and two trees are traversed with a
//! box test that is updated by the cuts ([`ClippedPair`]).
//!
//! | tree | what a node keeps | faces |
//! |---|---|---|
//! | [`CutTree`] | one plane; the children tile their parent | in every leaf they enter |
//! | [`BoxTree`] | two planes across one axis, one for each child | in one leaf |
//! | [`RestrictedTree`] | for each child the sides worth moving | in one leaf |
//!
//! All of them report exactly the pairs of faces that share a point. [`BoxTree`] can also keep a
//! second, inner box for its nodes: an empty one excludes pairs, and one inside the solid proves an
//! intersection early ([`BoxTree::solids_meet`]).

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
