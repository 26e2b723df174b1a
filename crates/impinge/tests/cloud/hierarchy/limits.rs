//! Limits and budgets, questions asked again, and awkward clouds.

use std::cell::Cell;
use std::sync::Arc;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::clouds::{even_sphere, ragged, random_sphere};

use super::{moved, question, random_turn, tree};

#[test]
fn equal_seeds_give_equal_answers_whatever_was_asked_before() {
    let points = random_sphere(1500, 21);
    let (one, two) = (tree(&points), tree(&points));
    let mut rng = Rng::new(22);
    let poses: Vec<Pose> = (0..30)
        .map(|_| moved(rng.direction() * rng.range(1.8, 2.1)) * random_turn(&mut rng))
        .collect();
    for leaf in [LeafTest::default(), LeafTest::Random { tests: 30 }] {
        let options = CloudCollisionOptions {
            leaf,
            seed: 5,
            ..CloudCollisionOptions::default()
        };
        let mut first = CloudCollision::new(one.clone(), one.clone(), options);
        let mut second = CloudCollision::new(two.clone(), two.clone(), options);
        let forwards: Vec<CloudAnswer> = poses
            .iter()
            .map(|p| first.at(p, Limits::default()))
            .collect();
        let mut backwards: Vec<CloudAnswer> = poses
            .iter()
            .rev()
            .map(|p| second.at(p, Limits::default()))
            .collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }
}

#[test]
fn limits_end_the_search_and_leave_a_guess() {
    let ball = tree(&even_sphere(5000));
    let mut question = question(&ball, &ball);
    let pose = moved(DVec3::ONE.normalize() * 1.99);
    let whole = question.at(&pose, Limits::default());
    assert_eq!(whole.outcome, Outcome::Complete);
    for max_tests in [1, 5, 20] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let cut = question.at(&pose, limits);
        assert_eq!(cut.outcome, Outcome::OutOfBudget);
        assert!(cut.node_pairs + cut.evaluations <= max_tests + 2);
        assert!(!cut.verdict.certain && cut.verdict.confidence < 1.0);
    }
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 4
    };
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    assert_eq!(question.at(&pose, limits).outcome, Outcome::OutOfBudget);
    let limits = Limits {
        max_distance: Some(0.1),
        ..Limits::default()
    };
    let apart = question.distance(&moved([2.05, 0.0, 0.0]), limits);
    assert!((apart.distance - 0.05).abs() < 0.01);
}

#[test]
fn guesses_without_samples_on_both_sides_are_right_as_often_as_they_say() {
    // Balls of two sizes: they meet unless one is beyond the other or within it.
    let small: Vec<DVec3> = even_sphere(3000).iter().map(|&p| p * 0.4).collect();
    let (a, b) = (tree(&even_sphere(5000)), tree(&small));
    let mut question = question(&a, &b);
    let mut rng = Rng::new(37);
    let (mut stated, mut right, mut count) = (0.0, 0.0, 0.0);
    let mut by_truth = [[0_u32; 2]; 2];
    for _ in 0..6000 {
        let distance = rng.range(0.0, 2.0);
        let pose = moved(rng.direction() * distance) * random_turn(&mut rng);
        let meets = (0.6..=1.4).contains(&distance);
        let limits = Limits {
            max_tests: Some(20 + rng.below(60)),
            ..Limits::default()
        };
        let answer = question.at(&pose, limits);
        let verdict = answer.verdict;
        let is_guess = answer.outcome == Outcome::OutOfBudget && verdict.confidence <= 0.97;
        // Those with samples on both sides state 0.95 and more.
        if !is_guess || verdict.certain || (verdict.answer && verdict.confidence == 0.95) {
            continue;
        }
        let is_right = verdict.answer == meets;
        stated += verdict.confidence;
        right += f64::from(u8::from(is_right));
        count += 1.0;
        by_truth[usize::from(meets)][usize::from(is_right)] += 1;
    }
    let [no, yes] = by_truth;
    assert!(count > 300.0, "{count} {by_truth:?}");
    assert!(no[1] > no[0] && yes[1] > yes[0], "{by_truth:?}");
    assert!(
        right > 0.7 * count && (stated - right).abs() < 0.15 * count,
        "{stated} stated, {right} right of {count}"
    );
}

