//! The triangle–triangle test against integers that never round.

use impinge::DVec3;
use impinge::geom::{
    Contact, TriangleOverlap, segment_meets_triangle, triangle_contact, triangle_overlap,
    triangles_intersect,
};
use impinge::math::{MAX_COORDINATE, Rng};
use impinge_testkit::generate::triangles::Family;
use impinge_testkit::generate::{grid, poses, triangles};
use impinge_testkit::laws::triangle_laws;
use impinge_testkit::oracle::{self, Triangle};

fn agrees(a: &Triangle, b: &Triangle) -> Contact {
    let truth = match oracle::contact(a, b) {
        oracle::Contact::Disjoint => Contact::Disjoint,
        oracle::Contact::Touching => Contact::Touching,
        oracle::Contact::Crossing => Contact::Crossing,
    };
    assert_eq!(triangle_contact(a, b), truth, "{a:?} {b:?}");
    assert_eq!(
        triangles_intersect(a, b),
        truth != Contact::Disjoint,
        "{a:?} {b:?}"
    );
    truth
}

fn scaled(t: &Triangle, factor: f64) -> Triangle {
    t.map(|p| p * factor)
}

#[test]
fn grid_pairs_are_decided_as_by_integers() {
    let mut rng = Rng::new(1);
    let mut seen = [0; 3];
    for _ in 0..60_000 {
        let (a, b) = grid::pair(&mut rng);
        seen[agrees(&a, &b) as usize] += 1;
    }
    assert!(seen.iter().all(|&n| n > 6_000), "one-sided draw: {seen:?}");
}

#[test]
fn random_and_nearly_touching_pairs_are_decided_as_by_integers() {
    let mut rng = Rng::new(2);
    for family in Family::ALL {
        for _ in 0..1_700 {
            let (a, b) = triangles::pair_of(family, &mut rng);
            agrees(&a, &b);
        }
    }
}

#[test]
fn exact_turns_and_scales_are_decided_as_by_integers() {
    let mut rng = Rng::new(3);
    for i in 0..6_000 {
        let (a, b) = if i % 4 == 0 {
            triangles::pair(&mut rng)
        } else {
            grid::pair(&mut rng)
        };
        let pose = poses::exact(&mut rng, 1000);
        let place = |t: &Triangle| t.map(|p| pose.transform_point(p));
        let (a, b) = (place(&a), place(&b));
        for power in [-40, 40] {
            let factor = 2f64.powi(power);
            agrees(&scaled(&a, factor), &scaled(&b, factor));
        }
    }
}

#[test]
fn order_exact_motion_and_scale_do_not_matter() {
    let mut rng = Rng::new(4);
    for _ in 0..10_000 {
        let (a, b) = grid::pair(&mut rng);
        let pose = poses::exact(&mut rng, 1 << 20);
        triangle_laws(&triangle_contact, &a, &b, &pose, &mut rng).unwrap();
        triangle_laws(&triangles_intersect, &a, &b, &pose, &mut rng).unwrap();
    }
    for _ in 0..10_000 {
        let (a, b) = triangles::pair(&mut rng);
        let pose = poses::exact(&mut rng, 0);
        triangle_laws(&triangle_contact, &a, &b, &pose, &mut rng).unwrap();
        triangle_laws(&triangles_intersect, &a, &b, &pose, &mut rng).unwrap();
    }
}

#[test]
fn the_ends_of_the_number_range_are_decided_as_by_integers() {
    let mut rng = Rng::new(5);
    let least = f64::from_bits(1);
    for i in 0..4_000 {
        let (a, b) = grid::pair(&mut rng);
        // The grid made of the smallest numbers there are, and of the largest allowed.
        agrees(&scaled(&a, least), &scaled(&b, least));
        let largest = MAX_COORDINATE / 16.0;
        agrees(&scaled(&a, largest), &scaled(&b, largest));
        // One triangle tiny, the other huge, and both beside the smallest numbers.
        agrees(&scaled(&a, 2f64.powi(-500)), &scaled(&b, 2f64.powi(100)));
        let mut nudged = b;
        let place = &mut nudged[i % 3][(i / 3) % 3];
        *place += if *place == 0.0 { least } else { 0.0 };
        agrees(&a, &nudged);
    }
}

#[test]
fn splitting_a_triangle_at_an_edge_middle_keeps_what_it_meets() {
    let mut rng = Rng::new(6);
    for _ in 0..10_000 {
        let (a, b) = grid::pair(&mut rng);
        let [p, q, r] = a;
        let middle: DVec3 = (p + q) * 0.5;
        let halves = [[p, middle, r], [middle, q, r]];
        assert_eq!(
            triangles_intersect(&a, &b),
            halves.iter().any(|h| triangles_intersect(h, &b)),
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn segments_meet_triangles_as_by_integers() {
    let mut rng = Rng::new(7);
    for i in 0..20_000 {
        let (a, [p, q, _]) = if i % 4 == 0 {
            triangles::pair(&mut rng)
        } else {
            grid::pair(&mut rng)
        };
        assert_eq!(
            segment_meets_triangle(p, q, &a),
            oracle::intersects(&[p, q, q], &a),
            "{p} {q} {a:?}"
        );
    }
}

#[test]
fn an_overlap_is_none_exactly_when_the_triangles_are_disjoint() {
    let mut rng = Rng::new(8);
    for i in 0..20_000 {
        let (a, b) = if i % 4 == 0 {
            triangles::pair(&mut rng)
        } else {
            grid::pair(&mut rng)
        };
        let overlap = triangle_overlap(&a, &b);
        assert_eq!(
            overlap != TriangleOverlap::None,
            oracle::intersects(&a, &b),
            "{a:?} {b:?}"
        );
        assert!(overlap.corners().iter().all(|p| p.is_finite()));
    }
}
