//! Trees tell the smallest distance of all face pairs, with bounds that hold whenever a limit ends the search.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bound::{BoundingVolume, Obb, Rss};
use impinge::bvh::engines::MeshEngine;
use impinge::bvh::tree::{Arity, Bvh, BvhCache, BvhConfig};
use impinge::bvh::{DistanceIndex, MeshIndex};
use impinge::geom::triangle_distance;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome, Separation};
use impinge::{Pose, TriMesh};
use impinge_testkit::for_every_volume;
use impinge_testkit::generate::{grid, meshes, poses};
use impinge_testkit::oracle;

/// The smallest distance over all face pairs, by the same function of two triangles.
fn smallest(a: &TriMesh, b: &TriMesh, pose: &Pose) -> f64 {
    let mut least = f64::INFINITY;
    for face_a in a.face_ids() {
        for face_b in b.face_ids() {
            let placed = b.face(face_b).unwrap().map(|p| *pose * p);
            least = least.min(triangle_distance(&a.face(face_a).unwrap(), &placed).distance);
        }
    }
    least
}

/// The exact smallest distance over all face pairs.
fn exact(a: &TriMesh, b: &TriMesh, pose: &Pose) -> (f64, f64) {
    let (mut lower, mut upper) = (f64::INFINITY, f64::INFINITY);
    for face_a in a.face_ids() {
        for face_b in b.face_ids() {
            let placed = b.face(face_b).unwrap().map(|p| *pose * p);
            let found = oracle::triangle_distance(&a.face(face_a).unwrap(), &placed);
            lower = lower.min(found.lower);
            upper = upper.min(found.upper);
        }
    }
    (lower, upper)
}

fn trees<V: BoundingVolume>(a: &TriMesh, b: &TriMesh, config: &BvhConfig) -> [Bvh<V>; 2] {
    [a, b].map(|m| Bvh::build(Arc::new(m.clone()), config))
}

/// Whether the points are where the distance says they are, up to rounding.
fn points_agree(s: &Separation) -> bool {
    let size = s.point_a.abs().max_element() + s.point_b.abs().max_element();
    ((s.point_a - s.point_b).length() - s.distance).abs() <= 1e-14 * size + 1e-300
}

fn is_smallest<V: BoundingVolume>() {
    let mut rng = Rng::new(1);
    let mut warm = BvhCache::default();
    for round in 0..60 {
        let (a, b) = if round % 2 == 0 {
            let range = grid::RANGES[round % 4];
            (
                meshes::grid_soup(&mut rng, 25, range),
                meshes::grid_soup(&mut rng, 1 + round, range),
            )
        } else {
            (
                meshes::random_soup(&mut rng, 30, 0.3),
                meshes::random_soup(&mut rng, 20, 0.6),
            )
        };
        let reach = [0.5, 3.0, 8.0, 1e6][round / 2 % 4];
        let pose = if round % 4 == 0 {
            poses::exact(&mut rng, reach as i64)
        } else {
            poses::random(&mut rng, reach)
        };
        let config = BvhConfig {
            arity: Arity::ALL[round % 3],
            leaf_faces: 1 + (round % 3) as u8,
            ..BvhConfig::default()
        };
        let [ta, tb] = trees::<V>(&a, &b, &config);
        let truth = smallest(&a, &b, &pose);
        let cold = ta.distance(&tb, &pose, Limits::default(), &mut BvhCache::default());
        let found = cold.value.unwrap();
        assert_eq!(cold.outcome, Outcome::Complete);
        assert_eq!(found.distance, truth, "{} round {round}", V::NAME);
        assert!(cold.lower <= truth && truth <= cold.upper);
        assert!(points_agree(&found), "{found:?}");
        // Warm or cold, for these meshes or others before: the same answer.
        let again = ta.distance(&tb, &pose, Limits::default(), &mut warm);
        assert_eq!(again, cold);
        let third = ta.distance(&tb, &pose, Limits::default(), &mut warm);
        assert_eq!(third, cold);
    }
}

#[test]
fn every_tree_tells_the_smallest_distance_of_all_pairs() {
    for_every_volume!(is_smallest);
}

