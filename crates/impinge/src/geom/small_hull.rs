//! Convex hulls of up to three points: what a triangle is when it may degenerate to a segment or a point.
//!
//! **Question.** How do two such hulls meet when they are not two proper triangles in different planes?
//! **Idea.** Reduce each to its extreme points. A segment through a triangle's plane is decided by orientations
//! in space; what lies in one plane is projected along an axis that keeps it apart, and there two convex
//! sets are disjoint exactly when the line through an edge of one separates them.
//! **Promise.** Only exact signs and comparisons of coordinates decide.

use std::cmp::Ordering;

use glam::{DVec2, DVec3};

use super::Contact;
use crate::math::{Sign, orient2d, orient3d};

/// The extreme points of a convex hull, pairwise different and, if three, not collinear. Two are sorted.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallHull {
    points: [DVec3; 3],
    count: usize,
    /// For three points, an axis along which they are not collinear.
    axis: Option<ProjectionAxis>,
}

impl SmallHull {
    pub(super) fn segment(p: DVec3, q: DVec3) -> Self {
        let [low, high] = match along_a_line(p, q) {
            Ordering::Greater => [q, p],
            _ => [p, q],
        };
        Self {
            points: [low, high, high],
            count: if low == high { 1 } else { 2 },
            axis: None,
        }
    }

    pub(super) fn triangle(points: &[DVec3; 3]) -> Self {
        let [a, b, c] = *points;
        let axis = ProjectionAxis::likeliest_first((b - a).cross(c - a))
            .into_iter()
            .find(|axis| !axis.side(a, b, c).is_zero());
        if axis.is_some() {
            return Self {
                points: *points,
                count: 3,
                axis,
            };
        }
        let lower = |p, q| if along_a_line(p, q).is_le() { p } else { q };
        let higher = |p, q| if along_a_line(p, q).is_le() { q } else { p };
        Self::segment(lower(a, lower(b, c)), higher(a, higher(b, c)))
    }

    pub(super) fn points(&self) -> &[DVec3] {
        &self.points[..self.count]
    }

    /// The edges: three, one or none.
    pub(super) fn edges(&self) -> impl Iterator<Item = [DVec3; 2]> {
        let count = match self.count {
            3 => 3,
            2 => 1,
            _ => 0,
        };
        (0..count).map(|i| [self.points[i], self.points[(i + 1) % 3]])
    }

    /// Whether a point in the hull's own plane or line lies in the hull, borders included.
    pub(super) fn contains(&self, p: DVec3, axis: Option<ProjectionAxis>) -> bool {
        match (self.points(), axis) {
            (&[a, b, c], Some(axis)) => {
                let sides = [axis.side(a, b, p), axis.side(b, c, p), axis.side(c, a, p)];
                !(sides.contains(&Sign::Positive) && sides.contains(&Sign::Negative))
            }
            (&[low, high], _) => {
                axis.is_none_or(|axis| axis.side(low, high, p).is_zero())
                    && along_a_line(low, p).is_le()
                    && along_a_line(p, high).is_le()
            }
            (&[only], _) => only == p,
            _ => false,
        }
    }
}

/// Lexicographic order, which for collinear points is their order along the line.
pub(super) fn along_a_line(p: DVec3, q: DVec3) -> Ordering {
    for (x, y) in p.to_array().into_iter().zip(q.to_array()) {
        if x < y {
            return Ordering::Less;
        }
        if x > y {
            return Ordering::Greater;
        }
    }
    Ordering::Equal
}

/// A coordinate axis to look along, onto the plane of the other two.
#[derive(Clone, Copy, Debug)]
pub(super) enum ProjectionAxis {
    X,
    Y,
    Z,
}

impl ProjectionAxis {
    const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    pub(super) fn project(self, p: DVec3) -> DVec2 {
        match self {
            Self::X => DVec2::new(p.y, p.z),
            Self::Y => DVec2::new(p.z, p.x),
            Self::Z => DVec2::new(p.x, p.y),
        }
    }

    /// [`orient2d`] of the projected points.
    pub(super) fn side(self, a: DVec3, b: DVec3, c: DVec3) -> Sign {
        orient2d(self.project(a), self.project(b), self.project(c))
    }

    /// All axes, the one nearest to the normal of a plane first: along it the plane projects best.
    fn likeliest_first(normal: DVec3) -> [Self; 3] {
        let n = normal.abs();
        if n.x > n.y && n.x > n.z {
            [Self::X, Self::Y, Self::Z]
        } else if n.y > n.z {
            [Self::Y, Self::Z, Self::X]
        } else {
            [Self::Z, Self::X, Self::Y]
        }
    }

    /// An axis along which two coplanar hulls are projected one to one; `None` when all points are collinear.
    pub(super) fn across(a: &SmallHull, b: &SmallHull) -> Option<Self> {
        a.axis
            .or(b.axis)
            .or_else(|| match (a.points(), b.points()) {
                (&[p, q], rest) | (rest, &[p, q]) => Self::ALL
                    .into_iter()
                    .find(|axis| rest.iter().any(|&r| !axis.side(p, q, r).is_zero())),
                _ => None,
            })
    }
}

