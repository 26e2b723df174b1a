//! Contact details of two faces: where they meet and how far they must move apart.
//!
//! **Question.** What do two intersecting faces share, and which shortest translation separates
//! them?
//! **Idea.** What they share is [`triangle_overlap`]. They separate along a normal of a facet of
//! their Minkowski difference: a normal of either face, or a cross product of two edges. Coplanar
//! faces have a flat difference: a translation along their common normal separates them at once, so
//! that normals of edges within the plane need not be tried.
//! **Promise.** The kind of the shared set is exact; points, normal and depth are rounded.

use glam::DVec3;

use super::SceneDetail;
use crate::geom::triangle_overlap;

/// The detail of two faces that meet.
pub(super) fn detail(a: &[DVec3; 3], b: &[DVec3; 3]) -> SceneDetail {
    let overlap = triangle_overlap(a, b);
    let (normal, depth) = way_out(a, b);
    SceneDetail {
        segment: farthest(overlap.corners(), a[0]),
        normal,
        depth,
    }
}

/// The two points that are farthest apart, the first such by number.
fn farthest(points: &[DVec3], otherwise: DVec3) -> [DVec3; 2] {
    let mut best = [points.first().copied().unwrap_or(otherwise); 2];
    let mut best_sq = 0.0;
    for (i, &p) in points.iter().enumerate() {
        for &q in &points[..i] {
            let distance_sq = p.distance_squared(q);
            if distance_sq > best_sq {
                best_sq = distance_sq;
                best = [q, p];
            }
        }
    }
    best
}

/// The direction and length of the shortest translation of `b` off `a`.
fn way_out(a: &[DVec3; 3], b: &[DVec3; 3]) -> (DVec3, f64) {
    let edges = |t: &[DVec3; 3]| [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let (edges_a, edges_b) = (edges(a), edges(b));
    let normals = [edges_a[0].cross(edges_a[1]), edges_b[0].cross(edges_b[1])];
    let products = edges_a
        .iter()
        .flat_map(|e| edges_b.iter().map(|f| e.cross(*f)));
    let mut best = (DVec3::ZERO, f64::INFINITY);
    for axis in normals.into_iter().chain(products) {
        let Some(axis) = axis.try_normalize() else {
            continue;
        };
        let (min_a, max_a) = extent(a, axis);
        let (min_b, max_b) = extent(b, axis);
        for (depth, way) in [(max_a - min_b, axis), (max_b - min_a, -axis)] {
            if depth < best.1 {
                best = (way, depth);
            }
        }
    }
    if best.1 == f64::INFINITY {
        return (DVec3::ZERO, 0.0);
    }
    (best.0, best.1.max(0.0))
}

fn extent(t: &[DVec3; 3], axis: DVec3) -> (f64, f64) {
    let [x, y, z] = t.map(|p| p.dot(axis));
    (x.min(y).min(z), x.max(y).max(z))
}
