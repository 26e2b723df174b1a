//! Communication with a runner: starting it, sending queries, stopping it when it takes too long.
//!
//! A runner that crashes, hangs or babbles costs its own rows and nothing else: it is started again
//! with everything it knew, and given up when that keeps happening.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use impinge::Pose;

use crate::engines::Engine;
use crate::process_guard::GuardedProcess;
use crate::runner_output::{LONGEST_LINE, RunnerOutput, lines_of};

/// A query is stopped after this, and counted as this.
pub(crate) const QUERY_LIMIT: Duration = Duration::from_secs(10);
/// Building and listing are no queries, but must end too.
const PATIENCE: Duration = Duration::from_secs(240);

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
    /// The precision with this name; none if there is no such.
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "exact" => Self::Exact,
            "f64" => Self::Double,
            "f32" => Self::Single,
            "approximate" => Self::Approximate,
            _ => return None,
        })
    }

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
pub(crate) enum RunnerReply {
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
pub(crate) struct BuildReply {
    pub(crate) nanoseconds_a: f64,
    pub(crate) nanoseconds_b: f64,
    pub(crate) bytes_a: f64,
}

/// A runner with the meshes, poses and motions it knows; restarted when it had to be ended.
#[derive(Debug)]
pub(crate) struct Runner {
    pub(crate) engine: Engine,
    pub(crate) version: String,
    pub(crate) precision: Precision,
    pub(crate) built: BuildReply,
    meshes: [PathBuf; 2],
    threads: usize,
    limit: Duration,
    poses: Vec<Pose>,
    motions: Vec<SentMotion>,
    live: Option<LiveRunner>,
    deaths: u32,
    /// When the caller has no more time.
    deadline: Option<Instant>,
}

#[derive(Debug)]
struct LiveRunner {
    input: ChildStdin,
    lines: Receiver<RunnerOutput>,
    /// Ends when this is dropped, with all that it started.
    _runner: GuardedProcess,
}

/// Whether a value can be the answer to a question at all, right or wrong.
fn makes_sense(question: &str, value: f64) -> bool {
    match question {
        "intersects" | "tolerance" => value == 0.0 || value == 1.0,
        "pairs" => value >= 0.0 && value.fract() == 0.0,
        "distance" | "warm" => value >= 0.0 && value.is_finite(),
        // Infinity is a motion without an impact.
        "impact" => value >= 0.0,
        _ => value.is_finite(),
    }
}

/// Whether these can be the times of so many repeats: one each, none negative, and not all of them nothing.
fn are_times(nanoseconds: &[f64], repeats: usize) -> bool {
    let is_time = |ns: &f64| ns.is_finite() && *ns >= 0.0;
    nanoseconds.len() == repeats
        && nanoseconds.iter().all(is_time)
        && nanoseconds.iter().any(|ns| *ns > 0.0)
}

/// A runner that ended by itself this often is not started again.
const MAX_DEATHS: u32 = 3;

/// Letters of an answer that makes no sense that are shown.
const MOST_SHOWN: usize = 200;

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
            built: BuildReply::default(),
            meshes: [a.to_owned(), b.to_owned()],
            threads,
            limit,
            poses: Vec::new(),
            motions: Vec::new(),
            live: None,
            deaths: 0,
            deadline: None,
        };
        runner.restart()?;
        Ok(runner)
    }

    /// Starts it and sends it all that it knew; one that fails half-way is ended.
    fn restart(&mut self) -> anyhow::Result<()> {
        let started = self.begin();
        if started.is_err() && self.live.is_some() {
            self.end();
        }
        started
    }

    fn begin(&mut self) -> anyhow::Result<()> {
        if self.deaths >= MAX_DEATHS {
            bail!(
                "the runner of {} ended {MAX_DEATHS} times",
                self.engine.name
            );
        }
        let mut command = self.engine.command(&self.meshes[0], &self.meshes[1]);
        command
            .env("RAYON_NUM_THREADS", self.threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut runner = GuardedProcess::start(&mut command)
            .with_context(|| format!("cannot start the runner of {}", self.engine.name))?;
        let (input, output) = (runner.child.stdin.take(), runner.child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            bail!("the runner of {} has no pipes", self.engine.name);
        };
        self.live = Some(LiveRunner {
            input,
            lines: lines_of(output),
            _runner: runner,
        });
        let hello = self.must("hello")?;
        let words: Vec<&str> = hello.split_whitespace().collect();
        let &["engine", _, version, precision] = words.as_slice() else {
            bail!("{} answered `{hello}` to hello", self.engine.name);
        };
        self.version = version.to_owned();
        self.precision = Precision::from_name(precision).with_context(|| {
            format!(
                "{} says that its precision is `{precision}`; it must be exact, f64, f32 or approximate",
                self.engine.name
            )
        })?;
        self.build()?;
        for k in 0..self.poses.len() {
            self.announce("pose", &pose_line(&self.poses[k]), k)?;
        }
        for k in 0..self.motions.len() {
            self.announce("motion", &motion_line(&self.motions[k]), k)?;
        }
        Ok(())
    }

    /// Builds both indexes anew.
    pub(crate) fn build(&mut self) -> anyhow::Result<BuildReply> {
        let line = self.must("build")?;
        let numbers = line.strip_prefix("built ").and_then(numbers);
        let is_known = |x: &f64| x.is_finite() && *x >= 0.0;
        let Some(&[nanoseconds_a, nanoseconds_b, bytes_a]) = numbers
            .as_deref()
            .filter(|numbers| numbers.iter().all(is_known))
        else {
            self.end();
            bail!(
                "{} answered `{line}` to build, not `built NS_A NS_B BYTES`",
                self.engine.name
            );
        };
        self.built = BuildReply {
            nanoseconds_a,
            nanoseconds_b,
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
        let index = self.poses.len();
        self.poses.push(*pose);
        self.tell("pose", &pose_line(pose), index);
        index
    }

    /// Remembers a motion; the result is its index.
    pub(crate) fn motion(&mut self, motion: SentMotion) -> usize {
        let index = self.motions.len();
        self.motions.push(motion);
        self.tell("motion", &motion_line(&motion), index);
        index
    }

    /// Says a line that is said again after a restart, so that nothing is lost if it fails now.
    fn tell(&mut self, word: &str, line: &str, index: usize) {
        if self.live.is_some()
            && let Err(error) = self.announce(word, line, index)
        {
            eprintln!("{error:#}");
        }
    }

    /// Says a line that is answered by its word and this index. A runner that cannot do it need not know it; one that counts otherwise
    /// would answer about something else.
    fn announce(&mut self, word: &str, line: &str, index: usize) -> anyhow::Result<()> {
        let answer = self.must(line)?;
        if answer != "unsupported" && answer != format!("{word} {index}") {
            self.end();
            bail!(
                "{} answered `{answer}` to `{line}`, not `{word} {index}`",
                self.engine.name
            );
        }
        Ok(())
    }

    /// From now on nothing is waited for beyond this moment.
    pub(crate) fn hurry(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Whether the caller has no more time: what failed then says nothing about the runner.
    pub(crate) fn is_time_up(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
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
    ) -> RunnerReply {
        let word = if cold { "cold" } else { "ask" };
        let limit = self.limit * u32::try_from(repeats).unwrap_or(u32::MAX);
        let line = format!("{word} {question} {parameter:?} {index} {repeats}");
        self.answer(&line, limit, repeats, |value| makes_sense(question, value))
    }

    /// Asks `repeats` times which way B is pushed: three numbers, and a time for each repeat.
    ///
    /// # Errors
    /// What came back when that was no answer.
    pub(crate) fn force(
        &mut self,
        index: usize,
        repeats: usize,
    ) -> Result<([f64; 3], Vec<f64>), RunnerReply> {
        let limit = self.limit * u32::try_from(repeats).unwrap_or(u32::MAX);
        let line = format!("ask force 0 {index} {repeats}");
        let numbers = self.numbers(&line, limit)?;
        match numbers.as_slice() {
            // A runner that tells one number would have its times taken for the others.
            [x, y, z, nanoseconds @ ..]
                if are_times(nanoseconds, repeats) && [x, y, z].iter().all(|x| x.is_finite()) =>
            {
                Ok(([*x, *y, *z], nanoseconds.to_vec()))
            }
            _ => Err(self.nonsense(&line, &format!("{numbers:?}"))),
        }
    }

    /// Asks once at each of `count` poses in a row.
    pub(crate) fn sweep(&mut self, question: &str, first: usize, count: usize) -> RunnerReply {
        let line = format!("sweep {question} 0 {first} {count}");
        self.answer(&line, PATIENCE, count, |sum| !sum.is_nan())
    }

    fn answer(
        &mut self,
        line: &str,
        limit: Duration,
        repeats: usize,
        makes_sense: impl Fn(f64) -> bool,
    ) -> RunnerReply {
        match self.numbers(line, limit).as_deref() {
            Ok([value, nanoseconds @ ..])
                if makes_sense(*value) && are_times(nanoseconds, repeats) =>
            {
                RunnerReply::Answer {
                    value: *value,
                    nanoseconds: nanoseconds.to_vec(),
                }
            }
            Ok(numbers) => self.nonsense(line, &format!("{numbers:?}")),
            Err(reply) => reply.clone(),
        }
    }

    /// The numbers of an answer; an error is what came instead.
    fn numbers(&mut self, line: &str, limit: Duration) -> Result<Vec<f64>, RunnerReply> {
        if self.live.is_none() && self.restart().is_err() {
            return Err(RunnerReply::Died);
        }
        let answer = match self.say(line, limit) {
            RunnerLine::Line(answer) => answer,
            RunnerLine::TimedOut => return Err(RunnerReply::TimedOut),
            RunnerLine::Died => return Err(RunnerReply::Died),
        };
        if answer == "unsupported" {
            return Err(RunnerReply::Unsupported);
        }
        let numbers = answer.strip_prefix("answer ").and_then(numbers);
        numbers.ok_or_else(|| self.nonsense(line, &answer))
    }

    /// Says what made no sense, and ends the runner.
    fn nonsense(&mut self, line: &str, answer: &str) -> RunnerReply {
        eprintln!(
            "{} answered `{}` to `{line}`, which makes no sense",
            self.engine.name,
            crate::report::clipped(answer, MOST_SHOWN)
        );
        self.end();
        RunnerReply::Died
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
            RunnerLine::Line(answer) => Ok(answer),
            RunnerLine::TimedOut => bail!("{} did not finish `{line}`", self.engine.name),
            RunnerLine::Died => bail!(
                "the runner of {} ended, or had to be, at `{line}`",
                self.engine.name
            ),
        }
    }

    fn say(&mut self, line: &str, limit: Duration) -> RunnerLine {
        let limit = match self.deadline {
            Some(end) => limit.min(end.saturating_duration_since(Instant::now())),
            None => limit,
        };
        let name = &self.engine.name;
        let Some(live) = &mut self.live else {
            return RunnerLine::Died;
        };
        // What was said unasked would be taken for the answer.
        match live.lines.try_recv() {
            Ok(RunnerOutput::Line(stray)) => {
                let stray = crate::report::clipped(&stray, MOST_SHOWN);
                eprintln!("{name} said `{stray}` unasked, before `{line}`");
                self.end();
                return RunnerLine::Died;
            }
            Ok(RunnerOutput::TooLong) => return self.babbled(line),
            Err(_) => {}
        }
        let sent = writeln!(live.input, "{line}").and_then(|()| live.input.flush());
        // One that does not listen has nothing to answer; why it does not may be among what it says.
        let limit = if sent.is_ok() {
            limit
        } else {
            limit.min(QUERY_LIMIT)
        };
        match live.lines.recv_timeout(limit) {
            Ok(RunnerOutput::TooLong) => self.babbled(line),
            Ok(RunnerOutput::Line(answer)) if sent.is_ok() => RunnerLine::Line(answer),
            Err(RecvTimeoutError::Timeout) if sent.is_ok() => {
                self.live = None;
                RunnerLine::TimedOut
            }
            Ok(RunnerOutput::Line(_)) | Err(_) => {
                self.end();
                RunnerLine::Died
            }
        }
    }

    /// Says that a line was too long, and ends the runner.
    fn babbled(&mut self, line: &str) -> RunnerLine {
        eprintln!(
            "{} answered `{line}` with a line of more than {LONGEST_LINE} bytes",
            self.engine.name
        );
        self.end();
        RunnerLine::Died
    }
}

/// All words as numbers; none if one is no number.
fn numbers(words: &str) -> Option<Vec<f64>> {
    let words = words.split_whitespace();
    words.map(|word| word.parse().ok()).collect()
}

enum RunnerLine {
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

#[cfg(test)]
mod tests {
    use super::{Precision, are_times, makes_sense, numbers};

    #[test]
    fn what_cannot_be_is_no_answer_and_no_time() {
        for (question, value) in [
            ("intersects", 0.0),
            ("tolerance", 1.0),
            ("pairs", 7.0),
            ("distance", 0.0),
            ("impact", f64::INFINITY),
            ("volume", -1e-18),
        ] {
            assert!(makes_sense(question, value), "{question} {value}");
            assert!(!makes_sense(question, f64::NAN), "{question}");
        }
        for (question, value) in [
            ("intersects", 0.5),
            ("tolerance", -1.0),
            ("pairs", 1.5),
            ("pairs", -1.0),
            ("distance", -1e-9),
            ("distance", f64::INFINITY),
            ("warm", f64::INFINITY),
            ("impact", -0.1),
            ("volume", f64::INFINITY),
        ] {
            assert!(!makes_sense(question, value), "{question} {value}");
        }
        assert!(are_times(&[9.0], 1) && are_times(&[0.0, 9.0], 2));
        for (times, repeats) in [
            (&[][..], 0),
            (&[], 1),
            (&[0.0], 1),
            (&[9.0], 2),
            (&[9.0, 9.0], 1),
            (&[9.0, -1.0], 2),
            (&[9.0, f64::NAN], 2),
            (&[f64::INFINITY], 1),
        ] {
            assert!(!are_times(times, repeats), "{times:?} of {repeats}");
        }
        assert_eq!(numbers("1 -2e3 inf"), Some(vec![1.0, -2e3, f64::INFINITY]));
        assert_eq!(numbers("1 maybe"), None);
    }

    #[test]
    fn there_are_four_precisions() {
        for name in ["exact", "f64", "f32", "approximate"] {
            assert!(Precision::from_name(name).is_some());
        }
        for name in ["aproximate", "double", "F64", ""] {
            assert_eq!(Precision::from_name(name), None);
        }
    }
}
