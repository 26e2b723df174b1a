//! From records to the table of bars.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::claims::{Claim, TargetState, answers, builds, is_ours, motions, whole};
use super::pair_list::Set;
use super::record::Record;
use crate::Bar;
use crate::engines::{FCL, JUDGE, OURS};

/// Somebody's engine that has bars of its own when it is entered as `--engines pqp=PROGRAM`.
const PQP: &str = "pqp";
const ODE: &str = "ode";

/// Whom a bar compares us with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    Peer(&'static str),
    /// On each pair whichever peer but FCL is the fastest there.
    Fastest,
}

impl Beside {
    fn name(self) -> &'static str {
        match self {
            Self::Peer(name) => name,
            Self::Fastest => "fastest other",
        }
    }
}

/// One question at one kind of placement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableRow {
    pub(crate) title: &'static str,
    /// The same in a narrow column.
    short: &'static str,
    question: &'static str,
    holds: fn(&Record) -> bool,
    /// How many times faster than whom; empty where there is nothing to reach.
    bars: &'static [(Beside, f64)],
}

pub(crate) const GROUPS: &[TableRow] = &[
    TableRow {
        title: "any intersection, apart",
        short: "any -",
        question: "intersects",
        holds: |r| !r.intersects,
        bars: &[
            (Beside::Peer(FCL), 12.5),
            (Beside::Peer(ODE), 8.0),
            (Beside::Peer(PQP), 6.0),
        ],
    },
    TableRow {
        title: "any intersection, hit",
        short: "any +",
        question: "intersects",
        holds: |r| r.intersects,
        bars: &[(Beside::Peer(FCL), 14.5), (Beside::Peer(PQP), 6.0)],
    },
    TableRow {
        title: "all face pairs",
        short: "pairs",
        question: "pairs",
        holds: |_| true,
        bars: &[(Beside::Peer(FCL), 28.0), (Beside::Peer(PQP), 8.0)],
    },
    TableRow {
        title: "distance, apart",
        short: "dist>0",
        question: "distance",
        holds: |r| !r.intersects,
        bars: &[(Beside::Peer(FCL), 25.0), (Beside::Peer(PQP), 12.0)],
    },
    TableRow {
        title: "distance, gap up to 1 %",
        short: "dist<=1%",
        question: "distance",
        // A little more, because poses meet their level to within 0.001 %.
        holds: |r| !r.intersects && r.gap <= 0.0101,
        bars: &[],
    },
    TableRow {
        title: "distance, larger gaps",
        short: "dist>1%",
        question: "distance",
        holds: |r| !r.intersects && r.gap > 0.0101,
        bars: &[],
    },
    TableRow {
        title: "distance, hit",
        short: "dist=0",
        question: "distance",
        holds: |r| r.intersects,
        bars: &[(Beside::Peer(FCL), 120.0), (Beside::Peer(PQP), 60.0)],
    },
    TableRow {
        title: "distance, warm on a path",
        short: "warm",
        question: "warm",
        holds: |_| true,
        bars: &[(Beside::Peer(FCL), 60.0)],
    },
    TableRow {
        title: "time of impact with rotation",
        short: "impact",
        question: IMPACT,
        holds: |_| true,
        bars: &[(Beside::Fastest, 100.0)],
    },
];

/// Motions are of generated models, and only one peer knows the question.
const IMPACT: &str = "impact";

/// Which time of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HotCold {
    /// Repeated until it is warm.
    Hot,
    /// With the caches displaced.
    Cold,
    /// Building both indexes and asking once.
    OneShot,
}

impl HotCold {
    fn of(self, record: &Record) -> Option<f64> {
        match self {
            Self::Hot => record.hot_ns,
            Self::Cold => record.cold_ns,
            Self::OneShot => Some(record.build_ns? + record.first_ns?),
        }
    }
}

/// The names of the pairs that count, in order of appearance: where some judge, those and what is in no set; else all.
fn pairs(records: &[Record]) -> Vec<&str> {
    let some_judge = records.iter().any(is_judging);
    let mut seen = BTreeSet::new();
    records
        .iter()
        .filter(|r| !some_judge || is_judging(r) || r.set.is_empty())
        .map(|r| r.pair.as_str())
        .filter(|pair| seen.insert(*pair))
        .collect()
}

fn is_judging(record: &Record) -> bool {
    record.set == Set::Judging.name()
}

