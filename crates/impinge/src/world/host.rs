//! A world on a thread of its own.
//!
//! **Question.** How can an application continue while collisions are computed?
//! **Idea.** Producers put changes into a mailbox and get a ticket. The world's thread takes all
//! waiting changes, applies them between two steps, steps, and publishes the whole frame, tagged
//! with its newest ticket.
//! **Source.** Zachmann 1994, sections 6.3 and 7.2; the snapshot and the tag are the remedy that it
//! proposes for its own protocol, in which a pose could change while it was read.
//! **Promise.** A producer waits for other producers, never for a step. Intermediate poses may be
//! skipped, nothing else. Each frame is the answer of a serial world with all edits up to its tag.
//! **Limits.** The only file of the library that creates a thread.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use thiserror::Error;

use super::body::Body;
use super::edit_buffer::{EditBatch, LastFrame, Mailbox};
use super::edits::{Edit, Edits};
use super::event_mask::EventMask;
use super::events::{Event, WorldFrame};
use super::filter::PairFilter;
use super::listener::{Listener, ListenerCallback, ListenerId, ListenerReply};
use super::world::World;
use crate::broad::ObjectId;
use crate::math::Pose;

/// How many frames a host keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostConfig {
    /// Frames that are kept for [`WorldHost::take_frames`], so that no event is missed. More are dropped, and counted.
    pub max_log: usize,
}

/// Counts the edits of a host; a frame with a tag at least as large has this one in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Why a host cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HostError {
    /// The system gives no thread.
    #[error("cannot start the world's thread: {0}")]
    Thread(#[from] io::Error),
    /// A listener or another function of the user's panicked on the world's thread, and the world is lost.
    #[error("a listener or another function given to the world panicked on its thread")]
    Panicked,
}

/// A world on its own thread. It may be shared between threads; dropping it stops the world. Edits
/// that belong together are submitted together, and a log keeps every frame:
///
/// ```
/// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, Class, HostConfig, EventMask, World, WorldHost}};
/// let mut world = World::default();
/// world.interest_mut().set_classes(Class(0), Class(0), EventMask::TOUCHING);
/// let host = WorldHost::spawn(world, HostConfig::default())?;
/// let ball = Shape::from(Ball::new(1.0)?);
/// let (_, a) = host.insert(Body::new(ball.clone())).ok_or("room for one")?;
/// let (inserted, _b) = host.insert(Body::new(ball)).ok_or("room for two")?;
/// assert_eq!(host.wait_for(inserted).events.len(), 1);
/// let moved = host.set_pose(a, Pose::from_translation([9.0, 0.0, 0.0])?);
/// let frame = host.wait_for(moved);
/// assert!(frame.events.is_empty() && frame.tag >= moved.0);
/// assert_eq!(host.stop()?.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What belongs together is submitted together, and a log keeps every frame:
///
/// ```
/// use impinge::{convex::Ball, pair::Shape, world::{Body, Edits, HostConfig, World, WorldHost}};
/// let host = WorldHost::spawn(World::default(), HostConfig { max_log: 8 })?;
/// assert_eq!(host.latest().number, 0);
/// let ball = Shape::from(Ball::new(1.0)?);
/// let mut edits = Edits::default();
/// edits.insert(Body::new(ball.clone()));
/// edits.insert(Body::new(ball));
/// let (inserted, ids) = host.submit(edits);
/// assert_eq!(host.wait_for(inserted).poses.len(), 2);
/// let mut edits = Edits::default();
/// edits.set_static(ids[1], true);
/// let (fixed, _) = host.submit(edits);
/// assert_eq!(host.wait_for(fixed).number, 2);
/// let removed = host.remove(ids[0]);
/// assert_eq!(host.wait_for(removed).poses.len(), 1);
/// assert_eq!(host.latest().number, 3);
/// let (frames, dropped) = host.take_frames();
/// assert_eq!((frames.len(), dropped), (3, 0));
/// assert!(host.stop()?.body(ids[1]).is_some_and(|body| body.is_static));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WorldHost {
    mail: Arc<Mailbox>,
    frames: Arc<LastFrame>,
    thread: Option<JoinHandle<World>>,
}

