//! How a ray along +x meets a face, decided exactly, whatever it passes through.
//!
//! The ray is moved aside by an infinitesimal amount: a little along y and, far less, along z. It
//! then meets no edge or vertex and lies in no face, so that counting crossings of a closed surface
//! is consistent face by face (Edelsbrunner and Mücke's simulation of simplicity, reduced to the
//! query point). Where the moved ray would pass is read off exact signs.

use glam::{DVec2, DVec3};

use super::exact_sign::{normal_signs, side_of_line, side_of_plane, xy, yz, zx};

/// What a ray along +x does at a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RayCrossing {
    /// Passes by, or the face lies behind the start.
    None,
    /// Comes through from the front of the face, going in.
    Entering,
    /// Comes through from the back, going out.
    Leaving,
    /// Starts on the face, border included.
    OnFace,
}

/// What the ray from `p` along +x does at a triangle.
pub(super) fn crossing(triangle: &[DVec3; 3], p: DVec3) -> RayCrossing {
    let [a, b, c] = *triangle;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    if max.x < p.x || p.y < min.y || p.y > max.y || p.z < min.z || p.z > max.z {
        return RayCrossing::None;
    }
    if min.x <= p.x && contains_point(triangle, p) {
        return RayCrossing::OnFace;
    }
    let q = yz(p);
    let side = moved_side(yz(a), yz(b), q);
    if side == 0 || side != moved_side(yz(b), yz(c), q) || side != moved_side(yz(c), yz(a), q) {
        return RayCrossing::None;
    }
    // The start is not on the face, so its side of the plane is not zero where the ray passes.
    if min.x <= p.x && side_of_plane(a, b, c, p) != side {
        return RayCrossing::None;
    }
    if side > 0 {
        RayCrossing::Leaving
    } else {
        RayCrossing::Entering
    }
}

/// The side of `a → b` on which `q` lies after being moved aside; 0 only if `a` and `b` coincide.
fn moved_side(a: DVec2, b: DVec2, q: DVec2) -> i8 {
    let side = side_of_line(a, b, q);
    if side != 0 {
        return side;
    }
    // How the side changes with the first, then the second coordinate of q.
    compare(a.y, b.y).unwrap_or_else(|| compare(b.x, a.x).unwrap_or(0))
}

fn compare(x: f64, y: f64) -> Option<i8> {
    if x > y {
        Some(1)
    } else if x < y {
        Some(-1)
    } else {
        None
    }
}

/// Whether a point lies on a triangle, border included, exactly; the triangle may be flat.
pub(crate) fn contains_point(triangle: &[DVec3; 3], p: DVec3) -> bool {
    let [a, b, c] = *triangle;
    let (min, max) = (a.min(b).min(c), a.max(b).max(c));
    if min.cmpgt(p).any() || max.cmplt(p).any() || side_of_plane(a, b, c, p) != 0 {
        return false;
    }
    let views: [fn(DVec3) -> DVec2; 3] = [yz, zx, xy];
    for (view, side) in views.into_iter().zip(normal_signs(triangle)) {
        if side != 0 {
            let q = view(p);
            return [(a, b), (b, c), (c, a)]
                .into_iter()
                .all(|(u, v)| side_of_line(view(u), view(v), q) * side >= 0);
        }
    }
    [(a, b), (b, c), (c, a)].into_iter().any(|(u, v)| {
        views
            .into_iter()
            .all(|view| side_of_line(view(u), view(v), view(p)) == 0)
            && u.min(v).cmple(p).all()
            && p.cmple(u.max(v)).all()
    })
}
