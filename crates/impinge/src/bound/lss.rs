//! LSS: segments swept by a ball, that is capsules.
//!
//! **Question.** Which capsule contains the points closely?
//! **Idea.** The segment lies along the longest axis of a frame; the radius is the largest distance
//! from that line, and each end is moved inwards by the height of its cap.
//! **Source.** Larsen, Gottschalk, Lin, Manocha, *Fast proximity queries with swept sphere
//! volumes*, 1999.
//! **Promise.** That of [`BoundingVolume`]: whatever segment was chosen, the radius is the largest
//! distance from it as stored.

use std::f64::consts::PI;

use glam::{DVec2, DVec3};

use super::ball::rounded_up;
use super::bounding_volume::{PaddedPose, STRETCH, margin};
use super::fit_axes::{
    Axes, CandidateFrames, SweptBall, along, fitted_to_frames, projections, swept, thinnest_last,
};
use super::{Aabb, BoundingVolume};

/// All points within a distance of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "LSS")]
#[doc(alias = "line swept sphere")]
#[doc(alias = "capsule")]
pub struct Lss {
    center: DVec3,
    axis: DVec3,
    half: f64,
    radius: f64,
    /// The largest coordinate sum of a point inside, about.
    reach: f64,
}

impl Lss {
    /// The segment's ends, rounded.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Lss}};
    /// let rod = Lss::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// let [p, q] = rod.ends();
    /// assert!((p - q).length() < 2.001);
    /// ```
    #[must_use]
    pub fn ends(&self) -> [DVec3; 2] {
        let arm = self.axis * self.half;
        [self.center - arm, self.center + arm]
    }

    /// The radius of the ball.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Lss}};
    /// let rod = Lss::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.radius() >= 0.0);
    /// ```
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    fn smallest(points: &[DVec3], frames: &CandidateFrames) -> Self {
        let best = frames.least(|axes| Self::along(points, axes));
        best.unwrap_or_else(|| Self::about(points, DVec3::ZERO, DVec3::X, 0.0))
    }

    /// The one along the longest axis of a frame.
    fn along(points: &[DVec3], axes: &Axes) -> Self {
        let origin = points.first().copied().unwrap_or_default();
        let (low, high) = projections(points, origin, axes);
        if !low.is_finite() {
            return Self::about(points, DVec3::ZERO, DVec3::X, 0.0);
        }
        let axes = thinnest_last(axes, high - low);
        let (low, high) = projections(points, origin, &axes);
        let middle = (low + high) * 0.5;
        let across_sq = |s: DVec3| {
            let across = DVec2::new(s.y - middle.y, s.z - middle.z);
            across.length_squared()
        };
        let radius_sq = points
            .iter()
            .fold(0.0_f64, |r, &p| r.max(across_sq(along(&axes, p - origin))));
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for &p in points {
            let s = along(&axes, p - origin);
            let inward = (radius_sq - across_sq(s)).max(0.0).sqrt();
            min = min.min(s.x + inward);
            max = max.max(s.x - inward);
        }
        let x = 0.5 * (min + max);
        let center = origin + axes[0] * x + axes[1] * middle.y + axes[2] * middle.z;
        Self::about(points, center, axes[0], (0.5 * (max - min)).max(0.0))
    }

    /// The one with this segment around the points.
    fn about(points: &[DVec3], center: DVec3, axis: DVec3, half: f64) -> Self {
        let core = Self {
            center,
            axis,
            half,
            radius: 0.0,
            reach: 0.0,
        };
        core.around(points)
    }
}

impl SweptBall for Lss {
    fn distance_to_core(&self, p: DVec3) -> f64 {
        let arm = p - self.center;
        let t = arm.dot(self.axis).max(-self.half).min(self.half);
        (arm - self.axis * t).length()
    }

    fn corners(&self) -> impl AsRef<[DVec3]> {
        self.ends()
    }

    fn thickness(&self) -> [f64; 2] {
        [self.radius, margin(self.reach)]
    }

    fn set_radius(&mut self, distance: f64) {
        (self.radius, self.reach) = swept(self.center, self.half, distance);
    }
}

impl BoundingVolume for Lss {
    fitted_to_frames!("lss");

    fn union(&self, other: &Self) -> Self {
        let ends = [self.ends(), other.ends()];
        Self::enclosing(ends.as_flattened()).around_both(self, other)
    }

    fn contains(&self, p: DVec3) -> bool {
        self.distance_to_core(p) <= rounded_up(self.radius)
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &PaddedPose) -> f64 {
        let offset = relative.point(other.center) - self.center;
        let margin = margin(self.reach + other.reach + relative.size);
        let gap = segment_gap(
            offset,
            self.axis,
            self.half,
            relative.vector(other.axis),
            other.half,
        );
        (gap - (self.radius + other.radius * STRETCH) - margin).max(0.0)
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn size(&self) -> f64 {
        2.0 * (self.half + self.radius)
    }

    fn surface_area(&self) -> f64 {
        4.0 * PI * self.radius * (self.half + self.radius)
    }

    fn volume(&self) -> f64 {
        PI * self.radius * self.radius * (2.0 * self.half + 4.0 / 3.0 * self.radius)
    }

    fn bounds(&self) -> Aabb {
        let reach = self.axis.abs() * self.half + DVec3::splat(self.radius);
        Aabb {
            min: self.center - reach,
            max: self.center + reach,
        }
    }
}

/// The gap of the segments' projections on the direction between their nearest points.
#[inline]
fn segment_gap(offset: DVec3, u: DVec3, half_u: f64, v: DVec3, half_v: f64) -> f64 {
    // Nearest points of the segments s·u and offset + t·v, by clamping one parameter after the other.
    let clamp = |x: f64, half: f64| x.max(-half).min(half);
    let (cosine, along_u, along_v) = (u.dot(v), offset.dot(u), offset.dot(v));
    let determinant = 1.0 - cosine * cosine;
    let s = if determinant > 1e-12 {
        clamp((along_u - cosine * along_v) / determinant, half_u)
    } else {
        // Parallel: the middle of the common stretch, so that the direction is perpendicular when there is one.
        let reach = half_v * cosine.abs();
        let (low, high) = (
            (along_u - reach).max(-half_u),
            (along_u + reach).min(half_u),
        );
        clamp(0.5 * (low + high), half_u)
    };
    let t = clamp(cosine * s - along_v, half_v);
    let s = clamp(along_u + cosine * t, half_u);
    let between = offset + v * t - u * s;
    let length = between.length();
    if length < 1e-140 {
        return 0.0;
    }
    let radii = half_u * u.dot(between).abs() + half_v * v.dot(between).abs();
    (offset.dot(between).abs() - radii) / length
}
