//! Trees of balls: refined distances, coherence, both questions in one, contact, time of impact.

#![expect(
    clippy::unwrap_used,
    reason = "tests say what they expect by panicking"
)]

use std::sync::Arc;

use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::{Motion, Rng};
use impinge::query::{Limits, Outcome};
use impinge::spheres::{
    BallProximity, InnerSphereTree, InnerSphereTreeCache, InnerSphereTreeOptions, MeshSolid,
    SolidBall,
};
use impinge::{DVec3, Pose, TriMesh, generate};

use crate::packed::{Packed, one_ball, packed, pose};

#[test]
fn refined_distances_are_between_the_truth_and_the_balls_and_mostly_the_truth() {
    let a = packed(generate::blob(12).unwrap(), 2000);
    let b = packed(generate::torus(1.0, 0.3, 40, 20).unwrap(), 2000);
    let mut rng = Rng::new(7);
    let mut cache = InnerSphereTreeCache::default();
    let mut errors = Vec::new();
    for case in 0..150 {
        let a_from_b = pose(&mut rng, 2.2 + 0.02 * f64::from(case));
        let limits = Limits::default();
        let truth = a
            .index
            .distance(&b.index, &a_from_b, limits, &mut WideCache::default());
        let truth = truth.value.map_or(0.0, |s| s.distance);
        let found = a
            .tree
            .refined_distance(&b.tree, &a_from_b, limits, &mut cache)
            .unwrap();
        assert!(found.upper() >= truth * (1.0 - 1e-12), "case {case}");
        assert!(found.upper() <= found.balls.upper);
        assert!(found.balls.lower <= truth * (1.0 + 1e-12), "case {case}");
        if let Some((nearest, _)) = found.nearest {
            let between = (nearest.point_a - nearest.point_b).length();
            assert!((between - nearest.distance).abs() < 1e-12);
        }
        if truth > 0.0 {
            errors.push(found.upper() / truth - 1.0);
        }
    }
    errors.sort_by(f64::total_cmp);
    assert!(errors.len() > 100);
    assert!(errors[errors.len() / 2] <= 1e-6, "{errors:?}");
}

#[test]
fn what_the_cache_remembers_does_not_change_a_bit() {
    let a = packed(generate::blob(8).unwrap(), 800);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 800);
    let mut warm = InnerSphereTreeCache::default();
    let (mut tests_warm, mut tests_cold) = (0, 0);
    for step in 0..200 {
        let t = f64::from(step) / 200.0;
        let turn = Pose::from_axis_angle([0.3, 1.0, 0.2], 2.0 * t, [2.6 - t, 0.2 * t, 0.0]);
        let a_from_b = turn.unwrap();
        let ask = |cache: &mut InnerSphereTreeCache| {
            let found = a
                .tree
                .refined_distance(&b.tree, &a_from_b, Limits::default(), cache);
            (found.unwrap(), cache.tests())
        };
        let (from_warm, n) = ask(&mut warm);
        let (from_cold, m) = ask(&mut InnerSphereTreeCache::default());
        tests_warm += n;
        tests_cold += m;
        if from_cold.balls.upper > 0.0 {
            assert_eq!(from_warm, from_cold, "step {step}");
        } else {
            assert_eq!(from_warm.balls.upper, 0.0);
        }
    }
    assert!(tests_warm < tests_cold, "{tests_warm} {tests_cold}");
}

