//! What a run keeps: one line per pair, target, question and engine, on disk as soon as a target is done.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::configurations::Kind;
use crate::measure::quantile;

const HEADER: &str = "preset,pair,class,faces_a,faces_b,kind,level,question,engine,version,ours,verdict,configurations,wrong,mean_ns,median_ns,p90_ns,p99_ns,max_ns,volume_tests,face_tests,bytes,build_ns,error,silent,cut,group";

/// The records of a run that has not ended, or that left something out.
pub(super) const PARTIAL: &str = "performance.partial.csv";
/// The records of a run that has ended.
pub(super) const ENDED: &str = "performance.csv";

/// A file that is not yet whole.
const UNFINISHED: &str = "performance.partial.csv.part";

/// Preset, pair, kind and the bits of the target.
type Group<'r> = (&'r str, &'r str, &'r str, u64);

/// One engine on one question at one target of one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Record {
    pub(super) preset: String,
    pub(super) pair: String,
    pub(super) class: String,
    pub(super) faces: [usize; 2],
    pub(super) kind: String,
    /// The target, as a part of A's diagonal or volume.
    pub(super) level: f64,
    pub(super) question: String,
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) is_ours: bool,
    /// `right`, `approximate`, or why there are no times: `wrong`, `died`, `timed-out`, `skipped`.
    pub(super) verdict: String,
    /// How many were measured.
    pub(super) configurations: usize,
    pub(super) wrong: usize,
    pub(super) times: Option<Times>,
    /// Means of what was tested, where the engine tells.
    pub(super) volume_tests: Option<f64>,
    pub(super) face_tests: Option<f64>,
    /// Of the indexes, meshes not counted.
    pub(super) bytes: Option<f64>,
    pub(super) build_ns: Option<f64>,
    /// Mean error: of distances and volumes as parts of the unit, of forces in degrees, of yes or no by engines that may err the part that is wrong.
    pub(super) error: Option<f64>,
    /// Places with a force at which the engine told none; they are not in the mean error.
    pub(super) silent: usize,
    /// Whether the time was up before every configuration of the target was asked about.
    pub(super) is_cut: bool,
}

/// Nanoseconds per query over all configurations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
    pub(super) mean: f64,
    pub(super) median: f64,
    pub(super) p90: f64,
    pub(super) p99: f64,
    pub(super) max: f64,
}

impl Times {
    pub(super) fn of(sample: &[f64]) -> Option<Self> {
        let at = |part: f64| quantile(sample, part);
        Some(Self {
            mean: sample.iter().sum::<f64>() / sample.len() as f64,
            median: at(0.5)?,
            p90: at(0.9)?,
            p99: at(0.99)?,
            max: at(1.0)?,
        })
    }
}

impl Record {
    pub(super) fn is_of(&self, kind: Kind) -> bool {
        self.kind == kind.name()
    }

    /// Records of one target are kept or lost together.
    fn group(&self) -> Group<'_> {
        (&self.preset, &self.pair, &self.kind, self.level.to_bits())
    }

    fn line(&self, group: usize) -> String {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| x.to_string());
        let time = |of: fn(&Times) -> f64| number(self.times.as_ref().map(of));
        let fields = [
            self.preset.clone(),
            self.pair.clone(),
            self.class.clone(),
            self.faces[0].to_string(),
            self.faces[1].to_string(),
            self.kind.clone(),
            self.level.to_string(),
            self.question.clone(),
            self.engine.clone(),
            self.version.replace(',', ";"),
            u8::from(self.is_ours).to_string(),
            self.verdict.clone(),
            self.configurations.to_string(),
            self.wrong.to_string(),
            time(|t| t.mean),
            time(|t| t.median),
            time(|t| t.p90),
            time(|t| t.p99),
            time(|t| t.max),
            number(self.volume_tests),
            number(self.face_tests),
            number(self.bytes),
            number(self.build_ns),
            number(self.error),
            self.silent.to_string(),
            u8::from(self.is_cut).to_string(),
            group.to_string(),
        ];
        fields.join(",")
    }

    /// A record, and how many its target has.
    fn parse(line: &str) -> anyhow::Result<(Self, usize)> {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != HEADER.split(',').count() {
            bail!("{} fields in `{line}`", fields.len());
        }
        let text = |k: usize| fields[k].to_owned();
        let count = |k: usize| fields[k].parse::<usize>();
        let number = |k: usize| match fields[k] {
            "" => Ok(None),
            text => text.parse::<f64>().map(Some),
        };
        let times = match (
            number(14)?,
            number(15)?,
            number(16)?,
            number(17)?,
            number(18)?,
        ) {
            (Some(mean), Some(median), Some(p90), Some(p99), Some(max)) => Some(Times {
                mean,
                median,
                p90,
                p99,
                max,
            }),
            _ => None,
        };
        let record = Self {
            preset: text(0),
            pair: text(1),
            class: text(2),
            faces: [count(3)?, count(4)?],
            kind: text(5),
            level: fields[6].parse()?,
            question: text(7),
            engine: text(8),
            version: text(9),
            is_ours: fields[10] == "1",
            verdict: text(11),
            configurations: count(12)?,
            wrong: count(13)?,
            times,
            volume_tests: number(19)?,
            face_tests: number(20)?,
            bytes: number(21)?,
            build_ns: number(22)?,
            error: number(23)?,
            silent: count(24)?,
            is_cut: fields[25] == "1",
        };
        Ok((record, count(26)?))
    }
}

