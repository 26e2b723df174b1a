//! `impinge replay`: runs a recorded scene again and compares.

use anyhow::{Context, bail};
use impinge::broad::ObjectPair;
use impinge::world::{Replay, World};
use impinge_study::engines::MESH_ENGINES;
use serde::Serialize;

use crate::ExitAnswer;
use crate::args::ReplayArgs;
use crate::number::{count, count_of};
use crate::output::Output;
use crate::progress::Progress;
use crate::scene_file::detector;

/// Differences that are listed.
const LISTED: usize = 10;

/// A step whose answers are not as they were.
#[derive(Serialize)]
struct DifferenceRecord<'r> {
    step: u64,
    line: usize,
    expected: &'r str,
    found: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    objects: Option<[String; 2]>,
}

/// What a replay found.
#[derive(Serialize)]
struct Summary {
    steps: u64,
    events: usize,
    different_steps: usize,
}

/// Replays a trace and compares.
pub(crate) fn run(args: &ReplayArgs, out: &mut Output) -> anyhow::Result<ExitAnswer> {
    let name = args.trace.display();
    let bytes = std::fs::read(&args.trace).with_context(|| format!("cannot read {name}"))?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let line = bytes[..error.valid_up_to()].split(|&b| b == b'\n').count();
            bail!("{name}: line {line}: this is not text");
        }
    };
    let mut world = World::default();
    world.set_broad_phase(detector(&args.broad_phase)?)?;
    let total = text
        .lines()
        .filter(|line| line.starts_with("step "))
        .count();
    let progress = Progress::counted("replaying", total, out.is_quiet());
    let mut replay = Replay::new(text, world)
        .with_context(|| name.to_string())?
        .with_engines(MESH_ENGINES);
    let (mut steps, mut events, mut different) = (0, 0, 0);
    while let Some(step) = replay.step().with_context(|| name.to_string())? {
        progress.done(steps as usize);
        steps += 1;
        events += step.events;
        let Some(difference) = step.difference else {
            continue;
        };
        different += 1;
        let objects = difference.objects.map(|pair| names(replay.world(), pair));
        if different <= LISTED {
            let about = objects
                .as_ref()
                .map_or_else(String::new, |[a, b]| format!(" ({a} and {b})"));
            out.line(format_args!("step {}: {difference}{about}", step.number))?;
        }
        out.record(&DifferenceRecord {
            step: step.number,
            line: difference.line,
            expected: &difference.expected,
            found: &difference.found,
            objects,
        })?;
    }
    drop(progress);
    out.record(&Summary {
        steps,
        events,
        different_steps: different,
    })?;
    out.line(format_args!(
        "{}, {}: {}",
        count_of(steps as usize, "step", "steps"),
        count_of(events, "event", "events"),
        match different {
            0 => "all as recorded".to_owned(),
            n => format!("{} with other answers", count(n)),
        }
    ))?;
    Ok(if different == 0 {
        ExitAnswer::No
    } else {
        ExitAnswer::Yes
    })
}

/// What two objects are called; one without a name, or gone, by its id.
fn names(world: &World, pair: ObjectPair) -> [String; 2] {
    [pair.a, pair.b].map(|id| {
        let name = world.body(id).and_then(|body| body.name.as_deref());
        name.map_or_else(|| id.to_string(), str::to_owned)
    })
}
