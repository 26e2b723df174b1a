//! The interest matrix against an oracle, filters, and no work for nobody.

use std::collections::{BTreeMap, BTreeSet};

use impinge::Pose;
use impinge::broad::{ObjectId, ObjectPair};
use impinge::convex::{Ball, Cuboid};
use impinge::math::Rng;
use impinge::pair::{Shape, ShapeKind};
use impinge::world::{Body, Class, EventMask, InterestMatrix, ObjectFilter, PairFilter, World};

use super::scene::{distances, meeting, pose, shapes, told, touches};

fn mask(rng: &mut Rng) -> EventMask {
    [
        EventMask::NOTHING,
        EventMask::OVERLAP_BEGIN,
        EventMask::TOUCHING,
        EventMask::CONTACT,
        EventMask::OVERLAP | EventMask::CONTACTS,
    ][rng.below(5) as usize]
}

fn ball() -> Shape {
    Shape::from(Ball::new(1.0).unwrap())
}

#[test]
fn pair_before_class_before_general_rule() {
    let mut rng = Rng::new(1);
    for _ in 0..50 {
        let mut interest = InterestMatrix::default();
        let mut classes: BTreeMap<(u8, u8), EventMask> = BTreeMap::new();
        let mut pairs: BTreeMap<ObjectPair, EventMask> = BTreeMap::new();
        let mut general = false;
        for _ in 0..40 {
            let (i, j) = (rng.below(6) as u8, rng.below(6) as u8);
            let sorted = (i.min(j), i.max(j));
            let pair = ObjectPair::new(
                ObjectId::new(i.into(), 0),
                ObjectId::new(6 + u32::from(j), 0),
            );
            let wanted = mask(&mut rng);
            match rng.below(5) {
                0 => {
                    interest.set_classes(Class(i), Class(j), wanted);
                    classes.insert(sorted, wanted);
                }
                1 => {
                    interest.clear_classes(Class(j), Class(i));
                    classes.remove(&sorted);
                }
                2 => {
                    interest.set_pair(pair, wanted);
                    pairs.insert(pair, wanted);
                }
                3 => {
                    interest.clear_pair(pair);
                    pairs.remove(&pair);
                }
                _ => {
                    interest.set_general(|_, _| EventMask::CONTACT_END);
                    general = true;
                }
            }
        }
        // Object k has class k mod 6.
        let body = |k: u32| Body::new(ball()).in_class(Class((k % 6) as u8));
        for x in 0..12 {
            for y in 0..x {
                let (p, q) = (ObjectId::new(x, 0), ObjectId::new(y, 0));
                let (i, j) = ((x % 6) as u8, (y % 6) as u8);
                let expected = pairs
                    .get(&ObjectPair::new(p, q))
                    .or_else(|| classes.get(&(i.min(j), i.max(j))))
                    .copied()
                    .or(general.then_some(EventMask::CONTACT_END));
                assert_eq!(interest.mask((p, &body(x)), (q, &body(y))), expected);
                assert_eq!(interest.mask((q, &body(y)), (p, &body(x))), expected);
            }
        }
    }
}

#[test]
fn no_pair_is_tested_unless_someone_is_interested() {
    let mut rng = Rng::new(2);
    let shapes = shapes();
    for round in 0..20 {
        let mut world = World::default();
        let mut masks = BTreeMap::new();
        for i in 0..3 {
            for j in 0..=i {
                if rng.below(3) > 0 {
                    let wanted = mask(&mut rng);
                    world.interest_mut().set_classes(Class(i), Class(j), wanted);
                    masks.insert((j, i), wanted);
                }
            }
        }
        let ids: Vec<_> = (0..18)
            .map(|k| {
                let body = Body::new(shapes[k % 8].clone()).in_class(Class((k % 3) as u8));
                world.insert(body.at(pose(&mut rng, 2.0))).unwrap()
            })
            .collect();
        if round % 2 == 0 {
            // Listening to one object adds to what is set, but not to what is ignored.
            let filter = PairFilter(ObjectFilter::Id(ids[0]), ObjectFilter::Any);
            world.listen(filter, EventMask::TOUCHING, |_, _| {});
        }
        let stats = world.step().stats;
        let wanted = |pair: &ObjectPair| {
            let class = |id| world.body(id).unwrap().class.0;
            let (i, j) = (class(pair.a), class(pair.b));
            let set = masks.get(&(i.min(j), i.max(j))).copied();
            let heard = round % 2 == 0 && pair.a == ids[0] && set != Some(EventMask::NOTHING);
            let own = set.unwrap_or(EventMask::NOTHING);
            if heard {
                own | EventMask::TOUCHING
            } else {
                own
            }
        };
        let near = meeting(&world);
        let asks = |mask: EventMask| {
            [
                EventMask::CONTACT_BEGIN,
                EventMask::CONTACT_END,
                EventMask::TOUCHING,
                EventMask::CONTACTS,
            ]
            .into_iter()
            .any(|kind| mask.includes(kind))
        };
        let asked = near.iter().filter(|pair| asks(wanted(pair))).count() as u64;
        assert_eq!(stats.tested, asked);
        assert_eq!(stats.near, near.len() as u64);
        let interesting = near
            .iter()
            .filter(|pair| !wanted(pair).is_nothing())
            .count();
        assert_eq!(stats.interesting, interesting as u64);
        let expected = near
            .iter()
            .filter(|pair| wanted(pair).includes(EventMask::TOUCHING) && touches(&world, **pair));
        assert_eq!(told(&world, "touching"), expected.copied().collect());
    }
}

