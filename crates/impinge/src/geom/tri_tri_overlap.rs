//! The intersection of two triangles as a point, segment or polygon.
//!
//! **Question.** Which point, segment or polygon is the intersection of two triangles?
//! **Idea.** Exact signs decide what kind it is and which vertices and edge crossings are its corners; only then
//! are coordinates computed. In different planes the ends are the inner two of the four crossings of the common
//! line. In one plane the corners are exactly: the vertices of each inside the other and the proper crossings of
//! edges; two of them are neighbours exactly when they lie on one edge.
//! **Source.** Guigue and Devillers 2003, doi:10.1080/10867651.2003.10487580, for the order of the crossings.
//! **Cost.** A few hundred nanoseconds; microseconds where determinants cancel and are recomputed exactly.
//! **Promise.** Not [`TriangleOverlap::None`] exactly when [`triangles_intersect`](super::triangles_intersect); the kind and number of corners are exact.
//! A corner that is a vertex is that vertex, unrounded. Any other lies on an edge, off its true place by at most
//! 2^-38 of the edge's extent plus two roundings (2^-52) of the edge's largest coordinate, per axis; and inside the
//! boxes of both triangles.
//! **Limits.** Distinct corners may round to equal coordinates.

use glam::DVec3;

use super::small_hull::{ProjectionAxis, SmallHull, Stabbing, share_a_plane};
use super::tri_tri::{LoneVertexTriangle, PlaneCrossings, PlaneSides};
use crate::math::{Scaled, Sign, orient2d_value, orient3d_value};

/// The most corners two coplanar triangles' intersection can have.
const MAX_CORNERS: usize = 6;

/// The intersection of two triangles.
///
/// ```
/// use impinge::{geom::{triangle_overlap, TriangleOverlap}, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert_eq!(triangle_overlap(&a, &[DVec3::ZERO, DVec3::X, DVec3::Z]), TriangleOverlap::Segment([DVec3::ZERO, DVec3::X]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TriangleOverlap {
    /// The triangles share no point.
    None,
    /// They share one point.
    Point(DVec3),
    /// They share a segment between two different points (which may be equal after rounding).
    Segment([DVec3; 2]),
    /// They lie in one plane and share a polygon with interior.
    Polygon(OverlapPolygon),
}

impl TriangleOverlap {
    /// The corners of the shared set: none, one, two, or three to six in order around the polygon.
    ///
    /// ```
    /// use impinge::{geom::triangle_overlap, DVec3};
    /// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
    /// assert_eq!(triangle_overlap(&a, &a).corners(), &a);
    /// ```
    #[must_use]
    pub fn corners(&self) -> &[DVec3] {
        match self {
            Self::None => &[],
            Self::Point(point) => std::slice::from_ref(point),
            Self::Segment(ends) => ends,
            Self::Polygon(polygon) => polygon.corners(),
        }
    }
}

/// A convex polygon with three to six corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapPolygon {
    corners: [DVec3; MAX_CORNERS],
    count: usize,
}

impl OverlapPolygon {
    /// The corners in order around the polygon, turning as the first triangle does.
    ///
    /// ```
    /// use impinge::{geom::{triangle_overlap, TriangleOverlap}, DVec3};
    /// let a = [DVec3::ZERO, DVec3::new(3.0, 0.0, 0.0), DVec3::new(0.0, 3.0, 0.0)];
    /// let b = a.map(|p| DVec3::new(2.0, 2.0, 0.0) - p);
    /// let TriangleOverlap::Polygon(hexagon) = triangle_overlap(&a, &b) else { panic!() };
    /// assert_eq!(hexagon.corners().len(), 6);
    /// ```
    #[must_use]
    pub fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }
}

/// The set that two closed triangles, possibly degenerate, share; empty exactly when they do not intersect.
///
/// ```
/// use impinge::{geom::{triangle_overlap, TriangleOverlap}, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let standing = [DVec3::new(0.25, 0.25, -1.0), DVec3::new(0.25, 0.25, 1.0), DVec3::new(9.0, 9.0, 0.0)];
/// let expected = [DVec3::new(0.25, 0.25, 0.0), DVec3::new(0.5, 0.5, 0.0)];
/// assert_eq!(triangle_overlap(&a, &standing), TriangleOverlap::Segment(expected));
/// ```
#[must_use]
pub fn triangle_overlap(a: &[DVec3; 3], b: &[DVec3; 3]) -> TriangleOverlap {
    let place = OverlapBox::new(a, b);
    match PlaneSides::of(a, b) {
        PlaneSides::Separate => TriangleOverlap::None,
        PlaneSides::Cross(crossings) => crossings_overlap(&crossings, a, b, &place),
        PlaneSides::Flat => hull_overlap(&SmallHull::triangle(a), &SmallHull::triangle(b), &place),
    }
}

