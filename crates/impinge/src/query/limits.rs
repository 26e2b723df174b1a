//! Limits on the work of a query.

use std::fmt;

/// Bounds on the work of one query. The default has none.
///
/// Work is counted, not timed, so a truncated answer is reproducible; `stop` is the only place
/// where a clock may enter.
///
/// ```
/// use impinge::query::Limits;
/// let limits = Limits { max_tests: Some(1000), ..Limits::default() };
/// assert!(limits.allows(999) && !limits.allows(1000));
/// ```
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// Volume and face tests that may be spent, together.
    pub max_tests: Option<u64>,
    /// Distance beyond which nothing is searched.
    pub max_distance: Option<f64>,
    /// Called at intervals; `true` ends the work.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl Limits<'_> {
    /// Whether another test may be spent after `tests` were.
    ///
    /// ```
    /// use impinge::query::Limits;
    /// assert!(Limits::default().allows(u64::MAX));
    /// ```
    #[must_use]
    pub fn allows(&self, tests: u64) -> bool {
        self.max_tests.is_none_or(|max| tests < max)
    }

    /// The distance beyond which nothing is searched; infinite when there is none, or when it is
    /// NaN.
    ///
    /// ```
    /// use impinge::query::Limits;
    /// let limits = |max_distance| Limits { max_distance, ..Limits::default() };
    /// assert_eq!(limits(Some(2.0)).within(), 2.0);
    /// assert_eq!(limits(None).within(), f64::INFINITY);
    /// assert_eq!(limits(Some(f64::NAN)).within(), f64::INFINITY);
    /// ```
    #[must_use]
    pub fn within(&self) -> f64 {
        match self.max_distance {
            Some(max) if !max.is_nan() => max,
            _ => f64::INFINITY,
        }
    }

    /// Whether there is no bound on the work and none on the distance.
    ///
    /// ```
    /// use impinge::query::Limits;
    /// assert!(Limits::default().is_unlimited());
    /// assert!(!Limits { max_tests: Some(9), ..Limits::default() }.is_unlimited());
    /// ```
    #[must_use]
    pub fn is_unlimited(&self) -> bool {
        self.max_tests.is_none() && self.max_distance.is_none() && self.stop.is_none()
    }

    /// Whether the caller requested a stop.
    ///
    /// ```
    /// use impinge::query::Limits;
    /// assert!(Limits { stop: Some(&|| true), ..Limits::default() }.is_stopped());
    /// ```
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("max_tests", &self.max_tests)
            .field("max_distance", &self.max_distance)
            .field("stop", &self.stop.map(|_| "Fn() -> bool"))
            .finish()
    }
}
