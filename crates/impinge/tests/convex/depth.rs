//! Depth and separating axes against separating axes in integers.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may stop at the first surprise"
)]

use impinge::convex::{
    Ball, Capsule, Cone, Convex, Cuboid, Cylinder, Ellipsoid, GjkCache, Polyhedron, SatCache,
    Segment, SupportMap, Triangle, cuboids_intersect, distance, intersects, penetration,
    polyhedra_depth, polyhedra_intersect,
};
use impinge::math::Rng;
use impinge::{DVec3, Pose};
use impinge_testkit::oracle::{self, HullContact};

use crate::grid_points;

fn random_points(rng: &mut Rng, count: u64) -> Vec<DVec3> {
    crate::random_points(rng, count, DVec3::ZERO)
}

fn placed(shape: &Polyhedron, pose: &Pose) -> Vec<DVec3> {
    shape.vertices().iter().map(|&v| *pose * v).collect()
}

fn judge(a: &Polyhedron, b: &Polyhedron, pose: &Pose) -> bool {
    let truth = oracle::hull_contact(a.vertices(), &placed(b, pose));
    let grown = penetration(a, b, pose, &mut GjkCache::new());
    let by_axes = polyhedra_depth(a, b, pose, &mut SatCache::new());
    let HullContact::Meeting { depth } = truth else {
        assert!(by_axes.is_none(), "{by_axes:?}");
        assert!(
            grown.is_none(),
            "{grown:?} {:?} {:?}",
            a.vertices(),
            placed(b, pose)
        );
        return false;
    };
    let by_axes = by_axes.expect("they meet");
    assert!(
        (by_axes.depth - depth).abs() < 1e-12,
        "{} {depth} {:?} {:?}",
        by_axes.depth,
        a.vertices(),
        placed(b, pose)
    );
    let grown = grown.expect("they meet");
    assert!(
        grown.lower <= depth && depth <= grown.upper,
        "{grown:?} {depth} {:?} {:?}",
        a.vertices(),
        placed(b, pose)
    );
    assert!(
        (grown.value.depth - depth).abs() < 1e-10,
        "{grown:?} {depth}"
    );
    let n = grown.value.normal;
    assert!((n.length() - 1.0).abs() < 1e-12);
    // Moved out along the normal, they share no more than rounding.
    let out = Pose::new(*pose.rotation(), pose.translation() + n * (depth + 1e-9)).unwrap();
    assert!(!intersects(a, b, &out, &mut GjkCache::new()), "{grown:?}");
    true
}

#[test]
fn depth_bounds_hold_the_depth_by_axes_on_a_grid() {
    let mut rng = Rng::new(11);
    let mut meeting = 0;
    for _ in 0..1500 {
        let (m, n) = (4 + rng.below(5), 4 + rng.below(5));
        let a = Polyhedron::new(&grid_points(&mut rng, m, 2)).unwrap();
        let b = Polyhedron::new(&grid_points(&mut rng, n, 2)).unwrap();
        let pose = Pose::from_translation(grid_points(&mut rng, 1, 2)[0]).unwrap();
        meeting += u32::from(judge(&a, &b, &pose));
    }
    assert!(meeting > 500, "{meeting}");
}

#[test]
fn depth_bounds_hold_the_depth_of_random_and_flat_hulls() {
    let mut rng = Rng::new(12);
    let mut meeting = 0;
    for _ in 0..700 {
        let (m, n) = (1 + rng.below(8), 1 + rng.below(8));
        let a = Polyhedron::new(&random_points(&mut rng, m)).unwrap();
        let b = Polyhedron::new(&random_points(&mut rng, n)).unwrap();
        let pose = Pose::from_translation(random_points(&mut rng, 1)[0]).unwrap();
        meeting += u32::from(judge(&a, &b, &pose));
    }
    assert!(meeting > 150, "{meeting}");
}

#[test]
fn boxes_are_decided_exactly_and_their_axis_is_remembered() {
    let mut rng = Rng::new(13);
    let mut counts = [0; 2];
    let mut cache = SatCache::new();
    for i in 0..4000 {
        let mut half = || DVec3::new(rng.grid(1, 3), rng.grid(1, 3), rng.grid(1, 3)) * 0.5;
        let (half_a, half_b) = (half(), half());
        let (a, b) = (Cuboid::new(half_a).unwrap(), Cuboid::new(half_b).unwrap());
        let turn = if i % 2 == 0 {
            0.0
        } else {
            rng.range(-3.0, 3.0)
        };
        let shift = grid_points(&mut rng, 1, 4)[0] * 0.5;
        let pose = Pose::from_axis_angle([1.0, 2.0, 0.5], turn, shift).unwrap();
        let corners = |shape: &Cuboid| (0..8).map(|k| shape.vertex(k)).collect::<Vec<_>>();
        let placed: Vec<DVec3> = corners(&b).iter().map(|&p| pose * p).collect();
        if i % 2 == 0 || i % 40 == 1 {
            let truth = oracle::hulls_meet(&corners(&a), &placed);
            assert_eq!(
                cuboids_intersect(&a, &b, &pose, &mut cache),
                truth,
                "{a:?} {b:?} {pose:?}"
            );
            counts[usize::from(truth)] += 1;
        }
        let by_search = intersects(&a, &b, &pose, &mut GjkCache::new());
        assert_eq!(cuboids_intersect(&a, &b, &pose, &mut cache), by_search);
    }
    assert!(counts.iter().all(|&n| n > 300), "{counts:?}");
    let cube = Cuboid::new([1.0; 3]).unwrap();
    let mut cache = SatCache::new();
    for i in 0..100 {
        let pose =
            Pose::from_axis_angle([1.0, 1.0, 0.0], 1.0 + f64::from(i) * 1e-3, [0.0, 3.0, 1.0])
                .unwrap();
        assert!(!cuboids_intersect(&cube, &cube, &pose, &mut cache));
    }
    assert!(cache.axes_tried() < 120, "{}", cache.axes_tried());
}

