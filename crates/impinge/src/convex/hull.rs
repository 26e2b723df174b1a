//! Convex hull of points in space, degenerate input included.
//!
//! **Question.** Which points are extreme, and which triangles bound their hull?
//! **Idea.** Quickhull: starting from a tetrahedron, take the farthest point in front of some face,
//! remove all faces visible from it, and close the hole with a fan. Visibility is strict and exact,
//! so a point in the plane of a face never sees it: the removed region is connected, its border is
//! one loop, and no new face is degenerate. Floating-point numbers only decide which point comes
//! first.
//! **Source.** Barber, Dobkin and Huhdanpaa 1996, doi:10.1145/235815.235821, with exact signs
//! instead of thick facets.
//! **Cost.** O(n log n) for well spread points; every point is removed from consideration once it
//! is inside or a vertex.
//! **Promise.** Total: coincident, collinear and coplanar points give a point, a segment or a
//! polygon.

use glam::{DVec2, DVec3};

use crate::math::sort::sort_many;
use crate::math::{orient2d, orient3d};

/// What the hull of some points is, in indices of the points.
#[derive(Clone, Debug)]
pub(super) enum Hull {
    Point(u32),
    Segment([u32; 2]),
    /// A convex polygon, corners only, in one turning direction.
    Polygon(Vec<u32>),
    Solid(HullSurface),
}

/// A closed surface of triangles, outward, possibly several in one plane.
#[derive(Clone, Debug)]
pub(super) struct HullSurface {
    pub(super) triangles: Vec<[u32; 3]>,
    /// The triangle across the edge from each corner to the next.
    pub(super) neighbours: Vec<[u32; 3]>,
}

/// The hull of at least one point.
pub(super) fn hull(points: &[DVec3]) -> Hull {
    match corners(points) {
        StartSimplex::One(i) => Hull::Point(i),
        StartSimplex::Two(ends) => Hull::Segment(ends),
        StartSimplex::Three(base) => Hull::Polygon(polygon(points, base)),
        StartSimplex::Four(corners) => {
            let mut builder = HullBuilder::default();
            builder.begin(points.iter().copied(), corners);
            Hull::Solid(builder.surface())
        }
    }
}

/// As many points as can be found in general position.
enum StartSimplex {
    One(u32),
    Two([u32; 2]),
    Three([DVec3; 3]),
    Four([u32; 4]),
}

fn corners(points: &[DVec3]) -> StartSimplex {
    let lowest = extreme(points, less);
    let origin = points[lowest];
    let Some(second) = farthest(points, |p| (p - origin).abs().max_element()) else {
        return StartSimplex::One(lowest as u32);
    };
    let axis = points[second] - origin;
    let by_area = farthest(points, |p| axis.cross(p - origin).abs().max_element());
    let third = by_area
        .filter(|&i| !collinear(origin, points[second], points[i]))
        .or_else(|| (0..points.len()).find(|&i| !collinear(origin, points[second], points[i])));
    let Some(third) = third else {
        let highest = extreme(points, |p, q| less(q, p));
        return StartSimplex::Two([lowest as u32, highest as u32]);
    };
    let base = [origin, points[second], points[third]];
    let normal = axis.cross(base[2] - origin);
    let off_plane = |i: &usize| !orient3d(base[0], base[1], base[2], points[*i]).is_zero();
    let fourth = farthest(points, |p| normal.dot(p - origin).abs())
        .filter(off_plane)
        .or_else(|| (0..points.len()).find(off_plane));
    match fourth {
        Some(fourth) => StartSimplex::Four([lowest, second, third, fourth].map(|i| i as u32)),
        None => StartSimplex::Three(base),
    }
}

/// The index of the point that no other one precedes; the first of equals.
fn extreme(points: &[DVec3], precedes: impl Fn(DVec3, DVec3) -> bool) -> usize {
    let mut best = 0;
    for (i, &p) in points.iter().enumerate() {
        if precedes(p, points[best]) {
            best = i;
        }
    }
    best
}

