//! Bounds that must hold: outward rounding, intervals, boxes.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::cmp::Ordering;

use impinge::bound::{Aabb, RotationInvariantBox};
use impinge::math::{Interval, Rng, outward_rounding};
use impinge::{DMat3, DVec3, Pose};

#[test]
fn rounding_to_f32_is_outward_and_tight_for_any_bits() {
    let mut rng = Rng::new(1);
    let check = |x: f64| {
        let (down, up) = (outward_rounding::down(x), outward_rounding::up(x));
        if x.is_nan() {
            assert_eq!((down, up), (f32::NEG_INFINITY, f32::INFINITY));
            return;
        }
        assert!(f64::from(down) <= x && x <= f64::from(up), "{x:e}");
        assert!(
            down == f32::INFINITY || f64::from(down.next_up()) > x,
            "{x:e}"
        );
        assert!(
            up == f32::NEG_INFINITY || f64::from(up.next_down()) < x,
            "{x:e}"
        );
    };
    for x in [
        0.0,
        -0.0,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::from(f32::MAX),
        f64::from(f32::MAX).next_up(),
        f64::from(f32::MIN).next_down(),
        f64::from(f32::from_bits(1)),
        f64::from(f32::from_bits(1)) / 2.0,
        5e-324,
    ] {
        check(x);
        check(-x);
    }
    for _ in 0..200_000 {
        check(f64::from_bits(rng.next_u64()));
        let near = f64::from(f32::from_bits(rng.next_u64() as u32));
        check(near);
        check(near.next_up());
        check(near.next_down());
    }
    let (min, max) = outward_rounding::outward(DVec3::splat(-0.1), DVec3::new(0.1, 1e300, 0.5));
    assert!(f64::from(min[0]) < -0.1 && max[1] == f32::INFINITY && max[2] == 0.5);
}

/// A real number `mantissa · 2^exponent`, for exact comparison.
type Exact = (i128, i32);

fn exact(x: f64) -> Exact {
    let bits = x.abs().to_bits();
    let (field, fraction) = ((bits >> 52) as i32, (bits & ((1 << 52) - 1)) as i128);
    let (m, e) = if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | (1 << 52), field - 1075)
    };
    (if x < 0.0 { -m } else { m }, e)
}

fn product(x: f64, y: f64) -> Exact {
    let ((m, e), (n, f)) = (exact(x), exact(y));
    (m * n, e + f)
}

/// For exponents at most 60 apart.
fn sum(x: f64, y: f64) -> Exact {
    let ((m, e), (n, f)) = (exact(x), exact(y));
    let low = e.min(f);
    ((m << (e - low)) + (n << (f - low)), low)
}

fn compare(x: Exact, y: Exact) -> Ordering {
    let (a, b) = (x.0, y.0);
    if a.signum() != b.signum() || a == 0 {
        return a.signum().cmp(&b.signum());
    }
    let top = |(m, e): Exact| 128 - m.unsigned_abs().leading_zeros() as i32 + e;
    if top(x) != top(y) {
        let order = top(x).cmp(&top(y));
        return if a > 0 { order } else { order.reverse() };
    }
    let low = x.1.min(y.1);
    (a << (x.1 - low)).cmp(&(b << (y.1 - low)))
}

fn holds(interval: Interval, value: Exact) -> bool {
    let above = interval.lo() == f64::NEG_INFINITY
        || compare(exact(interval.lo()), value) != Ordering::Greater;
    let below =
        interval.hi() == f64::INFINITY || compare(exact(interval.hi()), value) != Ordering::Less;
    above && below
}

fn number(rng: &mut Rng) -> f64 {
    match rng.below(3) {
        0 => rng.grid(-9, 9),
        1 => rng.range(-1.0, 1.0),
        _ => rng.range(-1.0, 1.0) * 2.0_f64.powi(rng.below(58) as i32 - 29),
    }
}

