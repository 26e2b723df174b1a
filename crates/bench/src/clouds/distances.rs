//! How far apart are the surfaces of two clouds? Estimates beside the distance of the meshes they were taken from, or closed forms, whole and cut off.

use impinge::bvh::wide::WideCache;
use impinge::cloud::CloudCollisionOptions;
use impinge::query::{Limits, Outcome};

use super::cloud_collision::BuiltTree;
use super::timing::{at_full_size, claim, right_at_full_size};
use super::tumble::{Tumbler, placements};
use crate::Bar;
use crate::result_sheet::{Cell, ResultSheet, Table};
use crate::sample_statistics::quantile;

/// Distances between the middles of the copies: from crossing now and then to far apart.
const DISTANCES: [f64; 5] = [1.4, 1.8, 2.1, 2.5, 3.5];
/// Tests after which questions are cut off; the first are not.
const BUDGETS: [Option<u64>; 4] = [None, Some(1000), Some(200), Some(40)];
/// Deviations of a fair count by which a share may fall short.
const DEVIATIONS: f64 = 3.0;

/// What was stated about estimates, and how often that was right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct EstimateTally {
    asked: u64,
    stated: f64,
    right: u64,
}

impl EstimateTally {
    fn count(&mut self, confidence: f64, is_right: bool) {
        self.asked += 1;
        self.stated += confidence;
        self.right += u64::from(is_right);
    }

    /// The share that was right; none without answers.
    fn observed(&self) -> Option<f64> {
        (self.asked > 0).then(|| self.right as f64 / self.asked as f64)
    }

    /// The share that must be right, by what was stated, but for chance.
    fn least(&self) -> f64 {
        let asked = self.asked.max(1) as f64;
        let stated = self.stated / asked;
        stated - DEVIATIONS * (stated * (1.0 - stated) / asked).sqrt()
    }

    fn claim(&self, what: &str, is_full: bool, sheet: &mut ResultSheet) {
        let observed = self.observed();
        let bar = Bar::at_least(observed, self.least());
        let told = observed.map_or_else(|| "–".to_owned(), |share| format!("{share:.4}"));
        let stated = self.stated / self.asked.max(1) as f64;
        claim(
            sheet,
            at_full_size(is_full, bar),
            &format!("{what}: the truth is within the stated error at least as often as stated"),
            &format!("{told} of {} answers, {stated:.4} stated", self.asked),
        );
    }
}

/// Distances of all models.
#[derive(Debug, Default)]
pub(super) struct Distances {
    /// Whole and cut off, of all models and of those that nothing was fitted on.
    whole: [EstimateTally; 2],
    cut: [EstimateTally; 2],
    bounds: u64,
    wrong_bounds: u64,
    rows: Vec<Vec<Cell>>,
}

