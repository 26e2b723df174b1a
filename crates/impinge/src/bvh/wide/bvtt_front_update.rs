//! Distance query that starts from the BVTT front of the last query.

use glam::DVec3;

use super::bvtt_front::{FrontBounds, FrontPair};
use super::descent::{Opened, PendingPair};
use super::distance::{DistanceTraversal, least_of, push_children};
use super::distance_state::{DistanceResult, DistanceState};
use super::layout::{NO_CHILD, WIDTH};
use super::obb_lanes::DirectedBounds;
use super::relative_pose::U;
use crate::math::simd::lanes::{Lanes, Mask};
use crate::query::Outcome;

/// A bit for every lane.
pub(super) const ALL_LANES: u32 = (1 << WIDTH) - 1;
/// Children up to this many times farther than the nearest faces each have a place of their own.
const CLOSE: f32 = 1.5;

impl<'s> DistanceTraversal<'s> {
    /// Begins a list of where this search turns back.
    pub(super) fn begin_recording(&mut self, best: &DistanceState) {
        self.cache.front.begin(self.a, self.b, self.forth);
        self.go_on_recording(best);
    }

    fn go_on_recording(&mut self, best: &DistanceState) {
        // Shortened a little, so that its length is at most one whatever rounding does.
        let n = best.found.map_or(DVec3::ZERO, |(s, _)| {
            (s.point_b - s.point_a).normalize_or_zero() * (1.0 - 16.0 * f64::from(U))
        });
        self.direction = [n.x as f32, n.y as f32, n.z as f32];
        self.records = true;
    }

