//! Plane pulling: the distance of a point from a convex polyhedron by exchanging supporting vertices.
//!
//! **Question.** How far is a point from a convex polyhedron, and which vertices support the nearest plane?
//! **Idea.** A plane is supported by up to three vertices. If a vertex lies beyond the plane that goes through their nearest point across the
//! direction of the query, exchanging it for one of them brings the plane nearer. When there is none, the feature is the nearest; when
//! the tetrahedron of the four contains the point, so does the polyhedron. The vertices are sorted along each axis once, so that the farthest one
//! in a direction is found without looking at all.
//! **Source.** Zachmann 1994, section 3.4.1, a sketch without an implementation. Ours: the vertex is the farthest one along the
//! direction, which the sketch leaves open, and the search along a sorted list ends by a bound.
//! **Cost.** A few exchanges; each looks at a part of one list.
//! **Promise.** The distance lies between both bounds. Each exchange brings the plane nearer, so that none is repeated.

use glam::DVec3;
use impinge::bound::Aabb;
use impinge::convex::Polyhedron;
use impinge::geom::closest_point_on_triangle;

/// Exchanges that a search may make for each vertex.
const EXCHANGES_PER_VERTEX: usize = 4;

/// A polyhedron whose vertices are sorted along each axis.
#[derive(Clone, Debug)]
pub struct SortedPolyhedron {
    vertices: Vec<DVec3>,
    /// Vertices by x, y and z, ascending.
    sorted: [Vec<u32>; 3],
    bounds: Aabb,
}

/// The plane nearest to a point.
#[derive(Clone, Debug, PartialEq)]
pub struct PulledPlane {
    /// The vertices that support it, at most three; of the point inside, the last three before.
    pub support: Vec<u32>,
    /// The nearest point of the polyhedron; the point itself when it lies inside.
    pub point: DVec3,
    /// Bounds of the distance; both are 0 inside.
    pub distance: [f64; 2],
    /// Exchanges of a vertex.
    pub exchanges: u32,
    /// Vertices looked at.
    pub visited: u64,
}

