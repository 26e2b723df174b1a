//! Polynomials with integer coefficients: roots counted by Sturm's chain, signs at them decided by common divisors.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{Abs, Gcd};

/// Coefficients from the constant upwards, the last not zero; empty for zero.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Poly(pub(super) Vec<IBig>);

/// The number `k / 2^level`.
pub(super) type Dyadic = (IBig, usize);

impl Poly {
    pub(super) fn new(mut c: Vec<IBig>) -> Self {
        while c.last() == Some(&IBig::ZERO) {
            c.pop();
        }
        Self(c)
    }

    /// From `start` at 0 to `end` at 1.
    pub(super) fn line(start: &IBig, end: &IBig) -> Self {
        Self::new(vec![start.clone(), end - start])
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let n = self.0.len().max(other.0.len());
        let c = |p: &Self, i: usize| p.0.get(i).cloned().unwrap_or(IBig::ZERO);
        Self::new((0..n).map(|i| c(self, i) + c(other, i)).collect())
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(other.0.iter().map(|c| -c).collect()))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(Vec::new());
        }
        let mut c = vec![IBig::ZERO; self.0.len() + other.0.len() - 1];
        for (i, x) in self.0.iter().enumerate() {
            for (j, y) in other.0.iter().enumerate() {
                c[i + j] += x * y;
            }
        }
        Self::new(c)
    }

    fn primitive(self) -> Self {
        let mut divisor = IBig::ZERO;
        for c in &self.0 {
            if *c != IBig::ZERO {
                divisor = if divisor == IBig::ZERO {
                    c.clone().abs()
                } else {
                    IBig::from((&divisor).gcd(c))
                };
            }
        }
        if divisor == IBig::ZERO {
            return self;
        }
        Self(self.0.iter().map(|c| c / &divisor).collect())
    }

    fn derivative(&self) -> Self {
        Self::new(
            self.0
                .iter()
                .enumerate()
                .skip(1)
                .map(|(i, c)| c * IBig::from(i))
                .collect(),
        )
    }

    /// Quotient and remainder of a positive multiple.
    fn divided_by(&self, divisor: &Self) -> (Self, Self) {
        let lead = divisor.0[divisor.0.len() - 1].clone();
        let square = &lead * &lead;
        let mut rest = self.0.clone();
        let mut quotient = vec![IBig::ZERO; self.0.len()];
        while rest.len() >= divisor.0.len() {
            let top = rest[rest.len() - 1].clone() * &lead;
            let up = rest.len() - divisor.0.len();
            for c in rest.iter_mut().chain(&mut quotient) {
                *c *= &square;
            }
            quotient[up] += &top;
            for (i, c) in divisor.0.iter().enumerate() {
                rest[up + i] -= &top * c;
            }
            rest = Self::new(rest).0;
        }
        (Self::new(quotient), Self(rest))
    }

    fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone().primitive(), other.clone().primitive());
        while !b.is_zero() {
            let rest = a.divided_by(&b).1.primitive();
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    /// The same roots, each once.
    pub(super) fn square_free(&self) -> Self {
        if self.0.len() <= 2 {
            return self.clone();
        }
        let repeated = self.gcd(&self.derivative());
        if repeated.0.len() <= 1 {
            self.clone().primitive()
        } else {
            self.divided_by(&repeated).0.primitive()
        }
    }

    pub(super) fn sign_at(&self, (k, level): &Dyadic) -> Ordering {
        let mut sum = IBig::ZERO;
        for (i, c) in self.0.iter().rev().enumerate() {
            sum = sum * k + (c << (level * i));
        }
        sum.cmp(&IBig::ZERO)
    }

    fn chain(&self) -> Vec<Self> {
        let mut chain = vec![self.clone(), self.derivative()];
        while let [.., a, b] = chain.as_slice() {
            if b.is_zero() {
                chain.pop();
                break;
            }
            let rest = a.divided_by(b).1.primitive();
            chain.push(Self(rest.0.iter().map(|c| -c).collect()));
        }
        chain
    }
}

/// Roots in `(from, to]` of the polynomial with this chain.
fn count(chain: &[Poly], from: &Dyadic, to: &Dyadic) -> usize {
    let variations = |at: &Dyadic| {
        let mut last = Ordering::Equal;
        let mut count = 0_usize;
        for sign in chain.iter().map(|p| p.sign_at(at)) {
            if sign.is_ne() {
                count += usize::from(last == sign.reverse());
                last = sign;
            }
        }
        count
    };
    variations(from).saturating_sub(variations(to))
}

/// A root of a square-free polynomial, the only one in `(lower, upper]`; both equal if it is that number.
#[derive(Clone, Debug)]
pub(super) struct RealRoot {
    pub(super) poly: Poly,
    pub(super) lower: Dyadic,
    pub(super) upper: Dyadic,
}

fn middle((k, level): &Dyadic, (l, other): &Dyadic) -> Dyadic {
    let deep = *level.max(other);
    ((k << (deep - level)) + (l << (deep - other)), deep + 1)
}

impl RealRoot {
    pub(super) fn number(at: Dyadic) -> Self {
        Self {
            poly: Poly(Vec::new()),
            lower: at.clone(),
            upper: at,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        self.lower == self.upper
    }

    pub(super) fn halve(&mut self) {
        if self.is_number() {
            return;
        }
        let at = middle(&self.lower, &self.upper);
        let sign = self.poly.sign_at(&at);
        if sign.is_eq() {
            self.lower = at.clone();
            self.upper = at;
        } else if self.poly.sign_at(&self.upper).is_eq() {
            self.lower = self.upper.clone();
        } else if sign == self.poly.sign_at(&self.upper) {
            self.upper = at;
        } else {
            self.lower = at;
        }
    }

    /// The sign of `q` at the root.
    pub(super) fn sign(&mut self, q: &Poly) -> Ordering {
        if q.is_zero() {
            return Ordering::Equal;
        }
        if self.is_number() {
            return q.sign_at(&self.lower);
        }
        let common = self.poly.gcd(q);
        if common.0.len() > 1 && count(&common.square_free().chain(), &self.lower, &self.upper) > 0
        {
            return Ordering::Equal;
        }
        let chain = q.square_free().chain();
        while !self.is_number() && count(&chain, &self.lower, &self.upper) > 0 {
            self.halve();
        }
        // Without a root in the interval, the sign at its upper end is the sign in all of it.
        q.sign_at(&self.upper)
    }
}

/// The roots in `[0, 1]` of what is not zero, ascending.
pub(super) fn roots(poly: &Poly) -> Vec<RealRoot> {
    let poly = poly.square_free();
    let zero = (IBig::ZERO, 0);
    let mut roots = Vec::new();
    if poly.sign_at(&zero).is_eq() {
        roots.push(RealRoot::number(zero.clone()));
    }
    let chain = poly.chain();
    let mut waiting = vec![(zero, (IBig::ONE, 0))];
    while let Some((lower, upper)) = waiting.pop() {
        match count(&chain, &lower, &upper) {
            0 => {}
            1 => roots.push(RealRoot {
                poly: poly.clone(),
                lower,
                upper,
            }),
            _ => {
                let at = middle(&lower, &upper);
                waiting.push((at.clone(), upper));
                waiting.push((lower, at));
            }
        }
    }
    roots
}
