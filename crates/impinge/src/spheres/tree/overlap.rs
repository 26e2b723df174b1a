//! Overlap volume of two solids, from their inner sphere trees.

use glam::DVec3;

use super::forces::ConeForces;
use super::inner_sphere_tree::InnerSphereTree;
use super::lens_batch::{LensBatch, LensSum, ROW};
use super::overlap_step::{BATCH, OverlapPairs, RelativeView};
use super::topology::{LEAF, WIDTH};
use super::tree_pair::{InnerSphereTreeCache, RankedPair, TreePair, TreeSide, UnopenedShare};
use crate::geom::lens_volume;
use crate::math::Pose;
use crate::query::{Limits, Outcome, PoseGradient};

/// The overlap of two packed solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallOverlap {
    /// The overlap volume of the spheres: a lower bound for the solids.
    pub lower: f64,
    /// Upper bound on the overlap volume of the solids. The gaps of both packings may overlap too: after
    /// [`InnerSphereTree::with_gaps`] only those within reach of both solids count, otherwise all of them. Infinite if a
    /// tree does not know the volume of its solid.
    pub upper: f64,
    /// The best estimate of the overlap volume: between `lower` and `upper`, with gaps counted if secondary radii are known.
    pub value: f64,
    /// The overlap volume of the balls; under a budget, with an estimate for the pairs that were not visited.
    pub expected: f64,
    /// The centroid of the overlap of the balls.
    pub centroid: DVec3,
    /// The derivative of the balls' overlap volume by the pose of `b`; rotations are about the origin of `a`'s frame. The
    /// lens-gradient force on `b` is a negative multiple of it, that on `a` the opposite.
    pub gradient: PoseGradient,
    /// The derivative of `value` before it is clamped to the bracket: that of the enlarged spheres
    /// if secondary radii are known. Enlarged spheres extend beyond the surface, so faces that only
    /// touch also push, with a fraction of the contact area that hardly falls with more spheres: at
    /// contact the volume has two one-sided derivatives, zero and the whole area. `gradient` and
    /// `cones` have no such push.
    pub value_gradient: PoseGradient,
    /// Contact forces from the normal cones of the balls.
    pub cones: ConeForces,
    /// Pairs of balls that overlap.
    pub pairs: usize,
    /// Whether all pairs were visited.
    pub outcome: Outcome,
}

impl InnerSphereTree {
    /// The overlap volume of the balls of two trees, and bounds on the overlap volume of the solids.
    ///
    /// With a budget, half of it is spent in order and the rest on the most uncertain pairs first; `lower` and `upper` are
    /// valid whenever it ends.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let pose = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// let shared = tree.overlap(&tree, &pose, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert!((shared.lower - 5.0 / 12.0 * std::f64::consts::PI).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> BallOverlap {
        let scene = TreePair::new(self, other, self_from_other, cache.level).with_gaps();
        cache.tests = 0;
        cache.stack.clear();
        let root = scene.root().filter(|root| root.bound < 0.0);
        cache.stack.extend(root);
        scene.measure(limits, cache)
    }
}

