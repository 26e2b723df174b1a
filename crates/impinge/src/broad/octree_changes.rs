//! Pairs of an octree, scanned only where bodies changed.
//!
//! A body that changed is compared with the bodies at its octants, above them and below them. Octants without anything below are
//! not entered, for which the references below each octant are counted. All other pairs are as they were.

use super::body_table::BodyTable;
use super::broad_phase::{key, slots};
use super::cell_box::CellBox;
use super::octree::{Octant, OctreeDetector, number, octant};

/// What an octree remembers between queries.
#[derive(Debug, Default)]
pub(super) struct OctreeChanges {
    /// The references below each octant, those at the octant left out.
    below: Vec<u32>,
    /// Bodies that came, moved or went since the last query, each once.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// The pairs of the last query.
    pairs: Vec<u64>,
    stack: Vec<Octant>,
}

impl OctreeChanges {
    /// Makes room for so many octants.
    pub(super) fn divide(&mut self, octants: usize) {
        self.below.resize(octants, 0);
    }

    /// A body changed.
    pub(super) fn mark(&mut self, slot: u32) {
        let at = slot as usize;
        if at >= self.is_changed.len() {
            self.is_changed.resize(at + 1, false);
        }
        if !self.is_changed[at] {
            self.is_changed[at] = true;
            self.changed.push(slot);
        }
    }

    /// A reference came to an octant, or left it.
    pub(super) fn count(&mut self, (level, at): Octant, comes: bool) {
        for up in 1..=level {
            let above = &mut self.below[number((level - up, at.map(|c| c >> up))) as usize];
            if comes {
                *above += 1;
            } else {
                *above -= 1;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.below.capacity() * 4
            + self.changed.capacity() * 4
            + self.is_changed.capacity()
            + self.pairs.capacity() * 8
            + self.stack.capacity() * size_of::<Octant>()
    }
}

impl OctreeDetector {
    /// Writes all overlapping pairs that no large body is part of.
    pub(super) fn find_changed(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) {
        let Some(mut changes) = self.changes.take() else {
            return;
        };
        changes.pairs.retain(|&pair| {
            let (x, y) = slots(pair);
            !changes.is_changed[x as usize] && !changes.is_changed[y as usize]
        });
        for i in 0..changes.changed.len() {
            self.scan(bodies, changes.changed[i], &mut changes);
        }
        for &slot in &changes.changed {
            changes.is_changed[slot as usize] = false;
        }
        changes.changed.clear();
        keys.extend_from_slice(&changes.pairs);
        self.changes = Some(changes);
    }

    /// Finds the pairs of one body.
    fn scan(&mut self, bodies: &BodyTable, slot: u32, changes: &mut OctreeChanges) {
        let own = std::mem::take(&mut self.bodies[slot as usize].octants);
        for &at in &own {
            let here = self.octant_of(at);
            let (level, place) = here;
            let voxels = self.voxels(here);
            for up in 0..=level {
                let above = number((level - up, place.map(|c| c >> up)));
                self.compare(bodies, slot, above, &voxels, changes);
            }
            if changes.below[at as usize] == 0 {
                continue;
            }
            changes.stack.clear();
            changes.stack.push(here);
            while let Some((level, at)) = changes.stack.pop() {
                for child in 0..8 {
                    let side = [child >> 2, child >> 1 & 1, child & 1];
                    let below = (level + 1, [0, 1, 2].map(|k: usize| 2 * at[k] + side[k]));
                    let number = number(below);
                    if !self.lists[number as usize].is_empty() {
                        let voxels = self.voxels(below);
                        self.compare(bodies, slot, number, &voxels, changes);
                    }
                    if changes.below[number as usize] > 0 {
                        changes.stack.push(below);
                    }
                }
            }
        }
        self.bodies[slot as usize].octants = own;
    }

    /// Compares a body with those at an octant; `deeper` are the voxels of the deeper of the two octants.
    fn compare(
        &mut self,
        bodies: &BodyTable,
        slot: u32,
        at: u32,
        deeper: &CellBox,
        changes: &mut OctreeChanges,
    ) {
        let boxes = bodies.boxes();
        for &other in &self.lists[at as usize] {
            // Two that changed are compared once.
            let is_first = !changes.is_changed[other as usize] || slot < other;
            if other == slot || !is_first || !self.is_owner(slot, other, deeper) {
                continue;
            }
            self.tests += 1;
            if boxes[slot as usize].overlaps(&boxes[other as usize]) {
                changes.pairs.push(key(slot, other));
            }
        }
    }

    /// Checks the counts of references below.
    pub(super) fn check_changes(&self) -> Result<(), String> {
        let Some(changes) = &self.changes else {
            return Ok(());
        };
        let mut below = vec![0; changes.below.len()];
        for (at, list) in (0_u32..).zip(&self.lists) {
            let (level, place) = octant(self.level(at), at - number((self.level(at), [0; 3])));
            for up in 1..=level {
                below[number((level - up, place.map(|c| c >> up))) as usize] += list.len() as u32;
            }
        }
        if below == changes.below {
            Ok(())
        } else {
            Err("references below octants are counted wrong".to_owned())
        }
    }
}
