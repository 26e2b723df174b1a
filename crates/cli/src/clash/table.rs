//! Clashes as a table for people, and as CSV.

use std::fmt::Write;

use impinge::clash::ClashKind;

use super::record::{ClashRecord, DepthRecord};
use super::report::Report;
use crate::number;

/// A depth that may be off by no more than this share of itself is printed as one number.
const CLOSE: f64 = 5e-7;
/// Columns of the CSV file.
const HEADER: &str = "rank,id,kind,status,a,b,depth_lower,depth_upper,distance,x,y,z,group\n";

/// What is said first.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let gathered = &report.gathered;
    let (meshes, own_faces) = gathered.meshes();
    let faces = gathered.faces();
    let mut first = format!(
        "{}, {}",
        number::count_of(gathered.parts().len(), "part", "parts"),
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
        .map(|(kind, count)| match (kind, report.within_precision()) {
            (ClashKind::Touching, within @ 1..) => format!(
                "{} {kind} ({} within file precision)",
                number::count(*count),
                number::count(within)
            ),
            _ => format!("{} {kind}", number::count(*count)),
        })
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
            before.new,
            before.persisting,
            before.resolved.len()
        );
        if before.changed > 0 {
            let _ = write!(line, ", {} of the persisting changed", before.changed);
        }
        if !before.unchecked.is_empty() {
            let _ = write!(line, ", {} unchecked", before.unchecked.len());
        }
        lines.push(line);
    }
    if !report.groups.is_empty() {
        let groups = number::count_of(report.groups.len(), "group", "groups");
        let first: Vec<String> = (report.groups.iter().take(5))
            .map(|group| format!("{} ({})", group.name, group.members.len()))
            .collect();
        let more = if report.groups.len() > 5 { ", …" } else { "" };
        lines.push(format!("{groups}: {}{more}", first.join(", ")));
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

/// Whether a depth belongs to this kind of clash.
pub(super) fn has_depth(record: &ClashRecord) -> bool {
    matches!(record.kind.as_str(), "crossing" | "contained")
}

/// The depth in words: a dash where there is none, a question mark where it is not known.
pub(super) fn depth(record: &ClashRecord) -> String {
    match (record.kind.as_str(), record.depth) {
        ("crossing" | "contained", Some(depth)) => measured(depth),
        ("crossing" | "contained", None) => "?".to_owned(),
        ("touching", _) if record.within_precision => "within precision".to_owned(),
        _ => "–".to_owned(),
    }
}

/// The middle of a depth's bounds, and what it may be off by where that shows.
pub(super) fn measured(depth: DepthRecord) -> String {
    let (middle, half) = (depth.middle(), 0.5 * (depth.upper - depth.lower));
    if half <= CLOSE * middle {
        return number::measure(middle);
    }
    // As many decimals as show the first two digits of the error.
    let decimals = 1.0 - half.log10().floor();
    if decimals > 9.0 || middle >= 1e7 {
        return format!("{} ± {half:.1e}", number::measure(middle));
    }
    let decimals = decimals.max(0.0) as usize;
    format!("{middle:.decimals$} ± {half:.decimals$}")
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
        "{},{},{},{},{},{},{},{},{},{x},{y},{z},{}",
        rank.map(|rank| rank.to_string()).unwrap_or_default(),
        record.id,
        record.kind,
        record.status.as_deref().unwrap_or_default(),
        quoted(&record.a.name),
        quoted(&record.b.name),
        number(record.depth.map(|depth| depth.lower)),
        number(record.depth.map(|depth| depth.upper)),
        record.distance,
        record
            .group
            .map(|group| group.to_string())
            .unwrap_or_default(),
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
