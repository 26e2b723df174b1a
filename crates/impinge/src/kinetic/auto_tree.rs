//! A tree that is kept by events or by refitting, whichever costs less.
//!
//! **Question.** Events cost the same however many frames are drawn; refitting costs the same for each frame. Which is cheaper here?
//! **Idea.** Events are counted as long as they are used, key by key. The frames between two keys, which the last step tells, decide: with as
//! many that refitting all of them would cost more than the events of a key, events are used. A tree that changes to events again catches up.
//! **Promise.** The choice depends on counts and times asked for alone: it is the same on every machine.

use std::fmt;

use glam::DVec3;

use super::{Flight, Kinetic, KineticAabbTree, KineticError, Node, RefitTree};
use crate::bound::Aabb;

/// Values of a refit that cost as much as an event, roughly, on processors of 2020.
const VALUES_PER_EVENT: f64 = 500.0;
/// Values of a refit that cost as much as interpolating a vertex.
const VALUES_PER_VERTEX: f64 = 5.0;
/// Values of a refit that cost as much as looking a vertex up at a key: plans are stored vertex by vertex.
const VALUES_PER_LOOKUP: f64 = 50.0;
/// By how much the other way must be cheaper before it is taken.
const RELUCTANCE: f64 = 1.25;

/// How an [`AutoTree`] is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// By events, as [`KineticAabbTree`].
    Events,
    /// By computing all boxes anew, as [`RefitTree`].
    Refit,
}

/// Why an [`AutoTree`] is kept as it is; its `Display` is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum UpkeepReason {
    /// No key was passed yet: events are counted.
    Counting,
    /// Both were estimated.
    Compared {
        /// Events between the last two keys for which they were counted.
        events_per_key: f64,
        /// Frames between two keys, by the last step.
        frames_per_key: f64,
        /// Frames between two keys from which on events are cheaper.
        crossover: f64,
    },
}

impl fmt::Display for UpkeepReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Counting => write!(f, "no key was passed yet: events are counted"),
            Self::Compared {
                events_per_key,
                frames_per_key,
                crossover,
            } => write!(
                f,
                "{events_per_key:.0} events between two keys pay from {crossover:.1} frames on, and there are {frames_per_key:.1}"
            ),
        }
    }
}

/// A tree of boxes over faces whose vertices fly by a plan that does not change, kept in the cheaper of two ways.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{AutoTree, Flight, Node, Upkeep, UpkeepReason};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let flight = Flight::linear(&start, &[DVec3::Z; 3], 0.0, 1.0)?;
/// let mut tree = AutoTree::new(&flight, &[[0, 1, 2]])?;
/// assert_eq!((tree.upkeep(), tree.reason()), (Upkeep::Events, UpkeepReason::Counting));
/// tree.advance(&flight, 0.5)?;
/// assert_eq!(tree.now(), 0.5);
/// assert_eq!(tree.bounds(&flight, Node::ROOT).unwrap().min.z, 0.5);
/// assert!(tree.children(Node::ROOT).is_none() && tree.face(Node::ROOT).is_some());
/// assert!(tree.advance(&flight, 0.25).is_err());
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AutoTree {
    events: KineticAabbTree,
    refit: RefitTree,
    /// The vertices at the two keys around now, with the time of the first; empty until refitted.
    keys: [Vec<DVec3>; 2],
    keys_from: f64,
    places: Vec<DVec3>,
    upkeep: Upkeep,
    reason: UpkeepReason,
    /// Keys passed and events done when the last key was passed by events.
    counted: (usize, u64),
    events_per_key: Option<f64>,
    values_per_refit: f64,
    values_per_key: f64,
    now: f64,
}

