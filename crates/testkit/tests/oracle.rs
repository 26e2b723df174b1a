//! The oracle against known answers, its own symmetries, and a second method.

use impinge::math::Rng;
use impinge::{DVec3, TriMesh};
use impinge_testkit::generate::{grid, meshes, poses, triangles};
use impinge_testkit::laws::triangle_laws;
use impinge_testkit::oracle::Contact::{Crossing, Disjoint, Touching};
use impinge_testkit::oracle::{Contact, Place, Triangle, contact, locate, triangle_distance};

fn t(c: [[i32; 3]; 3]) -> Triangle {
    c.map(|p| DVec3::from_array(p.map(f64::from)))
}

/// The triangle that most cases are about: right-angled, in the plane z = 0.
const BASE: [[i32; 3]; 3] = [[0, 0, 0], [4, 0, 0], [0, 4, 0]];

#[test]
#[rustfmt::skip]
fn known_answers() {
    let cases: &[(&str, [[i32; 3]; 3], Contact)] = &[
        // Parallel planes.
        ("above", [[0, 0, 1], [4, 0, 1], [0, 4, 1]], Disjoint),
        ("below, shifted", [[1, 1, -2], [5, 1, -2], [1, 5, -2]], Disjoint),
        // The same plane.
        ("itself", BASE, Crossing),
        ("itself, turned over", [[0, 0, 0], [0, 4, 0], [4, 0, 0]], Crossing),
        ("inside it", [[1, 1, 0], [2, 1, 0], [1, 2, 0]], Crossing),
        ("inside it, sharing a corner", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], Crossing),
        ("around it", [[-9, -9, 0], [30, -9, 0], [-9, 30, 0]], Crossing),
        ("its other half of the square", [[4, 0, 0], [0, 4, 0], [4, 4, 0]], Touching),
        ("sharing part of an edge line", [[1, 0, 0], [3, 0, 0], [2, -3, 0]], Touching),
        ("sharing one corner", [[4, 0, 0], [8, 0, 0], [8, 4, 0]], Touching),
        ("its corner on the long edge", [[2, 2, 0], [5, 5, 0], [5, 4, 0]], Touching),
        ("next to it", [[5, 0, 0], [9, 0, 0], [9, 4, 0]], Disjoint),
        ("across the long edge's line but clear", [[3, 2, 0], [5, 2, 0], [3, 4, 0]], Disjoint),
        ("star", [[3, 3, 0], [-1, 3, 0], [3, -1, 0]], Crossing),
        ("a corner poking in", [[1, 1, 0], [9, 1, 0], [9, 2, 0]], Crossing),
        // Standing on it.
        ("standing on a corner inside", [[1, 1, 0], [1, 1, 4], [2, 1, 4]], Touching),
        ("standing on a corner on an edge", [[2, 0, 0], [2, 0, 4], [2, 1, 4]], Touching),
        ("standing on a corner on a corner", [[0, 0, 0], [0, 0, 4], [1, 1, 4]], Touching),
        ("standing on a corner outside", [[5, 5, 0], [5, 5, 4], [6, 5, 4]], Disjoint),
        ("standing on an edge inside", [[1, 1, 0], [2, 1, 0], [1, 1, 4]], Touching),
        ("standing on an edge through", [[-9, 1, 0], [9, 1, 0], [1, 1, 4]], Touching),
        ("standing on an edge outside", [[5, 5, 0], [6, 5, 0], [5, 5, 4]], Disjoint),
        ("standing on its edge", [[0, 0, 0], [4, 0, 0], [0, 0, 4]], Touching),
        ("standing on part of its edge", [[1, 0, 0], [9, 0, 0], [1, 0, 4]], Touching),
        // Through it.
        ("through the inside", [[1, 1, -1], [1, 1, 3], [2, 1, 3]], Crossing),
        ("wide, through the inside", [[-9, 1, -9], [9, 1, -9], [0, 1, 9]], Crossing),
        ("through, leaving across an edge", [[1, 1, -1], [1, 1, 1], [9, 9, 0]], Crossing),
        ("an edge through an edge", [[2, 0, -1], [2, 0, 1], [2, -4, 0]], Touching),
        ("an edge through a corner", [[4, 0, -1], [4, 0, 1], [8, 0, 0]], Touching),
        ("an edge through the inside, rest aside", [[1, 1, -1], [1, 1, 1], [1, -9, 0]], Crossing),
        ("an edge beside an edge", [[2, -1, -1], [2, -1, 1], [2, -4, 0]], Disjoint),
        ("the plane cut, but elsewhere", [[9, 9, -1], [9, 9, 1], [9, 10, 1]], Disjoint),
        ("through its edge's line beyond the end", [[5, 0, -1], [5, 0, 1], [9, 0, 0]], Disjoint),
        ("containing its edge's middle only", [[2, -1, -1], [2, -1, 1], [2, 0, 0]], Touching),
        // Segments.
        ("segment through the inside", [[1, 1, -1], [1, 1, 1], [1, 1, 0]], Crossing),
        ("segment through an edge", [[2, 0, -1], [2, 0, 1], [2, 0, -1]], Touching),
        ("segment through a corner", [[0, 0, -1], [0, 0, 1], [0, 0, 1]], Touching),
        ("segment ending inside", [[1, 1, 0], [1, 1, 5], [1, 1, 5]], Touching),
        ("segment lying inside", [[1, 1, 0], [2, 1, 0], [1, 1, 0]], Crossing),
        ("segment lying on an edge", [[1, 0, 0], [3, 0, 0], [2, 0, 0]], Touching),
        ("segment lying across", [[-9, 1, 0], [9, 1, 0], [0, 1, 0]], Crossing),
        ("segment ending on an edge from outside", [[2, 2, 0], [3, 3, 0], [4, 4, 0]], Touching),
        ("segment beside", [[5, 5, 0], [6, 6, 0], [7, 7, 0]], Disjoint),
        ("segment above", [[1, 1, 1], [2, 1, 1], [1, 2, 1]], Disjoint),
        // Points.
        ("point inside", [[1, 1, 0], [1, 1, 0], [1, 1, 0]], Crossing),
        ("point on an edge", [[2, 2, 0], [2, 2, 0], [2, 2, 0]], Touching),
        ("point on a corner", [[0, 4, 0], [0, 4, 0], [0, 4, 0]], Touching),
        ("point outside, in the plane", [[3, 3, 0], [3, 3, 0], [3, 3, 0]], Disjoint),
        ("point above", [[1, 1, 1], [1, 1, 1], [1, 1, 1]], Disjoint),
    ];
    let base = t(BASE);
    for &(what, other, expected) in cases {
        assert_eq!(contact(&base, &t(other)), expected, "{what}");
    }
    assert!(cases.len() >= 40);
    // Two degenerate ones.
    for (what, a, b, expected) in [
        ("two equal points", [[1, 2, 3]; 3], [[1, 2, 3]; 3], Crossing),
        ("two points", [[1, 2, 3]; 3], [[1, 2, 4]; 3], Disjoint),
        ("point in a segment", [[0, 0, 0], [2, 2, 2], [0, 0, 0]], [[1, 1, 1]; 3], Crossing),
        ("point at a segment's end", [[0, 0, 0], [2, 2, 2], [1, 1, 1]], [[2, 2, 2]; 3], Touching),
        ("point beyond a segment", [[0, 0, 0], [2, 2, 2], [1, 1, 1]], [[3, 3, 3]; 3], Disjoint),
        ("point beside a segment", [[0, 0, 0], [2, 2, 2], [1, 1, 1]], [[1, 1, 0]; 3], Disjoint),
        ("crossing segments", [[0, 0, 0], [2, 2, 0], [1, 1, 0]], [[2, 0, 0], [0, 2, 0], [2, 0, 0]], Crossing),
        ("segments in a T", [[0, 0, 0], [2, 0, 0], [1, 0, 0]], [[1, 0, 0], [1, 2, 0], [1, 0, 0]], Touching),
        ("segments in line, overlapping", [[0, 0, 0], [2, 0, 0], [1, 0, 0]], [[1, 0, 0], [3, 0, 0], [1, 0, 0]], Crossing),
        ("segments in line, end to end", [[0, 0, 0], [2, 0, 0], [1, 0, 0]], [[2, 0, 0], [3, 0, 0], [2, 0, 0]], Touching),
        ("segments in line, apart", [[0, 0, 0], [2, 0, 0], [1, 0, 0]], [[3, 0, 0], [4, 0, 0], [3, 0, 0]], Disjoint),
        ("parallel segments", [[0, 0, 0], [2, 0, 0], [1, 0, 0]], [[0, 1, 0], [2, 1, 0], [0, 1, 0]], Disjoint),
        ("skew segments", [[0, 0, 0], [2, 0, 0], [1, 0, 0]], [[1, -1, 1], [1, 1, 1], [1, 0, 1]], Disjoint),
    ] {
        assert_eq!(contact(&t(a), &t(b)), expected, "{what}");
        assert_eq!(contact(&t(b), &t(a)), expected, "{what}");
    }
}

