//! Common factors of a cubic and a quadratic, over integers of any width.
//!
//! No greatest common divisor of coefficients is needed: the remainder of a cubic by a quadratic is at most linear, and a linear
//! polynomial is a factor of another exactly if that vanishes at its root.

use super::fixed_integer::ExactNumber;
use crate::math::Integer;

/// Coefficients from the constant upwards, the last not zero; none for the zero polynomial.
#[derive(Clone, Debug)]
pub(super) struct Polynomial(Vec<Integer>);

impl Polynomial {
    fn new(mut coefficients: Vec<Integer>) -> Self {
        while coefficients.last().is_some_and(|c| c.signum() == 0) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// From Bernstein coefficients on `[0, 1]`.
    pub(super) fn from_cubic(b: &[Integer; 4]) -> Self {
        let [b0, b1, b2, b3] = b;
        let triple = |x: &Integer| x.times_small(3);
        let (d0, d1, d2) = (b1 - b0, b2 - b1, b3 - b2);
        let (e0, e1) = (&d1 - &d0, &d2 - &d1);
        Self::new(vec![b0.clone(), triple(&d0), triple(&e0), &e1 - &e0])
    }

    /// From Bernstein coefficients on `[0, 1]`.
    pub(super) fn from_quadratic(b: &[Integer; 3]) -> Self {
        let [b0, b1, b2] = b;
        let (d0, d1) = (b1 - b0, b2 - b1);
        Self::new(vec![b0.clone(), d0.times_small(2), &d1 - &d0])
    }

    /// Three times the Bernstein coefficients on `[0, 1]`; of a polynomial of degree at most 3.
    fn cubic(&self) -> [Integer; 4] {
        let c = |i: usize| self.0.get(i).cloned().unwrap_or_else(Integer::zero);
        let triple = c(0).times_small(3);
        [
            triple.clone(),
            &triple + &c(1),
            &(&triple + &c(1).times_small(2)) + &c(2),
            (&(&c(0) + &c(1)) + &(&c(2) + &c(3))).times_small(3),
        ]
    }

    fn derivative(&self) -> Self {
        Self::new(
            self.0
                .iter()
                .zip(0..)
                .skip(1)
                .map(|(c, power)| c.times_small(power))
                .collect(),
        )
    }

    /// Quotient and remainder of a positive or negative multiple of `self`.
    fn divided_by(&self, divisor: &Self) -> (Self, Self) {
        let mut rest = self.clone();
        let mut quotient = vec![Integer::zero(); self.0.len()];
        let Some(lead) = divisor.0.last() else {
            return (Self::new(quotient), rest);
        };
        // Each round removes the highest power; there are at most as many as coefficients.
        for _ in 0..self.0.len() {
            let Some(own) = rest.0.last().cloned() else {
                break;
            };
            if rest.0.len() < divisor.0.len() {
                break;
            }
            let up = rest.0.len() - divisor.0.len();
            for x in rest.0.iter_mut().chain(&mut quotient) {
                *x = &*x * lead;
            }
            quotient[up] = &quotient[up] + &own;
            for (x, y) in rest.0[up..].iter_mut().zip(&divisor.0) {
                *x = &*x - &(&own * y);
            }
            rest = Self::new(rest.0);
        }
        (Self::new(quotient), rest)
    }

    /// Whether the root of `linear` is a root.
    fn vanishes_at_root_of(&self, linear: &Self) -> bool {
        let [constant, slope] = linear.0.as_slice() else {
            return false;
        };
        let top = &Integer::zero() - constant;
        let mut sum = Integer::zero();
        let mut power = Integer::shifted(false, 1, 0);
        for c in self.0.iter().rev() {
            sum = &(&sum * &top) + &(c * &power);
            power = &power * slope;
        }
        sum.signum() == 0
    }

    /// The common factor with a polynomial of degree at most 2, none when they have no common root.
    pub(super) fn common(&self, other: &Self) -> Option<Self> {
        match other.0.len() {
            0 | 1 => None,
            2 => self.vanishes_at_root_of(other).then(|| other.clone()),
            _ => {
                let (_, rest) = self.divided_by(other);
                match rest.0.len() {
                    0 => Some(other.clone()),
                    2 if other.vanishes_at_root_of(&rest) => Some(rest),
                    _ => None,
                }
            }
        }
    }

    /// The sign at `k / 2^level`.
    pub(super) fn sign_at(&self, k: &Integer, level: u32) -> i32 {
        let mut sum = Integer::zero();
        for (i, c) in self.0.iter().rev().enumerate() {
            sum = &(&sum * k) + &ExactNumber::shifted(c, level * i as u32);
        }
        sum.signum()
    }
}

/// Bernstein coefficients of a polynomial with the same roots, each of them simple; none when those of `cubic` are.
pub(super) fn square_free(cubic: &[Integer; 4]) -> Option<[Integer; 4]> {
    let whole = Polynomial::from_cubic(cubic);
    let repeated = whole.common(&whole.derivative())?;
    let (quotient, _) = whole.divided_by(&repeated);
    Some(quotient.cubic())
}
