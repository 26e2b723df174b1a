//! Generalised winding number of a mesh at a point, by solid angles.

use std::f64::consts::PI;

use glam::DVec3;

use super::TriMesh;
use super::compensated_sum::CompensatedSum;
use crate::math::is_valid_point;

/// The generalised winding number at `p`: the fraction of all directions in which the surface is
/// seen, back sides positive.
///
/// It is 1 inside a closed outward mesh, 0 outside, in between near holes. Each face contributes
/// its solid angle with an absolute error of a few `1e-16`; faces seen edge-on and faces through
/// `p` contribute 0 or a half sphere. On the surface itself the value is undefined, near ½. For a
/// point that is not finite or out of range it is 0.
///
/// ```
/// use impinge::{DVec3, TriMesh, mesh::point_in_mesh::winding_number};
/// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!((winding_number(&tetrahedron, DVec3::ONE) - 1.0).abs() < 1e-14);
/// assert!(winding_number(&tetrahedron, DVec3::splat(9.0)).abs() < 1e-14);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
#[doc(alias = "generalized winding number")]
pub fn winding_number(mesh: &TriMesh, p: impl Into<DVec3>) -> f64 {
    let p = p.into();
    if !is_valid_point(p) {
        return 0.0;
    }
    let mut sum = CompensatedSum::default();
    for face in mesh.face_ids() {
        sum.add(solid_angle(&mesh.triangle(face), p).value);
    }
    sum.value() / (4.0 * PI)
}

/// A solid angle and a bound on its error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolidAngle {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The signed solid angle of a triangle seen from `p`, in −2π..2π, positive seen from behind.
///
/// It is twice the angle of a vector with two coordinates, each of which gathers fewer than 64 roundings of the product
/// of the arms' lengths. The angle errs by that over the vector's length; where the vector is no longer than its
/// error, near edges, or next to the jump on the face itself, nothing is certain.
pub(crate) fn solid_angle(triangle: &[DVec3; 3], p: DVec3) -> SolidAngle {
    let arms = triangle.map(|v| v - p);
    let largest = arms
        .iter()
        .fold(0.0_f64, |m, arm| m.max(arm.abs().max_element()));
    if largest < f64::MIN_POSITIVE {
        return SolidAngle {
            value: 0.0,
            error: 2.0 * PI,
        };
    }
    // Directions are all that counts; lengths near 1 keep the products in range.
    let [a, b, c] = arms.map(|arm| arm / largest);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    let length = (numerator * numerator + denominator * denominator).sqrt();
    let off = 64.0 * f64::EPSILON * (la * lb * lc) + 1e-300;
    let is_certain = length > 4.0 * off && (denominator > 0.0 || numerator.abs() > off);
    SolidAngle {
        value: 2.0 * libm::atan2(numerator, denominator),
        error: if is_certain {
            3.0 * off / length + 8.0 * f64::EPSILON
        } else {
            4.0 * PI
        },
    }
}
