//! An octree over more than three slab directions.
//!
//! **Question.** Which bodies overlap along each of `k` fixed directions?
//! **Idea.** A body is represented by its intervals along `k ≥ 3` directions. A cell is cut at the
//! middle of each interval by `k` planes at once; each body is below, above or across each plane,
//! and bodies with the same pattern form the next smaller cell. Cells store the intervals around
//! their bodies, and pairs of cells are compared where all `k` intervals overlap.
//! **Source.** Proposed, not built, by Zachmann 1994, section 5.6, which leaves open what shape the
//! smaller cells have. Here bodies across a plane form cells of their own, so that each body is in
//! one cell.
//! **Cost.** Rebuilt for each query: sorting, and comparing the cells inside a cell with each
//! other.
//! **Promise.** Without oriented boxes, exactly the pairs whose boxes overlap. With them, no pair
//! whose oriented boxes meet is left out, and none is reported whose boxes along the axes do not.
//! Intervals along slanted directions are rounded outward.

use glam::DVec3;

use super::body_table::BodyTable;
use super::broad_phase::{Detector, DetectorPhase, key};
use super::object::BroadWork;

/// An octree over `k` directions.
pub type SlabOctree = DetectorPhase<SlabOctreeDetector>;

/// Which directions a [`SlabOctree`] has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlabDirections {
    /// The three axes: an octree.
    Three,
    /// And the four diagonals of a cube.
    #[default]
    Seven,
    /// And the six of its faces.
    Thirteen,
}

impl SlabOctree {
    /// An octree with these directions.
    ///
    /// ```
    /// use impinge::broad::{BroadPhase, SlabDirections, SlabOctree};
    /// let mut tree = SlabOctree::new(SlabDirections::Thirteen);
    /// assert!(tree.pairs().is_empty());
    /// ```
    #[must_use]
    pub fn new(directions: SlabDirections) -> Self {
        Self::with(SlabOctreeDetector {
            directions,
            ..SlabOctreeDetector::default()
        })
    }
}

const DIRECTIONS: [DVec3; 13] = [
    DVec3::X,
    DVec3::Y,
    DVec3::Z,
    DVec3::new(1.0, 1.0, 1.0),
    DVec3::new(1.0, 1.0, -1.0),
    DVec3::new(1.0, -1.0, 1.0),
    DVec3::new(1.0, -1.0, -1.0),
    DVec3::new(1.0, 1.0, 0.0),
    DVec3::new(1.0, -1.0, 0.0),
    DVec3::new(1.0, 0.0, 1.0),
    DVec3::new(1.0, 0.0, -1.0),
    DVec3::new(0.0, 1.0, 1.0),
    DVec3::new(0.0, 1.0, -1.0),
];

/// A cell with fewer bodies is not divided.
const FEW: u32 = 8;
/// Bits for the sides of a body at all levels.
const KEY_BITS: usize = 60;
/// Rounding of projections, generously.
const SLACK: f64 = 32.0 * f64::EPSILON;

#[derive(Clone, Copy, Debug)]
struct SlabCell {
    start: u32,
    end: u32,
    level: u32,
    /// The cells inside; none for one that is not divided.
    inner: (u32, u32),
}

/// The detector of [`SlabOctree`].
#[derive(Debug, Default)]
pub struct SlabOctreeDetector {
    directions: SlabDirections,
    /// Bodies by their sides at each level.
    order: Vec<(u64, u32)>,
    /// Intervals of bodies in that order, `[lo, hi]` per direction.
    intervals: Vec<[f64; 2]>,
    by_slot: Vec<[f64; 2]>,
    cells: Vec<SlabCell>,
    around: Vec<[f64; 2]>,
    stack: Vec<(u32, u32)>,
    tests: u64,
    upkeep: u64,
}

impl SlabOctreeDetector {
    fn count(&self) -> usize {
        match self.directions {
            SlabDirections::Three => 3,
            SlabDirections::Seven => 7,
            SlabDirections::Thirteen => 13,
        }
    }

