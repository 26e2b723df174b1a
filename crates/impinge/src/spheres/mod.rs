//! Balls in a solid: packings and what is built on them.
//!
//! [`pack`] fills a closed mesh, [`pack_interior`] any solid that knows its surface. [`voronoi_nodes`] are the places where
//! large balls would sit, [`SphereGraph`] tells which balls touch, [`cover`] surrounds a solid by few balls, and [`exchange`] writes
//! and reads lists of balls.

mod ball;
mod interior;
mod pack;

pub use ball::SolidBall;
pub use interior::{Interior, MeshSolid, SolidError};
pub use pack::*;
