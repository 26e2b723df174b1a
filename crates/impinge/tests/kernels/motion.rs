//! Motions: ends, orthonormality, path bounds, and the three ways to make one.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::math::{Motion, MotionError, Rng};
use impinge::{DMat3, DVec3, Pose};
use std::f64::consts::PI;

fn random_pose(rng: &mut Rng) -> Pose {
    let angle = rng.range(-PI, PI);
    Pose::from_axis_angle(rng.direction(), angle, rng.cube() * 10.0).unwrap()
}

/// Exact turns by 90° and 180° about the axes, small integer translations.
fn grid_pose(rng: &mut Rng) -> Pose {
    let turns = [
        DMat3::IDENTITY,
        DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z),
        DMat3::from_cols(DVec3::NEG_X, DVec3::NEG_Y, DVec3::Z),
        DMat3::from_cols(DVec3::X, DVec3::NEG_Y, DVec3::NEG_Z),
        DMat3::from_cols(DVec3::NEG_X, DVec3::Y, DVec3::NEG_Z),
        DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X),
        DMat3::from_cols(DVec3::Z, DVec3::X, DVec3::Y),
        DMat3::from_cols(DVec3::Y, DVec3::X, DVec3::NEG_Z),
    ];
    let rotation = turns[rng.below(turns.len() as u64) as usize];
    Pose::new(
        rotation,
        [rng.grid(-3, 3), rng.grid(-3, 3), rng.grid(-3, 3)],
    )
    .unwrap()
}

fn pose_pairs(seed: u64) -> Vec<(Pose, Pose)> {
    let mut rng = Rng::new(seed);
    let mut pairs = Vec::new();
    for i in 0..400 {
        let (a, b) = if i % 2 == 0 {
            (random_pose(&mut rng), random_pose(&mut rng))
        } else {
            (grid_pose(&mut rng), grid_pose(&mut rng))
        };
        pairs.push((a, b));
        pairs.push((a, a));
        let tiny = 10.0_f64.powi(-(i % 17));
        let nudge = Pose::from_axis_angle(rng.direction(), tiny, rng.cube()).unwrap();
        pairs.push((a, nudge * a));
        let half_turn = Pose::from_axis_angle(rng.direction(), PI, rng.cube()).unwrap();
        pairs.push((a, half_turn * a));
    }
    pairs
}

fn all_kinds(a: &Pose, b: &Pose, center: DVec3) -> [Motion; 3] {
    [
        Motion::between(a, b),
        Motion::between_about(a, b, center).unwrap(),
        Motion::screw(a, b).unwrap(),
    ]
}

