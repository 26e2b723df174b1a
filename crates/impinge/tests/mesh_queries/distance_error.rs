//! Distances with a permitted error: found, within the error, and bracketed.

use std::sync::Arc;

use impinge::bvh::wide::{DistanceError, WideCache, WideTree};
use impinge::generate::{blob, cuboid, torus_knot};
use impinge::math::Rng;
use impinge::query::Limits;
use impinge::{DVec3, Pose};

#[test]
fn a_permitted_error_is_kept_and_never_hides_the_answer() {
    let meshes = [
        cuboid(DVec3::ONE, [1; 3]).unwrap(),
        cuboid(DVec3::ONE, [4; 3]).unwrap(),
        blob(6).unwrap(),
        torus_knot(2, 3, 0.4, 60, 8).unwrap(),
    ];
    let trees = meshes.map(|mesh| WideTree::new(Arc::new(mesh)));
    let mut rng = Rng::new(11);
    for a in &trees {
        for b in &trees {
            for _ in 0..20 {
                let at = rng.direction() * rng.range(0.5, 12.0);
                let pose =
                    Pose::from_axis_angle(rng.direction(), rng.range(-3.0, 3.0), at).unwrap();
                let exact = a.distance(b, &pose, Limits::default(), &mut WideCache::default());
                let truth = exact.value.map_or(f64::NAN, |s| s.distance);
                for (absolute, relative) in
                    [(0.0, 0.1), (0.0, 0.5), (0.0, 1.0), (0.3, 0.0), (50.0, 0.0)]
                {
                    let error = DistanceError { absolute, relative };
                    let cache = &mut WideCache::default();
                    let found = a.distance_within(b, &pose, error, Limits::default(), cache);
                    let distance = found.value.map_or(f64::INFINITY, |s| s.distance);
                    assert!(found.lower <= truth + 1e-12 && truth <= found.upper + 1e-12);
                    let most = truth + absolute + relative * distance;
                    assert!(
                        truth <= distance + 1e-12 && distance <= most + 1e-12,
                        "{distance} for {truth}, {error:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn nothing_within_the_largest_distance_is_still_nothing() {
    let tree = WideTree::new(Arc::new(cuboid(DVec3::ONE, [1; 3]).unwrap()));
    let aside = Pose::from_translation([1.5, 0.0, 0.0]).unwrap();
    let error = DistanceError {
        absolute: 0.0,
        relative: 0.5,
    };
    for (most, is_found) in [(0.25, false), (0.75, true)] {
        let limits = Limits {
            max_distance: Some(most),
            ..Limits::default()
        };
        let found = tree.distance_within(&tree, &aside, error, limits, &mut WideCache::default());
        assert_eq!(found.value.is_some(), is_found, "{found:?}");
        assert!(found.lower <= 0.5 && 0.5 <= found.upper);
    }
}
