//! Moving and overlapping bodies: time of impact, depth, derivatives.

use impinge::DVec3;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::ccd::{ImpactCache, ImpactOptions, contacts_at, impact, relative_pose};
use impinge::depth::{
    DepthOptions, Solid, deepest_point, deepest_point_of_a, distance_gradient, penetration_depth,
    separating_translation, signed_distance,
};
use impinge::generate::cuboid;
use impinge::math::{Rng, is_valid_point};
use impinge::query::{Count, Limits, Penetration, PoseGradient, Separation};
use std::sync::Arc;

use crate::odd::{
    check_bracket, odd, odd_limits, odd_mesh, odd_motion, odd_point, odd_pose, valid_point,
};

#[test]
fn impacts_are_bracketed_whatever_moves_how() {
    let mut rng = Rng::new(1);
    let mut cache = ImpactCache::default();
    for _ in 0..1500 {
        let trees = [(); 2].map(|()| WideTree::new(odd_mesh(&mut rng, 8)));
        let motions = [(); 2].map(|()| odd_motion(&mut rng));
        let options = ImpactOptions {
            tolerance: odd(&mut rng),
            max_steps: rng.below(100) as u32,
        };
        let limits = Limits {
            max_tests: Some(rng.below(10_000)),
            ..odd_limits(&mut rng)
        };
        let [a, b] = &trees;
        let found = impact(a, b, &motions[0], &motions[1], &options, limits, &mut cache);
        check_bracket(&found);
        assert!((0.0..=1.0).contains(&found.lower), "{found:?}");
        if let Some(hit) = found.value {
            assert!((0.0..=1.0).contains(&hit.time), "{found:?}");
        }
        let t = odd(&mut rng);
        let pose = relative_pose(&motions[0], &motions[1], t);
        assert!(pose.rotation().is_finite() && is_valid_point(pose.translation()));
        let (sink, limits) = (&mut Count::default(), odd_limits(&mut rng));
        let _ = contacts_at(a, b, &motions[0], &motions[1], t, limits, &mut cache, sink);
        let _ = (cache.work(), cache.steps());
    }
}

#[test]
fn depths_are_bracketed_for_every_option() {
    let mut rng = Rng::new(2);
    let mut cache = WideCache::default();
    for round in 0..400 {
        // A cube of some size far away or near, against another or against whatever is closed by chance.
        let sizes = [1e-300, 1e-20, 1.0, 1e20, 1e44];
        let mut cube = || {
            let size = sizes[rng.below(5) as usize];
            WideTree::new(Arc::new(cuboid(DVec3::splat(size), [1, 1, 1]).unwrap()))
        };
        let (a, b) = (cube(), cube());
        let (a, b) = (Solid::closed(&a).unwrap(), Solid::closed(&b).unwrap());
        let pose = odd_pose(&mut rng).unwrap_or_default();
        let options = DepthOptions {
            absolute: odd(&mut rng),
            relative: odd(&mut rng),
        };
        let limits = |rng: &mut Rng| Limits {
            max_tests: Some(rng.below(20_000)),
            ..odd_limits(rng)
        };
        let limited = limits(&mut rng);
        check_bracket(&deepest_point(&a, &b, &pose, &options, limited, &mut cache));
        let limited = limits(&mut rng);
        let found = deepest_point_of_a(&a, &b, &pose, &options, limited, &mut cache);
        check_bracket(&found);
        let limited = limits(&mut rng);
        let found = signed_distance(&a, &b, &pose, &options, limited, &mut cache);
        check_bracket(&found);
        let limited = limits(&mut rng);
        let found = penetration_depth(&a, &b, &pose, &options, limited, &mut cache);
        check_bracket(&found);
        let direction = odd_point(&mut rng);
        let exit = separating_translation(&a, &b, &pose, direction, limits(&mut rng), &mut cache);
        check_bracket(&exit);
        assert!(
            exit.value.is_none_or(|e| !e.distance.is_nan()),
            "round {round}"
        );
        let center = odd_point(&mut rng);
        let _ = distance_gradient(a.tree(), b.tree(), &pose, center, &mut cache);
        for p in [odd_point(&mut rng), valid_point(&mut rng)] {
            assert!(!a.depth_at(p).is_nan(), "round {round}: {p}");
            let _ = a.locate(p);
        }
        let _ = a.intersects(&b, &pose, &mut cache);
    }
    for _ in 0..500 {
        let tree = WideTree::new(odd_mesh(&mut rng, 8));
        if let Ok(solid) = Solid::closed(&tree) {
            assert!(!solid.depth_at(valid_point(&mut rng)).is_nan());
        }
    }
}

#[test]
fn derivatives_of_any_points_return() {
    let mut rng = Rng::new(3);
    for _ in 0..20_000 {
        let [p, q, r] = std::array::from_fn(|_| odd_point(&mut rng));
        let apart = Separation {
            distance: odd(&mut rng),
            point_a: p,
            point_b: q,
        };
        let deep = Penetration {
            depth: odd(&mut rng),
            point_a: p,
            point_b: q,
            is_point_of_a: true,
        };
        let _ = (apart.gradient(r), deep.gradient(r), deep.normal());
        let gradient = PoseGradient::of_point(p, q, r);
        let _ = (gradient.rate(p, q), gradient.scaled(odd(&mut rng)));
    }
}
