//! One pass over the near pairs: requested events, narrow phase, events, shared among threads.
//!
//! **Question.** How do threads divide the pairs of a step?
//! **Idea.** The pairs are divided into chunks by number. Each thread takes the next chunk until
//! none is left, so that an expensive pair delays no other thread. A chunk does everything for its
//! pairs: it looks up the requested events, tests the pairs, writes their events into its own
//! buffer, and records which listeners to call. The buffers are joined in the order of pairs.
//! **Source.** Zachmann 1994, section 6.2: coarse grain with dynamic load balance.
//! **Cost.** One fork and join per step, and the copying of events.
//! **Promise.** The same bytes for any number of threads.
//! **Limits.** A caller outside of a thread pool wakes one first, which takes tens of microseconds;
//! so a few pairs are processed on its own thread.

use std::sync::{Mutex, PoisonError};

use super::event_mask::EventMask;
use super::events::{Event, EventKind, StepStats, WorldFrame};
use super::interest_matrix::InterestMatrix;
use super::listener::ListenerFilter;
use super::pair_table::{PairEntry, PairTest};
use crate::broad::ObjectPair;
use crate::pair::{ContactPoint, SolidOverlap};
use crate::query::Bounded;

/// What one pass over the pairs needs to know.
#[derive(Debug)]
pub(super) struct PairPass<'w> {
    pub(super) test: PairTest<'w>,
    pub(super) interest: &'w InterestMatrix,
    pub(super) filters: &'w [Option<ListenerFilter>],
    /// Whether what is requested of any pair may have changed.
    pub(super) masks_changed: bool,
}

/// What the pairs of a chunk told. The memory is kept from step to step.
#[derive(Debug, Default)]
pub(super) struct ChunkReport {
    events: Vec<Event>,
    points: Vec<ContactPoint>,
    overlaps: Vec<Bounded<SolidOverlap>>,
    /// Places of events in this report, and numbers of listeners.
    deliveries: Vec<(u32, u32)>,
    stats: StepStats,
    /// Pairs whose shapes had to be examined, because something moved.
    wanted: u64,
}

/// A chunk has at most this many pairs, …
const MAX_CHUNK: usize = 64;
/// … and there are about this many chunks while it has fewer.
const CHUNKS: usize = 32;
/// From this much expected work on, about 5 µs, a step that is called in a thread pool shares it.
#[cfg(feature = "parallel")]
const WORTH_SHARING: u64 = 64;
/// The same outside of a pool, about 40 µs: the pool has to be woken.
#[cfg(feature = "parallel")]
const WORTH_WAKING: u64 = 512;

/// On how many threads a pass is worthwhile that is expected to cost so much, in the unit of
/// [`StepStats::work`].
pub(super) fn threads_for(expected: u64, is_serial: bool) -> usize {
    #[cfg(feature = "parallel")]
    {
        let is_inside = rayon::current_thread_index().is_some();
        let least = if is_inside {
            WORTH_SHARING
        } else {
            WORTH_WAKING
        };
        if !is_serial && expected >= least {
            return rayon::current_num_threads();
        }
    }
    let _ = (expected, is_serial);
    1
}

/// Calls a function on up to this many threads at once and returns when all calls have. A thread that has nothing else to do makes the
/// calls that nobody else has begun, so that nobody waits for one that wakes up late.
fn on_threads(count: usize, work: &(dyn Fn() + Sync)) {
    #[cfg(feature = "parallel")]
    if count > 1 {
        let half = count / 2;
        rayon::join(|| on_threads(count - half, work), || on_threads(half, work));
        return;
    }
    let _ = count;
    work();
}

impl PairPass<'_> {
    /// Answers the queries of all pairs; returns the number of reports.
    pub(super) fn run(
        &self,
        entries: &mut [Box<PairEntry>],
        reports: &mut Vec<ChunkReport>,
        threads: usize,
    ) -> usize {
        let length = if threads > 1 {
            entries.len().div_ceil(CHUNKS).clamp(1, MAX_CHUNK)
        } else {
            entries.len().max(1)
        };
        let count = entries.len().div_ceil(length);
        if reports.len() < count {
            reports.resize_with(count, ChunkReport::default);
        }
        let chunks = Mutex::new(entries.chunks_mut(length).zip(reports.iter_mut()));
        on_threads(threads.min(count), &|| {
            while let Some((entries, report)) = next(&chunks) {
                report.fill(self, entries);
            }
        });
        count
    }

    /// Looks up what is requested of a pair that is new, or of any if that may have changed.
    fn resolve(&self, entry: &mut PairEntry) {
        entry.was_resolved = false;
        if entry.sources == 0 || !(self.masks_changed || entry.is_stale) {
            return;
        }
        let ObjectPair { a, b } = entry.pair;
        let objects = self.test.objects;
        let (Some(object_a), Some(object_b)) = (objects.get(a), objects.get(b)) else {
            return;
        };
        let (body_a, body_b) = (&object_a.body, &object_b.body);
        entry.listeners.clear();
        let mut mask = EventMask::NOTHING;
        let set = self.interest.mask((a, body_a), (b, body_b));
        let is_ignored = set.is_some_and(|set| set.is_nothing());
        let is_fixed = body_a.is_static && body_b.is_static;
        if !is_ignored && !is_fixed {
            mask = set.unwrap_or(EventMask::NOTHING);
            for (number, listener) in self.filters.iter().enumerate() {
                if let Some(listener) = listener
                    && listener.filter.matches((a, body_a), (b, body_b))
                {
                    mask = mask | listener.mask();
                    entry.listeners.push(number as u32);
                }
            }
        }
        if self.test.config.boxes_only {
            mask = mask.of_boxes();
        }
        entry.was_resolved = true;
        entry.set_mask(mask);
    }
}

