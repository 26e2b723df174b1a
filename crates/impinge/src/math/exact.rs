//! Signs and sizes of orientation determinants by integer arithmetic: the last resort of the predicates.
//!
//! **Question.** What is the sign of a polynomial in coordinates when floating-point expansions could underflow?
//! **Idea.** Every finite `f64` is an integer times a power of two. With one common exponent for all
//! coordinates of a call, the polynomial is an integer times a known power of two.
//! **Cost.** Schoolbook multiplication on at most 20 limbs per coordinate; microseconds; allocates only for coordinates of very different
//! size. Reached
//! only with coordinates below about 2^-130, or for the size of a determinant that cancels almost fully.
//! **Promise.** Exact for all finite inputs.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use glam::{DVec2, DVec3};

use super::Sign;
use super::limbs::Limbs;

/// A sign and a magnitude in little-endian limbs without leading zeros; zero has no limbs and is not negative.
#[derive(Clone, Debug)]
pub(crate) struct Integer {
    negative: bool,
    limbs: Limbs,
}

impl Integer {
    fn new(negative: bool, mut limbs: Limbs) -> Self {
        limbs.trim();
        Self {
            negative: negative && !limbs.as_slice().is_empty(),
            limbs,
        }
    }

    pub(crate) fn zero() -> Self {
        Self::new(false, Limbs::zeros(0))
    }

    /// From the digits of a magnitude, lowest first.
    pub(crate) fn from_limbs(negative: bool, digits: &[u64]) -> Self {
        let mut limbs = Limbs::zeros(digits.len());
        limbs.as_mut_slice().copy_from_slice(digits);
        Self::new(negative, limbs)
    }

    pub(crate) fn limbs(&self) -> &[u64] {
        self.limbs.as_slice()
    }

    /// `x · 2^-exponent`, where `exponent` is at most that of the lowest bit of `x`.
    fn scaled(x: f64, exponent: i32) -> Self {
        let (mantissa, own) = decompose(x);
        Self::shifted(
            x < 0.0,
            mantissa,
            usize::try_from(own - exponent).unwrap_or(0),
        )
    }

    /// `±mantissa · 2^shift`.
    pub(crate) fn shifted(negative: bool, mantissa: u64, shift: usize) -> Self {
        if mantissa == 0 {
            return Self::zero();
        }
        let mut limbs = Limbs::zeros(shift / 64 + 2);
        let wide = u128::from(mantissa) << (shift % 64);
        limbs.as_mut_slice()[shift / 64..].copy_from_slice(&[wide as u64, (wide >> 64) as u64]);
        Self::new(negative, limbs)
    }

    pub(crate) fn sign(&self) -> Sign {
        match (self.limbs().is_empty(), self.negative) {
            (true, _) => Sign::Zero,
            (false, true) => Sign::Negative,
            (false, false) => Sign::Positive,
        }
    }

    /// The value times `2^exponent`, rounded to within a relative error of 2^-52.
    pub(crate) fn rounded(&self, exponent: i32) -> Scaled {
        let [.., top] = *self.limbs() else {
            return Scaled {
                mantissa: 0.0,
                exponent: 0,
            };
        };
        let below = match *self.limbs() {
            [.., below, _] => below,
            _ => 0,
        };
        let zeros = top.leading_zeros();
        let wide = ((u128::from(top) << 64) | u128::from(below)) << zeros;
        let magnitude = (wide >> 64) as f64;
        let shift = 64 * (self.limbs().len() as i32 - 1) - zeros as i32;
        Scaled {
            mantissa: if self.negative { -magnitude } else { magnitude },
            exponent: exponent + shift,
        }
    }

    fn plus(&self, other: &Self, other_negative: bool) -> Self {
        if self.negative == other_negative {
            return Self::new(self.negative, sum(self.limbs(), other.limbs()));
        }
        match compare(self.limbs(), other.limbs()) {
            Ordering::Less => Self::new(other_negative, difference(other.limbs(), self.limbs())),
            _ => Self::new(self.negative, difference(self.limbs(), other.limbs())),
        }
    }
}

fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(a: &[u64], b: &[u64]) -> Limbs {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut limbs = Limbs::zeros(long.len() + 1);
    let mut carry = 0;
    for (i, slot) in limbs.as_mut_slice().iter_mut().enumerate() {
        let digit = |x: &[u64]| u128::from(x.get(i).copied().unwrap_or(0));
        let total = digit(long) + digit(short) + carry;
        carry = total >> 64;
        *slot = total as u64;
    }
    limbs
}

