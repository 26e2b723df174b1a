//! Seeded inputs: random ones, and small integer grids on which touching is common and exact.

pub mod balls;
pub mod clouds;
pub mod grid;
pub mod linear_motion;
pub mod meshes;
pub mod poses;
pub mod scenes;
pub mod triangles;
