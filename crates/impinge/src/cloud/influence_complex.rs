//! The triangles of the sphere-of-influence complex, and path lengths across them.
//!
//! **Question.** How far apart are two points along the surface, when paths may leave the edges?
//! **Idea.** Three neighbours span a triangle if their spheres have a point in common. Dijkstra's
//! algorithm also crosses triangles: two corners with known lengths give the position of the source
//! in the triangle's plane, and the third corner is reached by a straight line from there.
//! **Source.** Klein, 4.2.2, an idea that was not implemented there. The step across a triangle is
//! the unfolding used by fast marching; extra points on edges, as suggested there, cost more and
//! are never exact.
//! **Promise.** On a plane no length is below the true distance, and most are equal to it; path
//! lengths along edges alone stay some percent too long at any density.

use glam::DVec3;

use super::kd_tree::distance_sq;
use super::point_cloud::PointId;
use super::proximity_graph::ProximityGraph;

/// Whether three balls have a point in common.
pub(super) fn balls_meet(centres: [DVec3; 3], radii: [f64; 3]) -> bool {
    let [a, b, c] = centres;
    let [ra, rb, rc] = radii;
    distance_to_lens(a, ra, b, rb, c).is_some_and(|distance| distance <= rc)
}

/// How far a point is from what two balls share; none when that is empty.
fn distance_to_lens(a: DVec3, ra: f64, b: DVec3, rb: f64, x: DVec3) -> Option<f64> {
    let apart = (b - a).length();
    if apart > ra + rb {
        return None;
    }
    let (from_a, from_b) = ((x - a).length(), (x - b).length());
    if from_a <= ra && from_b <= rb {
        return Some(0.0);
    }
    // The nearest point of one ball, if the other holds it, is the nearest of both.
    let on_a = if from_a > ra {
        a + (x - a) * (ra / from_a)
    } else {
        x
    };
    if (on_a - b).length() <= rb {
        return Some((x - on_a).length());
    }
    let on_b = if from_b > rb {
        b + (x - b) * (rb / from_b)
    } else {
        x
    };
    if (on_b - a).length() <= ra {
        return Some((x - on_b).length());
    }
    // Otherwise it is on the circle in which the spheres meet.
    let axis = (b - a) / apart;
    let along = (apart * apart + ra * ra - rb * rb) / (2.0 * apart);
    let radius = (ra * ra - along * along).max(0.0).sqrt();
    let x_along = (x - a).dot(axis);
    let x_off = ((x - a) - axis * x_along).length();
    let (d, e) = (x_along - along, x_off - radius);
    Some((d * d + e * e).sqrt())
}

/// The length to the third corner of a triangle across its opposite edge, from the lengths to the edge's ends; none when the straight line misses the edge.
pub(super) fn across(a: DVec3, b: DVec3, c: DVec3, to_a: f64, to_b: f64) -> Option<f64> {
    let edge_sq = distance_sq(a, b);
    let edge = edge_sq.sqrt();
    if edge <= 0.0 {
        return None;
    }
    let axis = (b - a) / edge;
    let cx = (c - a).dot(axis);
    let cy = (distance_sq(c, a) - cx * cx).max(0.0).sqrt();
    let sx = (to_a * to_a - to_b * to_b + edge_sq) / (2.0 * edge);
    let depth_sq = to_a * to_a - sx * sx;
    // Lengths that break the triangle inequality have no source.
    if depth_sq < 0.0 {
        return None;
    }
    let depth = depth_sq.sqrt();
    let height = cy + depth;
    if height <= 0.0 {
        return None;
    }
    let crossing = sx + (cx - sx) * (depth / height);
    if !(0.0..=edge).contains(&crossing) {
        return None;
    }
    Some(((cx - sx) * (cx - sx) + height * height).sqrt())
}

impl ProximityGraph {
    /// Whether three points span a triangle of the complex; they are taken to be neighbours.
    pub(super) fn spans(&self, corners: [PointId; 3]) -> bool {
        let centres = corners.map(|q| self.points[q.index()]);
        balls_meet(centres, corners.map(|q| self.tree.reach_of(q.raw())))
    }

    /// Visits the near neighbours that two points have in common, ascending.
    pub(super) fn common_neighbours(&self, a: PointId, b: PointId, mut visit: impl FnMut(PointId)) {
        let (mut left, mut right) = (self.neighbours(a), self.neighbours(b));
        while let (Some((&p, after_p)), Some((&q, after_q))) =
            (left.split_first(), right.split_first())
        {
            if p == q {
                visit(p);
            }
            if p <= q {
                left = after_p;
            }
            if q <= p {
                right = after_q;
            }
        }
    }

    /// The triangles of the sphere-of-influence complex: three near neighbours whose spheres have a point in common, by ascending corners.
    ///
    /// ```
    /// use impinge::cloud::{GraphOptions, PointCloud, ProximityGraph};
    /// let corners = PointCloud::from_points([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])?;
    /// assert_eq!(ProximityGraph::new(&corners, &GraphOptions::default())?.triangles().len(), 1);
    /// # Ok::<(), impinge::cloud::CloudError>(())
    /// ```
    #[must_use]
    pub fn triangles(&self) -> Vec<[PointId; 3]> {
        let mut found = Vec::new();
        for a in self.ids() {
            for &b in self.neighbours(a).iter().filter(|&&b| b > a) {
                self.common_neighbours(a, b, |c| {
                    if c > b && self.spans([a, b, c]) {
                        found.push([a, b, c]);
                    }
                });
            }
        }
        found
    }
}