/// The peers that were run, FCL and the judge not counted.
pub(crate) fn others(records: &[Record]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    records
        .iter()
        .filter(|r| r.question != "build")
        .map(|r| r.engine.as_str())
        .filter(|name| ![FCL, JUDGE].contains(name) && !is_ours(name))
        .filter(|name| seen.insert(*name))
        .collect()
}

/// Mean time of `peer` over mean time of ours on one pair, over the poses at which both are right.
fn pair_ratio(
    records: &[Record],
    group: &TableRow,
    pair: &str,
    peer: &str,
    times: HotCold,
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
pub(crate) fn ratio(
    records: &[Record],
    group: &TableRow,
    peer: &str,
    times: HotCold,
) -> Option<f64> {
    let ratios: Vec<f64> = pairs(records)
        .into_iter()
        .filter_map(|pair| pair_ratio(records, group, pair, peer, times))
        .collect();
    geometric_mean(&ratios)
}

/// Whether a peer's times on a pair may stand for it: whoever is wrong at more than one pose in ten
/// has times at the easy ones only.
fn is_competing(records: &[Record], group: &TableRow, pair: &str, peer: &str) -> bool {
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
fn ratio_to_fastest(records: &[Record], group: &TableRow, times: HotCold) -> Option<f64> {
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
    let rows = bar_rows(records);
    let (mut text, mut markdown) = (String::new(), String::new());
    let some_judge = records.iter().any(is_judging);
    if some_judge || records.iter().all(|r| r.set.is_empty()) {
        bars(&rows, &mut text);
    }
    // What enters no bar is shown all the same.
    for set in [Set::Tuning, Set::Generated] {
        let own: Vec<Record> = records
            .iter()
            .filter(|r| r.set == set.name() || r.set.is_empty())
            .cloned()
            .collect();
        if own.iter().any(|r| !r.set.is_empty()) {
            let _ = writeln!(text, "The {} pairs, which enter no bar:", set.name());
            let rows = bar_rows(&own).into_iter().filter(|row| row.poses > 0);
            bars(&rows.collect::<Vec<_>>(), &mut text);
        }
    }
    by_peer(records, &mut text);
    by_pair(records, &mut text);
    let mut claims = builds(records, &mut text);
    claims.extend(motions(records));
    claims.extend(whole(records));
    claims.push(answers(records, &mut text));
    for claim in &claims {
        let _ = writeln!(text, "bar: {}: {}", claim.text, claim.state.name());
    }
    front_page(&rows, &claims, &mut markdown);
    let states = rows.iter().filter_map(|row| row.state);
    let states = states.chain(claims.iter().map(|claim| claim.state));
    let bar = Bar::together(states.map(TargetState::bar));
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
    group: &'static TableRow,
    beside: Beside,
    bar: Option<f64>,
    poses: usize,
    /// Mean of ours, microseconds.
    ours: Option<f64>,
    hot: Option<f64>,
    cold: Option<f64>,
    one_shot: Option<f64>,
    /// Beside whichever other peer is the fastest on each pair, hot.
    fastest: Option<f64>,
    /// None where there is nothing to reach.
    state: Option<TargetState>,
}

/// A row for each bar, and one beside FCL for each group that has none. Bars beside an engine of somebody else's are there if it is.
fn bar_rows(records: &[Record]) -> Vec<BarRow> {
    let has_pqp = records.iter().any(|r| r.engine == PQP);
    let mut rows = Vec::new();
    for group in GROUPS {
        if group.bars.is_empty() {
            rows.push(bar_row(records, group, Beside::Peer(FCL), None));
        }
        for (beside, bar) in group.bars {
            if *beside != Beside::Peer(PQP) || has_pqp {
                rows.push(bar_row(records, group, *beside, Some(*bar)));
            }
        }
    }
    rows
}

fn bar_row(
    records: &[Record],
    group: &'static TableRow,
    beside: Beside,
    bar: Option<f64>,
) -> BarRow {
    let counted = pairs(records);
    let own: Vec<&Record> = records
        .iter()
        .filter(|r| r.engine == OURS && r.question == group.question && (group.holds)(r))
        .filter(|r| r.hot_ns.is_some() && counted.contains(&r.pair.as_str()))
        .collect();
    let times = |times: HotCold| match beside {
        Beside::Peer(peer) => ratio(records, group, peer, times),
        Beside::Fastest => ratio_to_fastest(records, group, times),
    };
    let hot = times(HotCold::Hot);
    // Pairs that do not judge decide nothing; motions are in no set.
    let may_judge = own
        .iter()
        .any(|r| is_judging(r) || group.question == IMPACT);
    let state = bar.map(|bar| match Bar::at_least(hot, bar) {
        _ if !may_judge => TargetState::NotMeasured,
        Bar::Met => TargetState::Met,
        Bar::Missed => TargetState::Missed,
        Bar::Open => TargetState::NoPeer,
    });
    let sum: f64 = own.iter().filter_map(|r| r.hot_ns).sum();
    BarRow {
        group,
        beside,
        bar,
        poses: own.len(),
        ours: (!own.is_empty()).then(|| sum / own.len() as f64 / 1e3),
        hot,
        cold: times(HotCold::Cold),
        one_shot: times(HotCold::OneShot),
        fastest: ratio_to_fastest(records, group, HotCold::Hot),
        state,
    }
}

impl BarRow {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "question": self.group.title,
            "than": self.beside.name(),
            "poses": self.poses,
            "ours_us": self.ours,
            "times_faster": self.hot,
            "bar": self.bar,
            "cold": self.cold,
            "one_shot": self.one_shot,
            "fastest_other": self.fastest,
            "state": self.state_name(),
        })
    }

    /// What became of the bar; a row without one is there to be read.
    fn state_name(&self) -> &'static str {
        self.state.map_or("-", TargetState::name)
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
        "{:<29} {:>6} {:>10} | {:<13} {:>7} {:>7} {:>7} {:>8} | {:>13} |",
        "times faster, one thread",
        "poses",
        "ours us",
        "than",
        "hot",
        "bar",
        "cold",
        "one-shot",
        "fastest other",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "{:<29} {:>6} {:>10} | {:<13} {:>7} {:>7} {:>7} {:>8} | {:>13} | {}",
            row.group.title,
            row.poses,
            row.ours.map_or("-".to_owned(), |us| format!("{us:.2}")),
            row.beside.name(),
            times_faster(row.hot),
            times_faster(row.bar),
            times_faster(row.cold),
            times_faster(row.one_shot),
            times_faster(row.fastest),
            row.state_name(),
        );
    }
    let _ = writeln!(
        text,
        "Per pair the ratio of mean times over the poses at which both are right, then the geometric mean over pairs. Bars are on hot times\n\
         of judging pairs; cold displaces the caches before a question, one-shot is building both indexes and asking once.\n\
         `fastest other` takes on each pair whichever peer but FCL is the fastest there and is wrong at no more than a tenth of the poses.\n"
    );
}

