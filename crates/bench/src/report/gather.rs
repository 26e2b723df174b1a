//! Everything a folder of records holds, as sheets, whatever form it was recorded in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::{from_rigid, from_scenario};
use crate::sheet::{Axis, Cell, Claim, Plot, Series, Sheet, Table};
use crate::{rigid, scenario};

/// Rows of a foreign table that are shown.
const MOST_ROWS: usize = 800;
/// Larger files are no records of ours.
const MOST_BYTES: u64 = 64 << 20;
/// The order in which questions are asked; what is not named comes after, by name.
const ORDER: [&str; 14] = [
    "rigid",
    "performance",
    "configurations",
    "scenario-1",
    "average",
    "model",
    "quality",
    "volume",
    "clouds",
    "cloud-brackets",
    "bodies",
    "deform",
    "published",
    "suite",
];

/// One part of the report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Part {
    pub(crate) sheet: Sheet,
    /// What the program printed, if that was recorded.
    pub(crate) text: Option<String>,
    /// The files it comes from.
    pub(crate) files: Vec<String>,
    pub(crate) origin: Origin,
}

/// The folder of records that a part is in, and what it was measured on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Origin {
    pub(crate) folder: String,
    pub(crate) machine: Machine,
}

impl Origin {
    /// Machine and day.
    pub(crate) fn words(&self) -> String {
        let Machine {
            date, processor, ..
        } = &self.machine;
        match (processor.as_str(), date.as_str()) {
            ("", "") => "an unknown day or machine".to_owned(),
            (known, "") | ("", known) => known.to_owned(),
            (processor, date) => format!("{processor}, {date}"),
        }
    }
}

/// A file that is no record, or no longer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) file: String,
    pub(crate) reason: String,
}

/// What was measured on, and when.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Machine {
    pub(crate) date: String,
    #[serde(alias = "machine")]
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory: String,
    pub(crate) system: String,
    pub(crate) compiler: String,
    pub(crate) version: String,
}

/// All of a folder, or of each part the newest of several folders.
#[derive(Clone, Debug, Default)]
pub(crate) struct Collection {
    pub(crate) parts: Vec<Part>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) machine: Machine,
    /// Engines with their versions.
    pub(crate) versions: Vec<(String, String)>,
}

impl Collection {
    /// The part with this name.
    pub(crate) fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.sheet.name == name)
    }

    /// Where its parts come from, the newest folder first, each once.
    pub(crate) fn origins(&self) -> Vec<&Origin> {
        let mut origins: Vec<&Origin> = Vec::new();
        for part in &self.parts {
            if !origins.iter().any(|o| o.folder == part.origin.folder) {
                origins.push(&part.origin);
            }
        }
        origins.sort_by(|p, q| q.folder.cmp(&p.folder));
        origins
    }

    /// Whether its parts come from several folders, so that each has to say from which.
    pub(crate) fn is_mixed(&self) -> bool {
        self.origins().len() > 1
    }

    /// Adds a part that was made from all others, at its place.
    pub(crate) fn insert(&mut self, sheet: Sheet) {
        let origin = Origin {
            folder: self
                .origins()
                .first()
                .map_or(String::new(), |o| o.folder.clone()),
            machine: self.machine.clone(),
        };
        self.parts.push(Part {
            sheet,
            origin,
            ..Part::default()
        });
        self.parts.sort_by_key(rank);
    }
}

/// The place of a part among the others.
fn rank(part: &Part) -> (usize, String) {
    let known = ORDER.iter().position(|name| *name == part.sheet.name);
    // What is about the run itself comes last.
    match known {
        Some(k) if k + 2 < ORDER.len() => (k, String::new()),
        Some(k) => (ORDER.len() + k, String::new()),
        None => (ORDER.len() - 2, part.sheet.name.clone()),
    }
}

/// Benchmarks whose pieces are recorded alone too: a newer record of the whole outdates older ones of its pieces.
const IN_PIECES: [&str; 3] = ["volume", "deform", "exact-volume"];