#[test]
fn interval_operations_contain_the_exact_result_of_every_pair_of_members() {
    let mut rng = Rng::new(2);
    for _ in 0..100_000 {
        let (x, y) = (number(&mut rng), number(&mut rng));
        let wide_x = Interval::between(x, number(&mut rng));
        let wide_y = Interval::between(y, number(&mut rng));
        for (p, q) in [(Interval::point(x), Interval::point(y)), (wide_x, wide_y)] {
            assert!(holds(p * q, product(x, y)), "{x:e} * {y:e}");
            assert!(holds(p.sqr(), product(x, x)));
            let (a, b) = (exact(x), exact(y));
            if (a.1 - b.1).abs() <= 60 {
                assert!(holds(p + q, sum(x, y)), "{x:e} + {y:e}");
                assert!(holds(p - q, sum(x, -y)), "{x:e} - {y:e}");
            }
            assert!((-p).contains(-x) && p.abs().contains(x.abs()));
            assert!(p.min(q).contains(x.min(y)) && p.max(q).contains(x.max(y)));
            assert!(p.hull(q).contains(x) && p.hull(q).contains(y));
            let root = p.abs().sqrt();
            let size = exact(x.abs());
            assert!(compare(product(root.lo(), root.lo()), size) != Ordering::Greater);
            assert!(compare(product(root.hi(), root.hi()), size) != Ordering::Less);
            assert!(p.sqr().lo() >= 0.0);
        }
    }
}

#[test]
fn sums_of_points_are_exact_when_the_sum_is_and_one_step_wide_otherwise() {
    let mut rng = Rng::new(3);
    for _ in 0..50_000 {
        let (x, y) = (rng.grid(-1000, 1000), rng.grid(-1000, 1000));
        let total = Interval::point(x) + Interval::point(y);
        assert_eq!((total.lo(), total.hi()), (x + y, x + y));
        let (x, y) = (rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        let total = Interval::point(x) + Interval::point(y);
        assert!(total.hi() == total.lo() || total.hi() == total.lo().next_up());
    }
}

#[test]
fn sines_and_cosines_stay_inside_and_reach_the_extremes() {
    let mut rng = Rng::new(4);
    for _ in 0..50_000 {
        let size = 10.0_f64.powi(rng.below(6) as i32 - 1);
        let lo = rng.range(-size, size);
        let angles = Interval::between(lo, lo + rng.range(0.0, 7.0));
        let (sine, cosine) = (angles.sin(), angles.cos());
        assert!(sine.lo() >= -1.0 && sine.hi() <= 1.0);
        let (mut least, mut most) = (1.0_f64, -1.0_f64);
        for k in 0..=20 {
            let x = (lo + (angles.hi() - lo) * f64::from(k) / 20.0).min(angles.hi());
            assert!(sine.contains(x.sin()) && cosine.contains(x.cos()), "{x}");
            least = least.min(x.sin());
            most = most.max(x.sin());
        }
        // Samples at most 0.35 apart come within 0.016 of every extreme.
        assert!(sine.lo() > least - 0.016 && sine.hi() < most + 0.016);
    }
    assert_eq!(Interval::WHOLE.sin(), Interval::between(-1.0, 1.0));
}

#[test]
fn intervals_never_hold_nan_and_overflow_to_infinite_ends() {
    let ends = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut all = Vec::new();
    for &x in &ends {
        for &y in &ends {
            all.push(Interval::between(x, y));
        }
    }
    let sound = |i: Interval| {
        assert!(i.lo() <= i.hi() && i.lo() < f64::INFINITY && i.hi() > f64::NEG_INFINITY);
        assert!(i.midpoint().is_finite() && i.contains(i.midpoint()));
        assert!(i.width() >= 0.0);
    };
    for &p in &all {
        for result in [p, -p, p.abs(), p.sqr(), p.sqrt(), p.sin(), p.cos()] {
            sound(result);
        }
        for &q in &all {
            for result in [p + q, p - q, p * q, p.hull(q), p.min(q), p.max(q)] {
                sound(result);
            }
            if let Some(both) = p.intersection(q) {
                sound(both);
            }
        }
    }
    let huge = Interval::point(f64::MAX);
    assert_eq!(
        ((huge + huge).lo(), (huge + huge).hi()),
        (f64::MAX, f64::INFINITY)
    );
    assert!((Interval::point(0.0) * Interval::WHOLE).contains(0.0));
}

fn random_box(rng: &mut Rng, grid: bool) -> Aabb {
    let mut point = || {
        if grid {
            DVec3::new(rng.grid(-4, 4), rng.grid(-4, 4), rng.grid(-4, 4))
        } else {
            rng.cube() * 3.0
        }
    };
    Aabb::enclosing([point(), point()])
}

fn corners(b: &Aabb) -> [DVec3; 8] {
    std::array::from_fn(|i| {
        DVec3::new(
            if i & 1 == 0 { b.min.x } else { b.max.x },
            if i & 2 == 0 { b.min.y } else { b.max.y },
            if i & 4 == 0 { b.min.z } else { b.max.z },
        )
    })
}

fn random_pose(rng: &mut Rng, exact: bool) -> Pose {
    if exact {
        let quarter = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
        let third = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X);
        let mut rotation = DMat3::IDENTITY;
        for _ in 0..rng.below(5) {
            rotation = if rng.below(2) == 0 {
                quarter * rotation
            } else {
                third * rotation
            };
        }
        Pose::new(
            rotation,
            [rng.grid(-9, 9), rng.grid(-9, 9), rng.grid(-9, 9)],
        )
        .unwrap()
    } else {
        let far = 10.0_f64.powi(rng.below(12) as i32 - 4);
        Pose::from_axis_angle(rng.direction(), rng.range(-4.0, 4.0), rng.cube() * far).unwrap()
    }
}

