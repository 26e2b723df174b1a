//! Convex polyhedra: vertices, planar faces, edges and their adjacency.

use std::ops::Range;

use glam::DVec3;

use super::error::ShapeError;
use super::exact_gjk::{ExactGoal, decide};
use super::hill_climbing::hill_climbing_error;
use super::hull::{Hull, HullSurface, hull};
use super::inscribed_ball;
use super::point_blocks::PointBlocks;
use super::support_map::{InnerOuterBalls, SupportMap, SupportPoint};
use crate::bound::Aabb;
use crate::math::{is_valid_point, orient3d};

/// From this many vertices on, walking from neighbour to neighbour beats looking at all of them.
const CLIMB_FROM: usize = 128;

/// The convex hull of some points: a solid, a polygon, a segment or a point.
///
/// Faces are whole polygons: triangles in one plane are merged by exact signs, and only extreme points are vertices.
/// A polygon has two faces, back to back; a segment has an edge and no face.
#[derive(Clone, Debug)]
#[doc(alias = "convex hull")]
#[doc(alias = "convex polyhedron")]
pub struct Polyhedron {
    vertices: Vec<DVec3>,
    /// The vertices once more, to be compared several at once.
    blocks: PointBlocks,
    sources: Vec<u32>,
    corners: Vec<u32>,
    /// Where in `corners` each face begins; one more than there are faces.
    face_starts: Vec<u32>,
    normals: Vec<DVec3>,
    edges: Vec<Edge>,
    neighbours: Vec<u32>,
    /// The edge to each of the neighbours.
    neighbour_edges: Vec<u32>,
    neighbour_starts: Vec<u32>,
    bounds: Aabb,
    center: DVec3,
    extent: InnerOuterBalls,
    dimension: u8,
    climbing_error: f64,
}

/// An edge of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The vertices at its ends.
    pub vertices: [u32; 2],
    /// The faces on its left and right, seen from outside along it; none for a segment.
    pub faces: Option<[u32; 2]>,
}

