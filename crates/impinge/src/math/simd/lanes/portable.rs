//! Eight lanes as plain arrays, for any processor.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::{DoubleLanes, FRONT, Kernel, LaneArithmetic, Lanes, Mask};

pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Portable<f32>>()
}

/// Eight numbers, single or double.
#[derive(Clone, Copy)]
struct Portable<F>([F; 8]);

#[derive(Clone, Copy)]
struct Bits(u32);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<F: Copy + $trait<Output = F>> $trait for Portable<F> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                let mut r = self.0;
                for k in 0..8 {
                    r[k] = self.0[k] $op b.0[k];
                }
                Self(r)
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

impl BitAnd for Bits {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, b: Self) -> Self {
        Self(self.0 & b.0)
    }
}
impl BitOr for Bits {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, b: Self) -> Self {
        Self(self.0 | b.0)
    }
}
impl Not for Bits {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0 & 0xFF)
    }
}
impl Mask for Bits {
    #[inline(always)]
    fn bits(self) -> u32 {
        self.0
    }
}

impl<F: Copy> Portable<F> {
    #[inline(always)]
    fn map2(self, b: Self, f: impl Fn(F, F) -> F) -> Self {
        let mut r = self.0;
        for k in 0..8 {
            r[k] = f(self.0[k], b.0[k]);
        }
        Self(r)
    }

    #[inline(always)]
    fn test2(self, b: Self, f: impl Fn(F, F) -> bool) -> Bits {
        let mut bits = 0;
        for k in 0..8 {
            bits |= u32::from(f(self.0[k], b.0[k])) << k;
        }
        Bits(bits)
    }
}

macro_rules! arithmetic {
    ($number:ty) => {
        impl LaneArithmetic for Portable<$number> {
            type Mask = Bits;
            #[inline(always)]
            fn number(x: f64) -> Self {
                Self([x as $number; 8])
            }
            // Written as the x86 instructions are, so that NaN goes the same way on both paths.
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                self.map2(b, |x, y| if x < y { x } else { y })
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                self.map2(b, |x, y| if x > y { x } else { y })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                self.map2(self, |x, _| x.sqrt())
            }
            #[inline(always)]
            fn le(self, b: Self) -> Bits {
                self.test2(b, |x, y| x <= y)
            }
            #[inline(always)]
            fn lt(self, b: Self) -> Bits {
                self.test2(b, |x, y| x < y)
            }
            #[inline(always)]
            fn select(mask: Bits, a: Self, b: Self) -> Self {
                let mut r = b.0;
                for k in 0..8 {
                    if mask.0 >> k & 1 == 1 {
                        r[k] = a.0[k];
                    }
                }
                Self(r)
            }
        }
    };
}
arithmetic!(f32);
arithmetic!(f64);

impl DoubleLanes for Portable<f64> {
    #[inline(always)]
    fn load(x: &[f64; 8]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self) -> [f64; 8] {
        self.0
    }
}

impl Lanes for Portable<f32> {
    type Double = Portable<f64>;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    fn load(x: &[f32; 8]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self) -> [f32; 8] {
        self.0
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.map2(self, |x, _| x.abs())
    }
    #[inline(always)]
    fn eq(self, b: Self) -> Bits {
        self.test2(b, |x, y| x == y)
    }
    #[inline(always)]
    fn to_front(bits: u32, x: &[u32; 8]) -> [u32; 8] {
        let from = &FRONT[(bits & 0xFF) as usize];
        let mut r = [0; 8];
        for k in 0..8 {
            r[k] = x[usize::from(from[k] & 7)];
        }
        r
    }
    #[inline(always)]
    fn combine(column: &[[f32; 4]; 3], x: [f32; 3], start: &[f32; 4]) -> [f32; 4] {
        let mut r = *start;
        for c in 0..3 {
            for i in 0..4 {
                r[i] += column[c][i] * x[c];
            }
        }
        r
    }
    #[inline(always)]
    fn pick(x: &[f32; 8], index: &[u32; 8]) -> Self {
        let mut r = [0.0; 8];
        for k in 0..8 {
            r[k] = x[(index[k] & 7) as usize];
        }
        Self(r)
    }
}
