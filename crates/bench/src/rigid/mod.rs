//! `impinge-bench run rigid`: the standard workload of rigid queries, with its bars.

mod build;
mod impact;
mod path;
mod record;
mod summary;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use impinge::bvh::wide::WideTree;

pub(crate) use record::{Record, latest, read};
pub(crate) use summary::{GROUPS, Times, others, ratio};

use crate::Bar;
use crate::engines::{Engine, FCL, JUDGE, OURS, present};
use crate::measure::{Bench, Effort, Question};
use crate::pair::engine_names;
use crate::poses::Sphere;
use workload::{Pair, pairs};

/// Gaps, and below 0 lengths pushed past touching, as parts of A's diagonal.
const LEVELS: [f64; 9] = [0.3, 0.2, 0.1, 0.05, 0.01, 0.0, -0.01, -0.05, -0.1];
const SEED: u64 = 1994;
/// From this many faces on there are half as many poses.
const LARGE: usize = 500_000;

/// Run a standard workload and print each bar, met or missed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    workload: Workload,
}

#[derive(Debug, clap::Subcommand)]
enum Workload {
    /// Two rigid meshes: any intersection, all pairs, distance, warm distance, time of impact, build
    Rigid(RigidArgs),
    Bodies(crate::bodies::Args),
}

#[derive(Debug, clap::Args)]
struct RigidArgs {
    /// Small meshes and few poses: a look in under three minutes, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only pairs whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Engines, as for `pair`; absent ones are named and left out
    #[arg(long, value_delimiter = ',', default_value = "all,obvhs")]
    engines: Vec<String>,
    /// Seconds that one engine may spend on one question of one pair before its other poses are skipped
    #[arg(long)]
    budget: Option<f64>,
    /// Folder for rigid.csv [default: records/DATE-MACHINE; nothing is written by --quick or --only]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

/// Everything that is chosen by `--quick`.
#[derive(Clone, Copy, Debug)]
struct Scale {
    quick: bool,
    effort: Effort,
    /// Random lines per pair, with a pose per level on each.
    lines: usize,
    path_steps: usize,
    path_chunk: usize,
    build_faces: usize,
    builds: usize,
    motions: usize,
    checked_motions: usize,
}

impl Scale {
    fn new(args: &RigidArgs) -> anyhow::Result<Self> {
        let quick = args.quick;
        let budget = args.budget.unwrap_or(if quick { 1.0 } else { 30.0 });
        Ok(Self {
            quick,
            effort: Effort {
                rounds: if quick { 2 } else { 5 },
                repeats: if quick { 4 } else { 8 },
                turn: Duration::from_millis(if quick { 2 } else { 10 }),
                budget: Duration::try_from_secs_f64(budget).context("--budget must be a time")?,
                cold: true,
            },
            lines: if quick { 1 } else { 8 },
            path_steps: if quick { 1_000 } else { 10_000 },
            path_chunk: if quick { 100 } else { 200 },
            build_faces: if quick { 100_000 } else { 1_000_000 },
            builds: if quick { 1 } else { 5 },
            motions: if quick { 1 } else { 8 },
            checked_motions: if quick { 100 } else { 10_000 },
        })
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let args = match &args.workload {
        Workload::Rigid(args) => args,
        Workload::Bodies(args) => return crate::bodies::run(args),
    };
    let scale = Scale::new(args)?;
    let start = Instant::now();
    let engines = present(&engine_names(&args.engines))?;
    let pairs: Vec<Pair> = pairs(scale.quick)
        .into_iter()
        .filter(|pair| {
            args.only
                .as_ref()
                .is_none_or(|only| pair.name.contains(only))
        })
        .collect();
    let mut records = Vec::new();
    for pair in &pairs {
        measure_pair(pair, &engines, &scale, &mut records)?;
    }
    if args.only.is_none() {
        path::measure(&pairs, &engines, &scale, &mut records)?;
        impact::measure(&engines, &scale, &mut records)?;
        build::measure(&engines, &scale, &mut records)?;
    }
    let report = summary::report(&records);
    println!("\n{}", report.text);
    println!("{:.0} s in all.", start.elapsed().as_secs_f64());
    let folder = match &args.records {
        Some(folder) => Some(folder.clone()),
        None if scale.quick || args.only.is_some() => None,
        None => Some(record::default_folder()),
    };
    if let Some(folder) = folder {
        record::write(&folder, &records, &report.text)?;
        println!("Records are in {}.", folder.display());
    }
    Ok(report.bar)
}

/// Engines that answer questions about two meshes, ours first.
fn answering(engines: &[Engine]) -> Vec<Engine> {
    let mut chosen: Vec<Engine> = engines
        .iter()
        .filter(|engine| ![JUDGE, "obvhs"].contains(&engine.name.as_str()))
        .cloned()
        .collect();
    chosen.sort_by_key(|engine| (engine.name != OURS, engine.name != FCL));
    chosen
}

fn measure_pair(
    pair: &Pair,
    engines: &[Engine],
    scale: &Scale,
    records: &mut Vec<Record>,
) -> anyhow::Result<()> {
    let (a, b) = pair.load()?;
    let faces = [a.face_count(), b.face_count()];
    eprintln!("{}: {} and {} faces", pair.name, faces[0], faces[1]);
    let [tree_a, tree_b] = [&a, &b].map(|mesh| WideTree::new(Arc::new(mesh.clone())));
    let mut sphere = Sphere::new(&tree_a, &tree_b);
    let large = faces[0].max(faces[1]) >= LARGE;
    let lines = if large {
        scale.lines.div_ceil(2)
    } else {
        scale.lines
    };
    let mut poses = sphere.poses(&LEVELS, lines, SEED)?;
    let diagonal = sphere.diagonal;
    poses.extend(pair.engaged_poses(diagonal, lines, SEED)?);

    let mut bench = Bench::start(a, b, &answering(engines), scale.effort)?;
    let questions = [Question::Intersects, Question::Pairs, Question::Distance];
    for (k, level) in poses.iter().enumerate() {
        let found = bench.measure(k, &level.pose, &questions)?;
        let gap = found.distance.map_or(f64::NAN, |d| d / diagonal);
        for row in found.rows {
            records.push(Record {
                pair: pair.name.clone(),
                class: pair.class.to_owned(),
                faces,
                level: level.level,
                intersects: found.intersects,
                gap,
                ..Record::from(row)
            });
        }
    }
    if !bench.is_judged() {
        eprintln!("  CGAL is absent: pairs were judged by impinge itself");
    }
    Ok(())
}
