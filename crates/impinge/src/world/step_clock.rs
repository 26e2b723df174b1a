//! Times of the stages of a step, by the caller's clock.

use std::fmt;

use super::world::World;

/// How long the stages of a step took, in the unit of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepTimes {
    /// New boxes of the objects that moved, and the upkeep of the broad phase by them.
    pub bounds: f64,
    /// Finding which pairs begin and end to be near.
    pub broad_phase: f64,
    /// Testing the pairs, and the events.
    pub narrow_phase: f64,
    /// The listeners.
    pub listeners: f64,
}

impl StepTimes {
    /// The whole step.
    ///
    /// ```
    /// use impinge::world::StepTimes;
    /// let times = StepTimes { bounds: 1.0, broad_phase: 2.0, narrow_phase: 3.0, listeners: 4.0 };
    /// assert_eq!(times.total(), 10.0);
    /// ```
    #[must_use]
    pub fn total(&self) -> f64 {
        self.bounds + self.broad_phase + self.narrow_phase + self.listeners
    }
}

/// Measures the stages of each step. The library has no clock of its own; it reads the caller's five times in a step.
///
/// ```
/// use impinge::world::{StepClock, World};
/// let mut world = World::default();
/// let mut ticks = 0.0;
/// world.set_step_clock(Some(StepClock::new(move || { ticks += 1.0; ticks })));
/// world.step();
/// assert_eq!(world.step_times().map(|times| times.total()), Some(4.0));
/// ```
pub struct StepClock {
    now: Box<dyn FnMut() -> f64 + Send>,
    last: f64,
    times: StepTimes,
}

impl StepClock {
    /// A clock that returns the time in any unit.
    #[must_use]
    pub fn new(now: impl FnMut() -> f64 + Send + 'static) -> Self {
        Self {
            now: Box::new(now),
            last: 0.0,
            times: StepTimes::default(),
        }
    }

    /// A step begins.
    pub(super) fn start(&mut self) {
        self.last = (self.now)();
        self.times = StepTimes::default();
    }

    /// A stage ends.
    pub(super) fn ended(&mut self, stage: fn(&mut StepTimes) -> &mut f64) {
        let now = (self.now)();
        *stage(&mut self.times) += now - self.last;
        self.last = now;
    }
}

impl fmt::Debug for StepClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepClock")
            .field("times", &self.times)
            .finish_non_exhaustive()
    }
}

impl World {
    /// Sets the clock that measures the stages of each step; without one nothing is measured.
    pub fn set_step_clock(&mut self, clock: Option<StepClock>) {
        self.step_clock = clock;
    }

    /// How long the stages of the last step took; none without a clock.
    #[must_use]
    pub fn step_times(&self) -> Option<StepTimes> {
        self.step_clock.as_ref().map(|clock| clock.times)
    }

    pub(super) fn ended(&mut self, stage: fn(&mut StepTimes) -> &mut f64) {
        if let Some(clock) = &mut self.step_clock {
            clock.ended(stage);
        }
    }
}
