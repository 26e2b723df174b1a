//! Rotation of a k-DOP: directions as sums of its fixed directions.
//!
//! **Question.** Which fixed directions, with which positive weights, add up to a given direction?
//! **Idea.** By symmetry let the direction be `(x, y, z)` with `x ≥ y ≥ z ≥ 0`. A few triples of fixed directions span the cones that
//! can hold it; they are tried from narrow to wide, and the first whose directions the k-DOP has and whose weights are not
//! negative is taken.

use glam::{DMat3, DVec3};

use super::kdop::{DIRECTIONS, MAX_SLABS};
use crate::math::sort::sort_few;

/// A turned direction: a sum of three fixed ones, and the translation along it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RotatedDirection {
    /// Which; those from half of k on are the opposites.
    pub(super) slabs: [u8; 3],
    pub(super) weights: [f64; 3],
    pub(super) shift: f64,
}

/// Every direction of a k-DOP after turning by `turn`, with `shift` of the direction itself.
pub(super) fn turns(
    slabs: &[u8],
    turn: &DMat3,
    shift: impl Fn(DVec3) -> f64,
) -> [RotatedDirection; MAX_SLABS] {
    let mut found = [RotatedDirection::default(); MAX_SLABS];
    for (found, &slab) in found.iter_mut().zip(slabs) {
        let direction = DVec3::from(DIRECTIONS[usize::from(slab)].map(f64::from));
        let (chosen, weights) = decompose(slabs, *turn * direction);
        *found = RotatedDirection {
            slabs: chosen,
            weights,
            shift: shift(direction),
        };
    }
    found
}

/// Three fixed directions and their weights.
fn decompose(slabs: &[u8], u: DVec3) -> ([u8; 3], [f64; 3]) {
    let mut order = [0, 1, 2];
    sort_few(&mut order, |&i, &j| u[j].abs().total_cmp(&u[i].abs()));
    let sign = order.map(|i| if u[i] < 0.0 { -1_i8 } else { 1 });
    let [x, y, z] = order.map(|i| u[i].abs());
    // A direction given in the sorted frame, as a number of this k-DOP's.
    let number = |sorted: [i8; 3]| {
        let mut wanted = [0; 3];
        for k in 0..3 {
            wanted[order[k]] = sorted[k] * sign[k];
        }
        let opposite = wanted.map(|c| -c);
        slabs.iter().zip(0_u8..).find_map(|(&slab, i)| {
            let direction = DIRECTIONS[usize::from(slab)];
            if direction == wanted {
                Some(i)
            } else if direction == opposite {
                Some(i + slabs.len() as u8)
            } else {
                None
            }
        })
    };
    const E1: [i8; 3] = [1, 0, 0];
    const E2: [i8; 3] = [0, 1, 0];
    const E3: [i8; 3] = [0, 0, 1];
    const E12: [i8; 3] = [1, 1, 0];
    const E13: [i8; 3] = [1, 0, 1];
    const E23: [i8; 3] = [0, 1, 1];
    const C: [i8; 3] = [1, 1, 1];
    const C3: [i8; 3] = [1, 1, -1];
    const C23: [i8; 3] = [1, -1, -1];
    let half = 0.5;
    let candidates = [
        ([E1, E12, C], [x - y, y - z, z]),
        ([E1, E12, E13], [x - y - z, y, z]),
        (
            [E12, E13, E23],
            [half * (x + y - z), half * (x + z - y), half * (y + z - x)],
        ),
        ([E12, E13, E2], [x - z, z, y + z - x]),
        ([E1, C, C3], [x - y, half * (y + z), half * (y - z)]),
        ([E1, E12, E3], [x - y, y, z]),
        ([E1, E13, E2], [x - z, z, y]),
        (
            [C, C3, C23],
            [half * (x + z), half * (y - z), half * (x - y)],
        ),
        ([E1, E2, E3], [x, y, z]),
    ];
    for (directions, weights) in candidates {
        if weights.iter().any(|&w| w < 0.0) {
            continue;
        }
        if let [Some(p), Some(q), Some(r)] = directions.map(number) {
            return ([p, q, r], weights);
        }
    }
    // Not reached: the last two candidates serve every k-DOP. No bound is a valid answer.
    ([0; 3], [f64::INFINITY; 3])
}
