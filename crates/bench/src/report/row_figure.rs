//! A plot in rows as an SVG picture: a row for each name, dots for each series, and a key below.

use std::fmt::Write as _;

use super::figure::{Form, LETTER, TITLE_LINE, WIDTH, axis_label, begun, heading, mark};
use super::palette::{colours, is_ours};
use super::scale::Scale;
use super::text_format::{clipped, escape};
use crate::result_sheet::{Plot, Series};

const TOP: f64 = 14.0;
const RIGHT: f64 = 28.0;
/// From a row to the next, and where its name stands above its dots.
const ROW: f64 = 25.0;
const STACKED_ROW: f64 = 40.0;
/// From the last row to the end of the name of the axis, and the lines of the key.
const AXIS: f64 = 52.0;
const KEY: f64 = 20.0;
/// Dots nearer to each other than this lie beside each other.
const NEAR: f64 = 9.0;
/// How far from the middle of its row a dot is drawn that would lie on others.
const ASIDE: [f64; 5] = [0.0, -6.5, 6.5, -3.2, 3.2];

/// Where names and dots are.
struct Room {
    left: f64,
    step: f64,
    is_stacked: bool,
}

impl Room {
    fn new(rows: &[&str]) -> Self {
        let longest = rows.iter().map(|row| row.chars().count()).max();
        let left = 24.0 + LETTER * longest.unwrap_or(0) as f64;
        let is_stacked = left > 0.5 * WIDTH;
        Self {
            left: if is_stacked { 16.0 } else { left },
            step: if is_stacked { STACKED_ROW } else { ROW },
            is_stacked,
        }
    }