#[test]
fn one_question_answers_as_two_do() {
    let a = packed(generate::blob(8).unwrap(), 500);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 500);
    let mut rng = Rng::new(31);
    let mut cache = InnerSphereTreeCache::default();
    let limits = Limits::default();
    let (mut apart, mut together) = (0, 0);
    for case in 0..200 {
        let a_from_b = pose(&mut rng, 0.015 * f64::from(case));
        let one = a.tree.proximity(&b.tree, &a_from_b, limits, &mut cache);
        let cold = &mut InnerSphereTreeCache::default();
        let distance = a.tree.distance(&b.tree, &a_from_b, limits, cold).unwrap();
        let overlap = a.tree.overlap(&b.tree, &a_from_b, limits, cold);
        match one.unwrap() {
            BallProximity::Apart(found) => {
                apart += 1;
                assert_eq!(found.upper, distance.upper);
                assert_eq!(overlap.lower, 0.0);
            }
            BallProximity::Overlapping(found) => {
                together += 1;
                assert_eq!(distance.upper, 0.0);
                assert_eq!(found.pairs, overlap.pairs, "case {case}");
                assert!((found.lower - overlap.lower).abs() <= 1e-12 * overlap.lower);
            }
        }
        let contact = a.tree.contact(&b.tree, &a_from_b, limits, &mut cache);
        assert_eq!(contact.witness.is_some(), overlap.pairs > 0);
        if let Some((i, j)) = contact.witness {
            let (x, y) = (a.tree.balls()[i], b.tree.balls()[j]);
            let center = a_from_b.transform_point(y.center);
            assert!((center - x.center).length() <= x.radius + y.radius);
        }
        if contact.verdict.certain {
            let meets = a
                .index
                .intersects(&b.index, &a_from_b, &mut WideCache::default());
            // Solids that overlap without meeting surfaces have balls that overlap.
            assert!(contact.verdict.answer || !meets, "case {case}");
        }
    }
    assert!(apart > 30 && together > 30, "{apart} {together}");
}

#[test]
fn under_a_budget_the_bracket_holds_the_sum_of_lenses() {
    let a = packed(generate::blob(8).unwrap(), 800);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 800);
    let mut rng = Rng::new(4);
    let mut cache = InnerSphereTreeCache::default();
    let budgets = [0, 8, 64, 1024, 4096, 16_384, 65_536, 1 << 20];
    let mut errors = [0.0; 8];
    for case in 0..30 {
        let a_from_b = pose(&mut rng, 0.05 * f64::from(case));
        let ask = |budget, cache: &mut InnerSphereTreeCache| {
            let limits = Limits {
                max_tests: budget,
                ..Limits::default()
            };
            (
                a.tree.overlap(&b.tree, &a_from_b, limits, cache),
                cache.tests(),
            )
        };
        let (full, _) = ask(None, &mut cache);
        for (budget, error) in budgets.into_iter().zip(&mut errors) {
            let (part, spent) = ask(Some(budget), &mut cache);
            // One batch may begin just below the budget, and what it finds is ranked.
            assert!(spent < budget + 4096, "{spent} of {budget}");
            assert!(part.lower <= full.lower * (1.0 + 1e-9));
            assert!(part.upper >= full.lower * (1.0 - 1e-9), "case {case}");
            assert!(part.lower <= part.value && part.value <= part.upper);
            if part.outcome == Outcome::Complete {
                assert!((part.expected - full.expected).abs() <= 1e-9 * full.expected);
            }
            *error += (part.expected - full.expected).abs();
        }
    }
    // A guess may be right by chance; over many poses more tests are worth their time.
    assert!(errors[6] < 0.5 * errors[0], "{errors:?}");
    assert!(errors[7] < 1e-9, "{errors:?}");
}

#[test]
fn two_balls_touch_when_the_formula_says() {
    let (a, b) = (one_ball(1.0), one_ball(0.5));
    let mut rng = Rng::new(12);
    let still = Motion::still(&Pose::IDENTITY);
    let mut hits = 0;
    for _ in 0..200 {
        let (p, q) = (rng.direction() * 4.0, rng.cube() * 2.0);
        let from = Pose::from_translation(p).unwrap();
        let to = Pose::from_translation(q).unwrap();
        let motion = Motion::between(&from, &to);
        let found = a
            .impact(
                &b,
                &still,
                &motion,
                Limits::default(),
                &mut InnerSphereTreeCache::default(),
            )
            .unwrap();
        // |p + t (q − p)| = 1.5, the smaller root.
        let (m, r) = (q - p, 1.5_f64);
        let (x, y) = (p.dot(m) / m.length_squared(), p.length_squared() - r * r);
        let under = x * x - y / m.length_squared();
        let time = -x - under.max(0.0).sqrt();
        if under > 1e-6 && (0.0..=1.0).contains(&time) {
            let (at, balls) = found.contact.unwrap();
            assert!((at - time).abs() < 1e-7, "{at} {time}");
            assert!(found.balls_apart_until <= time + 1e-9);
            assert_eq!(balls, (0, 0));
            hits += 1;
        } else if under < -1e-6 {
            assert!(found.contact.is_none());
            assert_eq!(found.outcome, Outcome::Complete);
            assert_eq!(found.balls_apart_until, 1.0);
        }
    }
    assert!(hits > 50);
}