#[test]
fn a_remembered_axis_separates_polyhedra_with_one_projection() {
    let mut rng = Rng::new(14);
    let a = Polyhedron::new(&random_points(&mut rng, 30)).unwrap();
    let mut cache = SatCache::new();
    for i in 0..100 {
        let pose =
            Pose::from_axis_angle([1.0, 1.0, 0.0], f64::from(i) * 1e-3, [0.0, 3.0, 1.0]).unwrap();
        assert!(!polyhedra_intersect(&a, &a, &pose, &mut cache));
    }
    assert!(cache.axes_tried() < 200, "{}", cache.axes_tried());
}

#[test]
fn round_shapes_have_their_closed_depths() {
    let mut rng = Rng::new(15);
    for _ in 0..300 {
        let at = rng.direction() * rng.range(0.0, 1.4);
        let pose = Pose::from_translation(at).unwrap();
        let check = |a: &Convex, b: &Convex, truth: f64, tolerance: f64| {
            let found = penetration(a, b, &pose, &mut GjkCache::new()).expect("they meet");
            assert!(
                found.lower <= truth + 1e-12 && truth <= found.upper + 1e-12,
                "{found:?} {truth}"
            );
            assert!(
                (found.value.depth - truth).abs() <= tolerance,
                "{found:?} {truth}"
            );
        };
        let ball = Convex::from(Ball::new(0.8).unwrap());
        let other = Convex::from(Ball::new(0.7).unwrap());
        check(&ball, &other, 1.5 - at.length(), 1e-13);
        // Axes that cross: the depth is along their common perpendicular.
        let x = Convex::from(Capsule::new([-9.0, 0.0, 0.0], [9.0, 0.0, 0.0], 0.8).unwrap());
        let y = Convex::from(Capsule::new([0.0, -9.0, 0.0], [0.0, 9.0, 0.0], 0.9).unwrap());
        check(&x, &y, 1.7 - at.z.abs(), 1e-12);
        if at.abs().max_element() < 1.0 {
            let cube = Convex::from(Cuboid::new([1.0; 3]).unwrap());
            check(&cube, &ball, 1.0 - at.abs().max_element() + 0.8, 1e-12);
        }
    }
}

#[test]
fn any_pair_of_kinds_has_bounds_that_agree_with_its_distance() {
    let mut rng = Rng::new(16);
    let shapes: Vec<Convex> = vec![
        Ball::new(0.5).unwrap().into(),
        Cuboid::new([0.3, 0.6, 0.9]).unwrap().into(),
        Capsule::new([0.0; 3], [0.5, 0.5, 0.0], 0.2).unwrap().into(),
        Cylinder::new(0.7, 0.4).unwrap().into(),
        Cone::new(0.5, 0.9).unwrap().into(),
        Ellipsoid::new([1.0, 0.5, 0.3]).unwrap().into(),
        Segment::new([0.0; 3], [0.5, 0.2, 0.1]).unwrap().into(),
        Triangle::new([DVec3::X, DVec3::Y, DVec3::Z])
            .unwrap()
            .into(),
        Polyhedron::new(&random_points(&mut rng, 20))
            .unwrap()
            .into(),
        Polyhedron::new(&random_points(&mut rng, 1)).unwrap().into(),
        Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::X * 0.5])
            .unwrap()
            .into(),
    ];
    for a in &shapes {
        for b in &shapes {
            for _ in 0..12 {
                let pose =
                    Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), rng.cube() * 1.5)
                        .unwrap();
                let apart = distance(a, b, &pose, &mut GjkCache::new());
                let deep = penetration(a, b, &pose, &mut GjkCache::new());
                let meets = intersects(a, b, &pose, &mut GjkCache::new());
                assert_eq!(meets, deep.is_some(), "{a:?} {b:?} {pose:?} {apart:?}");
                if apart.value.distance > 1e-9 {
                    assert!(!meets);
                } else if apart.value.distance == 0.0 {
                    assert!(meets);
                }
                if let Some(deep) = deep {
                    assert!(
                        deep.lower <= deep.value.depth && deep.value.depth <= deep.upper,
                        "{deep:?}"
                    );
                    assert!(deep.upper - deep.lower < 1e-3, "{a:?} {b:?} {deep:?}");
                    let out = Pose::new(
                        *pose.rotation(),
                        pose.translation() + deep.value.normal * (deep.upper + 1e-6),
                    )
                    .unwrap();
                    assert!(
                        !intersects(a, b, &out, &mut GjkCache::new()),
                        "{a:?} {b:?} {deep:?}"
                    );
                }
            }
        }
    }
}