impl Distances {
    /// Asks about one model, so many placements for each distance.
    pub(super) fn measure(
        &mut self,
        model: &Tumbler,
        built: &BuiltTree,
        steps: usize,
    ) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            println!("\ndistances, errors in sampling radii");
            println!(
                "{:<11} {:>7} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9}",
                "model", "tests", "cut off %", "mean", "p95", "stated", "within %", "stated %"
            );
        }
        let mut question = built.question(CloudCollisionOptions::default());
        let radius = built.tree.sampling_radius();
        let mut cache = WideCache::default();
        let mut placed = Vec::new();
        for distance in DISTANCES {
            for pose in placements(distance, steps.max(1))? {
                if let Some(truth) = model.apart(&pose, &mut cache) {
                    placed.push((pose, truth));
                }
            }
        }
        for max_tests in BUDGETS {
            let limits = Limits {
                max_tests,
                ..Limits::default()
            };
            let mut here = EstimateTally::default();
            let (mut off, mut stated, mut cut) = (Vec::new(), 0.0, 0_u64);
            for (pose, truth) in &placed {
                let found = question.distance(pose, limits);
                let miss = (found.distance - truth).abs();
                let is_right = miss <= found.error;
                let is_cut = found.outcome == Outcome::OutOfBudget;
                self.bounds += 1;
                self.wrong_bounds += u64::from(found.lower > *truth || *truth > found.upper);
                let to = if is_cut {
                    &mut self.cut
                } else {
                    &mut self.whole
                };
                to[0].count(found.confidence, is_right);
                if model.is_held_out {
                    to[1].count(found.confidence, is_right);
                }
                here.count(found.confidence, is_right);
                off.push(miss / radius);
                stated += found.error / radius;
                cut += u64::from(is_cut);
            }
            // Not numbers when nothing was asked.
            let asked = here.asked as f64;
            let mean = off.iter().sum::<f64>() / asked;
            let p95 = quantile(&mut off, 0.95);
            let figures = [
                cut as f64 / asked * 100.0,
                mean,
                p95,
                stated / asked,
                here.right as f64 / asked * 100.0,
                here.stated / asked * 100.0,
            ];
            let tests = max_tests.map_or_else(|| "all".to_owned(), |tests| tests.to_string());
            let [cut, mean, p95, stated, within, confidence] = figures;
            println!(
                "{:<11} {tests:>7} {cut:>9.2} {mean:>8.3} {p95:>8.3} {stated:>8.3} {within:>9.2} {confidence:>9.2}",
                model.name
            );
            let mut row = vec![Cell::Text(model.name.to_owned()), Cell::Text(tests)];
            row.extend(figures.map(Cell::Number));
            self.rows.push(row);
        }
        Ok(())
    }

    /// Adds the table and the bars.
    pub(super) fn finish(self, is_full: bool, sheet: &mut ResultSheet) {
        sheet.tables.push(Table {
            title: "Distances between surfaces, errors in sampling radii".to_owned(),
            columns: [
                "model",
                "tests allowed",
                "cut off in %",
                "mean error",
                "95th percentile of the error",
                "mean stated error",
                "within the stated error in %",
                "stated confidence in %",
            ]
            .map(str::to_owned)
            .to_vec(),
            rows: self.rows,
        });
        let bar = Bar::none_wrong(self.wrong_bounds, self.bounds);
        claim(
            sheet,
            right_at_full_size(is_full, bar),
            "no proven bound on a distance is wrong",
            &format!("{} of {}", self.wrong_bounds, self.bounds),
        );
        let held_out = "about models that nothing was fitted on";
        let [whole, whole_held_out] = self.whole;
        let [cut, cut_held_out] = self.cut;
        whole.claim("finished distances", is_full, sheet);
        whole_held_out.claim(&format!("finished distances {held_out}"), is_full, sheet);
        cut.claim("distances that were cut off", is_full, sheet);
        cut_held_out.claim(
            &format!("distances that were cut off {held_out}"),
            is_full,
            sheet,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{Distances, EstimateTally};
    use crate::Bar;
    use crate::result_sheet::ResultSheet;

    fn bar(tally: &EstimateTally) -> Bar {
        let mut sheet = ResultSheet::new("s", "S", "?", "s");
        tally.claim("distances", true, &mut sheet);
        sheet.bar()
    }

    #[test]
    fn estimates_may_be_better_than_stated_but_not_worse() {
        let mut tally = EstimateTally::default();
        assert_eq!(bar(&tally), Bar::Open);
        for _ in 0..1000 {
            tally.count(0.9, true);
        }
        assert_eq!(bar(&tally), Bar::Met);
        for _ in 0..200 {
            tally.count(0.9, false);
        }
        assert_eq!(bar(&tally), Bar::Missed);
    }

    #[test]
    fn a_wrong_bound_misses_the_bar_at_any_size() {
        let finish = |wrong_bounds, is_full| {
            let mut sheet = ResultSheet::new("s", "S", "?", "s");
            let distances = Distances {
                bounds: 9,
                wrong_bounds,
                ..Distances::default()
            };
            distances.finish(is_full, &mut sheet);
            sheet.bar()
        };
        assert_eq!(finish(1, false), Bar::Missed);
        assert_eq!(finish(0, false), Bar::Open);
    }
}
