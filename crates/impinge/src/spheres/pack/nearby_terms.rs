//! Terms that may be near a prototype: the lists of its cell, or walls found by the tree and by
//! tracking neighbouring faces.

use glam::Vec3;

use super::clearance_terms::ClearanceTerms;
use super::pack_cell::{NONE, PackCell, SLACK};
use super::prototype_ascent::PrototypeAscent;
use super::surface_walls::{NearWall, Walls};
use crate::bvh::wide::SingleTreeCache;

/// Terms are gathered again after a walk of this fraction of the side.
pub(super) const WALK: f32 = 0.3;
/// Walls remembered where the tree is queried for the nearest one.
const WORKING_SET: usize = 32;
/// No two points of a frame are this far apart.
const EVERYWHERE: f32 = 8.0;

/// A ball that no wall enters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FreeBall {
    pub(super) center: Vec3,
    pub(super) radius: f32,
}

impl FreeBall {
    /// Whether a place with this clearance is better, and no wall can be between: the two balls overlap.
    pub(super) fn leads_to(&self, p: Vec3, clearance: f32) -> bool {
        clearance > self.radius && (p - self.center).length() < self.radius + clearance
    }

    /// No wall is nearer to `p`; rounding is allowed for.
    pub(super) fn at(&self, p: Vec3) -> f32 {
        self.radius - (p - self.center).length() - SLACK
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct PackScratch {
    pub(super) terms: ClearanceTerms,
    pub(super) probe: SingleTreeCache,
    pub(super) balls: Vec<(u32, f32)>,
    pub(super) walls: Vec<(u32, f32)>,
    /// Where the tree is queried: the walls that matter at the next place, as far as they are known.
    pub(super) followed: Vec<u32>,
    /// Where in the working set the next wall goes.
    pub(super) turn: usize,
    /// Walls met so far that no gathering had found.
    pub(super) met: u64,
    /// The nearest wall of the last gathering.
    near: Option<NearWall>,
    /// About the middle of the cell and about the place of the last gathering.
    pub(super) free: [FreeBall; 2],
}

impl PackScratch {
    /// Remembers a wall, in the place of an old one if there are many; whether it was not known.
    fn meet(&mut self, near: &NearWall) -> bool {
        if near.id != NONE && self.terms.has_wall(near.id) {
            return false;
        }
        if near.id != NONE {
            self.followed.push(near.id);
        }
        if self.terms.wall_count() < WORKING_SET {
            self.terms.push_wall(near.id, &near.wall);
        } else {
            self.turn = (self.turn + 1) % WORKING_SET;
            self.terms.replace_wall(self.turn, near.id, &near.wall);
        }
        true
    }
}

impl<W: Walls> PrototypeAscent<'_, W> {
    /// Begins with the walls that were nearest where the last ascent in the cell ended, or nearer neighbours of them.
    pub(super) fn recall(&self, cell: &PackCell, p: Vec3, scratch: &mut PackScratch) {
        scratch.terms.clear();
        if self.asks_tree {
            for &id in cell.known.iter().filter(|&&id| id != NONE) {
                let id = self.walls.settled(p, id);
                if !scratch.terms.has_wall(id) {
                    scratch.terms.push_wall(id, &self.walls.wall(id));
                }
            }
        }
    }

    /// Where the tree is queried: adds to each wall nearer than `limit` the one that its neighbours lead to near the next place. In
    /// a fine mesh every step has other nearest walls, and the tree returns only one of them.
    pub(super) fn follow(&self, next: Vec3, limit: f32, scratch: &mut PackScratch) {
        let PackScratch {
            terms,
            followed,
            met,
            ..
        } = scratch;
        followed.clear();
        if !self.asks_tree {
            return;
        }
        for (place, &id) in terms.wall_ids().iter().enumerate() {
            if id != NONE && terms.distance(place) < limit {
                let id = self.walls.settled(next, id);
                if !followed.contains(&id) {
                    followed.push(id);
                }
            }
        }
        for &id in followed.iter() {
            if !terms.has_wall(id) && terms.wall_count() < WORKING_SET {
                terms.push_wall(id, &self.walls.wall(id));
                *met += 1;
            }
        }
    }

    /// After a step: walls that others were followed to are of no use any more.
    pub(super) fn leave_behind(&self, p: Vec3, scratch: &mut PackScratch) {
        let PackScratch {
            terms, followed, ..
        } = scratch;
        if followed.is_empty() || followed.len() == terms.wall_count() {
            return;
        }
        terms.clear_walls();
        for &id in followed.iter() {
            terms.push_wall(id, &self.walls.wall(id));
        }
        terms.measure(self.level, p);
    }

    /// Collects the terms that matter within a walk of `p` and measures them. Where the tree is queried, walls met before stay, and `slack` is as for
    /// [`PrototypeAscent::measure`].
    pub(super) fn gather(
        &self,
        cell: &PackCell,
        p: Vec3,
        slack: f32,
        scratch: &mut PackScratch,
    ) -> f32 {
        let walk = WALK * self.lattice.side;
        scratch.balls.clear();
        let mut least = EVERYWHERE;
        for ball in cell.balls(self.pools, self.added) {
            let distance = self.balls[ball as usize].distance(p);
            least = least.min(distance);
            scratch.balls.push((ball, distance));
        }
        if self.asks_tree {
            let reach = (least.max(0.0) + 2.0 * walk).min(EVERYWHERE);
            scratch.terms.clear_balls();
            let known = scratch.terms.measure(self.level, p);
            least = least.min(known);
            scratch.free = [FreeBall::default(); 2];
            scratch.near = None;
            if !cell.is_outside {
                scratch.free[0] = FreeBall {
                    center: self.lattice.center(cell.key),
                    radius: cell.wall_free,
                };
            }
            let within = reach.min(known * (1.0 - slack));
            if scratch.free[0].at(p) < within {
                scratch.near = self.walls.nearest(p, within, &mut scratch.probe);
                scratch.free[1] = FreeBall {
                    center: p,
                    radius: scratch.near.map_or(within, |near| near.distance),
                };
            }
            if let Some(near) = scratch.near {
                least = least.min(near.distance);
                scratch.meet(&near);
            }
        } else {
            scratch.terms.clear();
            scratch.walls.clear();
            for &wall in cell.walls(self.pools) {
                let (middle, radius) = self.walls.ball_around(wall);
                let distance = (p - middle).length();
                least = least.min(distance);
                scratch.walls.push((wall, distance - radius));
            }
            scratch.near = None;
            scratch.free = [FreeBall::default(); 2];
        }
        let limit = least.max(0.0) + 2.0 * walk;
        let PackScratch {
            terms,
            balls,
            walls,
            ..
        } = scratch;
        for &(ball, distance) in balls.iter() {
            if distance <= limit {
                terms.push_ball(ball, &self.balls[ball as usize]);
            }
        }
        if !self.asks_tree {
            for &(wall, distance) in walls.iter() {
                if distance <= limit {
                    terms.push_wall(wall, &self.walls.wall(wall));
                }
            }
        }
        terms.measure(self.level, p)
    }

    pub(super) fn nearest_wall(&self, p: Vec3, scratch: &PackScratch) -> Option<NearWall> {
        if scratch.near.is_some() {
            return scratch.near;
        }
        let id = scratch.terms.nearest_wall()?;
        Some(self.walls.near(p, id))
    }

    /// Measures the gathered terms at another place; where the tree is queried, also walls not met before, unless they are nearer
    /// by less than `slack` of the distance: to rule that out costs most where an ascent ends, with many walls almost equally near.
    pub(super) fn measure(&self, p: Vec3, slack: f32, scratch: &mut PackScratch) -> f32 {
        let terms = &mut scratch.terms;
        let least = terms.measure(self.level, p);
        if !self.asks_tree || least <= 0.0 {
            return least;
        }
        let within = (least * (1.0 - slack)).min(EVERYWHERE);
        if scratch.free.iter().any(|free| free.at(p) >= within) {
            return least;
        }
        let Some(near) = self.walls.nearest(p, within, &mut scratch.probe) else {
            return least;
        };
        if !scratch.meet(&near) {
            return least;
        }
        scratch.met += 1;
        scratch.terms.measure(self.level, p)
    }
}
