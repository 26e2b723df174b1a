//! What the records of a run say: plots, tables and bars.

use super::plots::{error_over_time, of_one_pair, over_pairs};
use super::record::Record;
use super::record_filter::{names, of_question};
use super::tables::{engines, is_shown, pairs};
use crate::configurations::Kind;
use crate::result_sheet::ResultSheet;

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

/// The sheet of a run, its bars left out.
pub(super) fn sheet(records: &[Record], preset: &str, command: &str) -> ResultSheet {
    let mut sheet = ResultSheet::new(
        "performance",
        "Performance at fixed distances and shared volumes",
        "How long does each engine take when two models are a given distance apart, or share a given volume?",
        command,
    );
    sheet.preset = preset.to_owned();
    sheet.notes = [
        "Times are of one query with warm caches, the median of three after a warm-up; means, medians and percentiles are over the configurations of a target. A 90th percentile is given of ten configurations or more, a 99th of a hundred or more; of fewer the largest says as much.",
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

/// The bar of a run that measured everything it was to measure: open without a record, and where something was left out.
pub(super) fn claim_whole(sheet: &mut ResultSheet, records: usize, left: &Unmeasured) {
    let claim = "no target is left out or cut short for want of time";
    if records > 0 && *left == Unmeasured::default() {
        sheet.claim(claim, &format!("{records} records"), true);
        return;
    }
    let Unmeasured {
        out,
        cut,
        files,
        engines,
    } = left;
    let mut words = vec![format!("{records} records")];
    if out + cut > 0 {
        words.push(format!("{out} left out, {cut} cut short; --resume goes on"));
        eprintln!("unfinished: {out} targets left out, {cut} cut short; --resume goes on");
    }
    if *files > 0 {
        words.push(format!("{files} files of configurations left out"));
    }
    if !engines.is_empty() {
        let names = engines.join(", ");
        words.push(format!("not asked at the targets that were kept: {names}"));
        eprintln!("not asked at the targets that were kept: {names}; without --resume all are");
    }
    sheet.leave_open(&format!("{claim} ({})", words.join("; ")));
}

/// What a run did not measure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unmeasured {
    /// Targets for which there was no time.
    pub(super) out: usize,
    /// Targets whose time was up.
    pub(super) cut: usize,
    /// Files of configurations that were given and are damaged.
    pub(super) files: usize,
    /// Engines that an earlier run, whose targets were kept, did not ask.
    pub(super) engines: Vec<String>,
}

/// The bars: nothing of ours may be wrong.
pub(super) fn claims(sheet: &mut ResultSheet, records: &[Record]) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bar;
    use crate::engines::OURS;
    use crate::performance::record::QueryTimes;
    use crate::result_sheet::{Cell, Plot};

    fn record(pair: &str, engine: &str, mean: f64, configurations: usize) -> Record {
        Record {
            pair: pair.to_owned(),
            kind: Kind::Distance.name().to_owned(),
            level: 0.01,
            question: "distance".to_owned(),
            engine: engine.to_owned(),
            verdict: "right".to_owned(),
            configurations,
            times: Some(QueryTimes {
                mean,
                ..QueryTimes::default()
            }),
            common: Some([mean, 1e3]),
            ..Record::default()
        }
    }

    fn names(plot: &Plot) -> Vec<&str> {
        plot.series.iter().map(|s| s.name.as_str()).collect()
    }

    #[test]
    fn a_run_without_a_record_or_without_a_file_has_met_nothing() {
        let bar = |records: usize, left: Unmeasured| {
            let mut sheet = ResultSheet::new("performance", "", "", "");
            claim_whole(&mut sheet, records, &left);
            (sheet.bar(), sheet.open.first().cloned().unwrap_or_default())
        };
        assert_eq!(bar(9, Unmeasured::default()).0, Bar::Met);
        assert_eq!(bar(0, Unmeasured::default()).0, Bar::Open);
        let damaged = Unmeasured {
            files: 2,
            ..Unmeasured::default()
        };
        let (open, words) = bar(9, damaged);
        assert_eq!(open, Bar::Open);
        assert!(
            words.contains("2 files of configurations left out"),
            "{words}"
        );
        let unasked = Unmeasured {
            engines: vec!["x".to_owned(), "y".to_owned()],
            ..Unmeasured::default()
        };
        let (open, words) = bar(9, unasked);
        assert_eq!(open, Bar::Open);
        assert!(words.ends_with("kept: x, y)"), "{words}");
        let cut = Unmeasured {
            out: 3,
            cut: 4,
            ..Unmeasured::default()
        };
        let (open, words) = bar(9, cut);
        assert_eq!(open, Bar::Open);
        assert!(
            words.contains("3 left out, 4 cut short; --resume goes on"),
            "{words}"
        );
    }

    #[test]
    fn a_plot_of_few_placements_has_no_percentiles() {
        let mut few = record("solid", OURS, 1e3, 17);
        few.times = QueryTimes::of(&[(0, 1e3), (1, 2e3), (2, 9e3)]);
        let plot = of_one_pair(&[&few], "solid", "distance", Kind::Distance, "Far?").unwrap();
        assert!(
            plot.title.ends_with("means, with medians and largest"),
            "{}",
            plot.title
        );
        assert_eq!(plot.series[0].spread, [[2.0, 9.0]]);
        let table = pairs(&[&few], "distance", "Far?");
        let column = table.columns.iter().position(|c| c == "99 % (µs)").unwrap();
        assert_eq!(
            table.rows[0][column],
            Cell::Void {
                reason: "fewer than 100 configurations".to_owned()
            }
        );
        let sample: Vec<(usize, f64)> = (0..101).map(|k| (k, 1e3 * k as f64)).collect();
        let mut many = record("solid", OURS, 1e3, 101);
        many.times = QueryTimes::of(&sample);
        let plot = of_one_pair(&[&many], "solid", "distance", Kind::Distance, "Far?").unwrap();
        assert!(plot.title.ends_with("99th percentiles"), "{}", plot.title);
        assert_eq!(plot.series[0].spread, [[50.0, 99.0]]);
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