/// The bars as a table for the front page.
fn front_page(rows: &[BarRow], claims: &[Claim], text: &mut String) {
    let _ = writeln!(
        text,
        "| two rigid meshes | ours | times faster than | hot | bar | cold | one-shot | fastest other | |\n\
         |---|---|---|---|---|---|---|---|---|"
    );
    let times = |x: Option<f64>| times_faster(x).replace('x', "×").replace('-', "–");
    for row in rows.iter().filter(|row| row.poses > 0) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            row.group.title,
            row.ours.map_or("–".to_owned(), |us| format!("{us:.1} µs")),
            row.beside.name(),
            times(row.hot),
            row.bar.map_or("–".to_owned(), |bar| format!("{bar}×")),
            times(row.cold),
            times(row.one_shot),
            times(row.fastest),
            row.state_name().to_lowercase().replace('-', "–"),
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
                times_faster(ratio(records, group, peer, HotCold::Hot))
            );
        }
        let _ = writeln!(text);
    }
    let _ = writeln!(text);
}

fn by_pair(records: &[Record], text: &mut String) {
    let _ = write!(text, "{:<33}", "times faster than FCL, by pair");
    let shown: Vec<&TableRow> = GROUPS.iter().filter(|g| g.question != IMPACT).collect();
    for group in &shown {
        let _ = write!(text, " {:>8}", group.short);
    }
    let _ = writeln!(text);
    for pair in pairs(records) {
        let ratios: Vec<Option<f64>> = shown
            .iter()
            .map(|group| pair_ratio(records, group, pair, FCL, HotCold::Hot))
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
