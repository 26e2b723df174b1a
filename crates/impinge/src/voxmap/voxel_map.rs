//! Voxmap: the voxels of a solid, in layers.

use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::bricks::{DEEPEST, FREE, VoxelBricks, VoxelSide};
use super::error::VoxmapError;
use super::parallel::each_slice;
use super::voxel_grid::VoxelGrid;
use super::voxel_overlap::BrickRange;
use super::voxelize::{VoxelRange, voxelize};
use crate::bound::Aabb;
use crate::bvh::Solid;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::mesh::point_in_mesh::Location;
use crate::mesh::{TriMesh, outward_volume};

/// Bytes per voxel while a map is built: the square of a distance takes two, its side before and its layer after that one, and the rest less than the fourth.
const BYTES_PER_VOXEL: f64 = 4.0;
/// Bytes at most, whatever is allowed: so many bricks can be numbered.
const MOST_BYTES: u64 = 1 << 40;
/// Layers of voxels that a thread paints at a time.
const SLAB: usize = 8;
/// What a layer may be off by, in sides: half a side by rounding, and half a diagonal at either end.
pub(super) const ERROR: f64 = 0.5 + 1.7320508075688774;

/// Options of a voxmap.
///
/// ```
/// use impinge::voxmap::VoxmapOptions;
/// let options = VoxmapOptions { resolution: 200, ..VoxmapOptions::default() };
/// assert_eq!(options.proximity, 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoxmapOptions {
    /// Voxels along the longest side of the box around the mesh.
    pub resolution: u32,
    /// Layers counted outside; at most 126.
    pub proximity: u8,
    /// Limit on the memory used while the map is built, in addition to a copy of the mesh and its tree. Building takes four
    /// bytes per voxel of the whole grid, and more where an axis has fewer than about forty voxels. Values above 2⁴⁰ bytes
    /// count as 2⁴⁰.
    pub most_bytes: usize,
}

impl Default for VoxmapOptions {
    fn default() -> Self {
        Self {
            resolution: 100,
            proximity: 8,
            most_bytes: 1 << 30,
        }
    }
}

/// A solid in layers of voxels: 0 at the surface, 1, 2, … further in, −1, −2, … further out.
///
/// ```
/// use impinge::voxmap::Voxmap;
/// use impinge::{DVec3, generate};
/// let cube = Voxmap::new(&generate::cuboid(DVec3::ONE, [1; 3])?, 20)?;
/// assert_eq!(cube.layer_at(DVec3::X * 0.5), 0);
/// assert_eq!(cube.layer_at(DVec3::X * 0.4), 2);
/// assert_eq!(cube.layer_at(DVec3::X * 0.6), -2);
/// assert_eq!(cube.layer_at(DVec3::X * 9.0), Voxmap::FREE);
/// assert_eq!(cube.side(), 0.05);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "VPS")]
#[doc(alias = "SDF")]
#[doc(alias = "Voxmap-PointShell")]
pub struct Voxmap {
    grid: VoxelGrid,
    bricks: VoxelBricks,
    proximity: u8,
}

impl Voxmap {
    /// The layer of voxels beyond the last that is counted outside.
    pub const FREE: i8 = FREE;

