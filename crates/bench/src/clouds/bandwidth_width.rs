//! The error over the bandwidth by straight and by path distances: how wide is the range in which it is small?
//!
//! Beside the error on the true surface stand the Hausdorff distance, in both directions, and a
//! search for false sheets, which the error does not see. The time of an evaluation over the number
//! of points ends the study.

use std::hint::black_box;
use std::sync::Arc;

use impinge::DVec3;
use impinge::cloud::{
    Bandwidth, CloudSurface, EvaluationScratch, GraphOptions, ImplicitSurface, PointCloud,
    ProximityGraph, SurfaceOptions, WeightDistance,
};
use impinge::math::Rng;

use super::models::{MODELS, SHEETS, SampledModel};
use super::quality::{DEFINED, rmse};
use super::timing::own_seconds;
use crate::sample_statistics::slope;

/// Noise in spacings.
const NOISE: [f64; 4] = [0.0, 0.1, 0.25, 0.5];
/// Bandwidths: from 0.7 spacings on, each larger by this factor.
const FINER: f64 = 1.16;
const STEPS: i32 = 12;
/// Errors up to this many times the least count as small.
const SMALL: f64 = 1.5;
/// Newton steps to a zero at most, and how near it is to one then, in spacings.
const NEWTON: usize = 16;
const ON_ZERO: f64 = 1e-3;

/// Prints the study; it judges nothing, since the source shows curves without numbers.
pub(super) fn bandwidth_width(points: usize) -> anyhow::Result<()> {
    println!(
        "\nerror over the bandwidth h, fixed, in thousandths of the spacing s; range: largest over smallest h with at most {SMALL}× the least error;"
    );
    println!(
        "Hausdorff distance, from the truth and from the surface, and zeros farther than 3 s from the truth of those that random places lead to: at the best h and at the largest of the range by paths"
    );
    println!(
        "{:<14} {:>5} {:<6} {:>8} {:>6} {:>6} {:>18} {:>7} {:>18} {:>7}",
        "model", "noise", "by", "least", "h/s", "range", "Hausdorff", "false", "Hausdorff", "false"
    );
    for model in MODELS.iter().chain([&SHEETS]) {
        for noise in NOISE {
            let spacing = model.spacing(points);
            let mut rng = Rng::new(9);
            let cloud = PointCloud::new(model.noisy(points, noise * spacing, &mut rng), None)?;
            let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default())?);
            let study = |distance: WeightDistance| {
                let make = |h: f64| {
                    let options = SurfaceOptions {
                        bandwidth: Bandwidth::Fixed(h),
                        distance,
                        ..SurfaceOptions::default()
                    };
                    CloudSurface::unoriented(graph.clone(), options)
                };
                Curve::of(model, spacing, make)
            };
            let by_paths = study(SurfaceOptions::default().distance)?;
            let straight = study(WeightDistance::Euclidean)?;
            for (name, curve, distance) in [
                ("paths", &by_paths, SurfaceOptions::default().distance),
                ("lines", &straight, WeightDistance::Euclidean),
            ] {
                let at = |h: f64| {
                    let options = SurfaceOptions {
                        bandwidth: Bandwidth::Fixed(h),
                        distance,
                        ..SurfaceOptions::default()
                    };
                    let surface = CloudSurface::unoriented(graph.clone(), options)?;
                    anyhow::Ok(ZeroSet::of(&surface, model, &cloud, spacing))
                };
                let (best, wide) = (at(curve.best)?, at(by_paths.largest)?);
                println!(
                    "{:<14} {noise:>5} {name:<6} {:>8.2} {:>6.2} {:>6.2} {:>8.0} / {:>7.0} {:>6.2}% {:>8.0} / {:>7.0} {:>6.2}%",
                    model.name,
                    curve.least * 1e3 / spacing,
                    curve.best / spacing,
                    curve.largest / curve.smallest,
                    best.from_truth * 1e3 / spacing,
                    best.from_surface * 1e3 / spacing,
                    best.artificial * 100.0,
                    wide.from_truth * 1e3 / spacing,
                    wide.from_surface * 1e3 / spacing,
                    wide.artificial * 100.0,
                );
            }
            let range = |curve: &Curve| curve.largest / curve.smallest;
            println!(
                "{:<14} {noise:>5} ranges by paths over by lines: {:.2}",
                model.name,
                range(&by_paths) / range(&straight)
            );
        }
    }
    growth()
}

/// The error over the bandwidth.
struct Curve {
    least: f64,
    best: f64,
    /// The ends of the run of bandwidths about the best at which the error is small.
    smallest: f64,
    largest: f64,
}

