//! One pair of meshes, many poses, several engines: answers judged, times interleaved.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use impinge::{Pose, TriMesh};

use crate::engines::{Engine, Found, JUDGE, OURS, find};
use crate::ours;
use crate::runner::{Precision, QUERY_LIMIT, Reply, Runner, SentMotion};
use crate::truth::{Scene, Truth, Verdict};

/// A question between two placed meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Question {
    Intersects,
    Pairs,
    Distance,
    /// Closer than this?
    Tolerance(f64),
    /// Of the motion with the pose's index.
    Impact,
}

impl Question {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Intersects => "intersects",
            Self::Pairs => "pairs",
            Self::Distance => "distance",
            Self::Tolerance(_) => "tolerance",
            Self::Impact => "impact",
        }
    }

    fn parameter(self) -> f64 {
        match self {
            Self::Tolerance(distance) => distance,
            _ => 0.0,
        }
    }
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Rounds in which every engine has its turn.
    pub(crate) rounds: usize,
    /// Most repeats within a turn, the first of which only warms up.
    pub(crate) repeats: usize,
    /// What a turn should take at most.
    pub(crate) turn: Duration,
    /// What one engine may take for one question of one pair before its other poses are skipped.
    pub(crate) budget: Duration,
    /// Whether cold times are taken too.
    pub(crate) cold: bool,
}

/// One engine's answer to one question at one pose.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) question: &'static str,
    pub(crate) pose: usize,
    pub(crate) answer: Option<f64>,
    pub(crate) verdict: Verdict,
    /// Hot; none when the answer is wrong.
    pub(crate) median_ns: Option<f64>,
    /// Between the quartiles.
    pub(crate) spread_ns: Option<f64>,
    pub(crate) cold_ns: Option<f64>,
}

/// Everything measured at one pose.
#[derive(Clone, Debug)]
pub(crate) struct PoseRows {
    pub(crate) intersects: bool,
    pub(crate) distance: Option<f64>,
    pub(crate) rows: Vec<Row>,
}

