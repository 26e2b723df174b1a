//! `impinge-bench run quality`: forces and torques beside those that pencil and paper give.
//!
//! Five scenes with known answers, four families of engines, each at the resolutions at which it is best within 0.9 ms. The protocol is that of Weller's thesis
//! (6.4), with its misprints corrected.

mod chapter;
mod equivalent;
mod formulas;
mod judge;
mod metrics;
mod pages;
mod scene;
mod score;
mod search;
mod shop;
mod solids;
mod spectrum;
mod subject;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::Bar;
use crate::engines::target;
use crate::rigid::default_folder;
use crate::sheet::Failure;
use chapter::Chapter;
use scene::Scene;
use shop::{Effort, Stock, measure};
use subject::Family;

/// Minutes that all of it may take, unless told otherwise.
pub(crate) const MINUTES: f64 = 30.0;
pub(crate) const MINUTES_QUICK: f64 = 2.4;
/// What rounding may leave of a perfect score.
const PERFECT: f64 = 1e-9;

/// Forces and torques of five scenes beside their formulas, by engines at equivalent resolutions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How fine: quick is done within about two and a half minutes, full within about half an hour, on one core
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these families of engines
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Family>,
    /// Places on each path; rounded up to a multiple of 32 [default: 512, with --preset full 1024]
    #[arg(long)]
    places: Option<usize>,
    /// Mean milliseconds that a question may take
    #[arg(long, default_value_t = 0.9)]
    tau: f64,
    /// Seconds that building one solid may take; what takes a quarter of it is made no finer [default: 24, with --preset full 240]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<f64>,
    /// Minutes that all of it may take; the less is left, the sooner solids are fine enough [default: 2.4, with --preset full 30]
    #[arg(long)]
    minutes: Option<f64>,
    /// Folder for quality.sheet.json [default: target/records, with --preset full records/DATE-MACHINE]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Preset {
    Quick,
    Full,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let start = Instant::now();
    let is_full = args.preset == Preset::Full;
    let count = args.places.unwrap_or(if is_full { 1024 } else { 512 });
    let count = count.max(1).next_multiple_of(spectrum::HOP);
    let families: Vec<Family> = Family::ALL
        .into_iter()
        .filter(|family| args.only.is_empty() || args.only.contains(family))
        .collect();
    let patience = args.patience.unwrap_or(if is_full { 240.0 } else { 24.0 });
    let effort = Effort {
        is_full,
        tau: args.tau,
        patience: Duration::try_from_secs_f64(patience).context("--patience must be a time")?,
    };
    let minutes = args
        .minutes
        .unwrap_or(if is_full { MINUTES } else { MINUTES_QUICK });
    let whole = Duration::try_from_secs_f64(60.0 * minutes).context("--minutes must be a time")?;
    let mut sheet = pages::empty(args.preset.name(), args.tau, count);
    judge::check_perfect(count, &mut sheet)?;
    let mut chapters = Vec::new();
    for scene in Scene::ALL {
        let mut chapter = Chapter {
            scene,
            path: scene.path(count)?,
            found: Vec::new(),
        };
        let mut stock = Stock::default();
        for &family in &families {
            if !family.shares_parts() {
                stock = Stock::default();
            }
            let (begun, left) = (Instant::now(), whole.saturating_sub(start.elapsed()));
            let effort = effort.within(left);
            let measured = measure(scene, family, &chapter.path, effort, &mut stock);
            eprintln!(
                "{} {}: {}, {:.1} s",
                scene.name(),
                scene.title(),
                family.name(),
                begun.elapsed().as_secs_f64()
            );
            match measured {
                Ok(found) => chapter.found.push(found),
                Err(error) => {
                    eprintln!("  failed: {error:#}");
                    sheet.failures.push(Failure {
                        subject: format!("{} in scene {}", family.name(), scene.name()),
                        reason: format!("{error:#}"),
                        is_ours: true,
                    });
                }
            }
        }
        pages::print(&chapter, args.tau);
        chapters.push(chapter);
    }
    pages::fill(&mut sheet, &chapters, args.tau);
    judge::judge(&mut sheet, &chapters, args.tau);
    let folder = match &args.records {
        Some(folder) => folder.clone(),
        None if is_full => default_folder(),
        None => target().join("records"),
    };
    let path = sheet.write(&folder)?;
    println!(
        "{:.0} s in all; {} has every curve.",
        start.elapsed().as_secs_f64(),
        path.display()
    );
    Ok(sheet.bar())
}
