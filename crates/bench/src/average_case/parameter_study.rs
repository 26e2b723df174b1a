//! What each choice costs: p_min and k_min, the order, the split, the volume, counting, tables.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use impinge::average_case::{
    Arity, AverageConfig, AverageOptions, AverageQuery, AverageTree, BinTables, CellCounter,
    CellCounting, Estimate, LeafRule, OpeningOrder, cell_histogram,
};
use impinge::bound::{Aabb, Kdop};
use impinge::query::{Limits, Outcome};

use super::Preset;
use super::thesis_models::{Model, door_lock, normalised};
use super::tumble::{EngineScore, TumbleEngine, TumblePoses, average, play, thinned};
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};

pub(super) fn run(
    played: &[(Model, Vec<TumblePoses>)],
    preset: Preset,
    folder: &Path,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let repeats = 5;
    let some = |rounds: &[TumblePoses]| thinned(rounds, preset.pick(1, 2, 10));
    let find = |name: &str| played.iter().find(|(model, _)| model.name == name);
    if let Some((car, rounds)) = find("car") {
        let rounds = some(rounds);
        let tree = Arc::new(AverageTree::<Aabb>::new(
            &car.mesh,
            &AverageConfig::default(),
        ));
        sweep(&rounds, &tree, repeats, folder, sheet)?;
        orders(car, &rounds, repeats, sheet)?;
        hurried(car, &rounds, sheet)?;
        variants(car, &rounds, repeats, sheet)?;
    }
    if let Some((lock, rounds)) = find("lock") {
        hurried(lock, &some(rounds), sheet)?;
        counting(lock, preset, sheet);
        histogram(preset, sheet)?;
    }
    tables(preset, sheet);
    let tree = played
        .first()
        .map(|(model, _)| AverageTree::<Aabb>::new(&model.mesh, &AverageConfig::default()));
    if let Some(tree) = tree {
        let bytes = tree.bytes_per_node();
        sheet.claim(
            "a node takes at most 36 bytes",
            &format!("{bytes}"),
            bytes <= 36.0,
        );
    }
    Ok(())
}

/// Distances of which the published errors by p_min and k_min are.
const SWEPT: [f64; 2] = [1.2, 2.0];

