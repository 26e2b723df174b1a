//! The second scenario: overlapping by a given volume. Do they intersect, how much is it, and which way is out?
//!
//! Every engine has its turn at a configuration before the next one comes. Volumes are judged by columns below pairs of faces, forces by differences of them,
//! yes or no by an engine that is not measured: where the surfaces meet, an engine that says no is wrong. A solid inside of the other shares volume without
//! meeting its surface; there is no query about intersections there.
//!
//! Our engines for solids answer in this process, those that return volume and force by one call for both queries at once; every other engine is a runner and is queried
//! for each by itself.

use std::time::{Duration, Instant};

use impinge::bvh::engines::PreparedPair;
use impinge::query::{First, Limits};
use impinge::{DVec3, Pose};

use super::answer_check::{FORCE_ROUNDING, QueryTruth, VOLUME_ROUNDING, angle};
use super::preset::Sizes;
use super::record::{QueryTimes, Record};
use super::runners::{QueryTotals as Asked, Runners};
use super::scenario_run::Scenario;
use super::target_poses::{TargetPose, TargetPoses};
use super::time_budget::TimeBudget;
use super::volume_engines::{FaceTrees, VolumeEngine};
use crate::configurations::{ColumnVolume, Meshes};
use crate::pair_measurement::quantile;
use crate::result_sheet::Failure;

/// The step of these differences, as a part of A's diagonal.
const STEP: f64 = 1e-5;
/// Forward and backward differences that differ by a larger part belong to faces that lie on each other.
const KINK: f64 = 2e-3;
/// Configurations per target at which forces are compared.
const FORCES: usize = 8;
/// Repeats that count.
const COUNTED: usize = 3;

/// Which questions a record is about.
const QUESTIONS: [&str; 2] = ["volume", "force"];
/// The queries of runners.
const ASKED: [&str; 3] = ["intersects", "volume", "force"];

/// All engines on one pair of solids.
pub(super) struct OverlapScenario<'t> {
    contestants: Vec<VolumeEngine<'t>>,
    runners: &'t mut Runners,
    judge: ColumnVolume,
    /// Tells whether surfaces meet; none of its answers is measured.
    witness: Box<dyn PreparedPair>,
    diagonal: f64,
    effort: TimeBudget,
}

/// One engine of ours, while a target is measured.
#[derive(Default)]
struct EngineTotals {
    /// With the number of the configuration.
    times: Vec<(usize, f64)>,
    tests: [u64; 2],
    is_counted: bool,
    wrong: [usize; 2],
    errors: [Vec<f64>; 2],
    /// Whether there was a force to compare with.
    has_force: bool,
    /// Places where there was one, and none was returned.
    silent: usize,
    spent: Duration,
    verdict: Option<&'static str>,
}

impl EngineTotals {
    /// Sets a force beside the right direction. Silence is no angle, but it is counted; from whoever claims to be exact it is wrong.
    fn compare(&mut self, given: Option<DVec3>, right: DVec3, is_exact: bool) {
        let Some(given) = given else {
            self.silent += 1;
            self.wrong[1] += usize::from(is_exact);
            return;
        };
        let angle = angle(given, right);
        self.errors[1].push(angle);
        if angle > FORCE_ROUNDING || angle.is_nan() {
            self.wrong[1] += 1;
        }
    }
}

impl<'t> OverlapScenario<'t> {
    pub(super) fn start(
        meshes: &Meshes,
        trees: &'t FaceTrees,
        runners: &'t mut Runners,
        sizes: Sizes,
        effort: TimeBudget,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Self> {
        let mut contestants = vec![VolumeEngine::exact(meshes)?];
        let mut add = |name: String, made: anyhow::Result<VolumeEngine<'t>>| match made {
            Ok(contestant) => contestants.push(contestant),
            // A solid that balls or voxels cannot hold is refused by name, which is no failure of the suite.
            Err(error) => failures.push(Failure {
                subject: name,
                reason: format!("refuses the mesh: {error:#}"),
                is_ours: false,
            }),
        };
        for count in sizes.balls {
            let made = VolumeEngine::packed(meshes, *count);
            add(format!("balls-{count}"), made);
        }
        for resolution in sizes.voxels {
            let made = VolumeEngine::voxels(meshes, *resolution);
            add(format!("voxmap-{resolution}"), made);
        }
        add("mesh-depth".to_owned(), VolumeEngine::depth(trees));
        let witness = crate::configurations::JUDGE;
        Ok(Self {
            contestants,
            runners,
            witness: witness.prepare(meshes.a.clone(), meshes.b.clone()),
            judge: ColumnVolume::new(meshes.a.clone(), meshes.b.clone()),
            diagonal: meshes.a.bounds().diagonal().length(),
            effort,
        })
    }

