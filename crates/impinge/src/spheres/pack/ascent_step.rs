//! Ascent step: the step with the largest increase of the clearance, by the nearby terms.
//!
//! Every term, the distance from a triangle or from a sphere, is convex in the position. Its linear
//! approximation is therefore a lower bound, and a step that raises the smallest of the
//! approximations raises the smallest of the terms. The step maximises
//! `min (d_i + g_i·s) − |s|²/(2ρ)`. The dual is a weighting of the terms with few nonzero weights:
//! the term that a step violates most is added until none is violated. So all terms count, even
//! where many are equally near, as around the axis of a cone.
#![expect(clippy::needless_range_loop, reason = "terms and rows are numbered")]

use glam::{DVec3, Vec3};

use super::clearance_terms::ClearanceTerms;
use crate::math::simd::Level;

/// Terms with weight; four decide a place, one more may join before another leaves.
const MOST_ACTIVE: usize = 6;
const MOST_JOINS: usize = 24;
/// Added to the squares of directions, so that equal directions do no harm.
const REGULAR: f64 = 1e-10;

/// Where to go, and the clearance that the approximations promise there.
#[derive(Clone, Copy, Debug)]
pub(super) struct AscentStep {
    pub(super) offset: Vec3,
    pub(super) promised: f32,
}

/// Terms that bound the step, with their weights.
#[derive(Debug)]
struct ActiveTerms {
    count: usize,
    places: [usize; MOST_ACTIVE],
    slack: [f64; MOST_ACTIVE],
    away: [DVec3; MOST_ACTIVE],
    weight: [f64; MOST_ACTIVE],
    /// Rows of the Cholesky factor of the Gram matrix with the inverses of its diagonal, and both right sides behind it. As many as
    /// `done` hold: a term that joins adds a row, one that leaves undoes its own and those after it.
    factor: [[f64; MOST_ACTIVE]; MOST_ACTIVE],
    inverse: [f64; MOST_ACTIVE],
    ones: [f64; MOST_ACTIVE],
    slacks: [f64; MOST_ACTIVE],
    done: usize,
}

/// The step from a place whose terms were just measured with the smallest distance `clearance`; terms farther than `reach` beyond that do not
/// count, and a gain of less than `tolerance` of the clearance is not looked for.
pub(super) fn best_step(
    terms: &ClearanceTerms,
    level: Level,
    clearance: f32,
    reach: f32,
    rho: f32,
    tolerance: f32,
) -> AscentStep {
    let limit = clearance + reach;
    let mut best = AscentStep {
        offset: Vec3::ZERO,
        promised: clearance,
    };
    let Some((first, distance)) = terms.lowest(level, limit, Vec3::ZERO) else {
        return best;
    };
    let mut active = ActiveTerms {
        count: 0,
        places: [0; MOST_ACTIVE],
        slack: [0.0; MOST_ACTIVE],
        away: [DVec3::ZERO; MOST_ACTIVE],
        weight: [0.0; MOST_ACTIVE],
        factor: [[0.0; MOST_ACTIVE]; MOST_ACTIVE],
        inverse: [0.0; MOST_ACTIVE],
        ones: [0.0; MOST_ACTIVE],
        slacks: [0.0; MOST_ACTIVE],
        done: 0,
    };
    active.join(first, distance - clearance, terms.away(first));
    active.weight[0] = 1.0;
    let rho = f64::from(rho);
    for _ in 0..MOST_JOINS {
        let (sum, value) = active.balance(rho);
        let offset = (sum * rho).as_vec3();
        let Some((violated, promised)) = terms.lowest(level, limit, offset) else {
            break;
        };
        if promised > best.promised {
            best = AscentStep { offset, promised };
        }
        // What the active terms alone promise is what no more terms can better.
        let hoped = clearance + value as f32;
        if hoped - promised < tolerance * clearance || active.has(violated) {
            break;
        }
        if active.count == MOST_ACTIVE {
            break;
        }
        active.join(
            violated,
            terms.distance(violated) - clearance,
            terms.away(violated),
        );
    }
    best
}

