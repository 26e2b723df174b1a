//! A set of pairs of ids that forgets everything at once.

/// Pairs of numbers seen since the last [`SeenPairs::clear`]. Which pairs are in it depends on what was
/// inserted alone, never on a hash seed.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenPairs {
    /// A key where the stamp is current; the length is zero or a power of two.
    slots: Vec<(u64, u32)>,
    stamp: u32,
    len: usize,
}

impl SeenPairs {
    const FIRST_SIZE: usize = 64;

    /// Forgets all pairs without touching them: their stamp is no longer current.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.slots.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Whether the pair is new; it is in the set then.
    pub(crate) fn insert(&mut self, a: u32, b: u32) -> bool {
        // Half full at most, so that a free slot is always near.
        if 2 * (self.len + 1) > self.slots.len() {
            self.grow();
        }
        let is_new = self.place(u64::from(a) << 32 | u64::from(b));
        self.len += usize::from(is_new);
        is_new
    }

    fn place(&mut self, key: u64) -> bool {
        let mask = self.slots.len() - 1;
        // Fibonacci hashing: the high bits of the product depend on all bits of the key.
        let hash = (key ^ key >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut at = hash as usize & mask;
        for _ in 0..self.slots.len() {
            let slot = &mut self.slots[at];
            if slot.1 != self.stamp {
                *slot = (key, self.stamp);
                return true;
            }
            if slot.0 == key {
                return false;
            }
            at = (at + 1) & mask;
        }
        true
    }

    fn grow(&mut self) {
        if self.stamp == 0 {
            self.stamp = 1;
        }
        let size = (2 * self.slots.len()).max(Self::FIRST_SIZE);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        for (key, stamp) in old {
            if stamp == self.stamp {
                self.place(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SeenPairs;
    use impinge::math::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn a_pair_is_new_exactly_once_between_two_clears() {
        let mut rng = Rng::new(1);
        let mut set = SeenPairs::default();
        for round in 0..20 {
            set.clear();
            let mut known = BTreeSet::new();
            for _ in 0..(round * 40) {
                let (a, b) = (rng.below(20) as u32, rng.below(20) as u32);
                assert_eq!(set.insert(a, b), known.insert((a, b)));
            }
        }
    }
}
