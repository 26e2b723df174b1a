//! The first scenario: not touching, at a given distance. Is there an intersection, and how far is it?
//!
//! Every engine is a runner of its own, ours too, and every engine has its turn at a configuration before the next
//! one comes. Nothing of one answer helps the next.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use impinge::bvh::engines::{MeshEngine, PreparedPair};
use impinge::query::{First, Limits};
use impinge::{Pose, TriMesh};

use super::record::{Record, Times};
use super::{Effort, Placed, Scenario, Target};
use crate::configurations::{Kind, Meshes, TOLERANCE};
use crate::engines::{Engine, OURS};
use crate::measure::{quantile, scratch};
use crate::ours::{self, DEFAULT};
use crate::runner::{Precision, QUERY_LIMIT, Reply, Runner};
use crate::sheet::Failure;

const QUESTIONS: [&str; 2] = ["intersects", "distance"];
/// A first answer that took longer, in nanoseconds, is not asked for again.
const LONG: f64 = 5e6;
/// Repeats that count, after the warm-up.
const COUNTED: usize = 3;
/// Repeats of a warm-up at most.
const MOST_WARM_UPS: f64 = 1_000.0;
/// Poses a runner is told before it is started anew, since it keeps all of them.
const MOST_POSES: usize = 20_000;
/// Roundings that may add up in a peer, in units of the last place.
const ROUNDINGS: f64 = 64.0;

/// All engines on one pair of models.
pub(super) struct Gaps {
    meshes: Meshes,
    size: f64,
    folder: PathBuf,
    contestants: Vec<Contestant>,
    told: usize,
    /// Tells the true distances; none of its answers is measured.
    judge: Box<dyn PreparedPair>,
    effort: Effort,
}

/// One engine.
struct Contestant {
    engine: Engine,
    runner: Option<Runner>,
    /// In this process, for counts of work: ours only.
    counting: Option<Box<dyn PreparedPair>>,
    builds: Vec<f64>,
}

/// One engine on one question, while a target is measured.
#[derive(Default)]
struct Sum {
    times: Vec<f64>,
    asked: usize,
    wrong: usize,
    error: f64,
    volume_tests: u64,
    face_tests: u64,
    counted: usize,
    spent: Duration,
    verdict: Option<&'static str>,
    is_unsupported: bool,
    /// Whether its time was up.
    is_over: bool,
}

