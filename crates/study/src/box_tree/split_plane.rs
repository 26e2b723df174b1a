//! Where to cut a box of elements.
//!
//! **Question.** Which plane across an axis has about as many elements on either side, and few
//! across it?
//!
//! **Idea.** Along one axis the imbalance of a plane is monotone, so its zero is found by
//! bisection; of the three axes the one with the smallest penalty |left − right| + γ·crossing is
//! used. The plane has a thickness: elements that extend no farther than that do not cross it.
//! Otherwise regular meshes, whose faces end at common planes up to rounding, would be cut
//! everywhere.
//!
//! **Source.** Zachmann, *Exact and fast collision detection*, 1994. Our changes: the printed weights of the
//! weighted bisection do not add up to one; ours are `l += (right − left)/(left + right)·(c − l)`.
//! Even so it stalls on clustered elements, hence the other strategies.
//!
//! **Cost.** Linear in the elements per step of a bisection; the median sorts them.

use super::cut_tree::CutTreeConfig;
use impinge::bound::Aabb;

/// How the plane across an axis is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutStrategy {
    /// Bisection with steps in proportion to the imbalance, as published.
    Weighted,
    /// Plain bisection.
    Bisect,
    /// The plane of least imbalance, from the sorted sides of the elements.
    #[default]
    Median,
    /// The middle of the longest edge that may be cut there, or else the median.
    Middle,
}

/// How many elements lie where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SideCounts {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) crossing: usize,
}

/// A plane found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FoundCut {
    pub(super) axis: usize,
    pub(super) at: f64,
}

/// On which side of a thick plane an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementSide {
    Left,
    Right,
    Both,
}

/// The side of an element from `min` to `max` along the plane's axis.
#[inline]
pub(super) fn side(min: f64, max: f64, at: f64, thickness: f64) -> ElementSide {
    if max <= at + thickness {
        ElementSide::Left
    } else if min >= at - thickness {
        ElementSide::Right
    } else {
        ElementSide::Both
    }
}

/// Elements of a node about to be cut.
#[derive(Debug)]
pub(super) struct Elements<'e> {
    pub(super) ids: &'e [u32],
    pub(super) boxes: &'e [Aabb],
    /// The node's box.
    pub(super) bounds: Aabb,
    pub(super) thickness: f64,
}

