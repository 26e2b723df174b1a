//! Searching for crossings allocates nothing once its scratch has grown.

use impinge::Pose;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Count, Limits};
use impinge_testkit::allocations::count;

#[test]
fn searches_allocate_nothing_once_the_scratch_has_grown() {
    let mut rng = Rng::new(1);
    let cloud = PointCloud::from_points((0..4000).map(|_| rng.direction())).unwrap();
    let graph = ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap();
    let surface = CloudSurface::new(graph.into(), SurfaceOptions::default()).unwrap();
    let poses: Vec<Pose> = (0..40)
        .map(|_| Pose::from_translation(rng.direction() * rng.range(0.2, 2.2)).unwrap())
        .collect();
    for completion in [BracketCompletion::Influence, BracketCompletion::Annulus] {
        let options = InterpolationSearchOptions {
            completion,
            ..InterpolationSearchOptions::default()
        };
        let mut scratch = InterpolationSearchScratch::default();
        let mut run = || {
            let before = count();
            let mut found = Count::default();
            for pose in &poses {
                let limits = Limits::default();
                find_crossings(
                    &surface,
                    &surface,
                    pose,
                    None,
                    &options,
                    limits,
                    &mut scratch,
                    &mut found,
                );
                closest_approach(&surface, &surface, pose, &options, limits, &mut scratch);
            }
            assert!(found.0 > 0);
            count() - before
        };
        run();
        assert_eq!(run(), 0, "{completion:?}");
    }
}