impl Gaps {
    /// Starts every engine on the pair; those that cannot be started are told as failures.
    pub(super) fn start(
        meshes: &Meshes,
        engines: &[Engine],
        effort: Effort,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Self> {
        let folder = scratch()?;
        ours::write(&folder.join("a.mesh"), &meshes.a)?;
        ours::write(&folder.join("b.mesh"), &meshes.b)?;
        let judge = crate::configurations::JUDGE;
        let mut gaps = Self {
            size: size(&meshes.a).max(size(&meshes.b)),
            judge: judge.prepare(meshes.a.clone(), meshes.b.clone()),
            meshes: meshes.clone(),
            folder,
            contestants: Vec::new(),
            told: 0,
            effort,
        };
        for engine in engines {
            let contestant = gaps.contestant(engine, failures);
            gaps.contestants.push(contestant);
        }
        Ok(gaps)
    }

    fn contestant(&self, engine: &Engine, failures: &mut Vec<Failure>) -> Contestant {
        let name = if engine.name == OURS {
            DEFAULT
        } else {
            engine.name.as_str()
        };
        let counting = engine
            .is_ours()
            .then(|| MeshEngine::from_name(name))
            .flatten()
            .map(|kind| kind.prepare(self.meshes.a.clone(), self.meshes.b.clone()));
        let mut contestant = Contestant {
            engine: engine.clone(),
            runner: None,
            counting,
            builds: Vec::new(),
        };
        if let Err(error) = self.start_runner(&mut contestant) {
            eprintln!("left out: {error:#}");
            failures.push(Failure {
                subject: engine.name.clone(),
                reason: format!("{error:#}"),
                is_ours: engine.is_ours(),
            });
        }
        contestant
    }

    fn start_runner(&self, contestant: &mut Contestant) -> anyhow::Result<()> {
        contestant.runner = None;
        let files = [self.folder.join("a.mesh"), self.folder.join("b.mesh")];
        let files = [files[0].as_path(), files[1].as_path()];
        let runner = Runner::start(&contestant.engine, files, 1, QUERY_LIMIT)?;
        contestant.builds.push(runner.built.nanoseconds_a);
        contestant.runner = Some(runner);
        Ok(())
    }
}

impl Scenario for Gaps {
    fn measure(
        &mut self,
        target: &Target,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Vec<Record>> {
        let mut sums: Vec<[Sum; 2]> = Vec::new();
        sums.resize_with(self.contestants.len(), Default::default);
        let start = Instant::now();
        let mut is_cut = false;
        for placed in &target.placed {
            if start.elapsed() > self.effort.per_target && sums.iter().any(|s| s[0].asked > 0) {
                is_cut = true;
                break;
            }
            if self.told >= MOST_POSES {
                self.start_again(failures);
            }
            self.told += 1;
            let truth = self.truth(placed)?;
            for (k, sums) in sums.iter_mut().enumerate() {
                self.ask(k, placed, truth, sums);
            }
        }
        is_cut |= self.effort.is_short && sums.iter().flatten().any(|sum| sum.is_over);
        let mut records = Vec::new();
        for (contestant, sums) in self.contestants.iter().zip(sums) {
            for (question, sum) in QUESTIONS.iter().zip(sums) {
                let is_broken = matches!(sum.verdict, Some("died" | "timed-out"));
                let subject = &contestant.engine.name;
                if is_broken && !failures.iter().any(|f| &f.subject == subject) {
                    failures.push(Failure {
                        subject: subject.clone(),
                        reason: format!(
                            "{} on {question} at {} % of {}",
                            sum.verdict.unwrap_or_default(),
                            100.0 * target.level,
                            target.pair
                        ),
                        is_ours: contestant.engine.is_ours(),
                    });
                }
                records.extend(contestant.record(question, sum, target));
            }
        }
        for record in &mut records {
            record.is_cut = is_cut;
        }
        Ok(records)
    }
}

impl Gaps {
    fn start_again(&mut self, failures: &mut Vec<Failure>) {
        self.told = 0;
        let mut contestants = std::mem::take(&mut self.contestants);
        for contestant in &mut contestants {
            if contestant.runner.is_some()
                && let Err(error) = self.start_runner(contestant)
            {
                failures.push(Failure {
                    subject: contestant.engine.name.clone(),
                    reason: format!("{error:#}"),
                    is_ours: contestant.engine.is_ours(),
                });
            }
        }
        self.contestants = contestants;
    }

    /// The true distance, which must be the one in the file.
    fn truth(&mut self, placed: &Placed) -> anyhow::Result<f64> {
        self.judge.forget();
        let found = self.judge.distance(&placed.pose, Limits::default());
        let found = found.and_then(|found| found.value);
        let distance = found.context("the judge knows no distance")?.distance;
        let stored = placed.value;
        anyhow::ensure!(
            (distance - stored).abs() <= 0.1 * TOLERANCE * self.size,
            "the file says {stored}, the judge {distance}: check the configurations"
        );
        Ok(distance)
    }

