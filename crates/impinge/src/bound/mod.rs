//! Volumes that contain something and are cheap to compare.

mod aabb;

pub use aabb::Aabb;
