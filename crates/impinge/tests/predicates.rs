//! Exact predicates and exact triangle contact, against integer arithmetic that shares nothing with them.

use impinge::geom::{
    Contact, Overlap, certified_contact, segment_meets_triangle, triangle_contact,
    triangle_overlap, triangles_intersect,
};
use impinge::math::{
    MAX_COORDINATE, Rng, Sign, incircle, insphere, orient2d, orient3d, orient3d_filter,
};
use impinge::{DVec2, DVec3};

type V3 = [i128; 3];
type Face = [DVec3; 3];

fn sign(x: i128) -> Sign {
    match x.signum() {
        1 => Sign::Positive,
        -1 => Sign::Negative,
        _ => Sign::Zero,
    }
}

fn float(p: V3) -> DVec3 {
    DVec3::from_array(p.map(|x| {
        assert_eq!((x as f64) as i128, x, "must be exact");
        x as f64
    }))
}

fn minus(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn times(a: V3, k: i128) -> V3 {
    a.map(|x| x * k)
}

fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: V3, b: V3) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// 2^k, also where that is denormal.
fn two_to(k: i32) -> f64 {
    let half = |k: i32| f64::from_bits(((k + 1023) as u64) << 52);
    half(k / 2) * half(k - k / 2)
}

fn integer_in(rng: &mut Rng, bits: u32) -> i128 {
    i128::from(rng.below(2 << bits)) - (1 << bits)
}

fn integer_point(rng: &mut Rng, bits: u32) -> V3 {
    [0; 3].map(|_| integer_in(rng, bits))
}

fn nudge(rng: &mut Rng, p: V3) -> V3 {
    p.map(|x| x + i128::from(rng.below(3)) - 1)
}

// ---- predicates ----------------------------------------------------------------------------------

#[test]
fn orient2d_agrees_with_integers_near_and_far_from_collinear() {
    let mut rng = Rng::new(11);
    for round in 0..60_000 {
        let bits = [3, 20, 48][round % 3];
        let [a, b] = [0; 2].map(|_| integer_point(&mut rng, bits));
        let c = if round % 2 == 0 {
            integer_point(&mut rng, bits)
        } else {
            let k = integer_in(&mut rng, 2);
            nudge(&mut rng, [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * k))
        };
        let (u, v) = (minus(a, c), minus(b, c));
        let expected = sign(u[0] * v[1] - u[1] * v[0]);
        let [a, b, c] = [a, b, c].map(|p| float(p).truncate());
        assert_eq!(orient2d(a, b, c), expected, "{a} {b} {c}");
        // Each axis may be scaled by its own power of two without changing the sign.
        let scales = [
            (-1074, -1074),
            (90, -1074),
            (-537, -537),
            (-456, -456),
            (-300, -700),
            (90, 90),
        ];
        for (i, j) in scales {
            let [a, b, c] = [a, b, c].map(|p| p * DVec2::new(two_to(i), two_to(j)));
            assert_eq!(orient2d(a, b, c), expected, "{a} {b} {c}");
        }
    }
}

#[test]
fn orient3d_agrees_with_integers_near_and_far_from_coplanar() {
    let mut rng = Rng::new(12);
    for round in 0..60_000 {
        let bits = [2, 12, 37][round % 3];
        let [a, b, c] = [0; 3].map(|_| integer_point(&mut rng, bits));
        let d = if round % 2 == 0 {
            integer_point(&mut rng, bits)
        } else {
            let (j, k) = (integer_in(&mut rng, 1), integer_in(&mut rng, 1));
            let d = [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * j + (c[i] - a[i]) * k);
            if round % 4 == 1 {
                nudge(&mut rng, d)
            } else {
                d
            }
        };
        let [u, v, w] = [minus(a, d), minus(b, d), minus(c, d)];
        let expected = sign(dot(u, cross(v, w)));
        let scales = [
            (0, 0, 0),
            (40, 40, 40),
            (-40, -40, -40),
            (100, 100, 100),
            (-500, -500, -500),
            (-1074, -1074, -1074),
            (100, -1074, 0),
            (-350, -360, -370),
            (-304, -304, -304),
            (100, 100, -1074),
        ];
        for (i, j, k) in scales {
            let scale = DVec3::new(two_to(i), two_to(j), two_to(k));
            let [a, b, c, d] = [a, b, c, d].map(|p| float(p) * scale);
            assert_eq!(orient3d(a, b, c, d), expected, "{a} {b} {c} {d}");
            if let Some(filtered) = orient3d_filter(a, b, c, d) {
                assert_eq!(filtered, expected, "{a} {b} {c} {d}");
            }
        }
    }
}

