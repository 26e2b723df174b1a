//! Calibrations of average-case trees: the stated bound on errors holds on poses and models that were never used.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::average_case::*;
use impinge::bound::Aabb;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::generate;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{Pose, TriMesh};

/// Seeds of poses that calibrate and of poses that judge.
const TUNING: u64 = 1;
const JUDGING: u64 = 2;

fn query(mesh: &TriMesh) -> AverageQuery {
    let tree = Arc::new(AverageTree::<Aabb>::new(mesh, &AverageConfig::default()));
    AverageQuery::new(tree.clone(), tree, AverageOptions::default()).unwrap()
}

/// A calibrated query, and poses of the judging seed with the truth.
fn calibrated(mesh: &TriMesh, count: usize) -> (CalibratedQuery, Vec<(Pose, bool)>) {
    let exact = WideTree::new(Arc::new(mesh.clone()));
    let bounds = mesh.bounds();
    let mut query = query(mesh);
    let poses = calibration_poses(&bounds, &bounds, count, TUNING);
    let calibration = Calibration::measure(&mut query, [&exact, &exact], &poses);
    let mut cache = WideCache::default();
    let judged = calibration_poses(&bounds, &bounds, count, JUDGING);
    let judged = judged
        .into_iter()
        .map(|pose| (pose, exact.intersects(&exact, &pose, &mut cache)))
        .collect();
    let query = CalibratedQuery::new(query, Arc::new(calibration)).unwrap();
    (query, judged)
}

/// The most errors of `judged` poses that a bound `error` from `calibrated` ones allows: four deviations, of both samples.
fn allowed(error: f64, judged: usize, calibrated: usize) -> usize {
    let (n, m) = (judged as f64, calibrated.max(1) as f64);
    (error * n + 4.0 * (error * (1.0 - error) * n * (1.0 + n / m)).sqrt()) as usize + 1
}

/// Models of other kinds and seeds than those that any constant was fitted to.
fn judged_models() -> Vec<(&'static str, TriMesh)> {
    [
        "vase", "blob", "hand", "spring", "lattice", "mushroom", "net",
    ]
    .map(|name| {
        let kind = generate::model(name).unwrap();
        (name, kind.make(Some(1500), 29).unwrap())
    })
    .into()
}

#[test]
fn the_conformal_bound_holds_on_judging_poses_of_judging_models() {
    const POSES: usize = 3000;
    let mut decided = [0; 2];
    for (name, mesh) in judged_models() {
        let (mut query, judged) = calibrated(&mesh, POSES);
        for error in [0.01, 0.03, 0.1] {
            let (mut wrong, mut asked) = ([0; 2], [0; 2]);
            for (pose, truth) in &judged {
                let answer = query.at(pose, Limits::default());
                let of_truth = usize::from(*truth);
                asked[of_truth] += 1;
                wrong[of_truth] += usize::from(answer.decided(error) == Some(!truth));
                if answer.found.verdict.certain {
                    assert!(!truth);
                }
                if error == 0.03 {
                    decided[usize::from(answer.decided(error).is_some())] += 1;
                }
            }
            for truth in [0, 1] {
                // At most half of the poses of a truth made the bound.
                let most = allowed(error, asked[truth], asked[truth] / 3);
                assert!(
                    wrong[truth] <= most,
                    "{name}: {} of {} wrong at {error}, allowed {most}",
                    wrong[truth],
                    asked[truth]
                );
            }
        }
    }
    // A bound that decides nothing would hold as well.
    assert!(decided[1] > decided[0], "{decided:?}");
}

