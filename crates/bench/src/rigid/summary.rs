//! From records to the table of bars.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::record::Record;
use crate::Bar;
use crate::engines::{FCL, JUDGE, OURS};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) title: &'static str,
    question: &'static str,
    holds: fn(&Record) -> bool,
    /// How many times faster than FCL, where it answers at all.
    fcl: Option<f64>,
    /// How many times faster than the fastest of the others.
    other: f64,
}

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "any intersection",
        question: "intersects",
        holds: |_| true,
        fcl: Some(8.0),
        other: 8.0,
    },
    Group {
        title: "any intersection, without a hit",
        question: "intersects",
        holds: |r| !r.intersects,
        fcl: Some(8.0),
        other: 8.0,
    },
    Group {
        title: "all face pairs",
        question: "pairs",
        holds: |_| true,
        fcl: Some(18.0),
        other: 8.0,
    },
    Group {
        title: "distance, gap up to 1 %",
        question: "distance",
        // A little more, because poses meet their level to within 0.001 %.
        holds: |r| !r.intersects && r.gap <= 0.0101,
        fcl: Some(12.0),
        other: 12.0,
    },
    Group {
        title: "distance, larger gaps",
        question: "distance",
        holds: |r| !r.intersects && r.gap > 0.0101,
        fcl: Some(10.0),
        other: 10.0,
    },
    Group {
        title: "distance, intersecting",
        question: "distance",
        holds: |r| r.intersects,
        fcl: Some(40.0),
        other: 40.0,
    },
    Group {
        title: "distance, warm on a path",
        question: "warm",
        holds: |_| true,
        fcl: Some(60.0),
        other: 60.0,
    },
    Group {
        title: "time of impact with rotation",
        question: "impact",
        holds: |_| true,
        fcl: None,
        other: 100.0,
    },
];

/// Hot or cold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Times {
    Hot,
    Cold,
}

impl Times {
    fn of(self, record: &Record) -> Option<f64> {
        match self {
            Self::Hot => record.hot_ns,
            Self::Cold => record.cold_ns,
        }
    }
}

/// The names of all pairs, in order of appearance.
fn pairs(records: &[Record]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    records
        .iter()
        .map(|r| r.pair.as_str())
        .filter(|pair| seen.insert(*pair))
        .collect()
}

/// The peers that were asked, FCL and the judge not counted.
pub(crate) fn others(records: &[Record]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    records
        .iter()
        .map(|r| r.engine.as_str())
        .filter(|name| ![FCL, JUDGE].contains(name) && !name.starts_with(OURS))
        .filter(|name| seen.insert(*name))
        .collect()
}

/// Mean time of `peer` over mean time of ours on one pair, over the poses at which both are right.
fn pair_ratio(
    records: &[Record],
    group: &Group,
    pair: &str,
    peer: &str,
    times: Times,
) -> Option<f64> {
    let mut sums = [0.0, 0.0];
    let chosen = |engine: &str| -> Vec<(usize, f64)> {
        records
            .iter()
            .filter(|r| {
                r.pair == pair
                    && r.engine == engine
                    && r.question == group.question
                    && (group.holds)(r)
            })
            .filter_map(|r| Some((r.pose, times.of(r)?)))
            .collect()
    };
    let ours = chosen(OURS);
    for (pose, time) in chosen(peer) {
        if let Some((_, own)) = ours.iter().find(|(own_pose, _)| *own_pose == pose) {
            sums[0] += time;
            sums[1] += own;
        }
    }
    (sums[1] > 0.0).then(|| sums[0] / sums[1])
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    let logs: f64 = values.iter().map(|x| x.ln()).sum();
    (!values.is_empty()).then(|| (logs / values.len() as f64).exp())
}

/// How many times faster than `peer` we are: geometric mean over the pairs.
pub(crate) fn ratio(records: &[Record], group: &Group, peer: &str, times: Times) -> Option<f64> {
    let ratios: Vec<f64> = pairs(records)
        .into_iter()
        .filter_map(|pair| pair_ratio(records, group, pair, peer, times))
        .collect();
    geometric_mean(&ratios)
}

/// Whether a peer's times on a pair may stand for it: whoever is wrong at more than one pose in ten
/// has times at the easy ones only.
fn is_competing(records: &[Record], group: &Group, pair: &str, peer: &str) -> bool {
    let asked = records.iter().filter(|r| {
        r.pair == pair
            && r.engine == peer
            && r.question == group.question
            && (group.holds)(r)
            && !["skipped", "unsupported"].contains(&r.verdict.as_str())
    });
    let (mut all, mut failed) = (0, 0);
    for record in asked {
        all += 1;
        failed += usize::from(["wrong", "died"].contains(&record.verdict.as_str()));
    }
    10 * failed <= all
}

