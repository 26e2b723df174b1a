//! Bodies that cover too many cells to be listed in them are compared with all others.

use super::body_table::BodyTable;
use super::broad_phase::key;

/// Their slots, ascending.
#[derive(Debug, Default)]
pub(super) struct LargeBodies {
    slots: Vec<u32>,
}

impl LargeBodies {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// Says whether a body is one of them.
    pub(super) fn set(&mut self, slot: u32, is_large: bool) {
        match (self.slots.binary_search(&slot), is_large) {
            (Err(at), true) => self.slots.insert(at, slot),
            (Ok(at), false) => {
                self.slots.remove(at);
            }
            _ => {}
        }
    }

    pub(super) fn contains(&self, slot: u32) -> bool {
        self.slots.binary_search(&slot).is_ok()
    }

    /// Adds all pairs that have one of them, each once, and counts the tests.
    pub(super) fn find(&self, bodies: &BodyTable, keys: &mut Vec<u64>, tests: &mut u64) {
        let boxes = bodies.boxes();
        for (i, &x) in self.slots.iter().enumerate() {
            for y in bodies.bounded() {
                if y != x && self.slots[..i].binary_search(&y).is_err() {
                    *tests += 1;
                    if boxes[x as usize].overlaps(&boxes[y as usize]) {
                        keys.push(key(x, y));
                    }
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * 4
    }
}
