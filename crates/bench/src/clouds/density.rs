//! All crossings of two clouds, by the density of their points.
//!
//! The density is points per volume of the box of the model, which is scaled into a cube of edge 2; times are means over distances from 0 to 1.5. The
//! kernel ends at the same number of spacings in every cloud, so that an evaluation costs the same.

use impinge::DVec3;
use impinge::bound::Aabb;
use impinge::cloud::{
    CloudSurface, GraphOptions, InterpolationSearchOptions, InterpolationSearchScratch, PointCloud,
    ProximityGraph, SurfaceOptions,
};

use super::crossings::crossings;
use super::timing::{at_full_size, claim, own_seconds};
use super::tumble::{placements, tumbler};
use crate::Bar;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};
use crate::sample_statistics::{median, slope};

const MODELS: [&str; 4] = ["ball", "blob", "mushroom", "torus-knot"];
const SIZES: [usize; 4] = [10_000, 31_600, 100_000, 316_000];
const QUICK_SIZES: [usize; 3] = [2_000, 6_300, 20_000];
/// Distances of the copies.
const DISTANCES: usize = 16;
const FARTHEST: f64 = 1.5;
/// Time grows with at most this power of the density: the published growth is that of log log n, and log n itself would be 0.1 here.
const MAX_EXPONENT: f64 = 0.2;
const ROUNDS: usize = 3;

pub(super) fn density(is_full: bool, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let (sizes, steps): (&[usize], usize) = if is_full {
        (&SIZES, 40)
    } else {
        (&QUICK_SIZES, 8)
    };
    println!("\nall crossings by the density of points, mean over distances from 0 to {FARTHEST}");
    println!(
        "{:<11} {:>8} {:>9} {:>9} {:>10} {:>12}",
        "model", "points", "density", "mean µs", "crossings", "evaluations"
    );
    let mut table = Table {
        title: "All crossings by density".to_owned(),
        columns: [
            "model",
            "points",
            "points per volume of the box",
            "mean in µs",
            "crossings",
            "evaluations",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..Table::default()
    };
    let mut plot = Plot {
        title: "All crossings by density".to_owned(),
        x: Axis {
            label: "points per volume of the box".to_owned(),
            is_logarithmic: true,
            ..Axis::default()
        },
        y: Axis {
            label: "time".to_owned(),
            unit: "µs".to_owned(),
            is_logarithmic: true,
        },
        ..Plot::default()
    };
    for name in MODELS {
        let (mut times, mut series) = (Vec::new(), Vec::new());
        for &size in sizes {
            let one = Dense::measure(name, size, steps)?;
            println!(
                "{name:<11} {:>8} {:>9.0} {:>9.1} {:>10.1} {:>12.1}",
                one.points, one.density, one.micros, one.crossings, one.evaluations
            );
            table.rows.push(vec![
                Cell::Text(name.to_owned()),
                Cell::Number(one.points as f64),
                Cell::Number(one.density),
                Cell::Number(one.micros),
                Cell::Number(one.crossings),
                Cell::Number(one.evaluations),
            ]);
            // The box is the same, so the exponent of the points is that of the density.
            times.push((one.points, one.micros));
            series.push([one.density, one.micros]);
        }
        let exponent = slope(&times);
        claim(
            sheet,
            at_full_size(is_full, Bar::at_most(exponent, MAX_EXPONENT)),
            &format!(
                "{name}: the time for all crossings grows with at most the power {MAX_EXPONENT} of the density"
            ),
            &format!("{:.3}", exponent.unwrap_or(f64::NAN)),
        );
        plot.series.push(Series {
            name: name.to_owned(),
            points: series,
            ..Series::default()
        });
    }
    sheet.tables.push(table);
    sheet.plots.push(plot);
    Ok(())
}

/// What one cloud takes.
struct Dense {
    points: usize,
    density: f64,
    micros: f64,
    crossings: f64,
    evaluations: f64,
}

impl Dense {
    fn measure(name: &str, size: usize, steps: usize) -> anyhow::Result<Self> {
        let points = tumbler(name, size)?.points;
        let extent: DVec3 = 2.0 * Aabb::enclosing(points.iter().copied()).half_extent();
        let count = points.len();
        let graph = ProximityGraph::new(&PointCloud::new(points, None)?, &GraphOptions::default())?;
        let surface = CloudSurface::new(graph.into(), SurfaceOptions::default())?;
        let mut poses = Vec::new();
        for k in 0..DISTANCES {
            let distance = FARTHEST * k as f64 / (DISTANCES - 1) as f64;
            // Not the first, which is not turned: at distance 0 the copies would be one.
            poses.extend(placements(distance, steps)?.into_iter().skip(1));
        }
        let mut scratch = InterpolationSearchScratch::default();
        let options = InterpolationSearchOptions::default();
        let (mut times, mut reported, mut evaluations) = (Vec::new(), 0, 0);
        for _ in 0..ROUNDS {
            (reported, evaluations) = (0, 0);
            times.push(own_seconds(|| {
                let mut found = Vec::new();
                for pose in &poses {
                    found.clear();
                    let both = [&surface; 2];
                    let search = crossings(both, pose, &options, &mut scratch, &mut found);
                    reported += found.len();
                    evaluations += search.evaluations;
                }
            }));
        }
        let asked = poses.len() as f64;
        Ok(Self {
            points: count,
            density: count as f64 / extent.element_product(),
            micros: median(times) * 1e6 / asked,
            crossings: reported as f64 / asked,
            evaluations: evaluations as f64 / asked,
        })
    }
}
