//! The faces of a leaf in the frame of a convex core, eight in SIMD lanes, and their closest points
//! to a point.
//!
//! A closed-form closest point may be rounded, but it is a convex combination of the transformed
//! corners, and so a point of the face.

use super::triangle_distance_lanes::NearestPoints;
use super::triangle_lanes::{dot, sub};
use crate::math::simd::lanes::Lanes;

/// Squares below this are none.
pub(super) const TINY: f32 = 1e-35;

/// Faces in the frame of a core.
pub(super) struct FacesOfCore<T> {
    /// `x[v][c]` is component `c` of corner `v`.
    pub(super) x: [[T; 3]; 3],
    /// What bounds are lowered by.
    pub(super) spare: f32,
}

impl<T: Lanes> FacesOfCore<T> {
    /// The corner that is least along a direction.
    #[inline(always)]
    pub(super) fn least_along(&self, n: &[T; 3]) -> T {
        let x = &self.x;
        dot(n, &x[0]).min(dot(n, &x[1])).min(dot(n, &x[2]))
    }

    /// How far the faces lie outside of `|x| ≤ half` along an axis; negative inside.
    #[inline(always)]
    pub(super) fn beyond(&self, c: usize, half: f32) -> T {
        let x = [self.x[0][c], self.x[1][c], self.x[2][c]];
        let low = x[0].min(x[1]).min(x[2]);
        let high = x[0].max(x[1]).max(x[2]);
        let half = T::splat(half);
        (low - half).max(T::splat(0.0) - half - high)
    }

    #[inline(always)]
    pub(super) fn edges(&self) -> [[T; 3]; 3] {
        let x = &self.x;
        [sub(&x[1], &x[0]), sub(&x[2], &x[1]), sub(&x[0], &x[2])]
    }

    /// The way from a point to the nearest point of each face.
    #[inline(always)]
    pub(super) fn way_from_point(&self, p: &[T; 3]) -> [T; 3] {
        let (zero, one, tiny) = (T::splat(0.0), T::splat(1.0), T::splat(TINY));
        let edges = self.edges();
        let mut nearest = NearestPoints::new();
        for i in 0..3 {
            let r = sub(&self.x[i], p);
            let e = &edges[i];
            let t = zero - dot(e, &r) / dot(e, e).max(tiny);
            let t = t.max(zero).min(one);
            nearest.offer([
                e[0].mul_add(t, r[0]),
                e[1].mul_add(t, r[1]),
                e[2].mul_add(t, r[2]),
            ]);
        }
        let (inside, apart) = Foot::new(self).way_from(p, &self.x[0]);
        nearest.offer_where(inside, apart);
        nearest.apart
    }
}

/// Solves for the point of each face below a point.
pub(super) struct Foot<T> {
    e1: [T; 3],
    e2: [T; 3],
    d11: T,
    d12: T,
    d22: T,
    inverse: T,
}

impl<T: Lanes> Foot<T> {
    #[inline(always)]
    pub(super) fn new(faces: &FacesOfCore<T>) -> Self {
        let x = &faces.x;
        let (e1, e2) = (sub(&x[1], &x[0]), sub(&x[2], &x[0]));
        let (d11, d12, d22) = (dot(&e1, &e1), dot(&e1, &e2), dot(&e2, &e2));
        let determinant = d11.mul_sub(d22, d12 * d12);
        Self {
            inverse: T::splat(1.0) / determinant.max(T::splat(TINY)),
            e1,
            e2,
            d11,
            d12,
            d22,
        }
    }

    /// Whether the foot of `p` lies on the face, and the way from `p` to it.
    #[inline(always)]
    pub(super) fn way_from(&self, p: &[T; 3], corner: &[T; 3]) -> (T::Mask, [T; 3]) {
        let r = sub(p, corner);
        let (p1, p2) = (dot(&r, &self.e1), dot(&r, &self.e2));
        let v = self.d22.mul_sub(p1, self.d12 * p2) * self.inverse;
        let w = self.d11.mul_sub(p2, self.d12 * p1) * self.inverse;
        let zero = T::splat(0.0);
        let inside = zero.le(v) & zero.le(w) & (v + w).le(T::splat(1.0));
        let mut apart = r;
        for c in 0..3 {
            apart[c] = self.e2[c].mul_add(w, self.e1[c].mul_sub(v, r[c]));
        }
        (inside, apart)
    }
}
