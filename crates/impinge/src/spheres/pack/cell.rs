//! Cells: where prototypes live, and what each of them can meet.

use glam::Vec3;

use super::ascent::{DILATION, Found, Scratch, Search};
use super::walls::Walls;

/// No element.
pub(super) const NONE: u32 = u32::MAX;
/// What rounding may do to a distance in the frame, with room to spare.
const SLACK: f32 = 2e-6;
/// The distance that stands for "no ball".
const FAR: f32 = 8.0;

/// Lists of the cells of one part of the level: for each, its walls and then its balls.
pub(super) type Pool = Vec<u32>;

/// A ball that came to a cell after the cell was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added {
    pub(super) ball: u32,
    pub(super) next: u32,
}

/// Where the cells of a level lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub(super) origin: Vec3,
    pub(super) side: f32,
}

impl Lattice {
    #[inline]
    pub(super) fn center(&self, key: [i32; 3]) -> Vec3 {
        let key = Vec3::new(key[0] as f32, key[1] as f32, key[2] as f32);
        self.origin + (key + 0.5) * self.side
    }

    /// From the middle of a cell to the farthest place of its prototype.
    pub(super) fn half_diagonal(&self) -> f32 {
        0.5 * 1.732_050_8 * self.side * DILATION
    }
}

/// A cell with the last answer of its prototype.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) key: [i32; 3],
    /// Distance of the middle from the nearest wall or ball.
    pub(super) clearance: f32,
    /// Whether the middle lies outside the solid.
    pub(super) is_outside: bool,
    pub(super) pool: u32,
    first: u32,
    wall_count: u32,
    ball_count: u32,
    /// The latest ball added, as an index.
    pub(super) added: u32,
    pub(super) found: Found,
    pub(super) place: Vec3,
    pub(super) value: f32,
    /// Whether the answer may no longer hold.
    pub(super) is_stale: bool,
    /// The candidate with the exact place, as an index; [`NONE`] while the place is only roughly known.
    pub(super) polished: u32,
}

impl Cell {
    /// The cell around everything.
    pub(super) fn root() -> Self {
        Self {
            key: [0; 3],
            clearance: 0.0,
            is_outside: true,
            pool: 0,
            first: 0,
            wall_count: 0,
            ball_count: 0,
            added: NONE,
            found: Found::Nothing,
            place: Vec3::ZERO,
            value: 0.0,
            is_stale: true,
            polished: NONE,
        }
    }

    /// No ball in the cell can be larger.
    pub(super) fn largest(&self, half_diagonal: f32) -> f32 {
        if self.is_outside {
            half_diagonal - self.clearance
        } else {
            self.clearance + half_diagonal
        }
    }

    /// What the peak may turn out to be once its place is exactly known.
    pub(super) fn hoped(&self, coarse: f32) -> f32 {
        if self.polished == NONE {
            self.value * (1.0 + coarse)
        } else {
            self.value
        }
    }

    pub(super) fn walls<'p>(&self, pools: &'p [Pool]) -> &'p [u32] {
        let first = self.first as usize;
        &pools[self.pool as usize][first..first + self.wall_count as usize]
    }

    pub(super) fn balls<'p>(
        &self,
        pools: &'p [Pool],
        added: &'p [Added],
    ) -> impl Iterator<Item = u32> + use<'p> {
        let first = (self.first + self.wall_count) as usize;
        let listed = &pools[self.pool as usize][first..first + self.ball_count as usize];
        let mut next = self.added;
        let late = std::iter::from_fn(move || {
            let entry = added.get(next as usize)?;
            next = entry.next;
            Some(entry.ball)
        });
        listed.iter().copied().chain(late)
    }
}

/// Cells of one part of a level, with their lists.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) cells: Vec<Cell>,
    pub(super) pool: Pool,
}

/// The level below, as it will be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    pub(super) lattice: Lattice,
    /// Whether its cells keep lists of walls.
    pub(super) keeps_walls: bool,
    /// Cells that cannot hold a ball of this radius are left out.
    pub(super) least_radius: f32,
}

impl<W: Walls> Search<'_, W> {
    /// Appends those of the eight children of a cell that may still hold a ball.
    pub(super) fn split(&self, cell: &Cell, below: &Below, scratch: &mut Scratch, part: &mut Part) {
        let reach = below.lattice.half_diagonal();
        let mut distances: Vec<(u32, f32)> = Vec::new();
        let least_radius = below.least_radius.max(SLACK);
        for octant in 0..8 {
            let bit = |k: i32| (octant >> k) & 1;
            let key = [
                cell.key[0] * 2 + bit(0),
                cell.key[1] * 2 + bit(1),
                cell.key[2] * 2 + bit(2),
            ];
            let center = below.lattice.center(key);
            distances.clear();
            let mut clearance = FAR;
            for ball in cell.balls(self.pools, self.added) {
                let distance = self.balls[ball as usize].distance(center);
                clearance = clearance.min(distance);
                distances.push((ball, distance));
            }
            if clearance + reach < least_radius {
                continue;
            }
            let within = clearance.max(0.0) + 2.0 * reach + SLACK;
            let near = if self.asks_tree {
                self.walls.nearest(center, within, &mut scratch.probe)
            } else {
                self.measure_list(cell, center, within, reach, scratch);
                let id = scratch.terms.nearest_wall();
                id.map(|id| self.walls.near(center, id))
            };
            let is_outside = near
                .as_ref()
                .is_some_and(|near| !self.walls.is_inside(center, near));
            let wall = near.map_or(FAR, |near| near.distance);
            if is_outside && wall > reach {
                continue;
            }
            let clearance = clearance.min(wall);
            let first = part.pool.len();
            let mut child = Cell {
                key,
                clearance,
                is_outside,
                first: first as u32,
                place: center,
                ..Cell::root()
            };
            let largest = if is_outside {
                reach - wall
            } else {
                clearance + reach
            };
            if largest < least_radius {
                continue;
            }
            let limit = clearance + 2.0 * reach + SLACK;
            if below.keeps_walls {
                if self.asks_tree {
                    self.walls
                        .within(center, limit, &mut part.pool, &mut scratch.probe);
                } else {
                    for (place, &wall) in scratch.terms.wall_ids().iter().enumerate() {
                        if scratch.terms.wall_distance(place) <= limit {
                            part.pool.push(wall);
                        }
                    }
                }
            }
            child.wall_count = (part.pool.len() - first) as u32;
            for &(ball, distance) in &distances {
                if distance <= limit {
                    part.pool.push(ball);
                }
            }
            child.ball_count = (part.pool.len() - first) as u32 - child.wall_count;
            part.cells.push(child);
        }
    }

    /// Measures those walls of a cell that can matter about `center`.
    fn measure_list(
        &self,
        cell: &Cell,
        center: Vec3,
        within: f32,
        reach: f32,
        scratch: &mut Scratch,
    ) {
        let mut least = within;
        let candidates = &mut scratch.walls;
        candidates.clear();
        for &wall in cell.walls(self.pools) {
            let (middle, radius) = self.walls.ball_around(wall);
            let distance = (center - middle).length();
            least = least.min(distance + 2.0 * reach + SLACK);
            candidates.push((wall, distance - radius));
        }
        scratch.terms.clear();
        for &(wall, distance) in candidates.iter() {
            if distance <= least {
                scratch.terms.push_wall(wall, &self.walls.wall(wall));
            }
        }
        scratch.terms.measure(self.level, center);
    }
}
