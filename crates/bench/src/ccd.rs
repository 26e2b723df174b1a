//! Exact continuous tests on recorded queries: are all decided rightly, how fast, and beside Tight-Inclusion?
//!
//! The peer is `ipctk`, asked by a script in a process of its own when `cargo xtask peers` has installed it; otherwise it is reported absent. Its
//! times are net of an empty call: the least time of a query that ends at once.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::Context;
use impinge::ccd::linear::{Crossing, LinearTests, MovingPoint, Stage, Tally};
use impinge::math::Rng;
use impinge_testkit::generate::linear_motion::{MotionKind, moving};
use impinge_testkit::oracle::{Moving, edge_edge_contact, vertex_face_contact};
use impinge_testkit::recorded::{Frames, Query, files, folder, frames, queries};

use crate::engines::{script_runner, target};
use crate::{Bar, Bars};

/// Published times have 25 digits, of which reading keeps 16.
const DECIMAL: f64 = 1e-15;
/// Queries of a measurement at least.
const LEAST_QUERIES: usize = 20_000;
/// Generated cases between two words on how far the judging is: it takes a millisecond for each.
const TELL_EVERY: usize = 50_000;
/// Generated cases with a seed of their own, so that threads can take them in any order.
const CHUNK: usize = 1000;
/// Every bracket of an impact must be as narrow as this.
const WIDTH: f64 = 1.0 / (1_u32 << 20) as f64;
/// Generated cases that the bar is about.
const FULL_TRUTH: usize = 1_000_000;
/// Recorded data that is looked at when no paths are given, beside the folder that holds it.
const RECORDED: [&str; 3] = [
    "ccd-nyu-sample-queries",
    "ccd-scalable-sample/rod-twist",
    "ccd-scalable-sample/cloth-funnel",
];
/// Times a peer that died is started again, after the query it died at.
const RESTARTS: usize = 20;
/// Bars, in nanoseconds for each query.
const NYU_NS: f64 = 1000.0;
const ROD_NS: f64 = 500.0;
const CANDIDATE_NS: f64 = 100.0;
/// How many times the peer's mean must be ours, on the NYU set.
const PEER_RATIO: f64 = 1000.0;

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

/// A set of queries with what was found.
struct Set {
    name: String,
    queries: Vec<Query>,
}

struct Measured {
    hits: usize,
    false_negatives: usize,
    false_positives: usize,
    outside: usize,
    widest: f64,
    nanoseconds: f64,
    tally: Tally,
}

type Points = [MovingPoint; 4];

fn points(moving: &Moving) -> anyhow::Result<Points> {
    let [start, end] = moving;
    let point = |i: usize| MovingPoint::new(start[i], end[i]);
    Ok([point(0)?, point(1)?, point(2)?, point(3)?])
}

