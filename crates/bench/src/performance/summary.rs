//! What the records of a run say: plots, tables and bars.

use std::collections::BTreeSet;

use super::record::Record;
use crate::configurations::Kind;
use crate::engines::OURS;
use crate::ours::EXACT;
use crate::sheet::{Axis, Cell, Plot, Series, Sheet, Table};

/// The questions with their scenario, as a reader would ask them.
const QUESTIONS: [(&str, Kind, &str); 5] = [
    ("intersects", Kind::Distance, "Do they intersect?"),
    ("distance", Kind::Distance, "How far apart are they?"),
    (
        "intersects",
        Kind::Volume,
        "Do solids that overlap intersect?",
    ),
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
        "Configurations of a target are asked in an order that is shuffled, the same in every run. An engine that has used up its time at a target is asked no more there: what it was asked is a fair sample, but smaller. A line of a plot with such a point says `fewer placements`, and ratios beside ours are over the placements at which both have a time.",
        "Nothing intersects in the first scenario, so that no is right there; in the second the same engines are asked where surfaces meet and yes is right. An engine that says no at every such placement of a pair has no time for its no in the first.",
        "A target at which an engine gave one wrong answer has no time. Engines that do not claim to be exact are marked approximate: they keep their time, and how often they are wrong stands beside it.",
        "Inner balls (balls-N) and a shell of points in voxels (voxmap-N) take part in both scenarios where models are solid. Balls lie inside, so that the distance they tell is never too small and their no at a distance is never wrong; what they miss of a contact is in the second scenario. Points see a voxel of the surface as the surface.",
        "Where there is a force and an approximate engine tells none, it is counted as silent; mean errors are over the places at which it tells one.",
        "The engines average and average-k5 tell whether meshes probably meet; all models are apart in the first scenario, so that what they say wrongly is a yes, and a no in the second.",
        "Without an end of the run a question at a target has two minutes of an engine; at how many configurations it was asked is said pair by pair.",
        "Distances are parts of the diagonal of A's bounding box, volumes parts of A's volume. Touching means a gap of at most 0.001 %.",
        "Memory is that of both indexes for ours and of A's index for peers that tell it; meshes are not counted.",
        "Our engines for solids are asked for volume and force in the measuring process, all others, Manifold too, as runners; neither pipes nor parsing are in a time. Volume and force of the exact integral and of balls come from one call and share its time; runners are asked for each, and for forces at eight placements of a target at most. Counts of tests are of other kinds for eight-wide trees, balls and points.",
        "The deepest point (mesh-depth) and a shell of points in voxels (voxmap-N, with N voxels and points along the longest side) tell forces alone. Theirs are not the slope of the shared volume, beside which their angles are given.",
    ]
    .map(str::to_owned)
    .to_vec();
    for (question, kind, title) in QUESTIONS {
        let asked = of_question(records, question, kind);
        sheet.plots.extend(over_pairs(&asked, kind, title));
    }
    for (question, kind, title) in QUESTIONS {
        let asked = of_question(records, question, kind);
        sheet.plots.extend(error_over_time(&asked, question, title));
    }
    for pair in names(records, |r| &r.pair) {
        for (question, kind, title) in QUESTIONS {
            let of_pair: Vec<&Record> = records.iter().filter(|r| r.pair == pair).collect();
            let is_shown = question != "force" && (question, kind) != ("intersects", Kind::Volume);
            if is_shown && let Some(plot) = of_one_pair(&of_pair, &pair, question, kind, title) {
                sheet.plots.push(plot);
            }
        }
    }
    for (question, kind, title) in QUESTIONS {
        let asked = of_question(records, question, kind);
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

fn of_question<'r>(records: &'r [Record], question: &str, kind: Kind) -> Vec<&'r Record> {
    let is_it = |r: &&Record| r.is_of(kind) && r.question == question;
    records.iter().filter(is_it).collect()
}

/// Whether an engine was asked at fewer configurations of a target than another.
fn is_fewer(record: &Record, asked: &[&Record]) -> bool {
    asked.iter().any(|r| {
        r.pair == record.pair && r.level == record.level && r.configurations > record.configurations
    })
}

