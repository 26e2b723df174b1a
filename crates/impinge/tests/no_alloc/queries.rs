//! Questions do not allocate once their caches are warm.

use std::sync::Arc;

use impinge::bvh::engines::MeshEngine;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideCache, WideTree, WindingIndex};
use impinge::bvh::{FaceSweep, FaceSweepCache, MeshIndex};
use impinge::ccd::{ImpactCache, ImpactOptions, impact};
use impinge::convex::{FeatureWalk, Polyhedron, feature_walk};
use impinge::depth::{
    DepthOptions, Solid, deepest_point, distance_gradient, penetration_depth,
    separating_translation, signed_distance,
};
use impinge::math::{Motion, Rng};
use impinge::pair::{ImpactQuery, MeshShape, PairConfig, Shape};
use impinge::query::{Count, FacePair, Limits, NearPair};
use impinge::voxmap::{Pointshell, Voxmap, VoxmapQuery};
use impinge::{DVec3, Pose, TriMesh};
use impinge_testkit::allocations;
use impinge_testkit::generate::meshes;

use crate::engines::{ROUNDS, asks_without_allocating, places};

fn trees() -> [WideTree; 2] {
    let soup = meshes::random_soup(&mut Rng::new(4), 3000, 0.2);
    [meshes::ball(5, 1.0), soup].map(|mesh| WideTree::new(Arc::new(mesh)))
}

#[test]
fn a_walk_between_features_does_not_allocate() {
    let mut rng = Rng::new(12);
    let [a, b] = [200, 300].map(|count| {
        let points: Vec<DVec3> = (0..count).map(|_| rng.direction()).collect();
        Polyhedron::new(&points).unwrap()
    });
    let path: Vec<Pose> = (0..200)
        .map(|i| {
            let t = f64::from(i) * 0.002;
            Pose::from_axis_angle([1.0, 0.5, 0.2], t, [2.4, 0.5 * t, 0.3]).unwrap()
        })
        .collect();
    let mut state = FeatureWalk::new();
    let mut apart = 0;
    asks_without_allocating("walk", &path, |pose| {
        apart += u32::from(feature_walk(&a, &b, pose, &mut state).lower > 0.0);
    });
    assert_eq!(apart, 200 * ROUNDS);
}

#[test]
fn counting_counts() {
    let before = allocations::count();
    let kept = std::hint::black_box(vec![1_u8]);
    assert_eq!(allocations::count(), before + 1);
    drop(kept);
}

#[test]
fn questions_about_two_trees_do_not_allocate() {
    let (places, limits) = (places(), Limits::default());
    let ([a, b], mut cache) = (trees(), WideCache::default());
    asks_without_allocating("any intersection", &places, |pose| {
        a.intersects(&b, pose, &mut cache);
    });
    let mut pairs: Vec<FacePair> = Vec::with_capacity(1 << 20);
    asks_without_allocating("all pairs", &places, |pose| {
        pairs.clear();
        let _ = a.intersections(&b, pose, limits, &mut cache, &mut pairs);
    });
    asks_without_allocating("distance", &places, |pose| {
        cache.forget();
        let _ = a.distance(&b, pose, limits, &mut cache);
    });
    asks_without_allocating("warm distance", &places, |pose| {
        let _ = a.distance(&b, pose, limits, &mut cache);
    });
    asks_without_allocating("tolerance", &places, |pose| {
        a.is_within(&b, pose, 0.1, &mut cache);
        let _ = a.within(&b, pose, 0.1, limits, &mut cache);
    });
    let mut near: Vec<NearPair> = Vec::with_capacity(1 << 20);
    asks_without_allocating("near pairs", &places, |pose| {
        near.clear();
        let _ = a.near_pairs(&b, pose, 0.02, limits, &mut cache, &mut near);
    });
    asks_without_allocating("own pairs", &[()], |()| {
        let mut count = Count::default();
        let _ = b.self_intersections(&Default::default(), limits, &mut cache, &mut count);
    });
}

#[test]
fn times_of_impact_do_not_allocate() {
    let (places, limits) = (places(), Limits::default());
    let ([a, _], mut cache) = (trees(), ImpactCache::default());
    let motions: Vec<_> = places
        .chunks_exact(2)
        .take(12)
        .map(|ends| {
            let far = |pose: &Pose| Pose::new(*pose.rotation(), pose.translation() * 2.0).unwrap();
            Motion::between(&far(&ends[0]), &far(&ends[1]))
        })
        .collect();
    let (still, options) = (Motion::still(&Pose::IDENTITY), ImpactOptions::default());
    asks_without_allocating("impact", &motions, |motion| {
        let _ = impact(&a, &a, &still, motion, &options, limits, &mut cache);
    });
}

#[test]
fn impacts_of_two_surfaces_do_not_allocate() {
    let soup = meshes::random_soup(&mut Rng::new(4), 800, 0.2);
    let [ball, soup] =
        [meshes::ball(4, 1.0), soup].map(|mesh| Shape::from(MeshShape::new(Arc::new(mesh))));
    let still = Motion::still(&Pose::IDENTITY);
    let far = |pose: &Pose| Pose::new(*pose.rotation(), pose.translation() * 2.0).unwrap();
    let motions: Vec<Motion> = places()
        .chunks_exact(2)
        .take(12)
        .map(|ends| Motion::between(&far(&ends[0]), &far(&ends[1])))
        .collect();
    for (a, b) in [(&ball, &ball), (&ball, &soup)] {
        let mut query = ImpactQuery::new(a, b, &PairConfig::default()).unwrap();
        let mut hits = 0;
        asks_without_allocating("impact of shapes", &motions, |motion| {
            let hit = query.during(&still, motion, Limits::default());
            hits += u32::from(hit.value.is_some());
        });
        assert!(hits > 0 && hits % ROUNDS == 0, "all rounds find the same");
    }
}

