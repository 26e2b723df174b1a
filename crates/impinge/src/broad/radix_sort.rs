//! Radix sort with reusable scratch memory.
//!
//! Threads first distribute the numbers into ranges, each thread for one part of the input, and
//! then sort one range each. Equal numbers keep their order, so the result equals that of one
//! thread.

/// Bits per digit: 4096 counters stay in the first-level cache, and pairs of 100 000 bodies need three digits.
const DIGIT: u32 = 12;
const BUCKETS: usize = 1 << DIGIT;
/// Below this many numbers comparing is as fast.
const FEW: usize = 256;
/// From this many on, threads take a share each.
#[cfg(feature = "parallel")]
const MANY: usize = 1 << 13;

/// Scratch for sorting.
#[derive(Clone, Debug, Default)]
pub(super) struct RadixSort {
    other: Vec<u64>,
}

/// Two slots side by side in as few bits as they need: fewer digits to sort by.
#[derive(Clone, Copy)]
struct PackedPairs {
    bits: u32,
}

impl PackedPairs {
    fn new(slots: usize) -> Self {
        Self {
            bits: usize::BITS - slots.leading_zeros(),
        }
    }

    #[inline(always)]
    fn pack(self, key: u64) -> u64 {
        (key >> 32) << self.bits | (key & ((1 << self.bits) - 1))
    }

    #[inline(always)]
    fn unpack(self, key: u64) -> u64 {
        (key >> self.bits) << 32 | (key & ((1 << self.bits) - 1))
    }
}

impl RadixSort {
    /// Sorts pair keys of slots below `slots`.
    pub(super) fn sort_pairs(&mut self, keys: &mut Vec<u64>, slots: usize, parallel: bool) {
        if keys.len() < FEW {
            keys.sort_unstable();
            return;
        }
        let packing = PackedPairs::new(slots);
        let (pack, unpack) = (|k| packing.pack(k), |k| packing.unpack(k));
        #[cfg(feature = "parallel")]
        if parallel && keys.len() >= MANY {
            let parted = shares::part(&mut self.other, &[&keys[..]], |l| l, 0, pack);
            shares::sort_all(keys, &mut self.other, &parted, 0, 2 * packing.bits, unpack);
            return;
        }
        let _ = parallel;
        rewrite(keys, pack);
        sort(keys, &mut self.other, 0, 2 * packing.bits);
        rewrite(keys, unpack);
    }

    /// The pair keys of all lists, sorted.
    pub(super) fn gather_pairs<L: Sync>(
        &mut self,
        lists: &[L],
        keys_of: impl Fn(&L) -> &[u64] + Sync,
        slots: usize,
        parallel: bool,
        keys: &mut Vec<u64>,
    ) {
        #[cfg(feature = "parallel")]
        if parallel && lists.iter().map(|l| keys_of(l).len()).sum::<usize>() >= MANY {
            let packing = PackedPairs::new(slots);
            let (pack, unpack) = (|k| packing.pack(k), |k| packing.unpack(k));
            let parted = shares::part(&mut self.other, lists, keys_of, 0, pack);
            shares::sort_all(keys, &mut self.other, &parted, 0, 2 * packing.bits, unpack);
            return;
        }
        keys.clear();
        for list in lists {
            keys.extend_from_slice(keys_of(list));
        }
        self.sort_pairs(keys, slots, parallel);
    }

    /// Sorts by the bits from `shift` up to `bits`, when the bits below ascend already.
    pub(super) fn sort_from(&mut self, keys: &mut Vec<u64>, shift: u32, bits: u32, parallel: bool) {
        #[cfg(feature = "parallel")]
        if parallel && keys.len() >= MANY {
            let parted = shares::part(&mut self.other, &[&keys[..]], |l| l, shift, |k| k);
            shares::sort_all(keys, &mut self.other, &parted, shift, bits, |k| k);
            return;
        }
        let _ = parallel;
        sort(keys, &mut self.other, shift, bits);
    }

    pub(super) fn bytes(&self) -> usize {
        self.other.capacity() * 8
    }
}

fn rewrite(keys: &mut [u64], f: impl Fn(u64) -> u64) {
    for key in keys {
        *key = f(*key);
    }
}

fn sort(keys: &mut Vec<u64>, other: &mut Vec<u64>, shift: u32, bits: u32) {
    if keys.len() < FEW {
        keys.sort_unstable();
        return;
    }
    other.resize(keys.len(), 0);
    if sort_slices(keys, other, shift, bits) {
        std::mem::swap(keys, other);
    }
}

/// Sorts, going back and forth between two slices of one length; returns whether the result is in the second.
fn sort_slices(first: &mut [u64], second: &mut [u64], mut shift: u32, bits: u32) -> bool {
    let (mut keys, mut other) = (first, second);
    let mut is_second = false;
    while shift < bits {
        let mut starts = [0_u32; BUCKETS];
        for &key in keys.iter() {
            starts[(key >> shift) as usize % BUCKETS] += 1;
        }
        let mut sum = 0;
        let mut is_spread = true;
        for start in &mut starts {
            is_spread &= (*start as usize) < keys.len();
            sum += *start;
            *start = sum - *start;
        }
        if is_spread {
            for &key in keys.iter() {
                let start = &mut starts[(key >> shift) as usize % BUCKETS];
                other[*start as usize] = key;
                *start += 1;
            }
            std::mem::swap(&mut keys, &mut other);
            is_second = !is_second;
        }
        shift += DIGIT;
    }
    is_second
}

