//! The events of a separation list.
//!
//! A pair of disjoint boxes depends on one side of each, the witness. A side that gets a new vertex
//! reaches farther than before. So it can only close the gap earlier, and the pairs that it
//! separates are examined again at once. Overlapping boxes can then only separate later; their
//! events may come too early and are rescheduled when they come.
//!
//! Events cannot cycle within an instant. A pair that is disjoint has an event only after now. A
//! pair that overlaps has one only when a gap is open now, and then that gap stays open until its
//! segment ends.

use super::box_gap::sides;
use super::bvtt_front::{FrontPair, MEETING, PairState};
use super::event_queue::EventTime;
use super::feature_contact::{FEATURES, FeatureContact, FeatureTouch, MovingFacePair};
use super::kinetic_structure::{Kinetic, KineticCounts, Progress, told_by_clock};
use super::kinetic_tournament::KineticTournament;
use super::separation_list::SeparationList;
use super::trajectories::Trajectories;
use super::{Keyframes, KineticError};
use crate::bvh::Violation;
use crate::query::VertexId;

/// After a contact that changed plans, the same faces are tested again from this fraction of a segment later on. Together with one report for each
/// pair of features otherwise, it bounds the contacts of an instant.
const REST: f64 = 1.0 / (1_u64 << 20) as f64;

/// What one step of the clock brought.
enum ListStep {
    /// No event is due.
    Nothing,
    Done,
    Touched(FeatureContact),
}

impl SeparationList {
    /// The next touching features of a pair after those that were reported.
    pub(super) fn next_touch(
        &mut self,
        flight: &Keyframes,
        pair: u32,
    ) -> Option<(MovingFacePair, FeatureTouch)> {
        let faces = self.faces_of(pair);
        let corners = [
            self.tree(0).topology.corners(faces.a.raw()),
            self.tree(1).topology.corners(faces.b.raw()),
        ];
        let owned = [
            self.owned[self.front.tree(0)][faces.a.index()],
            self.owned[self.front.tree(1)][faces.b.index()],
        ];
        let key = (faces.a, faces.b);
        let from = self.resting.get(&key).copied();
        let from = from.unwrap_or(f64::NEG_INFINITY);
        let segment = self.clock.segment;
        let start = flight.tracks().segment_start(segment);
        self.work.face_tests += 1;
        let meeting = MovingFacePair::new(flight, corners, owned, segment, from.max(start))?;
        let last = self.reported.get(&key).copied();
        // What touches when a segment begins touched when the one before ended.
        let is_known = segment > 1 && meeting.start() <= start;
        let mut best: Option<FeatureTouch> = None;
        meeting.touches(&mut self.tests, |touched| {
            let order = (touched.lower, touched.feature);
            let is_past = last.is_some_and(|last| order <= last) || (is_known && touched.at_start);
            if !is_past && best.is_none_or(|b| order < (b.lower, b.feature)) {
                best = Some(touched);
            }
        });
        best.map(|touched| (meeting, touched))
    }

    pub(super) fn await_touch(&mut self, flight: &Keyframes, pair: u32) {
        let when = self
            .next_touch(flight, pair)
            .map_or(EventTime::Never, |(_, t)| {
                EventTime::At(t.lower.max(self.clock.now))
            });
        self.event_queue.set(2 * pair + 1, when);
    }

    /// What the boxes of a pair do at their event.
    fn turn(&mut self, flight: &Keyframes, pair: u32) {
        let tracks = flight.tracks();
        let FrontPair { state, witness, .. } = self.front.pairs[pair as usize];
        let found = self.compare(tracks, pair);
        match (state, found) {
            (PairState::Free, _) => {}
            (PairState::Apart, Some((new, when))) => {
                self.work.renewals += 1;
                self.front.unlink(pair, sides(witness));
                self.set_apart(pair, new, when);
            }
            (PairState::Apart, None) => {
                self.work.overlaps += 1;
                self.front.unlink(pair, sides(witness));
                self.open.push(pair);
                self.unfold(flight);
            }
            (PairState::Split | PairState::Leaves, None) => {
                self.work.renewals += 1;
                let when = self.parting(tracks, pair);
                self.event_queue.set(2 * pair, when);
            }
            (PairState::Split | PairState::Leaves, Some(found)) => {
                if state == PairState::Leaves {
                    self.work.leaves_apart += 1;
                }
                let (top, (witness, when)) = self.ascend(tracks, pair, found);
                if top != pair || state == PairState::Split {
                    self.work.fathers_apart += 1;
                }
                self.fold(top);
                self.set_apart(top, witness, when);
            }
        }
    }

