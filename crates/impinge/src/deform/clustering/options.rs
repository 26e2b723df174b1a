//! Options of the clustering engine.

use glam::DVec3;

/// How far two points are apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterMetric {
    /// The sum of the differences.
    L1,
    /// The length of the difference.
    #[default]
    L2,
    /// The largest difference.
    Linf,
}

impl ClusterMetric {
    /// The distance of two points.
    ///
    /// ```
    /// use impinge::{deform::clustering::ClusterMetric, DVec3};
    /// let p = DVec3::new(3.0, -4.0, 0.0);
    /// let all = [ClusterMetric::L1, ClusterMetric::L2, ClusterMetric::Linf].map(|metric| metric.distance(p, DVec3::ZERO));
    /// assert_eq!(all, [7.0, 5.0, 4.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn distance(self, p: DVec3, q: DVec3) -> f64 {
        let d = (p - q).abs();
        match self {
            Self::L1 => d.x + d.y + d.z,
            Self::L2 => d.length(),
            Self::Linf => d.max_element(),
        }
    }
}

/// Where cluster centres start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CentreSeeding {
    /// At random points.
    Random {
        /// The seed of the choice.
        seed: u64,
    },
    /// At points far from each other: the one farthest from the middle, then always the one farthest from those chosen.
    Spread,
    /// Where batch neural gas ends that started spread.
    NeuralGas,
}

/// When centres have moved enough; a cap on the rounds holds as well.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopRule {
    /// When none moves farther than this fraction of the scene's size.
    Centers(f64),
    /// When no membership changes by more.
    Memberships(f64),
}

/// How points get their clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterPartition {
    /// Every point belongs to every cluster, more or less: fuzzy c-means.
    #[default]
    Fuzzy,
    /// Every point belongs to the nearest centre: hard c-means.
    Hard,
}

/// Which clusters a face joins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaceAssignment {
    /// All that may hold a point of the face: complete.
    #[default]
    Safe,
    /// Those in which the membership of its centre exceeds 0.9/c, as in the thesis (Equation 5.1): misses pairs.
    Threshold,
    /// Those in which the membership exceeds a threshold from the largest radius of a face (Equation 5.5), pair of centres by pair of centres.
    RadiusThreshold,
    /// The nearest only: misses pairs across every border.
    Nearest,
}

/// How many clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterCount {
    /// This many, at most [`MAX_CLUSTERS`].
    Fixed(usize),
    /// The number among 1, 2, 4, … up to so many that has least counted work, by a sample of the faces; chosen in the first frame
    /// and now and then.
    Adaptive {
        /// The most.
        most: usize,
    },
}

/// Maximum number of clusters: a face stores its clusters in 64 bits.
pub const MAX_CLUSTERS: usize = 64;

/// The most segments of a line to sweep along: a fit takes time with the square of their number.
pub const MAX_SEGMENTS: usize = 64;

/// The direction along which the faces of a cluster are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "PCA")]
pub enum SweepAxis {
    /// The principal axis of their centres, frame by frame.
    Principal,
    /// The same axis always: 0, 1 or 2; of larger numbers, what is left after division by 3.
    Fixed(usize),
    /// A polygonal line through their middle, with at most this many segments: each is the middle of a cell that is swept for itself.
    Curve {
        /// The most segments; more than [`MAX_SEGMENTS`] are as that many, none as one.
        segments: usize,
    },
}

/// A stage of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClusteringStage {
    /// Centres and radii of faces.
    Points,
    /// Centres of clusters.
    Clusters,
    /// Which clusters each face joins.
    Assignment,
    /// Axes, boxes, sorting and counting.
    Sort,
    /// Sweeping, culling and the exact test.
    Decision,
}

impl ClusteringStage {
    /// All, in order.
    pub const ALL: [Self; 5] = [
        Self::Points,
        Self::Clusters,
        Self::Assignment,
        Self::Sort,
        Self::Decision,
    ];

    /// Its name in tables.
    ///
    /// ```
    /// use impinge::deform::clustering::ClusteringStage;
    /// assert_eq!(ClusteringStage::ALL.map(|s| s.name()), ["points", "clusters", "assignment", "sort", "decision"]);
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Points => "points",
            Self::Clusters => "clusters",
            Self::Assignment => "assignment",
            Self::Sort => "sort",
            Self::Decision => "decision",
        }
    }
}

/// What [`Clustering`](super::Clustering) does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteringOptions {
    /// How many clusters.
    pub clusters: ClusterCount,
    /// How points get their clusters.
    pub partition: ClusterPartition,
    /// How far a point is from a centre.
    pub metric: ClusterMetric,
    /// How fuzzy: above 1; 2 is usual, near 1 is hard.
    pub fuzzifier: f64,
    /// Where centres start.
    pub start: CentreSeeding,
    /// When centres have moved enough.
    pub stop: StopRule,
    /// The most rounds in the first frame.
    pub first_rounds: usize,
    /// The most rounds in later frames, which start from the centres of the last.
    pub warm_rounds: usize,
    /// Maximum number of face centres used for clustering; if there are more, they are subsampled at a constant stride.
    pub most_points: usize,
    /// Which clusters a face joins.
    pub assignment: FaceAssignment,
    /// Along what the faces of a cluster are sorted.
    pub axis: SweepAxis,
    /// Whether the third axis is compared too; the thesis compares two.
    pub third_axis: bool,
    /// Faces larger than the median by this factor are cut into pieces for clustering and sorting;
    /// infinite for never.
    pub subdivide_above: f64,
}

impl Default for ClusteringOptions {
    /// As many clusters as have least counted work, complete, along the principal axis.
    fn default() -> Self {
        Self {
            clusters: ClusterCount::Adaptive { most: MAX_CLUSTERS },
            partition: ClusterPartition::Fuzzy,
            metric: ClusterMetric::L2,
            fuzzifier: 2.0,
            start: CentreSeeding::Spread,
            stop: StopRule::Memberships(1e-3),
            first_rounds: 32,
            warm_rounds: 3,
            most_points: 8192,
            assignment: FaceAssignment::Safe,
            axis: SweepAxis::Principal,
            third_axis: true,
            subdivide_above: f64::INFINITY,
        }
    }
}
