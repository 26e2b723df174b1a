//! Cost model: the expected number of node pairs that a simultaneous traversal visits.
//!
//! **Question.** With which power of the number of leaves does the work grow?
//! **Idea.** Boxes shrink by factors αx, αy, αz from level to level, and two children lie in
//! opposite corners of their parent. The roots overlap by δ along x, and the second tree may be
//! anywhere along y and z. Then a pair of level l overlaps along y with probability αy^l and along
//! z with αz^l. The pairs that overlap along x are counted, since the overlap of children follows
//! from that of their parents.
//! **Source.** Klein 2005, 3.7; Weller 2012, 6.2. Ours: children that have passed each other do not
//! overlap (two-sided), and the count merges equal overlaps.
//! **Promise.** For such trees, with the second one uniformly distributed over all places where the
//! roots overlap along y and z, the two-sided sum is the expectation, not a bound.
//! **Limits.** Real trees have other factors at each level and in each node; their counts may be
//! off by any factor.

use glam::DVec3;

use crate::bvh::tree::NodeMeasure;

/// Cost model of two trees whose boxes shrink by constant factors: the expected number of node
/// pairs that a traversal visits.
///
/// For such trees, with children in opposite corners and the second tree uniformly distributed over
/// all places where the roots overlap along y and z, the two-sided sum is the expectation, not a
/// bound.
///
/// Real trees have other factors at each level and in each node; their counts may be off by any
/// factor. At most [`MAX_LEVELS`](Self::MAX_LEVELS) levels are examined.
///
/// ```
/// use impinge::average_case::TraversalCost;
/// use impinge::DVec3;
/// let growth = TraversalCost { factors: DVec3::splat(0.5), overlap: 0.4, is_two_sided: false };
/// assert_eq!(growth.pairs(5), [1.0, 3.0, 10.0, 28.0, 91.0]);
/// assert!((growth.visits(2) - 0.4375).abs() < 1e-12);
/// assert_eq!(growth.exponent(), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraversalCost {
    /// A child's extents in those of its parent.
    pub factors: DVec3,
    /// How far the roots overlap along x, in extents of the root.
    pub overlap: f64,
    /// Whether children that have passed each other are left out, as they should; as published they are counted.
    pub is_two_sided: bool,
}

/// Overlaps that differ by less than this are merged.
const SAME: f64 = 1e-12;
/// Maximum number of distinct overlaps; beyond it, neighbouring ones are merged.
const MAX_OVERLAPS: usize = 1 << 17;

impl TraversalCost {
    /// Maximum number of levels that are examined; larger numbers are clamped to it.
    pub const MAX_LEVELS: u32 = 40;

    /// How many pairs of each level, from 1 on, overlap along x; of at most [`MAX_LEVELS`](Self::MAX_LEVELS) levels.
    ///
    /// ```
    /// use impinge::{DVec3, average_case::TraversalCost};
    /// let growth = TraversalCost { factors: DVec3::splat(0.5), overlap: 0.4, is_two_sided: true };
    /// assert_eq!(growth.pairs(3), [1.0, 3.0, 7.0]);
    /// assert_eq!(growth.pairs(60).len(), TraversalCost::MAX_LEVELS as usize);
    /// ```
    #[must_use]
    pub fn pairs(&self, levels: u32) -> Vec<f64> {
        let factor = self.factors.x;
        let mut counts = Vec::new();
        // Overlaps in ascending order, and how many pairs have each.
        let mut now = vec![(self.overlap, 1.0)];
        let mut extent = 1.0;
        for _ in 0..levels.min(Self::MAX_LEVELS) {
            let shift = extent * (1.0 - factor);
            extent *= factor;
            let most = if self.is_two_sided {
                2.0 * extent
            } else {
                f64::INFINITY
            };
            now = children(&now, shift, most);
            counts.push(now.iter().map(|(_, count)| count).sum());
        }
        counts
    }

