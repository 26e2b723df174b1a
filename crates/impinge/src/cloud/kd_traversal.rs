//! Access to the nodes of a k-d tree, for searches with bounds of their own.

use glam::DVec3;

use super::kd_tree::KdTree;
use crate::bound::Aabb;

impl KdTree {
    /// The node above all others; none when there is no point.
    pub(crate) fn top(&self) -> Option<u32> {
        (!self.is_empty()).then_some(0)
    }

    /// The two nodes below; none for a bucket.
    pub(crate) fn halves(&self, node: u32) -> Option<[u32; 2]> {
        let own = &self.nodes[node as usize];
        (!own.is_leaf()).then_some([own.low, own.high])
    }

    /// A box around the points below.
    pub(crate) fn node_bounds(&self, node: u32) -> Aabb {
        let own = &self.nodes[node as usize];
        Aabb {
            min: own.min,
            max: own.max,
        }
    }

    /// The points of a bucket with their numbers; those of the first bucket below for any other node.
    pub(crate) fn points_of(&self, node: u32) -> impl ExactSizeIterator<Item = (u32, DVec3)> {
        let mut number = node;
        // The tree has a depth that is bounded.
        while let Some([low, _]) = self.halves(number) {
            number = low;
        }
        let bucket = self.bucket(&self.nodes[number as usize]);
        bucket.iter().map(|slot| (slot.id, slot.place))
    }
}
