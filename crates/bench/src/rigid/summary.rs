//! From records to the table of bars.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::claims::{Claim, State, answers, builds, motions};
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
        .filter(|name| ![FCL, JUDGE].contains(name))
        .filter(|name| crate::engines::PEERS.iter().any(|(peer, _)| peer == name))
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
    /// For the terminal.
    pub(super) text: String,
    /// The bars alone, for the front page.
    pub(super) markdown: String,
    /// The bars alone, for programs.
    pub(super) bars: Vec<serde_json::Value>,
    pub(super) bar: Bar,
}

/// The table, met or missed.
pub(super) fn report(records: &[Record]) -> Report {
    let rows: Vec<BarRow> = GROUPS.iter().map(|group| bar_row(records, group)).collect();
    let (mut text, mut markdown) = (String::new(), String::new());
    bars(&rows, &mut text);
    by_peer(records, &mut text);
    by_pair(records, &mut text);
    let mut claims = builds(records, &mut text);
    claims.extend(motions(records));
    claims.push(answers(records, &mut text));
    for claim in &claims {
        let _ = writeln!(text, "bar: {}: {}", claim.text, claim.state.name());
    }
    front_page(&rows, &claims, &mut markdown);
    let states = rows.iter().map(|row| row.state);
    let states = states.chain(claims.iter().map(|claim| claim.state));
    let bar = Bar::together(states.map(State::bar));
    let mut bars: Vec<serde_json::Value> = rows.iter().map(BarRow::json).collect();
    bars.extend(
        claims
            .iter()
            .map(|claim| serde_json::json!({ "claim": claim.text, "state": claim.state.name() })),
    );
    Report {
        text,
        markdown,
        bars,
        bar,
    }
}

/// One line of the table of ratios.
struct BarRow {
    group: &'static Group,
    poses: usize,
    /// Mean of ours, microseconds.
    ours: Option<f64>,
    /// Beside FCL, and beside the fastest other.
    hot: [Option<f64>; 2],
    cold: [Option<f64>; 2],
    state: State,
}

fn bar_row(records: &[Record], group: &'static Group) -> BarRow {
    let own: Vec<f64> = records
        .iter()
        .filter(|r| r.engine == OURS && r.question == group.question && (group.holds)(r))
        .filter_map(|r| r.hot_ns)
        .collect();
    let both = |times: Times| {
        // Where FCL has no bar it has no such question either.
        let fcl = group.fcl.and_then(|_| ratio(records, group, FCL, times));
        [fcl, ratio_to_fastest(records, group, times)]
    };
    let hot = both(Times::Hot);
    let beside_fcl = group.fcl.map(|bar| Bar::at_least(hot[0], bar));
    let beside_other = Bar::at_least(hot[1], group.other);
    let state = if own.is_empty() {
        State::NotMeasured
    } else {
        match beside_fcl.map_or(beside_other, |bar| bar.and(beside_other)) {
            Bar::Met => State::Met,
            Bar::Missed => State::Missed,
            Bar::Open => State::NoPeer,
        }
    };
    BarRow {
        group,
        poses: own.len(),
        ours: (!own.is_empty()).then(|| own.iter().sum::<f64>() / own.len() as f64 / 1e3),
        hot,
        cold: both(Times::Cold),
        state,
    }
}

impl BarRow {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "question": self.group.title,
            "poses": self.poses,
            "ours_us": self.ours,
            "fcl": { "times_faster": self.hot[0], "bar": self.group.fcl, "cold": self.cold[0] },
            "others": { "times_faster": self.hot[1], "bar": self.group.other, "cold": self.cold[1] },
            "state": self.state.name(),
        })
    }
}

pub(super) fn times_faster(x: Option<f64>) -> String {
    x.map_or("-".to_owned(), |x| {
        if x < 100.0 {
            format!("{x:.1}x")
        } else {
            format!("{x:.0}x")
        }
    })
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

fn bars(rows: &[BarRow], text: &mut String) {
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
    for row in rows {
        let _ = writeln!(
            text,
            "{:<33} {:>6} {:>10} | {:>8} {:>6} | {:>8} {:>6} | {:>8} {:>8} | {}",
            row.group.title,
            row.poses,
            row.ours.map_or("-".to_owned(), |us| format!("{us:.2}")),
            times_faster(row.hot[0]),
            times_faster(row.group.fcl),
            times_faster(row.hot[1]),
            times_faster(Some(row.group.other)),
            times_faster(row.cold[0]),
            times_faster(row.cold[1]),
            row.state.name(),
        );
    }
    let _ = writeln!(
        text,
        "Per pair the ratio of mean times over the poses at which both are right, then the geometric mean over pairs;\n\
         `others` takes on each pair whichever other peer is the fastest there and is wrong at no more than a tenth of the poses.\n"
    );
}

/// The bars as a table for the front page.
fn front_page(rows: &[BarRow], claims: &[Claim], text: &mut String) {
    let _ = writeln!(
        text,
        "| two rigid meshes | ours | than FCL | bar | than the fastest other | bar | |\n\
         |---|---|---|---|---|---|---|"
    );
    let times = |x: Option<f64>| times_faster(x).replace('x', "×").replace('-', "–");
    for row in rows.iter().filter(|row| row.poses > 0) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.group.title,
            row.ours.map_or("–".to_owned(), |us| format!("{us:.1} µs")),
            times(row.hot[0]),
            row.group
                .fcl
                .map_or("–".to_owned(), |bar| format!("{bar}×")),
            times(row.hot[1]),
            format_args!("{}×", row.group.other),
            row.state.name().to_lowercase(),
        );
    }
    let _ = writeln!(text);
    for claim in claims {
        let _ = writeln!(
            text,
            "- {}: {}",
            claim.text,
            claim.state.name().to_lowercase()
        );
    }
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
