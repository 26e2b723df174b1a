//! All intersecting face pairs of two meshes, by BVH traversal.
//!
//! **Idea.** Simultaneous traversal of both trees: a pair of nodes with disjoint volumes is pruned.
//! The faces of overlapping leaves are transformed and tested exactly.
//! **Cost.** `N_v` comparisons of volumes and `N_p` of faces, counted in [`Work`].
//! **Promise.** Exact: a pruned volume contains no transformed face that intersects a face of the other.

use std::ops::ControlFlow;

use glam::DVec3;

use super::cache::{BvhCache, PendingPair};
use super::config::Descent;
use super::descent_rule::{OpenSide, PruneHistory, opened};
use super::node::{Bvh, BvhNode};
use crate::bound::BoundingVolume;
use crate::geom::triangles_intersect;
use crate::math::Pose;
use crate::query::{FacePair, Limits, Outcome, Sink, Work};

/// Tests between two checks of [`Limits::stop`].
const TESTS_PER_LOOK: u64 = 1024;

/// Reports every pair of faces that share a point.
pub(super) fn intersections<V: BoundingVolume>(
    a: &Bvh<V>,
    b: &Bvh<V>,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut BvhCache,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    cache.work = Work::default();
    cache.seen.clear();
    cache.stack.clear();
    if a.nodes.is_empty() || b.nodes.is_empty() {
        return Outcome::Complete;
    }
    if limits.is_stopped() {
        return Outcome::OutOfBudget;
    }
    let mut search = IntersectTraversal {
        a,
        b,
        a_from_b,
        relative: V::relative(a_from_b),
        limits,
        cache,
        history: PruneHistory::default(),
    };
    match search.run(sink) {
        ControlFlow::Continue(()) => Outcome::Complete,
        ControlFlow::Break(outcome) => outcome,
    }
}

struct IntersectTraversal<'s, V: BoundingVolume> {
    a: &'s Bvh<V>,
    b: &'s Bvh<V>,
    a_from_b: &'s Pose,
    relative: V::Relative,
    limits: Limits<'s>,
    cache: &'s mut BvhCache,
    history: PruneHistory,
}

/// A test that may not be spent ends the search.
pub(super) fn spend(work: &Work, limits: &Limits<'_>) -> ControlFlow<Outcome> {
    let tests = work.tests();
    if !limits.allows(tests) {
        return ControlFlow::Break(Outcome::OutOfBudget);
    }
    if tests % TESTS_PER_LOOK == TESTS_PER_LOOK - 1 && limits.is_stopped() {
        return ControlFlow::Break(Outcome::OutOfBudget);
    }
    ControlFlow::Continue(())
}

