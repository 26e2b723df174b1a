//! How far apart are two placed meshes?

use super::boxes::{Carried, distance_at_least};
use super::closest::bracket;
use super::faces::{CarriedFaces, cross, dot, sub};
use super::intersect::{Candidate, Pending, WideCache, opens_a};
use super::layout::{LEAF, Leaf, NO_CHILD, WIDTH};
use super::relative::{Relative, U, exp2};
use super::tree::WideTree;
use crate::geom::{disjoint_triangle_distance, triangle_distance};
use crate::math::simd::lanes::{Kernel, Lanes, Mask};
use crate::math::{Pose, round};
use crate::query::{FaceId, FacePair, Limits, Outcome, Separation, Work};

/// Pairs of subtrees that the search for a first bound keeps per level.
const BEAM: usize = 3;
/// Pairs of subtrees between two looks at [`Limits::stop`].
const PAIRS_PER_LOOK: u32 = 64;

/// How good a distance must be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Wanted {
    /// Subtrees that could improve the distance by less than this are left.
    pub(super) absolute_error: f64,
    /// Subtrees that could improve the distance by less than this part of it are left.
    pub(super) relative_error: f64,
    /// A distance this small ends the search; 0 means never.
    pub(super) enough: f64,
}

/// What a search found, distances in the mesh's own units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) nearest: Option<(Separation, FacePair)>,
    /// No distance is below this.
    pub(super) lower: f64,
    pub(super) outcome: Outcome,
}

/// A search for the nearest pair of faces.
pub(super) struct Nearest<'s> {
    pub(super) a: &'s WideTree,
    pub(super) b: &'s WideTree,
    pub(super) a_from_b: &'s Pose,
    pub(super) forth: &'s Relative,
    pub(super) back: &'s Relative,
    pub(super) limits: Limits<'s>,
    pub(super) wanted: Wanted,
    /// A pair of faces to begin with. Without one the meshes must be known to be disjoint.
    pub(super) guess: Option<FacePair>,
    /// What was done for this question before.
    pub(super) spent: Work,
    pub(super) cache: &'s mut WideCache,
}

/// The state while searching.
struct Best {
    found: Option<(Separation, FacePair)>,
    /// An upper bound on the distance, in a's tree units; nothing above it matters.
    bound: f32,
    /// The bound less the permitted error: subtrees at or above it are left.
    prune: f32,
    unit: f64,
    slack: f64,
    wanted: Wanted,
}

impl Best {
    fn lower_to(&mut self, bound: f32) {
        if bound < self.bound {
            self.bound = bound;
            let absolute = round::down(self.wanted.absolute_error * self.unit);
            let relative = 1.0 - self.wanted.relative_error as f32;
            // With no error permitted both are the same number, and ties survive.
            self.prune = if absolute == 0.0 && relative == 1.0 {
                bound
            } else {
                bound * relative - absolute
            };
        }
    }

    fn offer(&mut self, separation: Separation, pair: FacePair) {
        let better = match &self.found {
            None => true,
            // Among equals the first pair in input order, so that the answer does not depend on
            // the order of the search.
            Some((s, p)) => (separation.distance, pair) < (s.distance, *p),
        };
        if better {
            self.lower_to(round::up(separation.distance * self.unit + self.slack));
            self.found = Some((separation, pair));
        }
    }

    /// Whether nothing nearer is wanted. The bound is believed before its witness is evaluated.
    fn bound_is_enough(&self) -> bool {
        self.wanted.enough > 0.0 && f64::from(self.bound) <= self.wanted.enough * self.unit
    }
}

impl Kernel for Nearest<'_> {
    type Output = Found;

    #[inline(always)]
    fn run<T: Lanes>(mut self) -> Found {
        let unit = exp2(-self.a.frame.exponent);
        let mut best = Best {
            found: None,
            bound: f32::INFINITY,
            prune: f32::INFINITY,
            unit,
            slack: f64::from(self.forth.slack),
            wanted: self.wanted,
        };
        if let Some(max) = self.limits.max_distance {
            best.lower_to(round::up(max * unit + best.slack));
        }
        self.cache.work = self.spent;
        self.cache.exact_tests = 0;
        self.cache.candidates.clear();
        if let Some(guess) = self.guess {
            self.evaluate(guess.a.raw(), guess.b.raw(), true, &mut best);
        }
        let start = self.open_roots::<T>();
        if self.guess.is_none() {
            self.beam::<T>(start, &mut best);
        }
        self.descend::<T>(&mut best)
    }
}

