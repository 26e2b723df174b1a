//! Fixed-point positions, centroids and radii.

use impinge::DVec3;
use impinge_gpu::scene::FIND_CENTROIDS;
use impinge_gpu::{Dispatch, Grid};

use crate::backends::{Random, backends};

fn power(exponent: i32) -> f64 {
    2.0_f64.powi(exponent / 2) * 2.0_f64.powi(exponent - exponent / 2)
}

/// Scales from the least to the largest that a scene may have, near and far from the origin.
fn clouds() -> Vec<Vec<DVec3>> {
    let mut random = Random(11);
    let mut clouds = Vec::new();
    for scale in [1e-310_f64, 1e-160, 1e-9, 1.0, 1e7, 1e44] {
        for shift in [0.0, 1.0, 1e12] {
            let offset = DVec3::new(1.0, -0.5, 0.25) * (shift * scale).min(1e45);
            let mut point = || DVec3::from([0; 3].map(|_| random.unit())) * scale + offset;
            clouds.push((0..500).map(|_| point()).collect());
        }
    }
    clouds
}

#[test]
fn integers_are_below_2_to_28_and_within_one_of_the_scaled_position() {
    for cloud in clouds() {
        let grid = Grid::around(&cloud);
        let mut largest = 0;
        for &p in &cloud {
            for (axis, q) in grid.point(p).into_iter().enumerate() {
                assert!(q.abs() <= 1 << 28);
                largest = largest.max(q.abs());
                let (x, o) = (p[axis], grid.origin()[axis]);
                // The difference and what its rounding lost, which is exact too.
                let rounded = x - o;
                let back = rounded + o;
                let lost = (x - back) + ((back - rounded) - o);
                let half = grid.exponent() / 2;
                let scaled = rounded * power(half) * power(grid.exponent() - half);
                let error = lost * power(half) * power(grid.exponent() - half);
                assert!((0.0..1.0).contains(&(scaled - f64::from(q))), "{x} {o} {q}");
                assert!(error.abs() <= power(-25), "{x} {o} {error}");
            }
        }
        let extent = cloud.iter().any(|&p| p != cloud[0]);
        assert!(!extent || largest >= 1 << 26, "half of the range is used");
    }
}

#[test]
fn order_along_an_axis_survives() {
    for mut cloud in clouds() {
        let grid = Grid::around(&cloud);
        cloud.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert!(
            cloud
                .windows(2)
                .all(|pair| grid.point(pair[0])[0] <= grid.point(pair[1])[0])
        );
    }
}

#[test]
fn no_point_one_point_and_equal_points_have_a_grid() {
    assert_eq!(Grid::around(&[]).exponent(), 0);
    for p in [DVec3::ZERO, DVec3::splat(1e45), DVec3::splat(-5e-324)] {
        let grid = Grid::around(&[p, p]);
        assert_eq!(grid.point(p), [0; 3]);
    }
}

#[test]
fn the_centroid_is_exact_and_the_radius_covers_the_corners() {
    let mut random = Random(3);
    let most = 1 << 28;
    let points: Vec<[i32; 3]> = (0..3000)
        .map(|i| match i % 3 {
            // The ends of the range, small faces, and anything.
            0 => [0; 3].map(|_| if random.below(2) == 0 { most } else { -most }),
            1 => [0; 3].map(|_| random.below(20) as i32),
            _ => [0; 3].map(|_| random.below(2 * most as u32) as i32 - most),
        })
        .collect();
    let faces: Vec<[u32; 3]> = (0..2001)
        .map(|_| [0; 3].map(|_| random.below(3000)))
        .collect();
    let mut first = None;
    for mut backend in backends() {
        let words: Vec<u32> = points.iter().flatten().map(|&x| x as u32).collect();
        let positions = backend.upload(&words).unwrap();
        let words: Vec<u32> = faces.iter().flat_map(|&[a, b, c]| [a, b, c, 0]).collect();
        let list = backend.upload(&words).unwrap();
        let centroids = backend.alloc(4 * faces.len()).unwrap();
        let count = faces.len() as u32;
        let dispatch = Dispatch::new(FIND_CENTROIDS.groups(count), &[count]);
        backend
            .run(&FIND_CENTROIDS, &dispatch, &[positions, list, centroids])
            .unwrap();
        let found = backend.read(centroids, 0..4 * faces.len()).unwrap();
        for (face, out) in faces.iter().zip(found.chunks(4)) {
            let corners = face.map(|v| points[v as usize].map(i128::from));
            let mut reach = 0;
            for p in corners {
                let mut square = 0;
                for k in 0..3 {
                    let sum = corners[0][k] + corners[1][k] + corners[2][k];
                    assert_eq!(i128::from(out[k] as i32), sum);
                    square += (3 * p[k] - sum).pow(2);
                }
                reach = reach.max(square);
            }
            let radius = 3 * i128::from(out[3]);
            assert!(radius * radius >= reach, "it covers");
            assert!(
                radius * radius <= 3 * reach + 40 * radius,
                "it is not far too large"
            );
        }
        let first = first.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{} differs from the twin", backend.name());
    }
}
