//! The first scenario: not touching, at a given distance. Is there an intersection, and how far is it?
//!
//! Every engine is a runner of its own, ours too, and every engine has its turn at a configuration before the next
//! one comes. Nothing of one answer helps the next.

use std::time::Instant;

use anyhow::Context;
use impinge::bvh::engines::PreparedPair;
use impinge::query::Limits;

use super::answer_check::QueryTruth;
use super::record::Record;
use super::runners::Runners;
use super::scenario_run::Scenario;
use super::target_poses::{TargetPose, TargetPoses};
use super::time_budget::TimeBudget;
use crate::configurations::{Meshes, TOLERANCE};
use crate::result_sheet::Failure;

const QUESTIONS: [&str; 2] = ["intersects", "distance"];

/// All engines on one pair of models.
pub(super) struct SeparatedScenario<'r> {
    runners: &'r mut Runners,
    /// Tells the true distances; none of its answers is measured.
    judge: Box<dyn PreparedPair>,
    effort: TimeBudget,
}

impl<'r> SeparatedScenario<'r> {
    pub(super) fn new(meshes: &Meshes, runners: &'r mut Runners, effort: TimeBudget) -> Self {
        let judge = crate::configurations::JUDGE;
        Self {
            judge: judge.prepare(meshes.a.clone(), meshes.b.clone()),
            runners,
            effort,
        }
    }

    /// The true distance, which must be the one in the file.
    fn truth(&mut self, placed: &TargetPose) -> anyhow::Result<f64> {
        self.judge.forget();
        let found = self.judge.distance(&placed.pose, Limits::default());
        let found = found.and_then(|found| found.value);
        let distance = found.context("the judge knows no distance")?.distance;
        let stored = placed.value;
        anyhow::ensure!(
            (distance - stored).abs() <= 0.1 * TOLERANCE * self.runners.size,
            "the file says {stored}, the judge {distance}: check the configurations"
        );
        Ok(distance)
    }
}

impl Scenario for SeparatedScenario<'_> {
    fn measure(
        &mut self,
        target: &TargetPoses,
        failures: &mut Vec<Failure>,
    ) -> anyhow::Result<Vec<Record>> {
        let mut sums = self.runners.sums::<2>();
        let start = Instant::now();
        let mut is_cut = false;
        for (number, placed) in target.placed.iter().enumerate() {
            if start.elapsed() > self.effort.per_target && sums.iter().any(|s| s[0].asked > 0) {
                is_cut = true;
                break;
            }
            let distance = self.truth(placed)?;
            let truths = [
                Some(QueryTruth::Apart(distance)),
                Some(QueryTruth::Distance(distance)),
            ];
            let place = (number, &placed.pose);
            self.runners
                .ask(place, truths, self.effort, &mut sums, failures);
        }
        is_cut |= self.effort.is_short && sums.iter().flatten().any(|sum| sum.is_over);
        is_cut |= sums.iter().flatten().any(|sum| sum.is_late);
        let mut records = self.runners.records(QUESTIONS, &sums, target, failures);
        for record in &mut records {
            record.is_cut = is_cut;
        }
        Ok(records)
    }
}
