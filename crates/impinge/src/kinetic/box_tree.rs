//! The kinetic tree of cut boxes: two planes for each node instead of six sides.

use glam::DVec3;

use super::agenda::{Agenda, When};
use super::driven::Driven;
use super::structure::{Clock, Counts, Kinetic, Progress};
use super::topology::{Below, Topology};
use super::tournament::{first_winners, is_before, overtaking};
use super::tracks::Tracks;
use super::{Flight, KineticError, Node};
use crate::bound::Aabb;
use crate::bvh::Violation;
use crate::query::VertexId;

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
/// use impinge::kinetic::{Flight, Kinetic, KineticBoxTree, Node};
/// let start = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [5., 0., 0.], [6., 0., 0.], [5., 1., 0.]].map(DVec3::from_array);
/// let flight = Flight::linear(&start, &[DVec3::ZERO; 6], 0.0, 1.0)?;
/// let tree = KineticBoxTree::new(&flight, &[[0, 1, 2], [3, 4, 5]])?;
/// let [left, right] = tree.children(Node::ROOT).unwrap();
/// assert_eq!(tree.bounds(&flight, left).unwrap().max.x, 1.0);
/// assert_eq!(tree.bounds(&flight, right).unwrap().min.x, 5.0);
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KineticBoxTree {
    topology: Topology,
    /// By slot: the greatest of the left child at `2 node`, the least of the right one at `2 node + 1`; then the root's six sides.
    planes: Vec<u32>,
    challengers: Vec<u32>,
    agenda: Agenda,
    clock: Clock,
    counts: Counts,
    open: Vec<u32>,
}

/// What a slot is about: the subtree whose extreme it holds, and the direction.
struct Plane {
    subtree: u32,
    direction: usize,
}

impl KineticBoxTree {
    /// The tree over faces whose vertices fly by this plan, at its start.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Flight, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let topology = Topology::new(flight, faces, AXIS_CAP)?;
        let tracks = flight.tracks();
        let winners = first_winners(&topology, tracks, 3, 0);
        let slots = 2 * topology.node_count() + ROOT_SLOTS;
        let mut made = Self {
            planes: vec![0; slots],
            challengers: vec![0; slots],
            agenda: Agenda::new(slots, tracks.segments() as usize),
            topology,
            clock: Clock::new(flight),
            counts: Counts::default(),
            open: Vec::new(),
        };
        for slot in 0..slots as u32 {
            if let Some(Plane { subtree, direction }) = made.plane(slot) {
                made.planes[slot as usize] = winners[subtree as usize * 6 + direction];
            }
        }
        for slot in 0..slots as u32 {
            made.refresh(tracks, slot);
        }
        made.counts = Counts::default();
        Ok(made)
    }

    /// The two children of a node; none of a leaf.
    #[must_use]
    pub fn children(&self, node: Node) -> Option<[Node; 2]> {
        node.children_in(&self.topology)
    }

    /// The box of a node now: the nearest plane above it for each side. None when there is no such node, or the plan is not the tree's.
    #[must_use]
    pub fn bounds(&self, flight: &Flight, node: Node) -> Option<Aabb> {
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
    fn plane(&self, slot: u32) -> Option<Plane> {
        let nodes = self.topology.node_count() as u32;
        if self.topology.is_empty() {
            return None;
        }
        if slot >= 2 * nodes {
            return Some(Plane {
                subtree: 0,
                direction: (slot - 2 * nodes) as usize,
            });
        }
        let (node, is_right) = (slot / 2, slot % 2);
        if !self.topology.has(node) {
            return None;
        }
        match self.topology.below(node) {
            Below::Face(_) => None,
            Below::Children(child) => Some(Plane {
                subtree: child + is_right,
                direction: 2 * self.topology.axis(node) + 1 - is_right as usize,
            }),
        }
    }
}

