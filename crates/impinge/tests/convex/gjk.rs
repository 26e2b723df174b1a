//! Convex shapes against separating axes in integers, brute force and closed forms.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use impinge::convex::{
    Ball, Capsule, Cone, Convex, Cuboid, Cylinder, Ellipsoid, GjkCache, Polyhedron, Segment,
    SupportMap, Triangle, distance, intersects,
};
use impinge::math::Rng;
use impinge::query::Outcome;
use impinge::{DMat3, DVec3, Pose};
use impinge_testkit::oracle;

use crate::{grid_points, random_points};

fn quarter_turns(rng: &mut Rng) -> DMat3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let i = rng.below(3) as usize;
    let j = (i + 1 + rng.below(2) as usize) % 3;
    let sign = |rng: &mut Rng| if rng.below(2) == 0 { 1.0 } else { -1.0 };
    let (x, y) = (axes[i] * sign(rng), axes[j] * sign(rng));
    DMat3::from_cols(x, y, x.cross(y))
}

fn random_pose(rng: &mut Rng, reach: f64) -> Pose {
    let angle = rng.range(-3.0, 3.0);
    Pose::from_axis_angle(rng.direction(), angle, rng.cube() * reach).unwrap()
}

fn placed(shape: &Polyhedron, pose: &Pose) -> Vec<DVec3> {
    shape.vertices().iter().map(|&v| *pose * v).collect()
}

/// Compares the boolean and the sign of the distance with the oracle.
fn judge(a: &Polyhedron, b: &Polyhedron, pose: &Pose, cache: &mut GjkCache) -> bool {
    let truth = oracle::hulls_meet(a.vertices(), &placed(b, pose));
    let cold = intersects(a, b, pose, &mut GjkCache::new());
    let warm = intersects(a, b, pose, cache);
    assert_eq!(
        cold,
        truth,
        "{:?} {:?} {pose:?}",
        a.vertices(),
        b.vertices()
    );
    assert_eq!(
        warm,
        truth,
        "warm {:?} {:?} {pose:?}",
        a.vertices(),
        b.vertices()
    );
    let found = distance(a, b, pose, cache);
    assert_eq!(found.value.distance > 0.0, !truth, "{found:?}");
    assert_eq!(found.outcome, Outcome::Complete);
    truth
}

#[test]
fn hulls_on_a_grid_meet_exactly_when_no_axis_separates_them() {
    let mut rng = Rng::new(1);
    let mut counts = [0; 2];
    for _ in 0..8_000 {
        let (m, n) = (1 + rng.below(8), 1 + rng.below(8));
        let a = Polyhedron::new(&grid_points(&mut rng, m, 2)).unwrap();
        let b = Polyhedron::new(&grid_points(&mut rng, n, 2)).unwrap();
        let turn = quarter_turns(&mut rng);
        let shift = grid_points(&mut rng, 1, 2)[0];
        let pose = Pose::new(turn, shift).unwrap();
        let meets = judge(&a, &b, &pose, &mut GjkCache::new());
        counts[usize::from(meets)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 1000), "{counts:?}");
}

#[test]
fn random_hulls_meet_exactly_when_no_axis_separates_them() {
    let mut rng = Rng::new(2);
    let mut counts = [0; 2];
    let mut cache = GjkCache::new();
    for _ in 0..8_000 {
        let (m, n) = (4 + rng.below(5), 4 + rng.below(5));
        let centre = rng.direction() * rng.range(0.0, 2.5);
        let a = Polyhedron::new(&random_points(&mut rng, m, DVec3::ZERO)).unwrap();
        let b = Polyhedron::new(&random_points(&mut rng, n, centre)).unwrap();
        let meets = judge(&a, &b, &Pose::IDENTITY, &mut cache);
        counts[usize::from(meets)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 1000), "{counts:?}");
    // Random hulls are decided in floating point.
    assert!(cache.exact_decisions() < 40, "{}", cache.exact_decisions());
}

