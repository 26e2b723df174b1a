//! What a surface is made with: the smallest axis of a covariance, the width of the kernel.
#![expect(
    clippy::unwrap_used,
    reason = "a test says what it expects by panicking"
)]

use impinge::cloud::*;
use impinge::math::{Rng, eigen::symmetric_eigen};
use impinge::{DMat3, DVec3};

fn graph_of(points: Vec<DVec3>) -> ProximityGraph {
    let cloud = PointCloud::new(points, None).unwrap();
    ProximityGraph::new(&cloud, &GraphOptions::default()).unwrap()
}

#[test]
fn the_smallest_axis_is_the_same_at_every_scale() {
    let covariance = [2.0, 0.3, -0.1, 1.5, 0.2, 0.25];
    let unscaled = smallest_eigenvector(covariance).unwrap();
    for scale in [
        1e-300, 1e-161, 1e-100, 1e-61, 1e-41, 1e-39, 1e39, 1e41, 1e61, 1e100, 1e161, 1e300,
    ] {
        let found = smallest_eigenvector(covariance.map(|x| x * scale)).unwrap();
        assert!(found.axis.dot(unscaled.axis).abs() > 1.0 - 1e-12, "{scale}");
        assert!(
            (found.value / scale - unscaled.value).abs() < 1e-12,
            "{scale}"
        );
        assert!((found.gap - unscaled.gap).abs() < 1e-12, "{scale}");
    }
}

#[test]
fn the_smallest_axis_is_an_eigenvector() {
    let mut rng = Rng::new(9);
    for round in 0..200_000 {
        // Random, nearly equal, tiny and vanishing eigenvalues.
        let spread = [1.0, 1e-3, 1e-6, 1e-9, 0.0][round % 5];
        let values = match round % 3 {
            0 => [rng.unit(), rng.unit(), rng.unit()],
            1 => [1.0, spread + 0.5 * spread * rng.unit(), spread * rng.unit()],
            _ => [1.0, 1.0 + spread * rng.unit(), 1.0 - spread * rng.unit()],
        };
        let axis = rng.direction();
        let frame = DMat3::from_axis_angle(axis, rng.range(0.0, 6.0));
        let matrix = frame * DMat3::from_diagonal(DVec3::from(values)) * frame.transpose();
        let c = matrix.to_cols_array();
        let Some(found) = smallest_eigenvector([c[0], c[3], c[6], c[4], c[7], c[8]]) else {
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            assert!(sorted[1] - sorted[0] < 1e-8, "{values:?}");
            continue;
        };
        let residual = (matrix * found.axis - found.axis * found.value).length();
        let size = values[0].max(values[1]).max(values[2]);
        assert!(residual <= 1e-10 * size, "{values:?}: {residual}");
        let rotated = symmetric_eigen(&matrix);
        assert!(
            (rotated.values[2] - found.value).abs() <= 1e-10 * size,
            "{values:?}"
        );
        assert!((found.axis.length() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn calibration_finds_noise_and_curvature() {
    let mut rng = Rng::new(12);
    for (radius, noise) in [(1.0, 0.0), (1.0, 0.01), (2.0, 0.02), (0.5, 0.004)] {
        let points = (0..8000).map(|_| {
            let d = rng.direction();
            // A sum of twelve uniform numbers is Gaussian enough.
            let error: f64 = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
            d * (radius + noise * error)
        });
        let found = BandwidthCalibration::of(&graph_of(points.collect()), 1e-3);
        assert!(
            (found.curvature * radius - 1.0).abs() < 0.15,
            "{radius} {noise} {found:?}"
        );
        assert!(
            (found.noise - noise).abs() < 0.1 * noise + 1e-3 * radius,
            "{found:?}"
        );
    }
}