/// `a - b`, where `a` is not smaller than `b`.
fn difference(a: &[u64], b: &[u64]) -> Limbs {
    let mut limbs = Limbs::zeros(a.len());
    let mut borrow = false;
    for (i, (slot, &x)) in limbs.as_mut_slice().iter_mut().zip(a).enumerate() {
        let (once, first) = x.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (twice, second) = once.overflowing_sub(u64::from(borrow));
        borrow = first || second;
        *slot = twice;
    }
    limbs
}

impl Add for &Integer {
    type Output = Integer;
    fn add(self, other: Self) -> Integer {
        self.plus(other, other.negative)
    }
}

impl Sub for &Integer {
    type Output = Integer;
    fn sub(self, other: Self) -> Integer {
        // The flag of a zero does not matter: its magnitude neither wins a comparison nor changes a sum.
        self.plus(other, !other.negative)
    }
}

impl Mul for &Integer {
    type Output = Integer;
    fn mul(self, other: Self) -> Integer {
        let (own, others) = (self.limbs(), other.limbs());
        let mut product = Limbs::zeros(own.len() + others.len());
        let limbs = product.as_mut_slice();
        for (i, &x) in own.iter().enumerate() {
            let mut carry = 0_u128;
            for (slot, &y) in limbs[i..].iter_mut().zip(others) {
                let total = u128::from(x) * u128::from(y) + u128::from(*slot) + carry;
                *slot = total as u64;
                carry = total >> 64;
            }
            limbs[i + others.len()] = carry as u64;
        }
        Integer::new(self.negative != other.negative, product)
    }
}

/// A number beyond the range of `f64`: `mantissa · 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    pub(crate) mantissa: f64,
    pub(crate) exponent: i32,
}

impl Scaled {
    /// `|at_start| / (|at_start| + |at_end|)` in `[0, 1]`: where between the ends of a segment a function
    /// that is linear on it and has these values of opposite sign at its ends vanishes.
    pub(crate) fn crossing(at_start: Self, at_end: Self) -> f64 {
        let (start, end) = (at_start.mantissa.abs(), at_end.mantissa.abs());
        if start == 0.0 {
            return 0.0;
        }
        // Two halves, so that each power of two is a normal number; beyond 2^±2000 the ratio is 0 or ∞ anyway.
        let power = (at_end.exponent - at_start.exponent).clamp(-2000, 2000);
        let ratio = end / start * two_to(power / 2) * two_to(power - power / 2);
        1.0 / (1.0 + ratio)
    }
}

impl Scaled {
    /// The quotient, rounded to `f64`; 0 for a zero divisor.
    pub(crate) fn over(self, divisor: Self) -> f64 {
        if divisor.mantissa == 0.0 {
            return 0.0;
        }
        let power = (self.exponent - divisor.exponent).clamp(-2200, 2200);
        let (third, rest) = (power / 3, power - 2 * (power / 3));
        self.mantissa / divisor.mantissa * two_to(third) * two_to(third) * two_to(rest)
    }
}

/// `2^k` for `-1022 ≤ k ≤ 1023`.
fn two_to(k: i32) -> f64 {
    f64::from_bits(((i64::from(k) + 1023) as u64) << 52)
}

/// The integer `m` and the exponent `e` with `|x| = m · 2^e`, for finite `x`.
pub(crate) fn decompose(x: f64) -> (u64, i32) {
    let bits = x.to_bits();
    let field = ((bits >> 52) & 0x7FF) as i32;
    let fraction = bits & ((1 << 52) - 1);
    if field == 0 {
        (fraction, -1074)
    } else {
        (fraction | (1 << 52), field - 1075)
    }
}

/// The odd integer `m` and the exponent `e` with `|x| = m · 2^e`; both 0 for 0.
pub(crate) fn odd_part(x: f64) -> (u64, i32) {
    let (mantissa, exponent) = decompose(x);
    if mantissa == 0 {
        return (0, 0);
    }
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, exponent + zeros as i32)
}

/// Numbers that are added and multiplied without rounding.
pub(crate) trait ExactRing: Clone {
    fn plus(&self, other: &Self) -> Self;
    fn minus(&self, other: &Self) -> Self;
    fn times(&self, other: &Self) -> Self;
    /// Within a relative error of 2^-52.
    fn rounded(&self) -> Scaled;
}

impl ExactRing for Integer {
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn rounded(&self) -> Scaled {
        Self::rounded(self, 0)
    }
}

/// A common exponent of the lowest bits of all coordinates.
fn lowest_exponent(coordinates: impl Iterator<Item = f64>) -> i32 {
    coordinates
        .map(decompose)
        .filter(|&(mantissa, _)| mantissa != 0)
        .map(|(_, exponent)| exponent)
        .min()
        .unwrap_or(0)
}

