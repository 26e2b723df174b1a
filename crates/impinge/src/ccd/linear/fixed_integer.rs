//! Integers of fixed width on the stack, and what they share with integers of any width.
//!
//! Which width is enough is known beforehand: see [`Extent`](super::exact). Nothing here checks for overflow.

use crate::math::{ExactRing, Integer, Scaled, Sign, odd_part};

/// The arithmetic of the exact stage.
pub(super) trait ExactNumber: ExactRing {
    /// Bits that a magnitude may have; none when there is no such limit.
    const BITS: Option<u32>;

    fn zero() -> Self;
    /// `x · 2^-exponent`, where `exponent` is at most that of the lowest bit of `x` that is not zero.
    fn from_scaled(x: f64, exponent: i32) -> Self;
    fn times_small(&self, factor: u64) -> Self;
    /// `self · 2^bits`.
    fn shifted(&self, bits: u32) -> Self;
    fn signum(&self) -> i32;
    /// The lowest 64 bits of what is not negative.
    fn low(&self) -> u64;
    fn to_integer(&self) -> Integer;
    /// None when the width is limited.
    fn from_integer(x: Integer) -> Option<Self>;
}

impl ExactNumber for Integer {
    const BITS: Option<u32> = None;

    fn zero() -> Self {
        Integer::shifted(false, 0, 0)
    }
    fn from_scaled(x: f64, exponent: i32) -> Self {
        let (mantissa, own) = odd_part(x);
        Integer::shifted(x < 0.0, mantissa, (own - exponent).max(0) as usize)
    }
    fn times_small(&self, factor: u64) -> Self {
        self * &Integer::shifted(false, factor, 0)
    }
    fn shifted(&self, bits: u32) -> Self {
        self * &Integer::shifted(false, 1, bits as usize)
    }
    fn signum(&self) -> i32 {
        match self.sign() {
            Sign::Negative => -1,
            Sign::Zero => 0,
            Sign::Positive => 1,
        }
    }
    fn low(&self) -> u64 {
        self.limbs().first().copied().unwrap_or(0)
    }
    fn to_integer(&self) -> Integer {
        self.clone()
    }
    fn from_integer(x: Integer) -> Option<Self> {
        Some(x)
    }
}

/// An integer of `64 N` bits in two's complement, lowest digits first.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedInteger<const N: usize>([u64; N]);

impl<const N: usize> FixedInteger<N> {
    #[inline]
    fn is_negative(&self) -> bool {
        self.0[N - 1] >> 63 != 0
    }

    #[inline]
    fn magnitude(&self) -> [u64; N] {
        if !self.is_negative() {
            return self.0;
        }
        let mut digits = [0; N];
        let mut carry = true;
        for (slot, digit) in digits.iter_mut().zip(self.0) {
            (*slot, carry) = (!digit).overflowing_add(u64::from(carry));
        }
        digits
    }
}

impl<const N: usize> ExactRing for FixedInteger<N> {
    #[inline]
    fn plus(&self, other: &Self) -> Self {
        let mut digits = [0; N];
        let mut carry = false;
        for (slot, (&a, &b)) in digits.iter_mut().zip(self.0.iter().zip(&other.0)) {
            let (once, first) = a.overflowing_add(b);
            let (twice, second) = once.overflowing_add(u64::from(carry));
            carry = first | second;
            *slot = twice;
        }
        Self(digits)
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        let mut digits = [0; N];
        let mut borrow = false;
        for (slot, (&a, &b)) in digits.iter_mut().zip(self.0.iter().zip(&other.0)) {
            let (once, first) = a.overflowing_sub(b);
            let (twice, second) = once.overflowing_sub(u64::from(borrow));
            borrow = first | second;
            *slot = twice;
        }
        Self(digits)
    }

    fn times(&self, other: &Self) -> Self {
        let mut digits = [0_u64; N];
        for (i, &a) in self.0.iter().enumerate() {
            if a == 0 {
                continue;
            }
            let mut carry = 0_u64;
            for (slot, &b) in digits[i..].iter_mut().zip(&other.0) {
                let total = u128::from(a) * u128::from(b) + u128::from(*slot) + u128::from(carry);
                *slot = total as u64;
                carry = (total >> 64) as u64;
            }
        }
        Self(digits)
    }

    #[inline]
    fn rounded(&self) -> Scaled {
        let digits = self.magnitude();
        let Some(top) = digits.iter().rposition(|&digit| digit != 0) else {
            return Scaled {
                mantissa: 0.0,
                exponent: 0,
            };
        };
        let zeros = digits[top].leading_zeros();
        let below = if top > 0 { digits[top - 1] } else { 0 };
        let wide = ((u128::from(digits[top]) << 64) | u128::from(below)) << zeros;
        let size = (wide >> 64) as u64 as f64;
        Scaled {
            mantissa: if self.is_negative() { -size } else { size },
            exponent: 64 * top as i32 - zeros as i32,
        }
    }
}

impl<const N: usize> ExactNumber for FixedInteger<N> {
    const BITS: Option<u32> = Some(64 * N as u32 - 1);

    #[inline]
    fn zero() -> Self {
        Self([0; N])
    }

    fn from_scaled(x: f64, exponent: i32) -> Self {
        let (mantissa, own) = odd_part(x);
        let mut digits = [0; N];
        digits[0] = mantissa;
        let magnitude = Self(digits).shifted((own - exponent).max(0).unsigned_abs());
        if x < 0.0 {
            Self::zero().minus(&magnitude)
        } else {
            magnitude
        }
    }

    #[inline]
    fn times_small(&self, factor: u64) -> Self {
        let mut digits = [0_u64; N];
        let mut carry = 0_u64;
        for (slot, &a) in digits.iter_mut().zip(&self.0) {
            let total = u128::from(a) * u128::from(factor) + u128::from(carry);
            *slot = total as u64;
            carry = (total >> 64) as u64;
        }
        Self(digits)
    }

    #[inline]
    fn shifted(&self, bits: u32) -> Self {
        let (words, bits) = ((bits / 64) as usize, bits % 64);
        let mut digits = [0; N];
        for i in (words.min(N)..N).rev() {
            digits[i] = self.0[i - words] << bits;
            if bits > 0 && i > words {
                digits[i] |= self.0[i - words - 1] >> (64 - bits);
            }
        }
        Self(digits)
    }

    #[inline]
    fn signum(&self) -> i32 {
        if self.is_negative() {
            -1
        } else {
            i32::from(self.0.iter().any(|&digit| digit != 0))
        }
    }

    #[inline]
    fn low(&self) -> u64 {
        self.0[0]
    }

    fn to_integer(&self) -> Integer {
        Integer::from_limbs(self.is_negative(), &self.magnitude())
    }

    fn from_integer(_: Integer) -> Option<Self> {
        None
    }
}
