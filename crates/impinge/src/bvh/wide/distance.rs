//! The distance of two meshes.

use super::bvtt_front::{FrontBounds, FrontPair};
use super::bvtt_front_update::ALL_LANES;
use super::candidate_distances::CandidateDistances;
use super::descent::{Opened, PendingPair, opens_a};
use super::distance_state::{DistanceGoal, DistanceResult, DistanceState};
use super::intersect::{CandidatePair, WideCache};
use super::layout::{LEAF, NO_CHILD, WIDTH};
use super::leaf_distance_bounds::{
    BoundError, CenterLine, box_gap, corner_distance, far_from_leaf, within_planes,
};
use super::obb_lanes::{CarriedBox, distance_at_least};
use super::relative_pose::{RelativePose, U, exp2};
use super::stop_poll::StopPoll;
use super::tree::WideTree;
use super::triangle_distance_lanes::bracket;
use super::triangle_lanes::CarriedFaces;
use crate::geom::{disjoint_triangle_distance, triangle_distance};
use crate::math::simd::Level;
use crate::math::simd::lanes::{COUNT, FRONT, Kernel, Lanes, Mask, dispatch};
use crate::math::{Pose, outward_rounding};
use crate::query::{FaceId, FacePair, Limits, Outcome, Work};

/// Pairs of subtrees that the search for a first bound keeps per level.
const BEAM: usize = 3;
/// Part of the distance of centres that is added to a bound, to tell which pairs are promising.
const BY_CENTERS: f32 = 0.3;

/// The least of the numbers in these lanes.
#[inline(always)]
pub(super) fn least_of(numbers: &[f32; WIDTH], lanes: u32) -> f32 {
    let mut least = f32::INFINITY;
    for k in 0..WIDTH {
        let x = numbers[k];
        // What is not a number bounds nothing.
        let x = if x.is_nan() { f32::NEG_INFINITY } else { x };
        if lanes >> k & 1 != 0 && x < least {
            least = x;
        }
    }
    least
}

/// A pair of subtrees that may hold near faces, for the search for a first bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promising {
    pair: PendingPair,
    /// Smaller is more promising.
    key: f32,
}

/// Moves the most promising few to the front, in order.
#[inline(always)]
fn select(pairs: &mut [Promising]) {
    for i in 0..pairs.len().min(BEAM) {
        let (mut at, mut least) = (i, pairs[i].key);
        for k in i + 1..pairs.len() {
            let x = pairs[k].key;
            (at, least) = if x < least { (k, x) } else { (at, least) };
        }
        pairs.swap(i, at);
    }
}

/// Pairs of faces that wait to be bracketed, eight at a time: of a row few lanes are left, so rows
/// and pairs of leaves are pooled.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiting {
    own: [[[f32; 2 * WIDTH]; 3]; 3],
    other: [[[f32; 2 * WIDTH]; 3]; 3],
    face: [[u32; 2 * WIDTH]; 2],
    /// What a distance may be off by.
    spare: [f32; 2 * WIDTH],
    len: usize,
}

/// The first eight of a row.
#[inline(always)]
fn eight(row: &[f32; 2 * WIDTH]) -> &[f32; WIDTH] {
    const { assert!(2 * WIDTH >= WIDTH) };
    row.first_chunk().unwrap_or(&[0.0; WIDTH])
}

/// A search for the nearest pair of faces.
pub(super) struct DistanceTraversal<'s> {
    pub(super) a: &'s WideTree,
    pub(super) b: &'s WideTree,
    pub(super) a_from_b: &'s Pose,
    pub(super) forth: &'s RelativePose,
    pub(super) back: &'s RelativePose,
    pub(super) limits: Limits<'s>,
    pub(super) wanted: DistanceGoal,
    /// A pair of faces to begin with. Without one the meshes must be known to be disjoint.
    pub(super) guess: Option<FacePair>,
    /// What was done for this query before.
    pub(super) spent: Work,
    pub(super) cache: &'s mut WideCache,
    /// Instructions to use.
    pub(super) level: Level,
    /// Whether to remember where the search turns back, set by the search itself; and the way from
    /// a to b where they seem nearest, in a's frame.
    pub(super) records: bool,
    pub(super) direction: [f32; 3],
}

