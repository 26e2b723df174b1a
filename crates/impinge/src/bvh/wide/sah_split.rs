//! Binned SAH split of a set of faces.

use glam::{Vec3, Vec4};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::layout::WIDTH;

/// Bins per axis, a power of two.
const BINS: usize = 16;
/// Bins per axis of small sets, where looking through the bins costs more than filling them.
const FEW_BINS: usize = 8;
/// Sets up to this size are small.
const SMALL: usize = 64;
/// Keys of sets up to this size are measured.
const MEASURED: usize = 1 << 14;
/// Sets larger than this are binned in parallel.
#[cfg(feature = "parallel")]
const PARALLEL_FROM: usize = 1 << 16;

/// A face as the tree's builder leaves it: its box, its number.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct SplitItem {
    pub(super) min: Vec3,
    pub(super) face: u32,
    pub(super) max: Vec3,
}

/// One face, or two consecutive ones that share an edge, in two vector registers: the number hides
/// in the fourth components, as the digits of ordinary numbers, because arithmetic with anything
/// else there could be slow.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitCell {
    min: Vec4,
    max: Vec4,
}

/// The bits of 1.
const ONE: u32 = 0x3F80_0000;
/// Set where a cell holds two faces; the sixteen digits below are the number's.
const PAIR: u32 = 1 << 16;

impl SplitCell {
    /// The box of three corners, whose fourth components mean nothing.
    #[inline(always)]
    pub(super) fn new([p, q, r]: [Vec4; 3], face: u32) -> Self {
        let (mut min, mut max) = (p.min(q).min(r), p.max(q).max(r));
        min.w = f32::from_bits(ONE | (face & 0xFFFF));
        max.w = f32::from_bits(ONE | (face >> 16));
        Self { min, max }
    }

    /// Both faces in one cell, where `next` is the one after `self`; `None` where they are better
    /// off apart.
    #[inline(always)]
    pub(super) fn paired(&self, next: &Self) -> Option<Self> {
        let extent = |cell: &Self| LaneBox {
            min: cell.min,
            max: cell.max,
        };
        let (mut min, mut max) = (self.min.min(next.min), self.max.max(next.max));
        let both = LaneBox { min, max };
        if both.area() > extent(self).area() + extent(next).area() {
            return None;
        }
        min.w = f32::from_bits(self.min.w.to_bits() | PAIR);
        max.w = self.max.w;
        Some(Self { min, max })
    }

    /// The number of the first face.
    #[inline(always)]
    pub(super) fn face(&self) -> u32 {
        self.min.w.to_bits() & 0xFFFF | self.max.w.to_bits() << 16
    }

    /// How many faces: one or two.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        1 + (self.min.w.to_bits() >> 16 & 1)
    }

    /// Twice the centre, which orders as well as the centre.
    #[inline(always)]
    fn key(&self) -> Vec4 {
        self.min + self.max
    }

    /// Twice the centre along one axis, as in [`key`](Self::key).
    #[inline(always)]
    fn key_along(&self, axis: usize) -> f32 {
        self.min.as_ref()[axis] + self.max.as_ref()[axis]
    }
}

/// A box; the fourth components mean nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneBox {
    min: Vec4,
    max: Vec4,
}

impl LaneBox {
    const EMPTY: Self = Self {
        min: Vec4::INFINITY,
        max: Vec4::NEG_INFINITY,
    };

