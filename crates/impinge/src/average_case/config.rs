//! Options for building and querying an average-case tree.

use std::sync::Arc;

use thiserror::Error;

use super::probability_tables::BinTables;

/// How to build an [`AverageTree`](super::AverageTree).
///
/// ```
/// use impinge::average_case::{AverageConfig, CellCounting};
/// let config = AverageConfig { counting: CellCounting::Exact, ..AverageConfig::default() };
/// assert!(config.resolution < AverageConfig::coarse().resolution && config.resolution > AverageConfig::fine().resolution);
/// assert_eq!(AverageConfig::thesis().kappa, 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageConfig {
    /// Nodes whose longest side is at most this fraction of the root's are leaves; 0 for none. Longer faces are cut: the tree keeps no faces.
    pub resolution: f64,
    /// Nodes of at most this many pieces of faces are leaves; 0 counts as 1.
    pub leaf_faces: u32,
    /// Into how many children nodes are split.
    pub split: Arity,
    /// By what two children are compared with others.
    pub cost: SplitCost,
    /// How possible collision cells are counted.
    pub counting: CellCounting,
    /// A cell is a possible collision cell when it holds this fraction of its largest planar section. 1 as published, which loses sheets
    /// parallel to the axes: they fill 1/√2 of it.
    pub kappa: f64,
    /// Whether to keep how fast boxes shrink below each node, in 4 bytes more. Otherwise each query with [`OpeningOrder::Shrinking`] works it out when it is made.
    pub keep_factors: bool,
    /// Into how many cells each side of a node is divided: 8 as published, from 1 to 16. Values beyond count as these. Both trees of a query need the same number.
    pub cells_per_side: u32,
}

impl AverageConfig {
    /// As published: down to single faces, children of least volume, a threshold of 1, cells counted exactly.
    #[must_use]
    pub fn thesis() -> Self {
        Self {
            resolution: 0.0,
            leaf_faces: 1,
            split: Arity::Binary,
            cost: SplitCost::ChildVolume,
            counting: CellCounting::Exact,
            kappa: 1.0,
            keep_factors: false,
            cells_per_side: 8,
        }
    }

    /// More and smaller leaves: fewer wrong answers about shallow contacts, a larger tree.
    #[must_use]
    pub fn fine() -> Self {
        Self {
            resolution: 1.0 / 64.0,
            ..Self::default()
        }
    }

    /// Fewer and larger leaves: faster and less certain answers.
    #[must_use]
    pub fn coarse() -> Self {
        Self {
            resolution: 1.0 / 10.0,
            ..Self::default()
        }
    }
}

impl Default for AverageConfig {
    fn default() -> Self {
        Self {
            resolution: 1.0 / 24.0,
            leaf_faces: 1,
            split: Arity::Binary,
            cost: SplitCost::SurfaceArea,
            counting: CellCounting::Smooth,
            kappa: 0.5,
            keep_factors: false,
            cells_per_side: 8,
        }
    }
}

/// Into how many children a node is split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arity {
    /// Two, by the [`SplitCost`].
    #[default]
    Binary,
    /// Up to eight, about the middle of the box.
    Octants,
}

/// By what a division into two children is compared with others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitCost {
    /// The surface-area heuristic: areas of the children's boxes, each times its number of pieces.
    #[default]
    SurfaceArea,
    /// The sum of the volumes of the children's boxes, as published. Flat boxes count with their least thickness.
    ChildVolume,
}

/// How possible collision cells are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellCounting {
    /// Every face is cut to the cells of every node it belongs to.
    Exact,
    /// Descendants that are at most as large as a cell stand for cells; each counts or does not.
    Approximate,
    /// The same, but a descendant that is not full counts in part: half a leaf is half a sheet.
    #[default]
    Smooth,
}

