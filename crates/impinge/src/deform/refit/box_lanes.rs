//! Eight boxes in SIMD lanes.

use glam::DVec3;

use crate::math::simd::lanes::{Lanes, Mask};

/// Boxes of a group, children of a node.
pub(in super::super) const WIDTH: usize = 8;
/// Bits of a lane number.
pub(super) const WIDTH_BITS: u32 = 3;

/// A point of the shifted scene; the fourth number is 0.
pub(in super::super) type Point = [f32; 4];

/// The place of a vertex for boxes: shifted and rounded, each axis by a monotone function.
#[inline]
pub(in super::super) fn point(p: DVec3, origin: DVec3) -> Point {
    let p = p - origin;
    [p.x as f32, p.y as f32, p.z as f32, 0.0]
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) struct LaneBounds {
    pub(in super::super) min: Point,
    pub(in super::super) max: Point,
}

impl LaneBounds {
    /// No box at all: nothing overlaps it.
    pub(in super::super) const NONE: Self = Self {
        min: [f32::INFINITY; 4],
        max: [f32::NEG_INFINITY; 4],
    };

    /// The box of three points.
    #[inline(always)]
    pub(in super::super) fn of(p: &Point, q: &Point, r: &Point) -> Self {
        Self {
            min: lower(&lower(p, q), r),
            max: upper(&upper(p, q), r),
        }
    }

    /// The box around two.
    #[inline(always)]
    pub(in super::super) fn union(&self, other: &Self) -> Self {
        Self {
            min: lower(&self.min, &other.min),
            max: upper(&self.max, &other.max),
        }
    }

    /// Half the surface; 0 for none.
    pub(super) fn half_area(&self) -> f64 {
        let side = |k: usize| f64::from(self.max[k]) - f64::from(self.min[k]);
        half_area(side(0), side(1), side(2))
    }
}

/// Half the surface of a box with these sides; 0 where they are no numbers or negative.
#[inline(always)]
fn half_area(x: f64, y: f64, z: f64) -> f64 {
    let area = x * y + y * z + z * x;
    // Of no box, all sides are minus infinity or NaN.
    let area = if x >= 0.0 { area } else { 0.0 };
    if area <= f64::MAX { area } else { f64::MAX }
}

/// Compares as the vector instruction does.
#[inline(always)]
fn lower(p: &Point, q: &Point) -> Point {
    std::array::from_fn(|k| if p[k] < q[k] { p[k] } else { q[k] })
}

#[inline(always)]
fn upper(p: &Point, q: &Point) -> Point {
    std::array::from_fn(|k| if p[k] > q[k] { p[k] } else { q[k] })
}

/// Eight boxes, coordinate by coordinate; lanes without a box hold NaN, which no comparison accepts.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in super::super) struct BoxGroup {
    min: [[f32; WIDTH]; 3],
    max: [[f32; WIDTH]; 3],
}

impl BoxGroup {
    pub(in super::super) const EMPTY: Self = Self {
        min: [[f32::NAN; WIDTH]; 3],
        max: [[f32::NAN; WIDTH]; 3],
    };

    #[inline(always)]
    pub(in super::super) fn set(&mut self, lane: usize, bounds: &LaneBounds) {
        for k in 0..3 {
            self.min[k][lane] = bounds.min[k];
            self.max[k][lane] = bounds.max[k];
        }
    }

    /// Half the surface of all its boxes together; lanes without a box have none.
    pub(super) fn half_area(&self) -> f64 {
        let mut sum = 0.0;
        for lane in 0..WIDTH {
            let side = |k: usize| f64::from(self.max[k][lane]) - f64::from(self.min[k][lane]);
            sum += half_area(side(0), side(1), side(2));
        }
        sum
    }

    /// The box in a lane, in every lane.
    #[inline(always)]
    pub(in super::super) fn ask<T: Lanes>(&self, lane: usize) -> QueryBox<T> {
        let (min, max) = (&self.min, &self.max);
        QueryBox {
            min: [
                T::splat(min[0][lane]),
                T::splat(min[1][lane]),
                T::splat(min[2][lane]),
            ],
            max: [
                T::splat(max[0][lane]),
                T::splat(max[1][lane]),
                T::splat(max[2][lane]),
            ],
        }
    }

    /// Which boxes share a point with the given one: bit `k` for lane `k`.
    #[inline(always)]
    pub(in super::super) fn overlapping<T: Lanes>(&self, asked: &QueryBox<T>) -> u32 {
        let x = self.axis::<T, 0>(asked);
        let y = self.axis::<T, 1>(asked);
        let z = self.axis::<T, 2>(asked);
        (x & y & z).bits()
    }

    #[inline(always)]
    fn axis<T: Lanes, const K: usize>(&self, asked: &QueryBox<T>) -> T::Mask {
        T::load(&self.min[K]).le(asked.max[K]) & asked.min[K].le(T::load(&self.max[K]))
    }

    /// Which boxes overlap the given one along the second axis, and which along the third.
    #[inline(always)]
    pub(in super::super) fn overlapping_beside<T: Lanes>(&self, asked: &QueryBox<T>) -> [u32; 2] {
        [
            self.axis::<T, 1>(asked).bits(),
            self.axis::<T, 2>(asked).bits(),
        ]
    }
}

/// A box in every lane.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct QueryBox<T> {
    min: [T; 3],
    max: [T; 3],
}

impl<T: Lanes> QueryBox<T> {
    #[inline(always)]
    pub(in super::super) fn new(bounds: &LaneBounds) -> Self {
        Self {
            min: [
                T::splat(bounds.min[0]),
                T::splat(bounds.min[1]),
                T::splat(bounds.min[2]),
            ],
            max: [
                T::splat(bounds.max[0]),
                T::splat(bounds.max[1]),
                T::splat(bounds.max[2]),
            ],
        }
    }
}
