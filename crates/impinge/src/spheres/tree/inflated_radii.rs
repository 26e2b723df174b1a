//! Inflated radii for searching a tree.

use super::inner_sphere_tree::InnerSphereTree;
use super::topology::{LEAF, NO_CHILD, WIDTH};
use crate::math::outward_rounding;
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// A second radius for every leaf and every node.
#[derive(Clone, Debug)]
pub(super) struct InflatedRadii {
    /// Of each leaf: the larger of its two radii.
    pub(super) leaves: Vec<f64>,
    /// Of each child of each node, about the centre it has anyway; negative and infinite where there is none.
    pub(super) nodes: Vec<[f32; WIDTH]>,
    /// Of each node.
    pub(super) around: Vec<f64>,
    /// Volumes by secondary radius of the leaves below each node.
    pub(super) volumes: Vec<f64>,
    /// Volumes by secondary radius of the leaves before each, and of all.
    pub(super) before: Vec<f64>,
}

impl InflatedRadii {
    /// The radii of a tree whose leaves have these secondary ones; none when the tree is empty.
    pub(super) fn new(tree: &InnerSphereTree, secondary: &[f64]) -> Option<Self> {
        let frame = tree.frame?;
        let leaves: Vec<f64> = tree
            .balls
            .iter()
            .zip(secondary)
            .map(|(ball, &radius)| ball.radius.max(radius))
            .collect();
        let around = |center: glam::DVec3, first: usize, last: usize| {
            let reach = |i: usize| (tree.balls[i].center - center).length() + leaves[i];
            (first..last).map(reach).fold(0.0, f64::max) * (1.0 + 1e-12)
        };
        let nodes = map_indexed(tree.nodes.len(), 16, |(): &mut (), i| {
            let node = &tree.nodes[i];
            let mut radii = [f32::NEG_INFINITY; WIDTH];
            for (lane, radius) in radii.iter_mut().enumerate() {
                let child = node.child[lane];
                if child == NO_CHILD {
                    continue;
                }
                let (first, last) = if child & LEAF == 0 {
                    tree.plan.ranges[child as usize]
                } else {
                    (child & !LEAF, (child & !LEAF) + 1)
                };
                let center = frame.leave(glam::Vec3::new(
                    node.center[0][lane],
                    node.center[1][lane],
                    node.center[2][lane],
                ));
                *radius = outward_rounding::up(
                    around(center, first as usize, last as usize) / frame.scale,
                );
            }
            radii
        });
        let around = map_indexed(tree.nodes.len(), 16, |(): &mut (), i| {
            let (first, last) = tree.plan.ranges[i];
            around(tree.around[i].center, first as usize, last as usize)
        });
        let volume = |&radius: &f64| {
            let center = glam::DVec3::ZERO;
            SolidBall { center, radius }.volume()
        };
        let below = |&(first, last): &(u32, u32)| {
            let radii = &secondary[first as usize..last as usize];
            radii.iter().map(volume).sum()
        };
        Some(Self {
            leaves,
            nodes,
            around,
            volumes: tree.plan.ranges.iter().map(below).collect(),
            before: sums_before(secondary.iter().map(volume)),
        })
    }
}

/// The sum of the numbers before each, and of all.
pub(super) fn sums_before(numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sums = vec![0.0];
    let mut sum = 0.0;
    for number in numbers {
        sum += number;
        sums.push(sum);
    }
    sums
}
