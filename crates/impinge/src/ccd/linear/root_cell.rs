//! A root of a cubic in a cell `(k, k+1) / 2^level`, or on its corner, and the signs of quadratics there.

use super::exact::OutOfPrecision;
use super::fixed_integer::ExactNumber;
use super::polynomial_gcd::Polynomial;
use super::root_bracket::{slope, value};
use crate::math::Scaled;

/// By how many bits a cell shrinks in each of the steps of a sign.
const SHRINKS: [u32; 3] = [16, 24, 40];
/// From which step on the quadratic is tested for zero; at once in a cell that is as deep as a first step makes it. A
/// root at which many quadratics vanish would otherwise shrink its cell for each of them, until it may not any more.
const FIRST_ZERO_TEST: usize = 1;
const DEEP: u32 = 40;
/// The most bits of one shrink.
const LONGEST: u32 = 40;
/// Halvings when a guess was wrong.
const HALVINGS: u32 = 4;
/// Steps of the search for a guess; a bad guess costs time, never the answer.
const GUESS_STEPS: u32 = 60;
/// Weights of cells up to this level fit into 64 bits.
const SMALL_LEVEL: u32 = 62;

/// Both halves of a cubic, as coefficients of 8 times it.
pub(super) fn halves<T: ExactNumber>(c: &[T; 4]) -> [[T; 4]; 2] {
    let (c01, c12, c23) = (c[0].plus(&c[1]), c[1].plus(&c[2]), c[2].plus(&c[3]));
    let (c012, c123) = (c01.plus(&c12), c12.plus(&c23));
    let middle = c012.plus(&c123);
    [
        [
            c[0].shifted(3),
            c01.shifted(2),
            c012.shifted(1),
            middle.clone(),
        ],
        [middle, c123.shifted(1), c23.shifted(2), c[3].shifted(3)],
    ]
}

/// A root of a cubic.
#[derive(Clone, Debug)]
pub(super) struct RootCell<'a, T> {
    /// Coefficients on `[0, 1]` of the cubic, which has simple roots only.
    whole: &'a [T; 4],
    /// Coefficients on the cell, up to a positive factor; exactly one variation of sign. Not used for a corner.
    local: [T; 4],
    k: T,
    level: u32,
    /// The root is `k / 2^level` itself.
    is_corner: bool,
    /// Cells may shrink to this level.
    limit: u32,
    /// The cubic over integers of any width, once it is needed.
    polynomial: Option<Polynomial>,
}

impl<'a, T: ExactNumber> RootCell<'a, T> {
    /// The root in a cell with one variation of sign.
    pub(super) fn in_cell(whole: &'a [T; 4], local: [T; 4], k: T, level: u32, limit: u32) -> Self {
        Self {
            whole,
            local,
            k,
            level,
            is_corner: false,
            limit,
            polynomial: None,
        }
    }

    /// The time `k / 2^level`.
    pub(super) fn corner(whole: &'a [T; 4], k: T, level: u32, limit: u32) -> Self {
        Self {
            is_corner: true,
            ..Self::in_cell(whole, std::array::from_fn(|_| T::zero()), k, level, limit)
        }
    }

    /// A bracket of the time of the root in `f64`, rounded outwards.
    pub(super) fn bounds(&self) -> [f64; 2] {
        let upper = if self.is_corner {
            self.k.clone()
        } else {
            self.k.plus(&one())
        };
        [self.time(&self.k, false), self.time(&upper, true)]
    }

    fn time(&self, k: &T, is_upward: bool) -> f64 {
        /// `k` below 2^53 and powers of two down to here are exact.
        const EXACT: u32 = 53;
        if self.level <= EXACT {
            return k.low() as f64 * power_of_two(-(self.level as i32));
        }
        let Scaled { mantissa, exponent } = k.rounded();
        let t = scale(mantissa, exponent - self.level.min(1 << 20) as i32);
        // 2^-52 of `rounded`, one rounding, and an underflow.
        let slack = t * (8.0 * f64::EPSILON) + f64::MIN_POSITIVE;
        if is_upward {
            (t + slack).min(1.0)
        } else {
            (t - slack).max(0.0)
        }
    }

