//! `impinge-bench run average-case` and `run cost-model`: probabilistic trees compared with exact
//! ones, and how the work of a traversal grows.

mod calibration;
mod judging;
mod model_split;
mod node_study;
mod parameter_study;
mod published_sweep;
mod running_time_model;
mod scaling;
mod speed;
mod thesis_models;
mod tumble;
mod visit_counts;

pub(crate) use calibration::MOST_PUBLISHED;

use std::path::PathBuf;

use crate::Bar;
use crate::engines::target;
use crate::folders::create;
use crate::result_sheet::{ResultSheet, name_after};
use crate::rigid::default_folder;

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
    /// Only these parts: speed, calibration, judging, study, nodes, published
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    parts: Vec<String>,
    /// Only models whose name contains this
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Folder for average.sheet.json and average-sweep.csv [default: records/DATE-MACHINE with --preset full, else target/records]; with --parts or --only the
    /// sheet is called after them, and the default is target/records
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

/// The parts, in the order in which they run.
const PARTS: [&str; 6] = [
    "speed",
    "calibration",
    "judging",
    "study",
    "nodes",
    "published",
];
/// Those that are about time.
const TIMED: [&str; 3] = ["study", "nodes", "published"];

impl Args {
    /// Refuses parts that there are not, and those of which nothing would be measured.
    fn check(&self) -> anyhow::Result<()> {
        for part in &self.parts {
            anyhow::ensure!(
                PARTS.contains(&part.as_str()),
                "no part is called {part}; there are {}",
                PARTS.join(", ")
            );
            anyhow::ensure!(
                !TIMED.contains(&part.as_str()) || self.preset.is_timed(),
                "{part} is about time, and with --preset tiny nothing is timed: take --preset quick or full"
            );
        }
        Ok(())
    }

    fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }

    fn is_whole(&self) -> bool {
        self.parts.is_empty() && self.only.is_none()
    }

    /// The name of the sheet: a run of less than everything has its own, so that it hides nothing that was measured before.
    fn sheet_name(&self) -> String {
        let parts = PARTS
            .into_iter()
            .filter(|part| self.parts.iter().any(|p| p == part));
        name_after("average", parts.chain(self.only.as_deref()))
    }

    /// What to type for the same sheet.
    fn command(&self) -> String {
        let mut command = format!(
            "impinge-bench run average-case --preset {}",
            self.preset.name()
        );
        if !self.parts.is_empty() {
            command += &format!(" --parts {}", self.parts.join(","));
        }
        if let Some(only) = &self.only {
            command += &format!(" --only {only}");
        }
        command
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    args.check()?;
    let preset = args.preset;
    let mut sheet = ResultSheet::new(
        &args.sheet_name(),
        "Average-case trees",
        "How much time does a search save that may err, and how often does it err?",
        &args.command(),
    );
    sheet.preset = preset.name().to_owned();
    sheet.notes.push(
        "Two copies of a model in a cube of edge 2, one turned about z and x at distances from 0.4 to 2.1; only placements in which the boxes of both overlap. \
         Models are stand-ins with as many faces as the published ones, which are not public."
            .to_owned(),
    );
    let folder = match &args.records {
        None if !args.is_whole() => target().join("records"),
        chosen => folder(chosen.as_ref(), preset),
    };
    create(&folder)?;
    let mut models = thesis_models::all(preset == Preset::Tiny)?;
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
    if args.wants("speed") {
        speed::run(&played, preset, &mut sheet)?;
    }
    if args.wants("calibration") {
        calibration::run(&played, preset, step, &mut sheet)?;
    }
    if args.wants("judging") {
        judging::run(preset, &mut sheet)?;
    }
    if preset.is_timed() && args.wants("study") {
        parameter_study::run(&played, preset, &folder, &mut sheet)?;
    }
    if preset.is_timed() && args.wants("nodes") {
        node_study::run(&played, preset, &mut sheet)?;
    }
    if preset.is_timed() && args.wants("published") {
        published_sweep::run(&played, preset, &mut sheet)?;
    }
    let path = sheet.write(&folder)?;
    println!("\nThe sheet is {}.", path.display());
    Ok(sheet.bar())
}

pub(crate) fn run_model(args: &ModelArgs) -> anyhow::Result<Bar> {
    let preset = args.preset;
    let folder = folder(args.records.as_ref(), preset);
    // Before anything is measured: a folder that cannot be made is to cost no time.
    create(&folder)?;
    let mut sheet = ResultSheet::new(
        "model",
        "How the work of a search grows",
        "Can the number of visited nodes be told from how fast boxes shrink?",
        &format!("impinge-bench run cost-model --preset {}", preset.name()),
    );
    sheet.preset = preset.name().to_owned();
    running_time_model::run(preset, &mut sheet)?;
    if preset.is_timed() {
        scaling::run(preset, &mut sheet)?;
    }
    let path = sheet.write(&folder)?;
    println!("\nThe sheet is {}.", path.display());
    Ok(sheet.bar())
}

#[cfg(test)]
mod tests {
    use super::{Args, Preset};

    fn args(preset: Preset, parts: &[&str], only: Option<&str>) -> Args {
        Args {
            preset,
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
            only: only.map(str::to_owned),
            records: None,
        }
    }

    #[test]
    fn a_part_that_there_is_not_is_refused_by_name() {
        let refused = args(Preset::Quick, &["speed", "foo"], None).check();
        assert!(refused.unwrap_err().to_string().contains("foo"));
        assert!(args(Preset::Tiny, &["study"], None).check().is_err());
        assert!(
            args(Preset::Quick, &["study", "speed"], None)
                .check()
                .is_ok()
        );
        assert!(args(Preset::Tiny, &[], None).check().is_ok());
    }

    #[test]
    fn a_run_of_less_has_a_sheet_of_its_own_and_says_how_to_repeat_it() {
        let whole = args(Preset::Full, &[], None);
        assert!(whole.is_whole());
        assert_eq!(whole.sheet_name(), "average");
        assert_eq!(
            whole.command(),
            "impinge-bench run average-case --preset full"
        );
        let some = args(Preset::Quick, &["study", "speed"], Some("../lock"));
        assert!(!some.is_whole());
        assert_eq!(some.sheet_name(), "average-speed-study-..lock");
        assert_eq!(
            some.command(),
            "impinge-bench run average-case --preset quick --parts study,speed --only ../lock"
        );
    }
}
