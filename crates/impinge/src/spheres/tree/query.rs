//! Distance and shared volume of two trees.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::fit::{Node, SphereTree};
use super::plan::{LEAF, NO_CHILD, WIDTH};
use crate::geom::{lens, lens_volume};
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::query::{Limits, Outcome};
use crate::spheres::ball::SolidBall;

/// What rounding to `f32` may do to a gap, in units of the frame and of the distance from its middle.
const LANE_ERROR: f64 = 2e-6;

/// Scratch memory of queries, and the pair of balls that was nearest last time.
#[derive(Debug)]
pub struct TreeCache {
    level: Level,
    stack: Vec<Pair>,
    heap: BinaryHeap<Ranked>,
    nearest: Option<(u32, u32)>,
    tests: u64,
}

impl Default for TreeCache {
    fn default() -> Self {
        Self {
            level: Level::detect(),
            stack: Vec::new(),
            heap: BinaryHeap::new(),
            nearest: None,
            tests: 0,
        }
    }
}

impl TreeCache {
    /// Pairs of balls compared by the last question, eight at a time counted as eight.
    ///
    /// ```
    /// assert_eq!(impinge::spheres::TreeCache::default().tests(), 0);
    /// ```
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.tests
    }
}

/// How far two packed solids are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallSeparation {
    /// The smallest gap of two balls, 0 when two overlap: the solids are at most so far apart.
    pub upper: f64,
    /// The solids are at least so far apart; 0 without [`SphereTree::with_surface`] on both sides.
    pub lower: f64,
    /// The two balls, numbered as in [`SphereTree::balls`].
    pub balls: (usize, usize),
    /// Whether all pairs that matter were looked at; if not, `lower` is 0.
    pub outcome: Outcome,
}

/// What two packed solids share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallOverlap {
    /// The volume that balls share: the solids share at least so much.
    pub lower: f64,
    /// The solids share at most so much: gaps of both packings may be shared too. Infinite without [`SphereTree::with_surface`] on
    /// both sides.
    pub upper: f64,
    /// The volume that the balls share; under a budget, with what is to be expected of pairs not looked at.
    pub expected: f64,
    /// The centre of mass of what balls share.
    pub centroid: DVec3,
    /// The change of the shared volume per movement of `b`: the lens-gradient force on `b` is a negative multiple of it, that on `a` the
    /// opposite.
    pub gradient: DVec3,
    /// The change per turn of `b` about the origin of `a`'s frame.
    pub torque: DVec3,
    /// Sum of volume times the direction in which `b` should leave, by normal cones where there are some: the same for `a` with the
    /// opposite sign.
    pub push: DVec3,
    /// Pairs of balls that overlap.
    pub pairs: usize,
    /// Whether all pairs were looked at.
    pub outcome: Outcome,
}

/// A part of each tree: a node or a ball, with the ball around it in its own tree's frame of reference.
#[derive(Clone, Copy, Debug)]
struct Pair {
    a: u32,
    b: u32,
    ball_a: SolidBall,
    ball_b: SolidBall,
    bound: f64,
}

/// A pair by how uncertain its share is.
#[derive(Debug)]
struct Ranked {
    uncertainty: f64,
    expected: f64,
    most: f64,
    pair: Pair,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |r: &Self| (r.pair.a, r.pair.b);
        self.uncertainty
            .total_cmp(&other.uncertainty)
            .then(key(other).cmp(&key(self)))
    }
}

/// Both trees and where they are.
struct Scene<'t> {
    a: &'t SphereTree,
    b: &'t SphereTree,
    a_from_b: &'t Pose,
    b_from_a: Pose,
    level: Level,
}

impl<'t> Scene<'t> {
    fn root(&self) -> Option<Pair> {
        let (ball_a, ball_b) = (self.a.root?, self.b.root?);
        self.a.frame?;
        self.b.frame?;
        Some(Pair {
            a: 0,
            b: 0,
            ball_a,
            ball_b,
            bound: self.gap(&ball_a, &ball_b),
        })
    }

    fn gap(&self, a: &SolidBall, b: &SolidBall) -> f64 {
        let center = self.a_from_b.transform_point(b.center);
        (center - a.center).length() - a.radius - b.radius
    }

