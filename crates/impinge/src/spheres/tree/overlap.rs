//! How much two packed solids share.

use glam::DVec3;

use super::fit::SphereTree;
use super::forces::{ConeForces, Shared};
use super::plan::{LEAF, WIDTH};
use super::scene::{Pair, Ranked, Rest, Scene, Side, TreeCache};
use crate::geom::{Lens, lens, lens_volume};
use crate::math::Pose;
use crate::query::{Limits, Outcome, PoseGradient};
use crate::spheres::ball::SolidBall;

/// What two packed solids share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallOverlap {
    /// The volume that balls share: the solids share at least so much.
    pub lower: f64,
    /// The solids share at most so much: gaps of both packings may be shared too, those within reach of both solids after
    /// [`SphereTree::with_gaps`], all of them otherwise. Infinite where a tree does not know its solid's volume.
    pub upper: f64,
    /// The best guess at what the solids share: between `lower` and `upper`, and with gaps counted where secondary radii are known.
    pub value: f64,
    /// The volume that the balls share; under a budget, with what is to be expected of pairs not looked at.
    pub expected: f64,
    /// The centre of mass of what balls share.
    pub centroid: DVec3,
    /// The change of the volume that balls share, per movement of `b`; rotations are about the origin of `a`'s frame. The lens-gradient
    /// force on `b` is a negative multiple of it, that on `a` the opposite.
    pub gradient: PoseGradient,
    /// The same of `value`, before it is kept within the bracket: that of enlarged balls where secondary radii are known.
    pub value_gradient: PoseGradient,
    /// Forces by cones of normals.
    pub cones: ConeForces,
    /// Pairs of balls that overlap.
    pub pairs: usize,
    /// Whether all pairs were looked at.
    pub outcome: Outcome,
}

impl SphereTree {
    /// What balls of the two trees share, and what that says about the solids.
    ///
    /// With a budget, of what does not fit into half of it the most uncertain pairs are looked at first; `lower` and `upper` hold whenever it ends.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::{SolidBall, SphereTree, TreeCache, TreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = SphereTree::new(&[ball], &TreeOptions::default());
    /// let pose = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// let shared = tree.overlap(&tree, &pose, Limits::default(), &mut TreeCache::default());
    /// assert!((shared.lower - 5.0 / 12.0 * std::f64::consts::PI).abs() < 1e-9);
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn overlap(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut TreeCache,
    ) -> BallOverlap {
        let scene = Scene::new(self, other, self_from_other, cache.level).with_gaps();
        cache.tests = 0;
        cache.stack.clear();
        let root = scene.root().filter(|root| root.bound < 0.0);
        cache.stack.extend(root);
        scene.measure(limits, cache)
    }
}

/// What pairs settled so far share.
#[derive(Default)]
struct Sum {
    volume: f64,
    /// With secondary radii.
    value: f64,
    moment: DVec3,
    gradient: DVec3,
    torque: DVec3,
    value_gradient: DVec3,
    value_torque: DVec3,
    cones: ConeForces,
    pairs: usize,
}

/// The leaves of a part of a tree, as a range.
fn range_of(side: &Side<'_>, code: u32) -> (usize, usize) {
    if code & LEAF == 0 {
        let (first, last) = side.tree.plan.ranges[code as usize];
        (first as usize, last as usize)
    } else {
        let leaf = (code & !LEAF) as usize;
        (leaf, leaf + 1)
    }
}

