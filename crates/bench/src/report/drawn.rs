//! Pictures of tables that benchmarks printed.

use crate::sheet::{Axis, Cell, Plot, Series, Table};

/// The largest number of an axis beside the least, from which on it is logarithmic.
const WIDE: f64 = 100.0;

/// A picture of one table.
struct Drawing {
    /// The benchmark, or the whole of which it is a piece.
    part: &'static str,
    title: &'static str,
    /// Only rows with this word in one of their cells; all, if there is none.
    only: &'static str,
    x: &'static str,
    /// Columns that are drawn, each a line unless rows are told apart by `by`.
    y: &'static [&'static str],
    /// The column that names the line of a row.
    by: Option<&'static str>,
    label: &'static str,
    unit: &'static str,
    is_scatter: bool,
}

const LINES: Drawing = Drawing {
    part: "",
    title: "",
    only: "",
    x: "",
    y: &[],
    by: None,
    label: "",
    unit: "",
    is_scatter: false,
};

const DRAWINGS: &[Drawing] = &[
    Drawing {
        part: "bodies",
        title: "A frame of many boxes, a fifth overlapping",
        only: "a fifth overlapping",
        x: "number",
        y: &["frame ms"],
        by: Some("engine"),
        label: "time of a frame",
        unit: "ms",
        ..LINES
    },
    Drawing {
        part: "bodies",
        title: "A frame of many boxes, densely packed",
        only: "dense",
        x: "number",
        y: &["frame ms"],
        by: Some("engine"),
        label: "time of a frame",
        unit: "ms",
        ..LINES
    },
    Drawing {
        part: "bodies",
        title: "Our broad phases by the number of boxes",
        x: "bodies",
        y: &["frame ms"],
        by: Some(""),
        label: "time of a frame",
        unit: "ms",
        ..LINES
    },
    Drawing {
        part: "volume",
        title: "Time to pack balls",
        x: "balls",
        y: &["wall s", "processor s"],
        label: "time",
        unit: "s",
        ..LINES
    },
    Drawing {
        part: "exact-volume",
        title: "The exact shared volume by the size of the meshes",
        x: "faces",
        y: &["ours, ms", "Manifold, ms"],
        label: "time of a question",
        unit: "ms",
        is_scatter: true,
        ..LINES
    },
    Drawing {
        part: "kinetic",
        title: "Tablecloth: upkeep of a tree by the frames between two keys",
        only: "tablecloth",
        x: "in-between frames",
        y: &["events, µs", "refit, µs", "vector refit, µs", "chosen, µs"],
        label: "time of a frame",
        unit: "µs",
        ..LINES
    },
    Drawing {
        part: "kinetic",
        title: "Avatar: upkeep of a tree by the frames between two keys",
        only: "avatar",
        x: "in-between frames",
        y: &["events, µs", "refit, µs", "vector refit, µs", "chosen, µs"],
        label: "time of a frame",
        unit: "µs",
        ..LINES
    },
    Drawing {
        part: "cloud-surface",
        title: "Error of the surface by its bandwidth, without noise",
        x: "bandwidth, spacings",
        y: &["error, thousandths of the spacing"],
        by: Some("model"),
        label: "error",
        unit: "thousandths of the spacing",
        ..LINES
    },
    Drawing {
        part: "cloud-brackets",
        title: "Collision balls missed, by the number of candidates",
        x: "candidates",
        y: &["missed, %"],
        by: Some("model"),
        label: "missed",
        unit: "%",
        ..LINES
    },
];