impl Kernel for DistanceTraversal<'_> {
    type Output = DistanceResult;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> DistanceResult {
        let unit = exp2(-self.a.frame.exponent);
        let mut best = DistanceState {
            found: None,
            chosen: None,
            bound: f32::INFINITY,
            prune: f32::INFINITY,
            unit,
            slack: f64::from(self.forth.slack),
            wanted: self.wanted,
        };
        if let Some(max) = self.limits.max_distance {
            best.lower_to(outward_rounding::up(max * unit + best.slack));
            if self.is_beyond::<T>(best.bound) {
                self.cache.work = self.spent;
                return DistanceResult {
                    nearest: None,
                    lower: max,
                    outcome: Outcome::Complete,
                };
            }
        }
        self.cache.work = self.spent;
        self.cache.exact_tests = 0;
        self.cache.candidates.clear();
        self.cache.waiting.len = 0;
        if let Some(guess) = self.guess {
            self.evaluate(guess.a.raw(), guess.b.raw(), true, &mut best);
            // A search that may end early leaves no complete list, and could not tell from one
            // how far the rest is.
            if self.wanted == DistanceGoal::default() && self.limits.is_unlimited() {
                if let Some(found) = self.update_front::<T>(&mut best) {
                    return found;
                }
                if self.cache.front.is_worthwhile() {
                    self.begin_recording(&best);
                }
            }
        }
        self.open_roots::<T>(&best);
        if self.guess.is_none() {
            self.beam::<T>(&mut best);
        }
        self.sort_roots(&best);
        let found = self.descend::<T>(&mut best);
        if self.records {
            // Ending early, at a contact, leaves pairs on the stack.
            let complete = self.cache.stack.is_empty();
            self.cache.front.end(complete);
        }
        found
    }
}

impl<'s> DistanceTraversal<'s> {
    /// Whether the boxes around everything are farther apart than `bound`, in a's units.
    #[inline(always)]
    fn is_beyond<T: Lanes>(&self, bound: f32) -> bool {
        let whole = CarriedBox::new::<T>(&self.b.root, 0, self.forth);
        distance_at_least::<T>(&self.a.root, &whole).store()[0] > bound
    }

    /// Every child of a's root against all of b's, on the stack; how many there are.
    #[inline(always)]
    pub(super) fn open_roots<T: Lanes>(&mut self, best: &DistanceState) -> usize {
        let (a, b) = (&self.a.nodes[0], &self.b.nodes[0]);
        self.cache.stack.clear();
        for k in 0..WIDTH {
            if a.child[k] == NO_CHILD {
                continue;
            }
            let pair = PendingPair {
                a: a.child[k],
                b: 0,
                lane_a: k as u32,
                lane_b: NO_CHILD,
                at_least: 0.0,
            };
            let opened = self.open(&pair);
            self.cache.work.volume_tests += WIDTH as u64;
            let (near, at_least) = self.bound_children::<T>(&pair, &opened, best);
            for j in 0..WIDTH {
                if near >> j & 1 != 0 && b.child[j] != NO_CHILD {
                    self.cache.stack.push(PendingPair {
                        a: a.child[k],
                        b: b.child[j],
                        lane_a: k as u32,
                        lane_b: j as u32,
                        at_least: at_least[j],
                    });
                }
            }
        }
        self.cache.stack.len()
    }

    /// Which children of an opened pair are near enough to be searched, and bounds on all of
    /// them; remembers the others when recording.
    #[inline(always)]
    fn bound_children<T: Lanes>(
        &mut self,
        pair: &PendingPair,
        opened: &Opened<'_>,
        best: &DistanceState,
    ) -> (u32, [f32; WIDTH]) {
        let prune = T::splat(best.prune);
        if !self.records {
            let at_least = opened.distance_at_least::<T>(self.forth.scale);
            return (at_least.le(prune).bits(), at_least.store());
        }
        let apart = opened.directed_bounds::<T>(self.forth.scale);
        let near = T::load(&apart.at_least).le(prune).bits();
        self.record(pair, opened, !near & ALL_LANES, &apart, best);
        (near, apart.at_least)
    }

