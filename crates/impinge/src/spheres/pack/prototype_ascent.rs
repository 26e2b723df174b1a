//! Moves a prototype from its start to a local maximum of clearance, within its cell.

use glam::Vec3;

use super::ascent_step::best_step;
use super::clearance_terms::{Ball32, ClearanceTerm};
use super::cooling::Cooling;
use super::nearby_terms::{FreeBall, PackScratch, WALK};
use super::pack_cell::{AddedBalls, CellLattice, CellLists, NOTHING_KNOWN, NearestWalls, PackCell};
use super::surface_walls::Walls;
use crate::math::simd::Level;

/// How much larger than its cell the region is in which a prototype may move.
pub(super) const DILATION: f32 = 1.25;
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
/// Steps in a row that are made without asking the tree.
const MOST_UNSURE: u32 = 3;

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
pub(super) enum AscentResult {
    /// No start was free.
    Nothing,
    /// A place from which no step leads up.
    Maximum,
    /// The way up leads out of the cell.
    Exit,
}

/// Where an ascent ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct AscentEnd {
    pub(super) found: AscentResult,
    pub(super) place: Vec3,
    pub(super) clearance: f32,
    /// The nearest walls, where the tree was queried.
    pub(super) known: NearestWalls,
}

/// Where a prototype may be: the cell, enlarged.
#[derive(Clone, Copy, Debug)]
struct AscentRegion {
    center: Vec3,
    half: f32,
}

impl AscentRegion {
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
pub(super) struct PrototypeAscent<'a, W> {
    pub(super) walls: &'a W,
    pub(super) balls: &'a [Ball32],
    pub(super) pools: &'a [CellLists],
    pub(super) added: &'a [AddedBalls],
    pub(super) lattice: CellLattice,
    /// Whether cells have no lists of walls, so that the tree is queried.
    pub(super) asks_tree: bool,
    pub(super) ascent: Ascent,
    pub(super) level: Level,
}

