//! Triangle pairs with small integer coordinates: most touch, lie in one plane, share corners or
//! are degenerate, and every product of their coordinates is exact.

use impinge::DVec3;
use impinge::math::Rng;

use crate::oracle::Triangle;

/// Ranges that corners are drawn from: the narrower, the more coincidences.
pub const RANGES: [(i64, i64); 4] = [(0, 1), (0, 2), (0, 3), (-4, 4)];

/// A point with integer coordinates in `lo..=hi`.
pub fn point(rng: &mut Rng, (lo, hi): (i64, i64)) -> DVec3 {
    let x = rng.grid(lo, hi);
    let y = rng.grid(lo, hi);
    let z = rng.grid(lo, hi);
    DVec3::new(x, y, z)
}

/// A triangle with corners on the grid; often degenerate on narrow ranges.
pub fn triangle(rng: &mut Rng, range: (i64, i64)) -> Triangle {
    std::array::from_fn(|_| point(rng, range))
}

/// A pair of triangles from a mixed family: free, sharing a corner or an edge, in one plane,
/// on parallel planes, collapsed to segments or points, or equal up to order.
pub fn pair(rng: &mut Rng) -> (Triangle, Triangle) {
    let range = RANGES[rng.below(RANGES.len() as u64) as usize];
    let mut a = triangle(rng, range);
    let mut b = triangle(rng, range);
    match rng.below(10) {
        0 => b[rng.below(3) as usize] = a[rng.below(3) as usize],
        1 => {
            b[0] = a[1];
            b[1] = a[0];
        }
        2 | 3 => {
            let axis = rng.below(3) as usize;
            let height = rng.grid(range.0, range.1);
            for p in a.iter_mut().chain(&mut b) {
                p[axis] = height;
            }
        }
        4 => {
            // A slanted common plane: x + y + z constant over both.
            for p in a.iter_mut().chain(&mut b) {
                p.z = 2.0 - p.x - p.y;
            }
        }
        5 => collapse(rng, &mut a),
        6 => {
            collapse(rng, &mut a);
            collapse(rng, &mut b);
        }
        7 => b = shuffled(rng, &a),
        _ => {}
    }
    if rng.below(2) == 0 { (a, b) } else { (b, a) }
}

/// Makes a triangle a segment or a point.
fn collapse(rng: &mut Rng, t: &mut Triangle) {
    match rng.below(4) {
        0 => *t = [t[0]; 3],
        1 => t[2] = t[0],
        // Twice the distance: the corners stay integers and lie on one line.
        2 => t[2] = 2.0 * t[1] - t[0],
        _ => {
            t[1] = t[0] + 2.0 * (t[2] - t[0]);
        }
    }
}

/// The corners in another order.
pub fn shuffled(rng: &mut Rng, t: &Triangle) -> Triangle {
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    ORDERS[rng.below(6) as usize].map(|i| t[i])
}
