//! The plots of a run: time over distance and volume, error over time.

use std::collections::BTreeSet;

use super::record::Record;
use super::record_filter::{engine_names, geometric_mean, labelled, levels, line_name};
use crate::configurations::Kind;
use crate::engines::OURS;
use crate::own_runners::EXACT;
use crate::result_sheet::{Axis, Plot, Series};

fn axes(kind: Kind) -> (Axis, Axis) {
    let label = match kind {
        Kind::Distance => "distance, part of A's diagonal",
        Kind::Volume => "shared volume, part of A's",
    };
    let x = Axis {
        label: label.to_owned(),
        unit: "%".to_owned(),
        is_logarithmic: false,
    };
    let y = Axis {
        label: "time of a query".to_owned(),
        unit: "µs".to_owned(),
        is_logarithmic: true,
    };
    (x, y)
}

/// Geometric means over the pairs: over all of them, and, where some engines are not run on each (what is open cannot be filled), over those at which
/// every engine is.
pub(super) fn over_pairs(asked: &[&Record], kind: Kind, title: &str) -> Vec<Plot> {
    let of = |engine: Option<&str>| -> BTreeSet<&str> {
        let is_of = |r: &&&Record| engine.is_none_or(|engine| r.engine == engine);
        asked
            .iter()
            .filter(is_of)
            .map(|r| r.pair.as_str())
            .collect()
    };
    let all = of(None);
    let mut shared = all.clone();
    for engine in engine_names(asked) {
        let own = of(Some(&engine));
        shared.retain(|pair| own.contains(pair));
    }
    let mut plots = Vec::new();
    let words = format!("{title} All pairs, geometric mean of means");
    plots.extend(over(asked, &all, kind, words));
    if !shared.is_empty() && shared != all {
        let pairs = shared.len();
        let words = format!("{title} The {pairs} pairs of all engines, geometric mean of means");
        plots.extend(over(asked, &shared, kind, words));
    }
    plots
}

/// The lines of engines that have a time at every one of these pairs that was measured at a target.
fn over(asked: &[&Record], pairs: &BTreeSet<&str>, kind: Kind, title: String) -> Option<Plot> {
    let asked: Vec<&Record> = asked
        .iter()
        .filter(|r| pairs.contains(r.pair.as_str()))
        .copied()
        .collect();
    let mut series = Vec::new();
    for engine in engine_names(&asked) {
        let mut points = Vec::new();
        for level in levels(&asked) {
            let at: Vec<&&Record> = asked.iter().filter(|r| r.level == level).collect();
            let measured: BTreeSet<&str> = at.iter().map(|r| r.pair.as_str()).collect();
            let own = at.iter().filter(|r| r.engine == engine);
            let times: Vec<f64> = own.filter_map(|r| Some(r.times?.mean)).collect();
            if times.len() == measured.len()
                && let Some(mean) = geometric_mean(&times)
            {
                points.push([100.0 * level, mean / 1e3]);
            }
        }
        if !points.is_empty() {
            series.push(Series {
                name: line_name(&engine, &asked),
                points,
                ..Series::default()
            });
        }
    }
    let (x, y) = axes(kind);
    (!series.is_empty()).then_some(Plot {
        title,
        x,
        y,
        series,
    })
}

