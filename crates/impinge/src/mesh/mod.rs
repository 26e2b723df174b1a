//! Triangle meshes: validated storage, topology, defects, repair, mass and inside tests.

mod trimesh;

pub use trimesh::{MeshError, TriMesh};