/// The index of the point with the largest positive measure.
fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> Option<usize> {
    let mut best = None;
    let mut largest = 0.0;
    for (i, &p) in points.iter().enumerate() {
        let size = measure(p);
        if size > largest {
            largest = size;
            best = Some(i);
        }
    }
    best
}

/// Lexicographic order, which along a line is the order on it.
fn less(p: DVec3, q: DVec3) -> bool {
    p.x < q.x || (p.x == q.x && (p.y < q.y || (p.y == q.y && p.z < q.z)))
}

fn projections(p: DVec3) -> [DVec2; 3] {
    [
        DVec2::new(p.y, p.z),
        DVec2::new(p.z, p.x),
        DVec2::new(p.x, p.y),
    ]
}

fn collinear(a: DVec3, b: DVec3, c: DVec3) -> bool {
    let [a, b, c] = [a, b, c].map(projections);
    (0..3).all(|i| orient2d(a[i], b[i], c[i]).is_zero())
}

/// The corners of the hull of coplanar points, seen along an axis that keeps the three base points apart.
fn polygon(points: &[DVec3], base: [DVec3; 3]) -> Vec<u32> {
    let [a, b, c] = base.map(projections);
    let axis = (0..3)
        .find(|&i| !orient2d(a[i], b[i], c[i]).is_zero())
        .unwrap_or(2);
    let flat: Vec<DVec2> = points.iter().map(|&p| projections(p)[axis]).collect();
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let at = |i: u32| flat[i as usize];
    sort_many(&mut order, |&i, &j| {
        let (p, q) = (at(i), at(j));
        p.x.total_cmp(&q.x)
            .then(p.y.total_cmp(&q.y))
            .then(i.cmp(&j))
    });
    // A projection that is one to one on the plane keeps equal points equal, up to the sign of zeros.
    order.dedup_by(|i, j| at(*i) == at(*j));
    let chain = |indices: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for i in indices {
            while let [.., p, q] = chain[..] {
                if orient2d(at(p), at(q), at(i)).is_positive() {
                    break;
                }
                chain.pop();
            }
            chain.push(i);
        }
        chain.pop();
        chain
    };
    let mut corners = chain(&mut order.iter().copied());
    corners.extend(chain(&mut order.iter().rev().copied()));
    corners
}

/// The end of a list of points.
const END: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct HullFace {
    corners: [u32; 3],
    neighbours: [u32; 3],
    /// The outward normal, of any length, and the rounding of a height over the face, for each unit that a point is away from the
    /// first corner.
    normal: DVec3,
    rounding: f64,
    /// Points that see this face and have not been dealt with.
    outside: PointList,
    is_alive: bool,
}

impl HullFace {
    fn new(points: &[DVec3], corners: [u32; 3], neighbours: [u32; 3]) -> Self {
        let [a, b, c] = corners.map(|i| points[i as usize]);
        let (u, v) = (b - a, c - a);
        Self {
            corners,
            neighbours,
            normal: u.cross(v),
            rounding: HEIGHT_ROUNDING * u.abs().max_element() * v.abs().max_element(),
            outside: PointList::EMPTY,
            is_alive: true,
        }
    }
}

/// Eight roundings of six products of coordinates of edges and of the way to a point, and some more.
const HEIGHT_ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Above what products that underflow may be off by.
const UNDERFLOW: f64 = 1e-270;

/// A list of points that are linked one to the next, so that lists are joined without memory of their own.
#[derive(Clone, Copy, Debug)]
struct PointList {
    first: u32,
    last: u32,
}

impl PointList {
    const EMPTY: Self = Self {
        first: END,
        last: END,
    };

    fn push(&mut self, point: u32, next: &mut [u32]) {
        next[point as usize] = END;
        self.append(
            Self {
                first: point,
                last: point,
            },
            next,
        );
    }

    /// Takes over the points of another list, behind its own.
    fn append(&mut self, other: Self, next: &mut [u32]) {
        if other.first == END {
            return;
        }
        if self.first == END {
            self.first = other.first;
        } else {
            next[self.last as usize] = other.first;
        }
        self.last = other.last;
    }
}

