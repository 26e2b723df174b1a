//! Hierarchical grid: levels of doubling cell size, with counters of shared cells.
//!
//! **Question.** Which boxes are close, when sizes differ by orders of magnitude?
//! **Idea.** The level of a box is the least whose cells are as large as it. It is listed in the
//! cells it covers on its own level and on every coarser one, at most eight each. Two boxes are
//! *close* when they share a cell on the coarser of their levels; a counter per pair holds how
//! many. Moves touch only cells entered or left.
//! **Source.** Sjöberg and Ylinenpää 2009, section 2.4.3 (described there, not built).
//! **Cost.** Per move the cells that differ, times the bodies in them; per query the close pairs.
//! Only levels that are some body's own exist.
//! **Promise.** Boxes that overlap are close, so close pairs that pass the comparison are exactly
//! the overlapping ones.
//! **Limits.** Many tiny boxes inside one cell of a huge box's level are listed there without
//! effect: only pairs with bodies of that level count, but the whole list is traversed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::body_table::{BodyTable, make_room};
use super::broad_phase::{Detector, DetectorPhase, key, slots};
use super::cell_box::CellBox;
use super::object::BroadWork;
use super::pair_counters::PairCounters;
use crate::bound::Aabb;

/// A hierarchical hashed grid.
pub type HierarchicalGrid = DetectorPhase<HierarchicalGridDetector>;

/// Levels are exponents of two from `-LOWEST` on.
const LOWEST: i32 = 64;
const LEVELS: usize = 192;
/// Ends a list.
const END: u32 = u32::MAX;
/// Farther cells share one number.
const FARTHEST: f64 = 4e18;

/// A cell with its level, so that equal hashes cannot mix counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct LevelCell {
    level: i64,
    at: [i64; 3],
}

/// Mixes numbers; the table is only ever looked up, so its order cannot matter.
#[derive(Clone, Copy, Debug, Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_i64(i64::from(b));
        }
    }
    fn write_i64(&mut self, x: i64) {
        self.0 = (self.0.rotate_left(23) ^ x.cast_unsigned()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 ^= self.0 >> 29;
    }
    fn write_usize(&mut self, x: usize) {
        self.write_i64(x as i64);
    }
}

/// The detector of [`HierarchicalGrid`].
#[derive(Debug)]
pub struct HierarchicalGridDetector {
    /// The first node of each cell's list.
    cells: HashMap<LevelCell, u32, BuildHasherDefault<CellHasher>>,
    /// All lists in one: a slot, and the next node.
    nodes: Vec<(u32, u32)>,
    /// The first of the nodes not in use.
    free: u32,
    /// How many bodies have each level as their own.
    population: Vec<u32>,
    /// Level and box of each slot, as listed.
    listed: Vec<Option<(usize, Aabb)>>,
    close: PairCounters,
    tests: u64,
    upkeep: u64,
}

impl Default for HierarchicalGridDetector {
    fn default() -> Self {
        Self {
            cells: HashMap::default(),
            nodes: Vec::new(),
            free: END,
            population: vec![0; LEVELS],
            listed: Vec::new(),
            close: PairCounters::default(),
            tests: 0,
            upkeep: 0,
        }
    }
}

fn level_of(b: &Aabb) -> usize {
    let side = b.diagonal().max_element();
    let mut exponent = if side > 0.0 {
        libm::frexp(side).1
    } else {
        -LOWEST
    };
    // `frexp` gives the least power above; a power itself is its own level.
    if side > 0.0 && libm::ldexp(1.0, exponent - 1) >= side {
        exponent -= 1;
    }
    (exponent.clamp(-LOWEST, LEVELS as i32 - LOWEST - 1) + LOWEST) as usize
}

fn covered(b: &Aabb, level: usize) -> CellBox {
    let scale = libm::ldexp(1.0, LOWEST - level as i32);
    let cell = |x: f64| (x * scale).floor().clamp(-FARTHEST, FARTHEST) as i64;
    CellBox {
        lo: b.min.to_array().map(cell),
        hi: b.max.to_array().map(cell),
    }
}

