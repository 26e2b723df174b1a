//! AABB: axis-aligned bounding box.
//!
//! **Question.** What is the smallest box along the axes, and what becomes of it when the body is placed?
//! **Idea.** Each side of a placed box is a sum of three products, and each product has its own
//! smallest and largest value: 18 multiplications instead of the 72 of placing eight corners.
//! **Source.** Arvo, *Graphics Gems*, 1990.
//! **Promise.** [`Aabb::transformed`] contains `pose * p` as computed, rounding included, for every point `p` of the box:
//! rounding is monotone and the operations are those of [`Pose::transform_point`] in the same order. No margin
//! is needed, and the result equals the box of the eight placed corners bit for bit.
//! **Limits.** The box of a turned box is looser than the box of the turned body: for a cube up to 125/27 ≈ 4.63 times
//! the volume, for elongated boxes without bound.

use glam::DVec3;

use crate::math::{Interval, Pose};

/// A box along the axes, borders included. Empty when a `min` coordinate exceeds its `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "AABB")]
#[doc(alias = "axis-aligned bounding box")]
pub struct Aabb {
    /// The smallest coordinates.
    pub min: DVec3,
    /// The largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing and that every union ignores.
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// The smallest box around the points; [`Aabb::EMPTY`] around none.
    ///
    /// ```
    /// use impinge::bound::Aabb;
    /// let bounds = Aabb::enclosing([[0.0, 0.0, 0.0], [1.0, -2.0, 3.0]]);
    /// assert_eq!((bounds.min.y, bounds.max.z), (-2.0, 3.0));
    /// ```
    #[must_use]
    pub fn enclosing<P: Into<DVec3>>(points: impl IntoIterator<Item = P>) -> Self {
        points
            .into_iter()
            .map(Into::into)
            .fold(Self::EMPTY, |b, p: DVec3| Self {
                min: b.min.min(p),
                max: b.max.max(p),
            })
    }

