//! The tables of a run: every engine over all pairs, and pair by pair.

use super::record::{LEAST_P90, LEAST_P99, QueryTimes, Record};
use super::record_filter::{engine_names, geometric_mean, is_fewer, labelled};
use crate::result_sheet::{Cell, Table};

/// Places with a force at which an engine returned none.
const SILENT: &str = "silent";
/// The target at which single pairs are tabulated.
const SHOWN: f64 = 0.01;

pub(super) fn is_shown(level: f64) -> bool {
    (level - SHOWN).abs() < 1e-9
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn number(x: Option<f64>, reason: &str) -> Cell {
    match x {
        Some(x) if x.is_finite() => Cell::Number(x),
        _ => Cell::Void {
            reason: reason.to_owned(),
        },
    }
}

fn table(title: String, columns: &[&str]) -> Table {
    Table {
        title,
        columns: columns.iter().map(|c| (*c).to_owned()).collect(),
        rows: Vec::new(),
    }
}

fn error_unit(question: &str) -> &'static str {
    match question {
        "intersects" => "wrong answers (part of all)",
        "force" => "mean error (degrees)",
        "volume" => "mean error (parts of A's volume)",
        _ => "mean error (parts of A's diagonal)",
    }
}

/// Every engine on one question over all pairs and targets.
pub(super) fn engines(asked: &[&Record], question: &str, title: &str) -> Table {
    let mut columns = vec![
        "engine",
        "version",
        "targets",
        "without time",
        "at fewer placements",
        "mean of its own (µs, geometric)",
        "times ours at common placements",
        "largest (µs)",
        error_unit(question),
    ];
    columns.extend((question == "force").then_some(SILENT));
    let mut table = table(
        format!("{title} Engines over all pairs and targets"),
        &columns,
    );
    for engine in engine_names(asked) {
        let of: Vec<&&Record> = asked.iter().filter(|r| r.engine == engine).collect();
        let times: Vec<f64> = of.iter().filter_map(|r| Some(r.times?.mean)).collect();
        let largest = of
            .iter()
            .filter_map(|r| Some(r.times?.max))
            .fold(f64::NAN, f64::max);
        // Only where both have a time, configuration by configuration.
        let ratios = of.iter().filter_map(|r| r.common);
        let ratios: Vec<f64> = ratios
            .map(|[own, ours]| own.max(1.0) / ours.max(1.0) * 1e6)
            .collect();
        let fewer = of.iter().filter(|r| is_fewer(r, asked)).count();
        let errors: Vec<f64> = of.iter().filter_map(|r| r.error).collect();
        let error = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
        let mut row = vec![
            text(&labelled(&engine, asked)),
            text(of.first().map_or("", |r| r.version.as_str())),
            Cell::Number(of.len() as f64),
            Cell::Number((of.len() - times.len()) as f64),
            Cell::Number(fewer as f64),
            number(geometric_mean(&times).map(|ns| ns / 1e3), "no right answer"),
            number(
                geometric_mean(&ratios).map(|x| x / 1e6),
                "no placement at which both have a time",
            ),
            number(Some(largest / 1e3), "no right answer"),
            number(error, "not told"),
        ];
        if question == "force" {
            let silent: usize = of.iter().map(|r| r.silent).sum();
            row.push(Cell::Number(silent as f64));
        }
        table.rows.push(row);
    }
    table
}

/// Every engine on one question, pair by pair, at one target.
pub(super) fn pairs(shown: &[&Record], question: &str, title: &str) -> Table {
    let mut columns = vec![
        "pair",
        "class",
        "faces A",
        "faces B",
        "engine",
        "verdict",
        "configurations",
        "mean (µs)",
        "median (µs)",
        "90 % (µs)",
        "99 % (µs)",
        "largest (µs)",
        "volume tests",
        "face tests",
        "bytes",
        "build (ms)",
        error_unit(question),
    ];
    columns.extend((question == "force").then_some(SILENT));
    let mut table = table(
        format!("{title} Pair by pair at {} %", 100.0 * SHOWN),
        &columns,
    );
    for r in shown {
        let reason = match r.verdict.as_str() {
            "wrong" => format!("{} of {} answers are wrong", r.wrong, r.configurations),
            "denies" => {
                "it never says yes where they meet (second scenario), so that its no has no time"
                    .to_owned()
            }
            other => other.to_owned(),
        };
        let time =
            |of: fn(&QueryTimes) -> f64| number(r.times.as_ref().map(|t| of(t) / 1e3), &reason);
        let part = |of: fn(&QueryTimes) -> Option<f64>, least: usize| match &r.times {
            Some(times) => number(
                of(times).map(|ns| ns / 1e3),
                &format!("fewer than {least} configurations"),
            ),
            None => number(None, &reason),
        };
        let mut row = vec![
            text(&r.pair),
            text(&r.class),
            Cell::Number(r.faces[0] as f64),
            Cell::Number(r.faces[1] as f64),
            text(&r.engine),
            text(&r.verdict),
            Cell::Number(r.configurations as f64),
            time(|t| t.mean),
            time(|t| t.median),
            part(|t| t.p90, LEAST_P90),
            part(|t| t.p99, LEAST_P99),
            time(|t| t.max),
            number(r.volume_tests, "not told"),
            number(r.face_tests, "not told"),
            number(r.bytes, "not told"),
            number(r.build_ns.map(|ns| ns / 1e6), "not told"),
            number(r.error, "not told"),
        ];
        if question == "force" {
            row.push(Cell::Number(r.silent as f64));
        }
        table.rows.push(row);
    }
    table
}
