//! Adaptive accuracy: coarser answers are safe, and the switch does not swing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::convex::Ball;
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::world::{
    AccuracyControl, AccuracyRecovery, Body, ContactAccuracy, EventKind, EventMask, PairFilter,
    StepBudget, World,
};

use super::scene::{meeting, pose, shapes, told};

#[test]
fn coarser_answers_hold_every_finer_one() {
    let mut rng = Rng::new(11);
    let shapes = shapes();
    let mut world = World::default();
    world
        .interest_mut()
        .set_general(|_, _| EventMask::TOUCHING | EventMask::CONTACT);
    let ids: Vec<_> = (0..16)
        .map(|k| world.insert(Body::new(shapes[k % 8].clone())).unwrap())
        .collect();
    for _ in 0..40 {
        for &id in &ids {
            world.set_pose(id, pose(&mut rng, 3.0)).unwrap();
        }
        let mut before = None;
        for accuracy in ContactAccuracy::ALL {
            // A change of accuracy alone makes the step ask again.
            world.set_accuracy(accuracy);
            world.step();
            let now = told(&world, "touching");
            let is_marked = |event: &impinge::world::Event| event.accuracy == accuracy;
            assert!(world.frame().events.iter().all(is_marked));
            if let Some(finer) = before {
                assert!(now.is_superset(&finer));
            }
            before = Some(now);
        }
        assert_eq!(before, Some(meeting(&world)));
        assert_eq!(world.frame().stats.tested, 0, "boxes cost no test");
    }
}

#[test]
fn coarser_distances_are_never_larger_and_miss_no_near_pair() {
    let mut rng = Rng::new(12);
    let shapes = shapes();
    let mut world = World::default();
    let near = EventMask::closer_than(1.5).unwrap();
    world.interest_mut().set_general(move |_, _| near);
    world.interest_mut().set_reach(near);
    let ids: Vec<_> = (0..16)
        .map(|k| world.insert(Body::new(shapes[k % 8].clone())).unwrap())
        .collect();
    let mut told = 0;
    for _ in 0..40 {
        for &id in &ids {
            world.set_pose(id, pose(&mut rng, 5.0)).unwrap();
        }
        let mut exact = Vec::new();
        for accuracy in ContactAccuracy::ALL {
            world.set_accuracy(accuracy);
            world.step();
            let found: Vec<_> = world
                .frame()
                .events
                .iter()
                .filter_map(|event| match event.what {
                    EventKind::Closer(separation) => Some((event.pair, separation)),
                    _ => None,
                })
                .collect();
            for (_, separation) in &found {
                let between = separation.point_a.distance(separation.point_b);
                assert!((between - separation.distance).abs() <= 1e-9);
            }
            if accuracy == ContactAccuracy::Exact {
                told += found.len();
                exact = found;
                continue;
            }
            for (pair, finer) in &exact {
                let coarser = found.iter().find(|(other, _)| other == pair);
                assert!(coarser.is_some_and(|(_, c)| c.distance <= finer.distance + 1e-9));
            }
        }
    }
    assert!(told > 100, "{told}");
}

#[test]
fn the_switch_falls_at_once_rises_after_calm_and_never_swings_under_constant_load() {
    let recovery = AccuracyRecovery {
        below: 0.6,
        calm_steps: 5,
    };
    let mut control = AccuracyControl::new(StepBudget::Work(1000), recovery);
    // Exactly 100 pairs at 12 each are too much, for ever.
    let mut changes = 0;
    let mut last = control.accuracy();
    for _ in 0..500 {
        let cost = match control.accuracy() {
            ContactAccuracy::Exact => 1200.0,
            ContactAccuracy::OrientedBoxes => 100.0,
            ContactAccuracy::Boxes => 0.0,
        };
        control.record(100, cost);
        changes += u32::from(control.accuracy() != last);
        last = control.accuracy();
    }
    assert_eq!((changes, last), (1, ContactAccuracy::OrientedBoxes));
    // 70 pairs would cost 840: within the budget, but not by enough.
    for _ in 0..100 {
        control.record(70, 70.0);
    }
    assert_eq!(control.accuracy(), ContactAccuracy::OrientedBoxes);
    // 40 pairs would cost 480: four calm steps are not enough, an interruption starts the count anew.
    for _ in 0..4 {
        control.record(40, 40.0);
    }
    control.record(90, 90.0);
    for _ in 0..4 {
        control.record(40, 40.0);
        assert_eq!(control.accuracy(), ContactAccuracy::OrientedBoxes);
    }
    control.record(40, 40.0);
    assert_eq!(control.accuracy(), ContactAccuracy::Exact);
}

