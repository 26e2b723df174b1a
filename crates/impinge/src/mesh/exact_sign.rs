//! Exact signs, as small integers, for the decisions of this module.

use glam::{DVec2, DVec3};

use crate::math::{orient2d, orient3d};

/// −1, 0 or 1: the side of the line `a → b` on which `c` lies, 1 for left.
pub(super) fn side_of_line(a: DVec2, b: DVec2, c: DVec2) -> i8 {
    orient2d(a, b, c) as i8
}

/// −1, 0 or 1: 1 when `d` lies behind the plane of `a, b, c` (on the side where the three turn
/// clockwise), −1 when in front.
pub(super) fn side_of_plane(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i8 {
    orient3d(a, b, c, d) as i8
}

/// The signs of the three coordinates of the normal of `a, b, c`, exactly.
pub(super) fn normal_signs([a, b, c]: &[DVec3; 3]) -> [i8; 3] {
    [
        side_of_line(yz(*a), yz(*b), yz(*c)),
        side_of_line(zx(*a), zx(*b), zx(*c)),
        side_of_line(xy(*a), xy(*b), xy(*c)),
    ]
}

/// Whether the three points lie on one line, exactly.
pub(crate) fn is_flat(triangle: &[DVec3; 3]) -> bool {
    normal_signs(triangle) == [0; 3]
}

/// The point seen along x, turning the way the x coordinate of normals counts.
pub(super) fn yz(p: DVec3) -> DVec2 {
    DVec2::new(p.y, p.z)
}

/// The point seen along y, turning the way the y coordinate of normals counts.
pub(super) fn zx(p: DVec3) -> DVec2 {
    DVec2::new(p.z, p.x)
}

/// The point seen along z, turning the way the z coordinate of normals counts.
pub(super) fn xy(p: DVec3) -> DVec2 {
    DVec2::new(p.x, p.y)
}