impl WorldHost {
    /// Moves a world to a thread of its own. It sleeps until something is changed.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn spawn(mut world: World, config: HostConfig) -> Result<Self, HostError> {
        world.keeps_poses = true;
        let mail = Arc::new(Mailbox::new(
            world.ids().clone(),
            world.listeners.len() as u32,
        ));
        let frames = Arc::new(LastFrame::with_log(config.max_log));
        let (own_mail, own_frames) = (Arc::clone(&mail), Arc::clone(&frames));
        let thread = std::thread::Builder::new()
            .name("impinge-world".to_owned())
            .spawn(move || run(world, &own_mail, &own_frames))?;
        Ok(Self {
            mail,
            frames,
            thread: Some(thread),
        })
    }

    /// Submits edits that take effect together; returns their ticket and the ids of the added
    /// objects, in order.
    pub fn submit(&self, edits: Edits) -> (Ticket, Vec<ObjectId>) {
        let mut ids = Vec::new();
        let (ticket, _refused) = self.mail.put(|pending| edits.put(pending, &mut ids));
        (Ticket(ticket), ids)
    }

    /// Adds an object; none when there are too many.
    pub fn insert(&self, body: Body) -> Option<(Ticket, ObjectId)> {
        let (ticket, id) = self.mail.put(|pending| pending.insert(body));
        Some((Ticket(ticket), id?))
    }

    /// Submits one edit.
    fn change(&self, edit: Edit) -> Ticket {
        let (ticket, _refused) = self.mail.put(|pending| pending.change(edit));
        Ticket(ticket)
    }

    /// Removes an object, if it exists.
    pub fn remove(&self, id: ObjectId) -> Ticket {
        self.change(Edit::Remove(id))
    }

    /// Moves an object, if it exists. A pending move of the same object is replaced.
    pub fn set_pose(&self, id: ObjectId, world_from_body: Pose) -> Ticket {
        self.change(Edit::SetPose(id, world_from_body))
    }

    /// Calls the function, on the world's thread, with every event of these kinds, as [`World::listen`] does, from the step on that
    /// has the ticket in it.
    ///
    /// ```
    /// use std::sync::mpsc::channel;
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, HostConfig, PairFilter, EventMask, World, WorldHost}};
    /// let host = WorldHost::spawn(World::default(), HostConfig::default())?;
    /// let (sender, receiver) = channel();
    /// let (_, listener) = host.listen(PairFilter::any(), EventMask::CONTACT, move |event, _| {
    ///     let _ = sender.send(event.what.name());
    /// });
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// host.insert(Body::new(ball.clone())).ok_or("room for one")?;
    /// host.insert(Body::new(ball)).ok_or("room for two")?;
    /// assert_eq!(receiver.recv()?, "contact-begin");
    /// let without = host.unlisten(listener);
    /// assert!(host.wait_for(without).number > 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn listen(
        &self,
        filter: PairFilter,
        mask: EventMask,
        callback: impl FnMut(&Event, &mut ListenerReply<'_>) + Send + 'static,
    ) -> (Ticket, ListenerId) {
        self.add(filter, mask, ListenerCallback::Serial(Box::new(callback)))
    }

    /// The same for a function that may be called for several events at once; see [`World::listen_parallel`].
    ///
    /// ```
    /// use impinge::world::{HostConfig, PairFilter, EventMask, World, WorldHost};
    /// let host = WorldHost::spawn(World::default(), HostConfig::default())?;
    /// let (ticket, _) = host.listen_parallel(PairFilter::any(), EventMask::TOUCHING, |_, _| {});
    /// assert!(host.wait_for(ticket).events.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn listen_parallel(
        &self,
        filter: PairFilter,
        mask: EventMask,
        callback: impl Fn(&Event, &mut ListenerReply<'_>) + Send + Sync + 'static,
    ) -> (Ticket, ListenerId) {
        self.add(filter, mask, ListenerCallback::Parallel(Box::new(callback)))
    }

    fn add(
        &self,
        filter: PairFilter,
        mask: EventMask,
        callback: ListenerCallback,
    ) -> (Ticket, ListenerId) {
        let listener = Box::new(Listener {
            filter,
            mask,
            callback,
        });
        let (ticket, id) = self.mail.put(|pending| pending.listen(listener));
        (Ticket(ticket), id)
    }

    /// Removes a listener, if it is still registered.
    pub fn unlisten(&self, id: ListenerId) -> Ticket {
        self.change(Edit::Unlisten(id))
    }

    /// The last complete frame; an empty one before the first.
    ///
    /// Never waits, neither for a step nor for other readers. As long as the host lives, its thread
    /// frees frames and a reader that drops one does not, so that a real-time loop may call it at
    /// any time.
    #[must_use]
    pub fn latest(&self) -> Arc<WorldFrame> {
        self.frames.last()
    }

    /// Waits for a frame that includes the edit of this ticket. If a listener panics meanwhile, the
    /// last existing frame is returned.
    #[must_use]
    pub fn wait_for(&self, ticket: Ticket) -> Arc<WorldFrame> {
        self.frames.wait(ticket.0)
    }

    /// All frames since the last call, oldest first, and how many were dropped because the log was full.
    #[must_use]
    pub fn take_frames(&self) -> (Vec<Arc<WorldFrame>>, u64) {
        self.frames.take_log()
    }

    /// Finishes submitted edits, ends the thread and returns the world.
    ///
    /// # Errors
    /// When a listener panicked.
    pub fn stop(mut self) -> Result<World, HostError> {
        self.end().ok_or(HostError::Panicked)
    }

    fn end(&mut self) -> Option<World> {
        self.mail.close();
        self.thread.take()?.join().ok()
    }
}

impl Drop for WorldHost {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// Tells those who wait that there will be no more frames, also when a listener panics.
struct Closing<'h>(&'h LastFrame);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn run(mut world: World, mail: &Mailbox, frames: &LastFrame) -> World {
    let _closing = Closing(frames);
    let mut batch = EditBatch::default();
    // What listeners moved is looked at without waiting for more mail, but mail is looked for first.
    while if world.moved.is_empty() {
        mail.wait(&mut batch)
    } else {
        mail.take(&mut batch) || !mail.is_closed()
    } {
        for edit in batch.edits.drain(..) {
            edit.apply(&mut world);
        }
        world.frame.tag = batch.tag;
        world.step();
        frames.publish(world.frame.clone());
    }
    world
}