    /// Replaces the larger of the two by its children; shows those pairs whose gap is below `within`.
    fn open(&self, pair: &Pair, within: f64, mut show: impl FnMut(Pair)) {
        let a_is_leaf = pair.a & LEAF != 0;
        let opens_b = a_is_leaf || (pair.b & LEAF == 0 && pair.ball_b.radius > pair.ball_a.radius);
        let (tree, code, other) = if opens_b {
            let center = self.b_from_a.transform_point(pair.ball_a.center);
            let carried = SolidBall {
                center,
                radius: pair.ball_a.radius,
            };
            (self.b, pair.b, carried)
        } else {
            let center = self.a_from_b.transform_point(pair.ball_b.center);
            let carried = SolidBall {
                center,
                radius: pair.ball_b.radius,
            };
            (self.a, pair.a, carried)
        };
        let Some(frame) = &tree.frame else {
            return;
        };
        let node = &tree.nodes[code as usize];
        let center = frame.enter(other.center);
        let far = f64::from(center.abs().max_element());
        let gaps = dispatch(
            self.level,
            Gaps {
                node,
                center: center.to_array(),
                radius: (other.radius / frame.scale) as f32,
            },
        );
        let error = LANE_ERROR * (1.0 + far + other.radius / frame.scale);
        for (lane, &gap) in gaps.iter().enumerate() {
            let child = node.child[lane];
            if child == NO_CHILD {
                continue;
            }
            let bound = (f64::from(gap) - error) * frame.scale;
            if bound >= within {
                continue;
            }
            let ball = if child & LEAF == 0 {
                let center = glam::Vec3::new(
                    node.center[0][lane],
                    node.center[1][lane],
                    node.center[2][lane],
                );
                SolidBall {
                    center: frame.leave(center),
                    radius: f64::from(node.radius[lane]) * frame.scale,
                }
            } else {
                tree.balls[(child & !LEAF) as usize]
            };
            show(if opens_b {
                Pair {
                    b: child,
                    ball_b: ball,
                    bound,
                    ..*pair
                }
            } else {
                Pair {
                    a: child,
                    ball_a: ball,
                    bound,
                    ..*pair
                }
            });
        }
    }
}

