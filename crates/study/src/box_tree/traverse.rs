//! Simultaneous traversal of two trees, down to the pairs of leaves that may intersect.
//!
//! The trees store planes, not boxes: a child's box is its parent's, cut. So each pending pair of
//! nodes carries its boxes, in the form that the box test needs.

use std::ops::ControlFlow;

use super::clipped_pair::{
    AlignedPair, BoxTest, ClippedPair, PairSide, PairTest, PlaneCut, SeparatedPair, cut_box,
};
use super::counts::{BoxTreeCounts, TreeShape};
use super::relative_frames::BoxFrames;
use impinge::bound::Aabb;
use impinge::bvh::wide::LeafBox;
use impinge::math::Pose;
use impinge::mesh::TriMesh;
use impinge::query::{FaceId, Limits, Outcome};

/// Pairs of nodes between two checks of [`Limits::stop`].
const PAIRS_PER_LOOK: u32 = 64;

/// A tree whose nodes are its root box, cut again and again.
pub(super) trait BoxHierarchy {
    /// Whether both children of a node are cut at one plane.
    const TILES: bool;
    /// The root's box; a tree of nothing is never queried.
    fn bounds(&self) -> Aabb;
    /// The first of a node's two children, which are neighbours; none for a leaf.
    fn children(&self, node: u32) -> Option<u32>;
    /// The cuts that make the box of a node's first (0) or second (1) child.
    fn cuts(&self, node: u32, which: u32, cut: impl FnMut(PlaneCut));
    /// Whether nothing is in the node.
    fn is_empty(&self, node: u32) -> bool;
    /// The faces of a leaf; none of an inner node.
    fn leaf_faces(&self, node: u32) -> &[u32];
}

/// Shows every node with its number, its box and the number of nodes above it, the first child before the second.
pub(super) fn traverse_pair<H: BoxHierarchy>(tree: &H, mut visit: impl FnMut(u32, &Aabb, u32)) {
    if tree.bounds().is_empty() {
        return;
    }
    let mut stack = vec![(0_u32, tree.bounds(), 0)];
    while let Some((id, bounds, depth)) = stack.pop() {
        visit(id, &bounds, depth);
        if let Some(children) = tree.children(id) {
            for which in [1, 0] {
                let mut child = bounds;
                tree.cuts(id, which, |cut| cut_box(&mut child, cut));
                stack.push((children + which, child, depth + 1));
            }
        }
    }
}

/// The size and shape of a tree of so many nodes and bytes in which no face is twice.
pub(super) fn shape_of<H: BoxHierarchy>(
    tree: &H,
    nodes: usize,
    face_entries: usize,
    bytes: usize,
) -> TreeShape {
    let mut shape = TreeShape {
        nodes,
        face_entries,
        duplication: 1.0,
        bytes,
        ..TreeShape::default()
    };
    traverse_pair(tree, |id, _, depth| {
        if tree.children(id).is_none() {
            shape.leaves += 1;
            shape.depth = shape.depth.max(depth);
        }
    });
    shape
}

/// The leaves that hold faces, with their boxes.
pub(super) fn leaf_boxes<H: BoxHierarchy>(tree: &H) -> Vec<LeafBox> {
    let mut found = Vec::new();
    traverse_pair(tree, |id, bounds, _| {
        let faces = tree.leaf_faces(id);
        if !faces.is_empty() {
            found.push(LeafBox {
                corners: bounds.corners(),
                faces: faces.iter().map(|&face| FaceId::new(face)).collect(),
            });
        }
    });
    found
}

/// Checks that every face is in one leaf, inside its box, and that no box is empty.
///
/// # Errors
/// What does not hold.
pub(super) fn check_leaves<H: BoxHierarchy>(tree: &H, mesh: &TriMesh) -> Result<(), String> {
    let mut times = vec![0_u32; mesh.face_count()];
    let mut wrong = None;
    traverse_pair(tree, |id, bounds, _| {
        if bounds.is_empty() {
            wrong = Some(format!("node {id} has an empty box"));
        }
        for &face in tree.leaf_faces(id) {
            times[face as usize] += 1;
            let corners = mesh.faces()[face as usize];
            let mut corners = corners.iter().map(|&v| mesh.positions()[v as usize]);
            if corners.any(|p| !bounds.contains(p)) {
                wrong = Some(format!("face {face} is outside the box of node {id}"));
            }
        }
    });
    if let Some(face) = times.iter().position(|&n| n != 1) {
        wrong = Some(format!("face {face} is in {} leaves", times[face]));
    }
    wrong.map_or(Ok(()), Err)
}

