//! Every engine equals brute force, on every tenth frame.
//!
//! The pairs of a frame come from a sweep that shares nothing with the engines but the exact test ([`all_pairs`]); in the last frame of each scene the
//! sweep itself is held against all pairs of boxes. Threads take frames in turn, each with engines of its own, which keep what they
//! built from one of its frames to the next.

use std::time::{Duration, Instant};

use impinge::deform::clustering::{ClusterCount, Clustering, ClusteringOptions, SweepAxis};
use impinge::deform::{BruteForce, SceneEngine, SceneRequest, scene_engines};

use super::SceneChoice;
use super::all_pairs::all_pairs;
use super::playback::{begin, go};
use super::record::RecordWriter;
use crate::Bar;
use crate::scenes::{SceneName, Sequence, load};

/// Frames between two that are judged.
pub(super) const STRIDE: usize = 10;
/// An engine that takes longer for a frame sits out the rest of a scene, unless all is requested.
const TOO_SLOW: Duration = Duration::from_secs(20);

/// An engine and what became of it.
struct JudgedEngine {
    label: String,
    engine: Box<dyn SceneEngine>,
    /// Whether it may use threads.
    is_parallel: bool,
    frames: usize,
    wrong: usize,
    sits_out: bool,
}

fn judged() -> Vec<JudgedEngine> {
    let mut list: Vec<JudgedEngine> = Vec::new();
    let mut add = |label: String, engine: Box<dyn SceneEngine>, is_parallel: bool| {
        list.push(JudgedEngine {
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

/// What one thread found about its share of the frames.
struct FrameShare {
    engines: Vec<JudgedEngine>,
    frames: usize,
    pairs: usize,
    sweep_ms: f64,
}

/// Judges the frames, in this order, until the time is up; the first one always.
fn judge(
    name: &SceneName,
    sequence: &Sequence,
    frames: &[usize],
    until: Option<Instant>,
) -> anyhow::Result<FrameShare> {
    let mut share = FrameShare {
        engines: judged(),
        frames: 0,
        pairs: 0,
        sweep_ms: 0.0,
    };
    let mut scene = begin(sequence)?;
    let mut at = 0;
    let begun = Instant::now();
    for &frame in frames {
        if share.frames > 0 && until.is_some_and(|until| Instant::now() > until) {
            break;
        }
        go(&mut scene, sequence, at, frame)?;
        at = frame;
        let start = Instant::now();
        let truth = all_pairs(&scene);
        share.sweep_ms += start.elapsed().as_secs_f64() * 1e3;
        share.pairs += truth.len();
        share.frames += 1;
        for judged in share.engines.iter_mut().filter(|judged| !judged.sits_out) {
            let request = SceneRequest {
                parallel: judged.is_parallel,
                ..SceneRequest::default()
            };
            let start = Instant::now();
            let answer = judged.engine.pairs(&scene, &request);
            judged.sits_out = until.is_some() && start.elapsed() > TOO_SLOW;
            judged.frames += 1;
            let is_wrong =
                answer.pairs != truth || judged.engine.any(&scene, &request) == truth.is_empty();
            judged.wrong += usize::from(is_wrong);
        }
        if share.frames == 1 && until.is_none() && frames.len() > 1 {
            let each = begun.elapsed().as_secs_f64();
            eprintln!(
                "{}: {each:.1} s for a frame, about {:.0} s for all",
                name.text(),
                each * frames.len() as f64
            );
        }
    }
    Ok(share)
}

/// Whether the sweep finds in this frame what comparing all boxes finds.
fn sweep_is_right(sequence: &Sequence, frame: usize) -> anyhow::Result<bool> {
    let mut scene = begin(sequence)?;
    go(&mut scene, sequence, 0, frame)?;
    let brute = BruteForce::default().pairs(&scene, &SceneRequest::default());
    Ok(brute.pairs == all_pairs(&scene))
}

/// The bar for so many wrong answers: open when fewer were judged than there should be.
fn verdict(wrong: usize, judged: usize, wanted: usize) -> Bar {
    let bar = Bar::none_wrong(wrong as u64, judged as u64);
    if judged < wanted {
        bar.and(Bar::Open)
    } else {
        bar
    }
}

pub(super) fn run(chosen: &SceneChoice<'_>, journal: &mut RecordWriter) -> anyhow::Result<()> {
    let threads = crate::thread_cpu_time::cores();
    let begun = Instant::now();
    let (mut all_judged, mut all_wanted) = (0, 0);
    println!(
        "{:<32} {:>7} {:>9} {:>9} {:>9}  wrong answers, frames an engine sat out",
        "scene", "judged", "of frames", "pairs", "sweep ms"
    );
    for name in chosen.scenes {
        let sequence = load(name, chosen.is_small)?;
        let deadline = chosen.clock.deadline();
        // From the end, where most is in contact, so that a run that is short of time sees it.
        let wanted: Vec<usize> = (0..sequence.frames.len()).rev().step_by(STRIDE).collect();
        let sweep_is_right = match wanted.first() {
            Some(&last) => sweep_is_right(&sequence, last)?,
            None => true,
        };
        let shares: Vec<FrameShare> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads.min(wanted.len()))
                .map(|k| {
                    let own: Vec<usize> = wanted.iter().copied().skip(k).step_by(threads).collect();
                    let sequence = &sequence;
                    scope.spawn(move || judge(name, sequence, &own, deadline))
                })
                .collect();
            running
                .into_iter()
                .map(|thread| match thread.join() {
                    Ok(share) => share,
                    Err(_) => Err(anyhow::anyhow!("an engine panicked")),
                })
                .collect::<anyhow::Result<_>>()
        })?;
        let frames: usize = shares.iter().map(|share| share.frames).sum();
        let pairs: usize = shares.iter().map(|share| share.pairs).sum();
        let sweep_ms: f64 = shares.iter().map(|share| share.sweep_ms).sum();
        let (mut scene_wrong, mut answers, mut remarks) = (0, 0, Vec::new());
        let engines = shares
            .first()
            .map_or(&[][..], |share| share.engines.as_slice());
        for (k, engine) in engines.iter().enumerate() {
            let of = |what: fn(&JudgedEngine) -> usize| -> usize {
                shares.iter().map(|share| what(&share.engines[k])).sum()
            };
            let (judged, wrong) = (of(|j| j.frames), of(|j| j.wrong));
            scene_wrong += wrong;
            answers += judged;
            for (what, value) in [("judged_frames", judged), ("wrong_frames", wrong)] {
                journal.push("truth", &name.text(), &engine.label, what, value as f64);
            }
            if wrong > 0 {
                remarks.push(format!("{}: {wrong} wrong", engine.label));
            } else if judged < frames {
                remarks.push(format!("{}: {} out", engine.label, frames - judged));
            }
        }
        if !sweep_is_right {
            scene_wrong += 1;
            remarks.push("the sweep differs from all pairs of boxes".to_owned());
        }
        println!(
            "{:<32} {frames:>7} {:>9} {pairs:>9} {:>9.1}  {}",
            name.text(),
            wanted.len(),
            sweep_ms / frames.max(1) as f64,
            if remarks.is_empty() {
                "none".to_owned()
            } else {
                remarks.join(", ")
            }
        );
        let asked = engines.len() * wanted.len();
        journal.answers(
            verdict(scene_wrong, answers, asked),
            format!(
                "{}: {scene_wrong} of {answers} answers differ from brute force, asked 0 of {asked}",
                name.text()
            ),
        );
        all_judged += answers;
        all_wanted += asked;
    }
    println!(
        "{all_judged} of {all_wanted} answers about {} of {} scenes judged in {:.0} s",
        chosen.scenes.len(),
        crate::scenes::all().len(),
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_that_were_left_out_leave_the_bar_open() {
        assert_eq!(verdict(0, 10, 10), Bar::Met);
        assert_eq!(verdict(0, 9, 10), Bar::Open);
        assert_eq!(verdict(0, 0, 0), Bar::Open);
        assert_eq!(verdict(1, 9, 10), Bar::Missed);
    }
}
