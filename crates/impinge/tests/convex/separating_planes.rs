//! Kept separating planes, the feature walk and pieces against exact answers.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;

use impinge::convex::{
    CachedPlane, Convex, ConvexPieces, FeatureWalk, GjkCache, Polyhedron, distance, feature_walk,
    intersects, plane_from_witnesses,
};
use impinge::math::Rng;
use impinge::pair::{IntersectionQuery, PairConfig, PairMethod, QueryKind, Shape, pair_method};
use impinge::{DVec3, Pose};

fn grid(rng: &mut Rng, count: u64) -> Vec<DVec3> {
    (0..count)
        .map(|_| DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2)))
        .collect()
}

fn ball_like(rng: &mut Rng, count: u64) -> Polyhedron {
    let points: Vec<DVec3> = (0..count).map(|_| rng.direction()).collect();
    Polyhedron::new(&points).unwrap()
}

#[test]
fn a_tracked_plane_answers_exactly_and_is_mostly_kept() {
    let mut rng = Rng::new(23);
    let (a, b) = (ball_like(&mut rng, 100), ball_like(&mut rng, 100));
    let mut plane = CachedPlane::new();
    let mut counts = [0; 2];
    for i in 0..3000 {
        let t = f64::from(i) * 0.002;
        let at = DVec3::new(2.3 + 0.4 * (3.0 * t).sin(), 0.5 * t.cos(), 0.3 * t.sin());
        let pose = Pose::from_axis_angle([1.0, 0.5, 0.2], 2.0 * t, at).unwrap();
        let truth = intersects(&a, &b, &pose, &mut GjkCache::new());
        assert_eq!(plane.intersects(&a, &b, &pose), truth);
        counts[usize::from(truth)] += 1;
    }
    assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
    assert!(
        plane.kept() * 100 >= u64::from(counts[0] as u32) * 95,
        "{} {counts:?}",
        plane.kept()
    );
}

#[test]
fn a_pulled_plane_supports_the_polyhedron_at_its_nearest_point() {
    let mut rng = Rng::new(24);
    for _ in 0..200 {
        let shape = ball_like(&mut rng, 30);
        let p = rng.cube() * 2.0;
        match plane_from_witnesses(&shape, p) {
            None => assert!(shape.contains(p)),
            Some(plane) => {
                assert!(!shape.contains(p));
                let above = |v: &DVec3| v.dot(plane.normal) - plane.offset;
                assert!(shape.vertices().iter().all(|v| above(v) < 1e-12));
                assert!(above(&p) > 0.0);
            }
        }
    }
}

#[test]
fn a_walk_finds_the_distance_and_mostly_without_a_search() {
    let mut rng = Rng::new(25);
    let (a, b) = (ball_like(&mut rng, 40), ball_like(&mut rng, 40));
    let mut state = FeatureWalk::new();
    let mut walks = 0;
    for i in 0..600 {
        let t = f64::from(i) * 0.005;
        let at = DVec3::new(2.3 + 0.4 * (3.0 * t).sin(), 0.5 * t.cos(), 0.3 * t.sin());
        let pose = Pose::from_axis_angle([1.0, 0.5, 0.2], t, at).unwrap();
        let found = feature_walk(&a, &b, &pose, &mut state);
        let truth = distance(&a, &b, &pose, &mut GjkCache::new());
        assert!((found.value.distance - truth.value.distance).abs() < 1e-12);
        assert!(found.lower <= found.value.distance && found.value.distance <= found.upper);
        walks += u64::from(truth.value.distance > 0.0);
    }
    assert!(
        walks > 300 && state.searches() < 600 - walks + walks / 20,
        "{walks} {}",
        state.searches()
    );
    // Grid hulls, flat ones among them, from any start.
    for _ in 0..300 {
        let (m, n) = (1 + rng.below(7), 1 + rng.below(7));
        let a = Polyhedron::new(&grid(&mut rng, m)).unwrap();
        let b = Polyhedron::new(&grid(&mut rng, n)).unwrap();
        let pose = Pose::from_translation(grid(&mut rng, 1)[0] * 2.0).unwrap();
        let found = feature_walk(&a, &b, &pose, &mut state);
        let truth = distance(&a, &b, &pose, &mut GjkCache::new());
        assert!((found.value.distance - truth.value.distance).abs() < 1e-12);
    }
}

