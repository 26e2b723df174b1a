//! Triangle-box intersection test.
//!
//! **Question.** Do a triangle and a box along the axes share a point?
//! **Idea.** Two convex bodies are disjoint exactly when one of 13 directions separates them: the axes, the normal of the
//! triangle, and the cross products of axes and edges. The last nine are the edges' normals in the three
//! projections along an axis. So every test is the sign of an orientation of corner points, and those are exact.
//! **Source.** The 13 directions: Akenine-Möller 2001, doi:10.1080/10867651.2001.10487535; our change: no direction is
//! ever computed.
//! **Promise.** Exact for all valid coordinates; touching counts; degenerate triangles and flat boxes are fine.

use glam::{DVec2, DVec3, Vec3Swizzles};

use crate::math::{Sign, orient2d, orient3d};

/// Whether the triangle and the box from `min` to `max` share a point; touching counts. An empty box meets nothing.
///
/// ```
/// use impinge::{geom::triangle_meets_box, DVec3};
/// let corner_cut = [DVec3::X * 3.0, DVec3::Y * 3.0, DVec3::Z * 3.0]; // the plane x + y + z = 3
/// assert!(triangle_meets_box(&corner_cut, DVec3::ZERO, DVec3::ONE));
/// assert!(!triangle_meets_box(&corner_cut, DVec3::ZERO, DVec3::splat(1.0_f64.next_down())));
/// ```
#[must_use]
pub fn triangle_meets_box(triangle: &[DVec3; 3], min: DVec3, max: DVec3) -> bool {
    let [v0, v1, v2] = *triangle;
    let (low, high) = (v0.min(v1).min(v2), v0.max(v1).max(v2));
    if !(min.cmple(max).all() && low.cmple(max).all() && min.cmple(high).all()) {
        return false;
    }
    if triangle
        .iter()
        .any(|v| min.cmple(*v).all() && v.cmple(max).all())
    {
        return true;
    }
    let (box_x, box_y, box_z) = (
        (min.yz(), max.yz()),
        (min.zx(), max.zx()),
        (min.xy(), max.xy()),
    );
    let Some(x) = shadow(triangle.map(DVec3::yz), box_x) else {
        return false;
    };
    let Some(y) = shadow(triangle.map(DVec3::zx), box_y) else {
        return false;
    };
    let Some(z) = shadow(triangle.map(DVec3::xy), box_z) else {
        return false;
    };
    // x, y, z are the signs of the normal: they name the corners furthest along and against it.
    let corner = |along: Sign| {
        let pick = |n: Sign, lo: f64, hi: f64| if n == along { hi } else { lo };
        DVec3::new(
            pick(x, min.x, max.x),
            pick(y, min.y, max.y),
            pick(z, min.z, max.z),
        )
    };
    orient3d(v0, v1, v2, corner(Sign::Positive)) != Sign::Positive
        && orient3d(v0, v1, v2, corner(Sign::Negative)) != Sign::Negative
}

/// The orientation of a projected triangle, or `None` when one of its edges separates it from the projected box.
fn shadow(v: [DVec2; 3], (min, max): (DVec2, DVec2)) -> Option<Sign> {
    let turn = orient2d(v[0], v[1], v[2]);
    for (p, q) in [(v[0], v[1]), (v[1], v[2]), (v[2], v[0])] {
        // The corners furthest to the left and to the right of the edge's line.
        let (right, up) = (q.x > p.x, q.y > p.y);
        let left_most = DVec2::new(
            if up { min.x } else { max.x },
            if right { max.y } else { min.y },
        );
        let right_most = DVec2::new(
            if up { max.x } else { min.x },
            if right { min.y } else { max.y },
        );
        let triangle_on_left = turn != Sign::Negative;
        let triangle_on_right = turn != Sign::Positive;
        if (triangle_on_left && orient2d(p, q, left_most) == Sign::Negative)
            || (triangle_on_right && orient2d(p, q, right_most) == Sign::Positive)
        {
            return None;
        }
    }
    Some(turn)
}
