//! Animated glTF: moving nodes, morph targets and skins, at any time.
//!
//! Read: translation, rotation, scale and weights, each as steps, linear or cubic; morphed positions; skins with any number of
//! influences. Refused with a reason: sparse accessors of animation, and `KHR_animation_pointer`. Faces keep the order of their corners even where a scale turns negative.

mod document;
mod geometry;
mod scene;
mod skeleton;
mod track;

pub(in super::super) use scene::{AnimatedScene, open_animated};