impl InnerSphereTree {
    /// The overlap without looking up the gaps within reach of both solids: all gaps count for the upper bound.
    pub(crate) fn overlap_of_spheres(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> BallOverlap {
        let mut scene = TreePair::new(self, other, self_from_other, cache.level).with_gaps();
        scene.looks_up_gaps = false;
        cache.tests = 0;
        cache.stack.clear();
        let root = scene.root().filter(|root| root.bound < 0.0);
        cache.stack.extend(root);
        scene.measure(limits, cache)
    }

    /// A complete overlap with its bracket narrowed by the gaps within reach of both solids. The work goes on from that of `found`.
    pub(crate) fn narrowed(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
        found: BallOverlap,
    ) -> BallOverlap {
        let scene = TreePair::new(self, other, self_from_other, cache.level);
        if found.outcome != Outcome::Complete || !found.upper.is_finite() {
            return found;
        }
        let Some(most) = scene.most_in_reach(found.expected, limits, cache) else {
            return found;
        };
        let upper = found.upper.min(most).max(found.lower);
        BallOverlap {
            upper,
            value: found.value.min(upper),
            ..found
        }
    }

    /// Tests that looking up gaps takes at most.
    pub(crate) fn most_look_ups(&self) -> u64 {
        self.gaps.as_ref().map_or(0, |gaps| gaps.look_ups())
    }
}

/// What steps count as: comparisons of one ball with another, by the time that they take.
const OPEN_NODES: u64 = 24;
const OPEN_MIXED: u64 = 16;
const MEASURE: u64 = 8;
const RANK: u64 = 32;
/// Pairs of a node and a ball that wait until two nodes are opened no more: one kind at a time is foreseen by the processor.
const MANY_MIXED: usize = 64;
/// Pairs that opening one may give.
const MOST_PAIRS: u64 = (WIDTH * WIDTH) as u64;
/// Rows of pairs that are measured at once.
const MANY_ROWS: usize = 8;

/// The leaves of a part of a tree, as a range.
fn range_of(side: &TreeSide<'_>, code: u32) -> (usize, usize) {
    if code & LEAF == 0 {
        let (first, last) = side.tree.plan.ranges[code as usize];
        (first as usize, last as usize)
    } else {
        let leaf = (code & !LEAF) as usize;
        (leaf, leaf + 1)
    }
}

impl TreePair<'_> {
    /// What the pairs on the stack share, with what is below them.
    pub(super) fn measure(
        &self,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> BallOverlap {
        let mut rows = cache.rows.take().unwrap_or_default();
        let mut found = std::mem::take(&mut cache.found);
        rows.clear();
        found.clear();
        for pair in cache.stack.drain(..) {
            found.push(pair.a, pair.b);
        }
        cache.tests += MEASURE * found.leaves.len() as u64;
        let (outcome, rest) = match RelativeView::new(self) {
            Some(view) => self.search(&view, limits, cache, &mut found, &mut rows),
            None => (Outcome::Complete, UnopenedShare::default()),
        };
        for row in found.leaves.as_slice().chunks(ROW) {
            self.add_row(row, &mut rows);
        }
        let mut sum = rows.sum(self.has_cones());
        found.whole.add_to(&mut sum);
        cache.found = found;
        cache.rows = Some(rows);
        self.finish(&sum, rest, outcome, limits, cache)
    }

    /// Opens pairs until none is left or the budget ends; what the rest shares. Leaves that do not fill a row stay.
    fn search(
        &self,
        view: &RelativeView,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
        found: &mut OverlapPairs,
        rows: &mut LensBatch,
    ) -> (Outcome, UnopenedShare) {
        let is_bounded = limits.max_tests.is_some() || limits.stop.is_some();
        let is_over = |tests: u64| is_bounded && (!limits.allows(tests) || limits.is_stopped());
        // Ranking costs more than a step. What fits into half the budget is looked at without.
        let unranked = limits
            .max_tests
            .map_or(u64::MAX, |most| cache.tests + most / 2);
        let mut batch = [(0, 0); BATCH];
        loop {
            if found.nodes.len() + found.mixed.len() == 0 {
                return (Outcome::Complete, UnopenedShare::default());
            }
            // What waits will have to be ranked.
            let waiting = (found.nodes.len() + found.mixed.len()) as u64;
            let spent = cache.tests + RANK * waiting;
            if spent >= unranked || is_over(cache.tests) {
                break;
            }
            // No more than fits, whatever it gives.
            let fitting = (unranked - spent) / (OPEN_NODES + RANK * MOST_PAIRS);
            let most = fitting.min(BATCH as u64) as usize + 1;
            let is_mixed = found.nodes.len() == 0 || found.mixed.len() >= MANY_MIXED;
            let pile = if is_mixed {
                &mut found.mixed
            } else {
                &mut found.nodes
            };
            let count = pile.take(most, &mut batch);
            cache.tests += self.step(view, &batch[..count], is_mixed, found, rows);
        }
        let mut heap = std::mem::take(&mut cache.heap);
        heap.clear();
        let mut rest = UnopenedShare::default();
        let mut outcome = Outcome::Complete;
        loop {
            for pile in [&mut found.nodes, &mut found.mixed] {
                cache.tests += RANK * pile.len() as u64;
                heap.extend(pile.as_slice().iter().map(|&(a, b)| self.ranked(a, b)));
                pile.clear();
            }
            let Some(next) = heap.pop() else {
                break;
            };
            if is_over(cache.tests) {
                outcome = Outcome::OutOfBudget;
                for left in heap.drain().chain([next]) {
                    rest.expected += left.rest.expected;
                    rest.value += left.rest.value;
                    rest.most += left.rest.most;
                }
                break;
            }
            let is_mixed = (next.a | next.b) & LEAF != 0;
            cache.tests += self.step(view, &[(next.a, next.b)], is_mixed, found, rows);
        }
        cache.heap = heap;
        (outcome, rest)
    }

    /// Opens pairs of one kind, and measures the balls found so far if they are many; what that counts as.
    fn step(
        &self,
        view: &RelativeView,
        batch: &[(u32, u32)],
        is_mixed: bool,
        found: &mut OverlapPairs,
        rows: &mut LensBatch,
    ) -> u64 {
        let before = found.leaves.len();
        let opening = if is_mixed && self.counts_whole {
            let mut rest = [(0, 0); BATCH];
            let count = self.take_whole(batch, &mut rest, &mut found.whole);
            self.open_mixed(&rest[..count], found);
            let counted = (batch.len() - count) as u64;
            OPEN_MIXED * count as u64 + MEASURE * counted
        } else if is_mixed {
            self.open_mixed(batch, found);
            OPEN_MIXED * batch.len() as u64
        } else {
            self.open_nodes(view, batch, found);
            OPEN_NODES * batch.len() as u64
        };
        let leaves = found.leaves.len();
        if leaves >= MANY_ROWS * ROW {
            let whole = leaves - leaves % ROW;
            for row in found.leaves.as_slice()[..whole].chunks(ROW) {
                self.add_row(row, rows);
            }
            found.leaves.drop_first(whole);
        }
        opening + MEASURE * (leaves - before) as u64
    }

    /// What a pair that is not opened may share, and probably does.
    fn ranked(&self, a: u32, b: u32) -> RankedPair {
        let (ball_a, ball_b) = (self.a.ball(a), self.b.ball(b));
        let center_b = self.a_from_b.transform_point(ball_b.center);
        let distance = (center_b - ball_a.center).length();
        let shared = lens_volume(ball_a.radius, ball_b.radius, distance);
        let filled = |side: &TreeSide<'_>, code: u32| {
            let (first, last) = range_of(side, code);
            let between = |before: &[f64]| before[last] - before[first];
            let own = between(&side.tree.before);
            (own, side.swollen.map_or(own, |s| between(&s.before)))
        };
        let ((fill_a, gaps_a), (fill_b, gaps_b)) = (filled(&self.a, a), filled(&self.b, b));
        let (volume_a, volume_b) = (ball_a.volume(), ball_b.volume());
        let part = |a: f64, b: f64| shared * (a / volume_a).min(1.0) * (b / volume_b).min(1.0);
        let expected = part(fill_a, fill_b);
        // Balls of one tree are disjoint: pairs share no more than either side has. Sums of ranges round.
        let room = 1e-12 * (self.a.tree.filled() + self.b.tree.filled());
        let most = shared.min(fill_a).min(fill_b) * (1.0 + 1e-9) + room;
        RankedPair {
            uncertainty: most - expected,
            rest: UnopenedShare {
                expected,
                value: part(gaps_a, gaps_b),
                most,
            },
            a,
            b,
        }
    }

