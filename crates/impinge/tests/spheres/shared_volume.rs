//! Volumes with nodes counted as a whole, faces found from spheres, and volumes by cost.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::collections::BTreeSet;
use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::WideCache;
use impinge::math::Rng;
use impinge::penetration::{PenetrationBody, PenetrationMethod, PenetrationQuery};
use impinge::query::{FacePair, Limits, Outcome};
use impinge::spheres::{
    BallVolume, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, SolidBall,
};
use impinge::{DVec3, Pose, generate};

use crate::packed::{one_ball, packed, pose};

/// Balls in the holes of a lattice: many, and disjoint.
fn lattice(n: i32, radius: f64) -> InnerSphereTree {
    let mut balls = Vec::new();
    for k in 0..n * n * n {
        let cell = DVec3::new(f64::from(k % n), f64::from(k / n % n), f64::from(k / n / n));
        let center = cell - 0.5 * f64::from(n - 1);
        balls.push(SolidBall { center, radius });
    }
    InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default()).unwrap()
}

fn unlimited(a: &InnerSphereTree, b: &InnerSphereTree, pose: &Pose) -> (BallVolume, u64) {
    let mut cache = InnerSphereTreeCache::default();
    let found = a.overlap_volume(b, pose, Limits::default(), &mut cache);
    (found, cache.tests())
}

#[test]
fn a_tree_inside_a_ball_counts_as_a_whole_without_descent() {
    let many = lattice(16, 0.4);
    let pose = Pose::from_axis_angle(DVec3::Y, 0.7, [0.5, -1.0, 2.0]).unwrap();
    for radius in [20.0, 200.0] {
        let ball = one_ball(radius);
        for (a, b, place) in [(&ball, &many, pose), (&many, &ball, pose.inverse())] {
            let (found, tests) = unlimited(a, b, &place);
            let mut cache = InnerSphereTreeCache::default();
            let full = a.overlap(b, &place, Limits::default(), &mut cache);
            let truth = 4096.0 * many.balls()[0].volume();
            assert!((found.lower / truth - 1.0).abs() < 1e-11);
            assert!((found.centroid - full.centroid).length() < 1e-9);
            assert_eq!((found.pairs, full.pairs), (4096, 4096));
            // At most the children of the root are looked at: eight of them.
            assert!(
                (1..=8).contains(&found.whole_nodes),
                "{}",
                found.whole_nodes
            );
            assert!(tests <= 24 + 8 * 16, "{tests}");
            assert!(cache.tests() > 100 * tests, "{} {tests}", cache.tests());
        }
    }
}

#[test]
fn nodes_counted_as_a_whole_change_no_answer() {
    let blob = packed(generate::blob(6).unwrap(), 1500).with_gaps(16);
    let mut large: Vec<SolidBall> = Vec::new();
    for k in 0..8_u8 {
        let corner = DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2));
        large.push(SolidBall {
            center: corner * 1.2 - 0.6,
            radius: 0.6,
        });
    }
    let large = InnerSphereTree::new(&large, &InnerSphereTreeOptions::default()).unwrap();
    let second = large.clone().with_secondary(&[0.55; 8]).unwrap();
    let wide = large.clone().with_secondary(&[0.7; 8]).unwrap();
    let mut rng = Rng::new(26);
    let (mut whole, mut fewer) = (0, 0);
    for case in 0..60 {
        let place = pose(&mut rng, f64::from(case) * 0.03);
        for (a, b) in [
            (&large, &blob),
            (&blob, &second),
            (&wide, &blob),
            (&blob, &blob),
        ] {
            let (found, tests) = unlimited(a, b, &place);
            let mut cache = InnerSphereTreeCache::default();
            let full = a.overlap(b, &place, Limits::default(), &mut cache);
            let near = |x: f64, y: f64| x == y || (x - y).abs() <= 1e-11 * y.abs();
            assert!(near(found.lower, full.lower), "{case}");
            assert!(near(found.value, full.value), "{case}: {found:?} {full:?}");
            assert!(near(found.upper, full.upper) && near(found.expected, full.expected));
            assert!((found.centroid - full.centroid).length() < 1e-9, "{case}");
            assert_eq!(found.pairs, full.pairs, "{case}");
            whole += found.whole_nodes;
            fewer += usize::from(tests < cache.tests());
            for budget in [100, 3_000] {
                let limits = Limits {
                    max_tests: Some(budget),
                    ..Limits::default()
                };
                let part = a.overlap_volume(b, &place, limits, &mut cache);
                assert!(part.lower <= full.expected * (1.0 + 1e-11));
                assert!(part.upper >= full.expected * (1.0 - 1e-11));
            }
        }
    }
    assert!(whole > 200 && fewer > 60, "{whole} nodes, {fewer} times");
}

