//! Separating planes, the feature walk, the Monte-Carlo test and pieces against exact answers.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::sync::Arc;

use impinge::convex::{
    CachedPlane, Convex, ConvexPieces, Cuboid, FeatureWalk, GjkCache, InitialPlane,
    PerceptronConfig, PerceptronStep, Polyhedron, SupportMap, distance, feature_walk, intersects,
    monte_carlo, notches, plane_from_witnesses, separating_plane,
};
use impinge::math::Rng;
use impinge::pair::{IntersectionQuery, PairConfig, PairMethod, QueryKind, Shape, pair_method};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::oracle;

fn points(rng: &mut Rng, count: u64, centre: DVec3) -> Vec<DVec3> {
    (0..count)
        .map(|_| ((rng.cube() + centre) * 65536.0).round() / 65536.0)
        .collect()
}

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
fn a_plane_that_is_found_separates_and_updates_stay_below_their_bound() {
    let mut rng = Rng::new(21);
    let mut found = 0;
    for i in 0..3000 {
        let (a, b) = if i % 2 == 0 {
            let centre = rng.direction() * rng.range(0.0, 4.0);
            (
                points(&mut rng, 8, DVec3::ZERO),
                points(&mut rng, 8, centre),
            )
        } else {
            let shift = DVec3::new(rng.grid(0, 4), 0.0, 0.0);
            let other = grid(&mut rng, 6).iter().map(|&p| p + shift).collect();
            (grid(&mut rng, 6), other)
        };
        let initial = [InitialPlane::Axis, InitialPlane::Means, InitialPlane::Boxes][i % 3];
        let step = match i % 4 {
            0 => PerceptronStep::Adaptive,
            1 => PerceptronStep::Relaxed {
                eta: 0.25,
                factor: 0.97,
            },
            _ => PerceptronStep::Relaxed {
                eta: 0.03,
                factor: 1.0,
            },
        };
        let config = PerceptronConfig {
            initial,
            step,
            max_updates: 300,
        };
        let search = separating_plane(&a, &b, &config);
        assert!(search.updates <= 300);
        let verdict = search.verdict();
        assert_eq!(verdict.certain, search.plane.is_some());
        assert_eq!(verdict.answer, search.plane.is_none());
        if let Some(plane) = search.plane {
            found += 1;
            assert!(!oracle::hulls_meet(&a, &b));
            assert!(a.iter().all(|p| p.dot(plane.normal) < plane.offset));
            assert!(b.iter().all(|q| q.dot(plane.normal) > plane.offset));
            // Given that plane, one pass proves it again.
            let again = PerceptronConfig {
                initial: InitialPlane::Given(plane),
                ..config
            };
            let again = separating_plane(&a, &b, &again);
            assert!(again.plane.is_some() && again.passes == 1 && again.updates == 0);
        }
    }
    assert!(found > 800, "{found}");
}

#[test]
fn updates_from_a_small_start_stay_below_the_published_bound() {
    let mut rng = Rng::new(22);
    for _ in 0..300 {
        let centre = rng.direction() * 3.0;
        let (a, b) = (
            points(&mut rng, 8, DVec3::ZERO),
            points(&mut rng, 8, centre),
        );
        // A large step makes the first plane count for nothing: the start is then practically zero.
        let config = PerceptronConfig {
            initial: InitialPlane::Axis,
            step: PerceptronStep::Relaxed {
                eta: 1e6,
                factor: 1.0,
            },
            max_updates: 100_000,
        };
        let search = separating_plane(&a, &b, &config);
        if let Some(bound) = search.update_bound {
            // The bound of the plane that was found is not below that of the best plane.
            assert!(f64::from(search.updates) <= bound + 1.0, "{search:?}");
        }
    }
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

fn cube_mesh(half: f64) -> TriMesh {
    let shape = Cuboid::new([half; 3]).unwrap();
    let corners: Vec<DVec3> = (0..8).map(|i| shape.vertex(i)).collect();
    let hull = Polyhedron::new(&corners).unwrap();
    let mut faces = Vec::new();
    for f in 0..hull.face_count() as u32 {
        let face = hull.face(f);
        for w in face[1..].windows(2) {
            faces.push([face[0], w[0], w[1]]);
        }
    }
    TriMesh::new(hull.vertices().to_vec(), faces).unwrap()
}

#[test]
fn a_monte_carlo_hit_is_a_common_point_and_hits_come_at_the_ratio_of_volumes() {
    let cube = cube_mesh(1.0);
    assert_eq!(notches(&cube), 0);
    let turned =
        |angle: f64, at: [f64; 3]| Pose::from_axis_angle([0.0, 0.0, 1.0], angle, at).unwrap();
    let far = monte_carlo(&cube, &cube, &turned(0.3, [9.0, 0.0, 0.0]), true, 10, 1).unwrap();
    assert!(!far.verdict.answer && far.verdict.certain);
    // Boxes overlap, cubes do not: an edge before a corner.
    let pose = turned(std::f64::consts::FRAC_PI_4, [1.85, 1.85, 0.0]);
    let near = monte_carlo(&cube, &cube, &pose, true, 500, 1).unwrap();
    assert!(!near.verdict.answer && !near.verdict.certain && near.verdict.confidence < 1.0);
    // A cube turned by 45° about z over a cube, both around the origin: the common part of their common box is an octagon.
    let pose = turned(std::f64::consts::FRAC_PI_4, [0.0; 3]);
    let mut hits = 0;
    for seed in 0..2000 {
        let found = monte_carlo(&cube, &cube, &pose, false, 1, seed).unwrap();
        hits += u32::from(found.verdict.answer);
        if let Some(p) = found.witness {
            assert!(found.verdict.certain && p.abs().max_element() <= 1.0);
            assert!((p.x.abs() + p.y.abs()) <= 2.0_f64.sqrt() + 1e-9);
        }
    }
    let octagon = 8.0 * (2.0_f64.sqrt() - 1.0) / 4.0;
    assert!(
        (f64::from(hits) / 2000.0 - octagon).abs() < 0.03,
        "{hits} {octagon}"
    );
    let open = TriMesh::new(cube.positions().to_vec(), cube.faces()[1..].to_vec()).unwrap();
    assert!(monte_carlo(&open, &cube, &Pose::IDENTITY, true, 1, 1).is_err());
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
