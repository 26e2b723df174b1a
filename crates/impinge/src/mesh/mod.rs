//! Triangle meshes: validated storage, topology, defects, repair, mass and inside tests.

mod boundary;
mod circulate;
pub mod components;
mod fans;
mod half_edge;
mod half_edge_build;
mod naive;
mod sign;
mod trimesh;
mod union_find;

pub use boundary::BoundaryLoop;
pub use circulate::AroundVertex;
pub use fans::Fans;
pub use half_edge::{Edge, EdgeKind, HalfEdges};
pub use trimesh::{MeshError, TriMesh};
