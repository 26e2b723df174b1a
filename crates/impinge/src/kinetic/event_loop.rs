//! Event loop of a tree with its own event queue.

use super::event_queue::EventQueue;
use super::kinetic_structure::{Clock, Progress};
use super::trajectories::Trajectories;
use super::{Keyframes, KineticError};

/// A structure whose events stand in an event queue by slot.
pub(super) trait EventDriven {
    fn parts(&mut self) -> (&mut EventQueue, &mut Clock);

    /// Does the event of a slot that is due, and sets the slot again.
    fn happen(&mut self, tracks: &Trajectories, slot: u32);

    /// Finds the next event of a slot.
    fn refresh(&mut self, tracks: &Trajectories, slot: u32);

    /// Does all events up to a time, segment by segment.
    fn run(&mut self, flight: &Keyframes, to: f64) -> Result<Progress, KineticError> {
        let (_, clock) = self.parts();
        clock.check(flight, to)?;
        let tracks = flight.tracks();
        loop {
            let segment = self.parts().1.segment;
            let end = tracks.segment_end(segment);
            while let Some(slot) = self.due(to.min(end)) {
                self.happen(tracks, slot);
            }
            let (event_queue, clock) = self.parts();
            if to <= end || segment >= tracks.segments() {
                clock.now = to;
                return Ok(Progress::Reached);
            }
            clock.segment = segment + 1;
            clock.now = end;
            let slots = event_queue.open(clock.segment);
            for &slot in &slots {
                self.refresh(tracks, slot);
            }
            self.parts().0.give_back(slots);
        }
    }

    /// Takes the next event off the event queue, if it is due by then, and sets the clock to it.
    fn due(&mut self, by: f64) -> Option<u32> {
        let (event_queue, clock) = self.parts();
        let event = event_queue.first().filter(|event| event.time <= by)?;
        event_queue.pop();
        clock.now = clock.now.max(event.time);
        Some(event.slot)
    }
}