/// The name of a line, with words for one some points of which are over fewer configurations than those of others.
fn line_name(engine: &str, asked: &[&Record]) -> String {
    let name = labelled(engine, asked);
    let is_of = |r: &&&Record| r.engine == engine && r.times.is_some();
    if asked.iter().filter(is_of).any(|r| is_fewer(r, asked)) {
        format!("{name}, fewer placements")
    } else {
        name
    }
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

/// Geometric means over the pairs: over all of them, and, where some engines are not asked at each (what is open cannot be filled), over those at which
/// every engine is.
fn over_pairs(asked: &[&Record], kind: Kind, title: &str) -> Vec<Plot> {
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
fn error_over_time(asked: &[&Record], question: &str, title: &str) -> Option<Plot> {
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
            name: line_name(&engine, &asked),
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
            "denies" => {
                "it never says yes where they meet (second scenario), so that its no has no time"
                    .to_owned()
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::performance::record::Times;

    fn record(pair: &str, engine: &str, mean: f64, configurations: usize) -> Record {
        Record {
            pair: pair.to_owned(),
            kind: Kind::Distance.name().to_owned(),
            level: 0.01,
            question: "distance".to_owned(),
            engine: engine.to_owned(),
            verdict: "right".to_owned(),
            configurations,
            times: Some(Times {
                mean,
                ..Times::default()
            }),
            common: Some([mean, 1e3]),
            ..Record::default()
        }
    }

    fn names(plot: &Plot) -> Vec<&str> {
        plot.series.iter().map(|s| s.name.as_str()).collect()
    }

    #[test]
    fn lines_are_over_the_same_pairs_and_say_where_fewer_placements_were_asked() {
        let filled = Record {
            verdict: "approximate".to_owned(),
            error: Some(0.02),
            ..record("solid", "balls-9", 4e3, 24)
        };
        let records = [
            record("solid", OURS, 1e3, 24),
            record("open", OURS, 100e3, 24),
            record("solid", "slow", 50e3, 3),
            record("open", "slow", 50e3, 24),
            filled,
        ];
        let asked = of_question(&records, "distance", Kind::Distance);
        let plots = over_pairs(&asked, Kind::Distance, "Far?");
        // Balls know one pair; a mean of theirs stands beside others over that pair alone.
        assert_eq!(plots.len(), 2);
        assert_eq!(names(&plots[0]), [OURS, "slow, fewer placements"]);
        let all = [OURS, "slow, fewer placements", "balls-9 (approximate)"];
        assert_eq!(names(&plots[1]), all);
        assert!((plots[0].series[0].points[0][1] - 10.0).abs() < 1e-9);
        assert!((plots[1].series[0].points[0][1] - 1.0).abs() < 1e-9);
        // The ratio is that of the placements of both.
        let table = engines(&asked, "distance", "Far?");
        let column = |name: &str| table.columns.iter().position(|c| c == name).unwrap();
        let ratio = column("times ours at common placements");
        let Cell::Number(slow) = &table.rows[1][ratio] else {
            panic!("{:?}", table.rows[1]);
        };
        assert!((slow - 50.0).abs() < 1e-9, "{slow}");
        let fewer = column("at fewer placements");
        assert_eq!(table.rows[1][fewer], Cell::Number(1.0));
        assert_eq!(table.rows[0][fewer], Cell::Number(0.0));
    }

    #[test]
    fn whoever_may_be_wrong_has_its_error_over_its_time() {
        let filled = |level: f64, mean: f64, error: f64| Record {
            verdict: "approximate".to_owned(),
            error: Some(error),
            level,
            ..record("solid", "balls-9", mean, 24)
        };
        let far = Record {
            level: 0.02,
            ..record("solid", OURS, 1e3, 24)
        };
        let records = [
            record("solid", OURS, 2e3, 24),
            record("solid", "fcl", 9e3, 24),
            // Balls know nothing of this one, so that it has no part in the dots of ours.
            record("open", OURS, 1e6, 24),
            far,
            filled(0.01, 4e3, 0.02),
            filled(0.02, 3e3, 0.01),
        ];
        let asked = of_question(&records, "distance", Kind::Distance);
        let plot = error_over_time(&asked, "distance", "Far?").unwrap();
        assert_eq!(names(&plot), [OURS, "balls-9 (approximate)"]);
        let expected = [[[1.0, 0.0], [2.0, 0.0]], [[3.0, 1.0], [4.0, 2.0]]];
        for (series, expected) in plot.series.iter().zip(expected) {
            assert_eq!(series.points.len(), 2);
            for (point, expected) in series.points.iter().zip(expected) {
                let off = (point[0] - expected[0]).abs() + (point[1] - expected[1]).abs();
                assert!(off < 1e-9, "{point:?} {expected:?}");
            }
        }
        assert_eq!(plot.x.unit, "µs");
        // Where all are exact there is nothing to show.
        let exact = of_question(&records[..2], "distance", Kind::Distance);
        assert!(error_over_time(&exact, "distance", "Far?").is_none());
    }
}