    /// Remembers that these lanes of an opened pair are left.
    #[inline(always)]
    pub(super) fn record(
        &mut self,
        pair: &PendingPair,
        opened: &Opened<'_>,
        lanes: u32,
        apart: &DirectedBounds,
        best: &DistanceState,
    ) {
        let limit = CLOSE * best.prune;
        let (mut far, mut left) = (0_u32, lanes);
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            if opened.node.child[k] == NO_CHILD {
                continue;
            }
            // What is no number is no bound, and goes with the others.
            if apart.at_least[k] <= limit {
                let bounds = self.bounds(apart, opened.in_a, k);
                let place = FrontPair {
                    pair: *pair,
                    lanes: 1 << k,
                };
                let lane_b = if opened.in_a {
                    pair.lane_b
                } else {
                    pair.b * WIDTH as u32 + k as u32
                };
                self.cache.front.add(self.b, place, lane_b, &bounds);
            } else {
                far |= 1 << k;
            }
        }
        if far != 0 {
            let bounds = FrontBounds::at_least(least_of(&apart.at_least, far));
            let place = FrontPair {
                pair: *pair,
                lanes: far,
            };
            self.cache.front.add(self.b, place, pair.lane_b, &bounds);
        }
    }

    /// The bound along child `k`'s direction, in a's frame and units.
    #[inline(always)]
    fn bounds(&self, apart: &DirectedBounds, in_a: bool, k: usize) -> FrontBounds {
        let n = [
            apart.direction[0][k],
            apart.direction[1][k],
            apart.direction[2][k],
        ];
        let margin = self.forth.margin;
        if in_a {
            return FrontBounds {
                least: apart.at_least[k],
                direction: n,
                gap: apart.gap(k, margin),
            };
        }
        let mut direction = [0.0; 3];
        for c in 0..3 {
            for i in 0..3 {
                direction[i] -= self.forth.axis_column[c][i] * n[c];
            }
        }
        FrontBounds {
            least: apart.at_least[k],
            direction,
            // Turning the direction rounds it by a few units, over lengths that the margin is 16 units of.
            gap: apart.gap(k, 2.0 * margin),
        }
    }

    /// Tries the faces of a pair of leaves, and remembers it when recording.
    #[inline(always)]
    pub(super) fn look_at<T: Lanes>(&mut self, pair: &PendingPair, best: &mut DistanceState) {
        let bounds = self.leaves::<T>(pair, best);
        if self.records {
            self.keep_leaves(pair, &bounds);
        }
    }

    fn keep_leaves(&mut self, pair: &PendingPair, bounds: &FrontBounds) {
        let bounds = FrontBounds {
            least: bounds.least.max(pair.at_least),
            ..*bounds
        };
        let place = FrontPair {
            pair: *pair,
            lanes: 0,
        };
        self.cache.front.add(self.b, place, pair.lane_b, &bounds);
    }

    /// Searches only where what the last search left has come too near. None when
    /// there was no such search, or most of it would have to be done again.
    #[inline(always)]
    pub(super) fn update_front<T: Lanes>(
        &mut self,
        best: &mut DistanceState,
    ) -> Option<DistanceResult> {
        if !self.cache.front.is_of(self.a, self.b) {
            return None;
        }
        self.cache.stack.clear();
        self.cache.front.update_front::<T>(self.forth);
        self.go_on_recording(best);
        // Where it was nearest it is still near: that lowers the bound.
        let nearest = self.cache.front.take_nearest();
        let mut contact = false;
        if let Some((at, place)) = nearest {
            let pair = PendingPair {
                at_least: 0.0,
                ..place.pair
            };
            let bounds = self.leaves::<T>(&pair, best);
            self.cache.front.set_bounds(at, &bounds);
            self.flush(best);
            contact = self.settle_contact(&pair, best);
        }
        if contact {
            // Nothing is nearer, and the rest is left: the list is not complete.
            self.cache.front.used(false);
            return Some(self.cut_short(best, Outcome::Complete));
        }
        let awake = self.cache.front.wake::<T>(best.prune);
        if awake > self.cache.front.len() / 2 + 16 {
            // They will be met again.
            self.cache.candidates.clear();
            self.records = false;
            return None;
        }
        let mut k = 0;
        while let Some((at, mut place)) = self.cache.front.awake(k) {
            k += 1;
            if nearest.is_some_and(|(done, _)| done == at) {
                continue;
            }
            let pair = PendingPair {
                at_least: 0.0,
                ..place.pair
            };
            if place.is_leaf() {
                let bounds = self.leaves::<T>(&pair, best);
                self.cache.front.set_bounds(at, &bounds);
                if self.settle_contact(&pair, best) {
                    self.cache.front.used(false);
                    return Some(self.cut_short(best, Outcome::Complete));
                }
                continue;
            }
            // Children of one pair lie side by side mostly, and are looked at together.
            let mut alone = true;
            while let Some((next_at, next)) = self.cache.front.awake(k) {
                let is_same = (next.pair.a, next.pair.b) == (place.pair.a, place.pair.b);
                if !is_same || next.lanes == 0 || place.lanes == 0 {
                    break;
                }
                place.lanes |= next.lanes;
                self.cache.front.remove(next_at);
                alone = false;
                k += 1;
            }
            let lanes = if place.lanes == 0 {
                ALL_LANES
            } else {
                place.lanes
            };
            self.cache.work.volume_tests += WIDTH as u64;
            let opened = self.open(&pair);
            let apart = opened.directed_bounds::<T>(self.forth.scale);
            let near = T::load(&apart.at_least).le(T::splat(best.prune)).bits() & lanes;
            if near == 0 && alone {
                let bounds = if lanes.is_power_of_two() {
                    self.bounds(&apart, opened.in_a, lanes.trailing_zeros() as usize)
                } else {
                    FrontBounds::at_least(least_of(&apart.at_least, lanes))
                };
                self.cache.front.set_bounds(at, &bounds);
                continue;
            }
            self.cache.front.remove(at);
            push_children(&mut self.cache.stack, &opened, &pair, near, &apart.at_least);
            self.record(&pair, &opened, lanes & !near, &apart, best);
        }
        let found = self.descend::<T>(best);
        // Ending early, at a contact, leaves pairs on the stack.
        let complete = self.cache.stack.is_empty();
        self.cache.front.used(complete);
        Some(found)
    }
}
