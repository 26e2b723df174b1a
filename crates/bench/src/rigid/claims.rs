//! Bars that are no ratios of query times: builds, motions, right answers.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::pair_list::{List, ListedPair, Set};
use super::record::Record;
use super::summary::times_faster;
use crate::Bar;
use crate::engines::{FCL, OURS};
use crate::own_runners::{FAST_BUILD, is_engine};

/// What became of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetState {
    Met,
    Missed,
    NotMeasured,
    NoPeer,
}

impl TargetState {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "MISSED",
            Self::NotMeasured => "not measured",
            Self::NoPeer => "no peer",
        }
    }

    pub(super) fn bar(self) -> Bar {
        match self {
            Self::Met => Bar::Met,
            Self::Missed => Bar::Missed,
            Self::NotMeasured | Self::NoPeer => Bar::Open,
        }
    }
}

impl From<Option<bool>> for TargetState {
    fn from(holds: Option<bool>) -> Self {
        match holds {
            None => Self::NotMeasured,
            Some(true) => Self::Met,
            Some(false) => Self::Missed,
        }
    }
}

/// A bar that is no ratio of query times.
pub(super) struct Claim {
    pub(super) text: String,
    pub(super) state: TargetState,
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

/// Build times and memory; the result is what they claim.
pub(super) fn builds(records: &[Record], text: &mut String) -> Vec<Claim> {
    let built: Vec<&Record> = records.iter().filter(|r| r.question == "build").collect();
    let find = |engine: &str| built.iter().find(|r| r.engine == engine).copied();
    let time = |engine: &str| find(engine).and_then(|r| r.hot_ns);
    let Some(ours) = find(OURS) else {
        return Vec::new();
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
            number(cost(record)),
        );
    }
    let _ = writeln!(text);
    let claim = |text: String, holds: Option<bool>| Claim {
        text,
        state: holds.into(),
    };
    let mut claims = Vec::new();
    let is_full_size = ours.faces[0] >= 900_000;
    claims.push(claim(
        format!(
            "a million triangles built in under 1 s on two cores ({:.2} s for {})",
            ours.hot_ns.unwrap_or(f64::NAN) / 1e9,
            ours.faces[0]
        ),
        is_full_size.then_some(time(OURS).is_some_and(|ns| ns < 1e9)),
    ));
    let ratio = time(FCL).zip(time(OURS)).map(|(fcl, own)| fcl / own);
    claims.push(claim(
        format!(
            "built 4 times faster than FCL does ({})",
            times_faster(ratio)
        ),
        ratio.map(|x| x >= 4.0),
    ));
    let bytes = ours.answer.map(|bytes| bytes / ours.faces[0] as f64);
    claims.push(claim(
        format!(
            "at most 80 bytes per triangle ({:.1})",
            bytes.unwrap_or(f64::NAN)
        ),
        bytes.map(|x| x <= 80.0),
    ));
    // Like beside like: the preset for few questions beside a builder, the default beside a library that asks what it built.
    for (own, peer) in [(FAST_BUILD, "obvhs"), (OURS, "parry"), (OURS, "parry-f64")] {
        let both = find(own).zip(find(peer));
        let times = both.and_then(|(own, peer)| own.hot_ns.zip(peer.hot_ns));
        let costs = both.and_then(|(own, peer)| cost(own).zip(cost(peer)));
        let shown = |pair: Option<(f64, f64)>, unit: f64| {
            pair.map_or("-".to_owned(), |(own, peer)| {
                format!("{:.1} beside {:.1}", own / unit, peer / unit)
            })
        };
        claims.push(claim(
            format!(
                "{own}: built no slower than by {peer} ({} ms) at no higher cost ({})",
                shown(times, 1e6),
                shown(costs, 1.0)
            ),
            times
                .zip(costs)
                .map(|(time, cost)| time.0 <= time.1 && cost.0 <= cost.1),
        ));
    }
    claims
}

