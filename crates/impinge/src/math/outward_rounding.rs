//! Outward rounding from `f64` to `f32`, so that a small box still contains what the large one did.

use glam::DVec3;

/// The largest `f32` that is not above `x`.
///
/// Beyond the range of `f32` the answer is `f32::MAX` (above) or `-∞` (below); for NaN it is
/// `-∞`, a bound below anything.
///
/// ```
/// use impinge::math::outward_rounding;
/// assert_eq!(outward_rounding::down(0.5), 0.5);
/// assert!(f64::from(outward_rounding::down(0.1)) < 0.1 && f64::from(outward_rounding::down(0.1).next_up()) > 0.1);
/// assert_eq!(outward_rounding::down(1e300), f32::MAX);
/// ```
#[inline]
#[must_use]
pub fn down(x: f64) -> f32 {
    if x.is_nan() {
        return f32::NEG_INFINITY;
    }
    let nearest = x as f32;
    if f64::from(nearest) > x {
        nearest.next_down()
    } else {
        nearest
    }
}

/// The smallest `f32` that is not below `x`.
///
/// Beyond the range of `f32` the answer is `+∞` (above) or `f32::MIN` (below); for NaN it is
/// `+∞`, a bound above anything.
///
/// ```
/// use impinge::math::outward_rounding;
/// assert_eq!(outward_rounding::up(1e-300), f32::from_bits(1));
/// assert_eq!(outward_rounding::up(1e300), f32::INFINITY);
/// ```
#[inline]
#[must_use]
pub fn up(x: f64) -> f32 {
    if x.is_nan() {
        return f32::INFINITY;
    }
    let nearest = x as f32;
    if f64::from(nearest) < x {
        nearest.next_up()
    } else {
        nearest
    }
}

/// The smallest `f32` box, as smallest and largest coordinates, around the box from `min` to `max`.
///
/// ```
/// use impinge::{math::outward_rounding, DVec3};
/// let (min, max) = outward_rounding::outward(DVec3::splat(0.1), DVec3::splat(0.7));
/// assert!(f64::from(min[0]) <= 0.1 && f64::from(max[2]) >= 0.7);
/// ```
#[inline]
#[must_use]
pub fn outward(min: DVec3, max: DVec3) -> ([f32; 3], [f32; 3]) {
    (min.to_array().map(down), max.to_array().map(up))
}