/// Options of an [`AverageQuery`](super::AverageQuery).
///
/// ```
/// use impinge::average_case::AverageOptions;
/// let fast = AverageOptions { k_min: 5, ..AverageOptions::default() };
/// assert_eq!(fast.p_min, AverageOptions::thesis().p_min);
/// ```
#[derive(Clone, Debug)]
pub struct AverageOptions {
    /// The probability at which a pair of nodes counts as a collision.
    pub p_min: f64,
    /// How many such pairs are enough for an answer.
    pub k_min: u32,
    /// How probabilities follow from numbers of cells.
    pub estimate: Estimate,
    /// The probability that two surfaces intersect in a cell that is possible for both.
    pub certainty: Certainty,
    /// The number of parts into which each side of a cell is divided in the model. A sheet occupies
    /// r² of the r³ parts, so that r times as many parts as cells are expected to contain both
    /// surfaces. 1 as published; from 0 to a million.
    pub refinement: f64,
    /// How the overlap volume of two boxes is estimated.
    pub shared: SharedVolume,
    /// How cells of nodes of different size are compared.
    pub correction: CellCorrection,
    /// Which pair of nodes is opened next.
    pub order: OpeningOrder,
    /// How two leaves are handled.
    pub leaves: LeafRule,
    /// What is answered when all pairs have been examined.
    pub at_end: UndecidedAnswer,
    /// Pairs less likely than this are skipped; 0 to skip none. Answers that skipped something are
    /// never certain.
    pub ignore_below: f64,
    /// How many contact regions are kept.
    pub max_regions: usize,
}

impl AverageOptions {
    /// As published: ten cells at most, certainty by depth, the published volume, only pairs of boxes.
    #[must_use]
    pub fn thesis() -> Self {
        Self {
            estimate: Estimate::Capped { x_max: 10 },
            certainty: Certainty::DepthAtLeaves,
            refinement: 1.0,
            shared: SharedVolume::Thesis,
            correction: CellCorrection::Descend,
            leaves: LeafRule::Boxes,
            at_end: UndecidedAnswer::No,
            ignore_below: f64::MIN_POSITIVE,
            ..Self::default()
        }
    }
}

impl Default for AverageOptions {
    fn default() -> Self {
        Self {
            p_min: 0.99,
            k_min: 10,
            estimate: Estimate::Floor,
            certainty: Certainty::Depth,
            refinement: 2.8,
            shared: SharedVolume::Spread,
            correction: CellCorrection::Sheet,
            order: OpeningOrder::Probable,
            leaves: LeafRule::Planes,
            at_end: UndecidedAnswer::Likelier,
            ignore_below: 0.0,
            max_regions: 0,
        }
    }
}

/// How the probability of a collision follows from numbers of cells.
#[derive(Clone, Debug, Default)]
pub enum Estimate {
    /// A floor of the others that needs no sum: see [`least_probability`](super::least_probability).
    #[default]
    Floor,
    /// Over all numbers of cells: see [`expected_probability`](super::expected_probability).
    Expected,
    /// The best over at most `x_max` cells, computed: see [`capped_probability`](super::capped_probability).
    Capped {
        /// How many cells are examined.
        x_max: u32,
    },
    /// The same from tables.
    Tables(Arc<BinTables>),
}

/// What is known of two nodes when their [`Certainty`] is requested.
///
/// ```
/// use impinge::average_case::NodePair;
/// let roots = NodePair { depths: [0, 0], max_depths: [12, 9], cells: [200, 180], edges: [1.0, 0.8] };
/// // The certainty as published is the part of both depths.
/// let by_depth = |pair: &NodePair| {
///     f64::from(pair.depths[0] + pair.depths[1]) / f64::from(pair.max_depths[0] + pair.max_depths[1])
/// };
/// assert_eq!(by_depth(&roots), 0.0);
/// assert_eq!(by_depth(&NodePair { depths: [4, 3], ..roots }), 1.0 / 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodePair {
    /// The depths of both; 0 for roots.
    pub depths: [u32; 2],
    /// The depths of both trees.
    pub max_depths: [u32; 2],
    /// The possible collision cells of both.
    pub cells: [u32; 2],
    /// The edges of cubes as large as the nodes, in roots' longest sides.
    pub edges: [f64; 2],
}

/// The probability that surfaces really meet in a cell that is possible for both.
///
/// ```
/// use impinge::average_case::{AverageOptions, AverageQuery, AverageTree, Certainty};
/// use impinge::{Pose, bound::Aabb, generate::icosphere, query::Limits};
/// use std::sync::Arc;
/// let ball = Arc::new(AverageTree::<Aabb>::new(&icosphere(1.0, 16)?, &Default::default()));
/// // Surer of nodes that are small, whatever their depth.
/// let certainty = Certainty::Own(|pair| 1.0 - pair.edges[0].max(pair.edges[1]).min(1.0));
/// let mut query = AverageQuery::new(ball.clone(), ball, AverageOptions { certainty, ..Default::default() })?;
/// let meeting = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
/// assert!(meeting.verdict.answer && !meeting.verdict.certain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub enum Certainty {
    /// As deep as both nodes are in parts of the trees' depths; 1 for two leaves, however deep.
    #[default]
    Depth,
    /// The same without exception, as published: leaves that are not the deepest are less certain. 1 for two trees of one node each.
    DepthAtLeaves,
    /// The same everywhere, from 0 to 1.
    Fixed(f64),
    /// A custom function. Its result is clamped to 0 to 1; NaN counts as 0.
    Own(fn(&NodePair) -> f64),
}

