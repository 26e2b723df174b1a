//! Errors and calibration, model by model, on models and poses that nothing was tuned on.
//!
//! Each model is calibrated on tuning poses by the exact engine; judging poses say how often its
//! answers are wrong, as stated by default and as measured, and whether the conformal bound holds.

use std::sync::Arc;
use std::time::Instant;

use impinge::average_case::{
    AverageConfig, AverageOptions, AverageQuery, AverageTree, CalibratedQuery, Calibration,
    calibration_poses,
};
use impinge::bound::Aabb;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::query::Limits;

use super::Preset;
use super::model_split::{JUDGING_POSES, TUNING_POSES, judging_models};
use super::thesis_models::Model;
use crate::result_sheet::{Cell, ResultSheet, Table};

const K_MINS: [u32; 2] = [10, 5];
/// The largest published share of wrong answers, in percent.
const MOST_PUBLISHED: f64 = 2.1;
/// How far stated and observed confidence of a model may be apart.
const MOST_OFF: f64 = 0.02;
/// The error that is allowed where an answer is decided.
const BOUND: f64 = 0.01;
/// Seconds that a calibration may take.
const PATIENCE: f64 = 5.0;

/// What judging poses say of one model.
#[derive(Clone, Copy, Debug, Default)]
struct Judged {
    asked: usize,
    uncertain: usize,
    /// By default and as measured: wrong answers, and sums of what was stated and of what was right among uncertain answers.
    wrong: [usize; 2],
    stated: [f64; 2],
    right: [f64; 2],
    decided: usize,
    /// By the truth: uncertain answers, and those that were decided wrongly.
    of_truth: [usize; 2],
    missed: [usize; 2],
    /// Poses that the bound rests on.
    calibrated: usize,
    seconds: f64,
}

impl Judged {
    fn percent(count: usize, of: usize) -> f64 {
        100.0 * count as f64 / of.max(1) as f64
    }

    fn off(&self, k: usize) -> f64 {
        (self.stated[k] - self.right[k]).abs() / self.uncertain.max(1) as f64
    }

    /// Whether no more is decided wrongly than four deviations of both samples allow, for each truth.
    fn is_bounded(&self) -> bool {
        [0, 1].iter().all(|&truth| {
            let n = self.of_truth[truth] as f64;
            // As many calibration poses have this truth as judging ones, in parts of all.
            let m = self.calibrated as f64 * n / (self.uncertain.max(1) as f64);
            let spread = BOUND * (1.0 - BOUND) * n * (1.0 + n / m.max(1.0));
            self.missed[truth] as f64 <= BOUND * n + 4.0 * spread.sqrt() + 1.0
        })
    }
}

fn judge(model: &Model, k_min: u32, poses: usize) -> anyhow::Result<Judged> {
    let tree = Arc::new(AverageTree::<Aabb>::new(
        &model.mesh,
        &AverageConfig::default(),
    ));
    let exact = WideTree::new(model.mesh.clone());
    let bounds = model.mesh.bounds();
    let options = AverageOptions {
        k_min,
        ..AverageOptions::default()
    };
    let mut query = AverageQuery::new(tree.clone(), tree, options)?;
    let begin = Instant::now();
    let tuning = calibration_poses(&bounds, &bounds, poses, TUNING_POSES);
    let calibration = Calibration::measure(&mut query, [&exact, &exact], &tuning);
    let mut judged = Judged {
        seconds: begin.elapsed().as_secs_f64(),
        calibrated: calibration.poses(),
        ..Judged::default()
    };
    let mut query = CalibratedQuery::new(query, Arc::new(calibration))?;
    let mut cache = WideCache::default();
    for pose in calibration_poses(&bounds, &bounds, poses, JUDGING_POSES) {
        let truth = exact.intersects(&exact, &pose, &mut cache);
        let answer = query.at(&pose, Limits::default());
        let verdicts = [answer.found.verdict, answer.verdict];
        let decided = answer.decided(BOUND);
        judged.asked += 1;
        judged.decided += usize::from(decided.is_some());
        for (wrong, verdict) in judged.wrong.iter_mut().zip(verdicts) {
            *wrong += usize::from(verdict.answer != truth);
        }
        if answer.found.verdict.certain {
            continue;
        }
        judged.uncertain += 1;
        judged.of_truth[usize::from(truth)] += 1;
        judged.missed[usize::from(truth)] += usize::from(decided == Some(!truth));
        for (k, verdict) in verdicts.into_iter().enumerate() {
            judged.stated[k] += verdict.confidence;
            judged.right[k] += f64::from(u8::from(verdict.answer == truth));
        }
    }
    Ok(judged)
}

