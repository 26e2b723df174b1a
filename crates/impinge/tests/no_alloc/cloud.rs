//! Evaluating the surface of a cloud, and asking whether two meet, allocates nothing once the memory has grown.

use std::sync::Arc;

use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DVec3, Pose};
use impinge_testkit::allocations::count;

#[test]
fn evaluations_allocate_nothing_once_the_scratch_has_grown() {
    let mut rng = Rng::new(1);
    let cloud = PointCloud::from_points((0..2000).map(|_| rng.direction())).unwrap();
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap());
    let places: Vec<DVec3> = (0..500)
        .map(|_| rng.direction() * rng.range(0.8, 1.2))
        .collect();
    for distance in [
        WeightDistance::Euclidean,
        WeightDistance::Geodesic,
        WeightDistance::Shortest,
        WeightDistance::Hops,
        WeightDistance::Averaged(0.3),
    ] {
        let options = SurfaceOptions {
            distance,
            ..SurfaceOptions::default()
        };
        let surface = CloudSurface::new(graph.clone(), options).unwrap();
        let mut scratch = EvaluationScratch::default();
        let mut run = || {
            let before = count();
            for &x in &places {
                let _ = surface.evaluate(x, &mut scratch);
            }
            count() - before
        };
        run();
        assert_eq!(run(), 0, "{distance:?}");
    }
}

#[test]
fn questions_about_two_clouds_allocate_nothing_once_they_were_asked() {
    let mut rng = Rng::new(2);
    let cloud = PointCloud::from_points((0..2000).map(|_| rng.direction())).unwrap();
    let graph = Arc::new(ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap());
    let surface = Arc::new(CloudSurface::new(graph, SurfaceOptions::default()).unwrap());
    let tree = Arc::new(CloudTree::new(surface, &CloudTreeOptions::default()).unwrap());
    let poses: Vec<Pose> = (0..12)
        .map(|_| Pose::from_translation(rng.direction() * rng.range(0.5, 2.3)).unwrap())
        .collect();
    let brackets = LeafTest::Crossings(InterpolationSearchOptions::default());
    for leaf in [
        LeafTest::default(),
        LeafTest::Random { tests: 20 },
        brackets,
    ] {
        let options = CloudCollisionOptions {
            leaf,
            ..CloudCollisionOptions::default()
        };
        let mut question = CloudCollision::new(tree.clone(), tree.clone(), options);
        let mut run = || {
            let before = count();
            for pose in &poses {
                let _ = question.at(pose, Limits::default());
                let _ = question.distance(pose, Limits::default());
            }
            count() - before
        };
        run();
        assert_eq!(run(), 0, "{leaf:?}");
    }
}