    /// The eight corners: bit `k` of a corner's number says on which side of axis `k` it lies.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let bounds = Aabb::enclosing([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]);
    /// assert_eq!(bounds.corners()[5], DVec3::new(1.0, 0.0, 3.0));
    /// ```
    #[must_use]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|k| {
            let side = |axis: usize| {
                if k >> axis & 1 == 0 {
                    self.min[axis]
                } else {
                    self.max[axis]
                }
            };
            DVec3::new(side(0), side(1), side(2))
        })
    }

    /// Whether the box contains no point.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert!(Aabb::EMPTY.is_empty() && !unit.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x || self.min.y > self.max.y || self.min.z > self.max.z
    }

    /// Whether the boxes share a point; touching counts.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert!(unit.overlaps(&Aabb { min: DVec3::ONE, max: DVec3::splat(2.0) }));
    /// ```
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// Whether the point is inside; borders included.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert!(unit.contains(DVec3::ONE) && !unit.contains(DVec3::splat(1.1)));
    /// ```
    #[inline]
    #[must_use]
    pub fn contains(&self, p: DVec3) -> bool {
        self.min.cmple(p).all() && p.cmple(self.max).all()
    }

    /// Whether every point of the other box is inside; an empty box is inside every box.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert!(unit.contains_box(&unit) && unit.contains_box(&Aabb::EMPTY));
    /// ```
    #[must_use]
    pub fn contains_box(&self, other: &Self) -> bool {
        other.is_empty() || (self.contains(other.min) && self.contains(other.max))
    }

    /// The smallest box around both.
    ///
    /// ```
    /// use impinge::{bound::Aabb, DVec3};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.union(&Aabb::EMPTY), unit);
    /// ```
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The points in both; empty when there are none.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// let other = Aabb { min: DVec3::splat(0.5), max: DVec3::splat(2.0) };
    /// assert_eq!(unit.intersection(&other).max, DVec3::ONE);
    /// ```
    #[inline]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            min: self.min.max(other.min),
            max: self.max.min(other.max),
        }
    }

    /// The middle, rounded; the origin for an empty box.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.center(), DVec3::splat(0.5));
    /// ```
    #[must_use]
    pub fn center(&self) -> DVec3 {
        if self.is_empty() {
            return DVec3::ZERO;
        }
        self.min * 0.5 + self.max * 0.5
    }

    /// Half the side lengths, rounded; zero for an empty box.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.half_extent(), DVec3::splat(0.5));
    /// ```
    #[must_use]
    pub fn half_extent(&self) -> DVec3 {
        self.diagonal() * 0.5
    }

    /// The vector from the smallest to the largest corner, rounded; zero for an empty box.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.diagonal(), DVec3::ONE);
    /// ```
    #[must_use]
    pub fn diagonal(&self) -> DVec3 {
        if self.is_empty() {
            return DVec3::ZERO;
        }
        self.max - self.min
    }

    /// The area of the six sides; 0 for an empty box.
    ///
    /// ```
    /// use impinge::{bound::Aabb, DVec3};
    /// let brick = Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0) };
    /// assert_eq!((brick.surface_area(), brick.volume()), (22.0, 6.0));
    /// assert_eq!(Aabb::EMPTY.volume(), 0.0);
    /// ```
    #[must_use]
    pub fn surface_area(&self) -> f64 {
        let d = self.diagonal();
        2.0 * (d.x * d.y + d.y * d.z + d.z * d.x)
    }

    /// The volume; 0 for an empty box.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.volume(), 1.0);
    /// ```
    #[must_use]
    pub fn volume(&self) -> f64 {
        let d = self.diagonal();
        d.x * d.y * d.z
    }

    /// The box with every side moved outward by `margin`, rounded outward; inward when negative.
    ///
    /// ```
    /// use impinge::{bound::Aabb, DVec3};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.inflated(0.5).max, DVec3::splat(1.5));
    /// assert!(unit.inflated(-0.6).is_empty());
    /// assert_eq!(unit.inflated(0.0), unit);
    /// ```
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let margin = Interval::point(margin);
        Self {
            min: self.min.map(|x| (Interval::point(x) - margin).lo()),
            max: self.max.map(|x| (Interval::point(x) + margin).hi()),
        }
    }

    /// The square of the distance from the point to the box; 0 inside, infinite for an empty box.
    ///
    /// The relative error is below 3 units of rounding as long as nothing overflows.
    ///
    /// ```
    /// use impinge::{bound::Aabb, DVec3};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// assert_eq!(unit.distance_sq(DVec3::new(3.0, 0.5, 2.0)), 5.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn distance_sq(&self, p: DVec3) -> f64 {
        self.distance_sq_to(&Self { min: p, max: p })
    }

    /// The square of the distance between the boxes; 0 when they overlap, infinite when one is empty.
    ///
    /// ```
    /// use impinge::{DVec3, bound::Aabb};
    /// let unit = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    /// let other = Aabb { min: DVec3::splat(2.0), max: DVec3::splat(3.0) };
    /// assert_eq!(unit.distance_sq_to(&other), 3.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn distance_sq_to(&self, other: &Self) -> f64 {
        if self.is_empty() || other.is_empty() {
            return f64::INFINITY;
        }
        let gap = (other.min - self.max)
            .max(self.min - other.max)
            .max(DVec3::ZERO);
        gap.x * gap.x + gap.y * gap.y + gap.z * gap.z
    }

    /// The box around the placed box: 18 multiplications, 18 additions, 9 comparisons.
    ///
    /// ```
    /// use impinge::{bound::Aabb, DMat3, DVec3, Pose};
    /// let quarter_turn = DMat3::from_cols(DVec3::Y, DVec3::NEG_X, DVec3::Z);
    /// let world_from_body = Pose::new(quarter_turn, [10.0, 0.0, 0.0])?;
    /// let brick = Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0) };
    /// let placed = brick.transformed(&world_from_body);
    /// assert_eq!((placed.min, placed.max), (DVec3::new(8.0, 0.0, 0.0), DVec3::new(10.0, 1.0, 3.0)));
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        if self.is_empty() {
            return Self::EMPTY;
        }
        let (r, t) = (pose.rotation(), pose.translation());
        let (x0, x1) = (r.x_axis * self.min.x, r.x_axis * self.max.x);
        let (y0, y1) = (r.y_axis * self.min.y, r.y_axis * self.max.y);
        let (z0, z1) = (r.z_axis * self.min.z, r.z_axis * self.max.z);
        // The order of the sums is that of Pose::transform_point: the promise rests on it.
        let min = ((x0.min(x1) + y0.min(y1)) + z0.min(z1)) + t;
        let max = ((x0.max(x1) + y0.max(y1)) + z0.max(z1)) + t;
        // An unbounded box times a zero entry is NaN: no bound is known there.
        Self {
            min: min.map(|x| if x.is_nan() { f64::NEG_INFINITY } else { x }),
            max: max.map(|x| if x.is_nan() { f64::INFINITY } else { x }),
        }
    }
}
