//! Initial cluster centres.

use glam::DVec3;

use super::CentreSeeding;
use crate::math::Rng;

/// Rounds of neural gas.
const GAS_ROUNDS: usize = 24;
/// The reach of the neighbourhood in the last round.
const LAST_REACH: f64 = 0.01;
/// The most points that the gas looks at.
const GAS_POINTS: usize = 2048;

/// Initial centres: different points, at most `count`; fewer if there are not enough.
///
/// ```
/// use impinge::{deform::clustering::{seed_centers, CentreSeeding}, DVec3};
/// let points = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X * 9.0, DVec3::ZERO];
/// assert_eq!(seed_centers(&points, 2, CentreSeeding::Spread), [DVec3::X * 9.0, DVec3::ZERO]);
/// assert_eq!(seed_centers(&points, 9, CentreSeeding::Random { seed: 1 }).len(), 4);
/// assert_eq!(seed_centers(&points, 2, CentreSeeding::NeuralGas).len(), 2);
/// ```
#[must_use]
pub fn seed_centers(points: &[DVec3], count: usize, start: CentreSeeding) -> Vec<DVec3> {
    match start {
        CentreSeeding::Random { seed } => random(points, count, seed),
        CentreSeeding::Spread => spread(points, count),
        CentreSeeding::NeuralGas => neural_gas(points, count),
    }
}

fn random(points: &[DVec3], count: usize, seed: u64) -> Vec<DVec3> {
    let mut rng = Rng::new(seed);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let mut centers: Vec<DVec3> = Vec::new();
    // A shuffle that is broken off.
    for i in 0..order.len() {
        if centers.len() >= count {
            break;
        }
        let j = i + rng.below((order.len() - i) as u64) as usize;
        order.swap(i, j);
        let point = points[order[i] as usize];
        if !centers.contains(&point) {
            centers.push(point);
        }
    }
    centers
}

fn spread(points: &[DVec3], count: usize) -> Vec<DVec3> {
    let mut centers: Vec<DVec3> = Vec::new();
    if points.is_empty() {
        return centers;
    }
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let mut far: Vec<f64> = points.iter().map(|p| p.distance_squared(middle)).collect();
    while centers.len() < count {
        let mut best = (0, -1.0);
        for (i, &d) in far.iter().enumerate() {
            if d > best.1 {
                best = (i, d);
            }
        }
        let center = points[best.0];
        if centers.contains(&center) {
            break;
        }
        // The first round measured from the middle.
        let is_first = centers.is_empty();
        centers.push(center);
        for (d, p) in far.iter_mut().zip(points) {
            let new = p.distance_squared(center);
            *d = if is_first { new } else { d.min(new) };
        }
    }
    centers
}

/// Batch neural gas: every point pulls all centres, the nearest most, and the pull narrows.
fn neural_gas(points: &[DVec3], count: usize) -> Vec<DVec3> {
    let mut centers = spread(points, count);
    let stride = points.len().div_ceil(GAS_POINTS).max(1);
    let first_reach = (centers.len() as f64 / 2.0).max(LAST_REACH);
    for round in 0..GAS_ROUNDS {
        let passed = round as f64 / (GAS_ROUNDS - 1) as f64;
        let reach = first_reach * libm::pow(LAST_REACH / first_reach, passed);
        let pull: Vec<f64> = (0..centers.len())
            .map(|rank| libm::exp(-(rank as f64) / reach))
            .collect();
        let mut sums = vec![(DVec3::ZERO, 0.0); centers.len()];
        for &point in points.iter().step_by(stride) {
            let mut ranked: Vec<(f64, usize)> = centers
                .iter()
                .enumerate()
                .map(|(i, c)| (c.distance_squared(point), i))
                .collect();
            ranked.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (rank, &(_, i)) in ranked.iter().enumerate() {
                sums[i].0 += point * pull[rank];
                sums[i].1 += pull[rank];
            }
        }
        for (center, (sum, weight)) in centers.iter_mut().zip(sums) {
            if weight > 0.0 {
                *center = sum / weight;
            }
        }
    }
    centers
}