    /// The expected number of pairs that overlap on all levels from 1 to `levels`: pairs that are visited, the roots not counted. Of more than
    /// [`MAX_LEVELS`](Self::MAX_LEVELS) levels the first are counted.
    ///
    /// ```
    /// use impinge::{DVec3, average_case::TraversalCost};
    /// let growth = TraversalCost { factors: DVec3::splat(0.5), overlap: 0.4, is_two_sided: false };
    /// // One pair of four on level 1, three of sixteen on level 2, each with a chance of a quarter by level.
    /// assert_eq!(growth.visits(2), 1.0 / 4.0 + 3.0 / 16.0);
    /// assert_eq!(growth.visits(60), growth.visits(TraversalCost::MAX_LEVELS));
    /// ```
    #[must_use]
    pub fn visits(&self, levels: u32) -> f64 {
        let chance = self.factors.y * self.factors.z;
        let mut power = 1.0;
        let mut sum = 0.0;
        for pairs in self.pairs(levels) {
            power *= chance;
            sum += pairs * power;
        }
        sum
    }

    /// The power of the number of leaves by which visits grow in the end: the logarithm of 4·αx·αy·αz, but not below 0.
    ///
    /// ```
    /// use impinge::{DVec3, average_case::TraversalCost};
    /// let growth = TraversalCost { factors: DVec3::new(1.0, 1.0, 0.5), overlap: 0.4, is_two_sided: true };
    /// assert_eq!(growth.exponent(), 1.0);
    /// ```
    #[must_use]
    pub fn exponent(&self) -> f64 {
        libm::log2(4.0 * self.factors.element_product()).max(0.0)
    }

    /// The slope of visits over leaves on log-log axes, between two depths.
    ///
    /// Depths beyond [`MAX_LEVELS`](Self::MAX_LEVELS) count as that; where both are, it is the [`exponent`](Self::exponent). 0 when nothing is visited at `from`, or `to` is not deeper.
    ///
    /// ```
    /// use impinge::{DVec3, average_case::TraversalCost};
    /// let growth = |factor| TraversalCost { factors: DVec3::splat(factor), overlap: 0.4, is_two_sided: true };
    /// assert!((growth(0.7).slope(10, 16) - growth(0.7).exponent()).abs() < 0.05);
    /// // Boxes that hardly shrink are far from the end of their growth even there.
    /// assert!((growth(0.9).slope(10, 16) - 1.075).abs() < 0.05 && growth(0.9).exponent() > 1.5);
    /// ```
    #[must_use]
    pub fn slope(&self, from: u32, to: u32) -> f64 {
        let (low, high) = (self.visits(from), self.visits(to));
        if from < to && from >= Self::MAX_LEVELS && low > 0.0 {
            return self.exponent();
        }
        let to = to.min(Self::MAX_LEVELS);
        let levels = f64::from(to) - f64::from(from);
        if low > 0.0 && levels > 0.0 {
            libm::log2(high / low) / levels
        } else {
            0.0
        }
    }
}

/// The overlaps of all pairs of children: as their parents', less one shift twice, less two shifts once.
fn children(parents: &[(f64, f64)], shift: f64, most: f64) -> Vec<(f64, f64)> {
    let mut all: Vec<(f64, f64)> = Vec::with_capacity(3 * parents.len());
    let mut places = [0; 3];
    // The three lists are sorted; the least of their heads comes next.
    loop {
        let mut next: Option<(usize, f64, f64)> = None;
        for (k, &place) in places.iter().enumerate() {
            if let Some(&(overlap, count)) = parents.get(place) {
                let overlap = overlap - k as f64 * shift;
                let count = if k == 1 { 2.0 * count } else { count };
                if next.is_none_or(|(_, least, _)| overlap < least) {
                    next = Some((k, overlap, count));
                }
            }
        }
        let Some((k, overlap, count)) = next else {
            break;
        };
        places[k] += 1;
        if overlap <= SAME || overlap >= most - SAME {
            continue;
        }
        match all.last_mut() {
            Some((last, counted)) if overlap - *last <= SAME => *counted += count,
            _ => all.push((overlap, count)),
        }
    }
    while all.len() > MAX_OVERLAPS {
        all = all.chunks(2).map(merged).collect();
    }
    all
}

