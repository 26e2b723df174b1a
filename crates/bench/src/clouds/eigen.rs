//! The smallest axis of a covariance: our solver beside Jacobi's method and, with feature `crate-peers`, nalgebra's SVD.

use std::hint::black_box;

use impinge::cloud::smallest_axis;
use impinge::math::{Rng, eigen::symmetric_eigen};
use impinge::{DMat3, DVec3};

use super::timing::{bar, median, own_seconds};

const MATRICES: usize = 4096;
/// Times that all are solved in a round: long enough for the coarse clock of a thread.
const AGAIN: usize = 64;
/// Published gains.
const OVER_JACOBI: f64 = 4.0;
const OVER_SVD: f64 = 8.0;

pub(super) fn run(rounds: usize) -> bool {
    let mut rng = Rng::new(1);
    // Covariances of points near a plane, as surfaces give them.
    let covariances: Vec<[f64; 6]> = (0..MATRICES)
        .map(|_| {
            let frame = DMat3::from_axis_angle(rng.direction(), rng.range(0.0, 6.0));
            let mut sums = [0.0; 6];
            for _ in 0..20 {
                let flat = DVec3::new(
                    rng.range(-1.0, 1.0),
                    rng.range(-0.8, 0.8),
                    rng.range(-0.1, 0.1),
                );
                let p = frame * flat;
                for (sum, x) in sums.iter_mut().zip([
                    p.x * p.x,
                    p.x * p.y,
                    p.x * p.z,
                    p.y * p.y,
                    p.y * p.z,
                    p.z * p.z,
                ]) {
                    *sum += x;
                }
            }
            sums
        })
        .collect();
    let matrices: Vec<DMat3> = covariances
        .iter()
        .map(|&[xx, xy, xz, yy, yz, zz]| {
            DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
        })
        .collect();
    let (mut ours, mut jacobi, mut svd) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds.max(5) {
        ours.push(own_seconds(|| {
            for &c in covariances.iter().cycle().take(AGAIN * MATRICES) {
                black_box(smallest_axis(black_box(c)));
            }
        }));
        jacobi.push(own_seconds(|| {
            for m in matrices.iter().cycle().take(AGAIN * MATRICES) {
                black_box(symmetric_eigen(black_box(m)));
            }
        }));
        svd.extend(svd_seconds(&matrices));
    }
    let per = |times: &[f64]| median(times.to_vec()) * 1e9 / (AGAIN * MATRICES) as f64;
    let (a, b) = (per(&ours), per(&jacobi));
    println!(
        "\nsmallest axis: ours {a:.0} ns, cyclic Jacobi {b:.0} ns ({:.1}×)",
        b / a
    );
    let mut met = bar(
        b / a >= OVER_JACOBI,
        &format!("{:.1}× Jacobi's method ≥ {OVER_JACOBI}×", b / a),
    );
    if svd.is_empty() {
        println!("nalgebra's SVD: not built in; cargo run -p impinge-bench --features crate-peers");
    } else {
        let c = per(&svd);
        println!("nalgebra's SVD {c:.0} ns");
        met &= bar(
            c / a >= OVER_SVD,
            &format!("{:.1}× nalgebra's SVD ≥ {OVER_SVD}×", c / a),
        );
    }
    met
}

#[cfg(feature = "crate-peers")]
fn svd_seconds(matrices: &[DMat3]) -> Option<f64> {
    let theirs: Vec<nalgebra::Matrix3<f64>> = matrices
        .iter()
        .map(|m| nalgebra::Matrix3::from_column_slice(&m.to_cols_array()))
        .collect();
    Some(own_seconds(|| {
        for m in theirs.iter().cycle().take(AGAIN * MATRICES) {
            black_box(black_box(*m).svd(true, false));
        }
    }))
}

#[cfg(not(feature = "crate-peers"))]
fn svd_seconds(_: &[DMat3]) -> Option<f64> {
    None
}
