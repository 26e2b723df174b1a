//! Scenes that change their shape: engines, steps, clusters.

mod clustering;
mod engines;
mod moving_scenes;
mod scene;
mod step;
