//! The laws of events, over random programs, against brute force.

use std::collections::BTreeSet;

use impinge::Pose;
use impinge::broad::{ObjectId, ObjectPair};
use impinge::convex::Ball;
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::world::{Body, Class, Enclosure, EventKind, EventMask, World, WorldConfig};

use super::scene::{
    any, broad, distances, ground, meeting, pose, rank, shapes, told, touches, touching,
};

fn everything() -> EventMask {
    EventMask::OVERLAP | EventMask::CONTACT | EventMask::TOUCHING | EventMask::CONTACTS
}

/// What was told of pairs so far and holds.
#[derive(Default)]
struct Told {
    meeting: BTreeSet<ObjectPair>,
    touching: BTreeSet<ObjectPair>,
}

impl Told {
    /// Follows the events of a step; every law of events that needs no oracle is checked here.
    fn follow(&mut self, world: &World) {
        let events = &world.frame().events;
        assert!(events.is_sorted_by_key(|event| (event.pair, rank(&event.what))));
        for event in events {
            let pair = event.pair;
            assert!(pair.a < pair.b);
            match event.what {
                EventKind::OverlapBegin => {
                    assert!(self.meeting.insert(pair), "hello twice: {pair:?}")
                }
                EventKind::OverlapEnd => {
                    assert!(self.meeting.remove(&pair), "goodbye first: {pair:?}")
                }
                EventKind::ContactBegin { .. } => {
                    assert!(self.touching.insert(pair), "began twice: {pair:?}")
                }
                EventKind::ContactEnd => {
                    assert!(self.touching.remove(&pair), "ended first: {pair:?}")
                }
                _ => {}
            }
        }
        assert!(
            self.touching.is_subset(&self.meeting),
            "touching without hello"
        );
    }
}

fn random_program(seed: u64, steps: usize, with_ground: bool) {
    let mut rng = Rng::new(seed);
    let shapes = shapes();
    let mut world = World::default();
    world.interest_mut().set_general(|_, _| everything());
    world.set_broad_phase(broad(seed)).unwrap();
    let mut ids: Vec<ObjectId> = Vec::new();
    if with_ground {
        ids.push(world.insert(Body::new(ground())).unwrap());
    }
    let mut state = Told::default();
    for _ in 0..steps {
        for _ in 0..rng.below(6) {
            match rng.below(10) {
                0..3 if ids.len() < 24 => {
                    let shape = shapes[rng.below(shapes.len() as u64) as usize].clone();
                    let body = Body::new(shape).at(pose(&mut rng, 3.0));
                    let body = if rng.below(4) == 0 {
                        body.fixed()
                    } else {
                        body
                    };
                    ids.push(world.insert(body).unwrap());
                }
                3 => {
                    if let Some(id) = any(&mut rng, &ids) {
                        world.remove(id).unwrap();
                        ids.retain(|other| *other != id);
                    }
                }
                4 => world.set_broad_phase(broad(rng.below(9))).unwrap(),
                5 => {
                    if let Some(id) = any(&mut rng, &ids) {
                        world.set_static(id, rng.below(2) == 0).unwrap();
                    }
                }
                6 => {
                    if let Some(id) = any(&mut rng, &ids) {
                        let shape = shapes[rng.below(shapes.len() as u64) as usize].clone();
                        world.set_shape(id, shape).unwrap();
                    }
                }
                _ => {
                    if let Some(id) = any(&mut rng, &ids) {
                        world.set_pose(id, pose(&mut rng, 3.0)).unwrap();
                    }
                }
            }
        }
        world.step();
        state.follow(&world);
        // Objects that became static while they met are told nothing more, so compare what is told at every step.
        let (near, contact) = (meeting(&world), touching(&world));
        assert_eq!(told(&world, "touching"), contact);
        assert_eq!(
            told(&world, "contacts"),
            contact,
            "who touches has a contact"
        );
        assert!(told(&world, "overlap-begin").is_subset(&near));
        assert!(told(&world, "contact-begin").is_subset(&contact));
        state.meeting.retain(|pair| is_moving(&world, *pair));
        state.touching.retain(|pair| is_moving(&world, *pair));
        assert_eq!(state.touching, contact);
    }
}

