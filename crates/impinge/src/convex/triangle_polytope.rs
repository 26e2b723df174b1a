//! Penetration of a triangle and a polytope by the separating axis theorem (SAT).
//!
//! **Question.** What is the shortest translation of a triangle that leaves it without a common
//! interior point with a convex polytope?
//! **Idea.** The facets of the Minkowski difference are parallel to a face of the polytope, to the
//! triangle, or to an edge of each. Two edges make a facet exactly if the arc between the normals
//! beside the edge of the polytope crosses the half circle of normals of the triangle's edge. Then
//! the two edges are the support in that direction: one product gives the height of the facet.
//! **Source.** Arcs on the Gauss map: Gregorius 2013, *The Separating Axis Test*.
//! **Cost.** Faces times three products, twice, and a few operations per edge that the triangle's
//! edge sees edge on; no search.
//! **Limits.** Slivers, polytopes without inside, and overlaps or gaps of a rounding are left open.

use glam::DVec3;

use super::epa::ConvexPenetration;
use super::polyhedron::{Edge, Polyhedron};
use super::primitives::Cuboid;
use super::segment_pair::segment_pair;
use super::support_map::SupportMap;

/// Overlaps and gaps below this fraction of the size are left open, and so are triangles that are
/// this thin.
const LEAST: f64 = 1e-9;

/// What a facet has to be nearer by, beside the size, than one before it: faces come before edges.
const BETTER: f64 = 1e-13;

/// How a triangle stands to a polytope.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TriangleOverlap {
    /// They overlap: the polytope is the first of the two, the triangle leaves.
    Deep(ConvexPenetration),
    /// A facet separates them.
    Apart,
    /// Not decided here.
    Open,
}

/// A polytope as its faces and edges.
struct FaceList<'p> {
    vertices: &'p [DVec3],
    normals: &'p [DVec3],
    edges: &'p [Edge],
}

/// What a facet of the difference is parallel to.
#[derive(Clone, Copy, Debug)]
enum FacetSource {
    Triangle,
    Face,
    /// The ends of the polytope's edge, and the first corner of the triangle's.
    Edges([u32; 2], usize),
}

/// The facet nearest to the origin so far.
struct NearestFacet {
    height: f64,
    normal: DVec3,
    source: FacetSource,
}

impl NearestFacet {
    /// Compares a facet; false if it separates.
    #[inline(always)]
    fn offer(&mut self, height: f64, normal: DVec3, source: FacetSource, size: f64) -> bool {
        if height < self.height - BETTER * size {
            *self = Self {
                height,
                normal,
                source,
            };
        }
        height >= -LEAST * size
    }
}

/// How a triangle in the frame of a polyhedron overlaps it.
pub(crate) fn triangle_in_polyhedron(shape: &Polyhedron, triangle: &[DVec3; 3]) -> TriangleOverlap {
    if shape.dimension() != 3 {
        return TriangleOverlap::Open;
    }
    let faces = FaceList {
        vertices: shape.vertices(),
        normals: shape.normals(),
        edges: shape.edges(),
    };
    let corner = |face: usize| shape.face(face as u32).first().copied().unwrap_or(0);
    faces.overlap(triangle, &|face| {
        faces.normals[face].dot(faces.vertices[corner(face) as usize])
    })
}

/// How a triangle in the frame of a box overlaps it.
pub(crate) fn triangle_in_cuboid(shape: &Cuboid, triangle: &[DVec3; 3]) -> TriangleOverlap {
    let half = shape.half_extent();
    let vertices: [DVec3; 8] = std::array::from_fn(|i| shape.vertex(i as u32));
    let faces = FaceList {
        vertices: &vertices,
        normals: &CUBOID_NORMALS,
        edges: &CUBOID_EDGES,
    };
    faces.overlap(triangle, &|face| half[face / 2])
}

/// The normals of a box, two along each axis.
const CUBOID_NORMALS: [DVec3; 6] = [
    DVec3::X,
    DVec3::NEG_X,
    DVec3::Y,
    DVec3::NEG_Y,
    DVec3::Z,
    DVec3::NEG_Z,
];

