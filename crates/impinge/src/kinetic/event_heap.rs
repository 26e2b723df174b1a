//! Event heap: events ordered by time, addressable by slot.

/// An event: a time, and the slot whose event it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When it happens.
    pub time: f64,
    /// What it happens to.
    pub slot: u32,
}

impl Event {
    /// Earlier first; of equal times, the lower slot. No two events are equal, so the order is the same on every machine.
    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        self.time < other.time || (self.time == other.time && self.slot < other.slot)
    }
}

/// Children of a place in the heap: four share a cache line.
const ARITY: usize = 4;
const NOWHERE: u32 = u32::MAX;

/// At most one event for each slot, the earliest at hand; any of them can be moved or taken out.
///
/// ```
/// use impinge::kinetic::EventHeap;
/// let mut heap = EventHeap::new(3);
/// heap.schedule(0, 2.0);
/// heap.schedule(2, 1.0);
/// heap.schedule(1, 1.0);
/// assert_eq!(heap.first().map(|e| e.slot), Some(1)); // of equal times the lower slot
/// heap.schedule(1, 3.0); // later
/// heap.cancel(2);
/// assert_eq!((heap.len(), heap.time_of(1)), (2, Some(3.0)));
/// assert_eq!(heap.pop().map(|e| e.slot), Some(0));
/// assert_eq!(heap.pop().map(|e| e.slot), Some(1));
/// assert!(heap.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
#[doc(alias = "event queue")]
#[doc(alias = "priority queue")]
pub struct EventHeap {
    events: Vec<Event>,
    /// Where the event of a slot is.
    place: Vec<u32>,
}

impl EventHeap {
    /// No events, for this many slots.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self {
            events: Vec::new(),
            place: vec![NOWHERE; slots],
        }
    }

    /// Makes room for this many slots; never for fewer than before.
    ///
    /// ```
    /// use impinge::kinetic::EventHeap;
    /// let mut heap = EventHeap::new(0);
    /// heap.grow(1);
    /// heap.schedule(0, 1.0);
    /// assert_eq!(heap.len(), 1);
    /// ```
    pub fn grow(&mut self, slots: usize) {
        if slots > self.place.len() {
            self.place.resize(slots, NOWHERE);
        }
    }

    /// How many events are waiting.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether no event is waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The earliest event.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<Event> {
        self.events.first().copied()
    }

    /// The time of a slot's event, none if it has none.
    #[must_use]
    pub fn time_of(&self, slot: u32) -> Option<f64> {
        let &place = self.place.get(slot as usize)?;
        self.events.get(place as usize).map(|e| e.time)
    }

    /// Gives a slot its event, in place of the one it has. A slot that there is no room for and a time that is no number
    /// are skipped.
    pub fn schedule(&mut self, slot: u32, time: f64) {
        let Some(&place) = self.place.get(slot as usize) else {
            return;
        };
        if time.is_nan() {
            return;
        }
        let event = Event { time, slot };
        if place == NOWHERE {
            self.events.push(event);
            self.sift_up(self.events.len() - 1, event);
            return;
        }
        let place = place as usize;
        if event.is_before(&self.events[place]) {
            self.sift_up(place, event);
        } else {
            self.sift_down(place, event);
        }
    }

    /// Takes the event of a slot out, if it has one.
    pub fn cancel(&mut self, slot: u32) {
        let Some(&place) = self.place.get(slot as usize) else {
            return;
        };
        if place == NOWHERE {
            return;
        }
        self.place[slot as usize] = NOWHERE;
        let Some(last) = self.events.pop() else {
            return;
        };
        let place = place as usize;
        let Some(removed) = self.events.get(place) else {
            return;
        };
        if last.is_before(removed) {
            self.sift_up(place, last);
        } else {
            self.sift_down(place, last);
        }
    }

    /// Takes the earliest event out.
    pub fn pop(&mut self) -> Option<Event> {
        let first = self.first()?;
        self.place[first.slot as usize] = NOWHERE;
        if let Some(last) = self.events.pop()
            && !self.events.is_empty()
        {
            self.sift_down(0, last);
        }
        Some(first)
    }

    #[inline]
    fn put(&mut self, place: usize, event: Event) {
        self.events[place] = event;
        self.place[event.slot as usize] = place as u32;
    }

    fn sift_up(&mut self, mut place: usize, event: Event) {
        while place > 0 {
            let above = (place - 1) / ARITY;
            if !event.is_before(&self.events[above]) {
                break;
            }
            self.put(place, self.events[above]);
            place = above;
        }
        self.put(place, event);
    }

    fn sift_down(&mut self, mut place: usize, event: Event) {
        loop {
            let first = place * ARITY + 1;
            let last = (first + ARITY).min(self.events.len());
            if first >= last {
                break;
            }
            let mut least = first;
            for child in first + 1..last {
                if self.events[child].is_before(&self.events[least]) {
                    least = child;
                }
            }
            if !self.events[least].is_before(&event) {
                break;
            }
            self.put(place, self.events[least]);
            place = least;
        }
        self.put(place, event);
    }
}
