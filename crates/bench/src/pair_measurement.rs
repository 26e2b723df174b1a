//! One pair of meshes, many poses, several engines: answers judged, times interleaved.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;
use impinge::bvh::engines::PreparedPair;
use impinge::bvh::{FaceSweep, MeshIndex};
use impinge::query::{FacePair, Limits};
use impinge::{Pose, TriMesh};

use crate::engines::{Engine, FoundEngine, JUDGE, OURS, find};
use crate::folders::create;
use crate::ground_truth::{AnswerVerdict, GroundTruth, JudgedAnswer, PlacedMeshes};
use crate::motion_truth::{MotionTruth, motion_of};
use crate::own_runners;
use crate::runner::{Precision, Runner, RunnerReply, SentMotion};

/// A turn may take this many times what it should before an engine gets fewer of them.
const PATIENT_TURNS: f64 = 10.0;
/// A first answer that took this many turns is not repeated.
const LONG_TURNS: f64 = 50.0;
/// For how long a query is repeated in each turn before its times count, in nanoseconds. Since the engine's last turn the
/// other processes have emptied its caches and the core has put its wide registers to sleep, which
/// it takes tens of microseconds to wake: a few repeats of a short query would measure that.
const WARM_UP_NS: f64 = 300_000.0;
/// Repeats of a warm-up at most.
const WARM_UP_REPEATS: f64 = 3_000.0;

/// A question between two placed meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MeasuredQuery {
    Intersects,
    Pairs,
    Distance,
    /// Closer than this?
    Tolerance(f64),
    /// Of the motion with the pose's index.
    Impact,
}

impl MeasuredQuery {
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
    /// Most repeats within a turn, those that only warm up not counted.
    pub(crate) repeats: usize,
    /// What a turn should take at most.
    pub(crate) turn: Duration,
    /// What one engine may take for one question of one pair before its other poses are skipped.
    pub(crate) budget: Duration,
    /// When a query is stopped, and what it then counts.
    pub(crate) limit: Duration,
    /// Whether cold times are taken too.
    pub(crate) cold: bool,
}

/// One engine's answer to one question at one pose.
#[derive(Clone, Debug)]
pub(crate) struct EngineRow {
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) question: &'static str,
    pub(crate) pose: usize,
    pub(crate) answer: Option<f64>,
    pub(crate) verdict: AnswerVerdict,
    /// Pairs of faces within rounding of touching for which the answer was excused.
    pub(crate) excused_pairs: usize,
    pub(crate) is_ours: bool,
    /// Hot; none when the answer is wrong.
    pub(crate) median_ns: Option<f64>,
    /// Between the quartiles.
    pub(crate) spread_ns: Option<f64>,
    pub(crate) cold_ns: Option<f64>,
    /// Of building both indexes.
    pub(crate) build_ns: f64,
    /// Of the first call at this pose; none when the answer is wrong.
    pub(crate) first_ns: Option<f64>,
}

/// Everything measured at one pose.
#[derive(Clone, Debug)]
pub(crate) struct PoseRows {
    pub(crate) intersects: bool,
    pub(crate) distance: Option<f64>,
    pub(crate) rows: Vec<EngineRow>,
}

