//! What answers about two triangles must not depend on.

use super::contact::dimension;
use super::*;

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
