//! Watchdog: switches off all force when something is wrong.

use crate::{MILLISECOND_NS, Wrench};

/// The oldest pose that may be rendered.
pub const MAX_POSE_AGE_NS: u64 = 5 * MILLISECOND_NS;

/// The latest a tick may come.
pub const MAX_TICK_LATENESS_NS: u64 = 3 * MILLISECOND_NS;

/// How long the force takes to fade.
pub const FADE_NS: u64 = 20 * MILLISECOND_NS;

/// The cause of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultCause {
    /// The device has sent nothing new for this long.
    NoPose {
        /// Nanoseconds.
        age_ns: u64,
    },
    /// A tick came this late.
    LateTick {
        /// Nanoseconds.
        late_ns: u64,
    },
    /// A wrench or a velocity had an entry that is not finite.
    NotFinite,
    /// The device does not answer any more.
    Disconnected,
}

/// A fault, and when it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The cause of the fault.
    pub cause: FaultCause,
    /// The time.
    pub time_ns: u64,
}

/// Passes wrenches through; after a fault it fades out the last good wrench and stays off.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::{Wrench, stability::{FaultCause, Watchdog}};
/// let mut watchdog = Watchdog::default();
/// let push = Wrench::from_force(DVec3::X);
/// assert_eq!(watchdog.guard(0, 0, 0, push), push);
/// // The newest pose is 6 ms old.
/// assert_eq!(watchdog.guard(6_000_000, 6_000_000, 0, push), push);
/// assert_eq!(watchdog.fault().map(|f| f.cause), Some(FaultCause::NoPose { age_ns: 6_000_000 }));
/// assert_eq!(watchdog.guard(16_000_000, 16_000_000, 16_000_000, push), push * 0.5);
/// assert_eq!(watchdog.guard(99_000_000, 99_000_000, 99_000_000, push), Wrench::ZERO);
/// watchdog.reset();
/// assert!(watchdog.fault().is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Watchdog {
    fault: Option<Fault>,
    last_good: Wrench,
}

impl Watchdog {
    /// The wrench to render at `now_ns`, in a tick that was due at `due_ns`, for a pose measured at `pose_ns`.
    pub fn guard(&mut self, now_ns: u64, due_ns: u64, pose_ns: u64, wrench: Wrench) -> Wrench {
        self.guard_knowing(None, [now_ns, due_ns, pose_ns], wrench)
    }

    /// The same, where the caller may have seen a fault of its own.
    pub(crate) fn guard_knowing(
        &mut self,
        known: Option<FaultCause>,
        [now_ns, due_ns, pose_ns]: [u64; 3],
        wrench: Wrench,
    ) -> Wrench {
        if self.fault.is_none() {
            let age_ns = now_ns.saturating_sub(pose_ns);
            let late_ns = now_ns.saturating_sub(due_ns);
            let cause = if known.is_some() {
                known
            } else if !wrench.is_finite() {
                Some(FaultCause::NotFinite)
            } else if age_ns > MAX_POSE_AGE_NS {
                Some(FaultCause::NoPose { age_ns })
            } else if late_ns > MAX_TICK_LATENESS_NS {
                Some(FaultCause::LateTick { late_ns })
            } else {
                None
            };
            self.fault = cause.map(|cause| Fault {
                cause,
                time_ns: now_ns,
            });
        }
        let Some(fault) = self.fault else {
            self.last_good = wrench;
            return wrench;
        };
        let faded = now_ns.saturating_sub(fault.time_ns) as f64 / FADE_NS as f64;
        self.last_good * (1.0 - faded).max(0.0)
    }

    /// Reports the wrench that was rendered instead, so that a fault fades out that one.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::{Wrench, stability::Watchdog};
    /// let mut watchdog = Watchdog::default();
    /// watchdog.guard(0, 0, 0, Wrench::from_force(DVec3::X * 5.0));
    /// watchdog.hold(Wrench::from_force(DVec3::X));
    /// let late = 9_000_000;
    /// assert_eq!(watchdog.guard(late, 0, late, Wrench::ZERO).force, DVec3::X);
    /// ```
    pub fn hold(&mut self, wrench: Wrench) {
        if self.fault.is_none() {
            self.last_good = wrench;
        }
    }

    /// The fault that switched the force off; `None` if there is none.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Clears the fault. The force should then start softly.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}
