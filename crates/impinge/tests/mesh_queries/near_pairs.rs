//! Pairs of near faces are those that measuring every pair finds.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::engines::MeshEngine;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::geom::triangle_distance;
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::query::{Count, FacePair, Limits, NearPair, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

/// Every pair and its distance.
fn all(a: &TriMesh, b: &TriMesh, pose: &Pose) -> Vec<(FacePair, f64)> {
    let placed = b.placed(pose).unwrap();
    let mut pairs = Vec::new();
    for fa in a.face_ids() {
        for fb in b.face_ids() {
            let distance =
                triangle_distance(&a.face(fa).unwrap(), &placed.face(fb).unwrap()).distance;
            pairs.push((FacePair { a: fa, b: fb }, distance));
        }
    }
    pairs
}

fn ask(
    a: &WideTree,
    b: &WideTree,
    pose: &Pose,
    distance: f64,
    cache: &mut WideCache,
) -> Vec<NearPair> {
    let mut found = Vec::new();
    let outcome = a.near_pairs(b, pose, distance, Limits::default(), cache, &mut found);
    assert_eq!(outcome, Outcome::Complete);
    found
}

fn check(a: &TriMesh, b: &TriMesh, pose: &Pose, distance: f64, warm: &mut WideCache) {
    let tree = |mesh: &TriMesh| WideTree::new(Arc::new(mesh.clone()));
    let (tree_a, tree_b) = (tree(a), tree(b));
    let truth: Vec<_> = all(a, b, pose)
        .into_iter()
        .filter(|(_, d)| *d <= distance)
        .collect();
    let expected = ask(&tree_a, &tree_b, pose, distance, &mut WideCache::default());
    let mut sorted: Vec<_> = expected
        .iter()
        .map(|p| (p.faces, p.separation.distance))
        .collect();
    sorted.sort_unstable_by_key(|(pair, _)| *pair);
    assert_eq!(sorted, truth, "{distance} {pose:?}");
    // The same bytes in the same order by any instructions, with any cache.
    assert_eq!(ask(&tree_a, &tree_b, pose, distance, warm), expected);
    for level in Level::available() {
        let mut cache = WideCache::with_level(level);
        assert_eq!(ask(&tree_a, &tree_b, pose, distance, &mut cache), expected);
    }
    let mut cache = WideCache::default();
    let limits = Limits::default();
    let one = tree_a.within(&tree_b, pose, distance, limits, &mut cache);
    assert_eq!(one.value.is_some(), !truth.is_empty());
    assert_eq!(one.value, expected.first().map(|p| p.separation));
    for cache in [&mut cache, warm] {
        assert_eq!(
            tree_a.is_within(&tree_b, pose, distance, cache),
            !truth.is_empty()
        );
    }
    let least = all(a, b, pose)
        .iter()
        .fold(f64::INFINITY, |m, x| m.min(x.1));
    assert!(one.lower <= least && least <= one.upper, "{one:?} {least}");
    // A budget yields the beginning of the list.
    for max_tests in [0, 1, 9, 40, 200, 1000] {
        let limits = Limits {
            max_tests: Some(max_tests),
            ..Limits::default()
        };
        let mut part = Vec::new();
        let cache = &mut WideCache::default();
        let outcome = tree_a.near_pairs(&tree_b, pose, distance, limits, cache, &mut part);
        assert_eq!(part, expected[..part.len()]);
        assert!(outcome == Outcome::OutOfBudget || part.len() == expected.len());
        let cut = tree_a.within(&tree_b, pose, distance, limits, cache);
        assert!(cut.lower <= least && least <= cut.upper);
    }
}

#[test]
fn grid_soups_have_the_measured_pairs() {
    let mut rng = Rng::new(1);
    let mut warm = WideCache::default();
    for i in 0..120 {
        let range = grid::RANGES[i % grid::RANGES.len()];
        let (n, m) = (rng.below(40) as usize, rng.below(40) as usize);
        let a = meshes::grid_soup(&mut rng, n, range);
        let b = meshes::grid_soup(&mut rng, m, range);
        let pose = poses::exact(&mut rng, (i % 5) as i64 * 2);
        // Distances of grid points are often exactly these.
        let distance = [0.0, 1.0, 2.0, 2_f64.sqrt(), 0.5][i % 5];
        check(&a, &b, &pose, distance, &mut warm);
    }
}

#[test]
fn random_soups_have_the_measured_pairs_at_every_scale() {
    let mut rng = Rng::new(2);
    let mut warm = WideCache::default();
    for i in 0..60 {
        let scale = [1.0, 1e-6, 1e6][i % 3];
        let offset = [0.0, 1e6][i % 2] * rng.cube();
        let moved = |mesh: &TriMesh, by: DVec3| {
            let positions = mesh.positions().iter().map(|p| *p * scale + by);
            TriMesh::new(positions.collect(), mesh.faces().to_vec()).unwrap()
        };
        let size = rng.range(0.05, 0.8);
        let a = moved(&meshes::random_soup(&mut rng, 50, size), offset);
        let b = moved(&meshes::random_soup(&mut rng, 40, size), DVec3::ZERO);
        let place = poses::random(&mut rng, 2.0);
        let translation = place.translation() * scale + offset;
        let pose = Pose::new(*place.rotation(), translation).unwrap();
        let mut distances: Vec<f64> = all(&a, &b, &pose).into_iter().map(|p| p.1).collect();
        distances.sort_unstable_by(f64::total_cmp);
        // Exactly the distance of some pair, where rounding decides.
        check(&a, &b, &pose, distances[i * 7 % 500], &mut warm);
    }
}

#[test]
fn lopsided_and_far_pairs_have_the_measured_pairs() {
    let mut rng = Rng::new(3);
    let mut warm = WideCache::default();
    for i in 0..24 {
        let a = meshes::random_soup(&mut rng, 20, 0.5);
        let scale = [1e-12, 1e12, 1.0][i % 3];
        let small = meshes::random_soup(&mut rng, 20, 0.5);
        let positions = small.positions().iter().map(|p| *p * scale).collect();
        let b = TriMesh::new(positions, small.faces().to_vec()).unwrap();
        let reach = [0.5, 1e12, 1e4][i % 3];
        let pose = poses::random(&mut rng, reach);
        let mut distances: Vec<f64> = all(&a, &b, &pose).into_iter().map(|p| p.1).collect();
        distances.sort_unstable_by(f64::total_cmp);
        check(&a, &b, &pose, distances[i * 3], &mut warm);
        check(&a, &b, &pose, distances[0] * 0.5, &mut warm);
    }
}

#[test]
fn distances_that_make_no_sense_have_no_pairs_and_infinity_has_all() {
    let mesh = Arc::new(meshes::random_soup(&mut Rng::new(4), 30, 0.4));
    let tree = WideTree::new(mesh);
    let empty = WideTree::new(Arc::default());
    let mut cache = WideCache::default();
    for distance in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        assert!(ask(&tree, &tree, &Pose::IDENTITY, distance, &mut cache).is_empty());
        assert!(!tree.is_within(&tree, &Pose::IDENTITY, distance, &mut cache));
    }
    for distance in [f64::INFINITY, f64::MAX, 1e300] {
        let found = ask(&tree, &tree, &Pose::IDENTITY, distance, &mut cache);
        assert_eq!(found.len(), 900);
        assert!(ask(&tree, &empty, &Pose::IDENTITY, distance, &mut cache).is_empty());
        assert!(ask(&empty, &tree, &Pose::IDENTITY, distance, &mut cache).is_empty());
    }
}

