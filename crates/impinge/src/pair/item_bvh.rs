//! BVH over the parts of a shape, and the traversal of two of them.
//!
//! **Idea.** A shape that is not convex is a set of numbered convex parts: the faces of a mesh, the faces under the cells of a height field,
//! the balls of a particle set, the points of a cloud. Each has its own hierarchy of boxes; the descent of two hierarchies sees only boxes and
//! numbers, so that one descent serves every two of them. A convex shape is a hierarchy of one part.

use std::ops::ControlFlow;

use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::{Limits, Work};

/// Items in a leaf.
pub(super) const LEAF_ITEMS: usize = 4;

/// A place in a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ItemNode {
    /// A branch of an [`ItemBvh`].
    Branch(u32),
    /// A square of cells of a height field: `2^level` by `2^level`.
    Cells { level: u8, i: u32, j: u32 },
    /// Some points of a bucket of a cloud.
    Bucket { bucket: u32, quarter: u8 },
    /// One part.
    Part(u32),
}

/// The nodes below a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChildNodes {
    nodes: [ItemNode; LEAF_ITEMS],
    count: usize,
}

impl ChildNodes {
    pub(super) fn none() -> Self {
        Self {
            nodes: [ItemNode::Part(0); LEAF_ITEMS],
            count: 0,
        }
    }

    pub(super) fn push(&mut self, node: ItemNode) {
        if let Some(slot) = self.nodes.get_mut(self.count) {
            *slot = node;
            self.count += 1;
        }
    }

    pub(super) fn as_slice(&self) -> &[ItemNode] {
        &self.nodes[..self.count]
    }
}

/// Boxes around boxes around parts.
pub(super) trait ItemHierarchy {
    /// The node above all others; none when there is no part.
    fn root(&self) -> Option<ItemNode>;
    /// A box around what lies below a node.
    fn bounds(&self, node: ItemNode) -> Aabb;
    /// A box around the same, placed.
    fn placed(&self, node: ItemNode, pose: &Pose) -> Aabb {
        self.bounds(node).transformed(pose)
    }
    /// The nodes below; none for a part.
    fn below(&self, node: ItemNode) -> ChildNodes;
}

#[derive(Clone, Copy, Debug)]
struct ItemBranch {
    bounds: Aabb,
    /// The first of two children, or of the items when `count` is not 0.
    first: u32,
    count: u32,
}

/// A binary tree over boxes, split at medians.
#[derive(Clone, Debug)]
pub(super) struct ItemBvh {
    branches: Vec<ItemBranch>,
    items: Vec<u32>,
}

impl ItemBvh {
    /// The tree over the boxes; items are their numbers.
    pub(super) fn new(boxes: &[Aabb]) -> Self {
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut branches = Vec::new();
        if items.is_empty() {
            return Self { branches, items };
        }
        let nothing = ItemBranch {
            bounds: Aabb::EMPTY,
            first: 0,
            count: 0,
        };
        branches.push(nothing);
        let mut open = vec![(0_usize, 0_usize, items.len())];
        while let Some((at, from, to)) = open.pop() {
            let own = &mut items[from..to];
            let bounds = own
                .iter()
                .fold(Aabb::EMPTY, |sum, &i| sum.union(&boxes[i as usize]));
            branches[at] = ItemBranch {
                bounds,
                first: from as u32,
                count: own.len() as u32,
            };
            if own.len() <= LEAF_ITEMS {
                continue;
            }
            let middles = own.iter().map(|&i| boxes[i as usize].center());
            let spread = Aabb::enclosing(middles).diagonal();
            let axis = if spread.x >= spread.y && spread.x >= spread.z {
                0
            } else if spread.y >= spread.z {
                1
            } else {
                2
            };
            let half = own.len() / 2;
            let key = |i: u32| boxes[i as usize].center()[axis];
            own.select_nth_unstable_by(half, |&i, &j| key(i).total_cmp(&key(j)).then(i.cmp(&j)));
            let first = branches.len();
            branches[at].first = first as u32;
            branches[at].count = 0;
            branches.extend([nothing, nothing]);
            open.push((first, from, from + half));
            open.push((first + 1, from + half, to));
        }
        Self { branches, items }
    }

    pub(super) fn root(&self) -> Option<ItemNode> {
        (!self.branches.is_empty()).then_some(ItemNode::Branch(0))
    }

    pub(super) fn whole(&self) -> Aabb {
        self.branches.first().map_or(Aabb::EMPTY, |b| b.bounds)
    }

    pub(super) fn branch_bounds(&self, branch: u32) -> Aabb {
        self.branches
            .get(branch as usize)
            .map_or(Aabb::EMPTY, |b| b.bounds)
    }