#[test]
fn a_transformed_box_equals_the_box_of_its_placed_corners_bit_for_bit() {
    let mut rng = Rng::new(5);
    for round in 0..100_000 {
        let b = random_box(&mut rng, round % 2 == 0);
        let pose = random_pose(&mut rng, round % 3 == 0);
        let expected = Aabb::enclosing(corners(&b).map(|p| pose * p));
        assert_eq!(b.transformed(&pose), expected);
    }
}

#[test]
fn a_transformed_box_contains_every_placed_point_rounding_included() {
    let mut rng = Rng::new(6);
    for round in 0..20_000 {
        let b = random_box(&mut rng, round % 2 == 0);
        let pose = random_pose(&mut rng, false);
        let placed = b.transformed(&pose);
        for _ in 0..10 {
            let mut pick = |lo: f64, hi: f64| match rng.below(4) {
                0 => lo,
                1 => hi,
                _ => rng.range(lo, hi).clamp(lo, hi),
            };
            let p = DVec3::new(
                pick(b.min.x, b.max.x),
                pick(b.min.y, b.max.y),
                pick(b.min.z, b.max.z),
            );
            assert!(placed.contains(pose * p));
        }
    }
}

#[test]
fn the_box_of_a_turned_cube_grows_to_at_most_125_27ths_of_the_volume() {
    let mut rng = Rng::new(7);
    let cube = Aabb {
        min: DVec3::splat(-1.0),
        max: DVec3::ONE,
    };
    let mut largest = 0.0_f64;
    for _ in 0..20_000 {
        let pose = random_pose(&mut rng, false);
        let turned = Pose::new(*pose.rotation(), DVec3::ZERO).unwrap();
        largest = largest.max(cube.transformed(&turned).volume() / cube.volume());
    }
    assert!(
        largest <= 125.0 / 27.0 + 1e-12 && largest > 4.5,
        "{largest}"
    );
}

#[test]
fn unbounded_and_empty_boxes_transform_without_nan() {
    let mut rng = Rng::new(8);
    let half_space = Aabb {
        min: DVec3::new(0.0, f64::NEG_INFINITY, f64::NEG_INFINITY),
        max: DVec3::INFINITY,
    };
    for round in 0..100 {
        let pose = random_pose(&mut rng, round % 2 == 0);
        assert_eq!(Aabb::EMPTY.transformed(&pose), Aabb::EMPTY);
        let placed = half_space.transformed(&pose);
        assert!(!placed.min.is_nan() && !placed.max.is_nan());
        assert!(placed.contains(pose * DVec3::new(1.0, -3.0, 1e9)));
    }
}

