//! Spatial hashing: a uniform grid whose cells are hashed into buckets.
//!
//! **Question.** Which boxes share a cell, when space is unbounded and few cells are occupied?
//! **Idea.** Integer cell coordinates are hashed. A counting sort puts the entries of all buckets into one array; it is rebuilt
//! for each query, in two passes. Entries store their cell, so that cells that share a bucket do not mix. A pair is compared in
//! one cell only, that of the larger lower corners.
//! **Source.** Sjöberg and Ylinenpää 2009, section 2.4.3, equations 2.4 to 2.6.
//! **Cost.** Linear in the number of entries and of pairs within cells, whatever the motion.
//! **Promise.** Exactly the overlapping pairs.
//! **Limits.** One size of cell: a box that covers more than [`HashGridDetector::MOST_CELLS`] is compared with all
//! others, and many boxes in one cell are compared with each other.

use super::body_table::BodyTable;
use super::broad_phase::{Detector, DetectorPhase, key};
use super::cell_box::{CellBox, Lattice};
use super::large_bodies::LargeBodies;
use super::object::BroadWork;
use glam::DVec3;

/// A uniform hashed grid.
#[doc(alias = "spatial hashing")]
#[doc(alias = "spatial hash")]
pub type HashGrid = DetectorPhase<HashGridDetector>;

/// How a [`HashGrid`] works.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HashGridConfig {
    /// The side of a cell; when absent or not positive, twice the mean of the boxes' largest sides.
    pub cell: Option<f64>,
}

impl HashGrid {
    /// A grid with these options.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, HashGrid, HashGridConfig};
    /// let mut grid = HashGrid::new(HashGridConfig { cell: Some(2.0) });
    /// assert!(grid.pairs().is_empty());
    /// ```
    #[must_use]
    pub fn new(config: HashGridConfig) -> Self {
        Self::with(HashGridDetector {
            config,
            ..HashGridDetector::default()
        })
    }
}

/// A body in a cell.
#[derive(Clone, Copy, Debug, Default)]
struct HashEntry {
    cell: [i32; 3],
    slot: u32,
}

/// The detector of [`HashGrid`].
#[derive(Debug, Default)]
pub struct HashGridDetector {
    config: HashGridConfig,
    starts: Vec<u32>,
    entries: Vec<HashEntry>,
    /// The lower corners by slot.
    corners: Vec<[i32; 3]>,
    large: LargeBodies,
    tests: u64,
    upkeep: u64,
}

/// Cells are numbered up to this far from the origin.
const FARTHEST: i64 = 1 << 30;

impl HashGridDetector {
    /// A box in more cells than this is compared with all others.
    pub const MOST_CELLS: u64 = 64;

    fn lattice(&self, bodies: &BodyTable) -> Lattice {
        let side = match self.config.cell {
            Some(side) if side > 0.0 && side.is_finite() => side,
            _ => {
                let sides = bodies
                    .bounded()
                    .map(|slot| bodies.boxes()[slot as usize].diagonal().max_element());
                let (sum, count) = sides.fold((0.0, 0.0), |(sum, n), side| (sum + side, n + 1.0));
                2.0 * sum / f64::max(count, 1.0)
            }
        };
        let scale = if side > 0.0 { side.recip() } else { 1.0 };
        // Cells before the origin have negative numbers; the lattice counts from its own origin.
        Lattice {
            origin: DVec3::splat(-(FARTHEST as f64) / scale.min(f64::MAX)),
            scale: DVec3::splat(scale.min(f64::MAX)),
            last: [2 * FARTHEST - 1; 3],
        }
    }
}

fn bucket(cell: [i32; 3], mask: usize) -> usize {
    let [x, y, z] = cell.map(|c| c.cast_unsigned() as usize);
    let mixed =
        x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791);
    (mixed ^ mixed >> 17) & mask
}

fn small(cell: [i64; 3]) -> [i32; 3] {
    cell.map(|c| (c - FARTHEST) as i32)
}

impl Detector for HashGridDetector {
    const NAME: &'static str = "hash grid";

    fn entered(&mut self, _: &BodyTable, _: u32) {}
    fn left(&mut self, _: &BodyTable, _: u32) {}

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        let boxes = bodies.boxes();
        let lattice = self.lattice(bodies);
        let mask = (2 * bodies.len()).next_power_of_two() - 1;
        self.starts.clear();
        self.starts.resize(mask + 2, 0);
        self.corners.resize(bodies.slots(), [0; 3]);
        self.large.clear();
        let mut total = 0;
        for slot in bodies.bounded() {
            let covered: CellBox = lattice.covered(&boxes[slot as usize]);
            if covered.count() > Self::MOST_CELLS {
                self.large.set(slot, true);
                continue;
            }
            self.corners[slot as usize] = small(covered.lo);
            for cell in covered.iter() {
                self.starts[bucket(small(cell), mask)] += 1;
                total += 1;
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.resize(total, HashEntry::default());
        for slot in bodies.bounded() {
            if self.large.contains(slot) {
                continue;
            }
            for cell in lattice.covered(&boxes[slot as usize]).iter() {
                let cell = small(cell);
                let start = &mut self.starts[bucket(cell, mask)];
                *start -= 1;
                self.entries[*start as usize] = HashEntry { cell, slot };
            }
        }
        self.upkeep += total as u64;
        for run in self.starts.windows(2) {
            let entries = &self.entries[run[0] as usize..run[1] as usize];
            for (i, x) in entries.iter().enumerate() {
                for y in &entries[i + 1..] {
                    let (p, q) = (
                        &self.corners[x.slot as usize],
                        &self.corners[y.slot as usize],
                    );
                    let is_owner =
                        (0..3).all(|k| p[k].max(q[k]) == x.cell[k] && x.cell[k] == y.cell[k]);
                    if !is_owner {
                        continue;
                    }
                    self.tests += 1;
                    if boxes[x.slot as usize].overlaps(&boxes[y.slot as usize]) {
                        keys.push(key(x.slot, y.slot));
                    }
                }
            }
        }
        self.large.find(bodies, keys, &mut self.tests);
        false
    }

    fn check(&self, _: &BodyTable) -> Result<(), String> {
        if self.starts.is_sorted() {
            Ok(())
        } else {
            Err("buckets are not laid out in order".to_owned())
        }
    }

    fn bytes(&self) -> usize {
        self.starts.capacity() * 4
            + self.large.bytes()
            + self.entries.capacity() * size_of::<HashEntry>()
            + self.corners.capacity() * 12
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.entries.len() as u64,
        }
    }
}
