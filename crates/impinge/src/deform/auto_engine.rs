//! Chooses an engine and says why.
//!
//! **Question.** Which engine for this scene?
//! **Idea.** With few faces, all pairs; otherwise the tree. Its work is counted in every frame. If
//! it compares far more boxes than it finds candidates, its order does not suit the scene, and
//! clustering is tried for one frame. The engine with less counted work is kept, until the faces
//! change or some hundred frames have passed.
//! **Promise.** The answer does not depend on the choice. The choice depends on counters alone: it is the same on every machine.

use std::fmt;
use std::sync::Arc;

use super::clustering::Clustering;
use super::engine::by_stages;
use super::narrow_phase::in_one_piece;
use super::scene::Topology;
use super::{
    BruteForce, RefitBvhEngine, Scene, SceneAnswer, SceneCounters, SceneEngine, SceneRequest,
};

/// Up to this many faces all pairs are compared.
const FEW_FACES: usize = 32;
/// More box tests per face than this are suspicious.
const MANY_TESTS_PER_FACE: f64 = 1200.0;
/// And more box tests per candidate.
const MANY_TESTS_PER_CANDIDATE: f64 = 200.0;
/// Frames after which the choice is examined again.
const FRAMES_PER_CHOICE: u32 = 256;
/// Nanoseconds of one core, roughly, for a box test of eight, a candidate, an entry of the tree.
const TREE_COSTS: [f64; 3] = [0.2, 15.0, 20.0];
/// The same for a pair on an axis, a candidate, an entry of a cluster.
const CLUSTER_COSTS: [f64; 3] = [0.25, 15.0, 100.0];

/// An engine that [`Auto`] may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoChoice {
    /// [`BruteForce`].
    BruteForce,
    /// [`RefitBvhEngine`].
    Refit,
    /// [`Clustering`].
    Clustering,
}

/// Why [`Auto`] chose its engine; its `Display` is a sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum AutoReason {
    /// There was no query yet.
    Nothing,
    /// There are few faces.
    FewFaces {
        /// How many.
        faces: usize,
    },
    /// The tree finds candidates at a usual price.
    TreeFits {
        /// Box tests per face in the last frame.
        tests_per_face: f64,
    },
    /// The tree compares many boxes for few candidates; the clusters are tried in the next frame.
    TreeSuspected {
        /// Box tests per face in the last frame.
        tests_per_face: f64,
    },
    /// Both were tried.
    Compared {
        /// The counted work of the tree, in about nanoseconds.
        tree: f64,
        /// The counted work of the clusters, in about nanoseconds.
        clusters: f64,
    },
}

impl fmt::Display for AutoReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nothing => write!(f, "nothing was asked yet"),
            Self::FewFaces { faces } => {
                write!(f, "{faces} faces are few enough to compare all pairs")
            }
            Self::TreeFits { tests_per_face } => write!(
                f,
                "the tree compares {tests_per_face:.0} boxes per face, as it should"
            ),
            Self::TreeSuspected { tests_per_face } => write!(
                f,
                "the tree compares {tests_per_face:.0} boxes per face for few candidates; clusters are tried next"
            ),
            Self::Compared { tree, clusters } => write!(
                f,
                "counted work: {:.2} ms with the tree, {:.2} ms with clusters",
                tree * 1e-6,
                clusters * 1e-6
            ),
        }
    }
}

/// The default engine: chooses one of the others by their counters.
///
/// ```
/// use impinge::deform::{Auto, AutoChoice, Scene, SceneEngine};
/// use impinge::DVec3;
/// let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::X, DVec3::Z];
/// let scene = Scene::from_parts(points.to_vec(), vec![[0, 1, 2], [3, 4, 5]], vec![0, 0])?;
/// let mut auto = Auto::default();
/// assert_eq!(auto.pairs(&scene, &Default::default()).pairs.len(), 1);
/// assert_eq!(auto.choice(), AutoChoice::BruteForce);
/// assert_eq!(auto.reason().to_string(), "2 faces are few enough to compare all pairs");
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Auto {
    topology: Option<Arc<Topology>>,
    brute_force: BruteForce,
    refit: RefitBvhEngine,
    clustering: Clustering,
    choice: AutoChoice,
    reason: AutoReason,
    /// What the tree costs, while the clusters are on trial.
    on_trial: Option<f64>,
    frames: u32,
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            topology: None,
            brute_force: BruteForce::default(),
            refit: RefitBvhEngine::default(),
            clustering: Clustering::default(),
            choice: AutoChoice::Refit,
            reason: AutoReason::Nothing,
            on_trial: None,
            frames: 0,
        }
    }
}