    pub(super) fn below(&self, branch: u32) -> ChildNodes {
        let mut below = ChildNodes::none();
        let Some(own) = self.branches.get(branch as usize) else {
            return below;
        };
        if own.count == 0 {
            below.push(ItemNode::Branch(own.first));
            below.push(ItemNode::Branch(own.first + 1));
        } else {
            let from = own.first as usize;
            for &item in &self.items[from..from + own.count as usize] {
                below.push(ItemNode::Part(item));
            }
        }
        below
    }
}

/// Two nodes with their boxes.
type NodePair = ((ItemNode, Aabb), (ItemNode, Aabb));

/// Stacks of descents, kept by queries so that asking again does not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct Stacks {
    near: Vec<NodePair>,
    pub(super) best: Vec<OpenPair>,
    pub(super) nodes: Vec<(f64, ItemNode)>,
    pub(super) points: Vec<(f64, u32)>,
}

/// Two nodes that have not been examined, and a bound on what is below them.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenPair {
    pub(super) at_least: f64,
    pub(super) a: (ItemNode, Aabb),
    pub(super) b: (ItemNode, Aabb),
}

/// Counts work and asks now and then whether to stop.
#[derive(Debug)]
pub(super) struct WorkMeter<'l> {
    limits: Limits<'l>,
    pub(super) work: Work,
    pub(super) stacks: Stacks,
}

impl<'l> WorkMeter<'l> {
    pub(super) fn new(limits: Limits<'l>) -> Self {
        Self::with(limits, &mut Stacks::default())
    }

    /// The same with the stacks of an earlier descent, which [`give_back`](Self::give_back) returns.
    pub(super) fn with(limits: Limits<'l>, stacks: &mut Stacks) -> Self {
        Self {
            limits,
            work: Work::default(),
            stacks: std::mem::take(stacks),
        }
    }

    pub(super) fn give_back(self, stacks: &mut Stacks) {
        *stacks = self.stacks;
    }

    pub(super) fn volume(&mut self) -> bool {
        self.work.volume_tests += 1;
        self.is_within()
    }

    pub(super) fn face(&mut self) -> bool {
        self.work.face_tests += 1;
        self.is_within()
    }

    fn is_within(&self) -> bool {
        let spent = self.work.tests();
        self.limits.allows(spent - 1) && (!spent.is_multiple_of(64) || !self.limits.is_stopped())
    }
}

/// How a descent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DescentEnd {
    Complete,
    Stopped,
    OutOfBudget,
}

/// Calls `visit` for every two parts whose boxes come within `margin` of each other.
pub(super) fn each_near_pair<A: ItemHierarchy + ?Sized, B: ItemHierarchy + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    margin: f64,
    meter: &mut WorkMeter<'_>,
    visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> DescentEnd {
    let mut open = std::mem::take(&mut meter.stacks.near);
    open.clear();
    let ended = descend(a, b, a_from_b, margin, meter, &mut open, visit);
    meter.stacks.near = open;
    ended
}

fn descend<A: ItemHierarchy + ?Sized, B: ItemHierarchy + ?Sized>(
    a: &A,
    b: &B,
    a_from_b: &Pose,
    margin: f64,
    meter: &mut WorkMeter<'_>,
    open: &mut Vec<NodePair>,
    visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
) -> DescentEnd {
    let (Some(root_a), Some(root_b)) = (a.root(), b.root()) else {
        return DescentEnd::Complete;
    };
    let box_of_a = |node: ItemNode| {
        let bounds = a.bounds(node);
        if margin > 0.0 {
            bounds.inflated(margin)
        } else {
            bounds
        }
    };
    open.push((
        (root_a, box_of_a(root_a)),
        (root_b, b.placed(root_b, a_from_b)),
    ));
    while let Some(((node_a, box_a), (node_b, box_b))) = open.pop() {
        if !meter.volume() {
            return DescentEnd::OutOfBudget;
        }
        if !box_a.overlaps(&box_b) {
            continue;
        }
        if let (ItemNode::Part(part_a), ItemNode::Part(part_b)) = (node_a, node_b) {
            if !meter.face() {
                return DescentEnd::OutOfBudget;
            }
            if visit(part_a, part_b).is_break() {
                return DescentEnd::Stopped;
            }
            continue;
        }
        if descends_a(node_a, &box_a, node_b, &box_b) {
            for &child in a.below(node_a).as_slice().iter().rev() {
                open.push(((child, box_of_a(child)), (node_b, box_b)));
            }
        } else {
            for &child in b.below(node_b).as_slice().iter().rev() {
                open.push(((node_a, box_a), (child, b.placed(child, a_from_b))));
            }
        }
    }
    DescentEnd::Complete
}

/// Whether to look below the node of `a`: the larger box is opened, parts never are.
pub(super) fn descends_a(node_a: ItemNode, box_a: &Aabb, node_b: ItemNode, box_b: &Aabb) -> bool {
    match (node_a, node_b) {
        (_, ItemNode::Part(_)) => true,
        (ItemNode::Part(_), _) => false,
        _ => box_a.surface_area() >= box_b.surface_area(),
    }
}
