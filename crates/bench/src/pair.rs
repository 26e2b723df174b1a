//! `impinge-bench pair`: two meshes, poses from a file, every engine side by side.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use impinge::bvh::wide::WideTree;
use impinge::io::{self, ReadOptions};
use impinge::math::Motion;
use impinge::{Pose, TriMesh, generate};

use crate::Bar;
use crate::arguments::at_least_one;
use crate::engines::{OURS, PEERS, present};
use crate::ground_truth::AnswerVerdict;
use crate::own_runners;
use crate::pair_measurement::{Bench, Effort, EngineRow, MeasuredQuery};
use crate::pair_summary;
use crate::pose_sampling::{self, SphereMethod};
use crate::runner::QUERY_LIMIT;
use crate::runner::SentMotion;

/// Measure two meshes, ours beside the peers
///
/// Without --poses, B is placed along random lines towards A: 10 %, 1 % and 0.1 % of A's diagonal away, and pushed in by 2 %.
///
/// Each engine is a program of its own, gets the same meshes and poses, and times itself. Engines
/// take turns within each round. Answers are compared with CGAL's (pairs, intersects) and with what all
/// double-precision engines agree on (distance), or brute force where they do not; a wrong answer is marked and has no time.
///
/// One row per engine, question and pose. With --json they are one array of
/// {"engine","question","pose","answer","median_ns","spread_ns","verdict","excused_pairs"}: answers to
/// yes-or-no questions are 1 and 0, no impact is null; the spread is between the quartiles; times are null
/// for answers that are wrong or missing. A query that is stopped counts as long as it was allowed.
///
/// Impact is when B first meets A on its way from each pose to the next (the last stays where
/// it is), or to the pose of the same number in --to. On the way the middle of B's box moves
/// straight and B turns about it, both at constant speed over time 0 to 1.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The fixed mesh: a file, or the name of a generated model with its faces, as in gear:20000
    a: String,
    /// The mesh that the poses place
    b: String,
    /// JSON array of 4×4 row-major placements of B in A's frame, each 16 numbers or 4 rows [default: found by --lines]
    #[arg(long, value_name = "FILE")]
    poses: Option<PathBuf>,
    /// Random lines along which B approaches A, four placements each, where there is no --poses
    #[arg(long, default_value_t = 3, conflicts_with = "poses", value_parser = at_least_one)]
    lines: usize,
    /// Where the motions end, as many poses as in --poses, or one for all
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Engines: impinge, any of ours by name (wide, kdop18, cut-tree, ...), fcl, coal, parry, parry-f64, bullet, ode,
    /// cgal, or all (impinge and the peers), or ours (each of ours), or NAME=PROGRAM for a runner of your own
    #[arg(long, value_delimiter = ',', default_value = "all")]
    engines: Vec<String>,
    /// Questions: intersects, pairs, distance, tolerance, impact
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "intersects,pairs,distance"
    )]
    questions: Vec<String>,
    /// The distance of `tolerance` [default: 1 % of A's diagonal]
    #[arg(long)]
    tolerance: Option<f64>,
    /// Rounds in which every engine has its turn
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Most repeats within a turn
    #[arg(long, default_value_t = 9)]
    repeats: usize,
    /// Seconds that one engine may spend on one question before its other poses are skipped
    #[arg(long, default_value_t = 60.0)]
    budget: f64,
    /// Seconds after which a query is stopped
    #[arg(long, default_value_t = QUERY_LIMIT.as_secs_f64())]
    limit: f64,
    /// Folder for pair.sheet.json and pair.csv, which `report --records FOLDER` shows
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let (a, b) = (mesh(&args.a)?, mesh(&args.b)?);
    let poses = match &args.poses {
        Some(file) => {
            let poses = pose_sampling::read(file)?;
            ensure!(!poses.is_empty(), "there is no pose in {}", file.display());
            poses
        }
        None => placements(&a, &b, args.lines)?,
    };
    let tolerance = args
        .tolerance
        .unwrap_or_else(|| 0.01 * a.bounds().diagonal().length());
    ensure!(
        tolerance.is_finite() && tolerance >= 0.0,
        "--tolerance must be a distance, not {tolerance}"
    );
    ensure!(args.rounds > 0, "--rounds must be at least 1");
    ensure!(args.repeats > 0, "--repeats must be at least 1");
    let questions: Vec<MeasuredQuery> = args
        .questions
        .iter()
        .map(|name| question(name, tolerance))
        .collect::<Result<_, _>>()?;
    let engines = present(&engine_names(&args.engines))?;
    let effort = Effort {
        rounds: args.rounds,
        repeats: args.repeats,
        turn: Duration::from_millis(20),
        budget: time("--budget", args.budget)?,
        limit: time("--limit", args.limit)?,
        cold: false,
    };
    let ends = ends(&poses, args.to.as_deref())?;
    let center = b.bounds().center();
    let mut bench = Bench::start(a, b, &engines, effort)?;
    if questions.contains(&MeasuredQuery::Impact) {
        for (start, end) in poses.iter().zip(&ends) {
            bench.add_motion(start, motion_between(start, end, center)?);
        }
    }
    let mut rows = Vec::new();
    for (k, pose) in poses.iter().enumerate() {
        rows.extend(bench.measure(k, pose, &questions)?.rows);
    }
    if args.json {
        println!("{}", json(&rows)?);
    } else {
        table(&rows);
        pair_summary::print(&rows);
        if !bench.is_judged() {
            println!("CGAL is absent: pairs were judged by our face sweep.");
        }
    }
    if let Some(folder) = &args.records {
        let [a, b] = [&args.a, &args.b].map(String::as_str);
        let path = pair_summary::write(folder, [a, b], &rows)?;
        eprintln!("The record is {}.", path.display());
    }
    let ours = rows.iter().filter(|row| row.is_ours);
    Ok(Bar::every(
        ours.map(|row| !OUR_FAILURES.contains(&row.verdict)),
    ))
}