fn is_moving(world: &World, pair: ObjectPair) -> bool {
    let is_static = |id| world.body(id).is_some_and(|body| body.is_static);
    !(is_static(pair.a) && is_static(pair.b))
}

#[test]
fn events_alternate_and_equal_brute_force_under_random_edits_and_exchanged_detectors() {
    for seed in 0..18 {
        random_program(seed, 60, seed % 3 == 0);
    }
}

#[test]
fn hellos_minus_goodbyes_are_the_boxes_that_meet() {
    // Without static objects, of which nothing is told.
    for seed in 0..9 {
        let mut rng = Rng::new(100 + seed);
        let shapes = shapes();
        let mut world = World::default();
        world.interest_mut().set_general(|_, _| everything());
        world.set_broad_phase(broad(seed)).unwrap();
        let mut ids = Vec::new();
        let mut state = Told::default();
        for _ in 0..80 {
            match rng.below(8) {
                0 | 1 if ids.len() < 30 => {
                    let shape = shapes[rng.below(8) as usize].clone();
                    let body = Body::new(shape).at(pose(&mut rng, 4.0));
                    ids.push(world.insert(body).unwrap());
                }
                2 if !ids.is_empty() => {
                    let id = ids.swap_remove(rng.below(ids.len() as u64) as usize);
                    world.remove(id).unwrap();
                }
                3 => world.set_broad_phase(broad(rng.below(9))).unwrap(),
                _ => {
                    for _ in 0..4 {
                        if let Some(id) = any(&mut rng, &ids) {
                            world.set_pose(id, pose(&mut rng, 4.0)).unwrap();
                        }
                    }
                }
            }
            world.step();
            state.follow(&world);
            assert_eq!(state.meeting, meeting(&world));
            assert_eq!(state.touching, touching(&world));
        }
    }
}

#[test]
fn an_unbounded_shape_works_in_every_detector() {
    for kind in 0..9 {
        let mut world = World::default();
        world.set_broad_phase(broad(kind)).unwrap();
        world.interest_mut().set_general(|_, _| everything());
        let floor = world.insert(Body::new(ground()).fixed()).unwrap();
        let ball = Shape::from(Ball::new(1.0).unwrap());
        let high = Body::new(ball.clone()).at(Pose::from_translation([0.0, 0.0, 5.0]).unwrap());
        let high = world.insert(high).unwrap();
        let low = world.insert(Body::new(ball)).unwrap();
        world.step();
        assert_eq!(
            told(&world, "overlap-begin").len(),
            2,
            "an unbounded box meets every box"
        );
        assert_eq!(
            told(&world, "touching"),
            [ObjectPair::new(floor, low)].into()
        );
        world
            .set_pose(high, Pose::from_translation([9.0, 0.0, 1.0]).unwrap())
            .unwrap();
        world.step();
        let both = [ObjectPair::new(floor, low), ObjectPair::new(floor, high)];
        assert_eq!(told(&world, "touching"), both.into(), "touching counts");
    }
}

#[test]
fn nearness_is_told_exactly_within_its_distance() {
    let mut rng = Rng::new(7);
    let shapes = shapes();
    for near in [0.0, 0.5, 2.0] {
        let mut world = World::default();
        let mask = EventMask::closer_than(near).unwrap();
        world.interest_mut().set_classes(Class(0), Class(0), mask);
        let ids: Vec<_> = (0..12)
            .map(|i| world.insert(Body::new(shapes[i % 8].clone())).unwrap())
            .collect();
        for _ in 0..20 {
            for &id in &ids {
                world.set_pose(id, pose(&mut rng, 4.0)).unwrap();
            }
            world.step();
            let found: Vec<(ObjectPair, f64)> = world
                .frame()
                .events
                .iter()
                .map(|event| match &event.what {
                    EventKind::Closer(found) => (event.pair, found.distance),
                    other => panic!("nobody requested for {other:?}"),
                })
                .collect();
            let mut expected = Vec::new();
            for ([x, y], gap) in distances(&world, &ids) {
                if gap <= near {
                    expected.push((ObjectPair::new(x, y), gap));
                }
            }
            expected.sort_by_key(|(pair, _)| *pair);
            let pairs =
                |list: &[(ObjectPair, f64)]| list.iter().map(|(p, _)| *p).collect::<Vec<_>>();
            assert_eq!(pairs(&found), pairs(&expected));
            for ((_, x), (_, y)) in found.iter().zip(&expected) {
                assert!((x - y).abs() <= 1e-9, "{x} {y}");
            }
        }
    }
}

