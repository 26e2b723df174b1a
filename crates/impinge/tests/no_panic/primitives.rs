//! Triangles, segments, rays, boxes and balls.

use impinge::DVec3;
use impinge::geom::{
    Ray, SharedCorners, adjacent_triangles_intersect, certified_contact, closest_point_on_triangle,
    lens, lens_disc_area, lens_volume, ray_triangle, segment_distance, segment_meets_triangle,
    segment_parameters, triangle_contact, triangle_distance, triangle_meets_box, triangle_overlap,
    triangles_intersect,
};
use impinge::math::{MAX_COORDINATE, Rng};

use crate::odd::{INDICES, ODD, odd, odd_point, odd_triangle, valid, valid_point, valid_triangle};

fn is_number(p: DVec3) -> bool {
    !p.is_nan()
}

/// Asks everything about two triangles; nothing that comes back is NaN if `strict`.
fn ask(a: &[DVec3; 3], b: &[DVec3; 3], strict: bool) {
    let _ = (
        triangles_intersect(a, b),
        triangle_contact(a, b),
        certified_contact(a, b),
    );
    let overlap = triangle_overlap(a, b);
    let _ = segment_meets_triangle(a[0], a[1], b);
    let _ = triangle_meets_box(a, b[0], b[1]);
    let shared = SharedCorners::by_position(a, b);
    let _ = (
        adjacent_triangles_intersect(a, b, &shared),
        shared.pairs().len(),
    );
    let separation = triangle_distance(a, b);
    let closest = closest_point_on_triangle(a[0], b);
    let segments = segment_distance(a[0], a[1], b[0], b[1]);
    let parameters = segment_parameters(a[0], a[1], b[0], b[1]);
    if strict {
        let corners = overlap.corners();
        assert!(
            corners.iter().copied().all(is_number),
            "{a:?} {b:?} {overlap:?}"
        );
        for s in [separation, segments] {
            assert!(s.distance >= 0.0, "{a:?} {b:?} {s:?}");
            assert!(
                is_number(s.point_a) && is_number(s.point_b),
                "{a:?} {b:?} {s:?}"
            );
        }
        assert!(
            closest.distance >= 0.0 && is_number(closest.point),
            "{a:?} {b:?}"
        );
        let weights = closest.barycentric;
        assert!(
            weights.iter().all(|w| !w.is_nan()),
            "{a:?} {b:?} {closest:?}"
        );
        assert!(
            !parameters.s.is_nan() && !parameters.t.is_nan(),
            "{a:?} {b:?}"
        );
    }
}

#[test]
fn two_triangles_give_numbers_for_all_valid_corners() {
    let mut rng = Rng::new(1);
    for _ in 0..6000 {
        ask(&valid_triangle(&mut rng), &valid_triangle(&mut rng), true);
    }
}

#[test]
fn two_triangles_return_for_invalid_corners_too() {
    let mut rng = Rng::new(2);
    for _ in 0..6000 {
        ask(&odd_triangle(&mut rng), &odd_triangle(&mut rng), false);
    }
}

#[test]
fn shared_corners_take_any_index() {
    let mut rng = Rng::new(3);
    let mut corners = || -> [u32; 3] {
        std::array::from_fn(|_| INDICES[rng.below(INDICES.len() as u64) as usize])
    };
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for _ in 0..2000 {
        let shared = SharedCorners::by_index(corners(), corners());
        assert!(shared.pairs().iter().all(|&(i, j)| i < 3 && j < 3));
        let _ = adjacent_triangles_intersect(&triangle, &triangle, &shared);
    }
}

#[test]
fn rays_are_refused_or_hit_at_numbers() {
    let mut rng = Rng::new(4);
    let mut accepted = 0;
    for _ in 0..50_000 {
        let (origin, direction) = (odd_point(&mut rng), odd_point(&mut rng));
        let Ok(ray) = Ray::new(origin, direction) else {
            continue;
        };
        accepted += 1;
        assert!(ray.origin().is_finite() && ray.direction().is_finite());
        let _ = ray.at(odd(&mut rng));
        let _ = ray_triangle(&ray, &odd_triangle(&mut rng));
        let triangle = valid_triangle(&mut rng);
        if let Some(hit) = ray_triangle(&ray, &triangle) {
            assert!(hit.t >= 0.0, "{ray:?} {triangle:?} {hit:?}");
            assert!(
                hit.barycentric.iter().all(|w| !w.is_nan()),
                "{ray:?} {triangle:?} {hit:?}"
            );
        }
    }
    assert!(accepted > 100, "only {accepted} rays accepted");
    for bad in [f64::NAN, f64::INFINITY, 1e308, 2.0 * MAX_COORDINATE] {
        assert!(Ray::new([bad, 0.0, 0.0], [1.0, 0.0, 0.0]).is_err());
    }
    assert!(Ray::new([0.0; 3], [f64::NAN, 0.0, 0.0]).is_err());
    assert!(Ray::new([0.0; 3], [0.0; 3]).is_err());
}

#[test]
fn lenses_of_balls_are_numbers() {
    for a in ODD {
        for b in ODD {
            for distance in ODD {
                for measure in [lens_volume(a, b, distance), lens_disc_area(a, b, distance)] {
                    assert!(measure >= 0.0, "{a:e} {b:e} {distance:e}: {measure}");
                }
            }
        }
    }
    let mut rng = Rng::new(5);
    for _ in 0..20_000 {
        let _ = lens(
            odd_point(&mut rng),
            odd(&mut rng),
            odd_point(&mut rng),
            odd(&mut rng),
        );
        let (p, q, r, s) = (
            valid_point(&mut rng),
            valid_point(&mut rng),
            valid(&mut rng),
            valid(&mut rng),
        );
        let found = lens(p, r, q, s);
        assert!(
            found.volume >= 0.0 && is_number(found.centroid),
            "{p} {r} {q} {s} {found:?}"
        );
        assert!(is_number(found.gradient), "{p} {r} {q} {s} {found:?}");
    }
}
