//! Inserts the balls of a batch one after the other, largest first; their neighbours are found in parallel.

use glam::Vec3;

use super::clearance_terms::Ball32;
use super::options::PackEnd;
use super::pack_cell::{CellLattice, SLACK};
use super::packing_loop::{BallCandidate, PackEngine, bucket_of};
use super::parallel::map_indexed;
use super::prototype_ascent::AscentResult;
use super::surface_walls::Walls;
use crate::spheres::solid_ball::SolidBall;

/// No ball to come is larger than the latest by more than this factor, with few exceptions.
const LATEST_RATIO: f32 = 0.97;
/// Beyond this a solid counts as full: what is left lies between facets and their balls.
const FULL: f64 = 0.9995;
/// A ball larger than one before it by this factor is out of order: more than the batch explains.
const UNORDERED: f64 = 1.001;
/// The same, and late.
const LATE: f64 = 1.04;
/// Candidates, and balls to be announced, that are not worth a thread.
const FEW_CANDIDATES: usize = 16;
const FEW_BALLS: usize = 2;
/// Balls beyond this fraction of a candidate's radius, and a little more, are not in its way: walls are looked for up to less.
const IN_THE_WAY: f32 = 1.02;
const ROUNDING: f32 = 1e-6;

/// A ball inserted in this batch, with the clearance that its candidate had.
#[derive(Clone, Copy, Debug)]
struct InsertedBall {
    ball: Ball32,
    value: f32,
}

/// What a new ball means for a cell.
#[derive(Clone, Copy, Debug)]
struct CellUpdate {
    cell: u32,
    /// Of the middle of the cell from the ball.
    distance: f32,
    bound: f32,
    limit: f32,
    /// Of the place where the prototype stands from the ball.
    gap: f32,
}