    /// How many cells there are.
    ///
    /// ```
    /// use impinge::broad::{SlabDirections, SlabOctree};
    /// assert!(SlabOctree::new(SlabDirections::Three).detector().cells() <= 1);
    /// ```
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    fn project(&mut self, bodies: &BodyTable) {
        let k = self.count();
        self.by_slot.clear();
        self.order.clear();
        for slot in bodies.bounded() {
            let b = &bodies.boxes()[slot as usize];
            let (middle, half) = (b.min * 0.5 + b.max * 0.5, b.max * 0.5 - b.min * 0.5);
            let reach = b.min.abs().max(b.max.abs()).element_sum();
            let oriented = bodies.oriented(slot);
            self.order.push((0, slot));
            for (i, d) in DIRECTIONS[..k].iter().enumerate() {
                let mut interval = if i < 3 {
                    [b.min[i], b.max[i]]
                } else {
                    let (at, radius) = (d.dot(middle), d.abs().dot(half) + SLACK * reach);
                    [at - radius, at + radius]
                };
                if let Some(obb) = oriented {
                    let far = obb.center().abs().element_sum() + obb.half_extent().element_sum();
                    let spread = obb.axes().map(|axis| axis.dot(*d).abs());
                    let radius = DVec3::from_array(spread).dot(obb.half_extent()) + SLACK * far;
                    let at = d.dot(obb.center());
                    interval[0] = interval[0].max(at - radius);
                    interval[1] = interval[1].min(at + radius);
                }
                self.by_slot.push(interval);
            }
        }
    }

    /// On which side of each plane every body lies, level by level.
    fn part(&mut self) {
        let k = self.count();
        let mut whole = [[f64::INFINITY, f64::NEG_INFINITY]; 13];
        for body in self.by_slot.chunks_exact(k) {
            for (all, own) in whole.iter_mut().zip(body) {
                *all = [all[0].min(own[0]), all[1].max(own[1])];
            }
        }
        let levels = KEY_BITS / (2 * k);
        for (i, body) in self.by_slot.chunks_exact(k).enumerate() {
            let mut cell = whole;
            let mut sides = 0;
            for _ in 0..levels {
                for (range, own) in cell.iter_mut().zip(body) {
                    let middle = range[0] * 0.5 + range[1] * 0.5;
                    let side = if own[1] < middle {
                        range[1] = middle;
                        0
                    } else if own[0] > middle {
                        range[0] = middle;
                        2
                    } else {
                        1
                    };
                    sides = sides << 2 | side;
                }
            }
            self.order[i].0 = sides;
        }
    }

    /// Sorts the bodies and brings their intervals into the same order.
    fn arrange(&mut self) {
        let k = self.count();
        self.intervals.clear();
        let mut rows = std::mem::take(&mut self.stack);
        rows.clear();
        rows.extend(
            self.order
                .iter()
                .enumerate()
                .map(|(row, &(_, slot))| (slot, row as u32)),
        );
        self.order.sort_unstable();
        for &(_, slot) in &self.order {
            let row = match rows.binary_search_by_key(&slot, |&(s, _)| s) {
                Ok(at) => rows[at].1 as usize,
                Err(_) => 0,
            };
            self.intervals
                .extend_from_slice(&self.by_slot[row * k..(row + 1) * k]);
        }
        self.stack = rows;
    }

