//! How far apart are two triangles?
//!
//! **Idea.** The distance is zero when they meet; otherwise it is the least of nine edge pairs
//! and six corner-over-face pairs. Each candidate's square is a quotient of integers, and
//! quotients are compared by cross multiplication.
//!
//! **Promise.** The square is exact; its root as `f64` is bracketed.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_ratio::RBig;

use super::integer::{Integer, Point, cross, difference, dot, is_zero, scaled_wide};
use super::{Triangle, intersects};

/// A distance known to be within `[lower, upper]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// No truth is below this.
    pub lower: f64,
    /// No truth is above this; a few units in the last place above `lower`.
    pub upper: f64,
}

/// The distance of the two triangles.
///
/// ```
/// use impinge::DVec3;
/// use impinge_testkit::oracle::triangle_distance;
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let distance = triangle_distance(&floor, &floor.map(|p| p + 3.0 * DVec3::Z));
/// assert!(distance.lower <= 3.0 && 3.0 <= distance.upper);
/// assert!(distance.upper - distance.lower < 1e-14);
/// ```
#[must_use]
pub fn triangle_distance(a: &Triangle, b: &Triangle) -> Distance {
    if intersects(a, b) {
        return Distance {
            lower: 0.0,
            upper: 0.0,
        };
    }
    let (points, unit) = scaled_wide(&[a[0], a[1], a[2], b[0], b[1], b[2]]);
    let [a0, a1, a2, b0, b1, b2] = points;
    let (a, b) = ([a0, a1, a2], [b0, b1, b2]);
    let mut best = corner_corner(&a[0], &b[0]);
    for i in 0..3 {
        for j in 0..3 {
            best = best.least(edge_edge(
                [&a[i], &a[(i + 1) % 3]],
                [&b[j], &b[(j + 1) % 3]],
            ));
        }
        best = best.least(corner_face(&a[i], &b));
        best = best.least(corner_face(&b[i], &a));
    }
    best.root(unit)
}

/// A square as a quotient with a positive denominator.
struct Square {
    numerator: IBig,
    denominator: IBig,
}

impl Square {
    fn least(self, other: Option<Self>) -> Self {
        match other {
            Some(other)
                if (&other.numerator * &self.denominator)
                    .cmp(&(&self.numerator * &other.denominator))
                    == Ordering::Less =>
            {
                other
            }
            _ => self,
        }
    }

    /// The bracketed root, times 2 to the power `unit`.
    fn root(self, unit: i32) -> Distance {
        // An even power of two brings the quotient near one, so that no conversion overflows.
        let bits = |n: &IBig| n.as_sign_words().1.len() as i32 * 64;
        let half = (bits(&self.numerator) - bits(&self.denominator)) / 2;
        let shift = 2 * half.unsigned_abs() as usize;
        let (n, d) = if half >= 0 {
            (self.numerator, self.denominator << shift)
        } else {
            (self.numerator << shift, self.denominator)
        };
        let root = RBig::from_parts_signed(n, d).to_f64().value().sqrt();
        // Conversion and root each err by at most half a unit in the last place.
        let power = half + unit;
        Distance {
            lower: times_power_of_two(root.next_down(), power),
            upper: times_power_of_two(root.next_up(), power),
        }
    }
}

/// The square distance of two points.
fn corner_corner(p: &Point<IBig>, q: &Point<IBig>) -> Square {
    let d = difference(p, q);
    Square {
        numerator: dot(&d, &d),
        denominator: IBig::ONE,
    }
}

fn corner_edge(p: &Point<IBig>, edge: [&Point<IBig>; 2]) -> Square {
    let along = difference(edge[1], edge[0]);
    let offset = difference(p, edge[0]);
    let length_sq = dot(&along, &along);
    let t = dot(&offset, &along);
    if t.against_zero().is_le() {
        return corner_corner(p, edge[0]);
    }
    if t >= length_sq {
        return corner_corner(p, edge[1]);
    }
    Square {
        numerator: dot(&offset, &offset) * &length_sq - &t * &t,
        denominator: length_sq,
    }
}

fn edge_edge(p: [&Point<IBig>; 2], q: [&Point<IBig>; 2]) -> Option<Square> {
    let mut best = corner_edge(p[0], q)
        .least(Some(corner_edge(p[1], q)))
        .least(Some(corner_edge(q[0], p)))
        .least(Some(corner_edge(q[1], p)));
    let u = difference(p[1], p[0]);
    let v = difference(q[1], q[0]);
    let offset = difference(q[0], p[0]);
    let normal = cross(&u, &v);
    if !is_zero(&normal) {
        let length_sq = dot(&normal, &normal);
        let s = dot(&cross(&offset, &v), &normal);
        let t = dot(&cross(&offset, &u), &normal);
        let inside = |x: &IBig| x.against_zero().is_ge() && *x <= length_sq;
        if inside(&s) && inside(&t) {
            let height = dot(&offset, &normal);
            best = best.least(Some(Square {
                numerator: &height * &height,
                denominator: length_sq,
            }));
        }
    }
    Some(best)
}

/// The square distance to the face's plane when the corner is above the face.
fn corner_face(p: &Point<IBig>, face: &[Point<IBig>; 3]) -> Option<Square> {
    let normal = cross(
        &difference(&face[1], &face[0]),
        &difference(&face[2], &face[0]),
    );
    if is_zero(&normal) {
        return None;
    }
    for i in 0..3 {
        let edge = difference(&face[(i + 1) % 3], &face[i]);
        let offset = difference(p, &face[i]);
        if dot(&normal, &cross(&edge, &offset)).against_zero().is_lt() {
            return None;
        }
    }
    let height = dot(&normal, &difference(p, &face[0]));
    Some(Square {
        numerator: &height * &height,
        denominator: dot(&normal, &normal),
    })
}

/// `x · 2^power` in steps that stay in range.
fn times_power_of_two(x: f64, power: i32) -> f64 {
    let mut x = x;
    let mut left = power;
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        x *= 2f64.powi(step);
        left -= step;
    }
    x
}
