//! Newton's method for the support plane nearest to the origin.
//!
//! **Question.** Near a given direction, which support plane of a smooth body is nearest to a point
//! inside?
//! **Idea.** The height `h(n) = n·s(n)` of the support plane has the gradient `s − h·n` across `n`.
//! Its second derivative is that of the support point, minus `h`; two support points nearby give
//! it. EPA halves the error of a smooth body with every few points; a Newton step doubles the
//! digits.
//! **Source.** Newton's method on a sphere; support function and curvature radii as in Schneider,
//! *Convex bodies*, section 2.5.
//! **Cost.** Three to five support points per step, and few steps.
//! **Limits.** Where support points jump, at faces and edges, there is no second derivative. Then
//! nothing is returned, and EPA continues.

use glam::DVec3;

use super::simplex::SimplexVertex;

/// Steps that a search may take, and halvings of each.
const STEPS: u32 = 12;
const HALVINGS: u32 = 4;

/// Radians between the support points that a second derivative is taken from.
const PROBE: f64 = 1e-5;

/// The longest step, in radians.
const LONGEST: f64 = 0.25;

/// A gradient that counts as none, the body being of size 1.
const STATIONARY: f64 = 1e-9;

/// A rise of the height that is rounding.
const LEVEL: f64 = 1e-15;

/// A support plane, and the difference that it goes through.
#[derive(Clone, Copy, Debug)]
pub(super) struct SupportPlane {
    pub(super) normal: DVec3,
    pub(super) height: f64,
    pub(super) corner: SimplexVertex,
}

impl SupportPlane {
    fn new(normal: DVec3, farthest: &dyn Fn(DVec3) -> SimplexVertex) -> Self {
        let corner = farthest(normal);
        Self {
            normal,
            height: normal.dot(corner.y),
            corner,
        }
    }
}

/// The support plane of least height near a unit direction, if the body is smooth there.
pub(super) fn stationary_plane(
    from: DVec3,
    farthest: &dyn Fn(DVec3) -> SimplexVertex,
) -> Option<SupportPlane> {
    let mut at = SupportPlane::new(from, farthest);
    for _ in 0..STEPS {
        let gradient = at.corner.y - at.normal * at.height;
        if gradient.length() <= STATIONARY {
            return Some(at);
        }
        let step = newton_step(&at, gradient, farthest)?.clamp_length_max(LONGEST);
        let mut share = 1.0;
        let mut next = None;
        for _ in 0..HALVINGS {
            let turned = (at.normal + step * share).try_normalize()?;
            let plane = SupportPlane::new(turned, farthest);
            if plane.height <= at.height + LEVEL {
                next = Some(plane);
                break;
            }
            share *= 0.5;
        }
        at = next?;
    }
    None
}

/// The turn after which the gradient is gone, if the height rises around it.
fn newton_step(
    at: &SupportPlane,
    gradient: DVec3,
    farthest: &dyn Fn(DVec3) -> SimplexVertex,
) -> Option<DVec3> {
    let u = at.normal.any_orthonormal_vector();
    let v = at.normal.cross(u);
    let slope = |side: DVec3| {
        let turned = (at.normal + side * PROBE).normalize_or_zero();
        (farthest(turned).y - at.corner.y) / PROBE
    };
    let (along_u, along_v) = (slope(u), slope(v));
    let (uu, vv) = (along_u.dot(u) - at.height, along_v.dot(v) - at.height);
    let uv = 0.5 * (along_u.dot(v) + along_v.dot(u));
    let determinant = uu * vv - uv * uv;
    if uu <= 0.0 || determinant <= 0.0 {
        return None;
    }
    let (gu, gv) = (gradient.dot(u), gradient.dot(v));
    let step = (u * (uv * gv - vv * gu) + v * (uv * gu - uu * gv)) / determinant;
    step.is_finite().then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An ellipsoid around a point, seen from the origin.
    fn ellipsoid(radii: DVec3, center: DVec3) -> impl Fn(DVec3) -> SimplexVertex {
        move |n| {
            let stretched = radii * n;
            let y = center + radii * stretched / stretched.length();
            SimplexVertex {
                y,
                point_a: y,
                point_b: DVec3::ZERO,
                vertices: [0; 2],
            }
        }
    }

    #[test]
    fn the_plane_of_an_ellipsoid_is_found_and_nearest() {
        let radii = DVec3::new(0.9, 0.6, 0.4);
        let body = ellipsoid(radii, DVec3::new(0.1, -0.05, 0.15));
        let start = DVec3::new(0.3, 0.2, -1.0).normalize();
        let found = stationary_plane(start, &body).unwrap();
        assert!(found.corner.y.normalize().distance(found.normal) < 1e-8);
        // No plane around it is nearer.
        let side = found.normal.any_orthonormal_vector();
        for (p, q) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
            let off = side * p + found.normal.cross(side) * q;
            let turned = (found.normal + off * 0.01).normalize();
            assert!(turned.dot(body(turned).y) > found.height);
        }
    }

    #[test]
    fn a_box_has_no_stationary_plane() {
        let body = |n: DVec3| {
            let y = n.signum() * DVec3::new(0.5, 0.4, 0.3);
            SimplexVertex {
                y,
                point_a: y,
                point_b: DVec3::ZERO,
                vertices: [0; 2],
            }
        };
        assert!(stationary_plane(DVec3::new(0.2, 0.1, 1.0).normalize(), &body).is_none());
    }
}