/// Whether one of these parts is the same as `name`, or the whole of which it is a piece.
fn is_outdated(newer: &[Part], name: &str) -> bool {
    newer.iter().any(|part| {
        let whole = part.sheet.name.as_str();
        let piece = name
            .strip_prefix(whole)
            .and_then(|rest| rest.strip_prefix('-'));
        whole == name || (IN_PIECES.contains(&whole) && piece.is_some())
    })
}

/// The folders of records below a folder, the newest first: their names begin with the day.
pub(super) fn folders(records: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(records)
        .with_context(|| format!("there is no {}", records.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    if folders.is_empty() {
        bail!("no records yet: `impinge-bench run all` makes some");
    }
    folders.sort();
    folders.reverse();
    Ok(folders)
}

/// Of each part the record in the newest folder that holds it. What was made from the records of one folder is left out.
pub(crate) fn gather_newest(records: &Path) -> anyhow::Result<Collection> {
    let mut whole = Collection::default();
    for folder in folders(records)? {
        let found = gather(&folder)?;
        if whole.machine == Machine::default() {
            whole.machine = found.machine;
        }
        let newer = whole.parts.len();
        for part in found.parts {
            let name = part.sheet.name.as_str();
            if name == "published" || is_outdated(&whole.parts[..newer], name) {
                continue;
            }
            if name == "rigid" {
                whole.versions.clone_from(&found.versions);
            }
            whole.parts.push(part);
        }
        whole
            .refused
            .extend(found.refused.into_iter().map(|refused| Refused {
                file: format!("{}/{}", folder_name(&folder), refused.file),
                ..refused
            }));
    }
    whole.parts.sort_by_key(rank);
    Ok(whole)
}

fn folder_name(folder: &Path) -> String {
    let name = folder.file_name();
    name.map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

/// Day and machine of a folder that is named after them and says no more.
fn machine_of(name: &str) -> Machine {
    const DAY: usize = "2026-11-16".len();
    let is_day = |day: &&str| {
        let shape = |(k, c): (usize, char)| match k {
            4 | 7 => c == '-',
            _ => c.is_ascii_digit(),
        };
        day.chars().enumerate().all(shape)
    };
    match name.get(..DAY).filter(is_day) {
        Some(day) => Machine {
            date: day.to_owned(),
            processor: name[DAY..].trim_start_matches('-').to_owned(),
            ..Machine::default()
        },
        None => Machine::default(),
    }
}

/// Reads a folder. A file that cannot be trusted is named and left out; only a folder that cannot be listed is an error.
pub(crate) fn gather(folder: &Path) -> anyhow::Result<Collection> {
    let mut names = Vec::new();
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("there is no folder {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str())
            && path.is_file()
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    let mut reader = Reader {
        folder,
        collection: Collection::default(),
        texts: BTreeMap::new(),
        tables: Vec::new(),
    };
    for name in &names {
        if let Err(error) = reader.file(name) {
            reader.collection.refused.push(Refused {
                file: name.clone(),
                reason: format!("{error:#}"),
            });
        }
    }
    let mut collection = reader.end();
    let name = folder_name(folder);
    if collection.machine == Machine::default() {
        collection.machine = machine_of(&name);
    }
    for part in &mut collection.parts {
        part.origin = Origin {
            folder: name.clone(),
            machine: collection.machine.clone(),
        };
    }
    Ok(collection)
}

struct Reader<'a> {
    folder: &'a Path,
    collection: Collection,
    /// The file and its text, by the name of the part.
    texts: BTreeMap<String, (String, String)>,
    /// Foreign tables, by the stem of their file.
    tables: Vec<(String, Table)>,
}

impl Reader<'_> {
    fn file(&mut self, name: &str) -> anyhow::Result<()> {
        let path = self.folder.join(name);
        let bytes = std::fs::metadata(&path)?.len();
        if bytes > MOST_BYTES {
            bail!("{bytes} bytes are too many for a record");
        }
        if let Some(stem) = name.strip_suffix(".sheet.json") {
            let sheet = Sheet::read(&path)?;
            if sheet.name != stem {
                bail!("the sheet inside is called {:?}", sheet.name);
            }
            self.push(sheet, name);
        } else if name == "rigid.csv" {
            let records = rigid::read(&path)?;
            self.collection.versions = from_rigid::versions(&records);
            self.push(from_rigid::sheet(&records), name);
        } else if name == "scenario-1.csv" {
            self.push(from_scenario::sheet(&scenario::read(&path)?), name);
        } else if name == "machine.json" || name == "rigid.json" {
            let text = std::fs::read_to_string(&path)?;
            let machine: Machine = serde_json::from_str(&text)?;
            // The machine's own file comes first, by name.
            if self.collection.machine == Machine::default() {
                self.collection.machine = machine;
            }
        } else if name.ends_with(".partial.csv") || name.ends_with(".part") {
            bail!(
                "a run that is not finished: --resume goes on with it, and what it has measured is not shown from here"
            );
        } else if let Some(stem) = name.strip_suffix(".txt") {
            let text = std::fs::read_to_string(&path)?;
            let kept = (name.to_owned(), text);
            // What `impinge-bench run NAME` printed is NAME's; what the suite wrote under that name comes first.
            match stem.strip_prefix("run-") {
                Some(part) => {
                    self.texts.entry(part.to_owned()).or_insert(kept);
                }
                None => {
                    self.texts.insert(stem.to_owned(), kept);
                }
            }
        } else if let Some(stem) = name.strip_suffix(".csv") {
            let table = table(stem, &std::fs::read_to_string(&path)?)?;
            self.tables.push((stem.to_owned(), table));
        }
        // Pages, pictures and logs are for people.
        Ok(())
    }

    fn push(&mut self, sheet: Sheet, file: &str) {
        self.collection.parts.push(Part {
            sheet,
            files: vec![file.to_owned()],
            ..Part::default()
        });
    }

    /// Puts texts and foreign tables where they belong, and everything in order.
    fn end(self) -> Collection {
        let mut collection = self.collection;
        for (name, (file, text)) in self.texts {
            match collection.parts.iter_mut().find(|p| p.sheet.name == name) {
                Some(part) => {
                    // Whoever wrote a sheet has left its bars open there.
                    if !part.files.contains(&format!("{name}.sheet.json")) {
                        part.sheet.open.extend(open_bars(&text));
                        if part.sheet.bars.is_empty() {
                            part.sheet.bars = bars(&text);
                        }
                    }
                    part.text = Some(text);
                    part.files.push(file);
                }
                None => collection.parts.push(Part {
                    sheet: of_text(&name, &text),
                    text: Some(text),
                    files: vec![file],
                    ..Part::default()
                }),
            }
        }
        for (stem, table) in self.tables {
            let file = format!("{stem}.csv");
            let owner = collection.parts.iter_mut().find(|part| {
                let rest = stem.strip_prefix(part.sheet.name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            });
            match owner {
                Some(part) => {
                    // Whoever wrote a sheet has said there what the raw rows mean.
                    let sheet = format!("{stem}.sheet.json");
                    if !part.files.contains(&sheet) {
                        part.sheet.plots.extend(picture(&table));
                        part.sheet.tables.push(table);
                    }
                    part.files.push(file);
                }
                None => {
                    let mut sheet = Sheet::new(&stem, &title(&stem), "", "");
                    sheet.plots.extend(picture(&table));
                    sheet.tables.push(table);
                    collection.parts.push(Part {
                        sheet,
                        files: vec![file],
                        ..Part::default()
                    });
                }
            }
        }
        collection.parts.sort_by_key(rank);
        collection
    }
}

/// A name as a heading.
fn title(name: &str) -> String {
    let mut letters = name.replace('-', " ").chars().collect::<Vec<_>>();
    if let Some(first) = letters.first_mut() {
        *first = first.to_ascii_uppercase();
    }
    letters.into_iter().collect()
}

/// What a program printed about its bars: the claim, and the word at the end of its line.
fn printed(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    text.lines().filter_map(|line| {
        let (before, bar) = line.split_once("bar: ")?;
        let bar = bar.trim_end();
        let (claim, state) = bar.rsplit_once(|c: char| c.is_whitespace())?;
        let claim = claim.trim_end_matches([' ', ':', '…', ',']).trim();
        let before = before.split_whitespace().collect::<Vec<_>>().join(" ");
        let claim = match before.as_str() {
            "" => claim.to_owned(),
            before => format!("{before}: {claim}"),
        };
        Some((claim, state.to_lowercase()))
    })
}

/// The bars among what a program printed, each once.
pub(crate) fn bars(text: &str) -> Vec<Claim> {
    let mut seen = BTreeSet::new();
    printed(text)
        .filter_map(|(claim, state)| {
            let is_met = match state.as_str() {
                "met" => true,
                "missed" => false,
                _ => return None,
            };
            seen.insert(claim.clone()).then(|| Claim {
                claim,
                reached: String::new(),
                is_met,
            })
        })
        .collect()
}

/// The bars that a program printed and that nothing was measured for, each once.
pub(crate) fn open_bars(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    printed(text)
        .filter(|(claim, state)| state == "open" && seen.insert(claim.clone()))
        .map(|(claim, _)| claim)
        .collect()
}

/// Benchmarks that print and write no sheet: name, heading, question, command.
const PRINTED: &[[&str; 4]] = &[
    [
        "ablation-1994",
        "The ideas of 1994",
        "How much does each idea of a thesis of 1994 gain today?",
        "ablation-1994",
    ],
    [
        "auto-choice",
        "From which size a tree pays",
        "Does the automatic choice take the better engine?",
        "auto-choice",
    ],
    [
        "average",
        "Answers that are probably right",
        "How much time does a search save that may err, and how often does it err?",
        "run average",
    ],
    [
        "bodies",
        "Many boxes",
        "How long does it take to find all pairs of many moving boxes?",
        "run bodies",
    ],
    [
        "box-tree",
        "Trees of cut boxes",
        "What does each part of a tree of cut boxes gain?",
        "box-tree",
    ],
    [
        "ccd",
        "Continuous tests",
        "When do a moving vertex and face, or two edges, first meet, and is the answer ever wrong?",
        "ccd",
    ],
    [
        "cloud-brackets",
        "Crossings of two clouds",
        "How fast are the places found at which the surfaces of two clouds cross?",
        "cloud-brackets",
    ],
    [
        "cloud-graphs",
        "Graphs of point clouds",
        "How do proximity graphs grow with the cloud, and what does an edit cost?",
        "cloud-graphs",
    ],
    [
        "cloud-pairs",
        "Clouds as shapes",
        "How far is a cloud from a mesh, a cloud and a cylinder, and what does the answer cost?",
        "cloud-pairs",
    ],
    [
        "cloud-surface",
        "The surface behind a cloud",
        "How good is the surface of a cloud, and what does an evaluation cost?",
        "cloud-surface",
    ],
    [
        "clouds",
        "Point clouds against each other",
        "Do the surfaces behind two clouds meet, how long does the answer take, and how often is it wrong?",
        "run clouds",
    ],
    [
        "clash-truth",
        "Clashes of assemblies",
        "Does every pair of parts clash as brute force says?",
        "clash-truth",
    ],
    [
        "convex-truth",
        "Convex hulls and exact axes",
        "Is any answer about two convex hulls wrong?",
        "convex-truth",
    ],
    [
        "convex-speed",
        "Convex pairs",
        "How long do two convex shapes take, beside other libraries?",
        "convex-speed",
    ],
    [
        "deform",
        "Deforming scenes",
        "How long does a frame of a deforming scene take, and is any contact missed?",
        "run deform",
    ],
    [
        "exact-volume",
        "The exact shared volume",
        "What does the exact volume of an overlap cost?",
        "exact-volume",
    ],
    [
        "half-edges",
        "Building half-edges",
        "Does building the topology of a mesh grow linearly?",
        "half-edges",
    ],
    [
        "kinetic",
        "Kinetic structures",
        "What do events save beside updating every frame?",
        "kinetic",
    ],
    [
        "planes",
        "Separating planes",
        "How often does a search for a separating plane give up in vain?",
        "planes",
    ],
    [
        "scan",
        "A robot before a depth camera",
        "Do build and questions of a frame fit into its time?",
        "scan",
    ],
    [
        "volume",
        "Balls in solids",
        "How well and how fast do packed balls tell volume, distance and force?",
        "run volume",
    ],
    [
        "world",
        "A world on a thread of its own",
        "Does a world under stress ever give a wrong or late answer?",
        "world",
    ],
];

fn of_text(name: &str, text: &str) -> Sheet {
    let known = PRINTED.iter().find(|[known, ..]| *known == name);
    let heading = known.map_or_else(|| title(name), |[_, heading, ..]| (*heading).to_owned());
    // A part of a benchmark says in its first line how it was run.
    let told = text.lines().next().and_then(|line| {
        let command = line.strip_prefix("$ impinge-bench ")?;
        Some(command.trim())
    });
    let [question, command] = known.map_or(["", name], |[_, _, question, command]| {
        [*question, *command]
    });
    let command = told.unwrap_or(command);
    let mut sheet = Sheet::new(
        name,
        &heading,
        question,
        &format!("cargo run --release -p impinge-bench -- {command}"),
    );
    sheet.bars = bars(text);
    sheet.open = open_bars(text);
    sheet.tables = printed_tables(text);
    sheet
}

/// The tables that a program printed with bars between their columns, each under the heading before it. What else it prints between the rows
/// does not end a table, a heading does.
fn printed_tables(text: &str) -> Vec<Table> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
        Some(
            inner
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect(),
        )
    };
    let is_rule = |row: &[String]| {
        row.iter()
            .all(|cell| cell.len() > 2 && cell.chars().all(|c| c == '-'))
    };
    let mut tables: Vec<Table> = Vec::new();
    let (mut heading, mut is_open) = ("", false);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            (heading, is_open) = (title, false);
        }
        let Some(row) = cells(line) else { continue };
        let is_head = lines
            .peek()
            .and_then(|next| cells(next))
            .is_some_and(|next| next.len() == row.len() && is_rule(&next));
        if is_head {
            lines.next();
            is_open = true;
            tables.push(Table {
                title: heading.to_owned(),
                columns: row,
                rows: Vec::new(),
            });
        } else if let Some(table) = tables.last_mut()
            && is_open
            && table.columns.len() == row.len()
            && table.rows.len() < MOST_ROWS
        {
            table.rows.push(row.iter().map(|text| cell(text)).collect());
        }
    }
    tables
}

