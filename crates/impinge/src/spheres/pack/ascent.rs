//! From a start to a place of locally largest clearance, without leaving the cell.

use glam::Vec3;

use super::cell::{Added, Cell, Lattice, Pool};
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
const MOST_STARTS: usize = 4;
/// Steps against the border of the cell before the prototype counts as having left.
const MOST_BUMPS: u32 = 3;
/// Walls remembered where the tree is asked for the nearest one.
const WORKING_SET: usize = 24;
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

/// Memory of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) terms: Terms,
    pub(super) probe: ProbeCache,
    balls: Vec<(u32, f32)>,
    pub(super) walls: Vec<(u32, f32)>,
    /// Where in the working set the next wall goes.
    turn: usize,
    /// Walls met so far that no gathering had found.
    met: u64,
    /// The nearest wall of the last gathering.
    near: Option<NearWall>,
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
        let limit = Vec3::splat(0.5 * self.lattice.side * DILATION);
        let confined = |p: Vec3| center + (p - center).clamp(-limit, limit);
        let nothing = Ended {
            found: Found::Nothing,
            place: center,
            clearance: 0.0,
        };
        let mut p = start.unwrap_or(center);
        let mut is_sure = start.is_some() || !cell.is_outside;
        let mut free = None;
        for _ in 0..MOST_STARTS {
            let clearance = self.gather(cell, p, scratch);
            if !is_sure
                && let Some(near) = self.nearest_wall(p, scratch)
                && near.distance < self.lattice.side
                && !self.walls.is_inside(p, &near)
            {
                p = confined(near.point + self.walls.inward(p, &near) * (0.4 * want));
                continue;
            }
            if clearance <= 0.05 * want
                && let Some(Term::Ball(ball)) = scratch.terms.nearest()
            {
                if start.is_some() {
                    return nothing;
                }
                let ball = &self.balls[ball as usize];
                let away = (p - ball.center).try_normalize().unwrap_or(Vec3::X);
                p = confined(ball.center + away * (ball.radius + 0.4 * want));
                is_sure = false;
                continue;
            }
            free = (clearance > 0.0).then_some(clearance);
            break;
        }
        let Some(clearance) = free else {
            return nothing;
        };
        let ended = match self.ascent {
            Ascent::Bundle => self.climb(cell, p, clearance, want, tolerance, &confined, scratch),
            Ascent::Repulsion(cooling) => {
                self.repel(cell, p, clearance, &cooling, &confined, scratch)
            }
        };
        let on_border = ((ended.place - center).abs().cmpge(limit * 0.9999)).any();
        Ended {
            found: if on_border { Found::Exit } else { ended.found },
            ..ended
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one hot function, called once")]
    fn climb(
        &self,
        cell: &Cell,
        start: Vec3,
        clearance: f32,
        want: f32,
        tolerance: f32,
        confined: &impl Fn(Vec3) -> Vec3,
        scratch: &mut Scratch,
    ) -> Ended {
        let walk = WALK * self.lattice.side;
        let (mut p, mut f, mut gathered_at) = (start, clearance, start);
        let mut rho = f.max(0.5 * want);
        let mut bumps = 0;
        let most_steps = if tolerance < FINE {
            MOST_FINE_STEPS
        } else {
            MOST_STEPS
        };
        for _ in 0..most_steps {
            let reach = 2.0 * rho.min(walk);
            let step = best_step(&mut scratch.terms, f, reach, rho, 0.2 * tolerance);
            if step.promised - f < tolerance * f {
                break;
            }
            let (length, longest) = (step.offset.length(), f.min(walk));
            let offset = if length > longest {
                step.offset * (longest / length)
            } else {
                step.offset
            };
            let wanted = p + offset;
            let next = confined(wanted);
            let known = scratch.met;
            let at_next = if (next - gathered_at).length() > walk {
                gathered_at = next;
                self.gather(cell, next, scratch)
            } else {
                self.measure(next, 0.2 * tolerance, scratch)
            };
            if next == wanted {
                bumps = 0;
            } else {
                bumps += 1;
                if bumps >= MOST_BUMPS {
                    return Ended {
                        found: Found::Exit,
                        place: p,
                        clearance: f,
                    };
                }
            }
            if at_next > f {
                (p, f) = (next, at_next);
                rho = (rho * 1.5).max(f);
            } else {
                // A wall not known before has failed the step: with it the next one will be better, and need not be much shorter.
                rho *= if scratch.met > known { 0.7 } else { 0.3 };
                if rho < tolerance * f {
                    break;
                }
                if gathered_at == next {
                    gathered_at = p;
                    self.gather(cell, p, scratch);
                } else {
                    scratch.terms.measure(self.level, p);
                }
            }
        }
        Ended {
            found: Found::Maximum,
            place: p,
            clearance: f,
        }
    }

    /// The published rule: step away from the nearest point by a part that cools down; the best place seen counts.
    fn repel(
        &self,
        cell: &Cell,
        start: Vec3,
        clearance: f32,
        cooling: &Cooling,
        confined: &impl Fn(Vec3) -> Vec3,
        scratch: &mut Scratch,
    ) -> Ended {
        let walk = WALK * self.lattice.side;
        let (mut p, mut f, mut gathered_at) = (start, clearance, start);
        let mut best = (p, f);
        let mut before = None;
        let mut bumps = 0;
        for t in 0..cooling.steps {
            let mut away = Vec3::ZERO;
            scratch.terms.nearer_than(f32::MAX, |_, direction| {
                away = direction;
                false
            });
            let ratio = before.map(|before: f32| f64::from(f / before));
            let part = cooling.factor(t, ratio) as f32;
            let wanted = p + away * (part * f);
            let next = confined(wanted);
            if next != wanted && next == p {
                bumps += 1;
                if bumps >= 2 {
                    return Ended {
                        found: Found::Exit,
                        place: best.0,
                        clearance: best.1,
                    };
                }
            }
            before = Some(f);
            f = if (next - gathered_at).length() > walk {
                gathered_at = next;
                self.gather(cell, next, scratch)
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
        }
    }

    /// Collects the terms that matter within a walk of `p` and measures them.
    fn gather(&self, cell: &Cell, p: Vec3, scratch: &mut Scratch) -> f32 {
        let walk = WALK * self.lattice.side;
        let Scratch {
            terms,
            balls,
            walls,
            ..
        } = scratch;
        terms.clear();
        balls.clear();
        let mut least = EVERYWHERE;
        for ball in cell.balls(self.pools, self.added) {
            let distance = self.balls[ball as usize].distance(p);
            least = least.min(distance);
            balls.push((ball, distance));
        }
        if self.asks_tree {
            let reach = (least.max(0.0) + 2.0 * walk).min(EVERYWHERE);
            scratch.near = self.walls.nearest(p, reach, &mut scratch.probe);
            if let Some(near) = &scratch.near {
                least = least.min(near.distance);
                terms.push_wall(near.id, &near.wall);
            }
            scratch.turn = 0;
        } else {
            walls.clear();
            for &wall in cell.walls(self.pools) {
                let (middle, radius) = self.walls.ball_around(wall);
                let distance = (p - middle).length();
                least = least.min(distance);
                walls.push((wall, distance - radius));
            }
            scratch.near = None;
        }
        let limit = least.max(0.0) + 2.0 * walk;
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
        if self.asks_tree {
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
        let Some(near) = self.walls.nearest(p, within, &mut scratch.probe) else {
            return least;
        };
        if near.id != u32::MAX && terms.has_wall(near.id) {
            return least;
        }
        scratch.met += 1;
        if terms.wall_count() < WORKING_SET {
            terms.push_wall(near.id, &near.wall);
        } else {
            terms.replace_wall(scratch.turn % WORKING_SET, near.id, &near.wall);
            scratch.turn += 1;
        }
        terms.measure(self.level, p)
    }
}
