//! A recorded scene, played frame by frame.

use impinge::deform::Scene;

use crate::scenes::Sequence;

/// The scene at its first frame.
pub(super) fn begin(sequence: &Sequence) -> anyhow::Result<Scene> {
    let topology = sequence.topology(0);
    let first = sequence.frames.first().cloned().unwrap_or_default();
    Ok(Scene::from_parts(
        first,
        topology.faces.clone(),
        topology.object_of_face.clone(),
    )?)
}

/// Brings the scene from one frame to another; whether its faces were replaced on the way.
pub(super) fn go(
    scene: &mut Scene,
    sequence: &Sequence,
    from: usize,
    to: usize,
) -> anyhow::Result<bool> {
    let breaks = (from.min(to) + 1..=from.max(to)).any(|k| sequence.breaks_at(k));
    let positions = &sequence.frames[to];
    if breaks {
        let topology = sequence.topology(to);
        scene.replace_faces(
            positions.clone(),
            topology.faces.clone(),
            topology.object_of_face.clone(),
        )?;
    } else {
        scene.advance(positions)?;
    }
    Ok(breaks)
}