#[test]
fn meshes_far_apart_cost_one_test() {
    let tree = WideTree::new(Arc::new(meshes::ball(4, 1.0)));
    let mut cache = WideCache::default();
    let mut count = Count::default();
    for x in [3.0, 100.0, 1e6, 1e20, 1e40] {
        let pose = Pose::from_translation([x, 0.0, 0.0]).unwrap();
        let limits = Limits {
            max_tests: Some(1),
            ..Limits::default()
        };
        let outcome = tree.near_pairs(&tree, &pose, 0.5, limits, &mut cache, &mut count);
        assert_eq!((outcome, count.0), (Outcome::Complete, 0), "{x}");
        assert!(!tree.is_within(&tree, &pose, 0.5, &mut cache));
        assert!(!tree.intersects(&tree, &pose, &mut cache));
    }
}

#[test]
fn near_pairs_hold_the_exact_distances() {
    let mut rng = Rng::new(6);
    for _ in 0..10 {
        let a = meshes::random_soup(&mut rng, 12, 0.5);
        let b = meshes::random_soup(&mut rng, 12, 0.5);
        let pose = poses::random(&mut rng, 1.0);
        let tree = |mesh: &TriMesh| WideTree::new(Arc::new(mesh.clone()));
        let found = ask(&tree(&a), &tree(&b), &pose, 0.7, &mut WideCache::default());
        let placed = b.placed(&pose).unwrap();
        let mut count = 0;
        for fa in a.face_ids() {
            for fb in b.face_ids() {
                let truth =
                    oracle::triangle_distance(&a.face(fa).unwrap(), &placed.face(fb).unwrap());
                let pair = found.iter().find(|p| p.faces == FacePair { a: fa, b: fb });
                // Random distances are nowhere near the threshold.
                assert_eq!(pair.is_some(), truth.upper <= 0.7);
                if let Some(pair) = pair {
                    count += 1;
                    assert!((pair.separation.distance - truth.upper).abs() < 1e-14);
                }
            }
        }
        assert_eq!(count, found.len());
    }
}

#[test]
fn every_engine_that_tells_distances_agrees_on_a_tolerance() {
    let mut rng = Rng::new(7);
    for _ in 0..30 {
        let a = Arc::new(meshes::random_soup(&mut rng, 30, 0.5));
        let b = Arc::new(meshes::random_soup(&mut rng, 30, 0.5));
        let pose = poses::random(&mut rng, 2.5);
        let least = all(&a, &b, &pose)
            .iter()
            .fold(f64::INFINITY, |m, x| m.min(x.1));
        for engine in MeshEngine::ALL {
            let mut pair = engine.prepare(a.clone(), b.clone());
            for (distance, expected) in [
                (least, true),
                (least * 1.1, true),
                (least * 0.9, least == 0.0),
            ] {
                let answer = pair.within(&pose, distance, Limits::default());
                assert_eq!(answer.is_some(), engine.answers_distance(), "{engine}");
                if let Some(answer) = answer {
                    assert_eq!(
                        answer.value.is_some(),
                        expected,
                        "{engine} {least} {distance}"
                    );
                    assert!(
                        answer.lower <= least * (1.0 + 1e-12)
                            && least <= answer.upper * (1.0 + 1e-12)
                    );
                }
            }
        }
    }
}
