//! Principal axes of clusters from exact sums.
//!
//! **Question.** Along which axis does a cluster have few overlapping pairs?
//! **Idea.** The card sums coordinates and products of the centroids, cut to 15 bits and a sign, in two
//! words: exact, so that every device gives the same axes. The host finds the eigenvectors. They serve
//! from the next frame on, which saves a readback: any direction is a valid axis. Every few frames the
//! sweep axis is chosen among the three, and x as a fourth, by counting pairs.
//! **Source.** Mainzer's thesis 5.2.1, which always takes the first axis.

use glam::{DMat3, DVec3};
use impinge::math::eigen::symmetric_eigen;

use super::boxes::MAX_DIRECTION;
use crate::kernel::{Dispatch, Kernel};

/// Words of the sums of a cluster.
pub(super) const SPREAD: usize = 20;

/// Counts, coordinates and products of the centroids of each cluster.
pub static SUM_SPREADS: Kernel = Kernel {
    name: "sum_spreads",
    wgsl: concat!(
        include_str!("../shaders/prelude.wgsl"),
        include_str!("../shaders/scan_shared.wgsl"),
        include_str!("../shaders/spread.wgsl")
    ),
    twin: sum_spreads,
    buffers: 3,
    items: 1,
    bytes: 80,
    ops: 400,
    shared: 2048,
};

fn sum_spreads(dispatch: &Dispatch, buffers: &mut [Vec<u32>]) {
    let [n, clusters, ..] = dispatch.parameters.map(|word| word as usize);
    let [centroids, masks, spreads] = buffers else {
        return;
    };
    for c in 0..clusters {
        let mut sums = [0_i64; 10];
        for f in 0..n {
            if clusters > 1 && masks[2 * f + c / 32] >> (c % 32) & 1 == 0 {
                continue;
            }
            let [x, y, z] = std::array::from_fn(|k| i64::from(centroids[4 * f + k] as i32 >> 15));
            let moments = [1, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z];
            for (sum, moment) in sums.iter_mut().zip(moments) {
                *sum += moment;
            }
        }
        for (k, sum) in sums.into_iter().enumerate() {
            spreads[SPREAD * c + 2 * k] = sum as u32;
            spreads[SPREAD * c + 2 * k + 1] = (sum >> 32) as u32;
        }
    }
}

/// Three integer directions of each cluster, largest spread first, from its sums.
pub(super) fn principal_directions(spreads: &[u32]) -> Vec<[[i32; 3]; 3]> {
    let sums = |cluster: &[u32]| -> [f64; 10] {
        let mut sums = [0.0; 10];
        for (sum, words) in sums.iter_mut().zip(cluster.chunks_exact(2)) {
            let wide = words
                .iter()
                .rev()
                .fold(0, |sum: u64, &word| sum << 32 | u64::from(word));
            *sum = wide as i64 as f64;
        }
        sums
    };
    let axes = |cluster: &[u32]| {
        let [count, x, y, z, xx, xy, xz, yy, yz, zz] = sums(cluster);
        let mean = DVec3::new(x, y, z) / count.max(1.0);
        let spread = DMat3::from_cols(
            DVec3::new(xx, xy, xz) - mean * x,
            DVec3::new(xy, yy, yz) - mean * y,
            DVec3::new(xz, yz, zz) - mean * z,
        );
        let vectors = symmetric_eigen(&spread).vectors;
        [vectors.x_axis, vectors.y_axis, vectors.z_axis].map(whole)
    };
    spreads.chunks_exact(SPREAD).map(axes).collect()
}

/// The integer direction nearest to a unit vector.
fn whole(axis: DVec3) -> [i32; 3] {
    let most = f64::from(MAX_DIRECTION);
    let entries = (axis * most).round().to_array();
    let direction = entries.map(|x| (x as i32).clamp(-MAX_DIRECTION, MAX_DIRECTION));
    // Not a number, or nothing: any direction will do.
    if direction == [0; 3] {
        [MAX_DIRECTION, 0, 0]
    } else {
        direction
    }
}

/// The integer directions nearest to a unit vector and to two vectors perpendicular to it.
pub(super) fn directions_beside(direction: DVec3) -> [[i32; 3]; 3] {
    let (e, f) = direction.any_orthonormal_pair();
    [direction, e, f].map(whole)
}

/// The coordinate axes.
pub(super) const FIXED: [[i32; 3]; 3] = [
    [MAX_DIRECTION, 0, 0],
    [0, MAX_DIRECTION, 0],
    [0, 0, MAX_DIRECTION],
];

/// The words of directions whose `first` is swept along.
pub(super) fn direction_words(axes: &[[[i32; 3]; 3]], first: usize) -> Vec<u32> {
    let turned = |axes: &[[i32; 3]; 3]| {
        let mut turned = *axes;
        turned.rotate_left(first);
        turned
    };
    axes.iter()
        .flat_map(|axes| turned(axes).concat())
        .map(|x| x as u32)
        .collect()
}