impl AutoTree {
    /// The tree at the start of the plan.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Flight, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let events = KineticAabbTree::new(flight, faces)?;
        let boxes = events.node_count();
        Ok(Self {
            refit: RefitTree::new(flight, faces)?,
            keys: [Vec::new(), Vec::new()],
            keys_from: f64::NAN,
            places: Vec::new(),
            upkeep: Upkeep::Events,
            reason: UpkeepReason::Counting,
            counted: (1, 0),
            events_per_key: None,
            values_per_key: VALUES_PER_LOOKUP * flight.vertex_count() as f64,
            values_per_refit: 6.0 * boxes as f64 + VALUES_PER_VERTEX * flight.vertex_count() as f64,
            now: flight.start(),
            events,
        })
    }

    /// Goes on to a time.
    ///
    /// # Errors
    /// The time is before now or after the plan, or the plan is not the tree's. Then nothing is done.
    pub fn advance(&mut self, flight: &Flight, to: f64) -> Result<(), KineticError> {
        // The events may be behind, and would go back to a time since then.
        if to < self.now {
            return Err(KineticError::Backwards { now: self.now, to });
        }
        if !self.events.belongs_to(flight) {
            return Err(KineticError::ForeignPlan);
        }
        if to.is_nan() {
            return Err(KineticError::NotATime { time: to });
        }
        if to > flight.end() {
            return Err(KineticError::BeyondPlan {
                end: flight.end(),
                to,
            });
        }
        self.choose(flight, to);
        match self.upkeep {
            Upkeep::Events => {
                self.events.advance(flight, to)?;
            }
            Upkeep::Refit => {
                self.interpolate(flight, to);
                self.refit.refit(&self.places)?;
            }
        }
        self.now = to;
        Ok(())
    }

    /// The places of all vertices, from the two keys around the time.
    fn interpolate(&mut self, flight: &Flight, to: f64) {
        if flight.tracks().has_breaks() {
            // A vertex may turn between keys.
            flight.positions(to, &mut self.places);
            return;
        }
        let times = flight.key_times();
        let last = times.partition_point(|&key| key <= to).max(1) - 1;
        let from = times[last];
        let until = times.get(last + 1).copied().unwrap_or(from);
        if self.keys_from.to_bits() != from.to_bits() {
            flight.positions(from, &mut self.keys[0]);
            flight.positions(until, &mut self.keys[1]);
            self.keys_from = from;
        }
        let part = if until > from {
            (to - from) / (until - from)
        } else {
            0.0
        };
        let [start, end] = &self.keys;
        self.places.clear();
        let ends = start.iter().zip(end);
        self.places.extend(ends.map(|(&p, &q)| p + (q - p) * part));
    }

    fn choose(&mut self, flight: &Flight, to: f64) {
        let keys = flight.key_times();
        let passed = keys.partition_point(|&key| key <= self.now);
        let (counted, before) = self.counted;
        if self.upkeep == Upkeep::Events && passed > counted {
            let events = self.events.counts().events;
            self.events_per_key = Some((events - before) as f64 / (passed - counted) as f64);
            self.counted = (passed, events);
        }
        let Some(events_per_key) = self.events_per_key else {
            return;
        };
        let Some([before, after]) = keys.windows(2).map(|w| [w[0], w[1]]).nth(passed - 1) else {
            return;
        };
        let step = to - self.now;
        if step <= 0.0 {
            return;
        }
        let frames_per_key = (after - before) / step;
        let events = events_per_key * VALUES_PER_EVENT;
        let crossover = ((events - self.values_per_key) / self.values_per_refit).max(0.0);
        self.reason = UpkeepReason::Compared {
            events_per_key,
            frames_per_key,
            crossover,
        };
        if frames_per_key > RELUCTANCE * crossover {
            if self.upkeep == Upkeep::Refit {
                // What happened since is caught up with, and says nothing about one key.
                self.counted = (passed, self.events.counts().events);
                self.events_per_key = None;
            }
            self.upkeep = Upkeep::Events;
        } else if RELUCTANCE * frames_per_key < crossover {
            self.upkeep = Upkeep::Refit;
        }
    }

    /// The time up to which it went.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// How the last step was made.
    #[must_use]
    pub fn upkeep(&self) -> Upkeep {
        self.upkeep
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> UpkeepReason {
        self.reason
    }

    /// The box of a node now, up to rounding; a [sampled](Flight::sampled) plan widens it by its deviation. None when there is no such node, or the plan
    /// is not the tree's.
    #[must_use]
    pub fn bounds(&self, flight: &Flight, node: Node) -> Option<Aabb> {
        match self.upkeep {
            Upkeep::Events => self.events.bounds(flight, node),
            Upkeep::Refit if !self.events.belongs_to(flight) => None,
            Upkeep::Refit => {
                let bounds = self.refit.bounds(node)?;
                let margin = flight.deviation();
                Some(if margin > 0.0 {
                    bounds.inflated(margin)
                } else {
                    bounds
                })
            }
        }
    }

    /// The two children of a node; none of a leaf.
    #[must_use]
    pub fn children(&self, node: Node) -> Option<[Node; 2]> {
        self.refit.children(node)
    }

    /// The face of a leaf; none of an inner node.
    #[must_use]
    pub fn face(&self, node: Node) -> Option<crate::query::FaceId> {
        self.refit.face(node)
    }
}
