//! The packing loop: levels of cells, and batches of balls of about equal size, largest first.

use std::ops::ControlFlow;

use glam::{DVec3, Vec3};

use super::ball_index::BallIndex;
use super::cell_table::CellTable;
use super::clearance_terms::Ball32;
use super::convergence::COARSE;
use super::nearby_terms::PackScratch;
use super::options::{PackEnd, PackOptions, PackProgress, PackWork};
use super::pack_cell::{AddedBalls, CellChunk, CellLattice, CellLists, NONE, NextLevel, PackCell};
use super::parallel::{ThreadScratch, map_kept};
use super::prototype_ascent::{AscentResult, PrototypeAscent};
use super::surface_walls::Walls;
use crate::math::Rng;
use crate::math::simd::Level;
use crate::spheres::solid_ball::SolidBall;

/// Radii of one batch differ by at most 0.1 %: minus one over the logarithm of 0.999.
const BATCHES_PER_LOG: f32 = 999.499_92;
/// A level looks for balls down to this fraction of its cells' side: first strictly, then generously.
const STRICT: f32 = 0.7;
const GENEROUS: f32 = 0.25;
/// From so many balls on.
const STRICT_COUNT: usize = 100;
const MOST_LEVELS: usize = 18;
const MOST_CELLS: usize = 8_000_000;
/// Smallest radius, as a fraction of the frame; smaller balls are lost in rounding.
pub(super) const LEAST_RADIUS: f32 = 1e-5;
/// Counts of balls grow as this power of the inverse radius: the dimension of Apollonian packings.
const DIMENSION: f32 = 2.5;
/// How many batches to look ahead, and how many cells end the look-ahead.
const AHEAD_BATCHES: usize = 12;
const AHEAD_CELLS: usize = 64;
/// Cells per batch of work for a thread.
const FEW_CELLS: usize = 32;

/// A packing in the making.
pub(super) struct PackEngine<'a, W> {
    pub(super) walls: &'a W,
    pub(super) options: &'a PackOptions,
    pub(super) balls: Vec<SolidBall>,
    pub(super) balls32: Vec<Ball32>,
    pub(super) index: BallIndex,
    pub(super) filled: f64,
    pub(super) work: PackWork,
    pub(super) cells: Vec<PackCell>,
    pub(super) pools: Vec<CellLists>,
    pub(super) added: Vec<AddedBalls>,
    /// Exactly known places of this level.
    pub(super) polished: Vec<BallCandidate>,
    pub(super) table: CellTable,
    pub(super) lattice: CellLattice,
    pub(super) asks_tree: bool,
    level: Level,
    pub(super) least_so_far: f64,
    pub(super) buckets: Vec<Vec<u32>>,
    /// Memory of the threads.
    pub(super) kept: ThreadScratch<PackScratch>,
}

/// A ball about to be inserted.
#[derive(Clone, Copy)]
pub(super) struct BallCandidate {
    pub(super) cell: u32,
    pub(super) value: f32,
    pub(super) place: Vec3,
    pub(super) center: DVec3,
    /// No wall is nearer, in the solid's units.
    pub(super) walls_at_least: f64,
}

impl<'a, W: Walls> PackEngine<'a, W> {
    pub(super) fn new(walls: &'a W, options: &'a PackOptions) -> Self {
        let (low, high) = walls.corners();
        // Borders of cells should not run through places of symmetry, where large balls have their centres.
        let mut rng = Rng::new(options.seed);
        let shift = Vec3::from_array([(); 3].map(|()| 0.011 + 0.01 * rng.unit() as f32));
        let lattice = CellLattice {
            origin: low - shift,
            side: (high - low).max_element() * 1.001 + 0.05,
        };
        Self {
            walls,
            options,
            balls: Vec::new(),
            balls32: Vec::new(),
            index: BallIndex::default(),
            filled: 0.0,
            work: PackWork::default(),
            cells: vec![PackCell::root()],
            pools: vec![CellLists::new()],
            added: Vec::new(),
            polished: Vec::new(),
            table: CellTable::default(),
            lattice,
            asks_tree: true,
            level: Level::detect(),
            least_so_far: f64::INFINITY,
            buckets: Vec::new(),
            kept: ThreadScratch::default(),
        }
    }

