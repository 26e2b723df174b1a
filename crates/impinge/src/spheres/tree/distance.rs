//! Distance bounds of two solids from their inner sphere trees.

use super::distance_step::Gaps;
use super::inner_sphere_tree::InnerSphereTree;
use super::overlap_step::RelativeView;
use super::topology::WIDTH;
use super::tree_pair::{InnerSphereTreeCache, NodePair, TreePair};
use crate::math::Pose;
use crate::query::{Limits, Outcome};

/// Bounds on the distance of two solids, from their inner sphere trees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallSeparation {
    /// Upper bound: the smallest gap between two balls, 0 when two overlap.
    pub upper: f64,
    /// Lower bound. It is 0 unless both trees have [`InnerSphereTree::with_surface`], and where one solid might lie
    /// entirely in a gap of the other's packing.
    pub lower: f64,
    /// The two balls, numbered as in [`InnerSphereTree::balls`].
    pub balls: (usize, usize),
    /// Whether all relevant pairs were visited; if not, `lower` is 0.
    pub outcome: Outcome,
}

/// The nearest pair of balls, with its gap as it is: negative when they overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestBalls {
    pub(super) gap: f64,
    /// The gap of the balls around all balls.
    pub(super) roots: f64,
    pub(super) balls: (u32, u32),
    pub(super) outcome: Outcome,
}

impl InnerSphereTree {
    /// The smallest gap between spheres of the two trees, and the resulting bounds on the distance
    /// of the solids; nothing when a tree is empty.
    ///
    /// Inner spheres are farther apart than the solids, so the gap is an upper bound. If both
    /// surfaces are known, every surface point is near some sphere, which gives the lower bound.
    /// Disjoint surfaces do not exclude that one solid is inside the other: this is excluded if the
    /// gap is larger than any gap of a packing, or if the bounding spheres of the trees are
    /// disjoint. The cache keeps the pair found as the start of the next search; the answer does
    /// not depend on it.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::{SolidBall, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions}};
    /// let ball = SolidBall { center: DVec3::ZERO, radius: 1.0 };
    /// let tree = InnerSphereTree::new(&[ball], &InnerSphereTreeOptions::default())?;
    /// let apart = Pose::from_translation([5.0, 0.0, 0.0])?;
    /// let found = tree.distance(&tree, &apart, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert_eq!(found.map(|f| f.upper), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> Option<BallSeparation> {
        let scene = TreePair::new(self, other, self_from_other, cache.level);
        cache.stack.clear();
        cache.stack.push(scene.root()?);
        cache.tests = 0;
        let nearest = scene.nearest(limits, cache, |gap| gap <= 0.0);
        Some(self.separation(other, &nearest))
    }

    /// What the nearest pair says about the solids.
    pub(super) fn separation(&self, other: &Self, nearest: &NearestBalls) -> BallSeparation {
        let lower = match (self.reach, other.reach) {
            (Some(a), Some(b))
                if nearest.outcome == Outcome::Complete && self.is_none_inside(other, nearest) =>
            {
                let room = self.gap_rounding(other, nearest.gap);
                (nearest.gap - a.surface - b.surface - room).max(0.0)
            }
            _ => 0.0,
        };
        BallSeparation {
            upper: nearest.gap.max(0.0),
            lower,
            balls: (nearest.balls.0 as usize, nearest.balls.1 as usize),
            outcome: nearest.outcome,
        }
    }

    /// Whether no part of one solid lies in a gap of the other's packing, given the gap of the balls from a search that was finished.
    ///
    /// A point of one surface within the other solid would be as far from the other's balls as the gap says, less what it is away from its own
    /// balls. Nothing in the other solid is, if that is more than the other's inner reach. And each solid lies in the ball around its
    /// balls, enlarged by the reach of its surface.
    pub(super) fn is_none_inside(&self, other: &Self, nearest: &NearestBalls) -> bool {
        let (Some(a), Some(b)) = (self.reach, other.reach) else {
            return false;
        };
        let room = self.gap_rounding(other, nearest.gap);
        let are_far = nearest.roots > a.surface + b.surface + room;
        let is_above = |own: f64, inner: f64| nearest.gap - own - room > inner;
        are_far || (is_above(a.surface, b.inner) && is_above(b.surface, a.inner))
    }

    /// More than rounding does to a gap.
    pub(super) fn gap_rounding(&self, other: &Self, gap: f64) -> f64 {
        1e-12 * (gap.abs() + self.span() + other.span())
    }

    /// How far from its own origin the tree reaches.
    pub(super) fn span(&self) -> f64 {
        self.root
            .map_or(0.0, |root| root.center.length() + root.radius)
    }
}

impl TreePair<'_> {
    /// The nearest pair below those on the stack; ends early once a gap is `enough`, with the rest left on the stack.
    pub(super) fn nearest(
        &self,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
        enough: impl Fn(f64) -> bool,
    ) -> NearestBalls {
        let (balls_a, balls_b) = (&self.a.tree.balls, &self.b.tree.balls);
        let leaf_gap = |(a, b): (u32, u32)| self.gap(&balls_a[a as usize], &balls_b[b as usize]);
        // The pair of the last time, if these trees have it.
        let known = cache
            .nearest
            .filter(|&(a, b)| (a as usize) < balls_a.len() && (b as usize) < balls_b.len())
            .unwrap_or((0, 0));
        let mut best = (leaf_gap(known), known);
        let mut outcome = Outcome::Complete;
        let mut fresh = std::mem::take(&mut cache.fresh);
        let view = RelativeView::new(self);
        let mut gaps = Gaps::default();
        while !enough(best.0)
            && let Some(pair) = cache.stack.pop()
        {
            if pair.bound >= best.0 {
                continue;
            }
            if !limits.allows(cache.tests) || limits.is_stopped() {
                outcome = Outcome::OutOfBudget;
                break;
            }
            fresh.clear();
            match &view {
                Some(view) if self.are_alike(&pair) => {
                    cache.tests += 2 * WIDTH as u64;
                    self.open_both(view, &pair, best.0, &mut gaps, &mut fresh);
                }
                _ => {
                    cache.tests += WIDTH as u64;
                    self.open(&pair, best.0, |child| fresh.push(child));
                }
            }
            fresh.sort_unstable_by(|x: &NodePair, y| x.bound.total_cmp(&y.bound));
            for child in &fresh {
                let Some(leaves) = child.leaves() else {
                    continue;
                };
                if child.bound >= best.0.max(0.0) {
                    break;
                }
                let gap = leaf_gap(leaves);
                if gap < 0.0 {
                    // Whoever goes on to measure overlaps needs it again.
                    cache.stack.push(*child);
                }
                if (gap, leaves) < best {
                    best = (gap, leaves);
                }
            }
            let nodes = fresh.iter().rev().filter(|child| child.leaves().is_none());
            cache.stack.extend(nodes);
        }
        cache.fresh = fresh;
        cache.nearest = Some(best.1);
        let roots = match (&self.a.tree.root, &self.b.tree.root) {
            (Some(a), Some(b)) => self.gap(a, b),
            _ => f64::NEG_INFINITY,
        };
        NearestBalls {
            gap: best.0,
            roots,
            balls: best.1,
            outcome,
        }
    }
}