/// Two neighbours as one with their mean.
fn merged(pair: &[(f64, f64)]) -> (f64, f64) {
    let count: f64 = pair.iter().map(|p| p.1).sum();
    let sum: f64 = pair.iter().map(|p| p.0 * p.1).sum();
    (sum / count, count)
}

/// How boxes shrink from parent to child in a tree.
///
/// ```
/// use impinge::average_case::{AverageTree, ShrinkFactors};
/// use impinge::{bound::Aabb, generate::icosphere};
/// let tree = AverageTree::<Aabb>::new(&icosphere(1.0, 16)?, &Default::default());
/// let shrinking = ShrinkFactors::of(&tree.measures());
/// assert!(shrinking.mean.max_element() < 1.0 && shrinking.levels.len() > 4);
/// let growth = shrinking.growth(&shrinking, 0.4);
/// assert!(growth.exponent() < 1.0);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShrinkFactors {
    /// The geometric mean of child over parent extents along the axes; 1 along an axis along which no parent and child had an extent. So 1 may mean that nothing is known: of a tree of one
    /// node there are no [`levels`](Self::levels) either.
    pub mean: DVec3,
    /// The same by the parents' levels, the root's first.
    pub levels: Vec<DVec3>,
}

impl ShrinkFactors {
    /// The factors of a tree given by its nodes, the root first and children after their parents. Boxes without extent along an axis are left out there.
    ///
    /// ```
    /// use impinge::{DVec3, average_case::ShrinkFactors, bound::Aabb, bvh::tree::NodeMeasure};
    /// let node = |size: DVec3, parent| {
    ///     let bounds = Aabb { min: DVec3::ZERO, max: size };
    ///     NodeMeasure { bounds, area: 0.0, volume: 0.0, parent, faces: None }
    /// };
    /// let nodes = [node(DVec3::new(4.0, 4.0, 0.0), None), node(DVec3::new(2.0, 1.0, 0.0), Some(0))];
    /// let found = ShrinkFactors::of(&nodes).mean;
    /// assert!((found - DVec3::new(0.5, 0.25, 1.0)).abs().max_element() < 1e-15);
    /// // Nothing is known of a single node.
    /// assert!(ShrinkFactors::of(&nodes[..1]).levels.is_empty());
    /// ```
    #[must_use]
    pub fn of(nodes: &[NodeMeasure]) -> Self {
        let mut depths = vec![0_usize; nodes.len()];
        let mut sums: Vec<(DVec3, DVec3)> = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            let Some(parent) = node.parent.filter(|&parent| parent < i) else {
                continue;
            };
            let level = depths[parent];
            depths[i] = level + 1;
            if sums.len() <= level {
                sums.resize(level + 1, (DVec3::ZERO, DVec3::ZERO));
            }
            let ratio = node.bounds.diagonal() / nodes[parent].bounds.diagonal();
            for axis in 0..3 {
                if ratio[axis] > 0.0 && ratio[axis].is_finite() {
                    sums[level].0[axis] += libm::log(ratio[axis]);
                    sums[level].1[axis] += 1.0;
                }
            }
        }
        let mean = |(sum, count): (DVec3, DVec3)| (sum / count.max(DVec3::ONE)).map(libm::exp);
        let all = sums.iter().fold((DVec3::ZERO, DVec3::ZERO), |all, level| {
            (all.0 + level.0, all.1 + level.1)
        });
        Self {
            mean: mean(all),
            levels: sums.into_iter().map(mean).collect(),
        }
    }

    /// The growth of a search of this tree and another one, whose roots overlap by this fraction of their extent. Where a mean is 1 because nothing is known, it says as little: look at
    /// [`levels`](Self::levels) before.
    #[must_use]
    pub fn growth(&self, other: &Self, overlap: f64) -> TraversalCost {
        let product = self.mean * other.mean;
        TraversalCost {
            factors: product.map(f64::sqrt),
            overlap,
            is_two_sided: true,
        }
    }
}
