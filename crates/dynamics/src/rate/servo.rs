//! The servo loop.

use std::ops::ControlFlow;

use thiserror::Error;

use super::clock::Clock;
use super::histogram::{DurationHistogram, DurationSummary};

/// How long before a deadline the loop stops sleeping and spins.
pub const SPIN_NS: u64 = 100_000;

/// Why a loop was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ServoError {
    /// A loop needs a period that is longer than its spinning.
    #[error("a servo period of {period_ns} ns is not longer than the {SPIN_NS} ns of spinning")]
    PeriodTooShort {
        /// The value passed.
        period_ns: u64,
    },
}

/// One tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tick {
    /// From 0; ticks that were missed are skipped.
    pub index: u64,
    /// When it was due.
    pub due_ns: u64,
    /// When it began.
    pub now_ns: u64,
    /// The period.
    pub period_ns: u64,
}

impl Tick {
    /// How late it began.
    ///
    /// ```
    /// use impinge_dynamics::rate::Tick;
    /// let tick = Tick { index: 1, due_ns: 1000, now_ns: 1300, period_ns: 1000 };
    /// assert_eq!(tick.late_ns(), 300);
    /// ```
    #[must_use]
    pub fn late_ns(&self) -> u64 {
        self.now_ns.saturating_sub(self.due_ns)
    }
}

/// Statistics of the ticks of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServoReport {
    /// Ticks that ran.
    pub ticks: u64,
    /// Ticks that were skipped because one before them took too long.
    pub missed: u64,
    /// How late ticks began.
    pub lateness: DurationSummary,
    /// How long the work of a tick took.
    pub busy: DurationSummary,
}

/// A loop with a fixed period.
///
/// See the module's page for an example.
#[derive(Clone, Debug)]
pub struct ServoLoop {
    period_ns: u64,
    missed: u64,
    lateness: DurationHistogram,
    busy: DurationHistogram,
}

impl ServoLoop {
    /// A loop with this period, 1 000 000 for 1 kHz.
    ///
    /// # Errors
    /// [`ServoError`] for a period not longer than [`SPIN_NS`].
    pub fn new(period_ns: u64) -> Result<Self, ServoError> {
        if period_ns <= SPIN_NS {
            return Err(ServoError::PeriodTooShort { period_ns });
        }
        Ok(Self {
            period_ns,
            missed: 0,
            lateness: DurationHistogram::new(),
            busy: DurationHistogram::new(),
        })
    }

    /// Runs `work` every period until it breaks. The first tick is due at once.
    pub fn run(&mut self, clock: &impl Clock, mut work: impl FnMut(Tick) -> ControlFlow<()>) {
        let start_ns = clock.now_ns();
        let mut index = 0_u64;
        loop {
            let due_ns = start_ns.saturating_add(index.saturating_mul(self.period_ns));
            let now_ns = wait_until(clock, due_ns);
            let tick = Tick {
                index,
                due_ns,
                now_ns,
                period_ns: self.period_ns,
            };
            self.lateness.add(tick.late_ns());
            let flow = work(tick);
            let end_ns = clock.now_ns();
            self.busy.add(end_ns.saturating_sub(now_ns));
            if flow.is_break() {
                return;
            }
            // The next tick whose period has not passed wholly.
            let behind = end_ns.saturating_sub(due_ns) / self.period_ns;
            let skipped = behind.saturating_sub(1);
            self.missed += skipped;
            index += 1 + skipped;
        }
    }

    /// Statistics of the ticks so far.
    #[must_use]
    pub fn report(&self) -> ServoReport {
        let lateness = self.lateness.summary();
        ServoReport {
            ticks: lateness.count,
            missed: self.missed,
            lateness,
            busy: self.busy.summary(),
        }
    }
}

/// Sleeps, then spins, until the deadline. Returns the first clock reading that is not before it.
fn wait_until(clock: &impl Clock, due_ns: u64) -> u64 {
    loop {
        let now_ns = clock.now_ns();
        if now_ns >= due_ns {
            return now_ns;
        }
        let left_ns = due_ns - now_ns;
        if left_ns > SPIN_NS {
            clock.sleep_ns(left_ns - SPIN_NS);
        } else {
            std::hint::spin_loop();
        }
    }
}