/// Differences to the last point, as integers with one common exponent.
fn differences_2d<const N: usize>(points: [DVec2; N], origin: DVec2) -> ([[Integer; 2]; N], i32) {
    let all = points.iter().chain([&origin]);
    let e = lowest_exponent(all.flat_map(|p| p.to_array()));
    let [ox, oy] = origin.to_array().map(|x| Integer::scaled(x, e));
    let rows = points.map(|p| {
        let [x, y] = p.to_array().map(|x| Integer::scaled(x, e));
        [&x - &ox, &y - &oy]
    });
    (rows, e)
}

/// Differences to the last point, as integers with one common exponent.
fn differences_3d<const N: usize>(points: [DVec3; N], origin: DVec3) -> ([[Integer; 3]; N], i32) {
    let all = points.iter().chain([&origin]);
    let e = lowest_exponent(all.flat_map(|p| p.to_array()));
    let [ox, oy, oz] = origin.to_array().map(|x| Integer::scaled(x, e));
    let rows = points.map(|p| {
        let [x, y, z] = p.to_array().map(|x| Integer::scaled(x, e));
        [&x - &ox, &y - &oy, &z - &oz]
    });
    (rows, e)
}

fn determinant_2d([ax, ay]: &[Integer; 2], [bx, by]: &[Integer; 2]) -> Integer {
    &(ax * by) - &(ay * bx)
}

fn determinant_3d(a: &[Integer; 3], b: &[Integer; 3], c: &[Integer; 3]) -> Integer {
    let minor = |i: usize, j: usize| &(&b[i] * &c[j]) - &(&b[j] * &c[i]);
    let x = &a[0] * &minor(1, 2);
    let y = &a[1] * &minor(2, 0);
    let z = &a[2] * &minor(0, 1);
    &(&x + &y) + &z
}

fn length_sq(v: &[Integer]) -> Integer {
    v.iter().fold(Integer::zero(), |total, x| &total + &(x * x))
}

fn orient2d_integer(a: DVec2, b: DVec2, c: DVec2) -> (Integer, i32) {
    let ([a, b], e) = differences_2d([a, b], c);
    (determinant_2d(&a, &b), 2 * e)
}

fn orient3d_integer(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (Integer, i32) {
    let ([a, b, c], e) = differences_3d([a, b, c], d);
    (determinant_3d(&a, &b, &c), 3 * e)
}

pub(super) fn orient2d_sign(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    orient2d_integer(a, b, c).0.sign()
}

/// The sign of `(q - p) × (s - r)`.
pub(super) fn cross_sign(p: DVec2, q: DVec2, r: DVec2, s: DVec2) -> Sign {
    let ([q, r, s], _) = differences_2d([q, r, s], p);
    let direction = [&s[0] - &r[0], &s[1] - &r[1]];
    determinant_2d(&q, &direction).sign()
}

pub(super) fn orient3d_sign(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    orient3d_integer(a, b, c, d).0.sign()
}

pub(super) fn orient2d_rounded(a: DVec2, b: DVec2, c: DVec2) -> Scaled {
    let (value, exponent) = orient2d_integer(a, b, c);
    value.rounded(exponent)
}

pub(super) fn orient3d_rounded(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Scaled {
    let (value, exponent) = orient3d_integer(a, b, c, d);
    value.rounded(exponent)
}

pub(super) fn incircle_sign(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> Sign {
    let ([a, b, c], _) = differences_2d([a, b, c], d);
    let lifted = |v: &[Integer; 2], u: &[Integer; 2], w: &[Integer; 2]| {
        &length_sq(v) * &determinant_2d(u, w)
    };
    (&(&lifted(&a, &b, &c) + &lifted(&b, &c, &a)) + &lifted(&c, &a, &b)).sign()
}

pub(super) fn insphere_sign(a: DVec3, b: DVec3, c: DVec3, d: DVec3, e: DVec3) -> Sign {
    let ([a, b, c, d], _) = differences_3d([a, b, c, d], e);
    let plus = &(&length_sq(&d) * &determinant_3d(&a, &b, &c))
        + &(&length_sq(&b) * &determinant_3d(&a, &c, &d));
    let minus = &(&length_sq(&c) * &determinant_3d(&a, &b, &d))
        + &(&length_sq(&a) * &determinant_3d(&b, &c, &d));
    (&plus - &minus).sign()
}

/// The sign of `det[p - origin, q - origin, direction]`: on which side a ray passes a segment.
pub(crate) fn ray_side_sign(p: DVec3, q: DVec3, origin: DVec3, direction: DVec3) -> Sign {
    let ([p, q], _) = differences_3d([p, q], origin);
    let e = lowest_exponent(direction.to_array().into_iter());
    let direction = direction.to_array().map(|x| Integer::scaled(x, e));
    determinant_3d(&p, &q, &direction).sign()
}
