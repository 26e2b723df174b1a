//! Where findings are, in numbers.

use impinge::mesh::Place;
use impinge::query::{FaceId, VertexId};
use impinge::{DVec3, TriMesh};

/// The faces that a place names.
pub(crate) fn faces_of(place: &Place) -> &[FaceId] {
    match place {
        Place::Face(face) | Place::Piece { first: face, .. } => std::slice::from_ref(face),
        Place::Faces(faces) | Place::Edge { faces, .. } => faces,
        _ => &[],
    }
}

/// The vertices that a place names.
pub(crate) fn vertices_of(place: &Place) -> &[VertexId] {
    match place {
        Place::Vertex(vertex) => std::slice::from_ref(vertex),
        Place::Vertices(vertices) | Place::Border { vertices, .. } => vertices,
        Place::Edge { ends, .. } => ends,
        _ => &[],
    }
}

/// A point near which the place is; none for the whole mesh.
pub(crate) fn point_of(place: &Place, mesh: &TriMesh) -> Option<DVec3> {
    let corner = |face: &FaceId| {
        mesh.faces()
            .get(face.index())
            .map(|corners| corners[0] as usize)
    };
    let vertex = vertices_of(place)
        .first()
        .map(|vertex| vertex.index())
        .or_else(|| faces_of(place).first().and_then(corner))?;
    mesh.positions().get(vertex).copied()
}
