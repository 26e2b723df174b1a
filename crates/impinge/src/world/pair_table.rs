//! Pair table: for each near pair its queries, last answers and reported events.

use super::accuracy::ContactAccuracy;
use super::body::WorldObject;
use super::event_mask::EventMask;
use super::narrow_phase::{PairQueries, QueryPair};
use super::pair_pass::ChunkReport;
use super::shape_obb::meet;
use super::slots::Slots;
use super::threads::ThreadChoice;
use super::world::WorldConfig;
use crate::bound::{Aabb, BoundingVolume, Obb};
use crate::broad::{ObjectId, ObjectPair, PairChange};
use crate::math::Pose;
use crate::pair::{ContactPoint, SolidOverlap};
use crate::query::{Bounded, FacePair, Limits, Separation};

/// Why a pair is in the table.
pub(super) const BROAD: u8 = 1;
pub(super) const ENCLOSED: u8 = 2;

/// A near pair.
#[derive(Debug)]
pub(super) struct PairEntry {
    pub(super) pair: ObjectPair,
    pub(super) sources: u8,
    pub(super) mask: EventMask,
    /// The listeners whose filter matches, by number.
    pub(super) listeners: Vec<u32>,
    /// Whether it was never examined.
    is_fresh: bool,
    /// Whether the answer may be wrong although nothing moved: it is fresh, or other events are requested.
    pub(super) is_stale: bool,
    /// Whether an object moved or the pair is new, at this step.
    pub(super) is_new: bool,
    /// Whether its mask was looked up at this step.
    pub(super) was_resolved: bool,
    pub(super) was_tested: bool,
    pub(super) is_unsupported: bool,
    pub(super) meets: bool,
    pub(super) touches: bool,
    pub(super) told_meets: bool,
    pub(super) told_touches: bool,
    pub(super) accuracy: ContactAccuracy,
    /// Two faces that meet, when the pair touches exactly.
    pub(super) witness: Option<FacePair>,
    pub(super) separation: Option<Separation>,
    pub(super) points: Vec<ContactPoint>,
    /// What the solids share, if anything.
    pub(super) overlap: Option<Bounded<SolidOverlap>>,
    pub(super) work: u64,
    questions: Option<Box<PairQueries>>,
}

impl PairEntry {
    fn new(pair: ObjectPair) -> Self {
        Self {
            pair,
            sources: 0,
            mask: EventMask::NOTHING,
            listeners: Vec::new(),
            is_fresh: true,
            is_stale: true,
            is_new: true,
            was_resolved: false,
            was_tested: false,
            is_unsupported: false,
            meets: false,
            touches: false,
            told_meets: false,
            told_touches: false,
            accuracy: ContactAccuracy::Exact,
            witness: None,
            separation: None,
            points: Vec::new(),
            overlap: None,
            work: 0,
            questions: None,
        }
    }

    /// Makes it the entry of another pair, in the same memory.
    fn renew(&mut self, pair: ObjectPair) {
        self.listeners.clear();
        self.points.clear();
        let listeners = std::mem::take(&mut self.listeners);
        let points = std::mem::take(&mut self.points);
        *self = Self {
            listeners,
            points,
            ..Self::new(pair)
        };
    }

    pub(super) fn questions(&mut self) -> &mut PairQueries {
        self.questions.get_or_insert_default()
    }

    /// Gives the pair another mask.
    pub(super) fn set_mask(&mut self, mask: EventMask) {
        if mask == self.mask {
            return;
        }
        self.mask = mask;
        self.is_stale = true;
    }

    /// Notes what was reported. What was not requested counts as not reported, so that it is reported from
    /// its beginning once it is requested.
    pub(super) fn told(&mut self) {
        self.told_meets = self.meets && self.mask.tells_boxes();
        self.told_touches = self.touches && self.mask.tells_contact();
    }

    /// What examining the pair is expected to cost, by what it cost at the last step. A pair costs a little even if nothing of it moved.
    pub(super) fn expected_cost(&self) -> u64 {
        1 + self.work
    }

    /// Nothing is true of the pair any more.
    pub(super) fn leave(&mut self) {
        self.meets = false;
        self.touches = false;
        self.separation = None;
        self.points.clear();
        self.overlap = None;
        self.is_new = true;
    }

