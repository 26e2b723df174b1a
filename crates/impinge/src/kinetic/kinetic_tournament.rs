//! Kinetic tournament: for each node and direction the extreme vertex, maintained by events.
//!
//! **Question.** Which vertex of a subtree is the extreme one along each of `2 D` directions, at
//! every time?
//! **Idea.** Each node stores, for each direction, the number of a vertex, its *winner*, instead of
//! a coordinate. It is the winner of one child, and a certificate says that it leads the winner of
//! the other child. An event is the time at which a certificate fails. Then the winner is exchanged
//! there and in all ancestors that had the same winner.
//!
//! Why ties cannot cause an endless loop: whether a leader is overtaken within a segment is decided
//! by comparing key values, exactly; it is if the other vertex is strictly ahead at the segment's
//! end. Only the time is rounded. So each exchange strictly raises the winner's value at the end of
//! the segment, and a node with `n` vertices has at most `n - 1` exchanges for each direction and
//! segment, however rounding changes the order of events.

use super::event_queue::{EventQueue, EventTime};
use super::kinetic_structure::{Clock, KineticCounts};
use super::topology::{NodeContent, TreeTopology, VertexLeaves};
use super::trajectories::Trajectories;
use crate::query::VertexId;

#[derive(Clone, Debug)]
pub(super) struct KineticTournament<const D: usize> {
    pub(super) topology: TreeTopology,
    /// By slot: `2 D` for each node; of axis `k`, slot `2k` is the least, `2k + 1` the greatest.
    winners: Vec<u32>,
    event_queue: EventQueue,
    pub(super) counts: KineticCounts,
    /// The slots whose winner the last event changed.
    pub(super) changed: Vec<u32>,
    /// Built when the first plan changes.
    incidence: Option<VertexLeaves>,
}

impl<const D: usize> KineticTournament<D> {
    const SLOTS: usize = 2 * D;

    pub(super) fn new(topology: TreeTopology, tracks: &Trajectories, clock: &Clock) -> Self {
        let slots = topology.node_count() * Self::SLOTS;
        let mut made = Self {
            winners: first_winners(&topology, tracks, D, 0),
            event_queue: EventQueue::new(slots, tracks.segments() as usize),
            topology,
            counts: KineticCounts::default(),
            changed: Vec::new(),
            incidence: None,
        };
        made.certify(tracks, clock);
        made.counts = KineticCounts::default();
        made
    }

    /// Starts again at the start of the clock's segment, whatever happened before.
    pub(super) fn restart(&mut self, tracks: &Trajectories, clock: &Clock) {
        let key = clock.segment as usize - 1;
        self.winners = first_winners(&self.topology, tracks, D, key);
        self.event_queue = EventQueue::new(self.winners.len(), tracks.segments() as usize);
        self.certify(tracks, clock);
    }

    /// Computes all certificates.
    fn certify(&mut self, tracks: &Trajectories, clock: &Clock) {
        for node in self.topology.upwards() {
            for direction in 0..Self::SLOTS {
                self.refresh(tracks, clock, self.slot(node, direction));
            }
        }
    }

    #[inline]
    fn slot(&self, node: u32, direction: usize) -> u32 {
        (node as usize * Self::SLOTS + direction) as u32
    }

    #[inline]
    pub(super) fn winner(&self, node: u32, direction: usize) -> u32 {
        self.winners[node as usize * Self::SLOTS + direction]
    }

    /// The earliest of those that overtake the winner of a slot, and when.
    #[inline]
    fn challenger(
        &self,
        tracks: &Trajectories,
        clock: &Clock,
        slot: u32,
    ) -> Option<(u32, EventTime)> {
        let (node, direction) = (slot / Self::SLOTS as u32, slot as usize % Self::SLOTS);
        let winner = self.winners[slot as usize];
        match self.topology.below(node) {
            NodeContent::Children(child) => {
                let [left, right] = [child, child + 1].map(|c| self.winner(c, direction));
                let rival = if left == winner { right } else { left };
                overtaking(tracks, clock, direction, winner, rival).map(|when| (rival, when))
            }
            NodeContent::Face(face) => {
                let mut first: Option<(u32, EventTime)> = None;
                for rival in self.topology.corners(face) {
                    if let Some(when) = overtaking(tracks, clock, direction, winner, rival)
                        && first.is_none_or(|(_, best)| is_before(when, best))
                    {
                        first = Some((rival, when));
                    }
                }
                first
            }
        }
    }

