//! **Question.** What are the area, volume, centroid and inertia of the body a mesh bounds?
//!
//! **Idea.** Every face spans a tetrahedron with a point in the middle of the mesh; the signed
//! integrals of all tetrahedra add up to those of the body.
//!
//! **Source.** The divergence theorem; the integrals over a tetrahedron are exact polynomials.
//!
//! **Cost.** One pass over the faces.
//!
//! **Promise.** Same bytes on every machine: faces in order, sums compensated. A far origin costs
//! no precision, because everything is measured from the middle of the mesh.
//!
//! **Limits.** Density 1. Parts covered twice count twice.

use glam::{DMat3, DVec3};
use thiserror::Error;

use super::TriMesh;
use super::compensated_sum::CompensatedSum;
use super::half_edge::HalfEdges;
use super::unit_frame::UnitFrame;
use crate::query::VertexId;

/// Area, volume, centroid and inertia of the body inside a closed mesh, for density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mass {
    /// The area of all faces.
    pub area: f64,
    /// The volume; negative if the mesh is inside out.
    pub volume: f64,
    /// The centre of the volume.
    pub centroid: DVec3,
    /// The inertia tensor about the centroid, along the axes of the mesh; it has the sign of the volume.
    pub inertia: DMat3,
}

/// Why a mesh has no mass.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// The mesh has no face.
    #[error("the mesh has no face, so it bounds no body")]
    Empty,
    /// An edge is not used equally often in both directions, so the surface does not close.
    #[error(
        "the surface does not close: the edge between {a} and {b} is not used equally often in both directions"
    )]
    NotClosed {
        /// One end of the first such edge.
        a: VertexId,
        /// The other end.
        b: VertexId,
    },
    /// The volume cannot be distinguished from zero, so there is no centroid.
    #[error("the volume {volume:e} cannot be told from zero: rounding may account for {error:e}")]
    NoVolume {
        /// The sum found.
        volume: f64,
        /// A bound on its rounding error.
        error: f64,
    },
}

/// The area of all faces, of any mesh.
///
/// ```
/// use impinge::{TriMesh, mesh::area};
/// let triangle = TriMesh::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
/// assert_eq!(area(&triangle), 0.5);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn area(mesh: &TriMesh) -> f64 {
    let frame = UnitFrame::around(&mesh.bounds());
    let mut sum = CompensatedSum::default();
    for face in mesh.face_ids() {
        let [a, b, c] = mesh.triangle(face).map(|p| frame.localise(p));
        sum.add((b - a).cross(c - a).length() * 0.5);
    }
    frame.restore(sum.value(), 2)
}

/// The mass properties of the body a closed mesh bounds.
///
/// # Errors
/// [`MassError`] when the mesh is empty, does not close, or bounds no volume.
///
/// ```
/// use impinge::{TriMesh, mesh::{MassError, mass}};
/// let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!((mass(&tetrahedron)?.volume - 1.0 / 6.0).abs() < 1e-15);
/// assert_eq!(mass(&TriMesh::default()), Err(MassError::Empty));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mass(mesh: &TriMesh) -> Result<Mass, MassError> {
    if mesh.is_empty() {
        return Err(MassError::Empty);
    }
    if let Some(edge) = HalfEdges::new(mesh).first_unbalanced_edge() {
        return Err(MassError::NotClosed {
            a: edge.ends[0],
            b: edge.ends[1],
        });
    }
    let frame = UnitFrame::around(&mesh.bounds());
    let triangles = || {
        mesh.face_ids()
            .map(|face| mesh.triangle(face).map(|p| frame.localise(p)))
    };
    let volume = SignedVolume::of(triangles());
    if !volume.is_certain() {
        return Err(MassError::NoVolume {
            volume: frame.restore(volume.value, 3),
            error: frame.restore(volume.error, 3),
        });
    }
    let mut first = [CompensatedSum::default(); 3];
    let mut second = [CompensatedSum::default(); 6];
    for [a, b, c] in triangles() {
        let six_volumes = a.dot(b.cross(c));
        let corner_sum = a + b + c;
        let moment = |i: usize, j: usize| {
            six_volumes * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + corner_sum[i] * corner_sum[j])
        };
        for (i, sum) in first.iter_mut().enumerate() {
            sum.add(six_volumes * corner_sum[i]);
        }
        for (sum, (i, j)) in second.iter_mut().zip(PAIRS) {
            sum.add(moment(i, j));
        }
    }
    let centre = DVec3::from_array(first.map(|sum| sum.value() / 24.0)) / volume.value;
    // Moments about the middle of the mesh, moved to the centroid.
    let [xx, yy, zz, xy, yz, zx] = {
        let mut moments = second.map(|sum| sum.value() / 120.0);
        for (moment, (i, j)) in moments.iter_mut().zip(PAIRS) {
            *moment -= volume.value * centre[i] * centre[j];
        }
        moments.map(|moment| frame.restore(moment, 5))
    };
    let centroid = frame.centre
        + DVec3::new(
            frame.restore(centre.x, 1),
            frame.restore(centre.y, 1),
            frame.restore(centre.z, 1),
        );
    Ok(Mass {
        area: area(mesh),
        volume: frame.restore(volume.value, 3),
        centroid,
        inertia: DMat3::from_cols(
            DVec3::new(yy + zz, -xy, -zx),
            DVec3::new(-xy, zz + xx, -yz),
            DVec3::new(-zx, -yz, xx + yy),
        ),
    })
}

/// The pairs of axes of the second moments.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

/// A sum of signed tetrahedra and what rounding may have done to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SignedVolume {
    pub(super) value: f64,
    pub(super) error: f64,
}

impl SignedVolume {
    /// The volume between the origin and the triangles, in their coordinates.
    pub(super) fn of(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let (mut sum, mut magnitude) = (CompensatedSum::default(), 0.0);
        for [a, b, c] in triangles {
            sum.add(a.dot(b.cross(c)));
            let (a, b, c) = (a.abs(), b.abs(), c.abs());
            magnitude += a.x * (b.y * c.z + b.z * c.y)
                + a.y * (b.z * c.x + b.x * c.z)
                + a.z * (b.x * c.y + b.y * c.x);
        }
        Self {
            value: sum.value() / 6.0,
            // Five roundings per product, three more where points were centred, and slack.
            error: magnitude * (16.0 * f64::EPSILON / 6.0),
        }
    }

    /// Whether the sign is certain.
    pub(super) fn is_certain(&self) -> bool {
        self.value.abs() > self.error
    }
}
