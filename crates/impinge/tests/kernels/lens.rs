//! The lens of two balls against closed forms, differences and slices.

use impinge::DVec3;
use impinge::geom::{lens, lens_disc_area, lens_volume};
use impinge::math::Rng;
use std::f64::consts::PI;

#[test]
fn lens_volume_equals_the_closed_form_and_is_symmetric() {
    let mut rng = Rng::new(12);
    for _ in 0..50_000 {
        let (a, b) = (rng.range(0.1, 2.0), rng.range(0.1, 2.0));
        let d = rng.range(0.0, 4.5);
        let volume = lens_volume(a, b, d);
        let expected = if d >= a + b {
            0.0
        } else if d <= (a - b).abs() {
            4.0 / 3.0 * PI * a.min(b).powi(3)
        } else {
            let s = a + b - d;
            PI * s * s * (d * d + 2.0 * d * (a + b) - 3.0 * (a - b) * (a - b)) / (12.0 * d)
        };
        assert!((volume - expected).abs() <= 1e-12, "{a} {b} {d}");
        assert!((volume - lens_volume(b, a, d)).abs() <= 1e-15 * volume);
        assert!(volume <= 4.0 / 3.0 * PI * a.min(b).powi(3) * (1.0 + 1e-14));
    }
}

#[test]
fn thin_lenses_and_unequal_balls_keep_their_relative_accuracy() {
    // Equal balls: V = π h² (6r − h)/12·… with depth h = 2r − d, written without cancellation.
    for k in 1..50 {
        let depth = 0.5_f64.powi(k);
        let expected = PI / 12.0 * depth * depth * (6.0 - depth);
        assert!((lens_volume(1.0, 1.0, 2.0 - depth) / expected - 1.0).abs() < 1e-14);
    }
    // A tiny ball centred on the surface of a large one is half inside.
    for k in 10..40 {
        let tiny = 0.5_f64.powi(k);
        let half = 2.0 / 3.0 * PI * tiny.powi(3);
        assert!((lens_volume(1.0, tiny, 1.0) / half - 1.0).abs() < 2.0 * tiny);
    }
    for (a, b, d) in [(1e-100, 1e-100, 1e-100), (1e40, 1e40, 1e40)] {
        let expected = 5.0 / 12.0 * PI * a * a * a;
        assert!((lens_volume(a, b, d) / expected - 1.0).abs() < 1e-14);
    }
    for bad in [f64::NAN, -1.0, f64::INFINITY] {
        assert_eq!(lens_volume(bad, 1.0, 0.5), 0.0);
        assert_eq!(lens_volume(1.0, bad, 0.5), 0.0);
        assert_eq!(lens_volume(1.0, 1.0, bad), 0.0);
        let strange = lens(DVec3::ZERO, bad, DVec3::X, 1.0);
        assert!(strange.centroid.is_finite() && strange.gradient == DVec3::ZERO);
    }
    assert_eq!(lens_volume(0.0, 0.0, 0.0), 0.0);
}

#[test]
fn the_gradient_of_the_lens_equals_finite_differences() {
    let mut rng = Rng::new(13);
    for _ in 0..5_000 {
        let (a, b) = (rng.range(0.3, 2.0), rng.range(0.3, 2.0));
        let (ca, cb) = (rng.cube(), rng.cube() * 1.5);
        let d = (cb - ca).length();
        if d < (a - b).abs() + 0.02 || d > a + b - 0.02 {
            continue;
        }
        let shared = lens(ca, a, cb, b);
        assert!((shared.gradient.length() - lens_disc_area(a, b, d)).abs() < 1e-12);
        let step = 1e-5;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let ahead = lens(ca, a, cb + axis * step, b).volume;
            let behind = lens(ca, a, cb - axis * step, b).volume;
            let slope = (ahead - behind) / (2.0 * step);
            assert!((slope - shared.gradient.dot(axis)).abs() < 1e-6, "{slope}");
        }
    }
    let contained = lens(DVec3::ZERO, 2.0, DVec3::X * 0.5, 1.0);
    assert_eq!(
        (contained.gradient, contained.centroid),
        (DVec3::ZERO, DVec3::X * 0.5)
    );
    let apart = lens(DVec3::ZERO, 1.0, DVec3::X * 4.0, 1.0);
    assert_eq!((apart.volume, apart.centroid), (0.0, DVec3::X * 2.0));
}

#[test]
fn the_centroid_of_the_lens_equals_that_of_its_slices() {
    let mut rng = Rng::new(14);
    for _ in 0..200 {
        let (a, b) = (rng.range(0.3, 2.0), rng.range(0.3, 2.0));
        let d = rng.range((a - b).abs(), a + b);
        // Discs perpendicular to the line of centres, midpoint rule.
        let (from, to) = ((d - b).max(-a), a.min(d + b));
        let steps = 20_000;
        let (mut volume, mut moment) = (0.0, 0.0);
        for i in 0..steps {
            let x = from + (to - from) * (f64::from(i) + 0.5) / f64::from(steps);
            let area = PI * (a * a - x * x).min(b * b - (x - d) * (x - d)).max(0.0);
            volume += area;
            moment += area * x;
        }
        let shared = lens(DVec3::ZERO, a, DVec3::X * d, b);
        assert!((shared.volume - volume * (to - from) / f64::from(steps)).abs() < 1e-6);
        assert!(
            (shared.centroid.x - moment / volume).abs() < 1e-6,
            "{a} {b} {d}"
        );
    }
}