impl SortedPolyhedron {
    /// Sorts the vertices of a polyhedron.
    ///
    /// ```
    /// use impinge::{DVec3, convex::Polyhedron};
    /// use impinge_study::convex::SortedPolyhedron;
    /// let corners: Vec<_> = (0..8).map(|i| DVec3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2).into())).collect();
    /// let cube = SortedPolyhedron::new(&Polyhedron::new(&corners)?);
    /// let above = cube.pulled_plane(DVec3::new(0.25, 0.5, 3.0));
    /// let [lower, upper] = above.distance;
    /// assert!(lower <= 2.0 && 2.0 <= upper + 1e-12 && upper - lower < 1e-12);
    /// assert!(above.point.distance(DVec3::new(0.25, 0.5, 1.0)) < 1e-12);
    /// assert_eq!(cube.pulled_plane(DVec3::splat(0.5)).distance, [0.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(polyhedron: &Polyhedron) -> Self {
        let vertices = polyhedron.vertices().to_vec();
        let sorted = [0, 1, 2].map(|axis: usize| {
            let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
            let at = |i: &u32| vertices[*i as usize][axis];
            order.sort_by(|i, j| at(i).total_cmp(&at(j)).then(i.cmp(j)));
            order
        });
        Self {
            bounds: Aabb::enclosing(vertices.iter().copied()),
            vertices,
            sorted,
        }
    }

    /// The vertex farthest along a direction, and how many were looked at.
    ///
    /// The list of the axis along which the direction is longest is read from its far end, until no vertex that is left can be farther.
    fn farthest(&self, direction: DVec3, visited: &mut u64) -> Option<u32> {
        let size = direction.abs();
        let axis = (0..3).fold(0, |best, k| if size[k] > size[best] { k } else { best });
        let list = &self.sorted[axis];
        let ends = [self.bounds.min, self.bounds.max];
        // What the two other axes can add at most.
        let rest: f64 = (0..3)
            .filter(|k| *k != axis)
            .map(|k| (direction[k] * ends[0][k]).max(direction[k] * ends[1][k]))
            .sum();
        let mut best: Option<(f64, u32)> = None;
        let mut look = |i: u32| {
            let v = self.vertices[i as usize];
            if best.is_some_and(|(far, _)| direction[axis] * v[axis] + rest < far) {
                return false;
            }
            *visited += 1;
            let far = direction.dot(v);
            if best.is_none_or(|(most, _)| far > most) {
                best = Some((far, i));
            }
            true
        };
        if direction[axis] >= 0.0 {
            let _ = list.iter().rev().all(|&i| look(i));
        } else {
            let _ = list.iter().all(|&i| look(i));
        }
        best.map(|(_, i)| i)
    }

    /// Pulls a plane towards the point until no vertex lies beyond it.
    #[must_use]
    #[doc(alias = "point to polyhedron distance")]
    pub fn pulled_plane(&self, point: DVec3) -> PulledPlane {
        let mut pulled = PulledPlane {
            support: vec![0],
            point: self.vertices.first().copied().unwrap_or(point),
            distance: [0.0, f64::INFINITY],
            exchanges: 0,
            visited: 1,
        };
        pulled.distance[1] = pulled.point.distance(point);
        let most = EXCHANGES_PER_VERTEX * self.vertices.len() + 16;
        for _ in 0..most {
            let toward = point - pulled.point;
            let length = toward.length();
            if length == 0.0 {
                pulled.distance = [0.0; 2];
                break;
            }
            let Some(next) = self.farthest(toward, &mut pulled.visited) else {
                break;
            };
            // The plane through the farthest vertex has the whole polyhedron behind it.
            let height = toward.dot(point - self.vertices[next as usize]) / length;
            let rounding = 16.0 * f64::EPSILON * (length + self.reach(point));
            let lower = (height - rounding).clamp(0.0, pulled.distance[1]);
            pulled.distance[0] = pulled.distance[0].max(lower);
            if pulled.support.contains(&next) {
                break;
            }
            if self.contains(&pulled.support, next, point) {
                pulled.point = point;
                pulled.distance = [0.0; 2];
                break;
            }
            let Some((support, nearest)) = self.exchange(&pulled.support, next, point) else {
                break;
            };
            let distance = nearest.distance(point);
            if distance >= pulled.distance[1] {
                break;
            }
            pulled.support = support;
            pulled.point = nearest;
            pulled.distance[1] = distance;
            pulled.exchanges += 1;
        }
        pulled
    }

    fn reach(&self, point: DVec3) -> f64 {
        let far = self.bounds.min.abs().max(self.bounds.max.abs());
        far.max(point.abs()).max_element()
    }

    fn corners(&self, support: &[u32]) -> Option<[DVec3; 3]> {
        let at = |k: usize| support.get(k).map(|&i| self.vertices[i as usize]);
        let first = at(0)?;
        Some([first, at(1).unwrap_or(first), at(2).unwrap_or(first)])
    }

    /// The nearest of the supports that contain the new vertex and at most two of the old ones.
    fn exchange(&self, old: &[u32], new: u32, point: DVec3) -> Option<(Vec<u32>, DVec3)> {
        let mut best: Option<(Vec<u32>, DVec3)> = None;
        let choices = if old.len() < 3 { 1 } else { 3 };
        for leaving in 0..choices {
            let mut support: Vec<u32> = old.to_vec();
            if old.len() == 3 {
                support.remove(leaving);
            }
            support.push(new);
            let nearest = closest_point_on_triangle(point, &self.corners(&support)?).point;
            let is_nearer = |(_, other): &(Vec<u32>, DVec3)| {
                nearest.distance_squared(point) < other.distance_squared(point)
            };
            if best.as_ref().is_none_or(is_nearer) {
                best = Some((support, nearest));
            }
        }
        best
    }

    /// Whether the tetrahedron of three old vertices and a new one contains the point.
    fn contains(&self, old: &[u32], new: u32, point: DVec3) -> bool {
        if old.len() < 3 {
            return false;
        }
        let Some([a, b, c]) = self.corners(old) else {
            return false;
        };
        let d = self.vertices[new as usize];
        let side = |[p, q, r]: [DVec3; 3], x: DVec3| (q - p).cross(r - p).dot(x - p);
        let faces = [
            ([a, b, c], d),
            ([a, b, d], c),
            ([a, c, d], b),
            ([b, c, d], a),
        ];
        faces.into_iter().all(|(face, apex)| {
            let (own, other) = (side(face, point), side(face, apex));
            other != 0.0 && own * other >= 0.0
        })
    }
}