    /// Answers the queries of the pair, if the last answer no longer holds.
    pub(super) fn examine(&mut self, with: &PairTest<'_>) {
        self.was_tested = false;
        self.is_new = false;
        self.work = 0;
        let (Some(a), Some(b)) = (with.objects.get(self.pair.a), with.objects.get(self.pair.b))
        else {
            return;
        };
        let moved = with.has_moved(a) || with.has_moved(b);
        // The first look at a pair is news, whether or not its objects moved.
        self.is_new = std::mem::take(&mut self.is_fresh) || moved;
        let is_coarse = self.accuracy != with.accuracy;
        let is_asked = moved || self.is_stale || (is_coarse && self.mask.needs_shapes());
        if !is_asked {
            return;
        }
        self.is_stale = false;
        let (outer_a, outer_b) = (with.outer(a), with.outer(b));
        let both = outer_a.zip(outer_b);
        self.meets = both.is_some_and(|(a, b)| boxes_within(a, b, 0.0));
        let is_near = both
            .zip(self.mask.distance())
            .is_some_and(|((a, b), distance)| boxes_within(a, b, distance));
        let margin = with.config.margin();
        let may_contact =
            self.meets || both.is_some_and(|(a, b)| margin > 0.0 && boxes_within(a, b, margin));
        let [box_a, box_b] = [outer_a, outer_b].map(|object| object.and_then(|o| o.bounds));
        self.touches = false;
        self.witness = None;
        self.separation = None;
        self.points.clear();
        self.overlap = None;
        self.accuracy = with.accuracy;
        self.is_unsupported = false;
        if !self.mask.needs_shapes() {
            return;
        }
        let a_from_b = a.body_from_world * b.body.world_from_body;
        match with.accuracy {
            ContactAccuracy::Exact => self.decide(with, (a, b), &a_from_b, [may_contact, is_near]),
            ContactAccuracy::OrientedBoxes => {
                let boxes = (a.oriented(), b.oriented());
                self.touches =
                    self.meets && self.mask.needs_contact() && may_touch(boxes, &a_from_b);
                self.was_tested = true;
                self.work = 1;
            }
            ContactAccuracy::Boxes => self.touches = self.meets && self.mask.needs_contact(),
        }
        if with.accuracy != ContactAccuracy::Exact
            && is_near
            && let (Some(distance), Some(box_a), Some(box_b)) =
                (self.mask.distance(), &box_a, &box_b)
        {
            // Boxes are never farther apart than what they hold.
            let found = box_separation(box_a, box_b, &a.body_from_world);
            self.separation = (found.distance <= distance).then_some(found);
        }
    }

    fn decide(
        &mut self,
        with: &PairTest<'_>,
        (a, b): (&WorldObject, &WorldObject),
        a_from_b: &Pose,
        [may_contact, is_near]: [bool; 2],
    ) {
        let of = QueryPair {
            a: &a.body.shape,
            b: &b.body.shape,
            config: with.config.pair_of(a.body.class, b.body.class),
            margin: with.config.margin(),
        };
        let mask = self.mask;
        let mut questions = self.questions.take().unwrap_or_default();
        let mut refused = false;
        let mut touch = None;
        if mask.needs_contact() && self.meets {
            self.was_tested = true;
            match questions.touches(of, a_from_b) {
                Ok(answer) => touch = answer,
                Err(_) => refused = true,
            }
            self.touches = touch.is_some();
            self.witness = touch.and_then(|touch| touch.witness);
        }
        let has_margin = of.margin > 0.0 && may_contact;
        if mask.includes(EventMask::CONTACTS) && (self.touches || refused || has_margin) {
            self.was_tested = true;
            let is_untold = refused;
            let asked = questions.contacts(of, a_from_b, touch, &mut self.points);
            // Who can only say where they touch also says whether; within a margin, where they do not touch as well.
            let is_touch = |point: &ContactPoint| !has_margin || point.depth >= 0.0;
            self.touches |= is_untold && self.points.iter().any(is_touch);
            refused |= asked.is_err();
        }
        if let Some(distance) = mask.distance().filter(|_| is_near) {
            self.was_tested = true;
            match questions.within(of, a_from_b, distance) {
                Ok(found) => self.separation = found,
                Err(_) => refused = true,
            }
        }
        if mask.includes(EventMask::VOLUME) && self.meets {
            self.was_tested = true;
            let limits = Limits {
                max_tests: of.config.volume_tests,
                ..Limits::default()
            };
            match questions.overlap(of, a_from_b, limits) {
                Ok(found) => self.overlap = (found.value.volume > 0.0).then_some(found),
                Err(_) => refused = true,
            }
        }
        if self.was_tested {
            self.work = a.weight() + b.weight();
        }
        self.is_unsupported = refused;
        self.questions = Some(questions);
    }
}

/// Whether the deciding boxes of two objects are at most this far apart.
fn boxes_within(a: &WorldObject, b: &WorldObject, distance: f64) -> bool {
    let (Some(box_a), Some(box_b)) = (&a.bounds, &b.bounds) else {
        return false;
    };
    let is_within = if distance > 0.0 {
        box_a.distance_sq_to(box_b) <= distance * distance
    } else {
        box_a.overlaps(box_b)
    };
    is_within && meet((box_a, &a.outline), (box_b, &b.outline), distance)
}

fn may_touch((a, b): (Option<&Obb>, Option<&Obb>), a_from_b: &Pose) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.overlaps(b, &Obb::relative(a_from_b)),
        _ => true,
    }
}

/// How far two boxes of the world are apart, with points in the frame of `a`.
fn box_separation(box_a: &Aabb, box_b: &Aabb, a_from_world: &Pose) -> Separation {
    // Along an axis on which they overlap, both points are in the middle of what they share.
    let low = box_a.min.max(box_b.min);
    let high = box_a.max.min(box_b.max);
    let middle = 0.5 * (low + high);
    let point_a = middle.clamp(box_a.min, box_a.max);
    let point_b = middle.clamp(box_b.min, box_b.max);
    Separation {
        distance: box_a.distance_sq_to(box_b).sqrt(),
        point_a: a_from_world.transform_point(point_a),
        point_b: a_from_world.transform_point(point_b),
    }
}

