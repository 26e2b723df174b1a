//! Eight lanes in one vector register, or in two for `f64`.
//!
//! One type serves two instruction sets. Compiled for AVX-512 the same 256-bit operations have 32
//! registers instead of 16, which tests of boxes and triangles fill: a tenth less time. Mask
//! registers instead of vectors for comparisons were slower. Both sets give equal bits.
//!
//! Safety of this file: [`Vector`] is private and made only by kernels that [`avx2`] or [`avx512`]
//! started, below which the instructions are enabled. Loads and stores go through arrays of eight
//! or four.

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::{DoubleLanes, FRONT, Kernel, LaneArithmetic, Lanes, Mask};

/// Runs a kernel with AVX2 and FMA.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Vector>()
}

/// Runs a kernel with the 256-bit forms of AVX-512.
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
pub(super) fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Vector>()
}

#[derive(Clone, Copy)]
struct Vector(__m256);
#[derive(Clone, Copy)]
struct VectorMask(__m256);

macro_rules! operator {
    ($type:ident, $trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                // SAFETY: see the top of the file.
                unsafe { Self($instruction(self.0, b.0)) }
            }
        }
    };
}
operator!(Vector, Add, add, _mm256_add_ps);
operator!(Vector, Sub, sub, _mm256_sub_ps);
operator!(Vector, Mul, mul, _mm256_mul_ps);
operator!(Vector, Div, div, _mm256_div_ps);
operator!(VectorMask, BitAnd, bitand, _mm256_and_ps);
operator!(VectorMask, BitOr, bitor, _mm256_or_ps);

impl Not for VectorMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let ones = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
            Self(_mm256_xor_ps(self.0, ones))
        }
    }
}

impl Mask for VectorMask {
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: see the top of the file.
        unsafe { _mm256_movemask_ps(self.0).cast_unsigned() }
    }
}

impl LaneArithmetic for Vector {
    type Mask = VectorMask;
    #[inline(always)]
    fn number(x: f64) -> Self {
        Self::splat(x as f32)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fmadd_ps(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fmsub_ps(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_fnmadd_ps(self.0, b.0, c.0)) }
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_min_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_max_ps(self.0, b.0)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    fn le(self, b: Self) -> VectorMask {
        // SAFETY: as above.
        unsafe { VectorMask(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, b.0)) }
    }
    #[inline(always)]
    fn lt(self, b: Self) -> VectorMask {
        // SAFETY: as above.
        unsafe { VectorMask(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, b.0)) }
    }
    #[inline(always)]
    fn select(mask: VectorMask, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_blendv_ps(b.0, a.0, mask.0)) }
    }
}

impl Lanes for Vector {
    type Double = DoubleVector;
    #[inline(always)]
    fn splat(x: f32) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self(_mm256_set1_ps(x)) }
    }
    #[inline(always)]
    fn load(x: &[f32; 8]) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_loadu_ps(x.as_ptr())) }
    }
    #[inline(always)]
    fn store(self) -> [f32; 8] {
        let mut out = [0.0; 8];
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) };
        out
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
    }
    #[inline(always)]
    fn combine(column: &[[f32; 4]; 3], x: [f32; 3], start: &[f32; 4]) -> [f32; 4] {
        let mut out = [0.0; 4];
        // SAFETY: as above.
        unsafe {
            let mut sum = _mm_loadu_ps(start.as_ptr());
            for c in 0..3 {
                let factor = _mm_set1_ps(x[c]);
                sum = _mm_fmadd_ps(_mm_loadu_ps(column[c].as_ptr()), factor, sum);
            }
            _mm_storeu_ps(out.as_mut_ptr(), sum);
        }
        out
    }
    #[inline(always)]
    fn pick(x: &[f32; 8], index: &[u32; 8]) -> Self {
        // SAFETY: as above; the instruction looks at the lowest three bits of each index.
        unsafe {
            let index = _mm256_loadu_si256(index.as_ptr().cast());
            Self(_mm256_permutevar8x32_ps(_mm256_loadu_ps(x.as_ptr()), index))
        }
    }
    #[inline(always)]
    fn to_front(bits: u32, x: &[u32; 8]) -> [u32; 8] {
        let mut out = [0; 8];
        let from = &FRONT[(bits & 0xFF) as usize];
        // SAFETY: as above; eight bytes are read from eight.
        unsafe {
            let from = _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.as_ptr().cast()));
            let x = _mm256_loadu_si256(x.as_ptr().cast());
            let y = _mm256_permutevar8x32_epi32(x, from);
            _mm256_storeu_si256(out.as_mut_ptr().cast(), y);
        }
        out
    }
    #[inline(always)]
    fn eq(self, b: Self) -> VectorMask {
        // SAFETY: as above.
        unsafe { VectorMask(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, b.0)) }
    }
}

