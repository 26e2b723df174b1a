//! Volumes that contain something and are cheap to compare.

mod aabb;
mod maximal;

pub use aabb::Aabb;
pub use maximal::MaximalBox;
