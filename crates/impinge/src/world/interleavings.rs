//! The buffers in every order of operations.
//!
//! Every operation takes one lock once, so running all orders of operations on one thread shows every outcome that threads can have; that none of them sleeps for
//! ever is shown in `tests/loom`.

use std::collections::BTreeMap;

use super::body::Body;
use super::edit_buffer::{EditBatch, LastFrame, Mailbox};
use super::edits::Edit;
use super::events::WorldFrame;
use super::slots::IdPool;
use crate::broad::ObjectId;
use crate::convex::Ball;
use crate::math::Pose;
use crate::pair::Shape;

/// Calls with every way to merge sequences of these lengths, as the numbers of the sequences.
fn each_order(lengths: &[usize], visit: &mut dyn FnMut(&[usize])) {
    let total: usize = lengths.iter().sum();
    let mut open = vec![(Vec::new(), lengths.to_vec())];
    while let Some((order, left)) = open.pop() {
        if order.len() == total {
            visit(&order);
        }
        for i in (0..left.len()).filter(|&i| left[i] > 0) {
            let (mut order, mut left) = (order.clone(), left.clone());
            order.push(i);
            left[i] -= 1;
            open.push((order, left));
        }
    }
}

type State = BTreeMap<ObjectId, f64>;

fn apply(batch: &mut EditBatch, state: &mut State) {
    let mut moved = Vec::new();
    for edit in batch.edits.drain(..) {
        match edit {
            Edit::Insert(id, _) => {
                assert!(state.insert(id, 0.0).is_none());
            }
            Edit::Remove(id) => {
                assert!(state.remove(&id).is_some());
            }
            Edit::SetPose(id, pose) => {
                assert!(!moved.contains(&id), "each object once");
                moved.push(id);
                assert!(state.insert(id, pose.translation().x).is_some());
            }
            _ => {}
        }
    }
}

#[test]
fn in_every_order_of_two_producers_and_a_consumer_nothing_is_lost_doubled_or_torn() {
    let ball = Shape::from(Ball::new(1.0).unwrap());
    let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
    let mut orders = 0;
    // Two producers with five operations each on shared objects, a consumer that takes three times.
    each_order(&[5, 5, 3], &mut |order| {
        orders += 1;
        let mut ids = IdPool::default();
        let shared = ids.take().unwrap();
        let mailbox = Mailbox::new(ids, 0);
        let mut own = [shared, shared];
        let mut done = [0, 0];
        let (mut batch, mut state) = (EditBatch::default(), State::from([(shared, 0.0)]));
        // What a serial world would have after each ticket.
        let mut serial = vec![state.clone()];
        for &who in order {
            if who == 2 {
                let is_new = mailbox.take(&mut batch);
                assert!(is_new || batch.edits.is_empty());
                apply(&mut batch, &mut state);
                assert_eq!(state, serial[batch.tag as usize], "a batch is whole");
                continue;
            }
            let mut next = serial.last().unwrap().clone();
            let x = (10 * who + done[who]) as f64;
            let put = |edit| mailbox.put(|pending| pending.change(edit)).0;
            let set = |id, next: &mut State| {
                if let Some(old) = next.get_mut(&id) {
                    *old = x;
                }
                put(Edit::SetPose(id, at(x)))
            };
            let ticket = match done[who] {
                0 | 4 => set(shared, &mut next),
                1 => {
                    let body = Body::new(ball.clone());
                    let (ticket, id) = mailbox.put(|pending| pending.insert(body));
                    own[who] = id.unwrap();
                    next.insert(own[who], 0.0);
                    ticket
                }
                2 => set(own[who], &mut next),
                _ => {
                    next.remove(&own[who]);
                    put(Edit::Remove(own[who]))
                }
            };
            done[who] += 1;
            assert_eq!(ticket as usize, serial.len());
            serial.push(next);
        }
        mailbox.close();
        while mailbox.wait(&mut batch) {
            apply(&mut batch, &mut state);
        }
        assert_eq!(state, *serial.last().unwrap());
    });
    assert_eq!(orders, 72072);
}

#[test]
fn in_every_order_readers_see_whole_frames_and_the_log_has_each_once() {
    each_order(&[4, 3, 3], &mut |order| {
        let frames = LastFrame::with_log(16);
        let (mut number, mut last_seen, mut logged) = (0, 0, Vec::new());
        for &who in order {
            match who {
                0 => {
                    number += 1;
                    let poses = vec![(ObjectId::new(number as u32, 0), Pose::IDENTITY)];
                    frames.publish(WorldFrame {
                        number,
                        tag: number,
                        poses,
                        ..WorldFrame::default()
                    });
                }
                1 => {
                    let frame = frames.last();
                    assert_eq!(frame.number, number, "the newest");
                    assert!(frame.number >= last_seen && frame.tag == frame.number);
                    assert_eq!(frame.poses.len(), usize::from(number > 0));
                    last_seen = frame.number;
                }
                _ => logged.extend(frames.take_log().0.iter().map(|frame| frame.number)),
            }
        }
        logged.extend(frames.take_log().0.iter().map(|frame| frame.number));
        assert_eq!(logged, [1, 2, 3, 4]);
        frames.close();
        assert_eq!(
            frames.wait(99).number,
            4,
            "nobody waits for a frame that cannot come"
        );
    });
}
