//! The scores of a scene, and what the search for equivalent resolutions found.

use super::{FamilyScore, cell, words};
use crate::quality::call_times::CallTimes;
use crate::quality::equivalent_resolution::TimeReach;
use crate::quality::force_engines::SEGMENTS;
use crate::quality::resolution_ladder::NEAR;
use crate::quality::scene::ForceModel;
use crate::quality::scene_results::{FamilyResult, SceneResults};
use crate::quality::score::Score;
use crate::result_sheet::{Cell, Table};

/// Every force in a scene.
pub(super) fn scores(chapter: &SceneResults) -> Table {
    let columns = [
        "force",
        "at",
        "model",
        "sigma_F",
        "gamma_F (°)",
        "sigma_T",
        "gamma_T (°)",
        "nu, x",
        "nu, size",
        "nu_T, z",
        "nu_T, size",
        "noise",
        "spurious, mean",
        "spurious, most",
        "spurious, largest step",
        "sigma as printed",
        "missing",
        "ms",
    ];
    let mut rows = Vec::new();
    for found in &chapter.found {
        for measured in found.measured() {
            let at = at(&measured);
            for (rule, score) in found.family.rules().iter().zip(measured.scores) {
                let head = [rule.name, at, rule.model.name()].map(words);
                rows.push(scored(head, score, measured.times.mean()));
            }
        }
    }
    for guest in &chapter.guests {
        let model = guest.model.map_or("none", ForceModel::name);
        let head = [words(&guest.force), words(&one_resolution()), words(model)];
        rows.push(match &guest.scored {
            Ok((score, times)) => scored(head, score, times.mean()),
            Err(reason) => {
                let void = Cell::Void {
                    reason: reason.clone(),
                };
                let mut cells = head.to_vec();
                cells.resize(columns.len(), void);
                cells
            }
        });
    }
    Table {
        title: format!("Scene {}: {}", chapter.scene.name(), chapter.scene.title()),
        columns: columns.map(str::to_owned).to_vec(),
        rows,
    }
}

/// Which pair of resolutions it is.
fn at(measured: &FamilyScore) -> &'static str {
    if measured.is_better {
        "the best pair tried in time"
    } else {
        "the pair taken"
    }
}

/// The resolution of runners of others.
pub(super) fn one_resolution() -> String {
    format!("one resolution, {SEGMENTS} segments")
}

fn scored(head: [Cell; 3], score: &Score, ms: f64) -> Vec<Cell> {
    let none = "not defined in this scene, or not told";
    let mut cells = head.to_vec();
    cells.extend([
        cell(score.sigma_f, none),
        cell(score.gamma_f, none),
        cell(score.sigma_t, none),
        cell(score.gamma_t, none),
        cell(score.nu, none),
        cell(score.nu_size, none),
        cell(score.nu_t, none),
        cell(score.nu_t_size, none),
        cell(score.noise, "nothing measured"),
        cell(score.spurious.map(|s| s.mean), "nothing measured"),
        cell(score.spurious.map(|s| s.most), "nothing measured"),
        cell(score.spurious.map(|s| s.step), "nothing measured"),
        cell(score.printed, none),
        Cell::Number(score.missing as f64),
        Cell::Number(ms),
    ]);
    cells
}

/// What the search for equivalent resolutions found.
pub(super) fn resolutions(chapters: &[SceneResults], tau: f64) -> Table {
    let columns = [
        "scene",
        "engine",
        "moving",
        "fixed",
        "unit",
        "eta predicted",
        "eta at the places searched",
        "eta measured",
        "off (%)",
        "what was taken",
        "ms",
        "finest tried",
        "ms of the finest",
        "eta of the finest",
        "best of nine in time",
        "ms of the best",
        "eta of the best",
    ];
    let pair = |r: [f64; 2]| Cell::Text(format!("{:.0}, {:.0}", r[0], r[1]));
    let rows = chapters.iter().flat_map(|chapter| {
        chapter.found.iter().map(move |found: &FamilyResult| {
            let settled = &found.settled;
            let none = "all nine are too slow";
            let best = settled.best;
            vec![
                words(chapter.scene.name()),
                words(found.family.name()),
                Cell::Number(found.resolution[0]),
                Cell::Number(found.resolution[1]),
                words(&found.family.units().join(", ")),
                Cell::Number(settled.predicted_eta),
                Cell::Number(settled.trial.eta),
                cell(found.scores.first().map(Score::eta), "nothing measured"),
                cell(
                    found.misprediction().map(|off| 100.0 * off),
                    if settled.choice.reach == TimeReach::Line {
                        "nothing but rounding was measured"
                    } else {
                        "no line of equal time"
                    },
                ),
                words(&taken(found, tau)),
                Cell::Number(found.run.times.mean()),
                pair(settled.finest.0),
                Cell::Number(settled.finest.1.ms),
                Cell::Number(settled.finest.1.eta),
                best.map_or(words("none"), |(r, _)| pair(r)),
                cell(best.map(|(_, trial)| trial.ms), none),
                cell(best.map(|(_, trial)| trial.eta), none),
            ]
        })
    });
    Table {
        title: "Equivalent resolutions".to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }
}

/// How long single calls took along the whole path. Forces that one question gives share its times.
pub(super) fn times(chapters: &[SceneResults], tau: f64) -> Table {
    let columns = [
        "scene",
        "engine",
        "at",
        "calls",
        "mean of the faster of two, ms",
        "median, ms",
        "99.9th percentile, ms",
        "largest, ms",
        "99.9th percentile of the thread's processor time, ms",
    ];
    let mut columns = columns.map(str::to_owned).to_vec();
    columns.push(format!("longer than {tau} ms (%)"));
    let row = |scene: &str, engine: &str, at: &str, times: &CallTimes| {
        let none = "nothing was asked";
        vec![
            words(scene),
            words(engine),
            words(at),
            Cell::Number(times.calls() as f64),
            Cell::Number(times.mean()),
            cell(times.median(), none),
            cell(times.percentile_99_9(), "fewer than 1000 calls"),
            cell(times.largest(), none),
            cell(times.processor_99_9(), "fewer than 1000 calls, or not told"),
            Cell::Number(100.0 * times.longer_than(tau)),
        ]
    };
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for chapter in chapters {
        let scene = chapter.scene.name();
        for found in &chapter.found {
            let name = found.family.name();
            rows.extend(found.measured().map(|m| row(scene, name, at(&m), m.times)));
        }
        for guest in &chapter.guests {
            // Judged by several models, asked once.
            if let Ok((_, times)) = &guest.scored {
                let row = row(scene, &guest.force, &one_resolution(), times);
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
    }
    Table {
        title: "Times of single calls along the whole path".to_owned(),
        columns,
        rows,
    }
}

/// What was taken, in words.
pub(super) fn taken(found: &FamilyResult, tau: f64) -> String {
    let settled = &found.settled;
    let ms = settled.finest.1.ms;
    match settled.choice.reach {
        TimeReach::Line if found.run.times.mean() < NEAR * tau => {
            format!("the minimum on the line of equal time; no finer pair near it takes {tau} ms")
        }
        TimeReach::Line => "the minimum on the line of equal time".to_owned(),
        TimeReach::Faster if settled.is_long => format!(
            "the best of nine: {ms:.3} ms at the finest, and finer ones take too long to build"
        ),
        TimeReach::Faster => format!(
            "the best of nine: it never needs {tau} ms, but {ms:.3} ms at the finest of this preset"
        ),
        TimeReach::Slower => format!("the coarsest, made coarser still: all nine exceed {tau} ms"),
    }
}