/// A table that some benchmark wrote as CSV.
fn table(stem: &str, text: &str) -> anyhow::Result<Table> {
    let mut lines = text.lines();
    let head = lines.next().context("the file is empty")?;
    let columns: Vec<String> = head.split(',').map(str::to_owned).collect();
    let mut rows = Vec::new();
    let mut left_out = 0;
    for (k, line) in lines.enumerate() {
        let row: Vec<Cell> = line.split(',').map(cell).collect();
        if row.len() != columns.len() {
            bail!(
                "line {} has {} fields, the head {}",
                k + 2,
                row.len(),
                columns.len()
            );
        }
        if rows.len() < MOST_ROWS {
            rows.push(row);
        } else {
            left_out += 1;
        }
    }
    let title = if left_out > 0 {
        format!("{stem}.csv, without its last {left_out} rows")
    } else {
        format!("{stem}.csv")
    };
    Ok(Table {
        title,
        columns,
        rows,
    })
}

/// The largest number of an axis beside the least, from which on it is logarithmic.
const WIDE: f64 = 100.0;

/// A table of a name and two numbers as a picture, with a line for each name; none of others, and none without a line.
fn picture(table: &Table) -> Option<Plot> {
    let mut series: Vec<Series> = Vec::new();
    for row in &table.rows {
        let [Cell::Text(name), Cell::Number(x), Cell::Number(y)] = row.as_slice() else {
            return None;
        };
        match series.iter_mut().find(|s| s.name == *name) {
            Some(series) => series.points.push([*x, *y]),
            None => series.push(Series {
                name: name.clone(),
                points: vec![[*x, *y]],
                ..Series::default()
            }),
        }
    }
    let axis = |k: usize| {
        let all = || series.iter().flat_map(|s| &s.points).map(|p| p[k]);
        let least = all().fold(f64::INFINITY, f64::min);
        let most = all().fold(f64::NEG_INFINITY, f64::max);
        Axis {
            label: table.columns[k + 1].clone(),
            is_logarithmic: least > 0.0 && most > WIDE * least,
            ..Axis::default()
        }
    };
    series.iter().any(|s| s.points.len() > 1).then(|| Plot {
        title: table.title.clone(),
        x: axis(0),
        y: axis(1),
        series: series.clone(),
    })
}

