//! Axis-aligned boxes.

use glam::DVec3;

/// A box along the axes, borders included. Empty when a `min` coordinate exceeds its `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// use impinge::{bound::Aabb, DVec3};
    /// let bounds = Aabb::enclosing([DVec3::ZERO, DVec3::new(1.0, -2.0, 3.0)]);
    /// assert_eq!((bounds.min.y, bounds.max.z), (-2.0, 3.0));
    /// ```
    #[must_use]
    pub fn enclosing(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// Whether the box contains no point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x || self.min.y > self.max.y || self.min.z > self.max.z
    }

    /// Whether the boxes share a point; touching counts.
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
}
