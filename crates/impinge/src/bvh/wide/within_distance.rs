//! Tolerance verification: which faces of two meshes are closer than a given distance?
//!
//! **Question.** Find all pairs of faces at most `d` apart; or one, as for a security margin.
//!
//! **Idea.** Simultaneous traversal of both trees. Pairs of boxes, and then pairs of faces, that
//! SIMD lanes prove to be farther apart than `d` are pruned; the rest is measured in `f64`.
//!
//! **Promise.** A pair is reported if and only if its distance as computed in `f64` is at most `d`.
//! That distance is off by at most some 10^-14 of the largest coordinate, and is exactly 0 for
//! faces that share a point. The bounds in lanes allow for that rounding, so no such pair is lost.
//!
//! The order of pairs is that of the trees' lanes. Where only a yes or a no comes back, the nearest boxes are searched first; their bounds
//! differ in the last bit between instruction sets, so that nothing else may depend on them.
//!
//! **Cost.** Meshes farther apart than `d` by their boxes cost one test.

use std::ops::ControlFlow;

use super::descent::{Opened, PendingPair, opens_a};
use super::f64_fallback;
use super::intersect::WideCache;
use super::lane_culling::near_masks;
use super::layout::{LEAF, NO_CHILD, WIDTH};
use super::obb_lanes::{CarriedBox, distance_at_least};
use super::relative_pose::{RelativePose, exp2};
use super::stop_poll::StopPoll;
use super::tree::WideTree;
use crate::geom::{triangle_distance, triangles_intersect};
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::math::{Pose, outward_rounding};
use crate::query::{
    Bounded, FaceId, FacePair, First, Limits, NearPair, Outcome, Separation, Sink, Work,
};

