//! What threads do with the buffers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use impinge::convex::Ball;
use impinge::pair::Shape;
use loom::thread;

use super::body::Body;
use super::edit_buffer::{EditBatch, LastFrame, Mailbox};
use super::edits::Edit;
use super::events::WorldFrame;
use super::slots::IdPool;
use crate::in_every_order;
use crate::math::Pose;

fn at(x: f64) -> Pose {
    Pose::from_translation([x, 0.0, 0.0]).unwrap()
}

fn frame(number: u64, tag: u64) -> WorldFrame {
    WorldFrame {
        number,
        tag,
        ..WorldFrame::default()
    }
}

#[test]
fn no_order_of_threads_loses_mail_or_sleeps_for_ever() {
    in_every_order(|| {
        let mut ids = IdPool::default();
        let shared = ids.take().unwrap();
        let mail = Arc::new(Mailbox::new(ids, 0));
        let frames = Arc::new(LastFrame::with_log(8));
        let consumer = thread::spawn({
            let (mail, frames) = (Arc::clone(&mail), Arc::clone(&frames));
            move || {
                let (mut batch, mut x, mut number) = (EditBatch::default(), 0.0, 0);
                while mail.wait(&mut batch) {
                    assert_eq!(batch.edits.len(), 1, "each object once");
                    for edit in batch.edits.drain(..) {
                        if let Edit::SetPose(_, pose) = edit {
                            x = pose.translation().x;
                        }
                    }
                    number += 1;
                    frames.publish(frame(number, batch.tag));
                }
                frames.close();
                x
            }
        });
        let producer = thread::spawn({
            let mail = Arc::clone(&mail);
            move || {
                mail.put(|pending| pending.change(Edit::SetPose(shared, at(1.0))))
                    .0
            }
        });
        let own = mail
            .put(|pending| pending.change(Edit::SetPose(shared, at(2.0))))
            .0;
        assert!(frames.wait(own).tag >= own);
        let other = producer.join().unwrap();
        mail.close();
        let newest = if own > other { 2.0 } else { 1.0 };
        assert_eq!(consumer.join().unwrap(), newest);
        assert_eq!(frames.wait(99).tag, 2);
        let log = frames.take_log().0;
        assert!((1..=2).contains(&log.len()) && log.is_sorted_by_key(|frame| frame.tag));
    });
}

#[test]
fn objects_of_two_producers_come_and_go_once_each() {
    in_every_order(|| {
        let mail = Arc::new(Mailbox::new(IdPool::default(), 0));
        let ball = Shape::from(Ball::new(1.0).unwrap());
        let producer = thread::spawn({
            let (mail, body) = (Arc::clone(&mail), Body::new(ball.clone()));
            move || {
                let (inserted, id) = mail.put(|pending| pending.insert(body));
                let id = id.unwrap();
                let (removed, _) = mail.put(|pending| pending.change(Edit::Remove(id)));
                assert!(removed > inserted);
                [inserted, removed]
            }
        });
        let consumer = thread::spawn({
            let mail = Arc::clone(&mail);
            move || {
                let (mut batch, mut here, mut came) = (EditBatch::default(), BTreeSet::new(), 0);
                while mail.wait(&mut batch) {
                    for edit in batch.edits.drain(..) {
                        match edit {
                            Edit::Insert(id, _) => {
                                came += 1;
                                assert!(here.insert(id), "an id is given once");
                            }
                            Edit::Remove(id) => assert!(here.remove(&id), "it came before"),
                            _ => {}
                        }
                    }
                }
                (came, here, batch.tag)
            }
        });
        let (own, id) = mail.put(|pending| pending.insert(Body::new(ball.clone())));
        let tickets = producer.join().unwrap();
        mail.close();
        let (came, here, tag) = consumer.join().unwrap();
        assert_eq!((came, tag), (2, 3));
        assert_eq!(here, BTreeSet::from([id.unwrap()]));
        assert!(!tickets.contains(&own));
    });
}

#[test]
fn readers_see_frames_in_order_and_whoever_waits_is_woken() {
    in_every_order(|| {
        let frames = Arc::new(LastFrame::with_log(1));
        let waits = thread::spawn({
            let frames = Arc::clone(&frames);
            move || frames.wait(2).tag
        });
        let reads = thread::spawn({
            let frames = Arc::clone(&frames);
            move || {
                let (first, second) = (frames.last().number, frames.last().number);
                assert!(first <= second);
                // There will be no third: closing wakes it.
                frames.wait(3).number
            }
        });
        frames.publish(frame(1, 1));
        frames.publish(frame(2, 2));
        frames.close();
        assert_eq!(waits.join().unwrap(), 2);
        assert_eq!(reads.join().unwrap(), 2);
        let (log, dropped) = frames.take_log();
        assert_eq!((log.len(), dropped), (1, 1));
    });
}

/// More frames than slots, so that a reader may find its slot being written or written again.
#[test]
fn a_reader_that_the_producer_laps_gets_whole_frames_in_order() {
    in_every_order(|| {
        let frames = Arc::new(LastFrame::with_log(0));
        let reads = thread::spawn({
            let frames = Arc::clone(&frames);
            move || {
                let [first, second] = [frames.last(), frames.last()];
                assert!(first.number <= second.number);
                // Number and tag are of one frame.
                assert!([&first, &second].iter().all(|f| f.tag == 10 * f.number));
                second.number
            }
        });
        for number in 1..=4 {
            frames.publish(frame(number, 10 * number));
        }
        assert!(reads.join().unwrap() <= 4);
        assert_eq!(frames.last().number, 4);
    });
}

#[test]
fn the_producer_frees_what_the_last_reader_lets_go() {
    in_every_order(|| {
        let frames = Arc::new(LastFrame::with_log(0));
        frames.publish(frame(1, 1));
        let reads = thread::spawn({
            let frames = Arc::clone(&frames);
            move || {
                let held = frames.last();
                let seen = Arc::downgrade(&held);
                drop(held);
                seen
            }
        });
        for number in 2..=4 {
            frames.publish(frame(number, number));
        }
        let seen = reads.join().unwrap();
        // Every frame that is not the producer's any more was freed by it, or will be when it
        // publishes next.
        for number in 5..=8 {
            frames.publish(frame(number, number));
        }
        assert!(seen.upgrade().is_none());
    });
}

#[test]
fn more_than_one_order_is_tried() {
    let (first, orders) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (told, tried) = (Arc::clone(&first), Arc::clone(&orders));
    in_every_order(move || {
        let mail = Arc::new(Mailbox::new(IdPool::default(), 0));
        let producer = thread::spawn({
            let mail = Arc::clone(&mail);
            move || mail.put(|_| ()).0
        });
        let own = mail.put(|_| ()).0;
        assert_eq!(own + producer.join().unwrap(), 3);
        tried.fetch_add(1, Ordering::Relaxed);
        told.fetch_add(usize::from(own == 1), Ordering::Relaxed);
    });
    let (first, orders) = (
        first.load(Ordering::Relaxed),
        orders.load(Ordering::Relaxed),
    );
    assert!(0 < first && first < orders, "{first} of {orders}");
}

#[test]
fn a_consumer_that_nobody_sends_home_is_found_asleep() {
    let found = std::panic::catch_unwind(|| {
        in_every_order(|| {
            let mail = Arc::new(Mailbox::new(IdPool::default(), 0));
            let consumer = thread::spawn({
                let mail = Arc::clone(&mail);
                move || while mail.wait(&mut EditBatch::default()) {}
            });
            consumer.join().unwrap();
        });
    });
    assert!(found.is_err(), "nobody closed the mailbox");
}
