//! How much of the view from a point a surface fills.

use std::f64::consts::PI;

use glam::DVec3;

use super::TriMesh;
use super::sum::Sum;

/// The share of all directions in which the surface is seen from `p`, from behind counted
/// positive: 1 inside a closed outward mesh, 0 outside, in between near holes.
///
/// Each face contributes its solid angle with an absolute error of a few `1e-16`; faces seen
/// edge-on and faces through `p` contribute 0 or a half sphere. On the surface itself the value is
/// not defined and comes out near ½. The value is NaN if a coordinate of `p` is.
///
/// ```
/// use impinge::{DVec3, TriMesh, mesh::inside::winding_number};
/// let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
/// let tetrahedron = TriMesh::from_points(points, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
/// assert!((winding_number(&tetrahedron, DVec3::ONE) - 1.0).abs() < 1e-14);
/// assert!(winding_number(&tetrahedron, DVec3::splat(9.0)).abs() < 1e-14);
/// # Ok::<(), impinge::MeshError>(())
/// ```
#[must_use]
pub fn winding_number(mesh: &TriMesh, p: DVec3) -> f64 {
    let mut sum = Sum::default();
    for face in mesh.face_ids() {
        sum.add(solid_angle(&mesh.triangle(face), p));
    }
    sum.value() / (4.0 * PI)
}

/// The signed solid angle of a triangle seen from `p`, in −2π..2π, positive seen from behind.
fn solid_angle(triangle: &[DVec3; 3], p: DVec3) -> f64 {
    let arms = triangle.map(|v| v - p);
    let largest = arms
        .iter()
        .fold(0.0_f64, |m, arm| m.max(arm.abs().max_element()));
    if largest < f64::MIN_POSITIVE {
        return 0.0;
    }
    // Directions are all that counts; lengths near 1 keep the products in range.
    let [a, b, c] = arms.map(|arm| arm / largest);
    let [la, lb, lc] = [a, b, c].map(DVec3::length);
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(numerator, denominator)
}