#[test]
fn what_did_not_move_is_told_again_but_not_tested_again() {
    for news_only in [false, true] {
        let config = WorldConfig {
            news_only,
            ..WorldConfig::default()
        };
        let mut world = World::new(impinge::broad::DynamicAabbTree::default(), config);
        world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
        let ball = Shape::from(Ball::new(1.0).unwrap());
        let ids: Vec<_> = (0..3)
            .map(|_| world.insert(Body::new(ball.clone())).unwrap())
            .collect();
        let stats = world.step().stats;
        assert_eq!((stats.tested, stats.moved), (3, 3));
        assert!(world.frame().events.iter().all(|event| event.is_new));
        let stats = world.step().stats;
        assert_eq!((stats.tested, stats.touching), (0, 3), "nothing moved");
        assert_eq!(world.frame().events.len(), if news_only { 0 } else { 3 });
        assert!(world.frame().events.iter().all(|event| !event.is_new));
        // The rule of 1994: a collision is new when at least one of the two moved.
        world
            .set_pose(ids[0], Pose::from_translation([0.5, 0.0, 0.0]).unwrap())
            .unwrap();
        let stats = world.step().stats;
        assert_eq!((stats.tested, stats.moved), (2, 1));
        let news = world.frame().events.iter().filter(|event| event.is_new);
        assert_eq!(news.count(), 2);
        assert_eq!(world.frame().events.len(), if news_only { 2 } else { 3 });
    }
}

#[test]
fn an_object_that_goes_says_goodbye_once_and_its_slot_starts_anew() {
    let mut world = World::default();
    world.interest_mut().set_general(|_, _| everything());
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let a = world.insert(Body::new(ball.clone())).unwrap();
    let b = world.insert(Body::new(ball.clone())).unwrap();
    world.step();
    world.remove(b).unwrap();
    let again = world.insert(Body::new(ball)).unwrap();
    assert_eq!((again.slot(), again.generation()), (b.slot(), 1));
    world.step();
    let told: Vec<_> = world
        .frame()
        .events
        .iter()
        .map(|e| (e.pair, e.what.name()))
        .collect();
    let (old, new) = (ObjectPair::new(a, b), ObjectPair::new(a, again));
    let contacts = (new, "contacts");
    assert_eq!(
        told,
        [
            (old, "contact-end"),
            (old, "overlap-end"),
            (new, "overlap-begin"),
            (new, "contact-begin"),
            (new, "touching"),
            contacts
        ]
    );
}

#[test]
fn boxes_only_tells_of_boxes_only() {
    let config = WorldConfig {
        boxes_only: true,
        ..WorldConfig::default()
    };
    let mut world = World::new(impinge::broad::DynamicAabbTree::default(), config);
    world.interest_mut().set_general(|_, _| everything());
    let ball = Shape::from(Ball::new(1.0).unwrap());
    for _ in 0..3 {
        world.insert(Body::new(ball.clone())).unwrap();
    }
    assert_eq!(world.step().stats.tested, 0);
    assert_eq!(
        (
            told(&world, "overlap-begin").len(),
            world.frame().events.len()
        ),
        (3, 3)
    );
}

