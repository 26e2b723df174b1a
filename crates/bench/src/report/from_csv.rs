//! Tables that benchmarks wrote as CSV, and their pictures.

use anyhow::{Context, bail};

use crate::result_sheet::{Axis, Cell, Plot, Series, Table};

/// Rows of a foreign table that are shown.
pub(super) const MOST_ROWS: usize = 800;
/// The largest number of an axis beside the least, from which on it is logarithmic.
const WIDE: f64 = 100.0;

/// Files whose title and columns are known in words.
struct KnownTable {
    stem: &'static str,
    title: &'static str,
    columns: &'static [&'static str],
    shown: &'static [&'static str],
}

const WORDS: &[KnownTable] = &[
    KnownTable {
        stem: "volume-fill",
        title: "Fill ratio by the number of spheres",
        columns: &["model", "balls", "fill"],
        shown: &["model", "balls", "part of the volume that is filled"],
    },
    KnownTable {
        stem: "volume-error",
        title: "Error of the overlap volume by inner sphere trees",
        columns: &[],
        shown: &[],
    },
];

/// A table that some benchmark wrote as CSV.
pub(super) fn table(stem: &str, text: &str) -> anyhow::Result<Table> {
    let mut lines = text.lines();
    let head = lines.next().context("the file is empty")?;
    let columns: Vec<String> = head.split(',').map(str::to_owned).collect();
    let mut rows = Vec::new();
    let mut left_out = 0;
    for (k, line) in lines.enumerate() {
        let row: Vec<Cell> = line.split(',').map(cell).collect();
        if row.len() != columns.len() {
            bail!(
                "line {} has {} fields, the head {}",
                k + 2,
                row.len(),
                columns.len()
            );
        }
        if rows.len() < MOST_ROWS {
            rows.push(row);
        } else {
            left_out += 1;
        }
    }
    let known = WORDS.iter().find(|words| words.stem == stem);
    let title = known.map_or_else(|| format!("{stem}.csv"), |words| words.title.to_owned());
    let title = if left_out > 0 {
        format!("{title}, without the last {left_out} rows")
    } else {
        title
    };
    let columns = match known {
        Some(words) if columns == words.columns => {
            words.shown.iter().map(|c| (*c).to_owned()).collect()
        }
        _ => columns,
    };
    Ok(Table {
        title,
        columns,
        rows,
    })
}

/// A table of a name and two numbers as a picture, with a line for each name; none of others, and none without a line.
pub(super) fn picture(table: &Table) -> Option<Plot> {
    let mut series: Vec<Series> = Vec::new();
    for row in &table.rows {
        let [Cell::Text(name), Cell::Number(x), Cell::Number(y)] = row.as_slice() else {
            return None;
        };
        match series.iter_mut().find(|s| s.name == *name) {
            Some(series) => series.points.push([*x, *y]),
            None => series.push(Series {
                name: name.clone(),
                points: vec![[*x, *y]],
                ..Series::default()
            }),
        }
    }
    let axis = |k: usize| {
        let all = || series.iter().flat_map(|s| &s.points).map(|p| p[k]);
        let least = all().fold(f64::INFINITY, f64::min);
        let most = all().fold(f64::NEG_INFINITY, f64::max);
        Axis {
            label: table.columns[k + 1].clone(),
            is_logarithmic: least > 0.0 && most > WIDE * least,
            ..Axis::default()
        }
    };
    series.iter().any(|s| s.points.len() > 1).then(|| Plot {
        title: table.title.clone(),
        x: axis(0),
        y: axis(1),
        series: series.clone(),
    })
}

/// A field: a number, a word, or nothing measured.
pub(super) fn cell(text: &str) -> Cell {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => Cell::Number(x),
        _ if text.is_empty() => Cell::Void {
            reason: "not measured".to_owned(),
        },
        _ => Cell::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{picture, table};

    #[test]
    fn a_table_of_a_name_and_two_numbers_becomes_a_picture() {
        let of = |text: &str| picture(&table("fill", text).unwrap());
        let plot = of("model,balls,fill\nball,1,0.3\nball,1000,0.7\nknot,1,0.2\n").unwrap();
        assert_eq!(
            (plot.x.label.as_str(), plot.y.label.as_str()),
            ("balls", "fill")
        );
        assert!(plot.x.is_logarithmic && !plot.y.is_logarithmic);
        assert_eq!(plot.series[0].points, [[1.0, 0.3], [1000.0, 0.7]]);
        assert_eq!(plot.series.len(), 2);
        let known = table("volume-fill", "model,balls,fill\nball,1,0.3\nball,2,0.4\n").unwrap();
        assert_eq!(known.title, "Fill ratio by the number of spheres");
        assert_eq!(known.columns[2], "part of the volume that is filled");
        let changed = table("volume-fill", "model,balls,rate\nball,1,0.3\n").unwrap();
        assert_eq!(changed.columns[2], "rate");
        for other in [
            "model,balls,fill\nball,1,0.3\nknot,1,0.2\n",
            "model,balls,fill\nball,1,0.3\nball,2,\n",
            "model,balls\nball,1\nball,2\n",
            "model,balls,fill\n",
        ] {
            assert!(of(other).is_none(), "{other}");
        }
    }
}
