//! The smallest distance between two triangles.
//!
//! **Question.** How far apart are two triangles, and where?
//! **Idea.** The exact test decides whether they meet. If not, the nearest points lie on two edges, or on a corner and a face:
//! 18 corner–edge, 9 edge–edge and 6 corner–face candidates, each a pair of points of the triangles.
//! **Promise.** The distance is 0 exactly when the triangles intersect. It is off by at most 32 units of rounding (2⁻⁵³)
//! of the largest coordinate difference between the inputs; the points add the rounding of their own coordinates.
//! Degenerate triangles are fine.
//! **Limits.** Coordinates must be valid ([`is_valid_point`](crate::math::is_valid_point)).

use glam::DVec3;

use super::point_triangle::{FacePlane, blend, point_segment};
use super::scale::safe_scale;
use super::segment_segment::common_perpendicular;
use super::{triangle_overlap, triangles_intersect};
use crate::query::Separation;

/// The nearest candidate so far: square of the distance, and weights of the corners of both triangles.
struct Nearest {
    gap_sq: f64,
    weights_a: [f64; 3],
    weights_b: [f64; 3],
}

impl Nearest {
    #[inline]
    fn offer(&mut self, gap: DVec3, weights: impl FnOnce() -> ([f64; 3], [f64; 3])) {
        let gap_sq = gap.length_squared();
        if gap_sq < self.gap_sq {
            self.gap_sq = gap_sq;
            (self.weights_a, self.weights_b) = weights();
        }
    }
}

/// The smallest distance between two triangles, with a point of each; 0 and a common point when they intersect.
///
/// ```
/// use impinge::{geom::triangle_distance, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let above = a.map(|v| v + DVec3::new(0.25, 0.25, 2.0));
/// assert_eq!(triangle_distance(&a, &above).distance, 2.0);
/// let through = [DVec3::NEG_Z, DVec3::Z, DVec3::new(-1.0, -1.0, 0.0)];
/// assert_eq!(triangle_distance(&a, &through).distance, 0.0);
/// ```
#[must_use]
pub fn triangle_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> Separation {
    if triangles_intersect(a, b) {
        let shared = triangle_overlap(a, b);
        if let Some(&point) = shared.corners().first() {
            return Separation {
                distance: 0.0,
                point_a: point,
                point_b: point,
            };
        }
    }
    let apart = disjoint_triangle_distance(a, b);
    Separation {
        // Disjoint triangles may be nearer than the smallest distance that survives rounding.
        distance: apart.distance.max(f64::MIN_POSITIVE),
        ..apart
    }
}

/// The smallest distance between the borders of two triangles and from corners to faces: their distance when they are disjoint.
pub(crate) fn disjoint_triangle_distance(a: &[DVec3; 3], b: &[DVec3; 3]) -> Separation {
    // Coordinates relative to one corner: rounding is then relative to the extent, not to the place.
    let origin = a[0];
    let (rough_a, rough_b) = (a.map(|v| v - origin), b.map(|v| v - origin));
    let size = rough_a
        .iter()
        .chain(&rough_b)
        .fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
    let scale = safe_scale(size);
    let (va, vb) = (rough_a.map(|v| v * scale), rough_b.map(|v| v * scale));

    let mut nearest = Nearest {
        gap_sq: f64::INFINITY,
        weights_a: corner(0),
        weights_b: corner(0),
    };
    let (plane_a, plane_b) = (FacePlane::new(&va), FacePlane::new(&vb));
    for i in 0..3 {
        for j in 0..3 {
            let next = (j + 1) % 3;
            let (t, gap) = point_segment(va[i], vb[j], vb[next]);
            nearest.offer(gap, || (corner(i), on_edge(j, t)));
            let (t, gap) = point_segment(vb[i], va[j], va[next]);
            nearest.offer(gap, || (on_edge(j, t), corner(i)));
            let (e_a, e_b) = (va[(i + 1) % 3] - va[i], vb[next] - vb[j]);
            if let Some((s, t, gap)) = common_perpendicular(va[i], e_a, vb[j], e_b) {
                nearest.offer(gap, || (on_edge(i, s), on_edge(j, t)));
            }
        }
        if let Some((inside, gap)) = plane_b.foot(va[i]) {
            nearest.offer(gap, || (corner(i), inside));
        }
        if let Some((inside, gap)) = plane_a.foot(vb[i]) {
            nearest.offer(gap, || (inside, corner(i)));
        }
    }
    Separation {
        distance: nearest.gap_sq.sqrt() / scale,
        point_a: blend(a, nearest.weights_a),
        point_b: blend(b, nearest.weights_b),
    }
}

fn corner(i: usize) -> [f64; 3] {
    on_edge(i, 0.0)
}

/// The weights of the point at parameter `t` of the edge from corner `i` to the next.
fn on_edge(i: usize, t: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    weights[i] = 1.0 - t;
    weights[(i + 1) % 3] = t;
    weights
}
