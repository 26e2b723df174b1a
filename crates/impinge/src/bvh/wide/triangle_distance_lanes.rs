//! Bounds on the distances of eight face pairs, in SIMD lanes.
//!
//! The nearest points are found over all fifteen pairs of features. Rounded or not, they are points
//! of the two faces, so their distance is an upper bound. The gap between the projections of the
//! two faces on the line between these points is a lower bound, for any line; it is tight when the
//! points are right. Slivers and near-parallel edges can make it loose, never wrong.

use super::layout::WideLeaf;
use super::triangle_lanes::{dot, sub};
use crate::math::simd::lanes::{LaneArithmetic, Lanes};

/// Per lane: squared distance of two points of the faces, and a distance that no two fall below.
/// Neither includes the error of the corners themselves.
pub(super) struct DistanceBracket<T> {
    pub(super) upper_sq: T,
    pub(super) lower: T,
}

/// The nearest pair of points so far.
pub(super) struct NearestPoints<T> {
    sq: T,
    /// From the carried face's point to the own face's.
    pub(super) apart: [T; 3],
}

impl<T: LaneArithmetic> NearestPoints<T> {
    /// None yet: anything is nearer.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            sq: T::number(f64::from(f32::MAX)),
            apart: [T::number(1.0); 3],
        }
    }

    #[inline(always)]
    pub(super) fn offer(&mut self, apart: [T; 3]) {
        let sq = dot(&apart, &apart);
        let nearer = sq.lt(self.sq);
        self.take(nearer, sq, apart);
    }

    #[inline(always)]
    pub(super) fn offer_where(&mut self, mask: T::Mask, apart: [T; 3]) {
        let sq = dot(&apart, &apart);
        self.take(mask & sq.lt(self.sq), sq, apart);
    }

    #[inline(always)]
    fn take(&mut self, mask: T::Mask, sq: T, apart: [T; 3]) {
        self.sq = T::select(mask, sq, self.sq);
        for c in 0..3 {
            self.apart[c] = T::select(mask, apart[c], self.apart[c]);
        }
    }
}

#[inline(always)]
fn clamp<T: LaneArithmetic>(x: T) -> T {
    x.max(T::number(0.0)).min(T::number(1.0))
}

/// Brackets the distance of one face `q` from each face of a leaf.
#[inline(always)]
pub(super) fn bracket_row<T: Lanes>(leaf: &WideLeaf, q: &[[f32; 3]; 3]) -> DistanceBracket<T> {
    let zero = T::splat(0.0);
    let (mut own, mut other) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    for v in 0..3 {
        for c in 0..3 {
            own[v][c] = T::load(&leaf.corner[v][c]);
            other[v][c] = T::splat(q[v][c]);
        }
    }
    bracket(&own, &other)
}

/// Squares below this are none, in either precision.
const TINY: f64 = 1e-35;
/// Above any square that occurs.
const MOST: f64 = f32::MAX as f64;

