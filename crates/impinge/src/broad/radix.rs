//! Sorting numbers by their digits, with scratch that is kept.

/// Bits per digit: 4096 counters stay in the first-level cache, and pairs of 100 000 bodies need three digits.
const DIGIT: u32 = 12;
const BUCKETS: usize = 1 << DIGIT;
/// Below this many numbers comparing is as fast.
const FEW: usize = 256;
/// From this many on, threads take a share each.
#[cfg(feature = "parallel")]
const MANY: usize = 1 << 14;
/// How many shares.
#[cfg(feature = "parallel")]
const SHARES: usize = 4;

/// Scratch for sorting.
#[derive(Clone, Debug, Default)]
pub(super) struct Radix {
    other: Vec<u64>,
    #[cfg(feature = "parallel")]
    shares: Vec<(Vec<u64>, Vec<u64>)>,
}

impl Radix {
    /// Sorts pair keys of slots below `slots`.
    pub(super) fn sort_pairs(&mut self, keys: &mut Vec<u64>, slots: usize, parallel: bool) {
        if keys.len() < FEW {
            keys.sort_unstable();
            return;
        }
        // Packed side by side, two slots need fewer digits.
        let bits = usize::BITS - slots.leading_zeros();
        let low = (1 << bits) - 1;
        rewrite(keys, parallel, |key| (key >> 32) << bits | (key & low));
        self.sort_from(keys, 0, 2 * bits, parallel);
        rewrite(keys, parallel, |key| (key >> bits) << 32 | (key & low));
    }

    /// Sorts by the bits from `shift` up to `bits`, when the bits below ascend already.
    pub(super) fn sort_from(&mut self, keys: &mut Vec<u64>, shift: u32, bits: u32, parallel: bool) {
        #[cfg(feature = "parallel")]
        if parallel && keys.len() >= MANY {
            self.sort_shares(keys, shift, bits);
            return;
        }
        let _ = parallel;
        sort(keys, &mut self.other, shift, bits);
    }

    /// Each share takes the keys of a range out of the whole list and sorts them.
    #[cfg(feature = "parallel")]
    fn sort_shares(&mut self, keys: &mut Vec<u64>, shift: u32, bits: u32) {
        use rayon::prelude::*;
        let mut sample = [0; 64];
        for (i, at) in sample.iter_mut().enumerate() {
            *at = keys[i * keys.len() / 64] >> shift;
        }
        sample.sort_unstable();
        self.shares.resize_with(SHARES, Default::default);
        let list = &keys[..];
        self.shares
            .par_iter_mut()
            .enumerate()
            .for_each(|(i, (own, other))| {
                let from = if i == 0 { 0 } else { sample[64 / SHARES * i] };
                let to = if i + 1 == SHARES {
                    u64::MAX
                } else {
                    sample[64 / SHARES * (i + 1)]
                };
                own.clear();
                own.extend(
                    list.iter()
                        .filter(|&&k| from <= k >> shift && k >> shift < to),
                );
                sort(own, other, shift, bits);
            });
        keys.clear();
        for (own, _) in &self.shares {
            keys.extend_from_slice(own);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        #[cfg(feature = "parallel")]
        let shares = self
            .shares
            .iter()
            .map(|(own, other)| own.capacity() + other.capacity())
            .sum::<usize>();
        #[cfg(not(feature = "parallel"))]
        let shares = 0;
        (self.other.capacity() + shares) * 8
    }
}

fn rewrite(keys: &mut [u64], parallel: bool, f: impl Fn(u64) -> u64 + Sync + Send) {
    #[cfg(feature = "parallel")]
    if parallel && keys.len() >= MANY {
        use rayon::prelude::*;
        let all = keys.par_iter_mut().with_min_len(MANY / 4);
        all.for_each(|key| *key = f(*key));
        return;
    }
    let _ = parallel;
    for key in keys {
        *key = f(*key);
    }
}

fn sort(keys: &mut Vec<u64>, other: &mut Vec<u64>, mut shift: u32, bits: u32) {
    if keys.len() < FEW {
        keys.sort_unstable();
        return;
    }
    other.resize(keys.len(), 0);
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
            std::mem::swap(keys, other);
        }
        shift += DIGIT;
    }
}
