//! `impinge-bench run bodies`: many boxes, frame by frame, beside the broad phases of others.

mod cage;
mod published;
mod runner;
mod scene;

use std::path::Path;

use anyhow::Context;

use crate::{Bar, Bars};
use runner::{Measured, Runner, program};
use scene::Scene;

/// What is asked of ours beside the fastest other, on one thread.
const FASTER: f64 = 2.0;
/// What two threads are asked to add.
const TWO_THREADS: f64 = 1.6;
/// Engines of each program of runners; ours first.
const ENGINES: [(&str, &[&str]); 3] = [
    (
        "boxes-rs",
        &[
            "impinge",
            "parry",
            "parry-optimized",
            "parry-rebuilt",
            "rstar",
        ],
    ),
    ("boxes-cpp", &["bullet-dbvt", "bullet", "fcl-tree"]),
    ("rapier", &["rapier"]),
];

/// Many boxes: first build, then frames in which all move, beside other broad phases; published ratios
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Ten thousand boxes and few frames: a look, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only this part
    #[arg(long, value_enum)]
    only: Option<Part>,
}

/// A part of the workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Boxes that all move, beside other broad phases
    Boxes,
    /// Ratios that theses published
    Published,
    /// From a hundred boxes to a million
    Growth,
    /// A thousand tumbling meshes, beside rapier
    Cage,
}

/// What became of a bar, and what it is.
type Verdict = (Bar, String);

/// What one engine took.
#[derive(Clone, Debug)]
struct Result {
    engine: String,
    build_ms: f64,
    frame_ms: f64,
    pairs: Vec<u64>,
    /// Held for each body after all frames, where the engine tells it.
    bytes_per_body: Option<f64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let mut bars = Bars::default();
    let folder = std::env::temp_dir();
    let count = if args.quick { 10_000 } else { 100_000 };
    let (rounds, frames) = if args.quick { (2, 10) } else { (5, 25) };
    let wants = |part| args.only.is_none_or(|only| only == part);
    let scenes = if wants(Part::Boxes) {
        vec![Scene::fifth(count), Scene::dense(count)]
    } else {
        Vec::new()
    };
    for scene in scenes {
        let results = measure(&scene, &folder, rounds, frames)?;
        print(&scene.name, &results);
        let of = |name: &str| results.iter().find(|r| r.engine == name);
        let Some(ours) = of("impinge") else {
            bars.say(
                Bar::Open,
                format_args!(
                    "{}: not measured, `cargo xtask peers boxes-rs` builds the runner",
                    scene.name
                ),
            );
            continue;
        };
        let two = of("impinge, 2 threads");
        let truth = scene.pairs(frames);
        // A wrong answer has no time.
        let peers: Vec<_> = results
            .iter()
            .filter(|r| !r.engine.starts_with("impinge") && r.pairs == truth)
            .collect();
        let least =
            |f: fn(&Result) -> f64| peers.iter().map(|r| f(r)).fold(f64::INFINITY, f64::min);
        if peers.is_empty() {
            bars.say(
                Bar::Open,
                format_args!(
                    "{}: build and frame beside the fastest other: none is there and right",
                    scene.name
                ),
            );
        } else {
            let build = least(|r| r.build_ms) / ours.build_ms;
            let frame = least(|r| r.frame_ms) / ours.frame_ms;
            for (what, times) in [("build", build), ("frame", frame)] {
                bars.say(
                    Bar::at_least(times, FASTER),
                    format_args!(
                        "{}: {what} {times:.2}x the fastest other, asked {FASTER}x",
                        scene.name
                    ),
                );
            }
        }
        if let Some(two) = two {
            let (build, frame) = (ours.build_ms / two.build_ms, ours.frame_ms / two.frame_ms);
            bars.say(
                Bar::at_least(build, TWO_THREADS),
                format_args!(
                    "{}: build on two threads {build:.2}x, asked {TWO_THREADS}x",
                    scene.name
                ),
            );
            bars.say(
                Bar::at_least(frame, TWO_THREADS),
                format_args!(
                    "{}: frame on two threads {frame:.2}x, asked {TWO_THREADS}x",
                    scene.name
                ),
            );
        }
        for r in &results {
            let differ = |(right, its): &(&u64, &u64)| right != its;
            if let Some((right, its)) = truth.iter().zip(&r.pairs).find(differ) {
                println!(
                    "{}: {} finds {its} pairs where there are {right}",
                    scene.name, r.engine
                );
            }
        }
        let mine = results.iter().filter(|r| r.engine.starts_with("impinge"));
        bars.say(
            Bar::every(mine.map(|r| r.pairs == truth)),
            format_args!(
                "{}: as many pairs as a plain sweep in every frame",
                scene.name
            ),
        );
    }
    if wants(Part::Published) {
        for (bar, text) in published::ratios(args.quick)? {
            bars.say(bar, text);
        }
    }
    if wants(Part::Cage) {
        for (bar, text) in cage::run(args.quick, &folder)? {
            bars.say(bar, text);
        }
    }
    let sizes: &[usize] = if args.quick {
        &[100, 1000, 10_000]
    } else {
        &[100, 1000, 10_000, 100_000, 1_000_000]
    };
    if wants(Part::Growth)
        && let Some(most) = sizes.last()
    {
        published::growth(sizes)?;
        // Growth fails when two methods differ.
        bars.say(
            Bar::Met,
            format_args!("{most} boxes finish, with equal numbers of pairs"),
        );
    }
    Ok(bars.end())
}