#[test]
fn a_maximal_box_contains_the_body_in_every_pose() {
    let mut rng = Rng::new(9);
    for round in 0..2_000 {
        let size = 10.0_f64.powi(rng.below(9) as i32 - 4);
        let points: Vec<DVec3> = (0..20).map(|_| rng.cube() * size).collect();
        let center = if round % 2 == 0 {
            Aabb::enclosing(points.iter().copied()).center()
        } else {
            rng.cube() * size
        };
        let cube = RotationInvariantBox::new(points.iter().copied(), center);
        for _ in 0..10 {
            let pose = random_pose(&mut rng, round % 3 == 0);
            let placed = cube.placed(&pose);
            assert!(points.iter().all(|&p| placed.contains(pose * p)));
            let slack = 1e-8 * cube.radius() + 1e-14 * pose.translation().abs().max_element();
            assert!((placed.half_extent() - cube.radius()).abs().max_element() <= slack);
        }
    }
    let sloppy = DMat3::from_diagonal(DVec3::new(1.0 + 4.9e-10, 1.0, 1.0));
    let pose = Pose::new(sloppy, DVec3::ZERO).unwrap();
    let cube = RotationInvariantBox::new([DVec3::X], DVec3::ZERO);
    assert!(cube.placed(&pose).contains(pose * DVec3::X));
    assert_eq!(RotationInvariantBox::new([], DVec3::ONE).radius(), 0.0);
}

#[test]
fn box_set_operations_agree_with_membership_of_grid_points() {
    let mut rng = Rng::new(10);
    for _ in 0..5_000 {
        let (a, b) = (random_box(&mut rng, true), random_box(&mut rng, true));
        let (union, both) = (a.union(&b), a.intersection(&b));
        assert_eq!(both.is_empty(), !a.overlaps(&b));
        assert!(union.contains_box(&a) && union.contains_box(&b) && a.contains_box(&both));
        assert_eq!(a.distance_sq_to(&b) == 0.0, a.overlaps(&b));
        for _ in 0..10 {
            let p = DVec3::new(rng.grid(-5, 5), rng.grid(-5, 5), rng.grid(-5, 5));
            assert_eq!(both.contains(p), a.contains(p) && b.contains(p));
            assert!(union.contains(p) || !(a.contains(p) || b.contains(p)));
            let nearest = p.clamp(a.min, a.max);
            assert_eq!(a.distance_sq(p), (p - nearest).length_squared());
            assert!(a.inflated(2.0).contains(p) == ((p - nearest).abs().max_element() <= 2.0));
        }
        let d = a.max - a.min;
        assert_eq!(a.volume(), d.x * d.y * d.z);
        assert_eq!(
            (a.center() - a.half_extent(), a.center() + a.half_extent()),
            (a.min, a.max)
        );
    }
    let empty = Aabb::EMPTY;
    let unit = Aabb {
        min: DVec3::ZERO,
        max: DVec3::ONE,
    };
    assert_eq!(
        (empty.volume(), empty.surface_area(), empty.diagonal()),
        (0.0, 0.0, DVec3::ZERO)
    );
    assert_eq!((empty.center(), empty.inflated(3.0)), (DVec3::ZERO, empty));
    assert_eq!(empty.distance_sq(DVec3::ZERO), f64::INFINITY);
    assert!(unit.contains_box(&empty) && !unit.overlaps(&empty) && !empty.contains(DVec3::ZERO));
}

#[test]
fn inflating_rounds_outward() {
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let (x, margin) = (rng.range(-1.0, 1.0), rng.range(0.0, 1e-3));
        let b = Aabb {
            min: DVec3::splat(x),
            max: DVec3::splat(x),
        }
        .inflated(margin);
        assert!(compare(exact(b.min.x), sum(x, -margin)) != Ordering::Greater);
        assert!(compare(exact(b.max.x), sum(x, margin)) != Ordering::Less);
    }
}