/// Levels of placements that are found, in parts of A's diagonal.
const LEVELS: [f64; 4] = [0.1, 0.01, 0.001, -0.02];
const SEED: u64 = 11;

/// Placements of B beside and in A.
fn placements(a: &TriMesh, b: &TriMesh, lines: usize) -> anyhow::Result<Vec<Pose>> {
    let [a, b] = [a, b].map(|mesh| WideTree::new(Arc::new(mesh.clone())));
    let found = SphereMethod::new(&a, &b).poses(&LEVELS, lines, SEED)?;
    Ok(found.into_iter().map(|found| found.pose).collect())
}

/// So many seconds.
fn time(option: &str, seconds: f64) -> anyhow::Result<Duration> {
    let time = Duration::try_from_secs_f64(seconds).ok();
    time.filter(|time| !time.is_zero())
        .with_context(|| format!("{option} must be a time in seconds above 0, not {seconds}"))
}

/// What none of our engines may do. They have no excuse: what is exact is defined by our own pose.
const OUR_FAILURES: [AnswerVerdict; 3] = [
    AnswerVerdict::Wrong,
    AnswerVerdict::Excused,
    AnswerVerdict::Died,
];

/// Where each motion ends: at the next pose, or where the file says.
fn ends(poses: &[Pose], to: Option<&Path>) -> anyhow::Result<Vec<Pose>> {
    let Some(file) = to else {
        let next = poses.iter().skip(1).chain(poses.last());
        return Ok(next.copied().collect());
    };
    let ends = pose_sampling::read(file)?;
    match ends.as_slice() {
        [end] => Ok(vec![*end; poses.len()]),
        _ if ends.len() == poses.len() => Ok(ends),
        _ => anyhow::bail!(
            "{} has {} poses, but {} motions need an end",
            file.display(),
            ends.len(),
            poses.len()
        ),
    }
}

