//! A world on its own thread, under stress from many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use impinge::Pose;
use impinge::broad::ObjectId;
use impinge::convex::Ball;
use impinge::math::Rng;
use impinge::pair::Shape;
use impinge::world::{
    Body, Edits, Frame, HostConfig, HostError, PairFilter, Ticket, Wish, World, WorldHost,
};

use super::scene::{any, pose, shapes};

/// What a producer did, with its ticket.
enum Deed {
    Insert(Body, ObjectId),
    Remove(ObjectId),
    SetPose(ObjectId, Pose),
    Several(Vec<(ObjectId, Pose)>),
}

fn world() -> World {
    let mut world = World::default();
    let all = Wish::BOXES | Wish::CONTACT | Wish::TOUCHING | Wish::CONTACTS;
    world.interest_mut().set_general(move |_, _| all);
    world
}

fn produce(host: &WorldHost, seed: u64, own: &mut Vec<ObjectId>) -> Vec<(u64, Deed)> {
    let shapes = shapes();
    let mut rng = Rng::new(seed);
    let mut deeds = Vec::new();
    for _ in 0..400 {
        let placed = pose(&mut rng, 8.0);
        let (ticket, deed) = match rng.below(20) {
            0 if own.len() < 60 => {
                let body = Body::new(shapes[rng.below(8) as usize].clone()).at(placed);
                let (ticket, id) = host.insert(body.clone()).unwrap();
                own.push(id);
                (ticket, Deed::Insert(body, id))
            }
            1 if own.len() > 30 => {
                let id = own.swap_remove(rng.below(own.len() as u64) as usize);
                (host.remove(id), Deed::Remove(id))
            }
            2 => {
                let mut edits = Edits::default();
                let mut moves = Vec::new();
                for _ in 0..5 {
                    let (id, placed) = (any(&mut rng, own).unwrap(), pose(&mut rng, 8.0));
                    edits.set_pose(id, placed);
                    moves.push((id, placed));
                }
                let (ticket, ids) = host.submit(edits);
                assert!(ids.is_empty());
                (ticket, Deed::Several(moves))
            }
            _ => {
                let id = any(&mut rng, own).unwrap();
                (host.set_pose(id, placed), Deed::SetPose(id, placed))
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
fn check(frames: &[Arc<Frame>], mut deeds: Vec<(u64, Deed)>, mut serial: World) -> World {
    deeds.sort_by_key(|(ticket, _)| *ticket);
    assert!(deeds.is_sorted_by(|x, y| x.0 < y.0), "tickets are unique");
    let mut deeds = deeds.into_iter().peekable();
    for frame in frames {
        while let Some((_, deed)) = deeds.next_if(|(ticket, _)| *ticket <= frame.tag) {
            match deed {
                Deed::Insert(body, id) => assert_eq!(serial.insert(body).unwrap(), id),
                Deed::Remove(id) => serial.remove(id).unwrap(),
                Deed::SetPose(id, placed) => serial.set_pose(id, placed).unwrap(),
                Deed::Several(moves) => {
                    for (id, placed) in moves {
                        serial.set_pose(id, placed).unwrap();
                    }
                }
            }
        }
        let expected = serial.step();
        assert_eq!(frame.number, expected.number);
        assert_eq!(frame.events, expected.events, "frame {}", frame.number);
        assert_eq!(frame.contact_points, expected.contact_points);
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
    world.listen(PairFilter::any(), Wish::TOUCHING, |event, reply| {
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
    world.listen(PairFilter::any(), Wish::TOUCHING, |_, _| {
        std::panic::resume_unwind(Box::new("on purpose"));
    });
    let host = WorldHost::spawn(world, HostConfig::default()).unwrap();
    let ball = Shape::from(Ball::new(1.0).unwrap());
    host.insert(Body::new(ball.clone())).unwrap();
    let (ticket, _) = host.insert(Body::new(ball)).unwrap();
    assert!(host.wait_for(ticket).tag < ticket.0);
    assert!(matches!(host.stop(), Err(HostError::Panicked)));
}
