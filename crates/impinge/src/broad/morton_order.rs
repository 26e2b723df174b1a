//! Sorts boxes along a Morton curve.
//!
//! Boxes are first separated by size, so that a huge box does not enlarge the nodes of tiny ones
//! around it, then sorted along a curve through their centres.

use super::body_table::BodyTable;
use super::object::ObjectId;
use super::radix_sort::RadixSort;
use crate::bound::Aabb;

/// The most bits per coordinate: with the class and the slot, 63 bits.
const MOST_BITS: u32 = 11;
const SLOT_BITS: u32 = 27;
const _: () = assert!(ObjectId::MAX_SLOT < 1 << SLOT_BITS);
/// Sizes are distinguished by powers of four, seven of them above the ordinary.
const MOST_CLASS: u32 = 7;

/// Scratch for ordering.
#[derive(Clone, Debug, Default)]
pub(super) struct MortonOrder {
    keys: Vec<u64>,
    radix: RadixSort,
    pieces: Vec<Extents>,
}

/// Boxes that are measured together.
const PIECE: usize = 4096;

/// Where boxes are and how large they are: twice their centres, and the sum of their largest sides.
#[derive(Clone, Copy, Debug)]
struct Extents {
    low: [f64; 3],
    high: [f64; 3],
    size: f64,
    count: u32,
}

impl Extents {
    const NONE: Self = Self {
        low: [f64::INFINITY; 3],
        high: [f64::NEG_INFINITY; 3],
        size: 0.0,
        count: 0,
    };

    #[inline]
    fn add(&mut self, b: &Aabb) {
        let (c, extent) = place(b);
        self.join(&Self {
            low: c,
            high: c,
            size: extent,
            count: 1,
        });
    }

    #[inline]
    fn join(&mut self, other: &Self) {
        for k in 0..3 {
            self.low[k] = self.low[k].min(other.low[k]);
            self.high[k] = self.high[k].max(other.high[k]);
        }
        self.size += other.size;
        self.count += other.count;
    }
}

impl MortonOrder {
    /// Writes the slots of the bounded boxes in order.
    pub(super) fn sort(&mut self, bodies: &BodyTable, slots: &mut Vec<u32>, parallel: bool) {
        let boxes = bodies.boxes();
        let has_unbounded = !bodies.unbounded().is_empty();
        let is_taken = |slot: usize, b: &Aabb| {
            let is_unbounded = has_unbounded && bodies.is_unbounded(slot as u32);
            !(b.min.x.is_nan() || is_unbounded)
        };
        let Extents {
            low,
            high,
            size,
            count,
        } = self.measure(boxes, parallel, is_taken);
        slots.clear();
        if count == 0 {
            return;
        }
        // Half the mean extent serves as the unit: few huge boxes barely change it.
        let mean = size / f64::from(count);
        let reach = (high[0] - low[0])
            .max(high[1] - low[1])
            .max(high[2] - low[2]);
        // About eight cells per box if the boxes fill a cube; more if they lie in a plane or on a line.
        let sides = (0..3).map(|k| ((high[k] - low[k]) / reach.max(f64::MIN_POSITIVE)).max(1e-6));
        let filling: f64 = sides.product();
        let cells = libm::cbrt(8.0 * f64::from(count) / filling.max(1e-12));
        let bits = (libm::log2(cells).ceil() as u32).clamp(1, MOST_BITS);
        let scale = if reach > 0.0 {
            f64::from((1_u32 << bits) - 1) / reach
        } else {
            0.0
        };
        let key_of = |slot: u32| {
            let (c, extent) = place(&boxes[slot as usize]);
            let cell = |k: usize| ((c[k] - low[k]) * scale) as u32;
            let curve =
                spread_bits(cell(0)) | spread_bits(cell(1)) << 1 | spread_bits(cell(2)) << 2;
            curve | u64::from(class(extent, mean)) << (3 * bits)
        };
        // Key and slot side by side are sorted by as many digits as the key has.
        let width = 3 * bits + 3;
        let pack = |slot: u32| key_of(slot) << SLOT_BITS | u64::from(slot);
        let all = 0..boxes.len() as u32;
        self.keys.clear();
        if count as usize == boxes.len() {
            fill(&mut self.keys, all, parallel, pack);
        } else {
            let taken = all.filter(|&slot| is_taken(slot as usize, &boxes[slot as usize]));
            self.keys.extend(taken.map(pack));
        }
        self.radix
            .sort_from(&mut self.keys, SLOT_BITS, SLOT_BITS + width, parallel);
        let keys = &self.keys;
        let slot_of = |at: u32| (keys[at as usize] & ((1 << SLOT_BITS) - 1)) as u32;
        fill(slots, 0..count, parallel, slot_of);
    }