    #[inline(always)]
    fn grow(&mut self, min: Vec4, max: Vec4) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    #[inline(always)]
    fn area(&self) -> f32 {
        let d = (self.max - self.min).max(Vec4::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

/// A set of cells, as far as cutting it needs to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitSet {
    /// The box of the cells.
    extent: LaneBox,
    /// How many faces there are.
    pub(super) faces: u32,
}

impl SplitSet {
    const EMPTY: Self = Self {
        extent: LaneBox::EMPTY,
        faces: 0,
    };

    pub(super) fn of(cells: &[SplitCell]) -> Self {
        #[cfg(feature = "parallel")]
        if cells.len() > PARALLEL_FROM {
            // Minima and maxima do not depend on the order, so neither does the tree.
            return cells
                .par_chunks(PARALLEL_FROM / 4)
                .map(Self::folded)
                .reduce(|| Self::EMPTY, Self::join);
        }
        Self::folded(cells)
    }

    fn folded(cells: &[SplitCell]) -> Self {
        let mut set = Self::EMPTY;
        for cell in cells {
            set.extent.grow(cell.min, cell.max);
            set.faces += cell.count();
        }
        set
    }

    #[inline(always)]
    fn join(mut self, other: Self) -> Self {
        self.extent.grow(other.extent.min, other.extent.max);
        self.faces += other.faces;
        self
    }

    /// Half the surface area of the box.
    #[inline(always)]
    pub(super) fn area(&self) -> f32 {
        self.extent.area()
    }

    /// Half the surface area, times the leaves that are needed.
    #[inline(always)]
    fn cost(&self) -> f32 {
        self.area() * (self.faces as usize).div_ceil(WIDTH) as f32
    }
}

/// The box of the keys.
fn key_box(cells: &[SplitCell]) -> LaneBox {
    let mut keys = LaneBox::EMPTY;
    for cell in cells {
        let key = cell.key();
        keys.grow(key, key);
    }
    keys
}

/// Assigns keys to bins, for both filling them and cutting between them.
#[derive(Clone, Copy)]
struct BinScale {
    origin: Vec4,
    factor: Vec4,
}

/// Added to a small number that is not negative, it leaves the nearest integer in the last bits.
const INTEGER: f32 = (1_u32 << 23) as f32;

impl BinScale {
    fn new(keys: &LaneBox, bins: usize) -> Self {
        let span = keys.max - keys.min;
        // 0 where the axis cannot tell cells apart. A little short, so that rounding stays inside.
        let factor = |span: f32| {
            let factor = (bins - 1) as f32 * 0.999_99 / span;
            if factor.is_finite() { factor } else { 0.0 }
        };
        Self {
            origin: keys.min,
            factor: Vec4::new(factor(span.x), factor(span.y), factor(span.z), 0.0),
        }
    }

    #[inline(always)]
    fn bins<const N: usize>(&self, key: Vec4) -> [usize; 3] {
        let at = (key - self.origin) * self.factor + Vec4::splat(INTEGER);
        [at.x, at.y, at.z].map(|x| x.to_bits() as usize % N)
    }
}

#[derive(Clone, Copy)]
struct SahBins<const N: usize>([[SplitSet; N]; 3]);

impl<const N: usize> SahBins<N> {
    const EMPTY: Self = Self([[SplitSet::EMPTY; N]; 3]);

    fn fill(cells: &[SplitCell], scale: &BinScale) -> Self {
        let mut bins = Self::EMPTY;
        if cells.len() <= SMALL {
            for cell in cells {
                bins.put(cell, scale);
            }
            return bins;
        }
        // Neighbours often share a bin and would wait for each other: two sets of bins by turns.
        let mut others = Self::EMPTY;
        let mut pairs = cells.chunks_exact(2);
        for pair in &mut pairs {
            bins.put(&pair[0], scale);
            others.put(&pair[1], scale);
        }
        for cell in pairs.remainder() {
            bins.put(cell, scale);
        }
        bins.join(others)
    }

    #[inline(always)]
    fn put(&mut self, cell: &SplitCell, scale: &BinScale) {
        let at = scale.bins::<N>(cell.key());
        for axis in 0..3 {
            let bin = &mut self.0[axis][at[axis]];
            bin.extent.grow(cell.min, cell.max);
            bin.faces += cell.count();
        }
    }

    fn join(mut self, other: Self) -> Self {
        for axis in 0..3 {
            for k in 0..N {
                self.0[axis][k] = self.0[axis][k].join(other.0[axis][k]);
            }
        }
        self
    }

    /// The cheapest cut: its axis, the last bin to the left, and both sides.
    fn best(&self) -> Option<(usize, usize, [SplitSet; 2])> {
        let mut best = None;
        let mut least = f32::INFINITY;
        for (axis, bins) in self.0.iter().enumerate() {
            let mut right_cost = [f32::INFINITY; N];
            let mut right = SplitSet::EMPTY;
            for i in (1..N).rev() {
                right = right.join(bins[i]);
                if right.faces > 0 {
                    right_cost[i] = right.cost();
                }
            }
            let mut left = SplitSet::EMPTY;
            for i in 0..N - 1 {
                left = left.join(bins[i]);
                let cost = left.cost() + right_cost[i + 1];
                if cost < least && left.faces > 0 {
                    least = cost;
                    best = Some((axis, i, left));
                }
            }
        }
        let (axis, last, left) = best?;
        let rest = self.0[axis][last + 1..].iter();
        let right = rest.fold(SplitSet::EMPTY, |set, bin| set.join(*bin));
        Some((axis, last, [left, right]))
    }
}

/// Reorders the cells so that a good cut lies at the returned index, strictly inside; and the two
/// sets on its sides.
///
/// Binned surface-area heuristic over three axes, counting faces in whole leaves; the median where
/// all keys fall into one bin.
///
/// Bins of very large sets span the box of the cells, which the cut above knows already, and not
/// only the keys: some stay empty, but no pass has to measure the keys. In smaller sets single
/// faces are long enough to waste most bins.
pub(super) fn split(cells: &mut [SplitCell], set: &SplitSet) -> (usize, [SplitSet; 2]) {
    let LaneBox { min, max } = set.extent;
    let around = LaneBox {
        min: min + min,
        max: max + max,
    };
    let count = cells.len();
    let found = if count <= SMALL {
        split_by::<FEW_BINS>(cells, &key_box(cells))
    } else if count <= MEASURED {
        split_by::<BINS>(cells, &key_box(cells))
    } else {
        // Large faces around each other may have all their keys in one bin.
        split_by::<BINS>(cells, &around).or_else(|| split_by::<BINS>(cells, &key_box(cells)))
    };
    found.unwrap_or_else(|| halves(cells))
}

fn split_by<const N: usize>(
    cells: &mut [SplitCell],
    keys: &LaneBox,
) -> Option<(usize, [SplitSet; 2])> {
    let scale = BinScale::new(keys, N);
    let bins = filled::<N>(cells, &scale);
    let (axis, last, sides) = bins.best()?;
    let (origin, factor) = (scale.origin[axis], scale.factor[axis]);
    let mut middle = 0;
    // Without a branch on the side, which no processor could foresee.
    for i in 0..cells.len() {
        let cell = cells[i];
        let at = (cell.key_along(axis) - origin) * factor + INTEGER;
        cells[i] = cells[middle];
        cells[middle] = cell;
        middle += usize::from(at.to_bits() as usize % N <= last);
    }
    Some((middle, sides))
}

fn filled<const N: usize>(cells: &[SplitCell], scale: &BinScale) -> SahBins<N> {
    #[cfg(feature = "parallel")]
    if cells.len() > PARALLEL_FROM {
        return cells
            .par_chunks(PARALLEL_FROM / 4)
            .map(|cells| SahBins::fill(cells, scale))
            .reduce(|| SahBins::EMPTY, SahBins::join);
    }
    SahBins::fill(cells, scale)
}

/// A cut in the middle, whatever lies where.
pub(super) fn halves(cells: &[SplitCell]) -> (usize, [SplitSet; 2]) {
    let middle = cells.len() / 2;
    let (left, right) = cells.split_at(middle);
    (middle, [SplitSet::of(left), SplitSet::of(right)])
}
