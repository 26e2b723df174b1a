//! What can be compared: times and counts, each measured on something that has a name.

use std::path::Path;

use anyhow::{Context, ensure};

use crate::engines::{OURS, PEERS};
use crate::report::{Collection, seconds_per};
use crate::result_sheet::{Cell, ResultSheet, Table};
use crate::{rigid, scenario};

/// One engine on one question, measured on many things.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) part: String,
    pub(crate) what: String,
    pub(crate) engine: String,
    pub(crate) is_ours: bool,
    /// A count has no noise.
    pub(crate) is_count: bool,
    /// Whether a value is a single query, of which one alone says nothing.
    pub(crate) is_of_queries: bool,
    /// The thing's name and the value; in order of names.
    pub(crate) samples: Vec<(String, f64)>,
}

impl Quantity {
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.part == other.part
            && self.what == other.what
            && self.engine == other.engine
            && self.is_count == other.is_count
    }

    /// How many of its values something can be compared with.
    pub(crate) fn comparable(&self) -> usize {
        self.samples.iter().filter(|(_, x)| *x > 0.0).count()
    }

    /// Logarithms of this over the older, for everything that both have, with its name.
    pub(crate) fn ratios<'q>(&'q self, old: &Self) -> Vec<(&'q str, f64)> {
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
                ratios.push((name.as_str(), (value / was).ln()));
            }
        }
        ratios
    }
}

/// Names that begin so are other people's.
const FOREIGN: [&str; 12] = [
    "libigl",
    "nanoflann",
    "open3d",
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

/// Heads of columns that say which engine, or which way of ours, a row is about; the first that a table has.
const ENGINES: [&str; 6] = ["engine", "force", "method", "way", "choice", "order"];

/// Parts that are about the run, or made from others.
pub(super) const DERIVED: [&str; 2] = ["published", "suite"];

/// The table that `run performance` writes: all of its plots and tables are made from it.
const PERFORMANCE: &str = "performance.csv";

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

/// Everything of a folder that can be compared, and what is damaged besides what was refused when it was gathered.
pub(super) fn quantities(folder: &Path, collection: &Collection) -> (Vec<Quantity>, Vec<String>) {
    let mut found = Vec::new();
    let mut damaged = Vec::new();
    // What cannot be read was named when the folder was gathered.
    if let Ok(records) = rigid::read(&folder.join("rigid.csv")) {
        of_rigid(&records, &mut found);
    }
    if let Ok(entries) = scenario::read(&folder.join("scenario-1.csv")) {
        of_scenario(&entries, &mut found);
    }
    let performance = folder.join(PERFORMANCE);
    let mut by_rows = vec!["rigid", "scenario-1"];
    let is_refused = collection.refused.iter().any(|r| r.file == PERFORMANCE);
    if performance.is_file() && !is_refused {
        by_rows.push("performance");
        let read = std::fs::read_to_string(&performance).context("cannot be read");
        if let Err(error) = read.and_then(|text| of_performance(&text, &mut found)) {
            damaged.push(format!("{}: {error:#}", performance.display()));
        }
    }
    for part in &collection.parts {
        let name = part.sheet.name.as_str();
        if !by_rows.contains(&name) && !DERIVED.contains(&name) {
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
    (found, damaged)
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

/// The same value of one pair of models, and of all of them.
fn push_with_pair(found: &mut Vec<Quantity>, like: &Quantity, pair: &str, name: &str, value: f64) {
    let of_pair = Quantity {
        what: format!("{}, {pair}", like.what),
        ..like.clone()
    };
    push(found, like.clone(), format!("{pair} {name}"), value);
    push(found, of_pair, name.to_owned(), value);
}

fn of_rigid(records: &[rigid::Record], found: &mut Vec<Quantity>) {
    for record in records {
        let Some(ns) = record.hot_ns else { continue };
        let like = Quantity {
            part: "rigid".to_owned(),
            what: record.question.clone(),
            engine: record.engine.clone(),
            is_ours: !is_foreign(&record.engine),
            is_of_queries: true,
            ..Quantity::default()
        };
        let name = format!("{:06} {}", record.pose, record.level);
        push_with_pair(found, &like, &record.pair, &name, ns);
    }
}

/// One row for each pair, target, question and engine. Means over other numbers of placements are means over other placements.
fn of_performance(text: &str, found: &mut Vec<Quantity>) -> anyhow::Result<()> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        let found = head.iter().position(|h| *h == name);
        found.with_context(|| format!("has no column {name}"))
    };
    let [pair, kind, level, question, engine, ours, asked, mean] = [
        column("pair")?,
        column("kind")?,
        column("level")?,
        column("question")?,
        column("engine")?,
        column("ours")?,
        column("configurations")?,
        column("mean_ns")?,
    ];
    for (number, line) in lines.enumerate() {
        let fields: Vec<&str> = line.split(',').collect();
        let place = number + 2;
        ensure!(
            fields.len() == head.len(),
            "line {place} has {} fields instead of {}",
            fields.len(),
            head.len()
        );
        if fields[mean].is_empty() {
            continue;
        }
        let ns: f64 = fields[mean]
            .parse()
            .with_context(|| format!("line {place}: `{}` is no time", fields[mean]))?;
        ensure!(
            ns > 0.0 && ns.is_finite(),
            "line {place}: {ns} ns is no time"
        );
        let like = Quantity {
            part: "performance".to_owned(),
            what: format!("{} at a {}", fields[question], fields[kind]),
            engine: fields[engine].to_owned(),
            is_ours: fields[ours] == "1",
            ..Quantity::default()
        };
        let name = format!("{} of {}", fields[level], fields[asked]);
        push_with_pair(found, &like, fields[pair], &name, ns);
    }
    Ok(())
}

fn of_scenario(entries: &[scenario::TreeMeans], found: &mut Vec<Quantity>) {
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
                is_of_queries: true,
                ..Quantity::default()
            };
            push(found, like, name.clone(), value);
        }
    }
}

