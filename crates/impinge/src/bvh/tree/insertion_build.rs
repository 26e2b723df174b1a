//! BVH construction by insertion.
//!
//! **Question.** Where in a tree is a new face inserted?
//! **Idea.** Beside the node where the total area of the tree grows least. The search descends from
//! the root: it stops where a new node is cheaper than any insertion below a child, otherwise it
//! enters the cheaper child. On a tie it enters the child with fewer faces, so that coincident
//! faces make a balanced tree.
//! **Source.** Goldsmith and Salmon, *Automatic creation of object hierarchies for ray tracing*,
//! 1987; the walk as in Catto, *Dynamic bounding volume hierarchies*, 2019.
//! **Cost.** The depth of the tree for each face.
//! **Promise.** Below [`BALANCED_FROM_LEVEL`] the smaller child is always entered: no order of
//! faces makes a deep tree.

use super::build_item::{BuildItem, LaneBox};
use super::topology::{BinaryTopology, LinkedNode, linked};
use crate::math::Rng;

/// Deeper than trees of real meshes.
const BALANCED_FROM_LEVEL: usize = 64;

#[derive(Clone, Copy, Debug)]
struct InsertionNode {
    extent: LaneBox,
    faces: u32,
}

/// The tree after inserting every item.
pub(super) fn build(mut items: Vec<BuildItem>) -> BinaryTopology {
    if items.is_empty() {
        return BinaryTopology::default();
    }
    // Neighbours in files are neighbours in space; in mixed order each face meets a tree that is spread out already.
    let mut rng = Rng::new(1);
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i as u64 + 1) as usize);
    }
    let mut tree = InsertionTree::default();
    for item in items {
        tree.insert(item);
    }
    linked(&tree.links, 0)
}

/// The root is always node 0.
#[derive(Default)]
struct InsertionTree {
    nodes: Vec<InsertionNode>,
    links: Vec<LinkedNode>,
}

impl InsertionTree {
    fn insert(&mut self, item: BuildItem) {
        let new = InsertionNode {
            extent: item.extent(),
            faces: 1,
        };
        if self.nodes.is_empty() {
            self.push(new, LinkedNode::Leaf(item));
            return;
        }
        let mut at = 0;
        for level in 0.. {
            let node = self.nodes[at];
            let union = node.extent.union(&new.extent);
            if let LinkedNode::Inner(children) = self.links[at]
                && let Some(child) = self.entered(at, children, &new, union.area(), level)
            {
                self.nodes[at] = InsertionNode {
                    extent: union,
                    faces: node.faces + 1,
                };
                at = child;
                continue;
            }
            // The node moves down and becomes the new one's brother.
            let link = self.links[at];
            let brother = self.push(node, link);
            let leaf = self.push(new, LinkedNode::Leaf(item));
            self.nodes[at] = InsertionNode {
                extent: union,
                faces: node.faces + 1,
            };
            self.links[at] = LinkedNode::Inner([brother, leaf]);
            return;
        }
    }

    /// The child to enter, or none when a new node here is cheaper.
    fn entered(
        &self,
        at: usize,
        children: [u32; 2],
        new: &InsertionNode,
        union_area: f32,
        level: usize,
    ) -> Option<usize> {
        let [left, right] = children.map(|c| c as usize);
        let fewer = if self.nodes[right].faces < self.nodes[left].faces {
            right
        } else {
            left
        };
        if level >= BALANCED_FROM_LEVEL {
            return Some(fewer);
        }
        // A brother here adds the union as a new node; entering grows this node to the union and adds at least what a child grows.
        let here = union_area;
        let growth = union_area - self.nodes[at].extent.area();
        let grows = |child: usize| {
            let extent = &self.nodes[child].extent;
            extent.union(&new.extent).area() > extent.area()
        };
        if !grows(left) && !grows(right) {
            return Some(fewer);
        }
        let below = |child: usize| {
            let union = self.nodes[child].extent.union(&new.extent).area();
            let own = match self.links[child] {
                LinkedNode::Leaf(_) => union,
                LinkedNode::Inner(_) => union - self.nodes[child].extent.area(),
            };
            own + growth
        };
        let (cost_left, cost_right) = (below(left), below(right));
        let child = if cost_left == cost_right {
            fewer
        } else if cost_left < cost_right {
            left
        } else {
            right
        };
        (cost_left.min(cost_right) <= here).then_some(child)
    }

    fn push(&mut self, node: InsertionNode, link: LinkedNode) -> u32 {
        self.nodes.push(node);
        self.links.push(link);
        self.nodes.len() as u32 - 1
    }
}
