//! How exact is the surface behind a cloud, does the automatic bandwidth find the best, and what does an evaluation cost?

use std::hint::black_box;
use std::sync::Arc;

use impinge::DVec3;
use impinge::cloud::{
    Bandwidth, Calibration, CloudSurface, Distance, GraphOptions, ImplicitSurface, PointCloud,
    ProximityGraph, Scratch, SurfaceOptions,
};
use impinge::math::Rng;

use super::eigen;
use super::models::{MODELS, Model};
use super::quality::{DEFINED, judge, rmse};
use super::timing::{bar, median, own_seconds};
use crate::Bar;

/// Noise in spacings.
const NOISE: [f64; 4] = [0.0, 0.1, 0.25, 0.5];
/// The automatic bandwidth may be this much worse than the best fixed one.
const MAX_RATIO: f64 = 1.05;
/// What the geodesic kernel may cost beside the Euclidean.
const MAX_COST: f64 = 1.5;
/// Evaluations per round: long enough for the coarse clock of a thread.
const EVALUATIONS: usize = 40_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Points per cloud
    #[arg(long, default_value_t = 10_000)]
    pub(crate) points: usize,
    /// Rounds of timings; the median counts
    #[arg(long, default_value_t = 9)]
    pub(crate) rounds: usize,
    /// Print the error over eta and over fixed bandwidths
    #[arg(long)]
    pub(crate) curves: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut met = quality(args)?;
    met &= cost(args)?;
    met &= eigen::run(args.rounds);
    Ok(if met { Bar::Met } else { Bar::Missed })
}

fn quality(args: &Args) -> anyhow::Result<bool> {
    println!(
        "error of f on the true surface, in thousandths of the spacing; {} points, geodesic Gaussian kernel",
        args.points
    );
    println!(
        "{:<14} {:>5} {:>5} {:>8} {:>8} {:>6} {:>8} {:>10} {:>10}",
        "model", "noise", "eta", "auto", "fixed", "ratio", "h/s", "farthest", "artificial"
    );
    let mut worst = 0.0_f64;
    for model in &MODELS {
        for noise in NOISE {
            worst = worst.max(one(model, noise, args)?);
        }
    }
    Ok(bar(
        worst <= MAX_RATIO,
        &format!("automatic bandwidth at most {worst:.3}× the best fixed ≤ {MAX_RATIO}×"),
    ))
}

/// Ratio of the automatic error to the best fixed one.
fn one(model: &Model, noise: f64, args: &Args) -> anyhow::Result<f64> {
    let spacing = model.spacing(args.points);
    let mut rng = Rng::new(5);
    let cloud = PointCloud::new(model.noisy(args.points, noise * spacing, &mut rng), None)?;
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default())?);
    let rim = 8.0 * spacing;
    let make = |bandwidth: Bandwidth| {
        let options = SurfaceOptions {
            bandwidth,
            ..SurfaceOptions::default()
        };
        CloudSurface::unoriented(graph.clone(), options)
    };
    let calibration = Calibration::of(&graph, SurfaceOptions::default().negligible);
    let auto = judge(&make(calibration.bandwidth())?, model, rim, 3.0 * spacing);
    let (mut best, mut best_h) = (f64::INFINITY, 0.0);
    for step in 0..12 {
        let h = spacing * 0.7 * 1.16_f64.powi(step);
        let (error, defined) = rmse(&make(Bandwidth::Fixed(h))?, model, rim, 1000);
        if args.curves {
            println!(
                "    h/s {:.2}: {:.2} defined {defined:.3}",
                h / spacing,
                error * 1e3 / spacing
            );
        }
        if defined >= DEFINED && error < best {
            (best, best_h) = (error, h);
        }
    }
    // The best fixed one is measured like the automatic one.
    let (best, _) = rmse(&make(Bandwidth::Fixed(best_h))?, model, rim, 2000);
    if args.curves {
        for step in 0..12 {
            let eta = 3.0 * 1.13_f64.powi(step);
            let (error, defined) = rmse(&make(Bandwidth::Local { eta })?, model, rim, 1000);
            println!(
                "    eta {eta:.2}: {:.2} defined {defined:.3}",
                error * 1e3 / spacing
            );
        }
        println!(
            "    noise/s {:.3} curvature {:.3}",
            calibration.noise / spacing,
            calibration.curvature
        );
    }
    let ratio = auto.rmse / best;
    let unit = 1e3 / spacing;
    println!(
        "{:<14} {noise:>5} {:>5.2} {:>8.2} {:>8.2} {ratio:>6.3} {:>8.2} {:>10.1} {:>9.2}%{}",
        model.name,
        calibration.eta,
        auto.rmse * unit,
        best * unit,
        best_h / spacing,
        auto.farthest * unit,
        auto.artificial * 100.0,
        if auto.defined < DEFINED {
            "  not defined everywhere"
        } else {
            ""
        }
    );
    Ok(ratio)
}

fn cost(args: &Args) -> anyhow::Result<bool> {
    println!(
        "\nnanoseconds per evaluation near the surface of a ball, {} points",
        args.points
    );
    let mut rng = Rng::new(6);
    let cloud = PointCloud::from_points((0..args.points).map(|_| rng.direction()))?;
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default())?);
    let places: Vec<DVec3> = (0..4000)
        .map(|_| rng.direction() * rng.range(0.98, 1.02))
        .collect();
    let distances = [
        Distance::Euclidean,
        Distance::Geodesic,
        Distance::Shortest,
        Distance::Hops,
        Distance::Averaged(0.3),
    ];
    let mut met = true;
    let spacing = MODELS[0].spacing(args.points);
    for bandwidth in [
        Bandwidth::Local { eta: 5.0 },
        Bandwidth::Fixed(1.2 * spacing),
        Bandwidth::Fixed(2.0 * spacing),
    ] {
        let surfaces = distances
            .map(|distance| {
                let options = SurfaceOptions {
                    distance,
                    bandwidth,
                    ..SurfaceOptions::default()
                };
                CloudSurface::unoriented(graph.clone(), options)
            })
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        let mut times = vec![Vec::new(); surfaces.len()];
        let mut scratch = Scratch::default();
        for _ in 0..args.rounds.max(3) {
            for (surface, times) in surfaces.iter().zip(&mut times) {
                times.push(own_seconds(|| {
                    for &x in places.iter().cycle().take(EVALUATIONS) {
                        black_box(surface.evaluate(black_box(x), &mut scratch).value());
                    }
                }));
            }
        }
        let per: Vec<f64> = times
            .into_iter()
            .map(|t| median(t) * 1e9 / EVALUATIONS as f64)
            .collect();
        for (distance, ns) in distances.iter().zip(&per) {
            println!("{bandwidth:?} {distance:?}: {ns:.0} ns");
        }
        let ratio = per[1] / per[0];
        met &= bar(
            ratio <= MAX_COST,
            &format!("geodesic {ratio:.2}× Euclidean ≤ {MAX_COST}×"),
        );
    }
    Ok(met)
}
