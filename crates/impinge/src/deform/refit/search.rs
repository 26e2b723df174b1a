//! Every leaf asks the tree which leaves after it may meet.

use std::ops::ControlFlow;

use super::layout::{Asked, WIDTH, WIDTH_BITS};
use super::tree::Tree;
use crate::math::simd::Level as Instructions;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};

/// The most parts that the leaves are asked in.
const MAX_PARTS: usize = 64;
/// Fewer leaves are not worth a part.
const LEAVES_PER_PART: usize = 16;

/// In how many parts the leaves of a tree are asked; depends on the tree alone.
pub(in super::super) fn leaf_parts(tree: &Tree) -> usize {
    tree.leaves().div_ceil(LEAVES_PER_PART).min(MAX_PARTS)
}

/// Hands every pair of faces whose boxes overlap and whose first leaf is in the part to `accept`; gives the number of box tests.
pub(in super::super) fn each_candidate(
    tree: &Tree,
    part: usize,
    parts: usize,
    accept: impl FnMut(u32, u32) -> ControlFlow<()>,
) -> u64 {
    let leaves = tree.leaves();
    let share = |i: usize| leaves * i / parts.max(1);
    let kernel = Search {
        tree,
        from: share(part),
        to: share(part + 1),
        accept,
    };
    dispatch(Instructions::detect(), kernel)
}

struct Search<'t, F> {
    tree: &'t Tree,
    from: usize,
    to: usize,
    accept: F,
}

impl<F: FnMut(u32, u32) -> ControlFlow<()>> Kernel for Search<'_, F> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> u64 {
        let tree = self.tree;
        let mut groups_tested = 0;
        let Some(leaves) = tree.levels.first() else {
            return 0;
        };
        let mut stack: Vec<(u32, u32)> = Vec::new();
        let mut others: Vec<u32> = Vec::new();
        for leaf in self.from..self.to {
            let asked = Asked::<T>::new(&leaves.bounds[leaf]);
            others.clear();
            stack.push((tree.levels.len() as u32 - 1, 0));
            while let Some((level, index)) = stack.pop() {
                if level == 0 {
                    others.push(index);
                    continue;
                }
                groups_tested += 1;
                let group = &tree.levels[level as usize].groups[index as usize];
                let mut mask = group.overlapping(&asked);
                // Leaves before this one have asked already.
                let first = (leaf >> (WIDTH_BITS * (level - 1))) as u32;
                let before = first.saturating_sub(index << WIDTH_BITS);
                mask &= !0_u32 << before.min(31);
                while mask != 0 {
                    let lane = mask.trailing_zeros();
                    mask &= mask - 1;
                    stack.push((level - 1, (index << WIDTH_BITS) | lane));
                }
            }
            let from = leaf * WIDTH;
            let to = (from + WIDTH).min(tree.order.len());
            for at in from..to {
                let face = tree.order[at];
                let asked = Asked::<T>::new(&tree.face_bounds[at]);
                groups_tested += others.len() as u64;
                for &other in &others {
                    let mut mask = leaves.groups[other as usize].overlapping(&asked);
                    if other as usize == leaf {
                        // Each pair within a leaf once, and no face with itself.
                        mask &= !0_u32 << (at - from + 1);
                    }
                    while mask != 0 {
                        let lane = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        let with = tree.order[other as usize * WIDTH + lane];
                        if (self.accept)(face, with).is_break() {
                            return groups_tested * WIDTH as u64;
                        }
                    }
                }
            }
        }
        groups_tested * WIDTH as u64
    }
}
