//! The point nearest to a target above up to three planes.
//!
//! **Idea.** A quadratic program with three constraints has eight possible active sets. For each, the
//! Lagrange multipliers have a closed form. The answer is the set whose multipliers are not negative and
//! whose point is above the other planes; it is unique unless planes are parallel.
//! **Source.** Equations 3.1–3.4 and 5.1–5.6 of Sjöberg and Ylinenpää 2009 for a given set of active planes.
//! **Promise.** The point lies on its active planes up to a few roundings.

use impinge::DVec3;

/// All points `x` with `normal · x ≥ offset` are allowed. The normal is a unit vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintPlane {
    /// Unit vector towards the free side.
    pub normal: DVec3,
    /// Of the plane along the normal.
    pub offset: f64,
}

impl ConstraintPlane {
    /// How far above the plane a point is; negative below.
    ///
    /// ```
    /// use impinge::DVec3;
    /// use impinge_dynamics::proxy::ConstraintPlane;
    /// let plane = ConstraintPlane { normal: DVec3::Y, offset: 1.0 };
    /// assert_eq!(plane.height(DVec3::Y * 3.0), 2.0);
    /// ```
    #[must_use]
    pub fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// The answer of [`nearest_under_planes`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestUnderPlanes {
    /// The point.
    pub point: DVec3,
    /// How far each plane pushes: `point = target + Σ push · normal`, 0 for a plane that would pull.
    pub push: [f64; 3],
}

/// Smallest squared sine (of two normals) or squared determinant (of three) for which planes count as
/// independent. Below, a plane nearly repeats another and the point would run away along them.
const INDEPENDENT: f64 = 1e-12;

/// The point nearest to `target` that is above all planes, of which the first three count.
///
/// None when no such point exists: planes face each other, or are so nearly parallel that it lies
/// far away.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::proxy::{ConstraintPlane, nearest_under_planes};
/// let floor = ConstraintPlane { normal: DVec3::Y, offset: 0.0 };
/// let wall = ConstraintPlane { normal: DVec3::X, offset: 0.0 };
/// let nearest = nearest_under_planes(DVec3::new(-1.0, -2.0, 5.0), &[floor, wall]);
/// assert_eq!(nearest.map(|n| n.point), Some(DVec3::Z * 5.0));
/// // The wall would pull: it is left out.
/// let nearest = nearest_under_planes(DVec3::new(1.0, -2.0, 5.0), &[floor, wall]);
/// assert_eq!(nearest.map(|n| n.push), Some([2.0, 0.0, 0.0]));
/// ```
#[must_use]
pub fn nearest_under_planes(
    target: DVec3,
    planes: &[ConstraintPlane],
) -> Option<NearestUnderPlanes> {
    /// Sets of active planes, few first, so that a plane counts only if it is needed.
    const SETS: [&[usize]; 8] = [&[], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
    let planes = planes.get(..3).unwrap_or(planes);
    let size = planes
        .iter()
        .fold(target.abs().max_element(), |m, p| m.max(p.offset.abs()));
    // Roundings of a height; far below the offset of the god-object.
    let tolerance = size * 1e-13;
    for set in SETS {
        let Some(push) = pushes(target, planes, set) else {
            continue;
        };
        if push.iter().any(|&l| l < -tolerance) {
            continue;
        }
        let mut point = target;
        for (plane, l) in planes.iter().zip(push) {
            point += plane.normal * l;
        }
        // One step of refinement: what rounding left of the heights is solved for once more.
        if let Some(rest) = pushes(point, planes, set) {
            for (plane, l) in planes.iter().zip(rest) {
                point += plane.normal * l;
            }
        }
        if planes.iter().all(|plane| plane.height(point) >= -tolerance) {
            let push = push.map(|l| l.max(0.0));
            return Some(NearestUnderPlanes { point, push });
        }
    }
    None
}

/// Multipliers that put the target on the planes of the set; none when those are not independent or
/// there are fewer.
fn pushes(target: DVec3, planes: &[ConstraintPlane], set: &[usize]) -> Option<[f64; 3]> {
    let mut push = [0.0; 3];
    let plane = |i: usize| set.get(i).and_then(|&k| planes.get(k));
    match *set {
        [] => {}
        [a] => push[a] = -plane(0)?.height(target),
        [a, b] => {
            let (p, q) = (plane(0)?, plane(1)?);
            let (t, w) = (-p.height(target), -q.height(target));
            let s = p.normal.dot(q.normal);
            // 1 − s² loses digits when normals are close; the cross product does not.
            let det = p.normal.cross(q.normal).length_squared();
            if det < INDEPENDENT {
                return None;
            }
            push[a] = (t - s * w) / det;
            push[b] = (w - s * t) / det;
        }
        _ => {
            let (p, q, r) = (plane(0)?, plane(1)?, plane(2)?);
            let (n1, n2, n3) = (p.normal, q.normal, r.normal);
            let det = n1.dot(n2.cross(n3));
            if det * det < INDEPENDENT {
                return None;
            }
            // The point of three planes, relative to the target, by the reciprocal basis; the
            // multipliers are its coordinates in the basis of the normals.
            let heights = [p, q, r].map(|plane| -plane.height(target));
            let reciprocal = [n2.cross(n3), n3.cross(n1), n1.cross(n2)].map(|v| v / det);
            let way = reciprocal[0] * heights[0]
                + reciprocal[1] * heights[1]
                + reciprocal[2] * heights[2];
            push = reciprocal.map(|v| v.dot(way));
        }
    }
    Some(push)
}
