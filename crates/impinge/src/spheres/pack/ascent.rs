//! From a start to a place of locally largest clearance, without leaving the cell.

use glam::Vec3;

use super::cell::{Added, Cell, Known, Lattice, NONE, NOTHING_KNOWN, Pool, SLACK};
use super::cooling::Cooling;
use super::step::best_step;
use super::terms::{Ball32, Term, Terms};
use super::walls::{NearWall, Walls};
use crate::bvh::wide::ProbeCache;
use crate::math::simd::Level;

/// How much larger than its cell the region is in which a prototype may move.
pub(super) const DILATION: f32 = 1.25;
/// Terms are gathered anew after a walk of this part of the side.
const WALK: f32 = 0.3;
const MOST_STEPS: usize = 30;
/// The same before a ball is inserted.
const MOST_FINE_STEPS: usize = 90;
/// Tolerances below this are fine.
const FINE: f32 = 1e-4;
const MOST_STARTS: usize = 5;
/// How far behind a wall or ball a start is, as a part of the radius that is wanted.
const FIRST_PUSH: f32 = 0.4;
/// How far ahead a step looks, in clearances: the walls of a slender tip rise slowly.
const AHEAD: f32 = 16.0;
/// Steps in a row that walls not known before may fail before the next one is shorter.
const MOST_FAILURES: u32 = 4;
/// Walls remembered where the tree is asked for the nearest one.
const WORKING_SET: usize = 32;
/// No two points of a frame are this far apart.
const EVERYWHERE: f32 = 8.0;

/// How prototypes move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Ascent {
    /// By the best step that the linear approximations of nearby walls and balls allow.
    #[default]
    Bundle,
    /// Away from the nearest wall or ball, less and less: the published rule.
    Repulsion(Cooling),
}

/// How an ascent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// No start was free.
    Nothing,
    /// A place from which no step leads up.
    Maximum,
    /// The way up leads out of the cell.
    Exit,
}

/// Where an ascent ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) found: Found,
    pub(super) place: Vec3,
    pub(super) clearance: f32,
    /// The nearest walls, where the tree was asked.
    pub(super) known: Known,
}

/// Where a prototype may be: the cell, enlarged.
#[derive(Clone, Copy, Debug)]
struct Region {
    center: Vec3,
    half: f32,
}

impl Region {
    fn confined(&self, p: Vec3) -> Vec3 {
        self.center + (p - self.center).clamp(Vec3::splat(-self.half), Vec3::splat(self.half))
    }

    /// The end of a step, or where it leaves; and whether it leaves.
    fn towards(&self, p: Vec3, offset: Vec3) -> (Vec3, bool) {
        let at = p - self.center;
        let mut part = 1.0_f32;
        for k in 0..3 {
            let end = at[k] + offset[k];
            if end.abs() > self.half {
                let room = self.half - at[k] * offset[k].signum();
                part = part.min((room / offset[k].abs()).max(0.0));
            }
        }
        (self.confined(p + offset * part), part < 1.0)
    }
}

/// Everything that ascents of one level read.
#[derive(Debug)]
pub(super) struct Search<'a, W> {
    pub(super) walls: &'a W,
    pub(super) balls: &'a [Ball32],
    pub(super) pools: &'a [Pool],
    pub(super) added: &'a [Added],
    pub(super) lattice: Lattice,
    /// Whether cells have no lists of walls, so that the tree is asked.
    pub(super) asks_tree: bool,
    pub(super) ascent: Ascent,
    pub(super) level: Level,
}

/// A ball that no wall enters.
#[derive(Clone, Copy, Debug)]
struct Free {
    center: Vec3,
    radius: f32,
}

impl Free {
    /// No wall is nearer to `p`; rounding is allowed for.
    fn at(&self, p: Vec3) -> f32 {
        self.radius - (p - self.center).length() - SLACK
    }
}

impl Default for Free {
    fn default() -> Self {
        Self {
            center: Vec3::ZERO,
            radius: 0.0,
        }
    }
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) terms: Terms,
    pub(super) probe: ProbeCache,
    balls: Vec<(u32, f32)>,
    pub(super) walls: Vec<(u32, f32)>,
    /// Where the tree is asked: the walls that matter at the next place, as far as they are known.
    followed: Vec<u32>,
    /// Where in the working set the next wall goes.
    turn: usize,
    /// Walls met so far that no gathering had found.
    met: u64,
    /// The nearest wall of the last gathering.
    near: Option<NearWall>,
    /// About the middle of the cell and about the place of the last gathering.
    free: [Free; 2],
}

