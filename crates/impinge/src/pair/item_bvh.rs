//! BVH over the parts of a shape, and the traversal of two of them.
//!
//! **Idea.** A shape that is not convex is a set of numbered convex parts: the faces of a mesh, the
//! faces under the cells of a height field, the balls of a particle set, the points of a cloud.
//! Each kind has its own hierarchy of boxes; the traversal of two hierarchies uses only boxes and
//! part numbers, so that one traversal serves all pairs of kinds. A convex shape is a hierarchy of
//! one part. The hierarchy of a mesh is its wide tree; those of particles and children of compounds
//! are eight-wide trees of AABBs.

use std::ops::ControlFlow;

use crate::bound::Aabb;
use crate::math::simd::{Boxes8, Level};
use crate::math::{Pose, ROTATION_TOLERANCE, outward_rounding};
use crate::query::{Limits, Work};

/// Children of a branch, and items in a leaf.
pub(super) const LEAF_ITEMS: usize = Boxes8::LANES;

/// A place in a hierarchy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ItemNode {
    /// A branch of an [`ItemBvh`], or a box of a mesh's wide tree.
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
    /// Those of the nodes below that may overlap a box, perhaps with others.
    fn below_near(&self, node: ItemNode, with: &Aabb) -> ChildNodes {
        let _ = with;
        self.below(node)
    }
}

/// Parts whose boxes lie in one tree.
pub(super) trait BoxedParts {
    fn tree(&self) -> &ItemBvh;
    /// A box around a part.
    fn part_bounds(&self, part: u32) -> Aabb;
}

impl<P: BoxedParts> ItemHierarchy for P {
    fn root(&self) -> Option<ItemNode> {
        self.tree().root()
    }
    fn bounds(&self, node: ItemNode) -> Aabb {
        match node {
            ItemNode::Branch(branch) => self.tree().branch_bounds(branch),
            ItemNode::Part(part) => self.part_bounds(part),
            ItemNode::Cells { .. } | ItemNode::Bucket { .. } => Aabb::EMPTY,
        }
    }
    fn below(&self, node: ItemNode) -> ChildNodes {
        match node {
            ItemNode::Branch(branch) => self.tree().below(branch),
            _ => ChildNodes::none(),
        }
    }
    fn below_near(&self, node: ItemNode, with: &Aabb) -> ChildNodes {
        match node {
            ItemNode::Branch(branch) => self.tree().below_near(branch, with),
            _ => ChildNodes::none(),
        }
    }
}

/// Marks a child that is an item; the other bits are its number.
const ITEM: u32 = 1 << 31;

/// Up to eight children and their boxes.
#[derive(Clone, Copy, Debug)]
struct ItemBranch {
    /// Rounded outward.
    boxes: Boxes8,
    child: [u32; LEAF_ITEMS],
    count: u32,
    bounds: Aabb,
}

/// An eight-wide tree over boxes, split at medians, whose children are compared in SIMD lanes.
#[derive(Clone, Debug)]
pub(super) struct ItemBvh {
    branches: Vec<ItemBranch>,
    level: Level,
}

impl ItemBvh {
    /// The tree over the boxes; items are their numbers.
    pub(super) fn new(boxes: &[Aabb]) -> Self {
        let mut tree = Self {
            branches: Vec::new(),
            level: Level::detect(),
        };
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        if items.is_empty() {
            return tree;
        }
        let nothing = ItemBranch {
            boxes: Boxes8::EMPTY,
            child: [0; LEAF_ITEMS],
            count: 0,
            bounds: Aabb::EMPTY,
        };
        tree.branches.push(nothing);
        let mut open = vec![(0_usize, 0_usize, items.len())];
        while let Some((at, from, to)) = open.pop() {
            let mut branch = nothing;
            let ranges = split_in_eight(&mut items, boxes, from, to);
            for (lane, &(from, to)) in ranges.iter().enumerate() {
                if from == to {
                    continue;
                }
                let own = items[from..to].iter();
                let bounds = own.fold(Aabb::EMPTY, |sum, &i| sum.union(&boxes[i as usize]));
                branch.bounds = branch.bounds.union(&bounds);
                let child = if to - from == 1 {
                    ITEM | items[from]
                } else {
                    tree.branches.push(nothing);
                    open.push((tree.branches.len() - 1, from, to));
                    (tree.branches.len() - 1) as u32
                };
                // Lanes are filled from the first on.
                debug_assert!(branch.count as usize == lane);
                let [min, max] = outward(&bounds);
                branch.boxes.set(branch.count as usize, min, max);
                branch.child[branch.count as usize] = child;
                branch.count += 1;
            }
            tree.branches[at] = branch;
        }
        tree
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
        self.children(branch, u8::MAX)
    }

