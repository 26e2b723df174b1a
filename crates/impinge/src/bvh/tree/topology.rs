//! The topology of a BVH before it has volumes: nested ranges of an order of the faces.

use glam::{DVec3, Vec4};

use super::build_item::{BuildItem, LaneBox};

/// A node of a binary tree: a range of the order, and its children if it is not a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BinaryNode {
    pub(super) start: u32,
    pub(super) end: u32,
    /// The first of two adjacent children, larger than this node's own index; 0 in a leaf.
    pub(super) first: u32,
}

impl BinaryNode {
    pub(super) fn leaf(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
            first: 0,
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.end - self.start
    }
}

/// A binary tree over references to faces.
#[derive(Clone, Debug, Default)]
pub(super) struct BinaryTopology {
    /// The references: each face once, or several times where faces are in both children.
    pub(super) order: Vec<BuildItem>,
    /// The nodes, parents before children; the root first.
    pub(super) branches: Vec<BinaryNode>,
    /// Whether a face may be referred to more than once, with the part of it in the item's box.
    pub(super) has_parts: bool,
}

/// A node with up to eight adjacent children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WideNode {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) first: u32,
    /// How many children there are; 0 in a leaf.
    pub(super) children: u32,
}

impl BinaryTopology {
    /// The box of every node.
    pub(super) fn extents(&self) -> Vec<LaneBox> {
        let mut extents = vec![LaneBox::EMPTY; self.branches.len()];
        for (i, branch) in self.branches.iter().enumerate().rev() {
            extents[i] = if branch.first == 0 {
                LaneBox::of(&self.order[branch.start as usize..branch.end as usize])
            } else {
                let first = branch.first as usize;
                extents[first].union(&extents[first + 1])
            };
        }
        extents
    }

    /// What searching costs by the surface-area heuristic, up to a factor that is the same for all trees of a mesh.
    pub(super) fn cost(&self) -> f64 {
        let cost = |(branch, extent): (&BinaryNode, LaneBox)| {
            let tests = if branch.first == 0 { branch.len() } else { 2 };
            f64::from(extent.area()) * f64::from(tests)
        };
        self.branches.iter().zip(self.extents()).map(cost).sum()
    }

    /// The tree with at most `arity` children per node and as many faces per leaf as are allowed.
    pub(super) fn widened(&self, arity: usize, leaf_faces: u32) -> Vec<WideNode> {
        let Some(root) = self.branches.first() else {
            return Vec::new();
        };
        // The area decides which child is replaced by its own children, the largest first.
        let areas: Vec<f32> = if arity > 2 {
            self.extents().iter().map(LaneBox::area).collect()
        } else {
            Vec::new()
        };
        let is_leaf = |branch: &BinaryNode| branch.first == 0 || branch.len() <= leaf_faces;
        let slot = |branch: &BinaryNode| WideNode {
            start: branch.start,
            end: branch.end,
            first: 0,
            children: 0,
        };
        let mut slots = Vec::with_capacity(self.branches.len());
        slots.push(slot(root));
        let mut open = vec![(0_usize, 0_usize)];
        let mut chosen: Vec<usize> = Vec::with_capacity(arity);
        while let Some((branch, at)) = open.pop() {
            let parent = &self.branches[branch];
            if is_leaf(parent) {
                continue;
            }
            chosen.clear();
            chosen.extend([parent.first as usize, parent.first as usize + 1]);
            while chosen.len() < arity {
                let mut largest: Option<usize> = None;
                for (k, &child) in chosen.iter().enumerate() {
                    let larger = |l: usize| areas[child] > areas[chosen[l]];
                    if !is_leaf(&self.branches[child]) && largest.is_none_or(larger) {
                        largest = Some(k);
                    }
                }
                let Some(k) = largest else { break };
                let first = self.branches[chosen[k]].first as usize;
                chosen[k] = first;
                chosen.insert(k + 1, first + 1);
            }
            let first = slots.len();
            slots[at].first = first as u32;
            slots[at].children = chosen.len() as u32;
            for (k, &child) in chosen.iter().enumerate() {
                slots.push(slot(&self.branches[child]));
                open.push((child, first + k));
            }
            // The first child is opened next, so that near nodes are near in memory.
            let added = open.len() - chosen.len();
            open[added..].reverse();
        }
        slots
    }
}

/// Grows a tree from the top down: `cut` reorders a range and says where to part it, strictly inside.
pub(super) fn grow(
    items: &mut [BuildItem],
    leaf_faces: usize,
    mut cut: impl FnMut(&mut [BuildItem], usize) -> usize,
) -> Vec<BinaryNode> {
    if items.is_empty() {
        return Vec::new();
    }
    let mut branches = vec![BinaryNode::leaf(0, items.len())];
    let mut open = vec![(0_usize, 0_usize)];
    while let Some((at, level)) = open.pop() {
        let (start, end) = (branches[at].start as usize, branches[at].end as usize);
        if end - start <= leaf_faces {
            continue;
        }
        let middle = cut(&mut items[start..end], level);
        let middle = if middle == 0 || middle >= end - start {
            (end - start) / 2
        } else {
            middle
        };
        let first = branches.len();
        branches[at].first = first as u32;
        branches.push(BinaryNode::leaf(start, start + middle));
        branches.push(BinaryNode::leaf(start + middle, end));
        open.push((first + 1, level + 1));
        open.push((first, level + 1));
    }
    branches
}

/// A tree whose nodes were linked one by one: children by index, faces in leaves.
#[derive(Clone, Copy, Debug)]
pub(super) enum LinkedNode {
    Leaf(BuildItem),
    Inner([u32; 2]),
}

/// The shape of a linked tree.
pub(super) fn linked(links: &[LinkedNode], root: u32) -> BinaryTopology {
    let mut shape = BinaryTopology::default();
    if links.is_empty() {
        return shape;
    }
    shape.branches.push(BinaryNode::leaf(0, 0));
    // Depth first, so that the faces below a node are a range; a node's end is known when it is met again.
    let mut open = vec![(root, 0_usize, false)];
    while let Some((link, at, is_done)) = open.pop() {
        if is_done {
            shape.branches[at].end = shape.order.len() as u32;
            continue;
        }
        shape.branches[at].start = shape.order.len() as u32;
        match links[link as usize] {
            LinkedNode::Leaf(item) => {
                shape.order.push(item);
                shape.branches[at].end = shape.order.len() as u32;
            }
            LinkedNode::Inner([left, right]) => {
                let first = shape.branches.len();
                shape.branches[at].first = first as u32;
                shape.branches.extend([BinaryNode::leaf(0, 0); 2]);
                open.push((link, at, true));
                open.push((right, first + 1, false));
                open.push((left, first, false));
            }
        }
    }
    shape
}

/// A box's corners in double precision.
pub(super) fn corners_of(extent: &LaneBox) -> (DVec3, DVec3) {
    let wide = |v: Vec4| v.truncate().as_dvec3();
    (wide(extent.low), wide(extent.high))
}