impl Scratch {
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

impl<W: Walls> Search<'_, W> {
    /// Climbs from `start`, or from the middle of the cell; `want` is a radius that is worth finding.
    pub(super) fn ascend(
        &self,
        cell: &Cell,
        want: f32,
        start: Option<Vec3>,
        tolerance: f32,
        scratch: &mut Scratch,
    ) -> Ended {
        let center = self.lattice.center(cell.key);
        let region = Region {
            center,
            half: 0.5 * self.lattice.side * DILATION,
        };
        let nothing = Ended {
            found: Found::Nothing,
            place: center,
            clearance: 0.0,
            known: cell.known,
        };
        scratch.turn = 0;
        scratch.followed.clear();
        let found = match start {
            Some(p) => {
                self.recall(cell, p, scratch);
                Some((p, self.gather(cell, p, 0.2 * tolerance, scratch)))
            }
            None => self.start(cell, &region, want, 0.2 * tolerance, scratch),
        };
        let Some((p, clearance)) = found.filter(|found| found.1 > 0.0) else {
            return nothing;
        };
        let ended = match self.ascent {
            Ascent::Bundle => self.climb(cell, p, clearance, want, tolerance, &region, scratch),
            Ascent::Repulsion(cooling) => {
                self.repel(cell, p, clearance, &cooling, &region, scratch)
            }
        };
        let on_border = (ended.place - center).abs().max_element() >= 0.9999 * region.half;
        Ended {
            found: if on_border { Found::Exit } else { ended.found },
            known: if self.asks_tree {
                scratch.terms.nearest_walls()
            } else {
                NOTHING_KNOWN
            },
            ..ended
        }
    }

    /// Begins with the walls that were nearest where the last ascent in the cell ended, or nearer neighbours of them.
    fn recall(&self, cell: &Cell, p: Vec3, scratch: &mut Scratch) {
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

    /// Where the tree is asked: adds to each wall nearer than `limit` the one that its neighbours lead to near the next place. In
    /// a fine mesh every step has other nearest walls, and the tree tells only one of them.
    fn follow(&self, next: Vec3, limit: f32, scratch: &mut Scratch) {
        let Scratch {
            terms, followed, ..
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
            }
        }
    }

