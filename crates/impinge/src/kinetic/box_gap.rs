//! Separating axis of two boxes: when they separate and when they begin to overlap.
//!
//! Two boxes are apart when along some axis the upper side of one is below the lower side of the other. That pair of sides is a *witness*; there
//! are six. Between events each side is a vertex, and the gap is linear in each segment. Its signs at keys are exact; only the
//! time of a change is rounded. It is rounded so that boxes meet a little longer than they do: a meeting of one instant,
//! with one axis closing and another opening, is not lost.

use super::event_queue::EventTime;
use super::kinetic_structure::Clock;
use super::trajectories::Trajectories;

/// How many pairs of sides may separate two boxes.
pub(super) const WITNESSES: u8 = 6;

/// By how much times are rounded, relative to the time. A crossing is off by less than 5 units of rounding, and so is the
/// exchange of a winner that it may coincide with.
const SLACK: f64 = 16.0 * f64::EPSILON;

/// Of witness `2 axis + s`: the directions of the sides of `a` and of `b` that face each other. For `s = 0` box `a` is below.
#[inline]
pub(super) fn sides(witness: u8) -> [usize; 2] {
    let (axis, is_above) = (witness as usize / 2, witness as usize % 2);
    [2 * axis + 1 - is_above, 2 * axis + is_above]
}

/// A gap between two vertices along an axis, beyond a margin.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoxGap {
    pub(super) axis: usize,
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) margin: f64,
}

impl BoxGap {
    #[inline]
    fn is_open(&self, low: f64, high: f64) -> bool {
        (high - low) - self.margin > 0.0
    }

    /// None when the gap is not open now; otherwise when it closes.
    #[inline]
    pub(super) fn closing(&self, tracks: &Trajectories, clock: &Clock) -> Option<EventTime> {
        let stretch = tracks.stretch(self.axis, self.low, self.high, clock.segment);
        let [before, after] = [stretch.at_start, stretch.at_end].map(|[l, h]| self.is_open(l, h));
        let slack = SLACK * stretch.start.abs().max(stretch.end.abs());
        match (before, after) {
            (false, false) => None,
            (true, true) => Some(self.later(tracks, clock, false)),
            (true, false) => {
                let time = (stretch.crossing(self.margin) - slack).max(stretch.start);
                (clock.now < time).then_some(EventTime::At(time))
            }
            (false, true) => {
                let time = (stretch.crossing(self.margin) + slack).min(stretch.end);
                (clock.now >= time).then(|| self.later(tracks, clock, false))
            }
        }
    }

    /// When the gap opens, given that it is not open now.
    #[inline]
    pub(super) fn opening(&self, tracks: &Trajectories, clock: &Clock) -> EventTime {
        let stretch = tracks.stretch(self.axis, self.low, self.high, clock.segment);
        let [before, after] = [stretch.at_start, stretch.at_end].map(|[l, h]| self.is_open(l, h));
        if !after {
            return self.later(tracks, clock, true);
        }
        if before {
            return EventTime::At(clock.now);
        }
        let slack = SLACK * stretch.start.abs().max(stretch.end.abs());
        let time = (stretch.crossing(self.margin) + slack).min(stretch.end);
        EventTime::At(time.max(clock.now))
    }

    /// The first segment after this one at whose end the gap is open, or closed.
    #[inline]
    fn later(&self, tracks: &Trajectories, clock: &Clock, is_open: bool) -> EventTime {
        let from = clock.segment + 1;
        if from > tracks.segments() {
            return EventTime::Never;
        }
        let margin = self.margin;
        let found = if is_open {
            tracks.first_segment(self.axis, self.low, self.high, from, |l, h| {
                (h - l) - margin > 0.0
            })
        } else {
            tracks.first_segment(self.axis, self.low, self.high, from, |l, h| {
                (h - l) - margin <= 0.0
            })
        };
        found.map_or(EventTime::Never, EventTime::During)
    }
}

/// Whether `a` is later than `b`.
#[inline]
pub(super) fn is_later(a: EventTime, b: EventTime) -> bool {
    match (a, b) {
        (EventTime::Never, EventTime::Never) => false,
        (EventTime::Never, _) => true,
        (EventTime::During(a), EventTime::During(b)) => a > b,
        (EventTime::During(_), EventTime::At(_)) => true,
        (EventTime::At(a), EventTime::At(b)) => a > b,
        _ => false,
    }
}
