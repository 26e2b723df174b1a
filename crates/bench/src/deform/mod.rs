//! `impinge-bench run deform`: engines for deforming scenes against brute force, the claims of the theses, and peers.

mod all_pairs;
mod clustering_claims;
mod peers;
mod playback;
mod record;
mod speed;
mod truth;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::Bar;
use crate::engines::target;
use crate::rigid::default_folder;
use crate::scenes::{self, SceneName};
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
    /// Small scenes and few frames: a look, nothing to quote
    #[arg(long)]
    quick: bool,
    /// Only scenes whose name contains this; `impinge-bench scenes` lists them
    #[arg(long, visible_alias = "scene", value_name = "NAME")]
    only: Option<String>,
    /// Only these parts: truth, claims, speed, peers
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    parts: Vec<String>,
    /// What the run may take, beside making the scenes; frames that do not fit are counted, and leave bars open [default: 25, with --quick 3]
    #[arg(long)]
    minutes: Option<f64>,
    /// Every tenth frame of every scene for truth and claims, however long it takes; an estimate is told for each scene
    #[arg(long)]
    complete: bool,
    /// Folder for deform.csv and deform.json [default: records/DATE-MACHINE, with --quick, --only or --parts target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    for part in &args.parts {
        if !PARTS.iter().any(|(name, _)| name == part) {
            bail!("no part is called {part}; there are truth, claims, speed and peers");
        }
    }
    let minutes = args.minutes.unwrap_or(if args.quick { 3.0 } else { 25.0 });
    let total = Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
    let is_wanted = |scene: &SceneName| {
        let only = args.only.as_ref();
        only.is_none_or(|only| scene.text().contains(only.as_str()))
    };
    let wanted: Vec<SceneName> = scenes::all().into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        bail!("no scene is called like that; `impinge-bench scenes` lists them");
    }
    let is_whole = !args.quick && args.only.is_none() && args.parts.is_empty();
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if is_whole => default_folder(),
        None => target().join("records"),
    };
    let mut journal = RecordWriter::new(args.quick);
    for (part, share) in PARTS {
        if !args.parts.is_empty() && !args.parts.iter().any(|wanted| wanted == part) {
            continue;
        }
        println!("\n== {part}");
        let chosen = SceneChoice {
            scenes: &wanted,
            is_small: args.quick,
            clock: Clock::new(total.mul_f64(share), wanted.len(), args.complete),
        };
        match part {
            "truth" => truth::run(&chosen, &mut journal)?,
            "claims" => clustering_claims::run(&chosen, &mut journal)?,
            "speed" => speed::run(&chosen, &mut journal)?,
            _ => peers::run(chosen.scenes, args.quick, &mut journal)?,
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