impl<V: BoundingVolume> IntersectTraversal<'_, V> {
    fn run(&mut self, sink: &mut dyn Sink<FacePair>) -> ControlFlow<Outcome> {
        self.test(0, 0, false)?;
        self.push();
        while let Some(pending) = self.cache.stack.pop() {
            let node_a = &self.a.nodes[pending.a as usize];
            let node_b = &self.b.nodes[pending.b as usize];
            if node_a.is_leaf() && node_b.is_leaf() {
                self.leaves(node_a, node_b, sink)?;
                continue;
            }
            match opened(
                self.a.config.descent,
                node_a,
                node_b,
                &pending,
                &self.history,
            ) {
                OpenSide::A => self.open_a(node_a, &pending)?,
                OpenSide::B => self.open_b(node_b, &pending)?,
                OpenSide::Both => {
                    for child_a in node_a.range() {
                        for child_b in node_b.range() {
                            self.test(child_a as u32, child_b as u32, false)?;
                        }
                    }
                }
                OpenSide::Fewer => {
                    self.open_a(node_a, &pending)?;
                    let kept_a = self.cache.children.len();
                    self.open_b(node_b, &pending)?;
                    let kept_b = self.cache.children.len() - kept_a;
                    let is_larger_a = node_a.volume.size() >= node_b.volume.size();
                    if kept_a < kept_b || (kept_a == kept_b && is_larger_a) {
                        self.cache.children.truncate(kept_a);
                    } else {
                        self.cache.children.drain(..kept_a);
                    }
                }
            }
            self.push();
        }
        ControlFlow::Continue(())
    }

    /// Tests the children of a's node.
    #[inline]
    fn open_a(&mut self, node: &BvhNode<V>, pending: &PendingPair) -> ControlFlow<Outcome> {
        let before = self.cache.children.len();
        for child in node.range() {
            self.test(child as u32, pending.b, true)?;
        }
        if self.a.config.descent == Descent::History {
            let kept = self.cache.children.len() - before;
            self.history.note(false, node.range().len(), kept);
        }
        ControlFlow::Continue(())
    }

    /// Tests the children of b's node.
    #[inline]
    fn open_b(&mut self, node: &BvhNode<V>, pending: &PendingPair) -> ControlFlow<Outcome> {
        let before = self.cache.children.len();
        for child in node.range() {
            self.test(pending.a, child as u32, false)?;
        }
        if self.a.config.descent == Descent::History {
            let kept = self.cache.children.len() - before;
            self.history.note(true, node.range().len(), kept);
        }
        ControlFlow::Continue(())
    }

    /// Compares two volumes and keeps the pair if they overlap.
    #[inline]
    fn test(&mut self, a: u32, b: u32, b_next: bool) -> ControlFlow<Outcome> {
        spend(&self.cache.work, &self.limits)?;
        self.cache.work.volume_tests += 1;
        let volume_a = &self.a.nodes[a as usize].volume;
        let volume_b = &self.b.nodes[b as usize].volume;
        if volume_a.overlaps(volume_b, &self.relative) {
            self.cache.children.push(PendingPair {
                a,
                b,
                b_next,
                at_least: 0.0,
                rank: 0.0,
            });
        }
        ControlFlow::Continue(())
    }

    /// Moves the children that were kept to the stack, the first on top.
    #[inline]
    fn push(&mut self) {
        while let Some(child) = self.cache.children.pop() {
            self.cache.stack.push(child);
        }
    }

    /// Decides the faces of two leaves.
    fn leaves(
        &mut self,
        leaf_a: &BvhNode<V>,
        leaf_b: &BvhNode<V>,
        sink: &mut dyn Sink<FacePair>,
    ) -> ControlFlow<Outcome> {
        let cache = &mut *self.cache;
        let faces_b = self.b.faces(leaf_b);
        placed_vertex(self.b, leaf_b, self.a_from_b, &mut cache.placed);
        for &face_a in self.a.faces(leaf_a) {
            let corners_a = self.a.mesh.triangle(face_a);
            for (&face_b, corners_b) in faces_b.iter().zip(&cache.placed) {
                if (self.a.has_parts || self.b.has_parts)
                    && !cache.seen.insert((face_a.raw(), face_b.raw()))
                {
                    continue;
                }
                spend(&cache.work, &self.limits)?;
                cache.work.face_tests += 1;
                if triangles_intersect(&corners_a, corners_b) {
                    let pair = FacePair {
                        a: face_a,
                        b: face_b,
                    };
                    if sink.accept(pair).is_break() {
                        return ControlFlow::Break(Outcome::StoppedBySink);
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The faces of b's leaf as placed.
#[inline]
pub(super) fn placed_vertex<V: BoundingVolume>(
    b: &Bvh<V>,
    leaf: &BvhNode<V>,
    a_from_b: &Pose,
    placed: &mut Vec<[DVec3; 3]>,
) {
    placed.clear();
    let corners = |&face: &_| b.mesh.triangle(face).map(|p| a_from_b.transform_point(p));
    placed.extend(b.faces(leaf).iter().map(corners));
}
