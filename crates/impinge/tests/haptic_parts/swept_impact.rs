//! Algorithm 5.5 against closed forms, brute force and conservative advancement.

use impinge::math::{Motion, Rng};
use impinge::query::{Limits, Outcome};
use impinge::spheres::{InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, SolidBall};
use impinge::{DVec3, Pose};

fn balls(rng: &mut Rng, count: usize) -> Vec<SolidBall> {
    let ball = |rng: &mut Rng| SolidBall {
        center: rng.cube(),
        radius: rng.range(0.02, 0.12),
    };
    (0..count).map(|_| ball(rng)).collect()
}

fn tree(balls: &[SolidBall]) -> InnerSphereTree {
    InnerSphereTree::new(balls, &InnerSphereTreeOptions::default()).unwrap()
}

#[test]
fn straight_motions_have_the_time_of_the_first_of_all_quadratics() {
    let mut rng = Rng::new(31);
    let (a, b) = (balls(&mut rng, 120), balls(&mut rng, 90));
    let (tree_a, tree_b) = (tree(&a), tree(&b));
    let mut cache = InnerSphereTreeCache::default();
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..300 {
        let (from, to) = (rng.cube() * 6.0, rng.cube() * 6.0);
        let place = |p: DVec3| Pose::from_translation(p).unwrap();
        let motion = Motion::between(&place(from), &place(to));
        let still = Motion::still(&Pose::IDENTITY);
        let found = tree_a
            .swept_impact(&tree_b, &still, &motion, Limits::default(), &mut cache)
            .unwrap();
        let mut first = f64::INFINITY;
        for x in &a {
            for y in &b {
                let (p, d) = (y.center + from - x.center, to - from);
                let reach = x.radius + y.radius;
                let (qa, qb, qc) = (d.dot(d), p.dot(d), p.dot(p) - reach * reach);
                let disc = qb * qb - qa * qc;
                let t = if qc <= 0.0 {
                    0.0
                } else if disc >= 0.0 && qb < 0.0 {
                    (-qb - disc.sqrt()) / qa
                } else {
                    f64::INFINITY
                };
                if t <= 1.0 {
                    first = first.min(t);
                }
            }
        }
        assert_eq!(found.outcome, Outcome::Complete);
        match found.contact {
            Some((t, _)) => {
                hits += 1;
                assert!((t - first).abs() < 1e-9, "{t} {first}");
                assert!(found.lower <= t && t - found.lower < 1e-9);
            }
            None => {
                misses += 1;
                assert!(first > 1.0 - 1e-9 && found.lower > 1.0 - 1e-9);
            }
        }
    }
    assert!(hits > 50 && misses > 50, "{hits} {misses}");
}

#[test]
fn turning_motions_agree_with_conservative_advancement() {
    let mut rng = Rng::new(32);
    let (tree_a, tree_b) = (tree(&balls(&mut rng, 60)), tree(&balls(&mut rng, 60)));
    let mut cache = InnerSphereTreeCache::default();
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..200 {
        let mut place =
            |angle: f64| Pose::from_axis_angle(rng.cube(), angle, rng.cube() * 4.0).unwrap();
        let motion_a = Motion::between(&place(0.3), &place(1.1));
        let motion_b = Motion::between(&place(2.0), &place(0.7));
        let limits = Limits::default();
        let swept = tree_a.swept_impact(&tree_b, &motion_a, &motion_b, limits, &mut cache);
        let swept = swept.unwrap();
        let advanced = tree_a.impact(&tree_b, &motion_a, &motion_b, limits, &mut cache);
        let advanced = advanced.unwrap();
        // Both brackets hold the truth, so that they overlap.
        assert!(swept.lower <= advanced.contact.map_or(1.0, |c| c.0) + 1e-9);
        if let Some((t, (i, j))) = swept.contact {
            hits += 1;
            assert!(advanced.balls_apart_until <= t + 1e-9);
            assert!(t - swept.lower < 1e-5, "{t} {}", swept.lower);
            let (x, y) = (tree_a.balls()[i], tree_b.balls()[j]);
            let (p, q) = (motion_a.at(t) * x.center, motion_b.at(t) * y.center);
            assert!((p - q).length() - x.radius - y.radius < 1e-9);
            if let Some((u, _)) = advanced.contact {
                assert!((t - u).abs() < 1e-6, "{t} {u}");
            }
        } else {
            misses += 1;
            assert!(
                advanced
                    .contact
                    .is_none_or(|(u, _)| swept.lower <= u + 1e-9)
            );
        }
    }
    assert!(hits > 20 && misses > 20, "{hits} {misses}");
}

#[test]
fn a_budget_ends_the_search_with_a_bound_that_holds() {
    let mut rng = Rng::new(33);
    let (tree_a, tree_b) = (tree(&balls(&mut rng, 60)), tree(&balls(&mut rng, 60)));
    let mut cache = InnerSphereTreeCache::default();
    let from = Pose::from_axis_angle([0.0, 0.0, 1.0], 1.0, [5.0, 0.0, 0.0]).unwrap();
    let motion = Motion::between(&from, &Pose::IDENTITY);
    let still = Motion::still(&Pose::IDENTITY);
    let limits = Limits {
        max_tests: Some(20),
        ..Limits::default()
    };
    let cut = tree_a
        .swept_impact(&tree_b, &still, &motion, limits, &mut cache)
        .unwrap();
    let whole = tree_a.swept_impact(&tree_b, &still, &motion, Limits::default(), &mut cache);
    let (time, _) = whole.unwrap().contact.unwrap();
    assert!(cut.outcome == Outcome::OutOfBudget && cut.contact.is_none() && cut.lower <= time);
    let empty = tree(&[]);
    assert!(
        empty
            .swept_impact(&tree_b, &still, &motion, limits, &mut cache)
            .is_none()
    );
}
