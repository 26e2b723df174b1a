//! What can be compared: times and counts, each measured on something that has a name.

use std::path::Path;

use crate::engines::{OURS, PEERS};
use crate::report::{Collection, seconds_per};
use crate::sheet::{Cell, Sheet};
use crate::{rigid, scenario};

/// One engine on one question, measured on many things.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) part: String,
    pub(crate) what: String,
    pub(crate) engine: String,
    pub(crate) is_ours: bool,
    /// A count has no noise.
    pub(crate) is_count: bool,
    /// The thing's name and the value; in order of names.
    pub(crate) samples: Vec<(String, f64)>,
}

impl Quantity {
    pub(crate) fn name(&self) -> String {
        format!("{}/{}/{}", self.part, self.what, self.engine)
    }

    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.part == other.part
            && self.what == other.what
            && self.engine == other.engine
            && self.is_count == other.is_count
    }

    /// Logarithms of this over the older, for everything that both have.
    pub(crate) fn ratios(&self, old: &Self) -> Vec<f64> {
        let mut before = old.samples.iter().peekable();
        let mut ratios = Vec::new();
        for (name, value) in &self.samples {
            while before.peek().is_some_and(|(other, _)| other < name) {
                before.next();
            }
            if let Some((_, was)) = before.next_if(|(other, _)| other == name)
                && *was > 0.0
                && *value > 0.0
            {
                ratios.push((value / was).ln());
            }
        }
        ratios
    }
}

/// Names that begin so are other people's.
const FOREIGN: [&str; 9] = [
    "rapier",
    "rstar",
    "kiddo",
    "manifold",
    "libccd",
    "ccd",
    "ipctk",
    "nalgebra",
    "published",
];

fn is_foreign(engine: &str) -> bool {
    let engine = engine.to_lowercase();
    let first = engine
        .split([' ', ',', ':', '('])
        .next()
        .unwrap_or_default();
    PEERS
        .iter()
        .map(|(name, _)| *name)
        .chain(FOREIGN)
        .any(|name| first == name || first.strip_prefix(name).is_some_and(|r| r.starts_with('-')))
}

/// Everything of a folder that can be compared.
pub(super) fn quantities(folder: &Path, collection: &Collection) -> Vec<Quantity> {
    let mut found = Vec::new();
    // What cannot be read was named when the folder was gathered.
    if let Ok(records) = rigid::read(&folder.join("rigid.csv")) {
        of_rigid(&records, &mut found);
    }
    if let Ok(entries) = scenario::read(&folder.join("scenario-1.csv")) {
        of_scenario(&entries, &mut found);
    }
    for part in &collection.parts {
        if !["rigid", "scenario-1", "published", "suite"].contains(&part.sheet.name.as_str()) {
            of_sheet(&part.sheet, &mut found);
        }
    }
    for quantity in &mut found {
        quantity.samples.sort_by(|p, q| p.0.cmp(&q.0));
        // Two of a name cannot be told apart.
        let samples = std::mem::take(&mut quantity.samples);
        let twice = |k: usize| {
            (k > 0 && samples[k - 1].0 == samples[k].0)
                || samples
                    .get(k + 1)
                    .is_some_and(|next| next.0 == samples[k].0)
        };
        quantity.samples = (0..samples.len())
            .filter(|k| !twice(*k))
            .map(|k| samples[k].clone())
            .collect();
    }
    found
}

fn push(found: &mut Vec<Quantity>, like: Quantity, name: String, value: f64) {
    match found.iter_mut().rev().find(|q| q.is_like(&like)) {
        Some(quantity) => quantity.samples.push((name, value)),
        None => found.push(Quantity {
            samples: vec![(name, value)],
            ..like
        }),
    }
}

fn of_rigid(records: &[rigid::Record], found: &mut Vec<Quantity>) {
    for record in records {
        let Some(ns) = record.hot_ns else { continue };
        let like = Quantity {
            part: "rigid".to_owned(),
            what: record.question.clone(),
            engine: record.engine.clone(),
            is_ours: !is_foreign(&record.engine),
            is_count: false,
            samples: Vec::new(),
        };
        let name = format!("{} {:06} {}", record.pair, record.pose, record.level);
        push(found, like, name, ns);
    }
}