/// What threads do.
#[cfg(feature = "parallel")]
mod shares {
    use super::super::parallel_resize::grow;
    use super::{FEW, sort_slices};
    use rayon::prelude::*;

    /// Ranges of numbers, sorted one by one.
    const SHARES: usize = 8;
    /// Stretches of the input, parted one by one.
    const STRETCHES: usize = 16;
    /// Numbers that are examined to find ranges of about one length.
    const SAMPLE: usize = 256;

    /// How many numbers each range has.
    pub(super) type Lengths = [usize; SHARES];

    /// The numbers of a stretch of all lists laid end to end.
    fn stretch<'a, L>(
        lists: &'a [L],
        keys_of: &'a (impl Fn(&L) -> &[u64] + Sync),
        from: usize,
        to: usize,
    ) -> impl Iterator<Item = &'a [u64]> {
        let mut start = 0;
        lists.iter().filter_map(move |list| {
            let keys = keys_of(list);
            let (low, high) = (from.max(start), to.min(start + keys.len()));
            let part = (low < high).then(|| &keys[low - start..high - start]);
            start += keys.len();
            part
        })
    }

    /// Writes the packed keys of all lists, range by range and within each in the order of the lists.
    pub(super) fn part<L: Sync>(
        into: &mut Vec<u64>,
        lists: &[L],
        keys_of: impl Fn(&L) -> &[u64] + Sync,
        shift: u32,
        pack: impl Fn(u64) -> u64 + Sync,
    ) -> Lengths {
        let total: usize = lists.iter().map(|l| keys_of(l).len()).sum();
        let limits = limits(lists, &keys_of, total, shift, &pack);
        let share_of = |key: u64| -> usize {
            let key = key >> shift;
            limits.iter().map(|&limit| usize::from(key >= limit)).sum()
        };
        let bounds = |i: usize| (i * total / STRETCHES, (i + 1) * total / STRETCHES);
        let mut counts = [[0_usize; SHARES]; STRETCHES];
        let all = counts.par_iter_mut().enumerate().with_max_len(1);
        all.for_each(|(i, counts)| {
            let (from, to) = bounds(i);
            for keys in stretch(lists, &keys_of, from, to) {
                for &key in keys {
                    counts[share_of(pack(key))] += 1;
                }
            }
        });
        into.truncate(total);
        grow(into, total, 0, true);
        let mut lengths = [0; SHARES];
        let mut places: [[&mut [u64]; SHARES]; STRETCHES] = Default::default();
        let mut rest = &mut into[..];
        for share in 0..SHARES {
            for (places, counts) in places.iter_mut().zip(&counts) {
                let (own, others) = std::mem::take(&mut rest).split_at_mut(counts[share]);
                places[share] = own;
                rest = others;
                lengths[share] += counts[share];
            }
        }
        let all = places.par_iter_mut().enumerate().with_max_len(1);
        all.for_each(|(i, places)| {
            let (from, to) = bounds(i);
            let mut ends = [0; SHARES];
            for keys in stretch(lists, &keys_of, from, to) {
                for &key in keys {
                    let key = pack(key);
                    let share = share_of(key);
                    places[share][ends[share]] = key;
                    ends[share] += 1;
                }
            }
        });
        lengths
    }

    /// The smallest number of each range but the first.
    fn limits<L>(
        lists: &[L],
        keys_of: &impl Fn(&L) -> &[u64],
        total: usize,
        shift: u32,
        pack: &impl Fn(u64) -> u64,
    ) -> [u64; SHARES - 1] {
        let mut sample = [0; SAMPLE];
        let (mut start, mut next) = (0, 0);
        for list in lists {
            let keys = keys_of(list);
            while next < SAMPLE && next * total / SAMPLE < start + keys.len() {
                sample[next] = pack(keys[next * total / SAMPLE - start]) >> shift;
                next += 1;
            }
            start += keys.len();
        }
        sample.sort_unstable();
        std::array::from_fn(|i| sample[SAMPLE / SHARES * (i + 1)])
    }

    /// Sorts each range and writes all of them, rewritten.
    pub(super) fn sort_all(
        keys: &mut Vec<u64>,
        parted: &mut [u64],
        lengths: &Lengths,
        shift: u32,
        bits: u32,
        unpack: impl Fn(u64) -> u64 + Sync,
    ) {
        keys.truncate(parted.len());
        grow(keys, parted.len(), 0, true);
        let mut shares: [(&mut [u64], &mut [u64]); SHARES] = Default::default();
        let (mut to, mut from) = (&mut keys[..], parted);
        for (share, &length) in shares.iter_mut().zip(lengths) {
            let (own_to, other_to) = std::mem::take(&mut to).split_at_mut(length);
            let (own_from, other_from) = std::mem::take(&mut from).split_at_mut(length);
            *share = (own_to, own_from);
            (to, from) = (other_to, other_from);
        }
        shares
            .par_iter_mut()
            .with_max_len(1)
            .for_each(|(to, from)| {
                let is_there = if from.len() < FEW {
                    from.sort_unstable();
                    false
                } else {
                    sort_slices(from, to, shift, bits)
                };
                if is_there {
                    for key in &mut **to {
                        *key = unpack(*key);
                    }
                } else {
                    for (key, sorted) in to.iter_mut().zip(&**from) {
                        *key = unpack(*sorted);
                    }
                }
            });
    }
}
