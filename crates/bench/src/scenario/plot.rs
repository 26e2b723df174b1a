//! The picture: how far each tree is from the best on each class of models, by time and by tests, and who wins at which gap.

use std::fmt::Write as _;

use anyhow::bail;

use super::record::{TreeMeans, classes, levels, winner};
use crate::own_runners::DEFAULT;

const LEFT: f64 = 118.0;
const CELL: [f64; 2] = [92.0, 21.0];
const MARGIN: f64 = 14.0;

/// Kinds of trees: what its name contains, how it is called, and its colour, distinguishable on white
/// and on black and by people who see few colours.
const KINDS: [(&[&str], &str, &str); 4] = [
    (
        &["aabb", "dop"],
        "boxes and k-DOPs along fixed axes",
        "#4477aa",
    ),
    (&["obb"], "oriented boxes", "#cc6633"),
    (&["ball", "lss", "rss"], "swept balls", "#228833"),
    (&[""], "trees of cut boxes", "#aa3377"),
];

fn colour(engine: &str) -> &'static str {
    KINDS
        .iter()
        .find(|(names, ..)| names.iter().any(|name| engine.contains(name)))
        .map_or("#656d76", |(.., colour)| colour)
}

/// What is compared.
#[derive(Clone, Copy)]
struct ComparedMeasure {
    title: &'static str,
    of: fn(&TreeMeans) -> f64,
}

const MEASURES: [ComparedMeasure; 2] = [
    ComparedMeasure {
        title: "Time: times the fastest plain tree (geometric mean over gaps of 0 to 30 %)",
        of: |e| e.time_ns,
    },
    ComparedMeasure {
        title: "Work: times the fewest tests of volumes and faces",
        of: TreeMeans::tests,
    },
];

/// The picture of a record.
pub(crate) fn plot(entries: &[TreeMeans]) -> anyhow::Result<String> {
    let (classes, levels) = (classes(entries), levels(entries));
    if classes.is_empty() {
        bail!("the record is empty");
    }
    let order = order(entries, &classes, &levels);
    let width = LEFT + CELL[0] * classes.len() as f64 + MARGIN;
    let mut body = String::new();
    let mut y = 62.0;
    y = legend(&mut body, y);
    y = winners(&mut body, entries, &classes, &levels, y);
    for measure in MEASURES {
        y = matrix(&mut body, entries, &classes, &levels, &order, measure, y);
    }
    let models: Vec<String> = classes
        .iter()
        .filter_map(|class| entries.iter().find(|e| e.class == *class))
        .map(|e| format!("{} {}", e.model, thousands(e.faces)))
        .collect();
    let notes = [
        format!(
            "Plain trees have two children per node. {DEFAULT}, the default tree, is shown for reference: it tests eight oriented boxes at once."
        ),
        format!("Models and faces: {}.", models.join(", ")),
    ];
    for note in notes {
        let _ = writeln!(
            body,
            "<text class=\"faint\" x=\"{MARGIN}\" y=\"{y:.1}\">{note}</text>"
        );
        y += 17.0;
    }
    let height = y + 4.0;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height:.0}\" width=\"{width}\" role=\"img\" \
         aria-label=\"Which tree is fastest on which class of models\">\n\
         <style>\n\
         text {{ font: 12px system-ui, sans-serif; fill: #1f2328 }}\n\
         .title {{ font-size: 15px; font-weight: 600 }}\n\
         .head {{ font-weight: 600 }}\n\
         .best {{ font-weight: 700 }}\n\
         .small {{ font-size: 10.5px }}\n\
         .faint {{ fill: #656d76; font-size: 11px }}\n\
         .ring {{ fill: none; stroke: #1f2328; stroke-width: 1.5 }}\n\
         @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .faint {{ fill: #9198a1 }} .ring {{ stroke: #e6edf3 }} }}\n\
         </style>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"24\">Which tree wins on which model</text>\n\
         <text class=\"faint\" x=\"{MARGIN}\" y=\"42\">Do two copies of a model meet? They are apart by 0 to 30 % of its diagonal; mean over random orientations, one thread.</text>\n\
         {body}</svg>\n"
    ))
}

fn legend(svg: &mut String, y: f64) -> f64 {
    let mut x = MARGIN;
    for (_, name, colour) in KINDS {
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"10\" height=\"10\" rx=\"2\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{y:.1}\">{name}</text>",
            y - 9.0,
            x + 15.0
        );
        x += 40.0 + 6.4 * name.len() as f64;
    }
    y + 28.0
}

/// A table of names: which plain tree is fastest at which gap.
fn winners(
    svg: &mut String,
    entries: &[TreeMeans],
    classes: &[&str],
    levels: &[f64],
    top: f64,
) -> f64 {
    let mut y = heading(svg, "The fastest plain tree, by gap", classes, top);
    for &level in levels {
        label(svg, &format!("gap {:.0} %", 100.0 * level), y, "");
        for (k, class) in classes.iter().enumerate() {
            let Some(best) = winner(entries, class, level, |e| e.time_ns) else {
                continue;
            };
            cell(svg, k, y, colour(&best.engine), 0.32);
            let _ = writeln!(
                svg,
                "<text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\
                 <text class=\"small\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT + CELL[0] * k as f64 + 5.0,
                y + 14.5,
                short(&best.engine),
                LEFT + CELL[0] * (k + 1) as f64 - 7.0,
                y + 14.5,
                microseconds(best.time_ns),
            );
        }
        y += CELL[1];
    }
    y + 26.0
}