impl HierarchicalGridDetector {
    /// The number of bodies per level, as pairs of the exponent of the cell size and the count, finest first.
    ///
    /// ```
    /// use impinge::broad::HierarchicalGrid;
    /// assert!(HierarchicalGrid::default().detector().population().is_empty());
    /// ```
    #[must_use]
    pub fn population(&self) -> Vec<(i32, u32)> {
        let used = self.population.iter().enumerate().filter(|(_, n)| **n > 0);
        used.map(|(level, &n)| (level as i32 - LOWEST, n)).collect()
    }

    fn own_level(&self, slot: u32) -> usize {
        self.listed[slot as usize].map_or(0, |(level, _)| level)
    }

    fn enter(&mut self, slot: u32, own: usize, level: usize, at: [i64; 3]) {
        self.upkeep += 1;
        let cell = LevelCell {
            level: level as i64,
            at,
        };
        let head = self.cells.get(&cell).copied().unwrap_or(END);
        self.count(slot, own, level, head, true);
        let node = if self.free == END {
            self.nodes.push((slot, head));
            self.nodes.len() as u32 - 1
        } else {
            let node = self.free;
            self.free = self.nodes[node as usize].1;
            self.nodes[node as usize] = (slot, head);
            node
        };
        self.cells.insert(cell, node);
    }

    /// Counts a shared cell more or less for each body of the list whose pair belongs to the level.
    fn count(&mut self, slot: u32, own: usize, level: usize, head: u32, up: bool) {
        let mut at = head;
        while at != END {
            let (other, next) = self.nodes[at as usize];
            if other != slot && own.max(self.own_level(other)) == level {
                if up {
                    self.close.raise(key(slot, other));
                } else {
                    self.close.lower(key(slot, other));
                }
            }
            at = next;
        }
    }

    fn leave(&mut self, slot: u32, own: usize, level: usize, at: [i64; 3]) {
        self.upkeep += 1;
        let cell = LevelCell {
            level: level as i64,
            at,
        };
        let Some(&head) = self.cells.get(&cell) else {
            return;
        };
        self.count(slot, own, level, head, false);
        let (mut before, mut at) = (END, head);
        while at != END && self.nodes[at as usize].0 != slot {
            before = at;
            at = self.nodes[at as usize].1;
        }
        if at == END {
            return;
        }
        let next = self.nodes[at as usize].1;
        self.nodes[at as usize].1 = self.free;
        self.free = at;
        if before != END {
            self.nodes[before as usize].1 = next;
        } else if next == END {
            self.cells.remove(&cell);
        } else {
            self.cells.insert(cell, next);
        }
    }

    fn insert(&mut self, b: &Aabb, slot: u32) {
        let own = level_of(b);
        self.population[own] += 1;
        if self.population[own] == 1 {
            // A new level: finer bodies are listed there as well.
            for other in 0..self.listed.len() as u32 {
                if let Some((level, at)) = self.listed[other as usize]
                    && level < own
                {
                    for cell in covered(&at, own).iter() {
                        self.enter(other, level, own, cell);
                    }
                }
            }
        }
        self.listed[slot as usize] = Some((own, *b));
        for level in own..LEVELS {
            if self.population[level] > 0 {
                for cell in covered(b, level).iter() {
                    self.enter(slot, own, level, cell);
                }
            }
        }
    }

