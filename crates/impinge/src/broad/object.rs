//! Common types of broad phases: bodies, their bounds, pairs and changes.

use std::fmt;

use glam::DVec3;
use thiserror::Error;

use crate::bound::{Aabb, Obb};

/// Identifies a body: a slot in a table, and how often that slot was reused.
///
/// The owner of the bodies assigns ids. Slots should be dense, since broad phases keep arrays over
/// them. Ids are ordered by slot, then by generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId {
    slot: u32,
    generation: u32,
}

impl ObjectId {
    /// The largest slot that broad phases accept: about 134 million bodies.
    pub const MAX_SLOT: u32 = (1 << 27) - 1;

    /// The id of a slot in one of its generations.
    ///
    /// ```
    /// use impinge::broad::ObjectId;
    /// assert!(ObjectId::new(3, 9) < ObjectId::new(4, 0));
    /// ```
    #[inline]
    #[must_use]
    pub const fn new(slot: u32, generation: u32) -> Self {
        Self { slot, generation }
    }

    /// The place in the table.
    ///
    /// ```
    /// use impinge::broad::ObjectId;
    /// assert_eq!(ObjectId::new(3, 9).slot(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn slot(self) -> u32 {
        self.slot
    }

    /// How often the slot was reused.
    ///
    /// ```
    /// use impinge::broad::ObjectId;
    /// assert_eq!(ObjectId::new(3, 9).generation(), 9);
    /// ```
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {}.{}", self.slot, self.generation)
    }
}

/// The bounds of a body in a broad phase.
///
/// The box may be unbounded: a half-space has infinite coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// A box along the axes around the body.
    pub aabb: Aabb,
    /// A tighter box along axes of its own around the body, for detectors that can use it.
    pub oriented: Option<Obb>,
}

impl Bounds {
    /// Bounds around an oriented box: its corners, and a margin for their rounding.
    ///
    /// ```
    /// use impinge::bound::{BoundingVolume, Obb};
    /// use impinge::{DVec3, broad::Bounds};
    /// let rod = Obb::enclosing(&[DVec3::ZERO, DVec3::new(3.0, 4.0, 0.0)]);
    /// let bounds = Bounds::around(&rod);
    /// assert!(bounds.aabb.contains(DVec3::new(3.0, 4.0, 0.0)) && bounds.aabb.max.x < 3.001);
    /// ```
    #[must_use]
    pub fn around(oriented: &Obb) -> Self {
        let corners = oriented.corners();
        let tight = Aabb::enclosing(corners);
        let largest = tight.min.abs().max(tight.max.abs()).max_element();
        Self {
            aabb: tight.inflated(16.0 * f64::EPSILON * largest),
            oriented: Some(*oriented),
        }
    }
}

impl From<Aabb> for Bounds {
    fn from(aabb: Aabb) -> Self {
        Self {
            aabb,
            oriented: None,
        }
    }
}

/// Two bodies, the smaller id first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectPair {
    /// The smaller id.
    pub a: ObjectId,
    /// The larger id.
    pub b: ObjectId,
}

impl ObjectPair {
    /// The pair of two bodies, in either order.
    ///
    /// ```
    /// use impinge::broad::{ObjectId, ObjectPair};
    /// let (x, y) = (ObjectId::new(0, 1), ObjectId::new(1, 0));
    /// assert_eq!(ObjectPair::new(y, x), ObjectPair { a: x, b: y });
    /// ```
    #[must_use]
    pub fn new(x: ObjectId, y: ObjectId) -> Self {
        Self {
            a: x.min(y),
            b: x.max(y),
        }
    }
}

/// How a pair changed since the last report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PairChange {
    /// The bounds overlap now and did not before.
    Began(ObjectPair),
    /// The bounds overlapped before and do not now, or one of the bodies is gone.
    Ended(ObjectPair),
}

impl PairChange {
    /// The pair that changed.
    ///
    /// ```
    /// use impinge::broad::{PairChange, ObjectId, ObjectPair};
    /// let pair = ObjectPair { a: ObjectId::new(0, 0), b: ObjectId::new(1, 0) };
    /// assert_eq!(PairChange::Began(pair).pair(), pair);
    /// ```
    #[must_use]
    pub fn pair(&self) -> ObjectPair {
        match *self {
            Self::Began(pair) | Self::Ended(pair) => pair,
        }
    }
}

/// Counters of the work so far; the same for the same calls on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BroadWork {
    /// Pairs of boxes compared, of bodies or of nodes; lanes of one instruction count once.
    pub tests: u64,
    /// Steps of upkeep: exchanges of sorted ends, entries put into or taken from cells, boxes fitted.
    pub upkeep: u64,
    /// Entries held for pairs now: counters, candidates or pairs, whatever the method keeps.
    pub entries: u64,
}

/// Why a broad phase refuses a body.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BroadError {
    /// A coordinate is not a number.
    #[error("{id}: the box has a coordinate that is not a number")]
    NotANumber {
        /// Whose box.
        id: ObjectId,
    },
    /// A `min` exceeds its `max`, or a `min` is positive infinity, or a `max` negative infinity.
    #[error("{id}: the box from {min} to {max} contains no point")]
    Inverted {
        /// Whose box.
        id: ObjectId,
        /// Its smallest coordinates.
        min: DVec3,
        /// Its largest coordinates.
        max: DVec3,
    },
    /// The slot is beyond [`ObjectId::MAX_SLOT`].
    #[error("{id}: slots end at {}", ObjectId::MAX_SLOT)]
    SlotTooLarge {
        /// The refused id.
        id: ObjectId,
    },
    /// The slot is taken, by this generation or another.
    #[error("{id}: the slot is taken by {by}")]
    Occupied {
        /// The refused id.
        id: ObjectId,
        /// Who has the slot.
        by: ObjectId,
    },
    /// There is no such body.
    #[error("{id} is not here")]
    Unknown {
        /// The id requested.
        id: ObjectId,
    },
    /// Two lists that belong together have different lengths.
    #[error("{ids} ids but {boxes} boxes")]
    Lengths {
        /// How many ids.
        ids: usize,
        /// How many boxes.
        boxes: usize,
    },
    /// The broad phase that should take over already has bodies.
    #[error("the broad phase that takes over already has {bodies} bodies")]
    NotEmpty {
        /// How many.
        bodies: usize,
    },
}
