//! Engines for deforming scenes, by name.

use impinge::deform::{SceneEngine, scene_engines};

/// Their names.
pub(crate) fn names() -> Vec<&'static str> {
    let library = scene_engines().iter().map(|kind| kind.name);
    library.chain([GPU, SEPARATION_LIST]).collect()
}

/// The engine on graphics cards, which is not one of the library's.
pub(super) const GPU: &str = "gpu";

/// The kinetic separation list, which needs all frames before the first.
pub(super) const SEPARATION_LIST: &str = "separation-list";

/// The engine with this name.
pub(super) fn named(name: &str) -> Option<Box<dyn SceneEngine>> {
    let kind = scene_engines().iter().find(|kind| kind.name == name)?;
    Some((kind.make)())
}
