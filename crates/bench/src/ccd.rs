//! Exact continuous tests on recorded queries: are all decided rightly, how fast, and beside Tight-Inclusion?
//!
//! The peer is `ipctk`, called from Python in a process of its own when it is installed (`IMPINGE_PYTHON` names the
//! interpreter); otherwise it is reported absent. Its times are net of an empty call: the least time of a query that ends at once.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use impinge::ccd::linear::{Crossing, DEFAULT_WIDTH, LinearTests, MovingPoint, Stage, Tally};
use impinge::math::Rng;
use impinge_testkit::generate::linear_motion::{MotionKind, moving};
use impinge_testkit::oracle::{Moving, edge_edge_contact, vertex_face_contact};
use impinge_testkit::recorded::{Frames, Query, files, frames, queries};

use crate::{Bar, Bars};

/// Published times have 25 digits, of which reading keeps 16.
const DECIMAL: f64 = 1e-15;
/// Queries of a measurement at least.
const LEAST_QUERIES: usize = 20_000;
/// Generated cases between two words on how far the judging is: it takes a millisecond for each.
const TELL_EVERY: usize = 50_000;
/// Bars, in nanoseconds for each query.
const NYU_NS: f64 = 1000.0;
const ROD_NS: f64 = 500.0;
const CANDIDATE_NS: f64 = 100.0;
/// How many times the peer's mean must be ours, on the NYU set.
const PEER_RATIO: f64 = 1000.0;

#[derive(Debug, clap::Args)]
/// Exact continuous tests on recorded queries, beside ipctk's
pub(crate) struct Args {
    /// Files of the NYU format, folders of such, or scenes of the scalable sample
    paths: Vec<PathBuf>,
    /// Print a JSON object for each set of queries, between the lines of the bars
    #[arg(long)]
    json: bool,
    /// Rounds; the median of them counts
    #[arg(long, default_value_t = 9)]
    rounds: usize,
    /// Generated cases to judge by rational root isolation
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
    for path in &args.paths {
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
struct Peer {
    asked: usize,
    false_negatives: usize,
    false_positives: usize,
    /// Mean, net of an empty call.
    nanoseconds: f64,
    empty: f64,
}

const SCRIPT: &str = r#"import sys, time, struct
import numpy as np
import ipctk
ccd = ipctk.TightInclusionCCD()
call = {0: ccd.point_triangle_ccd, 1: ccd.edge_edge_ccd}
raw = np.fromfile(sys.argv[1], dtype="<f8").reshape(-1, 25)
clock = time.perf_counter_ns
far = [np.array([float(i), 100.0 * (i % 4 > 0), 0.0]) for i in range(8)]
empty = {}
for kind in (0, 1):
    least = 10**12
    for _ in range(2000):
        t = clock(); call[kind](*far); least = min(least, clock() - t)
    empty[kind] = least
for row in raw:
    kind = int(row[24])
    p = [np.ascontiguousarray(row[3 * i:3 * i + 3]) for i in range(8)]
    t = clock(); hit, _ = call[kind](*p); t = clock() - t
    print(int(hit), t, empty[kind])
"#;

/// The peer's answers, none when it is not installed.
fn peer(set: &Set, stride: usize) -> anyhow::Result<Option<Peer>> {
    let python = std::env::var_os("IMPINGE_PYTHON").unwrap_or_else(|| "python3".into());
    let installed = Command::new(&python)
        .args(["-c", "import ipctk, numpy"])
        .output();
    if stride == 0 || !installed.is_ok_and(|out| out.status.success()) {
        return Ok(None);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/ccd-peer");
    std::fs::create_dir_all(&folder)?;
    let (script, input) = (folder.join("ask.py"), folder.join("queries.bin"));
    std::fs::write(&script, SCRIPT)?;
    let asked: Vec<&Query> = set.queries.iter().step_by(stride).collect();
    let mut bytes = Vec::new();
    for query in &asked {
        let coordinates = query.points.iter().flatten().flat_map(|p| p.to_array());
        for x in coordinates.chain([f64::from(u8::from(query.is_edges))]) {
            bytes.extend_from_slice(&x.to_le_bytes());
        }
    }
    std::fs::write(&input, bytes)?;
    let out = Command::new(&python).arg(&script).arg(&input).output()?;
    let text = String::from_utf8_lossy(&out.stdout);
    let mut peer = Peer {
        asked: 0,
        false_negatives: 0,
        false_positives: 0,
        nanoseconds: 0.0,
        empty: 0.0,
    };
    for (query, line) in asked.iter().zip(text.lines()) {
        let mut fields = line
            .split_whitespace()
            .filter_map(|f| f.parse::<f64>().ok());
        let (Some(hit), Some(time), Some(empty)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        peer.asked += 1;
        peer.false_negatives += usize::from(query.is_hit && hit == 0.0);
        peer.false_positives += usize::from(!query.is_hit && hit > 0.0);
        peer.nanoseconds += time - empty;
        peer.empty = empty;
    }
    peer.nanoseconds /= peer.asked.max(1) as f64;
    Ok((peer.asked > 0).then_some(peer))
}

/// Generated cases judged by rational root isolation; how many were wrong.
fn wrong_of(cases: usize) -> anyhow::Result<usize> {
    let mut rng = Rng::new(2025);
    let mut tests = LinearTests::default();
    let mut wrong = 0;
    for case in 0..cases {
        if case > 0 && case.is_multiple_of(TELL_EVERY) {
            eprintln!("{case} of {cases} generated cases judged, {wrong} wrong");
        }
        let is_edges = case % 2 == 1;
        let kind = MotionKind::ALL[case / 2 % MotionKind::ALL.len()];
        let case = moving(kind, is_edges, &mut rng);
        let truth = if is_edges {
            edge_edge_contact(&case)
        } else {
            vertex_face_contact(&case)
        };
        let found = ask(&mut tests, points(&case)?, is_edges);
        let is_right = match (&found, &truth) {
            (None, None) => true,
            (Some(found), Some(truth)) => truth.is_within(found.lower, found.upper),
            _ => false,
        };
        wrong += usize::from(!is_right);
    }
    Ok(wrong)
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
            Bar::of(widest <= DEFAULT_WIDTH && outside == 0),
            format!("brackets at most {widest:.1e} wide, {outside} published times outside"),
        );
    }
    for (set, ours) in &nyu {
        match peer(set, args.peer_stride)? {
            None => bars.say(
                Bar::Open,
                format!(
                    "{} {PEER_RATIO} times below ipctk, which is absent or not asked",
                    set.name
                ),
            ),
            Some(peer) => {
                let ratio = peer.nanoseconds / ours.nanoseconds;
                println!(
                    "ipctk, {}: {} queries, {} FN, {} FP, {:.0} ns net of an empty call of {:.0} ns",
                    set.name,
                    peer.asked,
                    peer.false_negatives,
                    peer.false_positives,
                    peer.nanoseconds,
                    peer.empty
                );
                bars.say(
                    Bar::at_least(ratio, PEER_RATIO),
                    format!(
                        "{} {ratio:.0} times below ipctk, at least {PEER_RATIO}",
                        set.name
                    ),
                );
            }
        }
    }
    if args.truth > 0 {
        let wrong = wrong_of(args.truth)?;
        bars.say(
            Bar::of(wrong == 0),
            format!("{wrong} of {} generated cases wrong", args.truth),
        );
    }
    Ok(bars.end())
}
