//! Kinetic separation list: the front of a simultaneous traversal, maintained by events.

use std::collections::BTreeMap;

use super::box_gap::{BoxGap, WITNESSES, is_later, sides};
use super::bvtt_front::{BvttFront, FrontPair, NONE, PairState};
use super::event_queue::{EventQueue, EventTime};
use super::feature_contact::{WIDTH, owners};
use super::kinetic_structure::Clock;
use super::kinetic_tournament::KineticTournament;
use super::topology::{NodeContent, TreeTopology};
use super::trajectories::Trajectories;
use super::{Keyframes, KineticError, KineticNode};
use crate::ccd::linear::LinearTests;
use crate::query::{FaceId, FacePair};

/// Counters of a separation list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListCounts {
    /// Boxes of the list that began to meet.
    pub overlaps: u64,
    /// Inner pairs whose boxes separated, so that everything below them left the list.
    pub fathers_apart: u64,
    /// Pairs of leaves that separated.
    pub leaves_apart: u64,
    /// Contacts reported.
    pub contacts: u64,
    /// Pairs examined because a side of a box got a new vertex.
    pub box_changes: u64,
    /// Events after which another witness keeps the boxes apart, or that came too early.
    pub renewals: u64,
    /// Pairs of boxes compared.
    pub box_tests: u64,
    /// Pairs of faces whose features were tested.
    pub face_tests: u64,
}

/// The BVTT front at every time: all pairs of boxes at which a search for intersecting faces would
/// end, with the contacts of the faces in order of time.
///
/// ```
/// use impinge::DVec3;
/// use impinge::kinetic::{Keyframes, Kinetic, Progress, SeparationList};
/// // A triangle falls through another.
/// let places = [[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [1., 1., 2.], [2., 1., 3.], [1., 2., 3.]].map(DVec3::from_array);
/// let fall = DVec3::new(0.0, 0.0, -4.0);
/// let speeds = [DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, fall, fall, fall];
/// let flight = Keyframes::linear(&places, &speeds, 0.0, 1.0)?;
/// let mut list = SeparationList::between(&flight, &[[0, 1, 2]], &[[3, 4, 5]])?;
/// let Progress::Touched(contact) = list.advance(&flight, 1.0)? else { unreachable!() };
/// assert!(contact.lower <= 0.5 && 0.5 <= contact.upper);
/// assert!(list.now() >= contact.lower && list.now() <= contact.upper);
/// assert_eq!(list.len(), 1);
/// assert_eq!(list.meeting().count(), 1);
/// assert_eq!(list.work().contacts, 1);
/// # Ok::<(), impinge::kinetic::KineticError>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "BVTT front")]
#[doc(alias = "BVTT")]
#[doc(alias = "front tracking")]
pub struct SeparationList {
    pub(super) trees: Vec<KineticTournament<3>>,
    /// By tree and face.
    pub(super) owned: Vec<Vec<u8>>,
    pub(super) is_own: bool,
    pub(super) front: BvttFront,
    /// Two slots for each pair: what its boxes do, and when its faces touch.
    pub(super) event_queue: EventQueue,
    pub(super) clock: Clock,
    pub(super) margin: f64,
    pub(super) tests: LinearTests,
    pub(super) work: ListCounts,
    /// The last feature of two faces that was reported in this segment, and when. By faces, because a pair may leave the list and come back.
    pub(super) reported: BTreeMap<(FaceId, FaceId), (f64, u8)>,
    /// The time from which two faces may be tested again.
    pub(super) resting: BTreeMap<(FaceId, FaceId), f64>,
    pub(super) open: Vec<u32>,
    /// Blocks of pairs to be folded; kept for its memory.
    pub(super) blocks: Vec<(u32, u8)>,
    /// Slots of a tree that changed.
    pub(super) changed: Vec<u32>,
}

impl SeparationList {
    /// The list of two objects: faces of the one and faces of the other, in one plan.
    ///
    /// # Errors
    /// A face names a vertex that the plan does not have, or there are too many faces.
    pub fn between(
        flight: &Keyframes,
        faces_a: &[[u32; 3]],
        faces_b: &[[u32; 3]],
    ) -> Result<Self, KineticError> {
        Self::build(flight, &[faces_a, faces_b])
    }

