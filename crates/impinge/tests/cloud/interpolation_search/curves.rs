//! Intersection curves whose course and length are known.

use std::f64::consts::TAU;

use impinge::DVec3;
use impinge::Pose;
use impinge::cloud::*;
use impinge::math::Rng;
use impinge::query::{Limits, Outcome};
use impinge_testkit::generate::clouds::even_sphere;

use super::{at, patch, shrinkage, surface_of, turned};

fn curves(a: &CloudSurface, b: &CloudSurface, pose: &Pose) -> IntersectionCurves {
    let options = CurveOptions::default();
    let mut scratch = InterpolationSearchScratch::default();
    let found = intersection_curves(a, b, pose, &options, Limits::default(), &mut scratch);
    assert_eq!(found.outcome, Outcome::Complete);
    on_both(a, b, pose, &found);
    found
}

/// Every vertex is on both surfaces, and no segment is longer than two steps.
fn on_both(a: &CloudSurface, b: &CloudSurface, pose: &Pose, found: &IntersectionCurves) {
    let back = pose.inverse();
    let mut scratch = EvaluationScratch::default();
    let widest = |s: &CloudSurface| {
        let ids = s.graph().ids();
        ids.map(|id| s.graph().spacing(id)).fold(0.0, f64::max)
    };
    let spacing = widest(a) + widest(b);
    for curve in &found.curves {
        for &p in &curve.points {
            let fa = a.evaluate(p, &mut scratch).value().unwrap();
            let fb = b.evaluate(back * p, &mut scratch).value().unwrap();
            assert!(fa.abs() + fb.abs() <= 0.05 * spacing, "{p}: {fa} {fb}");
        }
        for pair in curve.points.windows(2) {
            assert!(pair[0].distance(pair[1]) <= spacing);
        }
    }
}

/// Points of a torus about z, about a spacing apart and nowhere sparse: in sparse places a surface ends.
fn jittered_torus(minor: f64, spacing: f64, rng: &mut Rng) -> Vec<DVec3> {
    let around = |radius: f64| (TAU * radius / spacing).round();
    let mut points = Vec::new();
    let rows = around(minor);
    for row in 0..rows as u32 {
        let columns = around(1.0 + minor * (f64::from(row) * TAU / rows).cos());
        for column in 0..columns as u32 {
            let [a, b] = [(column, columns), (row, rows)]
                .map(|(k, n)| (f64::from(k) + rng.range(-0.2, 0.2)) * TAU / n);
            let r = 1.0 + minor * b.cos();
            points.push(DVec3::new(r * a.cos(), r * a.sin(), minor * b.sin()));
        }
    }
    points
}

/// Points of a square in the plane z = 0, likewise.
fn jittered_patch(half: f64, spacing: f64, rng: &mut Rng) -> Vec<DVec3> {
    let steps = (half / spacing) as i32;
    let mut points = Vec::new();
    for i in -steps..=steps {
        for j in -steps..=steps {
            let jitter = [0; 2].map(|_: u8| rng.range(-0.2, 0.2));
            let place = DVec3::new(f64::from(i) + jitter[0], f64::from(j) + jitter[1], 0.0);
            points.push(place * spacing);
        }
    }
    points
}

#[test]
fn balls_meet_in_one_closed_circle_of_known_length() {
    let ball = surface_of(even_sphere(6000));
    let radius = 1.0 - shrinkage(&ball);
    let mut rng = Rng::new(31);
    for distance in [0.3, 0.8, 1.2, 1.6, 1.9] {
        let way = rng.direction();
        let pose = turned(rng.direction(), rng.range(0.0, TAU), way * distance);
        let found = curves(&ball, &ball, &pose);
        assert_eq!(found.curves.len(), 1, "{distance}");
        assert!(found.curves[0].is_closed);
        // Of a ball whose radius is known to a fifteenth of the spacing.
        let circle = |r: f64| TAU * (r * r - distance * distance / 4.0).sqrt();
        let between = circle(radius - 0.003) * 0.996..circle(radius + 0.003) * 1.004;
        assert!(
            between.contains(&found.length()),
            "{distance}: {}",
            found.length()
        );
    }
}