    /// Empty sums of the runners; engines of this process are not queried twice.
    fn asked(&self) -> Vec<[Asked; 3]> {
        let mut asked = self.runners.sums::<3>();
        for (name, sums) in self.runners.names().zip(&mut asked) {
            let is_here = self.contestants.iter().any(|c| c.name == name);
            for sum in &mut sums[1..] {
                sum.is_unsupported = is_here;
            }
        }
        asked
    }

    /// Whether the surfaces meet.
    fn meets(&mut self, pose: &Pose) -> bool {
        let mut first = First::default();
        self.witness.forget();
        let _ = self
            .witness
            .intersections(pose, Limits::default(), &mut first);
        first.0.is_some()
    }
}

impl Scenario for OverlapScenario<'_> {
    fn measure(
        &mut self,
        target: &TargetPoses,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Vec<Record>> {
        let mut sums: Vec<EngineTotals> = Vec::new();
        sums.resize_with(self.contestants.len(), EngineTotals::default);
        let mut asked = self.asked();
        let start = Instant::now();
        let mut is_cut = false;
        for (number, placed) in target.placed.iter().enumerate() {
            if start.elapsed() > self.effort.per_target && number > 0 {
                is_cut = true;
                break;
            }
            let volume = self.judge.shared(&placed.pose);
            anyhow::ensure!(
                (volume - placed.value).abs() <= 1e-6 * target.unit,
                "the file says {}, the judge {volume}: check the configurations",
                placed.value
            );
            let force = if number < FORCES && target.level > 0.0 {
                self.force(&placed.pose, volume)?
            } else {
                None
            };
            for (contestant, sum) in self.contestants.iter_mut().zip(&mut sums) {
                let is_over = sum.spent > self.effort.per_engine && !sum.times.is_empty();
                if contestant.is_dead || is_over {
                    is_cut |= is_over && self.effort.is_short;
                    continue;
                }
                if let Err(error) = ask(
                    contestant,
                    (number, placed),
                    volume,
                    force,
                    target.unit,
                    self.effort,
                    sum,
                ) {
                    contestant.is_dead = true;
                    sum.verdict = Some("died");
                    failures.push(Failure {
                        subject: contestant.name.clone(),
                        reason: format!("{error:#}"),
                        is_ours: contestant.is_ours,
                    });
                }
            }
            let meets = target.level > 0.0 && self.meets(&placed.pose);
            let unit = target.unit;
            let truths = [
                meets.then_some(QueryTruth::Meeting),
                Some(QueryTruth::Volume { volume, unit }),
                force.map(QueryTruth::Force),
            ];
            let place = (number, &placed.pose);
            self.runners
                .ask(place, truths, self.effort, &mut asked, failures);
        }
        is_cut |= self.effort.is_short && asked.iter().flatten().any(|sum| sum.is_over);
        is_cut |= asked.iter().flatten().any(|sum| sum.is_late);
        let all = self.contestants.iter().zip(&sums);
        let mut records: Vec<Record> = all.flat_map(|(c, sum)| records(c, sum, target)).collect();
        let asked = self.runners.records(ASKED, &asked, target, failures);
        // Where nothing was asked of anybody nothing is missing.
        let nobody = |q: &str| {
            asked
                .iter()
                .all(|r| r.question != q || r.verdict == "skipped")
        };
        let idle = ASKED.map(|question| nobody(question).then_some(question));
        let is_idle = |record: &Record| idle.contains(&Some(record.question.as_str()));
        records.extend(asked.iter().filter(|r| !is_idle(r)).cloned());
        for record in &mut records {
            record.is_cut = is_cut;
        }
        Ok(records)
    }
}

impl OverlapScenario<'_> {
    /// The direction of the force on B by differences of the judge's volumes; none at a kink, where there is more than one.
    fn force(&mut self, pose: &Pose, here: f64) -> anyhow::Result<Option<DVec3>> {
        let step = STEP * self.diagonal;
        let (mut ahead, mut behind) = (DVec3::ZERO, DVec3::ZERO);
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            let mut slope = |step: f64| -> anyhow::Result<f64> {
                let moved = Pose::new(*pose.rotation(), pose.translation() + axis * step)?;
                Ok((self.judge.shared(&moved) - here) / step)
            };
            ahead[k] = slope(step)?;
            behind[k] = slope(-step)?;
        }
        let is_smooth = ahead.distance(behind) <= KINK * (ahead.length() + behind.length());
        Ok((-(ahead + behind)).try_normalize().filter(|_| is_smooth))
    }
}

