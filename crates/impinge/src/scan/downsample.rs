//! Downsampling: which of the sorted points stay.

use glam::DVec3;

use super::morton_grid::{AXIS_BITS, CODE_BITS, MortonGrid};
use super::morton_sort::{KeyRange, MortonSort, code_of, each_part, id_of};

/// Sizes of cubes that can be chosen from, each twice the last.
pub(super) const LEVELS: usize = AXIS_BITS as usize + 1;

impl MortonSort {
    /// How many cubes have points, in a lattice with cubes of their size, twice, four times… when the first of each code was kept.
    pub(super) fn count_cubes(&self) -> [usize; LEVELS] {
        let mut steps = [0; LEVELS];
        for (k, part) in self.parts.iter().enumerate() {
            for (all, &own) in steps.iter_mut().zip(&part.steps) {
                *all += own as usize;
            }
            let before = k.checked_sub(1).map(|k| self.parts[k].bucket);
            let bits = before.map_or(u32::BITS, |before| {
                u32::BITS - (before ^ part.bucket).leading_zeros()
            });
            let level = (bits + self.rest()).saturating_sub(1) / 3;
            steps[(level as usize).min(LEVELS - 1)] += 1;
        }
        for level in (1..LEVELS).rev() {
            steps[level - 1] += steps[level];
        }
        steps
    }

    /// Of the points that were kept, keeps the first of each cube that is longer by this power of two, not 0. Parts that lose least stay with cubes of half the
    /// length, as long as no more than this many points stay. All counts are those of [`Self::count_cubes`].
    pub(super) fn keep_first(&mut self, level: usize, most: usize, counts: &[usize; LEVELS]) {
        let shift = 3 * level as u32;
        let inner = shift.min(self.rest());
        let outer = shift - inner;
        let mut finer = 3 * (level - 1) as u32;
        if outer == 0 {
            let mut losses: Vec<(u32, usize)> = self
                .parts
                .iter()
                .map(|p| p.steps[level - 1])
                .zip(0..)
                .collect();
            losses.sort_unstable_by_key(|&(loss, part)| (std::cmp::Reverse(loss), part));
            let mut stay = counts[level - 1];
            for &(loss, part) in &losses {
                self.parts[part].is_coarse = stay > most;
                stay -= (loss as usize).min(stay.saturating_sub(most));
            }
        } else {
            finer = inner;
        }
        let keys = (&mut self.keys[..], &mut self.other[..]);
        each_part(&mut self.parts, keys, &|part: &mut KeyRange, keys, _| {
            let shift = if part.is_coarse { inner } else { finer };
            if shift > 0 {
                part.kept = keep_first_of(&mut keys[..part.kept], shift);
            }
        });
        if outer == 0 {
            return;
        }
        // One key is left of each part by now, and several parts make a cube.
        let (keys, parts) = (&self.keys, &mut self.parts);
        let cube = |part: &KeyRange| u64::from(part.bucket) >> outer;
        for group in parts.chunk_by_mut(|a, b| cube(a) == cube(b)) {
            let first = group.iter().map(|part| id_of(keys[part.start])).min();
            for part in group {
                part.kept = usize::from(Some(id_of(keys[part.start])) == first);
            }
        }
    }

    /// Keeps the first point of each cube of any lattice, when keys were sorted by its codes, and measures how far away dropped ones are.
    pub(super) fn drop_crowded(&mut self, points: &[DVec3], lattice: &MortonGrid) {
        let point = |key: u64| points[id_of(key)];
        let is_fine = lattice.is_fine();
        let keys = (&mut self.keys[..], &mut self.other[..]);
        each_part(&mut self.parts, keys, &|part: &mut KeyRange, keys, _| {
            let (mut kept, mut from) = (0, 0);
            while from < keys.len() {
                let code = code_of(keys[from]);
                let mut to = from + 1;
                while to < keys.len() && code_of(keys[to]) == code {
                    to += 1;
                }
                if !is_fine && to - from > 1 {
                    keys[from..to].sort_unstable_by_key(|&key| (lattice.cube(point(key)), key));
                }
                let mut first = keys[from];
                keys[kept] = first;
                kept += 1;
                for k in from + 1..to {
                    let key = keys[k];
                    if is_fine || lattice.cube(point(key)) == lattice.cube(point(first)) {
                        let way = point(key) - point(first);
                        part.error_sq = part.error_sq.max(way.length_squared());
                    } else {
                        first = key;
                        keys[kept] = key;
                        kept += 1;
                    }
                }
                from = to;
            }
            part.kept = kept;
        });
    }
}

/// Moves the first key of each code to the front and says how many there are. Counts between which sizes of cubes they change.
pub(super) fn keep_first_codes(keys: &mut [u64], steps: &mut [u32; LEVELS]) -> usize {
    let Some(&first) = keys.first() else {
        return 0;
    };
    let (mut kept, mut last) = (1, code_of(first));
    // The last step is for those that are none.
    let mut counts = [0_u32; LEVELS + 4];
    for k in 1..keys.len() {
        let key = keys[k];
        let code = code_of(key);
        let bits = u64::BITS - (code ^ last).leading_zeros();
        last = code;
        // Without a branch, because whether a point stays cannot be foretold.
        keys[kept] = key;
        kept += usize::from(bits > 0);
        counts[LEVEL_OF[bits as usize % LEVEL_OF.len()] as usize % (LEVELS + 4)] += 1;
    }
    steps.copy_from_slice(&counts[..LEVELS]);
    kept
}

/// The size of cubes between which codes change when so many of their last bits do.
const LEVEL_OF: [u8; 64] = {
    let mut table = [LEVELS as u8; 64];
    let mut bits = 1;
    while bits <= CODE_BITS as usize {
        table[bits] = ((bits - 1) / 3) as u8;
        bits += 1;
    }
    table
};

/// The same for codes without their last bits: the first point is the one with the smallest id.
fn keep_first_of(keys: &mut [u64], shift: u32) -> usize {
    let (mut kept, mut from) = (0, 0);
    while from < keys.len() {
        let cube = code_of(keys[from]) >> shift;
        let mut first = keys[from];
        let mut to = from + 1;
        while to < keys.len() && code_of(keys[to]) >> shift == cube {
            if id_of(keys[to]) < id_of(first) {
                first = keys[to];
            }
            to += 1;
        }
        keys[kept] = first;
        kept += 1;
        from = to;
    }
    kept
}
