//! The AABB as a bounding volume.
//!
//! **Idea.** Six of the fifteen directions that separate boxes: the axes of the first, by the box around the placed second box
//! (exact, see [`Aabb::transformed`]), and the axes of the second. For boxes that were cut along axes the cross products
//! seldom separate what these do not.
//! **Promise.** The second set of directions is that of the inverse transpose of the rotation: the projection of a
//! placed point is then its own coordinate, however far from orthonormal the matrix is.

use glam::{DMat3, DVec3};

use super::bounding_volume::{STRETCH, coordinate_sum, margin};
use super::obb::length_of_gap;
use super::{Aabb, BoundingVolume};
use crate::math::Pose;

/// A pose preprocessed for AABBs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AabbRelative {
    pose: Pose,
    /// Its columns are the directions that yield b's coordinates.
    back: DMat3,
    back_abs: DMat3,
    /// The translation along those directions.
    shift: DVec3,
    size: f64,
}

impl AabbRelative {
    /// The gaps along b's axes, what rounding may have added taken off.
    #[inline]
    fn gaps_along_b(&self, a: &Aabb, b: &Aabb) -> DVec3 {
        let (center, half) = (a.min * 0.5 + a.max * 0.5, a.max * 0.5 - a.min * 0.5);
        let middle = self.back.transpose() * center - self.shift;
        let radius = self.back_abs.transpose() * half;
        let reach = coordinate_sum(a.min.abs().max(a.max.abs()))
            + coordinate_sum(b.min.abs().max(b.max.abs()));
        (b.min - middle).max(middle - b.max) - radius - DVec3::splat(margin(reach + self.size))
    }
}

impl BoundingVolume for Aabb {
    type Relative = AabbRelative;
    const NAME: &'static str = "aabb";
    const UNION_IS_TIGHT: bool = true;

    fn relative(a_from_b: &Pose) -> AabbRelative {
        let back = a_from_b.rotation().inverse().transpose();
        AabbRelative {
            pose: *a_from_b,
            back,
            back_abs: back.abs(),
            shift: back.transpose() * a_from_b.translation(),
            size: coordinate_sum(a_from_b.translation()),
        }
    }

    fn enclosing(points: &[DVec3]) -> Self {
        Self::enclosing(points.iter().copied())
    }

    fn union(&self, other: &Self) -> Self {
        self.union(other)
    }

    fn contains(&self, p: DVec3) -> bool {
        self.contains(p)
    }

    #[inline]
    fn overlaps(&self, other: &Self, relative: &AabbRelative) -> bool {
        self.overlaps(&other.transformed(&relative.pose))
            && relative.gaps_along_b(self, other).max_element() <= 0.0
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &AabbRelative) -> f64 {
        let placed = other.transformed(&relative.pose);
        let gap_a = (placed.min - self.max).max(self.min - placed.max);
        let gap_b = relative.gaps_along_b(self, other);
        length_of_gap(gap_a).max(length_of_gap(gap_b) / STRETCH)
    }

    fn size(&self) -> f64 {
        self.diagonal().length()
    }

    fn surface_area(&self) -> f64 {
        self.surface_area()
    }

    fn volume(&self) -> f64 {
        self.volume()
    }

    fn bounds(&self) -> Aabb {
        *self
    }
}
