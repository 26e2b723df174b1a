//! Eight lanes in 128-bit vectors, for WebAssembly that has them.
//!
//! A build has the instructions or not; there is nothing to detect at run time, and nothing unsafe. Nothing fuses, so the
//! bits are those of `portable`.

use std::arch::wasm32::{
    f32x4, f32x4_abs, f32x4_add, f32x4_div, f32x4_eq, f32x4_extract_lane, f32x4_le, f32x4_lt,
    f32x4_mul, f32x4_pmax, f32x4_pmin, f32x4_splat, f32x4_sqrt, f32x4_sub, f64x2, f64x2_add,
    f64x2_div, f64x2_extract_lane, f64x2_le, f64x2_lt, f64x2_mul, f64x2_pmax, f64x2_pmin,
    f64x2_splat, f64x2_sqrt, f64x2_sub, i32x4_bitmask, i64x2_bitmask, v128, v128_and,
    v128_bitselect, v128_not, v128_or,
};
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::{DoubleLanes, FRONT, Kernel, LaneArithmetic, Lanes, Mask};

pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Single>()
}

/// Eight `f32`.
#[derive(Clone, Copy)]
struct Single([v128; 2]);

/// Eight `f64`.
#[derive(Clone, Copy)]
struct Double([v128; 4]);

/// All bits of a lane, or none.
#[derive(Clone, Copy)]
struct LaneMask<const N: usize>([v128; N]);

#[inline(always)]
fn map2<const N: usize>(a: [v128; N], b: [v128; N], f: impl Fn(v128, v128) -> v128) -> [v128; N] {
    let mut r = a;
    for k in 0..N {
        r[k] = f(a[k], b[k]);
    }
    r
}

impl<const N: usize> BitAnd for LaneMask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, b: Self) -> Self {
        Self(map2(self.0, b.0, |x, y| v128_and(x, y)))
    }
}
impl<const N: usize> BitOr for LaneMask<N> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, b: Self) -> Self {
        Self(map2(self.0, b.0, |x, y| v128_or(x, y)))
    }
}
impl<const N: usize> Not for LaneMask<N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(map2(self.0, self.0, |x, _| v128_not(x)))
    }
}
impl Mask for LaneMask<2> {
    #[inline(always)]
    fn bits(self) -> u32 {
        let [low, high] = self.0.map(|x| u32::from(i32x4_bitmask(x)));
        low | high << 4
    }
}
impl Mask for LaneMask<4> {
    #[inline(always)]
    fn bits(self) -> u32 {
        let [a, b, c, d] = self.0.map(|x| u32::from(i64x2_bitmask(x)));
        a | b << 2 | c << 4 | d << 6
    }
}

macro_rules! lanewise {
    ($lanes:ident, $trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for $lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Self(map2(self.0, b.0, |x, y| $instruction(x, y)))
            }
        }
    };
}
lanewise!(Single, Add, add, f32x4_add);
lanewise!(Single, Sub, sub, f32x4_sub);
lanewise!(Single, Mul, mul, f32x4_mul);
lanewise!(Single, Div, div, f32x4_div);
lanewise!(Double, Add, add, f64x2_add);
lanewise!(Double, Sub, sub, f64x2_sub);
lanewise!(Double, Mul, mul, f64x2_mul);
lanewise!(Double, Div, div, f64x2_div);