/// How the overlap volume of two boxes is estimated: see [`BoxPair`](super::BoxPair). With [`CellCorrection::Descend`] nodes below the larger one are
/// measured in the same way, but by slabs for [`SharedVolume::Spread`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedVolume {
    /// From the boxes around each other, as if the surface of each were spread over all of that box, and of flat boxes as of walls, unless they have gaps. Not a volume alone: what
    /// cells that are cubes would need in common for as many meetings.
    #[default]
    Spread,
    /// From the boxes around each other, never too small.
    Slabs,
    /// The published expression.
    Thesis,
    /// By cutting.
    Exact,
}

/// How cells of nodes of different size are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CellCorrection {
    /// Not at all: probabilities of unlike nodes are too low.
    None,
    /// The larger node's cells are cut up as a sheet that crosses them would be.
    #[default]
    Sheet,
    /// As published: by nodes below the larger one that are as small as the other; sheets in larger leaves. Each node that is examined counts as a test.
    Descend,
}

/// Which pair of nodes is opened next. A search that is not cut short sees the same pairs in any order, but for those it no longer needs.
///
/// ```
/// use impinge::average_case::{AverageOptions, AverageQuery, AverageTree, OpeningOrder};
/// use impinge::{Pose, bound::Aabb, generate::icosphere, query::Limits};
/// use std::sync::Arc;
/// let ball = Arc::new(AverageTree::<Aabb>::new(&icosphere(1.0, 16)?, &Default::default()));
/// let pose = Pose::from_translation([1.0, 0.2, 0.1])?;
/// let tests = |order| {
///     let options = AverageOptions { order, ..AverageOptions::default() };
///     let mut query = AverageQuery::new(ball.clone(), ball.clone(), options)?;
///     Ok::<_, impinge::average_case::AverageError>(query.at(&pose, Limits::default()).work.volume_tests)
/// };
/// assert!(tests(OpeningOrder::Probable)? < tests(OpeningOrder::BreadthFirst)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpeningOrder {
    /// The most probable, in steps of an eighth of an expected cell.
    #[default]
    Probable,
    /// The one with the largest overlap volume.
    LargestVolume,
    /// The last found.
    DepthFirst,
    /// The least deep.
    BreadthFirst,
    /// The one below which boxes shrink fastest: least work is left there (proposed by Weller 2012, 6.2).
    Shrinking,
    /// Any, by a seed.
    Random(u64),
}

/// How two leaves with overlapping boxes are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeafRule {
    /// As of any other boxes.
    Boxes,
    /// Leaves are thin: their slabs may be apart, and otherwise cells are counted along the line in which their planes meet.
    #[default]
    Planes,
}

/// What is answered when all pairs have been examined and fewer than `k_min` were likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UndecidedAnswer {
    /// No, as published.
    No,
    /// Yes if all pairs of leaves together make a collision more likely than not.
    #[default]
    Likelier,
}

/// Why a query was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum AverageError {
    /// A probability of 0 would make every pair a collision.
    #[error("p_min is {p_min}, it must be above 0 and at most 1")]
    Probability {
        /// The one given.
        p_min: f64,
    },
    /// No pair at all would be enough.
    #[error("k_min is 0, at least one pair is needed")]
    NoPairs,
    /// Pairs that count would be ignored.
    #[error("ignore_below is {ignore_below}, it must be at least 0 and below p_min")]
    Ignore {
        /// The one given.
        ignore_below: f64,
    },
    /// Cells cannot be cut into this many parts.
    #[error("refinement is {refinement}, it must be from 0 to a million")]
    Refinement {
        /// The one given.
        refinement: f64,
    },
    /// Numbers of cells of different grids, which cannot be compared.
    #[error(
        "the trees have {a} and {b} cells along each side of a node, they must have the same number"
    )]
    Cells {
        /// Along a side of the first tree's nodes.
        a: u32,
        /// Of the second's.
        b: u32,
    },
    /// A certainty that is no probability.
    #[error("the fixed certainty is {certainty}, it must be from 0 to 1")]
    Certainty {
        /// The one given.
        certainty: f64,
    },
}

/// The largest [`AverageOptions::refinement`].
pub(super) const MAX_REFINEMENT: f64 = 1e6;
