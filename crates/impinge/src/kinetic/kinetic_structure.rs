//! The trait of all kinetic data structures.

use std::fmt::Debug;

use super::{FeatureContact, Keyframes, KineticError};
use crate::bvh::Violation;
use crate::query::VertexId;

/// Counters of a structure: the same for the same plan, whatever the query times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KineticCounts {
    /// Events taken from the event queue.
    pub events: u64,
    /// Values written: extreme vertices exchanged, or coordinates of boxes recomputed.
    pub updates: u64,
    /// Certificates computed.
    pub certificates: u64,
}

/// Why an advance stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The time requested was reached.
    Reached,
    /// Two features touch, at the structure's time.
    Touched(FeatureContact),
}

/// A structure that is valid at every time, and changes only at events.
///
/// [`Scheduler`](super::Scheduler) drives any number of them, and notifies them when plans change.
#[doc(alias = "kinetic data structure")]
pub trait Kinetic: Debug {
    /// The structure's name.
    fn name(&self) -> &'static str;

    /// The time up to which it is valid and all events are done.
    fn now(&self) -> f64;

    /// Whether this is the plan that the structure was built for, with all its changes.
    fn belongs_to(&self, flight: &Keyframes) -> bool;

    /// A time before which nothing happens, none if nothing happens as far as the plan goes. It is that of an event when one is left
    /// between this key and the next, and a key's otherwise.
    fn next_event(&self, flight: &Keyframes) -> Option<f64>;

    /// Goes on to a time, event by event. Stops early, at [`Kinetic::now`], to report a contact.
    ///
    /// # Errors
    /// The time is before now or after the plan, or the plan is not the structure's. Then nothing is done.
    fn advance(&mut self, flight: &Keyframes, to: f64) -> Result<Progress, KineticError>;

    /// Takes note that the plans of these vertices changed at [`Kinetic::now`], continuously.
    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]);

    /// Takes note that a key was appended to the plan.
    fn extended(&mut self, flight: &Keyframes);

    /// Compares the structure with one built for this time alone.
    ///
    /// # Errors
    /// The first difference beyond rounding.
    fn validate(&self, flight: &Keyframes) -> Result<(), Violation>;

    /// What was done since it was built.
    fn counts(&self) -> KineticCounts;
}

/// The clock of a structure: where it is in its plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    pub(super) now: f64,
    pub(super) segment: u32,
    pub(super) version: u64,
    vertices: usize,
}

impl Clock {
    pub(super) fn new(flight: &Keyframes) -> Self {
        Self {
            now: flight.start(),
            segment: 1,
            version: flight.version(),
            vertices: flight.vertex_count(),
        }
    }

    pub(super) fn belongs_to(&self, flight: &Keyframes) -> bool {
        flight.version() == self.version && flight.vertex_count() == self.vertices
    }

    /// The promise that `fault` finds broken, or that the structure is not where the plan is.
    pub(super) fn validate(
        &self,
        index: &'static str,
        flight: &Keyframes,
        fault: impl FnOnce() -> Option<String>,
    ) -> Result<(), Violation> {
        let fault = match self.check(flight, self.now) {
            Err(error) => Some(error.to_string()),
            Ok(()) => fault(),
        };
        fault.map_or(Ok(()), |promise| Err(Violation { index, promise }))
    }

    /// Whether the structure may go there.
    pub(super) fn check(&self, flight: &Keyframes, to: f64) -> Result<(), KineticError> {
        if !self.belongs_to(flight) {
            return Err(KineticError::ForeignPlan);
        }
        if to.is_nan() {
            return Err(KineticError::NotATime { time: to });
        }
        if to < self.now {
            return Err(KineticError::Backwards { now: self.now, to });
        }
        if to > flight.end() {
            return Err(KineticError::BeyondPlan {
                end: flight.end(),
                to,
            });
        }
        Ok(())
    }
}

/// What a [`Kinetic`] structure with a [`Clock`] says of itself and its time.
macro_rules! told_by_clock {
    ($name:literal) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn now(&self) -> f64 {
            self.clock.now
        }

        fn belongs_to(&self, flight: &$crate::kinetic::Keyframes) -> bool {
            self.clock.belongs_to(flight)
        }
    };
}
pub(super) use told_by_clock;

/// What a [`Kinetic`] structure with a [`Clock`] does that is
/// [`EventDriven`](super::event_loop::EventDriven).
macro_rules! driven_by_events {
    ($name:literal) => {
        $crate::kinetic::kinetic_structure::told_by_clock!($name);

        fn next_event(&self, flight: &$crate::kinetic::Keyframes) -> Option<f64> {
            self.event_queue.next_event(flight.tracks(), &self.clock)
        }

        fn advance(
            &mut self,
            flight: &$crate::kinetic::Keyframes,
            to: f64,
        ) -> Result<Progress, KineticError> {
            self.run(flight, to)
        }

        fn validate(
            &self,
            flight: &$crate::kinetic::Keyframes,
        ) -> Result<(), $crate::bvh::Violation> {
            self.clock
                .validate(self.name(), flight, || self.fault(flight))
        }

        fn counts(&self) -> $crate::kinetic::KineticCounts {
            self.counts
        }
    };
}
pub(super) use driven_by_events;
