//! One pass over the near pairs: requested events, narrow phase, events, shared among threads.
//!
//! **Question.** How do threads divide the pairs of a step?
//! **Idea.** The pairs are divided into chunks of about equal expected cost, some for each thread.
//! Each thread takes the most expensive chunk that is left, so that no thread is left with a long one
//! at the end. A chunk does everything for its pairs: it looks up the requested events, tests the
//! pairs, writes their events into its own buffer, and records which listeners to call. The buffers
//! are joined in the order of pairs.
//! **Source.** Zachmann 1994, section 6.2: coarse grain with dynamic load balance. Largest first:
//! Graham 1969, doi:10.1137/0117039.
//! **Cost.** One fork and join per step, and the copying of events.
//! **Promise.** The same bytes for any number of threads.
//! **Limits.** What a pair will cost is estimated by the sizes of its shapes.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::event_mask::EventMask;
use super::events::{Event, EventKind, StepStats, WorldFrame};
use super::interest_matrix::InterestMatrix;
use super::listener::ListenerFilter;
use super::pair_table::{PairEntry, PairTest};
use super::threads::{ThreadChoice, on_threads, thread_number};
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

/// The events of the pairs of a chunk. The memory is kept from step to step.
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

/// Chunks for each thread: few, because each costs a lock, and enough to even out what was expected wrongly.
const CHUNKS_A_THREAD: usize = 8;
/// The most chunks.
const MAX_CHUNKS: usize = 128;

/// Pairs that one thread examines, their expected cost, and where it writes.
struct Chunk<'p> {
    cost: u64,
    entries: &'p mut [Box<PairEntry>],
    report: &'p mut ChunkReport,
}

impl PairPass<'_> {
    /// Answers the queries of all pairs; returns the number of reports.
    pub(super) fn run(
        &self,
        entries: &mut [Box<PairEntry>],
        reports: &mut Vec<ChunkReport>,
        threads: usize,
        choice: &mut ThreadChoice,
    ) -> usize {
        if reports.is_empty() {
            reports.push(ChunkReport::default());
        }
        if threads <= 1
            && let [report, ..] = reports.as_mut_slice()
        {
            report.fill(self, entries);
            return 1;
        }
        let most = (CHUNKS_A_THREAD * threads).min(MAX_CHUNKS);
        if reports.len() < most {
            reports.resize_with(most, ChunkReport::default);
        }
        let cost = entries.iter().map(|entry| entry.expected_cost()).sum();
        let mut chunks = [const { None }; MAX_CHUNKS];
        let count = divide(
            entries,
            reports,
            u64::div_ceil(cost, most as u64),
            &mut chunks,
        );
        let chunks = chunks.get_mut(..count).unwrap_or_default();
        chunks.sort_unstable_by_key(|chunk: &Option<Chunk<'_>>| {
            Reverse(chunk.as_ref().map_or(0, |chunk| chunk.cost))
        });
        let chunks = Mutex::new(chunks.iter_mut());
        let (caller, of_others) = (thread_number(), AtomicU64::new(0));
        on_threads(threads.min(count), &|| {
            let mut cost = 0;
            while let Some(chunk) = next(&chunks).and_then(Option::take) {
                cost += chunk.cost;
                // Reports lie side by side: two threads that write into them would fetch each other's memory.
                let mut report = std::mem::take(chunk.report);
                report.fill(self, chunk.entries);
                *chunk.report = report;
            }
            if thread_number() != caller {
                of_others.fetch_add(cost, Ordering::Relaxed);
            }
        });
        choice.learn(cost, of_others.into_inner());
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

/// Divides pairs, in their order, into chunks of at least this cost each but the last; returns how many.
fn divide<'p>(
    mut entries: &'p mut [Box<PairEntry>],
    reports: &'p mut [ChunkReport],
    least: u64,
    chunks: &mut [Option<Chunk<'p>>],
) -> usize {
    let mut count = 0;
    for (chunk, report) in chunks.iter_mut().zip(reports) {
        let (mut cost, mut length) = (0, 0);
        for entry in entries.iter() {
            cost += entry.expected_cost();
            length += 1;
            if cost >= least {
                break;
            }
        }
        if length == 0 {
            break;
        }
        let (own, rest) = std::mem::take(&mut entries).split_at_mut(length);
        *chunk = Some(Chunk {
            cost,
            entries: own,
            report,
        });
        (entries, count) = (rest, count + 1);
    }
    count
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