impl Nearest<'_> {
    /// Every child of a's root against all of b's, on the stack; how many there are.
    #[inline(always)]
    fn open_roots<T: Lanes>(&mut self) -> usize {
        let (a, b) = (&self.a.nodes[0], &self.b.nodes[0]);
        let stack = &mut self.cache.stack;
        stack.clear();
        for k in 0..WIDTH {
            if a.child[k] == NO_CHILD {
                continue;
            }
            let carried = Carried::new(a, k, self.back);
            let at_least = distance_at_least::<T>(b, &carried).store();
            self.cache.work.volume_tests += WIDTH as u64;
            for j in 0..WIDTH {
                if b.child[j] != NO_CHILD {
                    stack.push(Pending {
                        a: a.child[k],
                        b: b.child[j],
                        lane_a: k as u32,
                        lane_b: j as u32,
                        at_least: at_least[j] * self.forth.scale,
                    });
                }
            }
        }
        // Nearest last: the stack is emptied from its end.
        stack.sort_unstable_by(|x, y| y.at_least.total_cmp(&x.at_least));
        stack.len()
    }

    /// Opens one pair: bounds of its children in a's units, and whether a's subtree was opened.
    #[inline(always)]
    fn open<T: Lanes>(&self, pair: &Pending) -> ([f32; WIDTH], bool) {
        let (a, b) = (&self.a.nodes, &self.b.nodes);
        if opens_a(a, b, pair, self.forth.scale) {
            let lane = pair.lane_b as usize;
            let carried = Carried::new(&b[lane / WIDTH], lane % WIDTH, self.forth);
            let at_least = distance_at_least::<T>(&a[pair.a as usize], &carried);
            (at_least.store(), true)
        } else {
            let lane = pair.lane_a as usize;
            let carried = Carried::new(&a[lane / WIDTH], lane % WIDTH, self.back);
            // Bounds come in b's units; the scale between the two is a power of two, so exact.
            let at_least = distance_at_least::<T>(&b[pair.b as usize], &carried);
            ((at_least * T::splat(self.forth.scale)).store(), false)
        }
    }

    /// Child `k` of a pair that was opened in `a` or in `b`.
    #[inline(always)]
    fn child(&self, pair: &Pending, in_a: bool, k: usize, at_least: f32) -> Pending {
        let mut child = *pair;
        child.at_least = at_least;
        if in_a {
            child.a = self.a.nodes[pair.a as usize].child[k];
            child.lane_a = pair.a * WIDTH as u32 + k as u32;
        } else {
            child.b = self.b.nodes[pair.b as usize].child[k];
            child.lane_b = pair.b * WIDTH as u32 + k as u32;
        }
        child
    }

    /// A first bound: the most promising pairs of each level, down to the leaves.
    #[inline(always)]
    fn beam<T: Lanes>(&mut self, start: usize, best: &mut Best) {
        let mut beam = std::mem::take(&mut self.cache.beam);
        let mut next = std::mem::take(&mut self.cache.next_beam);
        beam.clear();
        beam.extend(self.cache.stack[start.saturating_sub(BEAM)..].iter());
        // Each round opens every inner pair of the beam once; depth bounds the rounds.
        loop {
            next.clear();
            let mut opened = false;
            for pair in &beam {
                if pair.a & pair.b & LEAF != 0 {
                    next.push(*pair);
                    continue;
                }
                opened = true;
                self.cache.work.volume_tests += WIDTH as u64;
                let (at_least, in_a) = self.open::<T>(pair);
                for k in 0..WIDTH {
                    let child = self.child(pair, in_a, k, at_least[k]);
                    if child.a != NO_CHILD && child.b != NO_CHILD {
                        next.push(child);
                    }
                }
            }
            next.sort_unstable_by(|x, y| x.at_least.total_cmp(&y.at_least));
            next.truncate(BEAM);
            std::mem::swap(&mut beam, &mut next);
            if !opened {
                break;
            }
        }
        for pair in &beam {
            if pair.at_least <= best.prune {
                self.leaves::<T>(pair.a & !LEAF, pair.b & !LEAF, best);
            }
        }
        self.cache.beam = beam;
        self.cache.next_beam = next;
    }

    #[inline(always)]
    fn descend<T: Lanes>(&mut self, best: &mut Best) -> Found {
        let mut until_look = PAIRS_PER_LOOK;
        while let Some(pair) = self.cache.stack.pop() {
            if pair.at_least > best.prune {
                continue;
            }
            let is_leaf = pair.a & pair.b & LEAF != 0;
            let cost = (if is_leaf { WIDTH * WIDTH } else { WIDTH }) as u64;
            until_look -= 1;
            let look = until_look == 0;
            if look {
                until_look = PAIRS_PER_LOOK;
            }
            if !self.limits.allows(self.cache.work.tests() + cost - 1)
                || (look && self.limits.is_stopped())
            {
                self.cache.stack.push(pair);
                return self.cut_short(best, Outcome::OutOfBudget);
            }
            if is_leaf {
                self.leaves::<T>(pair.a & !LEAF, pair.b & !LEAF, best);
                if best.bound_is_enough() || self.settle_contact(&pair, best) {
                    self.cache.stack.push(pair);
                    return self.cut_short(best, Outcome::Complete);
                }
                continue;
            }
            self.cache.work.volume_tests += WIDTH as u64;
            // Nearer children are searched first: insertion keeps the new part of the stack in order.
            let (at_least, in_a) = self.open::<T>(&pair);
            let bottom = self.cache.stack.len();
            for k in 0..WIDTH {
                if at_least[k] > best.prune {
                    continue;
                }
                let child = self.child(&pair, in_a, k, at_least[k]);
                if child.a == NO_CHILD || child.b == NO_CHILD {
                    continue;
                }
                let stack = &mut self.cache.stack;
                let mut i = stack.len();
                stack.push(child);
                while i > bottom && stack[i - 1].at_least < child.at_least {
                    stack[i] = stack[i - 1];
                    i -= 1;
                }
                stack[i] = child;
            }
        }
        self.settle(best);
        let exact = best.wanted.absolute_error == 0.0 && best.wanted.relative_error == 0.0;
        let lower = match (&best.found, exact) {
            (Some((s, _)), true) => s.distance,
            _ => f64::from(best.prune.max(0.0)) / best.unit,
        };
        Found {
            nearest: best.found,
            lower: best.found.map_or(lower, |(s, _)| lower.min(s.distance)),
            outcome: Outcome::Complete,
        }
    }

    /// Evaluates the candidates that may still be nearest, in `f64`.
    fn settle(&mut self, best: &mut Best) {
        let mut candidates = std::mem::take(&mut self.cache.candidates);
        candidates.retain(|c| c.at_least <= best.bound);
        candidates.sort_unstable_by(|x, y| {
            x.at_least
                .total_cmp(&y.at_least)
                .then((x.a, x.b).cmp(&(y.a, y.b)))
        });
        for candidate in &candidates {
            if candidate.at_least <= best.bound {
                let may_meet = self.guess.is_some() && candidate.at_least <= 0.0;
                self.evaluate(candidate.a, candidate.b, may_meet, best);
            }
        }
        candidates.clear();
        self.cache.candidates = candidates;
    }

    /// With a guess, intersection was not excluded: pairs of faces that may meet are decided at once.
    #[inline(always)]
    fn settle_contact(&mut self, pair: &Pending, best: &mut Best) -> bool {
        if self.guess.is_none() || pair.at_least > 0.0 {
            return false;
        }
        if self.cache.candidates.iter().any(|c| c.at_least <= 0.0) {
            self.settle(best);
        }
        best.found.is_some_and(|(s, _)| s.distance == 0.0)
    }

    /// The answer when the search ends before the stack is empty.
    fn cut_short(&mut self, best: &mut Best, outcome: Outcome) -> Found {
        self.settle(best);
        let open = self
            .cache
            .stack
            .iter()
            .fold(best.prune, |least, pair| least.min(pair.at_least));
        Found {
            nearest: best.found,
            lower: f64::from(open.max(0.0)) / best.unit,
            outcome,
        }
    }

    /// Tries the faces of two leaves: bounds in lanes, distances of what remains in `f64`.
    #[inline(always)]
    fn leaves<T: Lanes>(&mut self, a: u32, b: u32, best: &mut Best) {
        let (leaf_a, leaf_b) = (&self.a.leaves[a as usize], &self.b.leaves[b as usize]);
        let carried = CarriedFaces::new::<T>(leaf_a, leaf_b, self.forth);
        let spare = Spare::new(&carried);
        if best.bound == f32::INFINITY {
            best.lower_to(corner_distance::<T>(leaf_a, leaf_b, &carried) + spare.point);
        }
        let line = CenterLine::<T>::new(leaf_a, &carried);
        let mut near = far_from_leaf::<T>(leaf_a, &carried, &spare)
            .le(T::splat(best.prune))
            .bits()
            & leaf_b.lanes();
        while near != 0 {
            let j = near.trailing_zeros() as usize;
            near &= near - 1;
            let q = carried.face(j);
            self.cache.work.face_tests += u64::from(leaf_a.count);
            let mut left = line.gap(j).le(T::splat(best.prune + spare.point));
            left = left & box_gap::<T>(leaf_a, &q, &spare).le(T::splat(best.prune));
            if left.bits() & leaf_a.lanes() == 0 {
                continue;
            }
            left = left & within_planes::<T>(leaf_a, &q, best.prune + spare.point, &spare);
            if left.bits() & leaf_a.lanes() == 0 {
                continue;
            }
            let bracket = bracket::<T>(leaf_a, &q);
            let upper = bracket.upper_sq.sqrt();
            let lower = bracket.lower * T::splat(1.0 - 32.0 * U) - T::splat(spare.point);
            let mut better = upper.lt(T::splat(best.bound)).bits() & leaf_a.lanes();
            if better != 0 {
                let upper = upper.store();
                while better != 0 {
                    let i = better.trailing_zeros() as usize;
                    better &= better - 1;
                    best.lower_to(upper[i] * (1.0 + 8.0 * U) + spare.point);
                }
            }
            let mut left = (left & lower.le(T::splat(best.prune))).bits() & leaf_a.lanes();
            if left != 0 {
                let lower = lower.store();
                while left != 0 {
                    let i = left.trailing_zeros() as usize;
                    left &= left - 1;
                    self.cache.candidates.push(Candidate {
                        at_least: lower[i],
                        a: leaf_a.face[i],
                        b: leaf_b.face[j],
                    });
                }
            }
        }
    }

    #[inline(never)]
    fn evaluate(&mut self, a: u32, b: u32, may_meet: bool, best: &mut Best) {
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

/// What bounds between two leaves may be off by.
pub(super) struct Spare {
    /// A distance between points, or a projection on a unit vector.
    pub(super) point: f32,
    reach: f32,
}

impl Spare {
    pub(super) fn new(carried: &CarriedFaces) -> Self {
        Self {
            // √3 of a coordinate's error on one side, u on the other, 6u for sums and roots.
            point: 2.0 * carried.error + 8.0 * U * carried.reach,
            reach: carried.reach,
        }
    }
}

/// An upper bound on the distance between the leaves' faces: that of their nearest corners.
#[inline(always)]
fn corner_distance<T: Lanes>(leaf: &Leaf, other: &Leaf, carried: &CarriedFaces) -> f32 {
    let mut least = T::splat(f32::MAX);
    for j in 0..other.count as usize {
        let q = carried.face(j);
        for v in 0..3 {
            let own = [
                T::load(&leaf.corner[v][0]),
                T::load(&leaf.corner[v][1]),
                T::load(&leaf.corner[v][2]),
            ];
            for p in &q {
                let d = sub(&own, &[T::splat(p[0]), T::splat(p[1]), T::splat(p[2])]);
                // Absent lanes hold NaN: the right operand is taken.
                least = dot(&d, &d).min(least);
            }
        }
    }
    let least = least.store();
    least[..leaf.count as usize]
        .iter()
        .fold(f32::MAX, |m, &x| m.min(x))
        .sqrt()
}

/// A lower bound on the distance of each carried face from everything in the leaf.
#[inline(always)]
pub(super) fn far_from_leaf<T: Lanes>(leaf: &Leaf, carried: &CarriedFaces, spare: &Spare) -> T {
    let zero = T::splat(0.0);
    let mut sum = zero;
    for c in 0..3 {
        let x = [
            T::load(&carried.corner[0][c]),
            T::load(&carried.corner[1][c]),
            T::load(&carried.corner[2][c]),
        ];
        let half = T::splat(leaf.half[c]);
        let above = x[0].min(x[1]).min(x[2]) - half;
        let below = zero - half - x[0].max(x[1]).max(x[2]);
        let gap = above.max(below).max(zero);
        sum = gap.mul_add(gap, sum);
    }
    let s = carried.along::<T>(leaf.normal);
    let above = s[0].min(s[1]).min(s[2]) - T::splat(leaf.slab[1]);
    let below = T::splat(leaf.slab[0]) - s[0].max(s[1]).max(s[2]);
    sum.sqrt().max(above).max(below) - T::splat(spare.point)
}

/// Projections on the line between two leaves' origins.
pub(super) struct CenterLine<T> {
    /// The farthest each own face reaches towards the other leaf.
    own_most: T,
    /// The nearest each carried face comes.
    other_least: [f32; 8],
}

impl<T: Lanes> CenterLine<T> {
    #[inline(always)]
    pub(super) fn new(leaf: &Leaf, carried: &CarriedFaces) -> Self {
        let [x, y, z] = carried.offset;
        let length = (x * x + y * y + z * z).sqrt();
        // Shortened a little, so that its length is at most one whatever rounding does.
        let inverse = (1.0 - 8.0 * U) / length.max(1e-30);
        let w = [x * inverse, y * inverse, z * inverse];
        let own = |v: usize| {
            let corner = [
                T::load(&leaf.corner[v][0]),
                T::load(&leaf.corner[v][1]),
                T::load(&leaf.corner[v][2]),
            ];
            dot(&[T::splat(w[0]), T::splat(w[1]), T::splat(w[2])], &corner)
        };
        let s = carried.along::<T>(w);
        Self {
            own_most: own(0).max(own(1)).max(own(2)),
            other_least: s[0].min(s[1]).min(s[2]).store(),
        }
    }

    /// How far carried face `j` is from each own face along the line.
    #[inline(always)]
    pub(super) fn gap(&self, j: usize) -> T {
        T::splat(self.other_least[j]) - self.own_most
    }
}

/// A lower bound on the distance of each own face from one carried face, by their boxes.
#[inline(always)]
pub(super) fn box_gap<T: Lanes>(leaf: &Leaf, q: &[[f32; 3]; 3], spare: &Spare) -> T {
    let zero = T::splat(0.0);
    let mut sum = zero;
    for c in 0..3 {
        let x = [
            T::load(&leaf.corner[0][c]),
            T::load(&leaf.corner[1][c]),
            T::load(&leaf.corner[2][c]),
        ];
        let low = q[0][c].min(q[1][c]).min(q[2][c]);
        let high = q[0][c].max(q[1][c]).max(q[2][c]);
        let above = x[0].min(x[1]).min(x[2]) - T::splat(high);
        let below = T::splat(low) - x[0].max(x[1]).max(x[2]);
        let gap = above.max(below).max(zero);
        sum = gap.mul_add(gap, sum);
    }
    sum.sqrt() - T::splat(spare.point)
}

/// Own faces that neither plane, of the carried face or their own, keeps farther than `bound`.
#[inline(always)]
pub(super) fn within_planes<T: Lanes>(
    leaf: &Leaf,
    q: &[[f32; 3]; 3],
    bound: f32,
    spare: &Spare,
) -> T::Mask {
    let zero = T::splat(0.0);
    let mut x = [[zero; 3]; 3];
    for v in 0..3 {
        for c in 0..3 {
            x[v][c] = T::load(&leaf.corner[v][c]) - T::splat(q[0][c]);
        }
    }
    let edge = |k: usize| {
        [
            T::splat(q[k][0] - q[0][0]),
            T::splat(q[k][1] - q[0][1]),
            T::splat(q[k][2] - q[0][2]),
        ]
    };
    let (u, w) = (edge(1), edge(2));
    let bound = T::splat(bound + 4.0 * U * spare.reach);
    let keep = within(&cross(&u, &w), &x, &u, &w, bound);
    if keep.bits() == 0 {
        return keep;
    }
    let own = cross(&sub(&x[1], &x[0]), &sub(&x[2], &x[0]));
    keep & within(&own, &x, &u, &w, bound)
}

/// Own faces that direction `n`, of any length, keeps no farther than `bound` from the carried one.
#[inline(always)]
fn within<T: Lanes>(n: &[T; 3], x: &[[T; 3]; 3], u: &[T; 3], w: &[T; 3], bound: T) -> T::Mask {
    let zero = T::splat(0.0);
    // The corners that span the plane are projected like all others: rounding may have bent it.
    let own = [dot(n, &x[0]), dot(n, &x[1]), dot(n, &x[2])];
    let (pu, pw) = (dot(n, u), dot(n, w));
    let above = own[0].min(own[1]).min(own[2]) - zero.max(pu).max(pw);
    let below = zero.min(pu).min(pw) - own[0].max(own[1]).max(own[2]);
    let length = dot(n, n).sqrt() * T::splat(1.0 + 8.0 * U);
    above.max(below).le(bound * length)
}
