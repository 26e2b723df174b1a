//! The records of a run: one line per model, gap and tree.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use impinge::query::Work;

use crate::csv_rows;
use crate::folders::create;
use crate::own_runners::DEFAULT;
use crate::rigid::{date, processor};
use crate::sample_statistics::distinct;

const HEADER: &str =
    "class,model,faces,level,engine,poses,time_ns,volume_tests,face_tests,bytes,build_ns";
const NAME: &str = "scenario-1.csv";

/// One tree at one gap of one model: means over the poses.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TreeMeans {
    pub(crate) class: String,
    pub(crate) model: String,
    pub(crate) faces: usize,
    /// The gap, as a part of the model's diagonal.
    pub(crate) level: f64,
    pub(crate) engine: String,
    pub(crate) poses: usize,
    pub(crate) time_ns: f64,
    pub(crate) volume_tests: f64,
    pub(crate) face_tests: f64,
    /// Of one index, which serves both copies.
    pub(crate) bytes: usize,
    pub(crate) build_ns: f64,
}

impl TreeMeans {
    pub(super) fn add(&mut self, nanoseconds: f64, work: Work) {
        self.poses += 1;
        self.time_ns += nanoseconds;
        self.volume_tests += work.volume_tests as f64;
        self.face_tests += work.face_tests as f64;
    }

    /// From sums to means.
    pub(super) fn mean(self) -> Self {
        let n = self.poses.max(1) as f64;
        Self {
            time_ns: self.time_ns / n,
            volume_tests: self.volume_tests / n,
            face_tests: self.face_tests / n,
            ..self
        }
    }

    pub(crate) fn tests(&self) -> f64 {
        self.volume_tests + self.face_tests
    }

    fn line(&self) -> String {
        format!(
            "{},{},{},{},{},{},{},{},{},{},{}",
            self.class,
            self.model,
            self.faces,
            self.level,
            self.engine,
            self.poses,
            self.time_ns,
            self.volume_tests,
            self.face_tests,
            self.bytes,
            self.build_ns
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let &[
            class,
            model,
            faces,
            level,
            engine,
            poses,
            time,
            volumes,
            tested,
            bytes,
            build,
        ] = fields.as_slice()
        else {
            bail!("expected 11 fields in `{line}`");
        };
        Ok(Self {
            class: class.to_owned(),
            model: model.to_owned(),
            faces: faces.parse()?,
            level: level.parse()?,
            engine: engine.to_owned(),
            poses: poses.parse()?,
            time_ns: time.parse()?,
            volume_tests: volumes.parse()?,
            face_tests: tested.parse()?,
            bytes: bytes.parse()?,
            build_ns: build.parse()?,
        })
    }
}

/// Entries as they come, on disk at once.
pub(super) struct RecordWriter {
    folder: PathBuf,
    file: File,
    entries: Vec<TreeMeans>,
}

impl RecordWriter {
    pub(super) fn begin(folder: &Path) -> anyhow::Result<Self> {
        create(folder)?;
        let mut file = File::create(folder.join("scenario-1.partial.csv"))?;
        writeln!(file, "{HEADER}")?;
        Ok(Self {
            folder: folder.to_owned(),
            file,
            entries: Vec::new(),
        })
    }

    pub(super) fn push(&mut self, entry: TreeMeans) -> anyhow::Result<()> {
        writeln!(self.file, "{}", entry.line())?;
        self.entries.push(entry);
        Ok(())
    }

    /// The file gets its final name, and the winners a file of their own.
    pub(super) fn end(self) -> anyhow::Result<Vec<TreeMeans>> {
        let path = self.folder.join(NAME);
        std::fs::rename(self.folder.join("scenario-1.partial.csv"), &path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        let mut winners = Vec::new();
        for class in classes(&self.entries) {
            for level in levels(&self.entries) {
                let by_time = winner(&self.entries, class, level, |e| e.time_ns);
                let by_tests = winner(&self.entries, class, level, TreeMeans::tests);
                winners.push(serde_json::json!({
                    "class": class,
                    "gap": level,
                    "fastest": by_time.map(|e| &e.engine),
                    "time_ns": by_time.map(|e| e.time_ns),
                    "fewest_tests": by_tests.map(|e| &e.engine),
                    "tests": by_tests.map(TreeMeans::tests),
                }));
            }
        }
        let json = serde_json::json!({
            "date": date(),
            "machine": processor(),
            "winners_among_plain_trees": winners,
        });
        let path = self.folder.join("scenario-1.json");
        std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&json)?))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(self.entries)
    }
}

pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<TreeMeans>> {
    csv_rows::read(file, HEADER, TreeMeans::parse)
}

/// The newest file in the repository.
pub(crate) fn latest() -> anyhow::Result<(PathBuf, Vec<TreeMeans>)> {
    let file = csv_rows::newest(NAME, "scenario-1")?;
    let entries = read(&file)?;
    Ok((file, entries))
}

/// In order of appearance.
pub(super) fn classes(entries: &[TreeMeans]) -> Vec<&str> {
    let mut classes: Vec<&str> = Vec::new();
    for entry in entries {
        if !classes.contains(&entry.class.as_str()) {
            classes.push(&entry.class);
        }
    }
    classes
}

/// From touching to far.
pub(super) fn levels(entries: &[TreeMeans]) -> Vec<f64> {
    distinct(entries.iter().map(|e| e.level))
}

/// The entry with the least of something, among the plain trees.
pub(super) fn winner<'a>(
    entries: &'a [TreeMeans],
    class: &str,
    level: f64,
    measure: impl Fn(&TreeMeans) -> f64,
) -> Option<&'a TreeMeans> {
    entries
        .iter()
        .filter(|e| e.class == class && e.level == level && e.engine != DEFAULT)
        .min_by(|x, y| measure(x).total_cmp(&measure(y)))
}

/// Who wins where, for the terminal.
pub(super) fn table(entries: &[TreeMeans]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "fastest plain tree, and in microseconds: it / {DEFAULT}"
    );
    let _ = write!(text, "{:<8}", "gap");
    let levels = levels(entries);
    for level in &levels {
        let _ = write!(text, " {:>26}", format!("{:.0} %", 100.0 * level));
    }
    let _ = writeln!(text);
    for class in classes(entries) {
        let _ = write!(text, "{class:<8}");
        for &level in &levels {
            let default = entries
                .iter()
                .find(|e| e.class == class && e.level == level && e.engine == DEFAULT)
                .map_or(f64::NAN, |e| e.time_ns / 1e3);
            let cell = winner(entries, class, level, |e| e.time_ns)
                .map(|e| format!("{} {:.2} / {default:.2}", e.engine, e.time_ns / 1e3));
            let _ = write!(text, " {:>26}", cell.unwrap_or_default());
        }
        let _ = writeln!(text);
    }
    text
}
