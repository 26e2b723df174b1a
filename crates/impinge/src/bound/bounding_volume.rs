//! The trait of all bounding volumes.
//!
//! **Promise.** A volume contains the points it was made of. For two volumes under a placement, `overlaps == false` and
//! [`distance_at_least`](BoundingVolume::distance_at_least) are true of the vertices *as placed*: of the rounded coordinates that
//! [`Pose::transform_point`] yields, and of everything between them. `true` is a hint.
//!
//! ## The margin
//!
//! Let `u = 2^-53` be the unit of rounding, and let `S` be the sum of the largest coordinate sums |x| + |y| + |z| of both volumes and of the
//! translation: no length that occurs exceeds it by more than one part in 10⁸. A placed vertex is off by at most
//! `7u·S` (three products and three sums in each coordinate), a placed centre by as much, and their difference from the
//! other centre by `u·S`. A scalar product of such a difference with a unit vector adds `4u·S`, the sum of the extents
//! along that vector at most `9u·S`. Together they stay below `32u·S`; [`margin`] takes four times as much, and the
//! smallest normal number besides, for products that underflow.
//!
//! A rotation is orthonormal only within [`ROTATION_TOLERANCE`](crate::math::ROTATION_TOLERANCE): it may stretch a
//! length by [`STRETCH`], and turn two perpendicular axes into axes whose scalar product is [`SKEW`].

use std::fmt::Debug;

use glam::{DMat3, DVec3};

use super::Aabb;
use crate::math::{Pose, ROTATION_TOLERANCE};

/// A convex set around points, cheap to compare with another of its kind at a given pose.
///
/// ```
/// use impinge::bound::{Ball, BoundingVolume};
/// use impinge::{DVec3, Pose};
/// let rod = Ball::enclosing(&[DVec3::NEG_X, DVec3::X]);
/// let apart = Ball::relative(&Pose::from_translation([0.0, 3.0, 0.0])?);
/// assert!(!rod.overlaps(&rod, &apart));
/// assert!(rod.distance_at_least(&rod, &apart) > 0.999);
/// # Ok::<(), impinge::PoseError>(())
/// ```
#[doc(alias = "BV")]
#[doc(alias = "BVH")]
pub trait BoundingVolume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// A relative placement with precomputed terms, for many comparisons.
    type Relative: Debug + Send + Sync;
    /// The volume's name, for reports.
    const NAME: &'static str;
    /// Whether the union of two volumes is the volume of all their points.
    const UNION_IS_TIGHT: bool;

    /// Precomputes what the tests need from the pose of the second volume in the frame of the first.
    fn relative(a_from_b: &Pose) -> Self::Relative;

    /// A small volume around the points; around none, the volume of the origin (an empty box for boxes along the axes).
    fn enclosing(points: &[DVec3]) -> Self;

    /// A small volume around the faces, given by their corners.
    fn around_faces(faces: &[[DVec3; 3]]) -> Self {
        Self::enclosing(faces.as_flattened())
    }

    /// A volume around both.
    fn union(&self, other: &Self) -> Self;

    /// Whether the point is inside, up to a few units of rounding.
    fn contains(&self, p: DVec3) -> bool;

    /// `false` when no point of the other volume, placed, is in this one; `true` is a hint.
    #[inline]
    fn overlaps(&self, other: &Self, relative: &Self::Relative) -> bool {
        self.distance_at_least(other, relative) <= 0.0
    }

    /// A lower bound on the distance of the points of this volume to those of the other, placed; never negative.
    fn distance_at_least(&self, other: &Self, relative: &Self::Relative) -> f64;

    /// A point in the middle, rounded.
    fn center(&self) -> DVec3 {
        self.bounds().center()
    }

    /// A length that grows with the volume and is 0 only for a point: about the diameter.
    fn size(&self) -> f64;

    /// The surface area, rounded; for k-DOPs, that of the box along the axes around them.
    fn surface_area(&self) -> f64;

    /// The volume, rounded; for k-DOPs, that of the box along the axes around them.
    fn volume(&self) -> f64;

    /// The box along the axes around the volume, rounded.
    fn bounds(&self) -> Aabb;
}

/// How much a rotation may stretch a length: an entry of `RᵀR − I` is at most the tolerance, so the square of a length grows by
/// three times as much at most.
pub(super) const STRETCH: f64 = 1.0 + 2.0 * ROTATION_TOLERANCE;

/// More than the scalar product of two perpendicular unit vectors after turning, rounding included.
pub(super) const SKEW: f64 = 4.0 * ROTATION_TOLERANCE;

/// What rounding may add to a separation, for the coordinate sum `size` of the page above.
#[inline]
pub(super) fn margin(size: f64) -> f64 {
    64.0 * f64::EPSILON * size + f64::MIN_POSITIVE
}

/// The coordinate sum |x| + |y| + |z|.
#[inline]
pub(super) fn coordinate_sum(p: DVec3) -> f64 {
    let p = p.abs();
    p.x + p.y + p.z
}

/// The part of a [`BoundingVolume`] that is the same in all that are compared under a [`PaddedPose`].
macro_rules! compared_under_padded_pose {
    ($name:literal) => {
        type Relative = $crate::bound::PaddedPose;
        const NAME: &'static str = $name;
        const UNION_IS_TIGHT: bool = false;

        fn relative(a_from_b: &$crate::math::Pose) -> Self::Relative {
            $crate::bound::PaddedPose::new(a_from_b)
        }
    };
}
pub(super) use compared_under_padded_pose;

/// A pose with its margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaddedPose {
    pub(super) rotation: DMat3,
    pub(super) translation: DVec3,
    /// The coordinate sum of the translation.
    pub(super) size: f64,
}

impl PaddedPose {
    /// The preprocessed form of a pose.
    ///
    /// ```
    /// use impinge::bound::{Ball, BoundingVolume, PaddedPose};
    /// use impinge::Pose;
    /// let pose = Pose::from_translation([1.0, 0.0, 0.0])?;
    /// assert_eq!(PaddedPose::new(&pose), Ball::relative(&pose));
    /// # Ok::<(), impinge::PoseError>(())
    /// ```
    #[must_use]
    pub fn new(a_from_b: &Pose) -> Self {
        Self {
            rotation: *a_from_b.rotation(),
            translation: a_from_b.translation(),
            size: coordinate_sum(a_from_b.translation()),
        }
    }

    /// A vector of b's frame in a's.
    #[inline]
    pub(super) fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation.x_axis * v.x + self.rotation.y_axis * v.y + self.rotation.z_axis * v.z
    }

    /// A point of b's frame in a's.
    #[inline]
    pub(super) fn point(&self, p: DVec3) -> DVec3 {
        self.vector(p) + self.translation
    }
}
