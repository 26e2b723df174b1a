//! Ray-triangle intersection.
//!
//! **Question.** Does a ray hit a triangle, and where?
//! **Idea.** Projected along the ray, the triangle contains the ray's point exactly if the ray
//! passes each edge on the same side. The side of an edge is a determinant of the edge's two ends;
//! neighbours share it with the opposite sign, so if it is exact no ray slips between them. Plain
//! `f64` with an error bound decides nearly all; integers decide the rest.
//! **Source.** Woop, Benthin, Wald 2013, *Watertight ray/triangle intersection*, JCGT 2(1); our change: exact signs, no
//! shear.
//! **Promise.** Whether it hits is exact, border included: a ray through an edge hits both its faces, one through a corner
//! each face around it that is not seen edge-on. `t` belongs to a point of the triangle; rounding moves it by about
//! 2⁻⁵⁰ of the input's extent, divided by the sine of the angle between ray and triangle.
//! **Limits.** A triangle seen edge-on, or degenerate, is never hit; in a closed mesh a neighbour is.

use glam::{DVec2, DVec3};

use super::Ray;
use super::safe_scale::safe_scale;
use crate::math::{Sign, orient2d, orient3d, ray_side_sign};

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The place on the ray, in lengths of its direction; never negative.
    pub t: f64,
    /// The place in the triangle, as weights of the corners: none negative, sum 1 up to rounding. A weight is 0 exactly when the ray
    /// passes through the opposite edge's line.
    pub barycentric: [f64; 3],
}

/// Where the ray hits the triangle, from either side; `None` when it misses or lies in its plane.
///
/// ```
/// use impinge::{geom::{ray_triangle, Ray}, DVec3};
/// let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let ray = Ray::new([0.25, 0.25, -2.0], [0.0, 0.0, 1.0])?;
/// let hit = ray_triangle(&ray, &triangle);
/// assert_eq!(hit.map(|hit| (hit.t, hit.barycentric)), Some((2.0, [0.5, 0.25, 0.25])));
/// let along_border = Ray::new([0.25, 0.0, -2.0], [0.0, 0.0, 1.0])?;
/// assert!(ray_triangle(&along_border, &triangle).is_some());
/// # Ok::<(), impinge::geom::RayError>(())
/// ```
#[must_use]
#[doc(alias = "raycast")]
#[doc(alias = "Moller-Trumbore")]
pub fn ray_triangle(ray: &Ray, triangle: &[DVec3; 3]) -> Option<RayHit> {
    let (origin, direction) = (ray.origin(), ray.direction());
    let arms = triangle.map(|v| v - origin);
    let size = arms
        .iter()
        .fold(0.0_f64, |m, v| m.max(v.abs().max_element()));
    let scale = safe_scale(size);
    let arms = arms.map(|v| v * scale);
    let stretch = safe_scale(direction.abs().max_element());
    let d = direction * stretch;

    let mut weights = [0.0; 3];
    let mut side = Sign::Zero;
    for (i, weight) in weights.iter_mut().enumerate() {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (value, error) = side_estimate(arms[j], arms[k], d);
        let sign = if value > error {
            Sign::Positive
        } else if value < -error {
            Sign::Negative
        } else {
            exact_side(triangle[j], triangle[k], origin, direction)
        };
        if sign.is_zero() {
            continue;
        }
        if side == sign.reversed() {
            return None;
        }
        side = sign;
        // A value lost to rounding still counts: its sign is known to be this one.
        *weight = value.abs().max(f64::MIN_POSITIVE);
    }
    if side.is_zero() {
        return None;
    }
    let [v0, v1, v2] = *triangle;
    let ahead = orient3d(v0, v1, v2, origin);
    if ahead == side.reversed() {
        return None;
    }
    let sum = weights[0] + weights[1] + weights[2];
    let barycentric = weights.map(|w| w / sum);
    let t = if ahead.is_zero() {
        0.0
    } else {
        let [b0, b1, b2] = barycentric;
        let arm = arms[0] * b0 + arms[1] * b1 + arms[2] * b2;
        (arm.dot(d) / d.length_squared() / scale * stretch).max(0.0)
    };
    Some(RayHit { t, barycentric })
}

/// `det[p, q, d]` and a bound on its error, where `p` and `q` are rounded differences.
fn side_estimate(p: DVec3, q: DVec3, d: DVec3) -> (f64, f64) {
    // As for orient3d in `math::predicate`: seven roundings of the permanent, and an absolute term that outweighs any
    // underflow. Here the third row is not rounded, so the bound has slack.
    const RELATIVE: f64 = 7.1 * (f64::EPSILON / 2.0);
    const ABSOLUTE: f64 = f64::from_bits((1023 - 900) << 52);
    let (x0, x1) = (p.y * q.z, p.z * q.y);
    let (y0, y1) = (p.z * q.x, p.x * q.z);
    let (z0, z1) = (p.x * q.y, p.y * q.x);
    let value = d.x * (x0 - x1) + d.y * (y0 - y1) + d.z * (z0 - z1);
    let permanent = d.x.abs() * (x0.abs() + x1.abs())
        + d.y.abs() * (y0.abs() + y1.abs())
        + d.z.abs() * (z0.abs() + z1.abs());
    (value, RELATIVE * permanent + ABSOLUTE)
}

#[cold]
fn exact_side(p: DVec3, q: DVec3, origin: DVec3, d: DVec3) -> Sign {
    if p == q || p == origin || q == origin {
        return Sign::Zero;
    }
    // Along an axis, as in parity tests, the determinant is one of two dimensions, which is faster.
    let flat = |along: f64, u: fn(DVec3) -> DVec2| {
        let side = orient2d(u(p), u(q), u(origin));
        if along > 0.0 { side } else { side.reversed() }
    };
    match [d.x == 0.0, d.y == 0.0, d.z == 0.0] {
        [false, true, true] => flat(d.x, |v| DVec2::new(v.y, v.z)),
        [true, false, true] => flat(d.y, |v| DVec2::new(v.z, v.x)),
        [true, true, false] => flat(d.z, |v| DVec2::new(v.x, v.y)),
        _ => ray_side_sign(p, q, origin, d),
    }
}