#[test]
fn turned_hulls_are_decided_at_their_rounded_coordinates() {
    let mut rng = Rng::new(3);
    for _ in 0..80 {
        let a = Polyhedron::new(&grid_points(&mut rng, 5, 3)).unwrap();
        let b = Polyhedron::new(&grid_points(&mut rng, 5, 3)).unwrap();
        let pose = random_pose(&mut rng, 2.0);
        judge(&a, &b, &pose, &mut GjkCache::new());
        // A face or vertex of one laid against the other, and turned: touching up to rounding.
        let shift = *a.vertices().first().unwrap() - pose * b.vertices()[0];
        let near = Pose::new(*pose.rotation(), pose.translation() + shift).unwrap();
        judge(&a, &b, &near, &mut GjkCache::new());
    }
}

#[test]
fn large_hulls_meet_exactly_when_no_axis_separates_them() {
    let mut rng = Rng::new(4);
    let mut counts = [0; 2];
    for _ in 0..60 {
        let (m, n) = (9 + rng.below(56), 9 + rng.below(56));
        let ball = |rng: &mut Rng, count: u64, centre: DVec3| -> Vec<DVec3> {
            (0..count)
                .map(|_| ((rng.direction() + centre) * 256.0).round() / 256.0)
                .collect()
        };
        let centre = rng.direction() * rng.range(1.5, 2.1);
        let a = Polyhedron::new(&ball(&mut rng, m, DVec3::ZERO)).unwrap();
        let b = Polyhedron::new(&ball(&mut rng, n, centre)).unwrap();
        let meets = judge(&a, &b, &Pose::IDENTITY, &mut GjkCache::new());
        counts[usize::from(meets)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 5), "{counts:?}");
}

#[test]
fn the_distance_of_hulls_is_that_of_their_nearest_features() {
    let mut rng = Rng::new(5);
    let mut worst: f64 = 0.0;
    for i in 0..3000 {
        let (m, n) = (1 + rng.below(7), 1 + rng.below(7));
        let far = [2.0, 3.0, 30.0][i % 3];
        let centre = rng.direction() * far;
        let a = Polyhedron::new(&random_points(&mut rng, m, DVec3::ZERO)).unwrap();
        let b = Polyhedron::new(&random_points(&mut rng, n, DVec3::ZERO)).unwrap();
        let pose = Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), centre).unwrap();
        let found = distance(&a, &b, &pose, &mut GjkCache::new());
        if found.value.distance > 0.0 {
            let truth = oracle::hull_distance(a.vertices(), &placed(&b, &pose));
            worst = worst.max((found.value.distance - truth).abs() / truth.max(2.0));
            assert!(found.lower <= truth * (1.0 + 1e-14) && truth <= found.upper * (1.0 + 1e-14));
            let gap = (found.value.point_a - found.value.point_b).length();
            assert!((gap - truth).abs() <= 1e-12 * truth.max(2.0));
        }
    }
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn round_shapes_have_their_closed_distances() {
    let mut rng = Rng::new(6);
    let mut worst = [0.0_f64; 6];
    for _ in 0..3000 {
        let pose = random_pose(&mut rng, 6.0);
        let (r, s) = (rng.range(0.1, 1.0), rng.range(0.1, 1.0));
        let (ends_a, ends_b) = ([rng.cube(), rng.cube()], [rng.cube(), rng.cube()]);
        let ball = Ball::new(r).unwrap();
        let mut check = |slot: usize, a: &Convex, b: &Convex, truth: f64| {
            let found = distance(a, b, &pose, &mut GjkCache::new());
            let error = (found.value.distance - truth).abs() / truth.max(2.0);
            worst[slot] = worst[slot].max(error);
            assert!(
                found.lower <= truth + 1e-12 && truth <= found.upper + 1e-9,
                "{found:?} {truth}"
            );
            assert_eq!(found.outcome, Outcome::Complete, "{slot} {found:?}");
            if truth > 1e-9 {
                assert!(
                    !intersects(a, b, &pose, &mut GjkCache::new()),
                    "{slot} {truth:e}"
                );
            }
            if truth == 0.0 {
                assert!(intersects(a, b, &pose, &mut GjkCache::new()), "{slot}");
            }
        };
        let at = pose.translation();
        let b = Convex::from(Ball::new(s).unwrap());
        check(0, &ball.into(), &b, (at.length() - r - s).max(0.0));
        let capsule_a = Capsule::new(ends_a[0], ends_a[1], r).unwrap();
        let capsule_b = Capsule::new(ends_b[0], ends_b[1], s).unwrap();
        let core = impinge::geom::segment_distance(
            ends_a[0],
            ends_a[1],
            pose * ends_b[0],
            pose * ends_b[1],
        );
        check(
            1,
            &capsule_a.into(),
            &capsule_b.into(),
            (core.distance - r - s).max(0.0),
        );
        let half = DVec3::new(0.5, 1.0, 0.3);
        let outside = (at.abs() - half).max(DVec3::ZERO).length();
        check(
            2,
            &Cuboid::new(half).unwrap().into(),
            &b,
            (outside - s).max(0.0),
        );
        let cylinder = Cylinder::new(0.7, 0.4).unwrap();
        let truth = (oracle::point_to_cylinder(at, 0.7, 0.4) - s).max(0.0);
        check(3, &cylinder.into(), &b, truth);
        let cone = Cone::new(0.7, 0.4).unwrap();
        check(
            4,
            &cone.into(),
            &b,
            (oracle::point_to_cone(at, 0.7, 0.4) - s).max(0.0),
        );
        let radii = DVec3::new(1.0, 0.5, 0.25);
        let ellipsoid = Ellipsoid::new(radii).unwrap();
        let truth = (oracle::point_to_ellipsoid(at, radii) - s).max(0.0);
        check(5, &ellipsoid.into(), &b, truth);
    }
    assert!(worst[..3].iter().all(|&e| e <= 1e-12), "{worst:?}");
    assert!(worst[3..].iter().all(|&e| e <= 1e-9), "{worst:?}");
}