/// The edges of a box between vertices numbered by a bit per negative coordinate.
const CUBOID_EDGES: [Edge; 12] = {
    const NONE: Edge = Edge {
        vertices: [0, 0],
        faces: None,
    };
    let mut edges = [NONE; 12];
    let mut count = 0;
    while count < 12 {
        let axis = count as u32 / 4;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (sign_u, sign_v) = (count as u32 & 1, count as u32 >> 1 & 1);
        let from = (sign_u << u) | (sign_v << v);
        edges[count] = Edge {
            vertices: [from, from | (1 << axis)],
            faces: Some([2 * u + sign_u, 2 * v + sign_v]),
        };
        count += 1;
    }
    edges
};

impl FaceList<'_> {
    fn overlap(&self, triangle: &[DVec3; 3], offset_of: &dyn Fn(usize) -> f64) -> TriangleOverlap {
        let along: [DVec3; 3] = std::array::from_fn(|i| triangle[(i + 1) % 3] - triangle[i]);
        let across = along[0].cross(along[1]);
        let reach = |points: &[DVec3]| {
            let far = points.iter().fold(DVec3::ZERO, |far, p| far.max(p.abs()));
            far.max_element()
        };
        let size = reach(self.vertices).max(reach(triangle));
        let sides = reach(&along);
        if across.length_squared() <= LEAST * LEAST * (sides * sides) * (sides * sides) {
            return TriangleOverlap::Open;
        }
        let normal = across.normalize_or_zero();
        let mut best = NearestFacet {
            height: f64::INFINITY,
            normal,
            source: FacetSource::Triangle,
        };
        // The triangle's own plane, on both sides.
        let heights = self.vertices.iter().map(|p| normal.dot(*p - triangle[0]));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
            (h.min(low), h.max(high))
        });
        if !best.offer(high, normal, FacetSource::Triangle, size)
            || !best.offer(-low, -normal, FacetSource::Triangle, size)
        {
            return TriangleOverlap::Apart;
        }
        for (face, n) in self.normals.iter().enumerate() {
            let [p, q, r] = triangle.map(|t| n.dot(t));
            let height = offset_of(face) - p.min(q).min(r);
            if !best.offer(height, *n, FacetSource::Face, size) {
                return TriangleOverlap::Apart;
            }
        }
        for edge in self.edges {
            let Some([left, right]) = edge.faces else {
                return TriangleOverlap::Open;
            };
            let normals = [left, right].map(|face| self.normals[face as usize]);
            let ends = edge.vertices.map(|v| self.vertices[v as usize]);
            for (i, side) in along.iter().enumerate() {
                let (to_left, to_right) = (side.dot(normals[0]), side.dot(normals[1]));
                if to_left * to_right >= 0.0 {
                    continue;
                }
                // Where the arc crosses the plane across the side.
                let crossing = normals[0] * to_right.abs() + normals[1] * to_left.abs();
                if crossing.dot(side.cross(normal)) >= 0.0 {
                    continue;
                }
                let across = (ends[1] - ends[0]).cross(*side);
                let length = across.length();
                if length <= LEAST * (ends[1] - ends[0]).length() * side.length() {
                    continue;
                }
                let axis = across * (across.dot(crossing).signum() / length);
                let height = axis.dot(ends[0] - triangle[i]);
                let source = FacetSource::Edges(edge.vertices, i);
                if !best.offer(height, axis, source, size) {
                    return TriangleOverlap::Apart;
                }
            }
        }
        if best.height <= LEAST * size || !best.height.is_finite() {
            return TriangleOverlap::Open;
        }
        TriangleOverlap::Deep(self.witness(&best, triangle, size))
    }

    /// The points that touch last.
    fn witness(&self, best: &NearestFacet, triangle: &[DVec3; 3], size: f64) -> ConvexPenetration {
        let (normal, depth) = (best.normal, best.height);
        let (point_a, point_b) = match best.source {
            FacetSource::Triangle => {
                let point = foremost(self.vertices, normal, size);
                (point, point - normal * depth)
            }
            FacetSource::Face => {
                let point = foremost(triangle, -normal, size);
                (point + normal * depth, point)
            }
            FacetSource::Edges(ends, i) => {
                let ends = ends.map(|v| self.vertices[v as usize]);
                let found = segment_pair(ends, [triangle[i], triangle[(i + 1) % 3]]);
                (found.points[0], found.points[0] - normal * depth)
            }
        };
        ConvexPenetration {
            depth,
            normal,
            point_a,
            point_b,
        }
    }
}

