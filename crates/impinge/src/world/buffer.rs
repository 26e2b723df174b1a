//! Buffers between those who change a world and the one who steps it.
//!
//! [`Mailbox`] is the moved buffer: many producers fill it, one consumer takes everything at once. Each object is in it with one pose at
//! most, the newest. A lock is held while something is put in or taken out, never while anything is computed, so no producer waits for a
//! step. [`LastFrame`] is the response buffer the other way round. Zachmann 1994, sections 6.3 and 7.2, has both.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

#[cfg(loom)]
use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
use std::sync::{Condvar, Mutex, MutexGuard};

use super::body::Body;
use super::edits::Edit;
use super::event::Frame;
use super::listener::{Listener, ListenerId};
use super::slots::IdPool;
use crate::broad::ObjectId;
use crate::math::Pose;

/// Changes that are applied together, between two steps.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) edits: Vec<Edit>,
    /// The newest ticket among them.
    pub(super) tag: u64,
}

/// Edits in order of arrival, coalesced.
#[derive(Debug, Default)]
pub(super) struct Pending {
    batch: Batch,
    /// Where the pose of an object waits.
    pose_of: BTreeMap<ObjectId, usize>,
    ids: IdPool,
    /// How many listeners the world will have had.
    listeners: u32,
    is_closed: bool,
}

impl Pending {
    pub(super) fn insert(&mut self, body: Body) -> Option<ObjectId> {
        let id = self.ids.take()?;
        self.batch.edits.push(Edit::Insert(id, Box::new(body)));
        Some(id)
    }

    /// Names a listener as the world will, since it gets them in this order.
    pub(super) fn listen(&mut self, listener: Box<Listener>) -> ListenerId {
        let id = ListenerId(self.listeners);
        self.listeners += 1;
        self.batch.edits.push(Edit::Listen(listener));
        id
    }

    /// Takes a change; gives it back when one of its objects is not here. Who asked drops it then, without the lock.
    pub(super) fn change(&mut self, edit: Edit) -> Option<Edit> {
        if !edit.objects().all(|id| self.ids.has(id)) {
            return Some(edit);
        }
        match edit {
            Edit::Remove(id) => {
                self.ids.give_back(id);
                self.pose_of.remove(&id);
            }
            Edit::SetPose(id, pose) => {
                self.set_pose(id, pose);
                return None;
            }
            _ => {}
        }
        self.batch.edits.push(edit);
        None
    }

    /// A pose that waits already is replaced where it waits: it matters to no other change of the batch.
    fn set_pose(&mut self, id: ObjectId, pose: Pose) {
        match self.pose_of.get(&id) {
            Some(&place) => self.batch.edits[place] = Edit::SetPose(id, pose),
            None => {
                self.pose_of.insert(id, self.batch.edits.len());
                self.batch.edits.push(Edit::SetPose(id, pose));
            }
        }
    }
}

/// Many producers, one consumer.
#[derive(Debug)]
pub(super) struct Mailbox {
    pending: Mutex<Pending>,
    arrived: Condvar,
}

impl Mailbox {
    /// An empty one for a world that gave these ids and had so many listeners.
    pub(super) fn new(ids: IdPool, listeners: u32) -> Self {
        Self {
            pending: Mutex::new(Pending {
                ids,
                listeners,
                ..Pending::default()
            }),
            arrived: Condvar::new(),
        }
    }

    /// Puts edits in, all of them into the same batch; gives their ticket.
    pub(super) fn put<T>(&self, edit: impl FnOnce(&mut Pending) -> T) -> (u64, T) {
        let mut pending = lock(&self.pending);
        let answer = edit(&mut pending);
        pending.batch.tag += 1;
        let ticket = pending.batch.tag;
        drop(pending);
        self.arrived.notify_one();
        (ticket, answer)
    }

    /// Takes everything out; leaves the consumer's empty list in its place. Whether anything came.
    pub(super) fn take(&self, into: &mut Batch) -> bool {
        Self::swap(&mut lock(&self.pending), into)
    }

    fn swap(pending: &mut Pending, into: &mut Batch) -> bool {
        into.edits.clear();
        let is_new = pending.batch.tag != into.tag;
        into.tag = pending.batch.tag;
        std::mem::swap(&mut pending.batch.edits, &mut into.edits);
        pending.pose_of.clear();
        is_new
    }

    /// The same, but sleeps until something comes or the mailbox is closed; `false` when it is closed and nothing
    /// is left.
    pub(super) fn wait(&self, into: &mut Batch) -> bool {
        let mut pending = lock(&self.pending);
        loop {
            if Self::swap(&mut pending, into) {
                return true;
            }
            if pending.is_closed {
                return false;
            }
            pending = match self.arrived.wait(pending) {
                Ok(pending) => pending,
                Err(poisoned) => poisoned.into_inner(),
            };
        }
    }

