//! Options: how a BVH is built, refitted and traversed.

use std::num::NonZeroU8;

/// How to build a [`Bvh`](super::Bvh) and how to search with it. Every value is valid and yields the same answers.
///
/// ```
/// use impinge::bvh::tree::{Arity, BvhConfig, BvhPreset};
/// let config = BvhConfig { arity: Arity::Eight, ..BvhConfig::from(BvhPreset::Fast) };
/// assert_ne!(config, BvhConfig::default());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BvhConfig {
    /// Maximum number of children of an inner node.
    pub arity: Arity,
    /// Faces of a leaf, at most; 0 counts as 1.
    pub leaf_faces: u8,
    /// How faces are gathered into nodes.
    pub builder: Builder,
    /// Which of two nodes is opened when both can be. Of two trees, the first one's rule counts.
    pub descent: Descent,
    /// What inner volumes are made of when vertices have moved.
    pub refit: RefitRule,
}

/// Maximum number of children of an inner node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arity {
    /// Two.
    #[default]
    Two,
    /// Four.
    Four,
    /// Eight.
    Eight,
}

impl Arity {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Two, Self::Four, Self::Eight];

    /// The number of children.
    ///
    /// ```
    /// use impinge::bvh::tree::Arity;
    /// assert_eq!(Arity::Four.children(), 4);
    /// ```
    #[must_use]
    pub const fn children(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// How faces are gathered into nodes.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "surface area heuristic")]
#[doc(alias = "SAH")]
pub enum Builder {
    /// Top down, each cut the cheapest of a few planes by the surface-area heuristic.
    BinnedSah,
    /// Top down, cut at the median of the longest spread of middles: a balanced tree.
    Median,
    /// Top down, cut at the middle of the longest side; at the median where that leaves a side empty.
    LongestSide,
    /// Top down, with a rule for axis, point and faces on the plane.
    TopDown(TopDown),
    /// Bottom up: repeatedly, nodes that are each other's best partner become one.
    BottomUp {
        /// How many neighbours in Morton order are examined to each side.
        search: NonZeroU8,
    },
    /// One face after the other, each beside the node where the tree's area grows least.
    Insertion,
    /// The best of several by [`TreeQuality::sah_cost`](super::TreeQuality); the default builder when there are none.
    BestOf(Vec<Builder>),
}

impl Builder {
    /// Bottom up with 14 neighbours to each side.
    ///
    /// ```
    /// use impinge::bvh::tree::Builder;
    /// assert!(matches!(Builder::bottom_up(), Builder::BottomUp { search } if search.get() == 14));
    /// ```
    #[must_use]
    pub fn bottom_up() -> Self {
        Self::BottomUp {
            search: NonZeroU8::new(14).unwrap_or(NonZeroU8::MIN),
        }
    }
}

/// A rule for top-down splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopDown {
    /// The split axis.
    pub axis: SplitAxis,
    /// Where to split along the axis.
    pub point: SplitPoint,
    /// How to assign faces that straddle the split plane.
    pub straddle: Straddle,
}

/// How to choose the split axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitAxis {
    /// The longest side of the faces' box.
    LongestSide,
    /// The longest side of the bounding box of the face centres.
    LongestSpread,
    /// The coordinate axis along which the face centres vary most.
    Variance,
    /// The first principal axis of the face centres.
    Principal,
    /// The direction between two face centres that are (almost) furthest apart.
    Furthest,
    /// x, y, z in turn.
    InTurn,
}

impl SplitAxis {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::LongestSide,
        Self::LongestSpread,
        Self::Variance,
        Self::Principal,
        Self::Furthest,
        Self::InTurn,
    ];
}

/// Where to split along the axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitPoint {
    /// The mean of the face centres.
    Mean,
    /// The median of the face centres.
    Median,
    /// The middle of the faces' extent.
    Middle,
    /// The cheapest of evenly spaced places by the surface-area heuristic.
    Cheapest,
}

impl SplitPoint {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mean, Self::Median, Self::Middle, Self::Cheapest];
}

/// How to assign faces that straddle the split plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Straddle {
    /// To the side of their centroid.
    Centroid,
    /// To the side of the midpoint of their extent along the axis.
    Midpoint,
    /// To both sides, clipped (spatial split), until references outnumber faces two to one.
    Both,
}

impl Straddle {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Centroid, Self::Midpoint, Self::Both];
}

/// Which of two overlapping nodes is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Descent {
    /// Both at once.
    Simultaneous,
    /// The first tree's until its leaves are reached.
    FirstTree,
    /// The larger one.
    #[default]
    Larger,
    /// One after the other.
    Alternate,
    /// The one with fewer children that overlap the other, which costs a look at both; of equals the larger one.
    FewestOverlaps,
    /// The tree that lost a larger part of its children in recent steps of this search; of equals the larger node.
    History,
}

impl Descent {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Simultaneous,
        Self::FirstTree,
        Self::Larger,
        Self::Alternate,
        Self::FewestOverlaps,
        Self::History,
    ];
}

/// What inner volumes are made of when vertices have moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RefitRule {
    /// The volumes of the children: fast, and tight for boxes and k-DOPs.
    #[default]
    Children,
    /// All faces below: as tight as a new tree, in the old shape.
    Faces,
}

/// Ready-made configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BvhPreset {
    /// Built soonest.
    Fast,
    /// Built once, queried often.
    Balanced,
    /// Built for the fewest tests.
    Tight,
}

impl From<BvhPreset> for BvhConfig {
    fn from(preset: BvhPreset) -> Self {
        let (leaf_faces, builder) = match preset {
            BvhPreset::Fast => (4, Builder::BinnedSah),
            BvhPreset::Balanced => (1, Builder::BinnedSah),
            BvhPreset::Tight => (
                1,
                Builder::BestOf(vec![
                    Builder::BinnedSah,
                    Builder::bottom_up(),
                    Builder::Median,
                ]),
            ),
        };
        Self {
            arity: Arity::default(),
            leaf_faces,
            builder,
            descent: Descent::default(),
            refit: RefitRule::default(),
        }
    }
}

impl Default for BvhConfig {
    /// [`BvhPreset::Balanced`].
    fn default() -> Self {
        BvhPreset::Balanced.into()
    }
}