#[test]
fn round_pairs_agree_with_fine_hulls_and_hold_their_bounds() {
    let mut rng = Rng::new(7);
    for _ in 0..300 {
        let shapes: [Convex; 6] = [
            Cylinder::new(0.7, 0.4).unwrap().into(),
            Cone::new(0.5, 0.9).unwrap().into(),
            Ellipsoid::new([1.0, 0.5, 0.3]).unwrap().into(),
            Capsule::new([0.0; 3], [0.3, 0.2, 0.5], 0.3).unwrap().into(),
            Triangle::new([DVec3::X, DVec3::Y, DVec3::Z])
                .unwrap()
                .into(),
            Segment::new([0.0, 0.1, 0.0], [0.5, 0.5, 0.5])
                .unwrap()
                .into(),
        ];
        let (a, b) = (
            &shapes[rng.below(6) as usize],
            &shapes[rng.below(6) as usize],
        );
        let pose = random_pose(&mut rng, 3.0);
        let found = distance(a, b, &pose, &mut GjkCache::new());
        assert_eq!(
            found.outcome,
            Outcome::Complete,
            "{a:?} {b:?} {pose:?} {found:?}"
        );
        assert!(found.lower <= found.upper);
        // The plane half-way between the nearest points has each shape on its side.
        if found.value.distance > 0.0 {
            let (p, q) = (found.value.point_a, found.value.point_b);
            let n = (q - p).normalize();
            let top = a.support(n, 0).point.dot(n) + a.radius();
            let back = pose.rotation().transpose() * -n;
            let low = (pose * b.support(back, 0).point).dot(n) - b.radius();
            let allowed = 1e-9 * found.value.distance.max(2.0);
            assert!((low - top - found.value.distance).abs() <= allowed);
            assert!(found.upper - found.lower <= allowed, "{found:?}");
            assert!((q - p).length() - found.value.distance < 1e-12);
        }
    }
}

#[test]
fn a_warm_start_takes_fewer_steps_and_changes_nothing() {
    let mut rng = Rng::new(8);
    let points: Vec<DVec3> = (0..200).map(|_| rng.direction()).collect();
    let shape = Polyhedron::new(&points).unwrap();
    let mut warm = GjkCache::new();
    let mut cold_steps = 0;
    for i in 0..500 {
        let angle = f64::from(i) * 0.002;
        let pose = Pose::from_axis_angle([0.3, 0.5, 1.0], angle, [2.5, 0.1, angle]).unwrap();
        let mut cold = GjkCache::new();
        let (x, y) = (
            distance(&shape, &shape, &pose, &mut warm),
            distance(&shape, &shape, &pose, &mut cold),
        );
        assert!((x.value.distance - y.value.distance).abs() < 1e-14);
        cold_steps += cold.steps();
    }
    assert!(
        warm.steps() * 2 < cold_steps,
        "{} {cold_steps}",
        warm.steps()
    );
}