    /// Shrinks the cell until it is no wider than `2^-level`.
    pub(super) fn narrow_to(&mut self, level: u32) -> Result<(), OutOfPrecision> {
        // Each round gains at least one level.
        for _ in 0..level {
            if self.is_corner || self.level >= level {
                break;
            }
            self.narrow((level - self.level).min(LONGEST))?;
        }
        Ok(())
    }

    fn halve(&mut self) -> Result<(), OutOfPrecision> {
        if self.is_corner {
            return Ok(());
        }
        if self.level >= self.limit {
            return Err(OutOfPrecision);
        }
        let [left, right] = halves(&self.local);
        self.level += 1;
        self.k = self.k.shifted(1);
        let middle = right[0].signum();
        // Just right of the left end, which may be a root itself, the sign is that of the first coefficient that is not zero.
        let before = left
            .iter()
            .map(ExactNumber::signum)
            .find(|&s| s != 0)
            .unwrap_or(0);
        if middle == 0 {
            self.is_corner = true;
            self.k = self.k.plus(&one());
        } else if before != middle {
            self.local = left;
        } else {
            self.local = right;
            self.k = self.k.plus(&one());
        }
        Ok(())
    }

    /// Shrinks the cell by `bits` levels at once if a guess proves right, by fewer otherwise, but always.
    fn narrow(&mut self, bits: u32) -> Result<(), OutOfPrecision> {
        if self.is_corner {
            return Ok(());
        }
        let bits = bits.min(LONGEST).min(self.limit.saturating_sub(self.level));
        if bits == 0 {
            return Err(OutOfPrecision);
        }
        if bits > 1 && self.jump(bits) {
            return Ok(());
        }
        for _ in 0..HALVINGS.min(bits) {
            self.halve()?;
        }
        Ok(())
    }

    fn jump(&mut self, bits: u32) -> bool {
        let cells = 1_u64 << bits;
        let guess = (self.guess() * cells as f64) as u64;
        for k in [guess, guess.wrapping_sub(1), guess + 1] {
            if k >= cells {
                continue;
            }
            let (lower, upper) = ([cells - k, k], [cells - k - 1, k + 1]);
            let at_lower: [T; 3] = blend(&self.local, lower);
            let twice_lower: [T; 2] = blend(&at_lower, lower);
            let [first]: [T; 1] = blend(&twice_lower, lower);
            let at_upper: [T; 3] = blend(&self.local, upper);
            let twice_upper: [T; 2] = blend(&at_upper, upper);
            let [last]: [T; 1] = blend(&twice_upper, upper);
            let (before, after) = (first.signum(), last.signum());
            let corner = if before == 0 && k > 0 {
                Some(k)
            } else if after == 0 && k + 1 < cells {
                Some(k + 1)
            } else {
                None
            };
            if corner.is_none() && before * after >= 0 {
                continue;
            }
            let [second]: [T; 1] = blend(&twice_lower, upper);
            let [third]: [T; 1] = blend(&twice_upper, lower);
            self.local = [first, second, third, last];
            self.k = self
                .k
                .shifted(bits)
                .plus(&one::<T>().times_small(corner.unwrap_or(k)));
            self.level += bits;
            self.is_corner = corner.is_some();
            return true;
        }
        false
    }

    /// About where in its cell the root is.
    fn guess(&self) -> f64 {
        let rounded: [Scaled; 4] = std::array::from_fn(|i| self.local[i].rounded());
        let top = rounded
            .iter()
            .filter(|r| r.mantissa != 0.0)
            .map(|r| r.exponent)
            .max()
            .unwrap_or(0);
        let b = rounded.map(|r| scale(r.mantissa, (r.exponent - top).max(-900)));
        let is_rising = b.iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        let mut t = b[0] / (b[0] - b[3]);
        if !(t > 0.0 && t < 1.0) {
            t = 0.5;
        }
        for _ in 0..GUESS_STEPS {
            let v = value(&b, t);
            if v == 0.0 {
                break;
            }
            if (v < 0.0) == is_rising {
                low = t;
            } else {
                high = t;
            }
            let mut next = t - v / slope(&b, t);
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            let step = (next - t).abs();
            t = next;
            if step < f64::EPSILON / 8.0 {
                break;
            }
        }
        t
    }

