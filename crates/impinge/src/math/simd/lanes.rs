//! Eight `f32` lanes, written once and run with whatever the processor has.
//!
//! A kernel is a value with a generic `run`; [`dispatch`] runs it with vector instructions when
//! they were detected and with plain arrays otherwise. Results may differ between the two in the
//! last bits (one fuses multiply and add), so lanes are for culling and bounding with margins
//! that cover both, never for an answer itself.
#![expect(clippy::needless_range_loop, reason = "lanes are numbered")]

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::Level;

/// A truth value per lane.
pub(crate) trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Bit `k` tells lane `k`.
    fn bits(self) -> u32;
}

/// Eight numbers.
pub(crate) trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// What comparisons give.
    type Mask: Mask;
    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// One number per lane.
    fn load(x: &[f32; 8]) -> Self;
    /// The numbers, lane by lane.
    fn store(self) -> [f32; 8];
    /// `self · b + c`, fused or not.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self · b − c`, fused or not.
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// `c − self · b`, fused or not.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// The smaller; the right operand where either is NaN.
    fn min(self, b: Self) -> Self;
    /// The larger; the right operand where either is NaN.
    fn max(self, b: Self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// `self <= b`, false where either is NaN.
    fn le(self, b: Self) -> Self::Mask;
    /// `self < b`, false where either is NaN.
    fn lt(self, b: Self) -> Self::Mask;
    /// `self == b`, false where either is NaN.
    fn eq(self, b: Self) -> Self::Mask;
    /// `a` where the mask holds, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
}

/// Work that runs over lanes.
pub(crate) trait Kernel {
    /// What comes back.
    type Output;
    /// Runs with these lanes. Must be `#[inline(always)]`, or the instructions are lost.
    fn run<T: Lanes>(self) -> Self::Output;
}

/// Runs the kernel with the lanes of the level.
#[inline]
pub(crate) fn dispatch<K: Kernel>(level: Level, kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Level::Avx2Fma(_) = level {
        // SAFETY: the level carries the proof that AVX2 and FMA were detected.
        return unsafe { avx2::run(kernel) };
    }
    let _ = level;
    kernel.run::<Portable>()
}

#[derive(Clone, Copy)]
struct Portable([f32; 8]);

#[derive(Clone, Copy)]
struct Bits(u32);

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Portable {
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

impl Portable {
    #[inline(always)]
    fn map2(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut r = self.0;
        for k in 0..8 {
            r[k] = f(self.0[k], b.0[k]);
        }
        Self(r)
    }

    #[inline(always)]
    fn test2(self, b: Self, f: impl Fn(f32, f32) -> bool) -> Bits {
        let mut bits = 0;
        for k in 0..8 {
            bits |= u32::from(f(self.0[k], b.0[k])) << k;
        }
        Bits(bits)
    }
}

impl Lanes for Portable {
    type Mask = Bits;
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
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self * b - c
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c - self * b
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
    fn abs(self) -> Self {
        self.map2(self, |x, _| x.abs())
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
    fn eq(self, b: Self) -> Bits {
        self.test2(b, |x, y| x == y)
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

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Add, BitAnd, BitOr, Div, Kernel, Lanes, Mask, Mul, Not, Sub};
    use std::arch::x86_64::*;

    /// Private, so that no code can make one but a kernel that [`run`] started.
    #[derive(Clone, Copy)]
    struct Avx2(__m256);
    #[derive(Clone, Copy)]
    struct Avx2Mask(__m256);

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn run<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }

    macro_rules! operator {
        ($type:ident, $trait:ident, $method:ident, $instruction:ident) => {
            impl $trait for $type {
                type Output = Self;
                #[inline(always)]
                fn $method(self, b: Self) -> Self {
                    // SAFETY: values of this type exist only below `run`, where AVX2 and FMA are on.
                    unsafe { Self($instruction(self.0, b.0)) }
                }
            }
        };
    }
    operator!(Avx2, Add, add, _mm256_add_ps);
    operator!(Avx2, Sub, sub, _mm256_sub_ps);
    operator!(Avx2, Mul, mul, _mm256_mul_ps);
    operator!(Avx2, Div, div, _mm256_div_ps);
    operator!(Avx2Mask, BitAnd, bitand, _mm256_and_ps);
    operator!(Avx2Mask, BitOr, bitor, _mm256_or_ps);

    impl Not for Avx2Mask {
        type Output = Self;
        #[inline(always)]
        fn not(self) -> Self {
            // SAFETY: as above.
            unsafe {
                let ones = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
                Self(_mm256_xor_ps(self.0, ones))
            }
        }
    }
    impl Mask for Avx2Mask {
        #[inline(always)]
        fn bits(self) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_ps(self.0).cast_unsigned() }
        }
    }

    macro_rules! method {
        ($(fn $name:ident($($argument:ident: $type:ty),*) -> $out:ty { $body:expr })*) => {
            $(
                #[inline(always)]
                fn $name($($argument: $type),*) -> $out {
                    // SAFETY: `Avx2` is private to this module; only `run` names it, below which
                    // AVX2 and FMA are on. Loads and stores go through arrays of eight.
                    unsafe { $body }
                }
            )*
        };
    }

    impl Lanes for Avx2 {
        type Mask = Avx2Mask;
        method! {
            fn splat(x: f32) -> Self { Self(_mm256_set1_ps(x)) }
            fn load(x: &[f32; 8]) -> Self { Self(_mm256_loadu_ps(x.as_ptr())) }
        }
        #[inline(always)]
        fn store(self) -> [f32; 8] {
            let mut out = [0.0; 8];
            // SAFETY: as above; `out` holds eight.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) };
            out
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
        fn abs(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0)) }
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_sqrt_ps(self.0)) }
        }
        #[inline(always)]
        fn le(self, b: Self) -> Avx2Mask {
            // SAFETY: as above.
            unsafe { Avx2Mask(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, b.0)) }
        }
        #[inline(always)]
        fn lt(self, b: Self) -> Avx2Mask {
            // SAFETY: as above.
            unsafe { Avx2Mask(_mm256_cmp_ps::<_CMP_LT_OQ>(self.0, b.0)) }
        }
        #[inline(always)]
        fn eq(self, b: Self) -> Avx2Mask {
            // SAFETY: as above.
            unsafe { Avx2Mask(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, b.0)) }
        }
        #[inline(always)]
        fn select(mask: Avx2Mask, a: Self, b: Self) -> Self {
            // SAFETY: as above.
            unsafe { Self(_mm256_blendv_ps(b.0, a.0, mask.0)) }
        }
    }
}
