//! Sorting points by the cell of a lattice that they are in, with memory that is kept.
//!
//! A key is the code of a cell (33 bits) and the number of the point (31 bits), so all keys differ and their order is the same on any number of threads. Keys are
//! dealt out by their first six bits, which for Morton codes are 64 octants, and each octant is sorted by digits on its own.

use glam::DVec3;

use super::threads::join;
use crate::bound::Aabb;

/// Bits of a cell's number along one axis.
const AXIS_BITS: u32 = 11;
/// Bits of a code.
pub(super) const CODE_BITS: u32 = 3 * AXIS_BITS;
const ID_BITS: u32 = 64 - CODE_BITS;
const ID_MASK: u64 = (1 << ID_BITS) - 1;
const TOP_BITS: u32 = 6;
/// Parts that are sorted each on its own.
pub(super) const BUCKETS: usize = 1 << TOP_BITS;
/// Parts of the list that are dealt out each on its own.
const CHUNKS: usize = 8;
/// What is left to sort by within a bucket: three digits of nine bits.
const DIGIT: u32 = 9;
const DIGITS: usize = 3;
const _: () = assert!(DIGIT * DIGITS as u32 == CODE_BITS - TOP_BITS);
/// Below this many keys comparing is as fast.
const FEW: usize = 128;
/// Points in one cell that are put in order with a finer lattice: from this many on, or from twice as many.
const CROWD: usize = 64;
/// Cells along an axis.
const CELLS: f64 = (1_u64 << AXIS_BITS) as f64;

/// Which point a key belongs to.
pub(super) fn point_of(key: u64) -> usize {
    (key & ID_MASK) as usize
}

fn code_of(key: u64) -> u64 {
    key >> ID_BITS
}

/// Cubes in Morton order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    min: DVec3,
    per_length: f64,
    /// Cubes are taken together by this power of two along each axis.
    shift: u32,
}

impl Lattice {
    /// Cubes of this size, counted from the corner of the box.
    pub(super) fn of_cubes(bounds: &Aabb, size: f64) -> Self {
        let mut shift = 0;
        let mut cells = extent(bounds) / size;
        // A box has at most 2^64 cubes along an axis that are told apart.
        while cells >= CELLS - 1.0 && shift < 64 - AXIS_BITS {
            cells *= 0.5;
            shift += 1;
        }
        Self {
            min: bounds.min,
            per_length: 1.0 / size,
            shift,
        }
    }

    /// Whether points with equal codes are in one cube.
    fn is_fine(&self) -> bool {
        self.shift == 0
    }

    /// The cube of a point. Casts saturate and turn NaN into 0: a box of no size has one cube.
    fn cube(&self, p: DVec3) -> [u64; 3] {
        let at = (p - self.min) * self.per_length;
        [at.x as u64, at.y as u64, at.z as u64]
    }

    pub(super) fn code(&self, p: DVec3) -> u64 {
        morton(self.cube(p).map(|x| x >> self.shift))
    }
}

/// The finest lattice over a box, when only the order matters and not where cells begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finest {
    min: DVec3,
    per_length: f64,
}

impl Finest {
    pub(super) fn around(bounds: &Aabb) -> Self {
        Self {
            min: bounds.min,
            per_length: (CELLS - 1.0) / extent(bounds),
        }
    }

    /// Whether the box has a size that cells can part.
    fn has_cells(&self) -> bool {
        self.per_length.is_finite()
    }

    #[inline(always)]
    pub(super) fn code(&self, p: DVec3) -> u64 {
        // Beyond 2^52 numbers have no fraction: adding it rounds, and leaves the whole number in the last bits.
        const WHOLE: f64 = (1_u64 << 52) as f64;
        let at = (p - self.min) * self.per_length + WHOLE;
        morton(at.to_array().map(f64::to_bits))
    }
}

/// The bits of three numbers below 2^11 in turn; higher bits are ignored.
#[inline(always)]
fn morton(cell: [u64; 3]) -> u64 {
    const VALUES: usize = 1 << AXIS_BITS;
    static SPREAD: [u64; VALUES] = {
        let mut table = [0; VALUES];
        let mut x = 0;
        while x < VALUES {
            table[x] = spread(x as u64);
            x += 1;
        }
        table
    };
    let [x, y, z] = cell.map(|x| SPREAD[x as usize % VALUES]);
    x << 2 | y << 1 | z
}

fn extent(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        0.0
    } else {
        bounds.diagonal().max_element()
    }
}

/// The bits of a number below 2^11, two places apart.
const fn spread(mut x: u64) -> u64 {
    x = (x | x << 16) & 0x001F_0000_FF00_00FF;
    x = (x | x << 8) & 0x100F_00F0_0F00_F00F;
    x = (x | x << 4) & 0x10C3_0C30_C30C_30C3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

/// One of the parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Bucket {
    /// Keys that were dealt to it.
    len: usize,
    /// Those that are still wanted, the first ones.
    pub(super) kept: usize,
    /// The square of the longest way from a dropped point to the one that stays.
    pub(super) error_sq: f64,
    /// Ranges to be put in order yet.
    crowds: Vec<(usize, usize)>,
}

