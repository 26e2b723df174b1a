//! `impinge-bench run volume`: balls in solids, with their bars.

mod accuracy;
mod distance;
mod feasibility;
mod forces;
mod known_packings;
mod model_split;
mod packing_time;
mod plot;
mod scaling;
mod scene;
mod shallow;
mod sphere_trees;
mod time_critical;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use impinge::TriMesh;
use impinge::bvh::wide::WideTree;
use impinge::mesh::repair::{drop_degenerate, weld};

use crate::rigid::fetched;
use crate::{Bar, Bars};

/// Which part to run.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Few balls and few models: a look in a minute, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only these parts: truths, feasible, growth, trees, distance, accuracy, shallow, critical, forces; and scaling, which runs only when named here: up to
    /// 800 000 spheres beside Voxmap-PointShell, about 60 minutes
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    only: Vec<String>,
    /// Only models whose name contains this
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Balls per model [default: what each bar names; with --quick 5000]
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// What the whole run may take: models and poses that no longer fit are named and left out
    #[arg(long)]
    minutes: Option<f64>,
    /// Keep what earlier runs of the part scaling left in the folder
    #[arg(long)]
    resume: bool,
    /// Folder for the tables and pictures
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// When to stop, set at the start.
    #[arg(skip)]
    end: Option<Instant>,
}

/// The parts, in the order in which they run.
type VolumePart = (&'static str, fn(&Args) -> anyhow::Result<Bar>);
const PARTS: [VolumePart; 9] = [
    ("truths", |_| known_packings::run()),
    ("trees", sphere_trees::run),
    ("accuracy", accuracy::run),
    ("shallow", shallow::run),
    ("critical", time_critical::run),
    ("forces", forces::run),
    ("distance", distance::run),
    ("growth", packing_time::run),
    ("feasible", feasibility::run),
];

/// Parts that take longer than all others, and run only when they are named.
const LONG_PARTS: [VolumePart; 1] = [("scaling", scaling::run)];

impl Args {
    fn wants_model(&self, name: &str) -> bool {
        let model = self.model.as_ref();
        model.is_none_or(|wanted| name.contains(wanted.as_str()))
    }

    /// How many balls, where a bar requires so many.
    fn balls(&self, asked: usize) -> usize {
        let quick = if self.quick { asked.min(5_000) } else { asked };
        self.count.unwrap_or(quick)
    }

    /// Whether a bar that requires so many balls is measured with as many, and with all else that it requires.
    fn is_full(&self, asked: usize) -> bool {
        !self.quick && self.balls(asked) == asked
    }

    /// Whether the time is up.
    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() > end)
    }

    /// The file of this name among tables and pictures.
    fn file(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = match &self.records {
            Some(folder) => folder.clone(),
            None => crate::engines::target().join("records"),
        };
        crate::folders::create(&folder)?;
        Ok(folder.join(name))
    }

    /// Writes a table or a picture.
    fn save(&self, name: &str, text: &str) -> anyhow::Result<()> {
        let path = self.file(name)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("wrote {}", path.display());
        Ok(())
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut args = args.clone();
    if let Some(minutes) = args.minutes {
        let time =
            Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
        args.end = Some(Instant::now() + time);
    }
    let parts = || PARTS.iter().chain(&LONG_PARTS);
    let known = |wanted: &String| parts().any(|part| part.0 == wanted);
    if let Some(wanted) = args.only.iter().find(|wanted| !known(wanted)) {
        anyhow::bail!("there is no part {wanted}");
    }
    let mut bars = Bars::default();
    for &(name, part) in parts() {
        let is_long = LONG_PARTS.iter().any(|long| long.0 == name);
        let is_named = args.only.iter().any(|wanted| wanted == name);
        if !is_named && (is_long || !args.only.is_empty()) {
            continue;
        }
        if args.is_over() {
            println!("## {name}");
            bars.count(open(&format!("{name}: the time is up")));
            continue;
        }
        bars.count(part(&args)?);
    }
    Ok(bars.end())
}

/// All bars together.
fn all(bars: &[Bar]) -> Bar {
    Bar::together(bars.iter().copied())
}

/// Prints a bar on a figure: open unless it was measured at the size that the bar requires.
fn sized(what: &str, bar: Bar, is_full: bool) -> Bar {
    if is_full {
        told(what, bar)
    } else {
        told(&format!("{what} (not at its full size)"), Bar::Open)
    }
}

/// Prints a bar on what must never happen: a smaller run can show that it is missed, but not that it is met.
fn held(what: &str, bar: Bar, is_full: bool) -> Bar {
    if is_full {
        told(what, bar)
    } else {
        told(
            &format!("{what} (not at its full size)"),
            bar.and(Bar::Open),
        )
    }
}

/// Prints a bar and gives it back.
fn told(what: &str, bar: Bar) -> Bar {
    println!("bar: {what}: {}", bar.word());
    bar
}

/// Prints that nothing was measured, and why.
fn open(why: &str) -> Bar {
    told(&format!("{why}, nothing measured"), Bar::Open)
}

/// The model of bars on large meshes: the largest real one that is closed, once vertices in the
/// same place are one. Its faces are as they were scanned; a small model cut finer would have as
/// many, and none of the work that they make.
const LARGE: &str = "dragon";
const LARGE_FACES: usize = 871_306;
/// What a look takes in its place.
const QUICK: &str = "armadillo";

/// A fetched model as it is.
fn model(name: &'static str) -> anyhow::Result<Option<WideTree>> {
    Ok(read(name)?.map(|mesh| WideTree::new(Arc::new(mesh))))
}

/// A fetched model, vertices in the same place joined and faces that collapse dropped: scans are
/// closed only then.
fn joined(name: &'static str) -> anyhow::Result<Option<WideTree>> {
    let Some(mesh) = read(name)? else {
        return Ok(None);
    };
    let mesh = drop_degenerate(&weld(&mesh, 0.0)?.mesh).mesh;
    Ok(Some(WideTree::new(Arc::new(mesh))))
}

fn read(name: &'static str) -> anyhow::Result<Option<TriMesh>> {
    let mesh = fetched(name)?;
    if mesh.is_none() {
        eprintln!("absent: model {name} (`cargo xtask models` fetches it)");
    }
    Ok(mesh)
}
