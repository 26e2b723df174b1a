//! Signs of determinants.

use super::*;

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