fn is_bracketed<V: BoundingVolume>() {
    let mut rng = Rng::new(2);
    for round in 0..12 {
        let a = meshes::grid_soup(&mut rng, 8, (-4, 4));
        let b = meshes::random_soup(&mut rng, 7, 0.5);
        let pose = poses::random(&mut rng, [6.0, 1e5][round % 2]);
        let [ta, tb] = trees::<V>(&a, &b, &BvhConfig::default());
        let (lower, upper) = exact(&a, &b, &pose);
        let mut cache = BvhCache::default();
        let full = ta.distance(&tb, &pose, Limits::default(), &mut cache);
        assert!(full.lower <= upper && lower <= full.upper);
        let tests = Bvh::<V>::work(&cache).tests();
        for max_tests in (0..tests + 2).step_by(1 + tests as usize / 12) {
            let limits = Limits {
                max_tests: Some(max_tests),
                ..Limits::default()
            };
            let mut cache = BvhCache::default();
            let cut = ta.distance(&tb, &pose, limits, &mut cache);
            assert!(Bvh::<V>::work(&cache).tests() <= max_tests);
            assert!(
                cut.lower <= upper && lower <= cut.upper,
                "{}: {cut:?} {lower} {upper}",
                V::NAME
            );
            assert_eq!(cut.outcome == Outcome::Complete, max_tests >= tests);
            if let Some(found) = cut.value {
                assert!(found.distance <= cut.upper && points_agree(&found));
            }
        }
    }
}

#[test]
fn a_search_cut_short_still_brackets_the_exact_distance() {
    for_every_volume!(is_bracketed);
}

fn respects_the_limit<V: BoundingVolume>() {
    let mut rng = Rng::new(3);
    let mut cache = BvhCache::default();
    for _ in 0..20 {
        let a = meshes::random_soup(&mut rng, 20, 0.4);
        let b = meshes::random_soup(&mut rng, 20, 0.4);
        let pose = poses::random(&mut rng, 5.0);
        let [ta, tb] = trees::<V>(&a, &b, &BvhConfig::default());
        let truth = smallest(&a, &b, &pose);
        for max in [0.0, 0.5 * truth, truth, 2.0 * truth, -1.0, f64::NAN] {
            let limits = Limits {
                max_distance: Some(max),
                ..Limits::default()
            };
            let found = ta.distance(&tb, &pose, limits, &mut cache);
            let is_near = truth <= max.max(0.0) || max.is_nan();
            assert_eq!(found.value.map(|s| s.distance), is_near.then_some(truth));
            assert!(found.lower <= truth && truth <= found.upper, "{found:?}");
        }
    }
}

#[test]
fn nothing_further_than_the_limit_is_found_and_everything_nearer_is() {
    for_every_volume!(respects_the_limit);
}

#[test]
fn an_empty_mesh_is_infinitely_far_away() {
    let (empty, cube) = (TriMesh::default(), meshes::ball(1, 1.0));
    let [e, c] = trees::<Obb>(&empty, &cube, &BvhConfig::default());
    let mut cache = BvhCache::default();
    for (a, b) in [(&e, &c), (&c, &e), (&e, &e)] {
        let found = a.distance(b, &Pose::IDENTITY, Limits::default(), &mut cache);
        assert_eq!((found.value, found.lower), (None, f64::INFINITY));
    }
}

#[test]
fn a_search_that_is_told_to_stop_knows_nothing_wrong() {
    let ball = meshes::ball(4, 1.0);
    let [a, b] = trees::<Rss>(&ball, &ball, &BvhConfig::default());
    let pose = Pose::from_translation([3.0, 0.1, 0.2]).unwrap();
    let stop = || true;
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let found = a.distance(&b, &pose, limits, &mut BvhCache::default());
    assert_eq!(found.outcome, Outcome::OutOfBudget);
    assert!(found.lower <= 0.9 && found.upper >= 1.1);
}

#[test]
fn every_engine_of_the_registry_tells_the_same_distance() {
    let mut rng = Rng::new(5);
    for round in 0..10 {
        let a = Arc::new(meshes::ball(2, 1.0));
        let b = Arc::new(meshes::random_soup(&mut rng, 60, 0.3));
        let pose = poses::random(&mut rng, [1.0, 4.0][round % 2]);
        let truth = smallest(&a, &b, &pose);
        for engine in MeshEngine::ALL {
            if !engine.is_exact() {
                continue;
            }
            let mut pair = engine.prepare(a.clone(), b.clone());
            let mut pairs = Vec::new();
            let _ = pair.intersections(&pose, Limits::default(), &mut pairs);
            assert_eq!(pairs.is_empty(), truth > 0.0, "{engine}");
            assert!(pair.work().tests() > 0 && pair.bytes() > 0);
            let found = pair.distance(&pose, Limits::default());
            assert_eq!(found.is_some(), engine.answers_distance());
            if let Some(found) = found {
                let told = found.value.unwrap().distance;
                assert!((told - truth).abs() <= 1e-14 * (1.0 + truth), "{engine}");
            }
        }
    }
}
