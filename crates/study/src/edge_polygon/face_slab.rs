//! A slab that contains a face, to reject edges on one side of it.

use glam::DVec3;

/// Rounding of `n·w` relative to the sum of its terms' magnitudes: three products, two sums and the rounded
/// difference `w` make less than 5 · 2^-53; this is generous.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Below this, products may have lost digits to underflow.
const TINY: f64 = 1e-290;

/// The points within `slack` of a plane; it holds all points of the face it was made for.
///
/// The normal need not be accurate: whatever direction it is, the slack is measured along it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FaceSlab {
    pub(super) normal: DVec3,
    pub(super) point: DVec3,
    pub(super) slack: f64,
}

impl FaceSlab {
    /// The slab across `normal` around points of which `point` is one.
    pub(super) fn around(
        normal: DVec3,
        point: DVec3,
        points: impl IntoIterator<Item = DVec3>,
    ) -> Self {
        let mut slab = Self {
            normal,
            point,
            slack: TINY,
        };
        for p in points {
            let (height, error) = slab.height(p);
            slab.slack = slab.slack.max(height.abs() + error);
        }
        slab
    }

    /// How far a point is above the plane, times the normal's length, and how far that may be off.
    #[inline]
    pub(super) fn height(&self, p: DVec3) -> (f64, f64) {
        let w = p - self.point;
        let error = ROUNDING * self.normal.abs().dot(w.abs());
        (self.normal.dot(w), error)
    }

    /// Whether two points are surely on one side of the slab, and all points between them.
    #[inline]
    pub(super) fn is_passed_by(&self, p: DVec3, q: DVec3) -> bool {
        let ((hp, ep), (hq, eq)) = (self.height(p), self.height(q));
        let (above_p, above_q) = (hp - ep, hq - eq);
        let (below_p, below_q) = (hp + ep, hq + eq);
        (above_p > self.slack && above_q > self.slack)
            || (below_p < -self.slack && below_q < -self.slack)
    }
}
