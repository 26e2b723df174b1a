//! The published priority of a pair of nodes: how many samples of one are on either side of the other.
//!
//! The surface of a node's samples alone, with a bandwidth that follows from how many of the points
//! they are, is evaluated at the samples of the other node. Those nearer to it than the covering
//! radius may be on either side and do not count. Both sides occupied means that an intersection is
//! likely. Klein 2005, section 5.2.4; signs are made comparable by the node's plane. Wrong signs
//! cost visits, never an answer.

use glam::DVec3;

use super::super::evaluation::WeightedMoments;
use super::super::sample_surface::sample_bandwidth;
use super::super::smallest_eigenvector::smallest_eigenvector;
use super::node::{CloudTree, HierarchyNode};
use super::relative_pose::RelativePose;

/// The kernel of samples ends at this many of their sampling radii, with this weight.
const HORIZON: f64 = 5.0;
const NEGLIGIBLE: f64 = 1e-3;

/// How many points are below each node of both trees.
#[derive(Clone, Debug, Default)]
pub(super) struct SignPriority {
    below: [Vec<u32>; 2],
}

impl SignPriority {
    /// Counts points once per pair of trees.
    pub(super) fn prepare(&mut self, a: &CloudTree, b: &CloudTree) {
        for (counts, tree) in self.below.iter_mut().zip([a, b]) {
            if counts.len() != tree.nodes.len() {
                count_points(tree, counts);
            }
        }
    }

    /// The priority of two nodes: the larger of what either sees of the other.
    pub(super) fn of_pair(
        &self,
        a: &CloudTree,
        b: &CloudTree,
        pair: (u32, u32),
        placement: &RelativePose,
    ) -> f64 {
        let nodes = (&a.nodes[pair.0 as usize], &b.nodes[pair.1 as usize]);
        let below = (
            self.below[0][pair.0 as usize],
            self.below[1][pair.1 as usize],
        );
        let of_a = |p: DVec3| placement.b_from_a * p;
        let of_b = |p: DVec3| placement.a_from_b * p;
        let over_b = SampledNode::new(b, nodes.1, below.1).sides(a, nodes.0, of_a);
        let over_a = SampledNode::new(a, nodes.0, below.0).sides(b, nodes.1, of_b);
        over_a.max(over_b)
    }
}

fn count_points(tree: &CloudTree, counts: &mut Vec<u32>) {
    counts.clear();
    counts.resize(tree.nodes.len(), 0);
    // Children come after their parents.
    for (number, node) in tree.nodes.iter().enumerate().rev() {
        counts[number] = if node.is_leaf() {
            u32::from(node.samples)
        } else {
            let low = node.low as usize;
            counts[low] + counts[low + 1]
        };
    }
}

/// A node as the surface of its samples, in the units of its cloud.
struct SampledNode<'t> {
    tree: &'t CloudTree,
    node: &'t HierarchyNode,
    bandwidth: f64,
    radius: f64,
}

impl<'t> SampledNode<'t> {
    fn new(tree: &'t CloudTree, node: &'t HierarchyNode, below: u32) -> Self {
        let (all, sampled) = (below as usize, usize::from(node.samples));
        let bandwidth = sample_bandwidth(HORIZON, tree.sampling_radius(), all, sampled, NEGLIGIBLE);
        Self {
            tree,
            node,
            bandwidth,
            radius: f64::from(node.radius) * tree.unit,
        }
    }

    /// The product of the numbers of another node's samples on both sides, divided by their sum. Only those whose balls reach this
    /// node's box count.
    fn sides(
        &self,
        other: &CloudTree,
        node: &HierarchyNode,
        place: impl Fn(DVec3) -> DVec3,
    ) -> f64 {
        let near = self.tree.widened_box(self.node, 0.0);
        let reach = f64::from(node.radius) * other.unit;
        let (mut above, mut below) = (0_u32, 0_u32);
        for &id in other.samples(node) {
            let x = place(other.place(id));
            if near.inflated(reach).contains(x)
                && let Some(value) = self.value(x)
                && value.abs() > self.radius
            {
                above += u32::from(value > 0.0);
                below += u32::from(value < 0.0);
            }
        }
        let (above, below) = (f64::from(above), f64::from(below));
        if above * below > 0.0 {
            above * below / (above + below)
        } else {
            0.0
        }
    }

    /// The function of the samples; none where it has no normal.
    fn value(&self, x: DVec3) -> Option<f64> {
        let samples = self.tree.samples(self.node);
        let place = |&id: &u32| self.tree.place(id);
        let squares = samples.iter().map(|id| (place(id) - x).length_squared());
        // Weights relative to the largest, so that none vanishes far away.
        let nearest = squares.fold(f64::INFINITY, f64::min);
        let width = (self.bandwidth * self.bandwidth).max(f64::MIN_POSITIVE);
        let mut moments = WeightedMoments::default();
        for id in samples {
            let p = place(id) - x;
            moments.add(p, (-(p.length_squared() - nearest) / width).exp());
        }
        let (mean, covariance) = moments.about(None);
        let mut normal = smallest_eigenvector(covariance)?.axis;
        if normal.dot(self.node.plane()) < 0.0 {
            normal = -normal;
        }
        Some(normal.dot(mean))
    }
}
