//! Verdicts of probabilistic methods, with their confidence.

/// A yes or no, whether it is proven, and its confidence.
///
/// ```
/// use impinge::query::Verdict;
/// assert!(Verdict::proven(true).certain);
/// let guess = Verdict::likely(false, 0.9);
/// assert!(!guess.answer && !guess.certain && guess.confidence == 0.9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Verdict {
    /// The more likely answer.
    pub answer: bool,
    /// Whether the answer is proven.
    pub certain: bool,
    /// From 0.5 (a guess) to 1 (proven). For comparing answers of one method: not a probability, unless the method says so.
    pub confidence: f64,
}

impl Verdict {
    /// An answer that is proven.
    ///
    /// ```
    /// use impinge::query::Verdict;
    /// assert!(Verdict::proven(false).certain);
    /// ```
    pub const fn proven(answer: bool) -> Self {
        Self {
            answer,
            certain: true,
            confidence: 1.0,
        }
    }

    /// An answer that is not; the confidence is brought into 0.5 to 1.
    ///
    /// ```
    /// use impinge::query::Verdict;
    /// assert_eq!(Verdict::likely(true, 7.0).confidence, 1.0);
    /// ```
    pub fn likely(answer: bool, confidence: f64) -> Self {
        Self {
            answer,
            certain: false,
            confidence: confidence.clamp(0.5, 1.0),
        }
    }
}
