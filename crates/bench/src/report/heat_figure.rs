//! A plot in decibels as an SVG picture: a panel for each series, a cell for each point, as strong as its colour.
//!
//! The script of the page takes this picture as it is: it only has to know where the cells are.

use std::fmt::Write as _;

use super::figure::{Form, LEFT, TITLE_LINE, WIDTH, axis_label, begun, heading, mark};
use super::palette::HEAT;
use super::scale::Scale;
use super::text_format::{clipped, escape};
use crate::result_sheet::{Plot, Series};
use crate::sample_statistics::distinct;

const RIGHT: f64 = 16.0;
/// Between panels.
const GAP: f64 = 22.0;
/// Of a panel.
const PANEL: f64 = 112.0;
/// Decibels of each colour. The last has no upper end, the first no lower one.
const STEP: f64 = 10.0;

/// The colour of a strength.
fn level(decibels: f64) -> usize {
    let last = HEAT.len() - 1;
    let steps = (decibels / STEP).floor() + HEAT.len() as f64;
    steps.clamp(0.0, last as f64) as usize
}

/// The middles of all cells along an axis, each once, from the least.
fn middles(plot: &Plot, axis: usize) -> Vec<f64> {
    let points = plot.series.iter().flat_map(|s| &s.points);
    distinct(points.map(|point| point[axis]))
}

