//! Sweep and prune that counts its pairs before it visits them.
//!
//! **Question.** Which boxes of a cluster overlap, and how can the work be divided evenly before it is done?
//! **Idea.** Sort the boxes by where they begin along the sweep axis. Box `i` overlaps the boxes
//! that begin after it and not behind its end: a run of the sorted list, whose length a binary
//! search finds. The prefix sums of these lengths number all pairs from 0 to their total, so that
//! any range of numbers can be processed separately: its first box is found by binary search, the
//! partner by subtraction.
//! **Source.** Mainzer's thesis 5.2.3 and 5.2.4 (one thread per pair on a GPU); the decoding is ours, and here a range of pairs is a part of the work.
//! **Promise.** Each pair of boxes that overlap along the axis has exactly one number. Intervals are closed: boxes that begin where another
//! ends overlap it, for which the thesis leaves the order of equal ends open.

use super::super::refit::{BoxGroup, LaneBounds, QueryBox, WIDTH};
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, dispatch};

/// For each box, in order of their beginnings, the number of boxes that begin within it; and the
/// prefix sums, with the total at the end.
///
/// ```
/// use impinge::deform::clustering::overlap_counts;
/// // A and C begin, then B; C ends, then A, then B; D is alone.
/// let (starts, ends) = ([0.0, 1.0, 2.0, 6.0], [4.0, 3.0, 5.0, 7.0]);
/// assert_eq!(overlap_counts(&starts, &ends), ([2, 1, 0, 0].to_vec(), [0, 2, 3, 3, 3].to_vec()));
/// ```
#[must_use]
pub fn overlap_counts(starts: &[f32], ends: &[f32]) -> (Vec<u32>, Vec<u64>) {
    let mut counts = Vec::with_capacity(starts.len());
    let mut sums = Vec::with_capacity(starts.len() + 1);
    let mut sum = 0;
    sums.push(0);
    for (i, &end) in ends.iter().enumerate().take(starts.len()) {
        let after = &starts[i + 1..];
        // Most runs are short: gallop, then search.
        let mut reach = 1;
        while reach < after.len() && after[reach - 1] <= end {
            reach *= 2;
        }
        let count = after[..reach.min(after.len())].partition_point(|&start| start <= end);
        counts.push(count as u32);
        sum += count as u64;
        sums.push(sum);
    }
    (counts, sums)
}

/// The sorted boxes of a cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedBoxes {
    /// Items in the order of their beginnings.
    pub(super) order: Vec<u32>,
    bounds: Vec<LaneBounds>,
    /// The same boxes, eight by eight.
    groups: Vec<BoxGroup>,
    counts: Vec<u32>,
    sums: Vec<u64>,
}

impl SortedBoxes {
    pub(super) fn new(order: Vec<u32>, bounds: Vec<LaneBounds>) -> Self {
        let starts: Vec<f32> = bounds.iter().map(|b| b.min[0]).collect();
        let ends: Vec<f32> = bounds.iter().map(|b| b.max[0]).collect();
        let (counts, sums) = overlap_counts(&starts, &ends);
        let eight = |boxes: &[LaneBounds]| {
            let mut group = BoxGroup::EMPTY;
            for (lane, own) in boxes.iter().enumerate() {
                group.set(lane, own);
            }
            group
        };
        Self {
            order,
            groups: bounds.chunks(WIDTH).map(eight).collect(),
            bounds,
            counts,
            sums,
        }
    }

    /// How many pairs overlap along the axis.
    pub(super) fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Hands the pairs of the numbers `from..to` that overlap along the other axes to `accept`, as places in the order, until it says no; gives how
    /// many overlap along the second axis.
    pub(super) fn each_overlap(
        &self,
        from: u64,
        to: u64,
        third_axis: bool,
        accept: impl FnMut(usize, usize) -> bool,
    ) -> u64 {
        let kernel = OverlapIterator {
            sorted: self,
            from,
            to,
            third_axis,
            accept,
        };
        dispatch(Level::detect(), kernel)
    }
}

struct OverlapIterator<'s, F> {
    sorted: &'s SortedBoxes,
    from: u64,
    to: u64,
    third_axis: bool,
    accept: F,
}

impl<F: FnMut(usize, usize) -> bool> Kernel for OverlapIterator<'_, F> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> u64 {
        let SortedBoxes {
            bounds,
            groups,
            counts,
            sums,
            ..
        } = self.sorted;
        let mut second_axis = 0;
        // The box of the first pair: the last with no more pairs before it.
        let mut i = sums
            .partition_point(|&sum| sum <= self.from)
            .saturating_sub(1);
        while i < counts.len() && sums[i] < self.to {
            let first = i + 1 + (self.from.max(sums[i]) - sums[i]) as usize;
            let end = i + 1 + (self.to.min(sums[i + 1]) - sums[i]) as usize;
            let asked = QueryBox::<T>::new(&bounds[i]);
            let mut at = first;
            while at < end {
                let (group, lane) = (at / WIDTH, at % WIDTH);
                let lanes = (end - group * WIDTH).min(WIDTH);
                let wanted = (0xFF_u32 << lane) & (0xFF_u32 >> (WIDTH - lanes));
                let [second, third] = groups[group].overlapping_beside(&asked);
                let mut mask = second & wanted;
                second_axis += u64::from(mask.count_ones());
                if self.third_axis {
                    mask &= third;
                }
                while mask != 0 {
                    let other = group * WIDTH + mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    if !(self.accept)(i, other) {
                        return second_axis;
                    }
                }
                at = (group + 1) * WIDTH;
            }
            i += 1;
        }
        second_axis
    }
}