/// Lines of plots of times, and columns of times in tables.
fn of_sheet(sheet: &ResultSheet, found: &mut Vec<Quantity>) {
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
                ..Quantity::default()
            };
            for [x, y] in &series.points {
                push(found, like.clone(), x.to_string(), *y);
            }
        }
    }
    for table in &sheet.tables {
        of_table(&sheet.name, table, found);
    }
}

fn of_table(part: &str, table: &Table, found: &mut Vec<Quantity>) {
    let telling = telling_columns(table);
    let engine = ENGINES
        .iter()
        .find_map(|head| table.columns.iter().position(|column| column == head));
    for (k, column) in table.columns.iter().enumerate() {
        if !is_time(column) || telling.contains(&k) {
            continue;
        }
        // A column may be a peer's as a row may be.
        let of_column = column.split(' ').find(|word| is_foreign(word));
        for row in &table.rows {
            let Some(Cell::Number(value)) = row.get(k) else {
                continue;
            };
            let words: Vec<String> = telling.iter().filter_map(|k| word(row, *k)).collect();
            let foreign = of_column.or_else(|| {
                let word = words.iter().find(|word| is_foreign(word));
                word.map(String::as_str)
            });
            let named = engine.and_then(|k| word(row, k));
            let engine = foreign.map(str::to_owned).or(named);
            let like = Quantity {
                part: part.to_owned(),
                what: format!("{}: {column}", table.title),
                is_ours: foreign.is_none(),
                engine: engine.unwrap_or_else(|| OURS.to_owned()),
                ..Quantity::default()
            };
            push(found, like, words.join(" / "), *value);
        }
    }
}

fn word(row: &[Cell], column: usize) -> Option<String> {
    match row.get(column)? {
        Cell::Text(text) => Some(text.clone()),
        Cell::Number(x) => Some(x.to_string()),
        Cell::Void { .. } => None,
    }
}

/// The columns that say what a row is about: those of words, and as many columns of numbers, from the left, as it takes to tell all rows apart.
fn telling_columns(table: &Table) -> Vec<usize> {
    let has_word = |k: &usize| {
        let is_word = |row: &Vec<Cell>| matches!(row.get(*k), Some(Cell::Text(_)));
        table.rows.iter().any(is_word)
    };
    let (mut telling, numbers): (Vec<usize>, Vec<usize>) =
        (0..table.columns.len()).partition(has_word);
    let tells_apart = |columns: &[usize]| {
        let name = |row: &Vec<Cell>| -> Vec<Option<String>> {
            columns.iter().map(|k| word(row, *k)).collect()
        };
        let mut names: Vec<_> = table.rows.iter().map(name).collect();
        names.sort();
        names.windows(2).all(|pair| pair[0] != pair[1])
    };
    for k in numbers {
        if tells_apart(&telling) {
            break;
        }
        telling.push(k);
    }
    telling
}

/// Whether a column's head says that it holds times: its last word is a unit of time. A lone `s` may be anything.
fn is_time(column: &str) -> bool {
    let last = column
        .rsplit([' ', ',', '(', '['])
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    let unit = last.trim_matches([')', ']']);
    column != "s" && seconds_per(unit).is_some()
}

#[cfg(test)]
mod tests {
    use super::{Quantity, is_foreign, is_time, of_performance, of_table};
    use crate::result_sheet::{Cell, Table};

