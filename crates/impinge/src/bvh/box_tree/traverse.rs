//! Two trees of boxes at a time, down to the pairs of leaves that may meet.
//!
//! The trees store planes, not boxes: a child's box is its parent's, cut. So each pending pair of
//! nodes carries its boxes along, in whatever form the test between them wants.

use std::ops::ControlFlow;

use super::counts::BoxTreeCounts;
use super::frames::BoxFrames;
use super::pair::{Cut, PairTest, Which};
use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::{Limits, Outcome};

/// Pairs of nodes between two looks at [`Limits::stop`].
const PAIRS_PER_LOOK: u32 = 64;

/// A tree whose nodes are its root box, cut again and again.
pub(super) trait Hierarchy {
    /// Whether both children of a node are cut at one plane.
    const TILES: bool;
    /// The root's box; a tree of nothing is never asked.
    fn bounds(&self) -> Aabb;
    /// The first of a node's two children, which are neighbours; none for a leaf.
    fn children(&self, node: u32) -> Option<u32>;
    /// The cuts that make the box of a node's first (0) or second (1) child.
    fn cuts(&self, node: u32, which: u32, cut: impl FnMut(Cut));
    /// Whether nothing is in the node.
    fn is_empty(&self, node: u32) -> bool;
}

/// What happens with pairs of nodes whose boxes are not disjoint.
pub(super) trait Visitor {
    /// Whether a pair can be left out, whatever is below it. `boxes` are the nodes' boxes.
    fn excludes(
        &mut self,
        a: u32,
        b: u32,
        boxes: impl Fn() -> [Aabb; 2],
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome, bool> {
        let _ = (a, b, boxes, counts);
        ControlFlow::Continue(false)
    }

    /// Two leaves.
    fn leaves(&mut self, a: u32, b: u32, counts: &mut BoxTreeCounts) -> ControlFlow<Outcome>;
}

/// Two nodes that are not disjoint.
#[derive(Clone, Copy, Debug)]
struct Pending<T> {
    a: u32,
    b: u32,
    pair: T,
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
pub(super) struct Descent<'d, H> {
    pub(super) a: &'d H,
    pub(super) b: &'d H,
    pub(super) frames: &'d BoxFrames,
    pub(super) limits: &'d Limits<'d>,
}

impl<H: Hierarchy> Descent<'_, H> {
    /// Shows every pair of leaves whose boxes are not disjoint to the visitor, in an order that
    /// depends on the trees and the pose alone.
    pub(super) fn run<T: PairTest>(
        &self,
        visitor: &mut impl Visitor,
        counts: &mut BoxTreeCounts,
    ) -> Outcome {
        let mut stack = Vec::new();
        match self.descend::<T>(&mut stack, visitor, counts) {
            ControlFlow::Continue(()) => Outcome::Complete,
            ControlFlow::Break(outcome) => outcome,
        }
    }

    fn descend<T: PairTest>(
        &self,
        stack: &mut Vec<Pending<T>>,
        visitor: &mut impl Visitor,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        let pair = T::new(self.frames, &self.a.bounds(), &self.b.bounds());
        self.offer(0, 0, pair, stack, counts)?;
        let mut until_look = 0;
        while let Some(Pending { a, b, pair }) = stack.pop() {
            if until_look == 0 {
                until_look = PAIRS_PER_LOOK;
                if self.limits.is_stopped() {
                    return ControlFlow::Break(Outcome::OutOfBudget);
                }
            }
            until_look -= 1;
            if visitor.excludes(a, b, || pair.boxes(), counts)? {
                continue;
            }
            match (self.a.children(a), self.b.children(b)) {
                (None, None) => {
                    counts.leaf_pairs += 1;
                    visitor.leaves(a, b, counts)?;
                }
                (Some(first), None) => {
                    let mut twins = Twins::new(Which::A, a, first);
                    for i in 0..2 {
                        stack.push(Pending {
                            a: first + i,
                            b,
                            pair,
                        });
                        self.keep_if_meeting(&mut twins, i, stack, counts)?;
                    }
                }
                (None, Some(first)) => {
                    let mut twins = Twins::new(Which::B, b, first);
                    for i in 0..2 {
                        stack.push(Pending {
                            a,
                            b: first + i,
                            pair,
                        });
                        self.keep_if_meeting(&mut twins, i, stack, counts)?;
                    }
                }
                (Some(first_a), Some(first_b)) => {
                    let mut twins_a = Twins::new(Which::A, a, first_a);
                    for i in 0..2 {
                        let mut pair = pair;
                        if !self.cut(&mut twins_a, i, &mut pair, counts)? {
                            continue;
                        }
                        let mut twins_b = Twins::new(Which::B, b, first_b);
                        for j in 0..2 {
                            let (a, b) = (first_a + i, first_b + j);
                            stack.push(Pending { a, b, pair });
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
        stack: &mut Vec<Pending<T>>,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome> {
        if !self.limits.allows(counts.work.tests()) || self.limits.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        counts.work.volume_tests += 1;
        if !pair.is_disjoint(self.frames) {
            stack.push(Pending { a, b, pair });
        }
        ControlFlow::Continue(())
    }

    /// Cuts the pair on top of the stack in place, and takes it off if it is disjoint then.
    #[inline]
    fn keep_if_meeting<T: PairTest>(
        &self,
        twins: &mut Twins<T>,
        i: u32,
        stack: &mut Vec<Pending<T>>,
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
        twins: &mut Twins<T>,
        i: u32,
        pair: &mut T,
        counts: &mut BoxTreeCounts,
    ) -> ControlFlow<Outcome, bool> {
        let tree = match twins.which {
            Which::A => self.a,
            Which::B => self.b,
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
struct Twins<T: PairTest> {
    which: Which,
    node: u32,
    first: u32,
    /// What cutting the first child leaves to the second.
    shared: Option<T::Shared>,
}

impl<T: PairTest> Twins<T> {
    fn new(which: Which, node: u32, first: u32) -> Self {
        Self {
            which,
            node,
            first,
            shared: None,
        }
    }
}
