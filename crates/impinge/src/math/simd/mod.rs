#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "vector instructions need it; this is the only such module, and its functions are safe"
    )
)]
//! SIMD kernels, chosen at run time for the processor.
//!
//! **Question.** Which of eight boxes does one box overlap?
//! **Idea.** A kernel is a method of [`Level`] with one body per level. A level beyond
//! [`Level::Portable`] can only be had from detection, so calling its code is sound, and a caller that
//! detects once pays nothing per call.
//! **Cost.** 192 bytes and 12 vector instructions for eight boxes; measured in `docs/decisions/simd.md`.
//! **Promise.** Every level gives the same bits: kernels use no fused multiply-add and a fixed order of sums.
//!
//! To add a kernel: a method on [`Level`], the loop in `portable`, its twin in `avx2`, and a test over
//! [`Level::available`].

pub(crate) mod farthest;
pub(crate) mod lanes;

use std::sync::OnceLock;

/// A set of instructions this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// Plain code for the compiler's default target.
    Portable,
    /// AVX2 and FMA on x86-64.
    Avx2Fma(Detected),
    /// The 256-bit forms of AVX-512 (F, VL, DQ, BW) on x86-64: more registers, the same bits.
    Avx512(Detected),
}

/// Proof that the instructions were detected; only detection makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected(());

impl Level {
    /// The best level of this processor. The processor is queried once per process.
    ///
    /// ```
    /// use impinge::math::simd::Level;
    /// assert!(Level::available().any(|level| level == Level::detect()));
    /// ```
    #[must_use]
    pub fn detect() -> Self {
        // Ten questions to the processor's description would show in a query of 100 ns.
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| Self::available().last().unwrap_or(Self::Portable))
    }

    /// Every level of this processor, plainest first, so that tests can run each.
    ///
    /// ```
    /// use impinge::math::simd::Level;
    /// assert_eq!(Level::available().next(), Some(Level::Portable));
    /// ```
    pub fn available() -> impl Iterator<Item = Self> {
        // The standard library caches what the processor said.
        #[cfg(target_arch = "x86_64")]
        let (avx2, avx512) = {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw");
            (avx2, avx512)
        };
        #[cfg(not(target_arch = "x86_64"))]
        let (avx2, avx512) = (false, false);
        let detected = Detected(());
        std::iter::once(Self::Portable)
            .chain(avx2.then_some(Self::Avx2Fma(detected)))
            .chain(avx512.then_some(Self::Avx512(detected)))
    }

    /// Runs plain loops compiled for the level, so that the compiler may vectorise them with its instructions. The bits are the same.
    ///
    /// ```
    /// use impinge::math::simd::{Level, PlainLoops};
    /// struct Halves<'a>(&'a mut [f64]);
    /// impl PlainLoops for Halves<'_> {
    ///     #[inline(always)]
    ///     fn run(self) {
    ///         for x in self.0 {
    ///             *x *= 0.5;
    ///         }
    ///     }
    /// }
    /// let mut numbers = [2.0, 3.0];
    /// Level::detect().run(Halves(&mut numbers));
    /// assert_eq!(numbers, [1.0, 1.5]);
    /// ```
    #[inline]
    pub fn run<L: PlainLoops>(self, loops: L) {
        match self {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level carries the proof that its instructions were detected.
            Self::Avx512(_) => unsafe { plain_loops::avx512(loops) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Self::Avx2Fma(_) => unsafe { plain_loops::avx2(loops) },
            _ => loops.run(),
        }
    }

    /// Which of the eight boxes share a point with the box from `min` to `max`: bit `i` is lane `i`. Touching counts.
    ///
    /// ```
    /// use impinge::math::simd::{Boxes8, Level};
    /// let mut boxes = Boxes8::EMPTY;
    /// boxes.set(0, [0.0; 3], [1.0; 3]);
    /// boxes.set(5, [2.0; 3], [3.0; 3]);
    /// assert_eq!(Level::detect().overlaps([1.0; 3], [2.0; 3], &boxes), 0b10_0001);
    /// assert_eq!(Level::detect().overlaps([1.5; 3], [9.0; 3], &boxes), 0b10_0000);
    /// ```
    #[inline]
    #[must_use]
    pub fn overlaps(self, min: [f32; 3], max: [f32; 3], boxes: &Boxes8) -> u8 {
        match self {
            Self::Portable => portable::overlaps(min, max, boxes),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level carries the proof that AVX2 and FMA were detected.
            Self::Avx2Fma(_) | Self::Avx512(_) => unsafe { avx2::overlaps(min, max, boxes) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2Fma(_) | Self::Avx512(_) => portable::overlaps(min, max, boxes),
        }
    }

    /// Writes the mask of [`Level::overlaps`] for each group; groups beyond the shorter slice are left alone.
    ///
    /// ```
    /// use impinge::math::simd::{Boxes8, Level};
    /// let mut masks = [0xFF; 3];
    /// Level::detect().overlaps_each([0.0; 3], [1.0; 3], &[Boxes8::EMPTY; 2], &mut masks);
    /// assert_eq!(masks, [0, 0, 0xFF]);
    /// ```
    pub fn overlaps_each(self, min: [f32; 3], max: [f32; 3], groups: &[Boxes8], masks: &mut [u8]) {
        match self {
            Self::Portable => portable::overlaps_each(min, max, groups, masks),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level carries the proof that AVX2 and FMA were detected.
            Self::Avx2Fma(_) | Self::Avx512(_) => unsafe {
                avx2::overlaps_each(min, max, groups, masks);
            },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2Fma(_) | Self::Avx512(_) => portable::overlaps_each(min, max, groups, masks),
        }
    }
}

/// Loops without vector instructions of their own.
pub trait PlainLoops {
    /// Runs them. Must be `#[inline(always)]`, and all that it calls, or the instructions are lost.
    fn run(self);
}

#[cfg(target_arch = "x86_64")]
mod plain_loops {
    use super::PlainLoops;

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn avx2(loops: impl PlainLoops) {
        loops.run();
    }

    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl,avx512dq,avx512bw")]
    pub(super) fn avx512(loops: impl PlainLoops) {
        loops.run();
    }
}

/// Eight boxes side by side, coordinate by coordinate; lanes not set overlap nothing, not even the whole space.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Boxes8 {
    min: [[f32; 8]; 3],
    max: [[f32; 8]; 3],
}