/// A hull that grows point by point. It keeps its memory when it begins again.
#[derive(Clone, Debug, Default)]
pub(super) struct HullBuilder {
    points: Vec<DVec3>,
    faces: Vec<HullFace>,
    /// The point behind each in the list that holds it.
    next: Vec<u32>,
    /// The face of the newest fan whose border edge begins at, or ends at, a vertex.
    begins: Vec<u32>,
    ends: Vec<u32>,
    /// Faces that the newest point sees, and the edges around them with the faces across.
    seen: Vec<u32>,
    border: Vec<(u32, u32, u32)>,
}

impl HullBuilder {
    /// Begins with the hull of some points, numbered as given; false when they are coplanar.
    pub(super) fn begin_with(&mut self, points: impl Iterator<Item = DVec3>) -> bool {
        self.points.clear();
        self.points.extend(points);
        let StartSimplex::Four(corners) = corners(&self.points) else {
            return false;
        };
        self.grow_from(corners);
        true
    }

    fn begin(&mut self, points: impl Iterator<Item = DVec3>, corners: [u32; 4]) {
        self.points.clear();
        self.points.extend(points);
        self.grow_from(corners);
    }

    /// The hull of the points, from a tetrahedron on.
    fn grow_from(&mut self, [a, b, c, d]: [u32; 4]) {
        let at = |i: u32| self.points[i as usize];
        // Turn the base so that the fourth point lies behind it.
        let [b, c] = if orient3d(at(a), at(b), at(c), at(d)).is_positive() {
            [b, c]
        } else {
            [c, b]
        };
        let corners = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        let neighbours = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        self.faces.clear();
        for (corners, neighbours) in corners.into_iter().zip(neighbours) {
            let face = HullFace::new(&self.points, corners, neighbours);
            self.faces.push(face);
        }
        self.seen.clear();
        let count = self.points.len();
        for list in [&mut self.next, &mut self.begins, &mut self.ends] {
            list.clear();
            list.resize(count, 0);
        }
        for point in 0..count as u32 {
            self.share_out(point, 0);
        }
        let mut next = 0;
        // Faces only grow in number, and each is left with nothing outside: every point is taken once.
        while next < self.faces.len() {
            if self.faces[next].is_alive && self.faces[next].outside.first != END {
                self.add_farthest(next);
            } else {
                next += 1;
            }
        }
    }

    /// Whether a point lies before a face, exactly; mostly the rounded plane of the face tells.
    fn sees(&self, point: u32, face: usize) -> bool {
        let face = &self.faces[face];
        let [a, b, c] = face.corners.map(|i| self.points[i as usize]);
        let point = self.points[point as usize];
        let away = point - a;
        let height = face.normal.dot(away);
        if height.abs() > face.rounding * away.abs().max_element() + UNDERFLOW {
            return height > 0.0;
        }
        orient3d(a, b, c, point).is_negative()
    }

    /// Gives a point to the first face from `first` on that it sees, and forgets it when it sees none.
    fn share_out(&mut self, point: u32, first: usize) {
        if let Some(face) = (first..self.faces.len()).find(|&face| self.sees(point, face)) {
            self.faces[face].outside.push(point, &mut self.next);
        }
    }

    /// How many faces were ever made; some of them are gone.
    pub(super) fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// The corners of a face that still bounds the hull.
    pub(super) fn face(&self, face: usize) -> Option<[u32; 3]> {
        let face = self.faces.get(face)?;
        face.is_alive.then_some(face.corners)
    }

    /// Adds a point before a face; false when it does not see that face, exactly.
    pub(super) fn add(&mut self, point: DVec3, face: usize) -> bool {
        let apex = self.points.len() as u32;
        self.points.push(point);
        for list in [&mut self.next, &mut self.begins, &mut self.ends] {
            list.push(0);
        }
        self.seen.clear();
        let sees = self.sees(apex, face);
        if sees {
            self.cover(apex, face);
        }
        sees
    }

    /// The faces that the point added last replaced.
    pub(super) fn replaced(&self) -> &[u32] {
        &self.seen
    }