impl<W: Walls> PackEngine<'_, W> {
    /// Inserts the balls of these cells, given in order, except those that one of them has come in the way of.
    pub(super) fn insert_batch(
        &mut self,
        ready: &[(f32, u32)],
        bucket: usize,
        least: f32,
    ) -> Option<PackEnd> {
        let candidates: Vec<BallCandidate> = ready
            .iter()
            .filter_map(|&(_, i)| {
                let place = self.cells[i as usize].polished;
                self.polished.get(place as usize).copied()
            })
            .collect();
        let clear = map_indexed(candidates.len(), FEW_CANDIDATES, |(): &mut (), i| {
            let BallCandidate {
                center,
                walls_at_least,
                ..
            } = candidates[i];
            self.index
                .clearance_at_least(&self.balls, center, walls_at_least)
        });
        let first = self.balls.len() as u32;
        let mut fresh: Vec<InsertedBall> = Vec::new();
        for (candidate, clear) in candidates.iter().zip(clear) {
            let end = self.insert(candidate, clear, &mut fresh, bucket);
            if end.is_some() {
                return end;
            }
        }
        self.announce(first, &fresh, bucket, least);
        None
    }

    /// Inserts a ball, unless one inserted just before has come in its way. `clear` is the radius that all before this batch allow, and
    /// the ball that bounds it.
    fn insert(
        &mut self,
        candidate: &BallCandidate,
        (mut radius, rival): (f64, Option<u32>),
        fresh: &mut Vec<InsertedBall>,
        bucket: usize,
    ) -> Option<PackEnd> {
        let id = candidate.cell as usize;
        let first = self.balls.len() - fresh.len();
        let reach = IN_THE_WAY * candidate.value + ROUNDING;
        for (k, before) in fresh.iter().enumerate() {
            let apart_sq = (candidate.place - before.ball.center).length_squared();
            let near = reach + before.ball.radius;
            if apart_sq >= near * near {
                continue;
            }
            if is_cut(before.ball.distance(candidate.place), candidate.value) {
                // The cell is told of it with the others.
                self.buckets[bucket].push(candidate.cell);
                return None;
            }
            radius = radius.min(self.balls[first + k].distance_at_least(candidate.center));
        }
        let scale = self.walls.frame().scale;
        let expected = f64::from(candidate.value) * scale;
        if radius < 0.999 * expected - 4e-7 * scale {
            // The cell did not know the ball that is in the way, or walls are not what they seemed. It learns the ball and tries again.
            let cell = &mut self.cells[id];
            (cell.found, cell.value) = (AscentResult::Nothing, 0.0);
            let is_new = |known: u32| cell.balls(&self.pools, &self.added).all(|b| b != known);
            if let Some(rival) = rival.filter(|&rival| is_new(rival)) {
                cell.add(rival, &mut self.added);
                cell.is_stale = true;
                self.buckets[bucket].push(candidate.cell);
            }
            return None;
        }
        self.work.unordered += usize::from(radius > self.least_so_far * UNORDERED);
        self.work.late += usize::from(radius > self.least_so_far * LATE);
        self.least_so_far = self.least_so_far.min(radius);
        let ball = SolidBall {
            center: candidate.center,
            radius,
        };
        self.balls.push(ball);
        self.index.add_last(&self.balls);
        self.filled += ball.volume();
        let ball = Ball32 {
            center: candidate.place,
            radius: (radius / scale) as f32,
        };
        self.balls32.push(ball);
        fresh.push(InsertedBall {
            ball,
            value: candidate.value,
        });
        self.cells[id].is_stale = true;
        self.buckets[bucket].push(candidate.cell);
        if self
            .options
            .count
            .is_some_and(|most| self.balls.len() >= most)
        {
            return Some(PackEnd::Count);
        }
        let fill = self.fill();
        if self.options.fill.is_some_and(|most| fill >= most) {
            return Some(PackEnd::Fill);
        }
        (fill > FULL).then_some(PackEnd::Full)
    }

    /// Tells the cells around about new balls, numbered from `first`.
    fn announce(&mut self, first: u32, fresh: &[InsertedBall], bucket: usize, least: f32) {
        let told = map_indexed(fresh.len(), FEW_BALLS, |(): &mut (), i| {
            self.cells_near(&fresh[i])
        });
        let last = self.buckets.len() - 1;
        for (k, (told, fresh)) in told.iter().zip(fresh).enumerate() {
            for told in told {
                let cell = &mut self.cells[told.cell as usize];
                // Balls of the same batch may have lowered it.
                if told.distance > cell.limit {
                    continue;
                }
                cell.bound = cell.bound.min(told.bound);
                cell.limit = cell.limit.min(told.limit);
                cell.add(first + k as u32, &mut self.added);
                if told.distance < cell.clearance {
                    cell.clearance = told.distance;
                    cell.is_outside &= told.distance > 0.0;
                }
                if cell.is_stale {
                    continue;
                }
                match cell.found {
                    AscentResult::Maximum if is_cut(told.gap, cell.value) => {
                        cell.is_stale = true;
                    }
                    AscentResult::Exit
                        if told.gap < cell.value * (1.0 - 1e-4) && cell.bound >= least =>
                    {
                        cell.is_stale = true;
                        let place = bucket_of(cell.bound.min(fresh.value)).clamp(bucket, last);
                        self.buckets[place].push(told.cell);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The cells for which a new ball matters.
    fn cells_near(&self, fresh: &InsertedBall) -> Vec<CellUpdate> {
        let ball = &fresh.ball;
        let CellLattice { origin, side } = self.lattice;
        let reach = self.lattice.half_diagonal();
        let range = ball.radius + fresh.value / LATEST_RATIO + 2.0 * reach;
        let low = ((ball.center - range - origin) / side - 0.5).ceil();
        let high = ((ball.center + range - origin) / side - 0.5).floor();
        let mut found = Vec::new();
        for x in low.x as i32..=high.x as i32 {
            let dx = origin.x + (x as f32 + 0.5) * side - ball.center.x;
            for y in low.y as i32..=high.y as i32 {
                let dy = origin.y + (y as f32 + 0.5) * side - ball.center.y;
                let left_sq = range * range - dx * dx - dy * dy;
                if left_sq < 0.0 {
                    continue;
                }
                let left = left_sq.sqrt();
                let from = ((ball.center.z - left - origin.z) / side - 0.5).ceil() as i32;
                let to = ((ball.center.z + left - origin.z) / side - 0.5).floor() as i32;
                for z in from..=to {
                    let Some(id) = self.table.get([x, y, z]) else {
                        continue;
                    };
                    let cell = &self.cells[id as usize];
                    let dz = origin.z + (z as f32 + 0.5) * side - ball.center.z;
                    let between = Vec3::new(dx, dy, dz);
                    let distance = between.length() - ball.radius;
                    if distance > cell.limit {
                        continue;
                    }
                    let far = self.lattice.far_corner_from(between) - ball.radius;
                    found.push(CellUpdate {
                        cell: id,
                        distance,
                        bound: self.lattice.corner_from(between) - ball.radius + SLACK,
                        limit: (distance + 2.0 * reach).min(far + reach) + SLACK,
                        gap: ball.distance(cell.place),
                    });
                }
            }
        }
        found
    }
}

/// Whether a ball at this distance from a place cuts the ball about it.
fn is_cut(gap: f32, value: f32) -> bool {
    gap < value * (1.0 + 1e-6) + 1e-7
}
