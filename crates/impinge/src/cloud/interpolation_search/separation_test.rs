//! Separation test: whether the k-d trees of two clouds prove that the surfaces are disjoint.
//!
//! **Idea.** A surface is within two reaches of its points. If a plane separates the points of both
//! clouds with a larger margin than that, the surfaces are disjoint. The tree finds the farthest
//! point in a direction in the same way as the nearest point to a place; these support points
//! improve the direction. If no plane separates, boxes of nodes may: the nearer pairs are examined
//! first, so that clouds that are close are recognised after one descent of both trees.
//! **Source.** Directions are improved as by Chung and Wang (1996).

use glam::DVec3;

use super::crossing_search::CrossingFinder;
use crate::cloud::kd_tree::{KdNode, KdTree, STACK};

/// A surface is at most this many reaches from its points.
const REACHES: f64 = 2.0;
/// Directions that are tried.
const DIRECTIONS: usize = 8;
/// Pairs of nodes that are examined; candidates decide where more would be needed.
const MOST_PAIRS: usize = 256;

impl CrossingFinder<'_, '_> {
    /// Whether both surfaces are farther apart than their points reach; no when that is not decided soon.
    pub(super) fn are_apart(&mut self) -> bool {
        self.is_plane_between() || self.are_boxes_apart()
    }

    fn is_plane_between(&self) -> bool {
        let (tree_a, tree_b) = (&self.a.graph.tree, &self.other.surface.graph.tree);
        let pose = &self.other.a_from_b;
        let middle = |tree: &KdTree| (tree.nodes[0].min + tree.nodes[0].max) * 0.5;
        let mut way = *pose * middle(tree_b) - middle(tree_a);
        for _ in 0..DIRECTIONS {
            let Some(unit) = way.try_normalize() else {
                return false;
            };
            let back = -(pose.rotation().transpose() * unit);
            let (Some(a), Some(b)) = (farthest(tree_a, unit), farthest(tree_b, back)) else {
                return false;
            };
            if unit.dot(pose.translation()) - b.height - a.height > 0.0 {
                return true;
            }
            // Mirrored at the plane across the line between the two points, the direction leads away from what overlaps.
            let Some(line) = (*pose * b.place - a.place).try_normalize() else {
                return false;
            };
            way = unit - line * (2.0 * line.dot(unit));
        }
        false
    }

    fn are_boxes_apart(&mut self) -> bool {
        let (tree_a, tree_b) = (&self.a.graph.tree, &self.other.surface.graph.tree);
        let pose = &self.other.a_from_b;
        let pairs = &mut self.scratch.pairs;
        pairs.clear();
        pairs.push((0, 0, 0.0));
        let mut left = MOST_PAIRS;
        while let Some((i, j, _)) = pairs.pop() {
            let (node_a, node_b) = (&tree_a.nodes[i as usize], &tree_b.nodes[j as usize]);
            if left == 0 || (node_a.is_leaf() && node_b.is_leaf()) {
                return false;
            }
            left -= 1;
            let mut next = KdNode::divided([node_a, node_b], [i, j]);
            for (i, j, gap) in &mut next {
                let (a, b) = (tree_a.node_bounds(*i), tree_b.node_bounds(*j));
                let reach = tree_a.nodes[*i as usize].reach + tree_b.nodes[*j as usize].reach;
                *gap = a.distance_sq_to(&b.transformed(pose)).sqrt() - REACHES * reach;
            }
            if next[0].2 < next[1].2 {
                next.swap(0, 1);
            }
            pairs.extend(next.iter().filter(|(_, _, gap)| *gap <= 0.0));
        }
        true
    }
}

/// The farthest point in a direction, and how far a surface may be in it.
struct SupportReach {
    place: DVec3,
    height: f64,
}

/// None without points, or where a tree is deeper than it can be.
fn farthest(tree: &KdTree, unit: DVec3) -> Option<SupportReach> {
    // What a node can have at most; its box and the reach of its points.
    let most = |node: &KdNode| {
        let corner = (node.min * unit).max(node.max * unit);
        corner.x + corner.y + corner.z + REACHES * node.reach
    };
    let mut best: Option<SupportReach> = None;
    let mut open = [(0_u32, f64::INFINITY); STACK];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (number, bound) = open[count];
        if best.as_ref().is_some_and(|best| bound <= best.height) {
            continue;
        }
        let node = &tree.nodes[number as usize];
        if node.is_leaf() {
            for slot in tree.bucket(node) {
                let height = unit.dot(slot.place) + REACHES * node.reach;
                if best.as_ref().is_none_or(|best| height > best.height) {
                    best = Some(SupportReach {
                        place: slot.place,
                        height,
                    });
                }
            }
            continue;
        }
        let mut next = [node.low, node.high].map(|n| (n, most(&tree.nodes[n as usize])));
        // The better one is on top.
        if next[0].1 > next[1].1 {
            next.swap(0, 1);
        }
        // One more on each level, and the depth is bounded.
        for child in next {
            *open.get_mut(count)? = child;
            count += 1;
        }
    }
    best
}