#[test]
fn a_coarser_resolution_costs_less() {
    let ball = tree(&even_sphere(8000));
    let ask = |resolution| {
        let options = CloudCollisionOptions {
            resolution,
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(ball.clone(), ball.clone(), options);
        question.at(&moved(DVec3::ONE.normalize() * 2.04), Limits::default())
    };
    let (fine, coarse) = (ask(None), ask(Some(3)));
    assert!(coarse.node_pairs < fine.node_pairs);
    assert_eq!(ask(Some(40)), fine);
    // Nothing but the roots.
    assert_eq!(ask(Some(0)).node_pairs, 1);
}

#[test]
fn a_budget_is_held_and_the_effort_follows() {
    let ball = tree(&even_sphere(4000));
    let question = question(&ball, &ball);
    let close = moved(DVec3::ONE.normalize() * 2.03);
    let easy = moved([5.0, 0.0, 0.0]);
    let mut controller = BudgetController::new(
        question.clone(),
        CloudBudget::Tests(30),
        BudgetOptions::default(),
    )
    .unwrap();
    let clock = || 0.0;
    for _ in 0..30 {
        let answer = controller.at(&close, &clock);
        assert!(answer.evaluations + answer.node_pairs <= 32);
    }
    assert_eq!(controller.effort(), 0.25);
    assert!(controller.question().accept() > question.accept());
    for _ in 0..60 {
        let _ = controller.at(&easy, &clock);
    }
    assert_eq!(controller.effort(), 2.0);
    // A clock that goes on by one with every look.
    let ticks = Cell::new(0.0);
    let clock = || {
        ticks.set(ticks.get() + 1.0);
        ticks.get()
    };
    let budget = CloudBudget::Time(50.0);
    let mut controller =
        BudgetController::new(question.clone(), budget, BudgetOptions::default()).unwrap();
    for _ in 0..20 {
        let before = ticks.get();
        let _ = controller.at(&close, &clock);
        assert!(ticks.get() - before <= 50.0);
    }
    for (budget, options) in [
        (CloudBudget::Time(0.0), BudgetOptions::default()),
        (CloudBudget::Time(f64::NAN), BudgetOptions::default()),
        (CloudBudget::Tests(0), BudgetOptions::default()),
        (
            CloudBudget::Tests(9),
            BudgetOptions {
                step: 1.0,
                ..BudgetOptions::default()
            },
        ),
        (
            CloudBudget::Tests(9),
            BudgetOptions {
                least: 2.0,
                ..BudgetOptions::default()
            },
        ),
        (
            CloudBudget::Tests(9),
            BudgetOptions {
                most: 0.5,
                ..BudgetOptions::default()
            },
        ),
        (
            CloudBudget::Tests(9),
            BudgetOptions {
                stop_at: 0.0,
                ..BudgetOptions::default()
            },
        ),
    ] {
        assert!(BudgetController::new(question.clone(), budget, options).is_err());
    }
}

#[test]
fn noisy_and_ragged_clouds_are_found_to_cross_and_to_be_apart() {
    let mut rng = Rng::new(34);
    let noisy: Vec<DVec3> = (0..4000)
        .map(|_| rng.direction() * (1.0 + 0.01 * rng.range(-1.0, 1.0)))
        .collect();
    for points in [noisy, ragged(4000, 35)] {
        let one = tree(&points);
        let mut question = question(&one, &one);
        for turn in 0..20 {
            let near = moved(rng.direction() * 0.3) * random_turn(&mut rng);
            let answer = question.at(&near, Limits::default());
            assert!(answer.verdict.answer, "turn {turn}: {answer:?}");
            assert!(answer.verdict.confidence >= 0.5 && answer.point.is_some());
            let far = moved(rng.direction() * 5.0) * random_turn(&mut rng);
            assert!(!question.at(&far, Limits::default()).verdict.answer);
        }
    }
}

#[test]
fn a_yes_by_more_distance_than_is_usually_accepted_is_less_sure() {
    let ball = tree(&even_sphere(5000));
    let radius = ball.sampling_radius();
    let pose = moved(DVec3::ONE.normalize() * (2.0 + 0.3 * radius));
    let mut usual = question(&ball, &ball);
    assert!(!usual.at(&pose, Limits::default()).verdict.answer);
    let mut least = 1.0;
    for accept in [0.7 * radius, 1.5 * radius, 4.0 * radius] {
        let options = CloudCollisionOptions {
            accept: Some(accept),
            ..CloudCollisionOptions::default()
        };
        let mut generous = CloudCollision::new(ball.clone(), ball.clone(), options);
        let answer = generous.at(&pose, Limits::default());
        let verdict = answer.verdict;
        assert!(verdict.answer && !verdict.certain, "{accept}: {answer:?}");
        assert!(
            (0.5..0.96).contains(&verdict.confidence),
            "{accept}: {answer:?}"
        );
        least = verdict.confidence.min(least);
    }
    // Where the samples are clearly on both sides, how much is accepted hardly matters.
    let deep = moved(DVec3::ONE.normalize());
    let options = CloudCollisionOptions {
        accept: Some(1.5 * radius),
        ..CloudCollisionOptions::default()
    };
    let mut generous = CloudCollision::new(ball.clone(), ball.clone(), options);
    let sure = generous.at(&deep, Limits::default()).verdict;
    assert!(sure.answer && sure.confidence > least);
}

#[test]
fn awkward_clouds_have_defined_answers() {
    let mut rng = Rng::new(31);
    let mut clouds: Vec<Vec<DVec3>> = Vec::new();
    for count in 0..=10 {
        clouds.push((0..count).map(|_| rng.cube()).collect());
        clouds.push(vec![DVec3::splat(0.25); count]);
        clouds.push((0..count).map(|i| DVec3::X * i as f64 * 0.1).collect());
        clouds.push(
            (0..count)
                .map(|i| DVec3::new(i as f64 % 3.0, (i / 3) as f64, 0.0))
                .collect(),
        );
    }
    // Noisy, and ragged.
    clouds.push(
        (0..250)
            .map(|_| rng.direction() * rng.range(0.8, 1.2))
            .collect(),
    );
    clouds.push(ragged(400, 33));
    clouds.push(vec![DVec3::ONE; 300]);
    clouds.push((0..200).map(|i| DVec3::Y * f64::from(i) * 0.01).collect());
    clouds.push(
        (0..200)
            .map(|_| DVec3::new(rng.grid(0, 2), rng.grid(0, 2), rng.grid(0, 2)))
            .collect(),
    );
    clouds.push(
        (0..60)
            .map(|i| DVec3::new(2.0_f64.powi(i * 2), 1.0, 0.0))
            .collect(),
    );
    clouds.push((0..60).map(|_| rng.cube() * 2.0_f64.powi(149)).collect());
    clouds.push((0..60).map(|_| rng.cube() * 1e-300).collect());
    let trees: Vec<Arc<CloudTree>> = clouds.iter().map(|points| tree(points)).collect();
    for (tree, points) in trees.iter().zip(&clouds) {
        tree.validate().unwrap();
        assert_eq!(tree.nodes() == 0, points.is_empty());
    }
    let ball = tree(&even_sphere(300));
    for other in &trees {
        for pose in [
            Pose::IDENTITY,
            moved([0.9, 0.0, 0.0]),
            moved([1e40, 0.0, 0.0]),
        ] {
            for leaf in [
                LeafTest::default(),
                LeafTest::Random { tests: 3 },
                LeafTest::Precise { precision: 0.0 },
            ] {
                let options = CloudCollisionOptions {
                    leaf,
                    ..CloudCollisionOptions::default()
                };
                let limits = Limits {
                    max_tests: Some(2000),
                    ..Limits::default()
                };
                for (a, b) in [(&ball, other), (other, &ball), (other, other)] {
                    let mut question = CloudCollision::new(a.clone(), b.clone(), options);
                    let answer = question.at(&pose, limits);
                    assert!(answer.distance >= 0.0);
                    assert!((0.5..=1.0).contains(&answer.verdict.confidence));
                    if a.nodes() == 0 || b.nodes() == 0 {
                        assert!(!answer.verdict.answer && answer.verdict.certain);
                    }
                    assert!(question.distance(&pose, limits).distance >= 0.0);
                }
            }
        }
    }
}
