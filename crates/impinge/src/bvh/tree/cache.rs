//! What a traversal keeps between queries.

use std::collections::HashSet;

use glam::DVec3;

use crate::query::{FacePair, Work};

/// A pair of nodes still to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPair {
    pub(super) a: u32,
    pub(super) b: u32,
    /// Whether the second tree is to be opened next, where they take turns.
    pub(super) b_next: bool,
    /// No faces below are nearer than this.
    pub(super) at_least: f64,
    /// Which of two pairs is opened first: the one with the lower rank.
    pub(super) rank: f64,
}

/// Scratch memory of a search, the work done for the last query, and the nearest faces it found.
///
/// Dropping it changes no answer, only the time of the next query.
#[derive(Clone, Debug, Default)]
pub struct BvhCache {
    pub(super) stack: Vec<PendingPair>,
    /// Pairs of children, on their way to the stack.
    pub(super) children: Vec<PendingPair>,
    /// The second tree's faces of the leaf at hand, placed.
    pub(super) placed: Vec<[DVec3; 3]>,
    /// Pairs of faces already decided, where faces may be in several leaves. Never iterated.
    pub(super) seen: HashSet<(u32, u32)>,
    /// The nearest faces of the last distance.
    pub(super) guess: Option<FacePair>,
    pub(super) work: Work,
}
