//! Functions that are called with events, and what they may do.

use std::fmt;

use super::asking::PairHandle;
use super::body::{Body, Object};
use super::contacts::PairTable;
use super::event::{Event, Frame, What};
use super::filter::PairFilter;
use super::slots::Slots;
use super::wish::Wish;
use super::world::WorldConfig;
use crate::broad::{ObjectId, Pair};
use crate::math::Pose;
use crate::pair::ContactPoint;

/// Names a listener of a world, for taking it away again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListenerId(pub(super) u32);

type SerialCall = Box<dyn FnMut(&Event, &mut Reply<'_>) + Send>;
type ParallelCall = Box<dyn Fn(&Event, &mut Reply<'_>) + Send + Sync>;

/// What is called: one at a time, in the order of events, or many at a time.
pub(super) enum Callback {
    Serial(SerialCall),
    Parallel(ParallelCall),
}

/// Someone who wants to hear of some pairs.
pub(super) struct Listener {
    pub(super) filter: PairFilter,
    pub(super) wish: Wish,
    pub(super) callback: Callback,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("filter", &self.filter)
            .field("wish", &self.wish)
            .finish_non_exhaustive()
    }
}

impl Listener {
    /// Whether the event is of a kind that was wished.
    pub(super) fn hears(&self, event: &Event) -> bool {
        let includes = |wish| self.wish.includes(wish);
        match &event.what {
            What::Hello => includes(Wish::HELLO),
            What::Goodbye => includes(Wish::GOODBYE),
            What::Began { .. } => includes(Wish::BEGAN),
            What::Ended => includes(Wish::ENDED),
            What::Touching { .. } => includes(Wish::TOUCHING),
            What::Contacts(_) => includes(Wish::CONTACTS),
            What::Closer(found) => {
                let distance = self.wish.distance();
                distance.is_some_and(|distance| found.distance <= distance)
            }
        }
    }
}

/// A change that a listener asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Command {
    SetPose(ObjectId, Pose),
    Remove(ObjectId),
    SetStatic(ObjectId, bool),
}

/// What a listener sees of the world, and how it answers.
///
/// Changes wait until every listener was called: all of them see the same frame. They take effect before the next step; an
/// object that several listeners move goes where the last one puts it, and is looked at once.
///
/// A ball that is pushed out of another and stays there, if that place is free:
///
/// ```
/// use impinge::{DVec3, Pose, convex::Ball, pair::Shape, world::{Body, PairFilter, Wish, World}};
/// let mut world = World::default();
/// let ball = Shape::from(Ball::new(1.0)?);
/// world.insert(Body::new(ball.clone()).fixed())?;
/// let loose = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// world.listen(PairFilter::any(), Wish::CONTACTS, move |event, reply| {
///     let (Some(contact), Some(body)) = (reply.points(event).first(), reply.body(loose)) else { return };
///     let out = body.world_from_body.translation() + 2.0 * contact.depth * contact.normal;
///     let Ok(out) = Pose::from_translation(out) else { return };
///     let Some(mut pair) = reply.pair(event.pair) else { return };
///     pair.place_b(out);
///     if pair.touches().is_ok_and(|touches| !touches) {
///         reply.set_pose(loose, out);
///         reply.set_static(loose, true);
///     }
/// });
/// world.step();
/// let body = world.body(loose).ok_or("it is still here")?;
/// assert_eq!(body.world_from_body.translation(), DVec3::X * 2.5);
/// assert!(body.is_static);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Reply<'w> {
    pub(super) frame: &'w Frame,
    pub(super) objects: &'w Slots<Object>,
    pub(super) config: &'w WorldConfig,
    /// None for listeners that run in parallel.
    pub(super) table: Option<&'w mut PairTable>,
    pub(super) commands: Vec<Command>,
}

impl Reply<'_> {
    /// The number of the step that told the event.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.frame.number
    }

    /// The contact points of an event, in the frame of its `a`.
    #[must_use]
    pub fn points(&self, event: &Event) -> &[ContactPoint] {
        self.frame.points(event)
    }

    /// An object as the step saw it; none when there is no such object.
    #[must_use]
    pub fn body(&self, id: ObjectId) -> Option<&Body> {
        self.objects.get(id).map(|object| &object.body)
    }

    /// Moves an object before the next step.
    pub fn set_pose(&mut self, id: ObjectId, world_from_body: Pose) {
        self.commands.push(Command::SetPose(id, world_from_body));
    }

    /// Removes an object before the next step.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, PairFilter, Wish, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let target = world.insert(Body::new(ball.clone()))?;
    /// let bullet = world.insert(Body::new(ball))?;
    /// world.listen(PairFilter::any(), Wish::BEGAN, move |_, reply| {
    ///     assert_eq!(reply.step(), 1);
    ///     reply.remove(bullet);
    ///     assert!(reply.body(bullet).is_some(), "until all listeners were called");
    /// });
    /// world.step();
    /// assert!(world.body(bullet).is_none() && world.body(target).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&mut self, id: ObjectId) {
        self.commands.push(Command::Remove(id));
    }

    /// Makes an object static or moving before the next step.
    pub fn set_static(&mut self, id: ObjectId, is_static: bool) {
        self.commands.push(Command::SetStatic(id, is_static));
    }

    /// A near pair, to be asked again with other placements; none when it is not near, or for listeners that run in
    /// parallel.
    pub fn pair(&mut self, pair: Pair) -> Option<PairHandle<'_>> {
        let entry = self.table.as_mut()?.get_mut(pair)?;
        PairHandle::new(pair, entry.questions(), self.objects, self.config)
    }
}
