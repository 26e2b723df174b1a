//! The smallest axis of a covariance: our solver beside Jacobi's method and nalgebra's SVD, which is a program of its own.

use std::hint::black_box;

use anyhow::ensure;
use impinge::cloud::smallest_eigenvector;
use impinge::math::{Rng, eigen::symmetric_eigen};
use impinge::{DMat3, DVec3};

use super::peers::{answer, temporary, write};
use super::timing::own_seconds;
use crate::sample_statistics::median;
use crate::{Bar, Bars};

const MATRICES: usize = 4096;
/// Times that all are solved in a round: long enough for the coarse clock of a thread.
const AGAIN: usize = 64;
/// Published gains.
const OVER_JACOBI: f64 = 4.0;
const OVER_SVD: f64 = 8.0;
/// Sums of smallest values may differ by this part.
const AGREES: f64 = 1e-9;

pub(super) fn run(rounds: usize, bars: &mut Bars) {
    let mut rng = Rng::new(1);
    // Covariances of points near a plane, as surfaces give them.
    let matrices: Vec<DMat3> = (0..MATRICES)
        .map(|_| {
            let frame = DMat3::from_axis_angle(rng.direction(), rng.range(0.0, 6.0));
            let mut sum = DMat3::ZERO;
            for _ in 0..20 {
                let flat = DVec3::new(
                    rng.range(-1.0, 1.0),
                    rng.range(-0.8, 0.8),
                    rng.range(-0.1, 0.1),
                );
                let p = frame * flat;
                sum += DMat3::from_cols(p * p.x, p * p.y, p * p.z);
            }
            sum
        })
        .collect();
    let covariances: Vec<[f64; 6]> = matrices
        .iter()
        .map(|m| {
            let [xx, xy, xz, _, yy, yz, _, _, zz] = m.to_cols_array();
            [xx, xy, xz, yy, yz, zz]
        })
        .collect();
    let (mut ours, mut jacobi) = (Vec::new(), Vec::new());
    let rounds = rounds.max(5);
    for _ in 0..rounds {
        ours.push(own_seconds(|| {
            for &c in covariances.iter().cycle().take(AGAIN * MATRICES) {
                black_box(smallest_eigenvector(black_box(c)));
            }
        }));
        jacobi.push(own_seconds(|| {
            for m in matrices.iter().cycle().take(AGAIN * MATRICES) {
                black_box(symmetric_eigen(black_box(m)));
            }
        }));
    }
    let per = |times: &[f64]| median(times.to_vec()) * 1e9 / (AGAIN * MATRICES) as f64;
    let (a, b) = (per(&ours), per(&jacobi));
    println!(
        "\nsmallest axis: ours {a:.0} ns, cyclic Jacobi {b:.0} ns ({:.1}×)",
        b / a
    );
    bars.say(
        Bar::at_least(b / a, OVER_JACOBI),
        format!("{:.1}× Jacobi's method ≥ {OVER_JACOBI}×", b / a),
    );
    match svd_nanoseconds(&matrices, rounds) {
        Ok(c) => {
            println!("nalgebra's SVD {c:.0} ns");
            bars.say(
                Bar::at_least(c / a, OVER_SVD),
                format!("{:.1}× nalgebra's SVD ≥ {OVER_SVD}×", c / a),
            );
        }
        Err(error) => bars.say(
            Bar::Open,
            format!("beside nalgebra's SVD ≥ {OVER_SVD}× ({error:#})"),
        ),
    }
}

/// What nalgebra takes for one matrix.
fn svd_nanoseconds(matrices: &[DMat3], rounds: usize) -> anyhow::Result<f64> {
    let file = temporary("matrices");
    write(&file, matrices.iter().map(DMat3::to_cols_array))?;
    let numbers = answer("svd-nalgebra", "svd ", std::slice::from_ref(&file), rounds);
    // What is left in the folder for such files hurts nobody.
    let _ = std::fs::remove_file(&file);
    let numbers = numbers?;
    ensure!(
        numbers.len() == 1 + rounds,
        "it said {} numbers",
        numbers.len()
    );
    let ours: f64 = matrices.iter().map(|m| symmetric_eigen(m).values[2]).sum();
    let sum = numbers[0];
    ensure!(
        (sum - ours).abs() <= AGREES * ours.abs(),
        "it finds smallest values of {sum} together, Jacobi's method {ours}"
    );
    Ok(median(numbers[1..].to_vec()) / matrices.len().max(1) as f64)
}