/// The shared set of two hulls, where two of three points each must be coplanar.
fn hull_overlap(a: &SmallHull, b: &SmallHull, place: &OverlapBox) -> TriangleOverlap {
    match (a.points(), b.points()) {
        (&[p, q], &[t0, t1, t2]) | (&[t0, t1, t2], &[p, q]) => {
            let triangle = [t0, t1, t2];
            match Stabbing::of(p, q, &triangle) {
                Stabbing::Coplanar => flat_overlap(a, b, place),
                Stabbing::Missed => TriangleOverlap::None,
                Stabbing::Met { ends, edges } => {
                    // Two edges through the segment meet in the vertex they share.
                    let vertex = match edges.map(Sign::is_zero) {
                        [true, true, _] => Some(t1),
                        [_, true, true] => Some(t2),
                        [true, _, true] => Some(t0),
                        _ => None,
                    };
                    let point = || place.on_edge(p, q, ends, |x| plane_value(&triangle, x));
                    TriangleOverlap::Point(vertex.unwrap_or_else(point))
                }
            }
        }
        _ if share_a_plane(a, b) => flat_overlap(a, b, place),
        _ => TriangleOverlap::None,
    }
}

/// The box in which every shared point lies.
#[derive(Clone, Copy, Debug)]
struct OverlapBox {
    min: DVec3,
    max: DVec3,
}

impl OverlapBox {
    fn new(a: &[DVec3; 3], b: &[DVec3; 3]) -> Self {
        let [a0, a1, a2] = *a;
        let [b0, b1, b2] = *b;
        Self {
            min: a0.min(a1).min(a2).max(b0.min(b1).min(b2)),
            max: a0.max(a1).max(a2).min(b0.max(b1).max(b2)),
        }
    }

    /// Where a function that is linear on `p q` and has these signs at the ends vanishes.
    fn on_edge(
        &self,
        p: DVec3,
        q: DVec3,
        signs: [Sign; 2],
        value: impl Fn(DVec3) -> Scaled,
    ) -> DVec3 {
        match signs {
            [Sign::Zero, _] => p,
            [_, Sign::Zero] => q,
            _ => {
                let t = Scaled::crossing(value(p), value(q));
                // From the nearer end, so that the rounding of the product is the smaller.
                let point = if t <= 0.5 {
                    p + (q - p) * t
                } else {
                    q - (q - p) * (1.0 - t)
                };
                point.max(self.min).min(self.max)
            }
        }
    }
}

fn plane_value(&[a, b, c]: &[DVec3; 3], p: DVec3) -> Scaled {
    orient3d_value(a, b, c, p)
}

/// The inner two of the four crossings of the common line.
fn crossings_overlap(
    crossings: &PlaneCrossings,
    a: &[DVec3; 3],
    b: &[DVec3; 3],
    place: &OverlapBox,
) -> TriangleOverlap {
    let (low_high, high_low) = crossings.extremes();
    if low_high.is_positive() || high_low.is_negative() {
        return TriangleOverlap::None;
    }
    let PlaneCrossings { a: cut_a, b: cut_b } = crossings;
    let end = |cut: &LoneVertexTriangle, plane: &[DVec3; 3], end: DVec3, side: Sign| {
        place.on_edge(cut.lone, end, [cut.lone_side, side], |p| {
            plane_value(plane, p)
        })
    };
    let a_low = || end(cut_a, b, cut_a.low, cut_a.low_side);
    let a_high = || end(cut_a, b, cut_a.high, cut_a.high_side);
    let b_low = || end(cut_b, a, cut_b.low, cut_b.low_side);
    let b_high = || end(cut_b, a, cut_b.high, cut_b.high_side);
    if cut_a.lone_side.is_zero() {
        return TriangleOverlap::Point(cut_a.lone);
    }
    if cut_b.lone_side.is_zero() {
        return TriangleOverlap::Point(cut_b.lone);
    }
    // Where two crossings coincide, one that is a vertex needs no rounding.
    let a_low_first = cut_a.low_side.is_zero();
    let a_high_first = cut_a.high_side.is_zero();
    if low_high.is_zero() {
        return TriangleOverlap::Point(if a_low_first { a_low() } else { b_high() });
    }
    if high_low.is_zero() {
        return TriangleOverlap::Point(if a_high_first { a_high() } else { b_low() });
    }
    let low = match crossings.order(cut_a.low, cut_b.low) {
        Sign::Positive => a_low(),
        Sign::Zero if a_low_first => a_low(),
        _ => b_low(),
    };
    let high = match crossings.order(cut_a.high, cut_b.high) {
        Sign::Negative => a_high(),
        Sign::Zero if a_high_first => a_high(),
        _ => b_high(),
    };
    TriangleOverlap::Segment([low, high])
}

