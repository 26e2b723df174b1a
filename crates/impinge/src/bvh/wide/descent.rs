//! Simultaneous traversal of two trees: pairs of subtrees, and how a pair is opened.

use super::layout::{LEAF, WIDTH, WideNode};
use super::obb_lanes::{
    CarriedBox, DirectedBounds, between_centers, directed_bounds, distance_at_least, overlapping,
    overlapping_by_edges,
};
use super::relative_pose::RelativePose;
use super::tree::WideTree;
use crate::math::simd::lanes::Lanes;

/// A pair of subtrees still to be searched: each is named, and so is the lane that holds its box.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPair {
    pub(super) a: u32,
    pub(super) b: u32,
    /// `8·node + lane` of a's box.
    pub(super) lane_a: u32,
    pub(super) lane_b: u32,
    pub(super) at_least: f32,
}

/// Which subtree of a pair to open: the larger box's.
#[inline(always)]
pub(super) fn opens_a(a: &[WideNode], b: &[WideNode], pair: &PendingPair, scale: f32) -> bool {
    if pair.a & LEAF != 0 {
        return false;
    }
    if pair.b & LEAF != 0 {
        return true;
    }
    let size =
        |nodes: &[WideNode], lane: u32| nodes[lane as usize / WIDTH].size(lane as usize % WIDTH);
    size(a, pair.lane_a) >= size(b, pair.lane_b) * scale
}

/// A pair opened on one side: the node there, and the other side's box.
pub(super) struct Opened<'t> {
    pub(super) in_a: bool,
    pub(super) node: &'t WideNode,
    holder: &'t WideNode,
    lane: usize,
    relative: &'t RelativePose,
}

impl<'t> Opened<'t> {
    #[inline(always)]
    pub(super) fn new(
        trees: [&'t WideTree; 2],
        pair: &PendingPair,
        in_a: bool,
        forth: &'t RelativePose,
        back: &'t RelativePose,
    ) -> Self {
        let (a, b) = (trees[0].nodes.as_slice(), trees[1].nodes.as_slice());
        let (node, holders, lane, relative) = if in_a {
            (&a[pair.a as usize], b, pair.lane_b as usize, forth)
        } else {
            (&b[pair.b as usize], a, pair.lane_a as usize, back)
        };
        Self {
            in_a,
            node,
            holder: &holders[lane / WIDTH],
            lane: lane % WIDTH,
            relative,
        }
    }

    /// The other side's box in the opened node's frame.
    #[inline(always)]
    pub(super) fn carried<T: Lanes>(&self) -> CarriedBox {
        CarriedBox::new::<T>(self.holder, self.lane, self.relative)
    }

    /// Distances of the children's centres from the other box's, in a's units.
    #[inline(always)]
    pub(super) fn between_centers<T: Lanes>(&self, scale: f32) -> T {
        let between = between_centers::<T>(self.node, self.holder, self.lane, self.relative);
        between * T::splat(if self.in_a { 1.0 } else { scale })
    }

    /// Children that may meet the other box.
    #[inline(always)]
    pub(super) fn overlapping<T: Lanes>(&self, pair: &PendingPair) -> u32 {
        let other = if self.in_a { pair.b } else { pair.a };
        if other & LEAF != 0 {
            overlapping_by_edges::<T>(self.node, &self.carried::<T>(), self.relative.margin)
        } else {
            overlapping::<T>(self.node, &self.carried::<T>())
        }
    }

    /// Lower bounds on the children's distances from the other box, in a's units.
    #[inline(always)]
    pub(super) fn distance_at_least<T: Lanes>(&self, scale: f32) -> T {
        // Bounds in b come in b's units; the scale between the two is a power of two, so exact.
        let at_least = distance_at_least::<T>(self.node, &self.carried::<T>());
        at_least * T::splat(if self.in_a { 1.0 } else { scale })
    }

    /// The same, with the directions that prove them.
    #[inline(always)]
    pub(super) fn directed_bounds<T: Lanes>(&self, scale: f32) -> DirectedBounds {
        let scale = if self.in_a { 1.0 } else { scale };
        directed_bounds::<T>(self.node, &self.carried::<T>(), scale)
    }

    /// Child `k` of the pair.
    #[inline(always)]
    pub(super) fn child(&self, pair: &PendingPair, k: usize, at_least: f32) -> PendingPair {
        let child = self.node.child[k];
        let lane = |node: u32| node * WIDTH as u32 + k as u32;
        if self.in_a {
            PendingPair {
                a: child,
                lane_a: lane(pair.a),
                at_least,
                ..*pair
            }
        } else {
            PendingPair {
                b: child,
                lane_b: lane(pair.b),
                at_least,
                ..*pair
            }
        }
    }
}
