//! How exact a surface is.

use impinge::DVec3;
use impinge::cloud::{CloudSurface, EvaluationScratch, ImplicitSurface};
use impinge::math::Rng;

use super::models::SampledModel;

/// What a surface is worth beside the one it was sampled from.
pub(super) struct Quality {
    /// Root of the mean square of f over the true surface.
    pub(super) rmse: f64,
    /// Part of the true surface on which f is defined.
    pub(super) defined: f64,
    /// The largest distance from the true surface of the zeros that lead on from its points; infinite when there is none.
    pub(super) farthest: f64,
    /// Part of those points from which no zero is reached, because f is undefined there or on the way.
    pub(super) lost: f64,
    /// Part of random places far from the true surface that lie on a zero.
    pub(super) artificial: f64,
}

/// Values below this part of the worst count as defined everywhere.
pub(super) const DEFINED: f64 = 0.99;

/// f over points of the true surface, away from borders by `rim`: the error where it is defined, infinite when that is nowhere, and the part where it is.
pub(super) fn rmse(
    surface: &CloudSurface,
    model: &SampledModel,
    rim: f64,
    count: usize,
) -> (f64, f64) {
    let mut rng = Rng::new(77);
    let mut scratch = EvaluationScratch::default();
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
    let error = match defined {
        0 => f64::INFINITY,
        _ => (sum / f64::from(defined)).sqrt(),
    };
    (error, f64::from(defined) / asked.max(1) as f64)
}

/// Everything about a surface; `reach` is how far from the true one a zero is artificial.
pub(super) fn judge(surface: &CloudSurface, model: &SampledModel, rim: f64, reach: f64) -> Quality {
    let (rmse, defined) = rmse(surface, model, rim, 2000);
    let mut rng = Rng::new(78);
    let mut scratch = EvaluationScratch::default();
    // From a true point along the normal to the zero: one Newton step after the other.
    let (mut farthest, mut starts, mut lost) = (0.0_f64, 0_u32, 0_u32);
    for _ in 0..1000 {
        let start = (model.draw)(&mut rng);
        if !(model.is_inner)(start, rim) {
            continue;
        }
        starts += 1;
        let mut zero = Some(start);
        for _ in 0..8 {
            zero = zero.and_then(|x| {
                let sample = surface.evaluate(x, &mut scratch).sample().copied()?;
                Some(x + sample.normal * sample.value)
            });
        }
        match zero {
            Some(zero) => farthest = farthest.max((model.distance)(zero)),
            None => lost += 1,
        }
    }
    if lost == starts {
        farthest = f64::INFINITY;
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
        lost: f64::from(lost) / f64::from(starts.max(1)),
        artificial: f64::from(artificial) / f64::from(asked.max(1)),
    }
}
