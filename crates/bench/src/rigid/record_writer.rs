//! What a run keeps while it goes on: its records, on disk at once, and its time.

use std::fs::File;
use std::io::{IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::record::{HEADER, Record, read};
use crate::folders::create;

/// How often progress is printed where lines cannot be overwritten.
const PROGRESS: Duration = Duration::from_secs(20);

/// A part that has no time left still has this, so that it is not missing altogether.
const GRACE: Duration = Duration::from_secs(5);

/// The file of a run that goes on.
const PARTIAL: &str = "rigid.partial.csv";

/// What a stopped run left of pairs that it had finished: all but the last one that it had begun. Paths, motions and builds are
/// measured again.
pub(super) fn kept(folder: &Path) -> anyhow::Result<Vec<Record>> {
    let path = folder.join(PARTIAL);
    let mut records = read(&path)
        .with_context(|| format!("there is no run to go on with: {}", path.display()))?;
    records.retain(|record| !record.set.is_empty() && record.question != "warm");
    if let Some(last) = records.last().map(|record| record.pair.clone()) {
        records.retain(|record| record.pair != last);
    }
    Ok(records)
}

/// Records as they come. Each is written before the next is measured, so that a run can be
/// stopped at any time.
pub(super) struct RecordWriter {
    pub(super) records: Vec<Record>,
    path: PathBuf,
    file: File,
    clock: Clock,
    told: Option<Instant>,
}

impl RecordWriter {
    /// Begins the file of a run that goes on.
    pub(super) fn begin(folder: &Path, clock: Clock) -> anyhow::Result<Self> {
        create(folder)?;
        let path = folder.join(PARTIAL);
        let mut file =
            File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(file, "{HEADER}")?;
        eprintln!("Records go to {} as they come.", path.display());
        Ok(Self {
            records: Vec::new(),
            path,
            file,
            clock,
            told: None,
        })
    }

    pub(super) fn push(&mut self, record: Record) -> anyhow::Result<()> {
        writeln!(self.file, "{}", record.line())?;
        self.records.push(record);
        Ok(())
    }

    /// Begins a part of the run; it should end at the time that comes back.
    pub(super) fn part(&mut self, weight: f64) -> TimeShare {
        self.told = None;
        self.clock.part(weight)
    }

    /// One line about where the run is.
    pub(super) fn progress(&mut self, place: &str, done: usize, all: usize) {
        let terminal = std::io::stderr().is_terminal();
        let is_due = terminal || self.told.is_none_or(|at| at.elapsed() >= PROGRESS);
        if !is_due {
            return;
        }
        self.told = Some(Instant::now());
        let minutes =
            |time: Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
        let line = format!(
            "[{} of {}] {place}: {done} of {all}",
            minutes(self.clock.start.elapsed()),
            minutes(self.clock.total),
        );
        if terminal {
            eprint!("\r{line:<78}");
            if done == all {
                eprintln!();
            }
        } else {
            eprintln!("{line}");
        }
    }

    /// Removes the partial file, after the whole one was written.
    pub(super) fn end(self) -> anyhow::Result<Vec<Record>> {
        drop(self.file);
        std::fs::remove_file(&self.path)?;
        Ok(self.records)
    }
}

/// Shares out the time of a run: what one part leaves over goes to the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    start: Instant,
    total: Duration,
    /// The weights of all parts that have not begun.
    left: f64,
    /// The weights of all parts.
    weights: f64,
}

/// The time of one part.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeShare {
    pub(super) deadline: Instant,
    pub(super) time: Duration,
}

impl TimeShare {
    pub(super) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Whether even what was begun should be left: twice the time is up, and some seconds of grace.
    pub(super) fn is_long_over(&self) -> bool {
        Instant::now() >= self.deadline + self.time.max(GRACE)
    }
}

impl Clock {
    pub(super) fn new(total: Duration, weights: f64) -> Self {
        Self {
            start: Instant::now(),
            total,
            left: weights,
            weights,
        }
    }

    fn part(&mut self, weight: f64) -> TimeShare {
        let remaining = self.total.saturating_sub(self.start.elapsed());
        let share = (weight / self.left.max(weight)).clamp(0.0, 1.0);
        self.left = (self.left - weight).max(0.0);
        let time = remaining.mul_f64(share);
        TimeShare {
            deadline: Instant::now() + time,
            time,
        }
    }

    /// Leaves out a part whose records are there already: it takes its share of the whole time with it.
    pub(super) fn skip(&mut self, weight: f64, total: Duration) {
        let share = total.mul_f64((weight / self.weights).clamp(0.0, 1.0));
        self.total = self.total.saturating_sub(share);
        self.left = (self.left - weight).max(0.0);
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }
}
