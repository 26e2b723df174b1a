//! Top-down construction by the binned surface area heuristic (SAH).
//!
//! **Question.** Which plane splits a set of boxes so that traversing the two halves is cheapest?
//! **Idea.** The probability that a traversal enters a box is taken as proportional to its area. Boxes are sorted into bins by their
//! centres, on all three axes at once; each bin border is a candidate plane whose cost follows from running unions. Large sets are
//! split level by level on all threads, then each small set becomes a subtree of its own.
//! **Source.** Wald, *On fast construction of SAH-based bounding volume hierarchies*, 2007.
//! **Cost.** About 18 passes over the faces for a million.
//! **Promise.** The tree does not depend on the number of threads. Its depth is bounded: see [`MEDIAN_FROM_LEVEL`].

use glam::Vec4;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::build_item::{BuildItem, LaneBox};
use super::topology::BinaryNode;

/// Bins per axis.
const BINS: usize = 16;
/// Sets larger than this are binned in parallel.
#[cfg(feature = "parallel")]
const PARALLEL_FROM: usize = 1 << 16;
/// Sets are cut level by level until they are smaller than this, or than a 64th of all.
const SUBTREE: usize = 4096;
/// Deeper than any tree the heuristic makes of real meshes; from here on every cut is at the median.
const MEDIAN_FROM_LEVEL: usize = 48;

/// A set of items still to be cut.
#[derive(Clone, Copy, Debug)]
struct SplitTask {
    /// Where the node is in the list of branches.
    at: usize,
    level: usize,
    /// The box of the items' keys.
    keys: LaneBox,
}

/// Cuts the items into a binary tree with at most `leaf_faces` in a leaf.
pub(super) fn build(items: &mut [BuildItem], leaf_faces: usize) -> Vec<BinaryNode> {
    if items.is_empty() {
        return Vec::new();
    }
    let small = (items.len() / 64).max(SUBTREE);
    let mut branches = vec![BinaryNode::leaf(0, items.len())];
    let mut level = vec![SplitTask {
        at: 0,
        level: 0,
        keys: keys_of(items),
    }];
    let mut subtrees: Vec<SplitTask> = Vec::new();
    while !level.is_empty() {
        let mut large = Vec::new();
        for part in level {
            if branches[part.at].len() as usize > small {
                large.push(part);
            } else {
                subtrees.push(part);
            }
        }
        let slices = borrowed_apart(items, &branches, &large);
        let cut = |(part, slice): (SplitTask, &mut [BuildItem])| {
            let mut bins = SahBins::EMPTY;
            (part, cut(slice, &part, leaf_faces, &mut bins))
        };
        #[cfg(feature = "parallel")]
        let cuts: Vec<_> = slices.into_par_iter().map(cut).collect();
        #[cfg(not(feature = "parallel"))]
        let cuts: Vec<_> = slices.into_iter().map(cut).collect();
        level = Vec::with_capacity(2 * cuts.len());
        for (part, cut) in cuts {
            level.extend(branch_off(&mut branches, &part, &cut));
        }
    }
    // In order of position, so that they can be borrowed apart.
    subtrees.sort_unstable_by_key(|part| branches[part.at].start);
    let slices = borrowed_apart(items, &branches, &subtrees);
    let grow =
        |(part, slice): (SplitTask, &mut [BuildItem])| (part.at, subtree(slice, part, leaf_faces));
    #[cfg(feature = "parallel")]
    let grown: Vec<_> = slices.into_par_iter().map(grow).collect();
    #[cfg(not(feature = "parallel"))]
    let grown: Vec<_> = slices.into_iter().map(grow).collect();
    for (at, local) in grown {
        let start = branches[at].start;
        // The local root is the branch that exists; the rest is appended, one place earlier each.
        let base = branches.len() as u32 - 1;
        let mut placed = local.iter().map(|branch| BinaryNode {
            start: branch.start + start,
            end: branch.end + start,
            first: if branch.first == 0 {
                0
            } else {
                branch.first + base
            },
        });
        if let Some(root) = placed.next() {
            branches[at] = root;
        }
        branches.extend(placed);
    }
    branches
}

