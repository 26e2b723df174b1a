//! A linear BVH of boxes with eight children per node, stored level by level without pointers.
//!
//! Node `i` of a level has the nodes `8i … 8i + 7` of the level below as children. Level 0 holds
//! the boxes of bodies, in single precision and rounded outward. These boxes are used only to
//! exclude pairs.

use super::parallel_resize::grow;
use crate::math::simd::Level;
use crate::math::simd::lanes::{Kernel, Lanes, Mask, dispatch};

/// A box in single precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Box32 {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
}

impl Box32 {
    const NONE: Self = Self {
        min: [f32::NAN; 3],
        max: [f32::NAN; 3],
    };

    pub(super) fn contains(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.min[k] && other.max[k] <= self.max[k])
    }
}

/// Eight boxes side by side; lanes without one hold NaN, which no comparison accepts.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct BoxOctet {
    min: [[f32; 8]; 3],
    max: [[f32; 8]; 3],
}

const _: () = assert!(size_of::<BoxOctet>() == 192);

impl BoxOctet {
    pub(super) const EMPTY: Self = Self {
        min: [[f32::NAN; 8]; 3],
        max: [[f32::NAN; 8]; 3],
    };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, b: &Box32) {
        for k in 0..3 {
            self.min[k][lane] = b.min[k];
            self.max[k][lane] = b.max[k];
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Box32 {
        Box32 {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    /// The box around all eight.
    fn union(&self) -> Box32 {
        // Comparisons with NaN are false, so lanes without a box change nothing; without any box, the result overlaps
        // nothing.
        let mut all = Box32 {
            min: [f32::INFINITY; 3],
            max: [f32::NEG_INFINITY; 3],
        };
        for k in 0..3 {
            for lane in 0..8 {
                let (lo, hi) = (self.min[k][lane], self.max[k][lane]);
                all.min[k] = if lo < all.min[k] { lo } else { all.min[k] };
                all.max[k] = if hi > all.max[k] { hi } else { all.max[k] };
            }
        }
        all
    }
}

/// One box spread over the lanes.
#[derive(Clone, Copy)]
struct BroadcastBox<T> {
    min: [T; 3],
    max: [T; 3],
}

#[inline(always)]
fn spread<T: Lanes>(octet: &BoxOctet, lane: usize) -> BroadcastBox<T> {
    BroadcastBox {
        min: [
            T::splat(octet.min[0][lane]),
            T::splat(octet.min[1][lane]),
            T::splat(octet.min[2][lane]),
        ],
        max: [
            T::splat(octet.max[0][lane]),
            T::splat(octet.max[1][lane]),
            T::splat(octet.max[2][lane]),
        ],
    }
}

#[inline(always)]
fn overlaps<T: Lanes>(b: &BroadcastBox<T>, octet: &BoxOctet) -> u32 {
    let x = T::load(&octet.min[0]).le(b.max[0]) & b.min[0].le(T::load(&octet.max[0]));
    let y = T::load(&octet.min[1]).le(b.max[1]) & b.min[1].le(T::load(&octet.max[1]));
    let z = T::load(&octet.min[2]).le(b.max[2]) & b.min[2].le(T::load(&octet.max[2]));
    (x & y & z).bits()
}

/// Where a slot is not.
pub(super) const NOWHERE: u32 = u32::MAX;
/// Marks places among the young.
pub(super) const UNSORTED: u32 = 1 << 31;

/// The tree, and beside it a flat list of boxes that came or went astray since it was built.
#[derive(Clone, Debug, Default)]
pub(super) struct LinearBvh8 {
    levels: Vec<Vec<BoxOctet>>,
    /// The slot in each lane of level 0.
    slots: Vec<u32>,
    young: Vec<BoxOctet>,
    young_slots: Vec<u32>,
}

/// Nodes of level 1 per piece of parallel work; also the grain of the serial order.
pub(super) const GRAIN: usize = 32;

impl LinearBvh8 {
    /// The list of slots that [`fill`](Self::fill) takes: neighbours in space are to be neighbours in it.
    pub(super) fn slots_mut(&mut self) -> &mut Vec<u32> {
        &mut self.slots
    }

    /// Takes the boxes of the listed slots.
    pub(super) fn fill(&mut self, box_of: impl Fn(u32) -> Box32 + Sync, parallel: bool) {
        self.young.clear();
        self.young_slots.clear();
        let groups = self.slots.len().div_ceil(8);
        self.slots.resize(groups * 8, NOWHERE);
        // There are always two levels, so that each group has a box above it.
        let mut height = 2;
        while groups > 1 << (3 * (height - 1)) {
            height += 1;
        }
        self.levels.resize_with(height, Vec::new);
        let mut count = groups.max(1);
        for level in &mut self.levels {
            level.clear();
            grow(level, count, BoxOctet::EMPTY, parallel);
            count = count.div_ceil(8);
        }
        let leaf = |slots: &[u32], octet: &mut BoxOctet| {
            for (lane, &slot) in slots.iter().enumerate() {
                if slot != NOWHERE {
                    octet.set(lane, &box_of(slot));
                }
            }
        };
        fill_octets(&mut self.levels[0], &self.slots, parallel, leaf);
        for level in 1..height {
            let (below, above) = self.levels.split_at_mut(level);
            let inner = |children: &[BoxOctet], octet: &mut BoxOctet| {
                for (lane, child) in children.iter().enumerate() {
                    octet.set(lane, &child.union());
                }
            };
            fill_octets(&mut above[0], &below[level - 1], parallel, inner);
        }
    }

    /// The slots in the order they were given.
    pub(super) fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// How many places the flat list has.
    pub(super) fn young(&self) -> usize {
        self.young_slots.len()
    }

    /// Nodes of level 1: the pieces of a join.
    pub(super) fn nodes(&self) -> usize {
        self.levels.get(1).map_or(0, Vec::len)
    }

    pub(super) fn remove(&mut self, place: u32) {
        self.put(place, NOWHERE, &Box32::NONE);
    }

    /// Gives the slot at a place, or nowhere, a new box, and returns its new place.
    pub(super) fn place(&mut self, place: u32, slot: u32, b: &Box32) -> u32 {
        if place != NOWHERE {
            let group = place as usize / 8;
            // A box that stays inside its group's box leaves all boxes above as they are.
            if place & UNSORTED != 0 || self.levels[1][group / 8].get(group % 8).contains(b) {
                self.put(place, slot, b);
                return place;
            }
            self.remove(place);
        }
        let at = self.young_slots.len();
        if at.is_multiple_of(8) {
            self.young.push(BoxOctet::EMPTY);
        }
        self.young_slots.push(NOWHERE);
        let place = UNSORTED | at as u32;
        self.put(place, slot, b);
        place
    }

    fn put(&mut self, place: u32, slot: u32, b: &Box32) {
        let at = (place & !UNSORTED) as usize;
        let (octets, slots) = if place & UNSORTED == 0 {
            (&mut self.levels[0], &mut self.slots)
        } else {
            (&mut self.young, &mut self.young_slots)
        };
        octets[at / 8].set(at % 8, b);
        slots[at] = slot;
    }

    /// Writes the pairs whose first box is in the given nodes of level 1 and whose second comes later in the
    /// order; returns how many comparisons that took.
    pub(super) fn join(
        &self,
        level: Level,
        nodes: std::ops::Range<usize>,
        out: &mut JoinScratch,
    ) -> u64 {
        out.keys.clear();
        dispatch(
            level,
            SelfJoin {
                levels: self,
                nodes,
                out,
            },
        )
    }

    /// Writes the slots whose boxes overlap this one.
    pub(super) fn query(
        &self,
        level: Level,
        b: &Box32,
        stack: &mut Vec<(u32, u32)>,
        found: &mut Vec<u32>,
    ) -> u64 {
        let mut octet = BoxOctet::EMPTY;
        octet.set(0, b);
        dispatch(
            level,
            BoxQuery {
                levels: self,
                octet: &octet,
                stack,
                found,
            },
        )
    }

    pub(super) fn box_at(&self, place: u32) -> (u32, Box32) {
        let at = (place & !UNSORTED) as usize;
        let (octets, slots) = if place & UNSORTED == 0 {
            (self.levels.first(), &self.slots)
        } else {
            (Some(&self.young), &self.young_slots)
        };
        match (octets.and_then(|o| o.get(at / 8)), slots.get(at)) {
            (Some(octet), Some(&slot)) => (slot, octet.get(at % 8)),
            _ => (NOWHERE, Box32::NONE),
        }
    }

    /// Whether every box lies in the boxes above it.
    pub(super) fn check(&self) -> Result<(), String> {
        for (above, pair) in self.levels.windows(2).enumerate() {
            for (i, octet) in pair[0].iter().enumerate() {
                let outer = pair[1][i / 8].get(i % 8);
                for lane in 0..8 {
                    let inner = octet.get(lane);
                    if inner.min[0] <= inner.max[0] && !outer.contains(&inner) {
                        return Err(format!(
                            "box {lane} of node {i} sticks out of level {}",
                            above + 1
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> usize {
        let octets: usize = self.levels.iter().map(Vec::capacity).sum();
        (octets + self.young.capacity()) * size_of::<BoxOctet>()
            + (self.slots.capacity() + self.young_slots.capacity()) * 4
    }
}

/// Fills each octet from the eight things below it.
fn fill_octets<C: Sync>(
    octets: &mut [BoxOctet],
    below: &[C],
    parallel: bool,
    fill: impl Fn(&[C], &mut BoxOctet) + Sync,
) {
    #[cfg(feature = "parallel")]
    if parallel && octets.len() >= 2 * GRAIN * 8 {
        use rayon::prelude::*;
        octets
            .par_chunks_mut(GRAIN * 8)
            .zip(below.par_chunks(GRAIN * 64))
            .with_max_len(1)
            .for_each(|(octets, below)| {
                for (octet, below) in octets.iter_mut().zip(below.chunks(8)) {
                    fill(below, octet);
                }
            });
        return;
    }
    let _ = parallel;
    for (octet, below) in octets.iter_mut().zip(below.chunks(8)) {
        fill(below, octet);
    }
}

/// What a join writes and walks with.
#[derive(Clone, Debug, Default)]
pub(super) struct JoinScratch {
    pub(super) keys: Vec<u64>,
    stack: Vec<(u32, u32)>,
}

struct SelfJoin<'a> {
    levels: &'a LinearBvh8,
    nodes: std::ops::Range<usize>,
    out: &'a mut JoinScratch,
}

impl Kernel for SelfJoin<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(self) -> u64 {
        let SelfJoin { levels, nodes, out } = self;
        let JoinScratch { keys, stack } = out;
        let height = levels.levels.len();
        let mut tests = 0;
        if height < 2 {
            return 0;
        }
        let tree = &levels.levels[..];
        for n in nodes {
            tests += join_nodes::<T>(levels, n, n, keys);
            if height == 2 {
                continue;
            }
            let b = spread::<T>(&tree[2][n / 8], n % 8);
            stack.clear();
            stack.push((height as u32 - 1, 0));
            while let Some((level, index)) = stack.pop() {
                tests += 1;
                let mut mask = overlaps(&b, &tree[level as usize][index as usize]);
                while mask != 0 {
                    let child = index * 8 + mask.trailing_zeros();
                    mask &= mask - 1;
                    if level == 2 {
                        if child as usize > n {
                            tests += join_nodes::<T>(levels, n, child as usize, keys);
                        }
                    } else if (child as usize + 1) << (3 * (level - 2)) > n + 1 {
                        stack.push((level - 1, child));
                    }
                }
            }
        }
        tests
    }
}

/// Pairs of groups below two nodes of level 1, the first not after the second.
#[inline(always)]
fn join_nodes<T: Lanes>(levels: &LinearBvh8, n: usize, m: usize, keys: &mut Vec<u64>) -> u64 {
    let (groups_n, groups_m) = (&levels.levels[1][n], &levels.levels[1][m]);
    let mut tests = 1;
    let mut mask = if n == m {
        0xFF
    } else {
        overlaps(&spread::<T>(&levels.levels[2][m / 8], m % 8), groups_n)
    };
    while mask != 0 {
        let g = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        tests += 1;
        let mut hits = overlaps(&spread::<T>(groups_n, g), groups_m);
        if n == m {
            hits &= 0xFF << g;
        }
        while hits != 0 {
            let h = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            tests += join_groups::<T>(
                levels,
                n * 8 + g,
                m * 8 + h,
                &spread::<T>(groups_m, h),
                keys,
            );
        }
    }
    tests
}

/// Pairs of bodies in two groups, the first not after the second, whose box is given.
#[inline(always)]
fn join_groups<T: Lanes>(
    levels: &LinearBvh8,
    g: usize,
    h: usize,
    bounds_h: &BroadcastBox<T>,
    keys: &mut Vec<u64>,
) -> u64 {
    let (bodies_g, bodies_h) = (&levels.levels[0][g], &levels.levels[0][h]);
    let slots_g = &levels.slots[g * 8..g * 8 + 8];
    let slots_h = &levels.slots[h * 8..h * 8 + 8];
    let mut mask = overlaps(bounds_h, bodies_g);
    let mut tests = 1;
    while mask != 0 {
        let i = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        tests += 1;
        let mut hits = overlaps(&spread::<T>(bodies_g, i), bodies_h);
        if g == h {
            hits &= 0xFE << i;
        }
        while hits != 0 {
            let k = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            let (x, y) = (slots_g[i], slots_h[k]);
            keys.push(u64::from(x.min(y)) << 32 | u64::from(x.max(y)));
        }
    }
    tests
}

struct BoxQuery<'a> {
    levels: &'a LinearBvh8,
    octet: &'a BoxOctet,
    stack: &'a mut Vec<(u32, u32)>,
    found: &'a mut Vec<u32>,
}

impl Kernel for BoxQuery<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<T: Lanes>(self) -> u64 {
        let BoxQuery {
            levels,
            octet,
            stack,
            found,
        } = self;
        let b = spread::<T>(octet, 0);
        let mut tests = levels.young.len() as u64;
        for (i, young) in levels.young.iter().enumerate() {
            let mut mask = overlaps(&b, young);
            while mask != 0 {
                found.push(levels.young_slots[i * 8 + mask.trailing_zeros() as usize]);
                mask &= mask - 1;
            }
        }
        stack.clear();
        if !levels.levels.is_empty() {
            stack.push((levels.levels.len() as u32 - 1, 0));
        }
        while let Some((level, index)) = stack.pop() {
            tests += 1;
            let mut mask = overlaps(&b, &levels.levels[level as usize][index as usize]);
            while mask != 0 {
                let child = index * 8 + mask.trailing_zeros();
                mask &= mask - 1;
                if level == 0 {
                    found.push(levels.slots[child as usize]);
                } else {
                    stack.push((level - 1, child));
                }
            }
        }
        tests
    }
}