impl Polyhedron {
    /// The convex hull of the points.
    ///
    /// # Errors
    /// [`ShapeError`] for no points, more than `u32` can number, or a point that is not valid. Degenerate points are
    /// no error.
    ///
    /// ```
    /// use impinge::{convex::Polyhedron, DVec3};
    /// let corners = (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into()));
    /// let inside = DVec3::splat(0.5);
    /// let cube = Polyhedron::new(&corners.chain([inside]).collect::<Vec<_>>())?;
    /// assert_eq!((cube.vertices().len(), cube.face_count(), cube.edges().len()), (8, 6, 12));
    /// assert_eq!(Polyhedron::new(&[inside, inside])?.dimension(), 0);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    pub fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        if points.is_empty() {
            return Err(ShapeError::NoPoints);
        }
        check_points(points)?;
        Ok(match hull(points) {
            Hull::Point(i) => Self::assemble(points, vec![i], &[], Vec::new(), 0),
            Hull::Segment(ends) => {
                let edge = Edge {
                    vertices: [0, 1],
                    faces: None,
                };
                Self::assemble(points, ends.to_vec(), &[], vec![edge], 1)
            }
            Hull::Polygon(sources) => {
                let count = sources.len() as u32;
                let front: Vec<u32> = (0..count).collect();
                let back = (0..count).rev().collect();
                let edges = (0..count)
                    .map(|i| Edge {
                        vertices: [i, (i + 1) % count],
                        faces: Some([0, 1]),
                    })
                    .collect();
                Self::assemble(points, sources, &[front, back], edges, 2)
            }
            Hull::Solid(surface) => Self::from_surface(points, &surface),
        })
    }

    /// Merges triangles that lie in one plane and keeps the points where three planes meet.
    fn from_surface(points: &[DVec3], surface: &HullSurface) -> Self {
        let facet_of = facets(points, surface);
        let facet_count = facet_of.iter().max().map_or(0, |&f| f as usize + 1);
        let triangles = &surface.triangles;

        let mut incident: Vec<[u32; 2]> = triangles
            .iter()
            .zip(&facet_of)
            .flat_map(|(corners, &facet)| corners.map(|v| [v, facet]))
            .collect();
        incident.sort_unstable();
        incident.dedup();
        let sources: Vec<u32> = incident
            .chunk_by(|p, q| p[0] == q[0])
            .filter(|facets| facets.len() >= 3)
            .map(|facets| facets[0][0])
            .collect();
        let mut number = vec![u32::MAX; points.len()];
        for (i, &source) in sources.iter().enumerate() {
            number[source as usize] = i as u32;
        }

        let mut border: Vec<[u32; 3]> = Vec::new();
        for (t, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let across = surface.neighbours[t][side] as usize;
                if facet_of[across] != facet_of[t] {
                    border.push([facet_of[t], corners[side], corners[(side + 1) % 3]]);
                }
            }
        }
        border.sort_unstable();
        let mut next = vec![u32::MAX; points.len()];
        let mut loops: Vec<Vec<u32>> = Vec::with_capacity(facet_count);
        for facet in border.chunk_by(|p, q| p[0] == q[0]) {
            for &[_, from, to] in facet {
                next[from as usize] = to;
            }
            let mut corners = Vec::new();
            let mut at = facet[0][1];
            for _ in 0..facet.len() {
                if number[at as usize] != u32::MAX {
                    corners.push(number[at as usize]);
                }
                at = next[at as usize];
            }
            loops.push(corners);
        }

        let mut sides: Vec<([u32; 2], bool, u32)> = Vec::new();
        for (face, corners) in loops.iter().enumerate() {
            for (i, &from) in corners.iter().enumerate() {
                let to = corners[(i + 1) % corners.len()];
                let key = [from.min(to), from.max(to)];
                sides.push((key, from > to, face as u32));
            }
        }
        sides.sort_unstable();
        let edges = sides
            .chunk_by(|p, q| p.0 == q.0)
            .filter_map(|pair| match *pair {
                [(vertices, _, left), (_, _, right)] => Some(Edge {
                    vertices,
                    faces: Some([left, right]),
                }),
                _ => None,
            })
            .collect();
        Self::assemble(points, sources, &loops, edges, 3)
    }

    fn assemble(
        points: &[DVec3],
        sources: Vec<u32>,
        loops: &[Vec<u32>],
        edges: Vec<Edge>,
        dimension: u8,
    ) -> Self {
        let vertices: Vec<DVec3> = sources.iter().map(|&i| points[i as usize]).collect();
        let mut corners = Vec::new();
        let mut face_starts = vec![0];
        let mut normals = Vec::with_capacity(loops.len());
        for face in loops {
            corners.extend_from_slice(face);
            face_starts.push(corners.len() as u32);
            normals.push(normal(&vertices, face));
        }
        let mut pairs: Vec<[u32; 3]> = (0..)
            .zip(&edges)
            .flat_map(|(number, edge)| {
                let [u, v] = edge.vertices;
                [[u, v, number], [v, u, number]]
            })
            .collect();
        pairs.sort_unstable();
        let mut neighbour_starts = vec![0; vertices.len() + 1];
        for &[from, ..] in &pairs {
            neighbour_starts[from as usize + 1] += 1;
        }
        for i in 0..vertices.len() {
            neighbour_starts[i + 1] += neighbour_starts[i];
        }
        let share = 1.0 / vertices.len() as f64;
        let center = vertices.iter().map(|&v| v * share).sum();
        // Only a solid has an inside.
        let solid: &[Vec<u32>] = if dimension == 3 { loops } else { &[] };
        let sides = solid.iter().map(Vec::as_slice).zip(normals.iter().copied());
        Self {
            climbing_error: hill_climbing_error(&vertices, &normals, &edges),
            blocks: PointBlocks::new(&vertices),
            bounds: Aabb::enclosing(vertices.iter().copied()),
            extent: inscribed_ball::extent(&vertices, center, sides),
            center,
            neighbours: pairs.iter().map(|&[_, to, _]| to).collect(),
            neighbour_edges: pairs.iter().map(|&[_, _, edge]| edge).collect(),
            neighbour_starts,
            vertices,
            sources,
            corners,
            face_starts,
            normals,
            edges,
            dimension,
        }
    }

    /// The extreme points.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.vertices().len(), 4);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// For each vertex, the number of the given point.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.sources().len(), 4);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// 3 for a solid, 2 for a polygon, 1 for a segment, 0 for a point.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.dimension(), 3);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn dimension(&self) -> u8 {
        self.dimension
    }

    /// How many faces there are.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.face_count(), 4);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn face_count(&self) -> usize {
        self.normals.len()
    }

    /// The vertices around a face, counter-clockwise from outside; none when there is no such face.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.face(0).len(), 3);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn face(&self, face: u32) -> &[u32] {
        let range = |starts: &[u32]| -> Option<Range<usize>> {
            let face = face as usize;
            Some(*starts.get(face)? as usize..*starts.get(face + 1)? as usize)
        };
        range(&self.face_starts)
            .and_then(|range| self.corners.get(range))
            .unwrap_or(&[])
    }

    /// The faces as triangles: each polygon is cut into a fan around its first vertex.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.triangles().count(), 4);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[doc(alias = "triangulate")]
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        (0..self.face_count() as u32).flat_map(|face| {
            let corners = self.face(face);
            let first = corners.first().copied().unwrap_or_default();
            let rest = corners.get(1..).unwrap_or_default();
            rest.windows(2).filter_map(move |edge| match edge {
                [b, c] => Some([first, *b, *c]),
                _ => None,
            })
        })
    }

    /// The outward unit normals of the faces, rounded.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.normals().len(), 4);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// The edges, in order of their vertices.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.edges().len(), 6);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The vertices that share an edge with a vertex; none when there is no such vertex.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert_eq!(corner.neighbours(0).len(), 3);
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.around(vertex)]
    }

    /// The edges that end at a vertex, in the order of [`neighbours`](Self::neighbours); none when there is no such vertex.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert!(corner.edges_at(2).iter().all(|&e| corner.edges()[e as usize].vertices.contains(&2)));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn edges_at(&self, vertex: u32) -> &[u32] {
        &self.neighbour_edges[self.around(vertex)]
    }

    /// Where the neighbours of a vertex stand.
    #[inline]
    fn around(&self, vertex: u32) -> Range<usize> {
        let vertex = vertex as usize;
        match (
            self.neighbour_starts.get(vertex),
            self.neighbour_starts.get(vertex + 1),
        ) {
            (Some(&from), Some(&to)) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// Whether `p` lies in the polyhedron, borders included; exact.
    ///
    /// ```
    /// use impinge::{convex::Polyhedron, DVec3};
    /// let corner = Polyhedron::new(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// assert!(corner.contains(DVec3::new(0.25, 0.25, 0.5)) && !corner.contains(DVec3::splat(0.5)));
    /// # Ok::<(), impinge::convex::ShapeError>(())
    /// ```
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        if self.dimension == 3 {
            return (0..self.face_count() as u32).all(|face| match *self.face(face) {
                [a, b, c, ..] => {
                    let [a, b, c] = [a, b, c].map(|i| self.vertices[i as usize]);
                    !orient3d(a, b, c, p).is_negative()
                }
                _ => true,
            });
        }
        decide(&self.vertices, &[p], &[], ExactGoal::Proof).meets()
    }

    /// How far below the best vertex, in a direction of unit length, a climb from neighbour to neighbour may end.
    pub(super) fn hill_climbing_error(&self) -> f64 {
        self.climbing_error
    }

    /// The best vertex reached by going to better neighbours. For a convex solid a vertex without a better neighbour
    /// is a best one, up to the rounding of the comparison.
    fn climb(&self, direction: DVec3, hint: u32) -> SupportPoint {
        let mut vertex = if (hint as usize) < self.vertices.len() {
            hint
        } else {
            0
        };
        let mut along = self.vertices[vertex as usize].dot(direction);
        // Every step is strictly better, so no vertex comes twice.
        for _ in 0..self.vertices.len() {
            let mut better = vertex;
            for &next in self.neighbours(vertex) {
                let own = self.vertices[next as usize].dot(direction);
                if own > along {
                    (along, better) = (own, next);
                }
            }
            if better == vertex {
                break;
            }
            vertex = better;
        }
        SupportPoint {
            point: self.vertices[vertex as usize],
            vertex,
        }
    }
}

