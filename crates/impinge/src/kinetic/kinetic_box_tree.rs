//! Kinetic BoxTree: two planes for each node instead of six sides.

use glam::DVec3;

use super::event_loop::EventDriven;
use super::event_queue::{EventQueue, EventTime};
use super::kinetic_node::nodes_of_topology;
use super::kinetic_structure::{Clock, Kinetic, KineticCounts, Progress, driven_by_events};
use super::kinetic_tournament::{first_winners, is_before, overtaking, overtaking_until};
use super::topology::{NodeContent, TreeTopology};
use super::trajectories::Trajectories;
use super::tree_traversal::{TreeView, VolumeTree, meets_at_its_time};
use super::{Keyframes, KineticError, KineticNode};
use crate::bound::Aabb;
use crate::query::{FaceId, VertexId};

/// After how many levels an axis is used again at the latest. Without a cap, a search for candidates could visit a whole subtree.
const AXIS_CAP: u8 = 3;
/// Slots of the root, besides two for each node.
const ROOT_SLOTS: usize = 6;

/// A tree whose node has one axis and two planes: the upper bound of its left child and the lower bound of its right one. The
/// other sides are those of the nodes above. A plane is the number of a vertex.
///
/// Fewer values and events than [`KineticAabbTree`](super::KineticAabbTree); boxes are looser, and an event costs a search for
/// candidates.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, Kinetic, KineticBoxTree, KineticNode};
/// let start = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [5., 0., 0.], [6., 0., 0.], [5., 1., 0.]].map(DVec3::from_array);
/// let flight = Keyframes::linear(&start, &[DVec3::ZERO; 6], 0.0, 1.0)?;
/// let tree = KineticBoxTree::new(&flight, &[[0, 1, 2], [3, 4, 5]])?;
/// let [left, right] = tree.children(KineticNode::ROOT).unwrap();
/// assert_eq!(tree.bounds(&flight, left).unwrap().max.x, 1.0);
/// assert_eq!(tree.bounds(&flight, right).unwrap().min.x, 5.0);
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KineticBoxTree {
    topology: TreeTopology,
    /// By slot: the greatest of the left child at `2 node`, the least of the right one at `2 node + 1`; then the root's six sides.
    planes: Vec<u32>,
    challengers: Vec<u32>,
    event_queue: EventQueue,
    clock: Clock,
    counts: KineticCounts,
    open: Vec<u32>,
}

/// What a slot is about: the subtree whose extreme it holds, and the direction.
struct SlotPlane {
    subtree: u32,
    direction: usize,
}

impl KineticBoxTree {
    /// The tree over faces whose vertices fly by this plan, at its start.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let topology = TreeTopology::new(flight, faces, AXIS_CAP)?;
        let tracks = flight.tracks();
        let winners = first_winners(&topology, tracks, 3, 0);
        let slots = 2 * topology.node_count() + ROOT_SLOTS;
        let mut made = Self {
            planes: vec![0; slots],
            challengers: vec![0; slots],
            event_queue: EventQueue::new(slots, tracks.segments() as usize),
            topology,
            clock: Clock::new(flight),
            counts: KineticCounts::default(),
            open: Vec::new(),
        };
        for slot in 0..slots as u32 {
            if let Some(SlotPlane { subtree, direction }) = made.plane(slot) {
                let winner = winners[subtree as usize * 6 + direction];
                made.planes[slot as usize] = winner;
                made.challengers[slot as usize] = winner;
            }
        }
        for slot in 0..slots as u32 {
            made.refresh(tracks, slot);
        }
        made.counts = KineticCounts::default();
        Ok(made)
    }

    nodes_of_topology!();
    meets_at_its_time!();

    /// The box of a node now: the nearest plane above it for each side. None when there is no such node, or the plan is not the tree's.
    #[must_use]
    pub fn bounds(&self, flight: &Keyframes, node: KineticNode) -> Option<Aabb> {
        if !self.clock.belongs_to(flight) || !self.topology.has(node.0) {
            return None;
        }
        let mut sides: [Option<u32>; 6] = [None; 6];
        let mut below = node.0;
        while let Some(above) = self.topology.parent(below) {
            let axis = self.topology.axis(above);
            let is_left = below.is_multiple_of(2);
            let side = 2 * axis + usize::from(is_left);
            let slot = 2 * above as usize + usize::from(!is_left);
            sides[side].get_or_insert(self.planes[slot]);
            below = above;
        }
        let value = |side: usize| {
            let root = self.planes[2 * self.topology.node_count() + side];
            let vertex = sides[side].unwrap_or(root);
            let (segment, now) = (self.clock.segment, self.clock.now);
            flight.tracks().at(side / 2, vertex, segment, now)
        };
        let bounds = Aabb {
            min: DVec3::new(value(0), value(2), value(4)),
            max: DVec3::new(value(1), value(3), value(5)),
        };
        Some(if flight.deviation() > 0.0 {
            bounds.inflated(flight.deviation())
        } else {
            bounds
        })
    }

    /// None for the slots of leaves.
    fn plane(&self, slot: u32) -> Option<SlotPlane> {
        let nodes = self.topology.node_count() as u32;
        if self.topology.is_empty() {
            return None;
        }
        if slot >= 2 * nodes {
            return Some(SlotPlane {
                subtree: 0,
                direction: (slot - 2 * nodes) as usize,
            });
        }
        let (node, is_right) = (slot / 2, slot % 2);
        if !self.topology.has(node) {
            return None;
        }
        match self.topology.below(node) {
            NodeContent::Face(_) => None,
            NodeContent::Children(child) => Some(SlotPlane {
                subtree: child + is_right,
                direction: 2 * self.topology.axis(node) + 1 - is_right as usize,
            }),
        }
    }
}

