//! Is a point inside a closed mesh?
//!
//! **Idea.** On the boundary when it touches a face; otherwise a ray in a random integer
//! direction is followed and the faces it crosses are counted, all in integers. A ray that
//! meets an edge or a corner is thrown away and another drawn.
//!
//! **Promise.** Exact parity for every mesh; "inside" means what one expects for closed ones.

use std::cmp::Ordering;

use dashu_int::IBig;
use impinge::math::Rng;
use impinge::{DVec3, TriMesh};

use super::integer::{Integer, Point, cross, difference, dot, is_zero, scaled_wide};
use super::intersects;

/// Where a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An odd number of faces lies between the point and infinity.
    Inside,
    /// An even number does.
    Outside,
    /// The point is on a face.
    Boundary,
}

/// A ray that meets an edge or corner has probability near 2^-15 for each edge; this many in a
/// row do not happen.
const MAX_RAYS: usize = 64;

/// Where the point is, or `None` when every ray drawn met an edge.
///
/// ```
/// use impinge::DVec3;
/// use impinge_testkit::{generate, oracle::{Place, locate}};
/// let cube = generate::meshes::cuboid(DVec3::ZERO, DVec3::ONE);
/// assert_eq!(locate(&cube, DVec3::splat(0.5)), Some(Place::Inside));
/// assert_eq!(locate(&cube, DVec3::splat(1.0)), Some(Place::Boundary));
/// assert_eq!(locate(&cube, DVec3::splat(1.5)), Some(Place::Outside));
/// ```
#[must_use]
pub fn locate(mesh: &TriMesh, point: DVec3) -> Option<Place> {
    let faces: Vec<[DVec3; 3]> = mesh.triangles().collect();
    if faces.iter().any(|f| intersects(f, &[point; 3])) {
        return Some(Place::Boundary);
    }
    let mut rng = Rng::new(1);
    for _ in 0..MAX_RAYS {
        let direction: Point<IBig> =
            std::array::from_fn(|_| IBig::from(rng.grid(-32_768, 32_767) as i64));
        let mut crossings = 0_usize;
        let met_edge = faces.iter().any(|f| {
            let ([p, a, b, c], _) = scaled_wide(&[point, f[0], f[1], f[2]]);
            match crosses(&direction, &[a, b, c].map(|q| difference(&q, &p))) {
                Some(crossed) => {
                    crossings += usize::from(crossed);
                    false
                }
                None => true,
            }
        });
        if !met_edge {
            return Some(if crossings % 2 == 1 {
                Place::Inside
            } else {
                Place::Outside
            });
        }
    }
    None
}

/// Whether the ray from the origin crosses the face's interior; `None` when its line meets an
/// edge's line within the wedge, so that the answer would need a convention.
fn crosses(direction: &Point<IBig>, face: &[Point<IBig>; 3]) -> Option<bool> {
    let [a, b, c] = face;
    let normal = cross(&difference(b, a), &difference(c, a));
    if is_zero(&normal) {
        return Some(false); // A face without area separates nothing.
    }
    // Which side of the line each directed edge passes.
    let sides = [(a, b), (b, c), (c, a)].map(|(p, q)| dot(direction, &cross(p, q)).against_zero());
    let positive = sides.iter().filter(|s| s.is_gt()).count();
    let negative = sides.iter().filter(|s| s.is_lt()).count();
    if positive > 0 && negative > 0 {
        return Some(false);
    }
    if positive + negative < 3 {
        return None;
    }
    // The line crosses the face; the ray does when the crossing lies ahead: t = (a·n)/(d·n) > 0.
    let ahead = dot(a, &normal).against_zero();
    let facing = dot(direction, &normal).against_zero();
    Some(ahead == facing && ahead != Ordering::Equal)
}