    /// The sign of a quadratic at the root, given by its Bernstein coefficients on `[0, 1]`.
    pub(super) fn sign(&mut self, q: &[T; 3]) -> Result<i32, OutOfPrecision> {
        if q.iter().all(|x| x.signum() == 0) {
            return Ok(0);
        }
        let mut is_open = true;
        // Each round shrinks the cell, stops, or answers.
        for step in 0..=self.limit as usize {
            if let Some(sign) = self.sign_on_cell(q) {
                return Ok(sign);
            }
            if (step >= FIRST_ZERO_TEST || self.level >= DEEP) && is_open {
                match self.is_zero(q) {
                    Some(true) => return Ok(0),
                    Some(false) => is_open = false,
                    None => {}
                }
            }
            self.narrow(SHRINKS[step.min(SHRINKS.len() - 1)])?;
        }
        Err(OutOfPrecision)
    }

    /// The sign that a quadratic has all over the cell.
    fn sign_on_cell(&self, q: &[T; 3]) -> Option<i32> {
        let signs = if self.level <= SMALL_LEVEL {
            let (all, k) = (1_u64 << self.level, self.k.low());
            let lower = [all - k, k];
            let at_lower: [T; 2] = blend(q, lower);
            let [first]: [T; 1] = blend(&at_lower, lower);
            if self.is_corner {
                return Some(first.signum());
            }
            let upper = [all - k - 1, k + 1];
            let [second]: [T; 1] = blend(&at_lower, upper);
            let [third]: [T; 1] = blend(&blend::<_, 3, 2>(q, upper), upper);
            [first, second, third]
        } else {
            let all = one::<T>().shifted(self.level);
            let lower = [all.minus(&self.k), self.k.clone()];
            let at_lower: [T; 2] = blend_wide(q, &lower);
            let [first]: [T; 1] = blend_wide(&at_lower, &lower);
            if self.is_corner {
                return Some(first.signum());
            }
            let next = self.k.plus(&one());
            let upper = [all.minus(&next), next];
            let [second]: [T; 1] = blend_wide(&at_lower, &upper);
            let [third]: [T; 1] = blend_wide(&blend_wide::<_, 3, 2>(q, &upper), &upper);
            [first, second, third]
        }
        .map(|x| x.signum());
        if signs.iter().all(|&s| s >= 0) && signs != [0; 3] {
            Some(1)
        } else if signs.iter().all(|&s| s <= 0) && signs != [0; 3] {
            Some(-1)
        } else {
            None
        }
    }

    /// Whether the quadratic vanishes at the root; none when another root on a corner of the cell hides it.
    fn is_zero(&mut self, q: &[T; 3]) -> Option<bool> {
        let whole = self.whole;
        let own = self.polynomial.get_or_insert_with(|| {
            Polynomial::from_cubic(&std::array::from_fn(|i| whole[i].to_integer()))
        });
        let other = Polynomial::from_quadratic(&std::array::from_fn(|i| q[i].to_integer()));
        let Some(factor) = own.common(&other) else {
            return Some(false);
        };
        // The factor may belong to another root of the cubic.
        let k = self.k.to_integer();
        let before = factor.sign_at(&k, self.level);
        let after = factor.sign_at(&self.k.plus(&one()).to_integer(), self.level);
        (before * after != 0).then_some(before * after < 0)
    }
}

fn one<T: ExactNumber>() -> T {
    T::from_scaled(1.0, 0)
}

/// One step of de Casteljau: neighbours mixed with these weights.
#[inline]
fn blend<T: ExactNumber, const N: usize, const M: usize>(c: &[T; N], [a, b]: [u64; 2]) -> [T; M] {
    std::array::from_fn(|i| c[i].times_small(a).plus(&c[i + 1].times_small(b)))
}

fn blend_wide<T: ExactNumber, const N: usize, const M: usize>(
    c: &[T; N],
    [a, b]: &[T; 2],
) -> [T; M] {
    std::array::from_fn(|i| c[i].times(a).plus(&c[i + 1].times(b)))
}

/// `2^k` for `-1022 ≤ k ≤ 1023`.
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((i64::from(k) + 1023) as u64) << 52)
}

/// `x · 2^k` for any `k`, rounded.
fn scale(x: f64, k: i32) -> f64 {
    let k = k.clamp(-2040, 2040);
    x * power_of_two(k / 2) * power_of_two(k - k / 2)
}
