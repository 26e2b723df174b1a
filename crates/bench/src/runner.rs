//! Speaking with a runner: starting it, asking it, stopping it when it takes too long.
//!
//! A runner that crashes, hangs or babbles costs its own rows and nothing else: it is started again
//! with everything it knew, and given up when that keeps happening.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context, bail};
use impinge::Pose;

use crate::engines::Engine;
use crate::piped::lines_of;

/// A query is stopped after this, and counted as this.
pub(crate) const QUERY_LIMIT: Duration = Duration::from_secs(10);
/// Building and listing are no queries, but must end too.
const PATIENCE: Duration = Duration::from_secs(240);
/// A runner that ended by itself this often is not started again.
const MAX_DEATHS: u32 = 3;

/// How exact an engine's arithmetic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Exact,
    Double,
    Single,
    /// It does not claim to be right.
    Approximate,
}

impl Precision {
    /// Part of the coordinates' size by which distances of this precision may differ: peers take square roots and iterate.
    pub(crate) fn distance_rounding(self) -> f64 {
        match self {
            Self::Single => 1e-5,
            Self::Exact | Self::Double | Self::Approximate => 1e-9,
        }
    }
}

/// What came back on a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Answer {
        value: f64,
        nanoseconds: Vec<f64>,
    },
    Unsupported,
    TimedOut,
    /// The runner ended by itself, or made no sense.
    Died,
}

/// A motion as it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentMotion {
    pub(crate) pose: usize,
    pub(crate) velocity: [f64; 3],
    pub(crate) turn: [f64; 3],
    pub(crate) center: [f64; 3],
}

/// What building took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Built {
    pub(crate) nanoseconds_a: f64,
    pub(crate) bytes_a: f64,
}

/// A runner with the meshes, poses and motions it knows; restarted when it had to be ended.
#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) engine: Engine,
    pub(crate) version: String,
    pub(crate) precision: Precision,
    pub(crate) built: Built,
    meshes: [PathBuf; 2],
    threads: usize,
    limit: Duration,
    poses: Vec<Pose>,
    motions: Vec<SentMotion>,
    live: Option<Live>,
    deaths: u32,
}

