//! The nearest faces found in a tree are those found by measuring every face.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{SingleTreeCache, WideTree};
use impinge::geom::closest_point_on_triangle;
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::query::{Count, FaceId, First, Limits, Outcome};
use impinge::{DVec3, TriMesh, generate};
use impinge_testkit::generate::{grid, meshes};

/// Distance and id of every face, nearest first.
fn ranked(mesh: &TriMesh, p: DVec3) -> Vec<(f64, FaceId)> {
    let distance = |f| closest_point_on_triangle(p, &mesh.face(f).unwrap()).distance;
    let mut all: Vec<_> = mesh.face_ids().map(|f| (distance(f), f)).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
    all
}

fn check(mesh: &TriMesh, tree: &WideTree, p: DVec3) {
    let truth = ranked(mesh, p);
    for level in Level::available() {
        let mut cache = SingleTreeCache::with_level(level);
        let answer = tree.closest_face(p, Limits::default(), &mut cache).unwrap();
        assert_eq!(answer.outcome, Outcome::Complete);
        let found = answer.value.map(|c| (c.distance, c.face));
        assert_eq!(found, truth.first().copied(), "{p}");
        if let Some(closest) = answer.value {
            let alone = closest_point_on_triangle(p, &mesh.face(closest.face).unwrap());
            assert_eq!(
                (closest.point, closest.feature),
                (alone.point, alone.feature)
            );
            assert!(answer.lower <= closest.distance && closest.distance <= answer.upper);
        }
        for count in [0, 1, 3, 17, 1000] {
            let mut several = Vec::new();
            let outcome = tree.nearest_faces(p, count, Limits::default(), &mut cache, &mut several);
            assert_eq!(outcome.unwrap(), Outcome::Complete);
            let several: Vec<_> = several.iter().map(|c| (c.distance, c.face)).collect();
            assert_eq!(several, truth[..count.min(truth.len())]);
        }
        let middle = truth.get(truth.len() / 3).map_or(1.0, |&(d, _)| d);
        for d in [0.0, middle, middle * 1.5, f64::INFINITY, f64::NAN, -1.0] {
            let mut within = Vec::new();
            let outcome = tree.faces_within(p, d, Limits::default(), &mut cache, &mut within);
            assert_eq!(outcome.unwrap(), Outcome::Complete);
            let mut within: Vec<_> = within.iter().map(|c| (c.distance, c.face)).collect();
            within.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            let near: Vec<_> = truth.iter().copied().filter(|&(t, _)| t <= d).collect();
            assert_eq!(within, near, "{p} {d}");
        }
    }
    let Some(&(least, _)) = truth.first() else {
        return;
    };
    let mut cache = SingleTreeCache::default();
    for (max, expected) in [
        (least, true),
        (least * 2.0, true),
        (least * 0.99, least == 0.0),
    ] {
        let limits = Limits {
            max_distance: Some(max),
            ..Limits::default()
        };
        let answer = tree.closest_face(p, limits, &mut cache).unwrap();
        assert_eq!(answer.value.is_some(), expected);
        assert!(answer.lower <= least && least <= answer.upper);
    }
    for max_tests in [0, 1, 8, 16, 20, 50] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let cut = tree.closest_face(p, limits, &mut cache).unwrap();
        assert!(cache.work().tests() <= max_tests);
        assert!(cut.lower <= least && least <= cut.upper, "{cut:?} {least}");
    }
}

#[test]
fn points_on_the_grid_have_the_nearest_faces_of_all() {
    let mut rng = Rng::new(21);
    for i in 0..60 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let n = rng.below(80) as usize;
        let mesh = meshes::grid_soup(&mut rng, n, range);
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for _ in 0..6 {
            check(
                &mesh,
                &tree,
                grid::point(&mut rng, (range.0 - 2, range.1 + 2)),
            );
        }
    }
}

#[test]
fn random_points_have_the_nearest_faces_of_all() {
    let mut rng = Rng::new(22);
    let models = [
        generate::gear(12, 4, 1.0, 0.3).unwrap(),
        generate::icosphere(1.0, 6).unwrap(),
        meshes::random_soup(&mut rng, 300, 0.3),
        meshes::random_soup(&mut rng, 300, 0.01),
    ];
    for mesh in models {
        let tree = WideTree::new(Arc::new(mesh.clone()));
        check(&mesh, &tree, DVec3::ZERO);
        for i in 0..40 {
            let far = [0.3, 1.0, 10.0, 30.0, 1e4, 1e9, 1e40][i % 7];
            check(&mesh, &tree, rng.cube() * far);
        }
    }
}

#[test]
fn scale_and_place_do_not_matter() {
    let mut rng = Rng::new(23);
    for (scale, offset) in [
        (1e-30, 0.0),
        (1e30, 0.0),
        (1.0, 1e9),
        (1e-6, 1e3),
        (1e-300, 0.0),
        (0.0, 2.0),
    ] {
        let (points, faces) = meshes::random_soup(&mut rng, 90, 0.4).into_parts();
        let points = points.iter().map(|&p| p * scale + DVec3::splat(offset));
        let mesh = TriMesh::new(points.collect(), faces).unwrap();
        let tree = WideTree::new(Arc::new(mesh.clone()));
        for _ in 0..8 {
            check(
                &mesh,
                &tree,
                rng.cube() * 3.0 * scale + DVec3::splat(offset),
            );
            check(&mesh, &tree, rng.cube() * 1e3);
        }
    }
}

#[test]
fn invalid_points_are_refused_and_sinks_may_stop() {
    let mesh = Arc::new(meshes::cuboid(DVec3::ZERO, DVec3::ONE));
    let tree = WideTree::new(mesh);
    let mut cache = SingleTreeCache::default();
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let p = DVec3::new(0.0, bad, 0.0);
        assert!(tree.closest_face(p, Limits::default(), &mut cache).is_err());
    }
    let p = DVec3::splat(0.5);
    let mut first = First::default();
    let outcome = tree.faces_within(p, 1.0, Limits::default(), &mut cache, &mut first);
    assert_eq!(outcome, Ok(Outcome::StoppedBySink));
    let mut count = Count::default();
    let _ = tree
        .faces_within(p, 1.0, Limits::default(), &mut cache, &mut count)
        .unwrap();
    assert_eq!(count.0, 12);
    let stop = || true;
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let stopped = tree.closest_face(p, limits, &mut cache).unwrap();
    assert_eq!(
        (stopped.outcome, stopped.value),
        (Outcome::OutOfBudget, None)
    );
}