#[test]
fn the_edges_at_a_vertex_are_those_that_a_scan_of_all_finds() {
    let mut rng = Rng::new(31);
    for round in 0..200 {
        let points = if round % 2 == 0 {
            let count = 1 + rng.below(9);
            grid(&mut rng, count)
        } else {
            (0..60).map(|_| rng.cube()).collect()
        };
        let shape = Polyhedron::new(&points).unwrap();
        for vertex in 0..shape.vertices().len() as u32 {
            let ends_here = |e: &u32| shape.edges()[*e as usize].vertices.contains(&vertex);
            let mut scanned: Vec<u32> = (0..shape.edges().len() as u32).filter(ends_here).collect();
            let mut listed = shape.edges_at(vertex).to_vec();
            for (&other, &edge) in shape.neighbours(vertex).iter().zip(&listed) {
                assert!(shape.edges()[edge as usize].vertices.contains(&other));
            }
            scanned.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, scanned);
        }
        assert!(shape.edges_at(u32::MAX).is_empty());
    }
}

#[test]
fn a_walk_looks_at_as_few_features_on_a_large_hull_as_on_a_small_one() {
    let mut rng = Rng::new(33);
    let mut looked = [40, 4000].map(|count| {
        let (a, b) = (ball_like(&mut rng, count), ball_like(&mut rng, count));
        let mut state = FeatureWalk::new();
        for i in 0..200 {
            let t = f64::from(i) * 1e-3;
            let at = DVec3::new(2.3 + 0.05 * (3.0 * t).sin(), 0.5 * t.cos(), 0.3 * t.sin());
            let pose = Pose::from_axis_angle([1.0, 0.5, 0.2], t, at).unwrap();
            let found = feature_walk(&a, &b, &pose, &mut state);
            let truth = distance(&a, &b, &pose, &mut GjkCache::new());
            assert!((found.value.distance - truth.value.distance).abs() < 1e-12);
        }
        state.steps() as f64
    });
    looked.sort_by(f64::total_cmp);
    assert!(looked[1] < 10.0 * looked[0], "{looked:?}");
}

#[test]
fn a_query_keeps_a_plane_for_large_hulls_and_answers_as_a_fresh_search() {
    let mut rng = Rng::new(37);
    for count in [20, 400] {
        let (a, b) = (ball_like(&mut rng, count), ball_like(&mut rng, count));
        let shapes = [&a, &b].map(|hull| Convex::from(hull.clone()));
        let expected = if count > 100 {
            PairMethod::KeptPlane
        } else {
            PairMethod::Differences
        };
        let [p, q] = &shapes;
        assert_eq!(pair_method(QueryKind::Intersection, p, q), expected);
        let [p, q] = shapes.map(Shape::from);
        let mut query = IntersectionQuery::new(&p, &q, &PairConfig::default()).unwrap();
        let mut met = 0;
        for i in 0..900 {
            let t = f64::from(i) * 0.01;
            // In small steps in and out, with a jump now and then.
            let jump = if i % 50 == 0 { 1.0 } else { 0.0 };
            let away = DVec3::new(1.8 + 0.25 * (9.0 * t).sin(), 0.3 * jump, 0.1 * t.cos());
            let pose = Pose::from_axis_angle([1.0, 0.5, 0.2], t + 2.0 * jump, away).unwrap();
            let truth = intersects(&a, &b, &pose, &mut GjkCache::new());
            assert_eq!(query.any(&pose), truth, "{count} {i}");
            met += u32::from(truth);
        }
        assert!((100..800).contains(&met), "{met}");
    }
}

#[test]
fn pieces_meet_when_some_pair_of_them_does() {
    let block = |x: f64, y: f64| {
        let corners: Vec<DVec3> = (0..8)
            .map(|i| {
                DVec3::new(
                    x + f64::from(i & 1),
                    y + f64::from(i >> 1 & 1),
                    f64::from(i >> 2),
                )
            })
            .collect();
        Arc::new(Polyhedron::new(&corners).unwrap())
    };
    let angle = ConvexPieces::new(vec![block(0.0, 0.0), block(1.0, 0.0), block(0.0, 1.0)]);
    let small = ConvexPieces::new(vec![block(0.0, 0.0)]);
    let at = |x: f64, y: f64| Pose::from_translation([x, y, 0.0]).unwrap();
    // In the notch of the angle, the hulls meet and the pieces do not.
    assert_eq!(angle.first_meeting(&small, &at(1.25, 1.25)), None);
    assert_eq!(angle.first_meeting(&small, &at(1.0, 1.25)), Some((2, 0)));
    assert_eq!(angle.first_meeting(&small, &at(1.5, 0.5)), Some((1, 0)));
}
