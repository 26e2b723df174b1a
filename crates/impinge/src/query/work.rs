//! Work counters.

use std::ops::AddAssign;

/// Counters of the work for an answer: the same for the same input on every machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Work {
    /// Pairs of bounding volumes compared.
    pub volume_tests: u64,
    /// Pairs of faces decided.
    pub face_tests: u64,
    /// Volumes recomputed because something moved.
    pub updates: u64,
}

impl Work {
    /// All tests together, the number that [`Limits::max_tests`](super::Limits) bounds.
    ///
    /// ```
    /// use impinge::query::Work;
    /// assert_eq!(Work { volume_tests: 2, face_tests: 3, updates: 9 }.tests(), 5);
    /// ```
    #[must_use]
    pub fn tests(&self) -> u64 {
        self.volume_tests + self.face_tests
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.volume_tests += other.volume_tests;
        self.face_tests += other.face_tests;
        self.updates += other.updates;
    }
}
