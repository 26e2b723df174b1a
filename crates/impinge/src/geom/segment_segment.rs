//! Distance of two segments.
//!
//! **Question.** How far apart are two segments, and at which parameters?
//! **Idea.** The nearest of four end-to-segment candidates and of the common perpendicular. The foot of the
//! perpendicular is found with cross products, not with the normal equations: for a small angle φ between the lines
//! its parameter is then off by ε/φ instead of ε/φ², which moves the distance by ε only.
//! **Promise.** Total for parallel, coincident and degenerate segments. The distance is off by at most 16 units of
//! rounding (2⁻⁵³) of the largest coordinate difference between the inputs.
//! **Limits.** Coordinates must be valid ([`is_valid_point`](crate::math::is_valid_point)).

use glam::DVec3;

use super::point_triangle::point_segment;
use super::safe_scale::safe_scale;
use crate::query::Separation;

/// Where two segments are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentParameters {
    /// The place on the first segment: 0 at its start, 1 at its end.
    pub s: f64,
    /// The place on the second segment.
    pub t: f64,
    /// The distance there.
    pub distance: f64,
}

/// The parameters at which the segments `p0 p1` and `q0 q1` are nearest; of several, one.
///
/// ```
/// use impinge::{geom::segment_parameters, DVec3};
/// let (a, b) = ([DVec3::NEG_X, DVec3::X], [DVec3::NEG_Y + DVec3::Z, DVec3::new(0.0, 3.0, 1.0)]);
/// let nearest = segment_parameters(a[0], a[1], b[0], b[1]);
/// assert_eq!((nearest.s, nearest.t, nearest.distance), (0.5, 0.25, 1.0));
/// ```
#[must_use]
pub fn segment_parameters(p0: DVec3, p1: DVec3, q0: DVec3, q1: DVec3) -> SegmentParameters {
    let rough = [p1 - p0, q0 - p0, q1 - p0];
    let size = rough
        .iter()
        .fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
    let scale = safe_scale(size);
    let [p1, q0, q1] = rough.map(|v| v * scale);
    let p0 = DVec3::ZERO;

    let mut best = (f64::INFINITY, 0.0, 0.0);
    let mut offer = |s: f64, t: f64, gap: DVec3| {
        let gap_sq = gap.length_squared();
        if gap_sq < best.0 {
            best = (gap_sq, s, t);
        }
    };
    for (s, p) in [(0.0, p0), (1.0, p1)] {
        let (t, gap) = point_segment(p, q0, q1);
        offer(s, t, gap);
    }
    for (t, q) in [(0.0, q0), (1.0, q1)] {
        let (s, gap) = point_segment(q, p0, p1);
        offer(s, t, gap);
    }
    if let Some((s, t, gap)) = common_perpendicular(p0, p1 - p0, q0, q1 - q0) {
        offer(s, t, gap);
    }
    SegmentParameters {
        s: best.1,
        t: best.2,
        distance: best.0.sqrt() / scale,
    }
}

/// The smallest distance between the segments `p0 p1` and `q0 q1`, with a point of each.
///
/// ```
/// use impinge::{geom::segment_distance, DVec3};
/// let parallel = segment_distance(DVec3::ZERO, DVec3::X, DVec3::Z, DVec3::X + DVec3::Z);
/// assert_eq!(parallel.distance, 1.0);
/// ```
#[must_use]
pub fn segment_distance(p0: DVec3, p1: DVec3, q0: DVec3, q1: DVec3) -> Separation {
    let SegmentParameters { s, t, distance } = segment_parameters(p0, p1, q0, q1);
    Separation {
        distance,
        point_a: p0 * (1.0 - s) + p1 * s,
        point_b: q0 * (1.0 - t) + q1 * t,
    }
}

/// The parameters of the common perpendicular and the vector along it from `p` to `q`, when its first foot is strictly
/// inside the first segment; the second is clamped to the second segment.
#[inline]
pub(super) fn common_perpendicular(
    p0: DVec3,
    d: DVec3,
    q0: DVec3,
    e: DVec3,
) -> Option<(f64, f64, DVec3)> {
    let r = q0 - p0;
    let normal = d.cross(e);
    let normal_sq = normal.length_squared();
    let s = r.cross(e).dot(normal);
    // False for parallel segments too: nothing is strictly between 0 and 0.
    if !(s > 0.0 && s < normal_sq) {
        return None;
    }
    let s = s / normal_sq;
    let w = d * s - r;
    let t = (w.dot(e) / e.length_squared()).clamp(0.0, 1.0);
    Some((s, t, e * t - w))
}