fn next<I: Iterator>(items: &Mutex<I>) -> Option<I::Item> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}

impl ChunkReport {
    /// Answers the queries of the pairs of a chunk.
    fn fill(&mut self, pass: &PairPass<'_>, entries: &mut [Box<PairEntry>]) {
        self.events.clear();
        self.points.clear();
        self.overlaps.clear();
        self.deliveries.clear();
        (self.stats, self.wanted) = (StepStats::default(), 0);
        for entry in entries {
            pass.resolve(entry);
            entry.examine(&pass.test);
            self.count(entry);
            if entry.sources == 0 {
                entry.leave();
            }
            self.tell(entry, pass);
        }
    }

    fn count(&mut self, entry: &PairEntry) {
        let stats = &mut self.stats;
        stats.near += 1;
        stats.interesting += u64::from(!entry.mask.is_nothing());
        stats.tested += u64::from(entry.was_tested);
        stats.touching += u64::from(entry.touches);
        stats.unsupported += u64::from(entry.is_unsupported);
        stats.work += entry.work;
        self.wanted += u64::from(entry.mask.needs_shapes() && entry.is_new);
    }

    /// Writes the events of a pair, and notes who is to be called for each.
    fn tell(&mut self, entry: &mut PairEntry, pass: &PairPass<'_>) {
        let first = self.events.len();
        self.tell_events(entry, pass.test.config.news_only);
        if entry.listeners.is_empty() {
            return;
        }
        for (place, event) in self.events.iter().enumerate().skip(first) {
            let hears = |&&number: &&u32| {
                let listener = pass.filters.get(number as usize);
                matches!(listener, Some(Some(listener)) if listener.hears(event))
            };
            let called = entry.listeners.iter().filter(hears);
            self.deliveries
                .extend(called.map(|&number| (place as u32, number)));
        }
    }

    fn tell_events(&mut self, entry: &mut PairEntry, news_only: bool) {
        let &mut PairEntry {
            pair,
            mask,
            is_new,
            accuracy,
            witness,
            meets,
            touches,
            told_meets,
            told_touches,
            ..
        } = entry;
        entry.told();
        let is_level_told = is_new || !news_only;
        let events = &mut self.events;
        let mut tell = |kind: EventMask, is_so: bool, what: EventKind| {
            if is_so && mask.includes(kind) {
                events.push(Event {
                    pair,
                    is_new,
                    accuracy,
                    what,
                });
            }
        };
        tell(
            EventMask::OVERLAP_BEGIN,
            meets && !told_meets,
            EventKind::OverlapBegin,
        );
        tell(
            EventMask::CONTACT_BEGIN,
            touches && !told_touches,
            EventKind::ContactBegin { witness },
        );
        tell(
            EventMask::TOUCHING,
            touches && is_level_told,
            EventKind::Touching { witness },
        );
        if is_level_told && !entry.points.is_empty() {
            let first = self.points.len() as u32;
            self.points.extend_from_slice(&entry.points);
            let points = first..self.points.len() as u32;
            tell(EventMask::CONTACTS, true, EventKind::Contacts(points));
        }
        if let Some(overlap) = entry.overlap
            && is_level_told
        {
            let number = self.overlaps.len() as u32;
            self.overlaps.push(overlap);
            tell(EventMask::VOLUME, true, EventKind::Volume(number));
        }
        if let Some(separation) = entry.separation {
            tell(
                EventMask::NOTHING,
                is_level_told,
                EventKind::Closer(separation),
            );
        }
        tell(
            EventMask::CONTACT_END,
            !touches && told_touches,
            EventKind::ContactEnd,
        );
        tell(
            EventMask::OVERLAP_END,
            !meets && told_meets,
            EventKind::OverlapEnd,
        );
    }
}

/// Joins reports, in order, in a frame without events; gives the number of pairs whose shapes had to be examined.
pub(super) fn join(
    reports: &mut [ChunkReport],
    frame: &mut WorldFrame,
    deliveries: &mut Vec<(u32, u32)>,
) -> u64 {
    deliveries.clear();
    let mut wanted = 0;
    let is_only = reports.len() == 1;
    for report in reports {
        let stats = &mut frame.stats;
        stats.near += report.stats.near;
        stats.interesting += report.stats.interesting;
        stats.tested += report.stats.tested;
        stats.touching += report.stats.touching;
        stats.unsupported += report.stats.unsupported;
        stats.work += report.stats.work;
        wanted += report.wanted;
        if is_only {
            std::mem::swap(&mut frame.events, &mut report.events);
            std::mem::swap(&mut frame.contact_points, &mut report.points);
            std::mem::swap(&mut frame.overlaps, &mut report.overlaps);
            std::mem::swap(deliveries, &mut report.deliveries);
            break;
        }
        let first_event = frame.events.len() as u32;
        let first_point = frame.contact_points.len() as u32;
        let first_overlap = frame.overlaps.len() as u32;
        let told = report.deliveries.iter();
        deliveries.extend(told.map(|&(place, number)| (first_event + place, number)));
        frame.contact_points.append(&mut report.points);
        frame.overlaps.append(&mut report.overlaps);
        frame
            .events
            .extend(report.events.drain(..).map(|mut event| {
                match &mut event.what {
                    EventKind::Contacts(points) => {
                        *points = first_point + points.start..first_point + points.end;
                    }
                    EventKind::Volume(number) => *number += first_overlap,
                    _ => {}
                }
                event
            }));
    }
    wanted
}