impl ActiveTerms {
    fn has(&self, place: usize) -> bool {
        self.places[..self.count].contains(&place)
    }

    fn join(&mut self, place: usize, slack: f32, away: Vec3) {
        let k = self.count;
        self.places[k] = place;
        self.slack[k] = f64::from(slack);
        self.away[k] = away.as_dvec3();
        self.weight[k] = 0.0;
        self.count += 1;
    }

    fn leave(&mut self, k: usize) {
        let last = self.count - 1;
        self.places.swap(k, last);
        self.slack.swap(k, last);
        self.away.swap(k, last);
        self.weight.swap(k, last);
        self.count = last;
        self.done = self.done.min(k);
    }

    /// Weights for which all terms with weight bound the step equally; the weighted sum of directions, and the bound.
    fn balance(&mut self, rho: f64) -> (DVec3, f64) {
        // Every round but the last takes out a term.
        for _ in 0..MOST_ACTIVE {
            let wanted = self.equal(rho);
            // As far towards the wanted weights as none becomes negative.
            let (mut part, mut out) = (1.0, None);
            for k in 0..self.count {
                if wanted[k] < 0.0 {
                    let to_zero = self.weight[k] / (self.weight[k] - wanted[k]);
                    if to_zero < part || out.is_none() {
                        (part, out) = (to_zero.min(part), Some(k));
                    }
                }
            }
            for k in 0..self.count {
                self.weight[k] += part * (wanted[k] - self.weight[k]);
            }
            match out {
                Some(k) if self.count > 1 => self.leave(k),
                _ => break,
            }
        }
        let mut sum = DVec3::ZERO;
        for k in 0..self.count {
            sum += self.away[k] * self.weight[k];
        }
        let mut value = f64::INFINITY;
        for k in 0..self.count {
            value = value.min(self.slack[k] + rho * self.away[k].dot(sum));
        }
        (sum, value)
    }

    /// Makes the rows of terms that joined.
    fn extend(&mut self, rho: f64) {
        for i in self.done..self.count {
            for j in 0..i {
                let mut entry = self.away[i].dot(self.away[j]);
                for k in 0..j {
                    entry -= self.factor[i][k] * self.factor[j][k];
                }
                self.factor[i][j] = entry * self.inverse[j];
            }
            let mut square = self.away[i].dot(self.away[i]) + REGULAR;
            let (mut one, mut slack) = (1.0, self.slack[i] / rho);
            for k in 0..i {
                let factor = self.factor[i][k];
                square -= factor * factor;
                one -= factor * self.ones[k];
                slack -= factor * self.slacks[k];
            }
            self.inverse[i] = 1.0 / square.max(0.5 * REGULAR).sqrt();
            self.ones[i] = one * self.inverse[i];
            self.slacks[i] = slack * self.inverse[i];
        }
        self.done = self.count;
    }

    /// The weights, possibly negative, with sum one that make all terms equal.
    fn equal(&mut self, rho: f64) -> [f64; MOST_ACTIVE] {
        // (ρ·G + ε) w = μ − c for the Gram matrix G, by its Cholesky factor; twice, as the answer is linear in μ.
        self.extend(rho);
        let n = self.count;
        let (mut ones, mut slacks) = (self.ones, self.slacks);
        let (mut one, mut slack) = (0.0, 0.0);
        for i in (0..n).rev() {
            for k in i + 1..n {
                ones[i] -= self.factor[k][i] * ones[k];
                slacks[i] -= self.factor[k][i] * slacks[k];
            }
            ones[i] *= self.inverse[i];
            slacks[i] *= self.inverse[i];
            one += ones[i];
            slack += slacks[i];
        }
        let mu = (1.0 + slack) / one;
        let mut weights = [0.0; MOST_ACTIVE];
        for i in 0..n {
            weights[i] = mu * ones[i] - slacks[i];
        }
        weights
    }
}
