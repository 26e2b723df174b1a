//! Result types.

use glam::DVec3;

use super::FaceId;

/// Two intersecting faces, one of each mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FacePair {
    /// The face of the first mesh.
    pub a: FaceId,
    /// The face of the second mesh.
    pub b: FaceId,
}

/// A smallest distance and two points that have it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "closest points")]
#[doc(alias = "witness points")]
pub struct Separation {
    /// The distance, 0 when the shapes touch.
    pub distance: f64,
    /// A point of `a` at that distance from `point_b`.
    pub point_a: DVec3,
    /// A point of `b` at that distance from `point_a`, in the frame of `a`.
    pub point_b: DVec3,
}

impl Separation {
    /// That of shapes that have this point in common.
    #[inline]
    pub(crate) const fn touching(point: DVec3) -> Self {
        Self {
            distance: 0.0,
            point_a: point,
            point_b: point,
        }
    }
}

/// Two faces that come close to each other, and how close.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearPair {
    /// The faces.
    pub faces: FacePair,
    /// Their distance and nearest points.
    pub separation: Separation,
}

/// A first contact of two moving shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "TOI")]
#[doc(alias = "time of impact")]
pub struct Impact {
    /// A time in `[0, 1]` at which they touch.
    pub time: f64,
    /// A point that they share at that time, in world coordinates.
    pub point: DVec3,
    /// The unit direction of the last gap between the shapes, from `a` towards `b`, in world
    /// coordinates. For shapes in contact from the start it is the normal of the touching face of
    /// `a`; if `a` has no faces, the reversed normal of the touching face of `b`. If neither has
    /// faces, or one shape lies inside the other, it is the direction in which `b` leaves `a`. Zero
    /// where no direction is known, as for two coincident points.
    pub normal: DVec3,
    /// Faces that touch at that time; if one shape lies inside the other, the faces that touch last
    /// along the separating translation.
    pub faces: FacePair,
}

/// The penetration depth of two shapes, and its two witness points.
///
/// One of the points is the deepest, the other is the nearest point of the other shape's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "MTV")]
#[doc(alias = "EPA")]
#[doc(alias = "penetration depth")]
pub struct Penetration {
    /// The distance of the two points.
    pub depth: f64,
    /// The point on the surface of `a`.
    pub point_a: DVec3,
    /// The point on the surface of `b`, in the frame of `a`.
    pub point_b: DVec3,
    /// Whether the deepest point is a point of `a` inside `b`, and not of `b` inside `a`.
    pub is_point_of_a: bool,
}

impl Penetration {
    /// The unit vector along which `b` moves out of `a` at these points; none at depth 0.
    ///
    /// ```
    /// use impinge::{query::Penetration, DVec3};
    /// let deep = Penetration { depth: 2.0, point_a: DVec3::new(0.0, 0.0, 2.0), point_b: DVec3::ZERO, is_point_of_a: true };
    /// assert_eq!(deep.normal(), Some(DVec3::Z));
    /// ```
    #[must_use]
    pub fn normal(&self) -> Option<DVec3> {
        (self.point_a - self.point_b).try_normalize()
    }
}
