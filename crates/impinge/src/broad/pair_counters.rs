//! A hash table of small counters, keyed by pair.

use super::broad_phase::slots;

/// No pair of different slots has this key.
const FREE: u64 = 0;
const LEAST: usize = 16;

/// Counters by pair; pairs with 0 are not held.
#[derive(Clone, Debug, Default)]
pub(super) struct PairCounters {
    table: Vec<(u64, u32)>,
    len: usize,
}

impl PairCounters {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn clear(&mut self) {
        self.table.fill((FREE, 0));
        self.len = 0;
    }

    pub(super) fn get(&self, key: u64) -> u32 {
        if self.table.is_empty() {
            return 0;
        }
        self.table[self.find(key)].1
    }

    /// Adds one and returns the new number.
    pub(super) fn raise(&mut self, key: u64) -> u32 {
        // At most half full, so that probing always ends at a free place.
        if 2 * (self.len + 1) > self.table.len() {
            let larger = (2 * self.table.len()).max(LEAST);
            let old = std::mem::replace(&mut self.table, vec![(FREE, 0); larger]);
            for (key, count) in old {
                if key != FREE {
                    let at = self.find(key);
                    self.table[at] = (key, count);
                }
            }
        }
        let at = self.find(key);
        let entry = &mut self.table[at];
        if entry.0 == FREE {
            entry.0 = key;
            self.len += 1;
        }
        entry.1 += 1;
        entry.1
    }

    /// Takes one away, if there is one, and returns the new number.
    pub(super) fn lower(&mut self, key: u64) -> u32 {
        if self.table.is_empty() {
            return 0;
        }
        let at = self.find(key);
        let entry = &mut self.table[at];
        if entry.1 <= 1 {
            if entry.0 != FREE {
                self.erase(at);
            }
            return 0;
        }
        entry.1 -= 1;
        entry.1
    }

    /// Drops the pairs of slots that are not kept.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        let mut at = 0;
        while at < self.table.len() {
            let (key, _) = self.table[at];
            let (a, b) = slots(key);
            if key != FREE && !(keep(a) && keep(b)) {
                // Another entry may move here, so the place is looked at again. One that wraps around from the
                // front of the table was looked at already and kept.
                self.erase(at);
            } else {
                at += 1;
            }
        }
    }

    /// The pairs with their numbers, in no useful order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.table.iter().copied().filter(|e| e.0 != FREE)
    }

    pub(super) fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<(u64, u32)>()
    }

    fn home(&self, key: u64) -> usize {
        let mixed = (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize & (self.table.len() - 1)
    }

    /// Where the key is, or the free place where it belongs.
    fn find(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = self.home(key);
        while self.table[at].0 != FREE && self.table[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Frees a place and moves later entries of the run up, so that no run has a hole.
    fn erase(&mut self, mut hole: usize) {
        let mask = self.table.len() - 1;
        self.len -= 1;
        let mut at = (hole + 1) & mask;
        while self.table[at].0 != FREE {
            let home = self.home(self.table[at].0);
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.table[hole] = self.table[at];
                hole = at;
            }
            at = (at + 1) & mask;
        }
        self.table[hole] = (FREE, 0);
    }
}
