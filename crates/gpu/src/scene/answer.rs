//! Builds the answer of a frame from its results, in the library's types.

use impinge::deform::{Scene, SceneAnswer, SceneCounters, SceneRequest};
use impinge::query::FaceId;

/// The results of a frame.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) pairs: Vec<[FaceId; 2]>,
    pub(super) counters: SceneCounters,
}

impl Found {
    pub(super) fn answer(self, scene: &Scene, request: &SceneRequest) -> SceneAnswer {
        SceneAnswer::of_pairs(scene, request, self.pairs, self.counters)
    }
}