impl Driven for KineticBoxTree {
    fn parts(&mut self) -> (&mut Agenda, &mut Clock) {
        (&mut self.agenda, &mut self.clock)
    }

    /// Finds who overtakes a plane next, among the vertices that no plane below it stands for.
    fn refresh(&mut self, tracks: &Tracks, slot: u32) {
        let Some(Plane { subtree, direction }) = self.plane(slot) else {
            return;
        };
        let (axis, is_max) = (direction / 2, direction % 2 == 1);
        let leader = self.planes[slot as usize];
        let mut first: Option<(u32, When)> = None;
        let clock = self.clock;
        let mut certificates = 0;
        let mut consider = |rival: u32| {
            certificates += 1;
            if let Some(when) = overtaking(tracks, &clock, direction, leader, rival)
                && first.is_none_or(|(_, best)| is_before(when, best))
            {
                first = Some((rival, when));
            }
        };
        self.open.push(subtree);
        while let Some(node) = self.open.pop() {
            match self.topology.below(node) {
                Below::Face(face) => {
                    for vertex in self.topology.corners(face) {
                        consider(vertex);
                    }
                }
                Below::Children(child) if self.topology.axis(node) == axis => {
                    // One child has its plane; the other is open to this side.
                    consider(self.planes[2 * node as usize + usize::from(!is_max)]);
                    self.open.push(child + u32::from(is_max));
                }
                Below::Children(child) => self.open.extend([child, child + 1]),
            }
        }
        self.counts.certificates += certificates;
        self.challengers[slot as usize] = first.map_or(leader, |(rival, _)| rival);
        let when = first.map_or(When::Never, |(_, when)| when);
        self.agenda.set(slot, when);
    }

    /// Exchanges the vertex of a plane, and of those above that had the same.
    fn happen(&mut self, tracks: &Tracks, slot: u32) {
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
        let Some(Plane { direction, .. }) = self.plane(slot) else {
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
            let is_same = self.planes[above as usize] == old;
            if is_same {
                self.planes[above as usize] = new;
                self.counts.updates += 1;
            }
            // Even one that keeps its vertex has lost a candidate and gained another.
            self.refresh(tracks, above);
            if !is_same || above >= 2 * nodes {
                return;
            }
        }
    }
}

impl Kinetic for KineticBoxTree {
    fn name(&self) -> &'static str {
        "kinetic box tree"
    }

    fn now(&self) -> f64 {
        self.clock.now
    }

    fn belongs_to(&self, flight: &Flight) -> bool {
        self.clock.belongs_to(flight)
    }

    fn next_event(&self, flight: &Flight) -> Option<f64> {
        self.agenda.next_event(flight.tracks(), &self.clock)
    }

    fn advance(&mut self, flight: &Flight, to: f64) -> Result<Progress, KineticError> {
        self.run(flight, to)
    }

    fn rerouted(&mut self, flight: &Flight, vertices: &[VertexId]) {
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

    fn extended(&mut self, flight: &Flight) {
        self.clock.version = flight.version();
        self.agenda.extend(flight.tracks().segments() as usize);
        for slot in 0..self.planes.len() as u32 {
            if self.agenda.is_never(slot) {
                self.refresh(flight.tracks(), slot);
            }
        }
    }

    fn validate(&self, flight: &Flight) -> Result<(), Violation> {
        let fault = |promise: String| {
            Err(Violation {
                index: self.name(),
                promise,
            })
        };
        if let Err(error) = self.clock.check(flight, self.clock.now) {
            return fault(error.to_string());
        }
        let (segment, now) = (self.clock.segment, self.clock.now);
        let tight = super::list_check::boxes_at(flight, &self.topology, segment, now);
        for slot in 0..self.planes.len() as u32 {
            let Some(Plane { subtree, direction }) = self.plane(slot) else {
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
                return fault(format!(
                    "the plane of node {subtree} in direction {direction} is at {found}, the extreme is {expected}, at time {now}"
                ));
            }
        }
        Ok(())
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}