macro_rules! arithmetic {
    ($lanes:ident, $n:literal, $number:ty, $splat:ident, $min:ident, $max:ident, $sqrt:ident, $le:ident, $lt:ident) => {
        impl LaneArithmetic for $lanes {
            type Mask = LaneMask<$n>;
            #[inline(always)]
            fn number(x: f64) -> Self {
                Self([$splat(x as $number); $n])
            }
            // Their left operand is what they give for NaN; ours is the right one.
            #[inline(always)]
            fn min(self, b: Self) -> Self {
                Self(map2(self.0, b.0, |x, y| $min(y, x)))
            }
            #[inline(always)]
            fn max(self, b: Self) -> Self {
                Self(map2(self.0, b.0, |x, y| $max(y, x)))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(map2(self.0, self.0, |x, _| $sqrt(x)))
            }
            #[inline(always)]
            fn le(self, b: Self) -> Self::Mask {
                LaneMask(map2(self.0, b.0, |x, y| $le(x, y)))
            }
            #[inline(always)]
            fn lt(self, b: Self) -> Self::Mask {
                LaneMask(map2(self.0, b.0, |x, y| $lt(x, y)))
            }
            #[inline(always)]
            fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
                let mut r = b.0;
                for k in 0..$n {
                    r[k] = v128_bitselect(a.0[k], b.0[k], mask.0[k]);
                }
                Self(r)
            }
        }
    };
}
arithmetic!(
    Single,
    2,
    f32,
    f32x4_splat,
    f32x4_pmin,
    f32x4_pmax,
    f32x4_sqrt,
    f32x4_le,
    f32x4_lt
);
arithmetic!(
    Double,
    4,
    f64,
    f64x2_splat,
    f64x2_pmin,
    f64x2_pmax,
    f64x2_sqrt,
    f64x2_le,
    f64x2_lt
);

impl DoubleLanes for Double {
    #[inline(always)]
    fn load(x: &[f64; 8]) -> Self {
        Self([
            f64x2(x[0], x[1]),
            f64x2(x[2], x[3]),
            f64x2(x[4], x[5]),
            f64x2(x[6], x[7]),
        ])
    }
    #[inline(always)]
    fn store(self) -> [f64; 8] {
        let mut r = [0.0; 8];
        for (k, x) in self.0.into_iter().enumerate() {
            r[2 * k] = f64x2_extract_lane::<0>(x);
            r[2 * k + 1] = f64x2_extract_lane::<1>(x);
        }
        r
    }
}

#[inline(always)]
fn four(x: &[f32; 4]) -> v128 {
    f32x4(x[0], x[1], x[2], x[3])
}

#[inline(always)]
fn numbers(x: v128) -> [f32; 4] {
    [
        f32x4_extract_lane::<0>(x),
        f32x4_extract_lane::<1>(x),
        f32x4_extract_lane::<2>(x),
        f32x4_extract_lane::<3>(x),
    ]
}

impl Lanes for Single {
    type Double = Double;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([f32x4_splat(x); 2])
    }
    #[inline(always)]
    fn load(x: &[f32; 8]) -> Self {
        Self([f32x4(x[0], x[1], x[2], x[3]), f32x4(x[4], x[5], x[6], x[7])])
    }
    #[inline(always)]
    fn store(self) -> [f32; 8] {
        let [[a, b, c, d], [e, f, g, h]] = self.0.map(numbers);
        [a, b, c, d, e, f, g, h]
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(map2(self.0, self.0, |x, _| f32x4_abs(x)))
    }
    #[inline(always)]
    fn eq(self, b: Self) -> Self::Mask {
        LaneMask(map2(self.0, b.0, |x, y| f32x4_eq(x, y)))
    }
    #[inline(always)]
    fn to_front(bits: u32, x: &[u32; 8]) -> [u32; 8] {
        FRONT[(bits & 0xFF) as usize].map(|from| x[usize::from(from & 7)])
    }
    #[inline(always)]
    fn combine(column: &[[f32; 4]; 3], x: [f32; 3], start: &[f32; 4]) -> [f32; 4] {
        let mut r = four(start);
        for c in 0..3 {
            r = f32x4_add(r, f32x4_mul(four(&column[c]), f32x4_splat(x[c])));
        }
        numbers(r)
    }
    #[inline(always)]
    fn pick(x: &[f32; 8], index: &[u32; 8]) -> Self {
        Self::load(&index.map(|k| x[(k & 7) as usize]))
    }
}
