//! Cells: each confines a prototype and lists the walls and spheres that can matter to it.

use glam::Vec3;

use super::nearby_terms::PackScratch;
use super::prototype_ascent::{AscentResult, DILATION, PrototypeAscent};
use super::surface_walls::Walls;

/// No element.
pub(super) const NONE: u32 = u32::MAX;
/// Walls that were nearest to the end of an ascent, then [`NONE`].
pub(super) type NearestWalls = [u32; 8];
pub(super) const NOTHING_KNOWN: NearestWalls = [NONE; 8];
/// What rounding may do to a distance in the frame, with room to spare.
pub(super) const SLACK: f32 = 2e-6;
/// The distance that stands for "no ball".
const FAR: f32 = 8.0;

/// Lists of the cells of one part of the level: for each, its walls and then its balls.
pub(super) type CellLists = Vec<u32>;

/// Balls that came to a cell after the cell was made, in the order in which they came; then [`NONE`].
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct AddedBalls {
    balls: [u32; 7],
    /// Those that came before them, as an index.
    next: u32,
}

/// Where the cells of a level lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellLattice {
    pub(super) origin: Vec3,
    pub(super) side: f32,
}

impl CellLattice {
    #[inline]
    pub(super) fn center(&self, key: [i32; 3]) -> Vec3 {
        let key = Vec3::new(key[0] as f32, key[1] as f32, key[2] as f32);
        self.origin + (key + 0.5) * self.side
    }

    /// The key of the cell that holds a place.
    pub(super) fn key(&self, p: Vec3) -> [i32; 3] {
        let key = ((p - self.origin) / self.side).floor();
        [key.x as i32, key.y as i32, key.z as i32]
    }

    /// From a point to the farthest corner of a cell, given what is between it and the middle; no place of the cell is farther.
    #[inline]
    pub(super) fn corner_from(&self, between: Vec3) -> f32 {
        (between.abs() + 0.5 * self.side).length()
    }

    /// The same for the farthest place of the cell's prototype.
    #[inline]
    pub(super) fn far_corner_from(&self, between: Vec3) -> f32 {
        (between.abs() + 0.5 * DILATION * self.side).length()
    }

    /// From the middle of a cell to the farthest place of its prototype.
    pub(super) fn half_diagonal(&self) -> f32 {
        0.5 * 1.732_050_8 * self.side * DILATION
    }
}

/// A cell with the last answer of its prototype. The fields that a new ball needs lie together.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct PackCell {
    pub(super) key: [i32; 3],
    /// Distance of the middle from the nearest wall or ball.
    pub(super) clearance: f32,
    /// No ball with its centre in the cell can be larger.
    pub(super) bound: f32,
    /// What is farther from the middle does not matter where the prototype may be.
    pub(super) limit: f32,
    /// The latest balls added, as an index.
    pub(super) added: u32,
    pub(super) place: Vec3,
    pub(super) value: f32,
    /// The candidate with the exact place, as an index; [`NONE`] while the place is only roughly known.
    pub(super) polished: u32,
    /// The cell that holds the place.
    pub(super) owner: u32,
    pub(super) found: AscentResult,
    /// Whether the answer may no longer hold.
    pub(super) is_stale: bool,
    /// Whether the middle lies outside the solid.
    pub(super) is_outside: bool,
    /// No wall is nearer to the middle.
    pub(super) wall_free: f32,
    pub(super) pool: u32,
    first: u32,
    wall_count: u32,
    ball_count: u32,
    /// Where the tree is queried: walls to begin with.
    pub(super) known: NearestWalls,
}

const _: () = assert!(size_of::<PackCell>() == 128);

impl PackCell {
    /// The cell around everything.
    pub(super) fn root() -> Self {
        Self {
            key: [0; 3],
            clearance: 0.0,
            bound: FAR,
            limit: FAR,
            wall_free: 0.0,
            known: NOTHING_KNOWN,
            is_outside: true,
            pool: 0,
            first: 0,
            wall_count: 0,
            ball_count: 0,
            added: NONE,
            found: AscentResult::Nothing,
            place: Vec3::ZERO,
            value: 0.0,
            is_stale: true,
            polished: NONE,
            owner: NONE,
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

    pub(super) fn walls<'p>(&self, pools: &'p [CellLists]) -> &'p [u32] {
        let first = self.first as usize;
        &pools[self.pool as usize][first..first + self.wall_count as usize]
    }

