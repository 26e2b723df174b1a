//! Ray casting: what does a ray or a segment hit?
//!
//! **Idea.** Visit the boxes that the line passes through, nearest first; faces that it certainly misses
//! are rejected in SIMD lanes, the rest is decided exactly.
//!
//! **Promise.** The same hits, bit for bit, as testing every face: exact decisions, so that no ray slips
//! between neighbours. Of several hits at the same place the first face comes first.
//!
//! **Limits.** Hits are ordered by their rounded parameters; where a line grazes a face, the hit point is
//! inaccurate, see [`ray_triangle`](crate::geom::ray_triangle).

use std::ops::ControlFlow;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::first_hit_search::FirstHitSearch;
use super::layout::{LEAF, WIDTH};
use super::local_ray::LocalRay;
use super::ray_or_segment::{FaceHit, RayOrSegment};
use super::relative_pose::exp2;
use super::single_tree::{SingleTreeCache, Subtree, WorkMeter, least_bound, push_children};
use super::tree::WideTree;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::query::{Bounded, FaceId, First, Limits, Outcome, Sink};

/// Blocks of a batch of lines, for many threads to share, each put in order and answered by one thread.
const BLOCKS: usize = 64;
/// Lines of a block, at most: with their hits they fit into the processor's caches.
const LARGEST_BLOCK: usize = 1 << 14;
/// The same at least: fewer are not worth a task.
const SMALLEST_BLOCK: usize = 1 << 6;

impl WideTree {
    /// The first hit along the line, and bounds on its `t`; nothing when no face is hit within
    /// [`Limits::max_distance`] of the line's start.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
    /// use impinge::{TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let down = RayOrSegment::ray([0.25, 0.25, 3.0], [0.0, 0.0, -2.0])?;
    /// let answer = tree.first_hit(&down, Limits::default(), &mut SingleTreeCache::default());
    /// assert_eq!(answer.value.map(|hit| hit.t), Some(1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "raycast")]
    #[doc(alias = "ray cast")]
    pub fn first_hit(
        &self,
        line: &RayOrSegment,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Bounded<Option<FaceHit>> {
        let longest = line.longest(limits.max_distance);
        let mut earliest = FirstHit {
            tree: self,
            line,
            longest,
            found: None,
        };
        let local = self.local_line(line, longest);
        let (outcome, unexplored) = self.update_front(local, limits, cache, &mut earliest);
        let found = earliest.found;
        Bounded {
            value: found,
            lower: unexplored.min(earliest.limit()).max(0.0),
            upper: found.map_or(f64::INFINITY, |hit| hit.t),
            outcome,
        }
    }

    /// Whether the line hits any face.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
    /// use impinge::TriMesh;
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let mut cache = SingleTreeCache::default();
    /// assert!(tree.is_hit(&RayOrSegment::segment([0.5, 0.5, -1.0], [0.5, 0.5, 0.0])?, &mut cache));
    /// assert!(!tree.is_hit(&RayOrSegment::segment([0.5, 0.5, -1.0], [0.5, 0.5, -0.1])?, &mut cache));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_hit(&self, line: &RayOrSegment, cache: &mut SingleTreeCache) -> bool {
        let mut first = First::default();
        let _ = self.hits(line, Limits::default(), cache, &mut first);
        first.0.is_some()
    }