/// Keys in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    keys: Vec<u64>,
    other: Vec<u64>,
    staged: Vec<u64>,
    counts: Vec<[u32; BUCKETS]>,
    buckets: Vec<Bucket>,
}

impl Order {
    /// The buckets and all keys; those of a bucket lie side by side, and the first [`Bucket::kept`] of them count.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[u64]> {
        let mut rest = &self.keys[..];
        self.buckets.iter().map(move |bucket| {
            let (own, after) = rest.split_at(bucket.len);
            rest = after;
            &own[..bucket.kept]
        })
    }

    /// What was found while dropping.
    pub(super) fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        (self.keys.capacity() + self.other.capacity() + self.staged.capacity()) * 8
    }

    /// Sorts by codes below 2^33.
    pub(super) fn sort(&mut self, points: &[DVec3], code: &(impl Fn(DVec3) -> u64 + Sync)) {
        let count = points.len();
        for list in [&mut self.keys, &mut self.other, &mut self.staged] {
            list.resize(count, 0);
        }
        self.counts.clear();
        self.counts.resize(CHUNKS, [0; BUCKETS]);
        self.buckets.resize_with(BUCKETS, Bucket::default);
        let chunk = count.div_ceil(CHUNKS).max(1);
        deal(
            points,
            0,
            chunk,
            [&mut self.keys[..], &mut self.staged[..]],
            &mut self.counts,
            code,
        );
        for (b, bucket) in self.buckets.iter_mut().enumerate() {
            bucket.len = self.counts.iter().map(|count| count[b] as usize).sum();
            bucket.kept = bucket.len;
            bucket.error_sq = 0.0;
            bucket.crowds.clear();
        }
        let staged = Staged {
            keys: &self.staged,
            chunk,
            counts: &self.counts,
        };
        each_bucket(
            0,
            &mut self.buckets,
            &mut self.keys,
            &mut self.other,
            &|b, _: &mut Bucket, keys: &mut [u64], other: &mut [u64]| {
                staged.collect(b, other);
                sort_digits(keys, other);
            },
        );
    }

    /// Puts points of one crowded cell in order, where one far point has made all cells large.
    pub(super) fn refine(&mut self, points: &[DVec3]) {
        each_bucket(
            0,
            &mut self.buckets,
            &mut self.keys,
            &mut self.other,
            &|_, bucket: &mut Bucket, keys: &mut [u64], _: &mut [u64]| {
                let kept = bucket.kept;
                find_crowds(&keys[..kept], &mut bucket.crowds);
                while let Some((from, to)) = bucket.crowds.pop() {
                    let crowd = &mut keys[from..to];
                    let bounds = Aabb::enclosing(crowd.iter().map(|&key| points[point_of(key)]));
                    let lattice = Finest::around(&bounds);
                    if !lattice.has_cells() {
                        continue;
                    }
                    for key in crowd.iter_mut() {
                        let id = point_of(*key);
                        *key = lattice.code(points[id]) << ID_BITS | id as u64;
                    }
                    crowd.sort_unstable();
                    // The cells are smaller by a factor of 2048 each time, and a crowd that has a size is parted.
                    let known = bucket.crowds.len();
                    find_crowds(crowd, &mut bucket.crowds);
                    for range in &mut bucket.crowds[known..] {
                        *range = (range.0 + from, range.1 + from);
                    }
                }
            },
        );
    }

    /// Keeps the first point of each cube, when keys were sorted by the codes of the lattice.
    pub(super) fn drop_crowded(&mut self, points: &[DVec3], lattice: &Lattice) {
        let cube = |key: u64| lattice.cube(points[point_of(key)]);
        let is_fine = lattice.is_fine();
        each_bucket(
            0,
            &mut self.buckets,
            &mut self.keys,
            &mut self.other,
            &|_, bucket: &mut Bucket, keys: &mut [u64], _: &mut [u64]| {
                let (mut kept, mut from) = (0, 0);
                while from < keys.len() {
                    let code = code_of(keys[from]);
                    let mut to = from + 1;
                    while to < keys.len() && code_of(keys[to]) == code {
                        to += 1;
                    }
                    if !is_fine && to - from > 1 {
                        keys[from..to].sort_unstable_by_key(|&key| (cube(key), key));
                    }
                    let mut first = keys[from];
                    keys[kept] = first;
                    kept += 1;
                    for k in from + 1..to {
                        let key = keys[k];
                        if is_fine || cube(key) == cube(first) {
                            let way = points[point_of(key)] - points[point_of(first)];
                            bucket.error_sq = bucket.error_sq.max(way.length_squared());
                        } else {
                            first = key;
                            keys[kept] = key;
                            kept += 1;
                        }
                    }
                    from = to;
                }
                bucket.kept = kept;
            },
        );
    }
}

