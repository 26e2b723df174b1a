//! The prelude: `use impinge::prelude::*;`.
//!
//! ```
//! use impinge::prelude::*;
//! let ball = Shape::from(Ball::new(1.0)?);
//! assert!(ball.intersects(&ball, &Pose::from_translation([1.5, 0.0, 0.0])?)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use super::{Mesh, Pair};
#[cfg(feature = "scene")]
pub use crate::clash::ClashOptions;
pub use crate::convex::{Ball, Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Polyhedron};
pub use crate::geom::Ray;
#[cfg(feature = "formats")]
pub use crate::io::Assembly;
pub use crate::math::{Motion, Pose};
pub use crate::mesh::TriMesh;
pub use crate::pair::{Compound, HeightField, Manifold, Shape};
pub use crate::query::{Limits, Outcome};
#[cfg(feature = "scene")]
pub use crate::world::{Body, EventKind, EventMask, World};
pub use glam::DVec3;