fn cell(text: &str) -> Cell {
    match text.parse::<f64>() {
        Ok(x) if x.is_finite() => Cell::Number(x),
        _ if text.is_empty() => Cell::Void {
            reason: "not measured".to_owned(),
        },
        _ => Cell::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{bars, open_bars, picture, printed_tables, table};
    use crate::sheet::Cell;

    #[test]
    fn printed_tables_are_read_with_whatever_stands_between_their_rows() {
        let text = "| no | head |\n## Trees over 9 balls\n| model | µs |\n|---|---|\n| ball | 4.5 |\n  a remark\n| knot | 3 % |\n| odd |\n\
                    ## Time\n| ball | 1 |\n| balls | s |\n|---|---|\n| 10 |  |\nbar: fast: met\n";
        let tables = printed_tables(text);
        let [trees, time] = tables.as_slice() else {
            panic!("{tables:?}")
        };
        assert_eq!(trees.title, "Trees over 9 balls");
        assert_eq!(trees.columns, ["model", "µs"]);
        let word = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(
            trees.rows,
            [
                vec![word("ball"), Cell::Number(4.5)],
                vec![word("knot"), word("3 %")]
            ]
        );
        assert_eq!((time.title.as_str(), time.rows.len()), ("Time", 1));
        assert!(matches!(time.rows[0][1], Cell::Void { .. }));
        assert_eq!(printed_tables("bar: none: met\n|"), []);
    }

    #[test]
    fn a_table_of_a_name_and_two_numbers_becomes_a_picture() {
        let of = |text: &str| picture(&table("fill", text).unwrap());
        let plot = of("model,balls,fill\nball,1,0.3\nball,1000,0.7\nknot,1,0.2\n").unwrap();
        assert_eq!(
            (plot.x.label.as_str(), plot.y.label.as_str()),
            ("balls", "fill")
        );
        assert!(plot.x.is_logarithmic && !plot.y.is_logarithmic);
        assert_eq!(plot.series[0].points, [[1.0, 0.3], [1000.0, 0.7]]);
        assert_eq!(plot.series.len(), 2);
        for other in [
            "model,balls,fill\nball,1,0.3\nknot,1,0.2\n",
            "model,balls,fill\nball,1,0.3\nball,2,\n",
            "model,balls\nball,1\nball,2\n",
            "model,balls,fill\n",
        ] {
            assert!(of(other).is_none(), "{other}");
        }
    }

    #[test]
    fn bars_are_read_in_every_form_they_are_printed_in() {
        let text = "bar: no peer: open\nbar: no peer: open\nbar: fast: met\nbar: slow MISSED\nscene a  3.2  bar: at most 1.2 … met\n\
                    bar: no verdict\nother\nbar: fast: met\n";
        assert_eq!(open_bars(text), ["no peer"]);
        let found: Vec<(String, bool)> = bars(text)
            .into_iter()
            .map(|bar| (bar.claim, bar.is_met))
            .collect();
        assert_eq!(
            found,
            [
                ("fast".to_owned(), true),
                ("slow".to_owned(), false),
                ("scene a 3.2: at most 1.2".to_owned(), true)
            ]
        );
    }
}
