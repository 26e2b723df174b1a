//! Hill climbing: error bound of a support vertex found by climbing from neighbour to neighbour.
//!
//! **Idea.** In exact arithmetic a vertex without a better neighbour is the best. Rounding may end
//! a climb although a neighbour is better by `δ`. Let `N` be a direction in which every edge at the
//! vertex falls by at least `c` of its length, the shortest being `l` long. Then no edge rises
//! along `d + δ/(l c) N`, so the vertex is the best for that direction, and for `d` it is off by at
//! most `δ/(l c)` times the diameter.
//! **Promise.** The bound holds for every direction of unit length; it is infinite where an edge
//! does not fall along `N`, as in flat shapes.

use glam::DVec3;

use super::polyhedron::Edge;

/// Rounding of a comparison of two products, in units of the largest coordinate: each is off by three roundings of a sum of three.
const COMPARISON: f64 = 16.0 * f64::EPSILON;

/// The bound for the solid with these vertices, outward normals of faces, and edges.
pub(super) fn hill_climbing_error(vertices: &[DVec3], normals: &[DVec3], edges: &[Edge]) -> f64 {
    let mut outward = vec![DVec3::ZERO; vertices.len()];
    for edge in edges {
        let sides = edge.faces.map_or(DVec3::ZERO, |faces| {
            faces.iter().map(|&f| normals[f as usize]).sum()
        });
        for v in edge.vertices {
            outward[v as usize] += sides;
        }
    }
    let mut steepest = 0.0_f64;
    for edge in edges {
        let [p, q] = edge.vertices.map(|v| v as usize);
        let along = vertices[q] - vertices[p];
        for (v, along) in [(p, along), (q, -along)] {
            let length = outward[v].length();
            let falls = -outward[v].dot(along);
            if !(falls > 0.0 && length > 0.0) {
                return f64::INFINITY;
            }
            // One over the edge's length times the share of it by which it falls.
            steepest = steepest.max(length / falls);
        }
    }
    let largest = vertices
        .iter()
        .map(|v| v.abs().max_element())
        .fold(0.0, f64::max);
    if edges.is_empty() {
        return f64::INFINITY;
    }
    // No two points are farther apart than the diagonal of the box around the origin.
    let diameter = 2.0 * 3.0_f64.sqrt() * largest;
    COMPARISON * largest * steepest * diameter
}

#[cfg(test)]
mod tests {
    use super::super::Polyhedron;
    use crate::math::Rng;
    use glam::DVec3;

    #[test]
    fn a_ball_is_climbed_within_little_and_a_polygon_not_at_all() {
        let mut rng = Rng::new(3);
        let points: Vec<DVec3> = (0..500).map(|_| rng.direction()).collect();
        let ball = Polyhedron::new(&points).unwrap();
        assert!(ball.hill_climbing_error() > 0.0 && ball.hill_climbing_error() < 1e-9);
        let flat: Vec<DVec3> = points.iter().map(|p| p.with_z(0.0)).collect();
        assert_eq!(
            Polyhedron::new(&flat).unwrap().hill_climbing_error(),
            f64::INFINITY
        );
    }
}