#[test]
fn voxels_and_points_do_not_allocate() {
    let torus = impinge::generate::torus(1.0, 0.4, 24, 12).unwrap();
    let (map, shell) = (
        Voxmap::new(&torus, 40).unwrap(),
        Pointshell::new(&torus, 30).unwrap(),
    );
    let query = VoxmapQuery::new(&map, &shell);
    let budget = Limits {
        max_tests: Some(500),
        ..Limits::default()
    };
    let mut pressing = 0;
    for limits in [Limits::default(), budget] {
        asks_without_allocating("voxels and points", &places(), |pose| {
            pressing += u32::from(query.at(pose, limits).penetrating > 0);
        });
    }
    assert!(pressing > 0);
    asks_without_allocating("layers", &[DVec3::ZERO, DVec3::X], |p| {
        let _ = map.layer_at(*p);
    });
}

#[test]
fn questions_about_depth_do_not_allocate() {
    // Nearly convex, convex, and neither.
    let meshes = [
        meshes::ball(4, 1.0),
        impinge::generate::torus(1.0, 0.4, 24, 12).unwrap(),
    ];
    let trees = meshes.map(|mesh| WideTree::new(Arc::new(mesh)));
    let [ball, torus] = [0, 1].map(|i| Solid::closed(&trees[i]).unwrap());
    let places: Vec<Pose> = places().into_iter().take(12).collect();
    let (options, mut cache) = (DepthOptions::default(), WideCache::default());
    let limits = Limits {
        max_tests: Some(20_000),
        ..Limits::default()
    };
    for (a, b) in [(&ball, &ball), (&ball, &torus), (&torus, &torus)] {
        asks_without_allocating("relation", &places, |pose| {
            let _ = a.relation(b, pose, &mut cache);
            let _ = a.intersects(b, pose, &mut cache);
        });
        asks_without_allocating("deepest point", &places, |pose| {
            let _ = deepest_point(a, b, pose, &options, limits, &mut cache);
        });
        asks_without_allocating("way out", &places, |pose| {
            let _ = penetration_depth(a, b, pose, &options, limits, &mut cache);
        });
        asks_without_allocating("way out along a direction", &places, |pose| {
            let _ = separating_translation(a, b, pose, DVec3::X, limits, &mut cache);
        });
        asks_without_allocating("signed distance", &places, |pose| {
            let _ = signed_distance(a, b, pose, &options, limits, &mut cache);
        });
        asks_without_allocating("gradient of distance", &places, |pose| {
            let _ = distance_gradient(a.tree(), b.tree(), pose, DVec3::ZERO, &mut cache);
        });
    }
}

#[test]
fn questions_about_one_tree_do_not_allocate() {
    let ([tree, _], limits) = (trees(), Limits::default());
    let (mut rng, mut cache) = (Rng::new(9), SingleTreeCache::default());
    let points: Vec<DVec3> = (0..100).map(|_| rng.cube() * 1.5).collect();
    let lines: Vec<RayOrSegment> = points
        .iter()
        .map(|p| RayOrSegment::ray(*p, rng.direction()).unwrap())
        .collect();
    asks_without_allocating("first hit", &lines, |line| {
        let _ = tree.first_hit(line, limits, &mut cache);
    });
    asks_without_allocating("one of many rays", &lines, |line| {
        let _ = tree.cast_ray(line, None, &mut cache);
    });
    asks_without_allocating("all hits", &lines, |line| {
        let mut count = Count::default();
        let _ = tree.hits(line, limits, &mut cache, &mut count);
    });
    asks_without_allocating("closest face", &points, |p| {
        let _ = tree.closest_face(*p, limits, &mut cache).unwrap();
    });
    let mut nearest = Vec::with_capacity(64);
    asks_without_allocating("nearest faces", &points, |p| {
        let _ = tree.nearest_faces(*p, 8, limits, &mut cache, &mut nearest);
    });
    asks_without_allocating("faces within", &points, |p| {
        let mut count = Count::default();
        let _ = tree.faces_within(*p, 0.2, limits, &mut cache, &mut count);
    });
    let winding = WindingIndex::new(&tree);
    asks_without_allocating("winding number", &points, |p| {
        let _ = winding.winding_number(*p, 0.01, limits, &mut cache);
    });
}

#[test]
fn the_engine_without_a_tree_does_not_allocate() {
    let places = places();
    let mesh = Arc::new(meshes::ball(4, 1.0));
    let index = FaceSweep::build(mesh, &Default::default());
    let (mut cache, limits) = (FaceSweepCache::default(), Limits::default());
    asks_without_allocating("face sweep", &places, |pose| {
        let mut count = Count::default();
        let _ = index.intersections(&index, pose, limits, &mut cache, &mut count);
    });
}

/// Coincident copies: every pair of boxes overlaps, down to the leaves.
#[test]
fn stacks_stay_small_when_every_pair_meets() {
    let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let stack = Arc::new(TriMesh::new(points, vec![[0, 1, 2]; 500]).unwrap());
    let engines = MeshEngine::ALL
        .into_iter()
        .filter(|e| e.answers_distance() && e.is_exact());
    for engine in engines {
        let mut pair = engine.prepare(stack.clone(), stack.clone());
        let before = allocations::bytes();
        let mut count = Count::default();
        let _ = pair.intersections(&Pose::IDENTITY, Limits::default(), &mut count);
        let bytes = allocations::bytes() - before;
        assert_eq!(count.0, 250_000, "{engine}");
        // A stack that held every pair would take megabytes.
        assert!(bytes < 1 << 18, "{engine}: {bytes} bytes");
    }
}