/// The same for whichever of the other peers is the fastest on each pair.
fn ratio_to_fastest(records: &[Record], group: &Group, times: Times) -> Option<f64> {
    let others = others(records);
    let ratios: Vec<f64> = pairs(records)
        .into_iter()
        .filter_map(|pair| {
            others
                .iter()
                .filter(|peer| is_competing(records, group, pair, peer))
                .filter_map(|peer| pair_ratio(records, group, pair, peer, times))
                .min_by(f64::total_cmp)
        })
        .collect();
    geometric_mean(&ratios)
}

/// What the records say.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) text: String,
    pub(super) bar: Bar,
}

/// The table, met or missed.
pub(super) fn report(records: &[Record]) -> Report {
    let mut text = String::new();
    let mut missed = bars(records, &mut text);
    by_peer(records, &mut text);
    by_pair(records, &mut text);
    missed |= builds(records, &mut text);
    missed |= answers(records, &mut text);
    Report {
        text,
        bar: if missed { Bar::Missed } else { Bar::Met },
    }
}

fn times_faster(x: Option<f64>) -> String {
    x.map_or("-".to_owned(), |x| {
        if x < 100.0 {
            format!("{x:.1}x")
        } else {
            format!("{x:.0}x")
        }
    })
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

fn bars(records: &[Record], text: &mut String) -> bool {
    let mut missed = false;
    let _ = writeln!(
        text,
        "{:<33} {:>6} {:>10} | {:>8} {:>6} | {:>8} {:>6} | {:>8} {:>8} |",
        "times faster, one thread, hot",
        "poses",
        "ours us",
        "FCL",
        "bar",
        "others",
        "bar",
        "FCL cold",
        "o. cold"
    );
    for group in GROUPS {
        let own: Vec<f64> = records
            .iter()
            .filter(|r| r.engine == OURS && r.question == group.question && (group.holds)(r))
            .filter_map(|r| r.hot_ns)
            .collect();
        let hot = [
            ratio(records, group, FCL, Times::Hot),
            ratio_to_fastest(records, group, Times::Hot),
        ];
        let cold = [
            ratio(records, group, FCL, Times::Cold),
            ratio_to_fastest(records, group, Times::Cold),
        ];
        let reached = |ratio: Option<f64>, bar: f64| ratio.is_none_or(|ratio| ratio >= bar);
        let state = if own.is_empty() {
            "not measured"
        } else if hot == [None, None] {
            "no peer"
        } else if group.fcl.is_none_or(|bar| reached(hot[0], bar)) && reached(hot[1], group.other) {
            "met"
        } else {
            missed = true;
            "MISSED"
        };
        let mean = match own.len() {
            0 => "-".to_owned(),
            n => format!("{:.2}", own.iter().sum::<f64>() / n as f64 / 1e3),
        };
        let _ = writeln!(
            text,
            "{:<33} {:>6} {:>10} | {:>8} {:>6} | {:>8} {:>6} | {:>8} {:>8} | {state}",
            group.title,
            own.len(),
            mean,
            times_faster(hot[0]),
            times_faster(group.fcl),
            times_faster(hot[1]),
            times_faster(Some(group.other)),
            times_faster(cold[0]),
            times_faster(cold[1]),
        );
    }
    let _ = writeln!(
        text,
        "Per pair the ratio of mean times over the poses at which both are right, then the geometric mean over pairs;\n\
         `others` takes on each pair whichever other peer is the fastest there and is wrong at no more than a tenth of the poses.\n"
    );
    missed
}

fn by_peer(records: &[Record], text: &mut String) {
    let peers: Vec<&str> = std::iter::once(FCL)
        .chain(others(records))
        .filter(|peer| *peer != "obvhs")
        .collect();
    let _ = write!(text, "{:<33}", "times faster than");
    for peer in &peers {
        let _ = write!(text, " {peer:>10}");
    }
    let _ = writeln!(text);
    for group in GROUPS {
        let _ = write!(text, "{:<33}", group.title);
        for peer in &peers {
            let _ = write!(
                text,
                " {:>10}",
                times_faster(ratio(records, group, peer, Times::Hot))
            );
        }
        let _ = writeln!(text);
    }
    let _ = writeln!(text);
}

fn by_pair(records: &[Record], text: &mut String) {
    let _ = write!(text, "{:<33}", "times faster than FCL, by pair");
    let shown = &GROUPS[..7];
    for title in [
        "any", "no hit", "pairs", "dist<=1%", "dist>1%", "dist=0", "warm",
    ] {
        let _ = write!(text, " {title:>8}");
    }
    let _ = writeln!(text);
    for pair in pairs(records) {
        let ratios: Vec<Option<f64>> = shown
            .iter()
            .map(|group| pair_ratio(records, group, pair, FCL, Times::Hot))
            .collect();
        if ratios.iter().all(Option::is_none) {
            continue;
        }
        let _ = write!(text, "{pair:<33}");
        for ratio in ratios {
            let _ = write!(text, " {:>8}", times_faster(ratio));
        }
        let _ = writeln!(text);
    }
    let _ = writeln!(text);
}

/// Build times and memory, against their bars.
fn builds(records: &[Record], text: &mut String) -> bool {
    let built: Vec<&Record> = records.iter().filter(|r| r.question == "build").collect();
    let time = |engine: &str| {
        built
            .iter()
            .find(|r| r.engine == engine)
            .and_then(|r| r.hot_ns)
    };
    let Some(ours) = built.iter().find(|r| r.engine == OURS) else {
        return false;
    };
    let _ = writeln!(
        text,
        "{:<33} {:>12} {:>12} {:>12}",
        format!("build of {}, {} faces", ours.pair, ours.faces[0]),
        "ms",
        "bytes/face",
        "SAH cost"
    );
    for record in &built {
        let bytes = record
            .answer
            .filter(|bytes| *bytes > 0.0)
            .map(|bytes| bytes / record.faces[0] as f64);
        let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1}"));
        let _ = writeln!(
            text,
            "{:<33} {:>12} {:>12} {:>12}",
            record.engine,
            number(record.hot_ns.map(|ns| ns / 1e6)),
            number(bytes),
            // The cost of the tree travels in the place of a distance.
            number(Some(record.gap).filter(|cost| cost.is_finite())),
        );
    }
    let mut missed = false;
    let mut bar = |claim: String, holds: Option<bool>| {
        missed |= holds == Some(false);
        let state = holds.map_or("not measured", |holds| if holds { "met" } else { "MISSED" });
        let _ = writeln!(text, "bar: {claim}: {state}");
    };
    let full_size = ours.faces[0] >= 900_000;
    bar(
        "a million triangles under 1 s on two cores".to_owned(),
        full_size.then_some(time(OURS).is_some_and(|ns| ns < 1e9)),
    );
    let ratio = time(FCL).zip(time(OURS)).map(|(fcl, own)| fcl / own);
    bar(
        format!("4 times faster than FCL ({})", times_faster(ratio)),
        ratio.map(|x| x >= 4.0),
    );
    let bytes = ours.answer.map(|bytes| bytes / ours.faces[0] as f64);
    bar(
        "at most 80 bytes per triangle".to_owned(),
        bytes.map(|x| x <= 80.0),
    );
    let _ = writeln!(text);
    missed
}