impl SphereTree {
    fn scene<'t>(&'t self, other: &'t Self, self_from_other: &'t Pose, level: Level) -> Scene<'t> {
        Scene {
            a: self,
            b: other,
            a_from_b: self_from_other,
            b_from_a: self_from_other.inverse(),
            level,
        }
    }

    /// The smallest gap between balls of the two trees, and what it says about the solids; nothing when a tree is empty.
    ///
    /// Inner balls are farther apart than the solids, so the gap is an upper bound; with both surfaces known, every surface point is near
    /// some ball, which gives the lower one. The pair found is kept in the cache as the start of the next search.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::{SolidBall, SphereTree, TreeCache, TreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = SphereTree::new(&[ball], &TreeOptions::default());
    /// let apart = Pose::from_translation([5.0, 0.0, 0.0])?;
    /// let found = tree.distance(&tree, &apart, Limits::default(), &mut TreeCache::default());
    /// assert_eq!(found.map(|f| f.upper), Some(3.0));
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    pub fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut TreeCache,
    ) -> Option<BallSeparation> {
        let scene = self.scene(other, self_from_other, cache.level);
        let root = scene.root()?;
        let leaf_gap =
            |(a, b): (u32, u32)| scene.gap(&self.balls[a as usize], &other.balls[b as usize]);
        // The pair of the last time, if these trees have it.
        let known = cache
            .nearest
            .filter(|&(a, b)| (a as usize) < self.balls.len() && (b as usize) < other.balls.len())
            .unwrap_or((0, 0));
        let mut best = (leaf_gap(known), known);
        cache.tests = 0;
        cache.stack.clear();
        cache.stack.push(root);
        let mut outcome = Outcome::Complete;
        let mut fresh: Vec<Pair> = Vec::with_capacity(WIDTH);
        while let Some(pair) = cache.stack.pop() {
            if best.0 <= 0.0 {
                break;
            }
            if pair.bound >= best.0 {
                continue;
            }
            if !limits.allows(cache.tests) || limits.is_stopped() {
                outcome = Outcome::OutOfBudget;
                break;
            }
            cache.tests += WIDTH as u64;
            fresh.clear();
            scene.open(&pair, best.0, |child| fresh.push(child));
            fresh.sort_by(|x, y| y.bound.total_cmp(&x.bound));
            for child in fresh.drain(..) {
                if child.a & LEAF != 0 && child.b & LEAF != 0 {
                    let leaves = (child.a & !LEAF, child.b & !LEAF);
                    let gap = leaf_gap(leaves);
                    if (gap, leaves) < best {
                        best = (gap, leaves);
                    }
                } else {
                    cache.stack.push(child);
                }
            }
        }
        cache.nearest = Some(best.1);
        let lower = match (self.reach, other.reach) {
            (Some(a), Some(b)) if outcome == Outcome::Complete => (best.0 - a - b).max(0.0),
            _ => 0.0,
        };
        Some(BallSeparation {
            upper: best.0.max(0.0),
            lower,
            balls: (best.1.0 as usize, best.1.1 as usize),
            outcome,
        })
    }

    /// What balls of the two trees share, and what that says about the solids.
    ///
    /// With a budget the most uncertain pairs are looked at first; `lower` and `upper` hold whenever it ends.
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
        let scene = self.scene(other, self_from_other, cache.level);
        let mut sum = Sum::default();
        cache.tests = 0;
        cache.stack.clear();
        cache.heap.clear();
        let is_bounded = limits.max_tests.is_some() || limits.stop.is_some();
        let mut rest = (0.0, 0.0);
        let mut outcome = Outcome::Complete;
        let mut fresh: Vec<Pair> = Vec::with_capacity(WIDTH);
        let mut next = scene.root().filter(|root| root.bound < 0.0);
        while let Some(pair) = next {
            if is_bounded && (!limits.allows(cache.tests) || limits.is_stopped()) {
                outcome = Outcome::OutOfBudget;
                let left = scene.ranked(pair);
                rest = (left.expected, left.most);
                for left in cache.heap.drain() {
                    rest.0 += left.expected;
                    rest.1 += left.most;
                }
                break;
            }
            cache.tests += WIDTH as u64;
            fresh.clear();
            scene.open(&pair, 0.0, |child| fresh.push(child));
            for child in fresh.drain(..) {
                if scene.settle(&child, &mut sum) {
                    continue;
                }
                if is_bounded {
                    cache.heap.push(scene.ranked(child));
                } else {
                    cache.stack.push(child);
                }
            }
            next = if is_bounded {
                cache.heap.pop().map(|ranked| ranked.pair)
            } else {
                cache.stack.pop()
            };
        }
        scene.finish(&sum, rest, outcome)
    }
}

/// What pairs settled so far share.
#[derive(Default)]
struct Sum {
    volume: f64,
    moment: DVec3,
    gradient: DVec3,
    torque: DVec3,
    push: DVec3,
    pairs: usize,
}

