//! A world on its own thread, under stress from many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use impinge::Pose;
use impinge::bound::Aabb;
use impinge::broad::{BroadPhase, BruteForce, ObjectId, ObjectPair};
use impinge::convex::Ball;
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::world::{
    AccuracyControl, AccuracyRecovery, Body, Class, ContactAccuracy, Edits, Enclosure, EventMask,
    HostConfig, HostError, InterestMatrix, ListenerId, ObjectFilter, PairFilter, StepBudget,
    Ticket, World, WorldFrame, WorldHost,
};

use super::scene::{any, broad, pose, shapes};

/// What a producer did, with its ticket.
enum Deed {
    Insert(Body, ObjectId),
    Several(Vec<Change>),
    Listen(ListenerId, Class),
    Unlisten(ListenerId),
}

/// A change that can be made in a host and, again, in a world.
#[derive(Clone)]
enum Change {
    Remove(ObjectId),
    Pose(ObjectId, Pose),
    Static(ObjectId, bool),
    Tag(ObjectId, u64),
    Class(ObjectId, Class),
    Shape(ObjectId, Shape),
    Name(ObjectId, &'static str),
    Enclose(ObjectId, ObjectId),
    Release(ObjectId),
    Classes(Class, Class, EventMask),
    Pair(ObjectPair, Option<EventMask>),
    General(EventMask),
    Broad(u64),
    Accuracy(ContactAccuracy),
    Budget(Option<u64>),
}

fn control(work: u64) -> AccuracyControl {
    let recovery = AccuracyRecovery {
        below: 0.8,
        calm_steps: 2,
    };
    AccuracyControl::new(StepBudget::Work(work), recovery)
}

impl Change {
    /// One of all kinds, moves being the most frequent.
    fn any(rng: &mut Rng, own: &[ObjectId], shapes: &[Shape]) -> Self {
        let (id, other) = (any(rng, own).unwrap(), any(rng, own).unwrap());
        let class = Class(rng.below(3) as u8);
        let near = EventMask::closer_than(0.1 * rng.below(3) as f64).unwrap();
        let mask =
            [everything(), EventMask::CONTACT, EventMask::TOUCHING | near][rng.below(3) as usize];
        match rng.below(40) {
            0 => Self::Static(id, rng.below(2) == 0),
            1 => Self::Tag(id, rng.below(9)),
            2 => Self::Class(id, class),
            3 => Self::Shape(id, shapes[rng.below(8) as usize].clone()),
            4 => Self::Name(id, ["this one", "that one"][rng.below(2) as usize]),
            5 => Self::Enclose(id, other),
            6 => Self::Release(id),
            7 => Self::Classes(class, Class(rng.below(3) as u8), mask),
            8 if id != other => Self::Pair(ObjectPair::new(id, other), Some(EventMask::NOTHING)),
            9 if id != other => Self::Pair(ObjectPair::new(id, other), None),
            10 => Self::General(mask),
            11 => Self::Broad(rng.below(9)),
            12 => Self::Accuracy(ContactAccuracy::ALL[rng.below(3) as usize]),
            13 => Self::Budget((rng.below(2) == 0).then_some(400)),
            _ => Self::Pose(id, pose(rng, 8.0)),
        }
    }

    fn put(self, edits: &mut Edits) {
        match self {
            Self::Remove(id) => edits.remove(id),
            Self::Pose(id, placed) => edits.set_pose(id, placed),
            Self::Static(id, is_static) => edits.set_static(id, is_static),
            Self::Tag(id, tag) => edits.set_tag(id, tag),
            Self::Class(id, class) => edits.set_class(id, class),
            Self::Shape(id, shape) => edits.set_shape(id, shape),
            Self::Name(id, name) => edits.set_name(id, name),
            Self::Enclose(id, other) => edits.enclose(id, other, Enclosure::InheritPairs),
            Self::Release(id) => edits.release(id),
            Self::Classes(x, y, mask) => {
                edits.interest(move |interest| interest.set_classes(x, y, mask));
            }
            Self::Pair(pair, mask) => {
                edits.interest(move |interest| set_pair(interest, pair, mask))
            }
            Self::General(mask) => edits.interest(move |interest| set_general(interest, mask)),
            Self::Broad(kind) => edits.set_broad_phase(broad(kind)).unwrap(),
            Self::Accuracy(accuracy) => edits.set_accuracy(accuracy),
            Self::Budget(work) => edits.set_accuracy_control(work.map(control)),
        }
    }

