//! The broad phase is off where that is cheaper, and no event depends on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use impinge::math::Rng;
use impinge::world::{Body, BroadPhaseControl, EventMask, World};

use super::scene::{pose, shapes};

/// The times that a clock shows, set by the test: what finding pairs takes, and testing them.
#[derive(Default)]
struct Costs {
    broad: AtomicU64,
    tests: AtomicU64,
}

fn control(costs: &Arc<Costs>) -> BroadPhaseControl {
    let (costs, mut time, mut look) = (Arc::clone(costs), 0, 0);
    BroadPhaseControl::new(move || {
        match look % 3 {
            0 => {}
            1 => time += costs.broad.load(Ordering::Relaxed),
            _ => time += costs.tests.load(Ordering::Relaxed),
        }
        look += 1;
        time as f64
    })
}

fn world(count: usize) -> (World, Vec<impinge::broad::ObjectId>) {
    let mut world = World::default();
    let all = EventMask::OVERLAP | EventMask::CONTACT | EventMask::TOUCHING;
    world.interest_mut().set_general(move |_, _| all);
    let shapes = shapes();
    let ids = (0..count).map(|k| world.insert(Body::new(shapes[k % 8].clone())).unwrap());
    let ids = ids.collect();
    (world, ids)
}

/// Steps a world with a control beside one without; gives how many steps the broad phase was off.
fn steps_off(count: usize, steps: u32, on: [u64; 2], off: [u64; 2]) -> u32 {
    let costs = Arc::new(Costs::default());
    let ((mut controlled, ids), (mut plain, _)) = (world(count), world(count));
    controlled.set_broad_phase_control(Some(control(&costs)));
    let (mut rng, mut steps_off, mut events) = (Rng::new(3), 0, 0);
    for _ in 0..steps {
        for &id in &ids {
            if rng.below(2) == 0 {
                let pose = pose(&mut rng, 4.0);
                controlled.set_pose(id, pose).unwrap();
                plain.set_pose(id, pose).unwrap();
            }
        }
        let is_on = controlled.broad_phase_control().unwrap().is_on();
        assert_eq!(is_on, controlled.broad_phase().name() != "all pairs");
        steps_off += u32::from(!is_on);
        let [broad, tests] = if is_on { on } else { off };
        costs.broad.store(broad, Ordering::Relaxed);
        costs.tests.store(tests, Ordering::Relaxed);
        let told = |world: &World| -> Vec<_> {
            let events = world.frame().events.iter();
            events.map(|e| (e.pair, e.what.name(), e.is_new)).collect()
        };
        controlled.step();
        plain.step();
        assert_eq!(told(&controlled), told(&plain));
        events += plain.frame().events.len();
    }
    assert!(events > 100);
    // Without a control it is on for good.
    controlled.set_broad_phase_control(None);
    assert_ne!(controlled.broad_phase().name(), "all pairs");
    steps_off
}

#[test]
fn the_cheaper_way_is_taken_and_no_event_depends_on_it() {
    // All pairs cost 8, the broad phase alone costs 10.
    assert!(steps_off(10, 200, [10, 5], [0, 8]) > 150);
    // A broad phase that spares more than it costs is off for trials only.
    let trials = steps_off(10, 600, [2, 5], [0, 80]);
    assert!((1..60).contains(&trials), "{trials}");
    // A gain of a few percent is not worth a switch.
    let trials = steps_off(10, 200, [1, 20], [0, 20]);
    assert!((1..30).contains(&trials), "{trials}");
}

#[test]
fn a_world_of_many_objects_keeps_its_broad_phase() {
    assert_eq!(steps_off(100, 40, [1000, 5], [0, 1]), 0);
}