fn ask(
    contestant: &mut VolumeEngine<'_>,
    (number, placed): (usize, &TargetPose),
    volume: f64,
    force: Option<DVec3>,
    unit: f64,
    effort: TimeBudget,
    sum: &mut EngineTotals,
) -> anyhow::Result<()> {
    let (tells_force, is_exact) = (contestant.tells[1], contestant.is_exact);
    let engine = &mut contestant.engine;
    let first = engine.ask(&placed.pose)?;
    if let Some(given) = first.volume {
        let error = (given - volume).abs() / unit;
        sum.errors[0].push(error);
        if error > VOLUME_ROUNDING || error.is_nan() {
            sum.wrong[0] += 1;
        }
    }
    sum.has_force |= force.is_some();
    if let Some(force) = force.filter(|_| tells_force) {
        sum.compare(first.force, force, is_exact);
    }
    if let Some(tests) = first.tests {
        sum.is_counted = true;
        sum.tests[0] += tests[0];
        sum.tests[1] += tests[1];
    }
    let mut times = Vec::new();
    let mut spent = first.nanoseconds;
    let warm_up = effort.warm_up_ns.min(20.0 * first.nanoseconds);
    while spent < warm_up || times.len() < COUNTED {
        let ns = engine.ask(&placed.pose)?.nanoseconds;
        spent += ns.max(100.0);
        times.push(ns);
        if first.nanoseconds > 5e6 {
            break;
        }
    }
    let last = times.len().saturating_sub(COUNTED);
    let time = quantile(&times[last..], 0.5).unwrap_or(first.nanoseconds);
    sum.times.push((number, time));
    sum.spent += Duration::from_nanos(spent as u64);
    Ok(())
}

/// The records about volume and force, of engines that tell them.
fn records(contestant: &VolumeEngine<'_>, sum: &EngineTotals, target: &TargetPoses) -> Vec<Record> {
    let mean = |values: &[f64]| {
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let n = sum.times.len();
    let tests = |k: usize| {
        sum.is_counted
            .then(|| sum.tests[k] as f64 / n.max(1) as f64)
    };
    let record = |k: usize| {
        let verdict = match sum.verdict {
            Some(verdict) => verdict,
            None if n == 0 && contestant.is_dead => "died",
            None if n == 0 => "skipped",
            None if !contestant.is_exact => "approximate",
            None if sum.wrong[k] > 0 => "wrong",
            None => "right",
        };
        let is_timed = matches!(verdict, "right" | "approximate");
        Record {
            question: QUESTIONS[k].to_owned(),
            engine: contestant.name.clone(),
            version: contestant.version.clone(),
            is_ours: contestant.is_ours,
            verdict: verdict.to_owned(),
            configurations: n,
            wrong: sum.wrong[k],
            times: is_timed.then(|| QueryTimes::of(&sum.times)).flatten(),
            volume_tests: tests(0),
            face_tests: tests(1),
            bytes: contestant.bytes,
            build_ns: contestant.build_ns,
            error: mean(&sum.errors[k]),
            silent: if k == 1 { sum.silent } else { 0 },
            samples: if is_timed {
                sum.times.clone()
            } else {
                Vec::new()
            },
            ..target.record()
        }
    };
    let is_asked = [true, sum.has_force];
    (0..2)
        .filter(|k| contestant.tells[*k] && is_asked[*k])
        .map(record)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_counted_beside_the_mean_error_and_is_wrong_for_exact_engines() {
        let mut sum = EngineTotals::default();
        sum.compare(Some(DVec3::X), DVec3::X, false);
        sum.compare(Some(DVec3::Y * 3.0), DVec3::X, false);
        sum.compare(None, DVec3::X, false);
        assert_eq!((sum.silent, sum.wrong[1]), (1, 1));
        assert_eq!(sum.errors[1].len(), 2);
        assert!(sum.errors[1][0] < 1e-5 && (sum.errors[1][1] - 90.0).abs() < 1e-9);
        sum.compare(None, DVec3::X, true);
        assert_eq!((sum.silent, sum.wrong[1]), (2, 2));
    }
}
