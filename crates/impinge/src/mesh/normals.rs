//! Unit normals of faces and vertices.

use glam::DVec3;

use super::TriMesh;
use crate::query::FaceId;

/// The weight of a face in the normals of its vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalWeight {
    /// Its area: large faces dominate; cheap.
    Area,
    /// Its angle at the vertex: independent of how a flat surface is cut into faces.
    #[default]
    Angle,
}

/// The unit normal of a face, towards the side from which its vertices turn counter-clockwise;
/// none if the face is too thin to have one in `f64`, or not in the mesh.
///
/// ```
/// use impinge::{DVec3, TriMesh, mesh::face_normal, query::FaceId};
/// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// assert_eq!(face_normal(&triangle, FaceId::new(0)), Some(DVec3::Z));
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn face_normal(mesh: &TriMesh, face: FaceId) -> Option<DVec3> {
    unit_normal(&mesh.face(face)?)
}

/// The unit normals of all faces, in order.
///
/// ```
/// use impinge::{TriMesh, mesh::face_normals};
/// let flat = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [[0, 1, 2]])?;
/// assert_eq!(face_normals(&flat), [None]);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn face_normals(mesh: &TriMesh) -> Vec<Option<DVec3>> {
    mesh.face_ids()
        .map(|face| face_normal(mesh, face))
        .collect()
}

/// The unit normals of all vertices, in order; none where no face has a normal or they cancel.
///
/// ```
/// use impinge::{DVec3, TriMesh, mesh::{NormalWeight, vertex_normals}};
/// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// assert_eq!(vertex_normals(&triangle, NormalWeight::Area), [Some(DVec3::Z); 3]);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn vertex_normals(mesh: &TriMesh, weight: NormalWeight) -> Vec<Option<DVec3>> {
    let extent = {
        let bounds = mesh.bounds();
        (bounds.max - bounds.min).max_element()
    };
    let mut sums = vec![DVec3::ZERO; mesh.vertex_count()];
    for face in mesh.face_ids() {
        let triangle = mesh.triangle(face);
        let Some(normal) = unit_normal(&triangle) else {
            continue;
        };
        // In units of the mesh's extent, so that areas neither over- nor underflow.
        let [a, b, c] = triangle.map(|p| (p - triangle[0]) / extent);
        let area = (b - a).cross(c - a).length();
        for (corner, &v) in mesh.faces()[face.index()].iter().enumerate() {
            sums[v as usize] += normal
                * match weight {
                    NormalWeight::Area => area,
                    NormalWeight::Angle => angle_at(&triangle, corner),
                };
        }
    }
    sums.into_iter().map(unit).collect()
}

/// The angle of a triangle at a corner, in 0..π.
fn angle_at(triangle: &[DVec3; 3], corner: usize) -> f64 {
    let at = triangle[corner];
    let (Some(u), Some(v)) = (
        unit(triangle[(corner + 1) % 3] - at),
        unit(triangle[(corner + 2) % 3] - at),
    ) else {
        return 0.0;
    };
    libm::atan2(u.cross(v).length(), u.dot(v))
}

/// The unit vector of the normal of three points.
pub(super) fn unit_normal(&[a, b, c]: &[DVec3; 3]) -> Option<DVec3> {
    let (u, v) = (b - a, c - a);
    let largest = u.abs().max(v.abs()).max_element();
    if largest > 0.0 {
        unit((u / largest).cross(v / largest))
    } else {
        None
    }
}

/// The vector scaled to length 1, without over- or underflow; none for zero.
pub(super) fn unit(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        let scaled = v / largest;
        Some(scaled / scaled.length())
    } else {
        None
    }
}
