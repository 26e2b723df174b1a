//! What comes back.

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
pub struct Separation {
    /// The distance, 0 when the shapes touch.
    pub distance: f64,
    /// A point of `a` at that distance from `point_b`.
    pub point_a: DVec3,
    /// A point of `b` at that distance from `point_a`, in the frame of `a`.
    pub point_b: DVec3,
}
