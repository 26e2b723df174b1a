//! Lazy refit: boxes are computed when they are first visited.
//!
//! A top-down traversal computes the boxes of a node's children, from their faces, when the node is
//! first opened in a frame. Parts that nothing comes near are never touched: this helps if objects
//! are tested against each other and are mostly apart. The hybrid computes a level in the middle
//! for all faces, the levels above from it, and is lazy below.

use std::ops::ControlFlow;

use super::box_lanes::{BoxGroup, LaneBounds, WIDTH};
use super::refit_bvh::{RefitBvh, gather};
use crate::math::simd::Level as Instructions;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};

/// From so many faces on, threads take a share of the level in the middle.
#[cfg(feature = "parallel")]
const MANY_FACES: usize = 4096;

/// An object number for groups with faces of several objects.
const MIXED: u32 = u32::MAX;

/// What a tree knows of the current frame.
#[derive(Clone, Debug, Default)]
pub(super) struct RefitState {
    /// Per level and group: whether its lanes are of this frame.
    fresh: Vec<Vec<bool>>,
    /// Per level and group: the only object in it, or [`MIXED`].
    sole: Vec<Vec<u32>>,
}

impl RefitState {
    /// Nothing is fresh.
    pub(super) fn new(tree: &RefitBvh, object_of_face: &[u32]) -> Self {
        let fresh = tree.levels.iter();
        let mut sole: Vec<Vec<u32>> = Vec::new();
        let objects = tree.order.iter().map(|&f| object_of_face[f as usize]);
        let mut below: Vec<u32> = objects.collect();
        for _ in &tree.levels {
            let groups = below.chunks(WIDTH).map(|group| {
                let first = group[0];
                let is_sole = group.iter().all(|&o| o == first);
                if is_sole { first } else { MIXED }
            });
            let groups: Vec<u32> = groups.collect();
            sole.push(groups.clone());
            below = groups;
        }
        Self {
            fresh: fresh.map(|level| vec![false; level.groups.len()]).collect(),
            sole,
        }
    }

    pub(super) fn forget(&mut self) {
        for level in &mut self.fresh {
            level.fill(false);
        }
    }
}

/// One lazy search of a tree against itself.
pub(super) struct LazyTraversal<'t, B, F> {
    tree: &'t mut RefitBvh,
    freshness: &'t mut RefitState,
    bounds_of: B,
    /// Whether pairs within one object (self-collisions) are reported.
    within: bool,
    accept: F,
    boxes: u64,
    groups_tested: u64,
}

/// Computes the boxes of a middle level from the faces, in parallel if allowed, then all levels above it. Returns the
/// number of boxes computed.
pub(super) fn begin_in_the_middle(
    tree: &mut RefitBvh,
    freshness: &mut RefitState,
    bounds_of: impl Fn(u32) -> LaneBounds + Sync,
    parallel: bool,
) -> u64 {
    let middle = tree.levels.len() / 2;
    if middle == 0 {
        return 0;
    }
    let order = tree.order.as_slice();
    let (below, above) = tree.levels.split_at_mut(middle);
    let span = WIDTH.pow(middle as u32);
    let bounds = &mut below[middle - 1].bounds;
    let whole = |faces: &[u32]| {
        let boxes = faces.iter().map(|&f| bounds_of(f));
        boxes.fold(LaneBounds::NONE, |b, own| b.union(&own))
    };
    fill(bounds, order, span, whole, parallel);
    let mut boxes = bounds.len() as u64;
    let mut children = &*bounds;
    for (i, level) in above.iter_mut().enumerate() {
        gather(level, children);
        boxes += level.groups.len() as u64;
        freshness.fresh[middle + i].fill(true);
        children = &level.bounds;
    }
    boxes
}

