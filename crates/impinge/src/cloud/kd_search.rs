//! Queries of a [`KdTree`].

use glam::DVec3;

use super::kd_tree::{BucketPoint, KdTree, STACK, distance_sq};
use super::point_cloud::PointId;
use crate::math::is_valid_point;

/// A point and how far away it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The point.
    pub point: PointId,
    /// Its squared distance.
    pub distance_sq: f64,
}

impl Neighbour {
    /// The distance.
    ///
    /// ```
    /// use impinge::cloud::{Neighbour, PointId};
    /// assert_eq!(Neighbour { point: PointId::new(0), distance_sq: 9.0 }.distance(), 3.0);
    /// ```
    #[must_use]
    pub fn distance(&self) -> f64 {
        self.distance_sq.sqrt()
    }

    fn is_before(&self, other: &Self) -> bool {
        self.distance_sq < other.distance_sq
            || (self.distance_sq == other.distance_sq && self.point < other.point)
    }
}

/// A bound on distance and id when no point is known yet.
const NOTHING: (f64, u32) = (f64::INFINITY, u32::MAX);

/// Nodes still to be visited.
struct OrderedStack {
    items: [(u32, f64); STACK],
    len: usize,
}

impl OrderedStack {
    fn new() -> Self {
        Self {
            items: [(0, 0.0); STACK],
            len: 1,
        }
    }

    #[inline]
    fn push(&mut self, node: u32, distance_sq: f64) {
        // The tree is never deeper than the stack; a search leaves at most one node per level.
        if let Some(item) = self.items.get_mut(self.len) {
            *item = (node, distance_sq);
            self.len += 1;
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, f64)> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
}

/// Nodes still to be visited, in no order of nearness.
struct PlainStack {
    items: [u32; STACK],
    len: usize,
}

impl PlainStack {
    fn new() -> Self {
        Self {
            items: [0; STACK],
            len: 1,
        }
    }

    #[inline]
    fn push(&mut self, node: u32) {
        if let Some(item) = self.items.get_mut(self.len) {
            *item = node;
            self.len += 1;
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        Some(self.items[self.len])
    }
}

impl KdTree {
    /// The point nearest to `x`, the one with the smallest id among equals; none when there is no point or `x` is not finite.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::KdTree};
    /// let tree = KdTree::new(&[DVec3::X, DVec3::NEG_X]);
    /// assert_eq!(tree.nearest(DVec3::ZERO).unwrap().point.raw(), 0);
    /// assert!(tree.nearest(DVec3::NAN).is_none());
    /// ```
    #[must_use]
    pub fn nearest(&self, x: DVec3) -> Option<Neighbour> {
        if !is_valid_point(x) || self.is_empty() {
            return None;
        }
        let nobody = Neighbour {
            point: PointId::new(u32::MAX),
            distance_sq: f64::INFINITY,
        };
        Some(self.nearest_from(x, nobody))
    }

    /// As [`KdTree::nearest`] for a valid place, cheaper when a point is known that is near.
    pub(super) fn nearest_from(&self, x: DVec3, known: Neighbour) -> Neighbour {
        let mut best = known;
        let start = (best.distance_sq, best.point.raw());
        self.nearest_first(x, start, |slot, distance_sq| {
            let near = Neighbour {
                point: PointId::new(slot.id),
                distance_sq,
            };
            if near.is_before(&best) {
                best = near;
            }
            (best.distance_sq, best.point.raw())
        });
        best
    }

    /// The `k` points nearest to `x`, in order of distance, then id; fewer when there are fewer.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::KdTree};
    /// let tree = KdTree::new(&[DVec3::X, DVec3::ZERO, 2.0 * DVec3::X]);
    /// let mut found = Vec::new();
    /// tree.k_nearest(DVec3::ZERO, 2, &mut found);
    /// assert_eq!(found.iter().map(|n| n.point.raw()).collect::<Vec<_>>(), [1, 0]);
    /// ```
    pub fn k_nearest(&self, x: DVec3, k: usize, found: &mut Vec<Neighbour>) {
        found.clear();
        if !is_valid_point(x) || k == 0 {
            return;
        }
        self.nearest_first(x, NOTHING, |slot, distance_sq| {
            let near = Neighbour {
                point: PointId::new(slot.id),
                distance_sq,
            };
            let is_full = found.len() == k;
            if !is_full || found.last().is_some_and(|last| near.is_before(last)) {
                if is_full {
                    found.pop();
                }
                let at = found.partition_point(|other| other.is_before(&near));
                found.insert(at, near);
            }
            match found.last() {
                Some(last) if found.len() == k => (last.distance_sq, last.point.raw()),
                _ => (f64::INFINITY, u32::MAX),
            }
        });
    }

