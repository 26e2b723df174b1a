//! Intersection of two meshes: whether they intersect, and all intersecting face pairs.

use std::ops::ControlFlow;

use super::bvtt_front::BvttFront;
use super::cache_slot::CacheSlot;
use super::descent::{Opened, PendingPair, opens_a};
use super::distance::{Promising, Waiting};
use super::f64_fallback;
use super::layout::{LEAF, WIDTH};
use super::obb_lanes::{CarriedBox, overlapping};
use super::relative_pose::{FramePair, RelativePose};
use super::single_tree::{SingleTreeCache, go_on_if};
use super::stop_poll::StopPoll;
use super::tree::WideTree;
use super::triangle_lanes::{CarriedFaces, Rows, classify};
use crate::geom::triangles_intersect;
use crate::math::Pose;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};
use crate::query::{FaceId, FacePair, Limits, Outcome, Sink, Work};

/// A pair of faces that may be the nearest.
#[derive(Clone, Copy, Debug)]
pub(super) struct CandidatePair {
    pub(super) at_least: f32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// Scratch memory of a search, kept between searches so that they do not allocate.
#[derive(Clone, Debug, Default)]
#[doc(alias = "BVTT")]
#[doc(alias = "front tracking")]
#[doc(alias = "warm start")]
pub struct WideCache {
    pub(super) stack: Vec<PendingPair>,
    pub(super) beam: Vec<Promising>,
    pub(super) candidates: Vec<CandidatePair>,
    pub(super) waiting: Waiting,
    /// The nearest faces of the last query about distance.
    pub(super) witness: Option<FacePair>,
    /// Where the search for them turned back.
    pub(super) front: BvttFront,
    /// Faces that intersected in the last yes-or-no query.
    pub(super) contact: Option<FacePair>,
    /// Instructions to use; the best the processor has when unset.
    pub(super) level: Option<Level>,
    pub(super) work: Work,
    /// Face pairs of the last search that were decided or measured in `f64`.
    pub(super) exact_tests: u64,
    /// For where points lie.
    pub(in crate::bvh) probe: SingleTreeCache,
    /// For modules above.
    pub(crate) kept: CacheSlot,
}

impl WideCache {
    /// A cache whose searches use these instructions, to compare them.
    ///
    /// ```
    /// use impinge::{bvh::wide::WideCache, math::simd::Level};
    /// let cache = WideCache::with_level(Level::Portable);
    /// assert_eq!(cache.exact_tests(), 0);
    /// ```
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level: Some(level),
            ..Self::default()
        }
    }

    /// Pairs of faces of the last search that were decided or measured in `f64`, the rest having
    /// been settled in lanes.
    ///
    /// ```
    /// use impinge::bvh::wide::WideCache;
    /// assert_eq!(WideCache::default().exact_tests(), 0);
    /// ```
    #[must_use]
    pub fn exact_tests(&self) -> u64 {
        self.exact_tests
    }

    /// The nearest faces of the last query about distance, when there were any.
    pub(crate) fn witness(&self) -> Option<FacePair> {
        self.witness
    }

    /// Clears the data of the last answer, as if the next query were the first.
    ///
    /// ```
    /// use impinge::{Pose, bvh::wide::WideCache, query::Limits};
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::generate::tetrahedron;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let (apart, mut cache) = (Pose::from_translation([9.0, 0.0, 0.0])?, WideCache::default());
    /// let first = tree.distance(&tree, &apart, Limits::default(), &mut cache).value;
    /// cache.forget();
    /// assert_eq!(tree.distance(&tree, &apart, Limits::default(), &mut cache).value, first);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forget(&mut self) {
        self.witness = None;
        self.contact = None;
    }

    /// Counts from zero.
    pub(super) fn start(&mut self) {
        self.work = Work::default();
        self.exact_tests = 0;
    }

    /// Counts volume tests; breaks off when the budget forbids them.
    #[inline(always)]
    pub(super) fn spend(&mut self, limits: &Limits<'_>, tests: u64) -> ControlFlow<Outcome> {
        go_on_if(limits.allows(self.work.tests() + tests - 1))?;
        self.work.volume_tests += tests;
        ControlFlow::Continue(())
    }
}

/// Which pairs of faces are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedPairs {
    /// Those that intersect.
    Meeting,
    /// Those and some that nearly do, for a caller who decides each of them anyway.
    Candidates,
}

impl WideTree {
    /// Reports the pairs of faces that are wanted to the sink, in an order that depends on the trees alone.
    pub(crate) fn face_pairs(
        &self,
        other: &Self,
        self_from_other: &Pose,
        pairs: WantedPairs,
        limits: Limits<'_>,
        cache: &mut WideCache,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        cache.start();
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return Outcome::Complete;
        }
        let Some(between) = FramePair::new(&self.frame, &other.frame, self_from_other) else {
            return f64_fallback::intersections(self, other, self_from_other, limits, cache, sink);
        };
        if limits.is_stopped() || !limits.allows(0) {
            return Outcome::OutOfBudget;
        }
        if between.is_apart() {
            cache.work.volume_tests = 1;
            return Outcome::Complete;
        }
        let level = cache.level.unwrap_or_else(Level::detect);
        dispatch(
            level,
            IntersectTraversal {
                a: self,
                b: other,
                a_from_b: self_from_other,
                pairs,
                between: &between,
                forth: &between.forth(),
                limits,
                cache,
                sink,
            },
        )
    }
}

