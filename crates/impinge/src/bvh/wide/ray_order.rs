//! An order in which neighbouring rays follow each other, so that each finds in the processor's caches what the one before it used.
//!
//! **Idea.** A ray is two points: where it enters and where it leaves the ball around the tree. Their cells on a grid of 16³,
//! interleaved bit by bit, are a Morton code of six dimensions.

use glam::DVec3;

use super::ray_or_segment::RayOrSegment;
use super::tree::{TreeFrame, WideTree};

/// Cells of the grid along each axis: four bits.
const CELLS: f64 = 16.0;

impl WideTree {
    /// The numbers of the rays in an order in which neighbouring rays follow each other: [`WideTree::cast_ray`] is faster so, unless they come
    /// in such an order already. It says nothing about where a segment ends.
    ///
    /// ```
    /// use impinge::{bvh::wide::{RayOrSegment, WideTree}, generate::icosphere};
    /// use std::sync::Arc;
    /// let ball = WideTree::new(Arc::new(icosphere(1.0, 4)?));
    /// let down = |x: f64| RayOrSegment::ray([x, 0.0, 3.0], [0.0, 0.0, -1.0]);
    /// let rays = [down(-0.9)?, down(0.9)?, down(-0.8)?, down(0.8)?];
    /// let order = ball.coherent_order(&rays);
    /// let is_left: Vec<bool> = order.iter().map(|row| row % 2 == 0).collect();
    /// assert_eq!(is_left, [true, true, false, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn coherent_order<L: Copy + Into<RayOrSegment>>(&self, lines: &[L]) -> Vec<u32> {
        let code = |line: &L| u64::from(code(&self.frame, &(*line).into()));
        let mut keys: Vec<u64> = (lines.iter().zip(0_u64..))
            .map(|(line, row)| code(line) << 32 | row)
            .collect();
        keys.sort_unstable();
        keys.into_iter().map(|key| key as u32).collect()
    }
}

/// The Morton code of a line; of one that passes the ball by the largest.
fn code(frame: &TreeFrame, line: &RayOrSegment) -> u32 {
    let (start, direction) = (frame.local(line.start()), line.direction());
    let along = start.dot(direction);
    let square = direction.length_squared();
    let radius = frame.radius;
    let discriminant = along * along - square * (start.length_squared() - radius * radius);
    if discriminant < 0.0 {
        return u32::MAX;
    }
    let (inverse, root) = (1.0 / square, discriminant.sqrt());
    let entry = start + direction * ((-along - root) * inverse).max(0.0);
    let exit = start + direction * ((root - along) * inverse);
    let scale = 0.5 * CELLS / radius;
    spread(entry, radius, scale) | spread(exit, radius, scale) << 3
}

/// The bits of a point's cell, six apart.
fn spread(p: DVec3, radius: f64, scale: f64) -> u32 {
    let cell = ((p + radius) * scale).to_array().map(|x| {
        // What is not a number counts as 0.
        let x = (x as u32).min(15);
        x & 1 | (x & 2) << 5 | (x & 4) << 10 | (x & 8) << 15
    });
    cell[0] | cell[1] << 1 | cell[2] << 2
}
