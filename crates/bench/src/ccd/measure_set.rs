//! How many queries of a set are decided rightly, and how fast.

use std::hint::black_box;
use std::time::Instant;

use impinge::ccd::linear::{FirstContact, LinearTests, MovingPoint, Stage, StageCounts};
use impinge_testkit::oracle::Moving;

use super::Args;
use super::recorded_sets::RecordedSet;
use crate::sample_statistics::median;

/// Published times have 25 digits, of which reading keeps 16.
const DECIMAL: f64 = 1e-15;
/// Queries of a measurement at least.
const LEAST_QUERIES: usize = 20_000;

/// How many queries were hits, and how many were decided wrongly.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Decided {
    pub(super) hits: usize,
    pub(super) false_negatives: usize,
    pub(super) false_positives: usize,
}

impl Decided {
    pub(super) fn count(&mut self, is_hit: bool, is_found: bool) {
        self.hits += usize::from(is_found);
        self.false_negatives += usize::from(is_hit && !is_found);
        self.false_positives += usize::from(!is_hit && is_found);
    }
}

/// What was found about a set, and how fast.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) decided: Decided,
    pub(super) outside: usize,
    pub(super) widest: f64,
    pub(super) nanoseconds: f64,
    pub(super) tally: StageCounts,
}

pub(super) type Points = [MovingPoint; 4];

pub(super) fn points(moving: &Moving) -> anyhow::Result<Points> {
    let [start, end] = moving;
    let point = |i: usize| MovingPoint::new(start[i], end[i]);
    Ok([point(0)?, point(1)?, point(2)?, point(3)?])
}

#[inline]
pub(super) fn ask(
    tests: &mut LinearTests,
    [a, b, c, d]: Points,
    is_edges: bool,
) -> Option<FirstContact> {
    if is_edges {
        tests.edge_edge([a, b], [c, d])
    } else {
        tests.vertex_face(a, [b, c, d])
    }
}

pub(super) fn measure(set: &RecordedSet, rounds: usize) -> anyhow::Result<Measured> {
    let asked: Vec<(Points, bool)> = set
        .queries
        .iter()
        .map(|q| Ok((points(&q.points)?, q.is_edges)))
        .collect::<anyhow::Result<_>>()?;
    let mut tests = LinearTests::default();
    let mut measured = Measured::default();
    for (&(p, is_edges), query) in asked.iter().zip(&set.queries) {
        let found = ask(&mut tests, p, is_edges);
        measured.decided.count(query.is_hit, found.is_some());
        if let Some(found) = found {
            measured.widest = measured.widest.max(found.upper - found.lower);
            let is_outside = |t: f64| t < found.lower - DECIMAL || t > found.upper + DECIMAL;
            measured.outside += usize::from(query.time.is_some_and(is_outside));
        }
    }
    measured.tally = tests.tally();
    let repeats = LEAST_QUERIES.div_ceil(asked.len().max(1));
    let times = (0..rounds.max(1)).map(|_| {
        let start = Instant::now();
        for _ in 0..repeats {
            for &(p, is_edges) in &asked {
                black_box(ask(&mut tests, black_box(p), is_edges));
            }
        }
        start.elapsed().as_secs_f64() * 1e9 / (repeats * asked.len().max(1)) as f64
    });
    measured.nanoseconds = median(times.collect::<Vec<_>>());
    Ok(measured)
}

fn shares(tally: &StageCounts) -> String {
    let total = tally.total().max(1) as f64;
    Stage::ALL
        .map(|stage| format!("{:.1}", 100.0 * tally.of(stage) as f64 / total))
        .join(" / ")
}

pub(super) fn report(args: &Args, name: &str, count: usize, m: &Measured) {
    let Decided {
        hits,
        false_negatives,
        false_positives,
    } = m.decided;
    if args.json {
        println!(
            "{}",
            serde_json::json!({
                "set": name, "queries": count, "hits": hits,
                "false_negatives": false_negatives, "false_positives": false_positives,
                "published_times_outside": m.outside, "widest": m.widest,
                "nanoseconds": m.nanoseconds,
                "stages": Stage::ALL.map(|s| m.tally.of(s)),
            })
        );
    } else {
        println!(
            "{name:<22} {count:>8} {hits:>6} {false_negatives:>4} {false_positives:>4} {:>9.1} ns   {}",
            m.nanoseconds,
            shares(&m.tally)
        );
    }
}
