//! Poses, motions, intervals, predicates, rounding, eigenvalues, random numbers.

use impinge::math::eigen::symmetric_eigen;
use impinge::math::simd::{Boxes8, Level};
use impinge::math::{
    Interval, Motion, ROTATION_TOLERANCE, Rng, Sign, incircle, insphere, is_valid_point, orient2d,
    orient3d, orient3d_filter, outward_rounding,
};
use impinge::{DMat3, DVec3, Pose};

use crate::odd::{ODD, odd, odd_motion, odd_point, odd_point2, odd_pose, valid_point};

fn deviation(pose: &Pose) -> f64 {
    let gram = pose.rotation().transpose() * *pose.rotation() - DMat3::IDENTITY;
    let largest = gram.to_cols_array().map(f64::abs).into_iter();
    largest.fold(0.0, f64::max)
}

#[test]
fn poses_are_refused_or_finite() {
    let mut rng = Rng::new(1);
    let mut accepted = 0;
    for _ in 0..100_000 {
        let rows: [f64; 16] = std::array::from_fn(|_| odd(&mut rng));
        let _ = Pose::from_row_major(&rows);
        if let Some(pose) = odd_pose(&mut rng) {
            accepted += 1;
            let placed = pose * valid_point(&mut rng);
            assert!(placed.is_finite(), "{pose:?}");
            let _ = (
                pose * odd_point(&mut rng),
                pose.transform_vector(odd_point(&mut rng)),
            );
            let rows = (pose * pose).inverse().to_row_major();
            assert!(rows.iter().all(|x| x.is_finite()));
            assert!(Pose::from_row_major(&rows).is_ok(), "{rows:?}");
        }
    }
    assert!(accepted > 1000, "only {accepted} poses accepted");
}

#[test]
fn every_constructor_of_a_pose_refuses_what_is_not_finite_or_too_far() {
    let far = impinge::math::MAX_COORDINATE * 2.0;
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, far, -far] {
        for axis in 0..3 {
            let mut t = DVec3::ONE;
            t[axis] = bad;
            assert!(Pose::new(DMat3::IDENTITY, t).is_err());
            assert!(Pose::nearest(DMat3::IDENTITY, t).is_err());
            assert!(Pose::from_translation(t).is_err());
            assert!(Pose::from_axis_angle(DVec3::X, 1.0, t).is_err());
            assert!(Pose::from_quaternion(Default::default(), t).is_err());
            let mut rows = Pose::IDENTITY.to_row_major();
            rows[4 * axis + 3] = bad;
            assert!(Pose::from_row_major(&rows).is_err());
            rows = Pose::IDENTITY.to_row_major();
            rows[5 * axis] = bad;
            assert!(Pose::from_row_major(&rows).is_err());
        }
    }
    assert!(Pose::from_axis_angle([0.0; 3], 1.0, [0.0; 3]).is_err());
    assert!(Pose::from_axis_angle(DVec3::X, f64::NAN, [0.0; 3]).is_err());
}

#[test]
fn a_million_chained_products_stay_poses() {
    let mut rng = Rng::new(2);
    // The worst the constructor accepts: each factor stretches by nearly the whole tolerance.
    let stretch = 1.0 + 0.49 * ROTATION_TOLERANCE;
    let factors: Vec<Pose> = (0..16)
        .map(|i| {
            let pose = Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), rng.cube());
            let pose = pose.unwrap();
            let scale = if i % 2 == 0 { stretch } else { 1.0 };
            Pose::new(*pose.rotation() * scale, pose.translation()).unwrap()
        })
        .collect();
    let mut chain = Pose::IDENTITY;
    let mut worst = 0.0_f64;
    for i in 0..1_000_000 {
        chain = chain * factors[i % factors.len()];
        if i % 16 == 0 {
            worst = worst.max(deviation(&chain));
        }
    }
    assert!(worst <= ROTATION_TOLERANCE, "{worst:e}");
    let again = Pose::new(*chain.rotation(), chain.translation());
    assert_eq!(again, Ok(chain));
    assert!(Pose::new(*chain.inverse().rotation(), DVec3::ZERO).is_ok());
}

#[test]
fn motions_are_refused_or_made_of_valid_poses() {
    let mut rng = Rng::new(3);
    for _ in 0..20_000 {
        let motion = odd_motion(&mut rng);
        for t in ODD {
            let pose = motion.at(t);
            assert!(pose.rotation().is_finite() && is_valid_point(pose.translation()));
        }
        assert!(motion.axis().is_finite() && motion.angle() >= 0.0);
        assert!(motion.center().is_finite());
        let _ = (motion.start(), motion.end());
    }
}

