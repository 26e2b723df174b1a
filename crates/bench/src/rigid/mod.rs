//! `impinge-bench run rigid`: the standard workload of rigid queries, with its bars.

mod build;
mod claims;
mod coherent_path;
mod impact;
mod pair_list;
mod record;
mod record_writer;
mod summary;
mod workload;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use impinge::bvh::wide::WideTree;

pub(crate) use pair_list::Set;
pub(crate) use record::{Record, date, default_folder, earlier_folder, latest, processor, read};
pub(crate) use summary::{GROUPS, HotCold, others, ratio};
pub(crate) use workload::fetched;

use crate::Bar;
use crate::engines::{Engine, FCL, JUDGE, OURS, present, target};
use crate::own_runners::FAST_BUILD;
use crate::pair::engine_names;
use crate::pair_measurement::{Bench, Effort, MeasuredQuery};
use crate::pose_sampling::SphereMethod;
use crate::runner::QUERY_LIMIT;
use crate::scenario;
use pair_list::{LIST_FILE, List, PLACEMENTS_FILE, Placements};
use record_writer::{Clock, RecordWriter, TimeShare};
use workload::{MeshPair, pairs};

/// Gaps, and below 0 lengths pushed past touching, as parts of A's diagonal.
const LEVELS: [f64; 9] = [0.3, 0.2, 0.1, 0.05, 0.01, 0.0, -0.01, -0.05, -0.1];
const SEED: u64 = 1994;

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
    /// Which tree wins on which class of models, over all of ours
    #[command(name = "scenario-1")]
    Scenario(scenario::Args),
    /// Many boxes: pairs found by broad phases
    #[command(name = "broad-phase", alias = "bodies")]
    BroadPhase(crate::broad_phase::Args),
    /// Balls in solids: packings, their truths, feasibility and speed; trees of balls
    Volume(crate::volume::Args),
    /// Deforming scenes: engines against brute force, clusters, times, peers
    Deform(crate::deform::Args),
    /// Deforming scenes on graphics cards: equality, counters, modelled times, scaling
    Gpu(crate::gpu::Args),
    All(crate::suite::Args),
    /// Clouds against clouds: differences to exact meshes, times, leaf tests, sample sizes, budgets, confidence
    Clouds(crate::clouds::CollideArgs),
    Performance(crate::performance::Args),
    /// Forces and torques beside formulas: exact volume, depth, inner spheres, voxmap and pointshell
    Quality(crate::quality::Args),
    Haptics(crate::haptics::Args),
    /// Probabilistic trees: errors and times beside exact ones
    #[command(name = "average-case", alias = "average")]
    AverageCase(crate::average_case::Args),
    /// How the work of a search grows: predicted and measured
    #[command(name = "cost-model", alias = "model")]
    CostModel(crate::average_case::ModelArgs),
}

#[derive(Debug, clap::Args)]
struct RigidArgs {
    /// Which pairs: those that judge, those to tune on, those made by formulas, or all; only judging ones enter a bar
    #[arg(long, value_enum, default_value = "judging")]
    set: SetChoice,
    /// Small meshes and few poses: a look in under five minutes, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only pairs whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Engines, as for `pair`; absent ones are named and left out
    #[arg(long, value_delimiter = ',', default_value = "all,fast-build,obvhs")]
    engines: Vec<String>,
    /// What the whole run may take; each part gets its share, with as many poses as fit [default: 60, with --quick 4]
    #[arg(long)]
    minutes: Option<f64>,
    /// Folder for rigid.csv [default: records/DATE-MACHINE, with --quick, --only or another --set target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Go on with a run that was stopped, from the records it left in its folder: whole pairs are kept, the last one is measured again
    #[arg(long)]
    resume: bool,
    /// Print the table of these records, also of a run that was stopped, and measure nothing
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Find the listed placements anew from the seed and compare them with those in the repository, or write them; measures nothing
    #[arg(long, value_enum, value_name = "HOW")]
    place: Option<Place>,
}

/// Which pairs are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SetChoice {
    Judging,
    Tuning,
    Generated,
    All,
}

impl SetChoice {
    fn holds(self, set: Set) -> bool {
        match self {
            Self::Judging => set == Set::Judging,
            Self::Tuning => set == Set::Tuning,
            Self::Generated => set == Set::Generated,
            Self::All => true,
        }
    }
}

