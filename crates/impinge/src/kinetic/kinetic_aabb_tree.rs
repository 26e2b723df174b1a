//! Kinetic AABB tree.

use glam::DVec3;

use super::event_estimate;
use super::kinetic_structure::{Clock, Kinetic, KineticCounts, Progress, told_by_clock};
use super::kinetic_tournament::KineticTournament;
use super::topology::TreeTopology;
use super::tree_traversal::{TreeView, VolumeTree, meets_at_its_time};
use super::{Keyframes, KineticError, KineticNode};
use crate::bound::Aabb;
use crate::bvh::Violation;
use crate::query::{FaceId, VertexId};

/// A tree of boxes over deforming faces that is valid at every time. A side of a box is the number of a vertex.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, Kinetic, KineticAabbTree, KineticNode};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let speeds = [DVec3::new(3.0, 0.0, 0.0), DVec3::ZERO, DVec3::ZERO];
/// let flight = Keyframes::linear(&start, &speeds, 0.0, 1.0)?;
/// let mut tree = KineticAabbTree::new(&flight, &[[0, 1, 2]])?;
/// tree.advance(&flight, 0.25)?;
/// assert_eq!(tree.winner(KineticNode::ROOT, 0, true).map(|v| v.raw()), Some(1));
/// tree.advance(&flight, 0.5)?; // vertex 0 has overtaken vertex 1
/// assert_eq!(tree.winner(KineticNode::ROOT, 0, true).map(|v| v.raw()), Some(0));
/// assert_eq!(tree.bounds(&flight, KineticNode::ROOT).unwrap().max.x, 1.5);
/// assert!(tree.children(KineticNode::ROOT).is_none() && tree.face(KineticNode::ROOT).is_some());
/// assert_eq!(tree.node_count(), 1);
/// // Two more for the left side: vertex 2 stays behind when vertex 0 leaves.
/// assert!(tree.counts().updates >= 1);
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KineticAabbTree {
    tournament: KineticTournament<3>,
    clock: Clock,
}

impl KineticAabbTree {
    /// The tree over faces whose vertices fly by this plan, at its start.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let topology = TreeTopology::new(flight, faces, u8::MAX)?;
        let clock = Clock::new(flight);
        Ok(Self {
            tournament: KineticTournament::new(topology, flight.tracks(), &clock),
            clock,
        })
    }

    /// Goes on to a time with at most this many events. Returns whether it got there; if not, it is right at its own time.
    pub(super) fn advance_within(&mut self, flight: &Keyframes, to: f64, most: u64) -> bool {
        self.tournament
            .advance_within(flight.tracks(), &mut self.clock, to, most)
    }

    /// Starts again at the start of a segment.
    pub(super) fn restart(&mut self, flight: &Keyframes, segment: u32) {
        self.clock.segment = segment;
        self.clock.now = flight.tracks().segment_start(segment);
        self.tournament.restart(flight.tracks(), &self.clock);
    }

    /// Notes that the plan changed while the tree was not updated. It must be restarted before it is queried.
    pub(super) fn leave_behind(&mut self, flight: &Keyframes) {
        self.clock.version = flight.version();
    }

    /// How many events are to be expected in each segment from this one on, from a part of the tree.
    pub(super) fn foreseen_events(&self, flight: &Keyframes, first: usize) -> Vec<f64> {
        event_estimate::events_by_segment(&self.tournament.topology, flight.tracks(), first)
    }

    pub(super) fn topology(&self) -> &TreeTopology {
        &self.tournament.topology
    }

    /// How many nodes the tree has.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.tournament.topology.node_count().saturating_sub(1)
    }

    /// The two children of a node; none of a leaf.
    #[must_use]
    pub fn children(&self, node: KineticNode) -> Option<[KineticNode; 2]> {
        node.children_in(&self.tournament.topology)
    }

    /// The face of a leaf; none of an inner node.
    #[must_use]
    pub fn face(&self, node: KineticNode) -> Option<FaceId> {
        node.face_in(&self.tournament.topology)
    }

    /// The vertex that is extreme along an axis (0, 1 or 2), on the side of large or of small values.
    #[must_use]
    pub fn winner(&self, node: KineticNode, axis: usize, is_max: bool) -> Option<VertexId> {
        if axis > 2 || !self.tournament.topology.has(node.0) {
            return None;
        }
        let winner = self
            .tournament
            .winner(node.0, 2 * axis + usize::from(is_max));
        Some(VertexId::new(winner))
    }

    /// The box of a node now, from six vertices.
    ///
    /// At keys it is exact. Between keys its coordinates are rounded, and a side may be behind the
    /// farthest vertex by the rounding error; a [sampled](Keyframes::sampled) plan widens it by its
    /// deviation. None when there is no such node, or the plan is not the tree's.
    #[must_use]
    pub fn bounds(&self, flight: &Keyframes, node: KineticNode) -> Option<Aabb> {
        let is_ours = self.clock.check(flight, self.clock.now).is_ok();
        if !is_ours || !self.tournament.topology.has(node.0) {
            return None;
        }
        Some(self.bounds_of(flight, node.0, flight.deviation()))
    }

    fn bounds_of(&self, flight: &Keyframes, node: u32, margin: f64) -> Aabb {
        let bounds = self.sides_of(flight, node);
        if margin > 0.0 {
            bounds.inflated(margin)
        } else {
            bounds
        }
    }

    #[inline]
    fn sides_of(&self, flight: &Keyframes, node: u32) -> Aabb {
        let side = |side: usize| {
            DVec3::from_array([0, 1, 2].map(|axis| {
                let winner = self.tournament.winner(node, 2 * axis + side);
                let (segment, now) = (self.clock.segment, self.clock.now);
                flight.tracks().at(axis, winner, segment, now)
            }))
        };
        Aabb {
            min: side(0),
            max: side(1),
        }
    }

    meets_at_its_time!();
}

impl VolumeTree for TreeView<'_, KineticAabbTree> {
    type Volume = Aabb;

    fn nodes(&self) -> &TreeTopology {
        &self.tree.tournament.topology
    }

    fn root(&self) -> Aabb {
        self.child(0, 0, &Aabb::EMPTY)
    }

    #[inline]
    fn child(&self, _: u32, child: u32, _: &Aabb) -> Aabb {
        let bounds = self.tree.sides_of(self.flight, child);
        Aabb {
            min: bounds.min - self.margin,
            max: bounds.max + self.margin,
        }
    }
}

impl Kinetic for KineticAabbTree {
    told_by_clock!("kinetic AABB tree");

    fn next_event(&self, flight: &Keyframes) -> Option<f64> {
        self.tournament.next_event(flight.tracks(), &self.clock)
    }

    fn advance(&mut self, flight: &Keyframes, to: f64) -> Result<Progress, KineticError> {
        self.clock.check(flight, to)?;
        self.tournament
            .advance(flight.tracks(), &mut self.clock, to);
        Ok(Progress::Reached)
    }

    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]) {
        self.clock.version = flight.version();
        let mut touched = Vec::new();
        self.tournament
            .rerouted(flight.tracks(), &self.clock, vertices, &mut touched);
    }

    fn extended(&mut self, flight: &Keyframes) {
        self.clock.version = flight.version();
        self.tournament.extended(flight.tracks(), &self.clock);
    }

    fn validate(&self, flight: &Keyframes) -> Result<(), Violation> {
        self.clock.validate(self.name(), flight, || {
            self.tournament
                .fault(flight.tracks(), &self.clock, flight.rounding())
        })
    }

    fn counts(&self) -> KineticCounts {
        self.tournament.counts
    }
}
