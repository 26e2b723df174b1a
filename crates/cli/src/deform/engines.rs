//! Engines for deforming scenes, by name.

use impinge::deform::{SceneEngine, scene_engines};

/// Their names.
pub(crate) fn names() -> Vec<&'static str> {
    scene_engines().iter().map(|kind| kind.name).collect()
}

/// The engine with this name.
pub(super) fn named(name: &str) -> Option<Box<dyn SceneEngine>> {
    let kind = scene_engines().iter().find(|kind| kind.name == name)?;
    Some((kind.make)())
}