/// What engines that may be wrong gain in time, and what they lose: a dot for each target, over the pairs at which all of them have a time. Ours stands beside them.
pub(super) fn error_over_time(asked: &[&Record], question: &str, title: &str) -> Option<Plot> {
    let timed: Vec<&Record> = asked
        .iter()
        .filter(|r| r.times.is_some())
        .copied()
        .collect();
    let may_err = |engine: &str| {
        let of = |r: &&Record| r.engine == engine && r.verdict == "approximate";
        timed.iter().any(of)
    };
    let (label, unit, factor) = match question {
        "intersects" => ("wrong answers", "%", 100.0),
        "force" => ("mean error of the direction", "°", 1.0),
        "volume" => ("mean error, part of A's volume", "%", 100.0),
        _ => ("mean error, part of A's diagonal", "%", 100.0),
    };
    let names = engine_names(&timed);
    let ours = names.iter().find(|name| *name == OURS || *name == EXACT);
    let erring: Vec<&String> = names.iter().filter(|name| may_err(name)).collect();
    if erring.is_empty() {
        return None;
    }
    let shown: Vec<&String> = ours.into_iter().chain(erring).collect();
    let at = |engine: &str, pair: &str, level: f64| {
        let is_it = |r: &&&Record| r.engine == engine && r.pair == pair && r.level == level;
        let record = timed.iter().find(is_it)?;
        // Who is right has no error to tell; who may be wrong and was silent has none either.
        let error = record.error.or((!may_err(engine)).then_some(0.0))?;
        Some((record.times?.mean, error))
    };
    let pairs: BTreeSet<&str> = timed.iter().map(|r| r.pair.as_str()).collect();
    let mut series = Vec::new();
    for engine in &shown {
        let mut points = Vec::new();
        for level in levels(&timed) {
            let common = pairs
                .iter()
                .filter(|pair| shown.iter().all(|name| at(name, pair, level).is_some()));
            let found: Vec<(f64, f64)> =
                common.filter_map(|pair| at(engine, pair, level)).collect();
            let times: Vec<f64> = found.iter().map(|(time, _)| *time).collect();
            let error = found.iter().map(|(_, error)| error).sum::<f64>() / found.len() as f64;
            if let Some(mean) = geometric_mean(&times) {
                points.push([mean / 1e3, factor * error]);
            }
        }
        points.sort_by(|p, q| p[0].total_cmp(&q[0]));
        if !points.is_empty() {
            series.push(Series {
                name: labelled(engine, &timed),
                points,
                is_scatter: true,
                ..Series::default()
            });
        }
    }
    (!series.is_empty()).then(|| Plot {
        title: format!(
            "{title} Error over time of engines that may be wrong, a dot for each target"
        ),
        x: Axis {
            label: "time of a query".to_owned(),
            unit: "µs".to_owned(),
            is_logarithmic: true,
        },
        y: Axis {
            label: label.to_owned(),
            unit: unit.to_owned(),
            is_logarithmic: false,
        },
        series,
    })
}

/// The engines on one question at one pair.
pub(super) fn of_one_pair(
    records: &[&Record],
    pair: &str,
    question: &str,
    kind: Kind,
    title: &str,
) -> Option<Plot> {
    let asked: Vec<&Record> = records
        .iter()
        .filter(|r| r.is_of(kind) && r.question == question)
        .copied()
        .collect();
    let has_percentiles = asked
        .iter()
        .filter_map(|r| r.times)
        .all(|times| times.p99.is_some());
    let mut series = Vec::new();
    for engine in engine_names(&asked) {
        let mut one = Series {
            name: line_name(&engine, &asked),
            ..Series::default()
        };
        let mut found: Vec<&&Record> = asked.iter().filter(|r| r.engine == engine).collect();
        found.sort_by(|x, y| x.level.total_cmp(&y.level));
        for record in found {
            if let Some(times) = record.times {
                one.points.push([100.0 * record.level, times.mean / 1e3]);
                let upper = times.p99.filter(|_| has_percentiles).unwrap_or(times.max);
                one.spread.push([
                    times.median.min(times.mean) / 1e3,
                    upper.max(times.mean) / 1e3,
                ]);
            }
        }
        if !one.points.is_empty() {
            series.push(one);
        }
    }
    let (x, y) = axes(kind);
    (!series.is_empty()).then(|| Plot {
        title: format!(
            "{title} Pair {pair}: means, with medians and {}",
            if has_percentiles {
                "99th percentiles"
            } else {
                "largest"
            }
        ),
        x,
        y,
        series,
    })
}
