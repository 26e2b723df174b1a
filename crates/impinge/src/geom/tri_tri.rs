//! Exact triangle-triangle intersection test.
//!
//! **Question.** Do two closed triangles, possibly degenerate, intersect; and do they cross or only touch?
//! **Idea.** Each triangle must have points on both sides of the other's plane. Then both intersect the common line of the
//! planes in intervals, and two orientation predicates decide whether these overlap, after permuting the
//! vertices so that the first vertex of each triangle is alone on its side. Orientations are computed in `f64`
//! with one error bound for the whole pair; if any is too close to zero to be certain, exact
//! predicates decide instead.
//! **Source.** Guigue and Devillers 2003, doi:10.1080/10867651.2003.10487580; our changes: the bound shared by all
//! orientations, renaming by table lookup instead of branches, and the degenerate cases.
//! **Cost.** See the benchmark `tri-tri-cost`: about a plain `f64` test without exactness.
//! **Promise.** Exact for all coordinates up to 4·[`MAX_COORDINATE`](crate::math::MAX_COORDINATE), denormals included. Does not
//! depend on the order of the triangles or of their vertices.
//!
//! ## The bound
//!
//! Let `u = 2^-53` and let `m` hold, per axis, the largest computed `|v - b0|` over the other five vertices. Any
//! difference of two vertices is then at most `2m(1 + u)²`, so the six products of an orientation determinant add up
//! to at most `6·8·m.x·m.y·m.z` (times `1 + 7u`). On its way through three differences, a product, a difference, a product and two
//! sums, each gathers at most eight factors `1 + δ`, `|δ| ≤ u`: the error is below `8u·48·m.x·m.y·m.z·(1 + 20u)`, and
//! `400u·m.x·m.y·m.z` leaves room for the rounding of the bound itself. Underflow adds less than 2^-915, see
//! [`math`](crate::math).

use glam::DVec3;

use super::small_hull::{SmallHull, hull_contact};
use crate::math::{Sign, orient3d};

/// How two closed convex sets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Contact {
    /// They share no point.
    Disjoint,
    /// They share points, but none that is in the relative interior of both.
    Touching,
    /// Their relative interiors share a point: the triangles without their edges, a segment without its ends, a
    /// point itself.
    Crossing,
}

/// Whether two closed triangles share a point; touching counts.
///
/// Each may be degenerate to a segment or a point. Exact for all coordinates up to
/// 4·[`MAX_COORDINATE`](crate::math::MAX_COORDINATE), denormals included; depends neither on the order of the triangles nor on that of
/// their vertices.
///
/// ```
/// use impinge::{geom::triangles_intersect, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let touching = [DVec3::new(0.5, 0.5, 0.0), DVec3::ONE, DVec3::Z + DVec3::ONE];
/// assert!(triangles_intersect(&a, &touching));
/// assert!(!triangles_intersect(&a, &touching.map(|p| p + DVec3::X * 1e-15)));
/// ```
#[inline]
#[must_use]
#[doc(alias = "triangle-triangle intersection")]
#[doc(alias = "tri-tri")]
#[doc(alias = "Moller")]
pub fn triangles_intersect(a: &[DVec3; 3], b: &[DVec3; 3]) -> bool {
    match certified_contact(a, b) {
        Some(contact) => contact == Contact::Crossing,
        None => exact_contact(a, b) != Contact::Disjoint,
    }
}

/// How two triangles meet: apart, touching, or crossing, exactly.
///
/// ```
/// use impinge::{geom::{triangle_contact, Contact}, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let shares_an_edge = [DVec3::ZERO, DVec3::X, DVec3::Z];
/// assert_eq!(triangle_contact(&a, &shares_an_edge), Contact::Touching);
/// assert_eq!(triangle_contact(&a, &a), Contact::Crossing);
/// ```
#[inline]
#[must_use]
pub fn triangle_contact(a: &[DVec3; 3], b: &[DVec3; 3]) -> Contact {
    match certified_contact(a, b) {
        Some(contact) => contact,
        None => exact_contact(a, b),
    }
}

/// The factor of the error bound shared by all orientations of a pair.
const BOUND: f64 = 200.0 * f64::EPSILON;

/// The absolute term of the bound, 2^-900, for underflow.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);

/// For each set of vertices above a plane (bit `i` for vertex `i`): the vertex alone on its side, the next and the
/// last in cyclic order.
const RENAMED: [[usize; 3]; 8] = [
    [0, 1, 2],
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 0, 1],
    [1, 2, 0],
    [0, 1, 2],
    [0, 1, 2],
];