/// Prints the scores and keeps them as a table.
pub(super) fn compare(title: &str, scores: &[EngineScore], sheet: &mut ResultSheet) {
    println!("\n{title}");
    let mut table = Table {
        title: title.to_owned(),
        columns: [
            "choice",
            "µs",
            "error %",
            "false yes %",
            "false no %",
            "error at 1.2 to 2 %",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    for score in scores {
        let [all, yes, no] = score.error(0.0, 9.0);
        let swept = score.error(SWEPT[0], SWEPT[1])[0];
        println!(
            "  {:34} {:9.3} µs, error {all:5.2} % ({yes:.2} yes, {no:.2} no), {swept:5.2} % at 1.2 to 2",
            score.name,
            score.microseconds()
        );
        table.rows.push(vec![
            Cell::Text(score.name.clone()),
            Cell::Number(score.microseconds()),
            Cell::Number(all),
            Cell::Number(yes),
            Cell::Number(no),
            Cell::Number(swept),
        ]);
    }
    sheet.tables.push(table);
}

fn sweep(
    rounds: &[TumblePoses],
    tree: &Arc<AverageTree<Aabb>>,
    repeats: usize,
    folder: &Path,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let mut engines = Vec::new();
    let mut choices = Vec::new();
    for p_min in [0.5, 0.9, 0.99] {
        for k_min in [1, 5, 10] {
            let options = AverageOptions {
                p_min,
                k_min,
                ..AverageOptions::default()
            };
            engines.push(average(
                &format!("p_min {p_min}, k_min {k_min}"),
                tree,
                &options,
            )?);
            choices.push((p_min, k_min));
        }
    }
    let scores = play(rounds, &mut engines, repeats);
    compare(
        "Car: p_min and k_min, at all distances and at 1.2 to 2",
        &scores,
        sheet,
    );
    let mut csv = "p_min,k_min,distance,queries,false_yes,false_no,nanoseconds\n".to_owned();
    for (score, (p_min, k_min)) in scores.iter().zip(choices) {
        for row in &score.rows {
            let time = 1e9 * row.seconds / row.queries.max(1) as f64;
            writeln!(
                csv,
                "{p_min},{k_min},{:.2},{},{},{},{time:.1}",
                row.distance, row.queries, row.false_yes, row.false_no
            )?;
        }
    }
    std::fs::write(folder.join("average-sweep.csv"), csv)?;
    sheet.plots.push(Plot {
        title: "Car: error and time of each p_min and k_min".to_owned(),
        x: Axis {
            label: "mean time".to_owned(),
            unit: "µs".to_owned(),
            is_logarithmic: false,
        },
        y: Axis {
            label: "wrong answers".to_owned(),
            unit: "%".to_owned(),
            is_logarithmic: false,
        },
        series: scores
            .iter()
            .map(|score| Series {
                name: score.name.clone(),
                points: vec![[score.microseconds(), score.error(0.0, 9.0)[0]]],
                is_scatter: true,
                ..Series::default()
            })
            .collect(),
    });
    Ok(())
}

/// The orders in which pairs are opened.
const ORDERS: [(&str, OpeningOrder); 6] = [
    ("most probable", OpeningOrder::Probable),
    ("largest volume", OpeningOrder::LargestVolume),
    ("random", OpeningOrder::Random(1)),
    ("depth first", OpeningOrder::DepthFirst),
    ("breadth first", OpeningOrder::BreadthFirst),
    ("fastest shrinking", OpeningOrder::Shrinking),
];

fn orders(
    car: &Model,
    rounds: &[TumblePoses],
    repeats: usize,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let config = AverageConfig {
        keep_factors: true,
        ..AverageConfig::default()
    };
    let tree = Arc::new(AverageTree::<Aabb>::new(&car.mesh, &config));
    let mut engines = Vec::new();
    for (name, order) in ORDERS {
        let options = AverageOptions {
            order,
            ..AverageOptions::default()
        };
        engines.push(average(name, &tree, &options)?);
    }
    let scores = play(rounds, &mut engines, repeats);
    compare(
        "Car: order of the search (published: probability 0.13, volume 0.16, random 0.18 ms)",
        &scores,
        sheet,
    );
    Ok(())
}

/// Tests of boxes after which a hurried search has to answer.
const BUDGETS: [u64; 8] = [4, 8, 16, 32, 64, 128, 256, 512];

/// How often answers are wrong when a search is cut after so many tests, by the order in which pairs are opened. Nothing is timed: work is counted.
fn hurried(model: &Model, rounds: &[TumblePoses], sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let tree = Arc::new(AverageTree::<Aabb>::new(
        &model.mesh,
        &AverageConfig::default(),
    ));
    let name = &model.name;
    let title = format!("Wrong answers in per cent when the time is up, by order: {name}");
    let mut columns = vec!["order".to_owned()];
    columns.extend(BUDGETS.map(|tests| format!("{tests} tests")));
    columns.push("no limit".to_owned());
    println!("\n{title}\n  tests {BUDGETS:?} and no limit");
    let mut table = Table {
        title: title.clone(),
        columns,
        rows: Vec::new(),
    };
    let mut series = Vec::new();
    for (order_name, order) in ORDERS {
        let options = AverageOptions {
            order,
            ..AverageOptions::default()
        };
        let mut query = AverageQuery::new(tree.clone(), tree.clone(), options)?;
        let mut row = vec![Cell::Text(order_name.to_owned())];
        let mut points = Vec::new();
        let mut words = String::new();
        for max_tests in BUDGETS.map(Some).into_iter().chain([None]) {
            let limits = Limits {
                max_tests,
                ..Limits::default()
            };
            let (mut wrong, mut cut, mut asked) = (0.0, 0.0, 0.0_f64);
            for round in rounds {
                for (pose, &truth) in round.poses.iter().zip(&round.truth) {
                    let found = query.at(pose, limits);
                    wrong += f64::from(u8::from(found.verdict.answer != truth));
                    cut += f64::from(u8::from(found.outcome == Outcome::OutOfBudget));
                    asked += 1.0;
                }
            }
            let per_cent = |count: f64| 100.0 * count / asked.max(1.0);
            write!(
                words,
                " {:5.2} ({:2.0} cut)",
                per_cent(wrong),
                per_cent(cut)
            )?;
            row.push(Cell::Number(per_cent(wrong)));
            if let Some(tests) = max_tests {
                points.push([tests as f64, per_cent(wrong)]);
            }
        }
        println!("  {order_name:18}{words}");
        table.rows.push(row);
        series.push(Series {
            name: order_name.to_owned(),
            points,
            ..Series::default()
        });
    }
    sheet.tables.push(table);
    sheet.plots.push(Plot {
        title,
        x: Axis {
            label: "tests of boxes".to_owned(),
            is_logarithmic: true,
            ..Axis::default()
        },
        y: Axis {
            label: "wrong answers".to_owned(),
            unit: "%".to_owned(),
            is_logarithmic: false,
        },
        series,
    });
    Ok(())
}

fn variants(
    car: &Model,
    rounds: &[TumblePoses],
    repeats: usize,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let config = AverageConfig::default();
    let options = AverageOptions::default();
    let boxes = |config: &AverageConfig| Arc::new(AverageTree::<Aabb>::new(&car.mesh, config));
    let tree = boxes(&config);
    let mut engines: Vec<TumbleEngine> = vec![average("as it comes", &tree, &options)?];
    let counted = |counting: CellCounting| AverageConfig { counting, ..config };
    engines.push(average(
        "cells counted exactly",
        &boxes(&counted(CellCounting::Exact)),
        &options,
    )?);
    engines.push(average(
        "cells counted as published",
        &boxes(&counted(CellCounting::Approximate)),
        &options,
    )?);
    for factor in [0.5, 2.0, 4.0] {
        let config = AverageConfig {
            resolution: config.resolution * factor,
            ..config
        };
        engines.push(average(
            &format!("leaves {factor} times as large"),
            &boxes(&config),
            &options,
        )?);
    }
    let octants = AverageConfig {
        split: Arity::Octants,
        ..config
    };
    engines.push(average("octree", &boxes(&octants), &options)?);
    let dops = Arc::new(AverageTree::<Kdop<18>>::new(&car.mesh, &config));
    engines.push(average("18-DOPs", &dops, &options)?);
    let as_boxes = AverageOptions {
        leaves: LeafRule::Boxes,
        ..options.clone()
    };
    engines.push(average("leaves as boxes", &tree, &as_boxes)?);
    for (name, estimate) in [
        ("sum over all cells", Estimate::Expected),
        ("best of ten cells", Estimate::Capped { x_max: 10 }),
        (
            "best of ten cells, tables",
            Estimate::Tables(Arc::new(BinTables::new(512, 10))),
        ),
    ] {
        let options = AverageOptions {
            estimate,
            ..options.clone()
        };
        engines.push(average(name, &tree, &options)?);
    }
    let rounds = thinned(rounds, 2);
    let scores = play(&rounds, &mut engines, repeats);
    compare("Car: choices", &scores, sheet);
    // These are slow: few placements are enough.
    let mut engines = Vec::new();
    for (name, kappa, counting) in [
        ("as published", 1.0, CellCounting::Exact),
        ("as published, kappa 0.5", 0.5, CellCounting::Exact),
        (
            "cells counted approximately",
            1.0,
            CellCounting::Approximate,
        ),
        ("approximately, kappa 0.5", 0.5, CellCounting::Approximate),
    ] {
        let tree = boxes(&AverageConfig {
            kappa,
            counting,
            ..AverageConfig::thesis()
        });
        engines.push(average(name, &tree, &AverageOptions::thesis())?);
    }
    let few = thinned(&rounds, 6);
    let published = play(&few, &mut engines, 1);
    compare(
        "Car: as published, cells counted exactly and approximately",
        &published,
        sheet,
    );
    if let Some(score) = published.first() {
        let [error, ..] = score.error(0.0, 9.0);
        sheet.claim(
            "car as published errs at most as often as published, average k 10",
            &format!("{error:.2} %, allowed 1.89 %"),
            error <= 1.89,
        );
    }
    let named = |name: &str| scores.iter().find(|score| score.name == name);
    if let (Some(binary), Some(octree)) = (named("as it comes"), named("octree")) {
        println!(
            "  binary is {:.2} times as fast as the octree (published: more than 3)",
            octree.seconds() / binary.seconds()
        );
    }
    Ok(())
}

/// Counts the cells of the lock in each way, down to single faces.
fn counting(lock: &Model, preset: Preset, sheet: &mut ResultSheet) {
    let mut table = Table {
        title: format!("Counting cells, {} faces", lock.mesh.face_count()),
        columns: ["leaves", "counting", "nodes", "s"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    println!();
    let default = AverageConfig::default();
    let to_faces = AverageConfig {
        resolution: 0.0,
        ..default
    };
    for (name, config) in [("by size", default), ("single faces", to_faces)] {
        let counter = CellCounter::new(&lock.mesh, &config);
        for counting in [
            CellCounting::Smooth,
            CellCounting::Approximate,
            CellCounting::Exact,
        ] {
            if counting == CellCounting::Exact && name == "single faces" && preset != Preset::Full {
                continue;
            }
            // Cutting every face on every level takes seconds: once is enough.
            let is_long = counting == CellCounting::Exact && name == "single faces";
            let repeats = if is_long { 1 } else { 3 };
            let times: Vec<f64> = (0..repeats)
                .map(|_| {
                    let begin = Instant::now();
                    std::hint::black_box(counter.count(counting));
                    begin.elapsed().as_secs_f64()
                })
                .collect();
            let nodes = counter.count(CellCounting::Smooth).len();
            let seconds = crate::pair_measurement::quantile(&times, 0.5).unwrap_or(f64::NAN);
            println!(
                "counting the cells of {nodes} nodes, leaves {name}, {counting:?}: {seconds:.3} s"
            );
            table.rows.push(vec![
                Cell::Text(name.to_owned()),
                Cell::Text(format!("{counting:?}")),
                Cell::Number(nodes as f64),
                Cell::Number(seconds),
            ]);
            sheet.claim(
                &format!(
                    "cells of {} faces are counted in 0.5 s, leaves {name}, {counting:?}",
                    lock.mesh.face_count()
                ),
                &format!("{seconds:.3} s"),
                seconds < 0.5,
            );
        }
    }
    sheet.tables.push(table);
}

/// How unevenly cells are possible.
struct Evenness {
    least: f64,
    mean: f64,
    most: f64,
    /// The mean of the cells at the sides of the box, in that of the others.
    outer: f64,
}

impl Evenness {
    fn of(counts: &[u32]) -> Self {
        let is_outer = |cell: usize| {
            [cell % 8, cell / 8 % 8, cell / 64]
                .iter()
                .any(|k| k % 7 == 0)
        };
        let mean = |wanted: &dyn Fn(usize) -> bool| {
            let chosen: Vec<f64> = counts
                .iter()
                .enumerate()
                .filter(|(cell, _)| wanted(*cell))
                .map(|(_, count)| f64::from(*count))
                .collect();
            chosen.iter().sum::<f64>() / chosen.len().max(1) as f64
        };
        Self {
            least: counts.iter().copied().min().map_or(0.0, f64::from),
            mean: mean(&|_| true),
            most: counts.iter().copied().max().map_or(0.0, f64::from),
            outer: mean(&is_outer) / mean(&|cell| !is_outer(cell)),
        }
    }

    /// Why cells are uneven, as far as the counts tell.
    fn note(&self, faces: usize, leaves: &str, kappa: f64) -> String {
        let mut note = format!(
            "Lock of {faces} faces, leaves {leaves}, kappa {kappa}: each cell is possible in {:.1} nodes on average, and up to {:.0} % more or fewer (published: about 30).",
            self.mean,
            self.off()
        );
        if self.outer > 1.0 {
            note += &format!(
                " Boxes end where surfaces do, and plates along the axes fill the sides of their boxes: cells there are possible {:.1} times as often as inner ones.",
                self.outer
            );
        }
        if kappa >= 1.0 {
            note += " At this threshold plates along the axes fill no cell that is a cube; what is left is slanted or lies several times in one cell, so little that single cells stand out.";
        }
        note
    }

    /// The larger deviation from the mean, in per cent.
    fn off(&self) -> f64 {
        100.0 * (self.most - self.mean).max(self.mean - self.least) / self.mean.max(1e-9)
    }
}

/// How often each cell is possible: the lock at three resolutions, with leaves of a size and down to single faces.
fn histogram(preset: Preset, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let mut series = Vec::new();
    let mut table = Table {
        title: "How often each of 512 cells is possible: lock".to_owned(),
        columns: [
            "faces",
            "leaves",
            "kappa",
            "least",
            "mean",
            "most",
            "most off mean %",
            "cells at the sides / inner cells",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    println!();
    let default = AverageConfig::default();
    for detail in [1.0, 0.5, 0.25] {
        let lock = normalised(&door_lock(detail)?)?;
        let faces = lock.face_count();
        for (leaves, resolution) in [("single faces", 0.0), ("by size", default.resolution)] {
            // Cutting all faces on all levels takes long.
            if resolution == 0.0 && detail > 0.3 && preset != Preset::Full {
                continue;
            }
            for kappa in [1.0, default.kappa] {
                let config = AverageConfig {
                    kappa,
                    resolution,
                    ..default
                };
                let counts = cell_histogram(&lock, &config);
                let found = Evenness::of(&counts);
                println!(
                    "cells of the lock, {faces} faces, leaves {leaves}, kappa {kappa}: least {}, mean {:.1}, most {}, up to {:.0} % off the mean (published: about 30); at the sides {:.2} times as often as inside",
                    found.least,
                    found.mean,
                    found.most,
                    found.off(),
                    found.outer
                );
                if detail == 1.0 {
                    sheet.notes.push(found.note(faces, leaves, kappa));
                }
                table.rows.push(vec![
                    Cell::Number(faces as f64),
                    Cell::Text(leaves.to_owned()),
                    Cell::Number(kappa),
                    Cell::Number(found.least),
                    Cell::Number(found.mean),
                    Cell::Number(found.most),
                    Cell::Number(found.off()),
                    Cell::Number(found.outer),
                ]);
                series.push(Series {
                    name: format!("{faces} faces, leaves {leaves}, kappa {kappa}"),
                    points: (0_u32..)
                        .zip(&counts)
                        .map(|(i, &c)| [f64::from(i), f64::from(c)])
                        .collect(),
                    ..Series::default()
                });
            }
        }
    }
    sheet.tables.push(table);
    sheet.plots.push(Plot {
        title: "Lock: nodes in which a cell is possible, by cell".to_owned(),
        x: Axis {
            label: "cell".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: "nodes".to_owned(),
            ..Axis::default()
        },
        series,
    });
    Ok(())
}

fn tables(preset: Preset, sheet: &mut ResultSheet) {
    let x_max = preset.pick(2, 10, 10);
    let begin = Instant::now();
    let tables = BinTables::new(512, x_max);
    let seconds = begin.elapsed().as_secs_f64();
    let whole = 67_239_936.0;
    let mean = tables
        .entries()
        .map(|kept| whole / kept as f64)
        .sum::<f64>()
        / f64::from(x_max);
    let note = format!(
        "{x_max} tables of filled bins: {seconds:.2} s (published: 93 hours for ten), {:.1} MiB, compressed by {mean:.1} on average (published: 17).",
        tables.bytes() as f64 / f64::from(1 << 20)
    );
    println!("\n{note}");
    sheet.notes.push(note);
}
