//! Yes-or-no questions under limits: what is known is right, and without limits everything is known.
use std::sync::Arc;

use impinge::bvh::Solid;
use impinge::bvh::wide::batch::BatchOptions;
use impinge::bvh::wide::{RayOrSegment, SingleTreeCache, WideCache, WideTree};
use impinge::depth::{bounded_distance_gradient, distance_gradient};
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge::{DVec3, Pose};
use impinge_testkit::generate::{meshes, poses};

const BUDGETS: [Option<u64>; 6] = [Some(0), Some(8), Some(40), Some(200), Some(2000), None];

fn limits(max_tests: Option<u64>) -> Limits<'static> {
    Limits {
        max_tests,
        ..Limits::default()
    }
}

/// What is known must be the truth, and without a budget it must be known.
fn judge<T: PartialEq + std::fmt::Debug>(found: Option<T>, truth: T, budget: Option<u64>) -> bool {
    match found {
        Some(found) => assert_eq!(found, truth, "{budget:?}"),
        None => assert!(budget.is_some()),
    }
    budget.is_some()
}

#[test]
fn questions_about_two_trees_know_the_truth_or_nothing() {
    let mut rng = Rng::new(81);
    let (ball, soup) = (
        meshes::ball(3, 1.0),
        meshes::random_soup(&mut rng, 400, 0.2),
    );
    let [a, b] = [ball, soup].map(|mesh| WideTree::new(Arc::new(mesh)));
    let (mut cache, mut unknown) = (WideCache::default(), 0);
    for _ in 0..60 {
        let pose = poses::random(&mut rng, 2.5);
        let meets = a.intersects(&b, &pose, &mut WideCache::default());
        let near = a.is_within(&b, &pose, 0.2, &mut WideCache::default());
        let gradient = distance_gradient(&a, &b, &pose, DVec3::ZERO, &mut WideCache::default());
        for budget in BUDGETS {
            let limits = limits(budget);
            let found = a.bounded_intersects(&b, &pose, limits, &mut cache);
            unknown += u32::from(found.is_none());
            judge(found, meets, budget);
            let within = a.within(&b, &pose, 0.2, limits, &mut cache);
            let is_near = within.value.is_some();
            let found = (is_near || within.outcome == Outcome::Complete).then_some(is_near);
            unknown += u32::from(found.is_none());
            judge(found, near, budget);
            let found = bounded_distance_gradient(&a, &b, &pose, DVec3::ZERO, limits, &mut cache);
            match found.outcome {
                Outcome::Complete => assert_eq!(found.value, gradient),
                _ => assert!(budget.is_some()),
            }
            if let Some(gradient) = &gradient {
                let distance = gradient.separation.distance;
                assert!(found.lower <= distance + 1e-12 && distance <= found.upper + 1e-12);
            }
        }
    }
    assert!(unknown > 100, "{unknown}");
}

#[test]
fn questions_about_one_tree_know_the_truth_or_nothing() {
    let mut rng = Rng::new(82);
    let tree = WideTree::new(Arc::new(meshes::ball(3, 1.0)));
    let solids = [Solid::closed(&tree).unwrap(), Solid::by_winding(&tree)];
    let mut cache = SingleTreeCache::default();
    let points: Vec<DVec3> = (0..80).map(|_| rng.cube() * 1.4).collect();
    let lines: Vec<RayOrSegment> = points
        .iter()
        .map(|p| RayOrSegment::ray(*p, rng.direction()).unwrap())
        .collect();
    let hits = tree.first_hits(&lines, Some(1.0));
    let mut unknown = 0;
    for budget in BUDGETS {
        for line in &lines {
            let found = tree.bounded_is_hit(line, limits(budget), &mut cache);
            unknown += u32::from(found.is_none());
            judge(
                found,
                tree.is_hit(line, &mut SingleTreeCache::default()),
                budget,
            );
        }
        let options = BatchOptions {
            max_tests: budget,
            max_distance: Some(1.0),
            ..BatchOptions::default()
        };
        for (found, truth) in tree.bounded_first_hits(&lines, &options).iter().zip(&hits) {
            match found.outcome {
                Outcome::Complete => assert_eq!(found.value, *truth),
                _ => assert!(budget.is_some()),
            }
            if let Some(hit) = truth {
                assert!(found.lower <= hit.t && hit.t <= found.upper);
            }
        }
        for solid in &solids {
            let truth = solid.locate_all(&points).unwrap();
            let found = solid.bounded_locate_all(&points, &options).unwrap();
            for (found, truth) in found.into_iter().zip(truth) {
                unknown += u32::from(found.is_none());
                judge(found, truth, budget);
            }
            let mut wide = WideCache::default();
            for x in [0.5, 1.5, 2.5] {
                let pose = Pose::from_translation([x, 0.1, 0.0]).unwrap();
                let found = solid.bounded_intersects(solid, &pose, limits(budget), &mut wide);
                judge(found, x < 2.0, budget);
            }
        }
    }
    assert!(unknown > 100, "{unknown}");
    assert!(
        solids[0]
            .bounded_locate(DVec3::NAN, limits(None), &mut cache)
            .is_err()
    );
}

#[test]
fn a_caller_who_stops_gets_no_wrong_answer() {
    let tree = WideTree::new(Arc::new(meshes::ball(4, 1.0)));
    let stop = || true;
    let limits = Limits {
        stop: Some(&stop),
        ..Limits::default()
    };
    let pose = Pose::from_translation([0.5, 0.0, 0.0]).unwrap();
    let mut cache = WideCache::default();
    assert_eq!(
        tree.bounded_intersects(&tree, &pose, limits, &mut cache),
        None
    );
    let solid = Solid::closed(&tree).unwrap();
    assert_eq!(
        solid.bounded_intersects(&solid, &pose, limits, &mut cache),
        None
    );
}
