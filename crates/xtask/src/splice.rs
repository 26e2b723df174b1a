//! `cargo xtask splice`: the newest records, between their markers in the front page.
//!
//! The benchmark program writes a fragment beside its records. The front page shows its chart, its table without the targets, the
//! targets that were missed in one sentence, and where it was measured; the record and the report have the rest. So the
//! numbers in the front page are those of a committed record, and the documents step fails when they are not.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::shell::root;

const PAGE: &str = "README.md";
const BEGIN: &str = "<!-- rigid -->\n";
const END: &str = "<!-- /rigid -->";
const PICTURE: &str = "docs/images/rigid.svg";

/// Writes the newest fragment into the front page.
pub(crate) fn run() -> anyhow::Result<()> {
    let path = root().join(PAGE);
    let page = read(&path)?;
    let Some((source, fragment)) = newest()? else {
        bail!("no record has a rigid.md: `impinge-bench run rigid` makes one");
    };
    std::fs::write(&path, spliced(&page, &fragment)?)?;
    println!("{PAGE} shows {}", source.display());
    Ok(())
}

/// Fails unless the front page shows the newest fragment; without any record there is nothing to show.
pub(crate) fn is_current() -> anyhow::Result<()> {
    let page = read(&root().join(PAGE))?;
    let Some((source, fragment)) = newest()? else {
        println!("no record to be shown");
        return Ok(());
    };
    if spliced(&page, &fragment)? != page {
        bail!(
            "{PAGE} does not show {}: `cargo xtask splice` mends it",
            source.display()
        );
    }
    println!("{PAGE} shows the newest record");
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The newest fragment, with the picture before it.
fn newest() -> anyhow::Result<Option<(PathBuf, String)>> {
    let Ok(folders) = std::fs::read_dir(root().join("records")) else {
        return Ok(None);
    };
    let mut files: Vec<PathBuf> = folders
        .filter_map(|entry| Some(entry.ok()?.path().join("rigid.md")))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    let Some(file) = files.pop() else {
        return Ok(None);
    };
    let mut fragment = String::new();
    if root().join(PICTURE).is_file() {
        fragment.push_str(&format!(
            "![Times faster than each peer, by question]({PICTURE})\n\n"
        ));
    }
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    let source = format!("records/{}/rigid.md", folder.to_string_lossy());
    fragment.push_str(&shortened(&read(&file)?, &source)?);
    Ok(Some((file, fragment)))
}

/// The record without its targets: the table, the targets that were missed, the machine.
fn shortened(record: &str, source: &str) -> anyhow::Result<String> {
    let mut table = Vec::new();
    let mut missed = Vec::new();
    let mut keep: Vec<bool> = Vec::new();
    let mut targets = 0;
    let mut measured = None;
    let mut last = None;
    for line in record.lines() {
        if let Some(row) = line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            if keep.is_empty() {
                // A verdict has no heading.
                keep = cells
                    .iter()
                    .map(|cell| !["bar", ""].contains(cell))
                    .collect();
            } else if let Some(verdict) = cells.last()
                && ["met", "missed"].contains(verdict)
            {
                targets += 1;
                if *verdict == "missed" {
                    missed.push(missed_row(&cells));
                }
            }
            // One row a question, that of the first peer: the column of the fastest other tells the rest.
            let is_again = cells.first().is_some_and(|name| Some(*name) == last);
            last = cells.first().copied();
            if is_again {
                continue;
            }
            let shown = cells.iter().zip(&keep).filter(|(_, keep)| **keep);
            let shown: Vec<&str> = shown.map(|(cell, _)| *cell).collect();
            table.push(format!("| {} |", shown.join(" | ")));
        } else if let Some(item) = line.strip_prefix("- ") {
            targets += 1;
            if let Some(item) = item.strip_suffix(": missed") {
                missed.push(without_figures(item));
            }
        } else if line.starts_with("Measured on ") {
            measured = Some(line);
        }
    }
    let Some(measured) = measured.filter(|_| table.len() > 2) else {
        bail!("{source} has no table or does not say where it was measured");
    };
    let sentence = if missed.is_empty() {
        format!("All {targets} of our own targets were met")
    } else {
        let list = missed.join("; ");
        format!("Missed, of {targets} targets of our own: {list}")
    };
    let table = table.join("\n");
    Ok(format!(
        "{table}\n\n{sentence} ([all]({source})). {measured}\n"
    ))
}

/// The text without what stands in parentheses.
fn without_figures(text: &str) -> String {
    let mut kept = String::new();
    for (i, piece) in text.split(" (").enumerate() {
        kept += if i == 0 {
            piece
        } else {
            piece.split_once(')').map_or("", |(_, rest)| rest)
        };
    }
    kept
}

/// "name (6.7× instead of 8×)", by the ratio that falls short of its target the most.
fn missed_row(cells: &[&str]) -> String {
    let number = |cell: &str| cell.trim_end_matches('×').parse::<f64>().ok();
    let shortfalls = cells.windows(2).filter_map(|pair| {
        let [ratio, target] = [number(pair.first()?)?, number(pair.get(1)?)?];
        (ratio < target).then(|| {
            (
                ratio / target,
                format!("{} instead of {}", pair[0], pair[1]),
            )
        })
    });
    let name = cells.first().copied().unwrap_or_default();
    match shortfalls.min_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, why)) => format!("{name} ({why})"),
        None => name.to_owned(),
    }
}

/// The page with the fragment between its markers.
fn spliced(page: &str, fragment: &str) -> anyhow::Result<String> {
    let (before, rest) = page
        .split_once(BEGIN)
        .with_context(|| format!("{PAGE} has no line `{}`", BEGIN.trim_end()))?;
    let (_, after) = rest
        .split_once(END)
        .with_context(|| format!("{PAGE} has no line `{END}` after `{}`", BEGIN.trim_end()))?;
    Ok(format!("{before}{BEGIN}{fragment}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::{shortened, spliced};

    #[test]
    fn targets_are_left_out_and_those_missed_are_named() {
        let record = "| two | ours | than FCL | bar | than others | bar | |\n|---|---|---|---|---|---|---|\n\
            | any | 7 µs | 12.0× | 8× | 9.0× | 8× | met |\n| all | 8 µs | 15.0× | 8× | 6.7× | 8× | missed |\n\n\
            - small (72): met\n- fast (3 beside 2 ms): missed\n\nMeasured on a day: [records](r).\n";
        let short = shortened(record, "r/rigid.md").unwrap();
        assert_eq!(
            short,
            "| two | ours | than FCL | than others |\n| --- | --- | --- | --- |\n| any | 7 µs | 12.0× | 9.0× |\n\
             | all | 8 µs | 15.0× | 6.7× |\n\nMissed, of 4 targets of our own: all (6.7× instead of 8×); fast \
             ([all](r/rigid.md)). Measured on a day: [records](r).\n"
        );
        assert!(shortened("nothing", "r").is_err());
    }

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let page = "a\n<!-- rigid -->\nold\n<!-- /rigid -->\nb\n";
        let new = spliced(page, "new\n").unwrap();
        assert_eq!(new, "a\n<!-- rigid -->\nnew\n<!-- /rigid -->\nb\n");
        assert_eq!(spliced(&new, "new\n").unwrap(), new);
        assert!(spliced("no markers", "new\n").is_err());
    }
}