/// What all pairs of a step are examined with.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairTest<'w> {
    pub(super) objects: &'w Slots<WorldObject>,
    pub(super) config: &'w WorldConfig,
    pub(super) accuracy: ContactAccuracy,
    pub(super) step: u64,
}

impl PairTest<'_> {
    fn has_moved(&self, object: &WorldObject) -> bool {
        let parent = object
            .enclosed
            .and_then(|(parent, _)| self.objects.get(parent));
        object.moved == self.step || parent.is_some_and(|parent| parent.moved == self.step)
    }

    /// The object whose box speaks for an object: its encloser, if it has one.
    fn outer<'o>(&'o self, object: &'o WorldObject) -> Option<&'o WorldObject> {
        match object.enclosed {
            Some((parent, _)) => self.objects.get(parent),
            None => Some(object),
        }
    }
}

/// Near pairs, sorted.
///
/// Entries live in boxes: when pairs come and go only pointers move, and a pair that comes gets the box of one that went.
#[derive(Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "an entry has hundreds of bytes, and lists of them are merged and swept at every step"
)]
pub(super) struct PairTable {
    pub(super) entries: Vec<Box<PairEntry>>,
    merged: Vec<Box<PairEntry>>,
    /// Entries of pairs that ended.
    spare: Vec<Box<PairEntry>>,
    pub(super) reports: Vec<ChunkReport>,
    pub(super) thread_choice: ThreadChoice,
    /// Whether pairs may have no reason left.
    has_ended: bool,
}

impl PairTable {
    /// Brings the table up to date with what the broad phase reports and with the pairs that are there for another reason.
    /// Pairs that have no reason left stay until [`sweep`](Self::sweep).
    pub(super) fn update(&mut self, changes: &[PairChange], enclosed: Option<&[ObjectPair]>) {
        if let Some(pairs) = enclosed {
            for entry in &mut self.entries {
                entry.sources &= !ENCLOSED;
            }
            self.has_ended = true;
            self.merge(pairs.iter().copied(), |entry| entry.sources |= ENCLOSED);
        }
        let mut next = changes.iter();
        let mut has_ended = self.has_ended;
        self.merge(changes.iter().map(PairChange::pair), |entry| {
            match next.next() {
                Some(PairChange::Began(_)) => entry.sources |= BROAD,
                _ => {
                    entry.sources &= !BROAD;
                    has_ended = true;
                }
            }
        });
        self.has_ended = has_ended;
    }

    /// Visits the entry of each of the sorted pairs, new ones included.
    fn merge(
        &mut self,
        pairs: impl Iterator<Item = ObjectPair>,
        mut visit: impl FnMut(&mut PairEntry),
    ) {
        let mut pairs = pairs.peekable();
        if pairs.peek().is_none() {
            return;
        }
        let Self {
            entries,
            merged,
            spare,
            ..
        } = self;
        let mut fresh = |pair: ObjectPair, visit: &mut dyn FnMut(&mut PairEntry)| {
            let mut entry = match spare.pop() {
                Some(mut entry) => {
                    entry.renew(pair);
                    entry
                }
                None => Box::new(PairEntry::new(pair)),
            };
            visit(&mut entry);
            entry
        };
        merged.clear();
        for entry in entries.drain(..) {
            while let Some(pair) = pairs.next_if(|pair| *pair < entry.pair) {
                merged.push(fresh(pair, &mut visit));
            }
            merged.push(entry);
            let last = merged.last_mut();
            if let Some(last) = last.filter(|last| pairs.next_if_eq(&last.pair).is_some()) {
                visit(last);
            }
        }
        merged.extend(pairs.map(|pair| fresh(pair, &mut visit)));
        std::mem::swap(entries, merged);
    }

    /// Drops pairs that have no reason to be here.
    pub(super) fn sweep(&mut self) {
        if !std::mem::take(&mut self.has_ended) {
            return;
        }
        let gone = self.entries.extract_if(.., |entry| entry.sources == 0);
        self.spare.extend(gone.map(|mut entry| {
            entry.questions = None;
            entry
        }));
        // No more than are in use: a world that was crowded once does not keep the memory.
        self.spare.truncate(self.entries.len() + SPARE);
    }

    /// Forgets what pairs of an object learnt about its shape, and their answers.
    pub(super) fn forget(&mut self, id: ObjectId) {
        for entry in &mut self.entries {
            if entry.pair.a == id || entry.pair.b == id {
                entry.questions = None;
                entry.is_stale = true;
            }
        }
    }

    pub(super) fn get_mut(&mut self, pair: ObjectPair) -> Option<&mut PairEntry> {
        let place = self.entries.binary_search_by_key(&pair, |entry| entry.pair);
        self.entries.get_mut(place.ok()?).map(|entry| &mut **entry)
    }
}

/// Entries that are kept for new pairs at least.
const SPARE: usize = 64;