#[test]
fn sizes_far_from_one_change_nothing() {
    let mut rng = Rng::new(9);
    for exponent in [-300, -60, 60, 140] {
        let scale = 2.0_f64.powi(exponent);
        for _ in 0..50 {
            let points = random_points(&mut rng, 8, DVec3::ZERO);
            let others = random_points(&mut rng, 8, DVec3::X * 1.5);
            let scaled = |p: &[DVec3]| {
                Polyhedron::new(&p.iter().map(|&p| p * scale).collect::<Vec<_>>()).unwrap()
            };
            let near = |p: &[DVec3]| Polyhedron::new(p).unwrap();
            let x = distance(
                &near(&points),
                &near(&others),
                &Pose::IDENTITY,
                &mut GjkCache::new(),
            );
            let y = distance(
                &scaled(&points),
                &scaled(&others),
                &Pose::IDENTITY,
                &mut GjkCache::new(),
            );
            assert!((x.value.distance - y.value.distance / scale).abs() < 1e-14);
            assert_eq!(x.value.distance > 0.0, y.value.distance > 0.0);
        }
    }
}

#[test]
fn the_balls_of_a_shape_lie_inside_and_around_its_core() {
    let mut rng = Rng::new(21);
    for _ in 0..60 {
        let mut size = || rng.range(0.01, 2.0);
        let (x, y, z) = (size(), size(), size());
        let points = random_points(&mut rng, 12, DVec3::ONE);
        let ends = [rng.cube(), rng.cube(), rng.cube()];
        let shapes: Vec<Convex> = vec![
            Ball::new(x).unwrap().into(),
            Cuboid::new([x, y, z]).unwrap().into(),
            Capsule::new(ends[0], ends[1], x).unwrap().into(),
            Cylinder::new(x, y).unwrap().into(),
            Cone::new(x, y).unwrap().into(),
            Ellipsoid::new([x, y, z]).unwrap().into(),
            Segment::new(ends[0], ends[1]).unwrap().into(),
            Triangle::new(ends).unwrap().into(),
            Polyhedron::new(&points).unwrap().into(),
        ];
        for shape in shapes {
            let extent = shape.extent();
            assert!(extent.inner >= 0.0 && extent.inner <= extent.outer);
            for _ in 0..100 {
                let direction = rng.direction();
                let point = shape.support(direction, 0).point;
                let reach = direction.dot(point - extent.center);
                assert!(reach >= extent.inner - 1e-15, "{shape:?}");
                assert!((point - extent.center).length() <= extent.outer + 1e-15);
                assert!(point.abs().max_element() <= extent.largest, "{shape:?}");
            }
        }
    }
}

#[test]
fn unrelated_places_one_after_the_other_change_no_answer() {
    let mut rng = Rng::new(22);
    let shapes: Vec<Convex> = vec![
        Cuboid::new([0.5, 0.7, 0.9]).unwrap().into(),
        Capsule::new(DVec3::NEG_Z * 0.4, DVec3::Z * 0.4, 0.3)
            .unwrap()
            .into(),
        Polyhedron::new(&random_points(&mut rng, 9, DVec3::ZERO))
            .unwrap()
            .into(),
        Polyhedron::new(&(0..40).map(|_| rng.direction()).collect::<Vec<_>>())
            .unwrap()
            .into(),
        Cylinder::new(0.6, 0.5).unwrap().into(),
    ];
    let mut counts = [0; 2];
    for a in &shapes {
        for b in &shapes {
            let (mut kept, mut gaps) = (GjkCache::new(), GjkCache::new());
            for i in 0..200 {
                let reach = rng.range(0.2, 2.4);
                let pose = random_pose(&mut rng, reach);
                let pose = if i % 3 == 0 { Pose::IDENTITY } else { pose };
                let meets = intersects(a, b, &pose, &mut kept);
                assert_eq!(meets, intersects(a, b, &pose, &mut GjkCache::new()));
                let found = distance(a, b, &pose, &mut gaps);
                assert_eq!(meets, found.value.distance <= 0.0, "{a:?} {b:?} {pose:?}");
                counts[usize::from(meets)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&n| n > 500), "{counts:?}");
}
