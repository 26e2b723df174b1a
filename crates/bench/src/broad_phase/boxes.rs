//! Boxes that all move, compared with the broad phases of other libraries.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::TargetVerdict;
use super::runner::{BoxRunner, Measured};
use super::scene::BoxScene;
use crate::Bar;
use crate::line_process::program;
use crate::sample_statistics::median;

/// Boxes of the scenes whose times are judged.
pub(super) const JUDGED: usize = 100_000;
/// The bar of ours beside the fastest other, on one thread.
const FASTER: f64 = 2.0;
/// The bar of the gain by two threads.
const TWO_THREADS: f64 = 1.6;
/// Engines of each program of runners, ours first, and the most boxes with which one is worth waiting for.
const ENGINES: [(&str, &[(&str, usize)]); 3] = [
    (
        "boxes-rs",
        &[
            ("impinge", usize::MAX),
            ("parry", usize::MAX),
            ("parry-optimized", usize::MAX),
            ("parry-rebuilt", usize::MAX),
            ("rstar", usize::MAX),
        ],
    ),
    (
        "boxes-cpp",
        &[
            ("bullet-dbvt", usize::MAX),
            ("bullet", usize::MAX),
            ("fcl-tree", usize::MAX),
            ("fcl-sap", 10_000),
        ],
    ),
    ("rapier", &[("rapier", usize::MAX)]),
];
/// Ours on two threads.
const THREADED: &str = "impinge, 2 threads";
/// Ours twice at once, as two programs that share nothing but the machine.
const TWICE: &str = "impinge, twice at once";

/// Who runs, and how.
#[derive(Clone, Debug)]
struct BroadPhaseEntry {
    program: PathBuf,
    engine: &'static str,
    threads: usize,
    copies: usize,
    name: String,
}

/// What one engine took.
#[derive(Clone, Debug)]
struct BroadPhaseTimes {
    engine: String,
    build_ms: f64,
    frame_ms: f64,
    pairs: Vec<u64>,
    /// Allocated for each body and held after all frames, where the runner can tell.
    bytes_per_body: Option<f64>,
}

/// One of the times of a result.
type Time = fn(&BroadPhaseTimes) -> f64;

/// One run of a scene by one engine.
#[derive(Debug)]
struct PlayedScene {
    build_ms: f64,
    frame_ms: f64,
    pairs: Vec<u64>,
    bytes: Option<u64>,
}

/// Prints what every engine takes for a scene, and returns the bars; those of speed only of scenes of the judged size.
pub(super) fn run(
    scene: &BoxScene,
    folder: &Path,
    rounds: usize,
    frames: usize,
) -> anyhow::Result<Vec<TargetVerdict>> {
    let name = &scene.name;
    let has_bars = scene.len() == JUDGED;
    let results = measure(scene, folder, rounds, frames)?;
    print(name, &results);
    let truth = scene.pairs(frames);
    let mut verdicts = Vec::new();
    let of = |name: &str| results.iter().find(|r| r.engine == name);
    let ours = of("impinge");
    if ours.is_none() {
        println!("{name}: `cargo xtask peers boxes-rs` builds the runner");
    }
    // A wrong answer has no time.
    let peers: Vec<_> = results
        .iter()
        .filter(|r| !r.engine.starts_with("impinge") && r.pairs == truth)
        .collect();
    if peers.is_empty() {
        println!("{name}: no other engine is there and right");
    }
    let times: [(&str, Time); 2] = [("build", |r| r.build_ms), ("frame", |r| r.frame_ms)];
    for (what, ms) in times {
        let fastest = peers.iter().min_by(|p, q| ms(p).total_cmp(&ms(q)));
        let faster = ours.zip(fastest).map(|(ours, other)| ms(other) / ms(ours));
        let said = match (faster, fastest) {
            (Some(faster), Some(other)) => format!("{faster:.2}x {}", other.engine),
            _ => "beside the fastest other".to_owned(),
        };
        if has_bars {
            verdicts.push((
                Bar::at_least(faster, FASTER),
                format!("{name}: {what} {said}, the fastest other, asked {FASTER}x"),
            ));
        } else {
            println!("{name}: {what} {said}");
        }
        let threaded = ours.zip(of(THREADED)).map(|(one, two)| ms(one) / ms(two));
        // Two programs at once do twice the work: what they gain is all that this machine's second thread has to give.
        let twice = ours
            .zip(of(TWICE))
            .map(|(one, two)| 2.0 * ms(one) / ms(two));
        let gain = threaded.map_or_else(String::new, |gain| format!(" {gain:.2}x"));
        let most = twice.map_or_else(String::new, |most| {
            format!(" (two separate programs at once: {most:.2}x)")
        });
        if has_bars {
            verdicts.push((
                Bar::at_least(threaded, TWO_THREADS),
                format!("{name}: {what} on two threads{gain}{most}, asked {TWO_THREADS}x"),
            ));
        }
    }
    for r in &results {
        let differ = |(right, its): &(&u64, &u64)| right != its;
        if let Some((right, its)) = truth.iter().zip(&r.pairs).find(differ) {
            println!(
                "{name}: {} finds {its} pairs where there are {right}",
                r.engine
            );
        }
    }
    let mine = results.iter().filter(|r| r.engine.starts_with("impinge"));
    verdicts.push((
        Bar::every(mine.map(|r| r.pairs == truth)),
        format!("{name}: as many pairs as a plain sweep in every frame"),
    ));
    Ok(verdicts)
}

