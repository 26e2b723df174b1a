//! Covers with ever fewer spheres, by merging two at a time.
//!
//! **Idea.** For each point the spheres that cover it are known. Two neighbouring spheres are
//! replaced by the one that covers what only they cover and adds least volume; the cheapest pair
//! goes first. Spheres near a new one are fitted again, and all of them at intervals. Every step
//! leaves a cover of all points.
//!
//! **Source.** Merging medial balls: Bradshaw and O'Sullivan, 2004, doi:10.1145/966131.966132. Fitting
//! balls by the volume outside: Wang and others, 2006, doi:10.1007/s00371-006-0052-0.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::fit_ball::{CORRECTING_STEPS, FitProblem, NEW_STEPS, NearGauge, height, size_cost};
use super::surface_samples::SolidPoints;
use crate::spheres::pack::map_indexed;
use crate::spheres::solid_ball::SolidBall;

/// Neighbours with which a ball may be merged.
const MOST_PARTNERS: usize = 6;
/// Neighbours that are fitted again after a merge.
const REFITTED: usize = 3;
/// All balls are fitted again when this fraction of them is left.
const SWEEP_AT: f64 = 0.84;
/// The smallest radius, as a part of the distance of gauges.
const LEAST_RADIUS: f64 = 0.05;
/// A fit that gains less than this fraction of the volume added is not worth it.
const WORTH: f64 = 1e-4;

/// A pair of balls and what merging them costs.
struct Merge {
    cost: f64,
    pair: [u32; 2],
    /// The merged ball; none when nothing needs it.
    ball: Option<SolidBall>,
    /// When the cost was computed.
    stamp: u64,
}

impl PartialEq for Merge {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Merge {}

impl Ord for Merge {
    /// The cheapest is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = other.cost.total_cmp(&self.cost);
        by_cost.then_with(|| other.pair.cmp(&self.pair))
    }
}

impl PartialOrd for Merge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Balls that cover all points of a solid.
pub(super) struct PointCover<'s> {
    samples: &'s SolidPoints,
    /// Ids are never used again.
    balls: Vec<Option<SolidBall>>,
    alive: Vec<u32>,
    /// The points of each ball, ascending.
    covered: Vec<Vec<u32>>,
    /// The balls of each point.
    coverers: Vec<Vec<u32>>,
    stamp: u64,
}

impl<'s> PointCover<'s> {
    /// The given balls, grown where they leave a point uncovered.
    pub(super) fn new(samples: &'s SolidPoints, mut balls: Vec<SolidBall>) -> Self {
        for &p in &samples.points {
            let mut least = (f64::INFINITY, 0);
            for (k, ball) in balls.iter().enumerate() {
                let growth = (p - ball.center).length() - ball.radius;
                if growth < least.0 {
                    least = (growth, k);
                    if growth <= 0.0 {
                        break;
                    }
                }
            }
            if least.0 > 0.0
                && let Some(ball) = balls.get_mut(least.1)
            {
                ball.radius = (p - ball.center).length() * (1.0 + 1e-10);
            }
        }
        let mut cover = Self {
            samples,
            balls: Vec::new(),
            alive: Vec::new(),
            covered: Vec::new(),
            coverers: vec![Vec::new(); samples.points.len()],
            stamp: 0,
        };
        for ball in balls {
            cover.insert(ball);
        }
        cover
    }

    /// The balls that there are.
    pub(super) fn balls(&self) -> Vec<SolidBall> {
        let alive = self.alive.iter();
        alive.filter_map(|&k| self.balls[k as usize]).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.alive.len()
    }

    fn insert(&mut self, ball: SolidBall) -> u32 {
        let id = self.balls.len() as u32;
        self.balls.push(Some(ball));
        self.covered.push(Vec::new());
        self.alive.push(id);
        self.attach(id, &ball);
        id
    }

    fn attach(&mut self, id: u32, ball: &SolidBall) {
        let radius_sq = ball.radius * ball.radius;
        let mut mine = std::mem::take(&mut self.covered[id as usize]);
        mine.clear();
        for (i, &p) in self.samples.points.iter().enumerate() {
            if (p - ball.center).length_squared() <= radius_sq {
                mine.push(i as u32);
                self.coverers[i].push(id);
            }
        }
        self.covered[id as usize] = mine;
    }

    fn detach(&mut self, id: u32) {
        let mine = std::mem::take(&mut self.covered[id as usize]);
        for &i in &mine {
            self.coverers[i as usize].retain(|&k| k != id);
        }
    }

    fn remove(&mut self, id: u32) {
        self.detach(id);
        self.balls[id as usize] = None;
        self.alive.retain(|&k| k != id);
    }

