//! Every engine equals brute force, on every tenth frame.

use std::time::{Duration, Instant};

use impinge::deform::clustering::{ClusterCount, Clustering, ClusteringOptions, SweepAxis};
use impinge::deform::{BruteForce, SceneEngine, SceneRequest, scene_engines};

use super::Clock;
use super::player::{begin, go};
use super::record::Journal;
use crate::scenes::{SceneName, load};

/// Frames between two that are judged.
pub(super) const STRIDE: usize = 10;
/// An engine that takes longer for a frame sits out the rest of a scene.
const TOO_SLOW: Duration = Duration::from_secs(20);

/// An engine and what became of it.
struct Judged {
    label: String,
    engine: Box<dyn SceneEngine>,
    /// Whether it may use threads.
    is_parallel: bool,
    frames: usize,
    wrong: usize,
    sits_out: bool,
}

fn judged() -> Vec<Judged> {
    let mut list: Vec<Judged> = Vec::new();
    let mut add = |label: String, engine: Box<dyn SceneEngine>, is_parallel: bool| {
        list.push(Judged {
            label,
            engine,
            is_parallel,
            frames: 0,
            wrong: 0,
            sits_out: false,
        });
    };
    for kind in scene_engines() {
        if kind.name != "brute-force" {
            add(kind.name.to_owned(), (kind.make)(), false);
        }
    }
    for kind in scene_engines()
        .iter()
        .filter(|kind| ["auto", "refit", "clustering"].contains(&kind.name))
    {
        add(format!("{} with threads", kind.name), (kind.make)(), true);
    }
    for clusters in [1, 3, 8] {
        let options = ClusteringOptions {
            clusters: ClusterCount::Fixed(clusters),
            ..ClusteringOptions::default()
        };
        add(
            format!("clustering c={clusters}"),
            Box::new(Clustering::new(options)),
            false,
        );
    }
    let options = ClusteringOptions {
        axis: SweepAxis::Curve { segments: 4 },
        subdivide_above: 8.0,
        ..ClusteringOptions::default()
    };
    add(
        "clustering curve".to_owned(),
        Box::new(Clustering::new(options)),
        false,
    );
    list
}

pub(super) fn run(
    scenes: &[SceneName],
    is_small: bool,
    clock: Clock,
    journal: &mut Journal,
) -> anyhow::Result<()> {
    let (mut wrong, mut answers) = (0, 0);
    println!(
        "{:<32} {:>7} {:>9} {:>9} {:>9}  wrong answers, frames an engine sat out",
        "scene", "judged", "of frames", "pairs", "brute ms"
    );
    for name in scenes {
        let sequence = load(name, is_small)?;
        let deadline = clock.deadline();
        let mut engines = judged();
        let mut scene = begin(&sequence)?;
        let (mut at, mut frames, mut pairs, mut brute_ms) = (0, 0, 0, 0.0);
        // From the end, where most is in contact, so that a run that is short of time sees it.
        let wanted: Vec<usize> = (0..sequence.frames.len()).rev().step_by(STRIDE).collect();
        for &frame in &wanted {
            if frames > 0 && Instant::now() > deadline {
                break;
            }
            go(&mut scene, &sequence, at, frame)?;
            at = frame;
            let start = Instant::now();
            let truth = BruteForce::default().pairs(&scene, &SceneRequest::default());
            brute_ms += start.elapsed().as_secs_f64() * 1e3;
            pairs += truth.pairs.len();
            frames += 1;
            for judged in engines.iter_mut().filter(|judged| !judged.sits_out) {
                let request = SceneRequest {
                    parallel: judged.is_parallel,
                    ..SceneRequest::default()
                };
                let start = Instant::now();
                let answer = judged.engine.pairs(&scene, &request);
                judged.sits_out = start.elapsed() > TOO_SLOW;
                judged.frames += 1;
                let is_wrong = answer.pairs != truth.pairs
                    || judged.engine.any(&scene, &request) == truth.pairs.is_empty();
                judged.wrong += usize::from(is_wrong);
            }
        }
        let mut remarks = Vec::new();
        for judged in &engines {
            wrong += judged.wrong;
            answers += judged.frames;
            journal.push(
                "truth",
                &name.text(),
                &judged.label,
                "judged_frames",
                judged.frames as f64,
            );
            journal.push(
                "truth",
                &name.text(),
                &judged.label,
                "wrong_frames",
                judged.wrong as f64,
            );
            if judged.wrong > 0 {
                remarks.push(format!("{}: {} wrong", judged.label, judged.wrong));
            } else if judged.frames < frames {
                remarks.push(format!("{}: {} out", judged.label, frames - judged.frames));
            }
        }
        println!(
            "{:<32} {frames:>7} {:>9} {pairs:>9} {:>9.1}  {}",
            name.text(),
            wanted.len(),
            brute_ms / frames.max(1) as f64,
            if remarks.is_empty() {
                "none".to_owned()
            } else {
                remarks.join(", ")
            }
        );
    }
    let what = format!("{wrong} of {answers} answers differ from brute force, asked 0");
    if answers == 0 {
        journal.open(&what);
    } else {
        journal.bar(what, wrong == 0);
    }
    Ok(())
}