    /// The vertex that overtakes the winner of `slot` at its due event; an inner node has only one candidate.
    #[inline]
    fn overtaker(&self, tracks: &Trajectories, clock: &Clock, slot: u32) -> Option<u32> {
        let (node, direction) = (slot / Self::SLOTS as u32, slot as usize % Self::SLOTS);
        match self.topology.below(node) {
            NodeContent::Children(child) => {
                let [left, right] = [child, child + 1].map(|c| self.winner(c, direction));
                let is_left = left == self.winners[slot as usize];
                Some(if is_left { right } else { left })
            }
            NodeContent::Face(_) => self.challenger(tracks, clock, slot).map(|(new, _)| new),
        }
    }

    #[inline]
    fn refresh(&mut self, tracks: &Trajectories, clock: &Clock, slot: u32) {
        self.counts.certificates += 1;
        let when = self
            .challenger(tracks, clock, slot)
            .map_or(EventTime::Never, |(_, when)| when);
        self.event_queue.set(slot, when);
    }

    /// The time of the next event in this segment.
    #[inline]
    pub(super) fn next_time(&self) -> Option<f64> {
        self.event_queue.first().map(|e| e.time)
    }

    pub(super) fn next_segment(&self, clock: &Clock) -> Option<u32> {
        self.event_queue.next_segment(clock.segment)
    }

    /// Does the next event.
    pub(super) fn step(&mut self, tracks: &Trajectories, clock: &Clock) {
        self.changed.clear();
        let Some(event) = self.event_queue.pop() else {
            return;
        };
        self.counts.events += 1;
        let Some(new) = self.overtaker(tracks, clock, event.slot) else {
            return;
        };
        let direction = event.slot as usize % Self::SLOTS;
        let old = self.winners[event.slot as usize];
        let mut slot = event.slot;
        loop {
            let is_changed = self.winners[slot as usize] == old;
            if is_changed {
                self.winners[slot as usize] = new;
                self.counts.updates += 1;
                self.changed.push(slot);
            }
            self.refresh(tracks, clock, slot);
            if !is_changed {
                break;
            }
            let Some(parent) = self.topology.parent(slot / Self::SLOTS as u32) else {
                break;
            };
            slot = self.slot(parent, direction);
        }
    }

    /// Takes note that the clock is at the start of its segment.
    pub(super) fn enter(&mut self, tracks: &Trajectories, clock: &Clock) {
        let slots = self.event_queue.open(clock.segment);
        for &slot in &slots {
            self.refresh(tracks, clock, slot);
        }
        self.event_queue.give_back(slots);
    }

    pub(super) fn extended(&mut self, tracks: &Trajectories, clock: &Clock) {
        self.event_queue.extend(tracks.segments() as usize);
        for node in self.topology.upwards() {
            for direction in 0..Self::SLOTS {
                let slot = self.slot(node, direction);
                if self.event_queue.is_never(slot) {
                    self.refresh(tracks, clock, slot);
                }
            }
        }
    }

    /// Computes the certificates of some vertices again. The nodes that they are extreme in, by direction, go to `touched` as slots.
    pub(super) fn rerouted(
        &mut self,
        tracks: &Trajectories,
        clock: &Clock,
        vertices: &[VertexId],
        touched: &mut Vec<u32>,
    ) {
        let incidence = self
            .incidence
            .take()
            .unwrap_or_else(|| self.topology.incidence(tracks.vertices()));
        for vertex in vertices.iter().filter(|v| v.index() < tracks.vertices()) {
            for &leaf in incidence.leaves(vertex.raw()) {
                for direction in 0..Self::SLOTS {
                    let mut slot = self.slot(leaf, direction);
                    loop {
                        self.refresh(tracks, clock, slot);
                        if self.winners[slot as usize] != vertex.raw() {
                            break;
                        }
                        touched.push(slot);
                        let Some(parent) = self.topology.parent(slot / Self::SLOTS as u32) else {
                            break;
                        };
                        slot = self.slot(parent, direction);
                    }
                }
            }
        }
        self.incidence = Some(incidence);
    }

    pub(super) fn incident_leaves(&self, vertex: VertexId) -> &[u32] {
        self.incidence
            .as_ref()
            .map_or(&[], |i| i.leaves(vertex.raw()))
    }

    /// Runs all events up to a time.
    pub(super) fn advance(&mut self, tracks: &Trajectories, clock: &mut Clock, to: f64) {
        self.advance_within(tracks, clock, to, u64::MAX);
    }

    /// Runs the events up to a time, but no more than `most`. Returns whether the time was reached; if not, it is right at the clock's time.
    pub(super) fn advance_within(
        &mut self,
        tracks: &Trajectories,
        clock: &mut Clock,
        to: f64,
        most: u64,
    ) -> bool {
        let last = self.counts.events.saturating_add(most);
        loop {
            let end = tracks.segment_end(clock.segment);
            while let Some(time) = self.next_time() {
                if time > to.min(end) {
                    break;
                }
                if self.counts.events >= last {
                    return false;
                }
                clock.now = clock.now.max(time);
                self.step(tracks, clock);
            }
            if to <= end || clock.segment >= tracks.segments() {
                break;
            }
            clock.segment += 1;
            clock.now = end;
            self.enter(tracks, clock);
        }
        clock.now = to;
        true
    }

