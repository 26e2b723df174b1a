//! The records of a run, on disk as soon as a target is done.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::engine_selection::is_for_solids;
use super::preset::Preset;
use super::record::{HEADER, Record, void_deniers};
use crate::configurations::Kind;
use crate::engines::Engine;
use crate::folders::create;
use crate::manifold::MANIFOLD;

/// The records of a run that has not ended, or that left something out.
pub(super) const PARTIAL: &str = "performance.partial.csv";
/// The records of a run that has ended.
pub(super) const ENDED: &str = "performance.csv";

/// A file that is not yet whole.
const UNFINISHED: &str = "performance.partial.csv.part";

/// Preset, pair, kind and the bits of the target.
type Group<'r> = (&'r str, &'r str, &'r str, u64);

impl Record {
    /// Records of one target are kept or lost together.
    fn group(&self) -> Group<'_> {
        (&self.preset, &self.pair, &self.kind, self.level.to_bits())
    }
}

/// The files with records of runs in a folder, and these: of one that has not ended before one that has. What cannot be read has none.
fn earlier(folder: &Path) -> Vec<(PathBuf, Vec<Record>)> {
    let files = [PARTIAL, ENDED].map(|name| folder.join(name)).into_iter();
    files
        .filter_map(|file| {
            let bytes = std::fs::read(&file).ok()?;
            let records = whole_groups(&String::from_utf8_lossy(&bytes));
            (!records.is_empty()).then_some((file, records))
        })
        .collect()
}

/// Whether a folder has records of a run of this preset.
pub(super) fn holds(folder: &Path, preset: Preset) -> bool {
    let is_of = |record: &Record| record.preset == preset.name();
    earlier(folder)
        .iter()
        .any(|(_, records)| records.iter().any(is_of))
}

/// How long records of a preset take: those of names that nobody knows may take for ever.
fn cost(name: &str) -> usize {
    let known = [Preset::Quick, Preset::Everyday, Preset::Full];
    let of = known.iter().position(|preset| preset.name() == name);
    of.unwrap_or(known.len())
}

/// Records as they come.
pub(super) struct RecordWriter {
    pub(super) records: Vec<Record>,
    /// How many of the first records are of an earlier run.
    pub(super) kept: usize,
    folder: PathBuf,
    file: File,
    /// Whether the file has records that were measured again since.
    has_old: bool,
}

