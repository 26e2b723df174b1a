//! A plot as an SVG picture: for the page, where its styles are, or for a file of its own.

use std::fmt::Write as _;

use super::palette::{DASHES, SCHEME, colours, is_ours, quiet, variables};
use super::scale::Scale;
use super::text_format::{clipped, escape, quantity, short};
use crate::result_sheet::{Axis, Plot, Series};

pub(super) const WIDTH: f64 = 600.0;
pub(super) const HEIGHT: f64 = 380.0;
pub(super) const LEFT: f64 = 62.0;
/// Room for the names at the ends of the lines.
const RIGHT: f64 = 134.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 56.0;
/// From one name to the next, and how large names are; smaller where there are many.
const LINE: f64 = 15.5;
const NAME_SIZE: f64 = 12.5;
const NAME_LENGTH: usize = 16;
/// About the width of a letter.
pub(super) const LETTER: f64 = 7.1;
/// Letters of a line of the title, and from one to the next.
const TITLE_LENGTH: usize = 62;
pub(super) const TITLE_LINE: f64 = 22.0;
/// Lines of more points have no dots.
const DOTTED: usize = 40;

/// Where a picture is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In the page, which has the title and the styles.
    Inline,
    /// In a file.
    Alone,
}

/// The name of an axis with its unit, and which way is better.
pub(super) fn axis_label(axis: &Axis) -> String {
    match direction(axis) {
        Some(better) => format!("{}; {better}", axis_name(axis)),
        None => axis_name(axis),
    }
}

/// Which way is better, where the name of the axis implies it and does not say so itself.
fn direction(axis: &Axis) -> Option<&'static str> {
    let label = axis.label.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| label.contains(word));
    let is_time = super::text_format::seconds_per(&axis.unit).is_some();
    if has(&["better", "published"]) {
        None
    } else if is_time || has(&["error", "wrong", "missed", "deviation"]) {
        Some("less is better")
    } else if has(&["speed-up", "filled"]) {
        Some("more is better")
    } else {
        None
    }
}

/// The name of an axis with its unit.
pub(super) fn axis_name(axis: &Axis) -> String {
    if axis.unit.is_empty() || super::text_format::seconds_per(&axis.unit).is_some() {
        // Every mark of a time says its unit.
        axis.label.clone()
    } else {
        format!("{}, {}", axis.label, axis.unit)
    }
}

/// The text at a mark: with its unit only where the unit changes along the axis.
pub(super) fn mark(x: f64, axis: &Axis) -> String {
    if super::text_format::seconds_per(&axis.unit).is_some() {
        quantity(x, &axis.unit)
    } else {
        short(x)
    }
}

// Writing to a string cannot fail, so the results of `write!` are not looked at below.

/// The picture.
pub(super) fn svg(plot: &Plot, form: Form) -> String {
    if !plot.rows().is_empty() {
        return super::row_figure::svg(plot, form);
    }
    if plot.is_heat_map() {
        return super::heat_figure::svg(plot, form);
    }
    let heading = heading(plot, form);
    let top = TOP + heading.len() as f64 * TITLE_LINE;
    let height = HEIGHT + top - TOP;
    let bottom = height - BOTTOM;
    let all = |axis: usize| -> Vec<f64> {
        let points = plot.series.iter().flat_map(|s| &s.points).map(|p| p[axis]);
        let spread = plot
            .series
            .iter()
            .flat_map(|s| &s.spread)
            .flatten()
            .copied();
        if axis == 1 {
            points.chain(spread).collect()
        } else {
            points.collect()
        }
    };
    let x = Scale::new(&all(0), &plot.x, [LEFT, WIDTH - RIGHT], false);
    let y = Scale::new(&all(1), &plot.y, [bottom, top], true);
    let mut svg = begun(plot, &heading, height);
    axes(&mut svg, plot, x, y, [top, bottom]);
    let colours = colours(plot);
    let mut names = Vec::new();
    let quiet = quiet(plot);
    // Ours last, on top of the others.
    let mut order: Vec<usize> = (0..plot.series.len()).collect();
    order.sort_by_key(|k| (!quiet[*k], is_ours(&plot.series[*k].name)));
    for k in order {
        if let Some(end) = line(&mut svg, &plot.series[k], colours[k], quiet[k], [x, y])
            && !quiet[k]
        {
            names.push((end, k));
        }
    }
    labels(&mut svg, plot, &colours, names, [top, bottom]);
    svg.push_str("</svg>\n");
    svg
}

/// The title in lines, of a picture that stands alone.
pub(super) fn heading(plot: &Plot, form: Form) -> Vec<String> {
    if form == Form::Inline {
        return Vec::new();
    }
    let mut lines = super::text_format::lines(&plot.title, TITLE_LENGTH);
    // One line at least: without a title it stands alone, too.
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// What every picture begins with; one that stands alone, with its styles and its title.
pub(super) fn begun(plot: &Plot, heading: &[String], height: f64) -> String {
    let mut svg = String::new();
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>{}</title><desc>{}</desc>",
        escape(&plot.title),
        escape(&description(plot))
    );
    if heading.is_empty() {
        return svg;
    }
    let _ = write!(
        svg,
        "<style>{}</style><rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>",
        styles()
    );
    for (k, line) in heading.iter().enumerate() {
        let _ = write!(
            svg,
            "<text class=\"title\" x=\"14\" y=\"{}\">{}</text>",
            24.0 + TITLE_LINE * k as f64,
            escape(line)
        );
    }
    svg
}

