//! Sorts points by Morton code, with reusable memory.
//!
//! A key is the code of a cell (33 bits at most) and the number of the point (31 bits), so all keys
//! differ and their order is the same for any number of threads. Keys are distributed by the first
//! bits of the code, which select octants of octants, until a part fits the cache; each part is
//! then radix sorted by two digits. The points of a camera come row by row, so that most keys
//! belong to the same part as the one before.

use std::ops::Range;

use glam::DVec3;

use super::downsample::{LEVELS, keep_first_codes};
use super::morton_grid::{AXIS_BITS, CODE_BITS, FinestMortonGrid};
use super::threads::join;
use crate::bound::Aabb;
use crate::math::Pose;

/// Bits of a number.
const ID_BITS: u32 = 64 - CODE_BITS;
const ID_MASK: u64 = (1 << ID_BITS) - 1;
/// Points that are dealt out at a time.
const PIECE: usize = 1 << 15;
/// Bits that keys are dealt out by, and from how many points on.
const TOP_BITS: [(usize, u32); 3] = [(1 << 17, 12), (1 << 14, 9), (0, 6)];
/// A digit's bits at most.
const DIGIT: u32 = 11;
/// Below this many keys comparing is as fast.
const FEW: usize = 128;
/// Points that get their keys at a time.
const BATCH: usize = 128;
/// Keys that one thread takes at a time.
const SHARE: usize = 1 << 12;
/// Points in one cell that are put in order with a finer lattice: from this many on, or from twice as many.
const CROWD: usize = 64;
/// Which point a key belongs to.
#[inline(always)]
pub(super) fn id_of(key: u64) -> usize {
    (key & ID_MASK) as usize
}

#[inline(always)]
pub(super) fn code_of(key: u64) -> u64 {
    key >> ID_BITS
}

/// Lists of points one after the other, and where their keys come from.
pub(super) trait PointSource: Sync {
    /// How many lists there are.
    fn lists(&self) -> usize;
    /// How many points a list has.
    fn count(&self, list: usize) -> usize;
    /// The points of a range of a list, placed; where they have to be, they are written to as long an `out`.
    fn placed<'o>(&'o self, list: usize, range: Range<usize>, out: &'o mut [DVec3]) -> &'o [DVec3];
}

impl PointSource for &[DVec3] {
    fn lists(&self) -> usize {
        1
    }

    fn count(&self, _: usize) -> usize {
        self.len()
    }

    fn placed<'o>(&'o self, _: usize, range: Range<usize>, _: &'o mut [DVec3]) -> &'o [DVec3] {
        &self[range]
    }
}

impl PointSource for &[(Pose, &[DVec3])] {
    fn lists(&self) -> usize {
        self.len()
    }

    fn count(&self, list: usize) -> usize {
        self[list].1.len()
    }

    fn placed<'o>(&'o self, list: usize, range: Range<usize>, out: &'o mut [DVec3]) -> &'o [DVec3] {
        let (pose, points) = &self[list];
        for (out, &p) in out.iter_mut().zip(&points[range]) {
            *out = pose.transform_point(p);
        }
        out
    }
}

/// Keys with the same first bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyRange {
    /// The first bits.
    pub(super) bucket: u32,
    /// Where its keys begin.
    pub(super) start: usize,
    len: usize,
    /// Those that are still wanted, the first ones.
    pub(super) kept: usize,
    /// The square of the longest way from a dropped point to the one that stays.
    pub(super) error_sq: f64,
    /// How many keys differ from the one before in cubes of each size, and in none twice as long.
    pub(super) steps: [u32; LEVELS],
    /// Whether the longer of two sizes of cubes is taken.
    pub(super) is_coarse: bool,
}

/// Points that are dealt out together.
#[derive(Clone, Copy, Debug)]
struct DealtPoints {
    list: usize,
    from: usize,
    len: usize,
    /// The number of its first point.
    first: usize,
    /// What the codes hold besides, all bits.
    told: u64,
}

/// Which keys are wanted after sorting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyFilter {
    All,
    FirstOfCode,
}

/// How codes are cut.
#[derive(Clone, Copy, Debug, Default)]
struct CodeSplit {
    /// Bits of a code that are left within a part.
    rest: u32,
    /// Parts that there can be, a power of two.
    buckets: usize,
}