    /// The distance from a point to the `k`-th nearest other one, to the farthest when there are fewer, 0 when there are none.
    pub(super) fn distance_to_kth(
        &self,
        place: DVec3,
        own: u32,
        k: usize,
        best: &mut Vec<f64>,
    ) -> f64 {
        best.clear();
        self.nearest_first(place, NOTHING, |slot, distance_sq| {
            if slot.id != own {
                let is_full = best.len() == k;
                if !is_full || best.last().is_some_and(|&last| distance_sq < last) {
                    if is_full {
                        best.pop();
                    }
                    let at = best.partition_point(|&other| other <= distance_sq);
                    best.insert(at, distance_sq);
                }
            }
            match best.last() {
                // Only distances count, so equals need not be looked at.
                Some(&last) if best.len() == k => (last, 0),
                _ => (f64::INFINITY, u32::MAX),
            }
        });
        best.last().map_or(0.0, |last| last.sqrt())
    }

    /// Visits points near `x` until none can be nearer than what `visit` returns: a squared distance, and an id below which
    /// equals still matter. `start` is what is known before.
    #[inline]
    fn nearest_first(
        &self,
        x: DVec3,
        start: (f64, u32),
        mut visit: impl FnMut(&BucketPoint, f64) -> (f64, u32),
    ) {
        let (mut bound, mut lowest) = start;
        let mut stack = OrderedStack::new();
        while let Some((mut number, distance)) = stack.pop() {
            let matters = |distance: f64, bound: f64, node_lowest: u32, lowest: u32| {
                distance < bound || (distance == bound && node_lowest < lowest)
            };
            if !matters(distance, bound, self.nodes[number as usize].lowest, lowest) {
                continue;
            }
            loop {
                let node = &self.nodes[number as usize];
                if node.is_leaf() {
                    for slot in self.bucket(node) {
                        (bound, lowest) = visit(slot, distance_sq(slot.place, x));
                    }
                    break;
                }
                let (low, high) = (
                    &self.nodes[node.low as usize],
                    &self.nodes[node.high as usize],
                );
                let (to_low, to_high) = (low.distance_sq(x), high.distance_sq(x));
                let (near, far) = if to_low <= to_high {
                    (
                        (node.low, to_low, low.lowest),
                        (node.high, to_high, high.lowest),
                    )
                } else {
                    (
                        (node.high, to_high, high.lowest),
                        (node.low, to_low, low.lowest),
                    )
                };
                if matters(far.1, bound, far.2, lowest) {
                    stack.push(far.0, far.1);
                }
                if !matters(near.1, bound, near.2, lowest) {
                    break;
                }
                number = near.0;
            }
        }
    }

    /// The points at most `radius` from `x`, in order of distance, then id.
    ///
    /// ```
    /// use impinge::{DVec3, cloud::KdTree};
    /// let tree = KdTree::new(&[DVec3::X, DVec3::ZERO, 2.0 * DVec3::X]);
    /// let mut found = Vec::new();
    /// tree.within(DVec3::ZERO, 1.0, &mut found);
    /// assert_eq!(found.len(), 2);
    /// ```
    pub fn within(&self, x: DVec3, radius: f64, found: &mut Vec<Neighbour>) {
        found.clear();
        if !is_valid_point(x) || radius.is_nan() || radius < 0.0 {
            return;
        }
        self.visit_within(x, radius, |slot, distance_sq| {
            found.push(Neighbour {
                point: PointId::new(slot.id),
                distance_sq,
            });
        });
        found.sort_unstable_by(|a, b| {
            let by_distance = a.distance_sq.total_cmp(&b.distance_sq);
            by_distance.then(a.point.cmp(&b.point))
        });
    }

    /// Visits the points at most `radius` away, in no order that means anything, but always the same.
    #[inline]
    pub(super) fn visit_within(
        &self,
        x: DVec3,
        radius: f64,
        mut visit: impl FnMut(&BucketPoint, f64),
    ) {
        let radius_sq = radius * radius;
        let mut stack = PlainStack::new();
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            if node.distance_sq(x) > radius_sq {
                continue;
            }
            if node.is_leaf() {
                for slot in self.bucket(node) {
                    let distance_sq = distance_sq(slot.place, x);
                    if distance_sq <= radius_sq {
                        visit(slot, distance_sq);
                    }
                }
            } else {
                stack.push(node.high);
                stack.push(node.low);
            }
        }
    }

    /// Visits the points with `distance ≤ combine(own, reach of the point)`, where `combine` grows with both, until `visit` says stop.
    #[inline]
    pub(super) fn visit_reaching(
        &self,
        x: DVec3,
        own: f64,
        combine: impl Fn(f64, f64) -> f64,
        mut visit: impl FnMut(&BucketPoint, f64) -> bool,
    ) {
        let mut stack = PlainStack::new();
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            let limit = combine(own, node.reach);
            // Rounding of the square must not hide what the root would show.
            let limit_sq = limit * limit * (1.0 + 1e-14);
            if node.distance_sq(x) > limit_sq {
                continue;
            }
            if node.is_leaf() {
                for slot in self.bucket(node) {
                    let distance_sq = distance_sq(slot.place, x);
                    if distance_sq > limit_sq {
                        continue;
                    }
                    let distance = distance_sq.sqrt();
                    if distance <= combine(own, self.reach_of(slot.id)) && !visit(slot, distance) {
                        return;
                    }
                }
            } else {
                stack.push(node.high);
                stack.push(node.low);
            }
        }
    }
}