#[derive(Clone, Copy)]
struct DoubleVector([__m256d; 2]);
#[derive(Clone, Copy)]
struct DoubleMask([__m256d; 2]);

macro_rules! double_operator {
    ($type:ident, $trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                // SAFETY: see the top of the file.
                unsafe {
                    Self([
                        $instruction(self.0[0], b.0[0]),
                        $instruction(self.0[1], b.0[1]),
                    ])
                }
            }
        }
    };
}
double_operator!(DoubleVector, Add, add, _mm256_add_pd);
double_operator!(DoubleVector, Sub, sub, _mm256_sub_pd);
double_operator!(DoubleVector, Mul, mul, _mm256_mul_pd);
double_operator!(DoubleVector, Div, div, _mm256_div_pd);
double_operator!(DoubleMask, BitAnd, bitand, _mm256_and_pd);
double_operator!(DoubleMask, BitOr, bitor, _mm256_or_pd);

impl Not for DoubleMask {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        // SAFETY: see the top of the file.
        unsafe {
            let ones = _mm256_castsi256_pd(_mm256_set1_epi32(-1));
            Self([
                _mm256_xor_pd(self.0[0], ones),
                _mm256_xor_pd(self.0[1], ones),
            ])
        }
    }
}

impl Mask for DoubleMask {
    #[inline(always)]
    fn bits(self) -> u32 {
        // SAFETY: see the top of the file.
        let [low, high] = unsafe { [_mm256_movemask_pd(self.0[0]), _mm256_movemask_pd(self.0[1])] };
        (low | high << 4).cast_unsigned()
    }
}

impl LaneArithmetic for DoubleVector {
    type Mask = DoubleMask;
    #[inline(always)]
    fn number(x: f64) -> Self {
        // SAFETY: see the top of the file.
        unsafe { Self([_mm256_set1_pd(x); 2]) }
    }
    #[inline(always)]
    fn min(self, b: Self) -> Self {
        let (x, y) = (self.0, b.0);
        // SAFETY: as above.
        unsafe { Self([_mm256_min_pd(x[0], y[0]), _mm256_min_pd(x[1], y[1])]) }
    }
    #[inline(always)]
    fn max(self, b: Self) -> Self {
        let (x, y) = (self.0, b.0);
        // SAFETY: as above.
        unsafe { Self([_mm256_max_pd(x[0], y[0]), _mm256_max_pd(x[1], y[1])]) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: as above.
        unsafe { Self([_mm256_sqrt_pd(self.0[0]), _mm256_sqrt_pd(self.0[1])]) }
    }
    #[inline(always)]
    fn le(self, b: Self) -> DoubleMask {
        let (x, y) = (self.0, b.0);
        // SAFETY: as above.
        unsafe {
            DoubleMask([
                _mm256_cmp_pd::<_CMP_LE_OQ>(x[0], y[0]),
                _mm256_cmp_pd::<_CMP_LE_OQ>(x[1], y[1]),
            ])
        }
    }
    #[inline(always)]
    fn lt(self, b: Self) -> DoubleMask {
        let (x, y) = (self.0, b.0);
        // SAFETY: as above.
        unsafe {
            DoubleMask([
                _mm256_cmp_pd::<_CMP_LT_OQ>(x[0], y[0]),
                _mm256_cmp_pd::<_CMP_LT_OQ>(x[1], y[1]),
            ])
        }
    }
    #[inline(always)]
    fn select(mask: DoubleMask, a: Self, b: Self) -> Self {
        let m = mask.0;
        // SAFETY: as above.
        unsafe {
            Self([
                _mm256_blendv_pd(b.0[0], a.0[0], m[0]),
                _mm256_blendv_pd(b.0[1], a.0[1], m[1]),
            ])
        }
    }
}

impl DoubleLanes for DoubleVector {
    #[inline(always)]
    fn load(x: &[f64; 8]) -> Self {
        // SAFETY: as above; four are read from the front and four from the back.
        unsafe {
            Self([
                _mm256_loadu_pd(x.as_ptr()),
                _mm256_loadu_pd(x.as_ptr().add(4)),
            ])
        }
    }
    #[inline(always)]
    fn store(self) -> [f64; 8] {
        let mut out = [0.0; 8];
        // SAFETY: as above.
        unsafe {
            _mm256_storeu_pd(out.as_mut_ptr(), self.0[0]);
            _mm256_storeu_pd(out.as_mut_ptr().add(4), self.0[1]);
        }
        out
    }
}
