//! Answers with lower and upper bounds.

/// Whether the work behind an answer was finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Everything was examined.
    Complete,
    /// The sink had enough.
    StoppedBySink,
    /// A limit was met first: more may be true than was reported.
    OutOfBudget,
}

/// A value and what is certain about it: `lower <= truth <= upper`, whatever the outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounded<T> {
    /// The best value known.
    pub value: T,
    /// No truth is below this.
    pub lower: f64,
    /// No truth is above this.
    pub upper: f64,
    /// Whether the work was finished.
    pub outcome: Outcome,
}

impl<T> Bounded<Option<T>> {
    /// No value is known, and of the truth only that it is not below this.
    #[inline]
    pub(crate) const fn at_least(lower: f64, outcome: Outcome) -> Self {
        Self {
            value: None,
            lower,
            upper: f64::INFINITY,
            outcome,
        }
    }
}
