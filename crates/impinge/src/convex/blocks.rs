//! Points side by side, four to a block, so that the compiler compares several at once.

use glam::DVec3;

/// Points to a block.
const WIDTH: usize = 4;

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
    pub(super) fn farthest(&self, direction: DVec3) -> u32 {
        let mut most = [f64::NEG_INFINITY; WIDTH];
        // As numbers of the size of the products, so that both are chosen by the same mask.
        let mut number = [0.0; WIDTH];
        let mut base = 0.0;
        for [x, y, z] in &self.blocks {
            for lane in 0..WIDTH {
                let along = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
                let is_better = along > most[lane];
                most[lane] = if is_better { along } else { most[lane] };
                number[lane] = if is_better { base } else { number[lane] };
            }
            base += 1.0;
        }
        let mut best = (f64::NEG_INFINITY, 0);
        for lane in 0..WIDTH {
            let own = number[lane] as u32 * WIDTH as u32 + lane as u32;
            if most[lane] > best.0 || (most[lane] == best.0 && own < best.1) {
                best = (most[lane], own);
            }
        }
        best.1
    }
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
