//! A tree maintained by kinetic events or by refitting, whichever costs less.
//!
//! **Question.** Events cost the same however many frames are drawn; refitting costs the same for
//! each frame. Which is cheaper here?
//! **Idea.** The keyframes are known, so the events of every key are estimated from a part of the
//! tree before the first step. At each key the cheapest plan over the coming keys is chosen, with
//! as many frames between keys as in the last step. Events beyond the estimate are paid from a
//! budget, and stopped when it is spent. A tree can switch back to events at a key.
//! **Promise.** The choice depends only on counts and on the requested times: it is the same on
//! every machine. It never costs more than 1.25 times refitting plus building two event queues, in
//! counts; with a correct estimate of events, no more than the cheaper method.
//! **Limits.** The estimate is not updated for vertices whose plans changed, and the certificates
//! of such a change or of a new key are not counted. The number of frames between keys is that of
//! the last step: a schedule that stops at contacts makes it seem larger.

use glam::DVec3;

use super::kinetic_structure::{KineticCounts, Progress};
use super::list_validate::boxes_at;
use super::maintenance::{ComingSegment, HORIZON, MaintenanceLedger, MaintenancePrices};
use super::{
    Keyframes, Kinetic, KineticAabbTree, KineticError, KineticNode, Maintenance, MaintenanceCost,
    MaintenanceReason, RefitTree,
};
use crate::bound::Aabb;
use crate::bvh::Violation;
use crate::query::{FaceId, VertexId};

/// Values of a refit with vector instructions that cost as much as an event, roughly, on processors of 2020: 0.8 to 1.1 ns each, an event 0.5 to 0.9 µs.
const VALUES_PER_EVENT: f64 = 800.0;
/// Values of a refit that cost as much as interpolating a vertex.
const VALUES_PER_VERTEX: f64 = 6.0;
/// Values of a refit that cost as much as fetching a vertex at a key for the first time.
const VALUES_PER_FETCH: f64 = 2.0;
/// Values of a refit that cost as much as the first certificate of a side.
const VALUES_PER_CERTIFICATE: f64 = 128.0;

/// A tree of boxes over faces whose vertices move along keyframes, maintained in the cheaper of two
/// ways.
///
/// For a [`Scheduler`](super::Scheduler) it has no events: it is advanced to the times at which the
/// schedule stops.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{AutoMaintainedTree, Keyframes, Kinetic, KineticNode, Maintenance, MaintenanceReason};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let flight = Keyframes::linear(&start, &[DVec3::Z; 3], 0.0, 1.0)?;
/// let mut tree = AutoMaintainedTree::new(&flight, &[[0, 1, 2]])?;
/// assert_eq!(tree.reason(), MaintenanceReason::NotAsked);
/// tree.advance(&flight, 0.5)?;
/// assert_eq!(tree.maintenance(), Maintenance::Events); // nothing overtakes anything
/// assert_eq!(tree.now(), 0.5);
/// assert_eq!(tree.bounds(&flight, KineticNode::ROOT).unwrap().min.z, 0.5);
/// assert!(tree.children(KineticNode::ROOT).is_none() && tree.face(KineticNode::ROOT).is_some());
/// assert!(tree.advance(&flight, 0.25).is_err());
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AutoMaintainedTree {
    events: KineticAabbTree,
    refit: RefitTree,
    places: Vec<DVec3>,
    ledger: MaintenanceLedger,
    reason: MaintenanceReason,
    /// By segment, the first being 1.
    foreseen: Vec<f64>,
    /// The segment for which a choice was made last, and the events done by then.
    chosen: (u32, u64),
    now: f64,
}

