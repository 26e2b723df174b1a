//! Roots of a cubic in the open interval `(0, 1)`, each in a cell of its own: Descartes' rule of signs and bisection.

use super::exact::OutOfPrecision;
use super::fixed_integer::ExactNumber;
use super::polynomial_gcd::square_free;
use super::root_cell::{RootCell, halves};
use crate::math::Integer;

/// A cell of this level that may still hold two roots raises the question whether the cubic has a repeated root.
const SUSPICIOUS: u32 = 14;

/// A variation of signs counts each root in the open interval once, and is off by an even number.
fn variations<T: ExactNumber>(c: &[T; 4]) -> u32 {
    let mut count = 0;
    let mut last = 0;
    for sign in c.iter().map(ExactNumber::signum).filter(|&s| s != 0) {
        count += u32::from(sign == -last);
        last = sign;
    }
    count
}

/// The cubic itself, or one with the same roots, all simple.
///
/// Repeated roots are tested for only if bisection has not separated them early.
pub(super) fn with_simple_roots<T: ExactNumber>(cubic: [T; 4]) -> Result<[T; 4], OutOfPrecision> {
    if !is_suspicious(&cubic) {
        return Ok(cubic);
    }
    let wide: [Integer; 4] = std::array::from_fn(|i| cubic[i].to_integer());
    match square_free(&wide) {
        None => Ok(cubic),
        Some([a, b, c, d]) => match [a, b, c, d].map(T::from_integer) {
            [Some(a), Some(b), Some(c), Some(d)] => Ok([a, b, c, d]),
            _ => Err(OutOfPrecision),
        },
    }
}

/// Whether some cell of level [`SUSPICIOUS`] has more than one variation.
fn is_suspicious<T: ExactNumber>(cubic: &[T; 4]) -> bool {
    if variations(cubic) < 2 {
        return false;
    }
    let mut waiting = vec![(cubic.clone(), 0)];
    // At most two cells of a level have two variations: there are three roots.
    for _ in 0..4 * SUSPICIOUS {
        let Some((local, level)) = waiting.pop() else {
            return false;
        };
        if variations(&local) < 2 {
            continue;
        }
        if level == SUSPICIOUS {
            return true;
        }
        waiting.extend(halves(&local).map(|half| (half, level + 1)));
    }
    true
}

/// The roots from left to right. `cubic` is not zero and has simple roots in `(0, 1)`; cells get no deeper than `limit`.
pub(super) fn isolate<T: ExactNumber>(
    cubic: &[T; 4],
    limit: u32,
) -> Result<Vec<RootCell<'_, T>>, OutOfPrecision> {
    let mut roots = Vec::with_capacity(3);
    match variations(cubic) {
        0 => return Ok(roots),
        1 => {
            roots.push(RootCell::in_cell(cubic, cubic.clone(), T::zero(), 0, limit));
            return Ok(roots);
        }
        _ => {}
    }
    // A corner that is a root waits without coefficients.
    let mut waiting = vec![(Some(cubic.clone()), T::zero(), 0)];
    // At most two cells of a level have two variations; halving one leaves three entries at most.
    for _ in 0..=8 * u64::from(limit) {
        let Some((local, k, level)) = waiting.pop() else {
            return Ok(roots);
        };
        let Some(local) = local else {
            roots.push(RootCell::corner(cubic, k, level, limit));
            continue;
        };
        match variations(&local) {
            0 => {}
            1 => roots.push(RootCell::in_cell(cubic, local, k, level, limit)),
            _ if level >= limit => return Err(OutOfPrecision),
            _ => {
                let [left, right] = halves(&local);
                let (k, level) = (k.shifted(1), level + 1);
                let next = k.plus(&T::from_scaled(1.0, 0));
                let is_corner = right[0].signum() == 0;
                waiting.push((Some(right), next.clone(), level));
                if is_corner {
                    waiting.push((None, next, level));
                }
                waiting.push((Some(left), k, level));
            }
        }
    }
    Err(OutOfPrecision)
}