    /// Reports every hit along the line, each face once, in an order of the tree's own.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
    /// use impinge::{TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let mesh = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let tree = WideTree::new(Arc::new(mesh));
    /// let (mut cache, mut hits) = (SingleTreeCache::default(), Vec::new());
    /// let up = RayOrSegment::ray([0.25, 0.25, -3.0], [0.0, 0.0, 1.0])?;
    /// let _ = tree.hits(&up, Limits::default(), &mut cache, &mut hits);
    /// assert_eq!(hits.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn hits(
        &self,
        line: &RayOrSegment,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
        sink: &mut dyn Sink<FaceHit>,
    ) -> Outcome {
        let longest = line.longest(limits.max_distance);
        let mut every = AllHits {
            tree: self,
            line,
            longest,
            sink,
        };
        let local = self.local_line(line, longest);
        self.update_front(local, limits, cache, &mut every).0
    }

    /// The first hit of each line, in their order, within `max_distance` of each line's start.
    ///
    /// With the feature `parallel` the lines are shared among threads; the answers are the same.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, WideTree};
    /// use impinge::TriMesh;
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let lines = [RayOrSegment::ray([0.2, 0.2, 1.0], [0.0, 0.0, -1.0])?, RayOrSegment::ray([0.2, 0.2, 1.0], [0.0, 0.0, 1.0])?];
    /// let hits = tree.first_hits(&lines, None);
    /// assert!(hits[0].is_some() && hits[1].is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn first_hits(
        &self,
        lines: &[RayOrSegment],
        max_distance: Option<f64>,
    ) -> Vec<Option<FaceHit>> {
        let mut hits = vec![None; lines.len()];
        let cast = |(lines, hits): (&[RayOrSegment], &mut [Option<FaceHit>])| {
            let mut cache = SingleTreeCache::default();
            for row in self.coherent_order(lines) {
                let row = row as usize;
                if let (Some(line), Some(hit)) = (lines.get(row), hits.get_mut(row)) {
                    *hit = self.cast_ray(line, max_distance, &mut cache);
                }
            }
        };
        let size = lines
            .len()
            .div_ceil(BLOCKS)
            .clamp(SMALLEST_BLOCK, LARGEST_BLOCK);
        #[cfg(feature = "parallel")]
        let blocks = lines.par_chunks(size).zip(hits.par_chunks_mut(size));
        #[cfg(not(feature = "parallel"))]
        let blocks = lines.chunks(size).zip(hits.chunks_mut(size));
        blocks.for_each(cast);
        hits
    }

    /// The first hit along the line within `max_distance` of its start: that of [`WideTree::first_hit`], without
    /// limits, bounds and counters. For many rays: the first call makes boxes that take less than half the memory of the tree's nodes.
    ///
    /// ```
    /// use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideTree};
    /// use impinge::TriMesh;
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let down = RayOrSegment::ray([0.25, 0.25, 3.0], [0.0, 0.0, -2.0])?;
    /// let hit = tree.cast_ray(&down, None, &mut SingleTreeCache::default());
    /// assert_eq!(hit.map(|hit| hit.t), Some(1.5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "raycast")]
    pub fn cast_ray(
        &self,
        line: &RayOrSegment,
        max_distance: Option<f64>,
        cache: &mut SingleTreeCache,
    ) -> Option<FaceHit> {
        let longest = line.longest(max_distance);
        cache.work = Default::default();
        let local = self.local_line(line, longest)?;
        if local.is_blind {
            let limits = Limits {
                max_distance,
                ..Limits::default()
            };
            return self.first_hit(line, limits, cache).value;
        }
        let nearest = FirstHit {
            tree: self,
            line,
            longest,
            found: None,
        };
        let level = cache.level();
        let search = FirstHitSearch {
            nodes: self.ray_nodes.of(self),
            leaves: &self.leaves,
            line: &local,
            stack: &mut cache.stack,
            visitor: nearest,
        };
        dispatch(level, search).found
    }

    fn local_line(&self, line: &RayOrSegment, longest: f64) -> Option<LocalRay> {
        let error = line.error() * exp2(-self.frame.exponent);
        LocalRay::new(&self.frame, line.start(), line.direction(), longest, error)
    }

    /// Shows the visitor every face that the line may meet, and says what parameter nothing unseen falls below.
    pub(super) fn update_front<V: RayVisitor>(
        &self,
        local: Option<LocalRay>,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
        visitor: &mut V,
    ) -> (Outcome, f64) {
        let (Some(line), false) = (local, self.nodes.is_empty()) else {
            cache.work = Default::default();
            return (Outcome::Complete, f64::INFINITY);
        };
        let level = cache.level();
        let search = RayTraversal {
            tree: self,
            line,
            meter: WorkMeter::new(limits),
            cache,
            visitor,
        };
        dispatch(level, search)
    }
}