#[test]
fn the_bound_holds_even_where_truths_have_nothing_to_do_with_answers() {
    let mesh = generate::gear(11, 3, 0.4, 0.4).unwrap();
    let mut query = query(&mesh);
    let mut rng = Rng::new(3);
    let mut labelled = |seed| -> Vec<(Pose, bool)> {
        let poses = calibration_poses(&mesh.bounds(), &mesh.bounds(), 2000, seed);
        poses
            .into_iter()
            .map(|pose| (pose, rng.unit() < 0.3))
            .collect()
    };
    let (tuning, judging) = (labelled(TUNING), labelled(JUDGING));
    let calibration = Arc::new(Calibration::from_truth(&mut query, &tuning));
    let mut query = CalibratedQuery::new(query, calibration).unwrap();
    for error in [0.02, 0.1] {
        let (mut wrong, mut asked) = (0, 0);
        for (pose, truth) in &judging {
            let answer = query.at(pose, Limits::default());
            if !answer.found.verdict.certain {
                asked += 1;
                wrong += usize::from(answer.decided(error) == Some(!truth));
            }
        }
        assert!(
            wrong <= allowed(error, asked, asked / 3),
            "{wrong} of {asked} at {error}"
        );
    }
}

#[test]
fn measured_confidence_is_nearer_to_the_truth_than_the_mean_over_models() {
    let mut sums = [0.0; 2];
    for (_, mesh) in judged_models() {
        let (mut query, judged) = calibrated(&mesh, 2000);
        let [mut stated, mut right] = [[0.0; 2]; 2];
        let mut asked = 0.0;
        for (pose, truth) in &judged {
            let answer = query.at(pose, Limits::default());
            if answer.found.verdict.certain {
                continue;
            }
            asked += 1.0;
            let verdicts = [answer.found.verdict, answer.verdict];
            for (k, verdict) in verdicts.into_iter().enumerate() {
                stated[k] += verdict.confidence;
                right[k] += f64::from(u8::from(verdict.answer == *truth));
            }
        }
        let off = [0, 1].map(|k| f64::abs(stated[k] - right[k]) / asked);
        sums = [sums[0] + off[0], sums[1] + off[1]];
        // It answers at least about as well, too.
        assert!(right[1] + 0.02 * asked >= right[0], "{right:?} of {asked}");
    }
    assert!(sums[1] < 0.7 * sums[0], "{sums:?}");
}

#[test]
fn saved_calibrations_come_back_and_fit_no_other_query() {
    let mesh = generate::torus(1.0, 0.4, 30, 16).unwrap();
    let exact = WideTree::new(Arc::new(mesh.clone()));
    let poses = calibration_poses(&mesh.bounds(), &mesh.bounds(), 400, TUNING);
    let mut of_ring = query(&mesh);
    let calibration = Calibration::measure(&mut of_ring, [&exact, &exact], &poses);
    assert!(calibration.poses() > 50);
    let mut bytes = Vec::new();
    calibration.save(&mut bytes).unwrap();
    let loaded = Calibration::load(&bytes).unwrap();
    assert_eq!(loaded, calibration);
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        assert!(Calibration::load(&damaged).is_err(), "{at}");
    }
    for end in [0, 7, 30, 40, bytes.len() - 1] {
        assert!(Calibration::load(&bytes[..end]).is_err());
    }
    let loaded = Arc::new(loaded);
    assert!(CalibratedQuery::new(of_ring, loaded.clone()).is_ok());
    let other = query(&generate::torus(1.0, 0.41, 30, 16).unwrap());
    assert_eq!(
        CalibratedQuery::new(other, loaded.clone()).err(),
        Some(CalibrationError::OtherQuery)
    );
    let tree = Arc::new(AverageTree::<Aabb>::new(&mesh, &AverageConfig::default()));
    let fewer = AverageOptions {
        k_min: 5,
        ..AverageOptions::default()
    };
    let other = AverageQuery::new(tree.clone(), tree, fewer).unwrap();
    assert!(CalibratedQuery::new(other, loaded).is_err());
}

#[test]
fn a_search_that_is_cut_short_decides_nothing() {
    let (mut query, judged) = calibrated(&generate::blob(12).unwrap(), 600);
    let hurried = Limits {
        max_tests: Some(1),
        ..Limits::default()
    };
    for (pose, _) in judged {
        let answer = query.at(&pose, hurried);
        if answer.found.outcome == impinge::query::Outcome::OutOfBudget {
            assert_eq!(answer.decided(0.2), None);
        }
    }
}
