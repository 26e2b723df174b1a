//! A power of two that keeps products of coordinates within the range of floats.

/// The factor to multiply coordinates of largest magnitude `size` with before products of four of them are formed.
///
/// 1 for all ordinary sizes; a power of two, hence exact, otherwise.
#[inline]
pub(super) fn safe_scale(size: f64) -> f64 {
    const SMALL: f64 = f64::from_bits((1023 - 200) << 52);
    const LARGE: f64 = f64::from_bits((1023 + 200) << 52);
    if (SMALL..=LARGE).contains(&size) || size == 0.0 || !size.is_finite() {
        return 1.0;
    }
    let (_, exponent) = libm::frexp(size);
    libm::scalbn(1.0, (-exponent).clamp(-1000, 1000))
}