    /// The height of a row's dots.
    fn middle(&self, top: f64, row: usize) -> f64 {
        let part = if self.is_stacked { 0.7 } else { 0.5 };
        top + (row as f64 + part) * self.step
    }
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

/// The picture.
pub(super) fn svg(plot: &Plot, form: Form) -> String {
    let rows = plot.rows();
    let room = Room::new(&rows);
    let heading = heading(plot, form);
    let above = if heading.is_empty() { 0.0 } else { 8.0 };
    let top = TOP + above + heading.len() as f64 * TITLE_LINE;
    let bottom = top + rows.len() as f64 * room.step;
    let keys = keys(plot);
    let lines = keys.last().map_or(0.0, |[_, line]| line + 1.0);
    let height = bottom + AXIS + KEY * lines + 6.0;
    let values: Vec<f64> = plot
        .series
        .iter()
        .flat_map(|s| &s.points)
        .map(|p| p[1])
        .collect();
    let right = WIDTH - RIGHT;
    let scale = Scale::new(&values, &plot.y, [room.left, right], true);
    let mut svg = begun(plot, &heading, height);
    axis(&mut svg, plot, scale, &room, [top, bottom]);
    for (k, row) in rows.iter().enumerate() {
        let at = room.middle(top, k);
        let _ = write!(
            svg,
            "<path class=\"row\" d=\"M{:.1} {at:.1}H{right}\"/>",
            room.left
        );
        let (x, y, anchor) = if room.is_stacked {
            (room.left, at - 13.0, "start")
        } else {
            (room.left - 12.0, at + 4.0, "end")
        };
        let _ = write!(
            svg,
            "<text class=\"of\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(&clipped(row, 78))
        );
    }
    let colours = colours(plot);
    let order = order(plot);
    let mut taken: Vec<Vec<f64>> = vec![Vec::new(); rows.len()];
    // Ours takes the middle of a row, and is drawn last, on top of the others.
    let mut drawn = Vec::new();
    for k in order.into_iter().rev() {
        let dots = dots(&plot.series[k], &rows, scale, &room, top, &mut taken);
        drawn.push((k, dots));
    }
    for (k, dots) in drawn.iter().rev() {
        let _ = write!(
            svg,
            "<g class=\"{}\">{dots}</g>",
            classes(&plot.series[*k], colours[*k][0])
        );
    }
    for (series, ([x, line], [colour, _])) in plot.series.iter().zip(keys.iter().zip(&colours)) {
        let y = bottom + AXIS + 14.0 + KEY * line;
        let _ = write!(
            svg,
            "<g class=\"{}\">{}<text class=\"key\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            classes(series, *colour),
            symbol(series, x + 5.0, y - 4.0),
            x + 15.0,
            y,
            escape(&series.name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn classes(series: &Series, colour: usize) -> String {
    let ours = if is_ours(&series.name) { " ours" } else { "" };
    let published = if series.is_published { " pub" } else { "" };
    format!("s{colour}{ours}{published}")
}

/// The order of drawing: ours last.
fn order(plot: &Plot) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plot.series.len()).collect();
    order.sort_by_key(|k| is_ours(&plot.series[*k].name));
    order
}

/// The axis of values below the rows.
fn axis(svg: &mut String, plot: &Plot, scale: Scale, room: &Room, [top, bottom]: [f64; 2]) {
    let right = WIDTH - RIGHT;
    let ticks = scale.ticks().thinned(right - room.left);
    for at in ticks.fine.iter().filter_map(|v| scale.place(*v)) {
        let _ = write!(
            svg,
            "<path class=\"hair\" d=\"M{at:.1} {top:.1}V{bottom:.1}\"/>"
        );
    }
    for value in &ticks.labelled {
        let Some(at) = scale.place(*value) else {
            continue;
        };
        // Where a gain becomes a loss.
        let class = if *value == 1.0 && plot.y.label.contains("below 1") {
            "axis"
        } else {
            "grid"
        };
        let _ = write!(
            svg,
            "<path class=\"{class}\" d=\"M{at:.1} {top:.1}V{bottom:.1}\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 18.0,
            escape(&mark(*value, &plot.y))
        );
    }
    let _ = write!(
        svg,
        "<path class=\"axis\" d=\"M{:.1} {bottom:.1}H{right}\"/>\
         <text class=\"name\" x=\"{right}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        room.left,
        bottom + 40.0,
        escape(&clipped(&axis_label(&plot.y), 78)),
    );
}

/// The dots of a series, beside those that are drawn already.
fn dots(
    series: &Series,
    rows: &[&str],
    scale: Scale,
    room: &Room,
    top: f64,
    taken: &mut [Vec<f64>],
) -> String {
    let mut dots = String::new();
    for (point, name) in series.points.iter().zip(&series.names) {
        let row = rows.iter().position(|row| row == name);
        let (Some(row), Some(at)) = (row, scale.place(point[1])) else {
            continue;
        };
        let middle = room.middle(top, row);
        if is_mark(series) {
            dots.push_str(&symbol(series, at, middle));
            continue;
        }
        let near = taken[row].iter().filter(|x| (*x - at).abs() < NEAR).count();
        taken[row].push(at);
        dots.push_str(&symbol(series, at, middle + ASIDE[near % ASIDE.len()]));
    }
    dots
}

/// Whether a series says a target: a stroke across the row, not a dot.
pub(super) fn is_mark(series: &Series) -> bool {
    series.is_published && series.name.starts_with("asked")
}

fn symbol(series: &Series, x: f64, y: f64) -> String {
    if is_mark(series) {
        return format!("<path class=\"ask\" d=\"M{x:.1} {:.1}v18\"/>", y - 9.0);
    }
    let radius = if is_ours(&series.name) { 5.4 } else { 4.4 };
    format!("<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>")
}

/// Where each series stands in the key: how far right, and in which line.
fn keys(plot: &Plot) -> Vec<[f64; 2]> {
    let mut at = [14.0, 0.0];
    let mut keys = Vec::new();
    for series in &plot.series {
        let width = 34.0 + LETTER * series.name.chars().count() as f64;
        if at[0] + width > WIDTH && at[0] > 14.0 {
            at = [14.0, at[1] + 1.0];
        }
        keys.push(at);
        at[0] += width;
    }
    keys
}