fn of_scenario(entries: &[scenario::Entry], found: &mut Vec<Quantity>) {
    for entry in entries {
        let name = format!(
            "{} {} {} {}",
            entry.class, entry.model, entry.faces, entry.level
        );
        for (what, is_count, value) in [
            ("all pairs of two copies", false, entry.time_ns),
            ("tests of two copies", true, entry.tests()),
        ] {
            let like = Quantity {
                part: "scenario-1".to_owned(),
                what: what.to_owned(),
                engine: entry.engine.clone(),
                is_ours: true,
                is_count,
                samples: Vec::new(),
            };
            push(found, like, name.clone(), value);
        }
    }
}

/// Lines of plots of times, and columns of times in tables.
fn of_sheet(sheet: &Sheet, found: &mut Vec<Quantity>) {
    for plot in &sheet.plots {
        // What is drawn in rows is in a table, too.
        if seconds_per(&plot.y.unit).is_none() || !plot.rows().is_empty() {
            continue;
        }
        for series in plot.series.iter().filter(|s| !s.is_published) {
            let like = Quantity {
                part: sheet.name.clone(),
                what: plot.title.clone(),
                engine: series.name.clone(),
                is_ours: !is_foreign(&series.name),
                is_count: false,
                samples: Vec::new(),
            };
            for [x, y] in &series.points {
                push(found, like.clone(), x.to_string(), *y);
            }
        }
    }
    for table in &sheet.tables {
        for (k, column) in table.columns.iter().enumerate() {
            if !is_time(column) {
                continue;
            }
            for row in &table.rows {
                let Some(Cell::Number(value)) = row.get(k) else {
                    continue;
                };
                let words: Vec<&str> = row
                    .iter()
                    .filter_map(|cell| match cell {
                        Cell::Text(text) => Some(text.as_str()),
                        _ => None,
                    })
                    .collect();
                let foreign = words.iter().find(|word| is_foreign(word));
                let engine = foreign.copied().unwrap_or(OURS).to_owned();
                let like = Quantity {
                    part: sheet.name.clone(),
                    what: format!("{}: {column}", table.title),
                    is_ours: foreign.is_none(),
                    engine,
                    is_count: false,
                    samples: Vec::new(),
                };
                push(found, like, words.join(" / "), *value);
            }
        }
    }
}

/// Whether a column's head says that it holds times: its last word is a unit of time.
fn is_time(column: &str) -> bool {
    let last = column
        .rsplit([' ', ',', '(', '['])
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    column.contains([' ', ',', '(']) && seconds_per(last.trim_matches([')', ']'])).is_some()
}

#[cfg(test)]
mod tests {
    use super::{Quantity, is_foreign, is_time};

    #[test]
    fn only_what_both_have_is_compared() {
        let quantity = |samples: &[(&str, f64)]| Quantity {
            part: String::new(),
            what: String::new(),
            engine: String::new(),
            is_ours: true,
            is_count: false,
            samples: samples.iter().map(|(n, x)| ((*n).to_owned(), *x)).collect(),
        };
        let old = quantity(&[("a", 1.0), ("b", 2.0), ("d", 0.0), ("e", 5.0)]);
        let new = quantity(&[("b", 2.0), ("c", 3.0), ("d", 1.0), ("e", 10.0)]);
        assert_eq!(new.ratios(&old), [0.0, 2f64.ln()]);
    }

    #[test]
    fn times_and_peers_are_told_by_their_names() {
        assert!(is_time("time, ms") && is_time("mean (µs)") && is_time("frame ms"));
        assert!(!is_time("faces") && !is_time("s") && !is_time("error, %"));
        assert!(is_foreign("fcl") && is_foreign("FCL 0.7") && is_foreign("fcl-tree"));
        assert!(!is_foreign("impinge") && !is_foreign("odef") && !is_foreign("18-dop"));
    }
}
