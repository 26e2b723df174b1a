//! Kinetic 18-DOP tree: reported as a dead end, kept for comparison.

use std::f64::consts::SQRT_2;

use super::kinetic_structure::{Clock, Kinetic, KineticCounts, Progress, told_by_clock};
use super::kinetic_tournament::KineticTournament;
use super::topology::TreeTopology;
use super::trajectories::Trajectories;
use super::tree_traversal::{TreeView, Volume, VolumeTree, meets_at_its_time};
use super::{Keyframes, KineticError, KineticNode};
use crate::bvh::Violation;
use crate::query::{FaceId, VertexId};

/// Directions, each with a least and a greatest value.
const DIRECTIONS: usize = 9;

/// The coordinate along a direction: the axes, then sums and differences of two.
#[inline]
fn along([x, y, z]: [f64; 3], direction: usize) -> f64 {
    match direction {
        0 => x,
        1 => y,
        2 => z,
        3 => x + y,
        4 => x + z,
        5 => y + z,
        6 => x - y,
        7 => x - z,
        _ => y - z,
    }
}

/// A tree as [`KineticAabbTree`](super::KineticAabbTree), with nine directions instead of three: tighter volumes, three times the events.
///
/// Sums and differences of coordinates are rounded at keys; between keys they are linear.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, Kinetic, KineticDopTree, KineticNode};
/// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let flight = Keyframes::linear(&start, &[DVec3::ZERO, DVec3::X, DVec3::ZERO], 0.0, 1.0)?;
/// let mut tree = KineticDopTree::new(&flight, &[[0, 1, 2]])?;
/// tree.advance(&flight, 1.0)?;
/// let extents = tree.extents(KineticNode::ROOT).unwrap();
/// assert_eq!((extents[3], extents[6]), ([0.0, 2.0], [-1.0, 2.0])); // x + y, x - y
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KineticDopTree {
    tracks: Trajectories,
    tournament: KineticTournament<DIRECTIONS>,
    clock: Clock,
    /// How far the motion may be from the plan.
    deviation: f64,
}

impl KineticDopTree {
    /// The tree over faces whose vertices fly by this plan, at its start.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn new(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        let topology = TreeTopology::new(flight, faces, u8::MAX)?;
        let clock = Clock::new(flight);
        let times = flight.key_times().to_vec();
        let value = |direction: usize, vertex: usize, key: usize| {
            along(at_key(flight, vertex as u32, key), direction)
        };
        let tracks = Trajectories::new(times, flight.vertex_count(), DIRECTIONS, value);
        Ok(Self {
            tournament: KineticTournament::new(topology, &tracks, &clock),
            tracks,
            clock,
            deviation: flight.deviation(),
        })
    }

    /// The two children of a node; none of a leaf.
    ///
    /// ```
    /// use impinge::{DVec3, query::FaceId};
    /// use impinge::kinetic::{Keyframes, KineticDopTree, KineticNode};
    /// let start = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let flight = Keyframes::linear(&start, &start, 0.0, 1.0)?;
    /// let tree = KineticDopTree::new(&flight, &[[0, 1, 2], [0, 1, 3]])?;
    /// let leaves = tree.children(KineticNode::ROOT).unwrap();
    /// let mut faces = leaves.map(|leaf| tree.face(leaf).unwrap());
    /// faces.sort();
    /// assert_eq!(faces, [FaceId::new(0), FaceId::new(1)]);
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    #[must_use]
    pub fn children(&self, node: KineticNode) -> Option<[KineticNode; 2]> {
        node.children_in(&self.tournament.topology)
    }

    /// The face of a leaf; none of an inner node.
    ///
    /// ```
    /// use impinge::{DVec3, query::FaceId};
    /// use impinge::kinetic::{Keyframes, KineticDopTree, KineticNode};
    /// let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
    /// let flight = Keyframes::linear(&start, &start, 0.0, 1.0)?;
    /// let tree = KineticDopTree::new(&flight, &[[0, 1, 2]])?;
    /// assert_eq!(tree.face(KineticNode::ROOT), Some(FaceId::new(0)));
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    #[must_use]
    pub fn face(&self, node: KineticNode) -> Option<FaceId> {
        node.face_in(&self.tournament.topology)
    }

    meets_at_its_time!();

    /// The least and greatest value of a node now, along x, y, z, x + y, x + z, y + z, x − y, x − z, y − z. A [sampled](Keyframes::sampled) plan
    /// widens them by as much as its deviation is along each.
    #[must_use]
    pub fn extents(&self, node: KineticNode) -> Option<[[f64; 2]; DIRECTIONS]> {
        if !self.tournament.topology.has(node.0) {
            return None;
        }
        Some(self.widened(node.0, |k| {
            // Sums and differences are along diagonals, in units that are as much shorter.
            if k < 3 {
                self.deviation
            } else {
                SQRT_2 * self.deviation
            }
        }))
    }

    #[inline]
    fn widened(&self, node: u32, margin: impl Fn(usize) -> f64) -> Extents {
        let (segment, now) = (self.clock.segment, self.clock.now);
        std::array::from_fn(|k| {
            let [low, high] = [2 * k, 2 * k + 1].map(|side| {
                let winner = self.tournament.winner(node, side);
                self.tracks.at(k, winner, segment, now)
            });
            [low - margin(k), high + margin(k)]
        })
    }
}