#[test]
fn nothing_meets_before_and_something_at_the_time_of_impact() {
    let a = packed(generate::blob(8).unwrap(), 300);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 300);
    let mut rng = Rng::new(9);
    let mut hits = 0;
    for case in 0..20 {
        let from = pose(&mut rng, 3.5);
        let to = pose(&mut rng, 0.8);
        let moving = Motion::between(&from, &to);
        let own = Motion::between(
            &Pose::IDENTITY,
            &Pose::from_axis_angle(rng.direction(), 0.5, rng.cube() * 0.2).unwrap(),
        );
        let cache = &mut InnerSphereTreeCache::default();
        let found = a
            .tree
            .impact(&b.tree, &own, &moving, Limits::default(), cache)
            .unwrap();
        assert!(found.solids_apart_until <= found.balls_apart_until + 1e-12);
        let at = |t: f64| own.at(t).inverse() * moving.at(t);
        for k in 0..40 {
            let share = f64::from(k) / 40.0;
            let t = found.balls_apart_until * share;
            let gap = a.tree.distance(&b.tree, &at(t), Limits::default(), cache);
            assert!(gap.unwrap().upper > 0.0, "case {case} at {t}");
            let t = found.solids_apart_until * share;
            let meets = a
                .index
                .intersects(&b.index, &at(t), &mut WideCache::default());
            assert!(!meets, "case {case} at {t}");
        }
        if let Some((t, (i, j))) = found.contact {
            hits += 1;
            assert!(t - found.balls_apart_until < 1e-6, "case {case} {found:?}");
            let (x, y) = (a.tree.balls()[i], b.tree.balls()[j]);
            let apart = (at(t).transform_point(y.center) - x.center).length();
            assert!(apart <= x.radius + y.radius);
            let meets = a
                .index
                .intersects(&b.index, &at(t), &mut WideCache::default());
            assert!(
                meets,
                "case {case}: surfaces of overlapping solids, neither inside the other"
            );
        }
    }
    assert!(hits > 8, "{hits}");
}

#[test]
fn a_contact_that_is_not_proven_is_not_certain() {
    let a = packed(generate::blob(8).unwrap(), 500);
    let b = packed(generate::torus(1.0, 0.3, 24, 12).unwrap(), 500);
    let bare = |of: &Packed| {
        InnerSphereTree::new(of.tree.balls(), &InnerSphereTreeOptions::default()).unwrap()
    };
    let (bare_a, bare_b) = (bare(&a), bare(&b));
    let mut rng = Rng::new(77);
    let (mut proven_no, mut unfinished, mut unknown) = (0, 0, 0);
    for case in 0..300 {
        let a_from_b = pose(&mut rng, 1.0 + 0.01 * f64::from(case));
        let meets = a
            .index
            .intersects(&b.index, &a_from_b, &mut WideCache::default());
        for budget in [Some(0), Some(1), Some(8), Some(40), Some(200), None] {
            let limits = Limits {
                max_tests: budget,
                ..Limits::default()
            };
            let cache = &mut InnerSphereTreeCache::default();
            let found = a.tree.contact(&b.tree, &a_from_b, limits, cache);
            let verdict = found.verdict;
            assert_eq!(verdict.certain, verdict.confidence == 1.0, "case {case}");
            if verdict.certain {
                assert_eq!(verdict.answer, meets, "case {case} within {budget:?}");
            }
            if found.outcome == Outcome::OutOfBudget {
                unfinished += 1;
                assert!(found.witness.is_none());
                assert!(!verdict.certain && verdict.confidence == 0.5, "case {case}");
            }
            proven_no += u32::from(verdict.certain && !verdict.answer);
            // One surface that is not known is enough to leave it open.
            for (x, y) in [(&bare_a, &bare_b), (&a.tree, &bare_b), (&bare_a, &b.tree)] {
                let found = x.contact(y, &a_from_b, limits, &mut InnerSphereTreeCache::default());
                if !found.verdict.answer {
                    unknown += 1;
                    assert!(!found.verdict.certain && found.verdict.confidence == 0.5);
                }
            }
        }
    }
    assert!(proven_no > 50 && unfinished > 50 && unknown > 50);
}

