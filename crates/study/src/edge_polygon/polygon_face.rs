//! Decides polygons as a whole.
//!
//! A polygon is treated as its triangles. Its *rim* consists of the sides of these triangles that
//! have no opposite side in the same polygon: the outline and the holes. Two facts allow most
//! decisions by the rim alone.
//!
//! *Sheet.* Projected along one axis, no triangle is flipped and one is not degenerate. Then every
//! point away from the rim is covered as often as the winding number of the rim. A segment that
//! crosses the polygon's slab and stays away from the rim inside the slab therefore intersects the
//! polygon exactly if the rim winds around it: otherwise it could be closed far away into a loop
//! that links with the rim and misses the surface.
//!
//! *Flat.* A sheet whose corners are exactly coplanar. If two flat polygons intersect, a rim of one
//! of them intersects the other, so edges between triangles need no test.
//!
//! Margins below are thousands of rounding errors wide. Cases within them are left to the exact
//! triangle test.

use glam::{DVec2, DVec3};

use super::face_slab::FaceSlab;
use impinge::bound::Aabb;
use impinge::math::{orient2d, orient3d};

/// What is exactly true of a polygon as placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum PolygonShape {
    /// A sheet in one plane.
    Flat,
    /// Seen along the axis nearest to its normal, no triangle is turned over.
    Sheet,
    /// Anything else.
    #[default]
    Other,
}

/// The margin around computed places, relative to the size of what is looked at.
const MARGIN: f64 = 1e-12;

impl PolygonShape {
    /// The shape of these triangles, `normal` being about theirs.
    pub(super) fn of(positions: &[DVec3], triangles: &[[u32; 3]], normal: DVec3) -> Self {
        let view = AxisView::along(normal);
        let (mut left, mut right) = (None, false);
        for triangle in triangles {
            let [a, b, c] = triangle.map(|v| view.see(positions[v as usize]));
            let turn = orient2d(a, b, c);
            if turn.is_positive() {
                left = Some(triangle);
            }
            right |= turn.is_negative();
        }
        let proper = match (left, right) {
            (Some(triangle), false) => triangle,
            (None, true) => {
                // The view looks from behind; then all must be turned that way, or degenerate.
                let proper = triangles.iter().find(|t| {
                    let [a, b, c] = t.map(|v| view.see(positions[v as usize]));
                    orient2d(a, b, c).is_negative()
                });
                let Some(proper) = proper else {
                    return Self::Other;
                };
                proper
            }
            _ => return Self::Other,
        };
        let [a, b, c] = proper.map(|v| positions[v as usize]);
        let is_flat = triangles
            .iter()
            .flatten()
            .all(|&v| orient3d(a, b, c, positions[v as usize]).is_zero());
        if is_flat { Self::Flat } else { Self::Sheet }
    }
}

/// Whether a segment meets a sheet, if that is clear from its rim.
pub(super) fn pierces(
    [p, q]: [DVec3; 2],
    slab: &FaceSlab,
    bounds: &Aabb,
    positions: &[DVec3],
    rim: &[[u32; 2]],
) -> Option<bool> {
    let ((hp, ep), (hq, eq)) = (slab.height(p), slab.height(q));
    let reach = slab.slack + ep + eq;
    if hp.min(hq) > reach || hp.max(hq) < -reach {
        return Some(false);
    }
    let is_through = (hp > reach && hq < -reach) || (hp < -reach && hq > reach);
    if !is_through {
        return None;
    }
    let view = AxisView::along(slab.normal);
    let from_point = |r: DVec3| view.see(r - slab.point);
    let (start, end) = (from_point(p), from_point(q));
    let size = [start, end, from_point(bounds.min), from_point(bounds.max)]
        .iter()
        .fold(0.0f64, |size, r| size.max(r.abs().max_element()));
    let margin = MARGIN * size;
    // Where the segment is in the slab, seen from above: in this box.
    let [first, last] = [hp - reach, hp + reach].map(|h| {
        let t = (h / (hp - hq)).clamp(0.0, 1.0);
        start + t * (end - start)
    });
    let (low, high) = (first.min(last) - margin, first.max(last) + margin);
    let middle = 0.5 * (low + high);
    let mut winding = 0;
    for side in rim {
        let [a, b] = side.map(|v| from_point(positions[v as usize]));
        let (min, max) = (a.min(b), a.max(b));
        let is_apart = min.x > high.x || max.x < low.x || min.y > high.y || max.y < low.y;
        let is_left = if is_apart {
            // Only asked when the side passes the middle's height: then it is clear of the box in x.
            (min.x > high.x) == (b.y > a.y)
        } else {
            let corners = [
                low,
                high,
                DVec2::new(low.x, high.y),
                DVec2::new(high.x, low.y),
            ];
            let turns = corners.map(|c| (b - a).perp_dot(c - a));
            let unsure = margin * size;
            if turns.iter().all(|&t| t > unsure) {
                true
            } else if turns.iter().all(|&t| t < -unsure) {
                false
            } else {
                return None;
            }
        };
        match (a.y <= middle.y, b.y <= middle.y) {
            (true, false) if is_left => winding += 1,
            (false, true) if !is_left => winding -= 1,
            _ => {}
        }
    }
    Some(winding != 0)
}

/// A look along a coordinate axis.
#[derive(Clone, Copy, Debug)]
struct AxisView {
    kept: [usize; 2],
}

impl AxisView {
    /// Along the axis nearest to the direction.
    fn along(direction: DVec3) -> Self {
        let size = direction.abs();
        let kept = if size.x >= size.y && size.x >= size.z {
            [1, 2]
        } else if size.y >= size.z {
            [2, 0]
        } else {
            [0, 1]
        };
        Self { kept }
    }

    fn see(self, p: DVec3) -> DVec2 {
        DVec2::new(p[self.kept[0]], p[self.kept[1]])
    }
}