#[test]
fn a_world_in_which_nobody_is_interested_tests_nothing() {
    let mut world = World::default();
    for _ in 0..5 {
        world.insert(Body::new(ball())).unwrap();
    }
    let stats = world.step().stats;
    assert_eq!((stats.near, stats.interesting, stats.tested), (10, 0, 0));
    assert!(world.frame().events.is_empty());
}

#[test]
fn an_ignored_pair_is_not_told_to_anyone() {
    let mut world = World::default();
    let a = world.insert(Body::new(ball())).unwrap();
    let b = world.insert(Body::new(ball())).unwrap();
    world.listen(
        PairFilter::any(),
        EventMask::OVERLAP | EventMask::TOUCHING,
        |_, _| {},
    );
    world
        .interest_mut()
        .set_pair(ObjectPair::new(a, b), EventMask::NOTHING);
    assert_eq!(world.step().events.len(), 0);
    world.interest_mut().clear_pair(ObjectPair::new(a, b));
    assert_eq!(
        world.step().events.len(),
        2,
        "interest can begin at any time"
    );
}

#[test]
fn filters_are_symmetric_and_fire_once() {
    let cube = Shape::from(Cuboid::new([1.0; 3]).unwrap());
    let bodies = [
        (ObjectId::new(0, 0), Body::new(ball()).with_tag(1)),
        (
            ObjectId::new(1, 0),
            Body::new(cube.clone()).with_tag(1).in_class(Class(3)),
        ),
        (ObjectId::new(2, 0), Body::new(ball())),
    ];
    let filters = [
        ObjectFilter::Any,
        ObjectFilter::Id(bodies[1].0),
        ObjectFilter::Kind(ShapeKind::Ball),
        ObjectFilter::Tag(1),
        ObjectFilter::Class(Class(3)),
        ObjectFilter::custom(|id, _| id.slot() == 2),
        ObjectFilter::Tag(1) & ObjectFilter::Kind(ShapeKind::Ball),
        !ObjectFilter::Tag(1) | ObjectFilter::Class(Class(3)),
    ];
    // Which of the three objects each filter means, as written down by hand.
    let truth = [
        [true, true, true],
        [false, true, false],
        [true, false, true],
        [true, true, false],
        [false, true, false],
        [false, false, true],
        [true, false, false],
        [false, true, true],
    ];
    for (f, filter) in filters.iter().enumerate() {
        for (k, (id, body)) in bodies.iter().enumerate() {
            assert_eq!(filter.matches(*id, body), truth[f][k], "{filter:?} {k}");
        }
    }
    for (f, first) in filters.iter().enumerate() {
        for (g, second) in filters.iter().enumerate() {
            let pairs = PairFilter(first.clone(), second.clone());
            for (i, x) in bodies.iter().enumerate() {
                for (j, y) in bodies.iter().enumerate() {
                    let expected = (truth[f][i] && truth[g][j]) || (truth[f][j] && truth[g][i]);
                    assert_eq!(pairs.matches((x.0, &x.1), (y.0, &y.1)), expected);
                }
            }
        }
    }
}

#[test]
fn static_objects_are_not_tested_against_each_other() {
    let mut world = World::default();
    world
        .interest_mut()
        .set_general(|_, _| EventMask::OVERLAP | EventMask::TOUCHING);
    for _ in 0..4 {
        world.insert(Body::new(ball()).fixed()).unwrap();
    }
    let mover = world.insert(Body::new(ball())).unwrap();
    assert_eq!(world.step().stats.tested, 4);
    world
        .set_pose(mover, Pose::from_translation([0.1, 0.0, 0.0]).unwrap())
        .unwrap();
    assert_eq!(world.step().stats.tested, 4);
    world.set_static(mover, true).unwrap();
    assert!(world.step().events.is_empty());
}

#[test]
fn a_rule_with_a_reach_hears_of_every_pair_within_its_own_distance() {
    let mut rng = Rng::new(9);
    let shapes = shapes();
    let mut world = World::default();
    // Of two objects the sum of tags, in tenths, but never more than the reach.
    let requested = |x: &Body, y: &Body| 0.1 * (x.tag + y.tag) as f64;
    let rule = move |(_, x): (ObjectId, &Body), (_, y): (ObjectId, &Body)| {
        EventMask::closer_than(requested(x, y)).unwrap()
    };
    world.interest_mut().set_general_within(1.5, rule).unwrap();
    let ids: Vec<_> = (0..16)
        .map(|k| {
            let body = Body::new(shapes[k % 8].clone()).with_tag(k as u64);
            world.insert(body).unwrap()
        })
        .collect();
    let mut count = 0;
    for _ in 0..20 {
        for &id in &ids {
            world.set_pose(id, pose(&mut rng, 4.0)).unwrap();
        }
        world.step();
        let mut expected = BTreeSet::new();
        for ([x, y], distance) in distances(&world, &ids) {
            let [a, b] = [x, y].map(|id| world.body(id).unwrap());
            if distance <= requested(a, b).min(1.5) {
                expected.insert(ObjectPair::new(x, y));
            }
        }
        count += expected.len();
        assert_eq!(told(&world, "closer"), expected);
    }
    assert!(count > 100, "{count}");
}