    fn make(self, world: &mut World) {
        match self {
            Self::Remove(id) => world.remove(id).unwrap(),
            Self::Pose(id, placed) => world.set_pose(id, placed).unwrap(),
            Self::Static(id, is_static) => world.set_static(id, is_static).unwrap(),
            Self::Tag(id, tag) => world.set_tag(id, tag).unwrap(),
            Self::Class(id, class) => world.set_class(id, class).unwrap(),
            Self::Shape(id, shape) => world.set_shape(id, shape).unwrap(),
            Self::Name(id, name) => world.set_name(id, name).unwrap(),
            // Enclosures do not nest: a refusal changes nothing, in a host as here.
            Self::Enclose(id, other) => {
                let _ = world.enclose(id, other, Enclosure::InheritPairs);
            }
            Self::Release(id) => world.release(id).unwrap(),
            Self::Classes(x, y, mask) => world.interest_mut().set_classes(x, y, mask),
            Self::Pair(pair, mask) => set_pair(world.interest_mut(), pair, mask),
            Self::General(mask) => set_general(world.interest_mut(), mask),
            Self::Broad(kind) => world.set_broad_phase(broad(kind)).unwrap(),
            Self::Accuracy(accuracy) => world.set_accuracy(accuracy),
            Self::Budget(work) => world.set_accuracy_control(work.map(control)),
        }
    }
}

fn set_pair(interest: &mut InterestMatrix, pair: ObjectPair, mask: Option<EventMask>) {
    match mask {
        Some(mask) => interest.set_pair(pair, mask),
        None => interest.clear_pair(pair),
    }
}

fn set_general(interest: &mut InterestMatrix, mask: EventMask) {
    interest.set_general_within(0.2, move |_, _| mask).unwrap();
}

fn everything() -> EventMask {
    EventMask::OVERLAP | EventMask::CONTACT | EventMask::TOUCHING | EventMask::CONTACTS
}

fn world() -> World {
    let mut world = World::default();
    world.interest_mut().set_general(move |_, _| everything());
    world
}

fn of_class(class: Class) -> PairFilter {
    PairFilter(ObjectFilter::Class(class), ObjectFilter::Any)
}

fn produce(host: &WorldHost, seed: u64, own: &mut Vec<ObjectId>) -> Vec<(u64, Deed)> {
    let shapes = shapes();
    let mut rng = Rng::new(seed);
    let mut deeds = Vec::new();
    let mut listeners = Vec::new();
    for _ in 0..400 {
        let (ticket, deed) = match rng.below(24) {
            0 if own.len() < 60 => {
                let placed = pose(&mut rng, 8.0);
                let body = Body::new(shapes[rng.below(8) as usize].clone()).at(placed);
                let (ticket, id) = host.insert(body.clone()).unwrap();
                own.push(id);
                (ticket, Deed::Insert(body, id))
            }
            1 if own.len() > 30 => {
                let id = own.swap_remove(rng.below(own.len() as u64) as usize);
                (host.remove(id), Deed::Several(vec![Change::Remove(id)]))
            }
            2 => {
                let class = Class(rng.below(3) as u8);
                let (ticket, id) = host.listen(of_class(class), EventMask::TOUCHING, |_, _| {});
                listeners.push(id);
                (ticket, Deed::Listen(id, class))
            }
            3 if !listeners.is_empty() => {
                let id = listeners.swap_remove(rng.below(listeners.len() as u64) as usize);
                (host.unlisten(id), Deed::Unlisten(id))
            }
            4..10 => {
                let count = 1 + rng.below(6);
                let changes: Vec<_> = (0..count)
                    .map(|_| Change::any(&mut rng, own, &shapes))
                    .collect();
                let mut edits = Edits::default();
                for change in &changes {
                    change.clone().put(&mut edits);
                }
                assert_eq!(edits.len() as u64, count);
                let (ticket, ids) = host.submit(edits);
                assert!(ids.is_empty());
                (ticket, Deed::Several(changes))
            }
            _ => {
                let (id, placed) = (any(&mut rng, own).unwrap(), pose(&mut rng, 8.0));
                let ticket = host.set_pose(id, placed);
                (ticket, Deed::Several(vec![Change::Pose(id, placed)]))
            }
        };
        deeds.push((ticket.0, deed));
        if rng.below(8) == 0 {
            std::thread::yield_now();
        }
    }
    deeds
}

/// Does again, serially, what was done up to the tag of each frame.
fn check(frames: &[Arc<WorldFrame>], mut deeds: Vec<(u64, Deed)>, mut serial: World) -> World {
    deeds.sort_by_key(|(ticket, _)| *ticket);
    assert!(deeds.is_sorted_by(|x, y| x.0 < y.0), "tickets are unique");
    let mut deeds = deeds.into_iter().peekable();
    for frame in frames {
        while let Some((_, deed)) = deeds.next_if(|(ticket, _)| *ticket <= frame.tag) {
            match deed {
                Deed::Insert(body, id) => assert_eq!(serial.insert(body).unwrap(), id),
                Deed::Several(changes) => {
                    for change in changes {
                        change.make(&mut serial);
                    }
                }
                Deed::Listen(id, class) => {
                    let own = serial.listen(of_class(class), EventMask::TOUCHING, |_, _| {});
                    assert_eq!(own, id);
                }
                Deed::Unlisten(id) => assert!(serial.unlisten(id)),
            }
        }
        let expected = serial.step();
        assert_eq!(frame.number, expected.number);
        assert_eq!(frame.events, expected.events, "frame {}", frame.number);
        assert_eq!(frame.contact_points, expected.contact_points);
        assert_eq!(frame.accuracy, expected.accuracy);
        assert_eq!(frame.stats, expected.stats);
        let poses = serial.bodies().map(|(id, body)| (id, body.world_from_body));
        assert_eq!(frame.poses, poses.collect::<Vec<_>>());
    }
    assert!(deeds.next().is_none(), "the last frame has everything");
    serial
}

#[test]
fn every_frame_of_a_host_under_stress_is_the_serial_answer_for_its_tag() {
    let shapes = shapes();
    let (mut hosted, mut serial) = (world(), world());
    let mut rng = Rng::new(1);
    let mut owned = vec![Vec::new(); 4];
    for k in 0..200 {
        let body = Body::new(shapes[k % 8].clone()).at(pose(&mut rng, 8.0));
        let id = hosted.insert(body.clone()).unwrap();
        assert_eq!(serial.insert(body).unwrap(), id);
        owned[k % 4].push(id);
    }
    let host = WorldHost::spawn(hosted, HostConfig { max_log: 1 << 20 }).unwrap();
    let is_over = AtomicBool::new(false);
    let deeds = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            // Frames only ever go forward, and each is whole.
            let mut last = (0, 0);
            while !is_over.load(Ordering::Relaxed) {
                let frame = host.latest();
                assert!((frame.number, frame.tag) >= last);
                assert!(frame.number == 0 || frame.poses.len() > 100);
                last = (frame.number, frame.tag);
                std::thread::yield_now();
            }
        });
        let producers: Vec<_> = (0..)
            .zip(&mut owned)
            .map(|(seed, own)| {
                let host = &host;
                scope.spawn(move || produce(host, seed, own))
            })
            .collect();
        let deeds: Vec<_> = producers
            .into_iter()
            .flat_map(|p| p.join().unwrap())
            .collect();
        is_over.store(true, Ordering::Relaxed);
        reader.join().unwrap();
        deeds
    });
    let newest = deeds.iter().map(|(ticket, _)| *ticket).max().unwrap();
    assert_eq!(newest, deeds.len() as u64);
    let frame = host.wait_for(Ticket(newest));
    assert_eq!(frame.tag, newest);
    let (frames, dropped) = host.take_frames();
    assert_eq!(dropped, 0);
    let world = host.stop().unwrap();
    let serial = check(&frames, deeds, serial);
    assert_eq!(world.len(), serial.len());
    for ((id, hosted), (_, own)) in world.bodies().zip(serial.bodies()) {
        let facts = |body: &Body| (body.class, body.tag, body.is_static, body.name.clone());
        assert_eq!(facts(hosted), facts(own), "{id}");
    }
}

