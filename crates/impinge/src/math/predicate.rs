//! Exact signs of orientation determinants.
//!
//! **Question.** On which side of a line, plane, circle or sphere does a point lie, exactly?
//! **Idea.** Three tiers. A determinant in plain `f64` with a bound on its error decides nearly every call
//! inline. What it cannot decide goes to the adaptive expansions of the crate `robust`; what those could
//! underflow on, to integers ([`super::exact`]).
//! **Source.** Shewchuk 1997, doi:10.1007/PL00009321; our change: an absolute term that keeps the first tier
//! right under underflow, and the integer tier.
//! **Cost.** The first tier costs about a plain determinant; the second 20 to 200 ns; the third microseconds.
//! **Promise.** The sign of the exact real determinant for all finite coordinates of magnitude up to
//! 4·[`MAX_COORDINATE`], denormals included. Other input (NaN, infinite) gives some sign, never a panic.
//!
//! ## Why the first tier is right
//!
//! Let `u = 2^-53`. Without underflow every operation errs by a factor `1 + δ`, `|δ| ≤ u`. Expanding a computed
//! determinant, each monomial carries one such factor per difference, product and sum on its way; the
//! constants below are Shewchuk's counts, such as `(7 + 56u)u` for `orient3d`, and bound the error relative to
//! the *computed* permanent (the same sum over absolute values).
//!
//! Gradual underflow adds at most `η = 2^-1075` per product (sums and differences never underflow
//! inexactly). Differences are at most `D = 2^154`. Each `η` is scaled by the factors multiplied on later, so
//! a determinant of degree `k` over `n` products errs by less than `2n·η·D^(k-2)·(a small count)`:
//! below 2^-1070 (`orient2d`), 2^-915 (`orient3d`), 2^-755 (`incircle`) and 2^-600 (`insphere`). The same holds for
//! the permanent, whose error is then multiplied by about `u`. Adding an absolute term a little larger than that
//! to the bound makes it right for all inputs in range.
//!
//! ## Where expansions are exact
//!
//! If every coordinate is an integer multiple of `2^e`, so is every difference and every tail of one, and every
//! component of an expansion of degree `k` is a multiple of `2^(ke)`: nothing is lost as long as
//! `ke ≥ -1074`. The error bounds that `robust` uses between its stages are as small as `2^-102` times the
//! permanent, which is itself a multiple of `2^(ke)`; `ke ≥ -912` keeps these normal too. A nonzero `x` is a
//! multiple of `2^(exponent(x) - 52)`, hence the thresholds `|x| ≥ 2^(⌈-912/k⌉ + 52)`.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

use super::MAX_COORDINATE;
use super::exact::{self, Scaled};

/// The sign of a real number.
///
/// ```
/// use impinge::math::Sign;
/// assert_eq!(Sign::of(-2.5), Sign::Negative);
/// assert_eq!(Sign::Negative.reversed(), Sign::Positive);
/// assert!(Sign::Negative < Sign::Zero && Sign::Zero < Sign::Positive);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Sign {
    /// Below zero.
    Negative = -1,
    /// Zero.
    Zero = 0,
    /// Above zero.
    Positive = 1,
}

impl Sign {
    /// The sign of `x`; [`Sign::Zero`] for NaN.
    ///
    /// ```
    /// use impinge::math::Sign;
    /// assert_eq!(Sign::of(-0.0), Sign::Zero);
    /// ```
    #[inline]
    #[must_use]
    pub fn of(x: f64) -> Self {
        if x > 0.0 {
            Self::Positive
        } else if x < 0.0 {
            Self::Negative
        } else {
            Self::Zero
        }
    }

    /// The sign of the negated number.
    ///
    /// ```
    /// use impinge::math::Sign;
    /// assert_eq!(Sign::Positive.reversed(), Sign::Negative);
    /// ```
    #[inline]
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Zero => Self::Zero,
            Self::Positive => Self::Negative,
        }
    }

    /// Whether the number is zero.
    ///
    /// ```
    /// use impinge::math::Sign;
    /// assert!(Sign::of(0.0).is_zero());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::Zero
    }

    /// Whether the number is above zero.
    ///
    /// ```
    /// use impinge::math::Sign;
    /// assert!(Sign::of(1.0).is_positive());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_positive(self) -> bool {
        self == Self::Positive
    }

    /// Whether the number is below zero.
    ///
    /// ```
    /// use impinge::math::Sign;
    /// assert!(Sign::of(-1.0).is_negative());
    /// ```
    #[inline]
    #[must_use]
    pub fn is_negative(self) -> bool {
        self == Self::Negative
    }
}