#[test]
fn bounds_of_a_motion_are_never_nan_and_infinite_where_nothing_is_known() {
    let mut rng = Rng::new(4);
    for _ in 0..20_000 {
        let motion = odd_motion(&mut rng);
        let (radius, t0, t1) = (odd(&mut rng), odd(&mut rng), odd(&mut rng));
        let direction = odd_point(&mut rng);
        let speed = motion.max_speed(radius);
        let travel = motion.max_travel(radius, t0, t1);
        let along = motion.max_speed_along(direction, radius);
        assert!(speed >= 0.0 && travel >= 0.0 && !along.is_nan());
        if !radius.is_finite() {
            assert_eq!(speed, f64::INFINITY);
            assert_eq!(along, f64::INFINITY);
        }
        if !direction.is_finite() {
            assert_eq!(along, f64::INFINITY);
        }
        if radius.is_nan() || t0.is_nan() || t1.is_nan() {
            assert_eq!(travel, f64::INFINITY);
        }
    }
    let still = Motion::still(&Pose::IDENTITY);
    assert_eq!(still.max_speed(f64::NAN), f64::INFINITY);
    assert_eq!(still.max_speed(1e308), 0.0);
}

#[test]
fn intervals_have_no_nan_ends() {
    let check = |x: Interval| assert!(x.lo() <= x.hi() && x.midpoint().is_finite(), "{x:?}");
    for a in ODD {
        check(Interval::point(a));
        for b in ODD {
            let x = Interval::between(a, b);
            assert!(x.width() >= 0.0);
            for one in [-x, x.abs(), x.sqr(), x.sqrt(), x.sin(), x.cos()] {
                check(one);
            }
            for c in ODD {
                let y = Interval::between(b, c);
                for two in [x + y, x - y, x * y, x.min(y), x.max(y), x.hull(y)] {
                    check(two);
                }
                let _ = (x.overlaps(y), x.contains(c), x.intersection(y).map(check));
            }
        }
    }
}

#[test]
fn predicates_answer_for_every_number() {
    let mut rng = Rng::new(5);
    for x in ODD {
        let _ = (
            Sign::of(x),
            outward_rounding::down(x),
            outward_rounding::up(x),
            is_valid_point(DVec3::splat(x)),
        );
        assert!(!outward_rounding::down(x).is_nan() || x.is_nan());
    }
    for _ in 0..20_000 {
        let [a, b, c, d, e] = std::array::from_fn(|_| odd_point(&mut rng));
        let _ = (orient3d(a, b, c, d), orient3d_filter(a, b, c, d));
        let _ = insphere(a, b, c, d, e);
        let [a, b, c, d] = std::array::from_fn(|_| odd_point2(&mut rng));
        let _ = (orient2d(a, b, c), incircle(a, b, c, d));
        let _ = outward_rounding::outward(odd_point(&mut rng), odd_point(&mut rng));
    }
}

#[test]
fn eigenvalues_are_finite() {
    let mut rng = Rng::new(6);
    for _ in 0..50_000 {
        let [x, y, z] = std::array::from_fn(|_| odd_point(&mut rng));
        let eigen = symmetric_eigen(&DMat3::from_cols(x, y, z));
        assert!(eigen.values.iter().all(|v| v.is_finite()), "{eigen:?}");
        assert!(eigen.vectors.is_finite(), "{eigen:?}");
    }
}

#[test]
fn random_numbers_are_finite_for_every_range() {
    let mut rng = Rng::new(u64::MAX);
    for lo in ODD {
        for hi in ODD {
            assert!(rng.range(lo, hi).is_finite(), "{lo} {hi}");
        }
    }
    let ends = [0, 1, -1, i64::MAX, i64::MIN];
    for lo in ends {
        for hi in ends {
            assert!(rng.grid(lo, hi).is_finite());
        }
    }
    for n in [0, 1, u64::MAX] {
        assert!(rng.below(n) <= n);
    }
}

#[test]
fn eight_boxes_take_any_lane_and_any_number() {
    let mut rng = Rng::new(7);
    let mut corner = || {
        let p = odd_point(&mut rng);
        p.to_array().map(|x| x as f32)
    };
    let mut boxes = Boxes8::EMPTY;
    for lane in [0, 3, 7, 8, usize::MAX] {
        boxes.set(lane, corner(), corner());
        let _ = boxes.get(lane);
    }
    for level in Level::available() {
        let mut masks = [0; 3];
        level.overlaps_each(corner(), corner(), &[boxes; 5], &mut masks);
        level.overlaps_each(corner(), corner(), &[], &mut masks);
        let _ = level.overlaps(corner(), corner(), &boxes);
    }
    assert!(Boxes8::groups([]).is_empty());
}
