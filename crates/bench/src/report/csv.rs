//! Plots, tables and bars for other programs.

use std::fmt::Write as _;
use std::path::Path;

use super::collect_records::Collection;
use super::{file_name, save};
use crate::result_sheet::{Cell, Plot, Table};

/// A field, quoted where it has to be.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Writes a file for each plot and each table, and one for all bars; how many they are.
pub(super) fn write(collection: &Collection, folder: &Path) -> anyhow::Result<usize> {
    let mut count = 1;
    let mut bars = "part,claim,reached,met\n".to_owned();
    for part in &collection.parts {
        for bar in &part.sheet.bars {
            // Writing to a string cannot fail.
            let _ = writeln!(
                bars,
                "{},{},{},{}",
                field(&part.sheet.name),
                field(&bar.claim),
                field(&bar.reached),
                u8::from(bar.is_met)
            );
        }
        for claim in &part.sheet.open {
            // Neither met nor missed.
            let _ = writeln!(bars, "{},{},,open", field(&part.sheet.name), field(claim));
        }
        for (k, found) in part.sheet.plots.iter().enumerate() {
            let file = format!("{}.csv", file_name(part, k, &found.title));
            save(&folder.join(file), &plot(found))?;
            count += 1;
        }
        for (k, found) in part.sheet.tables.iter().enumerate() {
            let file = format!("{}-table.csv", file_name(part, k, &found.title));
            save(&folder.join(file), &table(found))?;
            count += 1;
        }
    }
    save(&folder.join("bars.csv"), &bars)?;
    Ok(count)
}

fn plot(plot: &Plot) -> String {
    let with_unit = |axis: &crate::result_sheet::Axis| {
        field(&if axis.unit.is_empty() {
            axis.label.clone()
        } else {
            format!("{} ({})", axis.label, axis.unit)
        })
    };
    let mut text = format!(
        "series,{},{},low,high,published{}\n",
        with_unit(&plot.x),
        with_unit(&plot.y),
        if plot.is_heat_map() { ",dB" } else { "" }
    );
    for series in &plot.series {
        for (k, [x, y]) in series.points.iter().enumerate() {
            let spread = series
                .spread
                .get(k)
                .map_or(",".to_owned(), |[low, high]| format!("{low},{high}"));
            // Rows have names where others have numbers.
            let x = match series.names.get(k).filter(|_| !series.is_scatter) {
                Some(name) => field(name),
                None => x.to_string(),
            };
            let strength = series.decibels.get(k);
            let strength = strength.map_or(String::new(), |decibels| format!(",{decibels}"));
            let _ = writeln!(
                text,
                "{},{x},{y},{spread},{}{strength}",
                field(&series.name),
                u8::from(series.is_published)
            );
        }
    }
    text
}

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let mut text = line(table.columns.iter().map(|c| field(c)).collect());
    for row in &table.rows {
        text.push_str(&line(
            row.iter()
                .map(|cell| match cell {
                    Cell::Number(x) => x.to_string(),
                    Cell::Text(text) => field(text),
                    Cell::Void { .. } => String::new(),
                })
                .collect(),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::field;

    #[test]
    fn commas_and_quotes_stay_within_their_field() {
        assert_eq!(field("a"), "a");
        assert_eq!(field("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