impl<W: Walls> PrototypeAscent<'_, W> {
    /// Climbs from `start`, or from the middle of the cell; `want` is a radius that is worth finding.
    pub(super) fn ascend(
        &self,
        cell: &PackCell,
        want: f32,
        start: Option<Vec3>,
        tolerance: f32,
        scratch: &mut PackScratch,
    ) -> AscentEnd {
        let center = self.lattice.center(cell.key);
        let region = AscentRegion {
            center,
            half: 0.5 * self.lattice.side * DILATION,
        };
        let nothing = AscentEnd {
            found: AscentResult::Nothing,
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
        AscentEnd {
            found: if on_border {
                AscentResult::Exit
            } else {
                ended.found
            },
            known: if self.asks_tree {
                scratch.terms.nearest_walls()
            } else {
                NOTHING_KNOWN
            },
            ..ended
        }
    }

    /// A free place of the cell: its middle, or one behind the wall or ball in whose way the middle is.
    fn start(
        &self,
        cell: &PackCell,
        region: &AscentRegion,
        want: f32,
        slack: f32,
        scratch: &mut PackScratch,
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
                && let Some(ClearanceTerm::Wall(_)) = nearest
                && let Some(near) = self.nearest_wall(p, scratch)
                && !self.walls.is_inside(p, &near)
            {
                p = region.confined(near.point + self.walls.inward(p, &near) * push);
                // A tip is thinner than it is wide elsewhere: a push may have gone through it.
                push *= 0.4;
                continue;
            }
            if clearance <= 0.05 * want
                && let Some(ClearanceTerm::Ball(ball)) = nearest
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
        cell: &PackCell,
        start: Vec3,
        clearance: f32,
        want: f32,
        tolerance: f32,
        region: &AscentRegion,
        scratch: &mut PackScratch,
    ) -> AscentEnd {
        let walk = WALK * self.lattice.side;
        let slack = 0.2 * tolerance;
        let (mut p, mut f, mut gathered_at) = (start, clearance, start);
        // Where the tree was asked last: no wall is nearer.
        let mut sure = FreeBall {
            center: start,
            radius: clearance,
        };
        // Steps since then; none are made without asking once one has gone wrong.
        let (mut unsure, mut most_unsure) = (0, if self.asks_tree { MOST_UNSURE } else { 0 });
        let mut failures = 0_u32;
        // No step is longer than this part of what the terms allow.
        let mut trust = 1.0_f32;
        let most_steps = if tolerance < FINE {
            MOST_FINE_STEPS
        } else {
            MOST_STEPS
        };
        let mut found = AscentResult::Maximum;
        for _ in 0..most_steps {
            // Within the free ball no wall is crossed; beyond it none either, if all are known.
            let free = if self.asks_tree || gathered_at != p {
                f
            } else {
                f.max(0.5 * want)
            };
            let longest = trust * free.min(walk);
            let rho = AHEAD * f.max(0.5 * want);
            let step = best_step(&scratch.terms, self.level, f, 2.0 * longest, rho, slack);
            let part = (longest / step.offset.length()).min(1.0);
            let (next, is_border) = region.towards(p, step.offset * part);
            let is_peak = step.promised - f < tolerance * f;
            if is_peak || (is_border && (next - p).length() < 1e-3 * longest) {
                if unsure == 0 {
                    found = if is_peak { found } else { AscentResult::Exit };
                    break;
                }
                let at_p = self.measure(p, slack, scratch);
                unsure = 0;
                if sure.leads_to(p, at_p) {
                    f = at_p;
                    sure = FreeBall {
                        center: p,
                        radius: f,
                    };
                } else {
                    (p, f) = (sure.center, sure.radius);
                    most_unsure = 0;
                    gathered_at = p;
                    self.gather(cell, p, slack, scratch);
                }
                continue;
            }
            let known = scratch.met;
            let is_far = (next - gathered_at).length() > walk;
            let is_beyond = (next - sure.center).length() > 1.5 * sure.radius;
            let asks = is_far || is_beyond || unsure >= most_unsure;
            self.follow(next, f + 2.0 * longest, scratch);
            let at_next = if is_far {
                gathered_at = next;
                self.gather(cell, next, slack, scratch)
            } else if asks {
                self.measure(next, slack, scratch)
            } else {
                scratch.terms.measure(self.level, next)
            };
            let is_better = if asks && unsure > 0 {
                // What was won without asking is not sure to have been there.
                sure.leads_to(next, at_next)
            } else {
                at_next > f
            };
            if is_better {
                (p, f) = (next, at_next);
                (trust, failures) = ((2.0 * trust).min(1.0), 0);
                if asks {
                    unsure = 0;
                    sure = FreeBall {
                        center: p,
                        radius: f,
                    };
                } else {
                    unsure += 1;
                }
                self.leave_behind(p, scratch);
                continue;
            }
            // The terms told by all walls that matter cannot fail: one was not known. With it the next step will be better.
            failures += 1;
            if scratch.met == known || failures.is_multiple_of(MOST_FAILURES) {
                trust *= 0.5;
                if trust < tolerance && unsure == 0 {
                    break;
                }
            }
            if asks && unsure > 0 {
                (p, f) = (sure.center, sure.radius);
                (unsure, most_unsure) = (0, 0);
            }
            if self.asks_tree && gathered_at != next && (p - gathered_at).length() <= walk {
                scratch.terms.measure(self.level, p);
            } else {
                gathered_at = p;
                self.gather(cell, p, slack, scratch);
            }
        }
        if unsure > 0 {
            let at_p = self.measure(p, slack, scratch);
            (p, f) = if sure.leads_to(p, at_p) {
                (p, at_p)
            } else {
                (sure.center, sure.radius)
            };
        }
        AscentEnd {
            found,
            place: p,
            clearance: f,
            known: NOTHING_KNOWN,
        }
    }

    /// The published rule: step away from the nearest point by a part that cools down; the best place seen counts.
    fn repel(
        &self,
        cell: &PackCell,
        start: Vec3,
        clearance: f32,
        cooling: &Cooling,
        region: &AscentRegion,
        scratch: &mut PackScratch,
    ) -> AscentEnd {
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
                    return AscentEnd {
                        found: AscentResult::Exit,
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
        AscentEnd {
            found: AscentResult::Maximum,
            place: best.0,
            clearance: best.1,
            known: NOTHING_KNOWN,
        }
    }
}
