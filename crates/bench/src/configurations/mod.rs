//! `impinge-bench configurations`: placements of two models at given distances and at given shared volumes.
//!
//! **Question.** Where is B to be placed, so that every engine gets the same, equally hard queries?
//!
//! **Idea.** The difficulty is fixed and the placement sampled: for every orientation of B and every direction from A (or every
//! cell of a grid around it), B is moved until its distance, or the volume it shares with A, is the wanted one.
//!
//! **Source.** Weller's and Mainzer's theses, with their numbers of directions and orientations.
//!
//! **Promise.** Every configuration meets its target within the tolerance that its file states, which `check` confirms by
//! other engines, `check --peer` by those of other makers. Files are the same bytes for any number of threads, and after any interruption.
//!
//! **Limits.** The sphere method finds one place per line, not those in cavities behind it; the grid method does.

mod check;
mod check_cache;
mod check_files;
mod column_volume;
mod count;
mod file;
mod generate;
mod generate_files;
mod grid_method;
mod pairs;
mod peer_judges;
mod sampling;
mod scene;
mod sphere_method;

use std::path::PathBuf;

pub(crate) use check::{Checked, JUDGE, JudgeKind, check};
pub(crate) use check_files::{checked_row, checked_table};
pub(crate) use column_volume::ColumnVolume;
pub(crate) use file::{FoundBy, Reader};
pub(crate) use generate::Job;
pub(crate) use generate_files::make;
pub(crate) use pairs::{LARGE_PAIRS, Meshes, ModelPair, chosen};
pub(crate) use sampling::{Kind, Preset};
pub(crate) use scene::{ModelPairScene, TOLERANCE};

use crate::Bar;
use crate::arguments::at_least_one;
use crate::folders::target;

/// Place two models at given distances and shared volumes, as files with the queries of every engine
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make the files
    Generate(GenerateArgs),
    /// Read the files and ask other engines about every configuration
    Check(CheckArgs),
    /// Say how many configurations each preset has, without any query
    Count,
}

/// Which files.
#[derive(Clone, Debug, clap::Args)]
struct Files {
    #[arg(long, value_enum, default_value = "everyday")]
    preset: Preset,
    /// Only these pairs of models
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pairs: Vec<String>,
    /// Only distances, or only volumes
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Where the files are [default: target/configurations/PRESET]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// [default: as many as there are cores]
    #[arg(long, value_parser = at_least_one)]
    threads: Option<usize>,
}

#[derive(Debug, clap::Args)]
struct GenerateArgs {
    #[command(flatten)]
    files: Files,
    /// Go on with files that were interrupted, and leave whole ones alone; damaged ones are set aside as FILE.damaged and made anew
    #[arg(long)]
    resume: bool,
    /// Take only every so many-th configuration
    #[arg(long, default_value_t = 1, value_parser = at_least_one)]
    stride: usize,
}

#[derive(Debug, clap::Args)]
struct CheckArgs {
    #[command(flatten)]
    files: Files,
    /// Ask about every so many-th distance only
    #[arg(long, default_value_t = 1, value_parser = at_least_one)]
    distances: usize,
    /// Ask about every so many-th volume only
    #[arg(long, default_value_t = 1, value_parser = at_least_one)]
    volumes: usize,
    /// Ask a peer instead of our own engines: this one about distances, and Manifold about volumes
    #[arg(long, value_name = "ENGINE")]
    peer: Option<String>,
    /// Take what an earlier check found about files that are still the same, and ask about the others only
    #[arg(long)]
    resume: bool,
    /// Ask about nothing: put together what earlier checks found about files that are still the same, and say which were not checked
    #[arg(long)]
    kept: bool,
    /// Folder for configurations.sheet.json; of a check by a peer, or of less than everything, the sheet is called after that [default: target/records]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    match &args.action {
        Action::Generate(args) => generate_files::generate_all(args),
        Action::Check(args) => check_files::check_all(args),
        Action::Count => Ok(count::count()),
    }
}

impl Files {
    fn folder(&self) -> PathBuf {
        let default = || folder_of(self.preset.name());
        self.folder.clone().unwrap_or_else(default)
    }

    fn kinds(&self) -> Vec<Kind> {
        self.kind.map_or(Kind::ALL.to_vec(), |kind| vec![kind])
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(cores)
    }
}

/// The default folder of a preset's files.
pub(crate) fn folder_of(preset: &str) -> PathBuf {
    target().join("configurations").join(preset)
}

pub(crate) fn cores() -> usize {
    crate::thread_cpu_time::cores()
}

/// `blob.volume.conf`.
fn file_name(pair: &str, kind: Kind) -> String {
    format!("{pair}.{}.conf", kind.name())
}