#[test]
fn balls_that_touch_up_to_rounding_are_a_witness_and_no_proof() {
    let ball = |center: DVec3, radius| {
        InnerSphereTree::new(
            &[SolidBall { center, radius }],
            &InnerSphereTreeOptions::default(),
        )
        .unwrap()
    };
    let (a, b) = (ball(DVec3::ZERO, 1.0), ball(DVec3::ZERO, 0.5));
    for (distance, answer, is_certain) in [
        (1.5, true, false),
        (1.5 - 1e-14, true, false),
        (1.5 - 1e-9, true, true),
        (1.5 + 1e-9, false, false),
    ] {
        let a_from_b = Pose::from_translation([distance, 0.0, 0.0]).unwrap();
        let found = a.contact(
            &b,
            &a_from_b,
            Limits::default(),
            &mut InnerSphereTreeCache::default(),
        );
        assert_eq!(found.verdict.answer, answer, "{distance}");
        assert_eq!(found.verdict.certain, is_certain, "{distance}");
        assert_eq!(found.witness.is_some(), answer, "{distance}");
    }
    let empty = InnerSphereTree::new(&[], &InnerSphereTreeOptions::default()).unwrap();
    let found = a.contact(
        &empty,
        &Pose::IDENTITY,
        Limits::default(),
        &mut InnerSphereTreeCache::default(),
    );
    assert!(!found.verdict.certain && !found.verdict.answer);
}

/// A ball of radius 4, filled only in a thin layer under its surface.
fn hollow_packing() -> Packed {
    let mesh = generate::icosphere(4.0, 4).unwrap();
    let balls: Vec<SolidBall> = mesh
        .triangles()
        .map(|[p, q, r]| {
            let normal = (q - p).cross(r - p).normalize();
            SolidBall {
                center: (p + q + r) / 3.0 - normal * 0.21,
                radius: 0.2,
            }
        })
        .collect();
    let index = WideTree::new(Arc::new(mesh));
    let solid = MeshSolid::new(&index).unwrap();
    let tree = InnerSphereTree::new(&balls, &InnerSphereTreeOptions::default())
        .unwrap()
        .with_surface(&solid);
    let packing = impinge::spheres::Packing {
        balls,
        solid_volume: solid.volume(),
        end: impinge::spheres::PackEnd::Full,
        work: impinge::spheres::PackWork::default(),
    };
    assert!(packing.check(&solid).is_feasible());
    Packed { index, tree }
}

#[test]
fn a_solid_in_a_gap_of_the_other_packing_is_not_said_to_be_apart() {
    let large = hollow_packing();
    let small = packed(generate::icosphere(0.5, 4).unwrap(), 40);
    // As two parts, of which one is far from everything: most of its balls are there.
    let two = {
        let part = generate::icosphere(0.5, 4).unwrap();
        let far = part.placed(&Pose::from_translation([20.0, 0.0, 0.0]).unwrap());
        let far = far.unwrap();
        let first = part.vertex_count() as u32;
        let positions = [part.positions(), far.positions()].concat();
        let moved = far.faces().iter().map(|f| f.map(|v| v + first));
        let faces = part.faces().iter().copied().chain(moved).collect();
        packed(TriMesh::new(positions, faces).unwrap(), 80)
    };
    let limits = Limits::default();
    let cache = &mut InnerSphereTreeCache::default();
    for (x, is_inside) in [
        (0.0, true),
        (1.5, true),
        (-1.0, true),
        (6.5, false),
        (9.0, false),
    ] {
        let pose = Pose::from_translation([x, 0.1, 0.0]).unwrap();
        // Sides may be swapped.
        for (a, b, pose) in [
            (&large, &small, pose),
            (&small, &large, pose.inverse()),
            (&large, &two, pose),
            (&two, &large, pose.inverse()),
        ] {
            let found = a.tree.distance(&b.tree, &pose, limits, cache).unwrap();
            let contact = a.tree.contact(&b.tree, &pose, limits, cache);
            assert!(!contact.verdict.answer && found.upper > 0.0, "{x}");
            let refined = a.tree.refined_distance(&b.tree, &pose, limits, cache);
            let lower = refined.unwrap().balls.lower;
            let still = Motion::still(&Pose::IDENTITY);
            let impact = a
                .tree
                .impact(&b.tree, &still, &Motion::still(&pose), limits, cache)
                .unwrap();
            if is_inside {
                assert_eq!((found.lower, lower), (0.0, 0.0), "{x}");
                assert!(!contact.verdict.certain && contact.verdict.confidence <= 0.75);
                assert_eq!(impact.solids_apart_until, 0.0);
            } else if b.tree.balls().len() == 40 || a.tree.balls().len() == 40 {
                let truth = a
                    .index
                    .distance(&b.index, &pose, limits, &mut WideCache::default());
                let truth = truth.value.map_or(0.0, |s| s.distance);
                assert!(0.0 < found.lower && found.lower <= truth, "{x} {found:?}");
                assert!(contact.verdict.certain);
                assert_eq!(impact.solids_apart_until, 1.0);
            }
        }
    }
}