/// Half the distance from 1 to the next `f64`: the largest relative error of one operation.
const U: f64 = f64::EPSILON / 2.0;

/// `2^k` for constants.
pub(super) const fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// A determinant and a bound on its error.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    error: f64,
}

impl Estimate {
    /// The sign, when the error cannot change it. NaN decides nothing.
    #[inline]
    fn sign(self) -> Option<Sign> {
        if self.value > self.error {
            Some(Sign::Positive)
        } else if self.value < -self.error {
            Some(Sign::Negative)
        } else {
            None
        }
    }

    /// The value, when it is relatively accurate to 2^-40.
    fn accurate(self) -> Option<Scaled> {
        (self.value.abs() * power_of_two(-41) > self.error).then_some(Scaled {
            mantissa: self.value,
            exponent: 0,
        })
    }
}

/// Which tier decides what the first could not.
pub(super) enum Tier {
    Expansions,
    Integers,
    /// A coordinate is not finite: no sign is right.
    Meaningless,
}

pub(super) fn tier(coordinates: impl Iterator<Item = f64>, smallest: f64) -> Tier {
    let mut tier = Tier::Expansions;
    for x in coordinates.map(f64::abs) {
        if !x.is_finite() {
            return Tier::Meaningless;
        }
        if (x < smallest && x > 0.0) || x > 4.0 * MAX_COORDINATE {
            tier = Tier::Integers;
        }
    }
    tier
}

fn coord(p: DVec2) -> Coord<f64> {
    Coord { x: p.x, y: p.y }
}

fn coord3d(p: DVec3) -> Coord3D<f64> {
    Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    }
}

/// Positive when `a`, `b`, `c` turn left (counter-clockwise), negative when right, zero when collinear.
///
/// ```
/// use impinge::{math::{orient2d, Sign}, DVec2};
/// let [a, b] = [DVec2::ZERO, DVec2::new(0.1, 0.3)];
/// assert_eq!(orient2d(a, b, DVec2::new(0.0, 1.0)), Sign::Positive);
/// assert_eq!(orient2d(a, b, b * 2.0), Sign::Zero);
/// ```
#[inline]
#[must_use]
pub fn orient2d(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    match orient2d_estimate(a, b, c).sign() {
        Some(sign) => sign,
        None => orient2d_undecided(a, b, c),
    }
}

#[inline]
fn orient2d_estimate(a: DVec2, b: DVec2, c: DVec2) -> Estimate {
    let (a, b) = (a - c, b - c);
    let (left, right) = (a.x * b.y, a.y * b.x);
    Estimate {
        value: left - right,
        error: (3.0 + 16.0 * U) * U * (left.abs() + right.abs()) + power_of_two(-1000),
    }
}

#[cold]
#[inline(never)]
fn orient2d_undecided(a: DVec2, b: DVec2, c: DVec2) -> Sign {
    // Equal points and lines along an axis are common in real models and need no expansions.
    if (a.x == c.x && b.x == c.x) || (a.y == c.y && b.y == c.y) || a == c || b == c || a == b {
        return Sign::Zero;
    }
    let coordinates = [a, b, c].into_iter().flat_map(|p| p.to_array());
    match tier(coordinates, power_of_two(-404)) {
        Tier::Expansions => Sign::of(robust::orient2d(coord(a), coord(b), coord(c))),
        Tier::Integers => exact::orient2d_sign(a, b, c),
        Tier::Meaningless => Sign::Zero,
    }
}

/// The determinant whose sign is [`orient2d`], with a relative error of at most 2^-40.
pub(crate) fn orient2d_value(a: DVec2, b: DVec2, c: DVec2) -> Scaled {
    let accurate = orient2d_estimate(a, b, c).accurate();
    accurate.unwrap_or_else(|| exact::orient2d_rounded(a, b, c))
}

/// The sign of `det[a - d, b - d, c - d]`: positive when `a`, `b`, `c` turn clockwise as seen from
/// `d`, zero when coplanar.
///
/// ```
/// use impinge::{math::{orient3d, Sign}, DVec3};
/// let below = DVec3::new(0.3, 0.3, -1e-300);
/// assert_eq!(orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, below), Sign::Positive);
/// assert_eq!(orient3d(DVec3::ZERO, DVec3::X, DVec3::Y, -below), Sign::Negative);
/// ```
#[inline]
#[must_use]
#[doc(alias = "exact predicates")]
pub fn orient3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    match orient3d_filter(a, b, c, d) {
        Some(sign) => sign,
        None => orient3d_undecided(a, b, c, d),
    }
}