impl CodeSplit {
    fn new(count: usize, code_bits: u32) -> Self {
        let top = TOP_BITS
            .iter()
            .find(|(least, _)| count >= *least)
            .map_or(0, |&(_, bits)| bits)
            .min(code_bits);
        Self {
            rest: code_bits - top,
            buckets: 1 << top,
        }
    }

    #[inline(always)]
    fn bucket(self, key: u64) -> usize {
        (key >> (ID_BITS + self.rest)) as usize & (self.buckets - 1)
    }
}

/// Keys in order.
#[derive(Clone, Debug, Default)]
pub(super) struct MortonSort {
    pub(super) keys: Vec<u64>,
    pub(super) other: Vec<u64>,
    staged: Vec<u64>,
    pieces: Vec<DealtPoints>,
    /// Where the keys of each bucket end in each piece.
    ends: Vec<u32>,
    sums: Vec<u32>,
    pub(super) parts: Vec<KeyRange>,
    cut: CodeSplit,
}

impl MortonSort {
    /// The keys that are still wanted, part by part.
    pub(super) fn kept(&self) -> impl Iterator<Item = &[u64]> {
        self.parts.iter().map(|part| self.kept_of(part))
    }

    pub(super) fn kept_of(&self, part: &KeyRange) -> &[u64] {
        &self.keys[part.start..part.start + part.kept]
    }

    /// The parts that have keys.
    pub(super) fn parts(&self) -> &[KeyRange] {
        &self.parts
    }

    /// Bits of a code that are left within a part.
    pub(super) fn rest(&self) -> u32 {
        self.cut.rest
    }

    /// Bytes that are kept.
    pub(super) fn bytes(&self) -> usize {
        (self.keys.capacity() + self.other.capacity() + self.staged.capacity()) * 8
            + (self.ends.capacity() + self.sums.capacity()) * 4
            + self.parts.capacity() * size_of::<KeyRange>()
            + self.pieces.capacity() * size_of::<DealtPoints>()
    }

    /// Gives every point a key and deals keys out. Placed points are written to `placed`, unless it is empty. A code has this many bits; what they hold besides comes
    /// back with all its bits.
    pub(super) fn deal<S: PointSource>(
        &mut self,
        source: &S,
        placed: &mut [DVec3],
        code_bits: u32,
        code: &(impl Fn(DVec3) -> (u64, u64) + Sync),
    ) -> u64 {
        self.pieces.clear();
        let mut count = 0;
        for list in 0..source.lists() {
            let len = source.count(list);
            for from in (0..len).step_by(PIECE) {
                self.pieces.push(DealtPoints {
                    list,
                    from,
                    len: PIECE.min(len - from),
                    first: count + from,
                    told: 0,
                });
            }
            count += len;
        }
        for list in [&mut self.keys, &mut self.other, &mut self.staged] {
            list.resize(count, 0);
        }
        self.cut = CodeSplit::new(count, code_bits.min(CODE_BITS));
        let buckets = self.cut.buckets;
        self.ends.clear();
        self.ends.resize(self.pieces.len() * buckets, 0);
        deal_pieces(
            source,
            self.cut,
            &mut self.pieces,
            placed,
            [&mut self.keys[..], &mut self.staged[..]],
            &mut self.ends,
            code,
        );
        self.sums.clear();
        self.sums.resize(buckets, 0);
        for ends in self.ends.chunks_exact(buckets) {
            for (sum, end) in self.sums.iter_mut().zip(ends) {
                *sum += end;
            }
        }
        self.parts.clear();
        let mut before = 0;
        for (bucket, &sum) in self.sums.iter().enumerate() {
            if sum > before {
                self.parts.push(KeyRange {
                    bucket: bucket as u32,
                    start: before as usize,
                    len: (sum - before) as usize,
                    kept: (sum - before) as usize,
                    error_sq: 0.0,
                    steps: [0; LEVELS],
                    is_coarse: false,
                });
            }
            before = sum;
        }
        self.pieces.iter().fold(0, |all, piece| all | piece.told)
    }

    /// Sorts what was dealt out, all of it or the first point of each code.
    pub(super) fn sort(&mut self, keep: KeyFilter) {
        let dealt = DealtKeys {
            staged: &self.staged,
            pieces: &self.pieces,
            ends: &self.ends,
            buckets: self.cut.buckets,
        };
        let rest = self.cut.rest;
        let keys = (&mut self.keys[..], &mut self.other[..]);
        each_part(
            &mut self.parts,
            keys,
            &|part: &mut KeyRange, keys, other| {
                sort_part(&dealt, rest, part.bucket as usize, keys, other);
                if keep == KeyFilter::FirstOfCode {
                    part.kept = keep_first_codes(keys, &mut part.steps);
                }
            },
        );
    }

