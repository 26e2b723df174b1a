//! Points side by side, eight to a block, so that the compiler compares several at once.

use glam::DVec3;

/// Points to a block.
const WIDTH: usize = 8;

/// Some points, at least one, in the order given.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    blocks: Vec<[[f64; WIDTH]; 3]>,
}

impl Blocks {
    /// The last block is filled up with the first point, which then has several numbers.
    pub(super) fn new(points: &[DVec3]) -> Self {
        let first = points.first().copied().unwrap_or(DVec3::ZERO);
        let block = |own: &[DVec3]| {
            let mut block = [[first.x; WIDTH], [first.y; WIDTH], [first.z; WIDTH]];
            for (lane, p) in own.iter().enumerate() {
                for (axis, x) in p.to_array().into_iter().enumerate() {
                    block[axis][lane] = x;
                }
            }
            block
        };
        Self {
            blocks: points.chunks(WIDTH).map(block).collect(),
        }
    }

    /// The number of the first of the farthest points in a direction.
    #[inline]
    pub(super) fn farthest(&self, direction: DVec3) -> u32 {
        let mut most = f64::NEG_INFINITY;
        let (mut at, mut best) = (0, [f64::NEG_INFINITY; WIDTH]);
        for (number, block) in self.blocks.iter().enumerate() {
            let along = along(block, direction);
            let own = largest(&along);
            if own > most {
                (most, at, best) = (own, number, along);
            }
        }
        // Without a branch that depends on the lane.
        let mut equal = 0_u32;
        for (lane, &own) in best.iter().enumerate() {
            equal |= u32::from(own == most) << lane;
        }
        let lane = equal.trailing_zeros() % WIDTH as u32;
        at as u32 * WIDTH as u32 + lane
    }
}

/// The products of a block's points with a direction. Nothing but arithmetic, so that it is done several at once.
#[inline(always)]
fn along([x, y, z]: &[[f64; WIDTH]; 3], direction: DVec3) -> [f64; WIDTH] {
    let mut along = [0.0; WIDTH];
    for lane in 0..WIDTH {
        along[lane] = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
    }
    along
}

#[inline(always)]
fn largest(values: &[f64; WIDTH]) -> f64 {
    let larger = |p: f64, q: f64| if p > q { p } else { q };
    let mut half = [0.0; WIDTH / 2];
    for lane in 0..WIDTH / 2 {
        half[lane] = larger(values[lane], values[lane + WIDTH / 2]);
    }
    larger(larger(half[0], half[2]), larger(half[1], half[3]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::primitive::best_of;
    use crate::math::Rng;

    #[test]
    fn the_farthest_is_the_first_of_equals() {
        let mut rng = Rng::new(5);
        for count in 1..40 {
            let points: Vec<DVec3> = (0..count)
                .map(|_| {
                    let mut x = || rng.grid(-1, 1);
                    DVec3::new(x(), x(), x())
                })
                .collect();
            let blocks = Blocks::new(&points);
            for _ in 0..20 {
                let mut x = || rng.grid(-2, 2);
                let direction = DVec3::new(x(), x(), x());
                assert_eq!(
                    blocks.farthest(direction),
                    best_of(&points, direction).vertex
                );
            }
        }
    }
}