    pub(super) fn search(&self) -> PrototypeAscent<'_, W> {
        PrototypeAscent {
            walls: self.walls,
            balls: &self.balls32,
            pools: &self.pools,
            added: &self.added,
            lattice: self.lattice,
            asks_tree: self.asks_tree,
            ascent: self.options.ascent,
            level: self.level,
        }
    }

    /// The side of the cells.
    pub(super) fn side(&self) -> f32 {
        self.lattice.side
    }

    pub(super) fn fill(&self) -> f64 {
        self.filled / self.walls.volume()
    }

    /// Levels until a bound is met.
    pub(super) fn run(
        &mut self,
        progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
    ) -> PackEnd {
        let wanted = (self.options.min_radius.unwrap_or(0.0) / self.walls.frame().scale) as f32;
        let floor = wanted.max(LEAST_RADIUS);
        // The radius down to which the levels so far have looked.
        let mut reached = self.lattice.side;
        for _ in 0..MOST_LEVELS {
            let final_radius = self.final_radius(reached).max(floor);
            let ratio = if self.balls.len() < STRICT_COUNT {
                STRICT
            } else {
                GENEROUS
            };
            let side = 0.5 * self.lattice.side;
            let mut least = (ratio * side).max(floor).min(reached);
            let mut keep = floor;
            if self.balls.len() > 200 {
                keep = (0.7 * final_radius).clamp(floor, least);
            }
            // The more balls, the surer the guess; too high a guess costs another level.
            if self.balls.len() > 2000 {
                least = least.max(0.95 * final_radius);
            } else if self.balls.len() > STRICT_COUNT {
                least = least.max(0.85 * final_radius);
            }
            self.split(side, keep);
            self.work.levels += 1;
            self.work.cells += self.cells.len();
            if self.cells.is_empty() || self.cells.len() > MOST_CELLS {
                return PackEnd::Full;
            }
            if let Some(end) = self.fill_level(least, progress) {
                return end;
            }
            reached = least;
            if reached <= floor {
                return if wanted > LEAST_RADIUS {
                    PackEnd::MinRadius
                } else {
                    PackEnd::Full
                };
            }
        }
        PackEnd::Full
    }

    /// The radius at which the packing will probably end.
    fn final_radius(&self, reached: f32) -> f32 {
        let count = self.balls.len() as f32;
        let mut radius = 0.0_f32;
        if let Some(wanted) = self.options.count {
            let part = count / wanted.max(1) as f32;
            radius = radius.max(reached * libm::powf(part, 1.0 / DIMENSION));
        }
        if let Some(wanted) = self.options.fill {
            // The void falls as the fifth root of the count, so as the square root of the radius.
            let part = ((1.0 - wanted) / (1.0 - self.fill()).max(1e-9)) as f32;
            radius = radius.max(reached * (part * part).min(1.0));
        }
        radius.min(reached)
    }

    /// Replaces every cell by its children.
    pub(super) fn split(&mut self, side: f32, keep: f32) {
        let lattice = CellLattice {
            side,
            ..self.lattice
        };
        let keeps_walls = side < self.walls.list_side();
        let below = NextLevel {
            lattice,
            keeps_walls,
            least_radius: keep,
        };
        let count = self.cells.len();
        let parts = (count / FEW_CELLS).clamp(1, 512).max(count.min(8));
        let size = count.div_ceil(parts);
        let search = self.search();
        let made: Vec<CellChunk> = map_kept(&self.kept, parts, 1, |scratch, part| {
            let mut made = CellChunk::default();
            let range = (part * size).min(count)..((part + 1) * size).min(count);
            for cell in &self.cells[range] {
                search.split(cell, &below, scratch, &mut made);
            }
            made
        });
        self.cells.clear();
        self.pools.clear();
        self.added.clear();
        self.polished.clear();
        for (i, mut part) in made.into_iter().enumerate() {
            for cell in &mut part.cells {
                cell.pool = i as u32;
            }
            self.cells.append(&mut part.cells);
            self.pools.push(part.pool);
        }
        self.lattice = lattice;
        self.asks_tree = !keeps_walls;
        self.table = CellTable::new(self.cells.iter().map(|cell| cell.key));
    }

    /// Inserts all balls of at least this radius.
    fn fill_level(
        &mut self,
        least: f32,
        progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
    ) -> Option<PackEnd> {
        let all: Vec<u32> = (0..self.cells.len() as u32)
            .filter(|&i| {
                let cell = &mut self.cells[i as usize];
                cell.is_stale = cell.bound >= least;
                cell.is_stale
            })
            .collect();
        self.converge(&all, least);
        let last = bucket_of(least);
        self.buckets.clear();
        self.buckets.resize(last + 1, Vec::new());
        for i in all {
            let cell = &self.cells[i as usize];
            if cell.found == AscentResult::Maximum && cell.hoped(COARSE) >= least {
                let bucket = bucket_of(cell.hoped(COARSE)).min(last);
                self.buckets[bucket].push(i);
            }
        }
        let mut at = 0;
        while at <= last {
            if self.buckets[at].is_empty() {
                at += 1;
                continue;
            }
            let mut list = std::mem::take(&mut self.buckets[at]);
            list.sort_unstable();
            list.dedup();
            let ahead = self.ahead(&list, at, last);
            let mut all = list.clone();
            all.extend(ahead.iter().map(|entry| entry.0));
            for found in self.converge(&all, least) {
                let bucket = bucket_of(self.cells[found as usize].hoped(COARSE));
                self.buckets[bucket.clamp(at, last)].push(found);
            }
            self.polish_batch(&all, at, least);
            for (i, listed) in ahead {
                let cell = &self.cells[i as usize];
                let bucket = bucket_of(cell.hoped(COARSE).max(least)).max(at);
                if cell.found == AscentResult::Maximum && bucket < listed {
                    self.buckets[bucket].push(i);
                }
            }
            let mut ready: Vec<(f32, u32)> = Vec::new();
            for &i in &list {
                let cell = &self.cells[i as usize];
                if cell.found != AscentResult::Maximum || cell.hoped(COARSE) < least {
                    continue;
                }
                let bucket = bucket_of(cell.hoped(COARSE)).min(last);
                if bucket > at {
                    self.buckets[bucket].push(i);
                } else if cell.value >= least {
                    ready.push((cell.value, i));
                }
            }
            ready.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            if let Some(end) = self.insert_batch(&ready, at, least) {
                return Some(end);
            }
            if let Some(ball) = self.balls.last() {
                let now = PackProgress {
                    count: self.balls.len(),
                    fill: self.fill(),
                    radius: ball.radius,
                };
                if progress(&now).is_break() {
                    return Some(PackEnd::Cancelled);
                }
            }
        }
        None
    }

    /// Cells of the next batches, with their batch, that are worth looking at together with a short list that has work to do. Few of them
    /// will have to climb again, and threads are not kept waiting.
    fn ahead(&self, list: &[u32], at: usize, last: usize) -> Vec<(u32, usize)> {
        let has_work = |i: u32| {
            let cell = &self.cells[i as usize];
            cell.is_stale || (cell.found == AscentResult::Maximum && cell.polished == NONE)
        };
        let mut found: Vec<(u32, usize)> = Vec::new();
        if self.balls.len() < STRICT_COUNT || !list.iter().any(|&i| has_work(i)) {
            return found;
        }
        for batch in at + 1..=(at + AHEAD_BATCHES).min(last) {
            if list.len() + found.len() >= AHEAD_CELLS {
                break;
            }
            let cells = self.buckets[batch].iter();
            found.extend(cells.filter(|&&i| has_work(i)).map(|&i| (i, batch)));
        }
        found.sort_unstable();
        found.dedup_by_key(|entry| entry.0);
        found.retain(|entry| list.binary_search(&entry.0).is_err());
        found
    }
}

impl<W> std::fmt::Debug for PackEngine<'_, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("balls", &self.balls.len())
            .field("work", &self.work)
            .finish_non_exhaustive()
    }
}

/// The batch in which a ball of this radius is inserted.
pub(super) fn bucket_of(radius: f32) -> usize {
    // Radii are below 2, so the logarithm is not negative.
    (libm::logf(2.0 / radius) * BATCHES_PER_LOG).max(0.0) as usize
}
