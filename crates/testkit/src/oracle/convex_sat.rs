//! Whether the convex hulls of two sets of points meet, and how deep, by separating axes in integers.
//!
//! The difference body of two hulls has facets of three kinds: parallel to a face of one, of the other, or to an edge
//! of each. All candidates are tried. Faces and edges come from all triples of points whose plane supports the hull, so
//! there is no hull algorithm to trust.

use std::cmp::Ordering;

use dashu_int::IBig;
use impinge::DVec3;

use super::integer::{Integer, Point, common_exponent, cross, difference, dot, is_zero, parts};

/// Coordinates below 2^this keep the deepest polynomial, of degree four, below 2^121.
const NARROW_BITS: i32 = 28;

/// What separating axes say about two hulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HullContact {
    /// They share no point.
    Disjoint,
    /// They share a point, and this is the length of the shortest translation that leaves them without common
    /// interior points.
    Meeting {
        /// That length, correctly rounded up to a few units.
        depth: f64,
    },
}

/// Whether the hulls of two non-empty sets of points share a point.
#[must_use]
pub fn hulls_meet(a: &[DVec3], b: &[DVec3]) -> bool {
    match scaled(a, b) {
        Sets::Narrow(a, b) => meet(&a, &b),
        Sets::Wide(a, b) => meet(&a, &b),
    }
}

/// How the hulls of two non-empty sets of points meet.
#[must_use]
pub fn hull_contact(a: &[DVec3], b: &[DVec3]) -> HullContact {
    if !hulls_meet(a, b) {
        return HullContact::Disjoint;
    }
    let (unit, a, b) = wide(a, b);
    let mut depth_sq = f64::INFINITY;
    for axis in axes(&a, &b) {
        let (low_a, high_a) = span(&a, &axis);
        let (low_b, high_b) = span(&b, &axis);
        let step = high_a.minus(&low_b).min(high_b.minus(&low_a));
        // Both are integers of any size: their ratio is taken before rounding to a float.
        let shift = 200_usize;
        let ratio = ((&step * &step) << shift) / dot(&axis, &axis);
        depth_sq = depth_sq.min(ratio.to_f64().value() * 2.0_f64.powi(-(shift as i32)));
    }
    HullContact::Meeting {
        depth: depth_sq.sqrt() * 2.0_f64.powi(unit),
    }
}

enum Sets {
    Narrow(Vec<Point<i128>>, Vec<Point<i128>>),
    Wide(Vec<Point<IBig>>, Vec<Point<IBig>>),
}

fn scaled(a: &[DVec3], b: &[DVec3]) -> Sets {
    let all: Vec<DVec3> = a.iter().chain(b).copied().collect();
    let unit = common_exponent(&all);
    let fits = all.iter().flat_map(|p| p.to_array()).all(|x| {
        let (mantissa, exponent) = parts(x);
        mantissa == 0
            || exponent - unit + (64 - mantissa.unsigned_abs().leading_zeros() as i32)
                <= NARROW_BITS
    });
    if !fits {
        let (_, a, b) = wide(a, b);
        return Sets::Wide(a, b);
    }
    let narrow = |points: &[DVec3]| {
        let of = |p: &DVec3| {
            p.to_array().map(|x| {
                let (mantissa, exponent) = parts(x);
                i128::from(mantissa) << (exponent - unit).clamp(0, NARROW_BITS)
            })
        };
        points.iter().map(of).collect()
    };
    Sets::Narrow(narrow(a), narrow(b))
}

fn wide(a: &[DVec3], b: &[DVec3]) -> (i32, Vec<Point<IBig>>, Vec<Point<IBig>>) {
    let all: Vec<DVec3> = a.iter().chain(b).copied().collect();
    let unit = common_exponent(&all);
    let convert = |points: &[DVec3]| {
        let of = |p: &DVec3| {
            p.to_array().map(|x| {
                let (mantissa, exponent) = parts(x);
                IBig::from(mantissa) << (exponent - unit).max(0).unsigned_abs() as usize
            })
        };
        points.iter().map(of).collect::<Vec<_>>()
    };
    (unit, convert(a), convert(b))
}

/// The smallest and largest product with an axis.
fn span<I: Integer>(points: &[Point<I>], axis: &Point<I>) -> (I, I) {
    let mut low = dot(&points[0], axis);
    let mut high = low.clone();
    for p in &points[1..] {
        let along = dot(p, axis);
        if along.compare(&low) == Ordering::Less {
            low = along;
        } else if along.compare(&high) == Ordering::Greater {
            high = along;
        }
    }
    (low, high)
}

fn separates<I: Integer>(a: &[Point<I>], b: &[Point<I>], axis: &Point<I>) -> bool {
    let (low_a, high_a) = span(a, axis);
    let (low_b, high_b) = span(b, axis);
    high_a.compare(&low_b) == Ordering::Less || high_b.compare(&low_a) == Ordering::Less
}

fn meet<I: Integer>(a: &[Point<I>], b: &[Point<I>]) -> bool {
    !axes(a, b).iter().any(|axis| separates(a, b, axis))
}