#[inline]
fn ask(tests: &mut LinearTests, [a, b, c, d]: Points, is_edges: bool) -> Option<Crossing> {
    if is_edges {
        tests.edge_edge([a, b], [c, d])
    } else {
        tests.vertex_face(a, [b, c, d])
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn measure(set: &Set, rounds: usize) -> anyhow::Result<Measured> {
    let asked: Vec<(Points, bool)> = set
        .queries
        .iter()
        .map(|q| Ok((points(&q.points)?, q.is_edges)))
        .collect::<anyhow::Result<_>>()?;
    let mut tests = LinearTests::default();
    let mut measured = Measured {
        hits: 0,
        false_negatives: 0,
        false_positives: 0,
        outside: 0,
        widest: 0.0,
        nanoseconds: 0.0,
        tally: Tally::default(),
    };
    for (&(p, is_edges), query) in asked.iter().zip(&set.queries) {
        let found = ask(&mut tests, p, is_edges);
        measured.hits += usize::from(found.is_some());
        measured.false_negatives += usize::from(query.is_hit && found.is_none());
        measured.false_positives += usize::from(!query.is_hit && found.is_some());
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
    measured.nanoseconds = median(times.collect());
    Ok(measured)
}

fn shares(tally: &Tally) -> String {
    let total = tally.total().max(1) as f64;
    Stage::ALL
        .map(|stage| format!("{:.1}", 100.0 * tally.of(stage) as f64 / total))
        .join(" / ")
}

fn report(args: &Args, name: &str, count: usize, m: &Measured) {
    if args.json {
        println!(
            "{}",
            serde_json::json!({
                "set": name, "queries": count, "hits": m.hits,
                "false_negatives": m.false_negatives, "false_positives": m.false_positives,
                "published_times_outside": m.outside, "widest": m.widest,
                "nanoseconds": m.nanoseconds,
                "stages": Stage::ALL.map(|s| m.tally.of(s)),
            })
        );
    } else {
        println!(
            "{name:<22} {count:>8} {:>6} {:>4} {:>4} {:>9.1} ns   {}",
            m.hits,
            m.false_negatives,
            m.false_positives,
            m.nanoseconds,
            shares(&m.tally)
        );
    }
}

fn is_scene(path: &Path) -> bool {
    path.join("frames").is_dir()
}

/// A scene of two frames, by name.
type Scene = (String, Frames);

fn load(args: &Args) -> anyhow::Result<(Vec<Set>, Vec<Scene>)> {
    let mut sets: Vec<Set> = ["NYU vertex-face", "NYU edge-edge"]
        .map(|name| Set {
            name: name.to_owned(),
            queries: Vec::new(),
        })
        .into();
    let mut scenes = Vec::new();
    let recorded = || {
        let data = folder(Path::new(env!("CARGO_MANIFEST_DIR")))?;
        Some(RECORDED.map(|name| data.join(name)).into_iter())
    };
    let paths: Vec<PathBuf> = if args.paths.is_empty() {
        let all = recorded().into_iter().flatten();
        all.filter(|path| path.is_dir()).collect()
    } else {
        args.paths.clone()
    };
    for path in &paths {
        if is_scene(path) {
            let name = path
                .file_name()
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default();
            let read = frames(path).with_context(|| path.display().to_string())?;
            scenes.push((name, read));
            continue;
        }
        let found = if path.is_dir() {
            files(path, ".csv")?
        } else {
            vec![path.clone()]
        };
        for file in found {
            for query in queries(&file).with_context(|| file.display().to_string())? {
                sets[usize::from(query.is_edges)].queries.push(query);
            }
        }
    }
    sets.retain(|set| !set.queries.is_empty());
    for (name, frames) in &scenes {
        for (kind, list) in [("vf", &frames.vertex_face), ("ee", &frames.edge_edge)] {
            sets.push(Set {
                name: format!("{name} {kind}"),
                queries: list.clone(),
            });
        }
    }
    Ok((sets, scenes))
}

/// Pairs whose swept boxes overlap and that share no vertex, by a sweep along `x`.
fn candidates(frames: &Frames, is_edges: bool) -> Vec<[u32; 4]> {
    let swept = |ids: &[usize]| {
        let mut places = frames
            .places
            .iter()
            .flat_map(|all| ids.iter().map(move |&i| all[i]));
        let first = places.next().unwrap_or_default();
        places.fold((first, first), |(low, high), p| (low.min(p), high.max(p)))
    };
    let firsts: Vec<Vec<usize>> = if is_edges {
        frames.edges.iter().map(|e| e.to_vec()).collect()
    } else {
        (0..frames.places[0].len()).map(|v| vec![v]).collect()
    };
    let seconds: Vec<Vec<usize>> = if is_edges {
        firsts.clone()
    } else {
        frames.faces.iter().map(|f| f.to_vec()).collect()
    };
    let boxes_a: Vec<_> = firsts.iter().map(|ids| swept(ids)).collect();
    let boxes_b: Vec<_> = seconds.iter().map(|ids| swept(ids)).collect();
    let mut order: Vec<usize> = (0..seconds.len()).collect();
    order.sort_by(|&i, &j| boxes_b[i].0.x.total_cmp(&boxes_b[j].0.x));
    let widest = boxes_b.iter().map(|b| b.1.x - b.0.x).fold(0.0, f64::max);
    let mut found = Vec::new();
    for (i, a) in boxes_a.iter().enumerate() {
        let from = order.partition_point(|&j| boxes_b[j].0.x < a.0.x - widest);
        for &j in &order[from..] {
            let b = &boxes_b[j];
            if b.0.x > a.1.x {
                break;
            }
            let is_near = a.0.cmple(b.1).all() && b.0.cmple(a.1).all();
            if (is_edges && j <= i) || !is_near || firsts[i].iter().any(|v| seconds[j].contains(v))
            {
                continue;
            }
            let mut ids = firsts[i].iter().chain(&seconds[j]).map(|&v| v as u32);
            found.push(std::array::from_fn(|_| ids.next().unwrap_or(0)));
        }
    }
    found
}

fn measure_candidates(
    frames: &Frames,
    is_edges: bool,
    rounds: usize,
) -> anyhow::Result<(usize, Measured)> {
    let found = candidates(frames, is_edges);
    let moving: Vec<MovingPoint> = frames.places[0]
        .iter()
        .zip(&frames.places[1])
        .map(|(&start, &end)| MovingPoint::new(start, end))
        .collect::<Result<_, _>>()?;
    let mut tests = LinearTests::default();
    let mut hits = 0;
    let mut times = Vec::new();
    let mut tally = Tally::default();
    for round in 0..rounds.max(1) {
        let start = Instant::now();
        hits = 0;
        for ids in &found {
            let p = ids.map(|id| moving[id as usize]);
            hits += usize::from(ask(&mut tests, p, is_edges).is_some());
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / found.len().max(1) as f64);
        if round == 0 {
            tally = tests.tally();
        }
    }
    let measured = Measured {
        hits,
        false_negatives: 0,
        false_positives: 0,
        outside: 0,
        widest: 0.0,
        nanoseconds: median(times),
        tally,
    };
    Ok((found.len(), measured))
}

/// What the peer said about a set.
#[derive(Debug, Default, PartialEq)]
struct Peer {
    asked: usize,
    answered: usize,
    hits: usize,
    false_negatives: usize,
    false_positives: usize,
    /// Mean over what was answered, net of an empty call.
    nanoseconds: f64,
    empty: f64,
    /// How it ended when it did not end well.
    trouble: Option<String>,
}

impl Peer {
    fn report(&self, args: &Args, set: &str) {
        if args.json {
            println!(
                "{}",
                serde_json::json!({
                    "set": set, "peer": "ipctk", "queries": self.asked, "answered": self.answered, "hits": self.hits,
                    "false_negatives": self.false_negatives, "false_positives": self.false_positives,
                    "nanoseconds": self.nanoseconds, "empty_call_nanoseconds": self.empty, "trouble": self.trouble,
                })
            );
            return;
        }
        println!(
            "ipctk, {set}: {} of {} queries answered, {} hits, {} FN, {} FP, {:.0} ns net of an empty call of {:.0} ns{}",
            self.answered,
            self.asked,
            self.hits,
            self.false_negatives,
            self.false_positives,
            self.nanoseconds,
            self.empty,
            self.trouble
                .as_ref()
                .map_or(String::new(), |t| format!("; {t}"))
        );
    }
}

/// The peer's answers, none when it is not there.
fn peer(set: &Set, stride: usize) -> anyhow::Result<Option<Peer>> {
    if stride == 0 || script_runner("ipctk").is_none() {
        return Ok(None);
    }
    let folder = target().join("ccd-peer");
    std::fs::create_dir_all(&folder)?;
    let input = folder.join("queries.bin");
    let asked: Vec<&Query> = set.queries.iter().step_by(stride).collect();
    let mut bytes = Vec::new();
    for query in &asked {
        let coordinates = query.points.iter().flatten().flat_map(|p| p.to_array());
        for x in coordinates.chain([f64::from(u8::from(query.is_edges))]) {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
    }
    std::fs::write(&input, bytes)?;
    let start = |first: usize| {
        let mut command = script_runner("ipctk")?;
        command.arg("queries").arg(&input).arg(first.to_string());
        Some(command)
    };
    ask_peer(&asked, start).map(Some)
}

/// Asks about all queries. A query at which the peer dies is not answered, and it is started again after it.
fn ask_peer(asked: &[&Query], start: impl Fn(usize) -> Option<Command>) -> anyhow::Result<Peer> {
    let mut peer = Peer {
        asked: asked.len(),
        ..Peer::default()
    };
    let (mut next, mut died) = (0, 0);
    while next < asked.len() {
        let Some(mut command) = start(next) else {
            break;
        };
        let out = command.output()?;
        let text = String::from_utf8_lossy(&out.stdout);
        for (query, line) in asked[next..].iter().zip(text.lines()) {
            next += 1;
            let mut fields = line
                .split_whitespace()
                .filter_map(|f| f.parse::<f64>().ok());
            let (Some(hit), Some(time), Some(empty)) =
                (fields.next(), fields.next(), fields.next())
            else {
                peer.trouble = Some(format!("it said `{line}` about query {}", next - 1));
                continue;
            };
            peer.answered += 1;
            peer.hits += usize::from(hit > 0.0);
            peer.false_negatives += usize::from(query.is_hit && hit == 0.0);
            peer.false_positives += usize::from(!query.is_hit && hit > 0.0);
            peer.nanoseconds += time - empty;
            peer.empty = empty;
        }
        if next < asked.len() || !out.status.success() {
            let errors = String::from_utf8_lossy(&out.stderr);
            peer.trouble = Some(format!(
                "it ended with {} at query {next}: {}",
                out.status,
                errors.lines().last().unwrap_or("without a word")
            ));
            died += 1;
            if died > RESTARTS || peer.answered == 0 {
                break;
            }
            next += 1;
        }
    }
    peer.nanoseconds /= peer.answered.max(1) as f64;
    Ok(peer)
}

/// The bar beside the peer: open when it has not answered all that it was asked, or was not asked all.
fn peer_bar(ratio: f64, peer: &Peer, stride: usize) -> Bar {
    match Bar::at_least(ratio, PEER_RATIO) {
        Bar::Met if peer.answered < peer.asked || stride != 1 => Bar::Open,
        _ if peer.answered == 0 => Bar::Open,
        bar => bar,
    }
}

/// What judging generated cases gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Judged {
    wrong: usize,
    hits: usize,
}

/// Whether what was found is the truth: the same verdict, and a narrow bracket that holds the exact time.
fn is_right(found: Option<Crossing>, holds: Option<impl Fn(f64, f64) -> bool>) -> bool {
    match (found, holds) {
        (None, None) => true,
        (Some(found), Some(holds)) => {
            found.upper - found.lower <= WIDTH && holds(found.lower, found.upper)
        }
        _ => false,
    }
}

/// Judges one chunk of generated cases by rational root isolation.
fn judge_chunk(chunk: usize, cases: usize) -> anyhow::Result<Judged> {
    // The stream of each chunk begins far from the others'.
    let mut rng = Rng::new(Rng::new(2025 + chunk as u64).next_u64());
    let mut tests = LinearTests::default();
    let mut judged = Judged::default();
    for case in CHUNK * chunk..cases.min(CHUNK * (chunk + 1)) {
        let is_edges = case % 2 == 1;
        let kind = MotionKind::ALL[case / 2 % MotionKind::ALL.len()];
        let case = moving(kind, is_edges, &mut rng);
        let truth = if is_edges {
            edge_edge_contact(&case)
        } else {
            vertex_face_contact(&case)
        };
        judged.hits += usize::from(truth.is_some());
        let found = ask(&mut tests, points(&case)?, is_edges);
        let holds = truth.map(|truth| move |lower, upper| truth.is_within(lower, upper));
        judged.wrong += usize::from(!is_right(found, holds));
    }
    Ok(judged)
}

/// Judges generated cases on so many threads; the cases and what comes out are the same for any number of them.
fn judge(cases: usize, threads: usize) -> anyhow::Result<Judged> {
    let chunks = cases.div_ceil(CHUNK);
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<Judged> {
        let mut sum = Judged::default();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return Ok(sum);
            }
            let one = judge_chunk(chunk, cases)?;
            sum.wrong += one.wrong;
            sum.hits += one.hits;
            let done = CHUNK * chunk;
            if done > 0 && done.is_multiple_of(TELL_EVERY) {
                eprintln!("about {done} of {cases} generated cases judged");
            }
        }
    };
    let mut all = Judged::default();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let running: Vec<_> = (0..threads.clamp(1, chunks.max(1)))
            .map(|_| scope.spawn(work))
            .collect();
        for thread in running {
            let one = match thread.join() {
                Ok(judged) => judged?,
                Err(_) => anyhow::bail!("judging panicked"),
            };
            all.wrong += one.wrong;
            all.hits += one.hits;
        }
        Ok(())
    })?;
    Ok(all)
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
        errors += m.false_negatives + m.false_positives;
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
            bars.say(
                Bar::at_most(m.nanoseconds, CANDIDATE_NS),
                format!("{name} {:.0} ns ≤ {CANDIDATE_NS} ns", m.nanoseconds),
            );
            let recorded = if is_edges {
                &frames.edge_edge
            } else {
                &frames.vertex_face
            };
            let truth = recorded.iter().filter(|q| q.is_hit).count();
            bars.say(
                Bar::of(m.hits == truth),
                format!("{name}: {} hits of {truth}", m.hits),
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
    for (what, is_there) in [
        ("NYU", !nyu.is_empty()),
        (
            "rod-twist",
            scenes.iter().any(|(name, _)| name == "rod-twist"),
        ),
    ] {
        if !is_there {
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
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
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
    }
    Ok(bars.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_cases_are_the_same_for_any_number_of_threads() {
        let one = judge(2500, 1).unwrap();
        assert_eq!(one.wrong, 0);
        assert!(one.hits > 100 && one.hits < 2400);
        assert_eq!(judge(2500, 3).unwrap(), one);
    }

    #[test]
    fn a_wide_bracket_is_wrong_though_it_holds_the_time() {
        let crossing = |lower: f64, upper: f64| Some(Crossing { lower, upper });
        let holds = Some(|lower: f64, upper: f64| lower <= 0.5 && 0.5 <= upper);
        assert!(is_right(crossing(0.5, 0.5 + 0.5 * WIDTH), holds));
        assert!(!is_right(crossing(0.0, 1.0), holds));
        assert!(!is_right(crossing(0.6, 0.6), holds));
        assert!(!is_right(None, holds));
        assert!(is_right(None, None::<fn(f64, f64) -> bool>));
    }

    /// A vertex that falls through a face.
    fn fall() -> Query {
        use impinge::DVec3;
        let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let from = DVec3::new(0.25, 0.25, 1.0);
        let to = DVec3::new(0.25, 0.25, -1.0);
        Query {
            points: [
                [from, face[0], face[1], face[2]],
                [to, face[0], face[1], face[2]],
            ],
            is_edges: false,
            is_hit: true,
            time: Some(0.5),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_peer_that_dies_leaves_its_bar_open() {
        let query = fall();
        let asked = [&query; 4];
        let shell = |script: String| {
            let mut command = Command::new("sh");
            command.args(["-c", &script]);
            Some(command)
        };
        let line = "echo 1 3000 1000;";
        let whole = ask_peer(&asked, |first| shell(line.repeat(4 - first))).unwrap();
        assert_eq!(
            (whole.answered, whole.hits, whole.trouble.as_ref()),
            (4, 4, None)
        );
        assert_eq!((whole.nanoseconds, whole.empty), (2000.0, 1000.0));
        assert_eq!(peer_bar(2000.0, &whole, 1), Bar::Met);
        assert_eq!(peer_bar(2000.0, &whole, 2), Bar::Open);
        assert_eq!(peer_bar(10.0, &whole, 1), Bar::Missed);
        // It answers two, dies at the third, and answers the fourth when it is started again.
        let dying = ask_peer(&asked, |first| {
            shell(if first == 0 {
                format!("{}exit 7", line.repeat(2))
            } else {
                line.repeat(4 - first)
            })
        })
        .unwrap();
        assert_eq!((dying.asked, dying.answered), (4, 3));
        assert!(dying.trouble.as_ref().unwrap().contains("query 2"));
        assert_eq!(peer_bar(2000.0, &dying, 1), Bar::Open);
        let mute = ask_peer(&asked, |_| shell("exit 1".to_owned())).unwrap();
        assert_eq!(mute.answered, 0);
        assert_eq!(peer_bar(f64::NAN, &mute, 1), Bar::Open);
    }
}
