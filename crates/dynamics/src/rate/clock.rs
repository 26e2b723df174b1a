//! Clocks.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// A clock that never goes back.
pub trait Clock {
    /// Nanoseconds since some moment.
    fn now_ns(&self) -> u64;

    /// Sleeps for about this long; the actual time may be longer or shorter.
    fn sleep_ns(&self, duration_ns: u64);
}

/// The clock of the machine, from its construction on.
///
/// ```
/// use impinge_dynamics::rate::{Clock, MonotonicClock};
/// let clock = MonotonicClock::new();
/// let before = clock.now_ns();
/// clock.sleep_ns(1000);
/// assert!(clock.now_ns() >= before);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    start: Instant,
}

impl MonotonicClock {
    /// A clock that shows 0 now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for MonotonicClock {
    fn now_ns(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn sleep_ns(&self, duration_ns: u64) {
        std::thread::sleep(Duration::from_nanos(duration_ns));
    }
}

/// A clock that moves only on request: by [`SimulatedClock::advance`], by sleeping, and by 100 ns each time it is read, so
/// that spinning ends.
///
/// ```
/// use impinge_dynamics::rate::{Clock, SimulatedClock};
/// let clock = SimulatedClock::new();
/// clock.advance(500);
/// clock.sleep_ns(400);
/// assert_eq!(clock.now_ns(), 900);
/// assert_eq!(clock.now_ns(), 1000);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SimulatedClock {
    now_ns: Cell<u64>,
}

/// What reading a simulated clock takes.
const READ_NS: u64 = 100;

impl SimulatedClock {
    /// A clock that shows 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets time pass.
    pub fn advance(&self, duration_ns: u64) {
        self.now_ns
            .set(self.now_ns.get().saturating_add(duration_ns));
    }
}

impl Clock for SimulatedClock {
    fn now_ns(&self) -> u64 {
        let now_ns = self.now_ns.get();
        self.advance(READ_NS);
        now_ns
    }

    fn sleep_ns(&self, duration_ns: u64) {
        self.advance(duration_ns);
    }
}
