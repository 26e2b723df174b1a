//! `impinge-bench report`: everything a folder of records holds, as one page that needs nothing else.
//!
//! **Question.** What did the benchmarks find, on which machine, how sure is it, and how does one find it again?
//! **Idea.** Whatever was recorded becomes sheets of plots, tables and bars; a page, pictures and tables are made of sheets alone. The page
//! holds every plot twice: as a picture for readers without scripts and for paper, and as numbers that a script
//! draws again when somebody points, hides, zooms or changes an axis.
//! **Promise.** Equal records give equal bytes. A file that cannot be trusted is named in the page and left out. All text of records is
//! escaped, and the page forbids itself to load anything.

mod advice;
mod collect_records;
mod csv;
mod figure;
mod from_aligned;
mod from_csv;
mod from_lines;
mod from_rigid;
mod from_scenario;
mod from_text;
mod guide;
mod heat_figure;
mod line_patterns;
mod markdown;
mod page;
mod palette;
mod png;
mod replaced_bars;
mod row_figure;
mod scale;
mod table_plots;
mod text_format;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::Context;

pub(crate) use collect_records::{Collection, Machine, ReportPart, folders, gather, gather_newest};
pub(crate) use from_text::{bars, open_bars};
pub(crate) use text_format::{clipped, seconds_per, significant};

use crate::Bar;
use crate::engines::root;
use figure::Form;

/// What is said of a bar that was neither met nor missed, whether nothing was measured or not enough.
pub(crate) const OPEN: &str = "open: this run does not decide it";

/// Write what the records say as one page, as pictures, as tables
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of records [default: of each part the newest record below records/]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Where the page goes [default: report.html in the current folder, unless another form is requested]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write each plot as a picture into this folder
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,
    /// Write each plot as a PNG of twice its size into this folder; needs chromium
    #[arg(long, value_name = "FOLDER")]
    png: Option<PathBuf>,
    /// Write each plot, each table and all bars as CSV into this folder
    #[arg(long, value_name = "FOLDER")]
    csv: Option<PathBuf>,
    /// Write all sheets into one JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write docs/guide/which-engine.md of the checkout around the current folder (elsewhere which-engine.md), or the file after -o, from the records
    #[arg(long)]
    guide: bool,
    /// With --guide: write nothing, but fail unless the page is the one of these records
    #[arg(long, requires = "guide")]
    check: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let collection = match &args.records {
        Some(folder) => gather(folder)?,
        None => {
            let mut collection = gather_newest(&all_records())?;
            let published = crate::published::sheet(&collection)?;
            collection.insert(published);
            collection
        }
    };
    for refused in &collection.refused {
        eprintln!("left out: {}: {}", refused.file, refused.reason);
    }
    anyhow::ensure!(
        !collection.parts.is_empty(),
        "there is no record to show in {}",
        args.records.clone().unwrap_or_else(all_records).display()
    );
    if let Some(into) = &args.svg {
        let count = pictures(&collection, into)?;
        println!("{count} pictures are in {}", into.display());
    }
    if let Some(into) = &args.png {
        let count = png::write(&collection, into)?;
        println!("{count} pictures are in {}", into.display());
    }
    if let Some(into) = &args.csv {
        let count = csv::write(&collection, into)?;
        println!("{count} tables are in {}", into.display());
    }
    if let Some(file) = &args.json {
        let sheets: Vec<_> = collection.parts.iter().map(|part| &part.sheet).collect();
        save(file, &(serde_json::to_string_pretty(&sheets)? + "\n"))?;
        println!("{} holds every sheet", file.display());
    }
    if args.guide {
        return guide::run(&collection, args.output.as_deref(), args.check);
    }
    let other =
        args.svg.is_some() || args.png.is_some() || args.csv.is_some() || args.json.is_some();
    if !other || args.output.is_some() {
        let file = args
            .output
            .clone()
            .unwrap_or_else(|| PathBuf::from("report.html"));
        write_page(&collection, &file)?;
        println!("{} shows {}", file.display(), sources(&collection));
    }
    Ok(Bar::Met)
}

/// Writes the page of a folder.
pub(crate) fn write(folder: &Path, file: &Path) -> anyhow::Result<()> {
    write_page(&gather(folder)?, file)
}

fn write_page(collection: &Collection, file: &Path) -> anyhow::Result<()> {
    save(file, &page::page(collection))
}

/// Where the repository keeps its records.
pub(crate) fn all_records() -> PathBuf {
    root().join("records")
}

/// The newest folder of records in the repository.
pub(crate) fn newest_folder() -> anyhow::Result<PathBuf> {
    let mut folders = collect_records::folders(&all_records())?;
    Ok(folders.swap_remove(0))
}

/// The names of the folders that a collection comes from.
fn sources(collection: &Collection) -> String {
    let origins = collection.origins();
    let names: Vec<&str> = origins.iter().map(|o| o.folder.as_str()).collect();
    names.join(", ")
}

fn save(file: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = file.parent() {
        // What is in it need not be writable: the file may be a device.
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
    }
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

/// A name for the file of the k-th of several things of a part.
fn file_name(part: &ReportPart, k: usize, title: &str) -> String {
    let name = text_format::slug(&text_format::clipped(title, 60));
    format!(
        "{}-{:02}-{name}",
        text_format::slug(&part.sheet.name),
        k + 1
    )
}

fn pictures(collection: &Collection, folder: &Path) -> anyhow::Result<usize> {
    let mut count = 0;
    for part in &collection.parts {
        for (k, plot) in part.sheet.plots.iter().enumerate() {
            let file = format!("{}.svg", file_name(part, k, &plot.title));
            save(&folder.join(file), &figure::svg(plot, Form::Alone))?;
            count += 1;
        }
    }
    Ok(count)
}