    /// The extents of all boxes that are taken. They are summed piece by piece, so that threads change no bit.
    fn measure(
        &mut self,
        boxes: &[Aabb],
        parallel: bool,
        is_taken: impl Fn(usize, &Aabb) -> bool + Sync + Send,
    ) -> Extents {
        let piece = |(i, boxes): (usize, &[Aabb])| {
            let mut extents = Extents::NONE;
            for (k, b) in boxes.iter().enumerate() {
                if is_taken(i * PIECE + k, b) {
                    extents.add(b);
                }
            }
            extents
        };
        let pieces = &mut self.pieces;
        pieces.clear();
        #[cfg(feature = "parallel")]
        if parallel && boxes.len() >= 2 * PIECE {
            use rayon::prelude::*;
            let all = boxes.par_chunks(PIECE).enumerate().with_max_len(1);
            all.map(piece).collect_into_vec(pieces);
        }
        let _ = parallel;
        if pieces.is_empty() {
            pieces.extend(boxes.chunks(PIECE).enumerate().map(piece));
        }
        let mut whole = Extents::NONE;
        for piece in pieces {
            whole.join(piece);
        }
        whole
    }

    pub(super) fn bytes(&self) -> usize {
        self.pieces.capacity() * size_of::<Extents>()
            + self.keys.capacity() * 8
            + self.radix.bytes()
    }
}

/// Puts what belongs to each number into an empty list.
fn fill<T: Send>(
    list: &mut Vec<T>,
    numbers: std::ops::Range<u32>,
    parallel: bool,
    f: impl Fn(u32) -> T + Sync + Send,
) {
    #[cfg(feature = "parallel")]
    if parallel && numbers.len() >= 2 * PIECE {
        use rayon::prelude::*;
        let all = numbers.into_par_iter().with_min_len(PIECE / 2);
        all.with_max_len(PIECE).map(f).collect_into_vec(list);
        return;
    }
    let _ = parallel;
    list.extend(numbers.map(f));
}

/// Twice the centre, and the largest side.
#[inline]
fn place(b: &Aabb) -> ([f64; 3], f64) {
    let (lo, hi) = (b.min, b.max);
    let extent = (hi.x - lo.x).max(hi.y - lo.y).max(hi.z - lo.z);
    ([lo.x + hi.x, lo.y + hi.y, lo.z + hi.z], extent)
}

/// How many times four the box is larger than the mean.
#[inline]
fn class(extent: f64, mean: f64) -> u32 {
    let mut class = 0;
    let mut limit = 4.0 * mean;
    while extent > limit && class < MOST_CLASS {
        class += 1;
        limit *= 4.0;
    }
    class
}

/// The low sixteen bits, two zeros after each.
#[inline]
fn spread_bits(x: u32) -> u64 {
    let mut x = u64::from(x) & 0xFFFF;
    x = (x | x << 16) & 0x00FF_0000_00FF;
    x = (x | x << 8) & 0xF00F_00F0_0F00_F00F;
    x = (x | x << 4) & 0x30C3_0C30_C30C_30C3;
    (x | x << 2) & 0x9249_2492_4924_9249
}
