//! Colours that are told apart by people who see few of them, on white and on black.

use crate::ours::DEFAULT;
use crate::sheet::Plot;

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

/// The last, which has no hue.
const GREY: usize = 7;

/// Ways of drawing a line once the colours are used up; the first is whole.
pub(super) const DASHES: [&str; 4] = ["", "7 4", "2 3", "10 3 2 3"];

/// Engines that keep their colour in every picture.
const KNOWN: [(&str, usize); 17] = [
    ("impinge", 0),
    ("ours", 0),
    (DEFAULT, 0),
    ("fcl", 1),
    ("coal", 2),
    ("parry", 3),
    ("parry-f64", 4),
    ("bullet", 5),
    ("ode", 6),
    ("published", 7),
    ("exact", 0),
    ("obb", 4),
    ("impinge, all threads", 5),
    ("impinge, 2 threads", 5),
    ("hashed grid", 4),
    ("brute force", 6),
    ("asked at most", 7),
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
    let mut used: Vec<[usize; 2]> = Vec::new();
    let mut chosen: Vec<Option<[usize; 2]>> = vec![None; plot.series.len()];
    for (series, chosen) in plot.series.iter().zip(&mut chosen) {
        let name = series.name.to_lowercase();
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        let fixed = match known {
            // What others published is grey.
            _ if series.is_published => Some(GREY),
            Some((_, colour)) => Some(*colour),
            None => None,
        };
        if let Some(colour) = fixed
            && !used.contains(&[colour, 0])
        {
            used.push([colour, 0]);
            *chosen = Some([colour, 0]);
        }
    }
    let mut free = (0..usize::MAX).map(|k| [k % SCHEME.len(), k / SCHEME.len()]);
    chosen
        .into_iter()
        .map(|colour| {
            let next = colour.or_else(|| free.find(|colour| !used.contains(colour)));
            next.unwrap_or_default()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::colours;
    use crate::sheet::{Plot, Series};

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
        let many: Vec<String> = (0..30).map(|k| format!("series {k}")).collect();
        let names: Vec<&str> = many.iter().map(String::as_str).collect();
        let mut all = colours(&plot(&names));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30);
    }
}