    fn divide(&mut self) {
        let k = self.count();
        let levels = (KEY_BITS / (2 * k)) as u32;
        self.cells.clear();
        self.around.clear();
        self.cells.push(SlabCell {
            start: 0,
            end: self.order.len() as u32,
            level: 0,
            inner: (0, 0),
        });
        let mut at = 0;
        while at < self.cells.len() {
            let cell = self.cells[at];
            let mut around = [[f64::INFINITY, f64::NEG_INFINITY]; 13];
            let bodies = &self.intervals[cell.start as usize * k..cell.end as usize * k];
            for body in bodies.chunks_exact(k) {
                for (all, own) in around.iter_mut().zip(body) {
                    *all = [all[0].min(own[0]), all[1].max(own[1])];
                }
            }
            self.around.extend_from_slice(&around[..k]);
            if cell.end - cell.start > FEW && cell.level < levels {
                let first = self.cells.len() as u32;
                let shift = (levels - cell.level - 1) * 2 * k as u32;
                let mut start = cell.start;
                while start < cell.end {
                    let sides = self.order[start as usize].0 >> shift;
                    let rest = &self.order[start as usize..cell.end as usize];
                    let end = start + rest.partition_point(|e| e.0 >> shift == sides) as u32;
                    self.cells.push(SlabCell {
                        start,
                        end,
                        level: cell.level + 1,
                        inner: (0, 0),
                    });
                    start = end;
                }
                self.cells[at].inner = (first, self.cells.len() as u32);
            }
            at += 1;
        }
        self.upkeep += self.cells.len() as u64;
    }

    fn join(&mut self, keys: &mut Vec<u64>) {
        let k = self.count();
        let overlap = |rows: &[[f64; 2]], x: u32, y: u32| {
            let (p, q) = (&rows[x as usize * k..], &rows[y as usize * k..]);
            (0..k).all(|i| p[i][0] <= q[i][1] && q[i][0] <= p[i][1])
        };
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push((0, 0));
        while let Some((x, y)) = stack.pop() {
            let (a, b) = (self.cells[x as usize], self.cells[y as usize]);
            let (whole_a, whole_b) = (a.inner.0 == a.inner.1, b.inner.0 == b.inner.1);
            if whole_a && whole_b {
                for i in a.start..a.end {
                    let from = if x == y { i + 1 } else { b.start };
                    for j in from..b.end {
                        self.tests += 1;
                        if overlap(&self.intervals, i, j) {
                            keys.push(key(self.order[i as usize].1, self.order[j as usize].1));
                        }
                    }
                }
                continue;
            }
            let mut push = |x: u32, y: u32| {
                self.tests += 1;
                if overlap(&self.around, x, y) {
                    stack.push((x, y));
                }
            };
            if x == y {
                for i in a.inner.0..a.inner.1 {
                    for j in i..a.inner.1 {
                        push(i, j);
                    }
                }
            } else if whole_b || (!whole_a && a.end - a.start >= b.end - b.start) {
                (a.inner.0..a.inner.1).for_each(|i| push(i, y));
            } else {
                (b.inner.0..b.inner.1).for_each(|j| push(x, j));
            }
        }
        self.stack = stack;
    }
}

impl Detector for SlabOctreeDetector {
    const NAME: &'static str = "slab octree";

    fn entered(&mut self, _: &BodyTable, _: u32) {}
    fn left(&mut self, _: &BodyTable, _: u32) {}

    fn find(&mut self, bodies: &BodyTable, keys: &mut Vec<u64>) -> bool {
        self.project(bodies);
        if !self.order.is_empty() {
            self.part();
            self.arrange();
            self.divide();
            self.join(keys);
        }
        false
    }

    fn check(&self, _: &BodyTable) -> Result<(), String> {
        if self.order.is_sorted() || self.cells.is_empty() {
            Ok(())
        } else {
            Err("bodies are not in the order of their cells".to_owned())
        }
    }

    fn bytes(&self) -> usize {
        let intervals =
            self.intervals.capacity() + self.by_slot.capacity() + self.around.capacity();
        intervals * 16
            + self.order.capacity() * 16
            + self.cells.capacity() * size_of::<SlabCell>()
            + self.stack.capacity() * 8
    }

    fn work(&self) -> BroadWork {
        BroadWork {
            tests: self.tests,
            upkeep: self.upkeep,
            entries: self.cells.len() as u64,
        }
    }
}