/// The pictures of a benchmark's tables.
pub(super) fn drawn(name: &str, tables: &[Table]) -> Vec<Plot> {
    let of_part = |drawing: &&Drawing| {
        let rest = name.strip_prefix(drawing.part);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    DRAWINGS
        .iter()
        .filter(of_part)
        .filter_map(|drawing| tables.iter().find_map(|table| plot(drawing, table)))
        .collect()
}

/// The picture of a table that has all the columns; none without a line.
fn plot(drawing: &Drawing, table: &Table) -> Option<Plot> {
    let column = |name: &str| table.columns.iter().position(|c| c == name);
    let x = column(drawing.x)?;
    let y: Option<Vec<usize>> = drawing.y.iter().map(|name| column(name)).collect();
    let (y, by) = (y?, drawing.by.map(column));
    if by == Some(None) {
        return None;
    }
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
        for k in &y {
            let name = match by.flatten() {
                Some(by) => match &row[by] {
                    Cell::Text(name) => name.clone(),
                    _ => continue,
                },
                None => {
                    let name = table.columns[*k].as_str();
                    let unit = name.strip_suffix(drawing.unit).unwrap_or(name);
                    unit.trim_end_matches([',', ' ']).to_owned()
                }
            };
            let (Cell::Number(at), Cell::Number(value)) = (&row[x], &row[*k]) else {
                continue;
            };
            if !is_meant || is_noisy {
                continue;
            }
            // What was printed as zero was too short to be told, and whoever is compared with it there.
            if *value <= 0.0 {
                too_short.push(*at);
                continue;
            }
            match series.iter_mut().find(|s| s.name == name) {
                Some(series) => series.points.push([*at, *value]),
                None => series.push(Series {
                    name,
                    points: vec![[*at, *value]],
                    is_scatter: drawing.is_scatter,
                    ..Series::default()
                }),
            }
        }
    }
    for series in &mut series {
        series.points.retain(|point| !too_short.contains(&point[0]));
        series.points.sort_by(|p, q| p[0].total_cmp(&q[0]));
    }
    series.retain(|s| !s.points.is_empty());
    let is_line = |s: &Series| s.points.iter().any(|point| point[0] != s.points[0][0]);
    let is_wide = |k: usize| {
        let all = || series.iter().flat_map(|s| &s.points).map(|p| p[k]);
        let least = all().fold(f64::INFINITY, f64::min);
        let most = all().fold(f64::NEG_INFINITY, f64::max);
        least > 0.0 && most > WIDE * least
    };
    let label = match drawing.x {
        "number" => "boxes",
        "bodies" => "boxes",
        x => x,
    };
    series.iter().any(is_line).then(|| Plot {
        title: drawing.title.to_owned(),
        x: Axis {
            label: label.to_owned(),
            unit: String::new(),
            is_logarithmic: is_wide(0),
        },
        y: Axis {
            label: drawing.label.to_owned(),
            unit: drawing.unit.to_owned(),
            is_logarithmic: is_wide(1),
        },
        series: series.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::drawn;
    use crate::report::from_text::of_text;

    #[test]
    fn printed_tables_that_are_known_are_drawn() {
        let table = |number: usize, ours: &str, fcl: &str| {
            format!(
                "a fifth overlapping, {number}\nengine      build ms   frame ms\n\
                 ours            1.00       {ours}\nfcl             1.00       {fcl}\n\n"
            )
        };
        let one = table(1000, "0.10", "0.20");
        let text = table(100, "0.00", "0.01") + &one + &table(200_000, "0.90", "7.00");
        let sheet = of_text("bodies", &text);
        assert_eq!(sheet.plots.len(), 1, "{:?}", sheet.tables);
        let plot = &sheet.plots[0];
        assert_eq!(plot.x.label, "boxes");
        assert!(plot.x.is_logarithmic && !plot.y.is_logarithmic);
        // Where one is too short to be told, none is the fastest.
        let of = |name: &str| plot.series.iter().find(|s| s.name == name).unwrap();
        assert_eq!(of("ours").points, [[1000.0, 0.1], [200_000.0, 0.9]]);
        assert_eq!(of("fcl").points, [[1000.0, 0.2], [200_000.0, 7.0]]);
        assert!(drawn("rigid", &sheet.tables).is_empty());
        assert!(drawn("bodies", &sheet.tables[..0]).is_empty());
        assert!(of_text("bodies", &one).plots.is_empty());
        // Rows of one size are no line.
        let same = one.clone() + &one.replace("a fifth", "nearly a fifth");
        assert!(of_text("bodies", &same).plots.is_empty());
    }
}
