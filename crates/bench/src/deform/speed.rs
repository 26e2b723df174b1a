//! How long a frame takes: every engine on every scene, on one thread and on two.

use std::time::{Duration, Instant};

use impinge::deform::{SceneRequest, scene_engines};

use super::SceneChoice;
use super::playback::{begin, go};
use super::record::RecordWriter;
use crate::scenes::{Sequence, load};

/// Engines that take longer for their first frame are left out.
const TOO_SLOW: Duration = Duration::from_secs(5);

/// Mean milliseconds of a frame, over as many as fit into the time, and how many these were; none when too slow.
pub(super) fn mean_ms(
    sequence: &Sequence,
    engine: &str,
    is_parallel: bool,
    time: Duration,
) -> anyhow::Result<Option<(f64, usize)>> {
    let Some(kind) = scene_engines().iter().find(|kind| kind.name == engine) else {
        return Ok(None);
    };
    let mut engine = (kind.make)();
    let request = SceneRequest {
        parallel: is_parallel,
        ..SceneRequest::default()
    };
    let mut scene = begin(sequence)?;
    let count = sequence.frames.len();
    // The first frame builds; it is not one of those that are averaged.
    let start = Instant::now();
    let _ = engine.pairs(&scene, &request);
    if start.elapsed() > TOO_SLOW {
        return Ok(None);
    }
    // Frames spread over the scene, each after the one before it, so that coherence is what it is.
    let until = Instant::now() + time;
    let (mut sum, mut frames, mut at) = (0.0, 0, 0);
    let (mut stride, mut frame) = (1, 1);
    while frame < count {
        if at + 1 != frame {
            go(&mut scene, sequence, at, frame - 1)?;
            let _ = engine.pairs(&scene, &request);
        }
        let start = Instant::now();
        go(&mut scene, sequence, frame - 1, frame)?;
        let _ = engine.pairs(&scene, &request);
        let each = start.elapsed().as_secs_f64();
        sum += each * 1e3;
        frames += 1;
        at = frame;
        if frames == 1 {
            // Now it is known how many fit.
            let fit = (time.as_secs_f64() / each.max(1e-9) / 2.0).max(2.0);
            stride = ((count as f64 / fit).ceil() as usize).max(1);
        }
        if frames >= 2 && Instant::now() > until {
            break;
        }
        frame += stride;
    }
    Ok((frames > 0).then(|| (sum / frames as f64, frames)))
}

pub(super) fn run(chosen: &SceneChoice<'_>, journal: &mut RecordWriter) -> anyhow::Result<()> {
    let threads = crate::thread_cpu_time::cores();
    println!("milliseconds a frame on one thread; auto also with threads ({threads} cores)");
    let names: Vec<&str> = scene_engines()
        .iter()
        .map(|kind| kind.name)
        .filter(|name| *name != "brute-force")
        .collect();
    print!("{:<32}", "scene");
    names.iter().for_each(|name| print!(" {name:>14}"));
    println!(" {:>14}", "auto, threads");
    for name in chosen.scenes {
        let sequence = load(name, chosen.is_small)?;
        let each = chosen.clock.each.div_f64(names.len() as f64 + 1.0);
        print!("{:<32}", name.text());
        for engine in &names {
            let found = mean_ms(&sequence, engine, false, each)?;
            match found {
                Some((ms, _)) => print!(" {ms:>14.3}"),
                None => print!(" {:>14}", "too slow"),
            }
            if let Some((ms, frames)) = found {
                journal.push("speed", &name.text(), engine, "ms_one_thread", ms);
                journal.push("speed", &name.text(), engine, "frames", frames as f64);
            }
        }
        let with_threads = mean_ms(&sequence, "auto", true, each)?;
        // Over other frames than one thread, perhaps: `peers` compares the two.
        if let Some((two, _)) = with_threads {
            print!(" {two:>14.3}");
            journal.push("speed", &name.text(), "auto", "ms_threads", two);
        }
        println!();
    }
    Ok(())
}
