//! Self-collision traversal: every leaf against the leaves after it.

use std::ops::ControlFlow;

use super::box_lanes::{QueryBox, WIDTH, WIDTH_BITS};
use super::leaf_corners::{CornerLanes, LeafCulling, QueryLeaf};
use super::refit_bvh::RefitBvh;
use crate::math::simd::Level as Instructions;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};

/// The most parts that the leaves are divided into: so many that one full of hits does not keep the others waiting.
const MAX_PARTS: usize = 256;
/// Fewer leaves are not worth a part.
const LEAVES_PER_PART: usize = 16;

/// Into how many parts the leaves of a tree are divided; depends on the tree alone.
pub(in super::super) fn leaf_parts(tree: &RefitBvh) -> usize {
    tree.leaves().div_ceil(LEAVES_PER_PART).min(MAX_PARTS)
}

/// What a search did beside handing pairs out.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct TraversalStats {
    pub(in super::super) box_tests: u64,
    /// Pairs whose boxes overlap but that were proven apart, and not handed out.
    pub(in super::super) culled: u64,
    /// Of these, neighbours that meet in what they share only.
    pub(in super::super) neighbours: u64,
}

/// Hands every pair of faces whose boxes overlap and whose first leaf is in one of the parts to `accept`, but for those that `cull` proves apart, and
/// those within a region. `regions` holds, by leaf, one more than the level of the node above it that is a region, and 0 for none; it may be empty.
pub(in super::super) fn each_candidate(
    tree: &RefitBvh,
    (part, parts): (usize, usize),
    cull: Option<LeafCulling<'_>>,
    regions: &[u8],
    accept: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> TraversalStats {
    let leaves = tree.leaves();
    let share = |i: usize| leaves * i / parts.max(1);
    let kernel = SelfTraversal {
        tree,
        from: share(part),
        to: share(part + 1),
        cull,
        regions,
        accept,
    };
    dispatch(Instructions::detect(), kernel)
}

struct SelfTraversal<'t, F> {
    tree: &'t RefitBvh,
    from: usize,
    to: usize,
    cull: Option<LeafCulling<'t>>,
    regions: &'t [u8],
    accept: F,
}

impl<F: FnMut(u32, u32) -> ControlFlow<()>> Kernel for SelfTraversal<'_, F> {
    type Output = TraversalStats;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> TraversalStats {
        let tree = self.tree;
        let mut done = TraversalStats::default();
        let Some(leaves) = tree.levels.first() else {
            return done;
        };
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for leaf in self.from..self.to {
            let asked = QueryBox::<T>::new(&leaves.bounds[leaf]);
            let from = leaf * WIDTH;
            let faces = (tree.order.len() - from).min(WIDTH);
            let own = &leaves.groups[leaf];
            #[expect(clippy::manual_map, reason = "a closure would lose the instructions")]
            let corners = match &self.cull {
                Some(cull) => Some(cull.leaf::<T>(leaf, faces)),
                None => None,
            };
            let region = self
                .regions
                .get(leaf)
                .map_or(0, |&height| u32::from(height));
            if region == tree.levels.len() as u32 {
                continue;
            }
            stack.push((tree.levels.len() as u32 - 1, 0));
            while let Some((level, index)) = stack.pop() {
                if level > 0 {
                    done.box_tests += WIDTH as u64;
                    let group = &tree.levels[level as usize].groups[index as usize];
                    let mut mask = group.overlapping(&asked);
                    // Leaves before this one have asked already.
                    let first = (leaf >> (WIDTH_BITS * (level - 1))) as u32;
                    let before = first.saturating_sub(index << WIDTH_BITS);
                    mask &= !0_u32 << before.min(31);
                    // The region of this leaf does not meet itself.
                    if region == level && first >> WIDTH_BITS == index {
                        mask &= !(1 << (first & (WIDTH as u32 - 1)));
                    }
                    while mask != 0 {
                        let lane = mask.trailing_zeros();
                        mask &= mask - 1;
                        stack.push((level - 1, (index << WIDTH_BITS) | lane));
                    }
                    continue;
                }
                let other = index as usize;
                let group = &leaves.groups[other];
                done.box_tests += WIDTH as u64;
                let mut near = own.overlapping(&QueryBox::<T>::new(&leaves.bounds[other]));
                while near != 0 {
                    let at = near.trailing_zeros() as usize;
                    near &= near - 1;
                    let mut mask = group.overlapping(&own.ask::<T>(at));
                    done.box_tests += WIDTH as u64;
                    if other == leaf {
                        // Each pair within a leaf once, and no face with itself.
                        mask &= !0_u32 << (at + 1);
                    }
                    if mask == 0 {
                        continue;
                    }
                    if let (Some(cull), Some(corners)) = (&self.cull, &corners) {
                        mask = cull_lanes::<T>(mask, at, corners, &cull.leaves[other], &mut done);
                    }
                    while mask != 0 {
                        let lane = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        let with = tree.order[other * WIDTH + lane];
                        if (self.accept)(tree.order[from + at], with).is_break() {
                            return done;
                        }
                    }
                }
            }
        }
        done
    }
}

/// The lanes whose pairs are still open.
#[inline(always)]
fn cull_lanes<T: Lanes>(
    mut mask: u32,
    at: usize,
    corners: &QueryLeaf<'_>,
    others: &CornerLanes,
    done: &mut TraversalStats,
) -> u32 {
    if corners.is_calm(at) {
        let neighbours = mask & corners.beside::<T>(at, others);
        let count = u64::from(count(neighbours));
        done.neighbours += count;
        done.culled += count;
        mask &= !neighbours;
        if mask == 0 {
            return 0;
        }
    }
    let apart = mask & corners.apart::<T>(at, others, mask);
    done.culled += u64::from(count(apart));
    mask & !apart
}

/// How many of eight bits are set, from a table: not every processor counts.
#[inline(always)]
fn count(mask: u32) -> u8 {
    const COUNTS: [u8; 16] = [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4];
    COUNTS[mask as usize & 15] + COUNTS[mask as usize >> 4 & 15]
}
