//! Points in blocks of eight, structure of arrays, for SIMD.

use glam::DVec3;

use super::support_map::SupportPoint;
use crate::math::simd::Level;
use crate::math::simd::farthest::Block;

/// Points to a block.
const WIDTH: usize = 8;

/// Some points, at least one, in the order given. A lane holds consecutive points, so that the first lane has the first of equals.
#[derive(Clone, Debug)]
pub(super) struct PointBlocks {
    blocks: Vec<Block>,
    level: Level,
}

impl PointBlocks {
    /// What is left over is filled up with the last point.
    pub(super) fn new(points: &[DVec3]) -> Self {
        let rows = points.len().div_ceil(WIDTH).max(1);
        let last = points.last().copied().unwrap_or(DVec3::ZERO);
        let mut blocks = vec![Block(last.to_array().map(|x| [x; WIDTH])); rows];
        for (number, p) in points.iter().enumerate() {
            for (axis, x) in p.to_array().into_iter().enumerate() {
                blocks[number % rows].0[axis][number / rows] = x;
            }
        }
        Self {
            blocks,
            level: Level::detect(),
        }
    }

    /// The first of the farthest points in a direction.
    #[inline(always)]
    pub(super) fn farthest(&self, direction: DVec3) -> SupportPoint {
        let slot = self.level.farthest(&self.blocks, direction.to_array());
        let (row, lane) = (slot / WIDTH, slot % WIDTH);
        let Block([x, y, z]) = &self.blocks[row];
        SupportPoint {
            point: DVec3::new(x[lane], y[lane], z[lane]),
            vertex: (lane * self.blocks.len() + row) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex::primitives::best_of;
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
            let blocks = PointBlocks::new(&points);
            for _ in 0..20 {
                let mut x = || rng.grid(-2, 2);
                let direction = DVec3::new(x(), x(), x());
                assert_eq!(blocks.farthest(direction), best_of(&points, direction));
            }
        }
    }
}