/// The middle of the points that are farthest in a direction.
fn foremost(points: &[DVec3], direction: DVec3, size: f64) -> DVec3 {
    let heights = points.iter().map(|p| direction.dot(*p));
    let most = heights.fold(f64::NEG_INFINITY, f64::max);
    let tops = points
        .iter()
        .filter(|p| most - direction.dot(**p) <= LEAST * size);
    let (sum, count) = tops.fold((DVec3::ZERO, 0.0), |(sum, count), p| {
        (sum + *p, count + 1.0)
    });
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::{GjkCache, Triangle, penetration};
    use crate::math::{Pose, Rng};

    /// Compares with EPA; whether they overlap.
    fn compare(shape: &impl SupportMap, corners: &[DVec3; 3], found: TriangleOverlap) -> bool {
        let triangle = Triangle::new(*corners).unwrap();
        let truth = penetration(shape, &triangle, &Pose::IDENTITY, &mut GjkCache::new());
        let truth = truth.map_or(0.0, |found| found.value.depth);
        match found {
            TriangleOverlap::Deep(found) => {
                assert!((found.depth - truth).abs() < 1e-8, "{found:?} {truth}");
                let way = found.point_a - found.point_b;
                assert!(way.distance(found.normal * found.depth) < 1e-12);
                // Moved out, they are apart.
                let moved = corners.map(|p| p + way * (1.0 + 1e-7));
                let moved = Triangle::new(moved).unwrap();
                let left = penetration(shape, &moved, &Pose::IDENTITY, &mut GjkCache::new());
                assert!(left.is_none_or(|left| left.value.depth < 1e-9));
                true
            }
            TriangleOverlap::Apart => {
                assert!(truth <= 0.0, "{truth}");
                false
            }
            TriangleOverlap::Open => {
                assert!(truth < 1e-8, "{truth}");
                false
            }
        }
    }

    #[test]
    fn random_triangles_are_as_deep_in_polytopes_as_by_epa() {
        let mut rng = Rng::new(37);
        let mut deep = [0; 2];
        for round in 0..3_000 {
            let reach = if round % 2 == 0 { 0.3 } else { 1.5 };
            let middle = rng.cube() * 1.2;
            let corners = [0; 3].map(|_| middle + rng.cube() * reach);
            let cuboid = Cuboid::new([0.7, 0.5, rng.range(0.1, 0.9)]).unwrap();
            let found = triangle_in_cuboid(&cuboid, &corners);
            deep[0] += u32::from(compare(&cuboid, &corners, found));
            let points: Vec<DVec3> = (0..16).map(|_| rng.direction() * 0.8).collect();
            let hull = Polyhedron::new(&points).unwrap();
            let found = triangle_in_polyhedron(&hull, &corners);
            deep[1] += u32::from(compare(&hull, &corners, found));
        }
        assert!(deep.iter().all(|&count| count > 500), "{deep:?}");
    }

    #[test]
    fn triangles_along_the_faces_of_a_box_leave_through_them() {
        let cuboid = Cuboid::new([1.0, 2.0, 3.0]).unwrap();
        for z in [2.9, -2.75] {
            let corners = [[0.0, 0.0, z], [0.5, 0.0, z], [0.0, 0.5, z]].map(DVec3::from);
            match triangle_in_cuboid(&cuboid, &corners) {
                TriangleOverlap::Deep(found) => {
                    assert_eq!(found.normal, DVec3::Z * z.signum());
                    assert!((found.depth - (3.0 - z.abs())).abs() < 1e-12);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