#[test]
fn incircle_agrees_with_integers_near_and_far_from_cocircular() {
    let mut rng = Rng::new(13);
    let on_circle = [[5, 0], [3, 4], [0, 5], [-4, 3], [4, -3], [-5, 0], [-3, -4]];
    for round in 0..30_000 {
        let mut point = || match round % 3 {
            0 => integer_point(&mut rng, 3),
            1 => integer_point(&mut rng, 20),
            _ => {
                let [x, y] = on_circle[rng.below(7) as usize];
                let p = [x << 20, y << 20, 0];
                if rng.below(4) == 0 {
                    nudge(&mut rng, p)
                } else {
                    p
                }
            }
        };
        let [a, b, c, d] = [0; 4].map(|_| point());
        let [u, v, w] = [a, b, c].map(|p| [p[0] - d[0], p[1] - d[1]]);
        let minor = |p: [i128; 2], q: [i128; 2]| p[0] * q[1] - p[1] * q[0];
        let lift = |p: [i128; 2]| p[0] * p[0] + p[1] * p[1];
        let expected = sign(lift(u) * minor(v, w) + lift(v) * minor(w, u) + lift(w) * minor(u, v));
        for k in [0, 40, -40, 120, -228, -240, -268, -1074] {
            let [a, b, c, d] = [a, b, c, d].map(|p| float(p).truncate() * two_to(k));
            assert_eq!(incircle(a, b, c, d), expected, "{a} {b} {c} {d}");
        }
    }
}

#[test]
fn insphere_agrees_with_integers_near_and_far_from_cospherical() {
    let mut rng = Rng::new(14);
    let on_sphere = [
        [3, 0, 0],
        [0, 3, 0],
        [1, 2, 2],
        [2, -1, 2],
        [-2, -2, 1],
        [0, 0, -3],
        [-1, 2, -2],
    ];
    for round in 0..20_000 {
        let mut point = || match round % 3 {
            0 => integer_point(&mut rng, 3),
            1 => integer_point(&mut rng, 18),
            _ => {
                let p = times(on_sphere[rng.below(7) as usize], 1 << 17);
                if rng.below(5) == 0 {
                    nudge(&mut rng, p)
                } else {
                    p
                }
            }
        };
        let [a, b, c, d, e] = [0; 5].map(|_| point());
        let [s, t, u, v] = [a, b, c, d].map(|p| minus(p, e));
        let det = |p: V3, q: V3, r: V3| dot(p, cross(q, r));
        let expected = sign(
            dot(v, v) * det(s, t, u) - dot(u, u) * det(s, t, v) + dot(t, t) * det(s, u, v)
                - dot(s, s) * det(t, u, v),
        );
        for k in [0, 40, -40, 120, -182, -190, -214, -1074] {
            let [a, b, c, d, e] = [a, b, c, d, e].map(|p| float(p) * two_to(k));
            assert_eq!(insphere(a, b, c, d, e), expected, "{a} {b} {c} {d} {e}");
        }
    }
}

