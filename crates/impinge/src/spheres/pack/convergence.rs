//! Convergence of prototypes: approximately, then across cells, then exactly.

use glam::Vec3;

use super::pack_cell::NONE;
use super::packing_loop::{BallCandidate, PackEngine, bucket_of};
use super::parallel::map_kept;
use super::prototype_ascent::{AscentEnd, AscentResult};
use super::refine_f64::refine;
use super::surface_walls::Walls;
use crate::math::sort::sort_many;

/// How exact an ascent is, relative to the clearance, at first and before a ball is inserted.
pub(super) const COARSE: f32 = 5e-3;
const FINE: f32 = 1e-5;
/// The first balls are refined, unless so many come at once.
const REFINED_COUNT: usize = 24;
const REFINED_BATCH: usize = 48;
/// Places of this many batches ahead are found exactly, if they are at hand.
const POLISHED_AHEAD: usize = 6;
/// Ascents that are not worth a thread, where cells have lists of walls; where the tree is queried, each is.
const FEW_ASCENTS: usize = 3;
/// Cells that one way up may cross.
const MOST_CROSSINGS: usize = 8;
/// Peaks nearer to each other than this fraction of their radius are one.
const SAME: f32 = 0.05;
/// A prototype takes over from another that is so much higher.
const HIGHER: f32 = 1.0 + COARSE;

/// A way up that leads into another cell.
#[derive(Clone, Copy, Debug)]
struct CellCrossing {
    into: u32,
    place: Vec3,
    clearance: f32,
}