#[derive(Debug)]
struct Live {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Live {
    fn drop(&mut self) {
        // Nothing is left to save in a runner; both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Runner {
    /// A started runner with both indexes built, with this many threads for engines that use several; queries
    /// are stopped after `limit`.
    pub(crate) fn start(
        engine: &Engine,
        [a, b]: [&Path; 2],
        threads: usize,
        limit: Duration,
    ) -> anyhow::Result<Self> {
        let mut runner = Self {
            engine: engine.clone(),
            version: String::new(),
            precision: Precision::Double,
            built: Built::default(),
            meshes: [a.to_owned(), b.to_owned()],
            threads,
            limit,
            poses: Vec::new(),
            motions: Vec::new(),
            live: None,
            deaths: 0,
        };
        runner.restart()?;
        Ok(runner)
    }

    fn restart(&mut self) -> anyhow::Result<()> {
        if self.deaths >= MAX_DEATHS {
            bail!(
                "the runner of {} ended {MAX_DEATHS} times",
                self.engine.name
            );
        }
        let mut child = self
            .engine
            .command(&self.meshes[0], &self.meshes[1])
            .env("RAYON_NUM_THREADS", self.threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start the runner of {}", self.engine.name))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("the runner of {} has no pipes", self.engine.name);
        };
        self.live = Some(Live {
            child,
            input,
            lines: lines_of(output),
        });
        let hello = self.must("hello")?;
        let words: Vec<&str> = hello.split_whitespace().collect();
        let &["engine", _, version, precision] = words.as_slice() else {
            bail!("{} answered `{hello}` to hello", self.engine.name);
        };
        self.version = version.to_owned();
        self.precision = match precision {
            "exact" => Precision::Exact,
            "f32" => Precision::Single,
            "approximate" => Precision::Approximate,
            _ => Precision::Double,
        };
        self.build()?;
        for k in 0..self.poses.len() {
            self.must(&pose_line(&self.poses[k]))?;
        }
        for k in 0..self.motions.len() {
            self.must(&motion_line(&self.motions[k]))?;
        }
        Ok(())
    }

    /// Builds both indexes anew.
    pub(crate) fn build(&mut self) -> anyhow::Result<Built> {
        let line = self.must("build")?;
        let numbers: Vec<f64> = line
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let &[nanoseconds_a, _, bytes_a] = numbers.as_slice() else {
            bail!("{} answered `{line}` to build", self.engine.name);
        };
        self.built = Built {
            nanoseconds_a,
            bytes_a,
        };
        Ok(self.built)
    }

    /// The surface-area cost of a's tree, if the runner can tell.
    pub(crate) fn quality(&mut self) -> anyhow::Result<Option<f64>> {
        let line = self.must("quality")?;
        Ok(line
            .strip_prefix("quality ")
            .and_then(|cost| cost.parse().ok()))
    }

    /// Remembers a pose; the result is its index.
    pub(crate) fn pose(&mut self, pose: &Pose) -> usize {
        self.poses.push(*pose);
        self.tell(&pose_line(pose));
        self.poses.len() - 1
    }

    /// Remembers a motion; the result is its index.
    pub(crate) fn motion(&mut self, motion: SentMotion) -> usize {
        self.motions.push(motion);
        self.tell(&motion_line(&motion));
        self.motions.len() - 1
    }

    /// Says a line that is said again after a restart, so that nothing is lost if it fails now.
    fn tell(&mut self, line: &str) {
        if self.live.is_some() {
            let _ = self.say(line, PATIENCE);
        }
    }

    /// Sends B's vertices as placed by us. They are forgotten when the runner is restarted.
    pub(crate) fn placed(&mut self, pose: usize, file: &Path) -> anyhow::Result<()> {
        self.must(&format!("placed {pose} {}", file.display()))?;
        Ok(())
    }

    /// Asks `repeats` times.
    pub(crate) fn ask(
        &mut self,
        question: &str,
        parameter: f64,
        index: usize,
        repeats: usize,
        cold: bool,
    ) -> Reply {
        let word = if cold { "cold" } else { "ask" };
        let limit = self.limit * u32::try_from(repeats).unwrap_or(u32::MAX);
        self.answer(
            &format!("{word} {question} {parameter:?} {index} {repeats}"),
            limit,
        )
    }

    /// Asks `repeats` times which way B is pushed: three numbers, and a time for each repeat.
    ///
    /// # Errors
    /// What came back when that was no answer.
    pub(crate) fn force(
        &mut self,
        index: usize,
        repeats: usize,
    ) -> Result<([f64; 3], Vec<f64>), Reply> {
        let limit = self.limit * u32::try_from(repeats).unwrap_or(u32::MAX);
        let line = format!("ask force 0 {index} {repeats}");
        let numbers = self.numbers(&line, limit)?;
        match numbers.as_slice() {
            // A runner that tells one number would have its times taken for the others.
            [x, y, z, nanoseconds @ ..] if nanoseconds.len() == repeats.max(1) => {
                Ok(([*x, *y, *z], nanoseconds.to_vec()))
            }
            _ => Err(self.nonsense(&line, &format!("{numbers:?}"))),
        }
    }

    /// Asks once at each of `count` poses in a row.
    pub(crate) fn sweep(&mut self, question: &str, first: usize, count: usize) -> Reply {
        self.answer(&format!("sweep {question} 0 {first} {count}"), PATIENCE)
    }

    fn answer(&mut self, line: &str, limit: Duration) -> Reply {
        match self.numbers(line, limit).as_deref() {
            Ok([value, nanoseconds @ ..]) if !nanoseconds.is_empty() => Reply::Answer {
                value: *value,
                nanoseconds: nanoseconds.to_vec(),
            },
            Ok(numbers) => self.nonsense(line, &format!("{numbers:?}")),
            Err(reply) => reply.clone(),
        }
    }

    /// The numbers of an answer; an error is what came instead.
    fn numbers(&mut self, line: &str, limit: Duration) -> Result<Vec<f64>, Reply> {
        if self.live.is_none() && self.restart().is_err() {
            return Err(Reply::Died);
        }
        let answer = match self.say(line, limit) {
            Said::Line(answer) => answer,
            Said::TimedOut => return Err(Reply::TimedOut),
            Said::Died => return Err(Reply::Died),
        };
        if answer == "unsupported" {
            return Err(Reply::Unsupported);
        }
        let numbers: Option<Vec<f64>> = answer.strip_prefix("answer ").and_then(|numbers| {
            let words = numbers.split_whitespace();
            words.map(|word| word.parse().ok()).collect()
        });
        numbers.ok_or_else(|| self.nonsense(line, &answer))
    }

    /// Says what made no sense, and ends the runner.
    fn nonsense(&mut self, line: &str, answer: &str) -> Reply {
        eprintln!("{} answered `{answer}` to `{line}`", self.engine.name);
        self.end();
        Reply::Died
    }

    /// Ends a runner that is of no more use as it is.
    fn end(&mut self) {
        self.live = None;
        self.deaths += 1;
    }

    /// The intersecting pairs, sorted; `None` when the engine cannot list them.
    pub(crate) fn list(
        &mut self,
        pose: usize,
        file: &Path,
    ) -> anyhow::Result<Option<Vec<(u32, u32)>>> {
        let answer = self.must(&format!("list {pose} {}", file.display()))?;
        if !answer.starts_with("listed") {
            return Ok(None);
        }
        let text = std::fs::read_to_string(file)?;
        let pair = |line: &str| {
            let (a, b) = line.split_once(',')?;
            Some((a.parse().ok()?, b.parse().ok()?))
        };
        Ok(text.lines().map(pair).collect())
    }

    /// Says a line that is no query and must be answered.
    fn must(&mut self, line: &str) -> anyhow::Result<String> {
        if self.live.is_none() {
            self.restart()?;
        }
        match self.say(line, PATIENCE) {
            Said::Line(answer) => Ok(answer),
            Said::TimedOut => bail!("{} did not finish `{line}`", self.engine.name),
            Said::Died => bail!("the runner of {} ended at `{line}`", self.engine.name),
        }
    }

    fn say(&mut self, line: &str, limit: Duration) -> Said {
        let Some(live) = &mut self.live else {
            return Said::Died;
        };
        let sent = writeln!(live.input, "{line}").and_then(|()| live.input.flush());
        match sent.map(|()| live.lines.recv_timeout(limit)) {
            Ok(Ok(answer)) => Said::Line(answer),
            Ok(Err(RecvTimeoutError::Timeout)) => {
                self.live = None;
                Said::TimedOut
            }
            Ok(Err(RecvTimeoutError::Disconnected)) | Err(_) => {
                self.end();
                Said::Died
            }
        }
    }
}

enum Said {
    Line(String),
    TimedOut,
    Died,
}

fn pose_line(pose: &Pose) -> String {
    let mut line = "pose".to_owned();
    for x in &pose.to_row_major()[..12] {
        // The shortest text that reads back to the same number; writing to a string cannot fail.
        let _ = write!(line, " {x:?}");
    }
    line
}

fn motion_line(motion: &SentMotion) -> String {
    let mut line = format!("motion {}", motion.pose);
    for x in [motion.velocity, motion.turn, motion.center].as_flattened() {
        let _ = write!(line, " {x:?}");
    }
    line
}