/// Every engine in turn, several rounds, so that a busy machine is busy for all.
fn measure(
    scene: &Scene,
    folder: &Path,
    rounds: usize,
    frames: usize,
) -> anyhow::Result<Vec<Result>> {
    let path = folder.join(format!("impinge-boxes-{}.bin", std::process::id()));
    scene.write(&path, frames)?;
    let mut engines = Vec::new();
    for (name, list) in ENGINES {
        let Some(program) = program(name) else {
            println!("absent: {name}");
            continue;
        };
        for &engine in list {
            engines.push((program.clone(), engine, 1));
            if engine == "impinge" {
                engines.push((program.clone(), engine, 2));
            }
        }
    }
    let mut builds = vec![Vec::new(); engines.len()];
    let mut steps = vec![Vec::new(); engines.len()];
    let mut pairs = vec![Vec::new(); engines.len()];
    let mut bytes = vec![None; engines.len()];
    for _ in 0..rounds {
        for (i, (program, engine, threads)) in engines.iter().enumerate() {
            let mut runner = Runner::start(program, engine, &path, *threads)?;
            let (ms, found): Measured = runner.build()?;
            builds[i].push(ms);
            pairs[i] = vec![found];
            let mut sum = 0.0;
            for k in 1..frames {
                let (ms, found) = runner.frame(k)?;
                sum += ms;
                pairs[i].push(found);
            }
            bytes[i] = runner.bytes()?;
            // Frames differ in kind, so that their mean counts and not their median.
            steps[i].push(sum / (frames - 1) as f64);
        }
    }
    std::fs::remove_file(&path).with_context(|| format!("cannot remove {path:?}"))?;
    let result = |(i, (_, engine, threads)): (usize, &(_, &str, usize))| Result {
        engine: if *threads > 1 {
            format!("{engine}, {threads} threads")
        } else {
            (*engine).to_owned()
        },
        build_ms: median(&mut builds[i]),
        frame_ms: median(&mut steps[i]),
        pairs: pairs[i].clone(),
        bytes_per_body: bytes[i].map(|bytes| bytes as f64 / scene.len() as f64),
    };
    Ok(engines.iter().enumerate().map(result).collect())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn print(name: &str, results: &[Result]) {
    println!(
        "\n{name}\n{:<22} {:>10} {:>10} {:>10} {:>10}",
        "engine", "build ms", "frame ms", "pairs", "bytes/body"
    );
    for r in results {
        let pairs = r.pairs.first().copied().unwrap_or_default();
        println!(
            "{:<22} {:>10.2} {:>10.2} {pairs:>10} {:>10}",
            r.engine,
            r.build_ms,
            r.frame_ms,
            r.bytes_per_body
                .map_or_else(|| "?".to_owned(), |bytes| format!("{bytes:.0}"))
        );
    }
}