    /// After a step: walls that others were followed to are of no use any more.
    fn leave_behind(&self, p: Vec3, scratch: &mut Scratch) {
        let Scratch {
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

    /// A free place of the cell: its middle, or one behind the wall or ball in whose way the middle is.
    fn start(
        &self,
        cell: &Cell,
        region: &Region,
        want: f32,
        slack: f32,
        scratch: &mut Scratch,
    ) -> Option<(Vec3, f32)> {
        let mut p = region.center;
        let mut is_sure = !cell.is_outside;
        let mut push = FIRST_PUSH * want;
        for _ in 0..MOST_STARTS {
            self.recall(cell, p, scratch);
            // Sides are told by the nearest wall, not by one that is almost as near.
            let slack = if is_sure { slack } else { 0.0 };
            let clearance = self.gather(cell, p, slack, scratch);
            let nearest = scratch.terms.nearest();
            // Where a ball is nearer than every wall, it is inside, and so is what no wall parts from the middle.
            if !is_sure
                && scratch.free[0].at(p) <= 0.0
                && let Some(Term::Wall(_)) = nearest
                && let Some(near) = self.nearest_wall(p, scratch)
                && !self.walls.is_inside(p, &near)
            {
                p = region.confined(near.point + self.walls.inward(p, &near) * push);
                // A tip is thinner than it is wide elsewhere: a push may have gone through it.
                push *= 0.4;
                continue;
            }
            if clearance <= 0.05 * want
                && let Some(Term::Ball(ball)) = nearest
            {
                let ball = &self.balls[ball as usize];
                let away = (p - ball.center).try_normalize().unwrap_or(Vec3::X);
                p = region.confined(ball.center + away * (ball.radius + FIRST_PUSH * want));
                is_sure = false;
                continue;
            }
            return (clearance > 0.0).then_some((p, clearance));
        }
        None
    }

    #[expect(clippy::too_many_arguments, reason = "one hot function, called once")]
    fn climb(
        &self,
        cell: &Cell,
        start: Vec3,
        clearance: f32,
        want: f32,
        tolerance: f32,
        region: &Region,
        scratch: &mut Scratch,
    ) -> Ended {
        let walk = WALK * self.lattice.side;
        let (mut p, mut f, mut gathered_at) = (start, clearance, start);
        let mut failures = 0_u32;
        // No step is longer than this part of what the terms allow.
        let mut trust = 1.0_f32;
        let most_steps = if tolerance < FINE {
            MOST_FINE_STEPS
        } else {
            MOST_STEPS
        };
        for _ in 0..most_steps {
            // Within the free ball no wall is crossed; beyond it none either, if all are known.
            let free = if self.asks_tree || gathered_at != p {
                f
            } else {
                f.max(0.5 * want)
            };
            let longest = trust * free.min(walk);
            let rho = AHEAD * f.max(0.5 * want);
            let step = best_step(
                &scratch.terms,
                self.level,
                f,
                2.0 * longest,
                rho,
                0.2 * tolerance,
            );
            if step.promised - f < tolerance * f {
                break;
            }
            let part = (longest / step.offset.length()).min(1.0);
            let (next, is_border) = region.towards(p, step.offset * part);
            if is_border && (next - p).length() < 1e-3 * longest {
                return Ended {
                    found: Found::Exit,
                    place: p,
                    clearance: f,
                    known: NOTHING_KNOWN,
                };
            }
            let known = scratch.met;
            self.follow(next, f + 2.0 * longest, scratch);
            let at_next = if (next - gathered_at).length() > walk {
                gathered_at = next;
                self.gather(cell, next, 0.2 * tolerance, scratch)
            } else {
                self.measure(next, 0.2 * tolerance, scratch)
            };
            if at_next > f {
                (p, f) = (next, at_next);
                (trust, failures) = ((2.0 * trust).min(1.0), 0);
                self.leave_behind(p, scratch);
                continue;
            }
            // The terms told by all walls that matter cannot fail: one was not known. With it the next step will be better.
            failures += 1;
            if scratch.met == known || failures.is_multiple_of(MOST_FAILURES) {
                trust *= 0.5;
                if trust < tolerance {
                    break;
                }
            }
            if self.asks_tree && gathered_at != next {
                scratch.terms.measure(self.level, p);
            } else {
                gathered_at = p;
                self.gather(cell, p, 0.2 * tolerance, scratch);
            }
        }
        Ended {
            found: Found::Maximum,
            place: p,
            clearance: f,
            known: NOTHING_KNOWN,
        }
    }

    /// The published rule: step away from the nearest point by a part that cools down; the best place seen counts.
    fn repel(
        &self,
        cell: &Cell,
        start: Vec3,
        clearance: f32,
        cooling: &Cooling,
        region: &Region,
        scratch: &mut Scratch,
    ) -> Ended {
        let walk = WALK * self.lattice.side;
        let (mut p, mut f, mut gathered_at) = (start, clearance, start);
        let mut best = (p, f);
        let mut before = None;
        let mut bumps = 0;
        for t in 0..cooling.steps {
            let mut away = Vec3::ZERO;
            if let Some((nearest, _)) = scratch.terms.lowest(self.level, f32::MAX, Vec3::ZERO) {
                away = scratch.terms.away(nearest);
            }
            let ratio = before.map(|before: f32| f64::from(f / before));
            let part = cooling.factor(t, ratio) as f32;
            let wanted = p + away * (part * f);
            let next = region.confined(wanted);
            if next != wanted && next == p {
                bumps += 1;
                if bumps >= 2 {
                    return Ended {
                        found: Found::Exit,
                        place: best.0,
                        clearance: best.1,
                        known: NOTHING_KNOWN,
                    };
                }
            }
            before = Some(f);
            f = if (next - gathered_at).length() > walk {
                gathered_at = next;
                self.gather(cell, next, 0.0, scratch)
            } else {
                self.measure(next, 0.0, scratch)
            };
            if f <= 0.0 {
                break;
            }
            p = next;
            if f > best.1 {
                best = (p, f);
            }
        }
        Ended {
            found: Found::Maximum,
            place: best.0,
            clearance: best.1,
            known: NOTHING_KNOWN,
        }
    }

    /// Collects the terms that matter within a walk of `p` and measures them. Where the tree is asked, walls met before stay, and `slack` is as for
    /// [`Search::measure`].
    fn gather(&self, cell: &Cell, p: Vec3, slack: f32, scratch: &mut Scratch) -> f32 {
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
            scratch.free = [Free::default(); 2];
            scratch.near = None;
            if !cell.is_outside {
                scratch.free[0] = Free {
                    center: self.lattice.center(cell.key),
                    radius: cell.wall_free,
                };
            }
            let within = reach.min(known * (1.0 - slack));
            if scratch.free[0].at(p) < within {
                scratch.near = self.walls.nearest(p, within, &mut scratch.probe);
                scratch.free[1] = Free {
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
            scratch.free = [Free::default(); 2];
        }
        let limit = least.max(0.0) + 2.0 * walk;
        let Scratch {
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

    fn nearest_wall(&self, p: Vec3, scratch: &Scratch) -> Option<NearWall> {
        if scratch.near.is_some() {
            return scratch.near;
        }
        let id = scratch.terms.nearest_wall()?;
        Some(self.walls.near(p, id))
    }

    /// Measures the gathered terms at another place; where the tree is asked, also walls not met before, unless they are nearer
    /// by less than `slack` of the distance: to rule that out costs most where an ascent ends, with many walls almost equally near.
    fn measure(&self, p: Vec3, slack: f32, scratch: &mut Scratch) -> f32 {
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
