//! Times and errors, compared with our own trees of k-DOPs and the default engine.

use std::sync::Arc;

use impinge::average_case::{AverageConfig, AverageOptions, AverageTree};
use impinge::bound::Aabb;
use impinge::query::Limits;

use super::Preset;
use super::thesis_models::Model;
use super::tumble::{
    EngineScore, KdopCandidate, TumbleEngine, TumblePoses, answers, average, candidates, exact,
    play, thinned,
};
use crate::result_sheet::{Axis, Cell, Plot, ResultSheet, Series, Table};

/// The published distances between which errors are most frequent.
const HARD: [f64; 2] = [1.0, 2.0];
/// Published speed-up over a tree of k-DOPs for ten and for five pairs.
const BARS: [(u32, f64); 2] = [(10, 3.0), (5, 6.0)];

/// Speed-up over the default exact engine that is asked of models with so many faces.
const OVER_DEFAULT: f64 = 1.5;
const LARGE: usize = 10_000;

pub(super) fn run(
    played: &[(Model, Vec<TumblePoses>)],
    preset: Preset,
    sheet: &mut ResultSheet,
) -> anyhow::Result<()> {
    let mut table = Table {
        title: "Errors and times".to_owned(),
        columns: [
            "model",
            "faces",
            "engine",
            "queries",
            "error %",
            "false yes %",
            "false no %",
            "error 1 to 2 %",
            "µs",
            "times k-DOP",
            "times default",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    let mut totals: Vec<(String, [f64; 2])> = Vec::new();
    let mut is_default_faster = Vec::new();
    for (model, rounds) in played {
        let tree = Arc::new(AverageTree::<Aabb>::new(
            &model.mesh,
            &AverageConfig::default(),
        ));
        let mut engines = vec![tuned_kdop(model, rounds, preset), exact(model)];
        for (k_min, _) in BARS {
            let options = AverageOptions {
                k_min,
                ..AverageOptions::default()
            };
            engines.push(average(&format!("average k {k_min}"), &tree, &options)?);
        }
        let asked = answers(rounds, &tree, &AverageOptions::default(), Limits::default())?;
        let tests: u64 = asked
            .iter()
            .map(|(answer, _)| answer.work.volume_tests)
            .sum();
        println!(
            "{}: {} nodes, {} levels, {:.1} pairs compared per query",
            model.name,
            tree.len(),
            tree.depth() + 1,
            tests as f64 / asked.len().max(1) as f64
        );
        let scores = play(rounds, &mut engines, preset.pick(1, 7, 5));
        let [kdop, default] = [scores[0].seconds(), scores[1].seconds()];
        for (i, score) in scores.iter().enumerate() {
            let [all, yes, no] = score.error(0.0, 9.0);
            let hard = score.error(HARD[0], HARD[1])[0];
            let queries: usize = score.rows.iter().map(|row| row.queries).sum();
            println!(
                "{:14} {:7} {:28} error {all:5.2} % ({yes:.2} yes, {no:.2} no), {hard:5.2} % at 1 to 2, {:9.3} µs, {:5.2}x k-DOP, {:5.2}x default",
                model.name,
                model.mesh.face_count(),
                score.name,
                score.microseconds(),
                kdop / score.seconds(),
                default / score.seconds(),
            );
            table.rows.push(vec![
                Cell::Text(model.name.clone()),
                Cell::Number(model.mesh.face_count() as f64),
                Cell::Text(score.name.clone()),
                Cell::Number(queries as f64),
                Cell::Number(all),
                Cell::Number(yes),
                Cell::Number(no),
                Cell::Number(hard),
                Cell::Number(score.microseconds()),
                Cell::Number(kdop / score.seconds()),
                Cell::Number(default / score.seconds()),
            ]);
            if i < 2 {
                anyhow::ensure!(all == 0.0, "an exact engine erred: {}", score.name);
                continue;
            }
            if let Some(published) = model.published_error {
                sheet.claim(
                    &format!(
                        "{} errs at most as often as it may, {}",
                        model.name, score.name
                    ),
                    &format!("{all:.2} % of {queries}, allowed {published} %"),
                    all <= published,
                );
            }
            if preset.is_timed() {
                let bar = BARS[i - 2].1;
                sheet.claim(
                    &format!(
                        "{} {} is {bar} times as fast as our best k-DOP tree",
                        model.name, score.name
                    ),
                    &format!("{:.2} times ({})", kdop / score.seconds(), scores[0].name),
                    kdop / score.seconds() >= bar,
                );
            }
            if preset.is_timed() && model.mesh.face_count() >= LARGE {
                sheet.claim(
                    &format!(
                        "{} {} is {OVER_DEFAULT} times as fast as the default exact engine",
                        model.name, score.name
                    ),
                    &format!("{:.2} times", default / score.seconds()),
                    default / score.seconds() >= OVER_DEFAULT,
                );
            }
            if preset.is_timed() {
                is_default_faster.push(default < score.seconds());
            }
            match totals.iter_mut().find(|(name, _)| *name == score.name) {
                Some((_, sums)) => {
                    sums[0] += kdop / score.seconds();
                    sums[1] += 1.0;
                }
                None => totals.push((score.name.clone(), [kdop / score.seconds(), 1.0])),
            }
        }
        if preset.is_timed() {
            sheet.plots.push(plot(model, &scores));
        }
    }
    sheet.tables.push(table);
    if preset.is_timed() {
        for (name, [sum, count]) in totals {
            println!(
                "{name}: {:.2} times as fast as the best k-DOP tree, mean over models",
                sum / count
            );
        }
        let faster = is_default_faster.iter().filter(|&&is| is).count();
        let note = format!(
            "Against the default exact engine, which uses vector instructions: it is faster than the probabilistic tree in {faster} of {} rows, and never wrong.",
            is_default_faster.len()
        );
        println!("{note}");
        sheet.notes.push(note);
    }
    Ok(())
}

/// The k-DOP tree that is fastest on some of the placements; each is built, timed and dropped, as all together are large.
fn tuned_kdop(model: &Model, rounds: &[TumblePoses], preset: Preset) -> TumbleEngine {
    let placements: usize = rounds.iter().map(|round| round.poses.len()).sum();
    let some = thinned(rounds, placements / 200);
    let mut best: Option<(f64, KdopCandidate)> = None;
    for (make, config) in candidates() {
        let seconds = if preset.is_timed() {
            play(&some, &mut [make(model, &config)], 3)[0].seconds()
        } else {
            0.0
        };
        if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
            best = Some((seconds, (make, config)));
        }
    }
    match best {
        Some((_, (make, config))) => make(model, &config),
        None => exact(model),
    }
}

fn plot(model: &Model, scores: &[EngineScore]) -> Plot {
    let series = |score: &EngineScore| Series {
        name: score.name.clone(),
        points: score
            .rows
            .iter()
            .filter(|row| row.queries > 0)
            .map(|row| [row.distance, 1e6 * row.seconds / row.queries as f64])
            .collect(),
        ..Series::default()
    };
    Plot {
        title: format!("{}: time of a query", model.name),
        x: Axis {
            label: "distance of centres".to_owned(),
            ..Axis::default()
        },
        y: Axis {
            label: "mean time".to_owned(),
            unit: "µs".to_owned(),
            is_logarithmic: true,
        },
        series: scores.iter().map(series).collect(),
    }
}