#[test]
fn one_denormal_decides_between_huge_coordinates() {
    let huge = 4.0 * MAX_COORDINATE;
    let tiny = f64::from_bits(1);
    let flat = [
        DVec3::new(huge, 0.0, 0.0),
        DVec3::new(0.0, huge, 0.0),
        DVec3::new(-huge, -huge, 0.0),
    ];
    let [a, b, c] = flat;
    let cases = [
        (tiny, Sign::Negative),
        (-tiny, Sign::Positive),
        (0.0, Sign::Zero),
    ];
    for (z, expected) in cases {
        assert_eq!(orient3d(a, b, c, DVec3::new(1.0, 1.0, z)), expected);
        assert_eq!(orient3d(a, b, c, DVec3::new(tiny, 1.0, z)), expected);
        let [left, right] = [DVec2::new(-huge, 0.0), DVec2::new(huge, 0.0)];
        let side = orient2d(left, right, DVec2::new(1.0, z));
        assert_eq!(side, expected.reversed());
        let hovering = flat.map(|p| p + DVec3::new(0.0, 0.0, z));
        assert_eq!(triangles_intersect(&flat, &hovering), z == 0.0);
    }
}

#[test]
fn nothing_panics_on_input_that_is_not_finite() {
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        -0.0,
        1.0,
        f64::from_bits(1),
    ];
    let mut rng = Rng::new(15);
    for _ in 0..20_000 {
        let mut point = || DVec3::from_array([0; 3].map(|_| odd[rng.below(7) as usize]));
        let [a, b, c, d, e, f] = [0; 6].map(|_| point());
        let _ = orient2d(a.truncate(), b.truncate(), c.truncate());
        let _ = incircle(a.truncate(), b.truncate(), c.truncate(), d.truncate());
        let _ = (orient3d(a, b, c, d), insphere(a, b, c, d, e));
        let (t, u) = ([a, b, c], [d, e, f]);
        let _ = (triangle_contact(&t, &u), triangle_overlap(&t, &u));
        let _ = segment_meets_triangle(a, b, &u);
    }
}

#[test]
fn random_input_almost_never_leaves_the_filters() {
    let mut rng = Rng::new(16);
    let (mut predicates, mut pairs) = (0, 0);
    for _ in 0..300_000 {
        let [a, b, c, d, e, f] = [0; 6].map(|_| rng.cube());
        predicates += usize::from(orient3d_filter(a, b, c, d).is_none());
        pairs += usize::from(certified_contact(&[a, b, c], &[d, e, f]).is_none());
    }
    assert!(predicates <= 1 && pairs <= 1, "{predicates} {pairs}");
}

// ---- triangles against rational arithmetic -------------------------------------------------------

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

