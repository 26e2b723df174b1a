//! Reduced accuracy when time is short.
//!
//! **Question.** How exactly can the next step be answered within the budget?
//! **Idea.** There are three modes, each cheaper and coarser than the one before. The controller
//! stores the cost of a pair in each mode. A step over budget, for whatever reason, makes the next
//! one coarser at once; it becomes finer again after several steps in a row in which the tests of
//! the finer mode would clearly have fitted into the budget left by the rest of the step. The two
//! thresholds differ, so that a constant load does not make it oscillate.
//! **Source.** Zachmann 1994, sections 2.2 and 3.2, proposes the switch and leaves it to the
//! application.
//! **Promise.** The coarser modes err only towards contact: pairs reported apart are apart, and
//! distances are those of boxes, never larger than those of shapes.

use std::fmt;

/// How contact is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactAccuracy {
    /// By the shapes: exact.
    #[default]
    Exact,
    /// By oriented boxes around the shapes. `Touching` means that they may touch; contact points are not reported.
    OrientedBoxes,
    /// By the boxes of overlap events, which are computed anyway.
    Boxes,
}

impl ContactAccuracy {
    /// All ways, the most exact first.
    pub const ALL: [Self; 3] = [Self::Exact, Self::OrientedBoxes, Self::Boxes];

    fn coarser(self) -> Self {
        match self {
            Self::Exact => Self::OrientedBoxes,
            _ => Self::Boxes,
        }
    }

    fn finer(self) -> Self {
        match self {
            Self::Boxes => Self::OrientedBoxes,
            _ => Self::Exact,
        }
    }
}

/// The budget of a step, in pair tests weighted by size or in the unit of the caller's clock.
pub enum StepBudget {
    /// The library's own count of work in pair tests: the same on every machine, and for every broad phase.
    Work(u64),
    /// A clock, and how far it may run from the beginning of a step to its end, broad phase and listeners included. The library has no
    /// clock of its own; it reads this one four times in a step.
    Clock {
        /// Returns the time, in any unit.
        now: Box<dyn FnMut() -> f64 + Send>,
        /// The time allowed, in the same unit.
        limit: f64,
    },
}

impl fmt::Debug for StepBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(work) => f.debug_tuple("Work").field(work).finish(),
            Self::Clock { limit, .. } => f.debug_struct("Clock").field("limit", limit).finish(),
        }
    }
}

/// When to become finer again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AccuracyRecovery {
    /// The expected cost of the tests must be at most this fraction of the budget left by the rest
    /// of the step, …
    pub below: f64,
    /// … for this many steps in a row.
    pub calm_steps: u32,
}

impl Default for AccuracyRecovery {
    fn default() -> Self {
        Self {
            below: 0.6,
            calm_steps: 8,
        }
    }
}

/// Chooses how exactly each step is answered.
///
/// ```
/// use impinge::world::{ContactAccuracy, AccuracyControl, StepBudget, AccuracyRecovery};
/// let mut control = AccuracyControl::new(StepBudget::Work(100), AccuracyRecovery { below: 0.5, calm_steps: 2 });
/// control.record(10, 150.0);
/// assert_eq!(control.accuracy(), ContactAccuracy::OrientedBoxes);
/// // Three pairs would cost 45 exactly: twice in a row is enough.
/// control.record(3, 1.0);
/// assert_eq!(control.accuracy(), ContactAccuracy::OrientedBoxes);
/// control.record(3, 1.0);
/// assert_eq!(control.accuracy(), ContactAccuracy::Exact);
/// ```
#[derive(Debug)]
pub struct AccuracyControl {
    budget: StepBudget,
    recovery: AccuracyRecovery,
    accuracy: ContactAccuracy,
    calm: u32,
    /// What a pair cost when each way was last used.
    pair_cost: [Option<f64>; 3],
    /// When the step under way began, and its tests.
    started: f64,
    tests_started: f64,
    /// How many tests the step under way had, and what they cost.
    tests: (u64, f64),
}