/// The box of each run of `span` faces.
fn fill(
    bounds: &mut [LaneBounds],
    order: &[u32],
    span: usize,
    whole: impl Fn(&[u32]) -> LaneBounds + Sync,
    parallel: bool,
) {
    #[cfg(feature = "parallel")]
    if parallel && order.len() >= MANY_FACES {
        use rayon::prelude::*;
        let runs = bounds.par_iter_mut().zip(order.par_chunks(span));
        runs.for_each(|(bounds, faces)| *bounds = whole(faces));
        return;
    }
    let _ = parallel;
    for (bounds, faces) in bounds.iter_mut().zip(order.chunks(span)) {
        *bounds = whole(faces);
    }
}

impl<'t, B, F> LazyTraversal<'t, B, F>
where
    B: Fn(u32) -> LaneBounds,
    F: FnMut(u32, u32) -> ControlFlow<()>,
{
    /// A search of a tree in which nothing is fresh but what was computed since it was [forgotten](RefitState::forget).
    pub(super) fn new(
        tree: &'t mut RefitBvh,
        freshness: &'t mut RefitState,
        bounds_of: B,
        within: bool,
        accept: F,
    ) -> Self {
        Self {
            tree,
            freshness,
            bounds_of,
            within,
            accept,
            boxes: 0,
            groups_tested: 0,
        }
    }

    /// Searches; gives the boxes computed and the box tests made.
    pub(super) fn search(self) -> (u64, u64) {
        dispatch(Instructions::detect(), self)
    }

    /// Makes the lanes of a group those of this frame.
    fn open(&mut self, level: usize, index: usize) {
        if self.freshness.fresh[level][index] {
            return;
        }
        self.freshness.fresh[level][index] = true;
        let span = WIDTH.pow(level as u32);
        let from = index * WIDTH * span;
        let to = (from + WIDTH * span).min(self.tree.order.len());
        let mut group = BoxGroup::EMPTY;
        for (lane, at) in (from..to).step_by(span).enumerate() {
            let faces = &self.tree.order[at..(at + span).min(to)];
            let bounds = faces
                .iter()
                .fold(LaneBounds::NONE, |b, &f| b.union(&(self.bounds_of)(f)));
            group.set(lane, &bounds);
            self.boxes += 1;
            if let Some(below) = level.checked_sub(1) {
                self.tree.levels[below].bounds[index * WIDTH + lane] = bounds;
            }
        }
        self.tree.levels[level].groups[index] = group;
    }

    fn is_of_interest(&self, level: usize, a: usize, b: usize) -> bool {
        let sole = &self.freshness.sole[level];
        self.within || sole[a] != sole[b] || sole[a] == MIXED
    }
}

impl<B, F> Kernel for LazyTraversal<'_, B, F>
where
    B: Fn(u32) -> LaneBounds,
    F: FnMut(u32, u32) -> ControlFlow<()>,
{
    type Output = (u64, u64);

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> (u64, u64) {
        let mut stack = Vec::new();
        if !self.tree.levels.is_empty() {
            stack.push((self.tree.levels.len() - 1, 0_usize, 0_usize));
        }
        while let Some((level, a, b)) = stack.pop() {
            if !self.is_of_interest(level, a, b) {
                continue;
            }
            self.open(level, a);
            self.open(level, b);
            for lane in 0..WIDTH {
                let at = a * WIDTH + lane;
                let count = match level.checked_sub(1) {
                    Some(below) => self.tree.levels[below].bounds.len(),
                    None => self.tree.order.len(),
                };
                if at >= count {
                    break;
                }
                let asked = self.tree.levels[level].groups[a].ask::<T>(lane);
                self.groups_tested += 1;
                let mut mask = self.tree.levels[level].groups[b].overlapping(&asked);
                if a == b {
                    // A face is not asked with itself, a node is.
                    mask &= !0_u32 << (lane + usize::from(level == 0));
                }
                while mask != 0 {
                    let other = b * WIDTH + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    if level > 0 {
                        stack.push((level - 1, at, other));
                        continue;
                    }
                    let faces = (self.tree.order[at], self.tree.order[other]);
                    if (self.accept)(faces.0, faces.1).is_break() {
                        return (self.boxes, self.groups_tested * WIDTH as u64);
                    }
                }
            }
        }
        (self.boxes, self.groups_tested * WIDTH as u64)
    }
}
