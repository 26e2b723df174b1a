//! The servo loop: one tick every millisecond.
//!
//! **Question.** How is the force computed on time, and was it?
//! **Idea.** Deadlines are absolute: tick n is due at start + n·period, so that a late tick does not
//! shift the next. Before a deadline the loop sleeps and spins through the last 100 µs, because sleeping is
//! coarse. The cost and the lateness of every tick are recorded in histograms of fixed size.
//! **Promise.** No allocation after construction. A tick that misses its whole period is counted and skipped,
//! not made up for in a burst.
//! **Limits.** The loop does not raise its priority; delays by the operating system show up as lateness.
//!
//! ```
//! use impinge_dynamics::rate::{ServoLoop, SimulatedClock};
//! use std::ops::ControlFlow;
//! let clock = SimulatedClock::new();
//! let mut servo = ServoLoop::new(1_000_000)?;
//! servo.run(&clock, |tick| {
//!     clock.advance(200_000);
//!     if tick.index == 99 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
//! });
//! let report = servo.report();
//! assert_eq!((report.ticks, report.missed), (100, 0));
//! // Reading this clock takes 100 ns.
//! assert_eq!(report.busy.largest_ns, 200_100);
//! # Ok::<(), impinge_dynamics::rate::ServoError>(())
//! ```

mod clock;
mod exchange;
mod histogram;
mod servo;
mod sync;

pub use clock::{Clock, MonotonicClock, SimulatedClock};
pub use exchange::{ServoReader, WorldWriter, exchange};
pub use histogram::{DurationHistogram, DurationSummary};
pub use servo::{SPIN_NS, ServoError, ServoLoop, ServoReport, Tick};
