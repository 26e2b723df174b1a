//! Closest point on a triangle.
//!
//! **Question.** Which point of a triangle is nearest to a given point, and on which feature does it lie?
//! **Idea.** Take the nearest of the three nearest points on the edges and of the foot on the face, if that
//! falls inside. Each candidate is a point of the triangle, so an inaccurate normal of a sliver can
//! only make a candidate slightly worse, never wrong.
//! **Promise.** Total for degenerate triangles. The distance is off by at most 16 units of rounding (2⁻⁵³) of the
//! largest coordinate difference between the inputs.
//! **Limits.** Coordinates must be valid ([`is_valid_point`](crate::math::is_valid_point)).

use glam::DVec3;

use super::safe_scale::safe_scale;

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriangleFeature {
    /// The inside.
    Face,
    /// The inside of the edge from this corner (0, 1 or 2) to the next.
    Edge(u8),
    /// A corner: 0, 1 or 2.
    Vertex(u8),
}

/// The point of a triangle nearest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The point, rounded.
    pub point: DVec3,
    /// Its distance from the given point.
    pub distance: f64,
    /// The part of the triangle on which it lies.
    pub feature: TriangleFeature,
    /// Its weights with respect to the corners: none negative, sum 1.
    pub barycentric: [f64; 3],
}

/// The point of the triangle nearest to `p`.
///
/// ```
/// use impinge::{geom::{closest_point_on_triangle, TriangleFeature}, DVec3};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let above = closest_point_on_triangle(DVec3::new(0.25, 0.25, 2.0), &triangle);
/// assert_eq!((above.distance, above.feature), (2.0, TriangleFeature::Face));
/// let beside = closest_point_on_triangle(DVec3::new(0.5, -3.0, 0.0), &triangle);
/// assert_eq!((beside.point, beside.feature), (DVec3::new(0.5, 0.0, 0.0), TriangleFeature::Edge(0)));
/// ```
#[must_use]
pub fn closest_point_on_triangle(p: DVec3, triangle: &[DVec3; 3]) -> ClosestPoint {
    let rough = triangle.map(|v| v - p);
    let size = rough
        .iter()
        .fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
    let scale = safe_scale(size);
    let v = rough.map(|v| v * scale);

    let mut best_sq = f64::INFINITY;
    let mut feature = TriangleFeature::Vertex(0);
    let mut weights = [1.0, 0.0, 0.0];
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (t, gap) = point_segment(DVec3::ZERO, v[i], v[j]);
        let gap_sq = gap.length_squared();
        if gap_sq < best_sq {
            best_sq = gap_sq;
            weights = [0.0; 3];
            weights[i] = 1.0 - t;
            weights[j] = t;
            feature = if t <= 0.0 {
                TriangleFeature::Vertex(i as u8)
            } else if t >= 1.0 {
                TriangleFeature::Vertex(j as u8)
            } else {
                TriangleFeature::Edge(i as u8)
            };
        }
    }
    let plane = FacePlane::new(&v);
    if let Some((inside, gap)) = plane.foot(DVec3::ZERO) {
        let gap_sq = gap.length_squared();
        if gap_sq < best_sq {
            best_sq = gap_sq;
            weights = inside;
            feature = TriangleFeature::Face;
        }
    }
    ClosestPoint {
        point: blend(triangle, weights),
        distance: best_sq.sqrt() / scale,
        feature,
        barycentric: weights,
    }
}

/// The parameter of the point of segment `q0 q1` nearest to `p`, and the vector from `p` to that point.
#[inline]
pub(super) fn point_segment(p: DVec3, q0: DVec3, q1: DVec3) -> (f64, DVec3) {
    let (d, w) = (q1 - q0, p - q0);
    let (along, length_sq) = (w.dot(d), d.length_squared());
    if !(along > 0.0 && length_sq > 0.0) {
        (0.0, -w)
    } else if along >= length_sq {
        (1.0, q1 - p)
    } else {
        let t = along / length_sq;
        (t, d * t - w)
    }
}

/// A triangle prepared for dropping perpendiculars onto its face.
#[derive(Clone, Copy, Debug)]
pub(super) struct FacePlane {
    corner: DVec3,
    ab: DVec3,
    ac: DVec3,
    normal: DVec3,
    normal_sq: f64,
}

impl FacePlane {
    pub(super) fn new(v: &[DVec3; 3]) -> Self {
        let (ab, ac) = (v[1] - v[0], v[2] - v[0]);
        let normal = ab.cross(ac);
        Self {
            corner: v[0],
            ab,
            ac,
            normal,
            normal_sq: normal.length_squared(),
        }
    }

    /// The weights of the foot of `p` and the vector from `p` to it, when the foot is strictly inside.
    #[inline]
    pub(super) fn foot(&self, p: DVec3) -> Option<([f64; 3], DVec3)> {
        let w = p - self.corner;
        let b = w.cross(self.ac).dot(self.normal);
        let c = self.ab.cross(w).dot(self.normal);
        // False for a degenerate triangle too: then b + c < 0 fails for positive b and c.
        if !(b > 0.0 && c > 0.0 && b + c < self.normal_sq) {
            return None;
        }
        let (b, c) = (b / self.normal_sq, c / self.normal_sq);
        Some((
            [(1.0 - b - c).max(0.0), b, c],
            self.ab * b + self.ac * c - w,
        ))
    }
}

/// The point with these weights; a corner comes back unrounded.
#[inline]
pub(super) fn blend(triangle: &[DVec3; 3], weights: [f64; 3]) -> DVec3 {
    triangle[0] * weights[0] + triangle[1] * weights[1] + triangle[2] * weights[2]
}
