//! How exact is the surface behind a cloud, does the automatic bandwidth find the best, and what does an evaluation cost?

use std::hint::black_box;
use std::sync::Arc;

use anyhow::Context;
use impinge::DVec3;
use impinge::cloud::{
    Bandwidth, BandwidthCalibration, CloudSurface, CovarianceCentre, EvaluationScratch,
    GraphOptions, ImplicitSurface, Influence, PointCloud, ProximityGraph, SampleSurface,
    SamplingRadius, SurfaceOptions, WeightDistance, sample_bandwidth,
};
use impinge::math::Rng;

use super::bandwidth_width::bandwidth_width;
use super::eigen;
use super::models::{MODELS, SampledModel};
use super::quality::{DEFINED, judge, rmse};
use super::timing::{at_full_size, own_seconds, timed};
use crate::sample_statistics::median;
use crate::{Bar, Bars};

/// Noise in spacings.
const NOISE: [f64; 4] = [0.0, 0.1, 0.25, 0.5];
/// The automatic bandwidth may be this much worse than the best fixed one.
const MAX_RATIO: f64 = 1.05;
/// What the geodesic kernel may cost beside the Euclidean.
const MAX_COST: f64 = 1.5;
/// Points of a cloud that the bars ask for.
const FULL: usize = 10_000;
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
    /// Print the error over eta and over fixed bandwidths, by paths and by straight lines, with
    /// Hausdorff distances and false sheets
    #[arg(long)]
    pub(crate) curves: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    quality(args, &mut bars)?;
    if args.curves {
        bandwidth_width(args.points)?;
    }
    orders(args, &mut bars)?;
    centres(args)?;
    cost(args, &mut bars)?;
    eigen::run(args.rounds, &mut bars);
    Ok(bars.end())
}

fn quality(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    println!(
        "error of f on the true surface, in thousandths of the spacing; {} points, geodesic Gaussian kernel",
        args.points
    );
    println!(
        "{:<14} {:>5} {:>5} {:>8} {:>8} {:>6} {:>8} {:>8} {:>10} {:>7} {:>10}",
        "model",
        "noise",
        "eta",
        "auto",
        "fixed",
        "ratio",
        "h/s",
        "defined",
        "farthest",
        "lost",
        "artificial"
    );
    let mut worst = Worst::default();
    for model in &MODELS {
        for noise in NOISE {
            worst.add(&one(model, noise, args)?);
        }
    }
    bars.say(
        at_full_size(args.points >= FULL, worst.bar()),
        format!(
            "automatic bandwidth at most {MAX_RATIO}× the best fixed and defined on {DEFINED} of every surface: {:.3}×, {:.3}",
            worst.ratio, worst.defined
        ),
    );
    Ok(())
}

/// The automatic error beside the best fixed one, and the part of the true surface where f is defined.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BandwidthComparison {
    ratio: f64,
    defined: f64,
}

/// The largest ratio and the smallest defined part. A ratio that is no number is the worst of all: a surface that is not there has no error.
#[derive(Clone, Copy, Debug)]
struct Worst {
    ratio: f64,
    defined: f64,
    count: u32,
}

impl Default for Worst {
    fn default() -> Self {
        Self {
            ratio: 0.0,
            defined: 1.0,
            count: 0,
        }
    }
}

impl Worst {
    fn add(&mut self, one: &BandwidthComparison) {
        let ratio = if one.ratio.is_finite() {
            one.ratio
        } else {
            f64::INFINITY
        };
        self.ratio = self.ratio.max(ratio);
        self.defined = self.defined.min(one.defined);
        self.count += 1;
    }

    fn bar(&self) -> Bar {
        match self.count {
            0 => Bar::Open,
            _ => Bar::of(self.ratio <= MAX_RATIO && self.defined >= DEFINED),
        }
    }
}

fn one(model: &SampledModel, noise: f64, args: &Args) -> anyhow::Result<BandwidthComparison> {
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
    let calibration = BandwidthCalibration::of(&graph, SurfaceOptions::default().negligible);
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
    let best = if best_h > 0.0 {
        rmse(&make(Bandwidth::Fixed(best_h))?, model, rim, 2000).0
    } else {
        f64::NAN
    };
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
        "{:<14} {noise:>5} {:>5.2} {:>8.2} {:>8.2} {ratio:>6.3} {:>8.2} {:>8.3} {:>10.1} {:>6.2}% {:>9.2}%",
        model.name,
        calibration.eta,
        auto.rmse * unit,
        best * unit,
        best_h / spacing,
        auto.defined,
        auto.farthest * unit,
        auto.lost * 100.0,
        auto.artificial * 100.0,
    );
    Ok(BandwidthComparison {
        ratio,
        defined: auto.defined,
    })
}

/// Orders of the graph that are published as good.
const ORDERS: [usize; 4] = [3, 4, 5, 6];
/// Tried beside them, and printed.
const OTHER_ORDERS: [usize; 3] = [1, 2, 8];
/// How much worse than the default's the error may be with another order.
const MAX_BY_ORDER: f64 = 1.5;

