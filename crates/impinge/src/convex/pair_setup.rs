//! Setup of a pair: relative pose, and what the bounding balls decide.

use glam::DVec3;

use super::support_map::{InnerOuterBalls, SupportMap};
use crate::math::Pose;

/// Rounding of a support point and its product with a direction, in units of the largest coordinates.
pub(super) const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// A rotation may be off by [`ROTATION_TOLERANCE`](crate::math::ROTATION_TOLERANCE): by so much it may stretch or shrink.
const STRETCH: f64 = 4e-9;

/// A gap of round shapes below this fraction of their size is measured from the same start whatever was queried before, so that all queries about
/// it have one answer. Searches are off by far less.
const NEAR: f64 = 1e-9;

/// Two shapes at unit size.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairSetup {
    /// A power of two that brings the pair to unit size, and its reciprocal.
    pub(super) scale: f64,
    pub(super) unscale: f64,
    /// Rounding of differences, scaled.
    pub(super) slack: f64,
    /// Both radii, scaled.
    pub(super) radii: f64,
    /// Gaps below this are measured in one way for all queries, scaled; 0 for polytopes, which are decided exactly.
    pub(super) near: f64,
    /// The difference of the centres, not scaled: from `b` to `a`.
    pub(super) between: DVec3,
    /// The sizes of both shapes, not scaled.
    pub(super) size: f64,
    /// The radii of balls around that difference, in the body of differences of the cores and around it, scaled.
    pub(super) inner: f64,
    outer: f64,
}

impl PairSetup {
    #[inline(always)]
    pub(super) fn new<A: SupportMap + ?Sized, B: SupportMap + ?Sized>(
        a: &A,
        b: &B,
        pose: &Pose,
    ) -> Self {
        let radii = a.radius() + b.radius();
        let is_exact = radii <= 0.0 && a.vertex_count().is_some() && b.vertex_count().is_some();
        let near = if is_exact { 0.0 } else { NEAR };
        Self::of(a.extent(), b.extent(), radii, near, pose)
    }

    #[inline(always)]
    fn of(a: InnerOuterBalls, b: InnerOuterBalls, radii: f64, near: f64, pose: &Pose) -> Self {
        let between = a.center - *pose * b.center;
        let outer = a.outer + b.outer * (1.0 + STRETCH);
        let size = outer + radii;
        let scale = unit_scale(size + between.abs().max_element());
        let far = pose.translation().abs().max_element();
        let slack =
            ROUNDING * (a.largest + 2.0 * b.largest + far + radii) * scale + f64::MIN_POSITIVE;
        Self {
            scale,
            unscale: reciprocal(scale),
            slack,
            radii: radii * scale,
            near,
            between,
            size,
            inner: (a.inner + b.inner * (1.0 - STRETCH)) * scale - 2.0 * slack,
            outer: outer * scale + 2.0 * slack,
        }
    }

    /// Whether the shapes meet, where the balls tell.
    #[inline(always)]
    pub(super) fn by_balls(&self) -> Option<bool> {
        let length_sq = (self.between * self.scale).length_squared();
        let sure = (self.inner + self.radii - self.slack) * (1.0 - ROUNDING);
        let clear = (self.outer + self.radii + self.slack + self.near) * (1.0 + ROUNDING);
        if sure > 0.0 && length_sq < sure * sure {
            Some(true)
        } else if length_sq > clear * clear {
            Some(false)
        } else {
            None
        }
    }
}

/// A power of two that brings a size near one, kept among normal numbers whose reciprocal is one too.
#[inline(always)]
fn unit_scale(size: f64) -> f64 {
    let exponent = size.to_bits() >> 52;
    f64::from_bits((2045 - exponent.min(2022)).clamp(23, 2023) << 52)
}

/// One over a power of two.
#[inline(always)]
fn reciprocal(scale: f64) -> f64 {
    f64::from_bits((2046_u64 << 52) - scale.to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_brings_every_size_near_one() {
        for exponent in -140..140 {
            let size = 1.7 * 2.0_f64.powi(exponent);
            let scale = unit_scale(size);
            assert!((0.5..1.0).contains(&(size * scale)), "{exponent}");
            assert!((scale * reciprocal(scale) - 1.0).abs() <= 0.0);
        }
        for size in [0.0, f64::MIN_POSITIVE, f64::MAX] {
            let scale = unit_scale(size);
            assert!(scale.is_normal() && reciprocal(scale).is_normal());
        }
    }
}
