//! Where to cut a set of faces in two.

use glam::Vec3;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Bins per axis.
const BINS: usize = 16;
/// Sets larger than this are binned in parallel.
#[cfg(feature = "parallel")]
const PARALLEL_FROM: usize = 1 << 16;

/// A face as the builder sees it: its box, its number.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Item {
    pub(super) min: Vec3,
    pub(super) face: u32,
    pub(super) max: Vec3,
}

impl Item {
    /// Twice the centre, which orders as well as the centre.
    #[inline(always)]
    fn key(&self) -> Vec3 {
        self.min + self.max
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) min: Vec3,
    pub(super) max: Vec3,
}

impl Extent {
    pub(super) const EMPTY: Self = Self {
        min: Vec3::INFINITY,
        max: Vec3::NEG_INFINITY,
    };

    #[inline(always)]
    fn grow(&mut self, min: Vec3, max: Vec3) {
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }

    pub(super) fn area(&self) -> f32 {
        let d = (self.max - self.min).max(Vec3::ZERO);
        d.x * d.y + d.y * d.z + d.z * d.x
    }
}

#[derive(Clone, Copy)]
struct Bin {
    extent: Extent,
    count: u32,
}

type Bins = [[Bin; BINS]; 3];

const NO_BINS: Bins = [[Bin {
    extent: Extent::EMPTY,
    count: 0,
}; BINS]; 3];

/// The box of the items and the box of their keys.
fn extents(items: &[Item]) -> (Extent, Extent) {
    let fold = |items: &[Item]| {
        let (mut all, mut keys) = (Extent::EMPTY, Extent::EMPTY);
        for item in items {
            all.grow(item.min, item.max);
            keys.grow(item.key(), item.key());
        }
        (all, keys)
    };
    #[cfg(feature = "parallel")]
    if items.len() > PARALLEL_FROM {
        // Minima and maxima do not depend on the order, so neither does the tree.
        return items.par_chunks(PARALLEL_FROM / 4).map(fold).reduce(
            || (Extent::EMPTY, Extent::EMPTY),
            |mut a, b| {
                a.0.grow(b.0.min, b.0.max);
                a.1.grow(b.1.min, b.1.max);
                a
            },
        );
    }
    fold(items)
}

pub(super) fn extent(items: &[Item]) -> Extent {
    extents(items).0
}

fn fill(items: &[Item], keys: &Extent, scale: Vec3) -> Bins {
    let fold = |items: &[Item]| {
        let mut bins = NO_BINS;
        for item in items {
            let at = (item.key() - keys.min) * scale;
            for (axis, place) in [at.x, at.y, at.z].into_iter().enumerate() {
                let bin = &mut bins[axis][(place as usize).min(BINS - 1)];
                bin.extent.grow(item.min, item.max);
                bin.count += 1;
            }
        }
        bins
    };
    #[cfg(feature = "parallel")]
    if items.len() > PARALLEL_FROM {
        return items.par_chunks(PARALLEL_FROM / 4).map(fold).reduce(
            || NO_BINS,
            |mut a, b| {
                for (a, b) in a.iter_mut().flatten().zip(b.iter().flatten()) {
                    a.extent.grow(b.extent.min, b.extent.max);
                    a.count += b.count;
                }
                a
            },
        );
    }
    fold(items)
}

/// Reorders the items so that a good cut lies at the returned index, strictly inside.
///
/// Binned surface-area heuristic over three axes, counting faces in whole leaves of `leaf`;
/// the median where all keys fall into one bin.
pub(super) fn split(items: &mut [Item], leaf: usize) -> usize {
    let (_, keys) = extents(items);
    let span = keys.max - keys.min;
    let scale = Vec3::new(bin_scale(span.x), bin_scale(span.y), bin_scale(span.z));
    let bins = fill(items, &keys, scale);
    let blocks = |count: u32| (count as usize).div_ceil(leaf) as f32;
    let mut best = (f32::INFINITY, 0, 0);
    for axis in 0..3 {
        if scale[axis] <= 0.0 {
            continue;
        }
        let bins = &bins[axis];
        let mut right_cost = [f32::INFINITY; BINS];
        let (mut extent, mut count) = (Extent::EMPTY, 0);
        for i in (1..BINS).rev() {
            extent.grow(bins[i].extent.min, bins[i].extent.max);
            count += bins[i].count;
            if count > 0 {
                right_cost[i] = extent.area() * blocks(count);
            }
        }
        let (mut extent, mut count) = (Extent::EMPTY, 0);
        for i in 0..BINS - 1 {
            extent.grow(bins[i].extent.min, bins[i].extent.max);
            count += bins[i].count;
            if count > 0 {
                let cost = extent.area() * blocks(count) + right_cost[i + 1];
                if cost < best.0 {
                    best = (cost, axis, i);
                }
            }
        }
    }
    let (cost, axis, bin) = best;
    let middle = items.len() / 2;
    if cost == f32::INFINITY {
        return middle;
    }
    let cut = partition(items, |item| {
        let place = (item.key()[axis] - keys.min[axis]) * scale[axis];
        (place as usize).min(BINS - 1) <= bin
    });
    if cut == 0 || cut == items.len() {
        middle
    } else {
        cut
    }
}

/// Bins per unit of key along an axis of this span; 0 when the axis cannot tell items apart.
fn bin_scale(span: f32) -> f32 {
    let scale = BINS as f32 * 0.999_99 / span;
    if scale.is_finite() { scale } else { 0.0 }
}

/// Moves items that satisfy the predicate to the front, returns how many there are.
fn partition(items: &mut [Item], is_left: impl Fn(&Item) -> bool) -> usize {
    let (mut i, mut j) = (0, items.len());
    while i < j {
        if is_left(&items[i]) {
            i += 1;
        } else {
            j -= 1;
            items.swap(i, j);
        }
    }
    i
}
