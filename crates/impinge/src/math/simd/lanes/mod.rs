//! Eight lanes, written once and run with the instructions that the processor has.
//!
//! A kernel is a value with a generic `run`; [`dispatch`] runs it with vector instructions when
//! they were detected and with plain arrays otherwise. In `f32` both vector sets fuse multiply and add
//! and give equal bits; plain arrays do not fuse, so their results may differ in the last bits. Those
//! lanes are therefore for culling and bounding with margins that cover both, never for an answer
//! itself. In `f64` nothing fuses and every processor gives equal bits.
#![expect(clippy::needless_range_loop, reason = "lanes are numbered")]

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use super::Level;

/// A truth value per lane.
pub(crate) trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Bit `k` is for lane `k`.
    fn bits(self) -> u32;
}

/// Arithmetic on eight numbers, single or double.
pub(crate) trait LaneArithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// What comparisons give.
    type Mask: Mask;
    /// The same number, rounded to the lanes' precision, in every lane.
    fn number(x: f64) -> Self;
    /// `self · b + c`; not fused unless the lanes say so.
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }
    /// `self · b − c`; not fused unless the lanes say so.
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        self * b - c
    }
    /// `c − self · b`; not fused unless the lanes say so.
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c - self * b
    }
    /// The smaller; the right operand where either is NaN.
    fn min(self, b: Self) -> Self;
    /// The larger; the right operand where either is NaN.
    fn max(self, b: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// `self <= b`, false where either is NaN.
    fn le(self, b: Self) -> Self::Mask;
    /// `self < b`, false where either is NaN.
    fn lt(self, b: Self) -> Self::Mask;
    /// `a` where the mask holds, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
}

/// Eight `f32`.
pub(crate) trait Lanes: LaneArithmetic {
    /// As many `f64`.
    type Double: DoubleLanes;
    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// One number per lane.
    fn load(x: &[f32; 8]) -> Self;
    /// The numbers, lane by lane.
    fn store(self) -> [f32; 8];
    /// The magnitude.
    fn abs(self) -> Self;
    /// `self == b`, false where either is NaN.
    #[cfg_attr(
        not(feature = "deform"),
        expect(dead_code, reason = "only deforming scenes compare so")
    )]
    fn eq(self, b: Self) -> Self::Mask;
    /// The numbers in the lanes that `bits` names, in order from the front; what follows them is of no meaning.
    fn to_front(bits: u32, x: &[u32; 8]) -> [u32; 8];
    /// `start + Σ column[c]·x[c]`, fused or not.
    fn combine(column: &[[f32; 4]; 3], x: [f32; 3], start: &[f32; 4]) -> [f32; 4];
    /// Lane `k` is number `index[k]`, which must be below eight.
    fn pick(x: &[f32; 8], index: &[u32; 8]) -> Self;
}

/// Eight `f64`. Nothing is fused: equal bits on every processor.
pub(crate) trait DoubleLanes: LaneArithmetic {
    /// One number per lane.
    fn load(x: &[f64; 8]) -> Self;
    /// The numbers, lane by lane.
    fn store(self) -> [f64; 8];
}

/// Numbers of the lanes that each set of eight names, from the front.
pub(crate) static FRONT: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut k, mut n) = (0, 0);
        while k < 8 {
            if bits >> k & 1 != 0 {
                table[bits][n] = k as u8;
                n += 1;
            }
            k += 1;
        }
        bits += 1;
    }
    table
};

/// How many lanes each set of eight names.
pub(crate) static COUNT: [u8; 256] = {
    let mut table = [0; 256];
    let mut bits = 0_usize;
    while bits < 256 {
        table[bits] = bits.count_ones() as u8;
        bits += 1;
    }
    table
};

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
    match level {
        // SAFETY: the level carries the proof that its instructions were detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(_) => unsafe { x86::avx512(kernel) },
        _ => dispatch_without_avx512(level, kernel),
    }
}

/// The same with AVX2 at most, for kernels that gain nothing from more registers: one copy less is compiled.
#[inline]
pub(crate) fn dispatch_without_avx512<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level {
        // SAFETY: as above; a processor with AVX-512 has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2Fma(_) | Level::Avx512(_) => unsafe { x86::avx2(kernel) },
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        _ => portable::run(kernel),
        // Chosen when it is compiled: a module has these instructions or does not load.
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        _ => simd128::run(kernel),
    }
}