/// What is done with placements that were found anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Place {
    Check,
    Write,
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
    fn new(quick: bool) -> Self {
        Self {
            quick,
            effort: Effort {
                rounds: if quick { 2 } else { 5 },
                repeats: if quick { 4 } else { 8 },
                turn: Duration::from_millis(if quick { 2 } else { 10 }),
                budget: Duration::ZERO,
                limit: QUERY_LIMIT,
                cold: true,
            },
            lines: if quick { 1 } else { 8 },
            path_steps: if quick { 1_000 } else { coherent_path::STEPS },
            path_chunk: if quick { 100 } else { 200 },
            build_faces: if quick { 100_000 } else { 1_000_000 },
            builds: if quick { 1 } else { 5 },
            motions: if quick { 1 } else { 8 },
            checked_motions: if quick { 300 } else { 10_000 },
        }
    }

    /// The effort for a part in which about so many times a peer may be slow.
    fn effort(&self, part: &TimeShare, slow: f64) -> Effort {
        Effort {
            budget: part
                .time
                .mul_f64(1.0 / slow)
                .max(Duration::from_millis(300)),
            ..self.effort
        }
    }
}

/// Questions and peers of a pair that may use up what time they are given.
const SLOW_ON_PAIRS: f64 = 14.0;
const SLOW_ON_PATHS: f64 = 5.0;
const SLOW_ON_IMPACT: f64 = 3.0;
/// How much of a run's time a part gets, a pair of ordinary size being 1.
const LARGE_WEIGHT: f64 = 2.0;
const PATH_WEIGHT: f64 = 0.3;
const IMPACT_WEIGHT: f64 = 1.5;
const BUILD_WEIGHT: f64 = 2.0;

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    match &args.workload {
        Workload::Rigid(args) => rigid(args),
        Workload::Scenario(args) => scenario::run(args),
        Workload::BroadPhase(args) => crate::broad_phase::run(args),
        Workload::Volume(args) => crate::volume::run(args),
        Workload::Deform(args) => crate::deform::run(args),
        Workload::Gpu(args) => crate::gpu::run(args),
        Workload::All(args) => crate::suite::run(args),
        Workload::Clouds(args) => crate::clouds::run_collide(args),
        Workload::Performance(args) => crate::performance::run(args),
        Workload::Quality(args) => crate::quality::run(args),
        Workload::Haptics(args) => crate::haptics::run(args),
        Workload::AverageCase(args) => crate::average_case::run(args),
        Workload::CostModel(args) => crate::average_case::run_model(args),
    }
}

/// The bars of these records, as they are written to `rigid.json`.
pub(crate) fn bars(records: &[Record]) -> Vec<serde_json::Value> {
    summary::report(records).bars
}

fn rigid(args: &RigidArgs) -> anyhow::Result<Bar> {
    if let Some(file) = &args.from {
        let report = summary::report(&read(file)?);
        println!("{}", report.text);
        return Ok(report.bar);
    }
    if let Some(how) = args.place {
        return place(how);
    }
    let scale = Scale::new(args.quick);
    let minutes = args.minutes.unwrap_or(if args.quick { 4.0 } else { 60.0 });
    let total = Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
    let engines = present(&engine_names(&args.engines))?;
    let is_wanted = |pair: &MeshPair| {
        args.only
            .as_ref()
            .is_none_or(|only| pair.name.contains(only))
    };
    let mut pairs = pairs(args.set, scale.quick)?;
    pairs.retain(is_wanted);
    ensure!(
        !pairs.is_empty(),
        "there is no pair to measure: `cargo xtask models` fetches the models, and `--set generated` needs none"
    );
    let is_whole = args.only.is_none();
    let mut weights: f64 = pairs.iter().map(pair_weight).sum();
    if is_whole {
        weights += PATH_WEIGHT * coherent_path::walked(&pairs).count() as f64
            + IMPACT_WEIGHT * impact::MODELS.len() as f64
            + BUILD_WEIGHT;
    }
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if scale.quick || !is_whole || args.set != SetChoice::Judging => {
            target().join("records")
        }
        None => default_folder(),
    };
    let kept = if args.resume {
        record_writer::kept(&folder)?
    } else {
        Vec::new()
    };
    let is_kept = |pair: &MeshPair| kept.iter().any(|record| record.pair == pair.name);
    let mut clock = Clock::new(total, weights);
    for pair in pairs.iter().filter(|pair| is_kept(pair)) {
        clock.skip(pair_weight(pair), total);
    }
    let mut journal = RecordWriter::begin(&folder, clock)?;
    for record in &kept {
        journal.push(record.clone())?;
    }
    for pair in pairs.iter().filter(|pair| !is_kept(pair)) {
        let part = journal.part(pair_weight(pair));
        measure_pair(pair, &engines, &scale, part, &mut journal)?;
    }
    if is_whole {
        coherent_path::measure(&pairs, &engines, &scale, &mut journal)?;
        impact::measure(&engines, &scale, &mut journal)?;
        build::measure(&engines, &scale, &mut journal)?;
    }
    let report = summary::report(&journal.records);
    println!("\n{}", report.text);
    println!("{:.0} s in all.", clock.elapsed().as_secs_f64());
    record::write(&folder, &journal.records, &report)?;
    journal.end()?;
    println!("Records are in {}.", folder.display());
    Ok(report.bar)
}