/// The picture in a sentence, for those who hear it.
fn description(plot: &Plot) -> String {
    let names: Vec<&str> = plot.series.iter().map(|s| s.name.as_str()).collect();
    let coloured = if plot.is_heat_map() {
        "energy in decibels as colours; "
    } else {
        ""
    };
    format!(
        "{coloured}{} over {}; {}",
        axis_label(&plot.y),
        axis_name(&plot.x),
        names.join(", ")
    )
}

fn axes(svg: &mut String, plot: &Plot, x: Scale, y: Scale, [top, bottom]: [f64; 2]) {
    let right = WIDTH - RIGHT;
    let (across, up) = (x.ticks(), y.ticks());
    for at in up.fine.iter().filter_map(|v| y.place(*v)) {
        let _ = write!(svg, "<path class=\"hair\" d=\"M{LEFT} {at:.1}H{right}\"/>");
    }
    for value in &up.labelled {
        let Some(at) = y.place(*value) else { continue };
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{right}\"/>\
             <text class=\"tick\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.0,
            escape(&mark(*value, &plot.y))
        );
    }
    let _ = write!(
        svg,
        "<path class=\"axis\" d=\"M{LEFT} {bottom:.1}H{right}\"/>"
    );
    for value in &across.labelled {
        let Some(at) = x.place(*value) else { continue };
        let _ = write!(
            svg,
            "<path class=\"axis\" d=\"M{at:.1} {bottom:.1}v5\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 19.0,
            escape(&mark(*value, &plot.x))
        );
    }
    let _ = write!(
        svg,
        "<text class=\"name\" x=\"14\" y=\"{:.1}\">{}</text>\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        top - 18.0,
        escape(&clipped(&axis_label(&plot.y), 70)),
        0.5 * (LEFT + right),
        bottom + 43.0,
        escape(&clipped(&axis_label(&plot.x), 70)),
    );
}

/// Draws a series; where it ends at the right, if anything of it can be seen.
fn line(
    svg: &mut String,
    series: &Series,
    [colour, dash]: [usize; 2],
    is_quiet: bool,
    [x, y]: [Scale; 2],
) -> Option<[f64; 2]> {
    let placed: Vec<([f64; 2], Option<[f64; 2]>)> = series
        .points
        .iter()
        .enumerate()
        .filter_map(|(k, p)| {
            let spread = series.spread.get(k).and_then(|[low, high]| {
                // A logarithmic axis cannot show a spread down to nothing: it ends at the point.
                Some([y.place(*low).or(y.place(p[1]))?, y.place(*high)?])
            });
            Some(([x.place(p[0])?, y.place(p[1])?], spread))
        })
        .collect();
    let end = placed
        .iter()
        .map(|(at, _)| *at)
        .max_by(|p, q| p[0].total_cmp(&q[0]))?;
    let ours = if is_ours(&series.name) { " ours" } else { "" };
    let published = if series.is_published { " pub" } else { "" };
    let quiet = if is_quiet { " quiet" } else { "" };
    let _ = write!(svg, "<g class=\"s{colour}{ours}{published}{quiet}\">");
    if series.is_scatter {
        for ([at, _], spread) in &placed {
            if let Some([low, high]) = spread {
                let _ = write!(
                    svg,
                    "<path class=\"err\" d=\"M{at:.1} {low:.1}V{high:.1}\"/>"
                );
            }
        }
    } else {
        let spreads: Vec<(f64, [f64; 2])> = placed
            .iter()
            .filter_map(|(at, spread)| Some((at[0], (*spread)?)))
            .collect();
        if spreads.len() > 1 && !is_quiet {
            let mut outline = String::new();
            for (k, (at, [_, high])) in spreads.iter().enumerate() {
                let _ = write!(
                    outline,
                    "{}{at:.1} {high:.1}",
                    if k == 0 { 'M' } else { 'L' }
                );
            }
            for (at, [low, _]) in spreads.iter().rev() {
                let _ = write!(outline, "L{at:.1} {low:.1}");
            }
            let _ = write!(svg, "<path class=\"band\" d=\"{outline}Z\"/>");
        }
        if placed.len() > 1 {
            let mut path = String::new();
            for (k, ([at, up], _)) in placed.iter().enumerate() {
                let _ = write!(path, "{}{at:.1} {up:.1}", if k == 0 { 'M' } else { 'L' });
            }
            let dashes = if series.is_published {
                "2 4"
            } else {
                DASHES[dash % DASHES.len()]
            };
            let dashes = if dashes.is_empty() {
                String::new()
            } else {
                format!(" stroke-dasharray=\"{dashes}\"")
            };
            let _ = write!(svg, "<path class=\"ln\" d=\"{path}\"{dashes}/>");
        }
    }
    if series.is_scatter || (placed.len() <= DOTTED && !is_quiet) {
        let radius = if series.is_scatter { 3.8 } else { 2.8 };
        for ([at, up], _) in &placed {
            let _ = write!(
                svg,
                "<circle class=\"dot\" cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"{radius}\"/>"
            );
        }
    }
    svg.push_str("</g>");
    Some(end)
}