/// Brackets the distance of two faces, lane by lane.
#[inline(always)]
pub(super) fn bracket<T: LaneArithmetic>(own: &[[T; 3]; 3], q: &[[T; 3]; 3]) -> DistanceBracket<T> {
    let (zero, one, tiny) = (T::number(0.0), T::number(1.0), T::number(TINY));
    // Everything relative to the carried face's first corner.
    let (u, w) = (sub(&q[1], &q[0]), sub(&q[2], &q[0]));
    let x = [
        sub(&own[0], &q[0]),
        sub(&own[1], &q[0]),
        sub(&own[2], &q[0]),
    ];
    let other = [[zero; 3], u, w];
    let own_edge = [sub(&x[1], &x[0]), sub(&x[2], &x[1]), sub(&x[0], &x[2])];
    let other_edge = [u, sub(&w, &u), sub(&[zero; 3], &w)];
    // Loops, not `map`: a closure would be compiled without the vector instructions.
    let (mut own_sq, mut other_sq) = ([zero; 3], [zero; 3]);
    let (mut own_inverse, mut other_inverse) = ([zero; 3], [zero; 3]);
    for k in 0..3 {
        own_sq[k] = dot(&own_edge[k], &own_edge[k]);
        other_sq[k] = dot(&other_edge[k], &other_edge[k]);
        own_inverse[k] = one / own_sq[k].max(tiny);
        other_inverse[k] = one / other_sq[k].max(tiny);
    }
    let mut nearest = NearestPoints {
        sq: T::number(MOST),
        apart: [one; 3],
    };
    for i in 0..3 {
        for j in 0..3 {
            let r = sub(&x[i], &other[j]);
            let c = dot(&own_edge[i], &r);
            let f = dot(&other_edge[j], &r);
            let b = dot(&own_edge[i], &other_edge[j]);
            let denominator = own_sq[i].mul_sub(other_sq[j], b * b);
            let s = clamp(b.mul_sub(f, c * other_sq[j]) / denominator.max(tiny));
            let t = clamp(b.mul_add(s, f) * other_inverse[j]);
            let s = clamp(b.mul_sub(t, c) * own_inverse[i]);
            let mut apart = r;
            for k in 0..3 {
                apart[k] = other_edge[j][k].neg_mul_add(t, own_edge[i][k].mul_add(s, r[k]));
            }
            nearest.offer(apart);
        }
    }
    // Carried corners over own faces.
    let (e1, e2) = (own_edge[0], sub(&x[2], &x[0]));
    let foot = PerpendicularFoot::new(&e1, &e2, tiny);
    for corner in &other {
        let p = sub(corner, &x[0]);
        let (inside, apart) = foot.below(&p);
        nearest.offer_where(inside, sub(&[zero; 3], &apart));
    }
    // Own corners over the carried face.
    let foot = PerpendicularFoot::new(&u, &w, tiny);
    for corner in &x {
        let (inside, apart) = foot.below(corner);
        nearest.offer_where(inside, apart);
    }
    let n = &nearest.apart;
    let own = [dot(n, &x[0]), dot(n, &x[1]), dot(n, &x[2])];
    let (pu, pw) = (dot(n, &u), dot(n, &w));
    let gap = own[0].min(own[1]).min(own[2]) - zero.max(pu).max(pw);
    DistanceBracket {
        upper_sq: nearest.sq,
        lower: gap / nearest.sq.max(tiny).sqrt(),
    }
}

/// Solves for the point of a face below a point.
struct PerpendicularFoot<'e, T> {
    e1: &'e [T; 3],
    e2: &'e [T; 3],
    d11: T,
    d12: T,
    d22: T,
    inverse: T,
}

impl<'e, T: LaneArithmetic> PerpendicularFoot<'e, T> {
    #[inline(always)]
    fn new(e1: &'e [T; 3], e2: &'e [T; 3], tiny: T) -> Self {
        let (d11, d12, d22) = (dot(e1, e1), dot(e1, e2), dot(e2, e2));
        let inverse = T::number(1.0) / d11.mul_sub(d22, d12 * d12).max(tiny);
        Self {
            e1,
            e2,
            d11,
            d12,
            d22,
            inverse,
        }
    }

    /// Whether the foot of `p` lies on the face, and the way from the foot to `p`.
    #[inline(always)]
    fn below(&self, p: &[T; 3]) -> (T::Mask, [T; 3]) {
        let (p1, p2) = (dot(p, self.e1), dot(p, self.e2));
        let v = self.d22.mul_sub(p1, self.d12 * p2) * self.inverse;
        let w = self.d11.mul_sub(p2, self.d12 * p1) * self.inverse;
        let zero = T::number(0.0);
        let inside = zero.le(v) & zero.le(w) & (v + w).le(T::number(1.0));
        let mut apart = *p;
        for c in 0..3 {
            apart[c] = self.e2[c].neg_mul_add(w, self.e1[c].neg_mul_add(v, p[c]));
        }
        (inside, apart)
    }
}