/// A pair of meshes with its runners.
pub(crate) struct Bench {
    a: TriMesh,
    b: TriMesh,
    folder: PathBuf,
    pub(crate) runners: Vec<Runner>,
    judge: Option<Runner>,
    effort: Effort,
    /// Time spent, by engine and question.
    spent: Vec<(usize, &'static str, Duration)>,
}

impl Bench {
    /// Starts all runners and builds their indexes; engines that cannot even do that are left out.
    pub(crate) fn start(
        a: TriMesh,
        b: TriMesh,
        engines: &[Engine],
        effort: Effort,
    ) -> anyhow::Result<Self> {
        let folder = std::env::temp_dir().join(format!("impinge-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let files = [folder.join("a.mesh"), folder.join("b.mesh")];
        ours::write(&files[0], &a)?;
        ours::write(&files[1], &b)?;
        let mut runners = Vec::new();
        for engine in engines {
            // A second try, because a pair without one of its engines compares nothing.
            let started = Runner::start(engine, &files[0], &files[1])
                .or_else(|_| Runner::start(engine, &files[0], &files[1]));
            match started {
                Ok(runner) => runners.push(runner),
                Err(error) => eprintln!("left out: {error:#}"),
            }
        }
        // The judge is asked for the truth wherever it is present, and timed only if it was named too.
        let judge = match find(JUDGE)? {
            Found::Present(engine) => Some(Runner::start(&engine, &files[0], &files[1])?),
            Found::Absent => None,
        };
        Ok(Self {
            a,
            b,
            folder,
            runners,
            judge,
            effort,
            spent: Vec::new(),
        })
    }

    /// Whether the truth about pairs comes from another program than ours.
    pub(crate) fn is_judged(&self) -> bool {
        self.judge.is_some()
    }

    /// Makes a motion known to every runner; motions are numbered from 0.
    pub(crate) fn add_motion(&mut self, pose: &Pose, motion: SentMotion) -> anyhow::Result<()> {
        for runner in &mut self.runners {
            let pose = runner.pose(pose)?;
            runner.motion(SentMotion { pose, ..motion })?;
        }
        Ok(())
    }

    /// Asks every engine every question at a pose. `number` is the pose's number in the report, and
    /// that of its motion.
    pub(crate) fn measure(
        &mut self,
        number: usize,
        pose: &Pose,
        questions: &[Question],
    ) -> anyhow::Result<PoseRows> {
        let placed = self.b.placed(pose)?;
        let indexes: Vec<usize> = self
            .runners
            .iter_mut()
            .map(|runner| runner.pose(pose))
            .collect::<Result<_, _>>()?;
        let file = self.folder.join("placed.mesh");
        ours::write(&file, &placed)?;
        for (runner, index) in self.runners.iter_mut().zip(&indexes) {
            if runner.precision == Precision::Exact {
                runner.placed(*index, &file)?;
            }
        }
        let mut truth = self.truth(pose, &placed, &indexes)?;
        let mut turns = self.first_turns(number, questions, &indexes)?;
        let votes: Vec<f64> = turns
            .iter()
            .filter(|turn| matches!(turn.question, Question::Distance))
            .filter(|turn| self.runners[turn.runner].precision != Precision::Single)
            .filter_map(|turn| turn.value)
            .collect();
        truth.vote(&votes);
        for turn in &mut turns {
            self.judge(turn, &truth, &placed, &indexes)?;
        }
        self.time(&mut turns)?;
        let rows = turns
            .into_iter()
            .map(|turn| turn.row(number, &self.runners))
            .collect();
        Ok(PoseRows {
            intersects: truth.intersects(),
            distance: truth.distance,
            rows,
        })
    }

    fn truth(&mut self, pose: &Pose, placed: &TriMesh, indexes: &[usize]) -> anyhow::Result<Truth> {
        let list = self.folder.join("pairs.csv");
        let mut pairs = None;
        if let Some(judge) = &mut self.judge {
            let index = judge.pose(pose)?;
            judge.placed(index, &self.folder.join("placed.mesh"))?;
            pairs = judge.list(index, &list)?;
        }
        if pairs.is_none()
            && let Some(k) = self.runners.iter().position(|r| r.engine.name == OURS)
        {
            pairs = self.runners[k].list(indexes[k], &list)?;
        }
        let scene = Scene { a: &self.a, placed };
        Ok(Truth {
            pairs: pairs.context("nobody is present who can tell which faces intersect")?,
            distance: None,
            size: scene.size(),
        })
    }

    /// Every engine's first answer, which also tells how often it can be asked.
    fn first_turns(
        &mut self,
        number: usize,
        questions: &[Question],
        indexes: &[usize],
    ) -> anyhow::Result<Vec<Turn>> {
        let mut turns = Vec::new();
        for &question in questions {
            for (k, index) in indexes.iter().enumerate() {
                let index = if question == Question::Impact {
                    number
                } else {
                    *index
                };
                let mut turn = Turn::new(k, question, index);
                if self.spent(k, question.name()) >= self.effort.budget {
                    turn.verdict = Verdict::Skipped;
                    turns.push(turn);
                    continue;
                }
                let reply =
                    self.runners[k].ask(question.name(), question.parameter(), index, 1, false)?;
                match reply {
                    Reply::Answer { value, nanoseconds } => {
                        turn.value = Some(value);
                        turn.first = nanoseconds.first().copied().unwrap_or(0.0);
                    }
                    Reply::Unsupported => turn.verdict = Verdict::Unsupported,
                    Reply::Died => turn.verdict = Verdict::Died,
                    Reply::TimedOut => {
                        turn.verdict = Verdict::TimedOut;
                        turn.first = QUERY_LIMIT.as_nanos() as f64;
                        turn.hot.push(turn.first);
                        turn.cold.push(turn.first);
                    }
                }
                self.spend(k, question.name(), turn.first);
                turns.push(turn);
            }
        }
        Ok(turns)
    }

    fn judge(
        &mut self,
        turn: &mut Turn,
        truth: &Truth,
        placed: &TriMesh,
        indexes: &[usize],
    ) -> anyhow::Result<()> {
        let Some(value) = turn.value else {
            return Ok(());
        };
        let scene = Scene { a: &self.a, placed };
        let runner = &mut self.runners[turn.runner];
        let precision = runner.precision;
        turn.verdict = match turn.question {
            Question::Intersects => truth.judge_intersects(&scene, value != 0.0, precision),
            // Whoever counts the same is believed, ours alone has to show its pairs always.
            Question::Pairs
                if value == truth.pairs.len() as f64 && !runner.engine.name.starts_with(OURS) =>
            {
                Verdict::Right
            }
            Question::Pairs => {
                let list = runner.list(indexes[turn.runner], &self.folder.join("pairs.csv"))?;
                list.map_or(Verdict::Wrong, |list| {
                    truth.judge_pairs(&scene, &list, precision)
                })
            }
            Question::Distance => truth.judge_distance(value, precision),
            Question::Tolerance(distance) => {
                truth.judge_tolerance(value != 0.0, distance, precision)
            }
            Question::Impact => Verdict::Unjudged,
        };
        Ok(())
    }

    /// Times the right answers, engine after engine in each round, so that whatever else the
    /// machine does meets all of them.
    fn time(&mut self, turns: &mut [Turn]) -> anyhow::Result<()> {
        let turn_ns = self.effort.turn.as_nanos() as f64;
        for round in 0..self.effort.rounds {
            for turn in turns.iter_mut() {
                if turn.value.is_none() || !turn.verdict.is_timed() {
                    continue;
                }
                if turn.first > 50.0 * turn_ns {
                    // Too slow to be repeated; and so long that a warm-up changes nothing.
                    if round == 0 {
                        turn.hot.push(turn.first);
                        turn.cold.push(turn.first);
                    }
                    continue;
                }
                let fitting = (turn_ns / turn.first.max(1.0)) as usize;
                let repeats = fitting.clamp(1, self.effort.repeats) + 1;
                self.ask_again(turn, repeats, false)?;
                if round == 0 && self.effort.cold {
                    self.ask_again(turn, 3, true)?;
                }
            }
        }
        Ok(())
    }

    fn ask_again(&mut self, turn: &mut Turn, repeats: usize, cold: bool) -> anyhow::Result<()> {
        let question = turn.question;
        let reply = self.runners[turn.runner].ask(
            question.name(),
            question.parameter(),
            turn.index,
            repeats,
            cold,
        )?;
        if let Reply::Answer { nanoseconds, .. } = reply {
            self.spend(turn.runner, question.name(), nanoseconds.iter().sum());
            if cold {
                turn.cold.extend(nanoseconds);
            } else {
                turn.hot.extend(nanoseconds.iter().skip(1));
            }
        }
        Ok(())
    }

    fn spent(&self, runner: usize, question: &str) -> Duration {
        self.spent
            .iter()
            .find(|(k, q, _)| *k == runner && *q == question)
            .map_or(Duration::ZERO, |(_, _, time)| *time)
    }

    fn spend(&mut self, runner: usize, question: &'static str, nanoseconds: f64) {
        let time = Duration::from_nanos(nanoseconds as u64);
        match self
            .spent
            .iter_mut()
            .find(|(k, q, _)| *k == runner && *q == question)
        {
            Some((_, _, spent)) => *spent += time,
            None => self.spent.push((runner, question, time)),
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Only our own scratch files are in it; what cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// One engine on one question at one pose, while it is measured.
struct Turn {
    runner: usize,
    question: Question,
    /// Of the pose, or of the motion.
    index: usize,
    value: Option<f64>,
    /// What the first asking took, in nanoseconds.
    first: f64,
    verdict: Verdict,
    hot: Vec<f64>,
    cold: Vec<f64>,
}

impl Turn {
    fn new(runner: usize, question: Question, index: usize) -> Self {
        Self {
            runner,
            question,
            index,
            value: None,
            first: 0.0,
            verdict: Verdict::Unjudged,
            hot: Vec::new(),
            cold: Vec::new(),
        }
    }

    fn row(self, pose: usize, runners: &[Runner]) -> Row {
        let runner = &runners[self.runner];
        Row {
            engine: runner.engine.name.clone(),
            version: runner.version.clone(),
            question: self.question.name(),
            pose,
            answer: self.value,
            verdict: self.verdict,
            median_ns: quantile(&self.hot, 0.5),
            spread_ns: quantile(&self.hot, 0.75)
                .zip(quantile(&self.hot, 0.25))
                .map(|(hi, lo)| hi - lo),
            cold_ns: quantile(&self.cold, 0.5),
        }
    }
}

/// The value below which this part of the sample lies.
pub(crate) fn quantile(sample: &[f64], part: f64) -> Option<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((part * last as f64).round() as usize).copied()
}