    /// Puts points of one crowded cell in order, where one far point has made all cells large.
    pub(super) fn refine(&mut self, points: &[DVec3]) {
        let keys = (&mut self.keys[..], &mut self.other[..]);
        each_part(
            &mut self.parts,
            keys,
            &|part: &mut KeyRange, keys, other| {
                // Crowds that wait have no key in common and many keys each, so that the other half of the memory holds their ends.
                let mut waiting = find_crowds(&keys[..part.kept], 0, other, 0);
                while waiting > 0 {
                    waiting -= 2;
                    let (from, to) = (other[waiting] as usize, other[waiting + 1] as usize);
                    let crowd = &mut keys[from..to];
                    let bounds = Aabb::enclosing(crowd.iter().map(|&key| points[id_of(key)]));
                    let lattice = FinestMortonGrid::around(&bounds, AXIS_BITS);
                    if !lattice.has_cells() {
                        continue;
                    }
                    for key in crowd.iter_mut() {
                        let id = id_of(*key);
                        *key = lattice.code(points[id]) << ID_BITS | id as u64;
                    }
                    crowd.sort_unstable();
                    // The cells are smaller by a factor of 2048 each time, and a crowd that has a size is parted.
                    waiting = find_crowds(crowd, from, other, waiting);
                }
            },
        );
    }
}

/// Gives each piece its keys and deals them out.
fn deal_pieces<S: PointSource>(
    source: &S,
    cut: CodeSplit,
    pieces: &mut [DealtPoints],
    placed: &mut [DVec3],
    [keys, staged]: [&mut [u64]; 2],
    ends: &mut [u32],
    code: &(impl Fn(DVec3) -> (u64, u64) + Sync),
) {
    match pieces {
        [] => {}
        [piece] => deal_piece(source, cut, piece, placed, [keys, staged], ends, code),
        _ => {
            let half = pieces.len() / 2;
            let (pieces_a, pieces_b) = pieces.split_at_mut(half);
            let middle: usize = pieces_a.iter().map(|piece| piece.len).sum();
            let (placed_a, placed_b) = placed.split_at_mut(middle.min(placed.len()));
            let (keys_a, keys_b) = keys.split_at_mut(middle);
            let (staged_a, staged_b) = staged.split_at_mut(middle);
            let (ends_a, ends_b) = ends.split_at_mut(half * cut.buckets);
            join(
                || {
                    let lists = [keys_a, staged_a];
                    deal_pieces(source, cut, pieces_a, placed_a, lists, ends_a, code);
                },
                || {
                    let lists = [keys_b, staged_b];
                    deal_pieces(source, cut, pieces_b, placed_b, lists, ends_b, code);
                },
            );
        }
    }
}

fn deal_piece<S: PointSource>(
    source: &S,
    cut: CodeSplit,
    piece: &mut DealtPoints,
    placed: &mut [DVec3],
    [keys, staged]: [&mut [u64]; 2],
    ends: &mut [u32],
    code: &impl Fn(DVec3) -> (u64, u64),
) {
    let mut id = piece.first as u64;
    let mut told = 0;
    // Few at a time and one thing after the other, which keeps them in the nearest memory and all numbers in registers.
    for (k, keys) in keys.chunks_mut(BATCH).enumerate() {
        let from = piece.from + k * BATCH;
        let out = placed.get_mut(k * BATCH..k * BATCH + keys.len());
        let out = out.unwrap_or_default();
        let points = source.placed(piece.list, from..from + keys.len(), out);
        for (key, &p) in keys.iter_mut().zip(points) {
            let (code, also) = code(p);
            told |= also;
            *key = code << ID_BITS | id;
            id += 1;
        }
        for &key in keys.iter() {
            ends[cut.bucket(key)] += 1;
        }
    }
    piece.told = told;
    into_starts(ends);
    for &key in keys.iter() {
        // What was the beginning of a bucket is its end, when all of its keys are there.
        let place = &mut ends[cut.bucket(key)];
        staged[*place as usize] = key;
        *place += 1;
    }
}

fn into_starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        let start = sum;
        sum += *count;
        *count = start;
    }
}

