//! Closed intervals with outward rounding.
//!
//! **Question.** Between which numbers does the exact value of an expression lie?
//! **Idea.** Compute both ends and move each outward by one step wherever rounding may have moved
//! it inward. Sums are directed exactly (the rounding error of a sum is itself a float);
//! products, squares and roots always move by one step.
//! **Source.** Moore, *Interval Analysis*, 1966; Knuth's two-sum for the error of a sum.
//! **Promise.** For all reals `x ∈ X`, `y ∈ Y` the result of an operation contains `x ∘ y`. No end
//! is ever NaN; an overflow becomes an infinite end. The empty set is not representable.
//! **Limits.** Correlation is lost: `x − x` is wider than 0. Infinite ends stand for "no bound".

use std::f64::consts::{FRAC_1_PI, PI};
use std::ops::{Add, Mul, Neg, Sub};

/// A closed set of reals from `lo` to `hi`; an infinite end means no bound on that side.
///
/// ```
/// use impinge::math::Interval;
/// let x = Interval::between(-1.0, 2.0);
/// assert_eq!(x.sqr().lo(), 0.0);
/// assert!((x * x).contains(-2.0) && !x.sqr().contains(-2.0));
/// let third = Interval::point(0.1) + Interval::point(0.2);
/// assert!(third.lo() < third.hi() && third.width() < 1e-16);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    // Invariant: lo <= hi, lo < +∞, hi > -∞, so that no sum of ends is ever ∞ − ∞.
    lo: f64,
    hi: f64,
}

impl Interval {
    /// All reals.
    pub const WHOLE: Self = Self {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };

    /// The interval that holds one number; [`Interval::WHOLE`] for NaN.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert!(Interval::point(2.0).contains(2.0));
    /// ```
    #[inline]
    #[must_use]
    pub fn point(x: f64) -> Self {
        Self::between(x, x)
    }

    /// The smallest interval that holds both numbers, in either order; [`Interval::WHOLE`] if one is NaN.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(3.0, 1.0).lo(), 1.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn between(x: f64, y: f64) -> Self {
        if x.is_nan() || y.is_nan() {
            return Self::WHOLE;
        }
        Self::from_ends(x.min(y), x.max(y))
    }

    /// An infinite end on the wrong side holds no real; the largest float keeps the set non-empty.
    #[inline]
    fn from_ends(lo: f64, hi: f64) -> Self {
        Self {
            lo: lo.min(f64::MAX),
            hi: hi.max(f64::MIN),
        }
    }

    /// The lower end; `-∞` when there is none.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::WHOLE.lo(), f64::NEG_INFINITY);
    /// ```
    #[inline]
    #[must_use]
    pub fn lo(self) -> f64 {
        self.lo
    }

    /// The upper end; `+∞` when there is none.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(1.0, 2.0).hi(), 2.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn hi(self) -> f64 {
        self.hi
    }

    /// An upper bound on `hi − lo`.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(1.0, 3.0).width(), 2.0);
    /// ```
    #[must_use]
    pub fn width(self) -> f64 {
        add_up(self.hi, -self.lo)
    }

    /// A number near the middle; finite, and inside.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(1.0, 3.0).midpoint(), 2.0);
    /// ```
    #[must_use]
    pub fn midpoint(self) -> f64 {
        let (lo, hi) = (self.lo.max(f64::MIN), self.hi.min(f64::MAX));
        (0.5 * lo + 0.5 * hi).clamp(lo, hi)
    }

    /// Whether the number is inside; ends included.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert!(Interval::between(1.0, 3.0).contains(3.0));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Whether the intervals share a number.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert!(Interval::between(1.0, 3.0).overlaps(Interval::point(3.0)));
    /// ```
    #[inline]
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    /// The smallest interval that contains both.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::point(1.0).hull(Interval::point(3.0)), Interval::between(1.0, 3.0));
    /// ```
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The numbers in both, if there are any.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// let (x, y) = (Interval::between(0.0, 2.0), Interval::between(2.0, 3.0));
    /// assert_eq!(x.intersection(y), Some(Interval::point(2.0)));
    /// assert_eq!(x.intersection(Interval::point(2.5)), None);
    /// ```
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        self.overlaps(other).then(|| Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        })
    }

    /// The magnitudes of the numbers inside.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(-3.0, 1.0).abs(), Interval::between(0.0, 3.0));
    /// ```
    #[must_use]
    pub fn abs(self) -> Self {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Self {
                lo: 0.0,
                hi: self.hi.max(-self.lo),
            }
        }
    }

    /// The smaller of two numbers, one of each interval.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(0.0, 3.0).min(Interval::point(1.0)), Interval::between(0.0, 1.0));
    /// ```
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.min(other.hi),
        }
    }

    /// The larger of two numbers, one of each interval.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(0.0, 3.0).max(Interval::point(1.0)), Interval::between(1.0, 3.0));
    /// ```
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// The squares of the numbers inside: tighter than `x * x`, never negative.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(-2.0, 1.0).sqr().lo(), 0.0);
    /// ```
    #[must_use]
    pub fn sqr(self) -> Self {
        let size = self.abs();
        Self::from_ends(
            mul_down(size.lo, size.lo).max(0.0),
            mul_up(size.hi, size.hi),
        )
    }

    /// The square roots of the numbers inside, those below 0 taken as 0.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert!(Interval::between(4.0, 9.0).sqrt().contains(2.0));
    /// ```
    #[must_use]
    pub fn sqrt(self) -> Self {
        // The root is rounded to nearest, so one step outward is enough; that of 0 is exact.
        let root_down = |x: f64| if x > 0.0 { x.sqrt().next_down() } else { 0.0 };
        let root_up = |x: f64| if x > 0.0 { x.sqrt().next_up() } else { 0.0 };
        Self::from_ends(root_down(self.lo), root_up(self.hi))
    }

    /// The sines of the numbers inside.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// let half_turn = Interval::between(0.0, 3.0).sin();
    /// assert_eq!(half_turn.hi(), 1.0);
    /// assert!(half_turn.lo() <= 0.0 && half_turn.lo() > -1e-300);
    /// ```
    #[must_use]
    pub fn sin(self) -> Self {
        self.wave(0.5, libm::sin)
    }

    /// The cosines of the numbers inside.
    ///
    /// ```
    /// use impinge::math::Interval;
    /// assert_eq!(Interval::between(-1.0, 1.0).cos().hi(), 1.0);
    /// ```
    #[must_use]
    pub fn cos(self) -> Self {
        self.wave(0.0, libm::cos)
    }

    /// The range of a wave whose extremes lie at `(k + shift)·π`, a maximum where `k` is even.
    fn wave(self, shift: f64, f: fn(f64) -> f64) -> Self {
        const LARGEST_ANGLE: f64 = (1u64 << 30) as f64;
        let full = Self { lo: -1.0, hi: 1.0 };
        let size = self.lo.abs().max(self.hi.abs());
        if size > LARGEST_ANGLE || self.hi - self.lo >= 2.0 * PI {
            return full;
        }
        // Counting an extreme that is just outside only widens the answer, so lean outward by
        // more than the error of the division.
        let slack = 1e-15 * (size + 1.0);
        let first = (self.lo * FRAC_1_PI - shift - slack).ceil();
        let last = (self.hi * FRAC_1_PI - shift + slack).floor();
        let (at_lo, at_hi) = (f(self.lo), f(self.hi));
        // The library function is off by less than one step; two steps are safe.
        let mut lo = at_lo.min(at_hi).next_down().next_down().max(-1.0);
        let mut hi = at_lo.max(at_hi).next_up().next_up().min(1.0);
        if first < last {
            return full;
        }
        if first <= last {
            let is_maximum = first.rem_euclid(2.0) < 0.5;
            if is_maximum {
                hi = 1.0;
            } else {
                lo = -1.0;
            }
        }
        Self { lo, hi }
    }
}