    pub(super) fn balls<'p>(
        &self,
        pools: &'p [CellLists],
        added: &'p [AddedBalls],
    ) -> impl Iterator<Item = u32> + use<'p> {
        let first = (self.first + self.wall_count) as usize;
        let listed = &pools[self.pool as usize][first..first + self.ball_count as usize];
        let mut next = self.added;
        let late = std::iter::from_fn(move || {
            let block = added.get(next as usize)?;
            next = block.next;
            Some(block.balls.iter().copied().take_while(|&ball| ball != NONE))
        });
        listed.iter().copied().chain(late.flatten())
    }

    /// The cell learns of a ball.
    pub(super) fn add(&mut self, ball: u32, added: &mut Vec<AddedBalls>) {
        if let Some(block) = added.get_mut(self.added as usize)
            && let Some(slot) = block.balls.iter_mut().find(|slot| **slot == NONE)
        {
            *slot = ball;
            return;
        }
        let mut balls = [NONE; 7];
        balls[0] = ball;
        added.push(AddedBalls {
            balls,
            next: self.added,
        });
        self.added = (added.len() - 1) as u32;
    }
}

/// Cells of one part of a level, with their lists.
#[derive(Debug, Default)]
pub(super) struct CellChunk {
    pub(super) cells: Vec<PackCell>,
    pub(super) pool: CellLists,
}

/// The level below, as it will be.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextLevel {
    pub(super) lattice: CellLattice,
    /// Whether its cells keep lists of walls.
    pub(super) keeps_walls: bool,
    /// Cells that cannot hold a ball of this radius are left out.
    pub(super) least_radius: f32,
}

impl<W: Walls> PrototypeAscent<'_, W> {
    /// Appends those of the eight children of a cell that may still hold a ball.
    pub(super) fn split(
        &self,
        cell: &PackCell,
        below: &NextLevel,
        scratch: &mut PackScratch,
        part: &mut CellChunk,
    ) {
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
            // How large a ball can be with its centre in the cell, and how far anything is from where the prototype may be.
            let (mut bound, mut far) = (FAR, FAR);
            let mut clearance = FAR;
            for id in cell.balls(self.pools, self.added) {
                let ball = &self.balls[id as usize];
                let between = center - ball.center;
                let distance = between.length() - ball.radius;
                clearance = clearance.min(distance);
                bound = bound.min(below.lattice.corner_from(between) - ball.radius);
                far = far.min(below.lattice.far_corner_from(between) - ball.radius);
                distances.push((id, distance));
            }
            if bound + SLACK < least_radius {
                continue;
            }
            let within = clearance.max(0.0) + 2.0 * reach + SLACK;
            let near = if self.asks_tree {
                self.walls.nearest(center, within, &mut scratch.probe)
            } else {
                self.measure_list(cell, center, within, reach, scratch);
                let id = scratch.terms.nearest_wall();
                id.map(|id| self.walls.near(center, id))
                    .filter(|near| near.distance <= within)
            };
            let mut child = PackCell {
                key,
                wall_free: within,
                known: cell.known,
                place: center,
                is_outside: false,
                ..PackCell::root()
            };
            if let Some(near) = &near {
                child.wall_free = near.distance;
                if !child.known.contains(&near.id) {
                    child.known.rotate_right(1);
                    child.known[0] = near.id;
                }
                // Where a ball is nearer than every wall, it is inside, whatever a farther wall seems to tell.
                if near.distance < clearance {
                    child.is_outside = !self.walls.is_inside(center, near);
                }
                let between = center - near.point;
                bound = bound.min(below.lattice.corner_from(between));
                far = far.min(below.lattice.far_corner_from(between));
                if child.is_outside {
                    bound = bound.min(0.866_026 * below.lattice.side - near.distance);
                }
                clearance = clearance.min(near.distance);
            }
            if bound + SLACK < least_radius {
                continue;
            }
            let limit = (clearance + 2.0 * reach).min(far + reach) + SLACK;
            let first = part.pool.len();
            child.clearance = clearance;
            child.bound = bound + SLACK;
            child.limit = limit;
            child.first = first as u32;
            if below.keeps_walls {
                if self.asks_tree {
                    self.walls
                        .within(center, limit, &mut part.pool, &mut scratch.probe);
                } else {
                    for (place, &wall) in scratch.terms.wall_ids().iter().enumerate() {
                        if scratch.terms.distance(place) <= limit {
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
        cell: &PackCell,
        center: Vec3,
        within: f32,
        reach: f32,
        scratch: &mut PackScratch,
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