impl RecordWriter {
    /// Begins [`PARTIAL`]; with `resume`, after the targets of this preset that are in it already, or in [`ENDED`] where there is none of it.
    /// Targets that were cut short are kept until they are measured again: time may be up before that.
    ///
    /// # Errors
    /// A folder that cannot be written to, or that has records of a preset that takes longer: those may be the work of days.
    pub(super) fn begin(folder: &Path, preset: Preset, resume: bool) -> anyhow::Result<Self> {
        create(folder)?;
        let path = folder.join(PARTIAL);
        let mut records = Vec::new();
        for (file, mut found) in earlier(folder) {
            let is_dearer = |record: &&Record| cost(&record.preset) > cost(preset.name());
            if let Some(other) = found.iter().find(is_dearer) {
                bail!(
                    "{} is of a run with --preset {}; --records names another folder",
                    file.display(),
                    other.preset
                );
            }
            found.retain(|record| record.preset == preset.name());
            if resume && records.is_empty() && !found.is_empty() {
                eprintln!("{} records of {} are kept.", found.len(), file.display());
                records = found;
            }
        }
        write_whole(folder, &path, &records)?;
        let file = File::options()
            .append(true)
            .open(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            kept: records.len(),
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

    /// At how many configurations a target was measured.
    pub(super) fn configurations(&self, pair: &str, kind: Kind, level: f64) -> usize {
        let of = |r: &&Record| r.pair == pair && r.is_of(kind) && r.level == level;
        let counts = self.records.iter().filter(of).map(|r| r.configurations);
        counts.max().unwrap_or(0)
    }

    /// Engines without a record at a target that was kept: the run before did not query them there. One that has none at any target of this run answers none of its queries.
    pub(super) fn unasked(
        &self,
        engines: &[Engine],
        is_solid: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let (kept, new) = self.records.split_at(self.kept);
        let is_unasked = |engine: &&Engine| {
            let concerns = |r: &&Record| {
                (is_solid(&r.pair) || !is_for_solids(engine))
                    && (r.is_of(Kind::Volume) || engine.name != MANIFOLD)
            };
            let targets = |records: &[Record]| -> (usize, usize) {
                let there = group_sizes(records.iter().filter(concerns)).len();
                let own = records.iter().filter(concerns);
                let own = group_sizes(own.filter(|r| r.engine == engine.name)).len();
                (there, own)
            };
            let ((there, own), (now, own_now)) = (targets(kept), targets(new));
            own < there && (now == 0 || own_now > 0)
        };
        let unasked = engines.iter().filter(is_unasked);
        unasked.map(|engine| engine.name.clone()).collect()
    }

    /// How many targets were cut short.
    pub(super) fn cut(&self) -> usize {
        let cut = self.records.iter().filter(|record| record.is_cut);
        group_sizes(cut).len()
    }

    /// Adds all records of one target in place of those that it had before, unless they were cut short and say no more. Until the end the file has both, and whoever reads
    /// it takes the later.
    pub(super) fn push(&mut self, records: Vec<Record>) -> anyhow::Result<()> {
        if let Some(new) = records.first() {
            let before = self.records.len();
            let is_other = |old: &Record| old.group() != new.group();
            let answers = |records: &mut dyn Iterator<Item = &Record>| -> usize {
                records.map(|record| record.configurations).sum()
            };
            let old = answers(&mut self.records.iter().filter(|old| !is_other(old)));
            if new.is_cut && old > 0 && answers(&mut records.iter()) <= old {
                return Ok(());
            }
            self.kept = self.records[..self.kept]
                .iter()
                .filter(|old| is_other(old))
                .count();
            self.records.retain(is_other);
            self.has_old |= self.records.len() < before;
        }
        let lines: String = records
            .iter()
            .map(|record| record.line(records.len()) + "\n")
            .collect();
        self.file
            .write_all(lines.as_bytes())
            .with_context(|| format!("cannot write {}", self.folder.join(PARTIAL).display()))?;
        self.records.extend(records);
        Ok(())
    }

    /// Writes all records under their last name, without the times of engines that never say yes. A run that left something out keeps them as they were measured, too, so that
    /// another can go on.
    pub(super) fn end(self, is_finished: bool) -> anyhow::Result<(PathBuf, Vec<Record>)> {
        drop(self.file);
        let path = self.folder.join(ENDED);
        let partial = self.folder.join(PARTIAL);
        if self.has_old {
            write_whole(&self.folder, &partial, &self.records)?;
        }
        let mut records = self.records;
        void_deniers(&mut records);
        write_whole(&self.folder, &path, &records)?;
        if is_finished {
            std::fs::remove_file(&partial)
                .with_context(|| format!("cannot remove {}", partial.display()))?;
        }
        Ok((path, records))
    }
}

/// Writes records whole or not at all.
fn write_whole(folder: &Path, path: &Path, records: &[Record]) -> anyhow::Result<()> {
    let unfinished = folder.join(UNFINISHED);
    std::fs::write(&unfinished, csv(records))
        .with_context(|| format!("cannot write {}", unfinished.display()))?;
    std::fs::rename(&unfinished, path).with_context(|| format!("cannot write {}", path.display()))
}

/// All of a file.
pub(super) fn csv(records: &[Record]) -> String {
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

/// The records of targets that are there in full; damaged lines and what belongs to them are measured again. Of a target that was measured again the last
/// measurement that is whole counts.
pub(super) fn whole_groups(text: &str) -> Vec<Record> {
    let parsed: Vec<Option<(Record, usize)>> = text
        .lines()
        .skip(1)
        .map(|line| Record::parse(line).ok())
        .collect();
    let mut wholes: Vec<&[Option<(Record, usize)>]> = Vec::new();
    let mut rest = parsed.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let is_of = |line: &Option<(Record, usize)>, group: Group<'_>, size: usize| matches!(line, Some((record, n)) if record.group() == group && *n == size);
        let whole = first.as_ref().and_then(|(record, size)| {
            let lines = rest.get(..*size)?;
            let group = record.group();
            lines
                .iter()
                .all(|line| is_of(line, group, *size))
                .then_some(lines)
        });
        // A measurement that is not whole is passed line by line.
        rest = whole.map_or(others, |lines| &rest[lines.len().max(1)..]);
        wholes.extend(whole.filter(|lines| !lines.is_empty()));
    }
    let mut last = BTreeMap::new();
    for (number, lines) in wholes.iter().enumerate() {
        if let Some((record, _)) = &lines[0] {
            last.insert(record.group(), number);
        }
    }
    let is_last = |number: usize| last.values().any(|last| *last == number);
    wholes
        .iter()
        .enumerate()
        .filter(|(number, _)| is_last(*number))
        .flat_map(|(_, lines)| lines.iter().flatten())
        .map(|(record, _)| record.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{FoundEngine, find};
    use crate::performance::record::QueryTimes;

    /// A record of one and the same pair.
    fn at(level: f64) -> Record {
        Record {
            preset: "full".to_owned(),
            pair: "blob".to_owned(),
            kind: "distance".to_owned(),
            level,
            ..Record::default()
        }
    }

    #[test]
    fn only_whole_targets_are_kept() {
        let record = |level: f64, engine: &str| Record {
            engine: engine.to_owned(),
            times: QueryTimes::of(&[(0, 1.5), (1, 2.5)]),
            bytes: Some(8.0),
            ..at(level)
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
        // Measured again, and stopped within that: the first measurement counts.
        let mut slower = record(0.01, "y");
        slower.times = QueryTimes::of(&[(0, 3.0), (1, 4.0)]);
        let again = [record(0.01, "x"), slower];
        let body = |records: &[Record]| {
            let text = csv(records);
            text.split_once('\n').unwrap().1.to_owned()
        };
        let text = csv(&all) + &body(&again);
        assert_eq!(whole_groups(&text), [&all[..2], &again].concat());
        let cut = &text[..text.len() - 12];
        assert_eq!(whole_groups(cut), all);
        // A line in its midst that cannot be read costs the target and no other.
        let mut lines: Vec<&str> = text.lines().collect();
        lines[1] = "rubbish";
        assert_eq!(whole_groups(&lines.join("\n")), again);
    }

    #[test]
    fn what_was_cut_or_left_out_is_measured_by_the_next_run_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("impinge-journal-{}", std::process::id()));
        let record = |level: f64, is_cut: bool| Record {
            is_cut,
            ..at(level)
        };
        let begin = |resume: bool| RecordWriter::begin(&folder, Preset::Full, resume).unwrap();
        let has = |journal: &RecordWriter, level: f64| journal.has("blob", Kind::Distance, level);
        let mut journal = begin(false);
        journal.push(vec![record(0.0, false)]).unwrap();
        journal.push(vec![record(0.01, true)]).unwrap();
        let (ended, records) = journal.end(false).unwrap();
        assert!(ended.is_file() && records.len() == 2);
        // Measured again within the run: until it ends the file has both, and the later counts; then it is there once.
        let mut journal = begin(false);
        journal.push(vec![record(0.0, false)]).unwrap();
        journal.push(vec![record(0.01, true)]).unwrap();
        assert!(journal.is_cut("blob", Kind::Distance, 0.01));
        journal.push(vec![record(0.01, true)]).unwrap();
        assert_eq!((journal.records.len(), journal.cut()), (2, 1));
        let partial = std::fs::read_to_string(folder.join(PARTIAL)).unwrap();
        assert_eq!(partial.lines().count(), 4);
        assert_eq!(whole_groups(&partial).len(), 2);
        let (ended, _) = journal.end(false).unwrap();
        let text = std::fs::read_to_string(ended).unwrap();
        assert_eq!(whole_groups(&text).len(), 2);
        // The next day without any time: nothing is lost.
        let (_, records) = begin(true).end(false).unwrap();
        assert_eq!(records, [record(0.0, false), record(0.01, true)]);
        // The day after: the first target is kept, the second is measured again.
        let mut journal = begin(true);
        let is_cut = |journal: &RecordWriter| journal.is_cut("blob", Kind::Distance, 0.01);
        assert!(has(&journal, 0.0) && is_cut(&journal) && !has(&journal, 0.02));
        assert_eq!(journal.kept, 2);
        journal.push(vec![record(0.01, false)]).unwrap();
        assert!(has(&journal, 0.01) && !is_cut(&journal));
        assert_eq!((journal.kept, journal.records.len()), (1, 2));
        journal.push(vec![record(0.02, false)]).unwrap();
        journal.end(true).unwrap();
        assert!(!folder.join(PARTIAL).is_file());
        // A run that has ended is gone on with as well: nothing is left to do.
        let journal = begin(true);
        assert!([0.0, 0.01, 0.02].iter().all(|level| has(&journal, *level)));
        drop(journal);
        // What took longer is not touched, not even if the last run left nothing.
        assert!(holds(&folder, Preset::Full) && !holds(&folder, Preset::Everyday));
        std::fs::write(folder.join(PARTIAL), format!("{HEADER}\n")).unwrap();
        for resume in [true, false] {
            let refused = RecordWriter::begin(&folder, Preset::Everyday, resume);
            let refused = refused.err().unwrap();
            assert!(refused.to_string().contains("--preset full"), "{refused}");
        }
        assert_eq!(begin(true).records.len(), 3);
        // Without asking for it, nothing is kept; what is damaged stops nobody.
        std::fs::write(folder.join(PARTIAL), b"\xff\xfe").unwrap();
        assert!(begin(false).records.is_empty());
        // What took less is replaced.
        std::fs::remove_dir_all(&folder).unwrap();
        let mut quick = RecordWriter::begin(&folder, Preset::Quick, false).unwrap();
        let preset = "quick".to_owned();
        quick
            .push(vec![Record {
                preset,
                ..record(0.0, false)
            }])
            .unwrap();
        drop(quick);
        assert!(holds(&folder, Preset::Quick));
        assert!(begin(true).records.is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_was_cut_replaces_nothing_that_says_more() {
        let folder = std::env::temp_dir().join(format!("impinge-better-{}", std::process::id()));
        let record = |configurations: usize, is_cut: bool| Record {
            configurations,
            is_cut,
            ..at(0.0)
        };
        let mut journal = RecordWriter::begin(&folder, Preset::Full, false).unwrap();
        for (pushed, there) in [
            (record(3, true), record(3, true)),
            (record(2, true), record(3, true)),
            (record(9, true), record(9, true)),
            (record(5, false), record(5, false)),
            (record(5, true), record(5, false)),
            (record(0, true), record(5, false)),
            (record(7, true), record(7, true)),
        ] {
            journal.push(vec![pushed]).unwrap();
            assert_eq!(journal.records, [there]);
        }
        drop(journal);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn whoever_was_not_asked_at_a_kept_target_is_named() {
        let folder = std::env::temp_dir().join(format!("impinge-unasked-{}", std::process::id()));
        let record = |level: f64, engine: &str| Record {
            engine: engine.to_owned(),
            ..at(level)
        };
        let engines = ["obb", "aabb", "balls-200"].map(|name| match find(name).unwrap() {
            FoundEngine::Present(engine) => engine,
            FoundEngine::Absent => panic!("{name} is ours"),
        });
        let unasked =
            |journal: &RecordWriter, is_solid: bool| journal.unasked(&engines, |_| is_solid);
        let mut journal = RecordWriter::begin(&folder, Preset::Full, false).unwrap();
        journal.push(vec![record(0.0, "obb")]).unwrap();
        assert!(unasked(&journal, true).is_empty(), "nothing was kept");
        drop(journal);
        let mut journal = RecordWriter::begin(&folder, Preset::Full, true).unwrap();
        assert_eq!(unasked(&journal, false), ["aabb"]);
        assert_eq!(unasked(&journal, true), ["aabb", "balls-200"]);
        // Asked now: one that has no record answers nothing, one that has is missing before.
        journal
            .push(vec![record(0.1, "obb"), record(0.1, "aabb")])
            .unwrap();
        assert_eq!(unasked(&journal, true), ["aabb"]);
        drop(journal);
        let journal = RecordWriter::begin(&folder, Preset::Full, true).unwrap();
        assert_eq!(unasked(&journal, false), ["aabb"]);
        drop(journal);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
