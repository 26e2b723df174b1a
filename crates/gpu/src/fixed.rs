//! Positions in fixed point.
//!
//! **Question.** How can every device see the same numbers, at any scale, without `f64`?
//! **Idea.** `q = floor((p − o) · 2^k)` with the middle `o` of the scene and the largest `k` that keeps
//! `|q| ≤ 2^28`. Differences of such numbers are exact in 32 bits and never denormal.
//! **Promise.** `q` grows with `p`. With `x = (p − o) · 2^k`, `−2^-24 < x − q < 1 + 2^-24`: the
//! subtraction errs by at most 2^-53 of itself, which is below 2^28, and scaling by at most 2^-1074.

use glam::DVec3;
use impinge::math::MAX_COORDINATE;

/// Bits of the largest magnitude.
pub const POSITION_BITS: i32 = 28;

/// The grid of fixed-point positions of a frame.
///
/// ```
/// use impinge::DVec3;
/// use impinge_gpu::Grid;
/// let grid = Grid::around(&[DVec3::ZERO, DVec3::new(2.0, 0.5, 0.0)]);
/// assert_eq!(grid.point(DVec3::ZERO), [-1 << 27, -1 << 25, 0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    origin: DVec3,
    exponent: i32,
    /// Two factors whose product is 2^k, which alone may be too large or too small.
    scale: [f64; 2],
}

impl Grid {
    /// The grid that holds these points, of magnitude at most [`MAX_COORDINATE`]; others are left out.
    #[must_use]
    pub fn around(points: &[DVec3]) -> Self {
        let is_valid = |p: &&DVec3| p.abs().max_element() <= MAX_COORDINATE;
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for &p in points.iter().filter(is_valid) {
            low = low.min(p);
            high = high.max(p);
        }
        let origin = if low.cmple(high).all() {
            0.5 * (low + high)
        } else {
            DVec3::ZERO
        };
        // Rounding is monotone, so that no point is farther than the farther end.
        let reach = (high - origin)
            .abs()
            .max((low - origin).abs())
            .max_element();
        let exponent = if reach > 0.0 && reach.is_finite() {
            POSITION_BITS - exponent_above(reach)
        } else {
            0
        };
        let half = exponent / 2;
        Self {
            origin,
            exponent,
            scale: [power(half), power(exponent - half)],
        }
    }

    /// What is subtracted.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The power of two that is multiplied with.
    #[must_use]
    pub fn exponent(&self) -> i32 {
        self.exponent
    }

    /// The integers of a point; the nearest end of the range for one outside of the grid.
    #[must_use]
    pub fn point(&self, p: DVec3) -> [i32; 3] {
        let [a, b] = self.scale;
        // Conversion saturates; a value that is not a number gives 0.
        ((p - self.origin) * a * b).floor().to_array().map(|x| {
            let most = 1 << POSITION_BITS;
            (x as i32).clamp(-most, most)
        })
    }

    /// A length in units of the grid.
    #[must_use]
    pub fn scaled(&self, length: f64) -> f64 {
        let [a, b] = self.scale;
        length * a * b
    }

    /// All points, three words each.
    #[must_use]
    pub fn words(&self, points: &[DVec3]) -> Vec<u32> {
        points
            .iter()
            .flat_map(|&p| self.point(p).map(|q| q as u32))
            .collect()
    }
}

/// The smallest `x` with `value < 2^x`, of a positive finite value.
fn exponent_above(value: f64) -> i32 {
    let exponent = |v: f64| (v.to_bits() >> 52) as i32 - 1022;
    if value < f64::MIN_POSITIVE {
        exponent(value * power(54)) - 54
    } else {
        exponent(value)
    }
}

/// 2 to a power that is a normal number.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