impl SupportMap for Polyhedron {
    #[inline]
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        if self.vertices.len() < CLIMB_FROM {
            self.support_certain(direction)
        } else {
            self.climb(direction, hint)
        }
    }
    #[inline]
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        self.blocks.farthest(direction)
    }
    #[inline]
    fn is_certain(&self) -> bool {
        self.vertices.len() < CLIMB_FROM
    }
    #[inline]
    fn vertex_count(&self) -> Option<u32> {
        Some(self.vertices.len() as u32)
    }
    #[inline]
    fn vertex(&self, index: u32) -> DVec3 {
        self.vertices[(index as usize).min(self.vertices.len() - 1)]
    }
    #[inline]
    fn bounds(&self) -> Aabb {
        self.bounds
    }
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }
    #[inline]
    fn extent(&self) -> InnerOuterBalls {
        self.extent
    }
}

/// The facet of each triangle: triangles in one plane share one. Numbered without gaps in order of first triangle.
fn facets(points: &[DVec3], surface: &HullSurface) -> Vec<u32> {
    let at = |i: u32| points[i as usize];
    let mut facet_of = vec![u32::MAX; surface.triangles.len()];
    let mut count = 0;
    let mut stack = Vec::new();
    for first in 0..surface.triangles.len() {
        if facet_of[first] != u32::MAX {
            continue;
        }
        facet_of[first] = count;
        stack.push(first);
        let [a, b, c] = surface.triangles[first].map(at);
        while let Some(t) = stack.pop() {
            for across in surface.neighbours[t] {
                let across = across as usize;
                let is_flat = |&v: &u32| orient3d(a, b, c, at(v)).is_zero();
                if facet_of[across] == u32::MAX && surface.triangles[across].iter().all(is_flat) {
                    facet_of[across] = count;
                    stack.push(across);
                }
            }
        }
        count += 1;
    }
    facet_of
}

/// The unit normal of a planar polygon by its area vector; zero when that vanishes.
fn normal(vertices: &[DVec3], corners: &[u32]) -> DVec3 {
    let Some(&first) = corners.first() else {
        return DVec3::ZERO;
    };
    let origin = vertices[first as usize];
    let size = corners
        .iter()
        .map(|&i| (vertices[i as usize] - origin).abs().max_element())
        .fold(f64::MIN_POSITIVE, f64::max);
    let at = |i: u32| (vertices[i as usize] - origin) / size;
    let area: DVec3 = corners.windows(2).map(|w| at(w[0]).cross(at(w[1]))).sum();
    area.try_normalize().unwrap_or(DVec3::ZERO)
}

/// Refuses more points than can be numbered, and points that are not valid.
pub(crate) fn check_points(points: &[DVec3]) -> Result<(), ShapeError> {
    if points.len() >= (u32::MAX / 8) as usize {
        return Err(ShapeError::TooManyPoints {
            count: points.len(),
        });
    }
    for (index, &point) in points.iter().enumerate() {
        if !is_valid_point(point) {
            return Err(ShapeError::BadPoint { index, point });
        }
    }
    Ok(())
}
