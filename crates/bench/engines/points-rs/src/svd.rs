//! `svd-nalgebra MATRICES ROUNDS`: nalgebra's singular values and left vectors of many matrices of three by three. The file holds a
//! 64-bit count and nine doubles for each, by columns. Answers a line `svd <sum of the smallest singular values> <nanoseconds for all
//! matrices, of each round>`; all are solved so often in a round that the coarse clock of a thread tells, and the time is that of once.

mod shared;

use std::hint::black_box;

use nalgebra::Matrix3;

/// Matrices that are solved in a round at least.
const ENOUGH: usize = 1 << 18;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [matrices, rounds] = arguments.as_slice() else {
        eprintln!("svd-nalgebra MATRICES ROUNDS");
        std::process::exit(1);
    };
    let matrices: Vec<Matrix3<f64>> = shared::read::<9>(matrices)
        .iter()
        .map(|m| Matrix3::from_column_slice(m))
        .collect();
    let rounds: usize = rounds.parse().expect("a number of rounds");
    let again = ENOUGH.div_ceil(matrices.len().max(1));
    let sum: f64 = matrices
        .iter()
        .map(|m| m.svd(true, false).singular_values.min())
        .sum();
    let times: Vec<f64> = (0..rounds)
        .map(|_| {
            let passed = shared::own_nanoseconds(|| {
                for m in (0..again).flat_map(|_| &matrices) {
                    black_box(black_box(*m).svd(true, false));
                }
            });
            passed / again as f64
        })
        .collect();
    shared::tell("svd", sum, &[&times]);
}