fn difference(a: &Pose, b: &Pose) -> f64 {
    a.to_row_major()
        .iter()
        .zip(b.to_row_major())
        .fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

#[test]
fn ends_are_the_given_poses_entry_for_entry_and_the_motion_is_continuous_there() {
    let mut rng = Rng::new(1);
    for (a, b) in pose_pairs(1) {
        for motion in all_kinds(&a, &b, rng.cube() * 4.0) {
            assert_eq!(motion.at(0.0), a);
            assert_eq!(motion.at(1.0), b);
            assert_eq!(motion.at(-3.0), a);
            assert_eq!(motion.at(f64::NAN), a);
            assert_eq!(motion.at(f64::INFINITY), b);
            assert!(difference(&motion.at(1e-12), &a) < 1e-10);
            let near_end = motion.at(1.0 - 1e-12);
            assert!(difference(&near_end, &b) < 1e-10, "{motion:?}");
        }
    }
}

#[test]
fn every_pose_of_a_motion_is_orthonormal_to_rounding() {
    let mut rng = Rng::new(2);
    for (a, b) in pose_pairs(2) {
        for motion in all_kinds(&a, &b, rng.cube()) {
            for _ in 0..5 {
                let pose = motion.at(rng.unit());
                assert!(Pose::new(*pose.rotation(), pose.translation()).is_ok());
                let gram = pose.rotation().transpose() * *pose.rotation();
                assert!(gram.abs_diff_eq(DMat3::IDENTITY, 1e-14));
            }
        }
    }
}

#[test]
fn sloppy_but_accepted_rotations_still_give_valid_poses() {
    let sloppy = DMat3::from_diagonal(DVec3::new(1.0 + 4e-10, 1.0, 1.0 - 4e-10));
    let a = Pose::new(sloppy, [1.0, 2.0, 3.0]).unwrap();
    let b = Pose::from_axis_angle([1.0, 1.0, 0.0], 2.0, [0.0; 3]).unwrap() * a;
    for (a, b) in [(a, b), (b, a), (a, a)] {
        let motion = Motion::between(&a, &b);
        assert_eq!((motion.at(0.0), motion.at(1.0)), (a, b));
        for i in 1..100 {
            let pose = motion.at(f64::from(i) / 100.0);
            assert!(Pose::new(*pose.rotation(), pose.translation()).is_ok());
        }
    }
}

#[test]
fn the_turn_is_the_shortest_and_constant() {
    for (a, b) in pose_pairs(3) {
        let motion = Motion::between(&a, &b);
        assert!(motion.angle() <= PI + 1e-15);
        // The trace of the relative turn is 1 + 2 cos θ.
        let turn = *b.rotation() * a.rotation().transpose();
        let cosine = 0.5 * (turn.x_axis.x + turn.y_axis.y + turn.z_axis.z - 1.0);
        assert!((motion.angle().cos() - cosine).abs() < 1e-14);
        // Four quarters compose to the whole.
        let quarter = *motion.at(0.25).rotation() * a.rotation().transpose();
        let whole = quarter * quarter * quarter * quarter;
        assert!((whole * *a.rotation()).abs_diff_eq(*b.rotation(), 1e-14));
        // A point on the axis does not turn.
        let on_axis = a.rotation().transpose() * motion.axis();
        assert!((*motion.at(0.3).rotation() * on_axis - motion.axis()).length() < 1e-14);
    }
}

#[test]
fn the_stated_centre_moves_on_a_straight_line_at_constant_speed() {
    let mut rng = Rng::new(4);
    for (a, b) in pose_pairs(4) {
        let center = rng.cube() * 5.0;
        let motion = Motion::between_about(&a, &b, center).unwrap();
        let t = rng.unit();
        let expected = (a * center) * (1.0 - t) + (b * center) * t;
        assert!((motion.at(t) * center - expected).length() < 1e-13);
    }
}

#[test]
fn a_screw_repeats_the_same_step() {
    // A screw is a one-parameter group: moving by t twice is moving by 2t.
    for (a, b) in pose_pairs(5) {
        let motion = Motion::screw(&a, &b).unwrap();
        let step = |t: f64| motion.at(t) * a.inverse();
        assert!(difference(&(step(0.25) * step(0.25)), &step(0.5)) < 1e-12);
        assert!(difference(&(step(0.5) * step(0.5)), &step(1.0)) < 1e-12);
        assert!(difference(&(step(0.25) * step(0.375)), &step(0.625)) < 1e-12);
    }
}

#[test]
fn many_turns_follow_the_closed_form() {
    let mut rng = Rng::new(6);
    for turns in [0.1, 1.0, 7.3, 50.0, 12345.0] {
        for _ in 0..50 {
            let start = random_pose(&mut rng);
            let (linear, center, axis) = (rng.cube() * 3.0, rng.cube(), rng.direction());
            let angular = axis * (turns * 2.0 * PI);
            let motion = Motion::from_velocity(&start, linear, angular, center).unwrap();
            assert_eq!(motion.at(0.0), start);
            let (t, p) = (rng.unit(), rng.cube());
            // Rodrigues on the vector from the centre, written out independently.
            let arm = start.transform_vector(p - center);
            let angle = t * turns * 2.0 * PI;
            let turned = arm * angle.cos()
                + axis.cross(arm) * angle.sin()
                + axis * axis.dot(arm) * (1.0 - angle.cos());
            let expected = start * center + linear * t + turned;
            let error = (motion.at(t) * p - expected).length();
            assert!(error < 1e-13 * (1.0 + turns * 2.0 * PI), "{error:e}");
        }
    }
}

#[test]
fn no_point_within_the_radius_travels_further_than_the_bound() {
    let mut rng = Rng::new(7);
    let mut tightest = f64::INFINITY;
    for (i, (a, b)) in pose_pairs(7).into_iter().enumerate() {
        if i % 8 > 3 {
            continue;
        }
        let center = rng.cube();
        let mut motions = all_kinds(&a, &b, center).to_vec();
        let angular = rng.direction() * rng.range(0.0, 40.0);
        motions.push(Motion::from_velocity(&a, rng.cube(), angular, center).unwrap());
        for motion in motions {
            let radius = rng.range(0.0, 3.0);
            let p = motion.center() + rng.direction() * (radius * (1.0 - 1e-15));
            let (t0, t1) = (rng.range(0.0, 0.5), rng.range(0.5, 1.0));
            let n = rng.direction();
            let (mut path, mut furthest) = (0.0, f64::NEG_INFINITY);
            let steps = 200;
            let mut previous = motion.at(t0) * p;
            for k in 1..=steps {
                let t = t0 + (t1 - t0) * f64::from(k) / f64::from(steps);
                let next = motion.at(t) * p;
                path += (next - previous).length();
                furthest = furthest.max(n.dot(next - previous));
                previous = next;
            }
            let bound = motion.max_travel(radius, t0, t1);
            assert!(path <= bound + 1e-11, "{path} {bound} {motion:?}");
            if path > 0.1 {
                tightest = tightest.min(bound / path);
            }
            let dt = (t1 - t0) / f64::from(steps);
            assert!(furthest <= motion.max_speed_along(n, radius) * dt + 1e-13);
        }
    }
    assert!(
        tightest < 1.01,
        "the bound is never nearly reached: {tightest}"
    );
}

#[test]
fn identical_poses_stand_still_and_have_zero_speed() {
    let mut rng = Rng::new(8);
    for _ in 0..100 {
        let a = random_pose(&mut rng);
        let motion = Motion::still(&a);
        assert_eq!(motion.max_speed(5.0), 0.0);
        assert_eq!(motion.at(0.37).translation(), a.translation());
        assert!(difference(&motion.at(0.37), &a) < 1e-15);
    }
}

#[test]
fn bad_input_is_refused_with_its_name() {
    let pose = Pose::IDENTITY;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let v = DVec3::new(0.0, bad, 0.0);
        let zero = DVec3::ZERO;
        for refused in [
            Motion::between_about(&pose, &pose, v),
            Motion::from_velocity(&pose, v, zero, zero),
            Motion::from_velocity(&pose, zero, v, zero),
            Motion::from_velocity(&pose, zero, zero, v),
        ] {
            assert!(matches!(refused, Err(MotionError::NotFinite { .. })));
        }
    }
    let huge = DVec3::new(1e200, 0.0, 0.0);
    assert!(matches!(
        Motion::from_velocity(&pose, huge, DVec3::ZERO, DVec3::ZERO),
        Err(MotionError::TooFar { .. })
    ));
    assert!(matches!(
        Motion::from_velocity(&pose, DVec3::ZERO, huge, DVec3::ZERO),
        Err(MotionError::TooFast { .. })
    ));
    assert!(Motion::between_about(&pose, &pose, huge).is_err());
    let error = Motion::from_velocity(&pose, [f64::NAN, 0.0, 0.0], [0.0; 3], [0.0; 3]).unwrap_err();
    assert!(error.to_string().contains("linear velocity"), "{error}");
}

#[test]
fn poses_at_the_limit_of_coordinates_stay_valid() {
    let far = impinge::math::MAX_COORDINATE;
    let a = Pose::from_translation([far, -far, far]).unwrap();
    let b = Pose::from_axis_angle([1.0, 2.0, 3.0], 3.0, [-far, far, far]).unwrap();
    let motion = Motion::between(&a, &b);
    for i in 0..=100 {
        let pose = motion.at(f64::from(i) / 100.0);
        assert!(Pose::new(*pose.rotation(), pose.translation()).is_ok());
    }
    assert!(motion.max_speed(far).is_finite());
    assert!(Motion::screw(&a, &b).is_err());
}