    /// The voxels of a closed mesh, so many along the longest side of its box.
    ///
    /// # Errors
    /// [`VoxmapError`] when the mesh is empty, open, inside out or flat, when the resolution is invalid, or when the grid is too large.
    ///
    /// ```
    /// use impinge::voxmap::{Voxmap, VoxmapError};
    /// use impinge::{TriMesh, generate, mesh::SolidError};
    /// assert!(Voxmap::new(&generate::icosphere(1.0, 4)?, 30).is_ok());
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// assert!(matches!(Voxmap::new(&face, 30), Err(VoxmapError::Mesh(SolidError::NotClosed { .. }))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(mesh: &TriMesh, resolution: u32) -> Result<Self, VoxmapError> {
        let options = VoxmapOptions {
            resolution,
            ..VoxmapOptions::default()
        };
        Self::with_options(mesh, &options)
    }

    /// The voxels of a closed mesh.
    ///
    /// # Errors
    /// As [`Voxmap::new`].
    ///
    /// ```
    /// use impinge::voxmap::{Voxmap, VoxmapError, VoxmapOptions};
    /// use impinge::generate;
    /// let options = VoxmapOptions { most_bytes: 1000, ..VoxmapOptions::default() };
    /// let refused = Voxmap::with_options(&generate::icosphere(1.0, 4)?, &options);
    /// assert!(matches!(refused, Err(VoxmapError::TooLarge { most: 1000, .. })));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_options(mesh: &TriMesh, options: &VoxmapOptions) -> Result<Self, VoxmapError> {
        outward_volume(mesh)?;
        let proximity = options.proximity.min(DEEPEST);
        let padding = usize::from(proximity) + 1;
        let grid = VoxelGrid::around(&mesh.bounds(), options.resolution, padding)?;
        let voxels = grid.total();
        let bytes = (BYTES_PER_VOXEL * voxels).max(VoxelBricks::bytes_to_build(&grid));
        let most = usize::try_from(MOST_BYTES)
            .map_or(options.most_bytes, |most| most.min(options.most_bytes));
        if bytes > most as f64 {
            return Err(VoxmapError::TooLarge {
                voxels,
                bytes,
                most,
            });
        }
        let mut sides = painted(&grid, mesh);
        fill(&grid, mesh, &mut sides);
        let bricks = VoxelBricks::new(&grid, sides, proximity);
        Ok(Self {
            grid,
            bricks,
            proximity,
        })
    }

    /// The layer of the voxel that holds a point; [`Voxmap::FREE`] outside the grid.
    #[inline]
    #[must_use]
    pub fn layer_at(&self, p: DVec3) -> i8 {
        self.grid
            .voxel_of(p)
            .map_or(FREE, |voxel| self.bricks.layer(voxel))
    }

    /// The layer of a voxel; none outside the grid.
    ///
    /// ```
    /// use impinge::voxmap::Voxmap;
    /// use impinge::{DVec3, generate};
    /// let cube = Voxmap::new(&generate::cuboid(DVec3::ONE, [1; 3])?, 20)?;
    /// assert_eq!(cube.counts(), [39; 3]);
    /// assert_eq!(cube.layer([19; 3]), Some(10));
    /// assert_eq!(cube.layer([39; 3]), None);
    /// assert!(cube.center([19; 3]).length() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn layer(&self, voxel: [u32; 3]) -> Option<i8> {
        let voxel = voxel.map(|i| i as usize);
        let is_in = (0..3).all(|axis| voxel[axis] < self.grid.counts[axis]);
        is_in.then(|| self.bricks.layer(voxel))
    }

    /// Voxels along each axis.
    #[must_use]
    pub fn counts(&self) -> [u32; 3] {
        self.grid.counts.map(|n| n as u32)
    }

    /// The centre of a voxel, also of one that is not in the grid.
    #[must_use]
    pub fn center(&self, voxel: [u32; 3]) -> DVec3 {
        self.grid.center(voxel.map(|i| i as usize))
    }

    /// The side of a voxel.
    #[must_use]
    pub fn side(&self) -> f64 {
        self.grid.side
    }

    /// The box of all voxels.
    ///
    /// ```
    /// use impinge::voxmap::Voxmap;
    /// use impinge::{DVec3, generate};
    /// let cube = Voxmap::new(&generate::cuboid(DVec3::ONE, [1; 3])?, 20)?;
    /// assert!((cube.bounds().max.x - 0.975).abs() < 1e-12);
    /// assert_eq!(cube.proximity(), 8);
    /// assert!((cube.error() - 2.2320508 * cube.side()).abs() < 1e-6);
    /// assert!(cube.bytes() < 70_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.grid.bounds()
    }

    /// Layers counted outside.
    #[must_use]
    pub fn proximity(&self) -> u8 {
        self.proximity
    }

    /// How far the depth of a point may be from its layer times the side: (½ + √3) sides.
    #[must_use]
    pub fn error(&self) -> f64 {
        ERROR * self.grid.side
    }

    /// Bytes that the map takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bricks.bytes()
    }

    /// The voxels of every brick.
    pub(super) fn bricks(&self) -> impl Iterator<Item = BrickRange> + '_ {
        self.bricks.ranges(self.grid.counts)
    }

    /// The lowest corner of a voxel, also of one that is not in the grid.
    pub(super) fn corner(&self, voxel: [usize; 3]) -> DVec3 {
        let [x, y, z] = [0, 1, 2].map(|axis| self.grid.plane(axis, voxel[axis]));
        DVec3::new(x, y, z)
    }

    /// The layer of the voxel of a point, and its centre, where it is not free.
    #[inline]
    pub(super) fn look(&self, p: DVec3) -> Option<(i8, DVec3)> {
        let voxel = self.grid.voxel_of(p)?;
        let layer = self.bricks.layer(voxel);
        (layer != FREE).then(|| (layer, self.grid.center(voxel)))
    }

    /// At least this many sides lie between the centre of the point's voxel and that of the nearest voxel of the surface; 0 or less for a point
    /// that is not outside.
    #[inline]
    pub(super) fn sides_outside(&self, p: DVec3) -> f64 {
        let Some(voxel) = self.grid.voxel_of(p) else {
            // No voxel of the surface touches the border of the grid.
            return self.grid.bounds().distance_sq(p).sqrt() / self.grid.side;
        };
        match self.bricks.layer(voxel) {
            FREE => (f64::from(self.proximity) + 0.5).max(self.bricks.room(voxel)),
            layer => -f64::from(layer) - 0.5,
        }
    }
}

