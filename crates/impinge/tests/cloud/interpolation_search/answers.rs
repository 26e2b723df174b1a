//! Crossings and approaches whose place is known.

use std::f64::consts::TAU;

use impinge::DVec3;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::Limits;
use impinge_testkit::generate::clouds::{even_sphere, random_torus};

use super::{all, at, patch, shrinkage, surface_of, turned};

#[test]
fn balls_cross_in_a_circle_without_gaps() {
    let ball = surface_of(even_sphere(6000));
    let radius = 1.0 - shrinkage(&ball);
    let mut rng = Rng::new(2);
    for distance in [0.3, 0.8, 1.2, 1.6, 1.9] {
        let way = rng.direction();
        let pose = turned(rng.direction(), rng.range(0.0, TAU), way * distance);
        let (found, search) = all(&ball, &ball, &pose, &InterpolationSearchOptions::default());
        assert!(search.verdict.confidence > 0.5 && !search.verdict.certain);
        let (u, v) = way.any_orthonormal_pair();
        let mut angles = Vec::new();
        for crossing in &found {
            let p = crossing.point;
            assert!((p.length() - radius).abs() < 4e-3, "{distance}: {p}");
            assert!(
                (p.dot(way) - distance / 2.0).abs() < 6e-3,
                "{distance}: {p}"
            );
            assert!(crossing.radius > 0.0 && crossing.residual < 5e-3);
            angles.push(p.dot(v).atan2(p.dot(u)));
        }
        angles.sort_by(f64::total_cmp);
        let gaps = angles.windows(2).map(|w| w[1] - w[0]);
        let around = angles[0] + TAU - angles[angles.len() - 1];
        let widest = gaps.fold(around, f64::max);
        assert!(widest < 0.9, "{distance}: a gap of {widest}");
    }
}

#[test]
fn a_small_cap_is_found_though_no_candidate_is_in_it() {
    let ball = surface_of(even_sphere(20_000));
    let touching = 2.0 * (1.0 - shrinkage(&ball));
    let mut rng = Rng::new(3);
    let (mut found, mut invented) = (0, 0);
    let few = InterpolationSearchOptions {
        candidates: 60,
        ..InterpolationSearchOptions::default()
    };
    for seed in 0..40 {
        let options = InterpolationSearchOptions { seed, ..few };
        let way = rng.direction();
        let near = all(&ball, &ball, &at(way * (touching - 0.01)), &options);
        let apart = all(&ball, &ball, &at(way * (touching + 0.01)), &options);
        found += u32::from(near.1.verdict.answer);
        invented += u32::from(apart.1.verdict.answer);
    }
    assert!(found >= 39, "{found} of 40");
    assert_eq!(invented, 0);
}

#[test]
fn planes_cross_in_a_line() {
    let mut rng = Rng::new(4);
    let floor = surface_of(patch(3000, DVec3::X, DVec3::Y, &mut rng));
    for angle in [0.3_f64, 0.8, TAU / 4.0] {
        let pose = turned(DVec3::X, angle, DVec3::new(0.1, 0.0, 0.0));
        for completion in [BracketCompletion::Influence, BracketCompletion::Annulus] {
            let options = InterpolationSearchOptions {
                completion,
                candidates: 400,
                ..InterpolationSearchOptions::default()
            };
            let (found, _) = all(&floor, &floor, &pose, &options);
            assert!(found.len() > 10, "{angle} {completion:?}: {}", found.len());
            let mut ends = (f64::INFINITY, f64::NEG_INFINITY);
            for crossing in &found {
                let p = crossing.point;
                assert!(p.y.abs() < 5e-3 / angle && p.z.abs() < 5e-3, "{p}");
                ends = (ends.0.min(p.x), ends.1.max(p.x));
            }
            assert!(ends.0 < -0.6 && ends.1 > 0.7, "{ends:?}");
            // Where one of the patches has ended there is no crossing.
            assert!(ends.0 > -1.0 && ends.1 < 1.1, "{ends:?}");
        }
    }
}

#[test]
fn surfaces_that_do_not_meet_have_no_crossing() {
    let mut rng = Rng::new(5);
    let options = InterpolationSearchOptions::default();
    let floor = surface_of(patch(2000, DVec3::X, DVec3::Y, &mut rng));
    for gap in [0.2, 0.5] {
        let pose = turned(DVec3::Z, 0.3, DVec3::Z * gap);
        assert!(all(&floor, &floor, &pose, &options).0.is_empty());
    }
    let large = surface_of(even_sphere(4000));
    let small = surface_of(even_sphere(2000).iter().map(|p| *p * 0.6).collect());
    let (none, search) = all(&small, &large, &at(DVec3::X * 0.2), &options);
    assert!(none.is_empty() && !search.verdict.certain && search.verdict.confidence > 0.9);
    assert!(
        all(&large, &small, &at(DVec3::X * 0.2), &options)
            .0
            .is_empty()
    );
    let (_, far) = all(&large, &large, &at(DVec3::X * 2.5), &options);
    assert!(far.verdict.certain && far.evaluations == 0);
    // Boxes that overlap about surfaces that do not: the trees tell, no candidate is needed.
    let (_, corner) = all(&large, &large, &at(DVec3::splat(1.7)), &options);
    assert!(!corner.verdict.answer && !corner.verdict.certain);
    assert_eq!(corner.evaluations + corner.lookups, 0);
}

