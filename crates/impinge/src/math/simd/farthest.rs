//! Support point: the farthest of many points in a direction.
//!
//! **Idea.** Each of eight lanes keeps its own farthest point, without a branch; the lanes are
//! compared at the end. On ties the first point is kept, within a lane and between lanes.
//! **Promise.** Every level gives the same slot: products are added in a fixed order and not fused.

use super::Level;

/// Eight points, coordinate by coordinate.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [[f64; 8]; 3]);

impl Level {
    /// The slot of a farthest point, the block's number times eight and the lane: of equals the one of the first lane, and in it the
    /// first block. 0 when there is no block.
    #[inline(always)]
    pub(crate) fn farthest(self, blocks: &[Block], direction: [f64; 3]) -> usize {
        match self {
            Self::Portable => portable(blocks, direction),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level carries the proof that AVX2 and FMA were detected.
            Self::Avx2Fma(_) | Self::Avx512(_) => unsafe { avx2::farthest(blocks, direction) },
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2Fma(_) | Self::Avx512(_) => portable(blocks, direction),
        }
    }
}

#[inline]
fn along(Block([x, y, z]): &Block, direction: [f64; 3]) -> [f64; 8] {
    std::array::from_fn(|lane| {
        x[lane] * direction[0] + y[lane] * direction[1] + z[lane] * direction[2]
    })
}

fn portable(blocks: &[Block], direction: [f64; 3]) -> usize {
    let Some((first, rest)) = blocks.split_first() else {
        return 0;
    };
    let mut best = along(first, direction);
    let mut slots: [u64; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
    for (number, block) in rest.iter().enumerate() {
        let slot = (number as u64 + 1) * 8;
        let own = along(block, direction).into_iter().zip(slot..);
        for ((best, at), (own, slot)) in best.iter_mut().zip(&mut slots).zip(own) {
            let is_better = own > *best;
            *best = if is_better { own } else { *best };
            *at = if is_better { slot } else { *at };
        }
    }
    // Neighbours first, as the vector instructions do.
    for step in [1, 2, 4] {
        for lane in (0..8).step_by(2 * step) {
            if best[lane + step] > best[lane] {
                best[lane] = best[lane + step];
                slots[lane] = slots[lane + step];
            }
        }
    }
    slots[0] as usize
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::Block;

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn farthest(blocks: &[Block], direction: [f64; 3]) -> usize {
        let Some((first, rest)) = blocks.split_first() else {
            return 0;
        };
        let direction = [
            _mm256_set1_pd(direction[0]),
            _mm256_set1_pd(direction[1]),
            _mm256_set1_pd(direction[2]),
        ];
        let (mut low, mut high) = (along::<0>(first, direction), along::<4>(first, direction));
        let mut slots_low = _mm256_castsi256_pd(_mm256_set_epi64x(3, 2, 1, 0));
        let mut slots_high = _mm256_castsi256_pd(_mm256_set_epi64x(7, 6, 5, 4));
        let mut number_low = _mm256_set_epi64x(3, 2, 1, 0);
        let mut number_high = _mm256_set_epi64x(7, 6, 5, 4);
        let eight = _mm256_set1_epi64x(8);
        for block in rest {
            number_low = _mm256_add_epi64(number_low, eight);
            number_high = _mm256_add_epi64(number_high, eight);
            let (own_low, own_high) = (along::<0>(block, direction), along::<4>(block, direction));
            let is_better = _mm256_cmp_pd::<_CMP_GT_OQ>(own_low, low);
            low = _mm256_blendv_pd(low, own_low, is_better);
            slots_low = _mm256_blendv_pd(slots_low, _mm256_castsi256_pd(number_low), is_better);
            let is_better = _mm256_cmp_pd::<_CMP_GT_OQ>(own_high, high);
            high = _mm256_blendv_pd(high, own_high, is_better);
            slots_high = _mm256_blendv_pd(slots_high, _mm256_castsi256_pd(number_high), is_better);
        }
        let (low, slots_low) = of_four(low, slots_low);
        let (high, slots_high) = of_four(high, slots_high);
        let slot = _mm_blendv_pd(slots_low, slots_high, _mm_cmpgt_pd(high, low));
        _mm_cvtsi128_si64(_mm_castpd_si128(slot)).cast_unsigned() as usize
    }

    /// The best of four lanes and its slot, in the first.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn of_four(best: __m256d, slots: __m256d) -> (__m128d, __m128d) {
        let next = _mm256_unpackhi_pd(best, best);
        let is_better = _mm256_cmp_pd::<_CMP_GT_OQ>(next, best);
        let best = _mm256_blendv_pd(best, next, is_better);
        let slots = _mm256_blendv_pd(slots, _mm256_unpackhi_pd(slots, slots), is_better);
        let (first, second) = (
            _mm256_castpd256_pd128(best),
            _mm256_extractf128_pd::<1>(best),
        );
        let is_better = _mm_cmpgt_pd(second, first);
        (
            _mm_blendv_pd(first, second, is_better),
            _mm_blendv_pd(
                _mm256_castpd256_pd128(slots),
                _mm256_extractf128_pd::<1>(slots),
                is_better,
            ),
        )
    }

    /// The products of four of a block's points with a direction.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn along<const FROM: usize>(Block([x, y, z]): &Block, direction: [__m256d; 3]) -> __m256d {
        let x = _mm256_mul_pd(four::<FROM>(x), direction[0]);
        let y = _mm256_mul_pd(four::<FROM>(y), direction[1]);
        let z = _mm256_mul_pd(four::<FROM>(z), direction[2]);
        _mm256_add_pd(_mm256_add_pd(x, y), z)
    }

    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn four<const FROM: usize>(row: &[f64; 8]) -> __m256d {
        const { assert!(FROM <= 4) }
        // SAFETY: four floats from the first or the fifth of eight; the load asks for no alignment.
        unsafe { _mm256_loadu_pd(row.as_ptr().add(FROM)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rng;

    #[test]
    fn every_level_names_the_first_of_the_farthest() {
        let mut rng = Rng::new(5);
        for count in 1..40 {
            let mut blocks = vec![Block([[0.0; 8]; 3]); count];
            for block in &mut blocks {
                for x in block.0.as_flattened_mut() {
                    *x = rng.grid(-3, 3);
                }
            }
            for _ in 0..20 {
                let direction = [0; 3].map(|_| rng.grid(-2, 2));
                let mut best = (f64::NEG_INFINITY, 0);
                for lane in 0..8 {
                    for (number, block) in blocks.iter().enumerate() {
                        let own = along(block, direction)[lane];
                        if own > best.0 {
                            best = (own, number * 8 + lane);
                        }
                    }
                }
                for level in Level::available() {
                    assert_eq!(level.farthest(&blocks, direction), best.1);
                }
            }
        }
    }
}
