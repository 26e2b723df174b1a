//! Refines a local maximum in `f64`.
//!
//! Where thousands of faces are almost equally near, as in a finely meshed sphere, a dozen terms do
//! not determine the ascent. Here all terms count: they are convex, so the step that raises the
//! smallest of their linear approximations raises the clearance. It is found with an active set of
//! few terms; the most violated one is added until none is violated.

use glam::DVec3;

use super::surface_walls::Walls;
use crate::bvh::wide::SingleTreeCache;
use crate::spheres::solid_ball::SolidBall;

/// Steps of a refinement.
const MOST_STEPS: usize = 12;
/// The first step is at most this fraction of the clearance.
const FIRST_REACH: f64 = 0.02;
/// A promise below this fraction of the clearance is none.
const TOLERANCE: f64 = 1e-10;
/// Terms that take part in one step.
const MOST_ACTIVE: usize = 48;
const MOST_EXCHANGES: usize = 400;

/// A distance and the direction in which it grows.
#[derive(Clone, Copy, Debug)]
pub(in crate::spheres) struct LinearTerm {
    pub(super) distance: f64,
    pub(super) away: DVec3,
}

/// A place near `start` whose clearance is locally largest; none where walls are not known one by one.
pub(super) fn refine(
    walls: &impl Walls,
    balls: &[SolidBall],
    start: DVec3,
    clearance: f64,
    probe: &mut SingleTreeCache,
) -> Option<DVec3> {
    let (mut p, mut f) = (start, clearance);
    let mut reach = FIRST_REACH * f;
    let mut terms = Vec::new();
    for _ in 0..MOST_STEPS {
        terms.clear();
        // Whatever is farther cannot become the nearest within the step.
        let within = f * (1.0 + 1e-6) + 2.0 * reach;
        if !walls.linear(p, within, probe, &mut terms) {
            return None;
        }
        for ball in balls {
            let offset = p - ball.center;
            let distance = offset.length() - ball.radius;
            if distance <= within {
                let away = offset.normalize_or_zero();
                terms.push(LinearTerm { distance, away });
            }
        }
        f = terms.iter().fold(within, |m, term| m.min(term.distance));
        let (step, promised) = best_step(&terms, f, reach);
        if promised - f <= TOLERANCE * f {
            break;
        }
        p += step;
        reach = (4.0 * step.length()).clamp(1e-6 * f, FIRST_REACH * f);
    }
    Some(p)
}

/// The step of at most this length that raises the smallest term most, and what that becomes at least.
fn best_step(terms: &[LinearTerm], clearance: f64, reach: f64) -> (DVec3, f64) {
    let mut active: Vec<usize> = Vec::with_capacity(MOST_ACTIVE);
    let mut weights: Vec<f64> = Vec::with_capacity(MOST_ACTIVE);
    let mut best = (DVec3::ZERO, clearance);
    let mut step = DVec3::ZERO;
    let rho = clearance;
    for _ in 0..MOST_ACTIVE {
        let value = |i: usize| terms[i].distance + terms[i].away.dot(step);
        let Some(worst) = (0..terms.len()).min_by(|&i, &j| value(i).total_cmp(&value(j))) else {
            break;
        };
        if value(worst) > best.1 {
            best = (step, value(worst));
        }
        if active.contains(&worst) {
            break;
        }
        weights.push(if active.is_empty() { 1.0 } else { 0.0 });
        active.push(worst);
        let sum = balance(terms, &active, &mut weights, clearance, rho);
        step = (sum * rho).clamp_length_max(reach);
    }
    best
}

/// Shifts weight between terms until those that bound the step are equal; the weighted sum of directions.
fn balance(
    terms: &[LinearTerm],
    active: &[usize],
    weights: &mut [f64],
    clearance: f64,
    rho: f64,
) -> DVec3 {
    let away = |k: usize| terms[active[k]].away;
    let mut sum = DVec3::ZERO;
    for (k, weight) in weights.iter().enumerate() {
        sum += away(k) * *weight;
    }
    for _ in 0..MOST_EXCHANGES {
        let (mut gains, mut least) = (0, f64::MAX);
        let (mut loses, mut most) = (0, f64::MIN);
        for k in 0..active.len() {
            let value = terms[active[k]].distance + rho * away(k).dot(sum);
            if value < least {
                (gains, least) = (k, value);
            }
            if weights[k] > 0.0 && value > most {
                (loses, most) = (k, value);
            }
        }
        if most - least < 1e-13 * clearance {
            break;
        }
        let apart = away(gains) - away(loses);
        let moved = (most - least) / (rho * apart.length_squared().max(1e-24));
        let moved = moved.min(weights[loses]);
        weights[gains] += moved;
        weights[loses] -= moved;
        sum += apart * moved;
    }
    sum
}