/// Names beside the ends of the lines, moved apart where they would lie on each other. A line that ends early has its name in the picture.
fn labels(
    svg: &mut String,
    plot: &Plot,
    colours: &[[usize; 2]],
    mut names: Vec<([f64; 2], usize)>,
    [top, bottom]: [f64; 2],
) {
    names.sort_by(|([_, p], k), ([_, q], l)| p.total_cmp(q).then(k.cmp(l)));
    let right = WIDTH - RIGHT;
    let is_early = |([x, _], k): &([f64; 2], usize)| {
        let series = &plot.series[*k];
        let letters = series.name.chars().count().min(NAME_LENGTH) as f64;
        !series.is_scatter && x + 26.0 + LETTER * letters < right
    };
    let (mut early, late): (Vec<_>, Vec<_>) = names.into_iter().partition(is_early);
    early.sort_by(|([p, _], _), ([q, _], _)| p.total_cmp(q));
    let mut groups: Vec<Vec<([f64; 2], usize)>> = vec![late];
    for name in early {
        let is_new = groups.len() == 1
            || groups
                .last()
                .is_some_and(|g| (g[0].0[0] - name.0[0]).abs() > 1.0);
        if is_new {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(name);
        }
    }
    for (g, group) in groups.iter().enumerate() {
        let wanted: Vec<f64> = group.iter().map(|([_, y], _)| *y).collect();
        let size = NAME_SIZE.min(0.95 * step(wanted.len(), top, bottom));
        let small = if size < NAME_SIZE {
            format!(" style=\"font-size:{size:.1}px\"")
        } else {
            String::new()
        };
        for (([x, y], k), at) in group.iter().zip(spaced(&wanted, top, bottom)) {
            let (left, inside) = if g == 0 {
                (right + 16.0, "")
            } else {
                (x + 16.0, " in")
            };
            let series = &plot.series[*k];
            let ours = if is_ours(&series.name) { " ours" } else { "" };
            let _ = write!(
                svg,
                "<g class=\"s{}{ours}\"><path class=\"lead\" d=\"M{:.1} {y:.1}L{:.1} {at:.1}\"/>\
                 <text class=\"label{inside}\" x=\"{left:.1}\" y=\"{:.1}\"{small}>{}<title>{}</title></text></g>",
                colours[*k][0],
                x + 5.0,
                left - 4.0,
                at + 0.32 * size,
                escape(&clipped(&series.name, NAME_LENGTH)),
                escape(&series.name)
            );
        }
    }
}

/// From one of so many names to the next.
fn step(count: usize, top: f64, bottom: f64) -> f64 {
    LINE.min((bottom - top) / count.max(1) as f64)
}

/// Places near the wanted ones, which rise, a line apart and within the picture.
pub(super) fn spaced(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let count = wanted.len();
    let step = step(count, top, bottom);
    let mut places: Vec<f64> = Vec::with_capacity(count);
    for want in wanted {
        let least = places.last().map_or(top, |last| last + step);
        places.push(want.max(least));
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - step;
    }
    places
}

/// The styles of a picture in a file of its own.
fn styles() -> String {
    let [light, dark] = variables();
    let mut text = format!(
        "svg{{{light}--ink:#1c1f23;--faint:#6b7077;--rule:#dcdad4;--paper:#fff}}\
         @media(prefers-color-scheme:dark){{svg{{{dark}--ink:#e8e6e1;--faint:#9a9da3;--rule:#33373f;--paper:#16181d}}}}\
         .paper{{fill:var(--paper)}}.title{{font-size:15px;font-weight:600}}"
    );
    text.push_str(include_str!("figure.css"));
    for k in 0..SCHEME.len() {
        let _ = write!(text, ".s{k}{{--c:var(--c{k})}}");
    }
    text.retain(|c| c != '\n');
    text
}

#[cfg(test)]
mod tests {
    use super::spaced;

    #[test]
    fn names_never_lie_on_each_other() {
        for wanted in [
            vec![10.0; 6],
            vec![0.0, 1.0, 99.0, 100.0],
            vec![],
            vec![50.0; 40],
        ] {
            let places = spaced(&wanted, 0.0, 100.0);
            assert_eq!(places.len(), wanted.len());
            let step = 15.5_f64.min(100.0 / wanted.len().max(1) as f64);
            assert!(places.windows(2).all(|p| p[1] - p[0] > step - 1e-9));
            assert!(places.iter().all(|p| (-1e-9..=100.0).contains(p)));
        }
    }
}