#[test]
fn faces_found_from_spheres_intersect_and_are_nearly_all() {
    let a = packed(generate::torus(1.0, 0.35, 32, 16).unwrap(), 1500);
    let b = packed(generate::blob(6).unwrap(), 1500);
    let mut rng = Rng::new(27);
    let (mut listed, mut all, mut complete) = (0, 0, 0);
    for case in 0..60 {
        let place = pose(&mut rng, 0.5 + f64::from(case) * 0.02);
        let mut truth: Vec<FacePair> = Vec::new();
        let _ = a.index.intersections(
            &b.index,
            &place,
            Limits::default(),
            &mut WideCache::default(),
            &mut truth,
        );
        let truth: BTreeSet<_> = truth.into_iter().map(|p| (p.a, p.b)).collect();
        let mut found: Vec<FacePair> = Vec::new();
        let mut cache = InnerSphereTreeCache::default();
        let outcome =
            a.tree
                .meeting_faces(&b.tree, &place, Limits::default(), &mut cache, &mut found);
        assert_eq!(outcome, Outcome::Complete);
        let keys: Vec<_> = found.iter().map(|p| (p.a, p.b)).collect();
        assert!(keys.windows(2).all(|w| w[0] < w[1]), "sorted, each once");
        assert!(keys.iter().all(|key| truth.contains(key)), "case {case}");
        listed += keys.len();
        all += truth.len();
        complete += usize::from(keys.len() == truth.len());
        let limits = Limits {
            max_tests: Some(500),
            ..Limits::default()
        };
        let mut part: Vec<FacePair> = Vec::new();
        let outcome = a
            .tree
            .meeting_faces(&b.tree, &place, limits, &mut cache, &mut part);
        assert!(part.iter().all(|p| truth.contains(&(p.a, p.b))));
        assert!(outcome == Outcome::OutOfBudget || part.len() == keys.len());
    }
    assert!(all > 2000, "{all}");
    assert!(
        100 * listed >= 97 * all && complete >= 50,
        "{listed} of {all}, {complete} cases"
    );
}

#[test]
fn trees_without_faces_list_none() {
    let ball = one_ball(1.0);
    let mut found: Vec<FacePair> = Vec::new();
    let mut cache = InnerSphereTreeCache::default();
    let outcome = ball.meeting_faces(
        &ball,
        &Pose::IDENTITY,
        Limits::default(),
        &mut cache,
        &mut found,
    );
    assert!(found.is_empty() && outcome == Outcome::Complete);
}

fn both_ways(mesh: impinge::TriMesh, count: usize) -> PenetrationBody {
    let tree = packed(mesh.clone(), count).with_gaps(16);
    PenetrationBody::exact(Arc::new(mesh))
        .unwrap()
        .with_spheres(tree)
}

#[test]
fn shallow_contacts_by_cost_are_within_5_percent() {
    let cube = both_ways(generate::cuboid(DVec3::ONE, [6; 3]).unwrap(), 2000);
    let mut query = PenetrationQuery::by(PenetrationMethod::ByCost, &cube, &cube).unwrap();
    assert_eq!(query.method(), PenetrationMethod::ByCost);
    let mut answers = Vec::new();
    for share in [5e-3, 2e-3, 5e-4, 1e-4] {
        for (dy, dz) in [(0.0_f64, 0.0_f64), (0.3, -0.2), (0.71, 0.6)] {
            let side = (1.0 - dy.abs()) * (1.0 - dz.abs());
            let to = DVec3::new(1.0 - share / side, dy, dz);
            let pose = Pose::from_translation(to).unwrap();
            let found = query.ask(&pose, Limits::default()).unwrap();
            assert!((found.value.volume / share - 1.0).abs() < 1e-6, "{found:?}");
            assert!(found.lower <= share * (1.0 + 1e-9) && share <= found.upper * (1.0 + 1e-9));
            assert_eq!(found.value.method, PenetrationMethod::Exact);
            assert!(found.value.cones.is_some() && found.value.force_on_b().is_some());
            answers.push((pose, found));
        }
    }
    // What was asked before changes nothing.
    for (pose, before) in answers.into_iter().rev() {
        assert_eq!(query.ask(&pose, Limits::default()).unwrap(), before);
    }
}

#[test]
fn by_cost_the_bracket_holds_the_truth_whichever_method_answers() {
    let a = both_ways(generate::blob(8).unwrap(), 2000);
    let b = both_ways(generate::torus(1.0, 0.4, 48, 24).unwrap(), 2000);
    let mut query = PenetrationQuery::by(PenetrationMethod::ByCost, &a, &b).unwrap();
    let mut exact = PenetrationQuery::by(PenetrationMethod::Exact, &a, &b).unwrap();
    let mut spheres = PenetrationQuery::by(PenetrationMethod::Spheres, &a, &b).unwrap();
    let mut rng = Rng::new(28);
    let mut answered = [0, 0];
    for case in 0..60 {
        let place = pose(&mut rng, 0.03 * f64::from(case));
        let truth = exact.ask(&place, Limits::default()).unwrap();
        for budget in [None, Some(1_000), Some(30_000), Some(150_000)] {
            let limits = Limits {
                max_tests: budget,
                ..Limits::default()
            };
            let found = query.ask(&place, limits).unwrap();
            assert!(
                found.lower <= truth.upper && truth.lower <= found.upper,
                "{case}"
            );
            assert!(found.lower <= found.value.volume && found.value.volume <= found.upper);
            match found.value.method {
                PenetrationMethod::Exact => {
                    answered[0] += 1;
                    assert_eq!(found.value.volume, truth.value.volume);
                }
                PenetrationMethod::Spheres => {
                    answered[1] += 1;
                    if budget.is_none() {
                        let own = spheres.ask(&place, limits).unwrap();
                        assert!((found.value.volume - own.value.volume).abs() <= 1e-12);
                        assert!((found.upper - own.upper).abs() <= 1e-9 * own.upper);
                    }
                }
                other => panic!("{other}"),
            }
        }
    }
    assert!(answered.iter().all(|&n| n > 20), "{answered:?}");
}