/// Normals of supporting planes through three points, and the directions of their sides.
fn features<I: Integer>(points: &[Point<I>]) -> (Vec<Point<I>>, Vec<Point<I>>) {
    let mut normals = Vec::new();
    let mut is_side = vec![false; points.len() * points.len()];
    let n = points.len();
    for i in 0..n {
        for j in i + 1..n {
            let ij = difference(&points[j], &points[i]);
            for k in j + 1..n {
                let normal = cross(&ij, &difference(&points[k], &points[i]));
                if is_zero(&normal) {
                    continue;
                }
                let level = dot(&normal, &points[i]);
                let mut sides = [false; 2];
                for p in points {
                    match dot(&normal, p).compare(&level) {
                        Ordering::Less => sides[0] = true,
                        Ordering::Greater => sides[1] = true,
                        Ordering::Equal => {}
                    }
                    if sides == [true; 2] {
                        break;
                    }
                }
                if sides != [true; 2] {
                    normals.push(normal);
                    for (p, q) in [(i, j), (j, k), (i, k)] {
                        is_side[p * n + q] = true;
                    }
                }
            }
        }
    }
    // Collinear points have no such triple: all their differences are along their line.
    let all = normals.is_empty();
    let mut sides = Vec::new();
    for p in 0..n {
        for q in p + 1..n {
            let side = difference(&points[q], &points[p]);
            if (all || is_side[p * n + q]) && !is_zero(&side) {
                sides.push(side);
            }
        }
    }
    (normals, sides)
}

/// Directions that contain every facet normal of the difference body, and for a flat body what separates within its
/// plane or line.
fn axes<I: Integer>(a: &[Point<I>], b: &[Point<I>]) -> Vec<Point<I>> {
    let ((mut axes, sides_a), (normals_b, sides_b)) = (features(a), features(b));
    axes.extend(normals_b);
    for e in &sides_a {
        for f in &sides_b {
            axes.push(cross(e, f));
        }
    }
    axes.retain(|axis| !is_zero(axis));
    let offset = difference(&b[0], &a[0]);
    match axes.first().cloned() {
        None => {
            // All differences of each set are along one line, the same for both, or there are none.
            match sides_a.first().or(sides_b.first()) {
                Some(side) => {
                    axes.push(side.clone());
                    axes.push(cross(side, &cross(&offset, side)));
                }
                None => axes.push(offset),
            }
        }
        Some(normal) => {
            let all = || {
                a.iter()
                    .map(|p| (p, &a[0]))
                    .chain(b.iter().map(|p| (p, &b[0])))
            };
            if all().all(|(p, q)| dot(&difference(p, q), &normal).against_zero().is_eq()) {
                for side in sides_a.iter().chain(&sides_b) {
                    axes.push(cross(&normal, side));
                }
            }
        }
    }
    axes.retain(|axis| !is_zero(axis));
    axes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(at: f64) -> Vec<DVec3> {
        (0..8)
            .map(|i| {
                DVec3::new(
                    at + f64::from(i & 1),
                    f64::from(i >> 1 & 1),
                    f64::from(i >> 2),
                )
            })
            .collect()
    }

    #[test]
    fn cubes_meet_until_they_part() {
        assert_eq!(
            hull_contact(&cube(0.0), &cube(0.75)),
            HullContact::Meeting { depth: 0.25 }
        );
        assert_eq!(
            hull_contact(&cube(0.0), &cube(1.0)),
            HullContact::Meeting { depth: 0.0 }
        );
        assert_eq!(
            hull_contact(&cube(0.0), &cube(1.0_f64.next_up())),
            HullContact::Disjoint
        );
    }

    #[test]
    fn flat_hulls_are_decided_within_their_plane_and_line() {
        let p = |x: f64, y: f64| DVec3::new(x, y, 1.0);
        assert!(!hulls_meet(
            &[p(0.0, 0.0), p(1.0, 0.0)],
            &[p(0.0, 1.0), p(1.0, 1.0)]
        ));
        assert!(!hulls_meet(
            &[p(0.0, 0.0), p(1.0, 0.0)],
            &[p(2.0, 0.0), p(3.0, 0.0)]
        ));
        assert!(hulls_meet(
            &[p(0.0, 0.0), p(2.0, 2.0)],
            &[p(0.0, 2.0), p(2.0, 0.0)]
        ));
        assert!(hulls_meet(&[p(1.0, 1.0)], &[p(1.0, 1.0)]));
        assert!(!hulls_meet(&[p(1.0, 1.0)], &[p(1.0, 2.0)]));
        assert!(!hulls_meet(
            &[p(0.0, 0.0), p(2.0, 0.0), p(0.0, 2.0)],
            &[p(2.0, 2.0), p(3.0, 2.0), p(2.0, 1.0)]
        ));
        assert!(hulls_meet(
            &[p(0.0, 0.0), p(2.0, 0.0), p(0.0, 2.0)],
            &[p(1.0, 1.0), p(3.0, 2.0), p(2.0, 1.0)]
        ));
    }
}
