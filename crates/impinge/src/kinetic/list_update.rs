//! Updates a separation list: expands pairs where boxes begin to overlap, collapses them where they separate.
//!
//! Both jump: an expansion goes straight down to the disjoint pairs, a collapse straight up to the
//! topmost disjoint pair.

use super::Keyframes;
use super::box_gap::sides;
use super::bvtt_front::{FrontPair, MEETING, NONE, PairState};
use super::event_queue::EventTime;
use super::separation_list::SeparationList;
use super::topology::NodeContent;
use super::trajectories::Trajectories;

impl SeparationList {
    /// Finds the state of a new pair. One that meets is left open.
    pub(super) fn place(&mut self, flight: &Keyframes, pair: u32) {
        let FrontPair { a, b, .. } = self.front.pairs[pair as usize];
        if self.is_own && a == b {
            self.front.pairs[pair as usize].is_forever = true;
            self.open.push(pair);
            return;
        }
        match self.compare(flight.tracks(), pair) {
            Some((witness, when)) => self.set_apart(pair, witness, when),
            None => self.open.push(pair),
        }
    }

    pub(super) fn set_apart(&mut self, pair: u32, witness: u8, when: EventTime) {
        let entry = &mut self.front.pairs[pair as usize];
        (entry.state, entry.witness) = (PairState::Apart, witness);
        self.front.link(pair, sides(witness));
        self.event_queue.set(2 * pair, when);
    }

    /// Descends from all open pairs to those that are apart and to leaves.
    pub(super) fn unfold(&mut self, flight: &Keyframes) {
        while let Some(pair) = self.open.pop() {
            let FrontPair { a, b, .. } = self.front.pairs[pair as usize];
            let below = [
                self.tree(0).topology.below(a),
                self.tree(1).topology.below(b),
            ];
            let mut children = [(0, 0); 4];
            let count = match below {
                [NodeContent::Face(f), NodeContent::Face(g)] => {
                    self.meet(flight, pair, [f, g]);
                    continue;
                }
                [NodeContent::Children(c), NodeContent::Children(_)] if self.is_own && a == b => {
                    let is_inner = |n: u32| {
                        matches!(self.trees[0].topology.below(n), NodeContent::Children(_))
                    };
                    let mut count = 0;
                    for (child, is_wanted) in [
                        ((c, c + 1), true),
                        ((c, c), is_inner(c)),
                        ((c + 1, c + 1), is_inner(c + 1)),
                    ] {
                        if is_wanted {
                            children[count] = child;
                            count += 1;
                        }
                    }
                    count
                }
                [NodeContent::Children(c), NodeContent::Children(d)] => {
                    children = [(c, d), (c, d + 1), (c + 1, d), (c + 1, d + 1)];
                    4
                }
                [NodeContent::Children(c), NodeContent::Face(_)] => {
                    (children[0], children[1]) = ((c, b), (c + 1, b));
                    2
                }
                [NodeContent::Face(_), NodeContent::Children(d)] => {
                    (children[0], children[1]) = ((a, d), (a, d + 1));
                    2
                }
            };
            let first = self.front.take(count);
            self.event_queue.grow(2 * self.front.pairs.len());
            let entry = &mut self.front.pairs[pair as usize];
            (entry.state, entry.first, entry.count) = (PairState::Split, first, count as u8);
            self.front.link(pair, [MEETING; 2]);
            let when = self.parting(flight.tracks(), pair);
            self.event_queue.set(2 * pair, when);
            for (k, &(a, b)) in children[..count].iter().enumerate() {
                let child = first + k as u32;
                let entry = &mut self.front.pairs[child as usize];
                (entry.a, entry.b, entry.father) = (a, b, pair);
                self.place(flight, child);
            }
        }
    }

    /// Two leaves meet.
    pub(super) fn meet(&mut self, flight: &Keyframes, pair: u32, [f, g]: [u32; 2]) {
        self.front.pairs[pair as usize].state = PairState::Leaves;
        self.front.link(pair, [MEETING; 2]);
        self.front.add_leaves(pair);
        let [first, second] = [
            self.tree(0).topology.corners(f),
            self.tree(1).topology.corners(g),
        ];
        if first.iter().any(|v| second.contains(v)) {
            self.bind(pair);
        }
        let when = self.parting(flight.tracks(), pair);
        self.event_queue.set(2 * pair, when);
        self.await_touch(flight, pair);
    }

    /// A common vertex keeps a pair and all above it together.
    pub(super) fn bind(&mut self, pair: u32) {
        let mut pair = pair;
        while pair != NONE && !self.front.pairs[pair as usize].is_forever {
            self.front.pairs[pair as usize].is_forever = true;
            self.event_queue.set(2 * pair, EventTime::Never);
            pair = self.front.pairs[pair as usize].father;
        }
    }

    /// Everything below a pair leaves the list.
    pub(super) fn fold(&mut self, pair: u32) {
        self.release(pair);
        let FrontPair { first, count, .. } = self.front.pairs[pair as usize];
        let mut blocks = std::mem::take(&mut self.blocks);
        if self.front.pairs[pair as usize].state == PairState::Split {
            blocks.push((first, count));
        }
        while let Some((first, count)) = blocks.pop() {
            for child in first..first + u32::from(count) {
                let FrontPair {
                    state,
                    first,
                    count,
                    ..
                } = self.front.pairs[child as usize];
                if state == PairState::Split {
                    blocks.push((first, count));
                }
                self.release(child);
            }
            self.front.give_back(first, count);
        }
        self.blocks = blocks;
    }

    /// Takes a pair out of all lists and its events off the event queue.
    pub(super) fn release(&mut self, pair: u32) {
        let FrontPair { state, witness, .. } = self.front.pairs[pair as usize];
        match state {
            PairState::Apart => self.front.unlink(pair, sides(witness)),
            PairState::Split => self.front.unlink(pair, [MEETING; 2]),
            PairState::Leaves => {
                self.front.unlink(pair, [MEETING; 2]);
                self.front.drop_leaves(pair);
                self.event_queue.set(2 * pair + 1, EventTime::Never);
            }
            PairState::Free => {}
        }
        self.event_queue.set(2 * pair, EventTime::Never);
    }

    /// The topmost ancestor of a separated pair that also separated.
    pub(super) fn ascend(
        &mut self,
        tracks: &Trajectories,
        pair: u32,
        found: (u8, EventTime),
    ) -> (u32, (u8, EventTime)) {
        let (mut top, mut best) = (pair, found);
        loop {
            let father = self.front.pairs[top as usize].father;
            if father == NONE || self.front.pairs[father as usize].is_forever {
                return (top, best);
            }
            let Some(found) = self.compare(tracks, father) else {
                return (top, best);
            };
            (top, best) = (father, found);
        }
    }
}
