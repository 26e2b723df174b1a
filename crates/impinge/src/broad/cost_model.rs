//! Cost model: when does a broad phase pay off?
//!
//! With `n` bodies, an exact test of cost `T_p` per pair, a broad phase of cost `T_s` per frame and
//! `p` pairs that survive it, a broad phase pays off exactly when `p·T_p + T_s < n(n − 1)/2 · T_p`
//! (Zachmann 1994, section 5.1, which has `n²/2`).

/// The cost of a frame with and without a broad phase; in any one unit, seconds or instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FrameCost {
    /// How many bodies there are.
    pub bodies: u64,
    /// The cost of one exact test of a pair.
    pub exact_test: f64,
    /// The cost of the broad phase per frame: upkeep and finding.
    pub broad_phase: f64,
    /// How many pairs survive it.
    pub surviving_pairs: f64,
}

impl FrameCost {
    /// The cost of testing all pairs.
    ///
    /// ```
    /// use impinge::broad::FrameCost;
    /// let cage = FrameCost { bodies: 36, exact_test: 0.4, broad_phase: 3.0, surviving_pairs: 155.0 };
    /// assert!((cage.without() - 252.0).abs() < 1e-9 && (cage.with() - 65.0).abs() < 1e-9);
    /// assert!(cage.pays());
    /// ```
    #[must_use]
    pub fn without(&self) -> f64 {
        let n = self.bodies as f64;
        0.5 * n * (n - 1.0).max(0.0) * self.exact_test
    }

    /// The cost of the broad phase and of testing what survives it.
    ///
    /// ```
    /// use impinge::broad::FrameCost;
    /// let cost = FrameCost { bodies: 3, exact_test: 2.0, broad_phase: 10.0, surviving_pairs: 1.0 };
    /// assert_eq!(cost.with(), 12.0);
    /// ```
    #[must_use]
    pub fn with(&self) -> f64 {
        self.surviving_pairs * self.exact_test + self.broad_phase
    }

    /// Whether the broad phase pays off.
    ///
    /// ```
    /// use impinge::broad::FrameCost;
    /// let cost = FrameCost { bodies: 100, exact_test: 2.0, broad_phase: 10.0, surviving_pairs: 1.0 };
    /// assert!(cost.pays());
    /// ```
    #[must_use]
    pub fn pays(&self) -> bool {
        self.with() < self.without()
    }

    /// The cost of an exact test above which the broad phase pays; infinite if it excludes nothing.
    ///
    /// ```
    /// use impinge::broad::FrameCost;
    /// let cheap = FrameCost { bodies: 3, exact_test: 1.0, broad_phase: 10.0, surviving_pairs: 1.0 };
    /// assert!(!cheap.pays());
    /// assert_eq!(cheap.break_even(), 5.0);
    /// ```
    #[must_use]
    pub fn break_even(&self) -> f64 {
        let n = self.bodies as f64;
        let spared = 0.5 * n * (n - 1.0).max(0.0) - self.surviving_pairs;
        if spared > 0.0 {
            self.broad_phase / spared
        } else {
            f64::INFINITY
        }
    }
}
