//! Scenes that change their shape: engines, steps, clusters.

mod clustering;
mod engines;
mod moving_scenes;
mod scene;
mod step;

use impinge::deform::{SceneEngine, scene_engines};

/// The engines that are held to the tests of `engines`.
fn every_engine() -> Vec<Box<dyn SceneEngine>> {
    scene_engines().iter().map(|kind| (kind.make)()).collect()
}
