//! One model at several resolutions: what its tree takes to build, and what questions about it cost.

use impinge::cloud::{CloudCollisionOptions, CloudTreeOptions};

use super::cloud_collision::BuiltTree;
use super::leaf_tests::cost;
use super::tumble::{tumbler, tumblers};
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};
use crate::sample_statistics::slope;

/// A model with a mesh, and the scan, whose lower resolutions are samples of its faces.
const MODELS: [&str; 2] = ["blob", "buddha"];
/// Parts of the published number of points.
const PARTS: [f64; 5] = [0.0625, 0.125, 0.25, 0.5, 1.0];

/// Adds a row for every resolution; `share` is the part of the points of this run.
pub(super) fn resolutions(
    only: Option<&str>,
    share: f64,
    steps: usize,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let columns = [
        "model",
        "points",
        "nodes",
        "build in s",
        "bytes per node",
        "mean in µs",
        "evaluations",
        "wrong in %",
    ];
    let mut table = Table {
        title: "Resolutions".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: Vec::new(),
    };
    let mut plot = Plot {
        title: "Time to build a tree".to_owned(),
        x: axis("points", ""),
        y: axis("time", "s"),
        ..Plot::default()
    };
    for name in MODELS {
        let (found, _) = tumblers(Some(name), share)?;
        let is_wanted = only.is_none_or(|only| name.contains(only));
        let Some(whole) = found.first().filter(|_| is_wanted) else {
            continue;
        };
        println!("\nresolutions, {name}");
        println!(
            "{:>8} {:>7} {:>8} {:>6} {:>9} {:>7} {:>8}",
            "points", "nodes", "build s", "bytes", "mean µs", "evals", "wrong %"
        );
        let (mut times, mut points) = (Vec::new(), Vec::new());
        for part in PARTS {
            let count = ((whole.points.len() as f64 * part) as usize).max(500);
            let model = tumbler(name, count)?;
            let built = BuiltTree::new(&model, &CloudTreeOptions::default())?;
            let each = built.tree.bytes() as f64 / built.tree.nodes().max(1) as f64;
            let mut question = built.question(CloudCollisionOptions::default());
            let cost = cost(&model, &mut question, steps)?;
            let (size, nodes) = (model.points.len(), built.tree.nodes());
            let (seconds, micros, wrong) = (built.seconds, cost.mean * 1e6, cost.wrong * 100.0);
            println!(
                "{size:>8} {nodes:>7} {seconds:>8.3} {each:>6.1} {micros:>9.1} {:>7.1} {wrong:>8.2}",
                cost.evaluations
            );
            let numbers = [
                size as f64,
                nodes as f64,
                seconds,
                each,
                micros,
                cost.evaluations,
                wrong,
            ];
            let row = std::iter::once(Cell::Text(name.to_owned()));
            table
                .rows
                .push(row.chain(numbers.map(Cell::Number)).collect());
            times.push((size, seconds));
            points.push([size as f64, seconds]);
        }
        if let Some(power) = slope(&times) {
            println!("{name}: the time to build grows as n^{power:.2}");
        }
        plot.series.push(Series {
            name: name.to_owned(),
            points,
            ..Series::default()
        });
    }
    sheet.tables.push(table);
    sheet.plots.push(plot);
    Ok(())
}

fn axis(label: &str, unit: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        unit: unit.to_owned(),
        is_logarithmic: true,
    }
}
