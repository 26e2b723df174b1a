//! Corners of faces by ids that are known to be valid.

use glam::DVec3;
use impinge::TriMesh;
use impinge::query::FaceId;

pub(crate) trait OwnFaces {
    /// As [`TriMesh::face`], for ids that come from the mesh itself.
    fn triangle(&self, face: FaceId) -> [DVec3; 3];
}

impl OwnFaces for TriMesh {
    #[inline]
    fn triangle(&self, face: FaceId) -> [DVec3; 3] {
        self.faces()[face.index()].map(|vertex| self.positions()[vertex as usize])
    }
}
