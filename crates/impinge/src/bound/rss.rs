//! RSS: rectangles swept by a ball.
//!
//! **Question.** Which rectangle swept by a sphere contains the points closely?
//! **Idea.** The rectangle lies along a frame's two long axes. The radius is half the thickness,
//! and because the sphere bulges, the rectangle can be smaller than the side of the box.
//! **Promise.** That of [`BoundingVolume`]: whatever rectangle was chosen, the radius is the
//! largest distance from it as stored.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use glam::{DVec2, DVec3};

use super::ball::rounded_up;
use super::bounding_volume::{PaddedPose, STRETCH, margin};
use super::fit_axes::{
    Axes, COORDINATE_AXES, CandidateFrames, SweptBall, along, fitted_to_frames, projections, swept,
    thinnest_last,
};
use super::rectangle_distance::RectanglePair;
use super::{Aabb, BoundingVolume};

/// All points within a distance of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "rectangle swept sphere")]
#[doc(alias = "RSS")]
pub struct Rss {
    center: DVec3,
    /// The rectangle's axes and its normal.
    axes: Axes,
    half: DVec2,
    radius: f64,
    /// The largest coordinate sum of a point inside, about.
    reach: f64,
}

impl Rss {
    /// The rectangle's middle.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Rss}};
    /// let rod = Rss::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.center().length() < 1e-9);
    /// ```
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The rectangle's two unit axes and its normal.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Rss}};
    /// let rod = Rss::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.axes().iter().all(|axis| (axis.length() - 1.0).abs() < 1e-9));
    /// ```
    #[must_use]
    pub fn axes(&self) -> [DVec3; 3] {
        self.axes
    }

    /// Half the rectangle's side lengths.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Rss}};
    /// let rod = Rss::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.half_extent().x <= 1.001);
    /// ```
    #[must_use]
    pub fn half_extent(&self) -> DVec2 {
        self.half
    }

    /// The radius of the ball.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Rss}};
    /// let rod = Rss::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.radius() >= 0.0);
    /// ```
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The smallest along one of the candidate frames.
    pub(super) fn smallest(points: &[DVec3], frames: &CandidateFrames) -> Self {
        let best = frames.least(|axes| Self::along(points, axes));
        best.unwrap_or_else(|| Self::about(points, DVec3::ZERO, COORDINATE_AXES, DVec2::ZERO))
    }

    /// The one whose rectangle lies across the thinnest direction of a frame.
    fn along(points: &[DVec3], axes: &Axes) -> Self {
        let origin = points.first().copied().unwrap_or_default();
        let (low, high) = projections(points, origin, axes);
        if !low.is_finite() {
            return Self::about(points, DVec3::ZERO, COORDINATE_AXES, DVec2::ZERO);
        }
        let axes = thinnest_last(axes, high - low);
        let (low, high) = projections(points, origin, &axes);
        let radius = 0.5 * (high.z - low.z);
        let middle_z = 0.5 * (high.z + low.z);
        let bulge = |z: f64| {
            (radius * radius - (z - middle_z) * (z - middle_z))
                .max(0.0)
                .sqrt()
        };
        // The sides may retreat by the bulge at each point.
        let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        for &p in points {
            let s = along(&axes, p - origin);
            let inward = DVec2::splat(bulge(s.z));
            min = min.min(s.truncate() + inward);
            max = max.max(s.truncate() - inward);
        }
        let center = (min + max) * 0.5;
        (min, max) = (min.min(center), max.max(center));
        // Points beyond two sides at once may stick out of the rounded corner: move it out diagonally.
        for &p in points {
            let s = along(&axes, p - origin);
            let beyond = (min - s.truncate()).max(s.truncate() - max);
            let dz = s.z - middle_z;
            if beyond.min_element() > 0.0 && beyond.length_squared() + dz * dz > radius * radius {
                let diagonal = (beyond.x + beyond.y) * FRAC_1_SQRT_2;
                let side = beyond.length_squared() - diagonal * diagonal;
                let step = diagonal - (radius * radius - side - dz * dz).max(0.0).sqrt();
                let step = step.max(0.0) * FRAC_1_SQRT_2;
                let is_low = s.truncate().cmplt(center);
                min -= DVec2::select(is_low, DVec2::splat(step), DVec2::ZERO);
                max += DVec2::select(is_low, DVec2::ZERO, DVec2::splat(step));
            }
        }
        let middle = (min + max) * 0.5;
        let center = origin + axes[0] * middle.x + axes[1] * middle.y + axes[2] * middle_z;
        Self::about(points, center, axes, (max - min) * 0.5)
    }

    /// The one with this rectangle around the points.
    fn about(points: &[DVec3], center: DVec3, axes: Axes, half: DVec2) -> Self {
        let core = Self {
            center,
            axes,
            half,
            radius: 0.0,
            reach: 0.0,
        };
        core.around(points)
    }

    /// The rectangle's corners, rounded.
    fn rectangle(&self) -> [DVec3; 4] {
        let (u, v) = (self.axes[0] * self.half.x, self.axes[1] * self.half.y);
        let c = self.center;
        [c - u - v, c + u - v, c - u + v, c + u + v]
    }
}

impl SweptBall for Rss {
    fn distance_to_core(&self, p: DVec3) -> f64 {
        let s = along(&self.axes, p - self.center);
        let beyond = (s.truncate().abs() - self.half).max(DVec2::ZERO);
        (beyond.length_squared() + s.z * s.z).sqrt()
    }

    fn corners(&self) -> impl AsRef<[DVec3]> {
        self.rectangle()
    }

    fn thickness(&self) -> [f64; 2] {
        [self.radius, margin(self.reach)]
    }

    fn set_radius(&mut self, distance: f64) {
        (self.radius, self.reach) = swept(self.center, self.half.x + self.half.y, distance);
    }
}

impl BoundingVolume for Rss {
    fitted_to_frames!("rss");

    fn union(&self, other: &Self) -> Self {
        let corners = [self.rectangle(), other.rectangle()];
        Self::enclosing(corners.as_flattened()).around_both(self, other)
    }

    fn contains(&self, p: DVec3) -> bool {
        self.distance_to_core(p) <= rounded_up(self.radius)
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &PaddedPose) -> f64 {
        let offset = relative.point(other.center) - self.center;
        let axis = |v: DVec3| along(&self.axes, relative.vector(v));
        let pair = RectanglePair {
            half_a: self.half.to_array(),
            center: along(&self.axes, offset),
            axes: [axis(other.axes[0]), axis(other.axes[1])],
            half_b: other.half.to_array(),
        };
        let margin = margin(self.reach + other.reach + relative.size);
        (pair.gap() - (self.radius + other.radius * STRETCH) - margin).max(0.0)
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn size(&self) -> f64 {
        2.0 * (self.half.length() + self.radius)
    }

    fn surface_area(&self) -> f64 {
        let (l, r) = (self.half * 2.0, self.radius);
        2.0 * l.x * l.y + 2.0 * PI * r * (l.x + l.y) + 4.0 * PI * r * r
    }

    fn volume(&self) -> f64 {
        let (l, r) = (self.half * 2.0, self.radius);
        2.0 * r * l.x * l.y + PI * r * r * (l.x + l.y) + 4.0 / 3.0 * PI * r * r * r
    }

    fn bounds(&self) -> Aabb {
        let reach = self.axes[0].abs() * self.half.x + self.axes[1].abs() * self.half.y;
        let reach = reach + DVec3::splat(self.radius);
        Aabb {
            min: self.center - reach,
            max: self.center + reach,
        }
    }
}
