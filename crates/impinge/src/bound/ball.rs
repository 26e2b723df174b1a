//! Bounding spheres.
//!
//! **Question.** Which small ball contains the points?
//! **Idea.** Begin at the middle of their box and move the centre towards the furthest point in ever shorter steps; keep the
//! best centre seen. For a single triangle the smallest ball is known: on its longest side, or its circumcircle's.
//! **Source.** Bădoiu and Clarkson, *Smaller core-sets for balls*, 2003.
//! **Cost.** [`STEPS`] passes over the points. Comparing two balls is one placed point and one length.
//! **Promise.** That of [`BoundingVolume`]; turning does not change a ball.

use glam::DVec3;

use super::bounding_volume::{
    PaddedPose, STRETCH, compared_under_padded_pose, coordinate_sum, margin,
};
use super::{Aabb, BoundingVolume};

/// Steps of the centre. The radius exceeds the smallest by a few per cent at most after these.
const STEPS: usize = 12;

/// A ball, border included.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "bounding sphere")]
pub struct Ball {
    center: DVec3,
    radius: f64,
}

impl Ball {
    /// The centre.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Ball}};
    /// let rod = Ball::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!(rod.center().length() < 1e-9);
    /// ```
    #[must_use]
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The radius.
    ///
    /// ```
    /// use impinge::{DVec3, bound::{BoundingVolume, Ball}};
    /// let rod = Ball::enclosing(&[DVec3::NEG_X, DVec3::X]);
    /// assert!((rod.radius() - 1.0).abs() < 1e-9);
    /// ```
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The ball about the centre around the points.
    fn about(center: DVec3, points: &[DVec3]) -> Self {
        let (_, far_sq) = furthest(center, points);
        Self {
            center,
            radius: rounded_up(far_sq.sqrt()),
        }
    }
}

/// More than a length computed from differences of stored coordinates may be off by; squares below the
/// smallest normal number vanish, which the second term makes up for.
pub(super) fn rounded_up(length: f64) -> f64 {
    length * (1.0 + 8.0 * f64::EPSILON) + TINY
}

/// Above the square root of every square that underflows.
const TINY: f64 = 1e-150;

/// The furthest of the points and the square of its distance.
fn furthest(center: DVec3, points: &[DVec3]) -> (DVec3, f64) {
    let mut best = (center, 0.0);
    for &p in points {
        let distance_sq = (p - center).length_squared();
        if distance_sq > best.1 {
            best = (p, distance_sq);
        }
    }
    best
}

/// The centre of the smallest ball around a triangle.
fn triangle_center([p, q, r]: [DVec3; 3]) -> DVec3 {
    let (u, v) = (q - p, r - p);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let opposite = (q - r).length_squared();
    // An angle of at least 90° is opposite to the diameter.
    if uv <= 0.0 {
        return q * 0.5 + r * 0.5;
    }
    if uu + opposite <= vv {
        return p * 0.5 + r * 0.5;
    }
    if vv + opposite <= uu {
        return p * 0.5 + q * 0.5;
    }
    let denominator = 2.0 * (uu * vv - uv * uv);
    let (s, t) = (vv * (uu - uv) / denominator, uu * (vv - uv) / denominator);
    p + u * s + v * t
}

impl BoundingVolume for Ball {
    compared_under_padded_pose!("ball");

    fn enclosing(points: &[DVec3]) -> Self {
        let bounds = Aabb::enclosing(points.iter().copied());
        let mut center = bounds.center();
        let mut best = Self::about(center, points);
        if let &[p, q, r] = points {
            let center = triangle_center([p, q, r]);
            let found = Self::about(center, points);
            // False for a centre that is not a number.
            return if found.radius <= best.radius {
                found
            } else {
                best
            };
        }
        for step in 0..STEPS {
            let (far, _) = furthest(center, points);
            center += (far - center) / (step + 3) as f64;
            let found = Self::about(center, points);
            if found.radius < best.radius {
                best = found;
            }
        }
        best
    }

    fn union(&self, other: &Self) -> Self {
        let between = other.center - self.center;
        let distance = between.length();
        if distance + other.radius <= self.radius {
            return *self;
        }
        if distance + self.radius <= other.radius {
            return *other;
        }
        let radius = 0.5 * (distance + self.radius + other.radius);
        let center = self.center + between * ((radius - self.radius) / distance);
        let reach = |ball: &Self| (ball.center - center).length() + ball.radius;
        Self {
            center,
            radius: rounded_up(reach(self).max(reach(other))),
        }
    }

    fn contains(&self, p: DVec3) -> bool {
        (p - self.center).length() <= rounded_up(self.radius)
    }

    #[inline]
    fn distance_at_least(&self, other: &Self, relative: &PaddedPose) -> f64 {
        let offset = relative.point(other.center) - self.center;
        let radii = self.radius + other.radius;
        let size = coordinate_sum(self.center)
            + coordinate_sum(other.center)
            + 2.0 * radii
            + relative.size;
        let gap = offset.length() - (self.radius + other.radius * STRETCH) - margin(size);
        gap.max(0.0)
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn size(&self) -> f64 {
        2.0 * self.radius
    }

    fn surface_area(&self) -> f64 {
        4.0 * std::f64::consts::PI * self.radius * self.radius
    }

    fn volume(&self) -> f64 {
        self.surface_area() * self.radius / 3.0
    }

    fn bounds(&self) -> Aabb {
        Aabb {
            min: self.center - DVec3::splat(self.radius),
            max: self.center + DVec3::splat(self.radius),
        }
    }
}
