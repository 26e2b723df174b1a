//! Results of a deforming scene.

use glam::DVec3;

use super::narrow_phase::{NarrowPhaseResult, answer, meets_exactly};
use super::{Scene, SceneRequest};
use crate::query::{FaceId, Outcome};

/// Whether two faces belong to one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// To one.
    Within,
    /// To two.
    Between,
}

/// Two faces of a scene that meet beyond what they share; `a` has the smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScenePair {
    /// The face with the smaller number.
    pub a: FaceId,
    /// The face with the larger number.
    pub b: FaceId,
    /// Whether the pair is within one object or between two.
    pub kind: PairKind,
}

/// Where two faces meet, and the translation that separates them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneDetail {
    /// The two points of the shared set that are farthest apart; equal when the faces share one point.
    pub segment: [DVec3; 2],
    /// The unit direction of the shortest translation that separates `b` from `a`; zero when both
    /// faces have no area.
    pub normal: DVec3,
    /// The length of that translation; 0 for faces that only touch, or lie in one plane.
    pub depth: f64,
}

/// Counters of the work for an answer, stage by stage: the same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneCounters {
    /// Faces of the scene.
    pub faces: u64,
    /// Entries of all lists, cells or leaves: above `faces` when faces are stored more than once.
    pub entries: u64,
    /// Structures of a part that were rebuilt.
    pub rebuilt: u64,
    /// Boxes that were computed.
    pub boxes: u64,
    /// Box against box tests, where they were made one by one or eight by eight.
    pub box_tests: u64,
    /// Clusters that the faces were divided into.
    pub clusters: u64,
    /// Rounds in which cluster centres moved.
    pub rounds: u64,
    /// Exchanges made to repair a sorted list, or keys sorted again.
    pub sort_moves: u64,
    /// Pairs that overlap along the sweep axis.
    pub axis_pairs: u64,
    /// Of these, pairs that overlap along the second axis too.
    pub second_axis_pairs: u64,
    /// Pairs of faces that were decided: those whose boxes overlap.
    pub candidates: u64,
    /// Of these, pairs that share a corner or an edge.
    pub neighbours: u64,
    /// Pairs excluded by a separating direction or projection.
    pub separated: u64,
    /// Pairs that the exact test decided.
    pub exact_tests: u64,
    /// Pairs that meet, before duplicates are removed.
    pub hits: u64,
}

impl SceneCounters {
    /// Mean number of entries per face: 1 when every face is stored once, 0 for an empty scene.
    ///
    /// ```
    /// use impinge::deform::SceneCounters;
    /// let counters = SceneCounters { faces: 4, entries: 6, ..Default::default() };
    /// assert_eq!(counters.replication(), 1.5);
    /// ```
    #[must_use]
    pub fn replication(&self) -> f64 {
        if self.faces == 0 {
            return 0.0;
        }
        self.entries as f64 / self.faces as f64
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.entries += other.entries;
        self.rebuilt += other.rebuilt;
        self.boxes += other.boxes;
        self.box_tests += other.box_tests;
        self.clusters += other.clusters;
        self.rounds += other.rounds;
        self.sort_moves += other.sort_moves;
        self.axis_pairs += other.axis_pairs;
        self.second_axis_pairs += other.second_axis_pairs;
        self.candidates += other.candidates;
        self.neighbours += other.neighbours;
        self.separated += other.separated;
        self.exact_tests += other.exact_tests;
        self.hits += other.hits;
    }
}

/// The pairs of one frame.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneAnswer {
    /// The pairs, sorted, each once.
    pub pairs: Vec<ScenePair>,
    /// Where each pair meets, if that was requested; else empty.
    pub details: Vec<SceneDetail>,
    /// What was done.
    pub counters: SceneCounters,
    /// [`Outcome::OutOfBudget`] when there were more pairs than were requested.
    pub outcome: Outcome,
}

impl SceneAnswer {
    /// The pairs of another answer that are missing in this one, for checking engines.
    ///
    /// ```
    /// use impinge::deform::{SweepAndPrune, Scene, SceneEngine};
    /// let scene = Scene::new(&[])?;
    /// let answer = SweepAndPrune::default().pairs(&scene, &Default::default());
    /// assert!(answer.missing(&answer).is_empty());
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn missing(&self, other: &Self) -> Vec<ScenePair> {
        let is_new = |pair: &&ScenePair| self.pairs.binary_search(pair).is_err();
        other.pairs.iter().filter(is_new).copied().collect()
    }

    /// The answer with these pairs, in any order and possibly repeated: sorted, each once, with the
    /// other requested data. For engines outside of this crate; pairs of faces that the scene does
    /// not have are left out.
    ///
    /// ```
    /// use impinge::deform::{Scene, SceneAnswer, SceneCounters, SceneRequest};
    /// use impinge::{query::FaceId, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::ZERO; 3], vec![[0, 1, 2]; 2], vec![0; 2])?;
    /// let [a, b] = [0, 1].map(FaceId::new);
    /// let found = vec![[b, a], [a, b], [a, FaceId::new(9)]];
    /// let answer = SceneAnswer::of_pairs(&scene, &SceneRequest::default(), found, SceneCounters::default());
    /// assert_eq!((answer.pairs.len(), answer.pairs[0].a), (1, a));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn of_pairs(
        scene: &Scene,
        request: &SceneRequest,
        found: Vec<[FaceId; 2]>,
        counters: SceneCounters,
    ) -> Self {
        let faces = scene.faces().len() as u32;
        let key = |[a, b]: [FaceId; 2]| {
            let (low, high) = (a.raw().min(b.raw()), a.raw().max(b.raw()));
            (high < faces).then_some(u64::from(low) << 32 | u64::from(high))
        };
        let found = found.into_iter().filter_map(key).collect();
        answer(scene, request, NarrowPhaseResult { found, counters })
    }
}

impl ScenePair {
    /// Whether two faces of a scene meet, by the exact rule of every engine. No for faces that the scene does not have.
    ///
    /// ```
    /// use impinge::deform::{Scene, ScenePair, SceneRequest};
    /// use impinge::{query::FaceId, DVec3};
    /// let scene = Scene::from_parts(vec![DVec3::ZERO; 3], vec![[0, 1, 2]; 2], vec![0; 2])?;
    /// let [a, b, none] = [0, 1, 7].map(FaceId::new);
    /// assert!(ScenePair::meets(&scene, &SceneRequest::default(), a, b));
    /// assert!(!ScenePair::meets(&scene, &SceneRequest::default(), a, none));
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    #[must_use]
    pub fn meets(scene: &Scene, request: &SceneRequest, a: FaceId, b: FaceId) -> bool {
        let faces = scene.faces();
        match (faces.get(a.index()), faces.get(b.index())) {
            (Some(face_a), Some(face_b)) => meets_exactly(scene, request, face_a, face_b),
            _ => false,
        }
    }
}