/// What the order of the sphere-of-influence graph does to the surface and to the time it takes to build and to ask.
fn orders(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    /// In spacings.
    const NOISE: f64 = 0.1;
    println!(
        "\norder of the sphere-of-influence graph, noise of {NOISE} spacings; errors in thousandths of the spacing"
    );
    println!(
        "{:<14} {:>5} {:>8} {:>7} {:>8} {:>8} {:>10} {:>9} {:>9}",
        "model",
        "order",
        "edges/n",
        "pieces",
        "error",
        "defined",
        "artificial",
        "build ms",
        "ask ns"
    );
    let mut worst = Worst::default();
    for model in &MODELS {
        let spacing = model.spacing(args.points);
        let mut rng = Rng::new(7);
        let cloud = PointCloud::new(model.noisy(args.points, NOISE * spacing, &mut rng), None)?;
        let places: Vec<DVec3> = (0..4000).map(|_| (model.draw)(&mut rng)).collect();
        let mut errors = Vec::new();
        for order in OTHER_ORDERS.into_iter().chain(ORDERS) {
            let options = GraphOptions {
                influence: Influence::Spheres { order },
                ..GraphOptions::default()
            };
            let mut graph = None;
            let (build, _) = timed(|| graph = Some(ProximityGraph::new(&cloud, &options)));
            let Some(graph) = graph else { continue };
            let graph = Arc::new(graph?);
            let calibration =
                BandwidthCalibration::of(&graph, SurfaceOptions::default().negligible);
            let options = SurfaceOptions {
                bandwidth: calibration.bandwidth(),
                ..SurfaceOptions::default()
            };
            let surface = CloudSurface::unoriented(graph.clone(), options)?;
            let found = judge(&surface, model, 8.0 * spacing, 3.0 * spacing);
            let mut scratch = EvaluationScratch::default();
            let asked = own_seconds(|| {
                for &x in &places {
                    black_box(surface.evaluate(black_box(x), &mut scratch).value());
                }
            });
            let (near, far) = graph.edge_count();
            println!(
                "{:<14} {order:>5} {:>8.2} {:>7} {:>8.2} {:>8.3} {:>9.2}% {:>9.1} {:>9.0}",
                model.name,
                (near + far) as f64 / args.points as f64,
                graph.components(),
                found.rmse * 1e3 / spacing,
                found.defined,
                found.artificial * 100.0,
                build * 1e3,
                asked * 1e9 / places.len() as f64
            );
            errors.push((order, found.rmse, found.defined));
        }
        let default = errors.iter().find(|e| e.0 == 4).map_or(f64::NAN, |e| e.1);
        for &(_, error, defined) in errors.iter().filter(|e| ORDERS.contains(&e.0)) {
            worst.add(&BandwidthComparison {
                ratio: error / default,
                defined,
            });
        }
    }
    let is_met = worst.ratio <= MAX_BY_ORDER && worst.defined >= DEFINED;
    let bar = if worst.count == 0 {
        Bar::Open
    } else {
        Bar::of(is_met)
    };
    bars.say(
        at_full_size(args.points >= FULL, bar),
        format!(
            "orders from 3 to 6 do for all models: errors at most {MAX_BY_ORDER}× that of order 4, defined on {DEFINED}: {:.2}×, {:.3}",
            worst.ratio, worst.defined
        ),
    );
    Ok(())
}

/// The covariance about the mean beside that about the place, and surfaces of a tenth of the points without a graph: how far off they are on the surface and next to it.
fn centres(args: &Args) -> anyhow::Result<()> {
    /// How far places are from the surface at most, in spacings.
    const BESIDE: f64 = 3.0;
    println!(
        "\nwhat the covariance is taken about: errors in thousandths of the spacing on the true surface, and of |f| up to {BESIDE} spacings beside it"
    );
    println!(
        "{:<14} {:<18} {:>9} {:>9} {:>9}",
        "model", "about", "on it", "beside it", "defined"
    );
    for model in &MODELS {
        let spacing = model.spacing(args.points);
        let mut rng = Rng::new(8);
        let points = model.noisy(args.points, 0.0, &mut rng);
        let graph = ProximityGraph::new(
            &PointCloud::new(points.clone(), None)?,
            &GraphOptions::default(),
        )?;
        let graph = Arc::new(graph);
        let calibration = BandwidthCalibration::of(&graph, SurfaceOptions::default().negligible);
        let about = |centre: CovarianceCentre| {
            let options = SurfaceOptions {
                centre,
                bandwidth: calibration.bandwidth(),
                ..SurfaceOptions::default()
            };
            CloudSurface::unoriented(graph.clone(), options)
        };
        let radius = SamplingRadius::of_graph(&graph).quantile(0.5);
        let sample: Vec<DVec3> = points.iter().copied().step_by(10).collect();
        let negligible = SurfaceOptions::default().negligible;
        let eta = calibration.eta;
        let width = sample_bandwidth(
            eta,
            radius.unwrap_or(spacing),
            points.len(),
            sample.len(),
            negligible,
        );
        let sample = SampleSurface::new(sample, width)?;
        let (mean, place) = (
            about(CovarianceCentre::Mean)?,
            about(CovarianceCentre::Place)?,
        );
        let surfaces: [(&str, &dyn ImplicitSurface); 3] = [
            ("the mean", &mean),
            ("the place", &place),
            ("a tenth, no graph", &sample),
        ];
        for (name, surface) in surfaces {
            let mut rng = Rng::new(9);
            let mut scratch = EvaluationScratch::default();
            let (mut sums, mut counts, mut asked) = ([0.0; 2], [0_u32; 2], 0_u32);
            for _ in 0..2000 {
                let p = (model.draw)(&mut rng);
                let away = rng.range(-BESIDE, BESIDE) * spacing;
                if !(model.is_inner)(p, 8.0 * spacing) {
                    continue;
                }
                asked += 2;
                for (at, away) in [0.0, away].into_iter().enumerate() {
                    let x = p + (model.normal)(p) * away;
                    if let Some(value) = surface.evaluate(x, &mut scratch).value() {
                        let off = value.abs() - away.abs();
                        sums[at] += off * off;
                        counts[at] += 1;
                    }
                }
            }
            let off = [0, 1].map(|at| (sums[at] / f64::from(counts[at])).sqrt() * 1e3 / spacing);
            println!(
                "{:<14} {name:<18} {:>9.2} {:>9.2} {:>9.3}",
                model.name,
                off[0],
                off[1],
                f64::from(counts[0] + counts[1]) / f64::from(asked)
            );
        }
    }
    Ok(())
}

