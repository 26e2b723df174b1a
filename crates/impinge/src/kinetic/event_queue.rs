//! Event queue: events of this segment in a heap, those of later segments in unsorted buckets.
//!
//! Between two keys every motion is linear; a *segment* is such an interval of time. Most events
//! lie in later segments, and many of them are cancelled before. Their times are not needed yet,
//! and not computed: an unsorted bucket per segment stores their slots. When a segment begins, its
//! bucket is moved to the heap, which therefore stays small.

use super::event_heap::{Event, EventHeap};
use super::kinetic_structure::Clock;
use super::trajectories::Trajectories;

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EventTime {
    /// In this segment, at this time.
    At(f64),
    /// In a later segment.
    During(u32),
    /// Not as far as the plan goes.
    Never,
}

const NEVER: u32 = u32::MAX;
const SOON: u32 = u32::MAX - 1;

#[derive(Clone, Debug)]
pub(super) struct EventQueue {
    heap: EventHeap,
    /// Of each slot: never, soon (in the heap), or the segment in whose box it is.
    segment_of: Vec<u32>,
    /// Slots that were put here; those whose segment is another by now are to be passed over.
    boxes: Vec<Vec<u32>>,
    /// Emptied boxes, to be used again.
    spare: Vec<Vec<u32>>,
}

impl EventQueue {
    pub(super) fn new(slots: usize, segments: usize) -> Self {
        Self {
            heap: EventHeap::new(slots),
            segment_of: vec![NEVER; slots],
            boxes: vec![Vec::new(); segments + 1],
            spare: Vec::new(),
        }
    }

    pub(super) fn grow(&mut self, slots: usize) {
        self.heap.grow(slots);
        if slots > self.segment_of.len() {
            self.segment_of.resize(slots, NEVER);
        }
    }

    /// Room for more segments.
    pub(super) fn extend(&mut self, segments: usize) {
        self.boxes.resize(segments + 1, Vec::new());
    }

    #[inline]
    pub(super) fn set(&mut self, slot: u32, when: EventTime) {
        let at = slot as usize;
        if self.segment_of[at] == SOON && !matches!(when, EventTime::At(_)) {
            self.heap.cancel(slot);
        }
        match when {
            EventTime::At(time) => {
                self.heap.schedule(slot, time);
                self.segment_of[at] = SOON;
            }
            EventTime::During(segment) => {
                if self.segment_of[at] != segment {
                    let into = &mut self.boxes[segment as usize];
                    if into.capacity() == 0
                        && let Some(spare) = self.spare.pop()
                    {
                        *into = spare;
                    }
                    into.push(slot);
                    self.segment_of[at] = segment;
                }
            }
            EventTime::Never => self.segment_of[at] = NEVER,
        }
    }

    /// Whether the slot has no event as far as the plan goes.
    #[inline]
    pub(super) fn is_never(&self, slot: u32) -> bool {
        self.segment_of[slot as usize] == NEVER
    }

    /// When the event of a slot is due.
    #[inline]
    pub(super) fn when(&self, slot: u32) -> EventTime {
        match self.segment_of[slot as usize] {
            NEVER => EventTime::Never,
            SOON => (self.heap.time_of(slot)).map_or(EventTime::Never, EventTime::At),
            segment => EventTime::During(segment),
        }
    }

    #[inline]
    pub(super) fn first(&self) -> Option<Event> {
        self.heap.first()
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Event> {
        let event = self.heap.pop()?;
        self.segment_of[event.slot as usize] = NEVER;
        Some(event)
    }

    /// The slots of a segment that begins, in order. Each must be set again; the list is to be given back.
    pub(super) fn open(&mut self, segment: u32) -> Vec<u32> {
        let mut slots = std::mem::take(&mut self.boxes[segment as usize]);
        let segment_of = &mut self.segment_of;
        slots.retain(|&slot| {
            let is_here = segment_of[slot as usize] == segment;
            if is_here {
                // A slot that came, left and came again is listed twice.
                segment_of[slot as usize] = NEVER;
            }
            is_here
        });
        slots.sort_unstable();
        slots
    }

    pub(super) fn give_back(&mut self, mut slots: Vec<u32>) {
        slots.clear();
        self.spare.push(slots);
    }

    /// The first segment after this one with an event.
    pub(super) fn next_segment(&self, after: u32) -> Option<u32> {
        let from = after as usize + 1;
        (from..self.boxes.len())
            .find(|&k| {
                let is_here = |&slot: &u32| self.segment_of[slot as usize] == k as u32;
                self.boxes[k].iter().any(is_here)
            })
            .map(|k| k as u32)
    }

    /// A time before which nothing happens: that of an event of this segment, else the start of the next segment with one.
    pub(super) fn next_event(&self, tracks: &Trajectories, clock: &Clock) -> Option<f64> {
        let later = || self.next_segment(clock.segment);
        self.first()
            .map(|event| event.time)
            .or_else(|| later().map(|segment| tracks.segment_start(segment)))
    }
}