#[test]
fn a_broad_phase_that_has_objects_is_refused_before_it_is_submitted() {
    let mut full = BruteForce::default();
    let unit = Aabb {
        min: [0.0; 3].into(),
        max: [1.0; 3].into(),
    };
    full.insert(ObjectId::new(0, 0), &unit.into()).unwrap();
    let mut edits = Edits::default();
    assert!(edits.set_broad_phase(Box::new(full)).is_err());
    assert!(edits.is_empty());
}

#[test]
fn each_object_is_in_a_frame_with_its_newest_pose_only() {
    let host = WorldHost::spawn(world(), HostConfig { max_log: 1000 }).unwrap();
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let (_, id) = host.insert(Body::new(ball)).unwrap();
    let mut last = Ticket(0);
    for k in 0..1000 {
        last = host.set_pose(
            id,
            Pose::from_translation([f64::from(k), 0.0, 0.0]).unwrap(),
        );
    }
    let frame = host.wait_for(last);
    assert_eq!(frame.poses[0].1.translation().x, 999.0);
    let (frames, _) = host.take_frames();
    for frame in &frames {
        // A pose is as old as the tag says: the insertion has ticket 1, the pose k has ticket k + 2.
        let x = frame.poses[0].1.translation().x;
        assert_eq!(
            x,
            if frame.tag < 2 {
                0.0
            } else {
                (frame.tag - 2) as f64
            }
        );
        assert!(frame.stats.moved <= 1);
    }
}