/// The sign that [`orient3d`] returns when plain `f64` arithmetic proves it: for random points nearly always.
///
/// For counting how often calls need more than that.
///
/// ```
/// use impinge::{math::orient3d_filter, DVec3};
/// assert!(orient3d_filter(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z).is_some());
/// assert!(orient3d_filter(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE - DVec3::Z).is_none());
/// ```
#[inline]
#[must_use]
pub fn orient3d_filter(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Option<Sign> {
    orient3d_estimate(a, b, c, d).sign()
}

#[inline]
fn orient3d_estimate(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Estimate {
    let (a, b, c) = (a - d, b - d, c - d);
    let (bc, cb) = (b.x * c.y, c.x * b.y);
    let (ca, ac) = (c.x * a.y, a.x * c.y);
    let (ab, ba) = (a.x * b.y, b.x * a.y);
    let permanent = (bc.abs() + cb.abs()) * a.z.abs()
        + (ca.abs() + ac.abs()) * b.z.abs()
        + (ab.abs() + ba.abs()) * c.z.abs();
    Estimate {
        value: a.z * (bc - cb) + b.z * (ca - ac) + c.z * (ab - ba),
        error: (7.0 + 56.0 * U) * U * permanent + power_of_two(-900),
    }
}

#[cold]
#[inline(never)]
fn orient3d_undecided(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Sign {
    // Planes along an axis and equal points are common in real models and need no expansions.
    let flat = (a.x == d.x && b.x == d.x && c.x == d.x)
        || (a.y == d.y && b.y == d.y && c.y == d.y)
        || (a.z == d.z && b.z == d.z && c.z == d.z);
    if flat || a == d || b == d || c == d || a == b || b == c || c == a {
        return Sign::Zero;
    }
    let coordinates = [a, b, c, d].into_iter().flat_map(|p| p.to_array());
    match tier(coordinates, power_of_two(-252)) {
        Tier::Expansions => {
            let [a, b, c, d] = [a, b, c, d].map(coord3d);
            Sign::of(robust::orient3d(a, b, c, d))
        }
        Tier::Integers => exact::orient3d_sign(a, b, c, d),
        Tier::Meaningless => Sign::Zero,
    }
}

/// The sign of [`orient3d`] with the determinant, which may be off by up to its own size where it is within rounding of zero.
#[inline]
pub(crate) fn orient3d_signed(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (Sign, f64) {
    let estimate = orient3d_estimate(a, b, c, d);
    match estimate.sign() {
        Some(sign) => (sign, estimate.value),
        None => match orient3d_undecided(a, b, c, d) {
            Sign::Zero => (Sign::Zero, 0.0),
            sign => (sign, sign as i8 as f64 * estimate.value.abs()),
        },
    }
}

/// The determinant whose sign is [`orient3d`], with a relative error of at most 2^-40.
pub(crate) fn orient3d_value(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Scaled {
    let accurate = orient3d_estimate(a, b, c, d).accurate();
    accurate.unwrap_or_else(|| exact::orient3d_rounded(a, b, c, d))
}

/// Positive when `d` lies inside the circle through `a`, `b`, `c` (which turn left), negative outside, zero on it.
///
/// The sign is reversed when `a`, `b`, `c` turn right.
///
/// ```
/// use impinge::{math::{incircle, Sign}, DVec2};
/// let [a, b, c] = [DVec2::X, DVec2::Y, -DVec2::X];
/// assert_eq!(incircle(a, b, c, DVec2::ZERO), Sign::Positive);
/// assert_eq!(incircle(a, b, c, -DVec2::Y), Sign::Zero);
/// ```
#[inline]
#[must_use]
pub fn incircle(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> Sign {
    match incircle_estimate(a, b, c, d).sign() {
        Some(sign) => sign,
        None => incircle_undecided(a, b, c, d),
    }
}

#[inline]
fn incircle_estimate(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> Estimate {
    let (a, b, c) = (a - d, b - d, c - d);
    let (bc, cb) = (b.x * c.y, c.x * b.y);
    let (ca, ac) = (c.x * a.y, a.x * c.y);
    let (ab, ba) = (a.x * b.y, b.x * a.y);
    let [a_sq, b_sq, c_sq] = [a, b, c].map(|p| p.x * p.x + p.y * p.y);
    let permanent =
        (bc.abs() + cb.abs()) * a_sq + (ca.abs() + ac.abs()) * b_sq + (ab.abs() + ba.abs()) * c_sq;
    Estimate {
        value: a_sq * (bc - cb) + b_sq * (ca - ac) + c_sq * (ab - ba),
        error: (10.0 + 96.0 * U) * U * permanent + power_of_two(-740),
    }
}

#[cold]
#[inline(never)]
fn incircle_undecided(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> Sign {
    let coordinates = [a, b, c, d].into_iter().flat_map(|p| p.to_array());
    match tier(coordinates, power_of_two(-176)) {
        Tier::Expansions => {
            let [a, b, c, d] = [a, b, c, d].map(coord);
            Sign::of(robust::incircle(a, b, c, d))
        }
        Tier::Integers => exact::incircle_sign(a, b, c, d),
        Tier::Meaningless => Sign::Zero,
    }
}

/// Positive when `e` lies inside the sphere through `a`, `b`, `c`, `d` (for which [`orient3d`] is positive),
/// negative outside, zero on it.
///
/// The sign is reversed when [`orient3d`] of the first four is negative.
///
/// ```
/// use impinge::{math::{insphere, orient3d, Sign}, DVec3};
/// let [a, b, c, d] = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X];
/// assert_eq!(orient3d(a, b, c, d), Sign::Positive);
/// assert_eq!(insphere(a, b, c, d, DVec3::ZERO), Sign::Positive);
/// assert_eq!(insphere(a, b, c, d, -DVec3::Z), Sign::Zero);
/// ```
#[inline]
#[must_use]
pub fn insphere(a: DVec3, b: DVec3, c: DVec3, d: DVec3, e: DVec3) -> Sign {
    match insphere_estimate(a, b, c, d, e).sign() {
        Some(sign) => sign,
        None => insphere_undecided(a, b, c, d, e),
    }
}

fn insphere_estimate(a: DVec3, b: DVec3, c: DVec3, d: DVec3, e: DVec3) -> Estimate {
    let (a, b, c, d) = (a - e, b - e, c - e, d - e);
    // Each 2×2 minor with its permanent; then 3×3 by z; then 4×4 by squared lengths.
    let minor = |p: DVec3, q: DVec3| {
        let (left, right) = (p.x * q.y, q.x * p.y);
        (left - right, left.abs() + right.abs())
    };
    let (ab, ab_abs) = minor(a, b);
    let (bc, bc_abs) = minor(b, c);
    let (cd, cd_abs) = minor(c, d);
    let (da, da_abs) = minor(d, a);
    let (ac, ac_abs) = minor(a, c);
    let (bd, bd_abs) = minor(b, d);
    let [a_sq, b_sq, c_sq, d_sq] = [a, b, c, d].map(|p| p.x * p.x + p.y * p.y + p.z * p.z);
    let abc = a.z * bc - b.z * ac + c.z * ab;
    let bcd = b.z * cd - c.z * bd + d.z * bc;
    let cda = c.z * da + d.z * ac + a.z * cd;
    let dab = d.z * ab + a.z * bd + b.z * da;
    let [az, bz, cz, dz] = [a, b, c, d].map(|p| p.z.abs());
    let permanent = (cd_abs * bz + bd_abs * cz + bc_abs * dz) * a_sq
        + (da_abs * cz + ac_abs * dz + cd_abs * az) * b_sq
        + (ab_abs * dz + bd_abs * az + da_abs * bz) * c_sq
        + (bc_abs * az + ac_abs * bz + ab_abs * cz) * d_sq;
    Estimate {
        value: (d_sq * abc - c_sq * dab) + (b_sq * cda - a_sq * bcd),
        error: (16.0 + 224.0 * U) * U * permanent + power_of_two(-590),
    }
}

#[cold]
#[inline(never)]
fn insphere_undecided(a: DVec3, b: DVec3, c: DVec3, d: DVec3, e: DVec3) -> Sign {
    let coordinates = [a, b, c, d, e].into_iter().flat_map(|p| p.to_array());
    match tier(coordinates, power_of_two(-130)) {
        Tier::Expansions => {
            let [a, b, c, d, e] = [a, b, c, d, e].map(coord3d);
            Sign::of(robust::insphere(a, b, c, d, e))
        }
        Tier::Integers => exact::insphere_sign(a, b, c, d, e),
        Tier::Meaningless => Sign::Zero,
    }
}