struct IntersectTraversal<'s> {
    a: &'s WideTree,
    b: &'s WideTree,
    a_from_b: &'s Pose,
    pairs: WantedPairs,
    between: &'s FramePair,
    forth: &'s RelativePose,
    limits: Limits<'s>,
    cache: &'s mut WideCache,
    sink: &'s mut dyn Sink<FacePair>,
}

impl Kernel for IntersectTraversal<'_> {
    type Output = Outcome;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> Outcome {
        let search = self.search::<T>();
        search.break_value().unwrap_or(Outcome::Complete)
    }
}

impl IntersectTraversal<'_> {
    #[inline(always)]
    fn search<T: Lanes>(&mut self) -> ControlFlow<Outcome> {
        let (a, b) = (self.a.nodes.as_slice(), self.b.nodes.as_slice());
        self.cache.stack.clear();
        self.cache.spend(&self.limits, WIDTH as u64)?;
        // Each child of a's root that meets b's box is opened against all children of b's root.
        let root = CarriedBox::new::<T>(&self.b.root, 0, self.forth);
        let mut left = overlapping::<T>(&a[0], &root);
        if left == 0 {
            return ControlFlow::Continue(());
        }
        let back = &self.between.back();
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            self.cache.spend(&self.limits, WIDTH as u64)?;
            let carried = CarriedBox::new::<T>(&a[0], k, back);
            let mut mask = overlapping::<T>(&b[0], &carried);
            while mask != 0 {
                let j = mask.trailing_zeros();
                mask &= mask - 1;
                self.cache.stack.push(PendingPair {
                    a: a[0].child[k],
                    b: b[0].child[j as usize],
                    lane_a: k as u32,
                    lane_b: j,
                    at_least: 0.0,
                });
            }
        }
        let mut poll = StopPoll::new();
        // One pair ahead is taken off before this one's children are put on: the processor can begin
        // with it while this one's outcome is still unknown.
        let mut ahead = self.cache.stack.pop();
        while let Some(pair) = ahead.or_else(|| self.cache.stack.pop()) {
            ahead = self.cache.stack.pop();
            poll.look(&self.limits)?;
            if pair.a & pair.b & LEAF != 0 {
                self.leaves::<T>(pair.a & !LEAF, pair.b & !LEAF)?;
                continue;
            }
            self.cache.spend(&self.limits, WIDTH as u64)?;
            let in_a = opens_a(a, b, &pair, self.forth.scale);
            let opened = Opened::new([self.a, self.b], &pair, in_a, self.forth, back);
            let mut mask = opened.overlapping::<T>(&pair);
            while mask != 0 {
                let k = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                self.cache.stack.push(opened.child(&pair, k, 0.0));
            }
        }
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn leaves<T: Lanes>(&mut self, a: u32, b: u32) -> ControlFlow<Outcome> {
        let (leaf_a, leaf_b) = (&self.a.leaves[a as usize], &self.b.leaves[b as usize]);
        let carried = CarriedFaces::new::<T>(leaf_a, leaf_b, self.forth);
        let mut near = carried.near::<T>(leaf_a) & leaf_b.lanes();
        if near == 0 {
            return ControlFlow::Continue(());
        }
        let rows = Rows::new::<T>(leaf_a, &carried);
        while near != 0 {
            let j = near.trailing_zeros() as usize;
            near &= near - 1;
            let tests = u64::from(leaf_a.count);
            if !self.limits.allows(self.cache.work.tests() + tests - 1) {
                return ControlFlow::Break(Outcome::OutOfBudget);
            }
            self.cache.work.face_tests += tests;
            let verdicts = classify::<T>(leaf_a, &carried, &rows, j);
            let mut found = verdicts.hit & leaf_a.lanes();
            let mut unsure = verdicts.unsure & leaf_a.lanes();
            if self.pairs == WantedPairs::Candidates {
                found |= unsure;
                unsure = 0;
            }
            while unsure != 0 {
                let i = unsure.trailing_zeros();
                unsure &= unsure - 1;
                self.cache.exact_tests += 1;
                if self.meet(leaf_a.face[i as usize], leaf_b.face[j]) {
                    found |= 1 << i;
                }
            }
            while found != 0 {
                let i = found.trailing_zeros() as usize;
                found &= found - 1;
                let pair = FacePair {
                    a: FaceId::new(leaf_a.face[i]),
                    b: FaceId::new(leaf_b.face[j]),
                };
                if self.sink.accept(pair).is_break() {
                    return ControlFlow::Break(Outcome::StoppedBySink);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The exact answer for one pair, on the placed coordinates.
    #[inline(never)]
    fn meet(&self, a: u32, b: u32) -> bool {
        let face_a = self.a.mesh.triangle(FaceId::new(a));
        let face_b = self.b.mesh.triangle(FaceId::new(b));
        triangles_intersect(&face_a, &face_b.map(|p| self.a_from_b.transform_point(p)))
    }
}
