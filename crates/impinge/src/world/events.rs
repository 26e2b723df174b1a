//! Events of a step: begin, end, contact and others.

use std::ops::Range;

use super::accuracy::ContactAccuracy;
use crate::broad::{ObjectId, ObjectPair};
use crate::math::Pose;
use crate::pair::{ContactPoint, SolidOverlap};
use crate::query::{Bounded, FacePair, Separation};

/// Something that is true of a pair at the end of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The two objects; points and normals are of `a` first.
    pub pair: ObjectPair,
    /// Whether one of the two moved since the last step, or was added.
    pub is_new: bool,
    /// How it was decided. By boxes, `ContactBegin` and `Touching` mean that the shapes may touch.
    pub accuracy: ContactAccuracy,
    /// The event.
    pub what: EventKind,
}

/// The kinds of events, in the order in which those of one pair come.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// The boxes meet now and did not before: those along the axes, and with
    /// [`oriented_boxes`](super::WorldConfig::oriented_boxes) also those along the objects' own.
    OverlapBegin,
    /// The shapes touch now and did not before.
    ContactBegin {
        /// Two faces that meet; none when one shape is inside the other, or when boxes decided. A shape without faces has
        /// face 0.
        witness: Option<FacePair>,
    },
    /// The shapes touch.
    Touching {
        /// As for [`EventKind::ContactBegin`].
        witness: Option<FacePair>,
    },
    /// The shapes touch at these of the frame's points, at least one: see [`WorldFrame::points`]. With a
    /// [margin](super::WorldConfig::contact_margin) they may be apart, and depths below 0. One inside the other, a solid, has the shortest
    /// way out as its contact.
    Contacts(Range<u32>),
    /// The solids share a volume: the overlap with this number of the frame, see [`WorldFrame::overlap`]. Reported while the estimate is above 0.
    Volume(u32),
    /// The shapes are at most as far apart as was requested. Points are in the frame of `a`.
    Closer(Separation),
    /// The shapes touched before and do not now.
    ContactEnd,
    /// The boxes met before and do not now.
    OverlapEnd,
}

impl EventKind {
    /// The name of the kind.
    ///
    /// ```
    /// assert_eq!(impinge::world::EventKind::OverlapBegin.name(), "overlap-begin");
    /// ```
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::OverlapBegin => "overlap-begin",
            Self::ContactBegin { .. } => "contact-begin",
            Self::Touching { .. } => "touching",
            Self::Contacts(_) => "contacts",
            Self::Volume(_) => "volume",
            Self::Closer(_) => "closer",
            Self::ContactEnd => "contact-end",
            Self::OverlapEnd => "overlap-end",
        }
    }
}

/// Result of a step: events by pair, and their cost.
///
/// ```
/// use impinge::{DVec3, Pose, convex::Ball, pair::Shape, world::{Body, Class, EventMask, World}};
/// let mut world = World::default();
/// world.interest_mut().set_classes(Class(0), Class(0), EventMask::OVERLAP_BEGIN | EventMask::CONTACTS);
/// let ball = Shape::from(Ball::new(1.0)?);
/// world.insert(Body::new(ball.clone()))?;
/// world.insert(Body::new(ball).at(Pose::from_translation([1.5, 0.0, 0.0])?))?;
/// let frame = world.step();
/// let begin = frame.named("overlap-begin").next().ok_or("their boxes meet")?;
/// assert!(frame.points(begin).is_empty());
/// let contacts = frame.named("contacts").next().ok_or("they touch")?;
/// assert_eq!(frame.points(contacts)[0].normal, DVec3::X);
/// assert_eq!(frame.named("contact-end").count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldFrame {
    /// The number of the step, from 1 on; 0 before the first.
    pub number: u64,
    /// Which edits are in it: the newest ticket of a [`WorldHost`](super::WorldHost), 0 without one.
    pub tag: u64,
    /// How the step was answered.
    pub accuracy: ContactAccuracy,
    /// The events, by pair, and of one pair in the order of [`EventKind`].
    pub events: Vec<Event>,
    /// The points of [`EventKind::Contacts`].
    pub contact_points: Vec<ContactPoint>,
    /// The overlaps of [`EventKind::Volume`].
    pub overlaps: Vec<Bounded<SolidOverlap>>,
    /// What was done.
    pub stats: StepStats,
    /// Where the objects were, by id; filled for a [`WorldHost`](super::WorldHost).
    pub poses: Vec<(ObjectId, Pose)>,
}

impl WorldFrame {
    /// The contact points of an event of this frame, in the frame of `a`; none for other events.
    #[must_use]
    pub fn points(&self, event: &Event) -> &[ContactPoint] {
        match &event.what {
            EventKind::Contacts(range) => self
                .contact_points
                .get(range.start as usize..range.end as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }

    /// The overlap of an event of this frame, in the frame of `a`; none for other events.
    ///
    /// ```
    /// use impinge::prelude::*;
    /// let mut world = World::watching(EventMask::VOLUME);
    /// world.add(Cuboid::new([1.0; 3])?, Pose::IDENTITY)?;
    /// world.add(Cuboid::new([1.0; 3])?, Pose::from_translation([1.5, 0.0, 0.0])?)?;
    /// let frame = world.step();
    /// let shared = frame.overlap(&frame.events[0]).ok_or("they overlap")?;
    /// assert_eq!((shared.value.volume, shared.value.force_on_b.x), (2.0, 4.0));
    /// assert!(shared.lower <= 2.0 && 2.0 <= shared.upper);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn overlap(&self, event: &Event) -> Option<&Bounded<SolidOverlap>> {
        match &event.what {
            EventKind::Volume(number) => self.overlaps.get(*number as usize),
            _ => None,
        }
    }

    /// The events of one kind, by its name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Event> {
        self.events
            .iter()
            .filter(move |event| event.what.name() == name)
    }

    pub(super) fn clear(&mut self) {
        self.events.clear();
        self.contact_points.clear();
        self.overlaps.clear();
        self.poses.clear();
        self.stats = StepStats::default();
    }
}

/// Counters of a step: the same for the same calls on every machine and for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepStats {
    /// Objects that moved or came since the step before.
    pub moved: u64,
    /// Pairs that the broad phase holds near.
    pub near: u64,
    /// Near pairs with requested events.
    pub interesting: u64,
    /// Pairs whose shapes were tested: none without a requested event, and none of which neither object moved.
    pub tested: u64,
    /// Pairs that touch.
    pub touching: u64,
    /// Interesting pairs whose query has no answer for their kinds of shapes.
    pub unsupported: u64,
    /// What the tests were worth, in the count that a [`Budget`](super::StepBudget) is given in.
    pub work: u64,
}
