//! All face pairs of two placed meshes that meet.

use impinge::query::{FaceId, FacePair};
use impinge::{DVec3, Pose, TriMesh};

use super::{Triangle, intersects};

/// Every pair of faces that share a point, in order: each face of `a` against each of `b`.
///
/// What is decided are the coordinates that placing yields in `f64`, as the library defines it.
///
/// ```
/// use impinge::{Pose, TriMesh};
/// use impinge_testkit::oracle::face_pairs;
/// let face = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// assert_eq!(face_pairs(&face, &face, &Pose::IDENTITY).len(), 1);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn face_pairs(a: &TriMesh, b: &TriMesh, a_from_b: &Pose) -> Vec<FacePair> {
    let placed: Vec<DVec3> = b
        .positions()
        .iter()
        .map(|&p| a_from_b.transform_point(p))
        .collect();
    let faces_b: Vec<(FaceId, Triangle)> = b
        .face_ids()
        .zip(b.faces())
        .map(|(id, corners)| (id, corners.map(|v| placed[v as usize])))
        .collect();
    let mut pairs = Vec::new();
    for (id_a, face_a) in a.face_ids().zip(a.triangles()) {
        for (id_b, face_b) in &faces_b {
            if !apart(&face_a, face_b) && intersects(&face_a, face_b) {
                pairs.push(FacePair { a: id_a, b: *id_b });
            }
        }
    }
    pairs
}

/// Whether a coordinate plane separates the triangles.
fn apart(a: &Triangle, b: &Triangle) -> bool {
    (0..3).any(|axis| {
        let below =
            |s: &Triangle, t: &Triangle| s.iter().all(|p| t.iter().all(|q| p[axis] < q[axis]));
        below(a, b) || below(b, a)
    })
}