    /// What one ball in place of the given ones has to cover and would pay, and what they pay now.
    fn problem(&self, ids: &[u32]) -> (FitProblem, f64) {
        let balls = || ids.iter().filter_map(|&k| self.balls[k as usize]);
        let weight: f64 = balls().map(|ball| ball.radius).sum();
        let center = balls().fold(DVec3::ZERO, |sum, ball| sum + ball.center * ball.radius)
            / weight.max(f64::MIN_POSITIVE);
        let extent = balls().fold(0.0_f64, |m, ball| {
            m.max((ball.center - center).length() + ball.radius)
        });
        // The search may reach a little farther than the first ball.
        let reach = 1.6 * extent;
        let mut problem = FitProblem {
            must: Vec::new(),
            gauges: Vec::new(),
            center,
            reach,
            least_radius: LEAST_RADIUS * self.samples.spacing,
        };
        for (nth, &id) in ids.iter().enumerate() {
            for &i in &self.covered[id as usize] {
                let coverers = &self.coverers[i as usize];
                let is_own = coverers.iter().all(|k| ids.contains(k));
                // A point of two of them is taken once.
                let is_first = ids[..nth].iter().all(|k| !coverers.contains(k));
                if is_own && is_first {
                    problem.must.push(self.samples.points[i as usize]);
                }
            }
        }
        let mut paid: f64 = balls().map(|ball| size_cost(&ball)).sum();
        for (i, gauge) in self.samples.gauges.iter().enumerate() {
            let point = self.samples.points[i];
            if (point - center).length_squared() > reach * reach {
                continue;
            }
            let (mut own, mut others) = (0.0_f64, 0.0_f64);
            for &k in &self.coverers[i] {
                let Some(ball) = &self.balls[k as usize] else {
                    continue;
                };
                let Some(height) = height(ball, point, gauge.normal) else {
                    continue;
                };
                let volume = gauge.volume(height);
                if ids.contains(&k) {
                    own = own.max(volume);
                } else {
                    others = others.max(volume);
                }
            }
            paid += (own - others).max(0.0);
            problem.gauges.push(NearGauge {
                point,
                gauge: *gauge,
                others,
            });
        }
        (problem, paid)
    }

    fn merge_of(&self, pair: [u32; 2]) -> Merge {
        let (problem, paid) = self.problem(&pair);
        let centers: Vec<DVec3> = pair
            .iter()
            .filter_map(|&k| self.balls[k as usize].map(|ball| ball.center))
            .chain([problem.center])
            .collect();
        let (cost, ball) = match problem.solve(&centers, NEW_STEPS) {
            None => (-paid, None),
            Some((added, ball)) => (added - paid, Some(ball)),
        };
        Merge {
            cost,
            pair,
            ball,
            stamp: self.stamp,
        }
    }

    /// The balls with which merging needs the smallest ball around both.
    fn partners(&self, id: u32, most: usize) -> Vec<u32> {
        let Some(own) = self.balls[id as usize] else {
            return Vec::new();
        };
        let mut found: Vec<(f64, u32)> = Vec::new();
        for &k in &self.alive {
            if k == id {
                continue;
            }
            let Some(ball) = &self.balls[k as usize] else {
                continue;
            };
            let distance = (ball.center - own.center).length();
            let around =
                (0.5 * (distance + own.radius + ball.radius)).max(own.radius.max(ball.radius));
            found.push((around - own.radius.max(ball.radius), k));
        }
        let by_growth = |x: &(f64, u32), y: &(f64, u32)| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1));
        if found.len() > most {
            found.select_nth_unstable_by(most - 1, by_growth);
            found.truncate(most);
        }
        found.sort_unstable_by(by_growth);
        found.into_iter().map(|(_, k)| k).collect()
    }

    /// Fits a ball again; whether it changed.
    fn refit(&mut self, id: u32) -> bool {
        let Some(own) = self.balls[id as usize] else {
            return false;
        };
        let (problem, paid) = self.problem(&[id]);
        let Some((added, ball)) = problem.solve(&[own.center], CORRECTING_STEPS) else {
            // Others cover all of it.
            if self.alive.len() > 1 {
                self.remove(id);
            }
            return true;
        };
        if added >= paid * (1.0 - WORTH) && ball.radius >= own.radius * (1.0 - WORTH) {
            return false;
        }
        if added > paid {
            return false;
        }
        self.detach(id);
        self.balls[id as usize] = Some(ball);
        self.attach(id, &ball);
        true
    }

    /// Fits every ball again.
    fn sweep(&mut self) {
        for id in self.alive.clone() {
            self.refit(id);
        }
    }

    /// Merges until at most `least` balls are left; `seen` is shown each cover on the way, the largest first.
    pub(super) fn merge_down_to(&mut self, least: usize, mut seen: impl FnMut(&Self)) {
        self.sweep();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for &id in &self.alive {
            for partner in self.partners(id, MOST_PARTNERS) {
                pairs.push([id.min(partner), id.max(partner)]);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let shared: &Self = self;
        let mut queue: BinaryHeap<Merge> =
            map_indexed(pairs.len(), 32, |(): &mut (), i| shared.merge_of(pairs[i])).into();
        let mut next_sweep = (self.len() as f64 * SWEEP_AT) as usize;
        seen(self);
        while self.len() > least.max(1) {
            let Some(top) = queue.pop() else {
                // No neighbours are left: those of all balls anew.
                let all = self.alive.clone();
                for &id in &all {
                    for partner in self.partners(id, MOST_PARTNERS) {
                        queue.push(self.merge_of([id.min(partner), id.max(partner)]));
                    }
                }
                continue;
            };
            if top.pair.iter().any(|&k| self.balls[k as usize].is_none()) {
                continue;
            }
            if top.stamp != self.stamp {
                // Neighbours may have changed since.
                let again = self.merge_of(top.pair);
                if queue.peek().is_some_and(|next| again < *next) {
                    queue.push(again);
                    continue;
                }
                self.apply(&again, &mut queue);
            } else {
                self.apply(&top, &mut queue);
            }
            if self.len() <= next_sweep {
                self.sweep();
                self.stamp += 1;
                next_sweep = (self.len() as f64 * SWEEP_AT) as usize;
            }
            seen(self);
        }
    }

    fn apply(&mut self, merge: &Merge, queue: &mut BinaryHeap<Merge>) {
        for &k in &merge.pair {
            self.remove(k);
        }
        self.stamp += 1;
        let Some(ball) = merge.ball else {
            return;
        };
        let id = self.insert(ball);
        for near in self.partners(id, REFITTED) {
            self.refit(near);
        }
        self.refit(id);
        for partner in self.partners(id, MOST_PARTNERS) {
            queue.push(self.merge_of([partner, id]));
        }
    }
}