    #[test]
    fn only_what_both_have_is_compared() {
        let quantity = |samples: &[(&str, f64)]| Quantity {
            samples: samples.iter().map(|(n, x)| ((*n).to_owned(), *x)).collect(),
            ..Quantity::default()
        };
        let old = quantity(&[("a", 1.0), ("b", 2.0), ("d", 0.0), ("e", 5.0)]);
        let new = quantity(&[("b", 2.0), ("c", 3.0), ("d", 1.0), ("e", 10.0)]);
        assert_eq!(new.ratios(&old), [("b", 0.0), ("e", 2f64.ln())]);
    }

    #[test]
    fn times_and_peers_are_told_by_their_names() {
        assert!(is_time("time, ms") && is_time("mean (µs)") && is_time("frame ms"));
        assert!(is_time("µs") && is_time("ms"));
        assert!(!is_time("faces") && !is_time("s") && !is_time("error, %"));
        assert!(is_foreign("fcl") && is_foreign("FCL 0.7") && is_foreign("fcl-tree"));
        assert!(!is_foreign("impinge") && !is_foreign("odef") && !is_foreign("18-dop"));
    }

    #[test]
    fn every_engine_of_a_table_is_a_quantity_of_its_own() {
        let text = |word: &str| Cell::Text(word.to_owned());
        let row = |model: &str, faces: f64, engine: &str, ms: f64| {
            vec![
                text(model),
                Cell::Number(faces),
                text(engine),
                Cell::Number(ms),
            ]
        };
        let table = Table {
            title: "Times".to_owned(),
            columns: ["model", "faces", "engine", "ms"]
                .map(str::to_owned)
                .to_vec(),
            rows: vec![
                row("gear", 10.0, "wide", 1.0),
                row("gear", 20.0, "wide", 2.0),
                row("gear", 10.0, "obb", 3.0),
                row("gear", 10.0, "fcl", 4.0),
            ],
        };
        let mut found = Vec::new();
        of_table("part", &table, &mut found);
        let engines: Vec<(&str, bool, usize)> = found
            .iter()
            .map(|q| (q.engine.as_str(), q.is_ours, q.samples.len()))
            .collect();
        assert_eq!(
            engines,
            [("wide", true, 2), ("obb", true, 1), ("fcl", false, 1)]
        );
        // Sizes tell rows apart that have the same words.
        assert_ne!(found[0].samples[0].0, found[0].samples[1].0);
        // Without a word at all the first numbers do, and are no times then.
        let budgets = Table {
            title: "Budgets".to_owned(),
            columns: ["budget in µs", "median in µs", "fcl in µs"]
                .map(str::to_owned)
                .to_vec(),
            rows: [20.0, 50.0]
                .map(|x| vec![Cell::Number(x), Cell::Number(x - 1.0), Cell::Number(x)])
                .to_vec(),
        };
        let mut found = Vec::new();
        of_table("part", &budgets, &mut found);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].what, "Budgets: median in µs");
        assert_eq!((found[1].engine.as_str(), found[1].is_ours), ("fcl", false));
        assert_eq!(
            found[0].samples,
            [("20".to_owned(), 19.0), ("50".to_owned(), 49.0)]
        );
    }

    #[test]
    fn rows_of_performance_are_kept_apart_by_engine_and_a_damaged_one_is_named() {
        let head = "pair,kind,level,question,engine,ours,configurations,mean_ns";
        let rows = "blob,distance,0.1,intersects,impinge,1,17,150\n\
                    blob,distance,0.1,intersects,obb,1,17,300\n\
                    gear,distance,0.1,intersects,obb,1,17,400\n\
                    gear,distance,0.1,intersects,fcl,0,17,\n";
        let read = |rows: &str| {
            let mut found = Vec::new();
            of_performance(&format!("{head}\n{rows}"), &mut found).map(|()| found)
        };
        let found = read(rows).unwrap();
        let names: Vec<(&str, &str, usize)> = found
            .iter()
            .map(|q| (q.engine.as_str(), q.what.as_str(), q.samples.len()))
            .collect();
        assert_eq!(
            names,
            [
                ("impinge", "intersects at a distance", 1),
                ("impinge", "intersects at a distance, blob", 1),
                ("obb", "intersects at a distance", 2),
                ("obb", "intersects at a distance, blob", 1),
                ("obb", "intersects at a distance, gear", 1),
            ]
        );
        for damaged in ["blob,distance\n", &rows.replace("150", "NaN")] {
            let error = read(damaged).unwrap_err().to_string();
            assert!(error.contains("line 2"), "{error}");
        }
        assert!(of_performance("a,b\n", &mut Vec::new()).is_err());
    }
}