impl Scene<'_> {
    /// What the pairs on the stack share, with what is below them.
    pub(super) fn measure(&self, limits: Limits<'_>, cache: &mut TreeCache) -> BallOverlap {
        let mut sum = Sum::default();
        let is_bounded = limits.max_tests.is_some() || limits.stop.is_some();
        let is_over = |tests: u64| is_bounded && (!limits.allows(tests) || limits.is_stopped());
        // Ranking costs as much as a step. What fits into half the budget is looked at without.
        let unranked = limits
            .max_tests
            .map_or(u64::MAX, |most| cache.tests + most / 2);
        let mut is_ranked = false;
        let mut rest = Rest::default();
        let mut outcome = Outcome::Complete;
        let mut fresh = std::mem::take(&mut cache.fresh);
        cache.heap.clear();
        // What is on the stack may be settled already.
        fresh.clear();
        fresh.append(&mut cache.stack);
        loop {
            for child in fresh.drain(..) {
                if self.settle(&child, &mut sum) {
                    continue;
                }
                if is_ranked {
                    cache.heap.push(self.ranked(child));
                } else {
                    cache.stack.push(child);
                }
            }
            if !is_ranked && cache.tests >= unranked {
                is_ranked = true;
                let left = cache.stack.drain(..);
                cache.heap.extend(left.map(|pair| self.ranked(pair)));
            }
            let next = if is_ranked {
                cache.heap.pop().map(|ranked| ranked.pair)
            } else {
                cache.stack.pop()
            };
            let Some(pair) = next else {
                break;
            };
            if is_over(cache.tests) {
                outcome = Outcome::OutOfBudget;
                let unsettled = cache.stack.drain(..).chain([pair]);
                let unsettled = unsettled.map(|pair| self.ranked(pair));
                for left in unsettled.chain(cache.heap.drain()) {
                    rest.expected += left.rest.expected;
                    rest.value += left.rest.value;
                    rest.most += left.rest.most;
                }
                break;
            }
            cache.tests += WIDTH as u64;
            self.open(&pair, 0.0, |child| fresh.push(child));
        }
        cache.fresh = fresh;
        self.finish(&sum, rest, outcome, limits, cache)
    }

    /// Adds what the pair shares, if that is known without opening it.
    #[inline]
    fn settle(&self, pair: &Pair, sum: &mut Sum) -> bool {
        let (a_is_leaf, b_is_leaf) = (pair.a & LEAF != 0, pair.b & LEAF != 0);
        if !a_is_leaf && !b_is_leaf {
            return false;
        }
        let (a, b) = ((pair.a & !LEAF) as usize, (pair.b & !LEAF) as usize);
        if a_is_leaf && b_is_leaf {
            let center_b = self.a_from_b.transform_point(self.b.tree.balls[b].center);
            self.add_leaves(a, b, center_b, sum);
            return true;
        }
        // A ball of one tree around a whole node of the other: all of its leaves are shared, by either radius.
        let (ball_a, ball_b) = (self.a.ball(pair.a), self.b.ball(pair.b));
        let center_b = self.a_from_b.transform_point(ball_b.center);
        let distance = (center_b - ball_a.center).length();
        let least = |side: &Side<'_>, leaf: usize| {
            let radius = side.tree.balls[leaf].radius;
            radius.min(side.tree.secondary.get(leaf).copied().unwrap_or(radius))
        };
        let (inner, outer) = if a_is_leaf {
            (ball_b.radius, least(&self.a, a))
        } else {
            (ball_a.radius, least(&self.b, b))
        };
        if (distance + inner) * (1.0 + 1e-12) > outer {
            return false;
        }
        if a_is_leaf {
            let (first, last) = range_of(&self.b, pair.b);
            for leaf in first..last {
                let center = self
                    .a_from_b
                    .transform_point(self.b.tree.balls[leaf].center);
                self.add_leaves(a, leaf, center, sum);
            }
        } else {
            let (first, last) = range_of(&self.a, pair.a);
            for leaf in first..last {
                self.add_leaves(leaf, b, center_b, sum);
            }
        }
        true
    }

    /// Adds what two balls share.
    #[inline]
    fn add_leaves(&self, a: usize, b: usize, center_b: DVec3, sum: &mut Sum) {
        let (tree_a, tree_b) = (self.a.tree, self.b.tree);
        let (ball_a, ball_b) = (&tree_a.balls[a], &tree_b.balls[b]);
        let shared: Lens = lens(ball_a.center, ball_a.radius, center_b, ball_b.radius);
        if shared.volume > 0.0 {
            sum.volume += shared.volume;
            sum.moment += shared.centroid * shared.volume;
            sum.gradient += shared.gradient;
            sum.torque += shared.centroid.cross(shared.gradient);
            sum.pairs += 1;
            let shared = Shared {
                a,
                b,
                between: center_b - ball_a.center,
                smaller: ball_a.radius.min(ball_b.radius),
                centroid: shared.centroid,
                volume: shared.volume,
            };
            self.add_forces(&shared, &mut sum.cones);
        }
        if self.a.swollen.is_some() || self.b.swollen.is_some() {
            let radius = |tree: &SphereTree, leaf: usize, ball: &SolidBall| {
                tree.secondary.get(leaf).copied().unwrap_or(ball.radius)
            };
            let (r_a, r_b) = (radius(tree_a, a, ball_a), radius(tree_b, b, ball_b));
            let shared = lens(ball_a.center, r_a, center_b, r_b);
            sum.value += shared.volume;
            sum.value_gradient += shared.gradient;
            sum.value_torque += shared.centroid.cross(shared.gradient);
        }
    }

    /// What a pair that is not opened may share, and probably does.
    fn ranked(&self, pair: Pair) -> Ranked {
        let (ball_a, ball_b) = (self.a.ball(pair.a), self.b.ball(pair.b));
        let center_b = self.a_from_b.transform_point(ball_b.center);
        let distance = (center_b - ball_a.center).length();
        let shared = lens_volume(ball_a.radius, ball_b.radius, distance);
        let filled = |side: &Side<'_>, code: u32| {
            let (first, last) = range_of(side, code);
            let between = |before: &[f64]| before[last] - before[first];
            let own = between(&side.tree.before);
            (own, side.swollen.map_or(own, |s| between(&s.before)))
        };
        let ((fill_a, gaps_a), (fill_b, gaps_b)) =
            (filled(&self.a, pair.a), filled(&self.b, pair.b));
        let (volume_a, volume_b) = (ball_a.volume(), ball_b.volume());
        let part = |a: f64, b: f64| shared * (a / volume_a).min(1.0) * (b / volume_b).min(1.0);
        let expected = part(fill_a, fill_b);
        // Balls of one tree are disjoint: pairs share no more than either side has. Sums of ranges round.
        let room = 1e-12 * (self.a.tree.filled() + self.b.tree.filled());
        let most = shared.min(fill_a).min(fill_b) * (1.0 + 1e-9) + room;
        Ranked {
            uncertainty: most - expected,
            rest: Rest {
                expected,
                value: part(gaps_a, gaps_b),
                most,
            },
            pair,
        }
    }

    fn finish(
        &self,
        sum: &Sum,
        rest: Rest,
        outcome: Outcome,
        limits: Limits<'_>,
        cache: &mut TreeCache,
    ) -> BallOverlap {
        let (a, b) = (self.a.tree, self.b.tree);
        let lower = sum.volume * (1.0 - 1e-12);
        let upper = match (a.solid_volume, b.solid_volume) {
            (Some(volume_a), Some(volume_b)) => {
                let all = (volume_a - a.filled()).max(0.0) + (volume_b - b.filled()).max(0.0);
                let near = if outcome == Outcome::Complete {
                    self.gaps_in_reach(limits, cache)
                } else {
                    None
                };
                let gaps = near.map_or(all, |near| near.min(all));
                let upper = sum.volume * (1.0 + 1e-9) + rest.most + gaps;
                upper.min(volume_a).min(volume_b).max(lower)
            }
            _ => f64::INFINITY,
        };
        let has_gaps = self.a.swollen.is_some() || self.b.swollen.is_some();
        let (value, slope, turn) = if has_gaps {
            (sum.value + rest.value, sum.value_gradient, sum.value_torque)
        } else {
            (sum.volume + rest.expected, sum.gradient, sum.torque)
        };
        BallOverlap {
            lower,
            upper,
            value: value.max(lower).min(upper),
            expected: sum.volume + rest.expected,
            centroid: if sum.volume > 0.0 {
                sum.moment / sum.volume
            } else {
                DVec3::ZERO
            },
            gradient: PoseGradient {
                translation: sum.gradient,
                rotation: sum.torque,
            },
            value_gradient: PoseGradient {
                translation: slope,
                rotation: turn,
            },
            cones: sum.cones,
            pairs: sum.pairs,
            outcome,
        }
    }
}
