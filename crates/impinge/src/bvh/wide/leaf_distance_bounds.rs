//! Lower bounds on the distance between the faces of two leaves, in lanes.
//!
//! Each bound is a separation along some direction. Any direction gives a valid bound, as long as
//! both sides are projected onto the same rounded vector. Rounding therefore loosens a bound only by
//! the error of the projections, which [`BoundError`] holds.

use super::layout::WideLeaf;
use super::relative_pose::U;
use super::triangle_lanes::{CarriedFaces, cross, dot, sub};
use crate::math::simd::lanes::{Lanes, Mask};

/// Rounding error of the bounds between two leaves.
pub(super) struct BoundError {
    /// A distance between points, or a projection on a unit vector.
    pub(super) point: f32,
    reach: f32,
}

impl BoundError {
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
pub(super) fn corner_distance<T: Lanes>(
    leaf: &WideLeaf,
    other: &WideLeaf,
    carried: &CarriedFaces,
) -> f32 {
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
pub(super) fn far_from_leaf<T: Lanes>(
    leaf: &WideLeaf,
    carried: &CarriedFaces,
    spare: &BoundError,
) -> T {
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
    pub(super) fn new(leaf: &WideLeaf, carried: &CarriedFaces) -> Self {
        let [x, y, z] = carried.offset;
        let length = (x * x + y * y + z * z).sqrt();
        // Shortened a little, so that its length is at most one whatever rounding does.
        let inverse = (1.0 - 8.0 * U) / length.max(1e-30);
        Self::along(leaf, carried, [x * inverse, y * inverse, z * inverse])
    }

    /// Projections on a direction of length one at most.
    #[inline(always)]
    pub(super) fn along(leaf: &WideLeaf, carried: &CarriedFaces, w: [f32; 3]) -> Self {
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

    /// How far the other leaf's faces lie beyond the own ones along the line, all together.
    #[inline(always)]
    pub(super) fn least_gap(&self, leaf: &WideLeaf, other: &WideLeaf) -> f32 {
        let own = self.own_most.store();
        let (mut most, mut least) = (f32::NEG_INFINITY, f32::INFINITY);
        for k in 0..8 {
            if k < leaf.count as usize {
                most = most.max(own[k]);
            }
            if k < other.count as usize {
                least = least.min(self.other_least[k]);
            }
        }
        least - most
    }

    /// How far carried face `j` is from each own face along the line.
    #[inline(always)]
    pub(super) fn gap(&self, j: usize) -> T {
        T::splat(self.other_least[j]) - self.own_most
    }
}

/// A lower bound on the distance of each own face from one carried face, by their boxes.
#[inline(always)]
pub(super) fn box_gap<T: Lanes>(leaf: &WideLeaf, q: &[[f32; 3]; 3], spare: &BoundError) -> T {
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
    leaf: &WideLeaf,
    q: &[[f32; 3]; 3],
    bound: f32,
    spare: &BoundError,
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