/// Where a hull of two points stands against a hull of three.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stabbing {
    /// All five points lie in one plane.
    Coplanar,
    /// They share no point.
    Missed,
    /// They share one point. The sides are those of the segment's ends against the plane, and of the
    /// triangle's edges against the segment.
    Met { ends: [Sign; 2], edges: [Sign; 3] },
}

impl Stabbing {
    /// For a triangle that may be degenerate: then all is coplanar or missed.
    #[inline]
    pub(super) fn of(p: DVec3, q: DVec3, &[a, b, c]: &[DVec3; 3]) -> Self {
        let ends = [orient3d(a, b, c, p), orient3d(a, b, c, q)];
        match ends {
            [Sign::Zero, Sign::Zero] => return Self::Coplanar,
            [s, t] if s == t => return Self::Missed,
            _ => {}
        }
        let edges = [
            orient3d(p, q, a, b),
            orient3d(p, q, b, c),
            orient3d(p, q, c, a),
        ];
        if edges.contains(&Sign::Positive) && edges.contains(&Sign::Negative) {
            Self::Missed
        } else {
            Self::Met { ends, edges }
        }
    }
}

/// How two hulls meet, where two of three points each must be coplanar.
pub(super) fn hull_contact(a: &SmallHull, b: &SmallHull) -> Contact {
    match (a.points(), b.points()) {
        (&[p, q], &[_, _, _]) => stabbing_contact(p, q, b, a),
        (&[_, _, _], &[p, q]) => stabbing_contact(p, q, a, b),
        _ if share_a_plane(a, b) => flat_contact(a, b),
        _ => Contact::Disjoint,
    }
}

/// Whether all points lie in one plane, for any hulls but two of three points (for which it answers yes).
pub(super) fn share_a_plane(a: &SmallHull, b: &SmallHull) -> bool {
    match (a.points(), b.points()) {
        (&[p, q, r], &[s]) | (&[s], &[p, q, r]) | (&[p, q], &[r, s]) => {
            orient3d(p, q, r, s).is_zero()
        }
        _ => true,
    }
}

fn stabbing_contact(p: DVec3, q: DVec3, triangle: &SmallHull, segment: &SmallHull) -> Contact {
    match Stabbing::of(p, q, &triangle.points) {
        Stabbing::Coplanar => flat_contact(segment, triangle),
        Stabbing::Missed => Contact::Disjoint,
        Stabbing::Met { ends, edges } => {
            if ends.contains(&Sign::Zero) || edges.contains(&Sign::Zero) {
                Contact::Touching
            } else {
                Contact::Crossing
            }
        }
    }
}

/// How two hulls in one plane meet.
fn flat_contact(a: &SmallHull, b: &SmallHull) -> Contact {
    let Some(axis) = ProjectionAxis::across(a, b) else {
        return line_contact(a, b);
    };
    // The difference set {p - q} of the hulls is a convex polygon whose edges are parallel to edges of theirs.
    // The hulls (their relative interiors) meet exactly when it contains the origin (in its interior).
    let by_a = separation(a, b, axis);
    if by_a.is_positive() {
        return Contact::Disjoint;
    }
    match by_a.max(separation(b, a, axis)) {
        Sign::Positive => Contact::Disjoint,
        Sign::Zero => Contact::Touching,
        Sign::Negative => Contact::Crossing,
    }
}

/// Whether the line through an edge of `a` has all of `b` on its outer side: strictly (positive), or with points
/// on the line (zero), or none does (negative).
fn separation(a: &SmallHull, b: &SmallHull, axis: ProjectionAxis) -> Sign {
    let [p, q, r] = a.points;
    let beyond = |u: DVec3, v: DVec3, inner: Sign| {
        let sides = b.points().iter().map(|&w| axis.side(u, v, w));
        let nearest = if inner.is_positive() {
            sides.max()
        } else {
            sides.min().map(Sign::reversed)
        };
        nearest.map_or(Sign::Positive, Sign::reversed)
    };
    match a.count {
        3 => {
            let inner = axis.side(p, q, r);
            beyond(p, q, inner)
                .max(beyond(q, r, inner))
                .max(beyond(r, p, inner))
        }
        // A segment is a polygon of two edges, back to back.
        2 => beyond(p, q, Sign::Positive).max(beyond(p, q, Sign::Negative)),
        _ => Sign::Negative,
    }
}

/// How two segments or points of one line meet.
fn line_contact(a: &SmallHull, b: &SmallHull) -> Contact {
    let ends = |hull: &SmallHull| (hull.points[0], hull.points[hull.count.max(1) - 1]);
    let ((a_low, a_high), (b_low, b_high)) = (ends(a), ends(b));
    match along_a_line(a_low, b_high).max(along_a_line(b_low, a_high)) {
        Ordering::Greater => Contact::Disjoint,
        Ordering::Equal if a.count > 1 || b.count > 1 => Contact::Touching,
        _ => Contact::Crossing,
    }
}
