//! XYZ and CSV: a point per line.

use glam::DVec3;

use super::columns::{PointColumns, RawPoints};
use super::error::CloudReadError;
use super::text::{Lines, float, is_space, number, write_float};
use crate::cloud::PointCloud;

/// Columns beyond these are ignored.
const MAX_COLUMNS: usize = 64;
/// How far lengths of normals may be from 1 in a file without a heading: two decimals of each coordinate are enough.
const NEAR_UNIT: f64 = 0.01;

pub(super) fn read(bytes: &[u8]) -> Result<RawPoints, CloudReadError> {
    let mut lines = Lines::new(bytes);
    let mut layout: Option<(usize, PointColumns)> = None;
    let mut named: Option<PointColumns> = None;
    let mut raw = RawPoints::default();
    let mut row: Vec<&[u8]> = Vec::new();
    let mut is_first = true;
    while let Some(line) = lines.next_filled() {
        let comment = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
        row.clear();
        row.extend(cells(&line[..comment]).take(MAX_COLUMNS));
        if row.is_empty() {
            continue;
        }
        if std::mem::take(&mut is_first) && row.iter().any(|cell| number(cell).is_none()) {
            // A heading; or some writers put the number of points first.
            named = heading(&row);
            if named.is_none() && row.iter().any(|cell| number(cell).is_some()) {
                return Err(not_a_row(&row, lines.number()));
            }
            continue;
        }
        if layout.is_none() && named.is_none() && row.len() == 1 && raw.points.is_empty() {
            // A lone number before the points is their count.
            float(row[0], lines.number())?;
            continue;
        }
        let (width, columns) = match &layout {
            Some(known) => known,
            None => {
                let columns = named.or_else(|| by_width(row.len()));
                let Some(columns) = columns else {
                    return Err(CloudReadError::line(
                        lines.number(),
                        format!("a point needs three numbers, this line has {}", row.len()),
                    ));
                };
                raw = RawPoints::with_lines(&columns);
                layout.insert((row.len(), columns))
            }
        };
        if row.len() != *width {
            return Err(CloudReadError::line(
                lines.number(),
                format!("{} values where the first point has {width}", row.len()),
            ));
        }
        let at = lines.number();
        raw.add(columns, at, |c| match row.get(c) {
            Some(cell) => float(cell, at),
            None => Err(CloudReadError::line(
                at,
                "a column of the heading is missing",
            )),
        })?;
    }
    if named.is_none() && raw.normals.as_deref().is_some_and(|n| !are_normals(n)) {
        raw.normals = None;
        raw.has_unread_columns = true;
    }
    Ok(raw)
}

/// Whether three columns that no heading names are normals and not, say, colours: those that have a direction are of unit length, and there is one.
fn are_normals(rows: &[DVec3]) -> bool {
    let lengths = rows.iter().map(|row| row.length());
    let mut lengths = lengths.filter(|&length| length > 0.0).peekable();
    lengths.peek().is_some() && lengths.all(|length| (length - 1.0).abs() <= NEAR_UNIT)
}

fn not_a_row(row: &[&[u8]], line: u64) -> CloudReadError {
    let bad = row.iter().find(|cell| number(cell).is_none());
    let shown = bad.map_or_else(String::new, |cell| super::text::shown(cell));
    CloudReadError::line(line, format!("expected a number, found '{shown}'"))
}

/// The cells of a line, by semicolons, commas or blanks, whichever it has.
fn cells(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mark = [b';', b','].into_iter().find(|mark| line.contains(mark));
    line.split(move |&b| mark.map_or(is_space(b), |mark| b == mark))
        .map(<[u8]>::trim_ascii)
        .filter(move |cell| mark.is_some() || !cell.is_empty())
}

fn heading(row: &[&[u8]]) -> Option<PointColumns> {
    let names: Vec<String> = row
        .iter()
        .map(|cell| {
            let name = String::from_utf8_lossy(cell).trim().to_ascii_lowercase();
            name.trim_matches(|c: char| c == '"' || c == '/').to_owned()
        })
        .collect();
    PointColumns::find(|wanted| {
        names
            .iter()
            .position(|name| wanted.contains(&name.as_str()))
    })
}

fn by_width(width: usize) -> Option<PointColumns> {
    (width >= 3).then_some(PointColumns {
        place: [0, 1, 2],
        // Four columns carry an intensity, seven or more colours in an order of their own; six may be either, which is told by their lengths.
        normal: (width == 6).then_some([3, 4, 5]),
    })
}

pub(super) fn write(cloud: &PointCloud, mark: u8) -> Vec<u8> {
    let mut out = Vec::with_capacity(cloud.len() * 60);
    if mark == b',' {
        out.extend_from_slice(b"x,y,z");
        if cloud.normals().is_some() {
            out.extend_from_slice(b",nx,ny,nz");
        }
        out.push(b'\n');
    }
    for (i, p) in cloud.points().iter().enumerate() {
        let normal = cloud.normals().and_then(|normals| normals.get(i));
        let numbers = [Some(p), normal].into_iter().flatten();
        for (k, x) in numbers.flat_map(|v| v.to_array()).enumerate() {
            if k > 0 {
                out.push(mark);
            }
            write_float(&mut out, x);
        }
        out.push(b'\n');
    }
    out
}
