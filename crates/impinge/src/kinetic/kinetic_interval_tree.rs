//! Kinetic interval tree over inflated vertices: reported as a dead end, kept for comparison.

use glam::DVec3;

use super::event_loop::EventDriven;
use super::event_queue::{EventQueue, EventTime};
use super::kinetic_node::nodes_of_topology;
use super::kinetic_structure::{Clock, Kinetic, KineticCounts, Progress, driven_by_events};
use super::list_validate::boxes_at;
use super::topology::{NodeContent, TreeTopology, VertexLeaves};
use super::trajectories::Trajectories;
use super::tree_traversal::{TreeView, VolumeTree, meets_at_its_time};
use super::{Keyframes, KineticError, KineticNode};
use crate::bound::Aabb;
use crate::math::MAX_COORDINATE;
use crate::query::{FaceId, VertexId};

/// How far from the border a vertex is put that left its box, as a part of the radius.
const MARGIN: f64 = 1.0 / 16.0;
/// The least radius, relative to rounding: with less, boxes could be left again at once.
const LEAST_RADIUS: f64 = 1024.0;
/// The greatest radius, relative to rounding, that a plan which changed requires: about a sixteenth of the largest coordinate.
const MOST_WIDENED: f64 = (1_u64 << 44) as f64;

/// A tree of boxes over small boxes around the vertices.
///
/// The only event is that a vertex leaves its box, which is then moved to it. Boxes are looser than
/// those of [`KineticAabbTree`](super::KineticAabbTree) by up to twice the radius, and there is an
/// event for every two radii that a vertex travels along an axis, whether it matters or not. A
/// changed plan may move vertices so far that the radius is below their rounding error. Then the
/// radius is enlarged, to the same multiple of the rounding error as for the first plan.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, IntervalTree, Kinetic, KineticNode};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let flight = Keyframes::linear(&start, &[DVec3::X; 3], 0.0, 1.0)?;
/// let mut tree = IntervalTree::new(&flight, &[[0, 1, 2]], 0.125)?;
/// tree.advance(&flight, 1.0)?;
/// let bounds = tree.bounds(KineticNode::ROOT).unwrap();
/// assert!(bounds.max.x >= 2.0 && bounds.max.x <= 2.25);
/// assert!(tree.counts().events >= 12); // though the whole only moves along
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IntervalTree {
    topology: TreeTopology,
    incidence: VertexLeaves,
    /// The middles of the small boxes.
    centers: Vec<DVec3>,
    radius: f64,
    /// The radius that was requested, relative to the rounding of the plan.
    share: f64,
    /// How far the motion may be from the plan.
    deviation: f64,
    boxes: Vec<Aabb>,
    /// Three slots for each vertex.
    event_queue: EventQueue,
    clock: Clock,
    counts: KineticCounts,
}

impl IntervalTree {
    /// The tree over faces whose vertices fly by this plan, at its start, with small boxes of this half width.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, there are too many faces, or the radius is below rounding.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]], radius: f64) -> Result<Self, KineticError> {
        let least = LEAST_RADIUS * flight.rounding();
        if !(radius > least && radius.is_finite()) {
            return Err(KineticError::Radius {
                value: radius,
                least,
            });
        }
        let topology = TreeTopology::new(flight, faces, u8::MAX)?;
        let clock = Clock::new(flight);
        let centers = flight.start_positions();
        let mut made = Self {
            incidence: topology.incidence(centers.len()),
            boxes: vec![Aabb::EMPTY; topology.node_count()],
            event_queue: EventQueue::new(3 * centers.len(), flight.tracks().segments() as usize),
            topology,
            centers,
            radius,
            // Infinite when there is no rounding, as all vertices are at the origin.
            share: (radius / flight.rounding()).min(MOST_WIDENED),
            deviation: flight.deviation(),
            clock,
            counts: KineticCounts::default(),
        };
        made.begin(flight.tracks());
        made.counts = KineticCounts::default();
        Ok(made)
    }

    /// Computes all boxes and all events again.
    fn begin(&mut self, tracks: &Trajectories) {
        for node in self.topology.upwards() {
            self.boxes[node as usize] = self.computed(node);
        }
        for slot in 0..3 * self.centers.len() as u32 {
            self.refresh(tracks, slot);
        }
    }

    /// Widens the small boxes if the plan as it is now rounds too much for them; then everything is recomputed.
    fn widen(&mut self, flight: &Keyframes) -> bool {
        let rounding = flight.rounding();
        if self.radius > LEAST_RADIUS * rounding {
            return false;
        }
        // With the largest radius no vertex ever leaves its box.
        let wanted = self.share.max(2.0 * LEAST_RADIUS) * rounding;
        self.radius = self.radius.max(wanted.min(4.0 * MAX_COORDINATE));
        self.counts.updates += 6 * self.topology.node_count() as u64;
        self.begin(flight.tracks());
        true
    }

    /// The half width of the small boxes: what was requested, or more if the plan changed and needs it.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, IntervalTree, Scheduler};
    /// let flight = Keyframes::linear(&[DVec3::X; 3], &[DVec3::ZERO; 3], 0.0, 1.0)?;
    /// let mut tree = IntervalTree::new(&flight, &[[0, 1, 2]], 0.125)?;
    /// assert_eq!(tree.radius(), 0.125);
    /// let mut schedule = Scheduler::new(flight);
    /// schedule.extend(2.0, &[DVec3::splat(1e30); 3], &mut [&mut tree])?;
    /// assert!(tree.radius() > 1e20);
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    nodes_of_topology!();
    meets_at_its_time!();

    /// The box of a node now; none when there is no such node. A [sampled](Keyframes::sampled) plan widens it by its deviation.
    #[must_use]
    pub fn bounds(&self, node: KineticNode) -> Option<Aabb> {
        if !self.topology.has(node.0) {
            return None;
        }
        let bounds = self.boxes[node.0 as usize];
        Some(if self.deviation > 0.0 {
            bounds.inflated(self.deviation)
        } else {
            bounds
        })
    }

    fn computed(&self, node: u32) -> Aabb {
        match self.topology.below(node) {
            NodeContent::Face(face) => {
                let corners = self.topology.corners(face);
                Aabb::enclosing(corners.map(|v| self.centers[v as usize])).inflated(self.radius)
            }
            NodeContent::Children(child) => {
                self.boxes[child as usize].union(&self.boxes[child as usize + 1])
            }
        }
    }
}