#[test]
fn patches_meet_in_one_open_line_from_border_to_border() {
    let mut rng = Rng::new(32);
    let floor = surface_of(patch(3000, DVec3::X, DVec3::Y, &mut rng));
    for angle in [0.3_f64, 0.8, TAU / 4.0] {
        let pose = turned(DVec3::X, angle, DVec3::new(0.1, 0.0, 0.0));
        let found = curves(&floor, &floor, &pose);
        assert_eq!(found.curves.len(), 1, "{angle}");
        let curve = &found.curves[0];
        assert!(!curve.is_closed);
        // Both patches are there from −0.9 to 1; each surface ends about a spacing beyond its points.
        let (first, last) = (curve.points[0], curve.points[curve.points.len() - 1]);
        let ends = [first.x.min(last.x), first.x.max(last.x)];
        assert!(
            (ends[0] + 0.9).abs() < 0.12 && (ends[1] - 1.0).abs() < 0.12,
            "{ends:?}"
        );
        assert!((found.length() - (ends[1] - ends[0])).abs() < 0.01);
    }
}

#[test]
fn a_plane_through_a_ring_gives_two_circles() {
    let mut rng = Rng::new(33);
    let ring = surface_of(jittered_torus(0.3, 0.04, &mut rng));
    let floor = surface_of(jittered_patch(1.6, 0.035, &mut rng));
    // Through the plane of the ring: an inner and an outer circle. Across it: two of the tube.
    let flat = curves(&ring, &floor, &Pose::IDENTITY);
    let across = curves(&ring, &floor, &turned(DVec3::X, TAU / 4.0, DVec3::ZERO));
    for (found, truth) in [(flat, TAU * 2.0), (across, TAU * 0.6)] {
        assert_eq!(found.curves.len(), 2);
        assert!(found.curves.iter().all(|c| c.is_closed));
        let off = found.length() / truth - 1.0;
        // The tube is h²/2r thinner than the truth.
        assert!(off.abs() < 0.05, "{off}");
    }
}

#[test]
fn noise_tears_no_curve_and_limits_cut_it() {
    let mut rng = Rng::new(34);
    let even = even_sphere(6000).into_iter();
    let rough: Vec<DVec3> = even.map(|p| p * rng.range(0.998, 1.002)).collect();
    let ball = surface_of(rough);
    let pose = at(DVec3::new(0.7, 0.6, 0.3));
    let found = curves(&ball, &ball, &pose);
    let (distance, radius) = (DVec3::new(0.7, 0.6, 0.3).length(), 1.0 - shrinkage(&ball));
    let circle = TAU * (radius * radius - distance * distance / 4.0).sqrt();
    assert_eq!(found.curves.len(), 1);
    assert!((found.length() / circle - 1.0).abs() < 0.02);
    let again = curves(&ball, &ball, &pose);
    assert_eq!(found, again);
    let mut scratch = InterpolationSearchScratch::default();
    let few = CurveOptions {
        max_points: 20,
        ..CurveOptions::default()
    };
    let cut = intersection_curves(&ball, &ball, &pose, &few, Limits::default(), &mut scratch);
    assert_eq!(cut.outcome, Outcome::OutOfBudget);
    assert!(cut.curves.iter().map(|c| c.points.len()).sum::<usize>() <= 21);
    let limits = Limits {
        max_tests: Some(found.search.evaluations + found.search.lookups + 50),
        ..Limits::default()
    };
    let cut = intersection_curves(
        &ball,
        &ball,
        &pose,
        &CurveOptions::default(),
        limits,
        &mut scratch,
    );
    assert_eq!(cut.outcome, Outcome::OutOfBudget);
    let apart = curves(&ball, &ball, &at(DVec3::X * 2.5));
    assert!(apart.curves.is_empty() && apart.search.verdict.certain);
    // A surface against itself touches everywhere and has no direction.
    let same = curves(&ball, &ball, &Pose::IDENTITY);
    assert_eq!(same.length(), 0.0);
}
