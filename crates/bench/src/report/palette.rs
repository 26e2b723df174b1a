//! Colours that people who see few of them can distinguish, on white and on black.

use crate::own_runners::DEFAULT;
use crate::result_sheet::{Plot, Series};

/// Each colour on white and on black: the palette of Okabe and Ito, darkened or lightened until lines stand out.
pub(super) const SCHEME: [[&str; 2]; 8] = [
    ["#0063a6", "#5cb3f2"],
    ["#c44f00", "#ff8f52"],
    ["#00805c", "#38c79f"],
    ["#b0598f", "#e49ac6"],
    ["#a87400", "#f0b73d"],
    ["#3a93c9", "#a3d8fa"],
    ["#6b4fa0", "#b59be8"],
    ["#5b6168", "#b4bac2"],
];

/// Colours of what is weak to what is strong, each darker than the last on white and lighter on black, so that they are distinguishable without hues too.
pub(super) const HEAT: [[&str; 2]; 8] = [
    ["#fbfae6", "#22262e"],
    ["#e3f2b8", "#3b2a63"],
    ["#b4e0b8", "#40478a"],
    ["#6fc6bb", "#336a8e"],
    ["#39abc2", "#2590a0"],
    ["#2283b8", "#3cb988"],
    ["#2458a2", "#9bd844"],
    ["#0b2569", "#fbe723"],
];

/// The variables of all colours, on white and on black.
pub(super) fn variables() -> [String; 2] {
    [0, 1].map(|ground| {
        let lines = SCHEME.iter().enumerate();
        let lines = lines.map(|(k, of)| format!("--c{k}:{};", of[ground]));
        let cells = HEAT.iter().enumerate();
        let cells = cells.map(|(k, of)| format!("--h{k}:{};", of[ground]));
        lines.chain(cells).collect()
    })
}

/// The last, which has no hue.
const GREY: usize = 7;

/// Ways of drawing a line once the colours are used up; the first is whole.
pub(super) const DASHES: [&str; 4] = ["", "7 4", "2 3", "10 3 2 3"];

/// Engines that keep their colour and their dash in every picture: those of one family have one colour.
const KNOWN: &[(&str, [usize; 2])] = &[
    ("impinge", [0, 0]),
    ("ours", [0, 0]),
    (DEFAULT, [0, 0]),
    ("fcl", [1, 0]),
    ("coal", [2, 0]),
    ("parry", [3, 0]),
    ("parry-f64", [4, 0]),
    ("bullet", [5, 0]),
    ("ode", [6, 0]),
    ("published", [GREY, 0]),
    ("exact", [0, 0]),
    ("obb", [4, 0]),
    ("impinge, all threads", [5, 0]),
    ("impinge, 2 threads", [0, 1]),
    ("impinge, twice at once", [0, 2]),
    ("parry-optimized", [3, 1]),
    ("parry-refit", [3, 0]),
    ("parry-rebuilt", [3, 2]),
    ("bullet-dbvt", [5, 1]),
    ("fcl-tree", [1, 0]),
    ("fcl-sap", [1, 1]),
    ("rapier", [2, 0]),
    ("rstar", [4, 0]),
    ("hashed grid", [4, 0]),
    ("brute force", [6, 0]),
    ("asked at most", [GREY, 0]),
];

/// Whether a line is our default engine's and drawn stronger.
pub(super) fn is_ours(name: &str) -> bool {
    let name = name.to_lowercase();
    let first = name.split([' ', ',', ':', '(']).next().unwrap_or_default();
    [DEFAULT, "impinge", "ours"].contains(&first)
}

/// From so many lines on, only those of engines that everybody knows are loud.
const MANY: usize = 13;

/// Which lines of a crowd step back: they have neither dots nor names until somebody points at them.
pub(super) fn quiet(plot: &Plot) -> Vec<bool> {
    let is_known = |name: &str| {
        let name = name.to_lowercase();
        is_ours(&name) || KNOWN.iter().any(|(known, _)| *known == name)
    };
    let known: Vec<bool> = plot.series.iter().map(|s| is_known(&s.name)).collect();
    let is_crowd = known.len() >= MANY && known.contains(&true) && plot.rows().is_empty();
    let lines = plot.series.iter().zip(known);
    lines
        .map(|(s, known)| is_crowd && !known && !s.is_published && !s.is_scatter)
        .collect()
}