/// A pair of meshes with its runners.
pub(crate) struct Bench {
    a: TriMesh,
    b: TriMesh,
    folder: PathBuf,
    pub(crate) runners: Vec<Runner>,
    judge: Option<Runner>,
    /// Built when the first distance has to be judged.
    tree: Option<Box<dyn PreparedPair>>,
    /// Built when the first motion is judged.
    motion_truth: Option<MotionTruth>,
    motions: Vec<(Pose, SentMotion)>,
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
        let folder = scratch()?;
        let files = [folder.join("a.mesh"), folder.join("b.mesh")];
        own_runners::write(&files[0], &a)?;
        own_runners::write(&files[1], &b)?;
        let paths = [files[0].as_path(), files[1].as_path()];
        let mut runners = Vec::new();
        for engine in engines {
            // A second try, because a pair without one of its engines compares nothing.
            let started = Runner::start(engine, paths, 1, effort.limit)
                .or_else(|_| Runner::start(engine, paths, 1, effort.limit));
            match started {
                Ok(runner) => runners.push(runner),
                Err(error) if engine.is_ours() => return Err(error),
                Err(error) => eprintln!("left out: {error:#}"),
            }
        }
        // The judge is asked for the truth wherever it is present, and timed only if it was named too.
        let judge = match find(JUDGE)? {
            FoundEngine::Present(engine) => match Runner::start(&engine, paths, 1, effort.limit) {
                Ok(judge) => Some(judge),
                Err(error) => {
                    eprintln!("no judge: {error:#}");
                    None
                }
            },
            FoundEngine::Absent => None,
        };
        Ok(Self {
            a,
            b,
            folder,
            runners,
            judge,
            tree: None,
            motion_truth: None,
            motions: Vec::new(),
            effort,
            spent: Vec::new(),
        })
    }

    /// Whether the truth about pairs comes from another program than ours.
    pub(crate) fn is_judged(&self) -> bool {
        self.judge.is_some()
    }

    /// Makes a motion known to every runner; motions are numbered from 0.
    pub(crate) fn add_motion(&mut self, pose: &Pose, motion: SentMotion) {
        for runner in &mut self.runners {
            let pose = runner.pose(pose);
            runner.motion(SentMotion { pose, ..motion });
        }
        self.motions.push((*pose, motion));
    }

    /// Asks every engine every question at a pose. `number` is the pose's number in the report, and
    /// that of its motion.
    pub(crate) fn measure(
        &mut self,
        number: usize,
        pose: &Pose,
        questions: &[MeasuredQuery],
    ) -> anyhow::Result<PoseRows> {
        let placed = self.b.placed(pose)?;
        let file = self.folder.join("placed.mesh");
        own_runners::write(&file, &placed)?;
        let mut indexes = Vec::new();
        for runner in &mut self.runners {
            let index = runner.pose(pose);
            if runner.precision == Precision::Exact {
                // One that fails here fails again when asked, and its row says so.
                let _ = runner.placed(index, &file);
            }
            indexes.push(index);
        }
        let mut truth = self.truth(pose, &placed)?;
        let mut turns = self.first_turns(number, questions, &indexes);
        let votes = self.votes(&turns, questions, &indexes);
        let scene = PlacedMeshes {
            a: &self.a,
            placed: &placed,
        };
        truth.settle(&votes, || {
            // One that answers alone is judged by a tree of ours, those that contradict each other by brute force, as long as that ends soon.
            let found = (votes.len() > 1).then(|| scene.brute_force_distance());
            found
                .flatten()
                .or_else(|| tree_distance(&mut self.tree, [&self.a, &self.b], pose))
        });
        for turn in &mut turns {
            self.judge(turn, &truth, &placed, &indexes)?;
        }
        self.time(&mut turns);
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

    fn truth(&mut self, pose: &Pose, placed: &TriMesh) -> anyhow::Result<GroundTruth> {
        let list = self.folder.join("pairs.csv");
        let mut pairs = None;
        if let Some(judge) = &mut self.judge {
            let index = judge.pose(pose);
            let told = judge
                .placed(index, &self.folder.join("placed.mesh"))
                .and_then(|()| judge.list(index, &list));
            match told {
                Ok(list) => pairs = list,
                Err(error) => {
                    eprintln!("the judge leaves: {error:#}");
                    self.judge = None;
                }
            }
        }
        let scene = PlacedMeshes { a: &self.a, placed };
        Ok(GroundTruth {
            pairs: pairs.unwrap_or_else(|| swept_pairs(scene)),
            distance: None,
            size: scene.size(),
        })
    }

    /// The distances that engines in double precision found; they are queried on purpose when a question needs
    /// the distance but does not ask for it.
    fn votes(
        &mut self,
        turns: &[MeasuredEngine],
        questions: &[MeasuredQuery],
        indexes: &[usize],
    ) -> Vec<f64> {
        let may_vote = |runner: &Runner| {
            !matches!(runner.precision, Precision::Single | Precision::Approximate)
        };
        if questions.contains(&MeasuredQuery::Distance) {
            let distances = turns.iter().filter(|turn| {
                turn.question == MeasuredQuery::Distance && may_vote(&self.runners[turn.runner])
            });
            return distances.filter_map(|turn| turn.value).collect();
        }
        if !questions
            .iter()
            .any(|q| matches!(q, MeasuredQuery::Tolerance(_)))
        {
            return Vec::new();
        }
        let mut votes = Vec::new();
        for (runner, index) in self.runners.iter_mut().zip(indexes) {
            if may_vote(runner)
                && let RunnerReply::Answer { value, .. } =
                    runner.ask("distance", 0.0, *index, 1, false)
            {
                votes.push(value);
            }
        }
        votes
    }

    /// Every engine's first answer, which also decides how often it can be queried.
    fn first_turns(
        &mut self,
        number: usize,
        questions: &[MeasuredQuery],
        indexes: &[usize],
    ) -> Vec<MeasuredEngine> {
        let mut turns = Vec::new();
        for &question in questions {
            for (k, index) in indexes.iter().enumerate() {
                let index = if question == MeasuredQuery::Impact {
                    number
                } else {
                    *index
                };
                let mut turn = MeasuredEngine::new(k, question, index);
                // Ours alone is asked whatever it takes: every pose compares with it.
                if self.spent(k, question.name()) >= self.effort.budget
                    && self.runners[k].engine.name != OURS
                {
                    turn.verdict = AnswerVerdict::Skipped;
                    turns.push(turn);
                    continue;
                }
                let reply =
                    self.runners[k].ask(question.name(), question.parameter(), index, 1, false);
                match reply {
                    RunnerReply::Answer { value, nanoseconds } => {
                        turn.value = Some(value);
                        turn.first = nanoseconds.first().copied().unwrap_or(0.0);
                    }
                    RunnerReply::Unsupported => turn.verdict = AnswerVerdict::Unsupported,
                    RunnerReply::Died => turn.verdict = AnswerVerdict::Died,
                    RunnerReply::TimedOut => {
                        turn.verdict = AnswerVerdict::TimedOut;
                        turn.first = self.effort.limit.as_nanos() as f64;
                        turn.hot.push(turn.first);
                        turn.cold.push(turn.first);
                    }
                }
                self.spend(k, question.name(), turn.first);
                turns.push(turn);
            }
        }
        turns
    }

    fn judge(
        &mut self,
        turn: &mut MeasuredEngine,
        truth: &GroundTruth,
        placed: &TriMesh,
        indexes: &[usize],
    ) -> anyhow::Result<()> {
        let Some(value) = turn.value else {
            return Ok(());
        };
        let scene = PlacedMeshes { a: &self.a, placed };
        let runner = &mut self.runners[turn.runner];
        let (precision, is_ours) = (runner.precision, runner.engine.is_ours());
        let judged = match turn.question {
            MeasuredQuery::Intersects => truth.judge_intersects(&scene, value != 0.0, precision),
            // Whoever counts the same is believed, ours alone have to show their pairs always.
            MeasuredQuery::Pairs if value == truth.pairs.len() as f64 && !is_ours => {
                AnswerVerdict::Right.into()
            }
            MeasuredQuery::Pairs => {
                match runner.list(indexes[turn.runner], &self.folder.join("pairs.csv")) {
                    Ok(Some(list)) => truth.judge_pairs(&scene, &list, precision),
                    Ok(None) => AnswerVerdict::Wrong.into(),
                    Err(error) if is_ours => return Err(error),
                    Err(_) => AnswerVerdict::Died.into(),
                }
            }
            MeasuredQuery::Distance => truth.judge_distance(value, precision).into(),
            MeasuredQuery::Tolerance(distance) => truth
                .judge_tolerance(value != 0.0, distance, precision)
                .into(),
            MeasuredQuery::Impact => {
                let (start, sent) = self
                    .motions
                    .get(turn.index)
                    .context("a motion that nobody told")?;
                let motion = motion_of(start, sent)?;
                let judge = self
                    .motion_truth
                    .get_or_insert_with(|| MotionTruth::new(&self.a, &self.b));
                judge.judge(&motion, value, is_ours).into()
            }
        };
        turn.judge(judged);
        Ok(())
    }

    /// Times the right answers, engine after engine in each round, so that whatever else the
    /// machine does meets all of them.
    fn time(&mut self, turns: &mut [MeasuredEngine]) {
        let turn_ns = self.effort.turn.as_nanos() as f64;
        for round in 0..self.effort.rounds {
            for turn in turns.iter_mut() {
                if turn.value.is_none() || !turn.verdict.is_timed() {
                    continue;
                }
                if turn.first > LONG_TURNS * turn_ns {
                    // Too slow to be repeated; and so long that a warm-up changes nothing.
                    if round == 0 {
                        turn.hot.push(turn.first);
                        turn.cold.push(turn.first);
                    }
                    continue;
                }
                // Slow engines have fewer turns: their medians need fewer.
                let rounds = (PATIENT_TURNS * turn_ns / turn.first.max(1.0)).max(1.0);
                if round as f64 >= rounds {
                    continue;
                }
                let fitting = (turn_ns / turn.first.max(1.0)) as usize;
                let repeats = fitting.clamp(1, self.effort.repeats);
                let fastest = turn.fastest.clamp(1.0, turn.first.max(1.0));
                let warm_up = (WARM_UP_NS / fastest).clamp(1.0, WARM_UP_REPEATS);
                self.ask_again(turn, warm_up.ceil() as usize + repeats, false);
                if round == 0 && self.effort.cold {
                    let repeats = if turn.first > turn_ns { 1 } else { 3 };
                    self.ask_again(turn, repeats, true);
                }
            }
        }
    }

    fn ask_again(&mut self, turn: &mut MeasuredEngine, repeats: usize, cold: bool) {
        let question = turn.question;
        let reply = self.runners[turn.runner].ask(
            question.name(),
            question.parameter(),
            turn.index,
            repeats,
            cold,
        );
        match reply {
            RunnerReply::Answer { nanoseconds, .. } => {
                self.spend(turn.runner, question.name(), nanoseconds.iter().sum());
                if cold {
                    turn.cold.extend(nanoseconds);
                } else {
                    let fastest = nanoseconds.iter().copied().fold(f64::INFINITY, f64::min);
                    turn.fastest = turn.fastest.min(fastest);
                    turn.hot.extend(warm(&nanoseconds));
                }
            }
            // Right once, and never again: there is no time for it.
            RunnerReply::Died if turn.hot.is_empty() => turn.verdict = AnswerVerdict::Died,
            RunnerReply::Died | RunnerReply::TimedOut | RunnerReply::Unsupported => {}
        }
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
struct MeasuredEngine {
    runner: usize,
    question: MeasuredQuery,
    /// Of the pose, or of the motion.
    index: usize,
    value: Option<f64>,
    /// What the first call took, in nanoseconds.
    first: f64,
    verdict: AnswerVerdict,
    excused_pairs: usize,
    /// The least that any call took.
    fastest: f64,
    hot: Vec<f64>,
    cold: Vec<f64>,
}

/// What is left of a turn's times when the warm-up is over; the last alone where it never is.
fn warm(nanoseconds: &[f64]) -> &[f64] {
    let mut passed = 0.0;
    let is_warming = |time: &&f64| {
        let is_warming = passed < WARM_UP_NS;
        passed += **time;
        is_warming
    };
    let warming = nanoseconds.iter().take_while(is_warming).count();
    let last = nanoseconds.len().saturating_sub(1);
    &nanoseconds[warming.min(last)..]
}

impl MeasuredEngine {
    fn new(runner: usize, question: MeasuredQuery, index: usize) -> Self {
        Self {
            runner,
            question,
            index,
            value: None,
            first: 0.0,
            verdict: AnswerVerdict::Unjudged,
            excused_pairs: 0,
            fastest: f64::INFINITY,
            hot: Vec::new(),
            cold: Vec::new(),
        }
    }

    fn judge(&mut self, judged: JudgedAnswer) {
        self.verdict = judged.verdict;
        self.excused_pairs = judged.excused_pairs;
    }

    fn row(self, pose: usize, runners: &[Runner]) -> EngineRow {
        let runner = &runners[self.runner];
        EngineRow {
            engine: runner.engine.name.clone(),
            version: runner.version.clone(),
            question: self.question.name(),
            pose,
            answer: self.value,
            verdict: self.verdict,
            excused_pairs: self.excused_pairs,
            is_ours: runner.engine.is_ours(),
            median_ns: quantile(&self.hot, 0.5),
            spread_ns: quantile(&self.hot, 0.75)
                .zip(quantile(&self.hot, 0.25))
                .map(|(hi, lo)| hi - lo),
            cold_ns: quantile(&self.cold, 0.5),
            build_ns: runner.built.nanoseconds_a + runner.built.nanoseconds_b,
            first_ns: (!self.hot.is_empty()).then_some(self.first),
        }
    }
}

/// The intersecting pairs by the simplest of our engines, for want of a judge.
fn swept_pairs(scene: PlacedMeshes<'_>) -> Vec<(u32, u32)> {
    let config = Default::default();
    let [a, b] =
        [scene.a, scene.placed].map(|mesh| FaceSweep::build(Arc::new(mesh.clone()), &config));
    let mut found: Vec<FacePair> = Vec::new();
    let mut cache = Default::default();
    let limits = Limits::default();
    let _ = a.intersections(&b, &Pose::IDENTITY, limits, &mut cache, &mut found);
    let mut pairs: Vec<(u32, u32)> = found.iter().map(|p| (p.a.raw(), p.b.raw())).collect();
    pairs.sort_unstable();
    pairs
}

/// The distance by another of our trees than the one that is measured by default; it is built at its first query.
fn tree_distance(
    tree: &mut Option<Box<dyn PreparedPair>>,
    meshes: [&TriMesh; 2],
    pose: &Pose,
) -> Option<f64> {
    let tree = tree.get_or_insert_with(|| {
        let [a, b] = meshes.map(|mesh| Arc::new(mesh.clone()));
        crate::configurations::JUDGE.prepare(a, b)
    });
    tree.forget();
    let found = tree.distance(pose, Limits::default())?;
    Some(found.value?.distance)
}

/// A new folder for the files of one pair.
pub(crate) fn scratch() -> anyhow::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("impinge-bench-{}-{number}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    create(&folder)?;
    Ok(folder)
}

/// The value below which this part of the sample lies.
pub(crate) fn quantile(sample: &[f64], part: f64) -> Option<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    sorted.get((part * last as f64).round() as usize).copied()
}
