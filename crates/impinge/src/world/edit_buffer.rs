//! Edit buffers between the threads that change a world and the one that steps it.
//!
//! [`Mailbox`] is the edit buffer: many producers fill it, one consumer takes everything at once.
//! It holds at most one pose per object, the newest. Its lock is held only while something is put
//! in or taken out, so no producer waits for a step. [`LastFrame`] is the response buffer in the
//! other direction: reading the last frame neither waits nor frees memory. Zachmann 1994, sections
//! 6.3 and 7.2, has both.
//!
//! The locks come from a module beside this file, so that `tests/loom` can compile the same text with locks that try every order of threads.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, TryLockError};

use super::body::Body;
use super::edits::Edit;
use super::events::WorldFrame;
use super::listener::{Listener, ListenerId};
use super::slots::IdPool;
use super::sync::{
    AtomicU64, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use crate::broad::ObjectId;
use crate::math::Pose;

/// Changes that are applied together, between two steps.
#[derive(Debug, Default)]
pub(super) struct EditBatch {
    pub(super) edits: Vec<Edit>,
    /// The newest ticket among them.
    pub(super) tag: u64,
}

/// Edits in order of arrival, coalesced.
#[derive(Debug, Default)]
pub(super) struct PendingEdits {
    batch: EditBatch,
    /// Where the pose of an object waits.
    pose_of: BTreeMap<ObjectId, usize>,
    ids: IdPool,
    /// How many listeners the world will have had.
    listeners: u32,
    is_closed: bool,
}

impl PendingEdits {
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

    /// Takes a change; gives it back when one of its objects is not here. The caller drops it then, without the lock.
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
    pending: Mutex<PendingEdits>,
    arrived: Condvar,
}

impl Mailbox {
    /// An empty one for a world that gave these ids and had so many listeners.
    pub(super) fn new(ids: IdPool, listeners: u32) -> Self {
        Self {
            pending: Mutex::new(PendingEdits {
                ids,
                listeners,
                ..PendingEdits::default()
            }),
            arrived: Condvar::new(),
        }
    }

    /// Puts edits in, all of them into the same batch; gives their ticket.
    pub(super) fn put<T>(&self, edit: impl FnOnce(&mut PendingEdits) -> T) -> (u64, T) {
        let mut pending = lock(&self.pending);
        let answer = edit(&mut pending);
        pending.batch.tag += 1;
        let ticket = pending.batch.tag;
        drop(pending);
        self.arrived.notify_one();
        (ticket, answer)
    }

    /// Takes everything out; leaves the consumer's empty list in its place. Whether anything came.
    pub(super) fn take(&self, into: &mut EditBatch) -> bool {
        Self::swap(&mut lock(&self.pending), into)
    }

    fn swap(pending: &mut PendingEdits, into: &mut EditBatch) -> bool {
        into.edits.clear();
        let is_new = pending.batch.tag != into.tag;
        into.tag = pending.batch.tag;
        std::mem::swap(&mut pending.batch.edits, &mut into.edits);
        pending.pose_of.clear();
        is_new
    }

    /// The same, but sleeps until something comes or the mailbox is closed; `false` when it is closed and nothing
    /// is left.
    pub(super) fn wait(&self, into: &mut EditBatch) -> bool {
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

/// Slots of published frames: one that readers take from, and older ones that a slow reader may
/// still look at.
const SLOTS: u64 = 3;

/// One producer of whole frames, many readers.
///
/// Readers of the last frame never wait. A frame is written to a slot that is not the current one,
/// and then its number is published: a reader takes the number, tries that slot, and looks again
/// only if the producer has gone on meanwhile. Who drops the last handle of a frame frees it, so
/// the producer keeps one of each until nobody else has any, and frees it itself.
#[derive(Debug)]
pub(super) struct LastFrame {
    slots: [RwLock<Slot>; SLOTS as usize],
    /// How many frames were published: the current one is in the slot of this number.
    current: AtomicU64,
    /// Frames that are in no slot any more and that someone else may still hold; only the producer
    /// looks at them.
    retired: Mutex<Vec<Arc<WorldFrame>>>,
    kept: Mutex<FrameLog>,
    published: Condvar,
}

/// A frame, and how many were published up to it.
#[derive(Debug, Default)]
struct Slot {
    number: u64,
    frame: Arc<WorldFrame>,
}

#[derive(Debug, Default)]
struct FrameLog {
    /// Of the current frame, for those who wait.
    tag: u64,
    /// Frames that nobody took yet, oldest first.
    log: Vec<Arc<WorldFrame>>,
    log_limit: usize,
    dropped: u64,
    is_closed: bool,
}

impl LastFrame {
    pub(super) fn with_log(log_limit: usize) -> Self {
        let kept = FrameLog {
            log_limit,
            ..FrameLog::default()
        };
        Self {
            slots: [(); SLOTS as usize].map(|()| RwLock::new(Slot::default())),
            current: AtomicU64::new(0),
            retired: Mutex::new(Vec::new()),
            kept: Mutex::new(kept),
            published: Condvar::new(),
        }
    }

    /// Makes a frame the last one. Only one thread may publish.
    pub(super) fn publish(&self, frame: WorldFrame) {
        let frame = Arc::new(frame);
        let number = self.current.load(Ordering::Relaxed) + 1;
        let next = Slot {
            number,
            frame: Arc::clone(&frame),
        };
        // Waits at most for a reader that copies a handle out of a slot that was left two frames
        // ago.
        let old = std::mem::replace(&mut *self.write(number), next);
        self.current.store(number, Ordering::Release);
        let mut kept = lock(&self.kept);
        kept.tag = frame.tag;
        if kept.log.len() < kept.log_limit {
            kept.log.push(frame);
        } else {
            kept.dropped += 1;
            drop(frame);
        }
        drop(kept);
        self.published.notify_all();
        let mut retired = lock(&self.retired);
        retired.push(old.frame);
        // A frame of which this is the only handle is in no slot and no log, so nobody can take it
        // any more.
        retired.retain(|frame| Arc::strong_count(frame) > 1);
    }

    /// The last frame, without waiting.
    pub(super) fn last(&self) -> Arc<WorldFrame> {
        loop {
            let number = self.current.load(Ordering::Acquire);
            // Refused or rewritten: at least one frame was published since, and its slot is free.
            if let Some(slot) = self.try_read(number)
                && slot.number == number
            {
                return Arc::clone(&slot.frame);
            }
        }
    }

    fn slot(&self, number: u64) -> &RwLock<Slot> {
        &self.slots[(number % SLOTS) as usize]
    }

    fn write(&self, number: u64) -> RwLockWriteGuard<'_, Slot> {
        let slot = self.slot(number).write();
        slot.unwrap_or_else(PoisonError::into_inner)
    }

    fn try_read(&self, number: u64) -> Option<RwLockReadGuard<'_, Slot>> {
        match self.slot(number).try_read() {
            Ok(slot) => Some(slot),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The frames of the log, and how many did not fit.
    pub(super) fn take_log(&self) -> (Vec<Arc<WorldFrame>>, u64) {
        let mut kept = lock(&self.kept);
        let dropped = std::mem::take(&mut kept.dropped);
        (std::mem::take(&mut kept.log), dropped)
    }

    /// Sleeps until a frame has this tag or a newer one, or there will be no more frames.
    pub(super) fn wait(&self, tag: u64) -> Arc<WorldFrame> {
        let mut kept = lock(&self.kept);
        while kept.tag < tag && !kept.is_closed {
            kept = match self.published.wait(kept) {
                Ok(kept) => kept,
                Err(poisoned) => poisoned.into_inner(),
            };
        }
        drop(kept);
        self.last()
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