/// Which voxels the surface meets.
fn painted(grid: &VoxelGrid, mesh: &TriMesh) -> Vec<VoxelSide> {
    let [nx, ny, nz] = grid.counts;
    let mut sides = vec![VoxelSide::Outside; nx * ny * nz];
    each_slice(&mut sides, nx * ny * SLAB, |slab, sides| {
        let mut stack = Vec::new();
        let from = slab * SLAB;
        for triangle in mesh.triangles() {
            let range = VoxelRange::layers(grid, from, from + SLAB);
            let _ = voxelize(grid, &triangle, range, &mut stack, |[x, y, z]| {
                sides[((z - from) * ny + y) * nx + x] = VoxelSide::Surface;
                ControlFlow::Continue(())
            });
        }
    });
    sides
}

/// Tells inside from outside. Voxels side by side that the surface does not meet lie on one side of it, so that only runs
/// without a neighbour that is known ask the mesh.
fn fill(grid: &VoxelGrid, mesh: &TriMesh, sides: &mut [VoxelSide]) {
    let tree = WideTree::new(Arc::new(mesh.clone()));
    let Ok(solid) = Solid::closed(&tree) else {
        // The mesh was checked: it is closed.
        return;
    };
    let mut cache = SingleTreeCache::default();
    let [nx, ny, nz] = grid.counts;
    for z in 0..nz {
        for y in 0..ny {
            let row = (z * ny + y) * nx;
            let mut x = 0;
            while x < nx {
                if sides[row + x] == VoxelSide::Surface {
                    x += 1;
                    continue;
                }
                let start = x;
                while x < nx && sides[row + x] != VoxelSide::Surface {
                    x += 1;
                }
                let known = (start..x).find_map(|x| {
                    let below = (y > 0).then(|| sides[row + x - nx]);
                    let behind = (z > 0).then(|| sides[row + x - nx * ny]);
                    let is_known = |side: &VoxelSide| *side != VoxelSide::Surface;
                    below.filter(is_known).or(behind.filter(is_known))
                });
                let side = known.unwrap_or_else(|| {
                    match solid.locate_with(grid.center([start, y, z]), &mut cache) {
                        Ok(Location::Inside) => VoxelSide::Inside,
                        _ => VoxelSide::Outside,
                    }
                });
                sides[row + start..row + x].fill(side);
            }
        }
    }
}
