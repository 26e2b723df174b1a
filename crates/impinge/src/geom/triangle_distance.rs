//! Distance of two triangles.
//!
//! **Question.** How far apart are two triangles, and where?
//! **Idea.** The exact test decides whether they meet. If not, the nearest points lie on two edges, or on a corner and a face:
//! 18 corner–edge, 9 edge–edge and 6 corner–face candidates, each a pair of points of the triangles. A candidate whose
//! perpendicular slab separates the triangles is the nearest, which ends the search early.
//! **Source.** The early end: Larsen, Gottschalk, Lin, Manocha, *Fast proximity queries with swept sphere volumes*, 1999.
//! **Promise.** The distance is 0 exactly when the triangles intersect. It is off by at most 32 units of rounding (2⁻⁵³)
//! of the largest coordinate difference between the inputs; the points add the rounding of their own coordinates.
//! Degenerate triangles are fine.
//! **Limits.** Coordinates must be valid ([`is_valid_point`](crate::math::is_valid_point)).

use glam::DVec3;

use super::point_triangle::{FacePlane, blend, point_segment};
use super::safe_scale::safe_scale;
use super::segment_segment::common_perpendicular;
use super::{triangle_overlap, triangles_intersect};
use crate::query::Separation;

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

/// Both triangles in scaled local coordinates, and the nearest candidate so far.
struct TriangleDistanceSearch {
    a: [DVec3; 3],
    b: [DVec3; 3],
    /// What rounding may take from a scalar product with a vector of unit largest coordinate.
    slack: f64,
    gap_sq: f64,
    weights_a: [f64; 3],
    weights_b: [f64; 3],
}

impl TriangleDistanceSearch {
    /// Takes the candidate if it is nearer; `true` when it is certainly the nearest of all, up to rounding.
    #[inline]
    fn offer(&mut self, gap: DVec3, weights: impl FnOnce() -> ([f64; 3], [f64; 3])) -> bool {
        let gap_sq = gap.length_squared();
        if gap_sq >= self.gap_sq {
            return false;
        }
        self.gap_sq = gap_sq;
        (self.weights_a, self.weights_b) = weights();
        // If the slab between the two points separates the triangles, no other pair is nearer.
        let [a0, a1, a2] = self.a.map(|v| v.dot(gap));
        let [b0, b1, b2] = self.b.map(|v| v.dot(gap));
        let slab = b0.min(b1).min(b2) - a0.max(a1).max(a2);
        slab >= gap_sq - self.slack * gap.abs().max_element()
    }

    /// Offers candidates until one is certainly the nearest or all were seen.
    fn run(&mut self) {
        // Corners that look towards the other triangle: their edges are the likeliest.
        let (a, b) = (self.a, self.b);
        let between = (b[0] + b[1] + b[2]) - (a[0] + a[1] + a[2]);
        let first_a = largest(a.map(|v| v.dot(between)));
        let first_b = largest(b.map(|v| -v.dot(between)));
        for i in [first_a, (first_a + 2) % 3, (first_a + 1) % 3] {
            for j in [first_b, (first_b + 2) % 3, (first_b + 1) % 3] {
                let (next_i, next_j) = ((i + 1) % 3, (j + 1) % 3);
                let (t, gap) = point_segment(a[i], b[j], b[next_j]);
                if self.offer(gap, || (corner(i), on_edge(j, t))) {
                    return;
                }
                let (s, gap) = point_segment(b[j], a[i], a[next_i]);
                if self.offer(-gap, || (on_edge(i, s), corner(j))) {
                    return;
                }
                let (edge_a, edge_b) = (a[next_i] - a[i], b[next_j] - b[j]);
                if let Some((s, t, gap)) = common_perpendicular(a[i], edge_a, b[j], edge_b)
                    && self.offer(gap, || (on_edge(i, s), on_edge(j, t)))
                {
                    return;
                }
            }
        }
        let (plane_a, plane_b) = (FacePlane::new(&a), FacePlane::new(&b));
        for i in 0..3 {
            if let Some((inside, gap)) = plane_b.foot(a[i])
                && self.offer(gap, || (corner(i), inside))
            {
                return;
            }
            if let Some((inside, gap)) = plane_a.foot(b[i])
                && self.offer(-gap, || (inside, corner(i)))
            {
                return;
            }
        }
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
    let mut search = TriangleDistanceSearch {
        a: rough_a.map(|v| v * scale),
        b: rough_b.map(|v| v * scale),
        slack: 2.0 * f64::EPSILON * (size * scale),
        gap_sq: f64::INFINITY,
        weights_a: corner(0),
        weights_b: corner(0),
    };
    search.run();
    Separation {
        distance: search.gap_sq.sqrt() / scale,
        point_a: blend(a, search.weights_a),
        point_b: blend(b, search.weights_b),
    }
}

fn largest(values: [f64; 3]) -> usize {
    let [x, y, z] = values;
    if x >= y && x >= z {
        0
    } else if y >= z {
        1
    } else {
        2
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