#[test]
fn a_solid_between_filled_balls_is_apart_with_certainty_close_by() {
    // Small beside large, so that volumes say nothing: the gaps of the large packing are too small to hold it.
    let large = packed(generate::blob(8).unwrap(), 2000);
    let small = packed(generate::icosphere(0.1, 6).unwrap(), 60);
    let mut rng = Rng::new(5);
    let limits = Limits::default();
    let (mut near, mut certain) = (0, 0);
    for _ in 0..200 {
        let pose = pose(&mut rng, 1.6);
        let truth = large
            .index
            .distance(&small.index, &pose, limits, &mut WideCache::default());
        let truth = truth.value.map_or(0.0, |s| s.distance);
        let found = large
            .tree
            .distance(
                &small.tree,
                &pose,
                limits,
                &mut InnerSphereTreeCache::default(),
            )
            .unwrap();
        assert!(found.lower <= truth * (1.0 + 1e-12) && truth <= found.upper * (1.0 + 1e-12));
        if truth > 0.3 && found.upper > 0.0 {
            near += 1;
            certain += usize::from(found.lower > 0.0);
        }
    }
    assert!(near > 20 && 10 * certain > 9 * near, "{certain} of {near}");
}

#[test]
fn a_budget_ends_the_walk_over_faces_too() {
    let a = packed(generate::blob(12).unwrap(), 800);
    let b = packed(generate::torus(1.0, 0.3, 40, 20).unwrap(), 800);
    let mut rng = Rng::new(3);
    let mut cache = InnerSphereTreeCache::default();
    let (mut cut, mut whole) = (0, 0);
    for case in 0..60 {
        let a_from_b = pose(&mut rng, 2.4 + 0.02 * f64::from(case));
        let mut ask = |max_tests| {
            let limits = Limits {
                max_tests,
                ..Limits::default()
            };
            let found = a
                .tree
                .refined_distance(&b.tree, &a_from_b, limits, &mut cache);
            (found.unwrap(), cache.tests())
        };
        let (full, spent) = ask(None);
        assert_eq!(full.outcome, Outcome::Complete);
        let truth = a.index.distance(
            &b.index,
            &a_from_b,
            Limits::default(),
            &mut WideCache::default(),
        );
        let truth = truth.value.map_or(0.0, |s| s.distance);
        for budget in [0, 100, spent / 2, spent - 1, spent, spent + 1] {
            let (part, used) = ask(Some(budget));
            // The step that passes the budget is one face with its ring at most.
            assert!(used <= budget + 4000, "{used} of {budget}");
            assert!(part.upper() >= truth * (1.0 - 1e-12), "case {case}");
            assert!(part.upper() <= part.balls.upper);
            assert!(part.balls.lower <= truth * (1.0 + 1e-12), "case {case}");
            if part.outcome == Outcome::Complete {
                whole += 1;
                assert_eq!(part.upper(), full.upper(), "case {case}");
            } else {
                cut += 1;
            }
        }
    }
    assert!(cut > 60 && whole > 60, "{cut} {whole}");
}