    /// Leaves what is too far, and puts the nearest last: the stack is emptied from its end.
    fn sort_roots(&mut self, best: &DistanceState) {
        let stack = &mut self.cache.stack;
        if !self.records {
            stack.retain(|pair| pair.at_least <= best.prune);
        }
        stack.sort_unstable_by(|x, y| y.at_least.total_cmp(&x.at_least));
    }

    /// Opens one pair.
    #[inline(always)]
    pub(super) fn open(&self, pair: &PendingPair) -> Opened<'s> {
        // A pair with b's root is always opened there.
        let in_a = pair.lane_b != NO_CHILD
            && opens_a(&self.a.nodes, &self.b.nodes, pair, self.forth.scale);
        Opened::new([self.a, self.b], pair, in_a, self.forth, self.back)
    }

    /// A first bound: the most promising pairs of each level, down to the leaves.
    ///
    /// Every pair that was opened is done: its other children go on the stack.
    #[inline(always)]
    fn beam<T: Lanes>(&mut self, best: &mut DistanceState) {
        let mut beam = std::mem::take(&mut self.cache.beam);
        beam.clear();
        for pair in self.cache.stack.drain(..) {
            beam.push(Promising {
                pair,
                key: pair.at_least,
            });
        }
        // Each round opens every inner pair of the beam once; depth bounds the rounds.
        loop {
            select(&mut beam);
            let kept = beam.len().min(BEAM);
            for rest in beam.drain(kept..) {
                self.cache.stack.push(rest.pair);
            }
            let mut opened = false;
            for i in 0..kept {
                let pair = beam[i].pair;
                if pair.a & pair.b & LEAF != 0 {
                    continue;
                }
                opened = true;
                self.cache.work.volume_tests += WIDTH as u64;
                let opened = self.open(&pair);
                let scale = self.forth.scale;
                let at_least = opened.distance_at_least::<T>(scale);
                // Where boxes overlap their bounds are all zero, and say little about what is in them.
                let between = opened.between_centers::<T>(scale);
                let key = between.mul_add(T::splat(BY_CENTERS), at_least).store();
                let at_least = at_least.store();
                // The first child takes the pair's place.
                let mut place = Some(i);
                for k in 0..WIDTH {
                    if opened.node.child[k] != NO_CHILD {
                        let child = Promising {
                            pair: opened.child(&pair, k, at_least[k]),
                            key: key[k],
                        };
                        match place.take() {
                            Some(i) => beam[i] = child,
                            None => beam.push(child),
                        }
                    }
                }
            }
            if !opened {
                break;
            }
        }
        for promising in &beam {
            self.leaves::<T>(&promising.pair, best);
        }
        self.flush(best);
        self.cache.beam = beam;
    }

    #[inline(always)]
    pub(super) fn descend<T: Lanes>(&mut self, best: &mut DistanceState) -> DistanceResult {
        let mut poll = StopPoll::new();
        while let Some(pair) = self.cache.stack.pop() {
            if pair.at_least > best.prune {
                if self.records {
                    let place = FrontPair { pair, lanes: 0 };
                    let bounds = FrontBounds::at_least(pair.at_least);
                    self.cache.front.add(self.b, place, pair.lane_b, &bounds);
                }
                continue;
            }
            let is_leaf = pair.a & pair.b & LEAF != 0;
            let cost = (if is_leaf { WIDTH * WIDTH } else { WIDTH }) as u64;
            let look = poll.is_due();
            if !self.limits.allows(self.cache.work.tests() + cost - 1)
                || (look && self.limits.is_stopped())
            {
                self.cache.stack.push(pair);
                return self.cut_short(best, Outcome::OutOfBudget);
            }
            if is_leaf {
                self.look_at::<T>(&pair, best);
                if best.bound_is_enough() || self.settle_contact(&pair, best) {
                    self.cache.stack.push(pair);
                    return self.cut_short(best, Outcome::Complete);
                }
                continue;
            }
            self.cache.work.volume_tests += WIDTH as u64;
            let opened = self.open(&pair);
            let (near, at_least) = self.bound_children::<T>(&pair, &opened, best);
            push_children(&mut self.cache.stack, &opened, &pair, near, &at_least);
        }
        self.settle(best);
        let exact = best.wanted.absolute_error == 0.0 && best.wanted.relative_error == 0.0;
        let lower = match (&best.found, exact) {
            (Some((s, _)), true) => s.distance,
            _ => f64::from(best.prune.max(0.0)) / best.unit,
        };
        DistanceResult {
            nearest: best.found,
            lower: best.found.map_or(lower, |(s, _)| lower.min(s.distance)),
            outcome: Outcome::Complete,
        }
    }

    /// Evaluates the candidates that may still be nearest, in `f64`.
    fn settle(&mut self, best: &mut DistanceState) {
        self.flush(best);
        let mut candidates = std::mem::take(&mut self.cache.candidates);
        candidates.retain(|c| c.at_least <= best.bound);
        candidates.sort_unstable_by(|x, y| {
            x.at_least
                .total_cmp(&y.at_least)
                .then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        self.choose(&candidates, best);
        candidates.clear();
        self.cache.candidates = candidates;
    }

    /// Finds the nearest of the candidates, in order of their bounds.
    #[inline(never)]
    fn choose(&mut self, candidates: &[CandidatePair], best: &mut DistanceState) {
        if self.guess.is_some() {
            // Intersection was not excluded, and only the exact test can.
            for candidate in candidates {
                if candidate.at_least <= best.bound.min(0.0) {
                    self.evaluate(candidate.a, candidate.b, true, best);
                }
            }
            if best.found.is_some_and(|(s, _)| s.distance == 0.0) {
                return;
            }
        }
        let mut rest = candidates;
        while rest
            .first()
            .is_some_and(|nearest| nearest.at_least <= best.bound)
        {
            let (eight, others) = rest.split_at(rest.len().min(WIDTH));
            rest = others;
            let measured = CandidateDistances {
                trees: [self.a, self.b],
                a_from_b: self.a_from_b,
                unit: best.unit,
                tolerance: best.slack,
                pairs: eight,
            };
            let distances = measured.measure(self.level);
            self.cache.exact_tests += eight.len() as u64;
            for (candidate, distance) in eight.iter().zip(distances) {
                let pair = FacePair {
                    a: FaceId::new(candidate.a),
                    b: FaceId::new(candidate.b),
                };
                // Among equals the first pair in input order, so that the answer does not
                // depend on the order of the search.
                if best.chosen.is_none_or(|nearest| (distance, pair) < nearest) {
                    best.chosen = Some((distance, pair));
                    best.lower_to(outward_rounding::up(distance + 2.0 * best.slack));
                }
            }
        }
        if let Some((_, pair)) = best.chosen
            && best.found.is_none_or(|(_, found)| found != pair)
        {
            best.found = None;
            self.evaluate(pair.a.raw(), pair.b.raw(), self.guess.is_some(), best);
        }
    }

    /// With a guess, intersection was not excluded: pairs of faces that may meet are decided at once.
    #[inline]
    pub(super) fn settle_contact(&mut self, pair: &PendingPair, best: &mut DistanceState) -> bool {
        if self.guess.is_none() || pair.at_least > 0.0 {
            return false;
        }
        self.flush(best);
        if self.cache.candidates.iter().any(|c| c.at_least <= 0.0) {
            self.settle(best);
        }
        best.found.is_some_and(|(s, _)| s.distance == 0.0)
    }

    /// The answer when the search ends before the stack is empty.
    pub(super) fn cut_short(
        &mut self,
        best: &mut DistanceState,
        outcome: Outcome,
    ) -> DistanceResult {
        self.settle(best);
        let open = self
            .cache
            .stack
            .iter()
            .fold(best.prune, |least, pair| least.min(pair.at_least));
        let lower = f64::from(open.max(0.0)) / best.unit;
        DistanceResult {
            nearest: best.found,
            // Bounds include what rounding may add, which can exceed the distance itself.
            lower: best.found.map_or(lower, |(s, _)| lower.min(s.distance)),
            outcome,
        }
    }

    /// Tries the faces of two leaves: bounds in lanes, distances of what remains in `f64`. When
    /// recording, returns what keeps the two apart.
    #[inline(always)]
    pub(super) fn leaves<T: Lanes>(
        &mut self,
        pair: &PendingPair,
        best: &mut DistanceState,
    ) -> FrontBounds {
        let leaf_a = &self.a.leaves[(pair.a & !LEAF) as usize];
        let leaf_b = &self.b.leaves[(pair.b & !LEAF) as usize];
        let carried = CarriedFaces::new::<T>(leaf_a, leaf_b, self.forth);
        let spare = BoundError::new(&carried);
        if best.bound == f32::INFINITY {
            best.lower_to(corner_distance::<T>(leaf_a, leaf_b, &carried) + spare.point);
        }
        let far = far_from_leaf::<T>(leaf_a, &carried, &spare);
        let mut near = far.le(T::splat(best.prune)).bits() & leaf_b.lanes();
        let mut bounds = FrontBounds::at_least(f32::INFINITY);
        let line;
        if self.records {
            // The way between the nearest points tells most of the other faces apart.
            line = CenterLine::<T>::along(leaf_a, &carried, self.direction);
            bounds = FrontBounds {
                least: least_of(&far.store(), leaf_b.lanes()),
                direction: self.direction,
                gap: line.least_gap(leaf_a, leaf_b) - spare.point,
            };
            if bounds.gap > best.prune {
                return bounds;
            }
        } else {
            line = CenterLine::<T>::new(leaf_a, &carried);
        }
        while near != 0 {
            let j = near.trailing_zeros() as usize;
            near &= near - 1;
            self.cache.work.face_tests += u64::from(leaf_a.count);
            let mut left = line.gap(j).le(T::splat(best.prune + spare.point));
            if left.bits() & leaf_a.lanes() == 0 {
                continue;
            }
            let q = carried.face(j);
            let by_box = box_gap::<T>(leaf_a, &q, &spare);
            left = left & by_box.le(T::splat(best.prune));
            if left.bits() & leaf_a.lanes() == 0 {
                continue;
            }
            left = left & within_planes::<T>(leaf_a, &q, best.prune + spare.point, &spare);
            if left.bits() & leaf_a.lanes() == 0 {
                continue;
            }
            let left = left.bits() & leaf_a.lanes();
            let from = &FRONT[left as usize];
            let mut index = [0_u32; WIDTH];
            for k in 0..WIDTH {
                index[k] = u32::from(from[k]);
            }
            let waiting = &mut self.cache.waiting;
            let n = waiting.len;
            for v in 0..3 {
                for c in 0..3 {
                    let own = T::pick(&leaf_a.corner[v][c], &index).store();
                    waiting.own[v][c][n..n + WIDTH].copy_from_slice(&own);
                    waiting.other[v][c][n..n + WIDTH].copy_from_slice(&[q[v][c]; WIDTH]);
                }
            }
            waiting.face[0][n..n + WIDTH].copy_from_slice(&T::to_front(left, &leaf_a.face));
            waiting.face[1][n..n + WIDTH].copy_from_slice(&[leaf_b.face[j]; WIDTH]);
            waiting.spare[n..n + WIDTH].copy_from_slice(&[spare.point; WIDTH]);
            waiting.len += usize::from(COUNT[left as usize]);
            if waiting.len >= WIDTH {
                bracket_waiting(self.level, self.cache, best);
            }
        }
        bounds
    }

    /// Brackets what still waits.
    #[inline]
    pub(super) fn flush(&mut self, best: &mut DistanceState) {
        if self.cache.waiting.len > 0 {
            bracket_waiting(self.level, self.cache, best);
        }
    }

    #[inline(never)]
    fn evaluate(&mut self, a: u32, b: u32, may_meet: bool, best: &mut DistanceState) {
        self.cache.exact_tests += 1;
        let (a, b) = (FaceId::new(a), FaceId::new(b));
        let face_a = self.a.mesh.triangle(a);
        let face_b = self.b.mesh.triangle(b);
        let placed = face_b.map(|p| self.a_from_b.transform_point(p));
        let separation = if may_meet {
            triangle_distance(&face_a, &placed)
        } else {
            disjoint_triangle_distance(&face_a, &placed)
        };
        best.offer(separation, FacePair { a, b });
    }
}

/// Puts the children in these lanes on the stack, the nearest on top.
#[inline(always)]
pub(super) fn push_children(
    stack: &mut Vec<PendingPair>,
    opened: &Opened<'_>,
    pair: &PendingPair,
    lanes: u32,
    at_least: &[f32; WIDTH],
) {
    let mut lanes = lanes;
    let bottom = stack.len();
    while lanes != 0 {
        let k = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        if opened.node.child[k] == NO_CHILD {
            continue;
        }
        let child = opened.child(pair, k, at_least[k]);
        // Insertion keeps the new part of the stack in order.
        let mut i = stack.len();
        stack.push(child);
        while i > bottom && stack[i - 1].at_least < child.at_least {
            stack[i] = stack[i - 1];
            i -= 1;
        }
        stack[i] = child;
    }
}

/// Brackets the first eight that wait. It is long and called in many places, so it is compiled into none of them.
#[inline(never)]
fn bracket_waiting(level: Level, cache: &mut WideCache, best: &mut DistanceState) {
    dispatch(level, WaitingBracket { cache, best });
}

struct WaitingBracket<'w> {
    cache: &'w mut WideCache,
    best: &'w mut DistanceState,
}

