//! Everything a folder of records holds, as sheets, whatever form it was recorded in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::from_csv::{picture, table};
use super::from_text::{bars, of_text, open_bars, untold};
use super::replaced_bars::withdraw;
use super::{from_rigid, from_scenario};
use crate::compare::without_numbers;
use crate::result_sheet::{Claim, ResultSheet, Table};
use crate::{rigid, scenario};

/// Larger files are no records of ours.
const MOST_BYTES: u64 = 64 << 20;
/// The order of queries; what is not named comes after, by name.
const ORDER: [&str; 16] = [
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
    "gpu",
    "haptics",
    "published",
    "suite",
];

/// One part of the report.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReportPart {
    pub(crate) sheet: ResultSheet,
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
pub(crate) struct RefusedFile {
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
    pub(crate) parts: Vec<ReportPart>,
    pub(crate) refused: Vec<RefusedFile>,
    pub(crate) machine: Machine,
    /// Engines with their versions.
    pub(crate) versions: Vec<(String, String)>,
}

impl Collection {
    /// The part with this name.
    pub(crate) fn part(&self, name: &str) -> Option<&ReportPart> {
        self.parts.iter().find(|part| part.sheet.name == name)
    }

    /// The parts of a name, the newest first: its own, and those of which it is the beginning, as `volume-trees` is of `volume`.
    pub(crate) fn parts_of(&self, name: &str) -> Vec<&ReportPart> {
        let is_of_it = |part: &&ReportPart| {
            let rest = part.sheet.name.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let mut parts: Vec<&ReportPart> = self.parts.iter().filter(is_of_it).collect();
        // The whole comes before its pieces of the same day.
        parts.sort_by_key(|part| part.sheet.name != name);
        parts.sort_by(|p, q| q.origin.folder.cmp(&p.origin.folder));
        parts
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
    pub(crate) fn insert(&mut self, sheet: ResultSheet) {
        let origin = Origin {
            folder: self
                .origins()
                .first()
                .map_or(String::new(), |o| o.folder.clone()),
            machine: self.machine.clone(),
        };
        self.parts.push(ReportPart {
            sheet,
            origin,
            ..ReportPart::default()
        });
        self.parts.sort_by_key(rank);
    }
}

/// The place of a part among the others.
fn rank(part: &ReportPart) -> (usize, String) {
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

/// Whether one of these newer parts is the same as `old`, or the whole of which it is a piece, or whether other pieces of that whole
/// have judged everything that it judges.
fn is_outdated(newer: &[ReportPart], old: &ReportPart) -> bool {
    let name = old.sheet.name.as_str();
    let is_piece = |name: &str, whole: &str| {
        let rest = name.strip_prefix(whole);
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    let is_there = newer.iter().any(|part| {
        let whole = part.sheet.name.as_str();
        whole == name || (IN_PIECES.contains(&whole) && is_piece(name, whole))
    });
    // `exact-volume` is no piece of `volume`.
    let whole = IN_PIECES.iter().find(|whole| is_piece(name, whole));
    let judged = |claim: &Claim| {
        let key = without_numbers(&claim.claim);
        whole.is_some_and(|whole| {
            let pieces = newer.iter().filter(|p| is_piece(&p.sheet.name, whole));
            let mut claims = pieces.flat_map(|p| &p.sheet.bars);
            claims.any(|bar| without_numbers(&bar.claim) == key)
        })
    };
    let bars = &old.sheet.bars;
    is_there || (!bars.is_empty() && bars.iter().all(judged))
}

/// The folders of records below a folder, the newest first: their names begin with the day.
pub(crate) fn folders(records: &Path) -> anyhow::Result<Vec<PathBuf>> {
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
            if name == "published" || is_outdated(&whole.parts[..newer], &part) {
                continue;
            }
            if name == "rigid" {
                whole.versions.clone_from(&found.versions);
            }
            whole.parts.push(part);
        }
        whole
            .refused
            .extend(found.refused.into_iter().map(|refused| RefusedFile {
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
    let mut reader = RecordReader {
        folder,
        collection: Collection::default(),
        texts: BTreeMap::new(),
        tables: Vec::new(),
    };
    for name in &names {
        if let Err(error) = reader.file(name) {
            reader.collection.refused.push(RefusedFile {
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
        withdraw(&mut part.sheet);
        part.origin = Origin {
            folder: name.clone(),
            machine: collection.machine.clone(),
        };
    }
    Ok(collection)
}

struct RecordReader<'a> {
    folder: &'a Path,
    collection: Collection,
    /// The file and its text, by the name of the part.
    texts: BTreeMap<String, (String, String)>,
    /// Foreign tables, by the stem of their file.
    tables: Vec<(String, Table)>,
}

impl RecordReader<'_> {
    fn file(&mut self, name: &str) -> anyhow::Result<()> {
        let path = self.folder.join(name);
        let bytes = std::fs::metadata(&path)?.len();
        if bytes > MOST_BYTES {
            bail!("{bytes} bytes are too many for a record");
        }
        if let Some(stem) = name.strip_suffix(".sheet.json") {
            let sheet = ResultSheet::read(&path)?;
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
        } else if let Some(stem) = name.strip_suffix(".partial.csv")
            && self.folder.join(format!("{stem}.sheet.json")).is_file()
        {
            // The sheet says what was left out; these rows are for --resume.
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

    fn push(&mut self, sheet: ResultSheet, file: &str) {
        self.collection.parts.push(ReportPart {
            sheet,
            files: vec![file.to_owned()],
            ..ReportPart::default()
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
                None => collection.parts.push(ReportPart {
                    sheet: of_text(&name, &text),
                    text: Some(text),
                    files: vec![file],
                    ..ReportPart::default()
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
                    let mut sheet = untold(&stem, None);
                    sheet.plots.extend(picture(&table));
                    sheet.tables.push(table);
                    collection.parts.push(ReportPart {
                        sheet,
                        files: vec![file],
                        ..ReportPart::default()
                    });
                }
            }
        }
        collection.parts.sort_by_key(rank);
        collection
    }
}
