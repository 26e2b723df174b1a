//! `report --guide`: which engine when, from the records.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;

use super::gather::{Collection, Origin, Part};
use super::words::{quantity, seconds_per, significant};
use crate::Bar;
use crate::engines::root;
use crate::ours::DEFAULT;
use crate::sheet::{Cell, Plot, Table};

const PAGE: &str = "docs/guide/which-engine.md";

/// Writes the page, or says whether it is the one of these records.
pub(super) fn run(
    collection: &Collection,
    output: Option<&Path>,
    is_check: bool,
) -> anyhow::Result<Bar> {
    let name = super::sources(collection);
    let text = guide(collection);
    let file = output.map_or_else(|| root().join(PAGE), Path::to_owned);
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
    text.push_str(
        "\nIf in doubt, take the default: `WideTree` for two meshes, `World` for many. The rest of this page says where the records\n\
         show something else.\n",
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
fn heading(text: &mut String, title: &str, part: &Part, is_mixed: bool) {
    let _ = write!(text, "\n## {title}\n\n");
    if is_mixed {
        let _ = write!(text, "Measured on {}", part.origin.words());
        if !part.sheet.preset.is_empty() {
            let _ = write!(text, ", preset {}", part.sheet.preset);
        }
        text.push_str(".\n\n");
    }
}

/// Parts whose bars say which way to go, where they have no plot of times: forces, volumes, clouds, many bodies, what deforms, what is likely.
const JUDGED: [&str; 9] = [
    "quality",
    "volume",
    "exact-volume",
    "clouds",
    "cloud-pairs",
    "bodies",
    "deform",
    "average",
    "convex-speed",
];
/// Bars of a part that are listed.
const MOST_BARS: usize = 16;

/// What one part says: who is lowest in its plots of times, whose forces are best, else what its bars found.
fn section(text: &mut String, part: &Part, is_mixed: bool) {
    let mut lines = fastest(part);
    lines.extend(forces(part));
    let name = part.sheet.name.as_str();
    let is_judged = JUDGED.iter().any(|judged| {
        let rest = name.strip_prefix(judged);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    });
    if lines.is_empty() && is_judged {
        lines = judged(part);
    }
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
fn forces(part: &Part) -> Vec<String> {
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

/// What the bars of a part found, each in a line.
fn judged(part: &Part) -> Vec<String> {
    let bars = part.sheet.bars.iter().map(|bar| {
        let state = if bar.is_met { "met" } else { "missed" };
        if bar.reached.is_empty() {
            format!("{} ({state})", bar.claim)
        } else {
            format!("{}: {} ({state})", bar.claim, bar.reached)
        }
    });
    let open = part.sheet.open.iter();
    let mut lines: Vec<String> = bars
        .chain(open.map(|claim| format!("{claim} ({})", super::OPEN)))
        .collect();
    if lines.len() > MOST_BARS {
        let more = lines.len() - MOST_BARS;
        lines.truncate(MOST_BARS);
        lines.push(format!("and {more} more in the records"));
    }
    lines
}

/// The best plain tree of each class beside the default, from the table of factors.
fn trees(text: &mut String, part: &Part, is_mixed: bool) {
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

fn peers(text: &mut String, part: &Part, is_mixed: bool) {
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
        "How many times faster the default engine answers; the least of a row is whom to look at. What is unfair about it is in\n\
         [BIAS.md](../../crates/bench/BIAS.md).\n\n| question |"
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

/// Which line of each plot of times is the lowest, and where.
fn fastest(part: &Part) -> Vec<String> {
    let mut lines = Vec::new();
    for plot in &part.sheet.plots {
        if seconds_per(&plot.y.unit).is_some() {
            lines.extend(lowest(plot).map(|line| format!("{}: {line}", plot.title)));
        }
    }
    lines
}

/// The lowest measured line over the ranges in which it is the lowest.
fn lowest(plot: &Plot) -> Option<String> {
    let measured: Vec<_> = plot.series.iter().filter(|s| !s.is_published).collect();
    if measured.len() < 2 {
        return None;
    }
    let mut places: Vec<f64> = measured
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p[0]))
        .collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut ranges: Vec<(&str, f64, f64)> = Vec::new();
    for x in places {
        let here = measured.iter().filter_map(|s| {
            let point = s.points.iter().find(|p| p[0] == x)?;
            Some((s.name.as_str(), point[1]))
        });
        let here: Vec<_> = here.collect();
        // Where one stands alone nothing is won.
        if here.len() < 2 {
            continue;
        }
        let Some((name, _)) = here.into_iter().min_by(|p, q| p.1.total_cmp(&q.1)) else {
            continue;
        };
        match ranges.last_mut() {
            Some((last, _, to)) if *last == name => *to = x,
            _ => ranges.push((name, x, x)),
        }
    }
    if ranges.is_empty() {
        return None;
    }
    let at = |x: f64| quantity(x, &plot.x.unit);
    let words: Vec<String> = ranges
        .iter()
        .map(|(name, from, to)| {
            if ranges.len() == 1 {
                format!("`{name}` everywhere")
            } else if from == to {
                format!("`{name}` at {}", at(*from))
            } else {
                format!("`{name}` from {} to {}", at(*from), at(*to))
            }
        })
        .collect();
    Some(format!("{} ({})", words.join(", "), plot.x.label))
}
