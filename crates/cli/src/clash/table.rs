//! Clashes as a table for people, and as CSV.

use std::fmt::Write;

use super::record::{ClashRecord, DepthRecord};
use super::report::Report;
use crate::number;

/// Bounds so near each other are told as one number.
const CLOSE: f64 = 1.01;
/// Columns of the CSV file.
const HEADER: &str = "rank,id,kind,status,a,b,depth_lower,depth_upper,distance,x,y,z\n";

/// What is said first.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let gathered = &report.gathered;
    let (meshes, own_faces) = gathered.meshes();
    let faces = gathered.faces();
    let mut first = format!(
        "{}, {}",
        number::count_of(gathered.parts.len(), "part", "parts"),
        number::count_of(faces, "face", "faces")
    );
    if own_faces < faces {
        let _ = write!(
            first,
            " ({} in {})",
            number::count(own_faces),
            number::count_of(meshes, "mesh", "meshes")
        );
    }
    let _ = write!(
        first,
        "; {} of parts whose boxes come near",
        number::count_of(report.pairs, "pair", "pairs")
    );
    let mut lines = vec![first];
    let kinds: Vec<String> = report
        .counts()
        .iter()
        .map(|(kind, count)| format!("{} {kind}", number::count(*count)))
        .collect();
    lines.push(if kinds.is_empty() {
        "no clashes".to_owned()
    } else {
        let total = number::count_of(report.clashes.len(), "clash", "clashes");
        format!("{total}: {}", kinds.join(", "))
    });
    if let Some(before) = &report.before {
        let mut line = format!(
            "since the baseline: {} new, {} persisting, {} resolved",
            report.with_status("new"),
            report.with_status("persisting"),
            before.resolved.len()
        );
        if !before.unchecked.is_empty() {
            let _ = write!(line, ", {} unchecked", before.unchecked.len());
        }
        lines.push(line);
    }
    if !report.is_complete {
        lines.push("the search was ended early: there may be more".to_owned());
    }
    lines
}

/// The first rows, columns aligned.
pub(super) fn rows(records: &[ClashRecord], shown: usize) -> Vec<String> {
    let mut cells = vec![["", "kind", "depth", "gap", "a", "b", ""].map(str::to_owned)];
    for (rank, record) in (1..).zip(records).take(shown) {
        cells.push([
            rank.to_string(),
            record.kind.clone(),
            depth(record),
            gap(record),
            record.a.name.clone(),
            record.b.name.clone(),
            record.status.clone().unwrap_or_default(),
        ]);
    }
    if cells.len() == 1 {
        return Vec::new();
    }
    let width = |column: usize| {
        let widths = cells.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; 7] = std::array::from_fn(width);
    let line = |row: &[String; 7]| {
        let mut line = String::from(" ");
        for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
            let fill = " ".repeat(width - cell.chars().count());
            // Numbers stand to the right.
            if matches!(column, 0 | 2 | 3) {
                let _ = write!(line, " {fill}{cell} ");
            } else {
                let _ = write!(line, " {cell}{fill} ");
            }
        }
        line.trim_end().to_owned()
    };
    cells.iter().map(line).collect()
}

/// The depth in words: a dash where there is none, a question mark where it is not known.
pub(super) fn depth(record: &ClashRecord) -> String {
    match (record.kind.as_str(), record.depth) {
        ("crossing" | "contained", Some(depth)) => measured(depth),
        ("crossing" | "contained", None) => "?".to_owned(),
        _ => "–".to_owned(),
    }
}

/// A depth, or what it is at least when its bounds are far apart.
pub(super) fn measured(depth: DepthRecord) -> String {
    if depth.upper <= CLOSE * depth.lower {
        number::measure(depth.upper)
    } else {
        format!("≥ {}", number::measure(depth.lower))
    }
}

/// The distance in words: a dash where the surfaces meet.
pub(super) fn gap(record: &ClashRecord) -> String {
    if record.distance > 0.0 {
        number::measure(record.distance)
    } else {
        "–".to_owned()
    }
}

/// All clashes as CSV, those of the baseline that are no more behind them.
pub(super) fn csv(report: &Report) -> String {
    let mut text = HEADER.to_owned();
    for (rank, record) in (1..).zip(&report.records) {
        row(&mut text, Some(rank), record);
    }
    for record in report
        .before
        .iter()
        .flat_map(|before| before.resolved.iter().chain(&before.unchecked))
    {
        row(&mut text, None, record);
    }
    text
}

fn row(text: &mut String, rank: Option<usize>, record: &ClashRecord) {
    let number = |x: Option<f64>| x.map(|x| x.to_string()).unwrap_or_default();
    let [x, y, z] = middle(record);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{},{},{},{},{},{},{},{},{},{x},{y},{z}",
        rank.map(|rank| rank.to_string()).unwrap_or_default(),
        record.id,
        record.kind,
        record.status.as_deref().unwrap_or_default(),
        quoted(&record.a.name),
        quoted(&record.b.name),
        number(record.depth.map(|depth| depth.lower)),
        number(record.depth.map(|depth| depth.upper)),
        record.distance,
    );
}

/// The point between the two that show the clash.
pub(super) fn middle(record: &ClashRecord) -> [f64; 3] {
    std::array::from_fn(|k| 0.5 * record.point_a[k] + 0.5 * record.point_b[k])
}

/// A name as a field of CSV.
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
