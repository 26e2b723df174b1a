//! Mesh-mesh queries by bounding volume hierarchies and other indexes.
//!
//! Every index answers through [`MeshIndex`], with the same pairs: which one is used is a matter of
//! speed alone. [`wide::WideTree`] is the one to begin with; historical indexes are in the crate
//! `impinge-study`. `docs/algorithms/bounding-volume-hierarchies.md`.
//!
//! ```
//! use impinge::bvh::{FaceSweep, MeshIndex};
//! use impinge::query::Limits;
//! use impinge::{Pose, TriMesh};
//! use std::sync::Arc;
//!
//! let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
//! let index = FaceSweep::build(Arc::new(face), &Default::default());
//! let (mut cache, mut pairs) = (Default::default(), Vec::new());
//! let touching = Pose::from_translation([1.0, 0.0, 0.0])?;
//! let _ = index.intersections(&index, &touching, Limits::default(), &mut cache, &mut pairs);
//! assert_eq!(pairs.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod choose_engine;
pub mod engines;
mod face_sweep;
mod inside_grid;
mod intersection_curves;
mod intersection_vertices;
mod mesh_index;
mod near_convex;
mod overlapping_leaves;
mod solid;
pub mod tree;
pub mod wide;

pub use face_sweep::{FaceSweep, FaceSweepCache, FaceSweepConfig};
pub use inside_grid::InsideGrid;
pub use intersection_curves::{Curve, CurvePoint, CurvePointOrigin, Curves, intersection_curves};
pub use mesh_index::{DistanceIndex, MeshIndex, Violation};
pub use overlapping_leaves::overlapping_boxes;
pub(crate) use solid::SolidFacts;
#[cfg(feature = "scene")]
pub(crate) use solid::mesh_samples;
pub use solid::{Relation, Solid};
