//! `impinge-bench run scenario-1`: two copies of a model at growing gaps, by every tree of ours.
//!
//! **Question.** Which tree wins on which class of models?
//! **Source.** The first scenario of Weller's benchmark: the time of one collision check of two copies of a model at a given
//! distance, mean over orientations. There the distance is given and the poses are searched for, as here.
//! **Limits.** One size per model. The default tree computes eight boxes at once, so its counts of work are
//! of another kind, and it is shown for reference only.

mod families;
mod plot;
mod record;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use impinge::bvh::engines::{MeshEngine, PreparedPair};
use impinge::bvh::wide::WideTree;
use impinge::query::{Count, Limits};
use impinge::{TriMesh, generate};
use impinge_study::engines::MESH_ENGINES;

pub(crate) use plot::plot;
pub(crate) use record::{TreeMeans, latest, read};

use crate::Bar;
use crate::folders::{create, home, target};
use crate::own_runners::DEFAULT;
use crate::pair_measurement::quantile;
use crate::pose_sampling::{LevelPose, SphereMethod};
use crate::rigid::{default_folder, fetched};

/// Gaps as parts of the model's diagonal.
const LEVELS: [f64; 6] = [0.3, 0.2, 0.1, 0.05, 0.01, 0.0];
const SEED: u64 = 2013;
/// Class, model, and whether it is a file.
const MODELS: [(&str, &str, bool); 8] = [
    ("smooth", "blob", false),
    ("spiky", "tetra-flake", false),
    ("CAD", "gear", false),
    ("sparse", "lattice", false),
    ("castle", "castle", false),
    ("knot", "torus-knot", false),
    ("pipes", "pipes", false),
    ("scan", "dragon-res4", true),
];
/// An engine whose first answer took this long, in nanoseconds, is queried once more only.
const SLOW: f64 = 2e7;

/// Two copies of each model at gaps of 0 to 30 %, for every tree; a picture says who wins where
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Small models and few poses, recorded and drawn below target/records only
    #[arg(long)]
    quick: bool,
    /// Faces of generated models [default: 20000, with --quick 2000]
    #[arg(long)]
    faces: Option<usize>,
    /// Random orientations per gap [default: 8, with --quick 2]
    #[arg(long)]
    lines: Option<usize>,
    /// Instead: lustre, grid, castle and chair in sizes of 1000 to 300 000 vertices, at 1 % distance by four trees, with the exponents of growth; about 10 minutes,
    /// with --quick half a minute
    #[arg(long)]
    families: bool,
    /// With --families: keep what scenario-families.csv in the folder has
    #[arg(long, requires = "families")]
    resume: bool,
    /// With --families: sizes that no longer fit are left to --resume
    #[arg(long, requires = "families")]
    minutes: Option<f64>,
    /// Folder for scenario-1.csv and .json [default: records/DATE-MACHINE]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Where the picture goes [default: docs/images/scenario-1.svg]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let faces = args
        .faces
        .unwrap_or(if args.quick { 2_000 } else { 20_000 });
    let lines = args.lines.unwrap_or(if args.quick { 2 } else { 8 });
    let rounds = if args.quick { 2 } else { 5 };
    let aside = target().join("records");
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if args.quick => aside.clone(),
        None => default_folder(),
    };
    if args.families {
        return families::run(&folder, args.quick, lines, args.resume, args.minutes);
    }
    let output = match &args.output {
        Some(file) => file.clone(),
        None if args.quick => aside.join("scenario-1.svg"),
        None => home().join("docs/images/scenario-1.svg"),
    };
    let start = Instant::now();
    let mut journal = record::RecordWriter::begin(&folder)?;
    let mut differing = 0;
    for (class, name, is_file) in MODELS {
        let Some(mesh) = load(name, is_file, faces)? else {
            eprintln!("absent: model {name} (`cargo xtask models` fetches it)");
            continue;
        };
        eprintln!(
            "[{:.0} s] {class}: two copies of {name}, {} faces",
            start.elapsed().as_secs_f64(),
            mesh.face_count()
        );
        let found = one(Arc::new(mesh), lines, rounds)?;
        differing += found.differing;
        for entry in found.entries {
            journal.push(TreeMeans {
                class: class.to_owned(),
                model: name.to_owned(),
                ..entry
            })?;
        }
    }
    let entries = journal.end()?;
    print!("{}", record::table(&entries));
    if let Some(folder) = output.parent() {
        create(folder)?;
    }
    std::fs::write(&output, plot(&entries)?)
        .with_context(|| format!("cannot write {}", output.display()))?;
    println!(
        "{:.0} s in all. Records are in {}, the picture is {}.",
        start.elapsed().as_secs_f64(),
        folder.display(),
        output.display()
    );
    let bar = Bar::none_wrong(differing as u64, entries.len() as u64);
    println!(
        "bar: every exact tree counts the same pairs ({differing} differ): {}",
        bar.word()
    );
    Ok(bar)
}

