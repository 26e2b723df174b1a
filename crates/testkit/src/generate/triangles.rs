//! Triangle pairs with full-width coordinates: plain random ones and families that stand a
//! rounding error away from contact.

use impinge::DVec3;
use impinge::math::Rng;

use super::grid;
use crate::oracle::Triangle;

/// A way to draw a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Six points in a cube.
    Free,
    /// One common corner.
    SharedCorner,
    /// One common edge.
    SharedEdge,
    /// The second lies in the first's plane, up to rounding.
    NearlyCoplanar,
    /// A corner of the second lies on the first, up to rounding.
    CornerOnFace,
    /// An edge of the second crosses an edge of the first, up to rounding.
    EdgeOnEdge,
    /// A grid pair with a few coordinates moved by a unit in the last place.
    NudgedGrid,
    /// Triangles a million times longer than wide.
    Slivers,
    /// Coordinates whose sizes range over eighty binary orders of magnitude.
    WideRange,
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 9] = [
        Self::Free,
        Self::SharedCorner,
        Self::SharedEdge,
        Self::NearlyCoplanar,
        Self::CornerOnFace,
        Self::EdgeOnEdge,
        Self::NudgedGrid,
        Self::Slivers,
        Self::WideRange,
    ];
}

/// A triangle with corners in the cube `[-1, 1)³`.
pub fn triangle(rng: &mut Rng) -> Triangle {
    std::array::from_fn(|_| rng.cube())
}

/// A pair of any family: half of them free, the others evenly drawn.
pub fn pair(rng: &mut Rng) -> (Triangle, Triangle) {
    let family = if rng.below(2) == 0 {
        Family::Free
    } else {
        Family::ALL[1 + rng.below(8) as usize]
    };
    pair_of(family, rng)
}

/// A pair of the given family.
pub fn pair_of(family: Family, rng: &mut Rng) -> (Triangle, Triangle) {
    let mut a = triangle(rng);
    let mut b = triangle(rng);
    match family {
        Family::Free => {}
        Family::SharedCorner => b[rng.below(3) as usize] = a[rng.below(3) as usize],
        Family::SharedEdge => {
            let i = rng.below(3) as usize;
            b[0] = a[(i + 1) % 3];
            b[1] = a[i];
        }
        Family::NearlyCoplanar => {
            let [p, q, r] = a;
            b = b.map(|c| p + c.x * (q - p) + c.y * (r - p));
        }
        Family::CornerOnFace => {
            let (s, t) = (rng.unit(), rng.unit());
            let (s, t) = if s + t > 1.0 {
                (1.0 - s, 1.0 - t)
            } else {
                (s, t)
            };
            b[rng.below(3) as usize] = a[0] + s * (a[1] - a[0]) + t * (a[2] - a[0]);
        }
        Family::EdgeOnEdge => {
            let on_a = a[0] + rng.unit() * (a[1] - a[0]);
            b[1] = b[0] + rng.range(1.0, 3.0) * (on_a - b[0]);
        }
        Family::NudgedGrid => {
            (a, b) = grid::pair(rng);
            for _ in 0..=rng.below(3) {
                let t = if rng.below(2) == 0 { &mut a } else { &mut b };
                let x = &mut t[rng.below(3) as usize][rng.below(3) as usize];
                *x = if rng.below(2) == 0 {
                    x.next_up()
                } else {
                    x.next_down()
                };
            }
        }
        Family::Slivers => {
            for t in [&mut a, &mut b] {
                let along = t[1] - t[0];
                t[2] = t[0] + rng.unit() * along + 1e-6 * t[2];
            }
        }
        Family::WideRange => {
            for p in a.iter_mut().chain(&mut b) {
                *p = DVec3::from_array(
                    p.to_array()
                        .map(|x| x * 2f64.powi(rng.grid(-40, 40) as i32)),
                );
            }
        }
    }
    (a, b)
}
