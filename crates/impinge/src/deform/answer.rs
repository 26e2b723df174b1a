//! What comes back.

use glam::DVec3;

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
    /// Whether they belong to one object.
    pub kind: PairKind,
}

/// Where two faces meet, and how far they would have to move apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneDetail {
    /// The two points of the shared set that are farthest apart; equal when the faces share one point.
    pub segment: [DVec3; 2],
    /// The unit direction of the shortest translation that takes `b` off `a`; zero when both faces have no area.
    pub normal: DVec3,
    /// The length of that translation; 0 for faces that only touch, or lie in one plane.
    pub depth: f64,
}

/// How much was done for an answer, stage by stage: the same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneCounters {
    /// Faces of the scene.
    pub faces: u64,
    /// Entries of all lists, cells or leaves: above `faces` when faces are held more than once.
    pub entries: u64,
    /// Structures of a part that were made anew.
    pub rebuilt: u64,
    /// Boxes that were computed.
    pub boxes: u64,
    /// Box against box tests, where they were made one by one or eight by eight.
    pub box_tests: u64,
    /// Clusters that the faces were divided into.
    pub clusters: u64,
    /// Rounds in which cluster centres moved.
    pub rounds: u64,
    /// Exchanges made to repair a sorted list, or keys sorted anew.
    pub sort_moves: u64,
    /// Pairs that overlap along the sweep axis.
    pub axis_pairs: u64,
    /// Of these, pairs that overlap along the second axis too.
    pub second_axis_pairs: u64,
    /// Pairs of faces that were decided: those whose boxes overlap.
    pub candidates: u64,
    /// Of these, pairs that share a corner or an edge.
    pub neighbours: u64,
    /// Pairs that a separating direction or projection settled.
    pub separated: u64,
    /// Pairs that the exact test decided.
    pub exact_tests: u64,
    /// Pairs that meet, before duplicates are removed.
    pub hits: u64,
}

impl SceneCounters {
    /// Entries per face, 1 when no face is held twice; 0 for an empty scene.
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
    /// Where each pair meets, if that was asked for; else empty.
    pub details: Vec<SceneDetail>,
    /// What was done.
    pub counters: SceneCounters,
    /// [`Outcome::OutOfBudget`] when there were more pairs than were asked for.
    pub outcome: Outcome,
}

impl SceneAnswer {
    /// The pairs of another answer that this one lacks: for judging engines that may miss some.
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
}