impl<W: Walls> PackEngine<'_, W> {
    /// Lets the prototypes of stale cells climb; other cells that have come higher by that are told.
    pub(super) fn converge(&mut self, list: &[u32], least: f32) -> Vec<u32> {
        let stale: Vec<u32> = list
            .iter()
            .copied()
            .filter(|&i| self.cells[i as usize].is_stale)
            .collect();
        self.work.ascents += stale.len();
        let search = self.search();
        let few = self.few_ascents();
        let ended: Vec<(AscentEnd, u32)> = map_kept(&self.kept, stale.len(), few, |scratch, i| {
            let cell = &self.cells[stale[i] as usize];
            let ended = search.ascend(cell, least, None, COARSE, scratch);
            (ended, self.owner(&ended))
        });
        for (&i, (ended, owner)) in stale.iter().zip(&ended) {
            self.take(i, ended, *owner);
        }
        for &i in &stale {
            if self.is_known(i) {
                self.cells[i as usize].found = AscentResult::Exit;
            }
        }
        self.cross(stale, least)
    }

    /// Whether the peak lies in another cell that knows it: one of them is enough.
    fn is_known(&self, id: u32) -> bool {
        let cell = &self.cells[id as usize];
        if cell.found != AscentResult::Maximum {
            return false;
        }
        let Some(other) = self.cells.get(cell.owner as usize) else {
            return false;
        };
        cell.owner != id
            && other.found == AscentResult::Maximum
            && !other.is_stale
            && (other.place - cell.place).length() < SAME * cell.value
            && other.value > (1.0 - COARSE) * cell.value
    }

    /// The cell that holds the place where an ascent ended.
    fn owner(&self, ended: &AscentEnd) -> u32 {
        self.table
            .get(self.lattice.key(ended.place))
            .unwrap_or(NONE)
    }

    fn take(&mut self, cell: u32, ended: &AscentEnd, owner: u32) {
        let cell = &mut self.cells[cell as usize];
        cell.is_stale = false;
        cell.found = ended.found;
        cell.place = ended.place;
        cell.value = ended.clearance;
        cell.known = ended.known;
        cell.polished = NONE;
        cell.owner = owner;
    }

    /// Ways up that leave their cell go on in the next one, if that one's prototype has not come as high. Its own start may have led
    /// it to a lower peak, or nowhere. The cells whose prototypes took over come back.
    fn cross(&mut self, mut left: Vec<u32>, least: f32) -> Vec<u32> {
        let mut moved: Vec<u32> = Vec::new();
        for _ in 0..MOST_CROSSINGS {
            let mut crossings: Vec<CellCrossing> = left
                .iter()
                .filter_map(|&i| self.crossing(i, least))
                .collect();
            if crossings.is_empty() {
                break;
            }
            // The highest way into each cell.
            sort_many(&mut crossings, |x, y| {
                let by_height = y.clearance.total_cmp(&x.clearance);
                x.into.cmp(&y.into).then(by_height)
            });
            crossings.dedup_by_key(|crossing| crossing.into);
            self.work.ascents += crossings.len();
            let search = self.search();
            let (few, count) = (self.few_ascents(), crossings.len());
            let ended: Vec<(AscentEnd, u32)> = map_kept(&self.kept, count, few, |scratch, i| {
                let crossing = &crossings[i];
                let cell = &self.cells[crossing.into as usize];
                let ended = search.ascend(cell, least, Some(crossing.place), COARSE, scratch);
                (ended, self.owner(&ended))
            });
            left.clear();
            for (crossing, (ended, owner)) in crossings.iter().zip(&ended) {
                let value = self.cells[crossing.into as usize].value;
                if ended.found != AscentResult::Nothing && ended.clearance > value {
                    self.take(crossing.into, ended, *owner);
                    left.push(crossing.into);
                    moved.push(crossing.into);
                }
            }
        }
        moved
    }

    /// The neighbouring cell in which the ascent from this cell continues. `None` if the ascent ends in this cell, or if
    /// the neighbour already has a better value or cannot reach `least`.
    fn crossing(&self, id: u32, least: f32) -> Option<CellCrossing> {
        let cell = &self.cells[id as usize];
        if cell.found != AscentResult::Exit {
            return None;
        }
        let into = cell.owner;
        let next = self.cells.get(into as usize)?;
        let is_lower = next.found == AscentResult::Nothing || next.value * HIGHER < cell.value;
        let is_worth = next.bound >= least;
        (into != id && !next.is_stale && is_lower && is_worth).then_some(CellCrossing {
            into,
            place: cell.place,
            clearance: cell.value,
        })
    }

    /// Refines the maxima of those cells in `list` whose sphere may belong to the batch.
    pub(super) fn polish_batch(&mut self, list: &[u32], at: usize, least: f32) {
        let rough: Vec<(f32, u32)> = list
            .iter()
            .map(|&i| (self.cells[i as usize].value, i))
            .filter(|&(_, i)| {
                let cell = &self.cells[i as usize];
                let hoped = cell.hoped(COARSE);
                cell.found == AscentResult::Maximum
                    && cell.polished == NONE
                    && hoped >= least
                    && bucket_of(hoped) <= at + POLISHED_AHEAD
            })
            .collect();
        for candidate in self.polish(&rough, least) {
            let cell = &mut self.cells[candidate.cell as usize];
            cell.place = candidate.place;
            cell.value = candidate.value;
            cell.polished = self.polished.len() as u32;
            self.polished.push(candidate);
        }
    }

    fn few_ascents(&self) -> usize {
        if self.asks_tree { 1 } else { FEW_ASCENTS }
    }

    /// Finds the exact places of balls that are to be inserted, and how far the walls are.
    pub(super) fn polish(&self, ready: &[(f32, u32)], least: f32) -> Vec<BallCandidate> {
        let search = self.search();
        let frame = *self.walls.frame();
        let few = self.few_ascents();
        map_kept(&self.kept, ready.len(), few, |scratch, i| {
            let (value, id) = ready[i];
            let cell = &self.cells[id as usize];
            let ended = search.ascend(cell, least, Some(cell.place), FINE, scratch);
            let (place, value) = if ended.found != AscentResult::Nothing && ended.clearance > value
            {
                (ended.place, ended.clearance)
            } else {
                (cell.place, value)
            };
            let mut center = frame.leave(place);
            let (mut place, mut value) = (place, value);
            if self.balls.len() < REFINED_COUNT && ready.len() <= REFINED_BATCH {
                let clearance = f64::from(value) * frame.scale;
                let probe = &mut scratch.probe;
                if let Some(found) = refine(self.walls, &self.balls, center, clearance, probe) {
                    center = found;
                    place = frame.enter(found);
                    let within = clearance * 1.05;
                    let walls = self.walls.clearance_at_least(found, within, probe);
                    let free = self.index.clearance_at_least(&self.balls, found, walls).0;
                    value = value.max((free / frame.scale) as f32);
                }
            }
            let within = f64::from(value) * 1.01 * frame.scale;
            BallCandidate {
                cell: id,
                value,
                place,
                center,
                walls_at_least: self
                    .walls
                    .clearance_at_least(center, within, &mut scratch.probe),
            }
        })
    }
}
