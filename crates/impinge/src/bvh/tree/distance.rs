//! The distance of two meshes, by BVH traversal.
//!
//! **Idea.** Simultaneous traversal of both trees, the nearer pair of nodes first. The nearest faces found so far are an upper bound of the
//! distance; a pair of nodes whose volumes are farther apart is pruned. The nearest faces of the last query are a good initial bound.
//! **Source.** Larsen, Gottschalk, Lin, Manocha, *Fast proximity queries with swept sphere volumes*, 1999.
//! **Promise.** The distance is the smallest that [`triangle_distance`] yields for any pair of faces, and among equals the pair first in
//! order counts: nodes are pruned only when they are farther away by more than the rounding error of that function. If a limit stops the query, its
//! bounds are still valid.
//! At distance 0 the first pair found ends the search.
//! **Limits.** Rules that count overlapping children ([`Descent::FewestOverlaps`], [`Descent::History`]) mean [`Descent::Larger`] here.

use std::ops::ControlFlow;

use super::cache::{BvhCache, PendingPair};
use super::config::Descent;
use super::descent_rule::{OpenSide, PruneHistory, opened};
use super::intersect::{placed_vertex, spend};
use super::node::{Bvh, BvhNode};
use crate::bound::BoundingVolume;
use crate::geom::triangle_distance;
use crate::math::Pose;
use crate::query::{Bounded, FaceId, FacePair, Limits, Outcome, Separation, Work};

/// The smallest distance of two placed meshes.
pub(super) fn distance<V: BoundingVolume>(
    a: &Bvh<V>,
    b: &Bvh<V>,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut BvhCache,
) -> Bounded<Option<Separation>> {
    cache.work = Work::default();
    cache.stack.clear();
    cache.children.clear();
    let (Some(root_a), Some(root_b)) = (a.root(), b.root()) else {
        return Bounded::at_least(f64::INFINITY, Outcome::Complete);
    };
    let slack = slack(root_a, root_b, a_from_b);
    let mut search = DistanceTraversal {
        a,
        b,
        a_from_b,
        relative: V::relative(a_from_b),
        rule: match a.config.descent {
            Descent::FewestOverlaps | Descent::History => Descent::Larger,
            rule => rule,
        },
        limits,
        slack,
        furthest: limits.within().max(0.0),
        best: None,
        bound: f64::INFINITY,
        left: f64::INFINITY,
        cache,
    };
    let outcome = match search.run() {
        ControlFlow::Continue(()) => Outcome::Complete,
        ControlFlow::Break(outcome) => outcome,
    };
    search.answer(outcome)
}

/// More than [`triangle_distance`] may be off by: 32 units of rounding of the largest coordinate difference.
fn slack<V: BoundingVolume>(root_a: &V, root_b: &V, a_from_b: &Pose) -> f64 {
    let sum = |v: glam::DVec3| v.abs().element_sum();
    let reach = |volume: &V| {
        let bounds = volume.bounds();
        sum(bounds.min).max(sum(bounds.max)) + bounds.diagonal().element_sum()
    };
    let size = reach(root_a) + 2.0 * reach(root_b) + sum(a_from_b.translation());
    64.0 * f64::EPSILON * size + f64::MIN_POSITIVE
}

struct DistanceTraversal<'s, V: BoundingVolume> {
    a: &'s Bvh<V>,
    b: &'s Bvh<V>,
    a_from_b: &'s Pose,
    relative: V::Relative,
    rule: Descent,
    limits: Limits<'s>,
    slack: f64,
    /// The largest distance of interest.
    furthest: f64,
    best: Option<(Separation, FacePair)>,
    /// The smallest distance seen, the guess's included.
    bound: f64,
    /// The smallest lower bound of what a limit left unsearched.
    left: f64,
    cache: &'s mut BvhCache,
}