#[test]
fn unknown_objects_are_ignored_and_a_full_log_is_counted() {
    let host = WorldHost::spawn(world(), HostConfig { max_log: 1 }).unwrap();
    let nobody = ObjectId::new(7, 7);
    for _ in 0..3 {
        host.remove(nobody);
        let ticket = host.set_pose(nobody, Pose::IDENTITY);
        assert!(host.wait_for(ticket).poses.is_empty());
    }
    let (frames, dropped) = host.take_frames();
    assert_eq!(frames.len(), 1);
    assert!(dropped >= 2);
    drop(host);
}

#[test]
fn a_listener_on_the_hosts_thread_goes_on_without_new_mail() {
    let mut world = world();
    world.listen(PairFilter::any(), EventMask::TOUCHING, |event, reply| {
        let b = reply.body(event.pair.b).unwrap().world_from_body;
        let step = Pose::from_translation([0.25, 0.0, 0.0]).unwrap();
        reply.set_pose(event.pair.b, step * b);
    });
    let host = WorldHost::spawn(world, HostConfig { max_log: 1000 }).unwrap();
    let ball = Shape::from(Ball::new(1.0).unwrap());
    host.insert(Body::new(ball.clone())).unwrap();
    let (_, b) = host.insert(Body::new(ball)).unwrap();
    // Pushed out by quarters until they no longer touch.
    while host.latest().stats.touching > 0 || host.latest().number < 9 {
        std::thread::yield_now();
    }
    let world = host.stop().unwrap();
    assert_eq!(world.body(b).unwrap().world_from_body.translation().x, 2.25);
}

#[test]
fn a_listener_that_panics_ends_the_host_and_nobody_waits_for_ever() {
    let mut world = world();
    world.listen(PairFilter::any(), EventMask::TOUCHING, |_, _| {
        std::panic::resume_unwind(Box::new("on purpose"));
    });
    let host = WorldHost::spawn(world, HostConfig::default()).unwrap();
    let ball = Shape::from(Ball::new(1.0).unwrap());
    host.insert(Body::new(ball.clone())).unwrap();
    let (ticket, _) = host.insert(Body::new(ball)).unwrap();
    assert!(host.wait_for(ticket).tag < ticket.0);
    assert!(matches!(host.stop(), Err(HostError::Panicked)));
}

#[test]
fn a_reader_that_drops_an_old_frame_leaves_freeing_it_to_the_host() {
    let host = WorldHost::spawn(world(), HostConfig::default()).unwrap();
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let (inserted, id) = host.insert(Body::new(ball)).unwrap();
    let held = host.wait_for(inserted);
    let seen = Arc::downgrade(&held);
    let step = |x: f64| {
        let moved = host.set_pose(id, Pose::from_translation([x, 0.0, 0.0]).unwrap());
        host.wait_for(moved)
    };
    for i in 0..10 {
        step(f64::from(i));
    }
    assert_eq!(host.latest().number, 11);
    // The only reader lets go, and the frame is still there: the host's thread will free it.
    drop(held);
    assert!(seen.strong_count() > 0);
    // A frame is published before old ones are freed, so that the second step is surely over when
    // the third is told.
    for i in 0..2 {
        step(-f64::from(i));
    }
    assert_eq!(seen.strong_count(), 0);
}
