//! What each choice costs: p_min and k_min, the order, the split, the volume, counting, tables.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use impinge::average::{
    AverageConfig, AverageOptions, AverageTree, BinTables, CellCounter, Counting, Estimate, Leaves,
    Order, Split, cell_histogram,
};
use impinge::bound::{Aabb, Kdop};

use super::Preset;
use super::models::Model;
use super::tumble::{Engine, Round, Score, average, play, thinned};
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

pub(super) fn run(
    played: &[(Model, Vec<Round>)],
    preset: Preset,
    folder: &Path,
    sheet: &mut Sheet,
) -> anyhow::Result<()> {
    let repeats = 5;
    let some = |rounds: &[Round]| thinned(rounds, preset.pick(1, 2, 10));
    let find = |name: &str| played.iter().find(|(model, _)| model.name == name);
    if let Some((car, rounds)) = find("car") {
        let rounds = some(rounds);
        let tree = Arc::new(AverageTree::<Aabb>::new(
            &car.mesh,
            &AverageConfig::default(),
        ));
        sweep(&rounds, &tree, repeats, folder, sheet)?;
        orders(car, &rounds, repeats, sheet)?;
        variants(car, &rounds, repeats, sheet)?;
    }
    if let Some((lock, _)) = find("lock") {
        counting(lock, preset, sheet);
        histogram(lock, sheet);
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
fn compare(title: &str, scores: &[Score], sheet: &mut Sheet) {
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
    rounds: &[Round],
    tree: &Arc<AverageTree<Aabb>>,
    repeats: usize,
    folder: &Path,
    sheet: &mut Sheet,
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

fn orders(car: &Model, rounds: &[Round], repeats: usize, sheet: &mut Sheet) -> anyhow::Result<()> {
    let config = AverageConfig {
        keep_factors: true,
        ..AverageConfig::default()
    };
    let tree = Arc::new(AverageTree::<Aabb>::new(&car.mesh, &config));
    let mut engines = Vec::new();
    for (name, order) in [
        ("most probable", Order::Probable),
        ("largest volume", Order::LargestVolume),
        ("random", Order::Random(1)),
        ("depth first", Order::DepthFirst),
        ("breadth first", Order::BreadthFirst),
        ("fastest shrinking", Order::Shrinking),
    ] {
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

fn variants(
    car: &Model,
    rounds: &[Round],
    repeats: usize,
    sheet: &mut Sheet,
) -> anyhow::Result<()> {
    let config = AverageConfig::default();
    let options = AverageOptions::default();
    let boxes = |config: &AverageConfig| Arc::new(AverageTree::<Aabb>::new(&car.mesh, config));
    let tree = boxes(&config);
    let mut engines: Vec<Engine> = vec![average("as it comes", &tree, &options)?];
    let counted = |counting: Counting| AverageConfig { counting, ..config };
    engines.push(average(
        "cells counted exactly",
        &boxes(&counted(Counting::Exact)),
        &options,
    )?);
    engines.push(average(
        "cells counted as published",
        &boxes(&counted(Counting::Approximate)),
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
        split: Split::Octants,
        ..config
    };
    engines.push(average("octree", &boxes(&octants), &options)?);
    let dops = Arc::new(AverageTree::<Kdop<18>>::new(&car.mesh, &config));
    engines.push(average("18-DOPs", &dops, &options)?);
    let as_boxes = AverageOptions {
        leaves: Leaves::Boxes,
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
    for (name, kappa) in [("as published", 1.0), ("as published, kappa 0.5", 0.5)] {
        let tree = boxes(&AverageConfig {
            kappa,
            counting: Counting::Approximate,
            ..AverageConfig::thesis()
        });
        engines.push(average(name, &tree, &AverageOptions::thesis())?);
    }
    let few = thinned(&rounds, 6);
    compare(
        "Car: as published, cells counted approximately",
        &play(&few, &mut engines, 1),
        sheet,
    );
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
fn counting(lock: &Model, preset: Preset, sheet: &mut Sheet) {
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
        for counting in [Counting::Smooth, Counting::Approximate, Counting::Exact] {
            if counting == Counting::Exact && name == "single faces" && preset != Preset::Full {
                continue;
            }
            // Cutting takes long: once is enough.
            let repeats = if counting == Counting::Exact { 1 } else { 3 };
            let times: Vec<f64> = (0..repeats)
                .map(|_| {
                    let begin = Instant::now();
                    std::hint::black_box(counter.count(counting));
                    begin.elapsed().as_secs_f64()
                })
                .collect();
            let nodes = counter.count(Counting::Smooth).len();
            let seconds = crate::measure::quantile(&times, 0.5).unwrap_or(f64::NAN);
            println!(
                "counting the cells of {nodes} nodes, leaves {name}, {counting:?}: {seconds:.3} s"
            );
            table.rows.push(vec![
                Cell::Text(name.to_owned()),
                Cell::Text(format!("{counting:?}")),
                Cell::Number(nodes as f64),
                Cell::Number(seconds),
            ]);
            if counting != Counting::Exact {
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
    }
    sheet.tables.push(table);
}

fn histogram(lock: &Model, sheet: &mut Sheet) {
    let mut series = Vec::new();
    let mut table = Table {
        title: "How often each of 512 cells is possible: lock".to_owned(),
        columns: ["kappa", "least", "mean", "most", "most off mean %"]
            .map(str::to_owned)
            .to_vec(),
        rows: Vec::new(),
    };
    println!();
    for kappa in [1.0, AverageConfig::default().kappa] {
        let config = AverageConfig {
            kappa,
            ..AverageConfig::default()
        };
        let counts = cell_histogram(&lock.mesh, &config);
        let mean = counts.iter().map(|&c| f64::from(c)).sum::<f64>() / counts.len() as f64;
        let least = counts.iter().copied().min().unwrap_or(0);
        let most = counts.iter().copied().max().unwrap_or(0);
        let off = 100.0 * (f64::from(most) - mean).max(mean - f64::from(least)) / mean.max(1e-9);
        println!(
            "cells of the lock, kappa {kappa}: least {least}, mean {mean:.1}, most {most}, up to {off:.0} % off the mean (published: about 30)"
        );
        table.rows.push(
            [kappa, f64::from(least), mean, f64::from(most), off]
                .map(Cell::Number)
                .to_vec(),
        );
        series.push(Series {
            name: format!("kappa {kappa}"),
            points: (0_u32..)
                .zip(&counts)
                .map(|(i, &c)| [f64::from(i), f64::from(c)])
                .collect(),
            ..Series::default()
        });
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
}

fn tables(preset: Preset, sheet: &mut Sheet) {
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
