//! Sorting numbers by their digits, with scratch that is kept.

/// Bits per digit: 4096 counters stay in the first-level cache, and pairs of 100 000 bodies need three digits.
const DIGIT: u32 = 12;
const BUCKETS: usize = 1 << DIGIT;
/// Below this many numbers comparing is as fast.
const FEW: usize = 256;

/// Scratch for sorting.
#[derive(Clone, Debug, Default)]
pub(super) struct Radix {
    other: Vec<u64>,
}

impl Radix {
    /// Sorts pair keys of slots below `slots`.
    pub(super) fn sort_pairs(&mut self, keys: &mut Vec<u64>, slots: usize) {
        if keys.len() < FEW {
            keys.sort_unstable();
            return;
        }
        // Packed side by side, two slots need fewer digits.
        let bits = usize::BITS - slots.leading_zeros();
        let low = (1 << bits) - 1;
        for key in keys.iter_mut() {
            *key = (*key >> 32) << bits | (*key & low);
        }
        self.sort_from(keys, 0, 2 * bits);
        for key in keys.iter_mut() {
            *key = (*key >> bits) << 32 | (*key & low);
        }
    }

    /// Sorts by the bits from `shift` up to `bits`, when the bits below ascend already.
    pub(super) fn sort_from(&mut self, keys: &mut Vec<u64>, mut shift: u32, bits: u32) {
        if keys.len() < FEW {
            keys.sort_unstable();
            return;
        }
        self.other.resize(keys.len(), 0);
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
                    self.other[*start as usize] = key;
                    *start += 1;
                }
                std::mem::swap(keys, &mut self.other);
            }
            shift += DIGIT;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.other.capacity() * 8
    }
}