/// [`RENAMED`] with the last two vertices swapped, which turns the triangle's normal around.
const RENAMED_TURNED: [[usize; 3]; 8] = [
    [0, 2, 1],
    [0, 2, 1],
    [1, 0, 2],
    [2, 1, 0],
    [2, 1, 0],
    [1, 0, 2],
    [0, 2, 1],
    [0, 2, 1],
];

/// How two triangles meet, when plain `f64` arithmetic proves it: [`Contact::Crossing`] or
/// [`Contact::Disjoint`], never [`Contact::Touching`].
///
/// For random triangles nearly always; for counting how often more is needed.
///
/// ```
/// use impinge::{geom::{certified_contact, Contact}, DVec3};
/// let a = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// assert_eq!(certified_contact(&a, &a.map(|p| p + DVec3::Z)), Some(Contact::Disjoint));
/// assert_eq!(certified_contact(&a, &a), None);
/// ```
#[inline]
#[must_use]
pub fn certified_contact(a: &[DVec3; 3], b: &[DVec3; 3]) -> Option<Contact> {
    let [a0, a1, a2] = *a;
    let [b0, b1, b2] = *b;

    let (b10, b20) = (b1 - b0, b2 - b0);
    let from_b = [a0 - b0, a1 - b0, a2 - b0];
    let m = from_b
        .iter()
        .fold(b10.abs().max(b20.abs()), |m, w| m.max(w.abs()));
    let bound = BOUND * m.x * m.y * m.z + TINY;
    let normal_b = b10.cross(b20);
    let above_b = match certified_above(from_b.map(|w| normal_b.dot(w)), bound) {
        Some(0 | 7) => return Some(Contact::Disjoint),
        Some(above) => above,
        None => return None,
    };

    let normal_a = (a1 - a0).cross(a2 - a0);
    let from_a = [b0 - a0, b1 - a0, b2 - a0];
    let above_a = match certified_above(from_a.map(|w| normal_a.dot(w)), bound) {
        Some(0 | 7) => return Some(Contact::Disjoint),
        Some(above) => above,
        None => return None,
    };

    // Now the first vertex of each is alone, and above the other's plane once that triangle is turned around
    // if need be: this is what orders the four crossings along the common line.
    let renamed = |own: usize, other: usize| {
        // One bit set: the vertex alone is above the other plane.
        if matches!(other, 1 | 2 | 4) {
            RENAMED[own]
        } else {
            RENAMED_TURNED[own]
        }
    };
    let [p1, q1, r1] = renamed(above_b, above_a).map(|i| a[i]);
    let [p2, q2, r2] = renamed(above_a, above_b).map(|i| b[i]);
    let across = p1 - p2;
    let low = across.dot((q1 - p2).cross(q2 - p2));
    let high = across.dot((r1 - p2).cross(r2 - p2));
    if low < -bound && high > bound {
        Some(Contact::Crossing)
    } else if low > bound || high < -bound {
        Some(Contact::Disjoint)
    } else {
        None
    }
}

/// The set of vertices above a plane as bits, when no height is within `bound` of zero.
#[inline]
fn certified_above(heights: [f64; 3], bound: f64) -> Option<usize> {
    let [h0, h1, h2] = heights;
    let bits =
        |x: bool, y: bool, z: bool| usize::from(x) | usize::from(y) << 1 | usize::from(z) << 2;
    let above = bits(h0 > bound, h1 > bound, h2 > bound);
    let below = bits(h0 < -bound, h1 < -bound, h2 < -bound);
    (above | below == 7).then_some(above)
}

/// Decides by exact predicates what floating-point bounds could not.
#[cold]
#[inline(never)]
fn exact_contact(a: &[DVec3; 3], b: &[DVec3; 3]) -> Contact {
    match PlaneSides::of(a, b) {
        PlaneSides::Separate => Contact::Disjoint,
        PlaneSides::Cross(crossings) => crossings.contact(),
        PlaneSides::Flat => hull_contact(&SmallHull::triangle(a), &SmallHull::triangle(b)),
    }
}

/// How the planes of two triangles stand to the triangles.
pub(super) enum PlaneSides {
    /// One triangle lies strictly on one side of the other's plane.
    Separate,
    /// Both are proper, their planes differ, and each has points on both closed sides of the other's.
    Cross(PlaneCrossings),
    /// They are coplanar, or at least one is degenerate.
    Flat,
}