impl Curve {
    fn of<E>(
        model: &SampledModel,
        spacing: f64,
        make: impl Fn(f64) -> Result<CloudSurface, E>,
    ) -> Result<Self, E> {
        let mut errors = Vec::new();
        for step in 0..STEPS {
            let h = spacing * 0.7 * FINER.powi(step);
            let (error, defined) = rmse(&make(h)?, model, 8.0 * spacing, 1000);
            let error = if defined >= DEFINED {
                error
            } else {
                f64::INFINITY
            };
            errors.push((h, error));
        }
        let order = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let all = errors.iter().map(|e| e.1).enumerate();
        let (at, least) = all.min_by(order).unwrap_or((0, f64::INFINITY));
        let is_small = |e: &&(f64, f64)| e.1 <= SMALL * least;
        let before = errors[..at].iter().rev().take_while(is_small).count();
        let after = errors[at..].iter().take_while(is_small).count();
        Ok(Self {
            least,
            best: errors[at].0,
            smallest: errors[at - before].0,
            largest: errors[(at + after).max(1) - 1].0,
        })
    }
}

/// How far the zeros of a surface are from the truth, and the truth from them.
struct ZeroSet {
    /// The largest distance from a true point to the zero that it leads to: no zero may be nearer than the nearest.
    from_truth: f64,
    /// The largest distance from a zero, reached from the points of the cloud, to the truth.
    from_surface: f64,
    /// Of the zeros that places around the cloud lead to, the part far from the truth.
    artificial: f64,
}

impl ZeroSet {
    fn of(surface: &CloudSurface, model: &SampledModel, cloud: &PointCloud, spacing: f64) -> Self {
        let mut rng = Rng::new(79);
        let mut scratch = EvaluationScratch::default();
        let mut from_truth = 0.0_f64;
        for _ in 0..1000 {
            let start = (model.draw)(&mut rng);
            if (model.is_inner)(start, 8.0 * spacing) {
                let zero = zero_from(surface, start, spacing, &mut scratch);
                // Where the surface is missing it is infinitely far.
                from_truth = from_truth.max(zero.map_or(f64::INFINITY, |z| z.distance(start)));
            }
        }
        let mut from_surface = 0.0_f64;
        for &p in cloud.points().iter().step_by(7) {
            if let Some(zero) = zero_from(surface, p, spacing, &mut scratch) {
                from_surface = from_surface.max((model.distance)(zero));
            }
        }
        let (mut reached, mut artificial) = (0_u32, 0_u32);
        for _ in 0..4000 {
            let near = cloud.points()[rng.below(cloud.points().len() as u64) as usize];
            let place = near + rng.direction() * rng.range(2.0, 12.0) * spacing;
            if let Some(zero) = zero_from(surface, place, spacing, &mut scratch) {
                reached += 1;
                artificial += u32::from((model.distance)(zero) > 3.0 * spacing);
            }
        }
        Self {
            from_truth,
            from_surface,
            artificial: f64::from(artificial) / f64::from(reached.max(1)),
        }
    }
}

/// A zero that counts as surface, by Newton's steps from a place.
fn zero_from(
    surface: &CloudSurface,
    start: DVec3,
    spacing: f64,
    scratch: &mut EvaluationScratch,
) -> Option<DVec3> {
    let mut place = start;
    for _ in 0..NEWTON {
        let sample = *surface.evaluate(place, scratch).sample()?;
        if sample.value.abs() <= ON_ZERO * spacing {
            return (!sample.is_beyond_border).then_some(place);
        }
        place += sample.normal * sample.value;
    }
    None
}

/// What an evaluation costs over the number of points; published as O(log n).
fn growth() -> anyhow::Result<()> {
    const SIZES: [usize; 4] = [2_000, 10_000, 50_000, 250_000];
    println!("\nevaluation over the number of points of a ball");
    let mut times = Vec::new();
    for n in SIZES {
        let mut rng = Rng::new(n as u64);
        let cloud = PointCloud::from_points((0..n).map(|_| rng.direction()))?;
        let graph = ProximityGraph::new(&cloud, &GraphOptions::default())?;
        let surface = CloudSurface::unoriented(graph.into(), SurfaceOptions::default())?;
        let places: Vec<DVec3> = (0..40_000).map(|_| rng.direction()).collect();
        let mut scratch = EvaluationScratch::default();
        let seconds = own_seconds(|| {
            for &x in &places {
                black_box(surface.evaluate(black_box(x), &mut scratch).value());
            }
        });
        let each = seconds * 1e9 / places.len() as f64;
        println!("{n:>8} points: {each:>7.0} ns");
        times.push((n, each));
    }
    if let Some(power) = slope(&times) {
        println!("grows as n^{power:.3}");
    }
    Ok(())
}