impl Scene<'_> {
    /// Adds what the pair shares, if that is known without opening it.
    fn settle(&self, pair: &Pair, sum: &mut Sum) -> bool {
        let (a_is_leaf, b_is_leaf) = (pair.a & LEAF != 0, pair.b & LEAF != 0);
        if !a_is_leaf && !b_is_leaf {
            return false;
        }
        let center_b = self.a_from_b.transform_point(pair.ball_b.center);
        let distance = (center_b - pair.ball_a.center).length();
        let (a, b) = ((pair.a & !LEAF) as usize, (pair.b & !LEAF) as usize);
        if a_is_leaf && b_is_leaf {
            let shared = lens(
                pair.ball_a.center,
                pair.ball_a.radius,
                center_b,
                pair.ball_b.radius,
            );
            if shared.volume > 0.0 {
                sum.volume += shared.volume;
                sum.moment += shared.centroid * shared.volume;
                sum.gradient += shared.gradient;
                sum.torque += shared.centroid.cross(shared.gradient);
                sum.push += self.way_out(a, b, center_b - pair.ball_a.center) * shared.volume;
                sum.pairs += 1;
            }
            return true;
        }
        // A ball of one tree around a whole node of the other: all of its leaves are shared.
        let (inner, outer) = if a_is_leaf {
            (pair.ball_b.radius, pair.ball_a.radius)
        } else {
            (pair.ball_a.radius, pair.ball_b.radius)
        };
        if (distance + inner) * (1.0 + 1e-12) > outer {
            return false;
        }
        if a_is_leaf {
            let (first, last) = self.b.plan.ranges[b];
            for leaf in first as usize..last as usize {
                let ball = &self.b.balls[leaf];
                let center = self.a_from_b.transform_point(ball.center);
                let volume = ball.volume();
                sum.volume += volume;
                sum.moment += center * volume;
                sum.push += self.way_out(a, leaf, center - pair.ball_a.center) * volume;
                sum.pairs += 1;
            }
        } else {
            let (first, last) = self.a.plan.ranges[a];
            for leaf in first as usize..last as usize {
                let ball = &self.a.balls[leaf];
                let volume = ball.volume();
                sum.volume += volume;
                sum.moment += ball.center * volume;
                sum.push += self.way_out(leaf, b, center_b - ball.center) * volume;
                sum.pairs += 1;
            }
        }
        true
    }

    /// The direction in which ball `b` should leave ball `a`.
    fn way_out(&self, a: usize, b: usize, between: DVec3) -> DVec3 {
        let cone = |tree: &SphereTree, leaf: usize| tree.surfaces.get(leaf).map(|s| s.cone.axis);
        if let (Some(a), Some(b)) = (cone(self.a, a), cone(self.b, b)) {
            let way = a - self.a_from_b.transform_vector(b);
            if let Some(way) = way.try_normalize() {
                return way;
            }
        }
        between.normalize_or_zero()
    }

    /// What a pair that is not opened may share, and probably does.
    fn ranked(&self, pair: Pair) -> Ranked {
        let center_b = self.a_from_b.transform_point(pair.ball_b.center);
        let distance = (center_b - pair.ball_a.center).length();
        let shared = lens_volume(pair.ball_a.radius, pair.ball_b.radius, distance);
        let filled = |tree: &SphereTree, code: u32| -> f64 {
            let leaves = if code & LEAF == 0 {
                let (first, last) = tree.plan.ranges[code as usize];
                &tree.balls[first as usize..last as usize]
            } else {
                std::slice::from_ref(&tree.balls[(code & !LEAF) as usize])
            };
            leaves.iter().map(SolidBall::volume).sum()
        };
        let (fill_a, fill_b) = (filled(self.a, pair.a), filled(self.b, pair.b));
        let (volume_a, volume_b) = (pair.ball_a.volume(), pair.ball_b.volume());
        let expected = shared * (fill_a / volume_a).min(1.0) * (fill_b / volume_b).min(1.0);
        // Balls of one tree are disjoint: pairs share no more than either side has.
        let most = shared.min(fill_a).min(fill_b) * (1.0 + 1e-9);
        Ranked {
            uncertainty: most - expected,
            expected,
            most,
            pair,
        }
    }

    fn finish(&self, sum: &Sum, rest: (f64, f64), outcome: Outcome) -> BallOverlap {
        let upper = match (self.a.solid_volume, self.b.solid_volume) {
            (Some(a), Some(b)) => {
                let filled =
                    |tree: &SphereTree| -> f64 { tree.balls.iter().map(SolidBall::volume).sum() };
                let gaps = (a - filled(self.a)).max(0.0) + (b - filled(self.b)).max(0.0);
                (sum.volume * (1.0 + 1e-9) + rest.1 + gaps).min(a).min(b)
            }
            _ => f64::INFINITY,
        };
        BallOverlap {
            lower: sum.volume * (1.0 - 1e-12),
            upper,
            expected: sum.volume + rest.0,
            centroid: if sum.volume > 0.0 {
                sum.moment / sum.volume
            } else {
                DVec3::ZERO
            },
            gradient: sum.gradient,
            torque: sum.torque,
            push: sum.push,
            pairs: sum.pairs,
            outcome,
        }
    }
}

/// Gaps between one ball and the eight of a node; infinite where there is none.
struct Gaps<'n> {
    node: &'n Node,
    center: [f32; 3],
    radius: f32,
}

impl Kernel for Gaps<'_> {
    type Output = [f32; WIDTH];

    #[inline(always)]
    fn run<T: Lanes>(self) -> [f32; WIDTH] {
        let mut sq = T::splat(0.0);
        for axis in 0..3 {
            let d = T::splat(self.center[axis]) - T::load(&self.node.center[axis]);
            sq = sq + d * d;
        }
        (sq.sqrt() - T::load(&self.node.radius) - T::splat(self.radius)).store()
    }
}
