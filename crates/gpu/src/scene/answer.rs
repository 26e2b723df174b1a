//! From what a frame found to the answer: the exact decision of what the filter left unsure, order, details.

use impinge::deform::{
    PairKind, RefitBvhEngine, Scene, SceneAnswer, SceneCounters, SceneDetail, SceneEngine,
    ScenePair, SceneRequest,
};
use impinge::geom::{SharedCorners, adjacent_triangles_intersect, triangles_intersect};
use impinge::query::{FaceId, Outcome};

/// What a frame found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The smaller face in the upper half of each.
    pub(super) pairs: Vec<u64>,
    pub(super) counters: SceneCounters,
}

/// The exact decision, by the rule of every engine.
pub(super) fn meets(scene: &Scene, request: &SceneRequest, a: u32, b: u32) -> bool {
    let corners = |face: u32| scene.triangle(FaceId::new(face));
    let vertices = |face: u32| scene.faces().get(face as usize).copied();
    let (Some(p), Some(q), Some(face_a), Some(face_b)) =
        (corners(a), corners(b), vertices(a), vertices(b))
    else {
        return false;
    };
    let shared = SharedCorners::by_index(face_a, face_b);
    match shared.pairs() {
        [] => triangles_intersect(&p, &q),
        [_] | [_, _] => adjacent_triangles_intersect(&p, &q, &shared),
        _ => request.duplicates,
    }
}

/// Sorts what was found and makes it the answer.
pub(super) fn answer(scene: &Scene, request: &SceneRequest, found: Found) -> SceneAnswer {
    let Found {
        mut pairs,
        counters,
    } = found;
    pairs.sort_unstable();
    pairs.dedup();
    let mut outcome = Outcome::Complete;
    if let Some(most) = request.max_pairs
        && pairs.len() > most
    {
        pairs.truncate(most);
        outcome = Outcome::OutOfBudget;
    }
    let pairs: Vec<ScenePair> = pairs
        .into_iter()
        .map(|key| {
            let [a, b] = [FaceId::new((key >> 32) as u32), FaceId::new(key as u32)];
            let kind = if scene.object_of(a) == scene.object_of(b) {
                PairKind::Within
            } else {
                PairKind::Between
            };
            ScenePair { a, b, kind }
        })
        .collect();
    let details = if request.details {
        details(scene, request, &pairs)
    } else {
        Vec::new()
    };
    SceneAnswer {
        pairs,
        details,
        counters,
        outcome,
    }
}

/// Where each pair meets, by the library: asked about the scene of the faces that do.
fn details(scene: &Scene, request: &SceneRequest, pairs: &[ScenePair]) -> Vec<SceneDetail> {
    let mut faces: Vec<u32> = pairs
        .iter()
        .flat_map(|pair| [pair.a.raw(), pair.b.raw()])
        .collect();
    faces.sort_unstable();
    faces.dedup();
    let all = faces.iter().filter_map(|&face| {
        let corners = scene.faces().get(face as usize)?;
        Some((*corners, scene.object_of(FaceId::new(face))?))
    });
    let (corners, objects) = all.unzip();
    let part = Scene::from_parts(scene.positions().to_vec(), corners, objects);
    let Ok(part) = part else { return Vec::new() };
    let request = SceneRequest {
        max_pairs: None,
        ..*request
    };
    let answer = RefitBvhEngine::default().pairs(&part, &request);
    let whole = |face: FaceId| faces.get(face.index()).copied();
    let known = answer.pairs.iter().zip(&answer.details);
    // The faces kept their order, so that both lists are sorted alike.
    let mut wanted = pairs.iter().peekable();
    let mut details = Vec::with_capacity(pairs.len());
    for (pair, detail) in known {
        let Some(next) = wanted.peek() else { break };
        if whole(pair.a) == Some(next.a.raw()) && whole(pair.b) == Some(next.b.raw()) {
            details.push(*detail);
            wanted.next();
        }
    }
    details
}
