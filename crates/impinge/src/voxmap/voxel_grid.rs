//! Voxel grid around a mesh.

use glam::DVec3;

use super::error::VoxmapError;
use crate::bound::Aabb;
use crate::math::MAX_COORDINATE;

/// Voxels along an axis at most.
const MOST_ALONG: f64 = 1e6;
/// Rounding may take away this fraction of a side at most.
const LEAST_SIDE: f64 = 1e-10;

/// A grid of cubes. Cube `i` of an axis lies between the planes `i` and `i + 1`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VoxelGrid {
    pub(super) origin: DVec3,
    pub(super) side: f64,
    pub(super) counts: [usize; 3],
    /// The reciprocal of the side.
    per_side: f64,
}

impl VoxelGrid {
    /// The grid with this many voxels along the longest side of the box, and `padding` more on each side of it.
    ///
    /// It is centred, and the sides of the box are as near to the middle of voxels as this allows: a plane of the surface in the middle of a voxel has its centre
    /// at depth 0.
    pub(super) fn around(
        bounds: &Aabb,
        resolution: u32,
        padding: usize,
    ) -> Result<Self, VoxmapError> {
        let size = bounds.diagonal();
        let extent = size.max_element();
        let side = extent / f64::from(resolution);
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        let is_sound = resolution > 0
            && side > 0.0
            && side.is_finite()
            && side >= LEAST_SIDE * farthest
            && side >= f64::MIN_POSITIVE / LEAST_SIDE
            && farthest <= MAX_COORDINATE / 2.0
            && f64::from(resolution) <= MOST_ALONG;
        if !is_sound {
            return Err(VoxmapError::BadResolution { resolution, extent });
        }
        let counts = size.to_array().map(|size| {
            // Planes lie at whole numbers of sides from the middle for an even count, at halves for an odd one.
            let half = 0.5 * size / side;
            let from_middle = |x: f64| (x - x.floor() - 0.5).abs();
            let is_even = from_middle(half) <= from_middle(half + 0.5);
            let reached = if is_even {
                2 * half.ceil() as usize
            } else {
                2 * (half - 0.5).ceil().max(0.0) as usize + 1
            };
            reached + 2 * padding
        });
        let covered = DVec3::from_array(counts.map(|n| n as f64)) * side;
        Ok(Self {
            origin: bounds.center() - 0.5 * covered,
            side,
            counts,
            per_side: 1.0 / side,
        })
    }

    /// All voxels, as a number that does not overflow.
    pub(super) fn total(&self) -> f64 {
        self.counts.iter().map(|&n| n as f64).product()
    }

    /// The place of plane `i` of an axis. Monotone in `i`, so that boxes of voxels are nested as their ranges are.
    #[inline]
    pub(super) fn plane(&self, axis: usize, i: usize) -> f64 {
        self.origin[axis] + i as f64 * self.side
    }

    #[inline]
    pub(super) fn center(&self, voxel: [usize; 3]) -> DVec3 {
        let at = DVec3::from_array(voxel.map(|i| i as f64 + 0.5));
        self.origin + at * self.side
    }

    /// The number of a voxel in the order of z, y, x.
    pub(super) fn number(&self, voxel: [usize; 3]) -> u64 {
        let [x, y, z] = voxel.map(|i| i as u64);
        let [nx, ny, _] = self.counts.map(|n| n as u64);
        (z * ny + y) * nx + x
    }

    /// The voxel of a number.
    pub(super) fn voxel_at(&self, number: u64) -> [usize; 3] {
        let [nx, ny, _] = self.counts.map(|n| n as u64);
        [number % nx, number / nx % ny, number / (nx * ny)].map(|i| i as usize)
    }

    /// The voxel of a point; none outside the grid.
    #[inline]
    pub(super) fn voxel_of(&self, p: DVec3) -> Option<[usize; 3]> {
        let at = (p - self.origin) * self.per_side;
        // Written so that NaN fails.
        let is_in = at.x >= 0.0
            && at.y >= 0.0
            && at.z >= 0.0
            && at.x < self.counts[0] as f64
            && at.y < self.counts[1] as f64
            && at.z < self.counts[2] as f64;
        is_in.then_some([at.x as usize, at.y as usize, at.z as usize])
    }

    /// The box of all voxels.
    pub(super) fn bounds(&self) -> Aabb {
        let [nx, ny, nz] = self.counts;
        Aabb {
            min: self.origin,
            max: DVec3::new(self.plane(0, nx), self.plane(1, ny), self.plane(2, nz)),
        }
    }
}
