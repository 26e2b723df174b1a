//! What more threads give: the laws of Amdahl and Gustafson fitted to measured times.

use std::sync::Arc;
use std::time::Instant;

use impinge::Pose;
use impinge::average_case::{AverageConfig, AverageQuery, AverageTree};
use impinge::bound::Aabb;
use impinge::query::Limits;

use super::Preset;
use super::thesis_models::{Model, car};
use super::tumble::rounds;
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};
use crate::speedup_laws::{GROWING, amdahl, gustafson};

pub(super) fn run(preset: Preset, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let model = Model::new("car", &car(1.0)?, None)?;
    let rounds = rounds(&model, preset.pick(10, 40, 200), 0.1)?;
    let tree = Arc::new(AverageTree::<Aabb>::new(
        &model.mesh,
        &AverageConfig::default(),
    ));
    let cores = crate::thread_cpu_time::cores();
    let poses: Vec<Pose> = rounds
        .iter()
        .flat_map(|round| round.poses.iter().copied())
        .collect();
    // A job is long beside what starting threads takes, and beside the steps of the scheduler.
    let mut times = 1;
    while times < MOST && time(&poses, &tree, 1, times)? < ENOUGH {
        times *= 2;
    }
    let mut fixed: Vec<(f64, f64)> = (1..=cores).map(|n| (n as f64, f64::INFINITY)).collect();
    let mut grown = fixed.clone();
    // In turns, so that whatever else the machine does meets all of them; the least counts.
    for _ in 0..ROUNDS {
        for (k, threads) in (1..=cores).enumerate() {
            fixed[k].1 = fixed[k].1.min(time(&poses, &tree, threads, times)?);
            let more = times * threads;
            grown[k].1 = grown[k].1.min(time(&poses, &tree, threads, more)?);
        }
    }
    println!("\nthreads, s for a fixed job, s for a job that grows:");
    let mut table = Table {
        title: "Threads: queries of the car".to_owned(),
        columns: ["threads", "fixed job, s", "grown job, s"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    for ((threads, fixed), (_, grown)) in fixed.iter().zip(&grown) {
        println!("  {threads}  {fixed:.4}  {grown:.4}");
        table
            .rows
            .push([*threads, *fixed, *grown].map(Cell::Number).to_vec());
    }
    sheet.tables.push(table);
    let line = |name: &str, times: &[(f64, f64)]| Series {
        name: name.to_owned(),
        points: times
            .iter()
            .map(|(threads, time)| [*threads, *time])
            .collect(),
        ..Series::default()
    };
    sheet.plots.push(Plot {
        title: "Queries of the car side by side".to_owned(),
        x: Axis {
            label: "threads".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: "time".to_owned(),
            unit: "s".to_owned(),
            is_logarithmic: false,
        },
        series: vec![line("a fixed job", &fixed), line(GROWING, &grown)],
    });
    let told = |part: Option<f64>| {
        part.map_or("not told by one thread".to_owned(), |s| {
            format!("{:.1} %", 100.0 * s)
        })
    };
    let note = format!(
        "Serial part of answering queries side by side on {cores} cores: {} by Amdahl's law, {} by Gustafson's.",
        told(amdahl(&fixed)),
        told(gustafson(&grown))
    );
    println!("{note}");
    sheet.notes.push(note);
    Ok(())
}

/// Seconds of a job on one thread, and how many times all queries are run for it at most.
const ENOUGH: f64 = 0.2;
const MOST: usize = 1 << 20;
/// Times that each job is done.
const ROUNDS: usize = 5;

/// Seconds that all queries take so many times, shared by threads.
fn time(
    poses: &[Pose],
    tree: &Arc<AverageTree<Aabb>>,
    threads: usize,
    times: usize,
) -> anyhow::Result<f64> {
    let queries: Result<Vec<_>, _> = (0..threads)
        .map(|_| AverageQuery::new(tree.clone(), tree.clone(), Default::default()))
        .collect();
    let queries = queries?;
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for (i, mut query) in queries.into_iter().enumerate() {
            scope.spawn(move || {
                for _ in 0..times {
                    // Hard placements should not all be one thread's.
                    for pose in poses.iter().skip(i).step_by(threads) {
                        let _ = std::hint::black_box(query.at(pose, Limits::default()));
                    }
                }
            });
        }
    });
    Ok(begin.elapsed().as_secs_f64())
}