/// Who was wrong, and how often.
fn answers(records: &[Record], text: &mut String) -> bool {
    let engines: BTreeSet<&str> = records.iter().map(|r| r.engine.as_str()).collect();
    let _ = writeln!(
        text,
        "{:<16} {:<10} {:>8} {:>8} {:>8} {:>10} {:>8} {:>8}",
        "answers", "version", "right", "excused", "wrong", "timed out", "died", "skipped"
    );
    for engine in engines {
        let own: Vec<&Record> = records
            .iter()
            .filter(|r| r.engine == engine && r.question != "build")
            .collect();
        let count = |verdict: &str| own.iter().filter(|r| r.verdict == verdict).count();
        let Some(first) = own.first() else {
            continue;
        };
        let _ = writeln!(
            text,
            "{:<16} {:<10} {:>8} {:>8} {:>8} {:>10} {:>8} {:>8}",
            engine,
            first.version,
            count("right"),
            count("excused"),
            count("wrong"),
            count("timed-out"),
            count("died"),
            count("skipped"),
        );
    }
    let ours = records.iter().filter(|r| r.engine == OURS);
    // Ours has no excuse: it is judged on the coordinates that it defines.
    let failed = ours
        .filter(|r| ["wrong", "excused", "died", "timed-out"].contains(&r.verdict.as_str()))
        .count();
    let state = if failed == 0 { "met" } else { "MISSED" };
    let _ = writeln!(text, "bar: no wrong answer of ours ({failed}): {state}");
    failed > 0
}