impl AutoMaintainedTree {
    /// The tree at the start of the plan.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let events = KineticAabbTree::new(flight, faces)?;
        let sides = 6.0 * events.node_count() as f64;
        let vertices = flight.vertex_count() as f64;
        let prices = MaintenancePrices {
            event: VALUES_PER_EVENT,
            frame: sides + VALUES_PER_VERTEX * vertices,
            key: VALUES_PER_FETCH * vertices,
            build: VALUES_PER_CERTIFICATE * sides,
        };
        Ok(Self {
            refit: RefitTree::new(flight, faces)?,
            places: Vec::new(),
            ledger: MaintenanceLedger::new(prices),
            reason: MaintenanceReason::NotAsked,
            foreseen: events.foreseen_events(flight, 1),
            chosen: (0, 0),
            now: flight.start(),
            events,
        })
    }

    fn go_on(&mut self, flight: &Keyframes, to: f64) -> Result<(), KineticError> {
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
        if to == self.now {
            return Ok(());
        }
        let segment = flight.tracks().segment_of(to);
        let is_new_key = segment > self.chosen.0;
        if is_new_key {
            self.choose(flight, segment, to);
        }
        if self.ledger.maintenance() == Maintenance::Events {
            let before = self.events.counts().events;
            let most = self.ledger.allowance(is_new_key);
            let is_reached = self.events.advance_within(flight, to, most);
            let events = self.events.counts().events - before;
            self.ledger.book_events(events, is_reached, is_new_key);
            if !is_reached {
                self.reason = MaintenanceReason::Overdrawn;
                let came = self.events.counts().events - self.chosen.1;
                let foreseen = self.foreseen_between(self.chosen.0, segment + 1);
                self.ledger.learn(came as f64, foreseen.min(came as f64));
                self.refit_at(flight, segment, to)?;
            }
        } else {
            self.ledger.book_refit(is_new_key);
            self.refit_at(flight, segment, to)?;
        }
        self.now = to;
        Ok(())
    }

    /// Chooses the way for a segment that is entered.
    fn choose(&mut self, flight: &Keyframes, segment: u32, to: f64) {
        let upkeep = self.ledger.maintenance();
        let events = self.events.counts().events;
        let (last, counted) = self.chosen;
        if upkeep == Maintenance::Events && last > 0 {
            let foreseen = self.foreseen_between(last, segment);
            self.ledger.learn((events - counted) as f64, foreseen);
        }
        let tracks = flight.tracks();
        let (now, step) = (self.now, to - self.now);
        let present = tracks.segment_of(now);
        // What is over has no ways to choose from.
        let first = present + u32::from(now >= tracks.segment_end(present));
        let until = first
            .saturating_add(HORIZON as u32)
            .min(tracks.segments().saturating_add(1));
        let foreseen = &self.foreseen;
        let coming = (first..until).map(|k| {
            let [from, to] = [tracks.segment_start(k), tracks.segment_end(k)];
            // Of the first, a part may be over.
            let left = (to - from.max(now)).max(0.0);
            ComingSegment {
                events: foreseen.get(k as usize - 1).copied().unwrap_or(0.0) * left / (to - from),
                frames: left / step,
            }
        });
        self.reason = self.ledger.choose(coming);
        if upkeep == Maintenance::Refit && self.ledger.maintenance() == Maintenance::Events {
            self.events.restart(flight, segment);
        }
        self.chosen = (segment, events);
    }

    fn foreseen_between(&self, first: u32, end: u32) -> f64 {
        let [first, end] = [first, end].map(|k| (k as usize).max(1) - 1);
        self.foreseen.get(first..end).into_iter().flatten().sum()
    }

    fn refit_at(&mut self, flight: &Keyframes, segment: u32, to: f64) -> Result<(), KineticError> {
        let key = segment as usize;
        let [from, until] = [key - 1, key].map(|key| flight.key_times()[key]);
        if to >= until {
            return self.refit.refit(flight.key(key));
        }
        if flight.tracks().has_breaks() {
            // A vertex may turn between keys.
            flight.positions(to, &mut self.places);
        } else {
            let part = (to - from) / (until - from);
            let ends = flight.key(key - 1).iter().zip(flight.key(key));
            self.places.clear();
            self.places.extend(ends.map(|(&p, &q)| p + (q - p) * part));
        }
        self.refit.refit(&self.places)
    }

    /// How the tree was maintained in the last step.
    #[must_use]
    pub fn maintenance(&self) -> Maintenance {
        self.ledger.maintenance()
    }

    /// The reason for that.
    #[must_use]
    pub fn reason(&self) -> MaintenanceReason {
        self.reason
    }

    /// The cost so far, by counts. The building of the first event queue is not included.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{AutoMaintainedTree, Keyframes, Kinetic};
    /// let flight = Keyframes::linear(&[DVec3::ZERO, DVec3::X, DVec3::Y], &[DVec3::Z; 3], 0.0, 1.0)?;
    /// let mut tree = AutoMaintainedTree::new(&flight, &[[0, 1, 2]])?;
    /// tree.advance(&flight, 0.5)?;
    /// assert!(tree.cost().spent == 0.0 && tree.cost().by_refit > 0.0);
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    #[must_use]
    pub fn cost(&self) -> MaintenanceCost {
        self.ledger.cost()
    }

    /// The box of a node now: up to rounding while it is kept by events, rounded outwards to `f32` while it is refitted. A [sampled](Keyframes::sampled) plan widens it by its deviation. None when there is no such node, or the plan
    /// is not the tree's.
    #[must_use]
    pub fn bounds(&self, flight: &Keyframes, node: KineticNode) -> Option<Aabb> {
        match self.ledger.maintenance() {
            Maintenance::Events => self.events.bounds(flight, node),
            Maintenance::Refit if !self.events.belongs_to(flight) => None,
            Maintenance::Refit => {
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
    pub fn children(&self, node: KineticNode) -> Option<[KineticNode; 2]> {
        self.refit.children(node)
    }

    /// The face of a leaf; none of an inner node.
    #[must_use]
    pub fn face(&self, node: KineticNode) -> Option<FaceId> {
        self.refit.face(node)
    }

    /// The first box that is not what a refit at this time makes it.
    fn fault(&self, flight: &Keyframes) -> Option<String> {
        if !self.events.belongs_to(flight) {
            return Some(KineticError::ForeignPlan.to_string());
        }
        let topology = self.events.topology();
        let segment = flight.tracks().segment_of(self.now);
        let tight = boxes_at(flight, topology, segment, self.now);
        let rounding = flight.rounding();
        for node in topology.upwards() {
            let least = &tight[node as usize];
            let Some(found) = self.refit.bounds(KineticNode(node)) else {
                return Some(format!("there is no node {node}"));
            };
            if !found.inflated(rounding).contains_box(least) {
                return Some(format!("node {node} does not hold its faces"));
            }
            let size = least.min.abs().max(least.max.abs()).max_element();
            // Sides are rounded outwards, and beyond the range of `f32` far outwards.
            let loose = rounding + size * f64::from(f32::EPSILON) + f64::from(f32::MIN_POSITIVE);
            let is_in_range = size < f64::from(f32::MAX) / 2.0;
            if is_in_range && !least.inflated(loose).contains_box(&found) {
                return Some(format!("the box of node {node} is too wide"));
            }
        }
        None
    }
}

impl Kinetic for AutoMaintainedTree {
    fn name(&self) -> &'static str {
        "kinetic or refitted tree"
    }

    fn now(&self) -> f64 {
        self.now
    }

    fn belongs_to(&self, flight: &Keyframes) -> bool {
        self.events.belongs_to(flight)
    }

    fn next_event(&self, _: &Keyframes) -> Option<f64> {
        None
    }

    fn advance(&mut self, flight: &Keyframes, to: f64) -> Result<Progress, KineticError> {
        self.go_on(flight, to)?;
        Ok(Progress::Reached)
    }

    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]) {
        match self.ledger.maintenance() {
            Maintenance::Events => self.events.rerouted(flight, vertices),
            // All boxes are where their vertices are, whatever these do next.
            Maintenance::Refit => self.events.leave_behind(flight),
        }
    }

    fn extended(&mut self, flight: &Keyframes) {
        match self.ledger.maintenance() {
            Maintenance::Events => self.events.extended(flight),
            Maintenance::Refit => self.events.leave_behind(flight),
        }
        let first = self.foreseen.len() + 1;
        let more = self.events.foreseen_events(flight, first);
        self.foreseen.extend(more);
    }

    fn validate(&self, flight: &Keyframes) -> Result<(), Violation> {
        let index = self.name();
        match self.ledger.maintenance() {
            Maintenance::Events => self
                .events
                .validate(flight)
                .map_err(|violation| Violation { index, ..violation }),
            Maintenance::Refit => self.fault(flight).map_or(Ok(()), |promise| {
                let promise = format!("{promise} at time {}", self.now);
                Err(Violation { index, promise })
            }),
        }
    }

    fn counts(&self) -> KineticCounts {
        let mut counts = self.events.counts();
        counts.updates += self.refit.counts().updates;
        counts
    }
}
