//! Answers against closed forms: balls, planes, rims, tori.

use std::f64::consts::FRAC_PI_2;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::clouds::{even_sphere, even_torus, jittered_square, random_sphere};

use super::{moved, question, random_turn, tree};

/// The width of the kernel where the spacing is that of the tree.
fn bandwidth(tree: &CloudTree) -> f64 {
    let surface = tree.surface();
    let mut scratch = EvaluationScratch::default();
    let x = surface.graph().place(PointId::new(0)).unwrap();
    let here = surface.evaluate(x, &mut scratch);
    here.sample().unwrap().bandwidth
}

#[test]
fn balls_meet_when_their_effective_radii_reach() {
    let ball = tree(&even_sphere(6000));
    let h = bandwidth(&ball);
    let effective = 1.0 - 0.5 * h * h;
    let mut question = question(&ball, &ball);
    let accept = question.accept();
    let mut rng = Rng::new(3);
    for _ in 0..60 {
        let direction = rng.direction();
        let turn = random_turn(&mut rng);
        // Beside the step of f from one anchor to the next, a few thousandths, only `accept` is between yes and no.
        for (distance, expected) in [
            (2.0 * effective - 0.01, true),
            (2.0 * effective - 0.3, true),
            (0.7, true),
            (2.0 * effective + accept + 0.006, false),
            (2.0 * effective + 0.05, false),
            (3.0, false),
        ] {
            let pose = moved(direction * distance) * turn;
            let answer = question.at(&pose, Limits::default());
            assert_eq!(answer.verdict.answer, expected, "{distance} {answer:?}");
            assert_eq!(answer.outcome, Outcome::Complete);
            if expected {
                // The point is on the circle in the middle plane.
                let point = answer.point.unwrap();
                assert!(answer.distance <= accept);
                let height = point.dot(direction) - 0.5 * distance;
                let across = (point - direction * point.dot(direction)).length();
                let circle = (effective * effective - 0.25 * distance * distance).sqrt();
                let sine = (circle / effective).max(0.05);
                assert!(
                    height.abs() < 2.0 * accept / sine + 0.002,
                    "{height} at {distance}"
                );
                assert!(
                    (across - circle).abs() < 2.0 * accept / sine + 0.03,
                    "{across} {circle}"
                );
            }
        }
    }
    let far = question.at(&moved([3.0, 0.0, 0.0]), Limits::default());
    assert!(far.verdict.certain && far.evaluations == 0);
}

#[test]
fn concentric_balls_do_not_meet_and_are_their_difference_apart() {
    let large = tree(&even_sphere(5000));
    let small: Vec<DVec3> = even_sphere(3000).iter().map(|&p| p * 0.7).collect();
    let small = tree(&small);
    let mut question = question(&large, &small);
    let mut rng = Rng::new(5);
    for _ in 0..10 {
        let turn = random_turn(&mut rng);
        let answer = question.at(&turn, Limits::default());
        assert!(!answer.verdict.answer && !answer.verdict.certain);
        let apart = question.distance(&turn, Limits::default());
        assert!((apart.distance - 0.3).abs() < 0.01, "{apart:?}");
    }
}

#[test]
fn crossing_planes_meet_on_the_line() {
    let (a, b) = (tree(&jittered_square(1)), tree(&jittered_square(2)));
    let mut question = question(&a, &b);
    for angle in [0.1, 0.5, 1.0, FRAC_PI_2] {
        let shift = DVec3::new(0.3, 0.0, 0.0);
        let pose = Pose::from_axis_angle(DVec3::Y, angle, shift).unwrap();
        let answer = question.at(&pose, Limits::default());
        assert!(answer.verdict.answer, "{angle}");
        let point = answer.point.unwrap();
        assert!(point.z.abs() <= question.accept());
        let off = (point.x - 0.3) * angle.sin() + point.z * angle.cos();
        assert!(off.abs() <= question.accept() + 1e-9, "{off}");
    }
}

#[test]
fn parallel_planes_meet_only_when_nearer_than_accepted() {
    let (a, b) = (tree(&jittered_square(1)), tree(&jittered_square(2)));
    let mut question = question(&a, &b);
    let accept = question.accept();
    for gap in [1.1 * accept, 2.0 * accept, 0.05, 0.2, 1.0] {
        let pose = moved([0.01, 0.02, gap]);
        let answer = question.at(&pose, Limits::default());
        assert!(!answer.verdict.answer, "{gap} {answer:?}");
        let apart = question.distance(&pose, Limits::default());
        assert!(
            (apart.distance - gap).abs() < 0.02 * gap + 1e-3,
            "{gap} {apart:?}"
        );
    }
    for gap in [0.0, 0.5 * accept] {
        let answer = question.at(&moved([0.01, 0.02, gap]), Limits::default());
        assert!(answer.verdict.answer, "{gap}");
    }
}