impl Kernel for WaitingBracket<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Lanes>(self) {
        let Self { cache, best } = self;
        let waiting = &mut cache.waiting;
        let zero = T::splat(0.0);
        let (mut own, mut other) = ([[zero; 3]; 3], [[zero; 3]; 3]);
        for v in 0..3 {
            for c in 0..3 {
                own[v][c] = T::load(eight(&waiting.own[v][c]));
                other[v][c] = T::load(eight(&waiting.other[v][c]));
            }
        }
        let lanes = (1_u32 << waiting.len.min(WIDTH)) - 1;
        let bracket = bracket::<T>(&own, &other);
        let upper = bracket.upper_sq.sqrt();
        let lower = bracket.lower * T::splat(1.0 - 32.0 * U) - T::load(eight(&waiting.spare));
        let mut better = upper.lt(T::splat(best.bound)).bits() & lanes;
        if better != 0 {
            let upper = upper.store();
            while better != 0 {
                let i = better.trailing_zeros() as usize;
                better &= better - 1;
                best.lower_to(upper[i] * (1.0 + 8.0 * U) + waiting.spare[i]);
            }
        }
        let mut left = lower.le(T::splat(best.prune)).bits() & lanes;
        if left != 0 {
            let lower = lower.store();
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                cache.candidates.push(CandidatePair {
                    at_least: lower[i],
                    a: waiting.face[0][i],
                    b: waiting.face[1][i],
                });
            }
        }
        // What is left moves to the front.
        if waiting.len > WIDTH {
            for v in 0..3 {
                for c in 0..3 {
                    waiting.own[v][c].copy_within(WIDTH.., 0);
                    waiting.other[v][c].copy_within(WIDTH.., 0);
                }
            }
            for face in &mut waiting.face {
                face.copy_within(WIDTH.., 0);
            }
            waiting.spare.copy_within(WIDTH.., 0);
        }
        waiting.len = waiting.len.saturating_sub(WIDTH);
    }
}
