//! Stage 3: a certified bracket of the only root that a cubic has in an interval.

use super::certified_filter::U;

/// Newton steps; each is certain to stay between two signs, none has to succeed.
const STEPS: u32 = 12;
/// How often a bracket is widened until the signs at its ends are certain.
const WIDENINGS: u32 = 4;
const WIDENING: f64 = 8.0;
/// The least half-width that is tried, in the parameter of the interval.
const NARROWEST: f64 = 1e-14;
/// A value is a sum of weighted coefficients of at most `6M`, each with at most 8 roundings: 48 u M. Used: 64.
const VALUE: f64 = 64.0 * U;
/// Rounding of `lower + length · t`: at most u, as both are exact and the sum at most 1.
const OUTWARD: f64 = 4e-16;

#[inline]
pub(super) fn value(b: &[f64; 4], t: f64) -> f64 {
    let s = 1.0 - t;
    s * s * (s * b[0] + 3.0 * t * b[1]) + t * t * (3.0 * s * b[2] + t * b[3])
}

#[inline]
pub(super) fn slope(b: &[f64; 4], t: f64) -> f64 {
    let s = 1.0 - t;
    3.0 * (s * s * (b[1] - b[0]) + 2.0 * s * t * (b[2] - b[1]) + t * t * (b[3] - b[2]))
}

/// Times around the root of the cubic with the coefficients `b` on `[lower, upper]`, whose values at the ends are certain
/// to have opposite signs and which is certain to have one root there. `error` is the bound of the coefficients,
/// `volume` the `M` of the bounds. None when no narrow bracket is certain.
pub(super) fn bracket(
    b: &[f64; 4],
    [lower, upper]: [f64; 2],
    error: f64,
    volume: f64,
) -> Option<[f64; 2]> {
    let error = error + VALUE * volume;
    let sign = b[0].signum();
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    let mut t = b[0] / (b[0] - b[3]);
    for _ in 0..STEPS {
        let v = value(b, t);
        if v.abs() <= error {
            break;
        }
        if v * sign > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let mut next = t - v / slope(b, t);
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        let step = (next - t).abs();
        t = next;
        if step < NARROWEST {
            break;
        }
    }
    let reach = 2.5 * error / slope(b, t).abs();
    let mut half = if reach.is_finite() { reach } else { 1e-3 }.max(NARROWEST);
    let length = upper - lower;
    for _ in 0..WIDENINGS {
        let (low, high) = ((t - half).max(0.0), (t + half).min(1.0));
        // The ends of the interval are certain already.
        let is_before = low == 0.0 || value(b, low) * sign > error;
        let is_after = high == 1.0 || value(b, high) * sign < -error;
        if is_before && is_after {
            return Some([
                (lower + length * low - OUTWARD).max(lower),
                (lower + length * high + OUTWARD).min(upper),
            ]);
        }
        half *= WIDENING;
    }
    None
}