/// The engines that are there.
fn entries(count: usize) -> Vec<BroadPhaseEntry> {
    let mut entries = Vec::new();
    for (name, list) in ENGINES {
        let Some(program) = program(name) else {
            println!("absent: {name}");
            continue;
        };
        for &(engine, most) in list {
            if count > most {
                println!("left out: {engine}, which is worth waiting for up to {most} boxes");
                continue;
            }
            let entry = |threads: usize, copies: usize, name: &str| BroadPhaseEntry {
                program: program.clone(),
                engine,
                threads,
                copies,
                name: name.to_owned(),
            };
            entries.push(entry(1, 1, engine));
            if engine == "impinge" {
                entries.push(entry(2, 1, THREADED));
                entries.push(entry(1, 2, TWICE));
            }
        }
    }
    entries
}

/// Every engine in turn, several rounds, so that a busy machine is busy for all.
fn measure(
    scene: &BoxScene,
    folder: &Path,
    rounds: usize,
    frames: usize,
) -> anyhow::Result<Vec<BroadPhaseTimes>> {
    let path = folder.join(format!("impinge-boxes-{}.bin", std::process::id()));
    scene.write(&path, frames)?;
    let entries = entries(scene.len());
    let mut runs: Vec<Vec<PlayedScene>> = entries.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (entry, runs) in entries.iter().zip(&mut runs) {
            runs.push(play_copies(entry, &path, frames)?);
        }
    }
    std::fs::remove_file(&path).with_context(|| format!("cannot remove {path:?}"))?;
    let result = |(entry, runs): (&BroadPhaseEntry, &Vec<PlayedScene>)| {
        let of = |f: fn(&PlayedScene) -> f64| median(&mut runs.iter().map(f).collect::<Vec<_>>());
        let last = runs.last();
        BroadPhaseTimes {
            engine: entry.name.clone(),
            build_ms: of(|run| run.build_ms),
            frame_ms: of(|run| run.frame_ms),
            pairs: last.map_or_else(Vec::new, |run| run.pairs.clone()),
            bytes_per_body: last
                .and_then(|run| run.bytes)
                .map(|bytes| bytes as f64 / scene.len() as f64),
        }
    };
    Ok(entries.iter().zip(&runs).map(result).collect())
}

/// The copies of an engine play the scene at once; the slowest counts.
fn play_copies(
    entry: &BroadPhaseEntry,
    scene: &Path,
    frames: usize,
) -> anyhow::Result<PlayedScene> {
    if entry.copies == 1 {
        return play(entry, scene, frames, || ());
    }
    // Scenes are read before anyone starts, so that all are busy at the same time.
    let start = std::sync::Barrier::new(entry.copies);
    let played: Vec<_> = std::thread::scope(|scope| {
        let copies: Vec<_> = (0..entry.copies)
            .map(|_| {
                scope.spawn(|| {
                    play(entry, scene, frames, || {
                        start.wait();
                    })
                })
            })
            .collect();
        copies.into_iter().map(|copy| copy.join()).collect()
    });
    let mut slowest: Option<PlayedScene> = None;
    for played in played {
        let played = played.map_err(|_| anyhow::anyhow!("a runner's thread ended early"))??;
        slowest = Some(match slowest {
            None => played,
            Some(other) => PlayedScene {
                build_ms: other.build_ms.max(played.build_ms),
                frame_ms: other.frame_ms.max(played.frame_ms),
                ..other
            },
        });
    }
    slowest.context("nobody played")
}

fn play(
    entry: &BroadPhaseEntry,
    scene: &Path,
    frames: usize,
    ready: impl FnOnce(),
) -> anyhow::Result<PlayedScene> {
    let started = BoxRunner::start(&entry.program, entry.engine, scene, entry.threads)
        .and_then(|mut runner| runner.hello().map(|()| runner));
    // Others wait for this one even if it could not start.
    ready();
    let mut runner = started?;
    let (build_ms, found): Measured = runner.build()?;
    let mut pairs = vec![found];
    let mut sum = 0.0;
    for k in 1..frames {
        let (ms, found) = runner.frame(k)?;
        sum += ms;
        pairs.push(found);
    }
    Ok(PlayedScene {
        build_ms,
        // Frames differ in kind, so that their mean counts and not their median.
        frame_ms: sum / (frames - 1) as f64,
        pairs,
        bytes: runner.bytes()?,
    })
}

fn print(name: &str, results: &[BroadPhaseTimes]) {
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
