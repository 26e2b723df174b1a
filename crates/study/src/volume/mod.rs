//! The volume that two solids share, by clipping tetrahedra: slow, by other means than the library, for judging.

mod tet_mesh;
mod tet_pair;

pub use tet_mesh::{TetError, TetMesh};
pub use tet_pair::{TETRAHEDRA, TetPair};
