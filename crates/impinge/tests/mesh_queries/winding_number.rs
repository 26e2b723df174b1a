//! Fast winding numbers keep their bounds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{SingleTreeCache, WideTree, WindingIndex};
use impinge::math::Rng;
use impinge::mesh::point_in_mesh::{InsideTest, winding_number};
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, TriMesh, generate};
use impinge_testkit::generate::meshes;

fn check(mesh: &TriMesh, points: impl IntoIterator<Item = DVec3>) {
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let index = WindingIndex::new(&tree);
    let mut cache = SingleTreeCache::default();
    for p in points {
        let sum = winding_number(mesh, p);
        let mut work = u64::MAX;
        for tolerance in [0.0, 1e-6, 1e-3, 1e-1] {
            let fast = index
                .winding_number(p, tolerance, Limits::default(), &mut cache)
                .unwrap();
            assert_eq!(fast.outcome, Outcome::Complete);
            assert!(
                fast.lower <= sum && sum <= fast.upper,
                "{p} {tolerance}: {fast:?} {sum}"
            );
            assert!(
                fast.upper - fast.lower <= 2.0 * tolerance + 1e-7,
                "{p} {fast:?}"
            );
            let tests = cache.work().tests();
            assert!(tests <= work.saturating_mul(2), "a looser bound costs more");
            work = tests;
        }
        for max_tests in [0, 8, 50, 500] {
            let limits = Limits {
                max_tests: Some(max_tests),
                ..Limits::default()
            };
            let cut = index.winding_number(p, 1e-3, limits, &mut cache).unwrap();
            assert!(cache.work().tests() <= max_tests);
            assert!(cut.lower <= sum && sum <= cut.upper);
        }
    }
}

fn cloud(rng: &mut Rng, n: usize, reach: f64) -> Vec<DVec3> {
    (0..n)
        .map(|i| rng.cube() * reach * [1.0, 0.3, 4.0, 1e3, 1e9][i % 5])
        .collect()
}

#[test]
fn closed_meshes_keep_the_bounds() {
    let mut rng = Rng::new(31);
    check(
        &generate::icosphere(1.0, 10).unwrap(),
        cloud(&mut rng, 60, 1.2),
    );
    check(
        &generate::torus_knot(2, 3, 0.3, 80, 10).unwrap(),
        cloud(&mut rng, 60, 3.0),
    );
    check(
        &generate::gear(16, 5, 1.0, 0.3).unwrap(),
        cloud(&mut rng, 60, 1.5),
    );
}

#[test]
fn open_meshes_and_soups_keep_the_bounds() {
    let mut rng = Rng::new(32);
    check(&generate::cloth(20, 20).unwrap(), cloud(&mut rng, 60, 1.0));
    let soup = meshes::random_soup(&mut rng, 500, 0.2);
    check(&soup, cloud(&mut rng, 60, 1.2));
    let flat = meshes::soup((0..40).map(|_| {
        let (p, d) = (rng.cube(), rng.cube());
        [p, p + d, p + d * 0.5]
    }));
    check(&flat, cloud(&mut rng, 20, 1.2));
    check(&TriMesh::default(), [DVec3::ZERO]);
}

#[test]
fn far_from_the_origin_and_small_is_no_worse() {
    let mut rng = Rng::new(33);
    let (points, faces) = generate::icosphere(1.0, 6).unwrap().into_parts();
    for (scale, offset) in [(1e-3, 1e3), (1e20, 0.0), (1e-20, 0.0)] {
        let moved = points.iter().map(|&p| p * scale + DVec3::splat(offset));
        let mesh = TriMesh::new(moved.collect(), faces.clone()).unwrap();
        let near = cloud(&mut rng, 20, 1.2 * scale);
        check(&mesh, near.iter().map(|&p| p + DVec3::splat(offset)));
    }
}

#[test]
fn the_whole_number_of_a_closed_mesh_lies_within_the_bounds() {
    let mut rng = Rng::new(34);
    let knot = generate::torus_knot(2, 3, 0.3, 80, 10).unwrap();
    let exact = InsideTest::new(&knot).unwrap();
    let tree = WideTree::new(Arc::new(knot.clone()));
    let index = WindingIndex::new(&tree);
    let mut cache = SingleTreeCache::default();
    let mut inside = 0;
    for _ in 0..300 {
        let p = rng.cube() * 3.0 * DVec3::new(1.0, 1.0, 0.5);
        let fast = index
            .winding_number(p, 0.01, Limits::default(), &mut cache)
            .unwrap();
        if let Some(truth) = exact.winding(p).unwrap() {
            let truth = truth as f64;
            assert!(
                fast.lower <= truth && truth <= fast.upper,
                "{p} {fast:?} {truth}"
            );
            inside += usize::from(truth > 0.5);
        }
    }
    assert!(inside > 10);
}

#[test]
fn on_the_surface_the_bounds_admit_that_nothing_is_certain() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::ONE);
    let tree = WideTree::new(Arc::new(cube));
    let index = WindingIndex::new(&tree);
    let mut cache = SingleTreeCache::default();
    for p in [[0.0; 3], [0.5, 0.5, 0.0], [0.25, 0.5, 1.0], [0.0, 0.0, 0.5]] {
        let fast = index
            .winding_number(DVec3::from(p), 0.0, Limits::default(), &mut cache)
            .unwrap();
        assert!(fast.lower <= 0.0 && 1.0 <= fast.upper, "{p:?} {fast:?}");
    }
    let nowhere = DVec3::splat(f64::NAN);
    assert!(
        index
            .winding_number(nowhere, 0.0, Limits::default(), &mut cache)
            .is_err()
    );
}

#[test]
fn a_loose_tolerance_looks_at_few_faces() {
    let ball = generate::icosphere(1.0, 40).unwrap();
    let tree = WideTree::new(Arc::new(ball));
    let index = WindingIndex::new(&tree);
    let mut cache = SingleTreeCache::default();
    let p = DVec3::new(0.2, 0.1, 0.3);
    let _ = index
        .winding_number(p, 0.01, Limits::default(), &mut cache)
        .unwrap();
    let tests = cache.work().tests();
    assert!(tests < 16_000 / 5, "{tests} tests for 16 000 faces");
}
