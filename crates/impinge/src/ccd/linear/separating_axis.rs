//! Stage 0: an axis along which one element stays ahead of the other, by comparisons alone.

use super::moving_point::FourMovingPoints;

/// Whether along some axis one element is strictly ahead of the other at both ends of the motion, and therefore
/// always: differences of coordinates are linear in time. Exact.
#[inline]
pub(super) fn stay_apart<const EDGES: bool>(p: &FourMovingPoints) -> bool {
    (0..3).any(|k| {
        let x = |i: usize| p[i][k];
        if EDGES {
            let ahead = |s: usize| x(s).max(x(s + 1)) < x(s + 2).min(x(s + 3));
            let behind = |s: usize| x(s).min(x(s + 1)) > x(s + 2).max(x(s + 3));
            (ahead(0) & ahead(4)) | (behind(0) & behind(4))
        } else {
            let ahead = |s: usize| x(s) < x(s + 1).min(x(s + 2)).min(x(s + 3));
            let behind = |s: usize| x(s) > x(s + 1).max(x(s + 2)).max(x(s + 3));
            (ahead(0) & ahead(4)) | (behind(0) & behind(4))
        }
    })
}