fn dimension(overlap: &Overlap) -> i32 {
    match overlap {
        Overlap::None => -1,
        Overlap::Point(_) => 0,
        Overlap::Segment(_) => 1,
        Overlap::Polygon(_) => 2,
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
fn check_corners(overlap: &Overlap, shared: &[Rational], a: &Face, b: &Face) {
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
    if let Overlap::Polygon(polygon) = overlap {
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

// ---- laws ----------------------------------------------------------------------------------------

fn answers(a: &Face, b: &Face) -> (Contact, bool, i32) {
    let overlap = triangle_overlap(a, b);
    let meet = triangles_intersect(a, b);
    (triangle_contact(a, b), meet, dimension(&overlap))
}

/// In turn: pairs on a grid, random pairs that share points up to rounding, random pairs.
fn any_pair(rng: &mut Rng, round: usize) -> (Face, Face) {
    if round.is_multiple_of(3) {
        let mut grid = || DVec3::new(rng.grid(-2, 2), rng.grid(-2, 2), rng.grid(-2, 2));
        return ([grid(), grid(), grid()], [grid(), grid(), grid()]);
    }
    let a = [rng.cube(), rng.cube(), rng.cube()];
    let mut b = [rng.cube(), rng.cube(), rng.cube()];
    if round % 3 == 1 {
        let moved = 1 + rng.below(3) as usize;
        for p in &mut b[..moved] {
            let (s, t) = (rng.unit(), rng.unit() * rng.below(2) as f64);
            *p = a[0] + (a[1] - a[0]) * s + (a[2] - a[0]) * t;
        }
    }
    (a, b)
}

#[test]
fn answers_do_not_depend_on_the_order_of_triangles_or_vertices() {
    let mut rng = Rng::new(31);
    for round in 0..30_000 {
        let (a, b) = any_pair(&mut rng, round);
        let expected = answers(&a, &b);
        assert_eq!(expected.0 != Contact::Disjoint, expected.1);
        assert_eq!(expected.1, expected.2 >= 0);
        assert_eq!(answers(&b, &a), expected, "{a:?} {b:?}");
        for [i, j, k] in [[1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
            let (pa, pb) = ([a[i], a[j], a[k]], [b[i], b[j], b[k]]);
            assert_eq!(answers(&pa, &b), expected, "{a:?} {b:?}");
            assert_eq!(answers(&a, &pb), expected, "{a:?} {b:?}");
            assert_eq!(answers(&pb, &pa), expected, "{a:?} {b:?}");
        }
    }
}

#[test]
fn answers_do_not_depend_on_exact_turns_mirrors_and_scales() {
    let mut rng = Rng::new(32);
    for round in 0..15_000 {
        let (a, b) = any_pair(&mut rng, round);
        let expected = answers(&a, &b);
        let moves: [fn(DVec3) -> DVec3; 11] = [
            |p| DVec3::new(-p.y, p.x, p.z),
            |p| DVec3::new(p.x, -p.z, p.y),
            |p| DVec3::new(p.z, p.y, -p.x),
            |p| -p,
            |p| p * two_to(40),
            |p| p * two_to(-40),
            |p| p * two_to(140),
            |p| p * two_to(-500),
            |p| p * two_to(-356),
            |p| p * DVec3::new(two_to(140), two_to(-700), 1.0),
            |p| p * DVec3::new(two_to(100), two_to(-560), two_to(-606)),
        ];
        for (i, step) in moves.iter().enumerate() {
            let moved = answers(&a.map(step), &b.map(step));
            assert_eq!(moved, expected, "{i} {a:?} {b:?}");
        }
        if round % 3 == 0 {
            // Exact on the grid alone: down to denormals, and far away.
            let moves: [fn(DVec3) -> DVec3; 3] = [
                |p| p * two_to(-1074),
                |p| p * 4.0 + 7.0,
                |p| p + DVec3::new(two_to(45), -two_to(44), 12345.0),
            ];
            for (i, step) in moves.iter().enumerate() {
                let moved = answers(&a.map(step), &b.map(step));
                assert_eq!(moved, expected, "{i} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_segment_meets_a_triangle_exactly_when_the_degenerate_triangle_does() {
    let mut rng = Rng::new(33);
    for round in 0..60_000 {
        let ([p, q, _], b) = any_pair(&mut rng, round);
        let expected = triangles_intersect(&[p, q, q], &b);
        assert_eq!(segment_meets_triangle(p, q, &b), expected, "{p} {q} {b:?}");
        assert_eq!(triangles_intersect(&b, &[q, p, q]), expected);
        let [r, s, _] = b;
        let one_way = segment_meets_triangle(p, q, &[r, s, r]);
        assert_eq!(one_way, segment_meets_triangle(r, s, &[p, q, p]));
    }
}

#[test]
fn overlap_corners_lie_on_both_triangles_up_to_the_stated_error() {
    let mut rng = Rng::new(34);
    for round in 0..60_000 {
        let (a, b) = any_pair(&mut rng, round);
        let overlap = triangle_overlap(&a, &b);
        for t in [&a, &b] {
            let normal = (t[1] - t[0]).cross(t[2] - t[0]);
            let length = normal.length();
            // Slivers have no plane worth measuring against.
            if length < 1e-3 {
                continue;
            }
            for corner in overlap.corners() {
                let height = normal.dot(*corner - t[0]) / length;
                assert!(height.abs() < 1e-11, "{height} {a:?} {b:?}");
                for i in 0..3 {
                    let inward = normal.cross(t[(i + 1) % 3] - t[i]) / length;
                    let depth = inward.dot(*corner - t[i]);
                    assert!(depth > -1e-9, "{depth} {a:?} {b:?}");
                }
            }
        }
    }
}