/// What happens with pairs of nodes whose boxes are not disjoint.
pub(super) trait PairVisitor {
    /// Whether a pair can be left out, whatever is below it.
    fn excludes<T: PairTest>(
        &mut self,
        nodes: &PendingPair<T>,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome, bool> {
        let _ = (nodes, counts);
        ControlFlow::Continue(false)
    }

    /// Two leaves.
    fn leaves(&mut self, a: u32, b: u32, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome>;
}

/// Pairs that are still to be looked into, for each test between boxes: kept so that questions do not allocate.
#[derive(Clone, Debug, Default)]
pub(super) struct PairStacks {
    pub(super) flagged: Vec<PendingPair<ClippedPair<true>>>,
    pub(super) plain: Vec<PendingPair<ClippedPair<false>>>,
    pub(super) separated: Vec<PendingPair<SeparatedPair>>,
    pub(super) aligned: Vec<PendingPair<AlignedPair>>,
}

/// Two nodes that are not disjoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPair<T> {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) pair: T,
}

/// The first look at two root boxes, before anything is prepared: breaks off when the box around the
/// second, placed, does not meet the first. It holds the placed vertices themselves, so no margin is needed.
pub(super) fn look(
    a: &Aabb,
    b: &Aabb,
    a_from_b: &Pose,
    limits: &Limits<'_>,
    counts: &mut BoxTreeCounts,
) -> ControlFlow<Outcome> {
    if a.is_empty() || b.is_empty() {
        return ControlFlow::Break(Outcome::Complete);
    }
    if !limits.allows(counts.work.tests()) || limits.is_stopped() {
        return ControlFlow::Break(Outcome::OutOfBudget);
    }
    counts.work.volume_tests += 1;
    if b.transformed(a_from_b).overlaps(a) {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(Outcome::Complete)
    }
}

/// Descends two trees.
#[derive(Debug)]
pub(super) struct PairDescent<'d, H> {
    pub(super) a: &'d H,
    pub(super) b: &'d H,
    pub(super) frames: &'d BoxFrames,
    pub(super) limits: &'d Limits<'d>,
}