impl WideTree {
    /// Reports every pair of faces at most `distance` apart, each once, with their nearest points.
    ///
    /// Faces that intersect are at distance 0. The order depends on the two trees, the placement and the distance alone. A
    /// distance that is negative or not a number has no pairs. [`Limits::max_distance`] is ignored.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::query::Limits;
    /// use impinge::{Pose, TriMesh};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let (above, mut cache) = (Pose::from_translation([0.0, 0.0, 0.5])?, WideCache::default());
    /// let (mut near, mut nearer) = (Vec::new(), Vec::new());
    /// let _ = tree.near_pairs(&tree, &above, 0.5, Limits::default(), &mut cache, &mut near);
    /// let _ = tree.near_pairs(&tree, &above, 0.4, Limits::default(), &mut cache, &mut nearer);
    /// assert_eq!((near.len(), near[0].separation.distance, nearer.len()), (1, 0.5, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn near_pairs(
        &self,
        other: &Self,
        self_from_other: &Pose,
        distance: f64,
        limits: Limits<'_>,
        cache: &mut WideCache,
        sink: &mut dyn Sink<NearPair>,
    ) -> Outcome {
        self.search_near_pairs(other, self_from_other, distance, false, limits, cache, sink)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what a listing takes, and the order of the search"
    )]
    fn search_near_pairs(
        &self,
        other: &Self,
        self_from_other: &Pose,
        distance: f64,
        nearest_first: bool,
        limits: Limits<'_>,
        cache: &mut WideCache,
        sink: &mut dyn Sink<NearPair>,
    ) -> Outcome {
        cache.start();
        // Written so that NaN has no pairs.
        let is_possible = distance >= 0.0;
        if !is_possible || self.nodes.is_empty() || other.nodes.is_empty() {
            return Outcome::Complete;
        }
        if !limits.allows(0) || limits.is_stopped() {
            return Outcome::OutOfBudget;
        }
        let Some([forth, back]) = RelativePose::both(&self.frame, &other.frame, self_from_other)
        else {
            return f64_fallback::near_pairs(
                self,
                other,
                self_from_other,
                distance,
                limits,
                cache,
                sink,
            );
        };
        let unit = exp2(-self.frame.exponent);
        let level = cache.level.unwrap_or_else(Level::detect);
        dispatch(
            level,
            WithinTraversal {
                a: self,
                b: other,
                a_from_b: self_from_other,
                bound: outward_rounding::up(distance * unit + f64::from(forth.slack)),
                forth: &forth,
                back: &back,
                distance,
                nearest_first,
                limits,
                cache,
                sink,
            },
        )
    }

    /// Two points at most `distance` apart, one of each mesh: the answer to "closer than that?"
    ///
    /// They are not the nearest ones; the first that are near enough end the search. `lower` and `upper` hold
    /// the smallest distance all the same. [`Limits::max_distance`] is ignored.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::query::Limits;
    /// use impinge::{Pose, TriMesh};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let (above, mut cache) = (Pose::from_translation([0.0, 0.0, 0.5])?, WideCache::default());
    /// assert!(tree.within(&tree, &above, 0.5, Limits::default(), &mut cache).value.is_some());
    /// let far = tree.within(&tree, &above, 0.4, Limits::default(), &mut cache);
    /// assert!(far.value.is_none() && far.lower > 0.39);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn within(
        &self,
        other: &Self,
        self_from_other: &Pose,
        distance: f64,
        limits: Limits<'_>,
        cache: &mut WideCache,
    ) -> Bounded<Option<Separation>> {
        let mut first: First<NearPair> = First::default();
        let outcome = self.near_pairs(other, self_from_other, distance, limits, cache, &mut first);
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return Bounded::at_least(f64::INFINITY, outcome);
        }
        let error = self.rounding(other, self_from_other);
        match first.0 {
            Some(NearPair { separation, .. }) => Bounded {
                value: Some(separation),
                lower: 0.0,
                upper: match separation.distance {
                    0.0 => 0.0,
                    d => d + error,
                },
                outcome: Outcome::Complete,
            },
            None => Bounded {
                value: None,
                lower: match outcome {
                    Outcome::Complete => (distance - error).max(0.0),
                    _ => 0.0,
                },
                upper: f64::INFINITY,
                outcome,
            },
        }
    }

    /// Whether the meshes come closer than `distance` to each other, or exactly that close.
    ///
    /// The faces that were nearest at the cache's last distance query are tried first. [`WideTree::within`] is the same
    /// query with limits.
    ///
    /// ```
    /// use impinge::bvh::wide::{WideCache, WideTree};
    /// use impinge::{Pose, TriMesh};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let (above, mut cache) = (Pose::from_translation([0.0, 0.0, 0.5])?, WideCache::default());
    /// assert!(tree.is_within(&tree, &above, 0.5, &mut cache));
    /// assert!(!tree.is_within(&tree, &above, 0.49, &mut cache));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_within(
        &self,
        other: &Self,
        self_from_other: &Pose,
        distance: f64,
        cache: &mut WideCache,
    ) -> bool {
        if let Some(pair) = cache.witness
            && let Some([a, b]) = self.placed_faces(other, self_from_other, pair)
            && triangle_distance(&a, &b).distance <= distance
        {
            cache.work = Work {
                face_tests: 1,
                ..Work::default()
            };
            return true;
        }
        let mut first: First<NearPair> = First::default();
        let _ = self.search_near_pairs(
            other,
            self_from_other,
            distance,
            true,
            Limits::default(),
            cache,
            &mut first,
        );
        if let Some(found) = &first.0
            && found.separation.distance > 0.0
        {
            cache.witness = Some(found.faces);
        }
        first.0.is_some()
    }
}

struct WithinTraversal<'s> {
    a: &'s WideTree,
    b: &'s WideTree,
    a_from_b: &'s Pose,
    forth: &'s RelativePose,
    back: &'s RelativePose,
    distance: f64,
    /// The distance in a's tree units, with what double precision may be off by.
    bound: f32,
    /// Whether only a yes or a no comes back.
    nearest_first: bool,
    limits: Limits<'s>,
    cache: &'s mut WideCache,
    sink: &'s mut dyn Sink<NearPair>,
}

impl Kernel for WithinTraversal<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> Outcome {
        let search = self.search::<T>();
        search.break_value().unwrap_or(Outcome::Complete)
    }
}

