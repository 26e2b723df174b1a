//! Brute force: every pair of faces.
//!
//! **Question.** Which pairs intersect?
//! **Idea.** Compare the boxes of all pairs; decide those that overlap.
//! **Cost.** `n(n − 1)/2` box tests: the reference for the others, and the fastest below some dozen
//! faces.

use super::face_boxes::face_boxes;
use super::narrow_phase::{NarrowPhaseResult, PARTS, PairGoal, answer, collect_pairs};
use super::{Scene, SceneAnswer, SceneEngine, SceneRequest};

/// Compares every face with every other.
///
/// ```
/// use impinge::deform::{BruteForce, Scene, SceneEngine};
/// let scene = Scene::new(&[])?;
/// assert!(BruteForce::default().pairs(&scene, &Default::default()).pairs.is_empty());
/// # Ok::<(), impinge::deform::SceneError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BruteForce {}

impl BruteForce {
    fn search(scene: &Scene, request: &SceneRequest, goal: PairGoal) -> NarrowPhaseResult {
        let boxes = face_boxes(scene, request.parallel);
        let boxes = boxes.as_slice();
        let parts = PARTS.min(boxes.len());
        let mut done = collect_pairs(scene, request, goal, parts, |part, judge| {
            // Rows grow longer; every part takes some of each length.
            for b in (part..boxes.len()).step_by(PARTS) {
                judge.counters.box_tests += b as u64;
                for a in 0..b {
                    if boxes[a].overlaps(&boxes[b])
                        && judge.candidate(a as u32, b as u32).is_break()
                    {
                        return;
                    }
                }
            }
        });
        done.counters.entries = boxes.len() as u64;
        done.counters.boxes = boxes.len() as u64;
        done
    }
}

impl SceneEngine for BruteForce {
    fn name(&self) -> &'static str {
        "brute-force"
    }

    fn pairs(&mut self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        answer(scene, request, Self::search(scene, request, PairGoal::All))
    }

    fn any(&mut self, scene: &Scene, request: &SceneRequest) -> bool {
        !Self::search(scene, request, PairGoal::Any).found.is_empty()
    }
}