/// The least and greatest value along each direction.
type Extents = [[f64; 2]; DIRECTIONS];

impl Volume for Extents {
    #[inline]
    fn meets(&self, other: &Self) -> bool {
        let mut pairs = self.iter().zip(other);
        pairs.all(|([low, high], [other_low, other_high])| low <= other_high && other_low <= high)
    }
}

impl VolumeTree for TreeView<'_, KineticDopTree> {
    type Volume = Extents;

    fn nodes(&self) -> &TreeTopology {
        &self.tree.tournament.topology
    }

    fn root(&self) -> Extents {
        self.child(0, 0, &[[0.0; 2]; DIRECTIONS])
    }

    /// A sum of two coordinates has the error of both, and a fourth part is for its own rounding at keys.
    #[inline]
    fn child(&self, _: u32, child: u32, _: &Extents) -> Extents {
        self.tree
            .widened(child, |k| if k < 3 { 1.0 } else { 4.0 } * self.margin)
    }
}

fn at_key(flight: &Keyframes, vertex: u32, key: usize) -> [f64; 3] {
    [0, 1, 2].map(|axis| flight.tracks().row(axis, vertex)[key])
}

impl Kinetic for KineticDopTree {
    told_by_clock!("kinetic 18-DOP tree");

    fn next_event(&self, _: &Keyframes) -> Option<f64> {
        self.tournament.next_event(&self.tracks, &self.clock)
    }

    fn advance(&mut self, flight: &Keyframes, to: f64) -> Result<Progress, KineticError> {
        self.clock.check(flight, to)?;
        self.tournament.advance(&self.tracks, &mut self.clock, to);
        Ok(Progress::Reached)
    }

    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]) {
        self.clock.version = flight.version();
        let count = self.tracks.vertices();
        for vertex in vertices.iter().filter(|v| v.index() < count) {
            let (segment, now) = (self.clock.segment, self.clock.now);
            let value =
                |direction: usize, key: usize| along(at_key(flight, vertex.raw(), key), direction);
            self.tracks.bend(vertex.raw(), segment, now, value);
        }
        let mut touched = Vec::new();
        self.tournament
            .rerouted(&self.tracks, &self.clock, vertices, &mut touched);
    }

    fn extended(&mut self, flight: &Keyframes) {
        self.clock.version = flight.version();
        let from = self.tracks.times().len();
        for (key, &time) in flight.key_times().iter().enumerate().skip(from) {
            let value = |direction: usize, vertex: usize| {
                along(at_key(flight, vertex as u32, key), direction)
            };
            self.tracks.push(time, value);
        }
        self.tournament.extended(&self.tracks, &self.clock);
    }

    fn validate(&self, flight: &Keyframes) -> Result<(), Violation> {
        // A sum of two coordinates has the error of both.
        let tolerance = 4.0 * flight.rounding();
        self.clock.validate(self.name(), flight, || {
            self.tournament.fault(&self.tracks, &self.clock, tolerance)
        })
    }

    fn counts(&self) -> KineticCounts {
        self.tournament.counts
    }
}