impl WithinTraversal<'_> {
    #[inline(always)]
    fn search<T: Lanes>(&mut self) -> ControlFlow<Outcome> {
        self.cache.stack.clear();
        self.cache.work.volume_tests += 1;
        let root = CarriedBox::new::<T>(&self.b.root, 0, self.forth);
        if distance_at_least::<T>(&self.a.root, &root).store()[0] > self.bound {
            return ControlFlow::Continue(());
        }
        let node_a = &self.a.nodes[0];
        for k in 0..WIDTH {
            if node_a.child[k] == NO_CHILD {
                continue;
            }
            self.cache.spend(&self.limits, WIDTH as u64)?;
            let carried = CarriedBox::new::<T>(node_a, k, self.back);
            let at_least = distance_at_least::<T>(&self.b.nodes[0], &carried);
            let at_least = (at_least * T::splat(self.forth.scale)).store();
            let opened = PendingPair {
                a: node_a.child[k],
                b: 0,
                lane_a: k as u32,
                lane_b: 0,
                at_least: 0.0,
            };
            self.push(&opened, false, &at_least, 0);
        }
        let mut poll = StopPoll::new();
        while let Some(pair) = self.cache.stack.pop() {
            poll.look(&self.limits)?;
            if pair.a & pair.b & LEAF != 0 {
                self.leaves::<T>(pair.a & !LEAF, pair.b & !LEAF)?;
                continue;
            }
            self.cache.spend(&self.limits, WIDTH as u64)?;
            let in_a = opens_a(&self.a.nodes, &self.b.nodes, &pair, self.forth.scale);
            let opened = Opened::new([self.a, self.b], &pair, in_a, self.forth, self.back);
            let at_least = opened.distance_at_least::<T>(self.forth.scale).store();
            let bottom = self.cache.stack.len();
            self.push(&pair, in_a, &at_least, bottom);
        }
        ControlFlow::Continue(())
    }

    /// Pushes the children of a pair that are near enough; above `bottom` the nearest comes last, if that is wanted.
    #[inline(always)]
    fn push(&mut self, pair: &PendingPair, in_a: bool, at_least: &[f32; WIDTH], bottom: usize) {
        let number = if in_a { pair.a } else { pair.b };
        let nodes = if in_a { &self.a.nodes } else { &self.b.nodes };
        let node = &nodes[number as usize];
        for k in 0..WIDTH {
            if at_least[k] > self.bound || node.child[k] == NO_CHILD {
                continue;
            }
            let mut child = *pair;
            child.at_least = at_least[k];
            let lane = number * WIDTH as u32 + k as u32;
            if in_a {
                (child.a, child.lane_a) = (node.child[k], lane);
            } else {
                (child.b, child.lane_b) = (node.child[k], lane);
            }
            let stack = &mut self.cache.stack;
            let mut i = stack.len();
            stack.push(child);
            if self.nearest_first {
                while i > bottom && stack[i - 1].at_least < child.at_least {
                    stack[i] = stack[i - 1];
                    i -= 1;
                }
                stack[i] = child;
            }
        }
    }

    #[inline(always)]
    fn leaves<T: Lanes>(&mut self, a: u32, b: u32) -> ControlFlow<Outcome> {
        let (leaf_a, leaf_b) = (&self.a.leaves[a as usize], &self.b.leaves[b as usize]);
        let tests = u64::from(leaf_a.count * leaf_b.count);
        if !self.limits.allows(self.cache.work.tests() + tests - 1) {
            return ControlFlow::Break(Outcome::OutOfBudget);
        }
        self.cache.work.face_tests += tests;
        let masks = near_masks::<T>(leaf_a, leaf_b, self.forth, self.bound);
        for j in 0..leaf_b.count as usize {
            let mut left = masks[j];
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                self.offer(leaf_a.face[i], leaf_b.face[j])?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Measures a pair and reports it if it is near enough.
    #[inline(never)]
    fn offer(&mut self, a: u32, b: u32) -> ControlFlow<Outcome> {
        self.cache.exact_tests += 1;
        let (a, b) = (FaceId::new(a), FaceId::new(b));
        let face_b = self.b.mesh.triangle(b);
        let placed = face_b.map(|p| self.a_from_b.transform_point(p));
        let face_a = self.a.mesh.triangle(a);
        let separation = if self.nearest_first && triangles_intersect(&face_a, &placed) {
            // Only that there is such a pair will be told: a common point would cost more than the search.
            Separation::touching(face_a[0])
        } else {
            triangle_distance(&face_a, &placed)
        };
        if separation.distance > self.distance {
            return ControlFlow::Continue(());
        }
        let near = NearPair {
            faces: FacePair { a, b },
            separation,
        };
        match self.sink.accept(near) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(Outcome::StoppedBySink),
        }
    }
}