impl From<f64> for Interval {
    fn from(x: f64) -> Self {
        Self::point(x)
    }
}

impl Neg for Interval {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self {
            lo: -self.hi,
            hi: -self.lo,
        }
    }
}

impl Add for Interval {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self::from_ends(add_down(self.lo, other.lo), add_up(self.hi, other.hi))
    }
}

impl Sub for Interval {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self::from_ends(add_down(self.lo, -other.hi), add_up(self.hi, -other.lo))
    }
}

impl Mul for Interval {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let ends = [
            (self.lo, other.lo),
            (self.lo, other.hi),
            (self.hi, other.lo),
            (self.hi, other.hi),
        ];
        let mut lo = f64::INFINITY;
        let mut hi = f64::NEG_INFINITY;
        for (x, y) in ends {
            lo = lo.min(mul_down(x, y));
            hi = hi.max(mul_up(x, y));
        }
        Self::from_ends(lo, hi)
    }
}

/// The rounding error of `x + y = sum` (Knuth). NaN when an intermediate overflows, which the callers
/// take as "unknown".
#[inline]
fn sum_error(x: f64, y: f64, sum: f64) -> f64 {
    let y_part = sum - x;
    (x - (sum - y_part)) + (y - y_part)
}

/// The largest float not above `x + y`, for `x, y < +∞`.
#[inline]
fn add_down(x: f64, y: f64) -> f64 {
    let sum = x + y;
    if sum_error(x, y, sum) >= 0.0 {
        sum
    } else {
        sum.next_down()
    }
}

/// The smallest float not below `x + y`, for `x, y > -∞`.
#[inline]
fn add_up(x: f64, y: f64) -> f64 {
    let sum = x + y;
    if sum_error(x, y, sum) <= 0.0 {
        sum
    } else {
        sum.next_up()
    }
}

/// A float not above `x · y`, where 0 times "no bound" is 0: every real times 0 is.
#[inline]
fn mul_down(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 {
        0.0
    } else {
        (x * y).next_down()
    }
}

/// A float not below `x · y`, where 0 times "no bound" is 0.
#[inline]
fn mul_up(x: f64, y: f64) -> f64 {
    if x == 0.0 || y == 0.0 {
        0.0
    } else {
        (x * y).next_up()
    }
}