const _: () = assert!(size_of::<Boxes8>() == 192 && align_of::<Boxes8>() == 64);

impl Boxes8 {
    /// How many boxes there are in a group.
    pub const LANES: usize = 8;

    /// The group without any box. Unset lanes hold NaN, which no comparison accepts.
    pub const EMPTY: Self = Self {
        min: [[f32::NAN; 8]; 3],
        max: [[f32::NAN; 8]; 3],
    };

    /// The groups that hold the boxes in order, eight by eight; the last is filled up with unset lanes.
    ///
    /// ```
    /// use impinge::math::simd::Boxes8;
    /// let boxes = [([0.0; 3], [1.0; 3]); 11];
    /// assert_eq!(Boxes8::groups(boxes).len(), 2);
    /// ```
    #[must_use]
    pub fn groups(boxes: impl IntoIterator<Item = ([f32; 3], [f32; 3])>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for (i, (min, max)) in boxes.into_iter().enumerate() {
            let lane = i % Self::LANES;
            if lane == 0 {
                groups.push(Self::EMPTY);
            }
            if let Some(group) = groups.last_mut() {
                group.set(lane, min, max);
            }
        }
        groups
    }

    /// Puts a box into a lane; a lane beyond the last is ignored.
    ///
    /// ```
    /// use impinge::math::simd::Boxes8;
    /// let mut boxes = Boxes8::EMPTY;
    /// boxes.set(7, [0.0; 3], [1.0; 3]);
    /// boxes.set(8, [0.0; 3], [1.0; 3]);
    /// assert!(boxes.get(7).is_some() && boxes.get(8).is_none());
    /// ```
    pub fn set(&mut self, lane: usize, min: [f32; 3], max: [f32; 3]) {
        for axis in 0..3 {
            if let (Some(lo), Some(hi)) =
                (self.min[axis].get_mut(lane), self.max[axis].get_mut(lane))
            {
                *lo = min[axis];
                *hi = max[axis];
            }
        }
    }

    /// The box in a lane, as smallest and largest coordinates; `None` when the lane is unset.
    ///
    /// ```
    /// use impinge::math::simd::Boxes8;
    /// assert_eq!(Boxes8::EMPTY.get(0), None);
    /// ```
    #[must_use]
    pub fn get(&self, lane: usize) -> Option<([f32; 3], [f32; 3])> {
        if lane >= Self::LANES {
            return None;
        }
        let min = self.min.map(|axis| axis[lane]);
        let max = self.max.map(|axis| axis[lane]);
        (!min[0].is_nan()).then_some((min, max))
    }
}

mod portable {
    use super::Boxes8;

    #[inline]
    pub(super) fn overlaps(min: [f32; 3], max: [f32; 3], boxes: &Boxes8) -> u8 {
        let mut mask = 0;
        for lane in 0..Boxes8::LANES {
            let mut overlap = true;
            for axis in 0..3 {
                overlap &= boxes.min[axis][lane] <= max[axis];
                overlap &= min[axis] <= boxes.max[axis][lane];
            }
            mask |= u8::from(overlap) << lane;
        }
        mask
    }

    pub(super) fn overlaps_each(min: [f32; 3], max: [f32; 3], groups: &[Boxes8], masks: &mut [u8]) {
        for (group, mask) in groups.iter().zip(masks) {
            *mask = overlaps(min, max, group);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, _CMP_LE_OQ, _mm256_and_ps, _mm256_cmp_ps, _mm256_loadu_ps, _mm256_movemask_ps,
        _mm256_set1_ps,
    };

    use super::Boxes8;

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn overlaps(min: [f32; 3], max: [f32; 3], boxes: &Boxes8) -> u8 {
        against(splat(min), splat(max), boxes)
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn overlaps_each(min: [f32; 3], max: [f32; 3], groups: &[Boxes8], masks: &mut [u8]) {
        let (min, max) = (splat(min), splat(max));
        for (group, mask) in groups.iter().zip(masks) {
            *mask = against(min, max, group);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn against(min: [__m256; 3], max: [__m256; 3], boxes: &Boxes8) -> u8 {
        let axis = |k: usize| {
            _mm256_and_ps(
                _mm256_cmp_ps::<_CMP_LE_OQ>(lanes(&boxes.min[k]), max[k]),
                _mm256_cmp_ps::<_CMP_LE_OQ>(min[k], lanes(&boxes.max[k])),
            )
        };
        let all = _mm256_and_ps(_mm256_and_ps(axis(0), axis(1)), axis(2));
        // Eight lanes give eight bits.
        _mm256_movemask_ps(all) as u8
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn splat(p: [f32; 3]) -> [__m256; 3] {
        [
            _mm256_set1_ps(p[0]),
            _mm256_set1_ps(p[1]),
            _mm256_set1_ps(p[2]),
        ]
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn lanes(values: &[f32; 8]) -> __m256 {
        // SAFETY: the reference covers eight floats, and this load asks for no alignment; the rows of
        // `Boxes8` are aligned all the same, which makes it as fast as the aligned one.
        unsafe { _mm256_loadu_ps(values.as_ptr()) }
    }
}