    /// The children whose boxes may overlap a box.
    pub(super) fn below_near(&self, branch: u32, with: &Aabb) -> ChildNodes {
        let Some(own) = self.branches.get(branch as usize) else {
            return ChildNodes::none();
        };
        let [min, max] = outward(with);
        self.children(branch, self.level.overlaps(min, max, &own.boxes))
    }

    fn children(&self, branch: u32, mask: u8) -> ChildNodes {
        let mut below = ChildNodes::none();
        if let Some(own) = self.branches.get(branch as usize) {
            for (lane, &child) in own.child[..own.count as usize].iter().enumerate() {
                if mask >> lane & 1 == 0 {
                    continue;
                }
                below.push(if child & ITEM != 0 {
                    ItemNode::Part(child & !ITEM)
                } else {
                    ItemNode::Branch(child)
                });
            }
        }
        below
    }
}

/// A box in `f32`, no smaller.
fn outward(bounds: &Aabb) -> [[f32; 3]; 2] {
    [
        bounds.min.to_array().map(outward_rounding::down),
        bounds.max.to_array().map(outward_rounding::up),
    ]
}

/// Sorts items into up to eight ranges of about equal numbers, cut at medians of the widest axes; no range is empty before one that
/// is not.
fn split_in_eight(
    items: &mut [u32],
    boxes: &[Aabb],
    from: usize,
    to: usize,
) -> [(usize, usize); LEAF_ITEMS] {
    let mut ranges = [(to, to); LEAF_ITEMS];
    ranges[0] = (from, to);
    let mut count = 1;
    while count < LEAF_ITEMS {
        // The largest range is cut; one by one where there are no more items than lanes.
        let size = |k: &usize| ranges[*k].1 - ranges[*k].0;
        let widest = (0..count).rev().max_by_key(size).unwrap_or(0);
        let (from, to) = ranges[widest];
        if to - from < 2 {
            break;
        }
        let own = &mut items[from..to];
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
        ranges.copy_within(widest + 1..count, widest + 2);
        ranges[widest] = (from, from + half);
        ranges[widest + 1] = (from + half, to);
        count += 1;
    }
    ranges
}

/// Two nodes with their boxes.
type NodePair = ((ItemNode, Aabb), (ItemNode, Aabb));

/// Stacks of descents, kept by queries so that repeated ones do not allocate.
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

/// Counts work and checks at intervals whether to stop.
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
    let (whole_a, whole_b) = (box_of_a(root_a), b.placed(root_b, a_from_b));
    let b_from_a = a_from_b.inverse();
    // A pose is rigid within a tolerance: there and back again nothing moves farther than this.
    let turned = 16.0 * ROTATION_TOLERANCE * (reach(&whole_a) + reach(&whole_b))
        + 16.0 * ROTATION_TOLERANCE * a_from_b.translation().length();
    open.push(((root_a, whole_a), (root_b, whole_b)));
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
            let near = if margin > 0.0 {
                box_b.inflated(margin)
            } else {
                box_b
            };
            for &child in a.below_near(node_a, &near).as_slice().iter().rev() {
                open.push(((child, box_of_a(child)), (node_b, box_b)));
            }
        } else {
            let near = box_a.transformed(&b_from_a).inflated(turned);
            for &child in b.below_near(node_b, &near).as_slice().iter().rev() {
                open.push(((node_a, box_a), (child, b.placed(child, a_from_b))));
            }
        }
    }
    DescentEnd::Complete
}

/// The largest coordinate of a box.
fn reach(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// Whether to look below the node of `a`: the larger box is opened, parts never are.
pub(super) fn descends_a(node_a: ItemNode, box_a: &Aabb, node_b: ItemNode, box_b: &Aabb) -> bool {
    match (node_a, node_b) {
        (_, ItemNode::Part(_)) => true,
        (ItemNode::Part(_), _) => false,
        _ => box_a.surface_area() >= box_b.surface_area(),
    }
}