impl VolumeTree for TreeView<'_, KineticBoxTree> {
    type Volume = Aabb;

    fn nodes(&self) -> &TreeTopology {
        &self.tree.topology
    }

    fn root(&self) -> Aabb {
        let first = 2 * self.tree.topology.node_count();
        let side = |side: usize| {
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let vertex = self.tree.planes[first + 2 * axis + side];
                self.widened(axis, vertex, side == 1)
            });
            DVec3::new(x, y, z)
        };
        Aabb {
            min: side(0),
            max: side(1),
        }
    }

    /// The parent's box up to the plane.
    #[inline]
    fn child(&self, node: u32, child: u32, volume: &Aabb) -> Aabb {
        let axis = self.tree.topology.axis(node);
        let is_left = child.is_multiple_of(2);
        let vertex = self.tree.planes[2 * node as usize + usize::from(!is_left)];
        let value = self.widened(axis, vertex, is_left);
        let mut bounds = *volume;
        if is_left {
            bounds.max[axis] = value;
        } else {
            bounds.min[axis] = value;
        }
        bounds
    }

    /// The face's own box: that of the leaf has most of its sides from above.
    fn tight(&self, _: u32, face: u32, _: &Aabb) -> Aabb {
        self.box_of(self.tree.topology.corners(face), &self.tree.clock)
    }
}

impl TreeView<'_, KineticBoxTree> {
    #[inline]
    fn widened(&self, axis: usize, vertex: u32, is_max: bool) -> f64 {
        let clock = &self.tree.clock;
        let value = (self.flight.tracks()).at(axis, vertex, clock.segment, clock.now);
        if is_max {
            value + self.margin
        } else {
            value - self.margin
        }
    }
}

impl EventDriven for KineticBoxTree {
    fn parts(&mut self) -> (&mut EventQueue, &mut Clock) {
        (&mut self.event_queue, &mut self.clock)
    }

    /// Finds who overtakes a plane next, among the vertices that no plane below it stands for.
    fn refresh(&mut self, tracks: &Trajectories, slot: u32) {
        let Some(SlotPlane { subtree, direction }) = self.plane(slot) else {
            return;
        };
        let (axis, is_max) = (direction / 2, direction % 2 == 1);
        let leader = self.planes[slot as usize];
        let mut first: Option<(u32, EventTime)> = None;
        let clock = self.clock;
        let mut certificates = 0;
        // Only what is earlier than the best so far counts, so that the rows of most candidates are read at one key.
        let mut until = tracks.segments();
        let mut consider = |rival: u32| {
            certificates += 1;
            let Some(when) = overtaking_until(tracks, &clock, direction, [leader, rival], until)
            else {
                return;
            };
            match when {
                EventTime::During(segment) => until = segment - 1,
                _ => until = clock.segment,
            }
            if first.is_none_or(|(_, best)| is_before(when, best)) {
                first = Some((rival, when));
            }
        };
        // Most often it is still the one that it was when the segment was not begun.
        consider(self.challengers[slot as usize]);
        self.open.push(subtree);
        while let Some(node) = self.open.pop() {
            match self.topology.below(node) {
                NodeContent::Face(face) => {
                    for vertex in self.topology.corners(face) {
                        consider(vertex);
                    }
                }
                NodeContent::Children(child) if self.topology.axis(node) == axis => {
                    // One child has its plane; the other is open to this side.
                    consider(self.planes[2 * node as usize + usize::from(!is_max)]);
                    self.open.push(child + u32::from(is_max));
                }
                NodeContent::Children(child) => self.open.extend([child, child + 1]),
            }
        }
        self.counts.certificates += certificates;
        self.challengers[slot as usize] = first.map_or(leader, |(rival, _)| rival);
        let when = first.map_or(EventTime::Never, |(_, when)| when);
        self.event_queue.set(slot, when);
    }