impl Auto {
    /// The engine that the next frame will use.
    ///
    /// ```
    /// use impinge::deform::{Auto, AutoChoice};
    /// assert_eq!(Auto::default().choice(), AutoChoice::Refit);
    /// ```
    #[must_use]
    pub fn choice(&self) -> AutoChoice {
        self.choice
    }

    /// Why this engine was chosen.
    ///
    /// ```
    /// use impinge::deform::{Auto, AutoReason};
    /// assert_eq!(Auto::default().reason(), AutoReason::Nothing);
    /// ```
    #[must_use]
    pub fn reason(&self) -> AutoReason {
        self.reason
    }

    fn prepare(&mut self, scene: &Scene) {
        if scene.has_same_topology(&mut self.topology) {
            return;
        }
        self.on_trial = None;
        self.frames = 0;
        let faces = scene.faces().len();
        if faces <= FEW_FACES {
            self.choice = AutoChoice::BruteForce;
            self.reason = AutoReason::FewFaces { faces };
        } else {
            self.choice = AutoChoice::Refit;
            self.reason = AutoReason::Nothing;
        }
    }

    fn consider(&mut self, counters: &SceneCounters) {
        self.frames += 1;
        match self.choice {
            AutoChoice::BruteForce => {}
            AutoChoice::Refit => {
                let tests_per_face = counters.box_tests as f64 / counters.faces.max(1) as f64;
                let per_candidate = counters.box_tests as f64 / counters.candidates.max(1) as f64;
                let is_settled = matches!(self.reason, AutoReason::Compared { .. })
                    && self.frames < FRAMES_PER_CHOICE;
                if is_settled {
                    return;
                }
                let is_bad = tests_per_face > MANY_TESTS_PER_FACE
                    && per_candidate > MANY_TESTS_PER_CANDIDATE;
                if is_bad {
                    self.on_trial = Some(tree_cost(counters));
                    self.choice = AutoChoice::Clustering;
                    self.reason = AutoReason::TreeSuspected { tests_per_face };
                } else {
                    self.reason = AutoReason::TreeFits { tests_per_face };
                }
            }
            AutoChoice::Clustering => {
                let clusters = cluster_cost(counters);
                if let Some(tree) = self.on_trial.take() {
                    self.reason = AutoReason::Compared { tree, clusters };
                    self.frames = 0;
                    if tree <= clusters {
                        self.choice = AutoChoice::Refit;
                    }
                } else if self.frames >= FRAMES_PER_CHOICE {
                    self.choice = AutoChoice::Refit;
                }
            }
        }
    }
}

fn tree_cost(counters: &SceneCounters) -> f64 {
    cost(TREE_COSTS, counters.box_tests, counters)
}

fn cluster_cost(counters: &SceneCounters) -> f64 {
    cost(CLUSTER_COSTS, counters.axis_pairs, counters)
}

fn cost([test, candidate, entry]: [f64; 3], tests: u64, counters: &SceneCounters) -> f64 {
    test * tests as f64 + candidate * counters.candidates as f64 + entry * counters.entries as f64
}

impl SceneEngine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    by_stages!(self, scene, request, watch => {
        self.prepare(scene);
        let engine: &mut dyn SceneEngine = match self.choice {
            AutoChoice::BruteForce => &mut self.brute_force,
            AutoChoice::Refit => &mut self.refit,
            AutoChoice::Clustering => &mut self.clustering,
        };
        let answer = engine.pairs_by_stage(scene, request, watch);
        self.consider(&answer.counters);
        answer
    });

    fn reason(&self) -> Option<String> {
        Some(self.reason.to_string())
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        self.prepare(scene);
        match self.choice {
            AutoChoice::BruteForce => self.brute_force.any(scene, request),
            AutoChoice::Refit => self.refit.any(scene, request),
            AutoChoice::Clustering => self.clustering.any(scene, request),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheaper_by_counted_work_stays() {
        let tree = SceneCounters {
            faces: 1000,
            entries: 1000,
            box_tests: 2_000_000,
            candidates: 100,
            ..SceneCounters::default()
        };
        for (axis_pairs, expected) in [
            (10_000, AutoChoice::Clustering),
            (10_000_000, AutoChoice::Refit),
        ] {
            let mut auto = Auto::default();
            auto.consider(&tree);
            assert!(matches!(auto.reason(), AutoReason::TreeSuspected { .. }));
            assert_eq!(auto.choice(), AutoChoice::Clustering);
            let clusters = SceneCounters {
                faces: 1000,
                entries: 1100,
                axis_pairs,
                candidates: 100,
                ..SceneCounters::default()
            };
            auto.consider(&clusters);
            assert!(matches!(auto.reason(), AutoReason::Compared { .. }));
            assert_eq!(auto.choice(), expected);
        }
    }
}