/// Tests faces near a line.
pub(super) trait RayVisitor {
    /// Nothing beyond this parameter is of interest any more.
    fn limit(&self) -> f64;
    fn visit(&mut self, face: FaceId) -> ControlFlow<()>;
}

struct FirstHit<'s> {
    tree: &'s WideTree,
    line: &'s RayOrSegment,
    longest: f64,
    found: Option<FaceHit>,
}

impl RayVisitor for FirstHit<'_> {
    fn limit(&self) -> f64 {
        self.found.map_or(self.longest, |hit| hit.t)
    }

    fn visit(&mut self, face: FaceId) -> ControlFlow<()> {
        if let Some(hit) = self.line.hit(face, &self.tree.mesh.triangle(face))
            && hit.t <= self.longest
            && self.found.is_none_or(|found| hit.is_before(&found))
        {
            self.found = Some(hit);
        }
        ControlFlow::Continue(())
    }
}

struct AllHits<'s> {
    tree: &'s WideTree,
    line: &'s RayOrSegment,
    longest: f64,
    sink: &'s mut dyn Sink<FaceHit>,
}

impl RayVisitor for AllHits<'_> {
    fn limit(&self) -> f64 {
        self.longest
    }

    fn visit(&mut self, face: FaceId) -> ControlFlow<()> {
        match self.line.hit(face, &self.tree.mesh.triangle(face)) {
            Some(hit) if hit.t <= self.longest => self.sink.accept(hit),
            _ => ControlFlow::Continue(()),
        }
    }
}

struct RayTraversal<'s, V> {
    tree: &'s WideTree,
    line: LocalRay,
    meter: WorkMeter<'s>,
    cache: &'s mut SingleTreeCache,
    visitor: &'s mut V,
}

impl<V: RayVisitor> Kernel for RayTraversal<'_, V> {
    type Output = (Outcome, f64);

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> (Outcome, f64) {
        self.cache.stack.clear();
        self.cache.stack.push(Subtree::ROOT);
        let outcome = self.descend::<T>();
        self.cache.work = self.meter.work;
        if outcome == Outcome::Complete {
            return (outcome, f64::INFINITY);
        }
        let least = least_bound(&self.cache.stack);
        (outcome, self.line.parameter(least))
    }
}

impl<V: RayVisitor> RayTraversal<'_, V> {
    #[inline(always)]
    fn descend<T: Lanes>(&mut self) -> Outcome {
        while let Some(next) = self.cache.stack.pop() {
            if self.line.is_beyond(next.at_least, self.visitor.limit()) {
                continue;
            }
            if let ControlFlow::Break(outcome) = self.visit::<T>(next) {
                // What was not examined goes back, so that it counts as unexplored.
                self.cache.stack.push(next);
                return outcome;
            }
        }
        Outcome::Complete
    }

    #[inline(always)]
    fn visit<T: Lanes>(&mut self, next: Subtree) -> ControlFlow<Outcome> {
        self.meter.look()?;
        if next.child & LEAF == 0 {
            self.meter.spend_volumes(WIDTH as u32)?;
            let node = &self.tree.nodes[next.child as usize];
            let limit = self.line.place(self.visitor.limit());
            let passed = self.line.boxes::<T>(node, limit);
            push_children(
                &mut self.cache.stack,
                &node.child,
                passed.mask,
                &passed.least,
                &passed.near,
            );
            return ControlFlow::Continue(());
        }
        let leaf = &self.tree.leaves[(next.child & !LEAF) as usize];
        let mut lanes = self.line.faces::<T>(leaf);
        self.meter.spend_faces(leaf.count)?;
        while lanes != 0 {
            let k = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            if self.visitor.visit(FaceId::new(leaf.face[k])).is_break() {
                return ControlFlow::Break(Outcome::StoppedBySink);
            }
        }
        ControlFlow::Continue(())
    }
}
