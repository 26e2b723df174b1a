//! Swept ball against a triangle.
//!
//! **Question.** When does a moving ball first touch a triangle, and where?
//! **Idea.** The ball meets the triangle when its centre meets the triangle's offset surface: two
//! raised faces, three cylinders around the edges, three balls around the corners. Each is a linear
//! or quadratic equation; the earliest root is the answer.
//! **Promise.** A ball that touches at the start has time 0. Roots are taken in the form that does not
//! cancel, so that the time is off by a few roundings of the lengths involved.
//! **Limits.** A path that only grazes the offset surface may be found or not.

use glam::DVec3;

use super::point_triangle::{TriangleFeature, closest_point_on_triangle};

/// Where a moving ball first touches a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptBallHit {
    /// The time, from 0 at the start of the way to 1 at its end.
    pub t: f64,
    /// The point of the triangle that is touched.
    pub point: DVec3,
    /// The part of the triangle on which the point lies.
    pub feature: TriangleFeature,
    /// The weights of the point with respect to the corners.
    pub barycentric: [f64; 3],
}

/// The first contact of a ball whose centre moves straight from `from` to `to`.
///
/// ```
/// use impinge::{DVec3, geom::swept_ball_triangle};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let from = DVec3::new(0.25, 0.25, 3.0);
/// let hit = swept_ball_triangle(from, from - DVec3::Z * 4.0, 1.0, &triangle);
/// assert_eq!(hit.map(|hit| hit.t), Some(0.5));
/// assert!(swept_ball_triangle(from, from + DVec3::Z, 1.0, &triangle).is_none());
/// ```
#[must_use]
#[doc(alias = "sphere cast")]
pub fn swept_ball_triangle(
    from: DVec3,
    to: DVec3,
    radius: f64,
    triangle: &[DVec3; 3],
) -> Option<SweptBallHit> {
    let start = closest_point_on_triangle(from, triangle);
    let t = if start.distance <= radius {
        0.0
    } else {
        first_root(to - from, radius, &triangle.map(|v| v - from))?
    };
    let touched = if t > 0.0 {
        closest_point_on_triangle(from + (to - from) * t, triangle)
    } else {
        start
    };
    Some(SweptBallHit {
        t,
        point: touched.point,
        feature: touched.feature,
        barycentric: touched.barycentric,
    })
}

/// The first time at which a point that starts at the origin, farther than `radius` from the
/// triangle, is that near.
fn first_root(way: DVec3, radius: f64, v: &[DVec3; 3]) -> Option<f64> {
    let mut first: Option<f64> = None;
    let mut offer = |t: f64| {
        if (0.0..=1.0).contains(&t) && first.is_none_or(|best| t < best) {
            first = Some(t);
        }
    };
    if let Some(normal) = (v[1] - v[0]).cross(v[2] - v[0]).try_normalize() {
        let height = -normal.dot(v[0]);
        let towards = if height < 0.0 { -normal } else { normal };
        let closing = -towards.dot(way);
        if closing > 0.0 && height.abs() >= radius {
            let t = (height.abs() - radius) / closing;
            let foot = way * t - towards * radius;
            let is_left = |i: usize| {
                let (a, b) = (v[i], v[(i + 1) % 3]);
                (b - a).cross(foot - a).dot(normal) >= 0.0
            };
            if (0..3).all(is_left) {
                offer(t);
            }
        }
    }
    for i in 0..3 {
        let (a, b) = (v[i], v[(i + 1) % 3]);
        let edge = b - a;
        let length_sq = edge.length_squared();
        if length_sq > 0.0 {
            // Across the edge, the cylinder is a circle.
            let (place, speed) = (-a.dot(edge) / length_sq, way.dot(edge) / length_sq);
            let (arm, drift) = (-a - edge * place, way - edge * speed);
            if let Some(t) = root(arm, drift, radius) {
                let along = place + speed * t;
                if (0.0..=1.0).contains(&along) {
                    offer(t);
                }
            }
        }
        if let Some(t) = root(-a, way, radius) {
            offer(t);
        }
    }
    first
}

/// The earlier time at which `arm + t·drift` has this length, for an arm that is longer.
fn root(arm: DVec3, drift: DVec3, radius: f64) -> Option<f64> {
    let closing = -arm.dot(drift);
    let length = arm.length();
    // As a product, so that nothing cancels when the ball is almost touching.
    let beyond = (length - radius) * (length + radius);
    if closing <= 0.0 || beyond < 0.0 {
        return None;
    }
    let speed_sq = drift.length_squared();
    let discriminant = closing * closing - speed_sq * beyond;
    (discriminant >= 0.0).then(|| beyond / (closing + discriminant.sqrt()))
}
