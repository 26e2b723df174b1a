//! The trait of all engines for deforming scenes.

use super::{Scene, SceneAnswer, ScenePair};
use crate::query::{Outcome, Sink};

/// Which pairs are requested, and how.
///
/// ```
/// use impinge::deform::SceneRequest;
/// let request = SceneRequest { within: false, ..SceneRequest::default() };
/// assert!(request.between && request.duplicates && request.parallel && !request.details);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneRequest {
    /// Pairs of faces of one object.
    pub within: bool,
    /// Pairs of faces of two objects.
    pub between: bool,
    /// Pairs of faces that share all three vertices.
    pub duplicates: bool,
    /// Where each pair meets, see [`SceneDetail`](super::SceneDetail).
    pub details: bool,
    /// Whether threads may be used, with feature `parallel`. The answer is the same.
    pub parallel: bool,
    /// Only the first of the sorted pairs; the search is the same, the answer small.
    pub max_pairs: Option<usize>,
}

impl Default for SceneRequest {
    /// All pairs, without details, with threads.
    fn default() -> Self {
        Self {
            within: true,
            between: true,
            duplicates: true,
            details: false,
            parallel: true,
            max_pairs: None,
        }
    }
}

/// A way of finding all pairs of faces of a deforming scene that meet.
///
/// All engines decide a pair by the same exact rule, so that their answers are equal: two faces that share no vertex are reported when they
/// have a common point; that share a corner or an edge, when they have one beyond it; that share all
/// three, if [`SceneRequest::duplicates`] says so.
///
/// An engine keeps what it built from frame to frame. What it keeps never changes an answer.
///
/// ```
/// use impinge::deform::{RefitBvhEngine, Scene, SceneEngine};
/// use impinge::TriMesh;
/// let sheet = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// let wall = TriMesh::from_points([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [9.0, 9.0, 0.0]], [[0, 1, 2]])?;
/// let scene = Scene::new(&[sheet, wall])?;
/// let mut engine = RefitBvhEngine::default();
/// let answer = engine.pairs(&scene, &Default::default());
/// assert_eq!((answer.pairs.len(), engine.name()), (1, "refit"));
/// assert!(engine.any(&scene, &Default::default()) && engine.is_complete());
/// let mut found = Vec::new();
/// let _ = engine.report(&scene, &Default::default(), &mut found);
/// assert_eq!(found, answer.pairs);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "self-collision")]
pub trait SceneEngine: Send {
    /// A short name, the same in tables and on the command line.
    fn name(&self) -> &'static str;

    /// All pairs that meet.
    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer;

    /// As [`SceneEngine::pairs`], and reports the name of each stage of the work when it is done, so that a caller with a clock can time them. By default
    /// there is one stage, `all`.
    ///
    /// ```
    /// use impinge::deform::{Clustering, RefitBvhEngine, Scene, SceneEngine};
    /// let mut stages = Vec::new();
    /// let _ = Clustering::default().pairs_by_stage(&Scene::new(&[])?, &Default::default(), &mut |s| stages.push(s));
    /// assert_eq!(stages, ["points", "clusters", "assignment", "sort", "decision", "answer"]);
    /// stages.clear();
    /// let _ = RefitBvhEngine::default().pairs_by_stage(&Scene::new(&[])?, &Default::default(), &mut |s| stages.push(s));
    /// assert_eq!(stages, ["order", "boxes", "decision", "answer"]);
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    fn pairs_by_stage(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        watch: &mut dyn FnMut(&'static str),
    ) -> SceneAnswer {
        let answer = self.pairs(scene, request);
        watch("all");
        answer
    }

    /// Whether any pair meets; stops at the first.
    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool;

    /// Whether no pair can be missed. False for what is kept for comparison with the literature.
    fn is_complete(&self) -> bool {
        true
    }

    /// Why it works as it does, as a sentence; none for an engine that makes no choice.
    ///
    /// ```
    /// use impinge::deform::{scene_engines, Scene, SceneEngine};
    /// let mut auto = (scene_engines()[0].make)();
    /// let _ = auto.pairs(&Scene::new(&[])?, &Default::default());
    /// assert_eq!(auto.reason().unwrap(), "0 faces are few enough to compare all pairs");
    /// # Ok::<(), impinge::deform::SceneError>(())
    /// ```
    fn reason(&self) -> Option<String> {
        None
    }

    /// Hands the sorted pairs to a sink until it has enough.
    fn report(
        &mut self,
        scene: &Scene,
        request: &SceneRequest,
        sink: &mut dyn Sink<ScenePair>,
    ) -> Outcome {
        let answer = self.pairs(scene, request);
        for pair in answer.pairs {
            if sink.accept(pair).is_break() {
                return Outcome::StoppedBySink;
            }
        }
        answer.outcome
    }
}

/// `pairs` and `pairs_by_stage` of an engine whose answer is made in one piece, from what it does when it reports its stages.
macro_rules! by_stages {
    ($self:ident, $scene:ident, $request:ident, $watch:ident => $answer:block) => {
        fn pairs(&mut $self, $scene: &Scene, $request: &SceneRequest) -> SceneAnswer {
            in_one_piece($scene, $request, || {
                $self.pairs_by_stage($scene, $request, &mut |_| {})
            })
        }

        fn pairs_by_stage(
            &mut $self,
            $scene: &Scene,
            $request: &SceneRequest,
            $watch: &mut dyn FnMut(&'static str),
        ) -> SceneAnswer $answer
    };
}
pub(super) use by_stages;
