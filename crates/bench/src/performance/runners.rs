//! Every engine as a runner of its own on one pair of models, for both scenarios.
//!
//! A question comes with what is right, so that each answer is judged before its time counts. What a runner does not answer costs nothing; what it answers
//! wrongly has no time.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use impinge::bvh::engines::PreparedPair;
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose, TriMesh};
use impinge_study::engines::mesh_engine;

use super::answer_check::{CheckedAnswer, QueryTruth, RunnerAnswer, check_answer};
use super::record::{QueryTimes, Record};
use super::target_poses::TargetPoses;
use super::time_budget::TimeBudget;
use crate::configurations::Meshes;
use crate::engines::{Engine, OURS};
use crate::own_runners::{self, DEFAULT};
use crate::pair_measurement::{quantile, scratch};
use crate::result_sheet::Failure;
use crate::runner::{Precision, QUERY_LIMIT, Runner, RunnerReply};

/// A first answer that took longer, in nanoseconds, is not repeated.
const LONG: f64 = 5e6;
/// Repeats that count, after the warm-up.
const COUNTED: usize = 3;
/// Repeats of a warm-up at most.
const MOST_WARM_UPS: f64 = 1_000.0;
/// Poses a runner gets before it is started anew, since it keeps all of them.
const MOST_POSES: usize = 20_000;

/// One engine on one question, while a target is measured.
#[derive(Default)]
pub(super) struct QueryTotals {
    /// With the number of the configuration.
    pub(super) times: Vec<(usize, f64)>,
    pub(super) asked: usize,
    wrong: usize,
    errors: Vec<f64>,
    /// Places with a force at which none was returned.
    silent: usize,
    volume_tests: u64,
    face_tests: u64,
    counted: usize,
    spent: Duration,
    verdict: Option<&'static str>,
    /// Not queried, or not answered by this engine at all.
    pub(super) is_unsupported: bool,
    /// Whether its time was up.
    pub(super) is_over: bool,
    /// Whether the time of all was up before it could answer.
    pub(super) is_late: bool,
}

/// One engine.
struct RunnerEngine {
    engine: Engine,
    runner: Option<Runner>,
    /// In this process, for counts of work: ours only.
    counting: Option<Box<dyn PreparedPair>>,
    builds: Vec<f64>,
}

/// All engines on one pair of models.
pub(super) struct Runners {
    /// The pair's name.
    pub(super) pair: &'static str,
    meshes: Meshes,
    /// A little more than the largest coordinate.
    pub(super) size: f64,
    folder: PathBuf,
    contestants: Vec<RunnerEngine>,
    told: usize,
}