/// A corner of the shared set and the edges of both hulls that it lies on, as bits.
#[derive(Clone, Copy, Debug)]
struct OverlapCorner {
    point: DVec3,
    edges: u8,
}

/// The corners of the shared set of two hulls in one plane, in no useful order.
struct OverlapCorners {
    list: [OverlapCorner; MAX_CORNERS],
    count: usize,
}

impl OverlapCorners {
    fn new(a: &SmallHull, b: &SmallHull, axis: Option<ProjectionAxis>, place: &OverlapBox) -> Self {
        const NOWHERE: OverlapCorner = OverlapCorner {
            point: DVec3::ZERO,
            edges: 0,
        };
        let mut corners = Self {
            list: [NOWHERE; MAX_CORNERS],
            count: 0,
        };
        let edges = |p| edges_through(a, p, axis) | edges_through(b, p, axis) << 3;
        for &p in a.points().iter().filter(|&&p| b.contains(p, axis)) {
            corners.push(p, edges(p));
        }
        for &p in b.points().iter().filter(|&&p| a.contains(p, axis)) {
            if !a.points().contains(&p) {
                corners.push(p, edges(p));
            }
        }
        let Some(axis) = axis else {
            return corners;
        };
        for (i, [p, q]) in a.edges().enumerate() {
            for (j, [r, s]) in b.edges().enumerate() {
                let signs = [axis.side(r, s, p), axis.side(r, s, q)];
                let across = [axis.side(p, q, r), axis.side(p, q, s)];
                if properly_opposite(signs) && properly_opposite(across) {
                    let (from, to) = (axis.project(r), axis.project(s));
                    let value = |x| orient2d_value(from, to, axis.project(x));
                    corners.push(place.on_edge(p, q, signs, value), 1 << i | 8 << j);
                }
            }
        }
        corners
    }

    fn push(&mut self, point: DVec3, edges: u8) {
        if let Some(slot) = self.list.get_mut(self.count) {
            *slot = OverlapCorner { point, edges };
            self.count += 1;
        }
    }
}

fn properly_opposite([s, t]: [Sign; 2]) -> bool {
    !s.is_zero() && s == t.reversed()
}

/// The edges that a point of the hull lies on, as bits.
fn edges_through(hull: &SmallHull, p: DVec3, axis: Option<ProjectionAxis>) -> u8 {
    let on_edge = |[q, r]: [DVec3; 2]| axis.is_none_or(|axis| axis.side(q, r, p).is_zero());
    let edges = hull.edges().enumerate();
    edges.fold(0, |bits, (i, edge)| bits | u8::from(on_edge(edge)) << i)
}

/// The shared set of two hulls in one plane.
fn flat_overlap(a: &SmallHull, b: &SmallHull, place: &OverlapBox) -> TriangleOverlap {
    let axis = ProjectionAxis::across(a, b);
    let mut corners = OverlapCorners::new(a, b, axis, place);
    let list = &mut corners.list[..corners.count];
    match (&*list, axis) {
        ([], _) => return TriangleOverlap::None,
        ([p], _) => return TriangleOverlap::Point(p.point),
        ([p, q], _) => return TriangleOverlap::Segment([p.point, q.point]),
        _ => {}
    }
    // Every side of the polygon lies on an edge, and no edge holds a third corner.
    for i in 1..list.len() {
        let here = list[i - 1].edges;
        if let Some(next) = (i..list.len()).find(|&j| list[j].edges & here != 0) {
            list.swap(i, next);
        }
    }
    let mut polygon = OverlapPolygon {
        corners: corners.list.map(|corner| corner.point),
        count: corners.count,
    };
    if let (&[p, q, r], Some(axis)) = (a.points(), axis) {
        let [first, rest @ ..] = &mut polygon.corners[..polygon.count] else {
            return TriangleOverlap::None;
        };
        let fan = rest.windows(2).map(|w| {
            let (v, w) = (axis.project(w[0] - *first), axis.project(w[1] - *first));
            v.perp_dot(w)
        });
        if Sign::of(fan.sum()) == axis.side(p, q, r).reversed() {
            rest.reverse();
        }
    }
    TriangleOverlap::Polygon(polygon)
}
