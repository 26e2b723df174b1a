//! What the records of a run say: plots, tables and bars.

use super::record::Record;
use crate::configurations::Kind;
use crate::engines::OURS;
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

/// The questions with their scenario, as a reader would ask them.
const QUESTIONS: [(&str, Kind, &str); 4] = [
    ("intersects", Kind::Distance, "Do they intersect?"),
    ("distance", Kind::Distance, "How far apart are they?"),
    ("volume", Kind::Volume, "How much do they share?"),
    ("force", Kind::Volume, "Which way is out?"),
];
/// Places with a force at which an engine told none.
const SILENT: &str = "silent";
/// The target at which single pairs are tabulated.
const SHOWN: f64 = 0.01;

fn is_shown(level: f64) -> bool {
    (level - SHOWN).abs() < 1e-9
}

/// The sheet of a run, its bars left out.
pub(super) fn sheet(records: &[Record], preset: &str) -> Sheet {
    let mut sheet = Sheet::new(
        "performance",
        "Performance at fixed distances and shared volumes",
        "How long does each engine take when two models are a given distance apart, or share a given volume?",
        &format!("impinge-bench run performance --preset {preset}"),
    );
    sheet.preset = preset.to_owned();
    sheet.notes = [
        "Times are of one query with warm caches, the median of three after a warm-up; means, medians and percentiles are over the configurations of a target.",
        "Every configuration is independent: nothing of one answer helps the next.",
        "A target at which an engine gave one wrong answer has no time. Engines that do not claim to be exact are marked approximate: they keep their time, and how often they are wrong stands beside it.",
        "Inner balls (balls-N) and a shell of points in voxels (voxmap-N) take part in both scenarios where models are solid. Balls lie inside, so that the distance they tell is never too small and their no at a distance is never wrong; what they miss of a contact is in the second scenario. Points see a voxel of the surface as the surface.",
        "Where there is a force and an approximate engine tells none, it is counted as silent; mean errors are over the places at which it tells one.",
        "The engines average and average-k5 tell whether meshes probably meet; all models are apart in the first scenario, so that what they say wrongly is a yes.",
        "An engine that is much slower than the others is asked at fewer configurations: at most two minutes of a question at a target; how many is said pair by pair.",
        "Distances are parts of the diagonal of A's bounding box, volumes parts of A's volume. Touching means a gap of at most 0.001 %.",
        "Memory is that of both indexes for ours and of A's index for peers that tell it; meshes are not counted.",
        "Volume and force of the exact integral and of balls come from one call and share its time. Counts of tests are of other kinds for eight-wide trees, balls and points.",
        "The deepest point (mesh-depth) and a shell of points in voxels (voxmap-N, with N voxels and points along the longest side) tell forces alone. Theirs are not the slope of the shared volume, beside which their angles are given.",
    ]
    .map(str::to_owned)
    .to_vec();
    for (question, kind, title) in QUESTIONS {
        if let Some(plot) = over_pairs(records, question, kind, title) {
            sheet.plots.push(plot);
        }
    }
    for pair in names(records, |r| &r.pair) {
        for (question, kind, title) in QUESTIONS {
            let of_pair: Vec<&Record> = records.iter().filter(|r| r.pair == pair).collect();
            if question != "force"
                && let Some(plot) = of_one_pair(&of_pair, &pair, question, kind, title)
            {
                sheet.plots.push(plot);
            }
        }
    }
    for (question, kind, title) in QUESTIONS {
        let asked: Vec<&Record> = records
            .iter()
            .filter(|r| r.is_of(kind) && r.question == question)
            .collect();
        if !asked.is_empty() {
            sheet.tables.push(engines(&asked, question, title));
        }
    }
    for (question, kind, title) in QUESTIONS {
        let shown: Vec<&Record> = records
            .iter()
            .filter(|r| r.is_of(kind) && r.question == question && is_shown(r.level))
            .collect();
        if !shown.is_empty() {
            sheet.tables.push(pairs(&shown, question, title));
        }
    }
    sheet
}

/// The bars: nothing of ours may be wrong.
pub(super) fn claims(sheet: &mut Sheet, records: &[Record]) {
    let ours = |r: &&Record| r.is_ours && r.verdict != "approximate";
    let asked: usize = records.iter().filter(ours).map(|r| r.configurations).sum();
    let wrong: usize = records.iter().filter(ours).map(|r| r.wrong).sum();
    let died = records
        .iter()
        .filter(ours)
        .filter(|r| matches!(r.verdict.as_str(), "died" | "timed-out"))
        .count();
    let claim = "every exact engine of ours answers rightly at every configuration";
    if asked == 0 && died == 0 {
        sheet.leave_open(claim);
        return;
    }
    sheet.claim(
        claim,
        &format!("{asked} answers, {wrong} wrong, {died} targets without answer"),
        asked > 0 && wrong == 0 && died == 0,
    );
}

/// Different values of a field, in order of appearance.
fn names(records: &[Record], of: impl Fn(&Record) -> &String) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for record in records {
        if !names.contains(of(record)) {
            names.push(of(record).clone());
        }
    }
    names
}

