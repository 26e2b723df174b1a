//! `report --guide`: which engine when, from the records.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::advice::{self, is_approximate};
use super::collect_records::{Collection, Origin, ReportPart};
use super::replaced_bars::is_replaced;
use super::text_format::{quantity, seconds_per, significant};
use crate::Bar;
use crate::engines::{OURS, root};
use crate::folders::here;
use crate::own_runners::DEFAULT;
use crate::result_sheet::{Cell, Claim, Plot, Series, Table};
use crate::sample_statistics::distinct;

/// Where the page is in a checkout.
const PAGE: &str = "docs/guide/which-engine.md";
/// Its name elsewhere.
const NAME: &str = "which-engine.md";

/// Writes the page, or says whether it is the one of these records.
pub(super) fn run(
    collection: &Collection,
    output: Option<&Path>,
    is_check: bool,
) -> anyhow::Result<Bar> {
    let name = super::sources(collection);
    let text = guide(collection);
    let file = match output {
        Some(file) => file.to_owned(),
        None if is_check => root().join(PAGE),
        None => here().map_or_else(|| PathBuf::from(NAME), |root| root.join(PAGE)),
    };
    if is_check {
        let there = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let is_current = there == text;
        let state = if is_current { "is" } else { "is NOT" };
        println!("{} {state} the page of {name}", file.display());
        return Ok(if is_current { Bar::Met } else { Bar::Missed });
    }
    super::save(&file, &text)?;
    println!("{} shows {name}", file.display());
    Ok(Bar::Met)
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

pub(super) fn guide(collection: &Collection) -> String {
    let origins = collection.origins();
    let mut text = "# Which engine when\n\n".to_owned();
    match origins.as_slice() {
        [Origin { folder, .. }] => {
            let _ = write!(
                text,
                "Made from [records/{folder}](../../records/{folder}) by `impinge-bench report --guide`; do not edit it by hand.\n\
                 Measured on {}.\n",
                origins[0].words()
            );
        }
        several => {
            text.push_str(
                "Made by `impinge-bench report --guide`, each part from the newest records that hold it; do not edit it by hand.\n\n",
            );
            for origin in several {
                let folder = &origin.folder;
                let _ = writeln!(
                    text,
                    "- [records/{folder}](../../records/{folder}): {}",
                    origin.words()
                );
            }
        }
    }
    let _ = write!(
        text,
        "\nIf in doubt, take the default: `WideTree` for two meshes, `World` for many. The table says what to take for what, and the figure that says so;\n\
         below it is what each benchmark found. The engine called fastest is the fastest of those that are never wrong; engines that may be wrong stand beside, with\n\
         how wrong they were. What is unfair about comparing libraries is in [BIAS.md](../../crates/bench/BIAS.md).\n\n\
         ## What to take\n\n{}",
        advice::table(collection)
    );
    let is_mixed = origins.len() > 1;
    if let Some(part) = collection.part("scenario-1") {
        trees(&mut text, part, is_mixed);
    }
    if let Some(part) = collection.part("rigid") {
        peers(&mut text, part, is_mixed);
    }
    for part in &collection.parts {
        if ["scenario-1", "rigid", "published", "suite"].contains(&part.sheet.name.as_str()) {
            continue;
        }
        section(&mut text, part, is_mixed);
    }
    text
}

/// The heading of a section, and where its figures are from if those of others are from elsewhere.
fn heading(text: &mut String, title: &str, part: &ReportPart, is_mixed: bool) {
    let _ = write!(text, "\n## {title}\n\n");
    if is_mixed {
        let _ = write!(text, "Measured on {}", part.origin.words());
        if !part.sheet.preset.is_empty() {
            let _ = write!(text, ", preset {}", part.sheet.preset);
        }
        text.push_str(".\n\n");
    }
}

/// Lines of a part that are listed.
const MOST_LINES: usize = 6;

/// What one part says: who is fastest in its plots of engines, whose forces are best, what its bars about time found, and how many of all
/// were met.
fn section(text: &mut String, part: &ReportPart, is_mixed: bool) {
    let mut lines = fastest(part);
    lines.extend(forces(part));
    lines.extend(judged(part));
    lines.truncate(MOST_LINES);
    lines.extend(tally(part));
    lines.extend(part.sheet.open.iter().filter(|o| is_replaced(o)).cloned());
    if lines.is_empty() {
        return;
    }
    heading(text, &part.sheet.title, part, is_mixed);
    if !part.sheet.question.is_empty() {
        let _ = write!(text, "{}\n\n", part.sheet.question);
    }
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
}

/// Of each figure about forces, who is best among ours at equivalent resolutions, beside what was published.
fn forces(part: &ReportPart) -> Vec<String> {
    /// Columns before ours: the figure, and what two methods had.
    const PUBLISHED: usize = 3;
    let tables = part.sheet.tables.iter();
    let Some(table) = tables
        .filter(|_| part.sheet.name == "quality")
        .find(|table| table.title.starts_with("Published figures"))
    else {
        return Vec::new();
    };
    let of_row = |row: &Vec<Cell>| {
        let Some(Cell::Text(figure)) = row.first() else {
            return None;
        };
        // The noise is best at 1, all else at 0.
        let ideal = f64::from(u8::from(figure.starts_with("nu")));
        let ours = table.columns.iter().zip(row).skip(PUBLISHED);
        let (name, best) = ours
            .filter_map(|(name, cell)| match cell {
                Cell::Number(x) => Some((name, *x)),
                _ => None,
            })
            .min_by(|p, q| (p.1 - ideal).abs().total_cmp(&(q.1 - ideal).abs()))?;
        let published: Vec<String> = table
            .columns
            .iter()
            .zip(row)
            .take(PUBLISHED)
            .filter_map(|(name, cell)| match cell {
                Cell::Number(x) => Some(format!("{name} {}", significant(*x, 3))),
                _ => None,
            })
            .collect();
        Some(format!(
            "{figure}: `{name}` with {} ({})",
            significant(best, 3),
            published.join(", ")
        ))
    };
    table.rows.iter().filter_map(of_row).collect()
}

/// What the bars about time found, those that were missed first. Bars about truth are only counted.
fn judged(part: &ReportPart) -> Vec<String> {
    let mut bars: Vec<&Claim> = part
        .sheet
        .bars
        .iter()
        .filter(|bar| is_about_time(&format!("{} {}", bar.claim, bar.reached)))
        .collect();
    bars.sort_by_key(|bar| bar.is_met);
    let line = |bar: &&Claim| {
        let state = if bar.is_met { "met" } else { "missed" };
        if bar.reached.is_empty() {
            format!("{} ({state})", bar.claim)
        } else {
            format!("{}: {} ({state})", bar.claim, bar.reached)
        }
    };
    bars.iter().map(line).collect()
}

/// Whether a bar speaks of a time or of how much faster something is.
fn is_about_time(claim: &str) -> bool {
    let is_unit = |word: &str| ["ns", "µs", "ms", "s"].contains(&word);
    let is_ratio = |word: &str| {
        word.strip_suffix(['x', '×'])
            .is_some_and(|number| number.parse::<f64>().is_ok())
    };
    let words = claim.split([' ', ',', ':', '(', ')', ';']);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let is_timed = words
        .windows(2)
        .any(|pair| pair[0].parse::<f64>().is_ok() && is_unit(pair[1]));
    is_timed
        || words.iter().any(|word| is_ratio(word))
        || claim.contains("times as fast")
        || claim.contains("times faster")
}

/// How many bars were met, missed, left open, replaced since.
fn tally(part: &ReportPart) -> Option<String> {
    let bars = &part.sheet.bars;
    let met = bars.iter().filter(|bar| bar.is_met).count();
    let open = &part.sheet.open;
    let replaced = open.iter().filter(|open| is_replaced(open)).count();
    let mut left = match open.len() - replaced {
        0 => String::new(),
        open => format!(", {open} more {}", super::OPEN),
    };
    if replaced > 0 {
        let _ = write!(left, ", {replaced} not counted");
    }
    let all = bars.len();
    (all + open.len() > 0).then(|| format!("{met} of {all} bars met{left}"))
}

/// The best plain tree of each class beside the default, from the table of factors.
fn trees(text: &mut String, part: &ReportPart, is_mixed: bool) {
    let Some(table) = part.sheet.tables.first() else {
        return;
    };
    heading(
        text,
        "Two copies of a model, all pairs of faces",
        part,
        is_mixed,
    );
    let _ = write!(
        text,
        "The fastest plain tree of each class, and how `{DEFAULT}`, the default, compares (below 1: the default is faster). Geometric means\n\
         over gaps of 0 to 30 % of the diagonal, one thread.\n\n\
         | models | fastest plain tree | next | {DEFAULT} |\n|---|---|---|---|\n"
    );
    for (k, class) in table.columns.iter().enumerate().skip(1) {
        let mut ranked = column(table, k);
        let default = ranked.iter().position(|(name, _)| *name == DEFAULT);
        let own = default.map(|at| ranked.remove(at).1);
        ranked.sort_by(|x, y| x.1.total_cmp(&y.1));
        let shown = |at: usize| {
            ranked.get(at).map_or("–".to_owned(), |(name, times)| {
                if at == 0 {
                    format!("`{name}`")
                } else {
                    format!("`{name}`, {}×", significant(*times, 3))
                }
            })
        };
        let own = own.map_or("–".to_owned(), |x| format!("{}×", significant(x, 3)));
        let _ = writeln!(text, "| {class} | {} | {} | {own} |", shown(0), shown(1));
    }
}

/// Numbers of a column with the names of their rows.
fn column(table: &Table, k: usize) -> Vec<(&str, f64)> {
    table
        .rows
        .iter()
        .filter_map(|row| match (row.first()?, row.get(k)?) {
            (Cell::Text(name), Cell::Number(x)) => Some((name.as_str(), *x)),
            _ => None,
        })
        .collect()
}

fn peers(text: &mut String, part: &ReportPart, is_mixed: bool) {
    let Some(table) = part.sheet.tables.first() else {
        return;
    };
    heading(
        text,
        "Two rigid meshes, beside other libraries",
        part,
        is_mixed,
    );
    let _ = write!(
        text,
        "How many times faster the default engine answers; the smallest of a row is the closest competitor.\n\n| question |"
    );
    for column in table.columns.iter().skip(1) {
        let _ = write!(text, " {column} |");
    }
    let _ = writeln!(text);
    let _ = writeln!(text, "|---|{}", "---|".repeat(table.columns.len() - 1));
    for row in &table.rows {
        let _ = write!(text, "|");
        for cell in row {
            let _ = match cell {
                Cell::Number(x) => write!(text, " {}× |", significant(*x, 3)),
                Cell::Text(name) => write!(text, " {name} |"),
                Cell::Void { .. } => write!(text, " – |"),
            };
        }
        let _ = writeln!(text);
    }
}

/// Which engine is the fastest in each plot of engines, and where. Of a benchmark with plots of all pairs and of each, only the former.
fn fastest(part: &ReportPart) -> Vec<String> {
    let plots = &part.sheet.plots;
    let is_whole = |plot: &&Plot| plot.title.contains("All pairs");
    let has_whole = plots.iter().any(|plot| is_whole(&plot));
    plots
        .iter()
        .filter(|plot| seconds_per(&plot.y.unit).is_some() && is_about_engines(plot))
        .filter(|plot| !has_whole || is_whole(plot))
        .filter_map(|plot| {
            let colon = if plot.title.ends_with('?') { "" } else { ":" };
            Some(format!("{}{colon} {}", plot.title, lowest(part, plot)?))
        })
        .collect()
}

/// Whether the lines of a plot are engines and not models: one of them is what we would take.
fn is_about_engines(plot: &Plot) -> bool {
    let ours = [OURS, DEFAULT, "exact-volume"];
    plot.series.iter().any(|s| ours.contains(&s.name.as_str()))
}

/// The lowest measured line of exact engines over the ranges in which it is the lowest, and the approximate ones that are lower somewhere.
fn lowest(part: &ReportPart, plot: &Plot) -> Option<String> {
    let measured = || plot.series.iter().filter(|s| !s.is_published);
    let exact: Vec<&Series> = measured().filter(|s| !is_approximate(&s.name)).collect();
    if measured().count() < 2 || exact.is_empty() {
        return None;
    }
    let places = distinct(measured().flat_map(|s| s.points.iter().map(|p| p[0])));
    let at = |series: &Series, x: f64| {
        let point = series.points.iter().find(|p| p[0] == x);
        point.map(|p| p[1])
    };
    let best_at = |x: f64| {
        let here = exact
            .iter()
            .filter_map(|s| Some((s.name.as_str(), at(s, x)?)));
        here.min_by(|p, q| p.1.total_cmp(&q.1))
    };
    let mut ranges: Vec<(&str, f64, f64)> = Vec::new();
    for x in &places {
        // Where one stands alone nothing is won.
        if measured().filter(|s| at(s, *x).is_some()).count() < 2 {
            continue;
        }
        let Some((name, _)) = best_at(*x) else {
            continue;
        };
        match ranges.last_mut() {
            Some((last, _, to)) if *last == name => *to = *x,
            _ => ranges.push((name, *x, *x)),
        }
    }
    if ranges.is_empty() {
        return None;
    }
    let rows = plot.rows();
    let place = |x: f64| match rows.get(x as usize) {
        Some(row) => format!("\"{row}\""),
        None => quantity(x, &plot.x.unit),
    };
    let words: Vec<String> = ranges
        .iter()
        .map(|(name, from, to)| {
            if ranges.len() == 1 {
                format!("`{name}` everywhere")
            } else if from == to {
                format!("`{name}` at {}", place(*from))
            } else {
                format!("`{name}` from {} to {}", place(*from), place(*to))
            }
        })
        .collect();
    let mut line = format!("{} ({})", words.join(", "), plot.x.label);
    for series in measured().filter(|s| is_approximate(&s.name)) {
        let faster: Vec<f64> = places
            .iter()
            .filter_map(|x| Some(best_at(*x)?.1 / at(series, *x)?))
            .filter(|times| *times > 1.0)
            .collect();
        let Some(most) = faster.iter().copied().max_by(f64::total_cmp) else {
            continue;
        };
        let _ = write!(
            line,
            "; `{}` is up to {} times as fast, {}",
            series.name,
            significant(most, 3),
            error_of(part, plot, &series.name)
        );
    }
    Some(line)
}

/// How wrong an engine was, from the table about the same question or model as a plot.
fn error_of(part: &ReportPart, plot: &Plot, name: &str) -> String {
    let about = plot.title.split(['?', ':']).next().unwrap_or_default();
    let is_text = |cell: &Cell, text: &str| matches!(cell, Cell::Text(t) if t == text);
    for table in &part.sheet.tables {
        for row in &table.rows {
            let is_same = table.title.starts_with(about) || row.iter().any(|c| is_text(c, about));
            if !is_same || !row.iter().any(|c| is_text(c, name)) {
                continue;
            }
            let cells = table.columns.iter().zip(row);
            let mut errors = cells.filter_map(|(column, cell)| match cell {
                Cell::Number(x) if column.contains("error") || column.contains("wrong") => {
                    Some(format!("{column} {}", significant(*x, 3)))
                }
                _ => None,
            });
            if let Some(error) = errors.next() {
                return error;
            }
        }
    }
    "its error is not recorded".to_owned()
}