/// The motion between two poses whose centre moves on a straight line.
pub(crate) fn motion_between(
    start: &Pose,
    end: &Pose,
    center: impinge::DVec3,
) -> anyhow::Result<SentMotion> {
    let motion = Motion::between_about(start, end, center)?;
    let from = start.transform_point(center);
    Ok(SentMotion {
        pose: 0,
        velocity: (end.transform_point(center) - from).to_array(),
        turn: (motion.axis() * motion.angle()).to_array(),
        center: from.to_array(),
    })
}

/// A mesh from a file, or made by name: `gear`, or `gear:20000` for that many faces.
pub(crate) fn mesh(source: &str) -> anyhow::Result<TriMesh> {
    let (name, faces) = match source.split_once(':') {
        Some((name, faces)) => (name, Some(faces)),
        None => (source, None),
    };
    if let Some(model) = generate::model(name) {
        let count = |faces: &str| {
            let count = faces.parse().ok().filter(|count: &usize| *count > 0);
            count.with_context(|| format!("`{faces}` in `{source}` is no number of faces"))
        };
        return Ok(model.make(faces.map(count).transpose()?, 1)?);
    }
    let model = io::read(source, &ReadOptions::default()).with_context(|| {
        format!("`{source}` is neither a generated model nor a file that can be read")
    })?;
    Ok(model.merged().0)
}

/// The requested names, with `all` spelled out.
pub(crate) fn engine_names(names: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for name in names {
        if name == "all" {
            all.push(OURS.to_owned());
            // obvhs answers no question.
            let peers = PEERS.iter().map(|(peer, _)| (*peer).to_owned());
            all.extend(peers.filter(|peer| peer != "obvhs"));
        } else if name == "ours" {
            // The builder answers no question either.
            let names = own_runners::names().into_iter();
            all.extend(
                names
                    .filter(|name| *name != own_runners::FAST_BUILD)
                    .map(str::to_owned),
            );
        } else {
            all.push(name.clone());
        }
    }
    all
}

fn question(name: &str, tolerance: f64) -> anyhow::Result<MeasuredQuery> {
    Ok(match name {
        "intersects" => MeasuredQuery::Intersects,
        "pairs" => MeasuredQuery::Pairs,
        "distance" => MeasuredQuery::Distance,
        "tolerance" => MeasuredQuery::Tolerance(tolerance),
        "impact" => MeasuredQuery::Impact,
        _ => anyhow::bail!(
            "no question is called `{name}`; choose from: intersects, pairs, distance, tolerance, impact"
        ),
    })
}

fn json(rows: &[EngineRow]) -> anyhow::Result<String> {
    let rows: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| {
            serde_json::json!({
                "engine": row.engine,
                "question": row.question,
                "pose": row.pose,
                // Infinity is no JSON number: no impact and no distance are null.
                "answer": row.answer.filter(|x| x.is_finite()),
                "median_ns": row.median_ns,
                "spread_ns": row.spread_ns,
                "verdict": row.verdict.name(),
                "excused_pairs": row.excused_pairs,
            })
        })
        .collect();
    Ok(serde_json::to_string_pretty(&rows)?)
}

fn table(rows: &[EngineRow]) {
    println!(
        "{:<10} {:>4} {:<16} {:>22} {:>14} {:>12}  verdict",
        "question", "pose", "engine", "answer", "median us", "spread us"
    );
    let microseconds = |ns: Option<f64>| ns.map_or("-".to_owned(), |ns| format!("{:.2}", ns / 1e3));
    for row in rows
        .iter()
        .filter(|row| row.verdict != AnswerVerdict::Unsupported)
    {
        println!(
            "{:<10} {:>4} {:<16} {:>22} {:>14} {:>12}  {}",
            row.question,
            row.pose,
            row.engine,
            row.answer.map_or("-".to_owned(), |x| format!("{x}")),
            microseconds(row.median_ns),
            microseconds(row.spread_ns),
            row.verdict.name(),
        );
    }
}