    fn add_farthest(&mut self, face: usize) {
        let [a, b, c] = self.faces[face].corners.map(|i| self.points[i as usize]);
        let normal = (b - a).cross(c - a);
        let mut apex = self.faces[face].outside.first;
        let mut height = f64::NEG_INFINITY;
        let mut point = apex;
        while point != END {
            let own = normal.dot(self.points[point as usize] - a);
            if own > height {
                (apex, height) = (point, own);
            }
            point = self.next[point as usize];
        }
        self.cover(apex, face);
    }

    /// Replaces all faces that `apex` sees, `face` among them, by a fan around it.
    fn cover(&mut self, apex: u32, face: usize) {
        let mut orphans = PointList::EMPTY;
        self.seen.clear();
        self.seen.push(face as u32);
        self.border.clear();
        self.faces[face].is_alive = false;
        let mut done = 0;
        while done < self.seen.len() {
            let HullFace {
                corners,
                neighbours,
                outside,
                ..
            } = self.faces[self.seen[done] as usize];
            done += 1;
            orphans.append(outside, &mut self.next);
            for side in 0..3 {
                let across = neighbours[side];
                if !self.faces[across as usize].is_alive {
                    continue;
                }
                if self.sees(apex, across as usize) {
                    self.faces[across as usize].is_alive = false;
                    self.seen.push(across);
                } else {
                    let edge = (corners[side], corners[(side + 1) % 3], across);
                    self.border.push(edge);
                }
            }
        }
        let first = self.faces.len();
        for &(from, to, across) in &self.border {
            let fresh = self.faces.len() as u32;
            self.begins[from as usize] = fresh;
            self.ends[to as usize] = fresh;
            let beyond = &mut self.faces[across as usize];
            for side in 0..3 {
                if beyond.corners[side] == to && beyond.corners[(side + 1) % 3] == from {
                    beyond.neighbours[side] = fresh;
                }
            }
            let face = HullFace::new(&self.points, [from, to, apex], [across, 0, 0]);
            self.faces.push(face);
        }
        for (face, &(from, to, _)) in self.faces[first..].iter_mut().zip(&self.border) {
            face.neighbours[1] = self.begins[to as usize];
            face.neighbours[2] = self.ends[from as usize];
        }
        let mut point = orphans.first;
        while point != END {
            let behind = self.next[point as usize];
            if point != apex {
                self.share_out(point, first);
            }
            point = behind;
        }
    }

    fn surface(self) -> HullSurface {
        let mut number = vec![0; self.faces.len()];
        let mut count = 0;
        for (slot, face) in number.iter_mut().zip(&self.faces) {
            *slot = count;
            count += u32::from(face.is_alive);
        }
        let alive = || self.faces.iter().filter(|face| face.is_alive);
        HullSurface {
            triangles: alive().map(|face| face.corners).collect(),
            neighbours: alive()
                .map(|face| face.neighbours.map(|i| number[i as usize]))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;

    #[test]
    fn rounded_planes_decide_as_exact_signs_do() {
        let mut rng = Rng::new(17);
        // A coarse grid, where many points lie in the plane, and some moved by a few roundings.
        let mut coordinate = |step: f64| {
            let rounded = (1.6 * rng.range(-1.0, 1.0)).round();
            let moved = (3.0 * rng.range(-1.0, 1.0)).round();
            rounded + step * moved
        };
        let mut undecided = 0;
        for step in [0.0, 2.0_f64.powi(-50), 2.0_f64.powi(-30)] {
            for _ in 0..2000 {
                let mut point = || DVec3::new(coordinate(step), coordinate(step), coordinate(step));
                let points = vec![point(), point(), point(), point()];
                let mut builder = HullBuilder {
                    faces: vec![HullFace::new(&points, [0, 1, 2], [0; 3])],
                    points,
                    ..HullBuilder::default()
                };
                let [a, b, c, d] = [0, 1, 2, 3].map(|i: usize| builder.points[i]);
                let exact = orient3d(a, b, c, d);
                assert_eq!(builder.sees(3, 0), exact.is_negative());
                undecided += u32::from(exact.is_zero());
                // The rounding that decides must cover what the plane is off by.
                builder.faces[0].rounding = f64::INFINITY;
                assert_eq!(builder.sees(3, 0), exact.is_negative());
            }
        }
        assert!(undecided > 100, "{undecided}");
    }
}