#[test]
fn open_halves_meet_only_when_they_face_each_other() {
    let ball = even_sphere(8000);
    let half = |up: f64| {
        tree(
            &ball
                .iter()
                .copied()
                .filter(|p| p.z * up >= 0.0)
                .collect::<Vec<_>>(),
        )
    };
    let (upper, lower) = (half(1.0), half(-1.0));
    let pose = moved([0.0, 0.0, 1.5]);
    // b is above: the lower half of b and the upper half of a face each other.
    assert!(
        question(&upper, &lower)
            .at(&pose, Limits::default())
            .verdict
            .answer
    );
    assert!(
        !question(&lower, &upper)
            .at(&pose, Limits::default())
            .verdict
            .answer
    );
    // Rims side by side: discs that end before they reach each other.
    let disc: Vec<DVec3> = jittered_square(3)
        .into_iter()
        .filter(|p| p.length() < 0.8)
        .collect();
    let disc = tree(&disc);
    let mut question = question(&disc, &disc);
    assert!(
        !question
            .at(&moved([1.72, 0.0, 0.0]), Limits::default())
            .verdict
            .answer
    );
    let upright = Pose::from_axis_angle(DVec3::Y, FRAC_PI_2, [0.9, 0.0, 0.0]).unwrap();
    assert!(!question.at(&upright, Limits::default()).verdict.answer);
    let upright = Pose::from_axis_angle(DVec3::Y, FRAC_PI_2, [0.7, 0.0, 0.0]).unwrap();
    assert!(question.at(&upright, Limits::default()).verdict.answer);
}

#[test]
fn linked_tori_do_not_meet_and_touching_ones_do() {
    let ring = tree(&even_torus(9000));
    let mut question = question(&ring, &ring);
    let turn = Pose::from_axis_angle(DVec3::X, FRAC_PI_2, DVec3::ZERO).unwrap();
    // The circle of one passes through the middle of the other.
    let linked = moved([1.0, 0.0, 0.0]) * turn;
    let answer = question.at(&linked, Limits::default());
    assert!(!answer.verdict.answer, "{answer:?}");
    let apart = question.distance(&linked, Limits::default());
    assert!((apart.distance - 0.6).abs() < 0.02, "{apart:?}");
    // The circles are as far apart as the middles, the tubes 0.4 less.
    let touching = moved([0.38, 0.0, 0.0]) * turn;
    assert!(question.at(&touching, Limits::default()).verdict.answer);
    let close = moved([0.43, 0.0, 0.0]) * turn;
    assert!(!question.at(&close, Limits::default()).verdict.answer);
    // Side by side in one plane.
    assert!(
        question
            .at(&moved([2.39, 0.0, 0.0]), Limits::default())
            .verdict
            .answer
    );
    assert!(
        !question
            .at(&moved([2.43, 0.0, 0.0]), Limits::default())
            .verdict
            .answer
    );
}

#[test]
fn every_way_to_test_leaves_gives_the_clear_answers() {
    let ball = tree(&random_sphere(2500, 4));
    let r = ball.sampling_radius();
    let ways = [
        LeafTest::Newton { steps: 4 },
        LeafTest::Random { tests: 400 },
        LeafTest::Precise {
            precision: 0.05 * r,
        },
        LeafTest::Crossings(InterpolationSearchOptions::default()),
    ];
    for leaf in ways {
        let options = CloudCollisionOptions {
            leaf,
            accept: Some(0.15 * r),
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(ball.clone(), ball.clone(), options);
        let mut rng = Rng::new(9);
        for _ in 0..8 {
            let (direction, turn) = (rng.direction(), random_turn(&mut rng));
            let yes = question.at(&(moved(direction * 1.7) * turn), Limits::default());
            assert!(yes.verdict.answer, "{leaf:?}");
            let no = question.at(&(moved(direction * 2.1) * turn), Limits::default());
            assert!(!no.verdict.answer, "{leaf:?}");
        }
    }
}

#[test]
fn swapping_the_clouds_changes_no_clear_answer() {
    let (ball, ring) = (tree(&even_sphere(3000)), tree(&even_torus(4000)));
    let mut there = question(&ball, &ring);
    let mut back = question(&ring, &ball);
    let mut rng = Rng::new(11);
    let mut yes = 0;
    for _ in 0..100 {
        let pose = moved(rng.direction() * rng.range(0.0, 2.4)) * random_turn(&mut rng);
        let one = there.at(&pose, Limits::default());
        let other = back.at(&pose.inverse(), Limits::default());
        if one.verdict.confidence > 0.97 && other.verdict.confidence > 0.97 {
            assert_eq!(
                one.verdict.answer, other.verdict.answer,
                "{one:?} {other:?}"
            );
        }
        yes += u32::from(one.verdict.answer);
    }
    assert!((20..90).contains(&yes), "{yes}");
}

#[test]
fn size_and_place_of_the_frame_change_nothing() {
    let points = even_sphere(2000);
    let plain = tree(&points);
    for (scale, offset) in [(1024.0, 0.0), (2.0_f64.powi(-40), 0.0), (1.0, 1.0e6)] {
        let offset = DVec3::new(offset, -offset, 0.5 * offset);
        let other: Vec<DVec3> = points.iter().map(|&p| p * scale + offset).collect();
        let other = tree(&other);
        let (mut here, mut there) = (question(&plain, &plain), question(&other, &other));
        let mut rng = Rng::new(2);
        for distance in [0.5, 1.5, 1.95, 2.03, 2.2, 4.0] {
            let (direction, turn) = (rng.direction(), random_turn(&mut rng));
            let one = here.at(&(moved(direction * distance) * turn), Limits::default());
            // The same turn about the middle of the cloud.
            let pose = moved(offset + direction * distance * scale) * turn * moved(-offset);
            let two = there.at(&pose, Limits::default());
            assert_eq!(one.verdict.answer, two.verdict.answer, "{scale} {distance}");
        }
    }
}