impl VolumeTree for TreeView<'_, IntervalTree> {
    type Volume = Aabb;

    fn nodes(&self) -> &TreeTopology {
        &self.tree.topology
    }

    fn root(&self) -> Aabb {
        self.child(0, 0, &Aabb::EMPTY)
    }

    #[inline]
    fn child(&self, _: u32, child: u32, _: &Aabb) -> Aabb {
        let bounds = &self.tree.boxes[child as usize];
        Aabb {
            min: bounds.min - self.margin,
            max: bounds.max + self.margin,
        }
    }

    /// The face's own box: that of the leaf is wider by up to two radii.
    fn tight(&self, _: u32, face: u32, _: &Aabb) -> Aabb {
        self.box_of(self.tree.topology.corners(face), &self.tree.clock)
    }
}

impl EventDriven for IntervalTree {
    fn parts(&mut self) -> (&mut EventQueue, &mut Clock) {
        (&mut self.event_queue, &mut self.clock)
    }

    fn refresh(&mut self, tracks: &Trajectories, slot: u32) {
        self.counts.certificates += 1;
        let (vertex, axis) = (slot / 3, slot as usize % 3);
        let center = self.centers[vertex as usize][axis];
        let from = self.clock.segment as usize;
        let is_out = |&x: &f64| (x - center).abs() > self.radius;
        let row = tracks.row(axis, vertex);
        let when = match row[from..].iter().position(is_out) {
            None => EventTime::Never,
            Some(0) => {
                let segment = self.clock.segment;
                let now = self.clock.now;
                let (here, end) = (tracks.at(axis, vertex, segment, now), row[from]);
                let border = center + self.radius.copysign(end - center);
                let share = (border - here) / (end - here);
                let left = tracks.segment_end(segment) - now;
                // A vertex that is out already has no share, or one that is no number. One that is in leaves at the next time there is, at the
                // earliest: a fast one may leave several boxes between two times.
                EventTime::At(if share > 0.0 {
                    let time = now + left * share.min(1.0);
                    time.max(now.next_up()).min(tracks.segment_end(segment))
                } else {
                    now
                })
            }
            Some(k) => EventTime::During((from + k) as u32),
        };
        self.event_queue.set(slot, when);
    }

    /// Moves the small box after its vertex, and computes the boxes again that it is in.
    fn happen(&mut self, tracks: &Trajectories, slot: u32) {
        self.counts.events += 1;
        let (vertex, axis) = (slot / 3, slot as usize % 3);
        let (segment, now) = (self.clock.segment, self.clock.now);
        let here = tracks.at(axis, vertex, segment, now);
        let ahead = tracks.row(axis, vertex)[segment as usize] - here;
        self.centers[vertex as usize][axis] = here + (self.radius * (1.0 - MARGIN)).copysign(ahead);
        for k in 0..self.incidence.leaves(vertex).len() {
            let mut node = self.incidence.leaves(vertex)[k];
            loop {
                let computed = self.computed(node);
                // Two sides of one axis.
                self.counts.updates += 2;
                let is_same = computed == self.boxes[node as usize];
                self.boxes[node as usize] = computed;
                let Some(parent) = self.topology.parent(node).filter(|_| !is_same) else {
                    break;
                };
                node = parent;
            }
        }
        self.refresh(tracks, slot);
    }
}

impl IntervalTree {
    /// The first difference from bounds computed for this time alone.
    fn fault(&self, flight: &Keyframes) -> Option<String> {
        let (segment, now) = (self.clock.segment, self.clock.now);
        let tolerance = flight.rounding();
        let tight = boxes_at(flight, &self.topology, segment, now);
        let loose = 2.0 * self.radius + tolerance;
        for node in self.topology.upwards() {
            let (found, least) = (&self.boxes[node as usize], &tight[node as usize]);
            if !found.inflated(tolerance).contains_box(least) {
                return Some(format!("node {node} does not hold its faces at time {now}"));
            }
            if !least.inflated(loose).contains_box(found) {
                return Some(format!("the box of node {node} is too wide at time {now}"));
            }
        }
        None
    }
}

impl Kinetic for IntervalTree {
    driven_by_events!("kinetic interval tree");

    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]) {
        self.clock.version = flight.version();
        if self.widen(flight) {
            return;
        }
        let count = self.centers.len();
        for vertex in vertices.iter().filter(|v| v.index() < count) {
            for axis in 0..3 {
                self.refresh(flight.tracks(), 3 * vertex.raw() + axis);
            }
        }
    }

    fn extended(&mut self, flight: &Keyframes) {
        self.clock.version = flight.version();
        self.event_queue.extend(flight.tracks().segments() as usize);
        if self.widen(flight) {
            return;
        }
        for slot in 0..3 * self.centers.len() as u32 {
            if self.event_queue.is_never(slot) {
                self.refresh(flight.tracks(), slot);
            }
        }
    }
}
