//! Voxelization: the voxels that a triangle intersects.
//!
//! A range of voxels is halved as long as the triangle intersects its box; ranges of one voxel are
//! reported. Each test is exact, and boxes of halves lie in the box of the whole, so that exactly
//! the voxels are reported whose closed box intersects the triangle.

use std::ops::ControlFlow;

use glam::DVec3;

use super::voxel_grid::VoxelGrid;
use crate::geom::triangle_meets_box;

/// What rounding may add to an area: planes are off by some millionths of a side at most.
const ROUNDING: f64 = 1e-3;

/// Voxels from `low` up to but not including `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct VoxelRange {
    low: [usize; 3],
    high: [usize; 3],
}

impl VoxelRange {
    /// All voxels of the layers `from..to` along z.
    pub(super) fn layers(grid: &VoxelGrid, from: usize, to: usize) -> Self {
        Self {
            low: [0, 0, from],
            high: [grid.counts[0], grid.counts[1], to.min(grid.counts[2])],
        }
    }

    /// The part of it around a triangle.
    fn near(mut self, grid: &VoxelGrid, triangle: &[DVec3; 3]) -> Self {
        let [a, b, c] = *triangle;
        let (min, max) = (a.min(b).min(c), a.max(b).max(c));
        for axis in 0..3 {
            // A voxel more on both sides takes up rounding; the exact tests decide.
            let at = |x: f64| (x - grid.origin[axis]) / grid.side;
            let low = (at(min[axis]) - 2.0).max(0.0) as usize;
            let high = (at(max[axis]) + 3.0).max(0.0) as usize;
            self.low[axis] = self.low[axis].max(low);
            self.high[axis] = self.high[axis].min(high);
        }
        self
    }

    fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.low[axis] >= self.high[axis])
    }
}

/// Shows each voxel of the range that the triangle meets, touching included, once, until the visitor stops it.
pub(super) fn voxelize(
    grid: &VoxelGrid,
    triangle: &[DVec3; 3],
    range: VoxelRange,
    stack: &mut Vec<VoxelRange>,
    mut show: impl FnMut([usize; 3]) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let range = range.near(grid, triangle);
    stack.clear();
    if !range.is_empty() {
        stack.push(range);
    }
    while let Some(VoxelRange { low, high }) = stack.pop() {
        let corner = |at: [usize; 3]| {
            DVec3::new(
                grid.plane(0, at[0]),
                grid.plane(1, at[1]),
                grid.plane(2, at[2]),
            )
        };
        if !triangle_meets_box(triangle, corner(low), corner(high)) {
            continue;
        }
        let mut longest = 0;
        for axis in 1..3 {
            if high[axis] - low[axis] > high[longest] - low[longest] {
                longest = axis;
            }
        }
        if high[longest] - low[longest] == 1 {
            show(low)?;
            continue;
        }
        let middle = low[longest] + (high[longest] - low[longest]) / 2;
        let (mut first, mut second) = (VoxelRange { low, high }, VoxelRange { low, high });
        first.high[longest] = middle;
        second.low[longest] = middle;
        stack.push(second);
        stack.push(first);
    }
    ControlFlow::Continue(())
}

/// The triangle meets at least this many voxels of a grid that it lies in: the area of its largest shadow along an axis, in squares of voxels. Each
/// square that a shadow meets has a voxel above it.
pub(super) fn fewest(grid: &VoxelGrid, [a, b, c]: &[DVec3; 3]) -> f64 {
    let (u, v) = ((*b - *a) / grid.side, (*c - *a) / grid.side);
    0.5 * u.cross(v).abs().max_element() * (1.0 - ROUNDING)
}
