//! How exact a surface is.

use impinge::DVec3;
use impinge::cloud::{CloudSurface, ImplicitSurface, Scratch};
use impinge::math::Rng;

use super::models::Model;

/// What a surface is worth beside the one it was sampled from.
pub(super) struct Quality {
    /// Root of the mean square of f over the true surface.
    pub(super) rmse: f64,
    /// Part of the true surface on which f is defined.
    pub(super) defined: f64,
    /// The largest distance from the true surface of the zeros that lead on from its points.
    pub(super) farthest: f64,
    /// Part of random places far from the true surface that lie on a zero.
    pub(super) artificial: f64,
}

/// Values below this part of the worst count as defined everywhere.
pub(super) const DEFINED: f64 = 0.99;

/// f over points of the true surface, away from borders by `rim`.
pub(super) fn rmse(surface: &CloudSurface, model: &Model, rim: f64, count: usize) -> (f64, f64) {
    let mut rng = Rng::new(77);
    let mut scratch = Scratch::default();
    let (mut sum, mut defined, mut asked) = (0.0, 0, 0);
    while asked < count {
        let x = (model.draw)(&mut rng);
        if !(model.is_inner)(x, rim) {
            continue;
        }
        asked += 1;
        if let Some(value) = surface.evaluate(x, &mut scratch).value() {
            sum += value * value;
            defined += 1;
        }
    }
    (
        (sum / f64::from(defined.max(1))).sqrt(),
        f64::from(defined) / asked as f64,
    )
}

/// Everything about a surface; `reach` is how far from the true one a zero is artificial.
pub(super) fn judge(surface: &CloudSurface, model: &Model, rim: f64, reach: f64) -> Quality {
    let (rmse, defined) = rmse(surface, model, rim, 2000);
    let mut rng = Rng::new(78);
    let mut scratch = Scratch::default();
    // From a true point along the normal to the zero: one Newton step after the other.
    let mut farthest = 0.0_f64;
    for _ in 0..1000 {
        let start = (model.draw)(&mut rng);
        if !(model.is_inner)(start, rim) {
            continue;
        }
        let mut x = start;
        for _ in 0..8 {
            let Some(sample) = surface.evaluate(x, &mut scratch).sample().copied() else {
                break;
            };
            x += sample.normal * sample.value;
        }
        farthest = farthest.max((model.distance)(x));
    }
    // Zeros far from the truth: places where f is small, on the surface by its own account, and the true one is not near.
    let (mut artificial, mut asked) = (0, 0);
    for _ in 0..4000 {
        let x = DVec3::new(
            rng.range(-1.5, 1.5),
            rng.range(-1.5, 1.5),
            rng.range(-1.5, 1.5),
        );
        if (model.distance)(x) <= reach {
            continue;
        }
        asked += 1;
        if let Some(sample) = surface.evaluate(x, &mut scratch).sample()
            && sample.value.abs() < 0.1 * reach
            && !sample.is_beyond_border
        {
            artificial += 1;
        }
    }
    Quality {
        rmse,
        defined,
        farthest,
        artificial: f64::from(artificial) / f64::from(asked.max(1)),
    }
}