impl Elements<'_> {
    /// The cut of least penalty that the rules allow; none makes the node a leaf.
    pub(super) fn best_cut(&self, config: &CutTreeConfig) -> Option<FoundCut> {
        if config.empty_leaves
            && let Some(found) = self.empty_side()
        {
            return Some(found);
        }
        let length = self.bounds.diagonal();
        let mut axes = [0, 1, 2];
        axes.sort_by(|&i, &j| length[j].total_cmp(&length[i]));
        if config.strategy == CutStrategy::Middle {
            // Where the middle of no edge will do, a balanced cut is better than a large leaf.
            let middle = axes
                .into_iter()
                .find_map(|axis| self.allowed(axis, CutStrategy::Middle, config));
            if let Some((_, found)) = middle {
                return Some(found);
            }
        }
        let strategy = match config.strategy {
            CutStrategy::Middle => CutStrategy::Median,
            other => other,
        };
        let cuts = axes.map(|axis| self.allowed(axis, strategy, config));
        let least = cuts
            .iter()
            .flatten()
            .map(|(penalty, _)| *penalty)
            .min_by(f64::total_cmp)?;
        let enough = least + config.similar() * self.ids.len() as f64;
        cuts.into_iter()
            .flatten()
            .find(|(penalty, _)| *penalty <= enough)
            .map(|(_, found)| found)
    }

    /// The cut across an axis and its penalty, if the rules allow it.
    fn allowed(
        &self,
        axis: usize,
        strategy: CutStrategy,
        config: &CutTreeConfig,
    ) -> Option<(f64, FoundCut)> {
        let at = self.search(axis, strategy, config)?;
        let sides = self.count(axis, at);
        self.allows(&sides, config)
            .then(|| (penalty(&sides, config.gamma()), FoundCut { axis, at }))
    }

    /// How many elements lie on each side of a plane.
    pub(super) fn count(&self, axis: usize, at: f64) -> SideCounts {
        let mut sides = SideCounts::default();
        for &id in self.ids {
            let of = &self.boxes[id as usize];
            match side(of.min[axis], of.max[axis], at, self.thickness) {
                ElementSide::Left => sides.left += 1,
                ElementSide::Right => sides.right += 1,
                ElementSide::Both => sides.crossing += 1,
            }
        }
        sides
    }

    fn allows(&self, sides: &SideCounts, config: &CutTreeConfig) -> bool {
        let (left, right) = (sides.left + sides.crossing, sides.right + sides.crossing);
        let most = config.lambda() * self.ids.len() as f64;
        left > 0 && right > 0 && left as f64 <= most && right as f64 <= most
    }

    fn search(&self, axis: usize, strategy: CutStrategy, config: &CutTreeConfig) -> Option<f64> {
        let (min, max) = (self.bounds.min[axis], self.bounds.max[axis]);
        if min >= max {
            return None;
        }
        let found = match strategy {
            CutStrategy::Middle => 0.5 * min + 0.5 * max,
            CutStrategy::Median => self.median(axis)?,
            CutStrategy::Weighted => self.bisection(axis, config, true),
            CutStrategy::Bisect => self.bisection(axis, config, false),
        };
        (found > min && found < max).then_some(found)
    }

    /// The best plane seen in at most `max_iterations` steps.
    fn bisection(&self, axis: usize, config: &CutTreeConfig, is_weighted: bool) -> f64 {
        let (mut low, mut high) = (self.bounds.min[axis], self.bounds.max[axis]);
        let resolution = (high - low) * 1e-12;
        let mut best = (usize::MAX, usize::MAX, 0.5 * low + 0.5 * high);
        for _ in 0..config.max_iterations.clamp(1, MAX_ITERATIONS) {
            let at = 0.5 * low + 0.5 * high;
            let sides = self.count(axis, at);
            let imbalance = sides.left.abs_diff(sides.right);
            if (imbalance, sides.crossing) < (best.0, best.1) {
                best = (imbalance, sides.crossing, at);
            }
            let decided = sides.left + sides.right;
            if penalty(&sides, config.gamma()) <= GOOD_PENALTY || decided == 0 {
                break;
            }
            let step = if is_weighted {
                imbalance as f64 / decided as f64
            } else {
                1.0
            };
            if sides.left < sides.right {
                low += step * (at - low);
            } else {
                high += step * (at - high);
            }
            if high - low <= resolution {
                break;
            }
        }
        best.2
    }

    /// The plane of least imbalance: the count of elements that end below it less the count of those
    /// that begin above it only grows, so its sign change is found by bisection over all ends.
    fn median(&self, axis: usize) -> Option<f64> {
        let of = |&id: &u32| &self.boxes[id as usize];
        let mut begins: Vec<f64> = self.ids.iter().map(|id| of(id).min[axis]).collect();
        let mut ends: Vec<f64> = self.ids.iter().map(|id| of(id).max[axis]).collect();
        begins.sort_unstable_by(f64::total_cmp);
        ends.sort_unstable_by(f64::total_cmp);
        let n = self.ids.len();
        let excess = |at: f64| {
            let left = ends.partition_point(|&x| x <= at + self.thickness) as i64;
            let right = (n - begins.partition_point(|&x| x < at - self.thickness)) as i64;
            left - right
        };
        let (min, max) = (self.bounds.min[axis], self.bounds.max[axis]);
        let mut stops: Vec<f64> = begins.iter().chain(&ends).copied().collect();
        stops.retain(|&x| x > min && x < max);
        stops.sort_unstable_by(f64::total_cmp);
        let at = stops.partition_point(|&x| excess(x) < 0);
        let candidates = [at.checked_sub(1), Some(at)];
        candidates
            .into_iter()
            .flatten()
            .filter_map(|i| stops.get(i).copied())
            .min_by_key(|&x| excess(x).unsigned_abs())
    }

    /// The plane nearest to the middle, in the middle third of an edge, that leaves a side empty.
    fn empty_side(&self) -> Option<FoundCut> {
        let mut best: Option<(f64, FoundCut)> = None;
        let all = self
            .ids
            .iter()
            .fold(Aabb::EMPTY, |all, &id| all.union(&self.boxes[id as usize]));
        for axis in 0..3 {
            let (min, max) = (self.bounds.min[axis], self.bounds.max[axis]);
            let third = (max - min) / 3.0;
            // Elements that begin at the plane must not count as ending there.
            for at in [all.min[axis] - 2.0 * self.thickness, all.max[axis]] {
                let is_inside = at >= min + third && at <= max - third && at > min && at < max;
                if !is_inside {
                    continue;
                }
                let sides = self.count(axis, at);
                if sides.crossing > 0 || (sides.left > 0 && sides.right > 0) {
                    continue;
                }
                let from_middle = ((at - min) / (max - min) - 0.5).abs();
                if best.is_none_or(|(nearest, _)| from_middle < nearest) {
                    best = Some((from_middle, FoundCut { axis, at }));
                }
            }
        }
        best.map(|(_, found)| found)
    }
}

/// Steps that no bisection needs more of.
const MAX_ITERATIONS: u32 = 64;
/// A penalty that needs no improvement.
const GOOD_PENALTY: f64 = 0.5;

/// |left − right| + γ·crossing.
fn penalty(sides: &SideCounts, gamma: f64) -> f64 {
    sides.left.abs_diff(sides.right) as f64 + gamma * sides.crossing as f64
}
