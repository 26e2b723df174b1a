//! Pairs that are asked again: as a fresh question would answer.

use impinge::broad::ObjectPair;
use impinge::math::{Motion, Rng};
use impinge::pair::{ContactPoint, DepthQuery, ImpactQuery, PairConfig};
use impinge::query::Limits;
use impinge::world::{Body, World};

use super::scene::{pose, shapes};

#[test]
fn depth_and_impact_of_a_pair_are_those_of_fresh_questions() {
    let mut rng = Rng::new(31);
    let shapes = shapes();
    let (mut overlaps, mut hits) = (0, 0);
    for round in 0..60 {
        let (x, y) = (&shapes[round % 8], &shapes[rng.below(8) as usize]);
        let mut world = World::default();
        let a = world.insert(Body::new(x.clone())).unwrap();
        let b = world.insert(Body::new(y.clone())).unwrap();
        world.step();
        let mut pair = world.pair(ObjectPair::new(a, b)).unwrap();
        let config = PairConfig::default();
        for _ in 0..4 {
            let (from, to) = (pose(&mut rng, 1.5), pose(&mut rng, 1.5));
            pair.place_a(from);
            pair.place_b(to);
            let a_from_b = from.inverse() * to;
            let mut fresh = DepthQuery::new(x, y, &config).unwrap();
            let expected = fresh.at(&a_from_b, Limits::default());
            let found = pair.depth(Limits::default()).unwrap();
            assert_eq!(found.value.is_some(), expected.value.is_some());
            if found.value.is_some() {
                overlaps += 1;
                // A cache may lead to the other end of the bracket.
                let room = 1e-9;
                assert!(
                    found.lower <= expected.upper + room && expected.lower <= found.upper + room
                );
                let mut points: Vec<ContactPoint> = Vec::new();
                if pair.touches().unwrap() {
                    pair.contacts(&mut points).unwrap();
                    assert!(!points.is_empty());
                }
            }
            let still = Motion::still(&from);
            let moving = Motion::between(&pose(&mut rng, 4.0), &to);
            let mut fresh = ImpactQuery::new(x, y, &config).unwrap();
            let expected = fresh.during(&still, &moving, Limits::default());
            let found = pair.impact(&still, &moving, Limits::default()).unwrap();
            assert_eq!(found.value.is_some(), expected.value.is_some());
            if let (Some(f), Some(e)) = (found.value, expected.value) {
                hits += 1;
                assert!((f.time - e.time).abs() <= 1e-6, "{f:?} {e:?}");
            }
        }
    }
    assert!(overlaps > 40 && hits > 40, "{overlaps} {hits}");
}