/// The cost of a tree, which travels in the place of a distance.
fn cost(record: &Record) -> Option<f64> {
    Some(record.gap).filter(|cost| cost.is_finite() && *cost > 0.0)
}

/// Whether any of many motions passed its first contact.
pub(super) fn motions(records: &[Record]) -> Option<Claim> {
    let checks = || records.iter().filter(|r| r.question == "impact-check");
    checks().next()?;
    let seen: f64 = checks().filter_map(|r| r.answer).sum();
    let missed: usize = checks().map(|r| r.pose).sum();
    Some(Claim {
        text: format!("no first contact passed in 10000 random motions ({missed} in {seen})"),
        state: if missed > 0 {
            TargetState::Missed
        } else if seen >= 1e4 {
            TargetState::Met
        } else {
            TargetState::NotMeasured
        },
    })
}

/// Whether every pair that judges was measured: bars on some of them are no bars.
pub(super) fn whole(records: &[Record]) -> Option<Claim> {
    let judging = Set::Judging.name();
    if !records.iter().any(|r| r.set == judging) {
        return None;
    }
    let list = List::read().ok()?;
    let listed: Vec<String> = list
        .pairs
        .iter()
        .filter(|pair| pair.set == Set::Judging)
        .map(ListedPair::name)
        .collect();
    let is_measured = |name: &&String| {
        let mut own = records.iter().filter(|r| r.pair == **name);
        own.any(|r| r.set == judging && r.engine == OURS && r.hot_ns.is_some())
    };
    let (measured, all) = (listed.iter().filter(is_measured).count(), listed.len());
    Some(Claim {
        text: format!("every judging pair measured ({measured} of {all})"),
        state: if measured == all {
            TargetState::Met
        } else {
            TargetState::NotMeasured
        },
    })
}

/// Who was wrong, and how often.
pub(super) fn answers(records: &[Record], text: &mut String) -> Claim {
    let asked = || {
        records
            .iter()
            .filter(|r| !["build", "impact-check"].contains(&r.question.as_str()))
    };
    let engines: BTreeSet<&str> = asked().map(|r| r.engine.as_str()).collect();
    let _ = writeln!(
        text,
        "{:<12} {:<10} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8} {:>8}",
        "answers",
        "version",
        "right",
        "excused",
        "(pairs)",
        "wrong",
        "timed out",
        "died",
        "skipped"
    );
    for engine in engines {
        let own: Vec<&Record> = asked().filter(|r| r.engine == engine).collect();
        let count = |verdict: &str| own.iter().filter(|r| r.verdict == verdict).count();
        let pairs: usize = own.iter().map(|r| r.excused_pairs).sum();
        let _ = writeln!(
            text,
            "{:<12} {:<10} {:>8} {:>8} {:>8} {:>8} {:>10} {:>8} {:>8}",
            engine,
            own.first().map_or("", |r| r.version.as_str()),
            count("right"),
            count("excused"),
            pairs,
            count("wrong"),
            count("timed-out"),
            count("died"),
            count("skipped"),
        );
    }
    let _ = writeln!(
        text,
        "Excused answers differ from the truth in nothing but pairs of faces within rounding of touching, counted here.\n"
    );
    // Ours have no excuse: they are judged on the coordinates that they define.
    let ours = || asked().filter(|r| is_ours(&r.engine));
    let failed = ours()
        .filter(|r| ["wrong", "excused", "died", "timed-out"].contains(&r.verdict.as_str()))
        .count();
    let all = ours().count();
    Claim {
        text: format!("no wrong answer of ours ({failed} in {all})"),
        state: Some(failed == 0).into(),
    }
}

/// Whether a name in a record is that of one of our engines.
pub(super) fn is_ours(engine: &str) -> bool {
    let name = engine.strip_prefix("impinge:").unwrap_or(engine);
    name == OURS || is_engine(name)
}
