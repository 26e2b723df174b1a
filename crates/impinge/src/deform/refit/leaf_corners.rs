//! The corners of a leaf's faces in SIMD lanes, to prove one face disjoint from eight at once.
//!
//! **Idea.** As for single pairs (`separation_filters.rs`): two faces are disjoint if one lies
//! strictly ahead of the other along some direction; those of their centres and their two normals
//! are tried. Most candidates of a cloth are second neighbours, which the first direction
//! separates, and neighbours, which are recognised by their vertices and excluded where nothing
//! folds (`vertex_stars.rs`); where layers lie on each other, normals separate them.
//! **Promise.** A set bit is proven, whatever was rounded. Sums and products are not fused, so that all instruction sets
//! settle the same pairs.
//!
//! ## The bound
//!
//! Let `u = 2^-24`, and let `M` bound the coordinates after the shift. A corner is rounded to `f32` (`u M`, twice that for the shift) and taken relative to a
//! corner of the queried face (`u M` each, `2 u M` for the difference): less than `7 u M` for each coordinate. The direction is any vector
//! of floats. A product of such a coordinate, at most `2 M`, with it and two sums err by less than `4 u` of it, `8 u M`. Two such sums are
//! compared: `30 u M` times the sum of the direction's magnitudes; `64 u M` is used, and 2^-100 for underflow. Beyond 2^40 nothing is settled: a normal is at most
//! `8 M²`, and products with it must not overflow.

#![expect(clippy::needless_range_loop, reason = "axes and corners are numbered")]

use super::box_lanes::{Point, WIDTH};
use crate::math::simd::lanes::{Lanes, Mask};

/// `64 u`.
const BOUND: f32 = 64.0 / (1_u32 << 24) as f32;
/// Products of larger coordinates may overflow, which no bound covers.
const MOST: f32 = (1_u64 << 40) as f32;
/// 2^-100.
const TINY: f32 = f32::from_bits((127 - 100) << 23);

/// Vertices whose numbers `f32` can tell apart.
const FEW_VERTICES: usize = 1 << 24;

/// Corners of eight faces. Lanes without a face hold zeros.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(in super::super) struct CornerLanes {
    /// By corner, by axis, by lane.
    places: [[[f32; WIDTH]; 3]; 3],
    /// The number of each corner's vertex, by corner, by lane.
    vertices: [[f32; WIDTH]; 3],
}

impl CornerLanes {
    pub(super) const NONE: Self = Self {
        places: [[[0.0; WIDTH]; 3]; 3],
        vertices: [[0.0; WIDTH]; 3],
    };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, face: [u32; 3], points: [&Point; 3]) {
        for corner in 0..3 {
            for axis in 0..3 {
                self.places[corner][axis][lane] = points[corner][axis];
            }
            self.vertices[corner][lane] = face[corner] as f32;
        }
    }
}

/// What pairs are settled with.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct LeafCulling<'t> {
    pub(super) leaves: &'t [CornerLanes],
    /// Vertices around which nothing folds; empty when neighbours cannot be settled by them.
    calm: &'t [bool],
    /// What products must differ by, for each unit of the direction.
    slack: f32,
}

impl<'t> LeafCulling<'t> {
    /// With the corners of all leaves of a scene whose shifted coordinates are at most `largest`.
    pub(super) fn new(leaves: &'t [CornerLanes], largest: f32) -> Self {
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

    /// The faces of a leaf, to be tested one by one.
    #[inline(always)]
    pub(super) fn leaf<T: Lanes>(&self, leaf: usize, faces: usize) -> QueryLeaf<'t> {
        let own = &self.leaves[leaf];
        let mut asked = QueryLeaf {
            own,
            second: [[0.0; WIDTH]; 3],
            third: [[0.0; WIDTH]; 3],
            normal: [[0.0; WIDTH]; 3],
            slack: self.slack,
            calm: 0,
        };
        let mut second = [T::splat(0.0); 3];
        let mut third = [T::splat(0.0); 3];
        for axis in 0..3 {
            let origin = T::load(&own.places[0][axis]);
            second[axis] = T::load(&own.places[1][axis]) - origin;
            third[axis] = T::load(&own.places[2][axis]) - origin;
            asked.second[axis] = second[axis].store();
            asked.third[axis] = third[axis].store();
        }
        let normal = cross(&second, &third);
        for axis in 0..3 {
            asked.normal[axis] = normal[axis].store();
        }
        if !self.calm.is_empty() {
            let [a, b, c] = &own.vertices;
            for lane in 0..faces {
                let is_calm = self.calm[a[lane] as usize]
                    & self.calm[b[lane] as usize]
                    & self.calm[c[lane] as usize];
                asked.calm |= u32::from(is_calm) << lane;
            }
        }
        asked
    }
}

/// The faces of a leaf, their second and third corners relative to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueryLeaf<'t> {
    own: &'t CornerLanes,
    second: [[f32; WIDTH]; 3],
    third: [[f32; WIDTH]; 3],
    normal: [[f32; WIDTH]; 3],
    slack: f32,
    /// Bit `k` says that nothing folds around any vertex of face `k`, so that it meets its neighbours in what they share only.
    calm: u32,
}

