//! Overlap volume without forces: nodes inside a sphere count as a whole.
//!
//! **Idea.** A node that lies inside a sphere of the other tree shares all its volume. That volume is
//! stored with the node, so nothing below it is visited. Forces need each pair of spheres, because
//! each has its own direction; so this is a query of its own, with volume and centroid only.
//! **Source.** Weller 2012, algorithm 5.3.
//! **Promise.** The answers are those of [`InnerSphereTree::overlap`], up to the order of summation.

use glam::DVec3;

use super::inner_sphere_tree::InnerSphereTree;
use super::lens_batch::LensSum;
use super::overlap_step::BATCH;
use super::topology::LEAF;
use super::tree_pair::{InnerSphereTreeCache, TreePair, TreeSide};
use crate::math::Pose;
use crate::query::{Limits, Outcome};
use crate::spheres::solid_ball::SolidBall;

/// The overlap volume of two packed solids, without forces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallVolume {
    /// The overlap volume of the spheres: a lower bound for the solids.
    pub lower: f64,
    /// Upper bound on the overlap volume of the solids, as [`BallOverlap::upper`](super::BallOverlap::upper).
    pub upper: f64,
    /// The best estimate of the overlap volume, as [`BallOverlap::value`](super::BallOverlap::value).
    pub value: f64,
    /// The overlap volume of the spheres; under a budget, with an estimate for the pairs that were not visited.
    pub expected: f64,
    /// The centroid of the overlap of the spheres.
    pub centroid: DVec3,
    /// Pairs of spheres that overlap, those in nodes that counted as a whole included.
    pub pairs: usize,
    /// Nodes that lie in a sphere of the other tree and were counted as a whole.
    pub whole_nodes: usize,
    /// Whether all pairs were visited or counted.
    pub outcome: Outcome,
}

/// Volume and first moment of the leaves below a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodeMoments {
    volume: f64,
    moment: DVec3,
}

impl NodeMoments {
    pub(super) fn of_all(ranges: &[(u32, u32)], balls: &[SolidBall]) -> Vec<Self> {
        let below = |&(first, last): &(u32, u32)| {
            let mut sum = Self::default();
            for ball in &balls[first as usize..last as usize] {
                sum.volume += ball.volume();
                sum.moment += ball.center * ball.volume();
            }
            sum
        };
        ranges.iter().map(below).collect()
    }
}

/// What nodes share that were counted as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WholeNodes {
    volume: f64,
    value: f64,
    /// In the frame of `a`.
    moment: DVec3,
    pairs: usize,
    nodes: usize,
}

impl WholeNodes {
    pub(super) fn add_to(&self, sum: &mut LensSum) {
        sum.volume += self.volume;
        sum.value += self.value;
        sum.moment += self.moment;
        sum.pairs += self.pairs;
    }
}

/// What rounding may do to a distance, in units of the lengths that enter it.
const ROUNDING: f64 = 1e-15;

impl TreePair<'_> {
    /// Counts the nodes that lie in the ball they are paired with, and keeps the other pairs; how many those are.
    pub(super) fn take_whole(
        &self,
        batch: &[(u32, u32)],
        rest: &mut [(u32, u32); BATCH],
        whole: &mut WholeNodes,
    ) -> usize {
        let mut count = 0;
        for &(a, b) in batch.iter().take(BATCH) {
            let is_whole = if a & LEAF != 0 {
                whole.add(&self.a, a, &self.b, b, &self.b_from_a, Some(self.a_from_b))
            } else {
                whole.add(&self.b, b, &self.a, a, self.a_from_b, None)
            };
            if !is_whole {
                rest[count] = (a, b);
                count += 1;
            }
        }
        count
    }
}

impl WholeNodes {
    /// Adds the node if it lies in the ball with both radii of each. `place` leads from the ball to the node, and `back`
    /// from the node to `a`, if it is not of `a`.
    fn add(
        &mut self,
        ball_side: &TreeSide<'_>,
        ball: u32,
        node_side: &TreeSide<'_>,
        node: u32,
        place: &Pose,
        back: Option<&Pose>,
    ) -> bool {
        let (leaf, node) = ((ball & !LEAF) as usize, node as usize);
        let tree = node_side.tree;
        let (Some(ball), Some(around), Some(moments), Some(&(first, last))) = (
            ball_side.tree.balls.get(leaf),
            tree.around.get(node),
            tree.whole.get(node),
            tree.plan.ranges.get(node),
        ) else {
            return false;
        };
        let center = place.transform_point(ball.center);
        let distance = (center - around.center).length();
        let room =
            ROUNDING * (center.abs().max_element() + place.translation().abs().max_element());
        let second = ball_side.tree.secondary.get(leaf).copied();
        let swollen = node_side.swollen.map_or(around.radius, |s| s.around[node]);
        let is_inside = distance + around.radius + room <= ball.radius
            && distance + swollen + room <= second.unwrap_or(ball.radius);
        if is_inside {
            self.volume += moments.volume;
            self.value += node_side
                .swollen
                .map_or(moments.volume, |s| s.volumes[node]);
            self.moment += match back {
                Some(back) => {
                    back.rotation().mul_vec3(moments.moment) + back.translation() * moments.volume
                }
                None => moments.moment,
            };
            self.pairs += (last - first) as usize;
            self.nodes += 1;
        }
        is_inside
    }
}

impl InnerSphereTree {
    /// The overlap volume as [`InnerSphereTree::overlap`] gives it, without forces: a node that lies in a
    /// sphere of the other tree counts as a whole, and nothing below it is visited.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, query::Limits, spheres::*};
    /// let options = InnerSphereTreeOptions::default();
    /// let large = InnerSphereTree::new(&[SolidBall { center: DVec3::ZERO, radius: 9.0 }], &options)?;
    /// let row: Vec<SolidBall> = (-2..3).map(|x| SolidBall { center: DVec3::X * f64::from(x), radius: 0.5 }).collect();
    /// let small = InnerSphereTree::new(&row, &options)?;
    /// let found = large.overlap_volume(&small, &Pose::IDENTITY, Limits::default(), &mut InnerSphereTreeCache::default());
    /// assert!((found.lower - 5.0 / 6.0 * std::f64::consts::PI).abs() < 1e-9);
    /// assert_eq!(found.pairs, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlap_volume(
        &self,
        other: &Self,
        self_from_other: &Pose,
        limits: Limits<'_>,
        cache: &mut InnerSphereTreeCache,
    ) -> BallVolume {
        let mut scene = TreePair::new(self, other, self_from_other, cache.level).with_gaps();
        scene.counts_whole = true;
        cache.tests = 0;
        cache.stack.clear();
        let root = scene.root().filter(|root| root.bound < 0.0);
        cache.stack.extend(root);
        let found = scene.measure(limits, cache);
        BallVolume {
            lower: found.lower,
            upper: found.upper,
            value: found.value,
            expected: found.expected,
            centroid: found.centroid,
            pairs: found.pairs,
            whole_nodes: cache.found.whole.nodes,
            outcome: found.outcome,
        }
    }
}
