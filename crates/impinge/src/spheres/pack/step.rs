//! The step that raises the clearance most, as far as nearby terms tell.
//!
//! Every term, the distance from a triangle or from a ball, is convex in the place. Its linear
//! approximation is therefore never above it, and a step that raises the smallest of the approximations raises the
//! smallest of the terms. The step maximises `min (d_i + g_i·s) − |s|²/(2ρ)`. In the dual this is a weighting of the terms,
//! found by exchanging weight between the term that limits most and the one that limits least.

use glam::Vec3;

use super::terms::Terms;

/// Terms that take part in one step.
const MOST_TERMS: usize = 12;
/// Cosine beyond which two directions count as one: a finely meshed wall would take every place otherwise.
const SAME_DIRECTION: f32 = 0.985;
const MOST_EXCHANGES: usize = 40;

/// Where to go, and the clearance that the approximations promise there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) offset: Vec3,
    pub(super) promised: f32,
}

/// The step from a place whose terms were just measured with the smallest distance `clearance`.
pub(super) fn best_step(
    terms: &mut Terms,
    clearance: f32,
    reach: f32,
    rho: f32,
    tolerance: f32,
) -> Step {
    let mut slack = [0.0_f32; MOST_TERMS];
    let mut away = [Vec3::ZERO; MOST_TERMS];
    let mut count = 0;
    terms.nearer_than(clearance + reach, |distance, direction| {
        let is_new = away[..count]
            .iter()
            .all(|known| known.dot(direction) < SAME_DIRECTION);
        if is_new {
            slack[count] = distance - clearance;
            away[count] = direction;
            count += 1;
        }
        count < MOST_TERMS
    });
    if count == 0 {
        return Step {
            offset: Vec3::ZERO,
            promised: clearance,
        };
    }
    let mut weight = [0.0_f32; MOST_TERMS];
    weight[0] = 1.0;
    let mut sum = away[0];
    for _ in 0..MOST_EXCHANGES {
        let (mut gains, mut least) = (0, f32::MAX);
        let (mut loses, mut most) = (0, f32::MIN);
        for k in 0..count {
            let value = slack[k] + rho * away[k].dot(sum);
            if value < least {
                (gains, least) = (k, value);
            }
            if weight[k] > 0.0 && value > most {
                (loses, most) = (k, value);
            }
        }
        if most - least < tolerance * clearance {
            break;
        }
        let apart = away[gains] - away[loses];
        let moved = ((most - least) / (rho * apart.length_squared().max(1e-12))).min(weight[loses]);
        weight[gains] += moved;
        weight[loses] -= moved;
        sum += apart * moved;
    }
    let offset = sum * rho;
    let mut promised = f32::MAX;
    for k in 0..count {
        promised = promised.min(slack[k] + away[k].dot(offset));
    }
    Step {
        offset,
        promised: clearance + promised,
    }
}