/// Every tree on every class, as times the best.
fn matrix(
    svg: &mut String,
    entries: &[TreeMeans],
    classes: &[&str],
    levels: &[f64],
    order: &[String],
    measure: ComparedMeasure,
    top: f64,
) -> f64 {
    let mut y = heading(svg, measure.title, classes, top);
    let best: Vec<Option<&String>> = classes
        .iter()
        .map(|class| {
            let plain = order.iter().filter(|engine| *engine != DEFAULT);
            plain.min_by(|x, y| {
                let of = |engine: &str| {
                    factor(entries, class, levels, engine, measure).unwrap_or(f64::INFINITY)
                };
                of(x).total_cmp(&of(y))
            })
        })
        .collect();
    for engine in order {
        // Tests of eight boxes at once are of another kind.
        let is_default = engine == DEFAULT;
        label(svg, engine, y, if is_default { "faint" } else { "" });
        for (k, class) in classes.iter().enumerate() {
            let Some(times) = factor(entries, class, levels, engine, measure) else {
                continue;
            };
            let is_best = best[k] == Some(engine);
            if !is_default {
                // Full at the best, gone at thirty times the best.
                let strength = 1.0 - (times.max(1.0).ln() / 30_f64.ln()).min(1.0);
                cell(svg, k, y, colour(engine), 0.06 + 0.44 * strength);
            }
            if is_best {
                let _ = writeln!(
                    svg,
                    "<rect class=\"ring\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\"/>",
                    LEFT + CELL[0] * k as f64 + 1.0,
                    y + 1.0,
                    CELL[0] - 4.0,
                    CELL[1] - 3.0
                );
            }
            let class = match (is_default, is_best) {
                (true, _) => "faint",
                (_, true) => "best",
                _ => "",
            };
            let _ = writeln!(
                svg,
                "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                LEFT + CELL[0] * (k as f64 + 0.5) - 1.0,
                y + 15.0,
                number(times)
            );
        }
        y += CELL[1];
    }
    y + 26.0
}

fn heading(svg: &mut String, title: &str, classes: &[&str], y: f64) -> f64 {
    let _ = writeln!(
        svg,
        "<text class=\"head\" x=\"{MARGIN}\" y=\"{y:.1}\">{title}</text>"
    );
    for (k, class) in classes.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text class=\"faint\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{class}</text>",
            LEFT + CELL[0] * (k as f64 + 0.5) - 1.0,
            y + 19.0
        );
    }
    y + 25.0
}

fn label(svg: &mut String, text: &str, y: f64, class: &str) {
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
        LEFT - 9.0,
        y + 15.0
    );
}

fn cell(svg: &mut String, column: usize, y: f64, colour: &str, opacity: f64) {
    let _ = writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\" fill=\"{colour}\" fill-opacity=\"{opacity:.2}\"/>",
        LEFT + CELL[0] * column as f64,
        CELL[0] - 2.0,
        CELL[1] - 1.0
    );
}

/// The default first, then the plain trees by their mean time over everything.
fn order(entries: &[TreeMeans], classes: &[&str], levels: &[f64]) -> Vec<String> {
    let mut engines: Vec<String> = Vec::new();
    for entry in entries {
        if !engines.contains(&entry.engine) {
            engines.push(entry.engine.clone());
        }
    }
    let mean = |engine: &str| {
        let factors = classes
            .iter()
            .filter_map(|class| factor(entries, class, levels, engine, MEASURES[0]));
        factors.map(f64::ln).sum::<f64>()
    };
    engines.sort_by(|x, y| {
        let key = |engine: &str| (engine != DEFAULT, mean(engine));
        let ((p, x), (q, y)) = (key(x), key(y));
        p.cmp(&q).then(x.total_cmp(&y))
    });
    engines
}

/// The geometric mean over the gaps of what a tree takes beside the best plain one.
fn factor(
    entries: &[TreeMeans],
    class: &str,
    levels: &[f64],
    engine: &str,
    measure: ComparedMeasure,
) -> Option<f64> {
    let mut logs = Vec::new();
    for &level in levels {
        let own = entries
            .iter()
            .find(|e| e.class == class && e.level == level && e.engine == engine)?;
        let best = winner(entries, class, level, measure.of)?;
        let (own, best) = ((measure.of)(own), (measure.of)(best));
        if own > 0.0 && best > 0.0 {
            logs.push((own / best).ln());
        }
    }
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

fn number(x: f64) -> String {
    if x < 9.95 {
        format!("{x:.2}")
    } else {
        format!("{x:.0}")
    }
}

fn microseconds(ns: f64) -> String {
    let us = ns / 1e3;
    if us < 0.95 {
        format!("{ns:.0} ns")
    } else if us < 9.95 {
        format!("{us:.1} µs")
    } else {
        format!("{us:.0} µs")
    }
}

fn thousands(faces: usize) -> String {
    format!("{:.1} k", faces as f64 / 1e3)
}

/// Names that fit into a cell beside a time.
fn short(engine: &str) -> &str {
    engine.strip_suffix("-tree").unwrap_or(engine)
}