/// From half a cell before the first to half a cell after the last.
fn reach(middles: &[f64]) -> [f64; 2] {
    match middles {
        [first, .., last] => {
            let half = 0.5 * (last - first) / (middles.len() - 1) as f64;
            [first - half, last + half]
        }
        [only] => [only - 0.5, only + 0.5],
        [] => [0.0, 1.0],
    }
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

/// The picture.
pub(super) fn svg(plot: &Plot, form: Form) -> String {
    let heading = heading(plot, form);
    // Room for the names of the axis and of the first panels.
    let top = 58.0 + heading.len() as f64 * TITLE_LINE;
    // Two panels beside each other at most.
    let across = plot.series.len().clamp(1, 2);
    let down = plot.series.len().div_ceil(across);
    let wide = (WIDTH - LEFT - RIGHT - GAP * (across - 1) as f64) / across as f64;
    // A panel has its name above it.
    let name = 30.0;
    let bottom = top + (PANEL + name) * down as f64 - name;
    let cells = [middles(plot, 0), middles(plot, 1)];
    // The name of the axis is 42 below the lowest panel, then come the key and the end.
    let mut svg = begun(plot, &heading, bottom + 100.0);
    let _ = write!(
        svg,
        "<text class=\"name\" x=\"14\" y=\"{:.1}\">{}</text>\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        top - 34.0,
        escape(&clipped(&axis_label(&plot.y), 78)),
        0.5 * (LEFT + WIDTH - RIGHT),
        bottom + 42.0,
        escape(&clipped(&axis_label(&plot.x), 78)),
    );
    for (k, series) in plot.series.iter().enumerate() {
        let left = LEFT + (wide + GAP) * (k % across) as f64;
        let up = top + (PANEL + name) * (k / across) as f64;
        let _ = write!(
            svg,
            "<text class=\"of\" x=\"{left:.1}\" y=\"{:.1}\">{}</text>",
            up - 7.0,
            escape(&clipped(&series.name, (wide / 7.0) as usize))
        );
        panel(&mut svg, series, &cells, [left, up, wide]);
        let x = Scale::between(reach(&cells[0]), [left, left + wide]);
        let y = Scale::between(reach(&cells[1]), [up + PANEL, up]);
        if k % across == 0 {
            for value in y.ticks().labelled {
                let Some(at) = y.place(value) else { continue };
                let _ = write!(
                    svg,
                    "<path class=\"axis\" d=\"M{:.1} {at:.1}h-4\"/>\
                     <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                    left,
                    left - 8.0,
                    at + 4.0,
                    escape(&mark(value, &plot.y))
                );
            }
        }
        let is_lowest = k + across >= plot.series.len();
        for value in x.ticks().thinned(wide).labelled {
            let Some(at) = x.place(value).filter(|_| is_lowest) else {
                continue;
            };
            let _ = write!(
                svg,
                "<path class=\"axis\" d=\"M{at:.1} {:.1}v4\"/>\
                 <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                up + PANEL,
                up + PANEL + 18.0,
                escape(&mark(value, &plot.x))
            );
        }
    }
    key(&mut svg, bottom + 60.0);
    svg.push_str("</svg>\n");
    svg
}

/// The cells of a series, those of a colour in one path.
fn panel(svg: &mut String, series: &Series, [xs, ys]: &[Vec<f64>; 2], [left, up, wide]: [f64; 3]) {
    let (columns, rows) = (xs.len(), ys.len());
    if columns == 0 || rows == 0 {
        return;
    }
    let mut levels = vec![0; columns * rows];
    for ([x, y], decibels) in series.points.iter().zip(&series.decibels) {
        let column = xs.partition_point(|at| at < x);
        let row = ys.partition_point(|at| at < y);
        levels[row * columns + column] = level(*decibels);
    }
    let mut paths = vec![String::new(); HEAT.len()];
    for (row, levels) in levels.chunks(columns).enumerate() {
        let mut column = 0;
        for run in levels.chunk_by(|p, q| p == q) {
            let long = run.len();
            // Low frequencies are below.
            let _ = write!(
                paths[run[0]],
                "M{column} {}h{long}v1h-{long}z",
                rows - 1 - row
            );
            column += long;
        }
    }
    let _ = write!(
        svg,
        "<g class=\"heat\" data-box=\"{left:.1} {up:.1} {wide:.1} {PANEL}\" shape-rendering=\"crispEdges\" \
         transform=\"translate({left:.1} {up:.1}) scale({:.4} {:.4})\">",
        wide / columns as f64,
        PANEL / rows as f64
    );
    // The weakest colour is the ground.
    paths[0] = format!("M0 0h{columns}v{rows}h-{columns}z");
    for (k, path) in paths.iter().enumerate().filter(|(_, p)| !p.is_empty()) {
        let _ = write!(svg, "<path class=\"h{k}\" d=\"{path}\"/>");
    }
    svg.push_str("</g>");
}

/// What the colours stand for.
fn key(svg: &mut String, up: f64) {
    // Of a colour.
    let [wide, high] = [40.0, 12.0];
    let left = WIDTH - RIGHT - wide * HEAT.len() as f64;
    let _ = write!(
        svg,
        "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">energy, dB</text>",
        left - 12.0,
        up + high - 1.0
    );
    for k in 0..HEAT.len() {
        let x = left + wide * k as f64;
        let _ = write!(
            svg,
            "<rect class=\"h{k}\" x=\"{x:.1}\" y=\"{up:.1}\" width=\"{wide}\" height=\"{high}\"/>"
        );
        if k > 0 {
            let _ = write!(
                svg,
                "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">−{:.0}</text>",
                up + high + 16.0,
                STEP * (HEAT.len() - k) as f64
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two signals of three windows and two frequencies.
    fn plot() -> Plot {
        let of = |name: &str, decibels: [f64; 6]| Series {
            name: name.to_owned(),
            points: (0..6)
                .map(|k| [f64::from(k % 3) * 10.0, f64::from(k / 3)])
                .collect(),
            decibels: decibels.to_vec(),
            is_scatter: true,
            ..Series::default()
        };
        Plot {
            title: "By time & frequency".to_owned(),
            series: vec![
                of("ideal", [0.0, -3.0, -12.0, -200.0, -81.0, -70.1]),
                of("<ours>", [5.0; 6]),
            ],
            ..Plot::default()
        }
    }

    #[test]
    fn colours_are_ten_decibels_wide_and_open_at_both_ends() {
        let levels = [-500.0, -80.0, -70.1, -70.0, -69.9, -10.1, -10.0, 0.0, 9.0].map(level);
        assert_eq!(levels, [0, 0, 0, 1, 1, 6, 7, 7, 7]);
    }

    #[test]
    fn equal_cells_beside_each_other_are_one_run_and_low_frequencies_are_below() {
        let picture = svg(&plot(), Form::Inline);
        assert_eq!(picture.matches("class=\"heat\"").count(), 2);
        // The strong ones of the first row, the weaker one beside them; all of the second row is the ground.
        assert!(picture.contains("<path class=\"h0\" d=\"M0 0h3v2h-3z\"/>"));
        assert!(picture.contains("<path class=\"h7\" d=\"M0 1h2v1h-2z\"/>"));
        assert!(picture.contains("<path class=\"h6\" d=\"M2 1h1v1h-1z\"/>"));
        assert!(picture.contains("<path class=\"h7\" d=\"M0 1h3v1h-3zM0 0h3v1h-3z\"/>"));
        assert!(picture.contains("&lt;ours&gt;") && !picture.contains("<ours>"));
        assert!(picture.contains("<title>By time &amp; frequency</title><desc>"));
        assert!(!picture.contains("NaN") && picture.ends_with("</svg>\n"));
        let alone = svg(&plot(), Form::Alone);
        assert!(alone.contains("--h7:") && alone.contains(".h7{fill:var(--h7)}"));
    }

    #[test]
    fn what_has_no_cell_and_what_has_one_is_drawn() {
        let mut plot = plot();
        plot.series.truncate(1);
        plot.series[0].points.truncate(1);
        plot.series[0].decibels.truncate(1);
        assert!(svg(&plot, Form::Inline).contains("d=\"M0 0h1v1h-1z\""));
        plot.series[0].points.clear();
        plot.series[0].decibels.clear();
        assert!(!svg(&plot, Form::Inline).contains("NaN"));
        plot.series.clear();
        assert!(!svg(&plot, Form::Inline).contains("NaN"));
    }
}
