//! Where to cut a set of faces in two.

use glam::{Vec3, Vec4};

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Bins per axis, a power of two.
const BINS: usize = 16;
/// Bins per axis of small sets, where looking through the bins costs more than filling them.
const FEW_BINS: usize = 8;
/// Sets up to this size are small.
const SMALL: usize = 64;
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

/// An item in two vector registers: the number hides in the fourth components, as the digits of
/// ordinary numbers, because arithmetic with anything else there could be slow.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitCell {
    min: Vec4,
    max: Vec4,
}

/// The bits of 1.
const ONE: u32 = 0x3F80_0000;

impl SplitCell {
    pub(super) fn new(min: Vec3, max: Vec3, face: u32) -> Self {
        Self {
            min: min.extend(f32::from_bits(ONE | (face & 0xFFFF))),
            max: max.extend(f32::from_bits(ONE | (face >> 16))),
        }
    }

    pub(super) fn item(&self) -> SplitItem {
        SplitItem {
            min: self.min.truncate(),
            face: self.min.w.to_bits() & 0xFFFF | self.max.w.to_bits() << 16,
            max: self.max.truncate(),
        }
    }

    /// Twice the centre, which orders as well as the centre.
    #[inline(always)]
    fn key(&self) -> Vec4 {
        self.min + self.max
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
    /// The box of the keys.
    keys: LaneBox,
    /// Half the surface area of the box of the cells.
    pub(super) area: f32,
}

impl SplitSet {
    /// A set to begin with, its area left open.
    pub(super) fn of(cells: &[SplitCell]) -> Self {
        let fold = |cells: &[SplitCell]| {
            let mut keys = LaneBox::EMPTY;
            for cell in cells {
                keys.grow(cell.key(), cell.key());
            }
            keys
        };
        #[cfg(feature = "parallel")]
        // Minima and maxima do not depend on the order, so neither does the tree.
        let keys = cells
            .par_chunks(PARALLEL_FROM / 4)
            .map(fold)
            .reduce(|| LaneBox::EMPTY, joined);
        #[cfg(not(feature = "parallel"))]
        let keys = fold(cells);
        Self {
            keys,
            area: f32::INFINITY,
        }
    }
}

#[cfg(feature = "parallel")]
fn joined(mut a: LaneBox, b: LaneBox) -> LaneBox {
    a.grow(b.min, b.max);
    a
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
struct SahBins<const N: usize> {
    extent: [[LaneBox; N]; 3],
    count: [[u32; N]; 3],
}

impl<const N: usize> SahBins<N> {
    const EMPTY: Self = Self {
        extent: [[LaneBox::EMPTY; N]; 3],
        count: [[0; N]; 3],
    };

    fn fill(cells: &[SplitCell], scale: &BinScale) -> Self {
        let mut bins = Self::EMPTY;
        for cell in cells {
            let at = scale.bins::<N>(cell.key());
            for axis in 0..3 {
                bins.extent[axis][at[axis]].grow(cell.min, cell.max);
                bins.count[axis][at[axis]] += 1;
            }
        }
        bins
    }

    #[cfg(feature = "parallel")]
    fn join(mut self, other: Self) -> Self {
        for axis in 0..3 {
            for k in 0..N {
                let extent = &other.extent[axis][k];
                self.extent[axis][k].grow(extent.min, extent.max);
                self.count[axis][k] += other.count[axis][k];
            }
        }
        self
    }

    /// The cheapest cut: its axis, the last bin to the left, and the areas of both sides.
    fn best(&self, scale: &BinScale, leaf: usize) -> Option<(usize, usize, [f32; 2])> {
        let blocks = |count: u32| (count as usize).div_ceil(leaf) as f32;
        let mut best = None;
        let mut least = f32::INFINITY;
        for axis in 0..3 {
            if scale.factor[axis] <= 0.0 {
                continue;
            }
            let (extents, counts) = (&self.extent[axis], &self.count[axis]);
            let (mut cost, mut area) = ([f32::INFINITY; N], [0.0; N]);
            let (mut extent, mut count) = (LaneBox::EMPTY, 0);
            for i in (1..N).rev() {
                extent.grow(extents[i].min, extents[i].max);
                count += counts[i];
                if count > 0 {
                    area[i] = extent.area();
                    cost[i] = area[i] * blocks(count);
                }
            }
            let (mut extent, mut count) = (LaneBox::EMPTY, 0);
            for i in 0..N - 1 {
                extent.grow(extents[i].min, extents[i].max);
                count += counts[i];
                if count > 0 {
                    let left = extent.area();
                    let cost = left * blocks(count) + cost[i + 1];
                    if cost < least {
                        least = cost;
                        best = Some((axis, i, [left, area[i + 1]]));
                    }
                }
            }
        }
        best
    }
}

/// Reorders the cells so that a good cut lies at the returned index, strictly inside; and the two
/// sets on its sides.
///
/// Binned surface-area heuristic over three axes, counting faces in whole leaves of `leaf`;
/// the median where all keys fall into one bin.
pub(super) fn split(
    cells: &mut [SplitCell],
    set: &SplitSet,
    leaf: usize,
) -> (usize, [SplitSet; 2]) {
    if cells.len() <= SMALL {
        split_by::<FEW_BINS>(cells, set, leaf)
    } else {
        split_by::<BINS>(cells, set, leaf)
    }
}

fn split_by<const N: usize>(
    cells: &mut [SplitCell],
    set: &SplitSet,
    leaf: usize,
) -> (usize, [SplitSet; 2]) {
    let scale = BinScale::new(&set.keys, N);
    let bins = filled::<N>(cells, &scale);
    let Some((axis, last, areas)) = bins.best(&scale, leaf) else {
        return halves(cells);
    };
    let mut keys = [LaneBox::EMPTY; 2];
    let (mut i, mut j) = (0, cells.len());
    while i < j {
        let key = cells[i].key();
        if scale.bins::<N>(key)[axis] <= last {
            keys[0].grow(key, key);
            i += 1;
        } else {
            keys[1].grow(key, key);
            j -= 1;
            cells.swap(i, j);
        }
    }
    if i == 0 || i == cells.len() {
        return halves(cells);
    }
    let side = |k: usize| SplitSet {
        keys: keys[k],
        area: areas[k],
    };
    (i, [side(0), side(1)])
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
    let side = |cells: &[SplitCell]| {
        let (mut all, mut keys) = (LaneBox::EMPTY, LaneBox::EMPTY);
        for cell in cells {
            all.grow(cell.min, cell.max);
            keys.grow(cell.key(), cell.key());
        }
        SplitSet {
            keys,
            area: all.area(),
        }
    };
    (middle, [side(&cells[..middle]), side(&cells[middle..])])
}
