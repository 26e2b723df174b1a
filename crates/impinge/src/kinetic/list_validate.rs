//! Checks a separation list against boxes computed for this time.

use super::Keyframes;
use super::bvtt_front::{NONE, PairState};
use super::separation_list::SeparationList;
use super::topology::{NodeContent, TreeTopology};
use crate::bound::Aabb;

/// The boxes of all nodes at a time, from positions and nothing else.
pub(super) fn boxes_at(
    flight: &Keyframes,
    topology: &TreeTopology,
    segment: u32,
    now: f64,
) -> Vec<Aabb> {
    let mut boxes = vec![Aabb::EMPTY; topology.node_count()];
    for node in topology.upwards() {
        boxes[node as usize] = match topology.below(node) {
            NodeContent::Face(face) => {
                let corners = topology.corners(face);
                Aabb::enclosing(corners.map(|v| flight.place(v, segment, now)))
            }
            NodeContent::Children(child) => boxes[child as usize].union(&boxes[child as usize + 1]),
        };
    }
    boxes
}

impl SeparationList {
    /// The first pair that a search at this time would see otherwise.
    pub(super) fn fault(&self, flight: &Keyframes) -> Option<String> {
        let (segment, now) = (self.clock.segment, self.clock.now);
        let tolerance = 2.0 * flight.rounding();
        for tree in &self.trees {
            if let Some(fault) = tree.fault(flight.tracks(), &self.clock, flight.rounding()) {
                return Some(fault);
            }
        }
        let boxes: Vec<Vec<Aabb>> = self
            .trees
            .iter()
            .map(|tree| boxes_at(flight, &tree.topology, segment, now))
            .collect();
        for (number, pair) in self.front.pairs.iter().enumerate() {
            if pair.state == PairState::Free {
                continue;
            }
            if pair.father != NONE
                && self.front.pairs[pair.father as usize].state != PairState::Split
            {
                return Some(format!(
                    "pair {number} is listed below a pair that is listed"
                ));
            }
            let a = boxes[self.front.tree(0)][pair.a as usize];
            let b = boxes[self.front.tree(1)][pair.b as usize];
            let widest = (b.min - a.max).max(a.min - b.max).max_element() - self.margin;
            let is_wrong = match pair.state {
                PairState::Apart => widest < -tolerance,
                _ => widest > tolerance,
            };
            if is_wrong {
                return Some(format!(
                    "pair {number} of nodes {} and {} is held for {:?}, but the widest gap is {widest}, at time {now}",
                    pair.a, pair.b, pair.state
                ));
            }
        }
        None
    }
}
