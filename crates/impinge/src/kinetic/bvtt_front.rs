//! BVTT front: the pairs of boxes that a traversal would visit, in one array, with links from each box to its pairs.

pub(super) const NONE: u32 = u32::MAX;

/// What is known about a pair of boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PairState {
    /// Not in use.
    Free,
    /// The boxes are apart, as the witness shows. Part of the list.
    Apart,
    /// The boxes meet; the pairs of their children are below. Not part of the list.
    Split,
    /// Two leaves that meet. Part of the list.
    Leaves,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct FrontPair {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) father: u32,
    /// Of a split pair, the first of its children; of meeting leaves, their place among such.
    pub(super) first: u32,
    pub(super) count: u8,
    pub(super) state: PairState,
    pub(super) witness: u8,
    /// Whether a vertex in both keeps the boxes together at all times.
    pub(super) is_forever: bool,
}

const UNUSED: FrontPair = FrontPair {
    a: 0,
    b: 0,
    father: NONE,
    first: NONE,
    count: 0,
    state: PairState::Free,
    witness: 0,
    is_forever: false,
};

/// Lists of a box: one for each of its sides, for the pairs that the side keeps apart, and one for the pairs that meet.
const LISTS: usize = 7;
/// The number of the list of pairs that meet.
pub(super) const MEETING: usize = 6;
/// Children of a pair at most.
const MOST: usize = 4;

#[derive(Clone, Copy, Debug)]
struct FrontLink {
    next: u32,
    before: u32,
}

/// Pairs, links and the leaves that meet. A link is named `2 pair + side`.
#[derive(Clone, Debug)]
pub(super) struct BvttFront {
    pub(super) pairs: Vec<FrontPair>,
    links: Vec<FrontLink>,
    /// By tree: the first link of each list.
    heads: [Vec<u32>; 2],
    is_own: bool,
    /// By size: the beginnings of unused blocks.
    free: [Vec<u32>; MOST + 1],
    /// Pairs of leaves that meet, in no order.
    pub(super) leaves: Vec<u32>,
}

impl BvttFront {
    pub(super) fn new(nodes: [usize; 2], is_own: bool) -> Self {
        let second = if is_own { 0 } else { nodes[1] };
        Self {
            pairs: Vec::new(),
            links: Vec::new(),
            heads: [nodes[0], second].map(|n| vec![NONE; n * LISTS]),
            is_own,
            free: Default::default(),
            leaves: Vec::new(),
        }
    }

    /// A block of this many pairs side by side.
    pub(super) fn take(&mut self, count: usize) -> u32 {
        if let Some(first) = self.free[count].pop() {
            return first;
        }
        let first = self.pairs.len();
        self.pairs.resize(first + count, UNUSED);
        let link = FrontLink {
            next: NONE,
            before: NONE,
        };
        self.links.resize(2 * self.pairs.len(), link);
        first as u32
    }

    /// Gives the children of a pair back.
    pub(super) fn give_back(&mut self, first: u32, count: u8) {
        for pair in first..first + u32::from(count) {
            self.pairs[pair as usize] = UNUSED;
        }
        self.free[count as usize].push(first);
    }

    #[inline]
    pub(super) fn tree(&self, side: usize) -> usize {
        if self.is_own { 0 } else { side }
    }

    #[inline]
    fn head(&self, side: usize, node: u32, list: usize) -> (usize, usize) {
        (self.tree(side), node as usize * LISTS + list)
    }

    /// Puts a pair into a list of each of its boxes.
    pub(super) fn link(&mut self, pair: u32, lists: [usize; 2]) {
        let FrontPair { a, b, .. } = self.pairs[pair as usize];
        for (side, node) in [a, b].into_iter().enumerate() {
            let (tree, at) = self.head(side, node, lists[side]);
            let link = 2 * pair + side as u32;
            let next = std::mem::replace(&mut self.heads[tree][at], link);
            self.links[link as usize] = FrontLink { next, before: NONE };
            if next != NONE {
                self.links[next as usize].before = link;
            }
        }
    }

    /// Takes a pair out of the lists that it is in.
    pub(super) fn unlink(&mut self, pair: u32, lists: [usize; 2]) {
        let FrontPair { a, b, .. } = self.pairs[pair as usize];
        for (side, node) in [a, b].into_iter().enumerate() {
            let FrontLink { next, before } = self.links[(2 * pair + side as u32) as usize];
            if before == NONE {
                let (tree, at) = self.head(side, node, lists[side]);
                self.heads[tree][at] = next;
            } else {
                self.links[before as usize].next = next;
            }
            if next != NONE {
                self.links[next as usize].before = before;
            }
        }
    }

    /// The pairs in a list of a box.
    pub(super) fn list(&self, tree: usize, node: u32, list: usize) -> impl Iterator<Item = u32> {
        let mut link = self.heads[tree][node as usize * LISTS + list];
        std::iter::from_fn(move || {
            if link == NONE {
                return None;
            }
            let pair = link / 2;
            link = self.links[link as usize].next;
            Some(pair)
        })
    }

    /// Notes that two leaves meet.
    pub(super) fn add_leaves(&mut self, pair: u32) {
        self.pairs[pair as usize].first = self.leaves.len() as u32;
        self.leaves.push(pair);
    }

    /// Notes that two leaves no longer meet.
    pub(super) fn drop_leaves(&mut self, pair: u32) {
        let place = self.pairs[pair as usize].first as usize;
        self.leaves.swap_remove(place);
        if let Some(&moved) = self.leaves.get(place) {
            self.pairs[moved as usize].first = place as u32;
        }
    }
}