/// The slices of parts that are in order of position.
fn borrowed_apart<'i>(
    items: &'i mut [BuildItem],
    branches: &[BinaryNode],
    parts: &[SplitTask],
) -> Vec<(SplitTask, &'i mut [BuildItem])> {
    let mut rest = items;
    let mut offset = 0;
    let mut slices = Vec::with_capacity(parts.len());
    for part in parts {
        let branch = &branches[part.at];
        let (_, tail) = rest.split_at_mut(branch.start as usize - offset);
        let (slice, tail) = tail.split_at_mut(branch.len() as usize);
        slices.push((*part, slice));
        rest = tail;
        offset = branch.end as usize;
    }
    slices
}

/// Grows the subtree of one part.
fn subtree(items: &mut [BuildItem], part: SplitTask, leaf_faces: usize) -> Vec<BinaryNode> {
    let mut branches = Vec::with_capacity(2 * items.len() / leaf_faces.max(1) + 1);
    branches.push(BinaryNode::leaf(0, items.len()));
    let mut open = vec![SplitTask { at: 0, ..part }];
    let mut bins = SahBins::EMPTY;
    while let Some(part) = open.pop() {
        let branch = branches[part.at];
        if branch.len() as usize <= leaf_faces {
            continue;
        }
        let slice = &mut items[branch.start as usize..branch.end as usize];
        let cut = cut(slice, &part, leaf_faces, &mut bins);
        let [left, right] = branch_off(&mut branches, &part, &cut);
        open.extend([right, left]);
    }
    branches
}

/// A reordered set: where it is parted, and the boxes of the keys on both sides.
struct SplitResult {
    middle: usize,
    keys: [LaneBox; 2],
}

fn branch_off(
    branches: &mut Vec<BinaryNode>,
    part: &SplitTask,
    cut: &SplitResult,
) -> [SplitTask; 2] {
    let branch = branches[part.at];
    let (start, end) = (branch.start as usize, branch.end as usize);
    let first = branches.len();
    branches[part.at].first = first as u32;
    branches.push(BinaryNode::leaf(start, start + cut.middle));
    branches.push(BinaryNode::leaf(start + cut.middle, end));
    [0, 1].map(|side| SplitTask {
        at: first + side,
        level: part.level + 1,
        keys: cut.keys[side],
    })
}

#[derive(Clone, Copy)]
struct SahBins {
    extents: [[LaneBox; BINS]; 3],
    counts: [[u32; BINS]; 3],
}

impl SahBins {
    const EMPTY: Self = Self {
        extents: [[LaneBox::EMPTY; BINS]; 3],
        counts: [[0; BINS]; 3],
    };

    #[cfg(feature = "parallel")]
    fn merged(mut self, other: &Self) -> Self {
        for axis in 0..3 {
            for bin in 0..BINS {
                let from = &other.extents[axis][bin];
                self.extents[axis][bin].grow(from.low, from.high);
                self.counts[axis][bin] += other.counts[axis][bin];
            }
        }
        self
    }
}

/// Added to a small number that is not negative, leaves its nearest integer in the lowest bits.
const TO_INTEGER: f32 = 8_388_608.0;

/// Where the bins are. The first and the last are half as wide as the others, so that the nearest one is always in range.
#[derive(Clone, Copy)]
struct BinGrid {
    origin: Vec4,
    scale: Vec4,
}

impl BinGrid {
    fn new(keys: &LaneBox, bins: usize) -> Self {
        let span = keys.high - keys.low;
        // An axis that cannot tell the items apart has scale 0: all are in the first bin.
        let scale = |span: f32| {
            let scale = (bins - 1) as f32 / span;
            if scale.is_finite() { scale } else { 0.0 }
        };
        Self {
            origin: keys.low,
            scale: Vec4::new(scale(span.x), scale(span.y), scale(span.z), 0.0),
        }
    }

    /// The bins of an item on the three axes, as integers in the lowest bits.
    #[inline(always)]
    fn places(&self, item: &BuildItem) -> Vec4 {
        (item.key() - self.origin) * self.scale + Vec4::splat(TO_INTEGER)
    }
}

fn keys_of(items: &[BuildItem]) -> LaneBox {
    let fold = |items: &[BuildItem]| {
        items.iter().fold(LaneBox::EMPTY, |mut keys, item| {
            keys.grow(item.key(), item.key());
            keys
        })
    };
    #[cfg(feature = "parallel")]
    if items.len() > PARALLEL_FROM {
        // Minima and maxima do not depend on the order.
        return items
            .par_chunks(PARALLEL_FROM / 4)
            .map(fold)
            .reduce(|| LaneBox::EMPTY, |a, b| a.union(&b));
    }
    fold(items)
}