impl AccuracyControl {
    /// A controller that begins exact.
    #[must_use]
    pub fn new(budget: StepBudget, recovery: AccuracyRecovery) -> Self {
        Self {
            budget,
            recovery,
            accuracy: ContactAccuracy::Exact,
            calm: 0,
            pair_cost: [None; 3],
            started: 0.0,
            tests_started: 0.0,
            tests: (0, 0.0),
        }
    }

    /// How the next step is to be answered.
    #[must_use]
    pub fn accuracy(&self) -> ContactAccuracy {
        self.accuracy
    }

    /// The time; none when the budget has no clock.
    fn now(&mut self) -> Option<f64> {
        match &mut self.budget {
            StepBudget::Work(_) => None,
            StepBudget::Clock { now, .. } => Some(now()),
        }
    }

    /// A step begins.
    pub(super) fn start(&mut self) {
        self.started = self.now().unwrap_or(0.0);
    }

    /// Its tests begin.
    pub(super) fn start_tests(&mut self) {
        self.tests_started = self.now().unwrap_or(0.0);
    }

    /// Its tests end, of this many pairs and so much work.
    pub(super) fn finish_tests(&mut self, pairs: u64, work: u64) {
        let cost = self.now().map(|now| now - self.tests_started);
        self.tests = (pairs, cost.unwrap_or(work as f64));
    }

    /// The step ends.
    pub(super) fn finish(&mut self) {
        let (pairs, tests) = self.tests;
        let rest = self.now().map(|now| now - self.started - tests);
        self.record_step(pairs, tests, rest.unwrap_or(0.0));
    }

    /// Records that a step with this many pair tests had this cost, and chooses for the next one.
    pub fn record(&mut self, pairs: u64, cost: f64) {
        self.record_step(pairs, cost, 0.0);
    }

    /// Records the cost of this many pair tests and that of the rest of their step, and chooses for
    /// the next one.
    ///
    /// ```
    /// use impinge::world::{ContactAccuracy, AccuracyControl, StepBudget, AccuracyRecovery};
    /// let mut control = AccuracyControl::new(StepBudget::Work(100), AccuracyRecovery { below: 0.5, calm_steps: 1 });
    /// control.record_step(10, 50.0, 60.0);
    /// assert_eq!(control.accuracy(), ContactAccuracy::OrientedBoxes);
    /// // The exact tests would fit into half of what is left once the rest takes less.
    /// control.record_step(10, 5.0, 60.0);
    /// assert_eq!(control.accuracy(), ContactAccuracy::OrientedBoxes);
    /// control.record_step(4, 2.0, 60.0);
    /// assert_eq!(control.accuracy(), ContactAccuracy::Exact);
    /// ```
    pub fn record_step(&mut self, pairs: u64, tests: f64, rest: f64) {
        let limit = match self.budget {
            StepBudget::Work(work) => work as f64,
            StepBudget::Clock { limit, .. } => limit,
        };
        if pairs > 0 && tests.is_finite() {
            self.pair_cost[self.accuracy as usize] = Some(tests / pairs as f64);
        }
        let cost = tests + rest;
        // A clock that says nothing sensible counts as overrun.
        if cost > limit || cost.is_nan() {
            self.accuracy = self.accuracy.coarser();
            self.calm = 0;
            return;
        }
        let finer = self.accuracy.finer();
        if finer == self.accuracy {
            return;
        }
        // What was never measured cannot have been too much.
        let expected = self.pair_cost[finer as usize].map_or(0.0, |each| each * pairs as f64);
        if expected <= self.recovery.below * (limit - rest) {
            self.calm += 1;
        } else {
            self.calm = 0;
        }
        if self.calm >= self.recovery.calm_steps {
            self.accuracy = finer;
            self.calm = 0;
        }
    }
}