    fn ask(&mut self, k: usize, placed: &Placed, truth: f64, sums: &mut [Sum; 2]) {
        let (size, effort) = (self.size, self.effort);
        let contestant = &mut self.contestants[k];
        let Some(runner) = &mut contestant.runner else {
            for sum in sums {
                sum.verdict = Some("died");
            }
            return;
        };
        let index = runner.pose(&placed.pose);
        for (question, sum) in QUESTIONS.iter().zip(sums) {
            sum.is_over |= sum.spent > effort.per_engine && sum.asked > 0;
            if sum.is_unsupported || sum.is_over || sum.verdict.is_some() {
                continue;
            }
            let (value, first) = match runner.ask(question, 0.0, index, 1, false) {
                Reply::Answer { value, nanoseconds } => {
                    (value, nanoseconds.first().copied().unwrap_or(0.0))
                }
                Reply::Unsupported => {
                    sum.is_unsupported = true;
                    continue;
                }
                Reply::TimedOut => {
                    sum.verdict = Some("timed-out");
                    continue;
                }
                Reply::Died => {
                    sum.verdict = Some("died");
                    continue;
                }
            };
            sum.asked += 1;
            let (is_right, error) = judged(question, value, truth, runner.precision, size);
            sum.error += error;
            sum.wrong += usize::from(!is_right);
            let time = time(runner, question, index, first, effort.warm_up_ns);
            sum.spent += Duration::from_nanos((first + time * 8.0) as u64);
            sum.times.push(time);
            if let Some(counting) = &mut contestant.counting {
                count(counting.as_mut(), question, &placed.pose, sum);
            }
        }
    }
}

impl Drop for Gaps {
    fn drop(&mut self) {
        // Only our own files are in it; what cannot be removed is left to the system.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Contestant {
    /// None for a question that the engine does not answer.
    fn record(&self, question: &str, sum: Sum, target: &Target) -> Option<Record> {
        if sum.is_unsupported {
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
        Some(Record {
            kind: Kind::Distance.name().to_owned(),
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
            times: is_timed.then(|| Times::of(&sum.times)).flatten(),
            volume_tests: mean(sum.volume_tests),
            face_tests: mean(sum.face_tests),
            bytes: match (&self.counting, &self.runner) {
                (Some(counting), _) => Some(counting.bytes() as f64),
                (None, Some(runner)) => Some(runner.built.bytes_a).filter(|bytes| *bytes > 0.0),
                _ => None,
            },
            build_ns: quantile(&self.builds, 0.5),
            error: match question {
                _ if sum.asked == 0 => None,
                "distance" => Some(sum.error / sum.asked as f64 / target.unit),
                // Whoever may be wrong has a time, and beside it how often it was.
                _ if is_approximate => Some(sum.wrong as f64 / sum.asked as f64),
                _ => None,
            },
            ..target.record()
        })
    }
}

/// The largest coordinate.
fn size(mesh: &Arc<TriMesh>) -> f64 {
    let bounds = mesh.bounds();
    // B is placed within a few sizes of A.
    4.0 * bounds.min.abs().max(bounds.max.abs()).max_element()
}

/// Whether an answer is right, and how far a distance is off.
fn judged(question: &str, value: f64, truth: f64, precision: Precision, size: f64) -> (bool, f64) {
    let single = f64::from(f32::EPSILON);
    if question == "intersects" {
        let rounding = ROUNDINGS
            * size
            * if precision == Precision::Single {
                single
            } else {
                f64::EPSILON
            };
        // They are apart; whoever rounds may see a gap that small as a contact.
        return (value == 0.0 || truth <= rounding, 0.0);
    }
    let room = precision.distance_rounding() * size;
    let error = (value - truth).abs();
    // Not a number is not right.
    (error <= room, if error.is_finite() { error } else { size })
}

/// The time of a query whose caches are warm, in nanoseconds.
fn time(runner: &mut Runner, question: &str, index: usize, first: f64, warm_up_ns: f64) -> f64 {
    if first > LONG {
        return first;
    }
    let warm_up = (warm_up_ns / first.max(1.0))
        .ceil()
        .clamp(1.0, MOST_WARM_UPS) as usize;
    match runner.ask(question, 0.0, index, warm_up + COUNTED, false) {
        Reply::Answer { nanoseconds, .. } => {
            let last = nanoseconds.len().saturating_sub(COUNTED);
            quantile(&nanoseconds[last..], 0.5).unwrap_or(first)
        }
        // It answered before and its answer was right: its first time stands.
        _ => first,
    }
}

fn count(pair: &mut dyn PreparedPair, question: &str, pose: &Pose, sum: &mut Sum) {
    pair.forget();
    if question == "intersects" {
        let _ = pair.intersections(pose, Limits::default(), &mut First::default());
    } else if pair.distance(pose, Limits::default()).is_none() {
        return;
    }
    let work = pair.work();
    sum.volume_tests += work.volume_tests;
    sum.face_tests += work.face_tests;
    sum.counted += 1;
}