#[test]
fn a_unit_in_the_last_place_decides() {
    let base = t(BASE);
    let standing = |z: f64| {
        [
            DVec3::new(1.0, 1.0, z),
            DVec3::new(1.0, 1.0, 4.0),
            DVec3::new(2.0, 1.0, 4.0),
        ]
    };
    let least = f64::from_bits(1);
    assert_eq!(contact(&base, &standing(least)), Disjoint);
    assert_eq!(contact(&base, &standing(0.0)), Touching);
    assert_eq!(contact(&base, &standing(-least)), Crossing);
    let beside = |x: f64| {
        [
            DVec3::new(x, 2.0, 0.0),
            DVec3::splat(9.0),
            DVec3::splat(8.0),
        ]
    };
    assert_eq!(contact(&base, &beside(2.0_f64.next_up())), Disjoint);
    assert_eq!(contact(&base, &beside(2.0)), Touching);
}

#[test]
fn order_exact_motion_and_scale_do_not_matter() {
    let mut rng = Rng::new(11);
    for i in 0..20_000 {
        let (a, b) = grid::pair(&mut rng);
        let pose = poses::exact(&mut rng, 1 << (i % 20));
        triangle_laws(&contact, &a, &b, &pose, &mut rng).unwrap();
    }
    for _ in 0..2_000 {
        let (a, b) = triangles::pair(&mut rng);
        let pose = poses::exact(&mut rng, 0);
        triangle_laws(&contact, &a, &b, &pose, &mut rng).unwrap();
    }
}