fn levels(records: &[&Record]) -> Vec<f64> {
    let mut levels: Vec<f64> = records.iter().map(|r| r.level).collect();
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    levels
}

/// The name of an engine, with a word for those that may be wrong.
fn labelled(engine: &str, records: &[&Record]) -> String {
    let may_err = |r: &&Record| r.engine == engine && r.verdict == "approximate";
    if records.iter().any(may_err) {
        format!("{engine} (approximate)")
    } else {
        engine.to_owned()
    }
}

/// Ours first, then in order of appearance.
fn engine_names(records: &[&Record]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for record in records {
        if !names.contains(&record.engine) {
            names.push(record.engine.clone());
        }
    }
    names.sort_by_key(|name| name != OURS);
    names
}

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

/// Geometric means over the pairs, of engines that have a time at every pair of a target.
fn over_pairs(records: &[Record], question: &str, kind: Kind, title: &str) -> Option<Plot> {
    let asked: Vec<&Record> = records
        .iter()
        .filter(|r| r.is_of(kind) && r.question == question)
        .collect();
    let mut series = Vec::new();
    for engine in engine_names(&asked) {
        let mut points = Vec::new();
        for level in levels(&asked) {
            let at: Vec<&&Record> = asked
                .iter()
                .filter(|r| r.level == level && r.engine == engine)
                .collect();
            let times: Vec<f64> = at.iter().filter_map(|r| Some(r.times?.mean)).collect();
            if times.len() == at.len()
                && let Some(mean) = geometric_mean(&times)
            {
                points.push([100.0 * level, mean / 1e3]);
            }
        }
        if !points.is_empty() {
            series.push(Series {
                name: labelled(&engine, &asked),
                points,
                ..Series::default()
            });
        }
    }
    let (x, y) = axes(kind);
    (!series.is_empty()).then(|| Plot {
        title: format!("{title} All pairs, geometric mean of means"),
        x,
        y,
        series,
    })
}

fn of_one_pair(
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
    let mut series = Vec::new();
    for engine in engine_names(&asked) {
        let mut one = Series {
            name: labelled(&engine, &asked),
            ..Series::default()
        };
        let mut found: Vec<&&Record> = asked.iter().filter(|r| r.engine == engine).collect();
        found.sort_by(|x, y| x.level.total_cmp(&y.level));
        for record in found {
            if let Some(times) = record.times {
                one.points.push([100.0 * record.level, times.mean / 1e3]);
                one.spread.push([
                    times.median.min(times.mean) / 1e3,
                    times.p99.max(times.mean) / 1e3,
                ]);
            }
        }
        if !one.points.is_empty() {
            series.push(one);
        }
    }
    let (x, y) = axes(kind);
    (!series.is_empty()).then(|| Plot {
        title: format!("{title} Pair {pair}: means, with medians and 99th percentiles"),
        x,
        y,
        series,
    })
}

fn geometric_mean(times: &[f64]) -> Option<f64> {
    let sum: f64 = times.iter().map(|t| t.max(1.0).ln()).sum();
    (!times.is_empty()).then(|| (sum / times.len() as f64).exp())
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
fn engines(asked: &[&Record], question: &str, title: &str) -> Table {
    let mut columns = vec![
        "engine",
        "version",
        "targets",
        "without time",
        "mean (µs, geometric)",
        "times ours",
        "largest (µs)",
        error_unit(question),
    ];
    columns.extend((question == "force").then_some(SILENT));
    let mut table = table(
        format!("{title} Engines over all pairs and targets"),
        &columns,
    );
    let ours = engine_names(asked).into_iter().next().unwrap_or_default();
    for engine in engine_names(asked) {
        let of: Vec<&&Record> = asked.iter().filter(|r| r.engine == engine).collect();
        let times: Vec<f64> = of.iter().filter_map(|r| Some(r.times?.mean)).collect();
        let largest = of
            .iter()
            .filter_map(|r| Some(r.times?.max))
            .fold(f64::NAN, f64::max);
        // Only where both have a time.
        let mut ratios = Vec::new();
        for record in &of {
            let same =
                |r: &&&Record| r.engine == ours && r.pair == record.pair && r.level == record.level;
            let other = asked.iter().find(same).and_then(|r| r.times);
            if let Some((mine, theirs)) = other.zip(record.times) {
                ratios.push(theirs.mean.max(1.0) / mine.mean.max(1.0) * 1e6);
            }
        }
        let errors: Vec<f64> = of.iter().filter_map(|r| r.error).collect();
        let error = (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64);
        let mut row = vec![
            text(&labelled(&engine, asked)),
            text(of.first().map_or("", |r| r.version.as_str())),
            Cell::Number(of.len() as f64),
            Cell::Number((of.len() - times.len()) as f64),
            number(geometric_mean(&times).map(|ns| ns / 1e3), "no right answer"),
            number(geometric_mean(&ratios).map(|x| x / 1e6), "no right answer"),
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
fn pairs(shown: &[&Record], question: &str, title: &str) -> Table {
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
            other => other.to_owned(),
        };
        let time = |of: fn(&super::record::Times) -> f64| {
            number(r.times.as_ref().map(|t| of(t) / 1e3), &reason)
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
            time(|t| t.p90),
            time(|t| t.p99),
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