impl<H: BoxHierarchy> PairDescent<'_, H> {
    /// The same as [`PairDescent::run`], with a test that is chosen by name.
    pub(super) fn run_with(
        &self,
        test: BoxTest,
        visitor: &mut impl PairVisitor,
        counts: &mut BoxTreeCounts,
        stacks: &mut PairStacks,
    ) -> Outcome {
        match test {
            BoxTest::Clipping => self.run(&mut stacks.flagged, visitor, counts),
            BoxTest::ClippingWithoutFlags => self.run(&mut stacks.plain, visitor, counts),
            BoxTest::Separating => self.run(&mut stacks.separated, visitor, counts),
            BoxTest::Aligned => self.run(&mut stacks.aligned, visitor, counts),
        }
    }

    /// Shows every pair of leaves whose boxes are not disjoint to the visitor, in an order that
    /// depends on the trees and the pose alone.
    fn run<T: PairTest>(
        &self,
        stack: &mut Vec<PendingPair<T>>,
        visitor: &mut impl PairVisitor,
        counts: &mut BoxTreeCounts,
    ) -> Outcome {
        stack.clear();
        match self.descend::<T>(stack, visitor, counts) {
            ControlFlow::Continue(()) => Outcome::Complete,
            ControlFlow::Break(outcome) => outcome,
        }
    }

    fn descend<T: PairTest>(
        &self,
        stack: &mut Vec<PendingPair<T>>,
        visitor: &mut impl PairVisitor,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        let pair = T::new(self.frames, &self.a.bounds(), &self.b.bounds());
        self.offer(0, 0, pair, stack, counts)?;
        let mut until_look = 0;
        while let Some(nodes) = stack.pop() {
            if until_look == 0 {
                until_look = PAIRS_PER_LOOK;
                if self.limits.is_stopped() {
                    return ControlFlow::Break(Outcome::OutOfBudget);
                }
            }
            until_look -= 1;
            if visitor.excludes(&nodes, counts)? {
                continue;
            }
            let PendingPair { a, b, pair } = nodes;
            match (self.a.children(a), self.b.children(b)) {
                (None, None) => {
                    counts.leaf_pairs += 1;
                    visitor.leaves(a, b, counts)?;
                }
                (Some(first), None) => {
                    let mut twins = ChildPair::new(PairSide::A, a, first);
                    for i in 0..2 {
                        stack.push(PendingPair {
                            a: first + i,
                            b,
                            pair,
                        });
                        self.keep_if_meeting(&mut twins, i, stack, counts)?;
                    }
                }
                (None, Some(first)) => {
                    let mut twins = ChildPair::new(PairSide::B, b, first);
                    for i in 0..2 {
                        stack.push(PendingPair {
                            a,
                            b: first + i,
                            pair,
                        });
                        self.keep_if_meeting(&mut twins, i, stack, counts)?;
                    }
                }
                (Some(first_a), Some(first_b)) => {
                    let mut twins_a = ChildPair::new(PairSide::A, a, first_a);
                    for i in 0..2 {
                        let mut pair = pair;
                        if !self.cut(&mut twins_a, i, &mut pair, counts)? {
                            continue;
                        }
                        let mut twins_b = ChildPair::new(PairSide::B, b, first_b);
                        for j in 0..2 {
                            let (a, b) = (first_a + i, first_b + j);
                            stack.push(PendingPair { a, b, pair });
                            self.keep_if_meeting(&mut twins_b, j, stack, counts)?;
                        }
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn offer<T: PairTest>(
        &self,
        a: u32,
        b: u32,
        pair: T,
        stack: &mut Vec<PendingPair<T>>,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        if !self.limits.allows(counts.work.tests()) || self.limits.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        counts.work.volume_tests += 1;
        if !pair.is_disjoint(self.frames) {
            stack.push(PendingPair { a, b, pair });
        }
        ControlFlow::Continue(())
    }

    /// Cuts the pair on top of the stack in place, and takes it off if it is disjoint then.
    #[inline]
    fn keep_if_meeting<T: PairTest>(
        &self,
        twins: &mut ChildPair<T>,
        i: u32,
        stack: &mut Vec<PendingPair<T>>,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        if let Some(top) = stack.last_mut()
            && !self.cut(twins, i, &mut top.pair, counts)?
        {
            stack.pop();
        }
        ControlFlow::Continue(())
    }

    /// Cuts a pair down to child `i` of one of its nodes; whether it is not disjoint then.
    #[inline]
    fn cut<T: PairTest>(
        &self,
        twins: &mut ChildPair<T>,
        i: u32,
        pair: &mut T,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome, bool> {
        let tree = match twins.which {
            PairSide::A => self.a,
            PairSide::B => self.b,
        };
        if tree.is_empty(twins.first + i) {
            return ControlFlow::Continue(false);
        }
        if !self.limits.allows(counts.work.tests()) {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        counts.work.volume_tests += 1;
        tree.cuts(twins.node, i, |cut| {
            let shared = twins.shared.as_ref().filter(|_| H::TILES);
            let updates = &mut counts.work.updates;
            let made = pair.cut(self.frames, twins.which, cut, shared, updates);
            twins.shared = Some(made);
        });
        ControlFlow::Continue(!pair.is_disjoint(self.frames))
    }
}

/// The two children of a node that is being cut.
struct ChildPair<T: PairTest> {
    which: PairSide,
    node: u32,
    first: u32,
    /// What cutting the first child leaves to the second.
    shared: Option<T::Shared>,
}

impl<T: PairTest> ChildPair<T> {
    fn new(which: PairSide, node: u32, first: u32) -> Self {
        Self {
            which,
            node,
            first,
            shared: None,
        }
    }
}
