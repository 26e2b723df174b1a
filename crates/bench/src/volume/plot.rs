//! Curves over two logarithmic axes, as a picture.

use std::fmt::Write as _;

/// A named curve.
pub(super) struct LogCurve {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

const COLOURS: [&str; 8] = [
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999933", "#882255",
];
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 46.0;

/// The picture, for light and dark pages.
pub(super) fn plot(title: &str, x_name: &str, y_name: &str, curves: &[LogCurve]) -> String {
    let points = || {
        let all = curves.iter().flat_map(|curve| &curve.points);
        all.filter(|p| p.0 > 0.0 && p.1 > 0.0)
    };
    let ends = |value: fn(&(f64, f64)) -> f64| {
        let logs = || points().map(|p| value(p).log10());
        let low = logs().fold(f64::INFINITY, f64::min);
        let high = logs().fold(f64::NEG_INFINITY, f64::max);
        if low < high {
            (low, high)
        } else {
            (low - 0.5, low + 0.5)
        }
    };
    if points().next().is_none() {
        return String::new();
    }
    let (xs, ys) = (ends(|p| p.0), ends(|p| p.1));
    let x = |v: f64| LEFT + (v.log10() - xs.0) / (xs.1 - xs.0) * (WIDTH - LEFT - RIGHT);
    let y = |v: f64| HEIGHT - BOTTOM - (v.log10() - ys.0) / (ys.1 - ys.0) * (HEIGHT - TOP - BOTTOM);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" role=\"img\" aria-label=\"{title}\">\n\
         <style>text {{ font: 12px system-ui, sans-serif; fill: #1f2328 }} .grid {{ stroke: #8884; }} polyline {{ fill: none; stroke-width: 1.6 }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} }}</style>\n\
         <text x=\"{LEFT}\" y=\"24\" font-weight=\"600\">{title}</text>\n"
    );
    for (is_x, low, high) in [(true, xs.0, xs.1), (false, ys.0, ys.1)] {
        for decade in low.floor() as i32..=high.ceil() as i32 {
            for step in [1.0, 2.0, 5.0] {
                let value = step * 10.0_f64.powi(decade);
                if value.log10() < low - 1e-9 || value.log10() > high + 1e-9 {
                    continue;
                }
                let _ = if is_x {
                    let at = x(value);
                    writeln!(
                        svg,
                        "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
                        HEIGHT - BOTTOM,
                        HEIGHT - BOTTOM + 16.0
                    )
                } else {
                    let at = y(value);
                    writeln!(
                        svg,
                        "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
                        WIDTH - RIGHT,
                        LEFT - 6.0,
                        at + 4.0
                    )
                };
            }
        }
    }
    for (k, curve) in curves.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let places: Vec<String> = curve
            .points
            .iter()
            .filter(|p| p.0 > 0.0 && p.1 > 0.0)
            .map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline stroke=\"{colour}\" points=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\" style=\"fill:{colour}\">{}</text>",
            places.join(" "),
            WIDTH - RIGHT + 10.0,
            TOP + 10.0 + 16.0 * k as f64,
            curve.name
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x_name}</text><text x=\"8\" y=\"{:.1}\">{y_name}</text>\n</svg>",
        0.5 * (LEFT + WIDTH - RIGHT),
        HEIGHT - 8.0,
        TOP - 6.0
    );
    svg
}
