//! Overlap volume of two solids by clipping tetrahedra: slow, independent of the library's method,
//! for checking it.

mod tet_mesh;
mod tet_pair;

pub use tet_mesh::{TetError, TetMesh};
pub use tet_pair::{TETRAHEDRA, TetPair};
