//! `impinge-bench missed`: every bar that a folder of records missed or left open, from the records
//! themselves.
//!
//! The page of a folder has the list between two markers, so that nobody chooses what to own up to;
//! a test holds the pages to it.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::Bar;
use crate::report::{all_records, folders, gather};

/// Lines between which the list stands.
const MARKERS: [&str; 2] = ["<!-- missed -->", "<!-- /missed -->"];

/// List the bars that records missed or left open
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of records [default: all below records/]
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Write the list into the folder's README.md, between its markers
    #[arg(long)]
    splice: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Bar> {
    let folders = match &args.records {
        Some(folder) => vec![folder.clone()],
        None => folders(&all_records())?,
    };
    for folder in folders {
        let list = list(&folder)?;
        if args.splice {
            let page = folder.join("README.md");
            let text = std::fs::read_to_string(&page)
                .with_context(|| format!("cannot read {}", page.display()))?;
            let text = spliced(&text, &list)
                .with_context(|| format!("{} has no markers {MARKERS:?}", page.display()))?;
            std::fs::write(&page, text)
                .with_context(|| format!("cannot write {}", page.display()))?;
            println!("wrote {}", page.display());
        } else {
            println!("{}\n\n{list}", folder.display());
        }
    }
    Ok(Bar::Met)
}

/// What a folder missed and left open, as Markdown.
fn list(folder: &Path) -> anyhow::Result<String> {
    let collection = gather(folder)?;
    let (mut missed, mut open) = (Vec::new(), Vec::new());
    let (mut met, mut all) = (0, 0);
    for part in &collection.parts {
        // What was made of other parts, or runs them again small, has no bars of its own.
        if matches!(part.sheet.name.as_str(), "published" | "suite") {
            continue;
        }
        for bar in &part.sheet.bars {
            all += 1;
            met += usize::from(bar.is_met);
            if !bar.is_met {
                let reached = if bar.reached.is_empty() {
                    String::new()
                } else {
                    format!(": {}", bar.reached)
                };
                missed.push(format!("- `{}`: {}{reached}", part.sheet.name, bar.claim));
            }
        }
        for claim in &part.sheet.open {
            open.push(format!("- `{}`: {claim}", part.sheet.name));
        }
    }
    let told = |lines: Vec<String>, none: &str| {
        if lines.is_empty() {
            format!("- {none}")
        } else {
            lines.join("\n")
        }
    };
    Ok(format!(
        "{met} of {all} bars were met. Missed ({}):\n\n{}\n\nLeft open ({}):\n\n{}",
        missed.len(),
        told(missed, "none"),
        open.len(),
        told(open, "none")
    ))
}

/// A page with the list between its markers; none without them.
fn spliced(page: &str, list: &str) -> Option<String> {
    let (before, rest) = page.split_once(MARKERS[0])?;
    let (_, after) = rest.split_once(MARKERS[1])?;
    let [begin, end] = MARKERS;
    Some(format!("{before}{begin}\n{list}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::{all_records, folders, list, spliced};

    #[test]
    fn the_pages_of_records_own_up_to_every_bar_that_was_missed() {
        for folder in folders(&all_records()).unwrap() {
            let page = std::fs::read_to_string(folder.join("README.md")).unwrap();
            let whole = spliced(&page, &list(&folder).unwrap());
            assert_eq!(
                whole.as_deref(),
                Some(page.as_str()),
                "`impinge-bench missed --splice` mends {}",
                folder.display()
            );
        }
    }

    #[test]
    fn what_was_missed_and_left_open_is_listed_with_its_part() {
        let folder = std::env::temp_dir().join(format!("impinge-missed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "bar: as fast as light: missed\nbar: as small as dust: met\nbar: as good as gold: open\n";
        std::fs::write(folder.join("planes.txt"), text).unwrap();
        let list = list(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(
            list.starts_with("1 of 2 bars were met. Missed (1):"),
            "{list}"
        );
        assert!(list.contains("- `planes`: as fast as light"), "{list}");
        assert!(
            list.contains("Left open (1):\n\n- `planes`: as good as gold"),
            "{list}"
        );
    }

    #[test]
    fn a_page_without_markers_is_not_touched() {
        assert_eq!(spliced("a page", "list"), None);
        let page = "a\n<!-- missed -->\nold\n<!-- /missed -->\nb\n";
        let new = "a\n<!-- missed -->\nnew\n<!-- /missed -->\nb\n";
        assert_eq!(spliced(page, "new").as_deref(), Some(new));
    }
}