    /// A time before which nothing happens.
    pub(super) fn next_event(&self, tracks: &Trajectories, clock: &Clock) -> Option<f64> {
        self.event_queue.next_event(tracks, clock)
    }

    /// The first node and direction whose winner is farther behind than `tolerance`.
    pub(super) fn fault(
        &self,
        tracks: &Trajectories,
        clock: &Clock,
        tolerance: f64,
    ) -> Option<String> {
        let mut extremes = vec![[0.0_f64; 2]; self.topology.node_count()];
        for axis in 0..D {
            for node in self.topology.upwards() {
                let at = |v: u32| tracks.at(axis, v, clock.segment, clock.now);
                let extreme = match self.topology.below(node) {
                    NodeContent::Face(face) => {
                        let [a, b, c] = self.topology.corners(face).map(at);
                        [a.min(b).min(c), a.max(b).max(c)]
                    }
                    NodeContent::Children(child) => {
                        let [p, q] = [child, child + 1].map(|c| extremes[c as usize]);
                        [p[0].min(q[0]), p[1].max(q[1])]
                    }
                };
                extremes[node as usize] = extreme;
                for (side, expected) in extreme.into_iter().enumerate() {
                    let winner = self.winner(node, 2 * axis + side);
                    let found = at(winner);
                    if (found - expected).abs() > tolerance {
                        return Some(format!(
                            "node {node}, axis {axis}: vertex {winner} is at {found}, the extreme is {expected}, at time {}",
                            clock.now
                        ));
                    }
                }
            }
        }
        None
    }
}

/// By node and direction, the vertex that is extreme at a key that is not the last. Of equals, the one that leads at the next.
pub(super) fn first_winners(
    topology: &TreeTopology,
    tracks: &Trajectories,
    axes: usize,
    key: usize,
) -> Vec<u32> {
    let slots = 2 * axes;
    let mut winners = vec![0; topology.node_count() * slots];
    for node in topology.upwards() {
        for direction in 0..slots {
            let (axis, is_max) = (direction / 2, direction % 2 == 1);
            let foremost = |winner: u32, u: u32| {
                let (x, y) = (tracks.row(axis, u), tracks.row(axis, winner));
                let ahead = |k: usize| if is_max { x[k] > y[k] } else { x[k] < y[k] };
                if ahead(key) || (x[key] == y[key] && ahead(key + 1)) {
                    u
                } else {
                    winner
                }
            };
            winners[node as usize * slots + direction] = match topology.below(node) {
                NodeContent::Face(face) => {
                    let [a, b, c] = topology.corners(face);
                    foremost(foremost(a, b), c)
                }
                NodeContent::Children(child) => {
                    let of = |c: u32| winners[c as usize * slots + direction];
                    foremost(of(child), of(child + 1))
                }
            };
        }
    }
    winners
}

#[inline]
pub(super) fn is_before(a: EventTime, b: EventTime) -> bool {
    match (a, b) {
        (EventTime::At(a), EventTime::At(b)) => a < b,
        (EventTime::During(a), EventTime::During(b)) => a < b,
        (EventTime::At(_), _) => true,
        _ => false,
    }
}

/// When the rival overtakes the leader.
#[inline]
pub(super) fn overtaking(
    tracks: &Trajectories,
    clock: &Clock,
    direction: usize,
    leader: u32,
    rival: u32,
) -> Option<EventTime> {
    overtaking_until(tracks, clock, direction, [leader, rival], tracks.segments())
}

/// As [`overtaking`], but none after this segment, which is not before the clock's.
#[inline]
pub(super) fn overtaking_until(
    tracks: &Trajectories,
    clock: &Clock,
    direction: usize,
    [leader, rival]: [u32; 2],
    until: u32,
) -> Option<EventTime> {
    if leader == rival {
        return None;
    }
    let axis = direction / 2;
    let (pair, from) = ([leader, rival], clock.segment);
    let segment = if direction % 2 == 1 {
        tracks.first_segment_until(axis, pair, from, until, |l, r| r > l)
    } else {
        tracks.first_segment_until(axis, pair, from, until, |l, r| r < l)
    }?;
    if segment > clock.segment {
        return Some(EventTime::During(segment));
    }
    let time = tracks.stretch(axis, leader, rival, segment).crossing(0.0);
    Some(EventTime::At(time.max(clock.now)))
}