impl Runners {
    /// Starts every engine on the pair; those that cannot be started are reported as failures.
    pub(super) fn start(
        pair: &'static str,
        meshes: &Meshes,
        engines: &[Engine],
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Self> {
        let folder = scratch()?;
        let mut runners = Self {
            pair,
            size: size(&meshes.a).max(size(&meshes.b)),
            meshes: meshes.clone(),
            folder,
            contestants: Vec::new(),
            told: 0,
        };
        own_runners::write(&runners.folder.join("a.mesh"), &meshes.a)?;
        own_runners::write(&runners.folder.join("b.mesh"), &meshes.b)?;
        for engine in engines {
            let contestant = runners.contestant(engine, failures);
            runners.contestants.push(contestant);
        }
        Ok(runners)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.contestants.iter().map(|c| c.engine.name.as_str())
    }

    fn contestant(&self, engine: &Engine, failures: &mut Vec<Failure>) -> RunnerEngine {
        let name = if engine.name == OURS {
            DEFAULT
        } else {
            engine.name.as_str()
        };
        let counting = engine
            .is_ours()
            .then(|| mesh_engine(name))
            .flatten()
            .map(|kind| kind.prepare(self.meshes.a.clone(), self.meshes.b.clone()));
        let mut contestant = RunnerEngine {
            engine: engine.clone(),
            runner: None,
            counting,
            builds: Vec::new(),
        };
        if let Err(error) = self.start_runner(&mut contestant) {
            eprintln!("left out: {error:#}");
            failures.push(contestant.failure(format!("{error:#}")));
        }
        contestant
    }

    fn start_runner(&self, contestant: &mut RunnerEngine) -> anyhow::Result<()> {
        contestant.runner = None;
        let files = [self.folder.join("a.mesh"), self.folder.join("b.mesh")];
        let files = [files[0].as_path(), files[1].as_path()];
        let runner = Runner::start(&contestant.engine, files, 1, QUERY_LIMIT)?;
        contestant.builds.push(runner.built.nanoseconds_a);
        contestant.runner = Some(runner);
        Ok(())
    }

    fn start_again(&mut self, failures: &mut Vec<Failure>) {
        self.told = 0;
        let mut contestants = std::mem::take(&mut self.contestants);
        for contestant in &mut contestants {
            if contestant.runner.is_some()
                && let Err(error) = self.start_runner(contestant)
            {
                failures.push(contestant.failure(format!("{error:#}")));
            }
        }
        self.contestants = contestants;
    }

    /// As many sums for each engine as there are questions.
    pub(super) fn sums<const N: usize>(&self) -> Vec<[QueryTotals; N]> {
        let empty = || std::array::from_fn(|_| QueryTotals::default());
        self.contestants.iter().map(|_| empty()).collect()
    }

    /// Asks every engine at one configuration; a question without a truth is left out.
    pub(super) fn ask<const N: usize>(
        &mut self,
        (number, pose): (usize, &Pose),
        truths: [Option<QueryTruth>; N],
        effort: TimeBudget,
        sums: &mut [[QueryTotals; N]],
        failures: &mut Vec<Failure>,
    ) {
        if self.told >= MOST_POSES {
            self.start_again(failures);
        }
        self.told += 1;
        for (contestant, sums) in self.contestants.iter_mut().zip(sums) {
            contestant.ask((number, pose), truths, effort, self.size, sums);
        }
    }

    /// The records of a target: one for each engine and question that it answers.
    pub(super) fn records<const N: usize>(
        &self,
        questions: [&str; N],
        sums: &[[QueryTotals; N]],
        target: &TargetPoses,
        failures: &mut Vec<Failure>,
    ) -> Vec<Record> {
        let mut records = Vec::new();
        for (contestant, sums) in self.contestants.iter().zip(sums) {
            for (question, sum) in questions.iter().zip(sums) {
                let is_broken = matches!(sum.verdict, Some("died" | "timed-out"));
                let subject = &contestant.engine.name;
                if is_broken && !failures.iter().any(|f| &f.subject == subject) {
                    failures.push(contestant.failure(format!(
                        "{} on {question} at {} % of {}",
                        sum.verdict.unwrap_or_default(),
                        100.0 * target.level,
                        target.pair
                    )));
                }
                // Who is gone from the start may not know of volumes at all.
                let is_gone = sums[0].asked == 0 && sums[0].verdict.is_some();
                if is_gone && sum.asked == 0 && matches!(*question, "volume" | "force") {
                    continue;
                }
                records.extend(contestant.record(question, sum, target));
            }
        }
        records
    }
}

impl Drop for Runners {
    fn drop(&mut self) {
        // Only our own files are in it; what cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl RunnerEngine {
    fn failure(&self, reason: String) -> Failure {
        Failure {
            subject: self.engine.name.clone(),
            reason,
            is_ours: self.engine.is_ours(),
        }
    }

    fn ask<const N: usize>(
        &mut self,
        (number, pose): (usize, &Pose),
        truths: [Option<QueryTruth>; N],
        effort: TimeBudget,
        size: f64,
        sums: &mut [QueryTotals; N],
    ) {
        let Some(runner) = &mut self.runner else {
            for (sum, _) in sums.iter_mut().zip(truths).filter(|(_, t)| t.is_some()) {
                sum.verdict = Some("died");
            }
            return;
        };
        runner.hurry(effort.deadline);
        let mut index = None;
        for (truth, sum) in truths.into_iter().zip(sums) {
            sum.is_over |= sum.spent > effort.per_engine && sum.asked > 0;
            let is_done = sum.is_unsupported || sum.is_over || sum.verdict.is_some();
            let Some(truth) = truth.filter(|_| !is_done) else {
                continue;
            };
            if runner.is_time_up() {
                sum.is_late = true;
                continue;
            }
            let question = truth.question();
            let index = *index.get_or_insert_with(|| runner.pose(pose));
            let start = Instant::now();
            let (given, first) = match once(runner, question, index, 1) {
                Ok((given, times)) => (given, times.first().copied().unwrap_or(0.0)),
                Err(RunnerReply::Unsupported) => {
                    // Whoever has answered before and does not any more is broken.
                    if sum.asked > 0 {
                        sum.verdict = Some("died");
                    }
                    sum.is_unsupported = sum.asked == 0;
                    continue;
                }
                // Not its own failure.
                Err(_) if runner.is_time_up() => {
                    sum.is_late = true;
                    continue;
                }
                Err(RunnerReply::TimedOut) => {
                    sum.verdict = Some("timed-out");
                    continue;
                }
                Err(_) => {
                    sum.verdict = Some("died");
                    continue;
                }
            };
            sum.add(truth, check_answer(truth, given, runner.precision, size));
            let time = time(runner, question, index, first, effort.warm_up_ns);
            sum.spent += start.elapsed();
            sum.times.push((number, time));
            if let Some(counting) = &mut self.counting {
                count(counting.as_mut(), question, pose, sum);
            }
        }
    }

    /// None for a question that the engine does not answer.
    fn record(&self, question: &str, sum: &QueryTotals, target: &TargetPoses) -> Option<Record> {
        let is_asked = sum.asked > 0 || sum.verdict.is_some();
        // Forces are not asked for where there is none.
        if sum.is_unsupported || (question == "force" && !is_asked) {
            return None;
        }
        let is_approximate = self
            .runner
            .as_ref()
            .is_some_and(|runner| runner.precision == Precision::Approximate);
        let verdict = match sum.verdict {
            Some(verdict) => verdict,
            None if sum.asked == 0 => "skipped",
            None if is_approximate => "approximate",
            None if sum.wrong > 0 => "wrong",
            None => "right",
        };
        let is_timed = matches!(verdict, "right" | "approximate");
        let mean = |total: u64| {
            let n = sum.counted;
            (n > 0).then(|| total as f64 / n as f64)
        };
        let error = || {
            let n = sum.errors.len();
            (n > 0).then(|| sum.errors.iter().sum::<f64>() / n as f64)
        };
        Some(Record {
            question: question.to_owned(),
            engine: self.engine.name.clone(),
            version: self
                .runner
                .as_ref()
                .map_or(String::new(), |r| r.version.clone()),
            is_ours: self.engine.is_ours(),
            verdict: verdict.to_owned(),
            configurations: sum.asked,
            wrong: sum.wrong,
            // A wrong answer has no time.
            times: is_timed.then(|| QueryTimes::of(&sum.times)).flatten(),
            volume_tests: mean(sum.volume_tests),
            face_tests: mean(sum.face_tests),
            bytes: match (&self.counting, &self.runner) {
                (Some(counting), _) => Some(counting.bytes() as f64),
                (None, Some(runner)) => Some(runner.built.bytes_a).filter(|bytes| *bytes > 0.0),
                _ => None,
            },
            build_ns: quantile(&self.builds, 0.5),
            error: match question {
                "distance" => error().map(|error| error / target.unit),
                "volume" | "force" => error(),
                // Whoever may be wrong has a time, and beside it how often it was.
                _ if is_approximate && sum.asked > 0 => Some(sum.wrong as f64 / sum.asked as f64),
                _ => None,
            },
            silent: sum.silent,
            samples: if is_timed {
                sum.times.clone()
            } else {
                Vec::new()
            },
            ..target.record()
        })
    }
}

impl QueryTotals {
    fn add(&mut self, truth: QueryTruth, judged: CheckedAnswer) {
        self.asked += 1;
        self.wrong += usize::from(!judged.is_right);
        self.errors.extend(judged.error);
        let is_silent = matches!(truth, QueryTruth::Force(_)) && judged.error.is_none();
        self.silent += usize::from(is_silent);
    }
}

/// The largest coordinate, with room for B's place.
fn size(mesh: &Arc<TriMesh>) -> f64 {
    let bounds = mesh.bounds();
    // B is placed within a few sizes of A.
    4.0 * bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// One call of so many repeats.
fn once(
    runner: &mut Runner,
    question: &str,
    index: usize,
    repeats: usize,
) -> Result<(RunnerAnswer, Vec<f64>), RunnerReply> {
    if question == "force" {
        let (force, times) = runner.force(index, repeats)?;
        return Ok((RunnerAnswer::Direction(DVec3::from(force)), times));
    }
    match runner.ask(question, 0.0, index, repeats, false) {
        RunnerReply::Answer { value, nanoseconds } => {
            Ok((RunnerAnswer::Number(value), nanoseconds))
        }
        other => Err(other),
    }
}

/// The time of a query whose caches are warm, in nanoseconds.
fn time(runner: &mut Runner, question: &str, index: usize, first: f64, warm_up_ns: f64) -> f64 {
    if first > LONG {
        return first;
    }
    let warm_up = (warm_up_ns / first.max(1.0))
        .ceil()
        .clamp(1.0, MOST_WARM_UPS) as usize;
    match once(runner, question, index, warm_up + COUNTED) {
        Ok((_, nanoseconds)) => {
            let last = nanoseconds.len().saturating_sub(COUNTED);
            quantile(&nanoseconds[last..], 0.5).unwrap_or(first)
        }
        // It answered before and its answer was right: its first time stands.
        Err(_) => first,
    }
}

fn count(pair: &mut dyn PreparedPair, question: &str, pose: &Pose, sum: &mut QueryTotals) {
    pair.forget();
    match question {
        "intersects" => {
            let _ = pair.intersections(pose, Limits::default(), &mut First::default());
        }
        "distance" if pair.distance(pose, Limits::default()).is_some() => {}
        _ => return,
    }
    let work = pair.work();
    sum.volume_tests += work.volume_tests;
    sum.face_tests += work.face_tests;
    sum.counted += 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_wrong_and_no_angle() {
        let truth = QueryTruth::Force(DVec3::X);
        let silence = RunnerAnswer::Direction(DVec3::ZERO);
        let mut sum = QueryTotals::default();
        sum.add(truth, check_answer(truth, silence, Precision::Double, 4.0));
        assert_eq!((sum.asked, sum.wrong, sum.silent), (1, 1, 1));
        assert!(sum.errors.is_empty());
    }
}
