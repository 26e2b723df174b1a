//! The nearest faces after a small motion: the search goes on where the last one turned back.

use glam::DVec3;

use super::bvtt_front::{FrontBounds, FrontPair};
use super::descent::{Opened, PendingPair};
use super::distance::{DistanceResult, DistanceState, DistanceTraversal, least_of, push_children};
use super::layout::{NO_CHILD, WIDTH};
use super::obb_lanes::{CarriedBox, SeparatingDirections, separating_directions};
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
    pub(super) fn record<T: Lanes>(
        &mut self,
        pair: &PendingPair,
        in_a: bool,
        lanes: u32,
        at_least: &[f32; WIDTH],
        best: &DistanceState,
    ) {
        let limit = CLOSE * best.prune;
        let opened = self.open_in(pair, in_a);
        let (mut close, mut far) = (0_u32, 0_u32);
        let mut left = lanes;
        while left != 0 {
            let k = left.trailing_zeros();
            left &= left - 1;
            if opened.node.child[k as usize] == NO_CHILD {
                continue;
            }
            // What is no number is no bound, and goes with the others.
            if at_least[k as usize] <= limit {
                close |= 1 << k;
            } else {
                far |= 1 << k;
            }
        }
        if close != 0 {
            let apart = separating_directions::<T>(opened.node, &opened.carried::<T>());
            while close != 0 {
                let k = close.trailing_zeros() as usize;
                close &= close - 1;
                let bounds = FrontBounds {
                    least: at_least[k],
                    ..self.bounds(&apart, in_a, k)
                };
                let place = FrontPair {
                    pair: *pair,
                    lanes: 1 << k,
                };
                let lane_b = if in_a {
                    pair.lane_b
                } else {
                    pair.b * WIDTH as u32 + k as u32
                };
                self.cache.front.add(self.b, place, lane_b, &bounds);
            }
        }
        if far != 0 {
            let bounds = FrontBounds::at_least(least_of(at_least, far));
            let place = FrontPair {
                pair: *pair,
                lanes: far,
            };
            self.cache.front.add(self.b, place, pair.lane_b, &bounds);
        }
    }

    /// A pair that was opened in `a` or in `b`.
    #[inline(always)]
    fn open_in(&self, pair: &PendingPair, in_a: bool) -> Opened<'s> {
        Opened::new([self.a, self.b], pair, in_a, self.forth, self.back)
    }

    /// The bound along child `k`'s direction, in a's frame and units.
    #[inline(always)]
    fn bounds(&self, apart: &SeparatingDirections, in_a: bool, k: usize) -> FrontBounds {
        let n = [
            apart.direction[0][k],
            apart.direction[1][k],
            apart.direction[2][k],
        ];
        if in_a {
            return FrontBounds {
                least: 0.0,
                direction: n,
                gap: apart.gap[k],
            };
        }
        let mut direction = [0.0; 3];
        for c in 0..3 {
            for i in 0..3 {
                direction[i] -= self.forth.axis_column[c][i] * n[c];
            }
        }
        FrontBounds {
            least: 0.0,
            direction,
            // Turning the direction rounds it by a few units, over lengths that the margin is 16 units of.
            gap: apart.gap[k] * self.forth.scale - self.forth.margin,
        }
    }

    /// The direction between the boxes of two leaves, in a's frame.
    #[inline(always)]
    pub(super) fn box_direction<T: Lanes>(&self, pair: &PendingPair) -> [f32; 3] {
        let (lane_a, lane_b) = (pair.lane_a as usize, pair.lane_b as usize);
        let (Some(a), Some(b)) = (
            self.a.nodes.get(lane_a / WIDTH),
            self.b.nodes.get(lane_b / WIDTH),
        ) else {
            return [0.0; 3];
        };
        let carried = CarriedBox::new::<T>(b, lane_b % WIDTH, self.forth);
        let apart = separating_directions::<T>(a, &carried);
        self.bounds(&apart, true, lane_a % WIDTH).direction
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
        // (No closure here: instructions would be lost in it.)
        let mut nearest = None;
        if let Some(place) = self.cache.front.take_nearest() {
            let pair = PendingPair {
                at_least: 0.0,
                ..place.pair
            };
            nearest = Some((pair, self.leaves::<T>(&pair, best)));
            self.flush::<T>(best);
        }
        let awake = self.cache.front.wake::<T>(best.prune);
        if awake > self.cache.front.len() / 2 + 16 {
            // They will be met again.
            self.cache.candidates.clear();
            self.records = false;
            return None;
        }
        if let Some((pair, bounds)) = nearest {
            self.keep_leaves(&pair, &bounds);
            if self.settle_contact::<T>(&pair, best) {
                // Nothing is nearer, and the rest is left: the list is not complete.
                self.cache.front.used(false);
                return Some(self.cut_short::<T>(best, Outcome::Complete));
            }
        }
        let mut k = 0;
        while let Some(mut place) = self.cache.front.take_awake(k) {
            k += 1;
            if place.lanes == 0 {
                let pair = PendingPair {
                    at_least: 0.0,
                    ..place.pair
                };
                self.cache.stack.push(pair);
                continue;
            }
            // Children of one pair lie side by side mostly, and are looked at together.
            while let Some(next) = self.cache.front.awake(k) {
                let is_same = (next.pair.a, next.pair.b) == (place.pair.a, place.pair.b);
                if !is_same || next.lanes == 0 {
                    break;
                }
                place.lanes |= next.lanes;
                self.cache.front.take_awake(k);
                k += 1;
            }
            self.cache.work.volume_tests += WIDTH as u64;
            let opened = self.open(&place.pair);
            let at_least = opened.distance_at_least::<T>(self.forth.scale);
            let near = at_least.le(T::splat(best.prune)).bits() & place.lanes;
            let at_least = at_least.store();
            let in_a = opened.in_a;
            push_children(&mut self.cache.stack, &opened, &place.pair, near, &at_least);
            let left = place.lanes & !near & ALL_LANES;
            self.record::<T>(&place.pair, in_a, left, &at_least, best);
        }
        let found = self.descend::<T>(best);
        // Ending early, at a contact, leaves pairs on the stack.
        let complete = self.cache.stack.is_empty();
        self.cache.front.used(complete);
        Some(found)
    }
}
