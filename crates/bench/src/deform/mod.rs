//! `impinge-bench run deform`: engines for deforming scenes against brute force, the claims of the theses, and peers.

mod all_pairs;
mod clustering_claims;
mod peers;
mod playback;
mod record;
mod speed;
mod truth;

use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Bar;
use crate::arguments::SceneSelection;
use crate::scenes::SceneName;
use record::RecordWriter;

/// Parts of a run, and how much of its time each may take.
const PARTS: [(&str, f64); 4] = [
    ("truth", 0.5),
    ("claims", 0.15),
    ("speed", 0.2),
    ("peers", 0.15),
];

/// Deforming scenes: every engine against brute force, candidates and replication, times, peers
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    selection: SceneSelection,
    /// What the run may take, beside making the scenes; frames that do not fit are counted, and leave bars open [default: 25, with --quick 3]
    #[arg(long)]
    minutes: Option<f64>,
    /// Every tenth frame of every scene for truth and claims, however long it takes; an estimate is printed for each scene
    #[arg(long)]
    complete: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let selection = &args.selection;
    let wanted = selection.scenes(&PARTS.map(|(name, _)| name))?;
    let minutes = args
        .minutes
        .unwrap_or(if selection.quick { 3.0 } else { 25.0 });
    let total = Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
    let folder = selection.folder();
    let mut journal = RecordWriter::new(selection.quick);
    for (part, share) in PARTS {
        if !selection.wants(part) {
            continue;
        }
        println!("\n== {part}");
        let chosen = SceneChoice {
            scenes: &wanted,
            is_small: selection.quick,
            clock: Clock::new(total.mul_f64(share), wanted.len(), args.complete),
        };
        match part {
            "truth" => truth::run(&chosen, &mut journal)?,
            "claims" => clustering_claims::run(&chosen, &mut journal)?,
            "speed" => speed::run(&chosen, &mut journal)?,
            _ => peers::run(chosen.scenes, selection.quick, &mut journal)?,
        }
    }
    journal.write(&folder)?;
    println!("\nRecords are in {}.", folder.display());
    Ok(journal.conclude())
}

/// What a part runs on.
#[derive(Clone, Copy, Debug)]
struct SceneChoice<'s> {
    scenes: &'s [SceneName],
    is_small: bool,
    clock: Clock,
}

/// Time for a part, shared by its scenes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    each: Duration,
    /// Nothing is cut short.
    is_endless: bool,
}

impl Clock {
    fn new(total: Duration, scenes: usize, is_endless: bool) -> Self {
        Self {
            each: total.div_f64(scenes.max(1) as f64),
            is_endless,
        }
    }

    /// When the scene that begins now must be done; none when it may take its time.
    pub(super) fn deadline(&self) -> Option<Instant> {
        if self.is_endless {
            return None;
        }
        Instant::now().checked_add(self.each)
    }
}
