//! Rays and segments to cast at a mesh.

use glam::DVec3;

use crate::geom::{
    Ray, RayError, TriangleOverlap, closest_point_on_triangle, ray_triangle, triangle_overlap,
};
use crate::math::is_valid_point;
use crate::query::FaceId;

/// A ray or a segment. Valid by construction.
///
/// A ray misses faces that it sees edge-on, see [`ray_triangle`]; a segment meets them too.
///
/// ```
/// use impinge::{DVec3, bvh::wide::RayOrSegment};
/// let segment = RayOrSegment::segment([0.0; 3], [1.0, 2.0, 3.0])?;
/// assert_eq!(segment.at(0.5), DVec3::new(0.5, 1.0, 1.5));
/// assert!(RayOrSegment::ray([0.0; 3], [0.0; 3]).is_err());
/// # Ok::<(), impinge::geom::RayError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "raycast")]
#[doc(alias = "ray cast")]
#[doc(alias = "segment cast")]
pub struct RayOrSegment(LineKind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum LineKind {
    Ray(Ray),
    Segment([DVec3; 2]),
}

/// Where a ray or segment meets a face.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "ray casting")]
pub struct FaceHit {
    /// The face.
    pub face: FaceId,
    /// The place on the line: in lengths of a ray's direction, or from 0 to 1 on a segment. Where a segment lies in
    /// the face's plane, the first place they share.
    pub t: f64,
    /// The point, on the face up to rounding.
    pub point: DVec3,
    /// The place in the face, as weights of the corners.
    pub barycentric: [f64; 3],
}

impl FaceHit {
    pub(super) fn is_before(&self, other: &Self) -> bool {
        (self.t, self.face) < (other.t, other.face)
    }
}

impl From<Ray> for RayOrSegment {
    fn from(ray: Ray) -> Self {
        Self(LineKind::Ray(ray))
    }
}

impl RayOrSegment {
    /// The ray from `origin` along `direction`, which may have any length but 0.
    ///
    /// # Errors
    /// As [`Ray::new`].
    ///
    /// ```
    /// use impinge::bvh::wide::RayOrSegment;
    /// assert!(RayOrSegment::ray([0.0; 3], [1.0, 0.0, 0.0]).is_ok());
    /// assert!(RayOrSegment::ray([0.0; 3], [0.0; 3]).is_err());
    /// ```
    pub fn ray(origin: impl Into<DVec3>, direction: impl Into<DVec3>) -> Result<Self, RayError> {
        Ok(Ray::new(origin, direction)?.into())
    }

    /// The segment from `start` to `end`, ends included, which may be the same point.
    ///
    /// # Errors
    /// [`RayError::OutOfRange`] when a coordinate is not finite or too large.
    ///
    /// ```
    /// use impinge::bvh::wide::RayOrSegment;
    /// assert!(RayOrSegment::segment([0.0; 3], [0.0; 3]).is_ok());
    /// assert!(RayOrSegment::segment([0.0; 3], [f64::NAN; 3]).is_err());
    /// ```
    pub fn segment(start: impl Into<DVec3>, end: impl Into<DVec3>) -> Result<Self, RayError> {
        let (start, end) = (start.into(), end.into());
        for (what, value) in [("start", start), ("end", end)] {
            if !is_valid_point(value) {
                return Err(RayError::OutOfRange { what, value });
            }
        }
        Ok(Self(LineKind::Segment([start, end])))
    }

    /// The point at parameter `t`, rounded.
    ///
    /// ```
    /// use impinge::{DVec3, bvh::wide::RayOrSegment};
    /// assert_eq!(RayOrSegment::segment([0.0; 3], [4.0, 0.0, 0.0])?.at(0.25), DVec3::X);
    /// # Ok::<(), impinge::geom::RayError>(())
    /// ```
    #[must_use]
    pub fn at(&self, t: f64) -> DVec3 {
        match self.0 {
            LineKind::Ray(ray) => ray.at(t),
            LineKind::Segment([start, end]) => start + (end - start) * t,
        }
    }

    pub(super) fn start(&self) -> DVec3 {
        match self.0 {
            LineKind::Ray(ray) => ray.origin(),
            LineKind::Segment([start, _]) => start,
        }
    }

    /// A direction to follow; any one for a segment of a single point.
    pub(super) fn direction(&self) -> DVec3 {
        match self.0 {
            LineKind::Ray(ray) => ray.direction(),
            LineKind::Segment([start, end]) if start == end => DVec3::X,
            LineKind::Segment([start, end]) => end - start,
        }
    }

    /// What the place of a hit may be off by along the line, beyond a few roundings.
    pub(super) fn error(&self) -> f64 {
        // As triangle_overlap promises, with twice the room.
        const RELATIVE: f64 = f64::from_bits((1023 - 37) << 52);
        match self.0 {
            LineKind::Ray(_) => 0.0,
            LineKind::Segment([start, end]) => RELATIVE * (end - start).abs().element_sum(),
        }
    }

    /// The largest parameter, when nothing farther than `distance` from the start matters.
    pub(super) fn longest(&self, distance: Option<f64>) -> f64 {
        let whole = match self.0 {
            LineKind::Ray(_) => f64::INFINITY,
            LineKind::Segment(_) => 1.0,
        };
        let Some(distance) = distance else {
            return whole;
        };
        let d = self.direction();
        let largest = d.abs().max_element();
        let within = distance / largest / (d / largest).length();
        if within < whole { within } else { whole }
    }

    /// Where the line meets the triangle first; whether it does is exact.
    pub(super) fn hit(&self, face: FaceId, triangle: &[DVec3; 3]) -> Option<FaceHit> {
        match &self.0 {
            LineKind::Ray(ray) => {
                let hit = ray_triangle(ray, triangle)?;
                let [a, b, c] = hit.barycentric;
                Some(FaceHit {
                    face,
                    t: hit.t,
                    point: triangle[0] * a + triangle[1] * b + triangle[2] * c,
                    barycentric: hit.barycentric,
                })
            }
            &LineKind::Segment([start, end]) => {
                let overlap = triangle_overlap(&[start, end, end], triangle);
                if overlap == TriangleOverlap::None {
                    return None;
                }
                let d = end - start;
                let largest = d.abs().max_element();
                let place = |p: DVec3| {
                    if p == start {
                        return 0.0;
                    }
                    if p == end {
                        return 1.0;
                    }
                    // Relative to the largest coordinate, so that no product under- or overflows.
                    let (s, w) = (d / largest, (p - start) / largest);
                    (w.dot(s) / s.dot(s)).clamp(0.0, 1.0)
                };
                let places = overlap.corners().iter().map(|&p| (place(p), p));
                let (t, point) = places.min_by(|x, y| x.0.total_cmp(&y.0))?;
                Some(FaceHit {
                    face,
                    t,
                    point,
                    barycentric: closest_point_on_triangle(point, triangle).barycentric,
                })
            }
        }
    }
}
