//! Lines over a number.

use super::{PlotOutcome, column, is_wide};
use crate::result_sheet::{Axis, Cell, Plot, Series, Table};

/// The largest number of each axis beside the least, from which on it is logarithmic.
const WIDE: [f64; 2] = [30.0, 100.0];

/// A picture of one table.
pub(super) struct Lines {
    /// The benchmark, or a piece of it.
    pub(super) part: &'static str,
    pub(super) title: &'static str,
    /// Only rows with this word in one of their cells; all, if there is none.
    pub(super) only: &'static str,
    pub(super) x: &'static str,
    /// What the first axis is called; as its column, if nothing.
    pub(super) x_label: &'static str,
    /// Columns that are drawn, with the names of their lines; none where rows are distinguished by `by`.
    pub(super) y: &'static [[&'static str; 2]],
    /// The column that names the line of a row.
    pub(super) by: Option<&'static str>,
    pub(super) label: &'static str,
    pub(super) unit: &'static str,
    pub(super) is_scatter: bool,
    /// Whether a zero is a number like others. Otherwise it was too short to be measured.
    pub(super) has_zeros: bool,
    /// The column that says what a dot is of.
    pub(super) named: Option<&'static str>,
}

pub(super) const LINES: Lines = Lines {
    part: "",
    title: "",
    only: "",
    x: "",
    x_label: "",
    y: &[],
    by: None,
    label: "",
    unit: "",
    is_scatter: false,
    has_zeros: false,
    named: None,
};

/// The picture of the first table that has all the columns and a line.
pub(super) fn plot(drawing: &Lines, tables: &[Table]) -> PlotOutcome {
    let wanted: Vec<&'static str> = [drawing.x]
        .into_iter()
        .chain(drawing.y.iter().map(|[column, _]| *column))
        .chain(drawing.by)
        .chain(drawing.named)
        .collect();
    let has_all = |table: &&Table| {
        let mut columns = wanted.iter();
        columns.all(|name| column(table, name, 0).is_some())
    };
    let mut fitting = tables.iter().filter(has_all).peekable();
    if fitting.peek().is_none() {
        return PlotOutcome::Unknown(wanted);
    }
    match fitting.find_map(|table| of_table(drawing, table)) {
        Some(plot) => PlotOutcome::Plot(Box::new(plot), Vec::new()),
        None => PlotOutcome::TooLittle,
    }
}

fn of_table(drawing: &Lines, table: &Table) -> Option<Plot> {
    let x = column(table, drawing.x, 0)?;
    let by = drawing.by.and_then(|by| column(table, by, 0));
    let named = drawing.named.and_then(|named| column(table, named, 0));
    // Curves of noisy clouds have a table, not a picture.
    let noise = table.columns.iter().position(|c| c.starts_with("noise"));
    let mut series: Vec<Series> = Vec::new();
    let mut too_short = Vec::new();
    for row in &table.rows {
        let is_meant = drawing.only.is_empty()
            || row
                .iter()
                .any(|c| matches!(c, Cell::Text(t) if t.contains(drawing.only)));
        let is_noisy = noise.is_some_and(|k| !matches!(row[k], Cell::Number(0.0)));
        if !is_meant || is_noisy {
            continue;
        }
        for [name, shown] in drawing.y {
            let Some(k) = column(table, name, 0) else {
                continue;
            };
            let name = match by.map(|by| &row[by]) {
                Some(Cell::Text(of)) if shown.is_empty() => of.clone(),
                Some(Cell::Text(of)) => format!("{of}, {shown}"),
                Some(_) => continue,
                None => (*shown).to_owned(),
            };
            let (Cell::Number(at), Cell::Number(value)) = (&row[x], &row[k]) else {
                continue;
            };
            let k = match series.iter().position(|s| s.name == name) {
                Some(k) => k,
                None => {
                    series.push(Series {
                        name,
                        is_scatter: drawing.is_scatter,
                        ..Series::default()
                    });
                    series.len() - 1
                }
            };
            // What was printed as zero was too short to be told, and whoever is compared with it there.
            if *value <= 0.0 && !drawing.has_zeros {
                too_short.push(*at);
                continue;
            }
            let of = match named.map(|named| &row[named]) {
                Some(Cell::Text(of)) => Some(of.clone()),
                _ => None,
            };
            series[k].points.push([*at, *value]);
            series[k].names.extend(of);
        }
    }
    for series in &mut series {
        // A dot keeps its name wherever it goes.
        let names = series.names.drain(..).map(Some);
        let names = names.chain(std::iter::repeat(None));
        let mut dots: Vec<_> = series.points.drain(..).zip(names).collect();
        dots.retain(|(point, _)| !too_short.contains(&point[0]));
        dots.sort_by(|(p, _), (q, _)| p[0].total_cmp(&q[0]));
        for (point, name) in dots {
            series.points.push(point);
            series.names.extend(name);
        }
    }
    series.retain(|s| !s.points.is_empty());
    let is_line = |s: &Series| s.points.iter().any(|point| point[0] != s.points[0][0]);
    let wide = |k: usize| {
        let all = series.iter().flat_map(|s| &s.points).map(|p| p[k]);
        is_wide(all, WIDE[k])
    };
    let label = match drawing.x_label {
        "" => drawing.x,
        label => label,
    };
    series.iter().any(is_line).then(|| Plot {
        title: drawing.title.to_owned(),
        x: Axis {
            label: label.to_owned(),
            unit: String::new(),
            is_logarithmic: wide(0),
        },
        y: Axis {
            label: drawing.label.to_owned(),
            unit: drawing.unit.to_owned(),
            is_logarithmic: wide(1),
        },
        series: series.clone(),
    })
}