#[test]
fn an_enclosed_object_is_near_its_encloser_and_inherits_its_pairs() {
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let big = Shape::from(Ball::new(2.0).unwrap());
    let small = Shape::from(Ball::new(0.5).unwrap());
    for (mode, inherited) in [(Enclosure::ParentOnly, 0), (Enclosure::InheritPairs, 1)] {
        let mut world = World::default();
        world.interest_mut().set_general(|_, _| everything());
        let tank = world.insert(Body::new(big.clone())).unwrap();
        let drop = world.insert(Body::new(small.clone())).unwrap();
        let probe = world.insert(Body::new(small.clone()).at(at(2.2))).unwrap();
        world.enclose(drop, tank, mode).unwrap();
        assert!(
            world.enclose(tank, drop, mode).is_err(),
            "enclosures do not nest"
        );
        world.step();
        let hellos = told(&world, "overlap-begin");
        assert!(
            hellos.contains(&ObjectPair::new(tank, drop))
                && hellos.contains(&ObjectPair::new(tank, probe))
        );
        assert_eq!(hellos.len(), 2 + inherited);
        assert_eq!(world.broad_phase().bodies().len(), 2);
        // The drop moves within reach of the probe; only with inheritance is that seen.
        world.set_pose(drop, at(1.5)).unwrap();
        world.step();
        assert_eq!(
            told(&world, "touching").contains(&ObjectPair::new(drop, probe)),
            inherited == 1
        );
        world.release(drop).unwrap();
        world.step();
        assert!(told(&world, "touching").contains(&ObjectPair::new(drop, probe)));
        assert!(
            told(&world, "overlap-end").is_empty(),
            "all boxes still meet"
        );
    }
}

#[test]
fn a_solid_contains_what_is_inside_it() {
    let mut config = WorldConfig::default();
    let shell = impinge::generate::icosphere(3.0, 2).unwrap();
    let shell = Shape::from(impinge::pair::MeshShape::new(std::sync::Arc::new(shell)));
    for solid in [false, true] {
        config.pair.solid = solid;
        let mut world = World::new(impinge::broad::DynamicAabbTree::default(), config.clone());
        world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
        world.insert(Body::new(shell.clone())).unwrap();
        world
            .insert(Body::new(Shape::from(Ball::new(0.5).unwrap())))
            .unwrap();
        assert_eq!(world.step().stats.touching, u64::from(solid));
    }
}

#[test]
fn a_witness_is_two_faces_that_meet_whatever_thread_found_it() {
    let mut rng = Rng::new(12);
    let knot = impinge::generate::model("torus")
        .unwrap()
        .make(Some(400), 1)
        .unwrap();
    let knot = std::sync::Arc::new(knot);
    let shape = Shape::from(impinge::pair::MeshShape::new(std::sync::Arc::clone(&knot)));
    let mut world = World::default();
    world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
    for _ in 0..40 {
        world
            .insert(Body::new(shape.clone()).at(pose(&mut rng, 3.0)))
            .unwrap();
    }
    world.step();
    assert!(world.frame().events.len() > 20);
    for event in &world.frame().events {
        let EventKind::Touching { witness } = event.what else {
            panic!("{event:?}");
        };
        let faces = witness.unwrap();
        let place = |id| world.body(id).unwrap().world_from_body;
        let a_from_b = place(event.pair.a).inverse() * place(event.pair.b);
        let a = knot.triangles().nth(faces.a.index()).unwrap();
        let b = knot
            .triangles()
            .nth(faces.b.index())
            .unwrap()
            .map(|p| a_from_b * p);
        assert!(impinge::geom::triangles_intersect(&a, &b), "{event:?}");
    }
}

#[test]
fn a_handle_answers_about_other_placements_without_moving_the_world() {
    let mut rng = Rng::new(3);
    let shapes = shapes();
    let mut world = World::default();
    world.interest_mut().set_general(|_, _| EventMask::TOUCHING);
    for shape in &shapes {
        world.insert(Body::new(shape.clone())).unwrap();
    }
    world.step();
    let pairs: Vec<ObjectPair> = meeting(&world).into_iter().collect();
    for pair in pairs {
        let mut handle = world.pair(pair).unwrap();
        let mut answers = Vec::new();
        for _ in 0..8 {
            let (a, b) = (pose(&mut rng, 1.0), pose(&mut rng, 1.0));
            handle.place_a(a);
            handle.place_b(b);
            answers.push((a, b, handle.touches().unwrap()));
        }
        let before = world.body(pair.a).unwrap().world_from_body;
        assert_eq!(before, Pose::IDENTITY);
        for (a, b, answer) in answers {
            world.set_pose(pair.a, a).unwrap();
            world.set_pose(pair.b, b).unwrap();
            assert_eq!(touches(&world, pair), answer);
        }
        world.set_pose(pair.a, Pose::IDENTITY).unwrap();
        world.set_pose(pair.b, Pose::IDENTITY).unwrap();
    }
}