/// Records as they come.
pub(super) struct Journal {
    pub(super) records: Vec<Record>,
    folder: PathBuf,
    file: File,
    /// Whether the file has records that were measured again since.
    has_old: bool,
}

impl Journal {
    /// Begins [`PARTIAL`]; with `resume`, after the targets of this preset that are in it already, or in [`ENDED`] where there is none of it.
    /// Targets that were cut short are measured again.
    pub(super) fn begin(folder: &Path, preset: &str, resume: bool) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(PARTIAL);
        let mut records = Vec::new();
        let ended = folder.join(ENDED);
        if resume && let Some(earlier) = [&path, &ended].into_iter().find(|f| f.is_file()) {
            records = whole_groups(&std::fs::read_to_string(earlier)?);
            records.retain(|record| record.preset == preset && !record.is_cut);
            eprintln!(
                "{} records of {} are kept.",
                records.len(),
                earlier.display()
            );
        }
        let unfinished = folder.join(UNFINISHED);
        std::fs::write(&unfinished, csv(&records))?;
        std::fs::rename(&unfinished, &path)?;
        let file = File::options()
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            records,
            folder: folder.to_owned(),
            file,
            has_old: false,
        })
    }

    /// Whether a target was measured before.
    pub(super) fn has(&self, pair: &str, kind: Kind, level: f64) -> bool {
        self.records
            .iter()
            .any(|r| r.pair == pair && r.is_of(kind) && r.level == level)
    }

    /// Whether a target was measured, but cut short.
    pub(super) fn is_cut(&self, pair: &str, kind: Kind, level: f64) -> bool {
        self.records
            .iter()
            .any(|r| r.pair == pair && r.is_of(kind) && r.level == level && r.is_cut)
    }

    /// How many targets were cut short.
    pub(super) fn cut(&self) -> usize {
        let cut = self.records.iter().filter(|record| record.is_cut);
        group_sizes(cut).len()
    }

    /// Adds all records of one target. Those that it had before are gone; until the end the file has both, and whoever reads it then measures the target again.
    pub(super) fn push(&mut self, records: Vec<Record>) -> anyhow::Result<()> {
        if let Some(new) = records.first() {
            let before = self.records.len();
            self.records.retain(|old| old.group() != new.group());
            self.has_old |= self.records.len() < before;
        }
        let lines: String = records
            .iter()
            .map(|record| record.line(records.len()) + "\n")
            .collect();
        self.file.write_all(lines.as_bytes())?;
        self.records.extend(records);
        Ok(())
    }

    /// Gives the file its name. A run that left something out keeps it under both names, so that another can go on.
    pub(super) fn end(self, is_finished: bool) -> anyhow::Result<(PathBuf, Vec<Record>)> {
        drop(self.file);
        let path = self.folder.join(ENDED);
        let partial = self.folder.join(PARTIAL);
        if self.has_old {
            let unfinished = self.folder.join(UNFINISHED);
            std::fs::write(&unfinished, csv(&self.records))?;
            std::fs::rename(&unfinished, &partial)?;
        }
        if is_finished {
            std::fs::rename(partial, &path)?;
        } else {
            std::fs::copy(partial, &path)?;
        }
        Ok((path, self.records))
    }
}

