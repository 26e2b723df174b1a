//! Cooling schedule of the published rule.

/// The fraction of the step that a prototype takes away from the nearest point, over time and by
/// progress.
///
/// Both factors are one minus a bump: in time around the end, in progress around "nothing changed".
/// The factor −½ of the exponents is reconstructed from the published curves; it is missing in
/// print.
///
/// ```
/// use impinge::spheres::Cooling;
/// let cooling = Cooling::default();
/// assert!((cooling.in_time(25) - 0.393).abs() < 1e-3);
/// assert!((cooling.by_progress(2.0) - 0.865).abs() < 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cooling {
    /// Steps of one ascent.
    pub steps: u32,
    /// The exponent of the bump in time.
    pub time_exponent: f64,
    /// The exponent of the bump in progress; none disables it.
    pub progress_exponent: Option<f64>,
}

impl Default for Cooling {
    fn default() -> Self {
        Self {
            steps: 50,
            time_exponent: 5.0,
            progress_exponent: Some(2.0),
        }
    }
}

impl Cooling {
    /// The factor of step `t`: 1 at first, 0 at the end.
    ///
    /// ```
    /// use impinge::spheres::Cooling;
    /// assert_eq!(Cooling::default().in_time(50), 0.0);
    /// ```
    #[must_use]
    pub fn in_time(&self, t: u32) -> f64 {
        let last = f64::from(self.steps.max(1));
        bump((f64::from(t) - last) / (0.5 * last), self.time_exponent)
    }

    /// The factor when the distance from the nearest point has become `ratio` times what it was: 0 when nothing changed.
    ///
    /// ```
    /// use impinge::spheres::Cooling;
    /// assert_eq!(Cooling::default().by_progress(1.0), 0.0);
    /// ```
    #[must_use]
    pub fn by_progress(&self, ratio: f64) -> f64 {
        self.progress_exponent
            .map_or(1.0, |exponent| bump((ratio - 1.0) / 0.5, exponent))
    }

    /// Both factors; the first step has no progress yet.
    ///
    /// ```
    /// use impinge::spheres::Cooling;
    /// let cooling = Cooling::default();
    /// assert_eq!(cooling.factor(25, Some(2.0)), cooling.in_time(25) * cooling.by_progress(2.0));
    /// ```
    #[must_use]
    pub fn factor(&self, t: u32, ratio: Option<f64>) -> f64 {
        self.in_time(t) * ratio.map_or(1.0, |ratio| self.by_progress(ratio))
    }
}

fn bump(x: f64, exponent: f64) -> f64 {
    1.0 - libm::exp(-0.5 * libm::pow(x.abs(), exponent))
}