#[test]
fn narrow_and_wide_integers_agree() {
    let mut rng = Rng::new(12);
    for _ in 0..20_000 {
        let (a, b) = grid::pair(&mut rng);
        let narrow = contact(&a, &b);
        // Far away, coordinates need more bits than narrow integers have.
        let far = |t: &Triangle| t.map(|p| p + DVec3::splat(2f64.powi(40)));
        assert_eq!(contact(&far(&a), &far(&b)), narrow, "{a:?} {b:?}");
    }
}

/// A second method, by Carathéodory: the origin is in the hull of the nine differences when it is
/// in the hull of at most four of them; it is in the relative interior when, besides, the
/// opposite of each is in the cone of at most three of them.
fn contact_by_cones(a: &Triangle, b: &Triangle) -> Contact {
    let mut points = Vec::new();
    for p in a {
        for q in b {
            points.push((*p - *q).to_array().map(|x| x as i64));
        }
    }
    if points.contains(&[0; 3]) {
        // The cones below need a nonzero target; a common corner meets, and crosses when the
        // opposite of every difference is in the cone.
        return if points.iter().all(|p| in_cone(&points, p.map(|x| -x))) {
            Crossing
        } else {
            Touching
        };
    }
    // 0 = Σ λ p with Σ λ = 1 exactly when some −p is in the cone of the points.
    let opposite = |p: &[i64; 3]| in_cone(&points, p.map(|x| -x));
    if points.iter().all(opposite) {
        Crossing
    } else if points.iter().any(opposite) {
        Touching
    } else {
        Disjoint
    }
}

fn det(u: [i64; 3], v: [i64; 3], w: [i64; 3]) -> i64 {
    u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
        + u[2] * (v[0] * w[1] - v[1] * w[0])
}