fn csv(records: &[Record]) -> String {
    let sizes = group_sizes(records.iter());
    let mut text = format!("{HEADER}\n");
    for record in records {
        text.push_str(&record.line(sizes[&record.group()]));
        text.push('\n');
    }
    text
}

/// How many records each target has.
fn group_sizes<'r>(records: impl Iterator<Item = &'r Record>) -> BTreeMap<Group<'r>, usize> {
    let mut sizes = BTreeMap::new();
    for record in records {
        *sizes.entry(record.group()).or_default() += 1;
    }
    sizes
}

/// The records of targets that are there in full; damaged lines and what belongs to them are measured again.
fn whole_groups(text: &str) -> Vec<Record> {
    let parsed: Vec<(Record, usize)> = text
        .lines()
        .skip(1)
        .filter_map(|line| Record::parse(line).ok())
        .collect();
    let sizes = group_sizes(parsed.iter().map(|(record, _)| record));
    parsed
        .iter()
        .filter(|(record, size)| sizes.get(&record.group()) == Some(size))
        .map(|(record, _)| record.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_targets_are_kept() {
        let record = |level: f64, engine: &str| Record {
            preset: "full".to_owned(),
            pair: "blob".to_owned(),
            kind: "distance".to_owned(),
            level,
            engine: engine.to_owned(),
            times: Times::of(&[1.5, 2.5]),
            bytes: Some(8.0),
            ..Record::default()
        };
        let all = [
            record(0.0, "x"),
            record(0.0, "y"),
            record(0.01, "x"),
            record(0.01, "y"),
        ];
        let text = csv(&all);
        assert_eq!(whole_groups(&text), all);
        let cut = &text[..text.len() - 12];
        assert_eq!(whole_groups(cut), all[..2]);
    }

    #[test]
    fn what_was_cut_or_left_out_is_measured_by_the_next_run_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("impinge-journal-{}", std::process::id()));
        let record = |level: f64, is_cut: bool| Record {
            preset: "full".to_owned(),
            pair: "blob".to_owned(),
            kind: "distance".to_owned(),
            level,
            is_cut,
            ..Record::default()
        };
        let begin = |resume: bool| Journal::begin(&folder, "full", resume).unwrap();
        let has = |journal: &Journal, level: f64| journal.has("blob", Kind::Distance, level);
        let mut journal = begin(false);
        journal.push(vec![record(0.0, false)]).unwrap();
        journal.push(vec![record(0.01, true)]).unwrap();
        let (ended, records) = journal.end(false).unwrap();
        assert!(ended.is_file() && records.len() == 2);
        // Measured again within the run: until it ends the target counts as unfinished, then it is there once.
        let mut journal = begin(false);
        journal.push(vec![record(0.0, false)]).unwrap();
        journal.push(vec![record(0.01, true)]).unwrap();
        assert!(journal.is_cut("blob", Kind::Distance, 0.01));
        journal.push(vec![record(0.01, true)]).unwrap();
        assert_eq!((journal.records.len(), journal.cut()), (2, 1));
        let partial = std::fs::read_to_string(folder.join(PARTIAL)).unwrap();
        assert_eq!(whole_groups(&partial).len(), 1);
        let (ended, _) = journal.end(false).unwrap();
        let text = std::fs::read_to_string(ended).unwrap();
        assert_eq!(whole_groups(&text).len(), 2);
        // The next day: the first target is kept, the second is measured again.
        let mut journal = begin(true);
        assert!(has(&journal, 0.0) && !has(&journal, 0.01) && !has(&journal, 0.02));
        journal.push(vec![record(0.01, false)]).unwrap();
        journal.push(vec![record(0.02, false)]).unwrap();
        journal.end(true).unwrap();
        assert!(!folder.join(PARTIAL).is_file());
        // A run that has ended is gone on with as well: nothing is left to do.
        let journal = begin(true);
        assert!([0.0, 0.01, 0.02].iter().all(|level| has(&journal, *level)));
        drop(journal);
        // Without asking for it, nothing is kept; nor is what belongs to another preset.
        assert!(begin(false).records.is_empty());
        std::fs::remove_file(folder.join(PARTIAL)).unwrap();
        assert!(
            Journal::begin(&folder, "everyday", true)
                .unwrap()
                .records
                .is_empty()
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