impl PlaneSides {
    pub(super) fn of(a: &[DVec3; 3], b: &[DVec3; 3]) -> Self {
        let sides = |&[p, q, r]: &[DVec3; 3], points: &[DVec3; 3]| {
            // All zero also when p, q, r are collinear.
            points.map(|s| orient3d(p, q, r, s))
        };
        let clear = |[s, t, u]: [Sign; 3]| !s.is_zero() && s == t && s == u;
        let a_sides = sides(b, a);
        if clear(a_sides) {
            return Self::Separate;
        }
        let Some(a_lone) = lone(a_sides) else {
            return Self::Flat;
        };
        let b_sides = sides(a, b);
        if clear(b_sides) {
            return Self::Separate;
        }
        let Some(b_lone) = lone(b_sides) else {
            return Self::Flat;
        };
        Self::Cross(PlaneCrossings {
            a: LoneVertexTriangle::new(a, a_sides, a_lone.vertex, b_lone.below),
            // The interval of b runs against that of a, so its low end is the edge to its last vertex.
            b: LoneVertexTriangle::new(b, b_sides, b_lone.vertex, !a_lone.below),
        })
    }
}

/// A triangle renamed so that `lone` is alone on its side of the other's plane: the edges `lone → low` and
/// `lone → high` cross that plane at the ends of the interval in which the triangle meets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoneVertexTriangle {
    pub(super) lone: DVec3,
    pub(super) low: DVec3,
    pub(super) high: DVec3,
    /// The exact side of `lone`, zero when only it touches the plane.
    pub(super) lone_side: Sign,
    pub(super) low_side: Sign,
    pub(super) high_side: Sign,
}

/// Two proper triangles in different planes, neither clear of the other's plane: the order of the
/// points where their edges cross the common line.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneCrossings {
    pub(super) a: LoneVertexTriangle,
    pub(super) b: LoneVertexTriangle,
}

impl PlaneCrossings {
    /// Where edge `lone → a_end` crosses the common line, relative to where edge `lone → b_end` does.
    pub(super) fn order(&self, a_end: DVec3, b_end: DVec3) -> Sign {
        orient3d(self.a.lone, a_end, b_end, self.b.lone)
    }

    /// The order of a's low crossing against b's high one, and of a's high crossing against b's low one.
    pub(super) fn extremes(&self) -> (Sign, Sign) {
        (
            self.order(self.a.low, self.b.high),
            self.order(self.a.high, self.b.low),
        )
    }

    fn contact(&self) -> Contact {
        match self.extremes() {
            (Sign::Positive, _) | (_, Sign::Negative) => Contact::Disjoint,
            (Sign::Negative, Sign::Positive) if self.a.straddles() && self.b.straddles() => {
                Contact::Crossing
            }
            _ => Contact::Touching,
        }
    }
}

impl LoneVertexTriangle {
    fn new(triangle: &[DVec3; 3], sides: [Sign; 3], lone: usize, turned: bool) -> Self {
        let (next, last) = ((lone + 1) % 3, (lone + 2) % 3);
        let (low, high) = if turned { (last, next) } else { (next, last) };
        Self {
            lone: triangle[lone],
            low: triangle[low],
            high: triangle[high],
            lone_side: sides[lone],
            low_side: sides[low],
            high_side: sides[high],
        }
    }

    /// Whether points lie strictly on both sides of the plane.
    fn straddles(&self) -> bool {
        let others_in_plane = self.low_side.is_zero() && self.high_side.is_zero();
        !self.lone_side.is_zero() && !others_in_plane
    }
}

/// The vertex alone on its side of a plane, and whether that side is below the plane's normal (where
/// [`orient3d`] is positive).
struct LoneVertex {
    vertex: usize,
    below: bool,
}

/// The others lie on the closed opposite side; if the vertex itself lies in the plane, on the open one.
/// `None` when all lie in the plane.
fn lone(sides: [Sign; 3]) -> Option<LoneVertex> {
    (0..3).find_map(|vertex| {
        let [s, t, u] = [0, 1, 2].map(|i| sides[(vertex + i) % 3]);
        let side = if s.is_zero() { t.reversed() } else { s };
        let alone = if s.is_zero() {
            t == u && !t.is_zero()
        } else {
            t != s && u != s
        };
        let below = side.is_positive();
        alone.then_some(LoneVertex { vertex, below })
    })
}