    /// When the event of a pair's boxes is due, by its state.
    fn refresh(&mut self, tracks: &Trajectories, pair: u32) {
        let FrontPair { state, witness, .. } = self.front.pairs[pair as usize];
        let when = match state {
            PairState::Free => EventTime::Never,
            PairState::Apart => self
                .gap(pair, witness)
                .closing(tracks, &self.clock)
                .unwrap_or(EventTime::At(self.clock.now)),
            PairState::Split | PairState::Leaves => self.parting(tracks, pair),
        };
        self.event_queue.set(2 * pair, when);
    }

    /// Looks again at the pairs that changed sides keep apart.
    fn sides_changed(&mut self, tracks: &Trajectories, tree: usize) {
        let changed = std::mem::take(&mut self.trees[tree].changed);
        for &slot in &changed {
            let (node, side) = (slot / 6, slot as usize % 6);
            for pair in self.front.list(tree, node, side) {
                self.work.box_changes += 1;
                let witness = self.front.pairs[pair as usize].witness;
                let when = self
                    .gap(pair, witness)
                    .closing(tracks, &self.clock)
                    .unwrap_or(EventTime::At(self.clock.now));
                self.event_queue.set(2 * pair, when);
            }
        }
        self.trees[tree].changed = changed;
    }

    fn enter(&mut self, flight: &Keyframes) {
        for tree in &mut self.trees {
            tree.enter(flight.tracks(), &self.clock);
        }
        let slots = self.event_queue.open(self.clock.segment);
        for &slot in &slots {
            self.refresh(flight.tracks(), slot / 2);
        }
        self.event_queue.give_back(slots);
        self.reported.clear();
        self.resting.retain(|_, time| *time > self.clock.now);
        for k in 0..self.front.leaves.len() {
            self.await_touch(flight, self.front.leaves[k]);
        }
    }

    /// Does the next event that is due until `end`.
    fn step(&mut self, flight: &Keyframes, end: f64) -> ListStep {
        let tracks = flight.tracks();
        let mut tree = None;
        let mut time = self.event_queue.first().map_or(f64::INFINITY, |e| e.time);
        for (k, candidate) in self.trees.iter().enumerate() {
            // Of events at the same time, sides come first: then the boxes are right.
            if let Some(t) = candidate.next_time()
                && t <= time
            {
                (tree, time) = (Some(k), t);
            }
        }
        if time > end {
            return ListStep::Nothing;
        }
        self.clock.now = self.clock.now.max(time);
        if let Some(k) = tree {
            self.trees[k].step(tracks, &self.clock);
            self.sides_changed(tracks, k);
            return ListStep::Done;
        }
        let Some(event) = self.event_queue.pop() else {
            return ListStep::Nothing;
        };
        let pair = event.slot / 2;
        if event.slot.is_multiple_of(2) {
            self.turn(flight, pair);
            return ListStep::Done;
        }
        let Some((meeting, touched)) = self.next_touch(flight, pair) else {
            return ListStep::Done;
        };
        debug_assert!(touched.feature < FEATURES);
        self.work.contacts += 1;
        let faces = self.faces_of(pair);
        let last = (touched.lower, touched.feature);
        self.reported.insert((faces.a, faces.b), last);
        self.await_touch(flight, pair);
        ListStep::Touched(meeting.named(faces, &touched))
    }
}

impl Kinetic for SeparationList {
    told_by_clock!("kinetic separation list");