/// Keys by piece, and in each by bucket.
struct DealtKeys<'k> {
    staged: &'k [u64],
    pieces: &'k [DealtPoints],
    ends: &'k [u32],
    buckets: usize,
}

impl DealtKeys<'_> {
    /// Writes the keys of a bucket one after the other.
    fn collect(&self, bucket: usize, out: &mut [u64]) {
        let (mut at, mut start) = (0, 0);
        for (piece, ends) in self.pieces.iter().zip(self.ends.chunks_exact(self.buckets)) {
            let from = bucket.checked_sub(1).map_or(0, |before| ends[before]) as usize;
            let to = ends[bucket] as usize;
            if to > from {
                out[at..at + to - from].copy_from_slice(&self.staged[start + from..start + to]);
                at += to - from;
            }
            start += piece.len;
        }
    }
}

/// Does something for each part with its keys and as much scratch.
pub(super) fn each_part(
    parts: &mut [KeyRange],
    (keys, other): (&mut [u64], &mut [u64]),
    work: &(impl Fn(&mut KeyRange, &mut [u64], &mut [u64]) + Sync),
) {
    if parts.len() > 1 && keys.len() > SHARE {
        let begin = parts[0].start;
        let half = parts
            .partition_point(|part| part.start - begin < keys.len() / 2)
            .clamp(1, parts.len() - 1);
        let middle = parts[half].start - begin;
        let (parts_a, parts_b) = parts.split_at_mut(half);
        let (keys_a, keys_b) = keys.split_at_mut(middle);
        let (other_a, other_b) = other.split_at_mut(middle);
        join(
            || each_part(parts_a, (keys_a, other_a), work),
            || each_part(parts_b, (keys_b, other_b), work),
        );
        return;
    }
    let (mut keys, mut other) = (keys, other);
    for part in parts {
        let (own_keys, after_keys) = keys.split_at_mut(part.len);
        let (own_other, after_other) = other.split_at_mut(part.len);
        work(part, own_keys, own_other);
        (keys, other) = (after_keys, after_other);
    }
}

/// Collects the keys of a bucket and sorts them by this many bits of their codes.
fn sort_part(dealt: &DealtKeys<'_>, bits: u32, bucket: usize, keys: &mut [u64], other: &mut [u64]) {
    dealt.collect(bucket, keys);
    let low = bits.div_ceil(2);
    let high = bits - low;
    if low > DIGIT || keys.len() < FEW.max(1 << low >> 2) {
        keys.sort_unstable();
        return;
    }
    if bits == 0 {
        return;
    }
    // Pieces were collected in their order, so that ids ascend already within equal codes.
    let mut counts = [[0_u32; 1 << DIGIT]; 2];
    let [counts_low, counts_high] = &mut counts;
    let counts_low = &mut counts_low[..1 << low];
    let counts_high = &mut counts_high[..1 << high];
    let low_digit = |key: u64| (key >> ID_BITS) as usize & ((1 << low) - 1);
    let high_digit = |key: u64| (key >> (ID_BITS + low)) as usize & ((1 << high) - 1);
    for &key in keys.iter() {
        counts_low[low_digit(key)] += 1;
        counts_high[high_digit(key)] += 1;
    }
    into_starts(counts_low);
    into_starts(counts_high);
    for &key in keys.iter() {
        let place = &mut counts_low[low_digit(key)];
        other[*place as usize] = key;
        *place += 1;
    }
    for &key in other.iter() {
        let place = &mut counts_high[high_digit(key)];
        keys[*place as usize] = key;
        *place += 1;
    }
}

/// Writes where the crowds among these keys begin and end behind the first so many entries of a list, and returns how many entries there are then.
fn find_crowds(keys: &[u64], offset: usize, ends: &mut [u64], mut count: usize) -> usize {
    let mut i = 0;
    while i + CROWD < keys.len() {
        let code = code_of(keys[i]);
        if code_of(keys[i + CROWD]) != code {
            i += CROWD;
            continue;
        }
        let from = keys[..i].partition_point(|&key| code_of(key) < code);
        let to = i + keys[i..].partition_point(|&key| code_of(key) == code);
        if let Some(end) = ends.get_mut(count..count + 2) {
            end.copy_from_slice(&[(offset + from) as u64, (offset + to) as u64]);
            count += 2;
        }
        i = to;
    }
    count
}
