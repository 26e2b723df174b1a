//! Less exact answers when time is short.
//!
//! **Question.** How exactly can the next step be answered within the budget? **Idea.** Three ways of answering, each cheaper and
//! coarser than the one before. The controller remembers what a pair costs in each. A step over budget makes the next one
//! coarser at once; it becomes finer again after several steps in a row in which the finer way would have
//! cost clearly less than the budget. The two thresholds lie apart, so that a constant load never makes it swing.
//! **Source.** Zachmann 1994, sections 2.2 and 3.2, ask for the switch and leave it to the application.
//! **Promise.** The coarser ways only ever err towards contact: what they call apart is apart, and the distances they tell are those of
//! boxes, never larger than those of shapes.

use std::fmt;

/// How contact is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Accuracy {
    /// By the shapes: exact.
    #[default]
    Exact,
    /// By oriented boxes around the shapes. `Touching` means that they may touch; contact points are not told.
    OrientedBoxes,
    /// By boxes along the axes, which are known anyway.
    Boxes,
}

impl Accuracy {
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

/// What a step may cost, in pair tests weighted by size or in whatever a clock of the caller's counts.
pub enum Budget {
    /// The library's own count of work: the same on every machine.
    Work(u64),
    /// A clock, and how far it may run during the narrow phase. The library has no clock of its own.
    Clock {
        /// Tells the time, in any unit.
        now: Box<dyn FnMut() -> f64 + Send>,
        /// The time allowed, in the same unit.
        limit: f64,
    },
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Work(work) => f.debug_tuple("Work").field(work).finish(),
            Self::Clock { limit, .. } => f.debug_struct("Clock").field("limit", limit).finish(),
        }
    }
}

/// When to become finer again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recovery {
    /// The expected cost must be at most this part of the budget, …
    pub below: f64,
    /// … for so many steps in a row.
    pub calm_steps: u32,
}

impl Default for Recovery {
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
/// use impinge::world::{Accuracy, AccuracyControl, Budget, Recovery};
/// let mut control = AccuracyControl::new(Budget::Work(100), Recovery { below: 0.5, calm_steps: 2 });
/// control.record(10, 150.0);
/// assert_eq!(control.accuracy(), Accuracy::OrientedBoxes);
/// // Three pairs would cost 45 exactly: twice in a row is enough.
/// control.record(3, 1.0);
/// assert_eq!(control.accuracy(), Accuracy::OrientedBoxes);
/// control.record(3, 1.0);
/// assert_eq!(control.accuracy(), Accuracy::Exact);
/// ```
#[derive(Debug)]
pub struct AccuracyControl {
    budget: Budget,
    recovery: Recovery,
    accuracy: Accuracy,
    calm: u32,
    /// What a pair cost when each way was last used.
    pair_cost: [Option<f64>; 3],
    started: f64,
}

impl AccuracyControl {
    /// A controller that begins exact.
    #[must_use]
    pub fn new(budget: Budget, recovery: Recovery) -> Self {
        Self {
            budget,
            recovery,
            accuracy: Accuracy::Exact,
            calm: 0,
            pair_cost: [None; 3],
            started: 0.0,
        }
    }

    /// How the next step is to be answered.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// Starts the clock, if the budget has one.
    pub(super) fn start(&mut self) {
        if let Budget::Clock { now, .. } = &mut self.budget {
            self.started = now();
        }
    }

    /// Ends the step of so many pairs and so much work.
    pub(super) fn finish(&mut self, pairs: u64, work: u64) {
        let cost = match &mut self.budget {
            Budget::Work(_) => work as f64,
            Budget::Clock { now, .. } => now() - self.started,
        };
        self.record(pairs, cost);
    }

    /// Learns that a step with so many pair tests cost so much, and chooses for the next one.
    pub fn record(&mut self, pairs: u64, cost: f64) {
        let limit = match self.budget {
            Budget::Work(work) => work as f64,
            Budget::Clock { limit, .. } => limit,
        };
        if pairs > 0 && cost.is_finite() {
            self.pair_cost[self.accuracy as usize] = Some(cost / pairs as f64);
        }
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
        if expected <= self.recovery.below * limit {
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
