//! Figures in records, found by part and by the words of a row or a bar.

use crate::report::collect_records::{Collection, ReportPart};
use crate::report::text_format::{quantity, significant};
use crate::result_sheet::{Cell, Claim, Table};

pub(super) fn holds(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// A row of a table, in the part that it is in.
#[derive(Clone, Copy)]
pub(super) struct PartRow<'c> {
    pub(super) part: &'c ReportPart,
    pub(super) table: &'c Table,
    pub(super) cells: &'c [Cell],
}

impl<'c> PartRow<'c> {
    /// The number in the first column of that name.
    pub(super) fn number(self, column: &str) -> Option<f64> {
        let at = self.table.columns.iter().position(|c| c == column)?;
        match self.cells.get(at)? {
            Cell::Number(x) => Some(*x),
            _ => None,
        }
    }

    pub(super) fn text(self, column: &str) -> Option<&'c str> {
        let at = self.table.columns.iter().position(|c| c == column)?;
        match self.cells.get(at)? {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its numbers with the names of their columns.
    pub(super) fn numbers(self) -> impl Iterator<Item = (&'c str, f64)> {
        let columns = self.table.columns.iter();
        columns
            .zip(self.cells)
            .filter_map(|(column, cell)| match cell {
                Cell::Number(x) => Some((column.as_str(), *x)),
                _ => None,
            })
    }
}

/// All rows of the newest part of a name that has some with these words in their cells or their table's title.
pub(super) fn rows<'c>(collection: &'c Collection, name: &str, words: &[&str]) -> Vec<PartRow<'c>> {
    for part in collection.parts_of(name) {
        let all = part.sheet.tables.iter().flat_map(|table| {
            table.rows.iter().map(move |cells| PartRow {
                part,
                table,
                cells: cells.as_slice(),
            })
        });
        let found: Vec<PartRow> = all
            .filter(|row| {
                let mut line = row.table.title.clone();
                for cell in row.cells {
                    if let Cell::Text(text) = cell {
                        line += " ";
                        line += text;
                    }
                }
                holds(&(line + " "), words)
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

pub(super) fn row<'c>(
    collection: &'c Collection,
    name: &str,
    words: &[&str],
) -> Option<PartRow<'c>> {
    rows(collection, name, words).first().copied()
}

pub(super) fn bar<'c>(
    collection: &'c Collection,
    name: &str,
    words: &[&str],
) -> Option<(&'c ReportPart, &'c Claim)> {
    collection.parts_of(name).into_iter().find_map(|part| {
        let claims = &part.sheet.bars;
        let claim = claims
            .iter()
            .find(|bar| holds(&format!("{} {}", bar.claim, bar.reached), words))?;
        Some((part, claim))
    })
}

/// What a bar found, without its target.
pub(super) fn reached(claim: &Claim) -> String {
    let said = claim.claim.split(", asked").next().unwrap_or_default();
    match claim.reached.as_str() {
        "" => said.to_owned(),
        reached => format!("{said}: {reached}"),
    }
}

pub(super) fn ms(x: f64) -> String {
    quantity(x, "ms")
}

pub(super) fn us(x: f64) -> String {
    quantity(x, "µs")
}

pub(super) fn three(x: f64) -> String {
    significant(x, 3)
}

/// How ours does beside whoever comes nearest to it in a row of ratios.
pub(super) fn beside(row: PartRow) -> Option<String> {
    let (peer, least) = row.numbers().min_by(|p, q| p.1.total_cmp(&q.1))?;
    Some(if least >= 1.0 {
        format!(
            "{} times as fast as {peer}, the fastest of {} others",
            three(least),
            row.numbers().count()
        )
    } else {
        format!("{peer} is {} times as fast", three(1.0 / least))
    })
}

/// The same, said of a place.
pub(super) fn beside_where(place: &str, row: PartRow) -> Option<String> {
    Some(format!("{place} {}", beside(row)?))
}

pub(super) const RATIOS: &str = "how many times faster ours answers";

/// How ours does over prescribed gaps or volumes, beside the exact engine that comes nearest.
pub(super) fn prescribed(collection: &Collection, question: &str) -> Option<String> {
    let all = rows(
        collection,
        "performance",
        &[question, "engines over all pairs"],
    );
    let mean = |row: &PartRow| row.number("mean (µs, geometric)");
    let exact = |row: &&PartRow| row.text("engine").is_some_and(|name| !is_approximate(name));
    let ours = all.first().filter(exact)?;
    let next = all.iter().skip(1).filter(exact);
    let next = next.min_by(|p, q| {
        let of = |row: &PartRow| mean(row).unwrap_or(f64::INFINITY);
        of(p).total_cmp(&of(q))
    })?;
    Some(format!(
        "over prescribed placements {} on the mean, `{}` as the next exact one {}",
        us(mean(ours)?),
        next.text("engine")?,
        us(mean(next)?)
    ))
}

/// Whether an engine may be wrong, by its name in plots and tables.
pub(in crate::report) fn is_approximate(name: &str) -> bool {
    name.contains("(approximate)") || name.starts_with("average")
}

pub(super) fn with(mut words: String, more: Option<String>) -> String {
    if let Some(more) = more {
        words += "; ";
        words += &more;
    }
    words
}

/// From the least to the largest.
pub(super) fn range(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    let most = values.iter().copied().max_by(f64::total_cmp)?;
    Some((least, most))
}
