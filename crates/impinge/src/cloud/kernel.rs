//! Kernel functions: the weight of a point by its distance.

/// The shape of the weight over distance `d` and bandwidth `h`, with `t = d/h`; 1 at 0 and falling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernel {
    /// exp(−t²), cut off where it is negligible.
    #[default]
    Gaussian,
    /// 2t³ − 3t² + 1, zero from `h` on.
    Cubic,
    /// (1 − t³)³, zero from `h` on.
    Tricube,
    /// (1 − t)⁴ (4t + 1), zero from `h` on.
    Wendland,
}

impl Kernel {
    /// Every kernel.
    pub const ALL: [Self; 4] = [Self::Gaussian, Self::Cubic, Self::Tricube, Self::Wendland];

    /// The weight at `t = d/h`, for `t` at least 0.
    ///
    /// ```
    /// use impinge::cloud::Kernel;
    /// for kernel in Kernel::ALL {
    ///     assert_eq!(kernel.weight(0.0), 1.0);
    ///     assert!(kernel.weight(0.2) > kernel.weight(0.3));
    /// }
    /// assert_eq!(Kernel::Wendland.weight(1.0), 0.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn weight(self, t: f64) -> f64 {
        match self {
            Self::Gaussian => libm::exp(-t * t),
            _ if t >= 1.0 => 0.0,
            Self::Cubic => (2.0 * t - 3.0) * t * t + 1.0,
            Self::Tricube => {
                let u = 1.0 - t * t * t;
                u * u * u
            }
            Self::Wendland => {
                let u = (1.0 - t) * (1.0 - t);
                u * u * (4.0 * t + 1.0)
            }
        }
    }

    /// The distance in bandwidths beyond which a point has no weight: 1, or for the Gaussian where
    /// its weight is `negligible`.
    ///
    /// ```
    /// use impinge::cloud::Kernel;
    /// assert_eq!(Kernel::Cubic.horizon(1e-3), 1.0);
    /// let t = Kernel::Gaussian.horizon(1e-3);
    /// assert!((Kernel::Gaussian.weight(t) - 1e-3).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn horizon(self, negligible: f64) -> f64 {
        match self {
            Self::Gaussian => (-libm::log(negligible)).max(0.0).sqrt(),
            _ => 1.0,
        }
    }
}