    fn next_event(&self, flight: &Keyframes) -> Option<f64> {
        let tracks = flight.tracks();
        let soon = self.trees.iter().filter_map(KineticTournament::next_time);
        let soon = soon.chain(self.event_queue.first().map(|e| e.time));
        if let Some(time) = soon.reduce(f64::min) {
            return Some(time);
        }
        if !self.front.leaves.is_empty() && self.clock.segment < tracks.segments() {
            return Some(tracks.segment_end(self.clock.segment));
        }
        let later = self
            .trees
            .iter()
            .filter_map(|t| t.next_segment(&self.clock));
        let later = later.chain(self.event_queue.next_segment(self.clock.segment));
        later.min().map(|segment| tracks.segment_start(segment))
    }

    fn advance(&mut self, flight: &Keyframes, to: f64) -> Result<Progress, KineticError> {
        self.clock.check(flight, to)?;
        let tracks = flight.tracks();
        loop {
            let end = tracks.segment_end(self.clock.segment);
            loop {
                match self.step(flight, to.min(end)) {
                    ListStep::Nothing => break,
                    ListStep::Done => {}
                    ListStep::Touched(contact) => return Ok(Progress::Touched(contact)),
                }
            }
            if to <= end || self.clock.segment >= tracks.segments() {
                break;
            }
            self.clock.segment += 1;
            self.clock.now = end;
            self.enter(flight);
        }
        self.clock.now = to;
        Ok(Progress::Reached)
    }

    fn rerouted(&mut self, flight: &Keyframes, vertices: &[VertexId]) {
        self.clock.version = flight.version();
        let tracks = flight.tracks();
        let (now, segment) = (self.clock.now, self.clock.segment);
        let rest = REST * (tracks.segment_end(segment) - tracks.segment_start(segment));
        let mut slots = std::mem::take(&mut self.changed);
        for k in 0..self.trees.len() {
            slots.clear();
            self.trees[k].rerouted(tracks, &self.clock, vertices, &mut slots);
            slots.sort_unstable();
            slots.dedup();
            for &slot in &slots {
                let (node, side) = (slot / 6, slot as usize % 6);
                let pairs: Vec<u32> = self
                    .front
                    .list(k, node, side)
                    .chain(self.front.list(k, node, MEETING))
                    .collect();
                for pair in pairs {
                    self.refresh(tracks, pair);
                }
            }
            let mut leaves: Vec<u32> = vertices
                .iter()
                .filter(|v| v.index() < tracks.vertices())
                .flat_map(|&v| self.trees[k].incident_leaves(v))
                .copied()
                .collect();
            leaves.sort_unstable();
            leaves.dedup();
            for leaf in leaves {
                let pairs: Vec<u32> = self.front.list(k, leaf, MEETING).collect();
                for pair in pairs {
                    if self.front.pairs[pair as usize].state != PairState::Leaves {
                        continue;
                    }
                    let faces = self.faces_of(pair);
                    let key = (faces.a, faces.b);
                    let last = self.reported.get(&key);
                    if last.is_some_and(|&(time, _)| time >= now - rest) {
                        self.resting.insert(key, now + rest);
                    }
                    self.await_touch(flight, pair);
                }
            }
        }
        self.changed = slots;
    }

    fn extended(&mut self, flight: &Keyframes) {
        self.clock.version = flight.version();
        let tracks = flight.tracks();
        self.event_queue.extend(tracks.segments() as usize);
        for tree in &mut self.trees {
            tree.extended(tracks, &self.clock);
        }
        for pair in 0..self.front.pairs.len() as u32 {
            if self.event_queue.is_never(2 * pair) {
                self.refresh(tracks, pair);
            }
        }
    }

    fn validate(&self, flight: &Keyframes) -> Result<(), Violation> {
        self.clock
            .validate(self.name(), flight, || self.fault(flight))
    }

    fn counts(&self) -> KineticCounts {
        let mut counts = KineticCounts::default();
        for tree in &self.trees {
            counts.events += tree.counts.events;
            counts.updates += tree.counts.updates;
            counts.certificates += tree.counts.certificates;
        }
        let work = &self.work;
        counts.events +=
            work.overlaps + work.fathers_apart + work.leaves_apart + work.contacts + work.renewals;
        counts.certificates += work.box_changes + work.box_tests;
        counts
    }
}
