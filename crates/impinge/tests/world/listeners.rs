//! Listeners: when they are called, and when what they do takes effect.

use std::sync::{Arc, Mutex};

use impinge::Pose;
use impinge::broad::{ObjectId, ObjectPair};
use impinge::convex::Ball;
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::world::{Body, EventKind, EventMask, ObjectFilter, PairFilter, World, WorldConfig};

use super::scene::{pose, shapes};

fn at(x: f64) -> Pose {
    Pose::from_translation([x, 0.0, 0.0]).unwrap()
}

fn ball() -> Shape {
    Shape::from(Ball::new(1.0).unwrap())
}

#[test]
fn what_a_listener_moves_is_looked_at_in_the_next_step_and_once() {
    let mut world = World::default();
    let ids: Vec<ObjectId> = (0..3)
        .map(|_| world.insert(Body::new(ball())).unwrap())
        .collect();
    let (first, last) = (ids[0], ids[2]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    world.listen(
        PairFilter::any(),
        EventMask::TOUCHING,
        move |event, reply| {
            // All listeners see the poses that the step saw.
            let pose = reply.body(first).unwrap().world_from_body;
            log.lock().unwrap().push((reply.step(), event.pair, pose));
            if reply.step() == 1 {
                // Told three times, in order: the last one counts.
                reply.set_pose(first, at(10.0 + f64::from(event.pair.b.slot())));
            }
        },
    );
    world.step();
    assert_eq!(seen.lock().unwrap().len(), 3);
    assert!(
        seen.lock()
            .unwrap()
            .iter()
            .all(|(_, _, pose)| *pose == Pose::IDENTITY)
    );
    let stats = world.step().stats;
    assert_eq!(
        (stats.moved, stats.touching),
        (1, 1),
        "one object moved, though asked thrice"
    );
    assert_eq!(
        world.body(first).unwrap().world_from_body,
        at(10.0 + f64::from(last.slot()))
    );
    let log = seen.lock().unwrap();
    assert_eq!(log.len(), 4);
    assert_eq!((log[3].0, log[3].1), (2, ObjectPair::new(ids[1], last)));
}

#[test]
fn a_listener_may_remove_what_it_is_told_of() {
    let mut world = World::default();
    for _ in 0..4 {
        world.insert(Body::new(ball())).unwrap();
    }
    world.listen(
        PairFilter::any(),
        EventMask::CONTACT_BEGIN,
        |event, reply| reply.remove(event.pair.b),
    );
    let goodbyes = Arc::new(Mutex::new(0));
    let count = Arc::clone(&goodbyes);
    world.listen(PairFilter::any(), EventMask::OVERLAP_END, move |_, _| {
        *count.lock().unwrap() += 1
    });
    world.step();
    assert_eq!(world.len(), 1, "removed once, though told of several times");
    world.step();
    assert_eq!(*goodbyes.lock().unwrap(), 6);
}

#[test]
fn a_listener_that_always_moves_does_not_hold_up_the_step() {
    let mut world = World::default();
    world.insert(Body::new(ball())).unwrap();
    world.insert(Body::new(ball())).unwrap();
    world.listen(PairFilter::any(), EventMask::TOUCHING, |event, reply| {
        reply.set_pose(event.pair.a, at(0.001 * reply.step() as f64));
    });
    for step in 1..10 {
        assert_eq!(world.step().stats.moved, if step == 1 { 2 } else { 1 });
    }
}

#[test]
fn listeners_hear_what_they_wish_and_nothing_after_they_left() {
    let mut world = World::default();
    let a = world.insert(Body::new(ball())).unwrap();
    world.insert(Body::new(ball()).at(at(2.4))).unwrap();
    let log: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let listen = |world: &mut World, mask| {
        let log = Arc::clone(&log);
        world.listen(PairFilter::any(), mask, move |event, _| {
            log.lock().unwrap().push(event.what.name());
        })
    };
    let near = listen(&mut world, EventMask::closer_than(0.3).unwrap());
    let far = listen(
        &mut world,
        EventMask::closer_than(0.5).unwrap() | EventMask::OVERLAP_BEGIN,
    );
    let heard = |log: &Mutex<Vec<&'static str>>| std::mem::take(&mut *log.lock().unwrap());
    world.step();
    assert_eq!(
        heard(&log),
        ["closer"],
        "0.4 apart: only the second listener hears"
    );
    world.set_pose(a, at(0.2)).unwrap();
    world.step();
    assert_eq!(heard(&log), ["closer", "closer"]);
    assert!(world.unlisten(near) && !world.unlisten(near));
    world.set_pose(a, at(0.9)).unwrap();
    world.step();
    assert_eq!(heard(&log), ["overlap-begin", "closer"]);
    assert!(world.unlisten(far));
    world.set_pose(a, at(1.0)).unwrap();
    assert!(world.step().events.is_empty() && heard(&log).is_empty());
    assert_eq!(
        world.frame().stats.tested,
        0,
        "nobody listens, nothing is tested"
    );
}

#[test]
fn a_listener_may_ask_its_pair_again_while_solving() {
    let mut world = World::default();
    let still = world.insert(Body::new(ball()).fixed()).unwrap();
    let loose = world.insert(Body::new(ball()).at(at(0.5))).unwrap();
    world.listen(
        PairFilter(ObjectFilter::Id(still), ObjectFilter::Any),
        EventMask::CONTACTS,
        move |event, reply| {
            assert!(
                matches!(event.what, EventKind::Contacts(_)) && !reply.points(event).is_empty()
            );
            // Pushes the loose one out by halving, asking the pair at each turn.
            let (mut low, mut high) = (0.0, 4.0);
            let mut pair = reply.pair(event.pair).unwrap();
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                pair.place_b(at(middle));
                if pair.touches().unwrap() {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            reply.set_pose(loose, at(high));
        },
    );
    world.step();
    assert_eq!(world.step().stats.touching, 0);
    let x = world.body(loose).unwrap().world_from_body.translation().x;
    assert!((2.0..2.0 + 1e-12).contains(&x), "{x}");
}

/// Steps a world whose parallel listener bounces objects; gives every frame as text.
fn bounced(serial: bool) -> String {
    let config = WorldConfig {
        serial,
        ..WorldConfig::default()
    };
    let mut world = World::new(impinge::broad::DynamicAabbTree::default(), config);
    let mut rng = Rng::new(5);
    let shapes = shapes();
    for k in 0..60 {
        let body = Body::new(shapes[k % 8].clone()).at(pose(&mut rng, 3.0));
        world.insert(body).unwrap();
    }
    world.listen_parallel(PairFilter::any(), EventMask::TOUCHING, |event, reply| {
        let b = reply.body(event.pair.b).unwrap().world_from_body;
        let shift = 0.01 * f64::from(event.pair.a.slot() + 1);
        reply.set_pose(event.pair.b, at(shift) * b);
    });
    let mut text = String::new();
    for _ in 0..20 {
        let frame = world.step();
        text += &format!("{:?}", (frame.number, &frame.events, frame.stats));
    }
    text + &format!(
        "{:?}",
        world
            .bodies()
            .map(|(_, body)| body.world_from_body)
            .collect::<Vec<_>>()
    )
}

#[test]
fn parallel_listeners_give_the_serial_result() {
    assert_eq!(bounced(false), bounced(true));
}
