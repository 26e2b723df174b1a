//! Estimates the number of events from a part of the tree.
//!
//! **Idea.** An event is a change of the child that a winner comes from. Comparing keys shows
//! whether that child differs between two keys, without simulating events. Small subtrees, spread
//! over the tree, are examined key by key and their changes counted.
//! **Promise.** None: a child may win and lose again between two keys, and the nodes above the
//! subtrees are ignored. It is an estimate, the same on every machine.

use super::topology::{NodeContent, TreeTopology};
use super::trajectories::Trajectories;

/// The most faces of a subtree that is examined.
const BLOCK: u32 = 64;
/// At most this many subtrees are passed over for one that is examined, and fewer when there are few.
const ONE_IN: usize = 16;
const LEAST_BLOCKS: usize = 16;
const DIRECTIONS: usize = 6;

/// The events to be expected in each segment from this one on; the first segment is 1.
pub(super) fn events_by_segment(
    topology: &TreeTopology,
    tracks: &Trajectories,
    first: usize,
) -> Vec<f64> {
    let count = (tracks.segments() as usize + 1).saturating_sub(first);
    let mut changes = vec![0_u64; count];
    let blocks = blocks(topology);
    let one_in = (blocks.len() / LEAST_BLOCKS).clamp(1, ONE_IN);
    let mut looked_at = 0;
    let mut block = SubtreeSample::default();
    for &root in blocks.iter().step_by(one_in) {
        block.gather(topology, root);
        block.count(tracks, first, &mut changes);
        looked_at += block.nodes.len();
    }
    let nodes = topology.node_count().saturating_sub(1);
    let scale = nodes as f64 / looked_at.max(1) as f64;
    changes.into_iter().map(|n| scale * n as f64).collect()
}

/// The roots of the largest subtrees that are small enough.
fn blocks(topology: &TreeTopology) -> Vec<u32> {
    if topology.is_empty() {
        return Vec::new();
    }
    let mut faces = vec![1_u32; topology.node_count()];
    for node in topology.upwards() {
        if let NodeContent::Children(child) = topology.below(node) {
            faces[node as usize] = faces[child as usize] + faces[child as usize + 1];
        }
    }
    let is_small = |node: u32| faces[node as usize] <= BLOCK;
    let mut roots: Vec<u32> = topology
        .upwards()
        .filter(|&node| is_small(node) && topology.parent(node).is_none_or(|p| !is_small(p)))
        .collect();
    roots.reverse();
    roots
}

#[derive(Clone, Copy, Debug)]
enum SamplePosition {
    Corners([u32; 3]),
    /// Where the first of two neighbours is in the block.
    Children(usize),
}

/// A subtree, parents before their children.
#[derive(Debug, Default)]
struct SubtreeSample {
    nodes: Vec<u32>,
    spots: Vec<SamplePosition>,
    /// By node and direction: which child or corner wins, and the winner.
    sides: Vec<[u8; DIRECTIONS]>,
    winners: Vec<[u32; DIRECTIONS]>,
}

impl SubtreeSample {
    fn gather(&mut self, topology: &TreeTopology, root: u32) {
        self.nodes.clear();
        self.spots.clear();
        self.nodes.push(root);
        let mut next = 0;
        while let Some(&node) = self.nodes.get(next) {
            next += 1;
            self.spots.push(match topology.below(node) {
                NodeContent::Face(face) => SamplePosition::Corners(topology.corners(face)),
                NodeContent::Children(child) => {
                    let at = self.nodes.len();
                    self.nodes.extend([child, child + 1]);
                    SamplePosition::Children(at)
                }
            });
        }
        self.sides.clear();
        self.sides.resize(self.nodes.len(), [0; DIRECTIONS]);
        self.winners.clear();
        self.winners.resize(self.nodes.len(), [0; DIRECTIONS]);
    }

    /// Adds the changes between every key, from the first given on, and the one before.
    fn count(&mut self, tracks: &Trajectories, first: usize, changes: &mut [u64]) {
        self.settle(tracks, first - 1);
        for (key, changes) in (first..).zip(changes) {
            *changes += self.settle(tracks, key);
        }
    }

    /// Lets those win who are ahead at a key; of equals, who won before. Returns how many nodes and directions changed sides.
    fn settle(&mut self, tracks: &Trajectories, key: usize) -> u64 {
        let mut changed = 0;
        for at in (0..self.spots.len()).rev() {
            for direction in 0..DIRECTIONS {
                let (axis, is_max) = (direction / 2, direction % 2 == 1);
                let value = |vertex: u32| {
                    let x = tracks.row(axis, vertex)[key];
                    if is_max { x } else { -x }
                };
                let rivals = match self.spots[at] {
                    SamplePosition::Corners(corners) => corners,
                    SamplePosition::Children(child) => {
                        let [p, q] = [child, child + 1].map(|c| self.winners[c][direction]);
                        [p, q, q]
                    }
                };
                let before = self.sides[at][direction];
                let mut side = before;
                let mut best = value(rivals[usize::from(before)]);
                for (k, &rival) in rivals.iter().enumerate() {
                    let x = value(rival);
                    if x > best {
                        (best, side) = (x, k as u8);
                    }
                }
                changed += u64::from(side != before);
                self.sides[at][direction] = side;
                self.winners[at][direction] = rivals[usize::from(side)];
            }
        }
        changed
    }
}
