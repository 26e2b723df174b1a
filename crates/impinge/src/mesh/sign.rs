//! Exact signs, as small integers, for the decisions of this module.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

/// −1, 0 or 1: the side of the line `a → b` on which `c` lies, 1 for left.
pub(crate) fn side_of_line(a: DVec2, b: DVec2, c: DVec2) -> i8 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    sign(robust::orient2d(coord(a), coord(b), coord(c)))
}

/// −1, 0 or 1: 1 when `d` lies behind the plane of `a, b, c` (on the side where the three turn
/// clockwise), −1 when in front.
pub(crate) fn side_of_plane(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> i8 {
    let coord = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    sign(robust::orient3d(coord(a), coord(b), coord(c), coord(d)))
}

fn sign(x: f64) -> i8 {
    i8::from(x > 0.0) - i8::from(x < 0.0)
}

/// The signs of the three coordinates of the normal of `a, b, c`, exactly.
pub(crate) fn normal_signs([a, b, c]: &[DVec3; 3]) -> [i8; 3] {
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
pub(crate) fn yz(p: DVec3) -> DVec2 {
    DVec2::new(p.y, p.z)
}

/// The point seen along y, turning the way the y coordinate of normals counts.
pub(crate) fn zx(p: DVec3) -> DVec2 {
    DVec2::new(p.z, p.x)
}

/// The point seen along z, turning the way the z coordinate of normals counts.
pub(crate) fn xy(p: DVec3) -> DVec2 {
    DVec2::new(p.x, p.y)
}
