//! OBBRSS: an oriented box and a rectangle swept sphere around the same points.
//!
//! The box is faster at proving two sets disjoint, the swept rectangle bounds their distance
//! better: each query uses the better one.

use glam::DVec3;

use super::bounding_volume::PaddedPose;
use super::fit_axes::CandidateFrames;
use super::{Aabb, BoundingVolume, Obb, Rss};
use crate::math::Pose;

/// A box for overlap and a swept rectangle for distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObbRss {
    /// The volume that overlap is decided with.
    pub obb: Obb,
    /// The volume that distance is bounded with.
    pub rss: Rss,
}

impl BoundingVolume for ObbRss {
    type Relative = PaddedPose;
    const NAME: &'static str = "obb-rss";
    const UNION_IS_TIGHT: bool = false;

    fn relative(a_from_b: &Pose) -> PaddedPose {
        PaddedPose::new(a_from_b)
    }

    fn enclosing(points: &[DVec3]) -> Self {
        let frames = CandidateFrames::of_points(points);
        Self {
            obb: Obb::smallest(points, &frames),
            rss: Rss::smallest(points, &frames),
        }
    }

    fn around_faces(faces: &[[DVec3; 3]]) -> Self {
        let frames = CandidateFrames::of_faces(faces);
        Self {
            obb: Obb::smallest(faces.as_flattened(), &frames),
            rss: Rss::smallest(faces.as_flattened(), &frames),
        }
    }

    fn union(&self, other: &Self) -> Self {
        Self {
            obb: self.obb.union(&other.obb),
            rss: self.rss.union(&other.rss),
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        self.obb.contains(p) && self.rss.contains(p)
    }

    #[inline]
    fn overlaps(&self, other: &Self, relative: &PaddedPose) -> bool {
        self.obb.overlaps(&other.obb, relative)
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &PaddedPose) -> f64 {
        self.rss.distance_at_least(&other.rss, relative)
    }

    fn center(&self) -> DVec3 {
        self.obb.center()
    }

    fn size(&self) -> f64 {
        self.obb.size()
    }

    fn surface_area(&self) -> f64 {
        self.obb.surface_area()
    }

    fn volume(&self) -> f64 {
        self.obb.volume()
    }

    fn bounds(&self) -> Aabb {
        self.obb.bounds()
    }
}
