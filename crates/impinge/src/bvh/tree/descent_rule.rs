//! Descent rule: which of two nodes is opened.
//!
//! **Question.** Two overlapping nodes both have children: which node is descended?
//! **Idea.** Descending the larger one reduces the compared volume most, and so excludes the most
//! pairs; the other rules are kept for comparison. Descending one tree to its leaves first is worse
//! than no tree when a small body is inside a large one.
//! **Source.** The rules as listed by Sjöberg and Ylinenpää, *Collision detection for haptic
//! rendering*, 2009.

use std::cmp::Ordering;

use super::cache::PendingPair;
use super::config::Descent;
use super::node::BvhNode;
use crate::bound::BoundingVolume;

/// What to open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenSide {
    A,
    B,
    Both,
    /// Whichever has fewer children that overlap the other.
    Fewer,
}

/// What the recent steps of a search lost, for each tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PruneHistory {
    lost: [f64; 2],
}

/// How much of the past each step forgets.
const FORGET: f64 = 0.125;

impl PruneHistory {
    /// Takes note of a step: of `all` children of one tree, `kept` overlap.
    pub(super) fn note(&mut self, opened_b: bool, all: usize, kept: usize) {
        let lost = 1.0 - kept as f64 / all.max(1) as f64;
        let mean = &mut self.lost[usize::from(opened_b)];
        *mean += (lost - *mean) * FORGET;
    }
}

/// What to open of two nodes that are not both leaves.
#[inline]
pub(super) fn opened<V: BoundingVolume>(
    rule: Descent,
    a: &BvhNode<V>,
    b: &BvhNode<V>,
    pending: &PendingPair,
    history: &PruneHistory,
) -> OpenSide {
    let opens_a = match (a.is_leaf(), b.is_leaf()) {
        (true, _) => false,
        (_, true) => true,
        _ => match rule {
            Descent::Simultaneous => return OpenSide::Both,
            Descent::FewestOverlaps => return OpenSide::Fewer,
            Descent::FirstTree => true,
            Descent::Larger => a.volume.size() >= b.volume.size(),
            Descent::Alternate => !pending.b_next,
            Descent::History => match history.lost[0].total_cmp(&history.lost[1]) {
                Ordering::Greater => true,
                Ordering::Less => false,
                Ordering::Equal => a.volume.size() >= b.volume.size(),
            },
        },
    };
    if opens_a { OpenSide::A } else { OpenSide::B }
}
