//! Hash table of cells.

use super::pack_cell::NONE;

/// Open addressing over the keys of one level.
#[derive(Debug, Default)]
pub(super) struct CellTable {
    slots: Vec<([i32; 3], u32)>,
}

fn hash(key: [i32; 3]) -> usize {
    let [x, y, z] = key.map(|k| k as u64);
    let mixed = x.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ y.wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ z.wrapping_mul(0x1656_67B1_9E37_79F9);
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize
}

impl CellTable {
    /// The table of distinct keys, numbered as they come.
    pub(super) fn new(keys: impl ExactSizeIterator<Item = [i32; 3]>) -> Self {
        let capacity = (2 * keys.len()).next_power_of_two().max(8);
        let mut slots = vec![([0; 3], NONE); capacity];
        for (id, key) in keys.enumerate() {
            let mut at = hash(key) & (capacity - 1);
            // At most half of the slots are taken, so a free one comes.
            while slots[at].1 != NONE {
                at = (at + 1) & (capacity - 1);
            }
            slots[at] = (key, id as u32);
        }
        Self { slots }
    }

    #[inline]
    pub(super) fn get(&self, key: [i32; 3]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash(key) & mask;
        loop {
            let (found, id) = self.slots[at];
            if id == NONE {
                return None;
            }
            if found == key {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }
}
