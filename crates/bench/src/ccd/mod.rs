//! Exact continuous tests on recorded queries: correctness, time, and a comparison with
//! Tight-Inclusion.
//!
//! The peer is `ipctk`, called by a script in a process of its own when `cargo xtask peers` has installed it; otherwise it is reported absent. Its
//! times are net of an empty call: the least time of a query that ends at once.

mod candidates;
mod measure_set;
mod peer;
mod recorded_sets;
mod truth;

use std::path::PathBuf;

use crate::{Bar, Bars};
use candidates::measure_candidates;
use measure_set::{measure, report};
use peer::{PEER_RATIO, peer, peer_bar};
use recorded_sets::{ASKED, load};
use truth::{FULL_TRUTH, judge};

/// Every bracket of an impact must be as narrow as this.
const WIDTH: f64 = 1.0 / (1_u32 << 20) as f64;
/// Bars, in nanoseconds for each query.
const NYU_NS: f64 = 1000.0;
const ROD_NS: f64 = 500.0;
const CANDIDATE_NS: f64 = 100.0;

#[derive(Debug, clap::Args)]
/// Exact continuous tests on recorded queries, beside ipctk's
pub(crate) struct Args {
    /// Files of the NYU format, folders of such, or scenes of the scalable sample [default: all of the recorded data that is there]
    paths: Vec<PathBuf>,
    /// Print a JSON object for each set of queries and for each answer of the peer, between the lines of the bars
    #[arg(long)]
    json: bool,
    /// Rounds; the median of them counts
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Generated cases to judge by rational root isolation, on all cores; the bar is about a million
    #[arg(long, default_value_t = 0)]
    truth: usize,
    /// Ask the peer every so many queries; 0 for never
    #[arg(long, default_value_t = 1)]
    peer_stride: usize,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let (sets, scenes) = load(args)?;
    if !args.json {
        println!(
            "set                     queries   hits   FN   FP        mean   axis / cubic / whole / halved / root / exact, %"
        );
    }
    let mut bars = Bars::default();
    let (mut errors, mut outside, mut widest) = (0, 0, 0.0_f64);
    let mut nyu = Vec::new();
    for set in &sets {
        let m = measure(set, args.rounds)?;
        report(args, &set.name, set.queries.len(), &m);
        errors += m.decided.false_negatives + m.decided.false_positives;
        outside += m.outside;
        widest = widest.max(m.widest);
        if set.name.starts_with("NYU") {
            bars.say(
                Bar::at_most(m.nanoseconds, NYU_NS),
                format!("{} {:.0} ns ≤ {NYU_NS} ns", set.name, m.nanoseconds),
            );
            nyu.push((set, m));
        } else if set.name.starts_with("rod-twist") {
            bars.say(
                Bar::at_most(m.nanoseconds, ROD_NS),
                format!("{} {:.0} ns ≤ {ROD_NS} ns", set.name, m.nanoseconds),
            );
        }
    }
    for (name, frames) in &scenes {
        for (kind, is_edges) in [("vf", false), ("ee", true)] {
            let (count, m) = measure_candidates(frames, is_edges, args.rounds)?;
            let name = format!("{name} all {kind}");
            report(args, &name, count, &m);
            let measured = |is_there: bool, bar: Bar| if is_there { bar } else { Bar::Open };
            bars.say(
                measured(count > 0, Bar::at_most(m.nanoseconds, CANDIDATE_NS)),
                format!("{name} {:.0} ns ≤ {CANDIDATE_NS} ns", m.nanoseconds),
            );
            let recorded = if is_edges {
                &frames.edge_edge
            } else {
                &frames.vertex_face
            };
            let truth = recorded.iter().filter(|q| q.is_hit).count();
            bars.say(
                measured(!recorded.is_empty(), Bar::of(m.decided.hits == truth)),
                format!("{name}: {} hits of {truth}", m.decided.hits),
            );
        }
    }
    if !sets.is_empty() {
        bars.say(Bar::of(errors == 0), format!("{errors} wrong answers"));
        bars.say(
            Bar::of(widest <= WIDTH && outside == 0),
            format!("brackets at most {widest:.1e} wide, {outside} published times outside"),
        );
    }
    for what in ASKED {
        if !sets.iter().any(|set| set.name == what) {
            bars.say(Bar::Open, format!("{what} queries, which are absent"));
        }
    }
    for (set, ours) in &nyu {
        match peer(set, args.peer_stride)? {
            None => {
                if args.peer_stride > 0 {
                    eprintln!("absent: ipctk (`cargo xtask peers` installs it)");
                }
                bars.say(
                    Bar::Open,
                    format!(
                        "{} {PEER_RATIO} times below ipctk, which is absent or not asked",
                        set.name
                    ),
                );
            }
            Some(peer) => {
                let ratio = peer.nanoseconds / ours.nanoseconds;
                peer.report(args, &set.name);
                bars.say(
                    peer_bar(ratio, &peer, args.peer_stride),
                    format!(
                        "{} {ratio:.0} times below ipctk over {} of {} queries, at least {PEER_RATIO}",
                        set.name,
                        peer.answered,
                        set.queries.len()
                    ),
                );
            }
        }
    }
    if args.truth > 0 {
        let threads = crate::thread_cpu_time::cores();
        let judged = judge(args.truth, threads)?;
        let bar = match Bar::none_wrong(judged.wrong as u64, args.truth as u64) {
            Bar::Met if args.truth < FULL_TRUTH => Bar::Open,
            bar => bar,
        };
        bars.say(
            bar,
            format!(
                "{} of {} generated cases wrong, {} of them hits, asked 0 of {FULL_TRUTH}",
                judged.wrong, args.truth, judged.hits
            ),
        );
    } else {
        bars.say(
            Bar::Open,
            format!("generated cases, of which none were judged, asked 0 wrong of {FULL_TRUTH} (--truth {FULL_TRUTH})"),
        );
    }
    Ok(bars.end())
}
