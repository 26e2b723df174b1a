//! How deep and how much: depths, derivatives and shared volumes.

mod deep_overlap;
mod depth_bounds;
mod derivatives;
#[cfg(feature = "spheres")]
mod penetration;
mod volume;