/// Colour and dash of each series.
pub(super) fn colours(plot: &Plot) -> Vec<[usize; 2]> {
    let is_in_rows = !plot.rows().is_empty();
    let mut used: Vec<[usize; 2]> = Vec::new();
    let mut chosen: Vec<Option<[usize; 2]>> = vec![None; plot.series.len()];
    for (series, chosen) in plot.series.iter().zip(&mut chosen) {
        let name = series.name.to_lowercase();
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        let fixed = match known {
            // What others published is grey.
            _ if series.is_published => Some([GREY, 0]),
            Some((_, look)) => Some(*look),
            None => None,
        };
        // Dots have no dashes to tell them apart.
        if let Some(look) = fixed
            && !used.contains(&look)
            && (!is_in_rows || look[1] == 0)
        {
            used.push(look);
            *chosen = Some(look);
        }
    }
    let mut free = (0..usize::MAX).map(|k| [k % SCHEME.len(), k / SCHEME.len()]);
    let mut looks: Vec<[usize; 2]> = Vec::with_capacity(chosen.len());
    for (k, colour) in chosen.into_iter().enumerate() {
        let next = colour
            .or_else(|| measured(plot, k).and_then(|of| looks.get(of).copied()))
            .or_else(|| free.find(|colour| !used.contains(colour)));
        looks.push(next.unwrap_or_default());
    }
    looks
}

/// The dots of which a line is the prediction: both have one colour.
fn measured(plot: &Plot, k: usize) -> Option<usize> {
    let stem = plot.series[k].name.strip_suffix(" predicted")?;
    let is_of_it = |s: &Series| s.is_scatter && s.name.strip_suffix(" measured") == Some(stem);
    plot.series.iter().position(is_of_it)
}

#[cfg(test)]
mod tests {
    use super::{colours, quiet};
    use crate::result_sheet::{Plot, Series};

    #[test]
    fn an_engine_keeps_its_colour_and_none_is_used_twice() {
        let plot = |names: &[&str]| Plot {
            series: names
                .iter()
                .map(|name| Series {
                    name: (*name).to_owned(),
                    ..Series::default()
                })
                .collect(),
            ..Plot::default()
        };
        assert_eq!(colours(&plot(&["fcl", "impinge"])), [[1, 0], [0, 0]]);
        let family = ["parry", "parry-rebuilt", "else"];
        assert_eq!(colours(&plot(&family)), [[3, 0], [3, 2], [0, 0]]);
        // In rows no two have one colour.
        let mut rows = plot(&family);
        rows.series[0].points = vec![[0.0, 1.0]];
        rows.series[0].names = vec!["scene".to_owned()];
        assert_eq!(colours(&rows), [[3, 0], [0, 0], [1, 0]]);
        let mut told = plot(&["car measured", "car predicted", "lock predicted"]);
        told.series[0].is_scatter = true;
        assert_eq!(colours(&told), [[0, 0], [0, 0], [1, 0]]);
        let many: Vec<String> = (0..30).map(|k| format!("series {k}")).collect();
        let names: Vec<&str> = many.iter().map(String::as_str).collect();
        let mut all = colours(&plot(&names));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30);
    }

    #[test]
    fn a_crowd_steps_back_behind_those_whom_everybody_knows() {
        let series = |name: String| Series {
            name,
            ..Series::default()
        };
        let mut plot = Plot::default();
        plot.series
            .extend((0..20).map(|k| series(format!("tree {k}"))));
        assert!(!quiet(&plot).contains(&true), "nobody is known");
        plot.series.push(series("fcl".to_owned()));
        let crowd = quiet(&plot);
        assert!(crowd[..20].iter().all(|q| *q) && !crowd[20]);
        plot.series.drain(..15);
        assert!(!quiet(&plot).contains(&true), "these few are no crowd");
    }
}
