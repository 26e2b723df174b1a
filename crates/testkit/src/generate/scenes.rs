//! Deforming scenes at a moment.

use impinge::TriMesh;
use impinge::deform::Scene;
use impinge::generate::moving_scene;

/// The built-in moving scene of a name, with the vertices of a moment.
///
/// ```
/// use impinge_testkit::generate::scenes::moment;
/// assert!(!moment("curtain", 200, 0.5).faces().is_empty());
/// ```
#[must_use]
#[expect(
    clippy::panic,
    reason = "a test that names a scene that is not there is wrong"
)]
pub fn moment(name: &str, faces: usize, time: f64) -> Scene {
    let Some(kind) = moving_scene(name) else {
        panic!("no scene is called {name}");
    };
    let made = kind.make(Some(faces), 1);
    let moving = made.unwrap_or_else(|e| panic!("scene {name}: {e}"));
    let parts: Vec<TriMesh> = moving
        .parts()
        .iter()
        .map(|part| part.mesh.clone())
        .collect();
    let mut scene = Scene::new(&parts).unwrap_or_else(|e| panic!("scene {name}: {e}"));
    if let Err(e) = scene.advance(&moving.positions(time)) {
        panic!("scene {name}: {e}");
    }
    scene
}