    /// The list of one object with itself: each pair of faces once, none with itself.
    ///
    /// Faces that share a vertex always overlap. They cost only the test of the features that they
    /// do not share.
    ///
    /// # Errors
    /// As [`SeparationList::between`].
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, SeparationList};
    /// let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let flight = Keyframes::linear(&places, &[DVec3::ZERO; 4], 0.0, 1.0)?;
    /// let list = SeparationList::with_itself(&flight, &[[0, 1, 2], [0, 1, 3]])?;
    /// assert_eq!(list.meeting().count(), 1);
    /// assert!(!list.is_empty());
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn with_itself(flight: &Keyframes, faces: &[[u32; 3]]) -> Result<Self, KineticError> {
        Self::build(flight, &[faces])
    }

    pub(super) fn build(flight: &Keyframes, objects: &[&[[u32; 3]]]) -> Result<Self, KineticError> {
        let clock = Clock::new(flight);
        let mut trees = Vec::new();
        for faces in objects {
            let topology = TreeTopology::new(flight, faces, u8::MAX)?;
            trees.push(KineticTournament::new(topology, flight.tracks(), &clock));
        }
        let is_own = trees.len() == 1;
        let count = |k: usize| trees.get(k).map_or(0, |t| t.topology.node_count());
        let mut made = Self {
            front: BvttFront::new([count(0), count(1)], is_own),
            owned: objects.iter().map(|faces| owners(faces)).collect(),
            trees,
            is_own,
            event_queue: EventQueue::new(0, flight.tracks().segments() as usize),
            clock,
            margin: 2.0 * flight.deviation(),
            tests: LinearTests::new(WIDTH),
            work: ListCounts::default(),
            reported: BTreeMap::new(),
            resting: BTreeMap::new(),
            open: Vec::new(),
            blocks: Vec::new(),
            changed: Vec::new(),
        };
        if objects.iter().all(|faces| !faces.is_empty()) && !(is_own && objects[0].len() < 2) {
            let root = made.front.take(1);
            made.event_queue.grow(2);
            let first = &mut made.front.pairs[root as usize];
            (first.a, first.b, first.father) = (0, 0, NONE);
            made.place(flight, root);
            made.unfold(flight);
        }
        made.work = ListCounts::default();
        Ok(made)
    }

    /// How many pairs are in the list.
    #[must_use]
    pub fn len(&self) -> usize {
        let is_listed = |p: &&FrontPair| matches!(p.state, PairState::Apart | PairState::Leaves);
        self.front.pairs.iter().filter(is_listed).count()
    }

    /// Whether the list has no pair, because an object has no face.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs of the list: disjoint boxes below overlapping ones, and overlapping leaves
    /// (`true`).
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge::kinetic::{Keyframes, KineticNode, SeparationList};
    /// let places = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let flight = Keyframes::linear(&places, &[DVec3::ZERO; 4], 0.0, 1.0)?;
    /// let list = SeparationList::between(&flight, &[[0, 1, 2]], &[[1, 2, 3]])?;
    /// assert!(list.pairs().eq([(KineticNode::ROOT, KineticNode::ROOT, true)]));
    /// assert!(list.children(0, KineticNode::ROOT).is_none());
    /// assert!(list.face(1, KineticNode::ROOT).is_some());
    /// # Ok::<(), impinge::kinetic::KineticError>(())
    /// ```
    pub fn pairs(&self) -> impl Iterator<Item = (KineticNode, KineticNode, bool)> + '_ {
        self.front.pairs.iter().filter_map(|p| match p.state {
            PairState::Apart => Some((KineticNode(p.a), KineticNode(p.b), false)),
            PairState::Leaves => Some((KineticNode(p.a), KineticNode(p.b), true)),
            PairState::Split | PairState::Free => None,
        })
    }

    /// The pairs of faces whose boxes overlap now: the candidates for an exact test.
    pub fn meeting(&self) -> impl Iterator<Item = FacePair> + '_ {
        self.front.leaves.iter().map(|&pair| self.faces_of(pair))
    }

    /// The two children of a node of the first object (0) or of the second (1); none of a leaf.
    #[must_use]
    pub fn children(&self, object: usize, node: KineticNode) -> Option<[KineticNode; 2]> {
        node.children_in(&self.trees.get(object)?.topology)
    }

    /// The face of a leaf of the first object (0) or of the second (1); none of an inner node.
    #[must_use]
    pub fn face(&self, object: usize, node: KineticNode) -> Option<FaceId> {
        node.face_in(&self.trees.get(object)?.topology)
    }

    /// What was done since it was built.
    #[must_use]
    pub fn work(&self) -> ListCounts {
        self.work
    }

    #[inline]
    pub(super) fn tree(&self, side: usize) -> &KineticTournament<3> {
        &self.trees[self.front.tree(side)]
    }

    pub(super) fn faces_of(&self, pair: u32) -> FacePair {
        let FrontPair { a, b, .. } = self.front.pairs[pair as usize];
        let face = |side: usize, node: u32| match self.tree(side).topology.below(node) {
            NodeContent::Face(face) => FaceId::new(face),
            NodeContent::Children(_) => FaceId::new(u32::MAX),
        };
        FacePair {
            a: face(0, a),
            b: face(1, b),
        }
    }

    #[inline]
    pub(super) fn gap(&self, pair: u32, witness: u8) -> BoxGap {
        let FrontPair { a, b, .. } = self.front.pairs[pair as usize];
        let [side_a, side_b] = sides(witness);
        let vertex_a = self.tree(0).winner(a, side_a);
        let vertex_b = self.tree(1).winner(b, side_b);
        let (low, high) = if witness.is_multiple_of(2) {
            (vertex_a, vertex_b)
        } else {
            (vertex_b, vertex_a)
        };
        BoxGap {
            axis: witness as usize / 2,
            low,
            high,
            margin: self.margin,
        }
    }

    /// The witness that keeps the boxes apart for longest; none when they meet.
    pub(super) fn compare(&mut self, tracks: &Trajectories, pair: u32) -> Option<(u8, EventTime)> {
        self.work.box_tests += 1;
        let mut best: Option<(u8, EventTime)> = None;
        for witness in 0..WITNESSES {
            if let Some(when) = self.gap(pair, witness).closing(tracks, &self.clock)
                && best.is_none_or(|(_, longest)| is_later(when, longest))
            {
                best = Some((witness, when));
            }
        }
        best
    }

    /// When boxes that meet part, unless sides get new vertices; those can only make it later.
    pub(super) fn parting(&self, tracks: &Trajectories, pair: u32) -> EventTime {
        let mut first = EventTime::Never;
        if self.front.pairs[pair as usize].is_forever {
            return first;
        }
        for witness in 0..WITNESSES {
            let when = self.gap(pair, witness).opening(tracks, &self.clock);
            if is_later(first, when) {
                first = when;
            }
        }
        first
    }
}