impl<V: BoundingVolume> DistanceTraversal<'_, V> {
    fn run(&mut self) -> ControlFlow<Outcome> {
        // Nothing was looked at yet: nothing is known.
        self.left = 0.0;
        if self.limits.is_stopped() {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        let guess = self.cache.guess.take();
        self.test(0, 0, false, 0.0)?;
        self.left = f64::INFINITY;
        self.push();
        self.try_guess(guess)?;
        while let Some(pending) = self.cache.stack.pop() {
            if self.is_too_far(pending.at_least) {
                continue;
            }
            // What is at hand counts as unsearched until it is done.
            self.left = pending.at_least;
            self.expand(&pending)?;
            self.left = f64::INFINITY;
            if let Some((nearest, _)) = self.best
                && nearest.distance <= 0.0
            {
                break;
            }
            self.push();
        }
        ControlFlow::Continue(())
    }

    fn expand(&mut self, pending: &PendingPair) -> ControlFlow<Outcome> {
        let node_a = &self.a.nodes[pending.a as usize];
        let node_b = &self.b.nodes[pending.b as usize];
        if node_a.is_leaf() && node_b.is_leaf() {
            return self.leaves(node_a, node_b);
        }
        let at_least = pending.at_least;
        match opened(self.rule, node_a, node_b, pending, &PruneHistory::default()) {
            OpenSide::A => {
                for child in node_a.range() {
                    self.test(child as u32, pending.b, true, at_least)?;
                }
            }
            OpenSide::B => {
                for child in node_b.range() {
                    self.test(pending.a, child as u32, false, at_least)?;
                }
            }
            OpenSide::Both | OpenSide::Fewer => {
                for child_a in node_a.range() {
                    for child_b in node_b.range() {
                        self.test(child_a as u32, child_b as u32, false, at_least)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Begins with the nearest faces of the last query, if these meshes have them.
    fn try_guess(&mut self, guess: Option<FacePair>) -> ControlFlow<Outcome> {
        let exists = |face: FaceId, tree: &Bvh<V>| face.index() < tree.mesh.face_count();
        let Some(pair) = guess.filter(|p| exists(p.a, self.a) && exists(p.b, self.b)) else {
            return ControlFlow::Continue(());
        };
        spend(&self.cache.work, &self.limits)?;
        self.cache.work.face_tests += 1;
        let corners_b = self.b.mesh.triangle(pair.b);
        let corners_b = corners_b.map(|p| self.a_from_b.transform_point(p));
        let found = triangle_distance(&self.a.mesh.triangle(pair.a), &corners_b);
        self.bound = found.distance;
        if found.distance > 0.0 {
            self.offer(found, pair);
        } else {
            // A contact does bound the distance, but which contact is reported must not depend on the past.
            self.cache.guess = Some(pair);
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn is_too_far(&self, at_least: f64) -> bool {
        at_least > self.bound.min(self.furthest) + self.slack
    }

    /// Bounds the distance of two volumes and keeps the pair if it may be the nearest.
    #[inline]
    fn test(&mut self, a: u32, b: u32, b_next: bool, at_least: f64) -> ControlFlow<Outcome> {
        spend(&self.cache.work, &self.limits)?;
        self.cache.work.volume_tests += 1;
        let volume_a = &self.a.nodes[a as usize].volume;
        let volume_b = &self.b.nodes[b as usize].volume;
        // A child's volume may be larger than what it shares with its parent's.
        let at_least = at_least.max(volume_a.distance_at_least(volume_b, &self.relative));
        if !self.is_too_far(at_least) {
            // Volumes that overlap all have distance 0: the deeper they overlap, the likelier their faces are near.
            let rank = if at_least > 0.0 {
                at_least
            } else {
                let offset = self.a_from_b.transform_point(volume_b.center()) - volume_a.center();
                offset.length() - 0.5 * (volume_a.size() + volume_b.size())
            };
            self.cache.children.push(PendingPair {
                a,
                b,
                b_next,
                at_least,
                rank,
            });
        }
        ControlFlow::Continue(())
    }

    /// Moves the children that were kept to the stack, the nearest on top.
    #[inline]
    fn push(&mut self) {
        let cache = &mut *self.cache;
        // Insertion by hand: there are few, and the order of equals must not depend on the library's sort.
        let children = &mut cache.children;
        for i in 1..children.len() {
            let mut k = i;
            while k > 0 && children[k - 1].rank < children[k].rank {
                children.swap(k - 1, k);
                k -= 1;
            }
        }
        cache.stack.append(children);
    }

    fn leaves(&mut self, leaf_a: &BvhNode<V>, leaf_b: &BvhNode<V>) -> ControlFlow<Outcome> {
        placed_vertex(self.b, leaf_b, self.a_from_b, &mut self.cache.placed);
        for &face_a in self.a.faces(leaf_a) {
            let corners_a = self.a.mesh.triangle(face_a);
            for (i, &face_b) in self.b.faces(leaf_b).iter().enumerate() {
                spend(&self.cache.work, &self.limits)?;
                self.cache.work.face_tests += 1;
                let found = triangle_distance(&corners_a, &self.cache.placed[i]);
                let pair = FacePair {
                    a: face_a,
                    b: face_b,
                };
                self.offer(found, pair);
                if found.distance <= 0.0 {
                    return ControlFlow::Continue(());
                }
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn offer(&mut self, found: Separation, pair: FacePair) {
        let is_better = match &self.best {
            None => true,
            Some((best, first)) => (found.distance, pair) < (best.distance, *first),
        };
        if is_better {
            self.bound = self.bound.min(found.distance);
            self.best = Some((found, pair));
        }
    }

    fn answer(self, outcome: Outcome) -> Bounded<Option<Separation>> {
        if let Some((_, pair)) = self.best {
            self.cache.guess = Some(pair);
        }
        let value = self.best.map(|(found, _)| found);
        let value = value.filter(|found| found.distance <= self.furthest);
        // A contact is exact; every other distance is rounded.
        let spread = if self.bound > 0.0 { self.slack } else { 0.0 };
        let stack = &self.cache.stack;
        let mut lower = (self.bound - spread).min(self.furthest).max(0.0);
        if outcome != Outcome::Complete {
            let unsearched = stack.iter().chain(&self.cache.children);
            lower = unsearched.fold(lower.min(self.left), |low, p| low.min(p.at_least));
        }
        Bounded {
            value,
            lower,
            upper: self.bound + spread,
            outcome,
        }
    }
}