    fn finish(
        &self,
        sum: &LensSum,
        rest: UnopenedShare,
        outcome: Outcome,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> BallOverlap {
        let (a, b) = (self.a.tree, self.b.tree);
        let lower = sum.volume * (1.0 - 1e-12);
        let upper = match (a.solid_volume, b.solid_volume) {
            (Some(volume_a), Some(volume_b)) => {
                let all = (volume_a - a.filled()).max(0.0) + (volume_b - b.filled()).max(0.0);
                let near = if self.looks_up_gaps && outcome == Outcome::Complete {
                    self.most_in_reach(sum.volume, limits, cache)
                } else {
                    None
                };
                let upper = sum.volume * (1.0 + 1e-9) + rest.most + all;
                let upper = near.map_or(upper, |near| near.min(upper));
                upper.min(volume_a).min(volume_b).max(lower)
            }
            _ => f64::INFINITY,
        };
        let (value, value_gradient) = if self.has_gaps() {
            (sum.value + rest.value, sum.value_gradient)
        } else {
            (sum.volume + rest.expected, sum.gradient)
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
            gradient: sum.gradient,
            value_gradient,
            cones: sum.cones,
            pairs: sum.pairs,
            outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;
    use crate::math::simd::Level;
    use crate::spheres::{InnerSphereTreeOptions, SolidBall};

    #[test]
    fn every_level_gives_the_same_bits() {
        let mut rng = Rng::new(6);
        let mut tree = || {
            let balls: Vec<SolidBall> = (0..600)
                .map(|_| SolidBall {
                    center: rng.cube(),
                    radius: rng.range(0.01, 0.1),
                })
                .collect();
            InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap()
        };
        let (a, b) = (tree(), tree());
        for case in 0..20 {
            let to = rng.cube();
            let turn = Pose::from_axis_angle(rng.direction(), f64::from(case), to).unwrap();
            for max_tests in [None, Some(40_000)] {
                let limits = Limits {
                    max_tests,
                    ..Limits::default()
                };
                let answers: Vec<(BallOverlap, u64)> = Level::available()
                    .map(|level| {
                        let mut cache = InnerSphereTreeCache {
                            level,
                            ..InnerSphereTreeCache::default()
                        };
                        (a.overlap(&b, &turn, limits, &mut cache), cache.tests)
                    })
                    .collect();
                assert!(answers.windows(2).all(|w| w[0] == w[1]), "case {case}");
                assert!(answers[0].0.pairs > 0);
            }
        }
    }
}