#[test]
fn a_load_between_the_thresholds_changes_nothing_from_either_side() {
    for start in [ContactAccuracy::Exact, ContactAccuracy::OrientedBoxes] {
        let mut control = AccuracyControl::new(StepBudget::Work(100), AccuracyRecovery::default());
        control.record(
            10,
            if start == ContactAccuracy::Exact {
                80.0
            } else {
                120.0
            },
        );
        for _ in 0..200 {
            assert_eq!(control.accuracy(), start);
            // Eight of ten exactly, one of ten by boxes.
            control.record(
                10,
                if start == ContactAccuracy::Exact {
                    80.0
                } else {
                    10.0
                },
            );
        }
    }
}

#[test]
fn a_world_over_budget_becomes_coarser_and_recovers() {
    let mut world = World::default();
    world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let ids: Vec<_> = (0..10)
        .map(|_| world.insert(Body::new(ball.clone())).unwrap())
        .collect();
    let recovery = AccuracyRecovery {
        below: 0.5,
        calm_steps: 3,
    };
    // 45 pairs of balls are worth 90.
    let control = AccuracyControl::new(StepBudget::Work(60), recovery);
    world.set_accuracy_control(Some(control));
    let mut rng = Rng::new(1);
    let mut seen = Vec::new();
    for step in 0..40 {
        for (k, &id) in ids.iter().enumerate() {
            // From step 10 on, most are far away.
            let size = if step >= 10 && k > 2 { 1000.0 } else { 0.1 };
            world.set_pose(id, pose(&mut rng, size)).unwrap();
        }
        seen.push(world.step().accuracy);
    }
    assert_eq!(seen[0], ContactAccuracy::Exact);
    assert!(
        seen[1..10]
            .iter()
            .all(|&a| a == ContactAccuracy::OrientedBoxes),
        "{seen:?}"
    );
    assert!(
        seen[20..].iter().all(|&a| a == ContactAccuracy::Exact),
        "{seen:?}"
    );
}

#[test]
fn a_clock_of_the_callers_is_a_budget_too() {
    let mut world = World::default();
    world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
    let ticks = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&ticks);
    // Each look at the clock takes a while.
    let now = Box::new(move || clock.fetch_add(7, Ordering::Relaxed) as f64);
    let control = AccuracyControl::new(
        StepBudget::Clock { now, limit: 5.0 },
        AccuracyRecovery::default(),
    );
    world.set_accuracy_control(Some(control));
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let mut rng = Rng::new(1);
    let ids = [0, 1].map(|_| world.insert(Body::new(ball.clone())).unwrap());
    for expected in [
        ContactAccuracy::Exact,
        ContactAccuracy::OrientedBoxes,
        ContactAccuracy::Boxes,
        ContactAccuracy::Boxes,
    ] {
        world.set_pose(ids[0], pose(&mut rng, 0.1)).unwrap();
        assert_eq!(world.step().accuracy, expected);
    }
    assert_eq!(ticks.load(Ordering::Relaxed), 16 * 7, "four looks a step");
}

#[test]
fn time_that_listeners_take_counts_and_what_they_leave_is_for_tests() {
    let mut world = World::default();
    let ticks = Arc::new(AtomicU64::new(0));
    let slowness = Arc::new(AtomicU64::new(100));
    let (clock, spent, slow) = (
        Arc::clone(&ticks),
        Arc::clone(&ticks),
        Arc::clone(&slowness),
    );
    let now = Box::new(move || clock.load(Ordering::Relaxed) as f64);
    let recovery = AccuracyRecovery {
        below: 0.5,
        calm_steps: 2,
    };
    let control = AccuracyControl::new(StepBudget::Clock { now, limit: 50.0 }, recovery);
    world.set_accuracy_control(Some(control));
    world.listen(PairFilter::any(), EventMask::TOUCHING, move |_, _| {
        spent.fetch_add(slow.load(Ordering::Relaxed), Ordering::Relaxed);
    });
    let ball = Shape::from(Ball::new(1.0).unwrap());
    for _ in 0..2 {
        world.insert(Body::new(ball.clone())).unwrap();
    }
    // No test takes any time, but the step is over its budget.
    assert_eq!(world.step().accuracy, ContactAccuracy::Exact);
    assert_eq!(world.step().accuracy, ContactAccuracy::OrientedBoxes);
    assert_eq!(world.step().accuracy, ContactAccuracy::Boxes);
    assert_eq!(world.step().accuracy, ContactAccuracy::Boxes);
    // Listeners that take most of the budget leave enough for tests that take none.
    slowness.store(45, Ordering::Relaxed);
    let seen: Vec<_> = (0..6).map(|_| world.step().accuracy).collect();
    assert_eq!(seen[5], ContactAccuracy::Exact, "{seen:?}");
}
