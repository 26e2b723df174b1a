//! Coordinates of findings.

use impinge::mesh::FindingPlace;
use impinge::query::{FaceId, VertexId};
use impinge::{DVec3, TriMesh};

/// The faces that a place names.
pub(crate) fn faces_of(place: &FindingPlace) -> &[FaceId] {
    match place {
        FindingPlace::Face(face) | FindingPlace::Piece { first: face, .. } => {
            std::slice::from_ref(face)
        }
        FindingPlace::Faces(faces) | FindingPlace::Edge { faces, .. } => faces,
        _ => &[],
    }
}

/// The vertices that a place names.
pub(crate) fn vertices_of(place: &FindingPlace) -> &[VertexId] {
    match place {
        FindingPlace::Vertex(vertex) => std::slice::from_ref(vertex),
        FindingPlace::Vertices(vertices) | FindingPlace::Border { vertices, .. } => vertices,
        FindingPlace::Edge { ends, .. } => ends,
        _ => &[],
    }
}

/// A point near which the place is; none for the whole mesh.
pub(crate) fn point_of(place: &FindingPlace, mesh: &TriMesh) -> Option<DVec3> {
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