    /// Whether [`close`](Self::close) was called.
    pub(super) fn is_closed(&self) -> bool {
        lock(&self.pending).is_closed
    }

    /// Lets the consumer go home when it has taken what is there.
    pub(super) fn close(&self) {
        lock(&self.pending).is_closed = true;
        self.arrived.notify_all();
    }
}

/// One producer of whole frames, many readers.
#[derive(Debug)]
pub(super) struct LastFrame {
    kept: Mutex<Kept>,
    published: Condvar,
}

#[derive(Debug, Default)]
struct Kept {
    last: Arc<Frame>,
    /// Frames that nobody took yet, oldest first.
    log: Vec<Arc<Frame>>,
    log_limit: usize,
    dropped: u64,
    is_closed: bool,
}

impl LastFrame {
    pub(super) fn with_log(log_limit: usize) -> Self {
        let kept = Kept {
            log_limit,
            ..Kept::default()
        };
        Self {
            kept: Mutex::new(kept),
            published: Condvar::new(),
        }
    }

    pub(super) fn publish(&self, frame: Frame) {
        let frame = Arc::new(frame);
        let mut kept = lock(&self.kept);
        if kept.log.len() < kept.log_limit {
            kept.log.push(Arc::clone(&frame));
        } else {
            kept.dropped += 1;
        }
        // Freed outside the lock, if nobody else has it.
        let old = std::mem::replace(&mut kept.last, frame);
        drop(kept);
        drop(old);
        self.published.notify_all();
    }

    pub(super) fn last(&self) -> Arc<Frame> {
        Arc::clone(&lock(&self.kept).last)
    }

    /// The frames of the log, and how many did not fit.
    pub(super) fn take_log(&self) -> (Vec<Arc<Frame>>, u64) {
        let mut kept = lock(&self.kept);
        let dropped = std::mem::take(&mut kept.dropped);
        (std::mem::take(&mut kept.log), dropped)
    }

    /// Sleeps until a frame has this tag or a newer one, or there will be no more frames.
    pub(super) fn wait(&self, tag: u64) -> Arc<Frame> {
        let mut kept = lock(&self.kept);
        while kept.last.tag < tag && !kept.is_closed {
            kept = match self.published.wait(kept) {
                Ok(kept) => kept,
                Err(poisoned) => poisoned.into_inner(),
            };
        }
        Arc::clone(&kept.last)
    }

    pub(super) fn close(&self) {
        lock(&self.kept).is_closed = true;
        self.published.notify_all();
    }
}

/// Nothing that can panic runs under these locks, but for the closure of [`Mailbox::put`], which is ours.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every operation takes one lock once, so running all orders of operations on one thread shows every outcome that threads can have.
#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::BTreeMap;

    use super::{Batch, Edit, Frame, LastFrame, Mailbox};
    use crate::broad::ObjectId;
    use crate::convex::Ball;
    use crate::math::Pose;
    use crate::pair::Shape;
    use crate::world::Body;
    use crate::world::slots::IdPool;

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

    fn apply(batch: &mut Batch, state: &mut State) {
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
            let (mut batch, mut state) = (Batch::default(), State::from([(shared, 0.0)]));
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
                        frames.publish(Frame {
                            number,
                            tag: number,
                            poses,
                            ..Frame::default()
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
}

/// `RUSTFLAGS="--cfg loom" cargo test -p impinge --lib --no-default-features buffer` runs these under every order of threads.
#[cfg(all(test, loom))]
mod loom_tests {
    use std::sync::Arc;

    use loom::thread;

    use super::{Batch, Edit, Frame, LastFrame, Mailbox};
    use crate::math::Pose;
    use crate::world::slots::IdPool;

    #[test]
    fn no_order_of_threads_loses_mail_or_sleeps_for_ever() {
        loom::model(|| {
            let mut ids = IdPool::default();
            let shared = ids.take().unwrap();
            let mail = Arc::new(Mailbox::new(ids, 0));
            let frames = Arc::new(LastFrame::with_log(8));
            let at = |x: f64| Pose::from_translation([x, 0.0, 0.0]).unwrap();
            let consumer = thread::spawn({
                let (mail, frames) = (Arc::clone(&mail), Arc::clone(&frames));
                move || {
                    let (mut batch, mut x, mut number) = (Batch::default(), 0.0, 0);
                    while mail.wait(&mut batch) {
                        assert_eq!(batch.edits.len(), 1, "each object once");
                        for edit in batch.edits.drain(..) {
                            if let Edit::SetPose(_, pose) = edit {
                                x = pose.translation().x;
                            }
                        }
                        number += 1;
                        frames.publish(Frame {
                            number,
                            tag: batch.tag,
                            ..Frame::default()
                        });
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
}
