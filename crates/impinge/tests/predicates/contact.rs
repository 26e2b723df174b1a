//! Two triangles against rational arithmetic.

use super::*;

/// A rational point: coordinates over one positive denominator.
#[derive(Clone, Copy, Debug)]
struct Rational {
    x: V3,
    over: i128,
}

impl Rational {
    fn new(x: V3, over: i128) -> Self {
        assert_ne!(over, 0);
        let shared = x.into_iter().fold(over.abs(), gcd) * over.signum();
        Self {
            x: x.map(|x| x / shared),
            over: over / shared,
        }
    }

    /// The vector from an integer point, times the denominator.
    fn relative_to(&self, p: V3) -> V3 {
        minus(self.x, times(p, self.over))
    }

    fn equals(&self, other: &Self) -> bool {
        times(self.x, other.over) == times(other.x, self.over)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Region {
    Outside,
    Border,
    Interior,
}

/// Where a rational point lies relative to the hull of three integer points (the relative border and interior).
fn region(p: &Rational, [a, b, c]: [V3; 3]) -> Region {
    let n = cross(minus(b, a), minus(c, a));
    if n != [0; 3] {
        if dot(n, p.relative_to(a)) != 0 {
            return Region::Outside;
        }
        let edges = [(a, b), (b, c), (c, a)];
        let inward = edges.map(|(q, r)| dot(n, cross(minus(r, q), p.relative_to(q))));
        return match inward.iter().min() {
            Some(1..) => Region::Interior,
            Some(0) => Region::Border,
            _ => Region::Outside,
        };
    }
    // Collinear: the two points farthest apart span the hull.
    let pairs = [(a, b), (b, c), (c, a)];
    let length_sq = |(q, r): &(V3, V3)| dot(minus(*r, *q), minus(*r, *q));
    let (q, r) = pairs.into_iter().max_by_key(length_sq).unwrap_or((a, a));
    let d = minus(r, q);
    let offset = p.relative_to(q);
    if d == [0; 3] {
        return if offset == [0; 3] {
            Region::Interior
        } else {
            Region::Outside
        };
    }
    let (along, full) = (dot(offset, d), dot(d, d) * p.over);
    if cross(offset, d) != [0; 3] || along < 0 || along > full {
        Region::Outside
    } else if along == 0 || along == full {
        Region::Border
    } else {
        Region::Interior
    }
}

/// Points of the intersection of two hulls, all its extreme points among them.
fn shared_points(a: [V3; 3], b: [V3; 3]) -> Vec<Rational> {
    let mut found = Vec::new();
    for (t, u) in [(a, b), (b, a)] {
        let n = cross(minus(u[1], u[0]), minus(u[2], u[0]));
        for i in 0..3 {
            let (p, d) = (t[i], minus(t[(i + 1) % 3], t[i]));
            found.push(Rational::new(p, 1));
            let at = |num: i128, den: i128| {
                Rational::new([0, 1, 2].map(|k| p[k] * den + d[k] * num), den)
            };
            // The line p + s·d with the plane of u.
            let den = dot(n, d);
            if den != 0 {
                found.push(at(dot(n, minus(u[0], p)), den));
            }
            // The line with the lines of u's edges: p + s·d = q + r·e.
            for j in 0..3 {
                let (q, e) = (u[j], minus(u[(j + 1) % 3], u[j]));
                let c = cross(d, e);
                let den = dot(c, c);
                if den != 0 && dot(minus(q, p), c) == 0 {
                    found.push(at(dot(cross(minus(q, p), e), c), den));
                }
            }
        }
    }
    found.retain(|p| region(p, a) != Region::Outside && region(p, b) != Region::Outside);
    found
}

/// The contact and the dimension of the intersection (-1 when empty).
fn truth(a: [V3; 3], b: [V3; 3], shared: &[Rational]) -> (Contact, i32) {
    let Some(first) = shared.first() else {
        return (Contact::Disjoint, -1);
    };
    // A combination with positive weights (the denominators) lies in the relative interior of the
    // intersection, and that is the intersection of the relative interiors if these meet at all.
    let nothing = Rational { x: [0; 3], over: 0 };
    let inner = shared.iter().fold(nothing, |z, p| Rational {
        x: [0, 1, 2].map(|k| z.x[k] + p.x[k]),
        over: z.over + p.over,
    });
    let contact = if region(&inner, a) == Region::Interior && region(&inner, b) == Region::Interior
    {
        Contact::Crossing
    } else {
        Contact::Touching
    };
    let Some(second) = shared.iter().find(|p| !p.equals(first)) else {
        return (contact, 0);
    };
    let offset = |p: &Rational| minus(times(p.x, first.over), times(first.x, p.over));
    // Parallel vectors reduce to the same shortest one, up to its sign; no products that could overflow.
    let shortest = |v: V3| {
        let d = v.into_iter().fold(0, gcd).max(1);
        v.map(|x| x / d)
    };
    let d = shortest(offset(second));
    let collinear = shared.iter().all(|p| {
        let v = shortest(offset(p));
        v == d || v == times(d, -1) || v == [0; 3]
    });
    (contact, if collinear { 1 } else { 2 })
}

pub(crate) fn dimension(overlap: &TriangleOverlap) -> i32 {
    match overlap {
        TriangleOverlap::None => -1,
        TriangleOverlap::Point(_) => 0,
        TriangleOverlap::Segment(_) => 1,
        TriangleOverlap::Polygon(_) => 2,
    }
}

/// Compares all answers about a pair with the rational ones.
fn check(a: [V3; 3], b: [V3; 3]) -> Contact {
    let shared = shared_points(a, b);
    let (contact, dim) = truth(a, b, &shared);
    let (fa, fb) = (a.map(float), b.map(float));
    assert_eq!(triangle_contact(&fa, &fb), contact, "{a:?} {b:?}");
    let meet = contact != Contact::Disjoint;
    assert_eq!(triangles_intersect(&fa, &fb), meet, "{a:?} {b:?}");
    if let Some(certified) = certified_contact(&fa, &fb) {
        assert_eq!(certified, contact, "{a:?} {b:?}");
    }
    let overlap = triangle_overlap(&fa, &fb);
    assert_eq!(dimension(&overlap), dim, "{a:?} {b:?} {overlap:?}");
    check_corners(&overlap, &shared, &fa, &fb);
    contact
}

/// Every corner is a shared point, up to rounding, and together they reach as far as all shared points do.
fn check_corners(overlap: &TriangleOverlap, shared: &[Rational], a: &Face, b: &Face) {
    let corners = overlap.corners();
    let points: Vec<DVec3> = shared
        .iter()
        .map(|p| DVec3::from_array(p.x.map(|x| x as f64 / p.over as f64)))
        .collect();
    let largest = |m: f64, p: &DVec3| m.max(p.abs().max_element());
    let size = a.iter().chain(b).fold(1.0, largest);
    for corner in corners {
        let near = |p: &DVec3| (*p - *corner).length() < 1e-11 * size;
        assert!(points.iter().any(near), "{corner} {points:?}");
    }
    for x in [-3.0, 0.0, 1.0, 2.0] {
        for y in [-2.0, -1.0, 0.5] {
            let direction = DVec3::new(x, y, 1.0 - x * y);
            let heights = |points: &[DVec3]| {
                let heights = points.iter().map(|p| p.dot(direction));
                heights.fold(f64::MIN, f64::max)
            };
            let gap = (heights(&points) - heights(corners)).abs();
            assert!(gap < 1e-10 * size, "{corners:?} {points:?}");
        }
    }
    for t in [a, b] {
        let min = t[0].min(t[1]).min(t[2]);
        let max = t[0].max(t[1]).max(t[2]);
        let inside = |p: &DVec3| p.cmpge(min).all() && p.cmple(max).all();
        assert!(corners.iter().all(inside), "{corners:?} {a:?} {b:?}");
    }
    if let TriangleOverlap::Polygon(polygon) = overlap {
        // Convex, and turning as a does.
        let normal = (a[1] - a[0]).cross(a[2] - a[0]);
        let c = polygon.corners();
        for i in 0..c.len() {
            let (p, q, r) = (c[i], c[(i + 1) % c.len()], c[(i + 2) % c.len()]);
            let turn = (q - p).cross(r - q).dot(normal);
            assert!(turn > -1e-9 * size.powi(4), "{c:?} of {a:?} {b:?}");
        }
    }
}

#[test]
fn contact_and_overlap_agree_with_rational_arithmetic_on_small_grids() {
    let mut rng = Rng::new(21);
    let mut seen = [0; 3];
    for round in 0..240_000 {
        let side = [2, 3, 4, 5][round % 4];
        // Some in one plane, so that polygons are common.
        let flat = round % 5 == 0;
        let mut point = || {
            let mut p = [0; 3].map(|_| i128::from(rng.below(side)));
            if flat {
                p[2] = p[0] - 2 * p[1];
            }
            p
        };
        let (a, b) = ([0; 3].map(|_| point()), [0; 3].map(|_| point()));
        seen[check(a, b) as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 10_000), "{seen:?}");
}

#[test]
fn contact_and_overlap_agree_with_rational_arithmetic_near_degenerate() {
    let mut rng = Rng::new(22);
    for round in 0..60_000 {
        let mut point = || {
            let mut p = [0; 3].map(|_| i128::from(rng.below(4)) * 256);
            if round % 3 == 0 {
                p[2] = p[0] + p[1];
            }
            if rng.below(3) == 0 {
                nudge(&mut rng, p)
            } else {
                p
            }
        };
        check([0; 3].map(|_| point()), [0; 3].map(|_| point()));
    }
}

#[test]
fn segment_meets_triangle_agrees_with_rational_arithmetic_on_small_grids() {
    let mut rng = Rng::new(23);
    let mut met = 0;
    for round in 0..100_000 {
        let side = [2, 3, 4][round % 3];
        let mut point = || [0; 3].map(|_| i128::from(rng.below(side)));
        let ([p, q], t) = ([0; 2].map(|_| point()), [0; 3].map(|_| point()));
        let expected = !shared_points([p, q, q], t).is_empty();
        let (p, q, t) = (float(p), float(q), t.map(float));
        assert_eq!(segment_meets_triangle(p, q, &t), expected, "{p} {q} {t:?}");
        assert_eq!(segment_meets_triangle(q, p, &t), expected, "{p} {q} {t:?}");
        met += usize::from(expected);
    }
    assert!(met > 20_000, "{met}");
}