    /// How many close pairs have this as the coarser of their levels, if each is counted rightly.
    fn check_level(&self, bodies: &BodyTable, level: usize) -> Result<usize, String> {
        let mut all: Vec<(CellBox, u32)> = bodies
            .bounded()
            .filter(|&slot| self.own_level(slot) <= level)
            .map(|slot| (covered(&bodies.boxes()[slot as usize], level), slot))
            .collect();
        all.sort_unstable_by_key(|(cells, _)| cells.lo[0]);
        let mut close = 0;
        for (cells, slot) in all
            .iter()
            .filter(|(_, slot)| self.own_level(*slot) == level)
        {
            // No body here is more than two cells wide.
            let from = all.partition_point(|(other, _)| other.lo[0] < cells.lo[0] - 1);
            let beside = all[from..]
                .iter()
                .take_while(|(other, _)| other.lo[0] <= cells.hi[0]);
            for (others, other) in beside {
                let is_twin = self.own_level(*other) == level && other <= slot;
                let shared = cells.overlap(others).count();
                if is_twin || shared == 0 {
                    continue;
                }
                close += 1;
                let counted = u64::from(self.close.get(key(*slot, *other)));
                if counted != shared {
                    return Err(format!(
                        "slots {other} and {slot} share {shared} cells, counted {counted}"
                    ));
                }
            }
        }
        Ok(close)
    }

    fn remove(&mut self, slot: u32) {
        let Some((own, b)) = self.listed[slot as usize] else {
            return;
        };
        for level in own..LEVELS {
            if self.population[level] > 0 {
                for cell in covered(&b, level).iter() {
                    self.leave(slot, own, level, cell);
                }
            }
        }
        self.listed[slot as usize] = None;
        self.population[own] -= 1;
        if self.population[own] == 0 {
            for other in 0..self.listed.len() as u32 {
                if let Some((level, at)) = self.listed[other as usize]
                    && level < own
                {
                    for cell in covered(&at, own).iter() {
                        self.leave(other, level, own, cell);
                    }
                }
            }
        }
    }
}

impl Detector for HierarchicalGridDetector {
    const NAME: &'static str = "hierarchical grid";

    fn entered(&mut self, bodies: &BodyTable, slot: u32) {
        make_room(&mut self.listed, slot, None);
        self.insert(&bodies.boxes()[slot as usize], slot);
    }

    fn moved(&mut self, bodies: &BodyTable, slot: u32) {
        let new = bodies.boxes()[slot as usize];
        match self.listed[slot as usize] {
            Some((own, old)) if own == level_of(&new) => {
                self.listed[slot as usize] = Some((own, new));
                for level in own..LEVELS {
                    if self.population[level] == 0 {
                        continue;
                    }
                    let (before, now) = (covered(&old, level), covered(&new, level));
                    if before == now {
                        continue;
                    }
                    for cell in before.without(&now).into_iter().flat_map(CellBox::iter) {
                        self.leave(slot, own, level, cell);
                    }
                    for cell in now.without(&before).into_iter().flat_map(CellBox::iter) {
                        self.enter(slot, own, level, cell);
                    }
                }
            }
            _ => {
                self.remove(slot);
                self.insert(&new, slot);
            }
        }
    }

    fn left(&mut self, _: &BodyTable, slot: u32) {
        self.remove(slot);
    }

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        let boxes = bodies.boxes();
        self.tests += self.close.len() as u64;
        keys.extend(self.close.iter().map(|(pair, _)| pair).filter(|&pair| {
            let (a, b) = slots(pair);
            boxes[a as usize].overlaps(&boxes[b as usize])
        }));
        false
    }

    fn check(&self, bodies: &BodyTable) -> Result<(), String> {
        for slot in bodies.bounded() {
            let b = &bodies.boxes()[slot as usize];
            if self.listed[slot as usize] != Some((level_of(b), *b)) {
                return Err(format!("slot {slot} is not listed with its box"));
            }
        }
        // Counters are right and as many as there are close pairs: then the others have none.
        let mut close = 0;
        for level in (0..LEVELS).filter(|&level| self.population[level] > 0) {
            close += self.check_level(bodies, level)?;
        }
        if close == self.close.len() {
            Ok(())
        } else {
            Err(format!("{} counters for {close} pairs", self.close.len()))
        }
    }

    fn bytes(&self) -> usize {
        self.cells.capacity() * (size_of::<(LevelCell, u32)>() + 1)
            + self.nodes.capacity() * 8
            + self.population.capacity() * 4
            + self.listed.capacity() * size_of::<Option<(usize, Aabb)>>()
            + self.close.bytes()
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.close.len() as u64,
        }
    }
}
