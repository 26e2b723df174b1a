//! `impinge-bench run average` and `run model`: probabilistic trees beside exact ones, and how the work of a search grows.

mod calibration;
mod models;
mod running_time;
mod scaling;
mod speed;
mod study;
mod tumble;

use std::path::PathBuf;

use crate::Bar;
use crate::engines::target;
use crate::rigid::default_folder;
use crate::sheet::Sheet;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Preset {
    /// Small models and few placements: truths alone, nothing is timed
    Tiny,
    /// Models of full size, few placements: a look
    Quick,
    /// All placements of the publications
    Full,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }

    fn is_timed(self) -> bool {
        self != Self::Tiny
    }

    fn pick<T>(self, tiny: T, quick: T, full: T) -> T {
        match self {
            Self::Tiny => tiny,
            Self::Quick => quick,
            Self::Full => full,
        }
    }
}

/// Probabilistic trees: errors and times beside exact trees, sweeps, cells, calibration
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How much is measured
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Only these parts: speed, calibration, study
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    parts: Vec<String>,
    /// Only models whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Folder for average.sheet.json and average-sweep.csv [default: records/DATE-MACHINE with --preset full, else target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

/// The model of running time: shrinking factors, predicted and measured visits, speed-up by threads
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// How much is measured
    #[arg(long, value_enum, default_value = "quick")]
    preset: Preset,
    /// Folder for model.sheet.json [default: records/DATE-MACHINE with --preset full, else target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

fn folder(chosen: Option<&PathBuf>, preset: Preset) -> PathBuf {
    match chosen {
        Some(folder) => folder.clone(),
        None if preset == Preset::Full => default_folder(),
        None => target().join("records"),
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let preset = args.preset;
    let mut sheet = Sheet::new(
        "average",
        "Answers that are probably right",
        "How much time does a search save that may err, and how often does it err?",
        &format!("impinge-bench run average --preset {}", preset.name()),
    );
    sheet.preset = preset.name().to_owned();
    sheet.notes.push(
        "Two copies of a model in a cube of edge 2, one turned about z and x at distances from 0.4 to 2.1; only placements in which the boxes of both overlap. \
         Models are stand-ins with as many faces as the published ones, which are not public."
            .to_owned(),
    );
    let folder = folder(args.records.as_ref(), preset);
    std::fs::create_dir_all(&folder)?;
    let mut models = models::all(preset == Preset::Tiny)?;
    if let Some(only) = &args.only {
        models.retain(|model| model.name.contains(only.as_str()));
        anyhow::ensure!(!models.is_empty(), "no model is called like {only}");
    }
    let steps = preset.pick(40, 120, 5000);
    let step = preset.pick(0.17, 0.1, 0.1);
    let mut played = Vec::new();
    for model in models {
        let rounds = tumble::rounds(&model, steps, step)?;
        played.push((model, rounds));
    }
    let is_wanted = |part: &str| args.parts.is_empty() || args.parts.iter().any(|p| p == part);
    if is_wanted("speed") {
        speed::run(&played, preset, &mut sheet)?;
    }
    if is_wanted("calibration") {
        calibration::run(&played, preset, step, &mut sheet)?;
    }
    if preset.is_timed() && is_wanted("study") {
        study::run(&played, preset, &folder, &mut sheet)?;
    }
    let path = sheet.write(&folder)?;
    println!("\nThe sheet is {}.", path.display());
    Ok(sheet.bar())
}

pub(crate) fn run_model(args: &ModelArgs) -> anyhow::Result<Bar> {
    let preset = args.preset;
    let mut sheet = Sheet::new(
        "model",
        "How the work of a search grows",
        "Can the number of visited nodes be told from how fast boxes shrink?",
        &format!("impinge-bench run model --preset {}", preset.name()),
    );
    sheet.preset = preset.name().to_owned();
    running_time::run(preset, &mut sheet)?;
    if preset.is_timed() {
        scaling::run(preset, &mut sheet)?;
    }
    let path = sheet.write(&folder(args.records.as_ref(), preset))?;
    println!("\nThe sheet is {}.", path.display());
    Ok(sheet.bar())
}
