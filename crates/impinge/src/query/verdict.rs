//! Answers of tests that can be sure on one side only.

/// A yes or no, and how far it can be trusted.
///
/// A test that may err says so: `certain` is a proof, `confidence` an estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Verdict {
    /// Whether the shapes meet.
    pub answer: bool,
    /// Whether the answer is proven.
    pub certain: bool,
    /// An estimate in `[0, 1]` that the answer is right; 1 when it is certain.
    pub confidence: f64,
}

impl Verdict {
    /// A proven answer.
    ///
    /// ```
    /// use impinge::query::Verdict;
    /// assert_eq!(Verdict::proven(true).confidence, 1.0);
    /// ```
    #[must_use]
    pub fn proven(answer: bool) -> Self {
        Self {
            answer,
            certain: true,
            confidence: 1.0,
        }
    }

    /// An answer without proof.
    ///
    /// ```
    /// use impinge::query::Verdict;
    /// assert!(!Verdict::likely(true, 0.9).certain);
    /// ```
    #[must_use]
    pub fn likely(answer: bool, confidence: f64) -> Self {
        Self {
            answer,
            certain: false,
            confidence: confidence.clamp(0.0, 1.0),
        }
    }
}
