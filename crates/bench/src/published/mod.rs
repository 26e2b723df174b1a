//! `impinge-bench published`: the figures of five theses next to ours.
//!
//! **Question.** What did others publish, and what do our records say about the same thing?
//! **Idea.** Files in `crates/bench/published` list every published figure, each with the places in
//! our records where its counterpart is: a bar, a row of a table, a line that a benchmark printed, or
//! several of these that belong together. What has no counterpart says why, and what is wrong in its
//! thesis names the row of `docs/errata.md`. Every table and every plot of a thesis has a figure. Each
//! part comes from the newest folder of records that holds it, and its day and machine are said.
//! **Limits.** Published times come from machines of 1994 to 2014 and often from lost models: ratios, errors and counts can be compared,
//! milliseconds cannot.

mod comparison_sheet;
mod counterpart;
#[cfg(test)]
mod coverage;
mod published_figure;
mod scaling;

use std::path::{Path, PathBuf};

use crate::Bar;
use crate::report::{all_records, gather, gather_newest, newest_folder};
pub(crate) use comparison_sheet::sheet;

/// Print the figures of five theses beside ours
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of records [default: of each part the newest record below records/]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Keep them as published.sheet.json in that folder, or in the newest
    #[arg(long)]
    save: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let collection = match &args.records {
        Some(folder) => gather(folder)?,
        None => gather_newest(&all_records())?,
    };
    let sheet = sheet(&collection)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&sheet)?);
    } else {
        comparison_sheet::print(&sheet);
    }
    if args.save {
        let folder = match &args.records {
            Some(folder) => folder.clone(),
            None => newest_folder()?,
        };
        println!("wrote {}", sheet.write(&folder)?.display());
    }
    Ok(Bar::Met)
}

/// Writes `published.sheet.json` beside the records of a folder.
pub(crate) fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    sheet(&gather(folder)?)?.write(folder)
}