/// Finds all listed placements and paths anew, and compares or writes them.
fn place(how: Place) -> anyhow::Result<Bar> {
    let (mut list, mut placements) = workload::place(coherent_path::checksum)?;
    let kept = (List::read()?, Placements::read()?);
    if placements.agree_with(&kept.1) {
        // What was listed first stays, although a distance may have changed in its last bits since.
        placements = kept.1.clone();
        for (found, listed) in list.pairs.iter_mut().zip(&kept.0.pairs) {
            found.placements.clone_from(&listed.placements);
        }
    }
    let (list, placements) = (list.text()?, placements.text(&list));
    let folder = crate::folders::root().join("crates/bench");
    match how {
        Place::Write => {
            for (file, text) in [(LIST_FILE, &list), (PLACEMENTS_FILE, &placements)] {
                let path = folder.join(file);
                std::fs::write(&path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                println!("{} bytes in {file}", text.len());
            }
            Ok(Bar::Met)
        }
        Place::Check => {
            let is_same = kept.0.text()? == list && kept.1.text(&kept.0) == placements;
            let bar = Bar::of(is_same);
            println!(
                "bar: the listed placements and paths follow from the seed: {}",
                bar.word()
            );
            Ok(bar)
        }
    }
}

fn pair_weight(pair: &MeshPair) -> f64 {
    if pair.is_large() { LARGE_WEIGHT } else { 1.0 }
}

/// Engines that answer questions about two meshes, ours first.
fn answering(engines: &[Engine]) -> Vec<Engine> {
    let mut chosen: Vec<Engine> = engines
        .iter()
        .filter(|engine| ![JUDGE, "obvhs", FAST_BUILD].contains(&engine.name.as_str()))
        .cloned()
        .collect();
    chosen.sort_by_key(|engine| (engine.name != OURS, engine.name != FCL));
    chosen
}

fn measure_pair(
    pair: &MeshPair,
    engines: &[Engine],
    scale: &Scale,
    part: TimeShare,
    journal: &mut RecordWriter,
) -> anyhow::Result<()> {
    let (a, b) = pair.load()?;
    let faces = [a.face_count(), b.face_count()];
    let [tree_a, tree_b] = [&a, &b].map(|mesh| WideTree::new(Arc::new(mesh.clone())));
    let sphere = SphereMethod::new(&tree_a, &tree_b);
    let diagonal = sphere.diagonal;
    let mut poses = pair.poses(sphere, scale.lines)?;
    // First, because a run that is short of time ends before the last poses.
    poses.splice(0..0, pair.engaged_poses(diagonal, scale.lines, SEED)?);
    let engaged = poses.len() - scale.lines * LEVELS.len();

    let effort = scale.effort(&part, SLOW_ON_PAIRS);
    let mut bench = Bench::start(a, b, &answering(engines), effort)?;
    let questions = [
        MeasuredQuery::Intersects,
        MeasuredQuery::Pairs,
        MeasuredQuery::Distance,
    ];
    for (k, level) in poses.iter().enumerate() {
        // Whole lines, so that every level has as many poses as any other.
        let is_line_end = k >= engaged && (k - engaged).is_multiple_of(LEVELS.len());
        if (part.is_over() && is_line_end && k > engaged) || (part.is_long_over() && k > 0) {
            break;
        }
        journal.progress(&pair.name, k, poses.len());
        let found = bench.measure(k, &level.pose, &questions)?;
        let gap = found.distance.map_or(f64::NAN, |d| d / diagonal);
        for row in found.rows {
            journal.push(Record {
                pair: pair.name.clone(),
                set: pair.set.name().to_owned(),
                class: pair.class.clone(),
                faces,
                level: level.level,
                intersects: found.intersects,
                gap,
                ..Record::from(row)
            })?;
        }
    }
    journal.progress(&pair.name, poses.len(), poses.len());
    if !bench.is_judged() {
        eprintln!("  CGAL is absent: pairs were judged by our face sweep");
    }
    Ok(())
}
