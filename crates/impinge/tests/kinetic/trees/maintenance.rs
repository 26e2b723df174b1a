//! Trees that choose between events and refitting.

use impinge::bound::Aabb;
use impinge::kinetic::{
    AutoMaintainedTree, Keyframes, Kinetic, KineticAabbTree, KineticNode, Maintenance,
    ScalarRefitTree,
};
use impinge::math::Rng;
use impinge::{DVec3, generate};

use super::{ripple, rounded, times};

/// A sheet that waves more from key to key.
fn waving(keys: usize) -> (Keyframes, Vec<[u32; 3]>) {
    let cloth = generate::cloth(12, 12).unwrap();
    let mut rng = Rng::new(77);
    let frames: Vec<Vec<DVec3>> = (0..keys)
        .map(|key| {
            let shake = 0.02 * key as f64;
            let moved = cloth.positions().iter();
            moved.map(|&p| p + rng.cube() * shake).collect()
        })
        .collect();
    let times: Vec<f64> = (0..keys).map(|key| key as f64).collect();
    let flight = Keyframes::new(&times, &frames).unwrap();
    (flight, cloth.faces().to_vec())
}

/// That a box is the exact one up to rounding; a refitted one is rounded outwards to `f32`.
fn assert_near(found: Aabb, exact: Aabb, upkeep: Maintenance) {
    let tolerance = 1e-12;
    let (inner, outer) = match upkeep {
        Maintenance::Events => (exact, exact),
        Maintenance::Refit => (exact, rounded(exact)),
    };
    assert!(
        found.inflated(tolerance).contains_box(&inner),
        "{found:?} {exact:?}"
    );
    // What was computed a rounding away may be rounded to the next number.
    let slack = match upkeep {
        Maintenance::Events => tolerance,
        Maintenance::Refit => 2e-7 * exact.min.abs().max(exact.max.abs()).max_element() + 1e-12,
    };
    assert!(
        outer.inflated(slack).contains_box(&found),
        "{found:?} {exact:?}"
    );
}

#[test]
fn a_tree_with_chosen_upkeep_has_the_boxes_of_both_and_takes_the_cheaper_way() {
    let (flight, faces) = waving(9);
    for (per_key, expected) in [(1, Maintenance::Refit), (400, Maintenance::Events)] {
        let mut auto = AutoMaintainedTree::new(&flight, &faces).unwrap();
        let mut events = KineticAabbTree::new(&flight, &faces).unwrap();
        let mut ways = Vec::new();
        for frame in 1..=8 * per_key {
            let time = frame as f64 / per_key as f64;
            auto.advance(&flight, time).unwrap();
            events.advance(&flight, time).unwrap();
            ways.push(auto.maintenance());
            let mut open = vec![KineticNode::ROOT];
            while let Some(node) = open.pop().filter(|_| frame % 50 < 2 || per_key == 1) {
                let (x, y) = (auto.bounds(&flight, node), events.bounds(&flight, node));
                assert_near(x.unwrap(), y.unwrap(), auto.maintenance());
                assert_eq!(auto.children(node), events.children(node));
                assert_eq!(auto.face(node), events.face(node));
                open.extend(auto.children(node).into_iter().flatten());
            }
        }
        assert_eq!(ways.last(), Some(&expected), "{}", auto.reason());
        assert!(auto.advance(&flight, 0.5).is_err());
        assert!(auto.advance(&flight, 100.0).is_err());
        assert!(auto.advance(&flight, f64::NAN).is_err());
        assert_eq!(auto.now(), 8.0);
    }
}

#[test]
fn chosen_upkeep_costs_at_most_a_quarter_more_than_the_better_way_by_counts() {
    let (sheet, frames) = ripple(24, 13);
    let rippling = Keyframes::new(&times(13), &frames).unwrap();
    let (waving, cloth) = waving(9);
    for (flight, faces) in [(rippling, sheet.faces()), (waving, &cloth[..])] {
        let mut events = KineticAabbTree::new(&flight, faces).unwrap();
        events.advance(&flight, flight.end()).unwrap();
        for per_key in [1, 3, 10, 30, 100] {
            let mut auto = AutoMaintainedTree::new(&flight, faces).unwrap();
            for frame in 1..=per_key * (flight.key_times().len() - 1) {
                auto.advance(&flight, frame as f64 / per_key as f64)
                    .unwrap();
            }
            let cost = auto.cost();
            let by_events = events.counts().events as f64 * cost.event;
            let better = by_events.min(cost.by_refit);
            assert!(
                cost.spent <= 1.25 * better,
                "{per_key} frames for each key: {cost:?}, {by_events} by events"
            );
        }
    }
}

#[test]
fn a_tree_that_changes_its_upkeep_catches_up() {
    let (flight, faces) = waving(9);
    let mut auto = AutoMaintainedTree::new(&flight, &faces).unwrap();
    let mut ways = Vec::new();
    let times = (1..=4)
        .map(f64::from)
        .chain((1..=2000).map(|k| 4.0 + 0.002 * f64::from(k)));
    for time in times {
        auto.advance(&flight, time).unwrap();
        ways.push(auto.maintenance());
        let mut places = Vec::new();
        flight.positions(time, &mut places);
        let whole = auto.bounds(&flight, KineticNode::ROOT).unwrap();
        for p in places {
            assert!((p - whole.min).min_element() > -1e-12);
            assert!((whole.max - p).min_element() > -1e-12);
        }
    }
    assert!(ways.contains(&Maintenance::Refit) && ways.ends_with(&[Maintenance::Events]));
}

#[test]
fn a_burst_of_events_is_refitted_and_events_are_taken_up_again_after_it() {
    let cloth = generate::cloth(12, 12).unwrap();
    let mut rng = Rng::new(78);
    let scattered: Vec<DVec3> = cloth.positions().iter().map(|_| rng.cube()).collect();
    // Both move as a whole, so that only the key between has events.
    let frames: Vec<Vec<DVec3>> = (0..24)
        .map(|key| {
            let shape = if key < 4 {
                cloth.positions()
            } else {
                &scattered
            };
            let by = DVec3::X * f64::from(key);
            shape.iter().map(|&p| p + by).collect()
        })
        .collect();
    let times: Vec<f64> = (0..24).map(f64::from).collect();
    let flight = Keyframes::new(&times, &frames).unwrap();
    let mut auto = AutoMaintainedTree::new(&flight, cloth.faces()).unwrap();
    for frame in 1..=23 * 20 {
        let time = f64::from(frame) / 20.0;
        auto.advance(&flight, time).unwrap();
        let is_burst = time > 3.0 && time <= 4.0;
        let expected = if is_burst {
            Maintenance::Refit
        } else {
            Maintenance::Events
        };
        assert_eq!(auto.maintenance(), expected, "{time}: {}", auto.reason());
        if frame % 20 > 1 {
            continue;
        }
        let mut exact = ScalarRefitTree::new(&flight, cloth.faces()).unwrap();
        let mut places = Vec::new();
        flight.positions(time, &mut places);
        exact.refit(&places).unwrap();
        let mut open = vec![KineticNode::ROOT];
        while let Some(node) = open.pop() {
            let (x, y) = (auto.bounds(&flight, node), exact.bounds(node));
            assert_near(x.unwrap(), y.unwrap(), auto.maintenance());
            open.extend(auto.children(node).into_iter().flatten());
        }
    }
}