fn cross(u: [i64; 3], v: [i64; 3]) -> [i64; 3] {
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

fn dot(u: [i64; 3], v: [i64; 3]) -> i64 {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

fn in_cone(points: &[[i64; 3]], target: [i64; 3]) -> bool {
    if target == [0; 3] {
        return true;
    }
    for (i, &u) in points.iter().enumerate() {
        if cross(u, target) == [0; 3] && dot(u, target) > 0 {
            return true;
        }
        for (j, &v) in points.iter().enumerate().skip(i + 1) {
            let n = cross(u, v);
            if n != [0; 3]
                && dot(n, target) == 0
                && dot(n, cross(target, v)) >= 0
                && dot(n, cross(u, target)) >= 0
            {
                return true;
            }
            for &w in points.iter().skip(j + 1) {
                let d = det(u, v, w);
                if d != 0
                    && d.signum() * det(target, v, w) >= 0
                    && d.signum() * det(u, target, w) >= 0
                    && d.signum() * det(u, v, target) >= 0
                {
                    return true;
                }
            }
        }
    }
    false
}

#[test]
fn a_second_method_agrees_on_the_grid() {
    let mut rng = Rng::new(13);
    let mut seen = [0; 3];
    for _ in 0..100_000 {
        let (a, b) = grid::pair(&mut rng);
        let found = contact(&a, &b);
        assert_eq!(found, contact_by_cones(&a, &b), "{a:?} {b:?}");
        seen[found as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 10_000), "{seen:?}");
}

#[test]
fn distances_of_known_pairs_are_bracketed() {
    let base = t(BASE);
    for (other, expected) in [
        ([[0, 0, 3], [4, 0, 3], [0, 4, 3]], 3.0),
        ([[7, 0, 4], [9, 0, 4], [7, 0, 9]], 5.0),
        ([[4, 4, 0], [9, 9, 0], [9, 8, 0]], 8f64.sqrt()),
        ([[1, 1, 2], [1, 1, 9], [2, 2, 9]], 2.0),
        ([[2, -1, -5], [2, -1, 5], [2, -9, 0]], 1.0),
        ([[1, 1, 0], [1, 1, 4], [2, 1, 4]], 0.0),
        ([[0, 0, 7]; 3], 7.0),
    ] {
        for power in [-900, 0, 100] {
            let scale = 2f64.powi(power);
            let d = triangle_distance(&base.map(|p| p * scale), &t(other).map(|p| p * scale));
            let e = expected * scale;
            assert!(d.lower <= e && e <= d.upper, "{other:?}: {d:?}, not {e}");
            assert!(d.upper - d.lower <= 1e-15 * e, "{other:?}: {d:?}");
        }
    }
}

#[test]
fn no_sampled_pair_of_points_is_nearer_than_the_distance() {
    let mut rng = Rng::new(14);
    for _ in 0..300 {
        let (a, b) = triangles::pair(&mut rng);
        let b = b.map(|p| p + DVec3::X);
        let d = triangle_distance(&a, &b);
        let mut sample = |t: &Triangle| {
            let (r, s) = (rng.unit().sqrt(), rng.unit());
            (1.0 - r) * t[0] + r * (1.0 - s) * t[1] + r * s * t[2]
        };
        for _ in 0..200 {
            let nearest = (sample(&a) - sample(&b)).length();
            assert!(d.lower <= nearest * (1.0 + 1e-12) + 1e-12, "{a:?} {b:?}");
        }
    }
}

#[test]
fn points_of_a_box_are_located() {
    let cube = meshes::cuboid(DVec3::ZERO, DVec3::splat(4.0));
    let hollow = meshes::merged(&cube, &meshes::cuboid(DVec3::ONE, DVec3::splat(3.0)));
    for x in -1..=5 {
        for y in -1..=5 {
            for z in -1..=5 {
                let p = [x, y, z];
                let depth = p.map(|c: i32| c.min(4 - c)).into_iter().min().unwrap();
                let p = DVec3::from_array(p.map(f64::from));
                let expected = match depth {
                    ..0 => Place::Outside,
                    0 => Place::Boundary,
                    _ => Place::Inside,
                };
                assert_eq!(locate(&cube, p), Some(expected), "{p}");
                let expected = match depth {
                    ..0 | 2.. => Place::Outside,
                    0 | 1 => Place::Boundary,
                };
                assert_eq!(locate(&hollow, p), Some(expected), "{p}");
            }
        }
    }
    assert_eq!(
        locate(&TriMesh::default(), DVec3::ZERO),
        Some(Place::Outside)
    );
}