    /// Exchanges the vertex of a plane, and of those above that had the same.
    fn happen(&mut self, tracks: &Trajectories, slot: u32) {
        self.counts.events += 1;
        let old = self.planes[slot as usize];
        let new = self.challengers[slot as usize];
        self.planes[slot as usize] = new;
        self.counts.updates += 1;
        self.refresh(tracks, slot);
        let nodes = self.topology.node_count() as u32;
        if slot >= 2 * nodes {
            return;
        }
        let Some(SlotPlane { direction, .. }) = self.plane(slot) else {
            return;
        };
        let is_right = slot % 2;
        let mut below = slot / 2;
        loop {
            let above = match self.topology.parent(below) {
                Some(above) => {
                    // Only a plane on this axis, with what changed on its side, depends on it. Others are passed, not stopped at.
                    let is_its =
                        self.topology.axis(above) == direction / 2 && below % 2 == is_right;
                    below = above;
                    if !is_its {
                        continue;
                    }
                    2 * above + is_right
                }
                None => 2 * nodes + direction as u32,
            };
            if self.planes[above as usize] != old {
                self.gain(tracks, above, direction, new);
                return;
            }
            self.planes[above as usize] = new;
            self.counts.updates += 1;
            self.refresh(tracks, above);
            if above >= 2 * nodes {
                return;
            }
        }
    }
}

impl KineticBoxTree {
    /// Takes note that a plane that keeps its vertex has another candidate.
    ///
    /// It can only make the event earlier, so that no search is needed. The candidate in whose place it came may still be
    /// the challenger: it is in the subtree, so that if it overtakes, it does; and as long as it is behind the new one, that one
    /// overtakes before.
    fn gain(&mut self, tracks: &Trajectories, slot: u32, direction: usize, rival: u32) {
        self.counts.certificates += 1;
        let leader = self.planes[slot as usize];
        let Some(when) = overtaking(tracks, &self.clock, direction, leader, rival) else {
            return;
        };
        let before = self.event_queue.when(slot);
        if before == EventTime::Never || is_before(when, before) {
            self.challengers[slot as usize] = rival;
            self.event_queue.set(slot, when);
        }
    }

    /// The first difference from bounds computed for this time alone.
    fn fault(&self, flight: &Keyframes) -> Option<String> {
        let (segment, now) = (self.clock.segment, self.clock.now);
        let tight = super::list_validate::boxes_at(flight, &self.topology, segment, now);
        for slot in 0..self.planes.len() as u32 {
            let Some(SlotPlane { subtree, direction }) = self.plane(slot) else {
                continue;
            };
            let axis = direction / 2;
            let bounds = &tight[subtree as usize];
            let expected = if direction % 2 == 1 {
                bounds.max[axis]
            } else {
                bounds.min[axis]
            };
            let vertex = self.planes[slot as usize];
            let found = flight.tracks().at(axis, vertex, segment, now);
            if (found - expected).abs() > flight.rounding() {
                return Some(format!(
                    "the plane of node {subtree} in direction {direction} is at {found}, the extreme is {expected}, at time {now}"
                ));
            }
        }
        None
    }
}

impl Kinetic for KineticBoxTree {
    driven_by_events!("kinetic box tree");

    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]) {
        self.clock.version = flight.version();
        let tracks = flight.tracks();
        let incidence = self.topology.incidence(tracks.vertices());
        let nodes = self.topology.node_count() as u32;
        let mut slots: Vec<u32> = (2 * nodes..2 * nodes + ROOT_SLOTS as u32).collect();
        for vertex in vertices.iter().filter(|v| v.index() < tracks.vertices()) {
            for &leaf in incidence.leaves(vertex.raw()) {
                let mut node = leaf;
                while let Some(above) = self.topology.parent(node) {
                    slots.push(2 * above + node % 2);
                    node = above;
                }
            }
        }
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            self.refresh(tracks, slot);
        }
    }

    fn extended(&mut self, flight: &Keyframes) {
        self.clock.version = flight.version();
        self.event_queue.extend(flight.tracks().segments() as usize);
        for slot in 0..self.planes.len() as u32 {
            if self.event_queue.is_never(slot) {
                self.refresh(flight.tracks(), slot);
            }
        }
    }
}