/// Gives each chunk of points its keys and deals them out.
fn deal(
    points: &[DVec3],
    first: usize,
    chunk: usize,
    [keys, staged]: [&mut [u64]; 2],
    counts: &mut [[u32; BUCKETS]],
    code: &(impl Fn(DVec3) -> u64 + Sync),
) {
    if let [count] = counts {
        for (k, (key, &p)) in keys.iter_mut().zip(points).enumerate() {
            *key = code(p) << ID_BITS | (first + k) as u64;
            count[(*key >> (64 - TOP_BITS)) as usize] += 1;
        }
        let mut next = starts(count);
        for &key in keys.iter() {
            let place = &mut next[(key >> (64 - TOP_BITS)) as usize];
            staged[*place as usize] = key;
            *place += 1;
        }
        return;
    }
    let half = counts.len() / 2;
    let middle = (half * chunk).min(points.len());
    let (points_a, points_b) = points.split_at(middle);
    let (keys_a, keys_b) = keys.split_at_mut(middle);
    let (staged_a, staged_b) = staged.split_at_mut(middle);
    let (counts_a, counts_b) = counts.split_at_mut(half);
    join(
        || deal(points_a, first, chunk, [keys_a, staged_a], counts_a, code),
        || {
            let first = first + middle;
            deal(points_b, first, chunk, [keys_b, staged_b], counts_b, code);
        },
    );
}

fn starts<const N: usize>(count: &[u32; N]) -> [u32; N] {
    let mut starts = [0; N];
    let mut sum = 0;
    for (start, count) in starts.iter_mut().zip(count) {
        *start = sum;
        sum += count;
    }
    starts
}

/// Keys by chunk, and in each by bucket.
struct Staged<'k> {
    keys: &'k [u64],
    chunk: usize,
    counts: &'k [[u32; BUCKETS]],
}

impl Staged<'_> {
    /// Writes the keys of a bucket one after the other.
    fn collect(&self, bucket: usize, out: &mut [u64]) {
        let mut at = 0;
        for (c, count) in self.counts.iter().enumerate() {
            let before: u32 = count[..bucket].iter().sum();
            let from = c * self.chunk + before as usize;
            let len = count[bucket] as usize;
            if len > 0 {
                out[at..at + len].copy_from_slice(&self.keys[from..from + len]);
                at += len;
            }
        }
    }
}

/// Does something for each bucket with its keys and as much scratch.
fn each_bucket(
    first: usize,
    buckets: &mut [Bucket],
    keys: &mut [u64],
    other: &mut [u64],
    work: &(impl Fn(usize, &mut Bucket, &mut [u64], &mut [u64]) + Sync),
) {
    match buckets {
        [] => {}
        [bucket] => work(first, bucket, keys, other),
        _ => {
            let half = buckets.len() / 2;
            let (buckets_a, buckets_b) = buckets.split_at_mut(half);
            let middle: usize = buckets_a.iter().map(|bucket| bucket.len).sum();
            let (keys_a, keys_b) = keys.split_at_mut(middle);
            let (other_a, other_b) = other.split_at_mut(middle);
            if keys_a.is_empty() {
                each_bucket(first + half, buckets_b, keys_b, other_b, work);
            } else if keys_b.is_empty() {
                each_bucket(first, buckets_a, keys_a, other_a, work);
            } else {
                join(
                    || each_bucket(first, buckets_a, keys_a, other_a, work),
                    || each_bucket(first + half, buckets_b, keys_b, other_b, work),
                );
            }
        }
    }
}

/// Sorts what is in `other` into `keys`; the first bits of all are the same.
fn sort_digits(keys: &mut [u64], other: &mut [u64]) {
    if keys.len() < FEW {
        keys.copy_from_slice(other);
        keys.sort_unstable();
        return;
    }
    const VALUES: usize = 1 << DIGIT;
    let digit = |key: u64, d: usize| (key >> (ID_BITS + DIGIT * d as u32)) as usize % VALUES;
    let mut counts = [[0_u32; VALUES]; DIGITS];
    for &key in other.iter() {
        for (d, count) in counts.iter_mut().enumerate() {
            count[digit(key, d)] += 1;
        }
    }
    let pass = |from: &[u64], to: &mut [u64], d: usize| {
        let mut next = starts(&counts[d]);
        for &key in from {
            let place = &mut next[digit(key, d)];
            to[*place as usize] = key;
            *place += 1;
        }
    };
    // Chunks were collected in their order, so that numbers ascend already within equal codes.
    pass(other, keys, 0);
    pass(keys, other, 1);
    pass(other, keys, 2);
}

/// Adds the ranges of equal codes that are long.
fn find_crowds(keys: &[u64], crowds: &mut Vec<(usize, usize)>) {
    let mut i = 0;
    while i + CROWD < keys.len() {
        let code = code_of(keys[i]);
        if code_of(keys[i + CROWD]) != code {
            i += CROWD;
            continue;
        }
        let from = keys[..i].partition_point(|&key| code_of(key) < code);
        let to = i + keys[i..].partition_point(|&key| code_of(key) == code);
        crowds.push((from, to));
        i = to;
    }
}
