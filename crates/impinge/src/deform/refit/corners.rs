//! The corners of a leaf's faces side by side, so that one face is proven apart from eight at once.
//!
//! **Idea.** As for single pairs (`apart.rs`): two faces are apart when one lies strictly before the other along some direction; tried is that of their
//! centres. Most candidates of a cloth are second neighbours, which this settles, and neighbours, which are told by their vertices and settled where nothing folds
//! (`stars.rs`).
//! **Promise.** A set bit is proven, whatever was rounded. Sums and products are not fused, so that all instruction sets
//! settle the same pairs.
//!
//! ## The bound
//!
//! Let `u = 2^-24`, and let `M` bound the coordinates after the shift. A corner is rounded to `f32` (`u M`, twice that for the shift) and taken relative to a
//! corner of the asked face (`u M` each, `2 u M` for the difference): less than `7 u M` for each coordinate. The direction is any vector
//! of floats. A product of such a coordinate, at most `2 M`, with it and two sums err by less than `4 u` of it, `8 u M`. Two such sums are
//! compared: `30 u M` times the sum of the direction's magnitudes; `64 u M` is used, and 2^-100 for underflow. Beyond 2^50 nothing is settled.

#![expect(clippy::needless_range_loop, reason = "axes and corners are numbered")]

use super::layout::{Point, WIDTH};
use crate::math::simd::lanes::{Lanes, Mask};

/// `64 u`.
const BOUND: f32 = 64.0 / (1_u32 << 24) as f32;
/// Products of larger coordinates may overflow, which no bound covers.
const MOST: f32 = (1_u64 << 50) as f32;
/// 2^-100.
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// Vertices whose numbers `f32` can tell apart.
const FEW_VERTICES: usize = 1 << 24;

/// Corners of eight faces. Lanes without a face hold zeros.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(in super::super) struct Corners {
    /// By corner, by axis, by lane.
    places: [[[f32; WIDTH]; 3]; 3],
    /// The number of each corner's vertex, by corner, by lane.
    vertices: [[f32; WIDTH]; 3],
}

impl Corners {
    pub(super) const NONE: Self = Self {
        places: [[[0.0; WIDTH]; 3]; 3],
        vertices: [[0.0; WIDTH]; 3],
    };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, face: [u32; 3], points: &[Point]) {
        for (corner, vertex) in face.into_iter().enumerate() {
            let point = &points[vertex as usize];
            for axis in 0..3 {
                self.places[corner][axis][lane] = point[axis];
            }
            self.vertices[corner][lane] = vertex as f32;
        }
    }
}

/// What pairs are settled with.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Cull<'t> {
    pub(super) leaves: &'t [Corners],
    /// Vertices around which nothing folds; empty when neighbours cannot be settled by them.
    calm: &'t [bool],
    /// What products must differ by, for each unit of the direction.
    slack: f32,
}

impl<'t> Cull<'t> {
    /// With the corners of all leaves of a scene whose shifted coordinates are at most `largest`.
    pub(super) fn new(leaves: &'t [Corners], largest: f32) -> Self {
        let slack = if largest < MOST {
            BOUND * largest
        } else {
            f32::INFINITY
        };
        Self {
            leaves,
            calm: &[],
            slack,
        }
    }

    /// Also settles neighbours, by vertices around which nothing folds. No two faces may have the same three vertices.
    pub(super) fn with_calm(self, calm: &'t [bool]) -> Self {
        let is_usable = calm.len() <= FEW_VERTICES;
        Self {
            calm: if is_usable { calm } else { &[] },
            ..self
        }
    }

    /// Whether nothing folds around any vertex of a face, so that it meets its neighbours in what they share only.
    #[inline(always)]
    fn is_calm(&self, leaf: usize, lane: usize) -> bool {
        if self.calm.is_empty() {
            return false;
        }
        let [a, b, c] = &self.leaves[leaf].vertices;
        self.calm[a[lane] as usize] & self.calm[b[lane] as usize] & self.calm[c[lane] as usize]
    }
}

/// A face in every lane.
#[derive(Clone, Copy)]
pub(super) struct AskedCorners<T> {
    origin: [T; 3],
    /// Relative to the first corner.
    second: [T; 3],
    third: [T; 3],
    sum: [T; 3],
    slack: T,
    vertices: [T; 3],
    /// Whether it meets its neighbours in what they share only.
    pub(super) is_calm: bool,
}

impl<T: Lanes> AskedCorners<T> {
    #[inline(always)]
    pub(super) fn new(cull: &Cull<'_>, leaf: usize, lane: usize) -> Self {
        let own = &cull.leaves[leaf].places;
        let mut asked = Self {
            origin: [T::splat(0.0); 3],
            second: [T::splat(0.0); 3],
            third: [T::splat(0.0); 3],
            sum: [T::splat(0.0); 3],
            slack: T::splat(cull.slack),
            vertices: [T::splat(0.0); 3],
            is_calm: cull.is_calm(leaf, lane),
        };
        for axis in 0..3 {
            let origin = own[0][axis][lane];
            let (second, third) = (own[1][axis][lane] - origin, own[2][axis][lane] - origin);
            asked.origin[axis] = T::splat(origin);
            asked.second[axis] = T::splat(second);
            asked.third[axis] = T::splat(third);
            asked.sum[axis] = T::splat(second + third);
            asked.vertices[axis] = T::splat(cull.leaves[leaf].vertices[axis][lane]);
        }
        asked
    }

    /// Which of eight faces have a vertex with this one in common: bit `k` for lane `k`.
    #[inline(always)]
    pub(super) fn beside(&self, others: &Corners) -> u32 {
        let [a, b, c] = self.vertices;
        let x = T::load(&others.vertices[0]);
        let y = T::load(&others.vertices[1]);
        let z = T::load(&others.vertices[2]);
        let at_x = x.eq(a) | x.eq(b) | x.eq(c);
        let at_y = y.eq(a) | y.eq(b) | y.eq(c);
        let at_z = z.eq(a) | z.eq(b) | z.eq(c);
        (at_x | at_y | at_z).bits()
    }

    /// Which of eight faces are strictly apart from this one: bit `k` for lane `k`.
    #[inline(always)]
    pub(super) fn apart(&self, others: &Corners) -> u32 {
        let mut b = [[T::splat(0.0); 3]; 3];
        for corner in 0..3 {
            for axis in 0..3 {
                b[corner][axis] = T::load(&others.places[corner][axis]) - self.origin[axis];
            }
        }
        let mut d = [T::splat(0.0); 3];
        for axis in 0..3 {
            d[axis] = self.sum[axis] - (b[0][axis] + b[1][axis] + b[2][axis]);
        }
        // The first corner of the asked face is the origin.
        let low = dot(&d, &self.second)
            .min(dot(&d, &self.third))
            .min(T::splat(0.0));
        let high = dot(&d, &b[0]).max(dot(&d, &b[1])).max(dot(&d, &b[2]));
        let magnitude = d[0].abs() + d[1].abs() + d[2].abs();
        let bound = magnitude * self.slack + T::splat(TINY);
        bound.lt(low - high).bits()
    }
}

#[inline(always)]
fn dot<T: Lanes>(d: &[T; 3], p: &[T; 3]) -> T {
    d[0] * p[0] + d[1] * p[1] + d[2] * p[2]
}