fn cost(args: &Args, bars: &mut Bars) -> anyhow::Result<()> {
    println!(
        "\nnanoseconds per evaluation near the surface of a ball, {} points",
        args.points
    );
    let mut rng = Rng::new(6);
    let cloud = PointCloud::from_points((0..args.points).map(|_| rng.direction()))?;
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default())?);
    let tetrahedra = GraphOptions {
        influence: Influence::Delaunay,
        ..GraphOptions::default()
    };
    // Not on the very sphere, where tetrahedra are decided by exact arithmetic alone.
    let spacing = MODELS[0].spacing(args.points);
    let rough = MODELS[0].noisy(args.points, 0.01 * spacing, &mut rng);
    let mut delaunay = None;
    let (built, _) = timed(|| {
        delaunay = Some(
            PointCloud::new(rough, None).and_then(|cloud| ProximityGraph::new(&cloud, &tetrahedra)),
        );
    });
    let delaunay = Arc::new(delaunay.context("no graph was built")??);
    println!("Delaunay graph built in {:.1} ms", built * 1e3);
    let places: Vec<DVec3> = (0..4000)
        .map(|_| rng.direction() * rng.range(0.98, 1.02))
        .collect();
    let distances = [
        WeightDistance::Euclidean,
        WeightDistance::Geodesic,
        WeightDistance::Shortest,
        WeightDistance::Hops,
        WeightDistance::Averaged(0.3),
    ];
    // Over the sphere-of-influence graph all of them, over the Delaunay graph the geodesic one.
    let kinds = distances.map(|distance| (&graph, distance));
    let kinds: Vec<_> = kinds
        .into_iter()
        .chain([(&delaunay, WeightDistance::Geodesic)])
        .collect();
    for bandwidth in [
        Bandwidth::Local { eta: 5.0 },
        Bandwidth::Fixed(1.2 * spacing),
        Bandwidth::Fixed(2.0 * spacing),
    ] {
        let surfaces = kinds
            .iter()
            .map(|&(graph, distance)| {
                let options = SurfaceOptions {
                    distance,
                    bandwidth,
                    ..SurfaceOptions::default()
                };
                CloudSurface::unoriented(graph.clone(), options)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut times = vec![Vec::new(); surfaces.len()];
        let mut scratch = EvaluationScratch::default();
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
        for ((graph, distance), ns) in kinds.iter().zip(&per) {
            let over = match graph.options().influence {
                Influence::Delaunay => ", Delaunay graph",
                _ => "",
            };
            println!("{bandwidth:?} {distance:?}{over}: {ns:.0} ns");
        }
        let ratio = per[1] / per[0];
        bars.say(
            at_full_size(args.points >= FULL, Bar::at_most(ratio, MAX_COST)),
            format!("{bandwidth:?}: geodesic {ratio:.2}× Euclidean ≤ {MAX_COST}×"),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BandwidthComparison, Worst};
    use crate::Bar;

    #[test]
    fn a_surface_that_is_not_there_misses_the_bar() {
        let of = |ratio, defined| {
            let mut worst = Worst::default();
            worst.add(&BandwidthComparison {
                ratio: 1.0,
                defined: 1.0,
            });
            worst.add(&BandwidthComparison { ratio, defined });
            worst.bar()
        };
        assert_eq!(of(1.04, 0.995), Bar::Met);
        assert_eq!(of(1.06, 1.0), Bar::Missed);
        assert_eq!(of(f64::NAN, 1.0), Bar::Missed);
        assert_eq!(of(0.5, 0.98), Bar::Missed);
        assert_eq!(of(0.0, 0.0), Bar::Missed);
        assert_eq!(Worst::default().bar(), Bar::Open);
    }
}
