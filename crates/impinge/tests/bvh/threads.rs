//! The same bytes whatever the number of threads and the instructions.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::batch::{
    BatchOptions, distance_all, intersects_all, near_pairs_all, pairs_all, within_all,
};
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::bvh::{MeshIndex, Solid};
use impinge::math::Rng;
use impinge::math::simd::Level;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::generate::{meshes, poses};
use rayon::ThreadPoolBuilder;

/// What `ask` gives in pools of one, two and eight threads; they must agree.
fn in_pools<R: PartialEq + Send>(what: &str, ask: impl Fn() -> R + Sync) -> R {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build();
    let [one, two, eight] = [1, 2, 8].map(|n| pool(n).unwrap().install(&ask));
    assert!(one == two && two == eight, "{what} depends on the threads");
    one
}

fn models() -> Vec<(&'static str, Arc<TriMesh>)> {
    let mut rng = Rng::new(5);
    vec![
        ("nothing", Arc::default()),
        ("ball", Arc::new(meshes::ball(5, 1.0))),
        ("soup", Arc::new(meshes::random_soup(&mut rng, 4000, 0.05))),
        ("grid", Arc::new(meshes::grid_soup(&mut rng, 200, (-6, 6)))),
    ]
}

/// Poses at random, and a path.
fn places() -> Vec<Pose> {
    let mut rng = Rng::new(6);
    let mut places: Vec<Pose> = (0..40).map(|_| poses::random(&mut rng, 2.2)).collect();
    let axis = rng.direction();
    for i in 0..40 {
        let shift = DVec3::new(2.2 - 0.04 * f64::from(i), 0.0, 0.1);
        places.push(Pose::from_axis_angle(axis, 0.01 * f64::from(i), shift).unwrap());
    }
    places
}

/// Every number of a tree, and its file.
fn bytes_of(tree: &WideTree) -> (String, Vec<u8>) {
    let mut file = Vec::new();
    tree.save(&mut file).unwrap();
    (format!("{tree:?}"), file)
}

#[test]
fn trees_and_their_files_are_the_same() {
    for (name, mesh) in models() {
        let (_, file) = in_pools(name, || bytes_of(&WideTree::new(mesh.clone())));
        in_pools(name, || {
            bytes_of(&WideTree::load(mesh.clone(), &file).unwrap())
        });
    }
}

#[test]
fn batches_are_the_same_and_equal_to_one_question_at_a_time() {
    let places = places();
    for (name, mesh) in models() {
        let tree = WideTree::new(mesh.clone());
        for level in [None, Some(Level::Portable), Some(Level::detect())] {
            for is_path in [false, true] {
                let options = BatchOptions {
                    level,
                    is_path,
                    ..BatchOptions::default()
                };
                let places = if level.is_none() {
                    &places
                } else {
                    &places[30..50]
                };
                let met = in_pools(name, || intersects_all(&tree, &tree, places, &options));
                let pairs = in_pools(name, || pairs_all(&tree, &tree, places, &options));
                let near = in_pools(name, || {
                    near_pairs_all(&tree, &tree, &places[..9], 0.01, &options)
                });
                let within = in_pools(name, || within_all(&tree, &tree, places, 0.1, &options));
                let distance = in_pools(name, || distance_all(&tree, &tree, places, &options));
                let (mut cache, limits) = (WideCache::default(), Limits::default());
                for (i, pose) in places.iter().enumerate().step_by(7) {
                    let mut all = Vec::new();
                    let _ = tree.intersections(&tree, pose, limits, &mut cache, &mut all);
                    assert_eq!(pairs[i].pairs, all);
                    assert_eq!(met[i].pair, all.first().copied());
                    if let Some(near) = near.get(i) {
                        let mut one = Vec::new();
                        let _ = tree.near_pairs(&tree, pose, 0.01, limits, &mut cache, &mut one);
                        assert_eq!(near.pairs, one);
                    }
                    assert_eq!(within[i], tree.within(&tree, pose, 0.1, limits, &mut cache));
                    cache.forget();
                    let one = tree.distance(&tree, pose, limits, &mut cache);
                    let by = |s: impinge::query::Separation| s.distance;
                    assert_eq!(distance[i].value.map(by), one.value.map(by));
                    if one.value.map(by) != Some(0.0) {
                        assert_eq!(distance[i], one, "{name} {i}");
                    }
                }
            }
        }
    }
}

#[test]
fn answers_cut_short_are_the_same() {
    let (tree, places) = (WideTree::new(Arc::new(meshes::ball(5, 1.0))), places());
    for max_tests in [1, 100, 1000] {
        for is_path in [false, true] {
            let options = BatchOptions {
                max_tests: Some(max_tests),
                max_distance: Some(1.0),
                is_path,
                ..BatchOptions::default()
            };
            let pairs = in_pools("pairs", || pairs_all(&tree, &tree, &places, &options));
            in_pools("distance", || distance_all(&tree, &tree, &places, &options));
            assert!(pairs.iter().any(|p| p.outcome == Outcome::OutOfBudget));
        }
    }
    let options = BatchOptions {
        stop: Some(&|| true),
        ..BatchOptions::default()
    };
    let stopped = pairs_all(&tree, &tree, &places, &options);
    assert!(stopped.iter().all(|p| p.outcome == Outcome::OutOfBudget));
}

#[test]
fn rays_and_places_of_many_points_are_the_same() {
    let tree = WideTree::new(Arc::new(meshes::ball(5, 1.0)));
    let solid = Solid::closed(&tree).unwrap();
    let mut rng = Rng::new(8);
    let points: Vec<DVec3> = (0..500).map(|_| rng.cube() * 1.2).collect();
    in_pools("places", || solid.locate_all(&points).unwrap());
    let lines: Vec<_> = points
        .iter()
        .map(|p| impinge::bvh::wide::RayOrSegment::ray(*p, rng.direction()).unwrap())
        .collect();
    in_pools("hits", || tree.first_hits(&lines, None));
}

#[test]
fn every_instruction_set_gives_the_same_bytes() {
    let places = places();
    for (name, mesh) in models() {
        let tree = WideTree::new(mesh);
        let ask = |level| {
            let options = BatchOptions {
                level: Some(level),
                ..BatchOptions::default()
            };
            (
                intersects_all(&tree, &tree, &places, &options),
                pairs_all(&tree, &tree, &places[..30], &options),
                near_pairs_all(&tree, &tree, &places[..9], 0.01, &options),
                within_all(&tree, &tree, &places, 0.1, &options),
                distance_all(&tree, &tree, &places, &options),
            )
        };
        let portable = ask(Level::Portable);
        assert!(ask(Level::detect()) == portable, "{name}");
    }
}