impl QueryLeaf<'_> {
    /// Whether a face meets its neighbours in what they share only.
    #[inline(always)]
    pub(super) fn is_calm(&self, lane: usize) -> bool {
        self.calm >> lane & 1 != 0
    }

    /// Which of eight faces have a vertex with this one in common: bit `k` for lane `k`.
    #[inline(always)]
    pub(super) fn beside<T: Lanes>(&self, lane: usize, others: &CornerLanes) -> u32 {
        let a = T::splat(self.own.vertices[0][lane]);
        let b = T::splat(self.own.vertices[1][lane]);
        let c = T::splat(self.own.vertices[2][lane]);
        let x = T::load(&others.vertices[0]);
        let y = T::load(&others.vertices[1]);
        let z = T::load(&others.vertices[2]);
        let at_x = x.eq(a) | x.eq(b) | x.eq(c);
        let at_y = y.eq(a) | y.eq(b) | y.eq(c);
        let at_z = z.eq(a) | z.eq(b) | z.eq(c);
        (at_x | at_y | at_z).bits()
    }

    /// Which of the wanted of eight faces are strictly apart from this one: bit `k` for lane `k`.
    #[inline(always)]
    pub(super) fn apart<T: Lanes>(&self, lane: usize, others: &CornerLanes, wanted: u32) -> u32 {
        let mut b = [[T::splat(0.0); 3]; 3];
        let mut second = [T::splat(0.0); 3];
        let mut third = [T::splat(0.0); 3];
        for axis in 0..3 {
            let origin = T::splat(self.own.places[0][axis][lane]);
            second[axis] = T::splat(self.second[axis][lane]);
            third[axis] = T::splat(self.third[axis][lane]);
            for corner in 0..3 {
                b[corner][axis] = T::load(&others.places[corner][axis]) - origin;
            }
        }
        let mut d = [T::splat(0.0); 3];
        for axis in 0..3 {
            d[axis] = second[axis] + third[axis] - (b[0][axis] + b[1][axis] + b[2][axis]);
        }
        let zero = T::splat(0.0);
        let slack = T::splat(self.slack);
        // The first corner of the asked face is the origin.
        let low = dot(&d, &second).min(dot(&d, &third)).min(zero);
        let high = dot(&d, &b[0]).max(dot(&d, &b[1])).max(dot(&d, &b[2]));
        let mut apart = bound(&d, slack).lt(low - high).bits();
        if wanted & !apart == 0 {
            return apart;
        }
        // Neighbours are not apart. Those of calm faces are settled already.
        let wanted = if self.is_calm(lane) {
            wanted
        } else {
            wanted & !self.beside::<T>(lane, others)
        };
        if wanted & !apart == 0 {
            return apart;
        }
        // Layers that lie on each other are apart along a normal.
        for axis in 0..3 {
            d[axis] = T::splat(self.normal[axis][lane]);
        }
        apart |= apart_along(&d, &second, &third, &b, slack);
        if wanted & !apart == 0 {
            return apart;
        }
        let mut e = [[zero; 3]; 2];
        for axis in 0..3 {
            e[0][axis] = b[1][axis] - b[0][axis];
            e[1][axis] = b[2][axis] - b[0][axis];
        }
        let d = cross(&e[0], &e[1]);
        apart | apart_along(&d, &second, &third, &b, slack)
    }
}

/// Which faces lie strictly apart along `d`, either way.
#[inline(always)]
fn apart_along<T: Lanes>(
    d: &[T; 3],
    second: &[T; 3],
    third: &[T; 3],
    b: &[[T; 3]; 3],
    slack: T,
) -> u32 {
    let zero = T::splat(0.0);
    let (p, q) = (dot(d, second), dot(d, third));
    let (low_a, high_a) = (p.min(q).min(zero), p.max(q).max(zero));
    let (x, y, z) = (dot(d, &b[0]), dot(d, &b[1]), dot(d, &b[2]));
    let (low_b, high_b) = (x.min(y).min(z), x.max(y).max(z));
    let bound = bound(d, slack);
    (bound.lt(low_a - high_b) | bound.lt(low_b - high_a)).bits()
}

/// What products with `d` must differ by.
#[inline(always)]
fn bound<T: Lanes>(d: &[T; 3], slack: T) -> T {
    (d[0].abs() + d[1].abs() + d[2].abs()) * slack + T::splat(TINY)
}

#[inline(always)]
fn cross<T: Lanes>(p: &[T; 3], q: &[T; 3]) -> [T; 3] {
    [
        p[1] * q[2] - p[2] * q[1],
        p[2] * q[0] - p[0] * q[2],
        p[0] * q[1] - p[1] * q[0],
    ]
}

#[inline(always)]
fn dot<T: Lanes>(d: &[T; 3], p: &[T; 3]) -> T {
    d[0] * p[0] + d[1] * p[1] + d[2] * p[2]
}
