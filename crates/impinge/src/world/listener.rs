//! Event listeners: callbacks, and what they may do.

use std::fmt;

use super::body::{Body, WorldObject};
use super::event_mask::EventMask;
use super::events::{Event, EventKind, WorldFrame};
use super::filter::PairFilter;
use super::narrow_phase::PairHandle;
use super::pair_table::PairTable;
use super::slots::Slots;
use super::world::WorldConfig;
use crate::broad::{ObjectId, ObjectPair};
use crate::math::Pose;
use crate::pair::{ContactPoint, SolidOverlap};
use crate::query::Bounded;

/// Identifies a listener of a world, for removing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListenerId(pub(super) u32);

type SerialCall = Box<dyn FnMut(&Event, &mut ListenerReply<'_>) + Send>;
type ParallelCall = Box<dyn Fn(&Event, &mut ListenerReply<'_>) + Send + Sync>;

/// What is called: one at a time, in the order of events, or many at a time.
pub(super) enum ListenerCallback {
    Serial(SerialCall),
    Parallel(ParallelCall),
}

/// Someone who wants to hear of some pairs.
pub(super) struct Listener {
    pub(super) filter: PairFilter,
    pub(super) mask: EventMask,
    pub(super) callback: ListenerCallback,
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener")
            .field("filter", &self.filter)
            .field("wish", &self.mask)
            .finish_non_exhaustive()
    }
}

/// Which events of which pairs a listener hears; unlike its callback, threads can share it.
#[derive(Clone, Debug)]
pub(super) struct ListenerFilter {
    pub(super) filter: PairFilter,
    mask: EventMask,
}

impl Listener {
    pub(super) fn filter(&self) -> ListenerFilter {
        ListenerFilter {
            filter: self.filter.clone(),
            mask: self.mask,
        }
    }
}

impl ListenerFilter {
    pub(super) fn mask(&self) -> EventMask {
        self.mask
    }

    /// Whether the event is of a kind that was requested.
    pub(super) fn hears(&self, event: &Event) -> bool {
        let includes = |mask| self.mask.includes(mask);
        match &event.what {
            EventKind::OverlapBegin => includes(EventMask::OVERLAP_BEGIN),
            EventKind::OverlapEnd => includes(EventMask::OVERLAP_END),
            EventKind::ContactBegin { .. } => includes(EventMask::CONTACT_BEGIN),
            EventKind::ContactEnd => includes(EventMask::CONTACT_END),
            EventKind::Touching { .. } => includes(EventMask::TOUCHING),
            EventKind::Contacts(_) => includes(EventMask::CONTACTS),
            EventKind::Volume(_) => includes(EventMask::VOLUME),
            EventKind::Closer(found) => {
                let distance = self.mask.distance();
                distance.is_some_and(|distance| found.distance <= distance)
            }
        }
    }
}

/// A change that a listener requested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ListenerCommand {
    SetPose(ObjectId, Pose),
    Remove(ObjectId),
    SetStatic(ObjectId, bool),
}

/// What a listener sees of the world, and how it answers.
///
/// Changes wait until every listener was called: all of them see the same frame. They take effect before the next step; an
/// object that several listeners move goes where the last one puts it, and is examined once.
///
/// A ball that is pushed out of another and stays there, if that place is free:
///
/// ```
/// use impinge::{DVec3, Pose, convex::Ball, pair::Shape, world::{Body, PairFilter, EventMask, World}};
/// let mut world = World::default();
/// let ball = Shape::from(Ball::new(1.0)?);
/// world.insert(Body::new(ball.clone()).fixed())?;
/// let loose = world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// world.listen(PairFilter::any(), EventMask::CONTACTS, move |event, reply| {
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
pub struct ListenerReply<'w> {
    pub(super) frame: &'w WorldFrame,
    pub(super) objects: &'w Slots<WorldObject>,
    pub(super) config: &'w WorldConfig,
    /// None for listeners that run in parallel.
    pub(super) table: Option<&'w mut PairTable>,
    pub(super) commands: Vec<ListenerCommand>,
}

impl ListenerReply<'_> {
    /// The number of the step of the event.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.frame.number
    }

    /// The contact points of an event, in the frame of its `a`.
    #[must_use]
    pub fn points(&self, event: &Event) -> &[ContactPoint] {
        self.frame.points(event)
    }

    /// The overlap of an event of volume, in the frame of its `a`.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, pair::Shape, world::{Body, EventMask, PairFilter, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// world.insert(Body::new(ball.clone()))?;
    /// world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
    /// world.listen(PairFilter::any(), EventMask::VOLUME, |event, reply| {
    ///     assert!(reply.overlap(event).is_some_and(|shared| shared.lower > 0.0));
    /// });
    /// assert_eq!(world.step().events.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn overlap(&self, event: &Event) -> Option<&Bounded<SolidOverlap>> {
        self.frame.overlap(event)
    }

    /// An object as the step saw it; none when there is no such object.
    #[must_use]
    pub fn body(&self, id: ObjectId) -> Option<&Body> {
        self.objects.get(id).map(|object| &object.body)
    }

    /// Moves an object before the next step.
    pub fn set_pose(&mut self, id: ObjectId, world_from_body: Pose) {
        self.commands
            .push(ListenerCommand::SetPose(id, world_from_body));
    }

    /// Removes an object before the next step.
    ///
    /// ```
    /// use impinge::{convex::Ball, pair::Shape, world::{Body, PairFilter, EventMask, World}};
    /// let mut world = World::default();
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let target = world.insert(Body::new(ball.clone()))?;
    /// let bullet = world.insert(Body::new(ball))?;
    /// world.listen(PairFilter::any(), EventMask::CONTACT_BEGIN, move |_, reply| {
    ///     assert_eq!(reply.step(), 1);
    ///     reply.remove(bullet);
    ///     assert!(reply.body(bullet).is_some(), "until all listeners were called");
    /// });
    /// world.step();
    /// assert!(world.body(bullet).is_none() && world.body(target).is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(&mut self, id: ObjectId) {
        self.commands.push(ListenerCommand::Remove(id));
    }

    /// Makes an object static or moving before the next step.
    pub fn set_static(&mut self, id: ObjectId, is_static: bool) {
        self.commands
            .push(ListenerCommand::SetStatic(id, is_static));
    }

    /// A near pair, to be queried again at other poses; none when it is not near, or for listeners that run in
    /// parallel.
    pub fn pair(&mut self, pair: ObjectPair) -> Option<PairHandle<'_>> {
        let entry = self.table.as_mut()?.get_mut(pair)?;
        PairHandle::new(pair, entry.questions(), self.objects, self.config)
    }
}
