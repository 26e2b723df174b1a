//! Force shading: interpolated normals make a mesh feel smooth.
//!
//! **Question.** Which direction does the surface behind a coarse mesh have at a point of a face?
//! **Idea.** The normals of the vertices, weighted by the barycentric coordinates of the point. The god-object
//! solves once with planes of these normals, and a second time, towards what it found, with the
//! true planes; so the force follows the smooth surface while the proxy stays on the mesh.
//! **Source.** Morgenbesser and Srinivasan 1996, *Force shading for haptic shape perception*; two passes: Ruspini,
//! Kolarov and Khatib 1997. Ours: the cap of the angle, and the energy that shading adds is reported.
//! **Promise.** Where the vertex normals are the face's own, nothing changes, bit for bit.
//! **Limits.** Normals farther than 0.75 rad from the face's, as at sharp edges, are turned back to that.

use impinge::DVec3;
use impinge::TriMesh;
use impinge::query::FaceId;

/// Largest angle between a face's normal and the interpolated one, in radians.
pub const MAX_SHADING_ANGLE: f64 = 0.75;

/// One unit normal for each vertex of a mesh.
///
/// ```
/// use impinge::{DVec3, generate, query::FaceId};
/// use impinge_dynamics::shading::VertexNormals;
/// let mesh = generate::icosphere(1.0, 3)?;
/// let normals = VertexNormals::new(&mesh);
/// assert_eq!(normals.count(), mesh.vertex_count());
/// let shaded = normals.at(&mesh, FaceId::new(0), [1.0, 0.0, 0.0]);
/// let vertex = mesh.triangles().next().map(|t| t[0]).unwrap_or_default();
/// assert!(shaded.is_some_and(|n| n.distance(vertex) < 0.02));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "force shading")]
#[derive(Clone, Debug, PartialEq)]
pub struct VertexNormals {
    normals: Vec<DVec3>,
}

impl VertexNormals {
    /// The average of the normals of the faces around each vertex, weighted by the faces' angles there.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let mut normals = vec![DVec3::ZERO; mesh.vertex_count()];
        for (face, corners) in mesh.faces().iter().zip(mesh.triangles()) {
            let normal = unit_normal(&corners);
            for k in 0..3 {
                let (p, q, r) = (corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]);
                let (u, v) = (q - p, r - p);
                let angle = libm::atan2(u.cross(v).length(), u.dot(v));
                if let Some(sum) = normals.get_mut(face[k] as usize) {
                    *sum += normal * angle;
                }
            }
        }
        for normal in &mut normals {
            *normal = normal.normalize_or_zero();
        }
        Self { normals }
    }

    /// How many vertices there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.normals.len()
    }

    /// The interpolated unit normal at a point of a face, at most [`MAX_SHADING_ANGLE`] from the face's own. None
    /// for a face that the mesh does not have, or that has no area.
    #[must_use]
    pub fn at(&self, mesh: &TriMesh, face: FaceId, barycentric: [f64; 3]) -> Option<DVec3> {
        let corners = mesh.face(face)?;
        let normal = unit_normal(&corners);
        if normal == DVec3::ZERO {
            return None;
        }
        let vertices = mesh.faces().get(face.index())?;
        let mut sum = DVec3::ZERO;
        for (&vertex, weight) in vertices.iter().zip(barycentric) {
            sum += *self.normals.get(vertex as usize)? * weight;
        }
        let Some(shaded) = sum.try_normalize() else {
            return Some(normal);
        };
        // What differs by roundings only is the face's own, so that a flat mesh is not changed at all.
        if (shaded - normal).length_squared() < 1e-24 {
            return Some(normal);
        }
        let sine = shaded.cross(normal).length();
        let angle = libm::atan2(sine, shaded.dot(normal));
        if angle <= MAX_SHADING_ANGLE {
            return Some(shaded);
        }
        let aside = (shaded - normal * shaded.dot(normal)).normalize_or_zero();
        let (sine, cosine) = libm::sincos(MAX_SHADING_ANGLE);
        Some(normal * cosine + aside * sine)
    }
}

fn unit_normal([a, b, c]: &[DVec3; 3]) -> DVec3 {
    (*b - *a).cross(*c - *a).normalize_or_zero()
}