#[test]
fn linked_rings_do_not_cross_and_pushed_ones_do() {
    let mut rng = Rng::new(6);
    let ring = surface_of(random_torus(6000, 0.25, &mut rng));
    let linked = |shift: f64| turned(DVec3::X, TAU / 4.0, DVec3::X * shift);
    let options = InterpolationSearchOptions::default();
    assert!(all(&ring, &ring, &linked(1.0), &options).0.is_empty());
    let (found, _) = all(&ring, &ring, &linked(0.3), &options);
    assert!(found.len() > 5);
    let distance = |p: DVec3| {
        let middle = DVec3::new(p.x, p.y, 0.0).normalize_or_zero();
        ((p - middle).length() - 0.25).abs()
    };
    let back = linked(0.3).inverse();
    for crossing in found {
        let p = crossing.point;
        assert!(distance(p) < 0.02 && distance(back * p) < 0.02, "{p}");
    }
}

#[test]
fn a_refined_point_is_as_good_as_a_fine_grid() {
    let mut rng = Rng::new(8);
    let points = (0..3000).map(|_| rng.direction() * rng.range(0.997, 1.003));
    let ball = surface_of(points.collect());
    let pose = turned(DVec3::Y, 0.4, DVec3::new(0.9, 0.5, 0.2));
    let back = pose.inverse();
    let (found, _) = all(&ball, &ball, &pose, &InterpolationSearchOptions::default());
    let mut scratch = EvaluationScratch::default();
    for crossing in found.iter().take(6) {
        let mut best = f64::INFINITY;
        let centre = crossing.point;
        let cells = 12;
        for number in 0..cells * cells * cells {
            let [x, y, z] = [
                number % cells,
                number / cells % cells,
                number / cells / cells,
            ]
            .map(|i| (f64::from(i) + 0.5) / f64::from(cells) * 2.0 - 1.0);
            let p = centre + DVec3::new(x, y, z) * crossing.radius;
            let f_a = ball.evaluate(p, &mut scratch).value().unwrap();
            let f_b = ball.evaluate(back * p, &mut scratch).value().unwrap();
            best = best.min(f_a.abs() + f_b.abs());
        }
        assert!(
            crossing.residual < best + 1e-3,
            "{} {best}",
            crossing.residual
        );
    }
}

#[test]
fn the_nearest_approach_of_balls_planes_and_crossing_ones_is_known() {
    let mut scratch = InterpolationSearchScratch::default();
    let options = InterpolationSearchOptions::default();
    let limits = Limits::default();
    let mut rng = Rng::new(11);
    let ball = surface_of(even_sphere(5000));
    let shrunk = shrinkage(&ball);
    for _ in 0..6 {
        let gap = rng.range(0.05, 1.0);
        let way = rng.direction();
        let pose = turned(rng.direction(), 1.0, way * (2.0 + gap));
        let found = closest_approach(&ball, &ball, &pose, &options, limits, &mut scratch);
        let nearest = found.separation.unwrap();
        let expected = gap + 2.0 * shrunk;
        assert!(
            (nearest.distance - expected).abs() < 0.01,
            "{gap}: {nearest:?}"
        );
        assert!(
            (nearest.point_a - way).length() < 0.15,
            "{way}: {nearest:?}"
        );
        assert!(((nearest.point_a - nearest.point_b).length() - nearest.distance).abs() < 1e-12);
    }
    let floor = surface_of(patch(2000, DVec3::X, DVec3::Y, &mut rng));
    let found = closest_approach(
        &floor,
        &floor,
        &at([0.3, 0.2, 0.4]),
        &options,
        limits,
        &mut scratch,
    );
    assert!((found.separation.unwrap().distance - 0.4).abs() < 1e-3);
    let crossing = closest_approach(&ball, &ball, &at(DVec3::X), &options, limits, &mut scratch);
    assert_eq!(crossing.separation.unwrap().distance, 0.0);
    assert!(crossing.verdict.answer);
    let near = Limits {
        max_distance: Some(0.1),
        ..limits
    };
    let far = closest_approach(
        &ball,
        &ball,
        &at(DVec3::X * 4.0),
        &options,
        near,
        &mut scratch,
    );
    assert_eq!(far.separation, None);
}