pub(super) fn run(preset: Preset, sheet: &mut ResultSheet) -> anyhow::Result<()> {
    let poses = preset.pick(300, 3000, 20_000);
    let mut table = Table {
        title: "Models that only judge: errors and calibration".to_owned(),
        columns: [
            "model",
            "faces",
            "k_min",
            "poses",
            "error %",
            "error %, calibrated",
            "stated off",
            "stated off, calibrated",
            "decided %",
            "missed %, decided",
            "invented %, decided",
            "calibration s",
        ]
        .map(str::to_owned)
        .to_vec(),
        rows: Vec::new(),
    };
    println!();
    for model in judging_models(preset == Preset::Tiny)? {
        for k_min in K_MINS {
            let found = judge(&model, k_min, poses)?;
            let name = &model.name;
            let errors = found.wrong.map(|wrong| Judged::percent(wrong, found.asked));
            let missed = [0, 1].map(|t| Judged::percent(found.missed[t], found.of_truth[t]));
            let decided = Judged::percent(found.decided, found.asked);
            println!(
                "{name:<15} {:>7} faces, k_min {k_min:>2}: wrong {:5.2} %, calibrated {:5.2} %; off by {:.3}, calibrated {:.3}; {decided:5.1} % decided at {BOUND}, of them {:.2} % of yes and {:.2} % of no wrong; calibrated in {:.2} s",
                model.mesh.face_count(),
                errors[0],
                errors[1],
                found.off(0),
                found.off(1),
                missed[1],
                missed[0],
                found.seconds,
            );
            table.rows.push(vec![
                Cell::Text(name.clone()),
                Cell::Number(model.mesh.face_count() as f64),
                Cell::Number(f64::from(k_min)),
                Cell::Number(found.asked as f64),
                Cell::Number(errors[0]),
                Cell::Number(errors[1]),
                Cell::Number(found.off(0)),
                Cell::Number(found.off(1)),
                Cell::Number(decided),
                Cell::Number(missed[1]),
                Cell::Number(missed[0]),
                Cell::Number(found.seconds),
            ]);
            if !preset.is_timed() {
                continue;
            }
            tell(name, k_min, &found, sheet);
        }
    }
    sheet.tables.push(table);
    Ok(())
}

/// The bars of one model.
fn tell(name: &str, k_min: u32, found: &Judged, sheet: &mut ResultSheet) {
    let model = format!("{name}, which only judges, k_min {k_min}");
    for (k, how) in ["by default", "calibrated"].into_iter().enumerate() {
        let error = Judged::percent(found.wrong[k], found.asked);
        sheet.claim(
            &format!("{model}: {how}, it errs at most as often as any published model"),
            &format!(
                "{error:.2} % of {} seeded poses, allowed {MOST_PUBLISHED} %",
                found.asked
            ),
            error <= MOST_PUBLISHED,
        );
        sheet.claim(
            &format!("{model}: {how}, stated confidence is within {MOST_OFF} of the observed"),
            &format!("{:.4} over {} answers", found.off(k), found.uncertain),
            found.off(k) <= MOST_OFF,
        );
    }
    sheet.claim(
        &format!("{model}: the conformal bound of {BOUND} holds for either truth"),
        &format!(
            "{} of {} that intersect and {} of {} that do not are decided wrongly",
            found.missed[1], found.of_truth[1], found.missed[0], found.of_truth[0]
        ),
        found.is_bounded(),
    );
    sheet.claim(
        &format!("{model}: calibrated in {PATIENCE} s"),
        &format!("{:.2} s", found.seconds),
        found.seconds <= PATIENCE,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_does_not_hold_is_seen() {
        let judged = |missed: [usize; 2]| Judged {
            asked: 2000,
            uncertain: 2000,
            of_truth: [1000, 1000],
            missed,
            calibrated: 1000,
            ..Judged::default()
        };
        assert!(judged([10, 10]).is_bounded());
        assert!(judged([25, 0]).is_bounded());
        assert!(!judged([0, 60]).is_bounded());
    }
}