fn fill(items: &[BuildItem], grid: &BinGrid, bins: &mut SahBins) {
    let fold = |items: &[BuildItem], bins: &mut SahBins| {
        for item in items {
            let at = grid.places(item);
            for (axis, place) in [at.x, at.y, at.z].into_iter().enumerate() {
                let bin = place.to_bits() as usize % BINS;
                bins.extents[axis][bin].grow(item.low, item.high);
                bins.counts[axis][bin] += 1;
            }
        }
    };
    #[cfg(feature = "parallel")]
    if items.len() > PARALLEL_FROM {
        *bins = items
            .par_chunks(PARALLEL_FROM / 4)
            .map(|items| {
                let mut bins = SahBins::EMPTY;
                fold(items, &mut bins);
                bins
            })
            .reduce(|| SahBins::EMPTY, |a, b| a.merged(&b));
        return;
    }
    fold(items, bins);
}

/// Reorders the items so that a cheap cut lies strictly inside. Only the first `count` bins of each axis are used.
fn cut(
    items: &mut [BuildItem],
    part: &SplitTask,
    leaf_faces: usize,
    bins: &mut SahBins,
) -> SplitResult {
    let count = match items.len() {
        0..9 => BINS / 4,
        9..64 => BINS / 2,
        _ => BINS,
    };
    for axis in 0..3 {
        bins.extents[axis][..count].fill(LaneBox::EMPTY);
        bins.counts[axis][..count].fill(0);
    }
    let grid = BinGrid::new(&part.keys, count);
    let mut middle = 0;
    if part.level < MEDIAN_FROM_LEVEL {
        fill(items, &grid, bins);
        if let Some((axis, bin)) = cheapest(bins, count, leaf_faces) {
            let last = TO_INTEGER + bin as f32;
            middle = match axis {
                0 => partition(items, |item| grid.places(item).x <= last),
                1 => partition(items, |item| grid.places(item).y <= last),
                _ => partition(items, |item| grid.places(item).z <= last),
            };
        }
    }
    if middle == 0 || middle == items.len() {
        middle = items.len() / 2;
    }
    let (left, right) = items.split_at(middle);
    SplitResult {
        middle,
        keys: [keys_of(left), keys_of(right)],
    }
}

/// The axis and the last bin of the left side of the cheapest cut, if any cut leaves faces on both sides.
fn cheapest(bins: &SahBins, count: usize, leaf_faces: usize) -> Option<(usize, usize)> {
    // Faces are tested a whole leaf at a time: the number of leaves, rounded up by way of the nearest integer.
    let per_leaf = 1.0 / leaf_faces as f32;
    let up = 0.5 - 0.25 * per_leaf;
    let leaves = |faces: u32| (faces as f32 * per_leaf + up + TO_INTEGER) - TO_INTEGER;
    let all: u32 = bins.counts[0][..count].iter().sum();
    let mut best = (f32::INFINITY, u32::MAX, None);
    for axis in 0..3 {
        let (extents, counts) = (&bins.extents[axis], &bins.counts[axis]);
        let mut right_cost = [f32::INFINITY; BINS];
        let (mut extent, mut faces) = (LaneBox::EMPTY, 0);
        for i in (1..count).rev() {
            extent.grow(extents[i].low, extents[i].high);
            faces += counts[i];
            if faces > 0 {
                right_cost[i] = extent.area() * leaves(faces);
            }
        }
        let (mut extent, mut faces) = (LaneBox::EMPTY, 0);
        for i in 0..count - 1 {
            extent.grow(extents[i].low, extents[i].high);
            faces += counts[i];
            let cost = extent.area() * leaves(faces) + right_cost[i + 1];
            // Sets without area have cuts that all cost nothing: the most even one is taken.
            let odds = (2 * faces).abs_diff(all);
            if faces > 0 && (cost < best.0 || (cost == best.0 && odds < best.1)) {
                best = (cost, odds, Some((axis, i)));
            }
        }
    }
    best.2
}

/// Moves items that satisfy the predicate to the front, returns how many there are.
fn partition(items: &mut [BuildItem], is_left: impl Fn(&BuildItem) -> bool) -> usize {
    let mut left = 0;
    for i in 0..items.len() {
        // Exchanged in any case: a branch would be mispredicted every other time.
        let is_left = is_left(&items[i]);
        items.swap(left, i);
        left += usize::from(is_left);
    }
    left
}
