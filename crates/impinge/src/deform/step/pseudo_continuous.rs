//! Pseudo-continuous collision detection: discrete tests at sampled times of a step.

use glam::DVec3;

use crate::deform::{FrameError, Scene, SceneEngine, SceneRequest};

/// The first of the times `0, 1/n, 2/n … 1` at which any faces intersect; none if they do at none
/// of them.
///
/// A baseline for comparison: a passage through a thin plate between two samples is missed. The
/// states in between are rounded.
///
/// # Errors
/// The end does not fit the scene.
///
/// ```
/// use impinge::deform::{step::pseudo_continuous, BruteForce, Scene};
/// use impinge::{DVec3, TriMesh};
/// let plate = TriMesh::from_points([[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]], [[0, 1, 2]])?;
/// let above = plate.positions().iter().map(|&p| p * 0.1 + DVec3::Z);
/// let falling = TriMesh::new(above.collect(), vec![[0, 1, 2]])?;
/// let scene = Scene::new(&[plate, falling])?;
/// let mut end = scene.positions().to_vec();
/// for p in &mut end[3..] {
///     p.z = -1.0;
/// }
/// let mut engine = BruteForce::default();
/// let mut look = |n| pseudo_continuous(&scene, &end, n, &mut engine, &Default::default());
/// assert_eq!((look(2)?, look(3)?), (Some(0.5), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pseudo_continuous(
    scene: &Scene,
    end: &[DVec3],
    looks: u32,
    engine: &mut dyn SceneEngine,
    request: &SceneRequest,
) -> Result<Option<f64>, FrameError> {
    let mut moving = scene.clone();
    moving.advance(end)?;
    let mut frame = scene.positions().to_vec();
    for look in 0..=looks.max(1) {
        let t = f64::from(look) / f64::from(looks.max(1));
        for ((p, &from), &to) in frame.iter_mut().zip(scene.positions()).zip(end) {
            *p = from * (1.0 - t) + to * t;
        }
        moving.advance(&frame)?;
        if engine.any(&moving, request) {
            return Ok(Some(t));
        }
    }
    Ok(None)
}