fn load(name: &'static str, is_file: bool, faces: usize) -> anyhow::Result<Option<TriMesh>> {
    if is_file {
        return fetched(name);
    }
    let model = generate::model(name).with_context(|| format!("no model {name}"))?;
    Ok(Some(model.make(Some(faces), 1)?))
}

/// What one model gave.
struct ModelResult {
    entries: Vec<TreeMeans>,
    /// Answers of exact engines that differ from the default engine's.
    differing: usize,
}

/// One engine on one model.
struct EngineQueries {
    engine: MeshEngine,
    pair: Box<dyn PreparedPair>,
    build_ns: f64,
}

fn one(mesh: Arc<TriMesh>, lines: usize, rounds: usize) -> anyhow::Result<ModelResult> {
    let tree = WideTree::new(mesh.clone());
    let poses = SphereMethod::new(&tree, &tree).poses(&LEVELS, lines, SEED)?;
    // What is no tree has no place among them.
    let engines = MESH_ENGINES
        .iter()
        .copied()
        .filter(|engine| is_tree(*engine));
    let mut asked: Vec<EngineQueries> = engines
        .map(|engine| {
            let start = Instant::now();
            let pair = engine.prepare(mesh.clone(), mesh.clone());
            EngineQueries {
                engine,
                pair,
                build_ns: start.elapsed().as_nanos() as f64,
            }
        })
        .collect();
    let mut found = ModelResult {
        entries: Vec::new(),
        differing: 0,
    };
    for level in LEVELS {
        let mut sums: Vec<TreeMeans> = asked
            .iter()
            .map(|asked| TreeMeans {
                faces: mesh.face_count(),
                level,
                engine: asked.engine.name().to_owned(),
                bytes: asked.pair.bytes(),
                build_ns: asked.build_ns,
                ..TreeMeans::default()
            })
            .collect();
        for pose in poses.iter().filter(|pose| pose.level == level) {
            found.differing += at(pose, &mut asked, &mut sums, rounds);
        }
        found.entries.extend(sums.into_iter().map(TreeMeans::mean));
    }
    Ok(found)
}

/// Asks every engine at one pose, in turns, and adds to its sums; returns how many exact ones differ.
fn at(
    pose: &LevelPose,
    asked: &mut [EngineQueries],
    sums: &mut [TreeMeans],
    rounds: usize,
) -> usize {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); asked.len()];
    let mut counts = vec![0; asked.len()];
    for round in 0..rounds {
        for (k, asked) in asked.iter_mut().enumerate() {
            if round > 0 && times[k].first().is_some_and(|ns| *ns > SLOW) {
                continue;
            }
            let (_, count) = ask(asked, pose);
            // The second time, since the others' trees were in the caches before.
            times[k].push(ask(asked, pose).0);
            counts[k] = count;
        }
    }
    let truth = asked
        .iter()
        .position(|asked| asked.engine.name() == DEFAULT)
        .map(|k| counts[k]);
    let mut differing = 0;
    for (k, asked) in asked.iter().enumerate() {
        sums[k].add(quantile(&times[k], 0.5).unwrap_or(0.0), asked.pair.work());
        if asked.engine.is_exact() && truth.is_some_and(|truth| truth != counts[k]) {
            eprintln!("{} counts {} pairs", asked.engine, counts[k]);
            differing += 1;
        }
    }
    differing
}

fn ask(asked: &mut EngineQueries, pose: &LevelPose) -> (f64, u64) {
    asked.pair.forget();
    let mut count = Count::default();
    let start = Instant::now();
    let _ = asked
        .pair
        .intersections(&pose.pose, Limits::default(), &mut count);
    (start.elapsed().as_nanos() as f64, count.0)
}

/// Whether an engine descends a tree.
fn is_tree(engine: MeshEngine) -> bool {
    !["face-sweep", "edge-polygon", "z-buffer"]
        .iter()
        .any(|name| engine.name().starts_with(name))
}
