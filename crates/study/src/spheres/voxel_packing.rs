//! Greedy packing on a grid: repeatedly the largest sphere around the centre of a voxel.
//!
//! **Idea.** Each voxel inside stores its distance from the surface. The voxel with the largest
//! distance gets a sphere. Voxels inside the sphere are removed, others may now be nearer to it
//! than to the surface; only voxels within twice the radius can change.
//!
//! **Source.** Weller and Zachmann's first packer. It fills the region near the surface with
//! regular rows of small spheres; the grid alone decides how many spheres there are. Its advantage:
//! the voxels inside a sphere give the volume that it represents.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use glam::DVec3;
use thiserror::Error;

use super::has_size;
use super::map_voxels;
use impinge::spheres::Interior;
use impinge::spheres::Packing;
use impinge::spheres::SolidBall;
use impinge::spheres::{PackEnd, PackError, PackOptions, PackProgress, PackWork};

/// More voxels are not made.
const MOST_VOXELS: f64 = 5e8;

/// How fine the grid is, and when to stop: at the first of the bounds that are set, or when no voxel is left.
///
/// ```
/// use impinge_study::spheres::VoxelOptions;
/// let options = VoxelOptions { fill: Some(0.5), ..VoxelOptions::default() };
/// assert!(options.count.is_none() && options.resolution > 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelOptions {
    /// Voxels along the longest side.
    pub resolution: u32,
    /// Balls at most; the largest are kept.
    pub count: Option<usize>,
    /// Stop when this fraction of the volume is filled.
    pub fill: Option<f64>,
    /// Smaller balls are not wanted.
    pub min_radius: Option<f64>,
}

impl Default for VoxelOptions {
    fn default() -> Self {
        Self {
            resolution: 64,
            count: None,
            fill: None,
            min_radius: None,
        }
    }
}

impl VoxelOptions {
    fn check(&self) -> Result<(), VoxelError> {
        let (fill, min_radius) = (self.fill, self.min_radius);
        let options = PackOptions {
            fill,
            min_radius,
            ..PackOptions::default()
        };
        Ok(options.check()?)
    }
}

/// Why there is no packing.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum VoxelError {
    /// No voxel, or too many.
    #[error("a resolution of {resolution} makes no voxels, or more than 500 million")]
    BadResolution {
        /// What was given.
        resolution: u32,
    },
    /// A part to fill or a smallest radius that no packing has.
    #[error(transparent)]
    Options(#[from] PackError),
    /// No ball of the smallest radius fits.
    #[error("no ball of radius {radius:e} about the centre of a voxel fits")]
    NothingFits {
        /// The smallest radius wanted.
        radius: f64,
    },
    /// The box around the solid has no size.
    #[error("the solid has no size")]
    NoSize,
    /// No voxel has its centre inside.
    #[error("no centre of a voxel lies inside: the solid is thinner than {side:e}, or empty")]
    NoInterior {
        /// The side of a voxel.
        side: f64,
    },
}

/// A packing on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelPacking {
    /// The balls, largest first.
    pub packing: Packing,
    /// For each sphere the radius of a sphere with the volume of its voxels: the volume that it represents. Together they are as
    /// large as the voxels of the solid, unless the packing was stopped before the solid was full.
    pub secondary_radii: Vec<f64>,
    /// The side of a voxel.
    pub side: f64,
}

#[derive(Clone, Copy, PartialEq)]
struct VoxelEntry {
    clearance: f64,
    voxel: u32,
}

impl Eq for VoxelEntry {}

impl Ord for VoxelEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.clearance
            .total_cmp(&other.clearance)
            .then(other.voxel.cmp(&self.voxel))
    }
}

impl PartialOrd for VoxelEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct VoxelGrid {
    origin: DVec3,
    side: f64,
    counts: [usize; 3],
}

impl VoxelGrid {
    fn center(&self, voxel: usize) -> DVec3 {
        let [nx, ny, _] = self.counts;
        let cell = [voxel % nx, voxel / nx % ny, voxel / (nx * ny)];
        self.origin + (DVec3::from_array(cell.map(|k| k as f64)) + 0.5) * self.side
    }

    /// Shows every voxel whose centre is at most `reach` from `p`, roughly.
    fn around(&self, p: DVec3, reach: f64, mut visit: impl FnMut(usize)) {
        let bound = |x: f64, most: usize| (x.max(0.0) as usize).min(most);
        let low = (p - reach - self.origin) / self.side;
        let high = (p + reach - self.origin) / self.side;
        let [nx, ny, nz] = self.counts;
        for z in bound(low.z, nz)..bound(high.z + 1.0, nz) {
            for y in bound(low.y, ny)..bound(high.y + 1.0, ny) {
                for x in bound(low.x, nx)..bound(high.x + 1.0, nx) {
                    visit((z * ny + y) * nx + x);
                }
            }
        }
    }
}

/// The greedy packing on a grid of voxels.
///
/// # Errors
/// [`VoxelError`] when the resolution or a bound makes no sense, when no voxel lies inside, and when no ball of the smallest radius fits.
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::MeshSolid};
/// use impinge_study::spheres::{VoxelOptions, pack_voxels};
/// use std::sync::Arc;
/// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let options = VoxelOptions { resolution: 9, ..VoxelOptions::default() };
/// let voxels = pack_voxels(&MeshSolid::new(&tree)?, &options)?;
/// assert!((voxels.packing.balls[0].radius - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "sphere packing")]
pub fn pack_voxels(
    solid: &(impl Interior + ?Sized),
    options: &VoxelOptions,
) -> Result<VoxelPacking, VoxelError> {
    pack_voxels_with(solid, options, &mut |_| ControlFlow::Continue(()))
}

/// The same, with a call after every sphere that gets the spheres so far; [`ControlFlow::Break`]
/// stops the packing with these.
///
/// # Errors
/// As [`pack_voxels`].
///
/// ```
/// use impinge::{DVec3, bvh::wide::WideTree, generate, spheres::*};
/// use impinge_study::spheres::*;
/// use std::{ops::ControlFlow, sync::Arc};
/// let tree = WideTree::new(Arc::new(generate::cuboid(DVec3::ONE, [1; 3])?));
/// let solid = MeshSolid::new(&tree)?;
/// let voxels = pack_voxels_with(&solid, &VoxelOptions::default(), &mut |now| {
///     if now.count == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// })?;
/// assert!(voxels.packing.end == PackEnd::Cancelled && voxels.packing.balls.len() == 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_voxels_with(
    solid: &(impl Interior + ?Sized),
    options: &VoxelOptions,
    progress: &mut dyn FnMut(&PackProgress) -> ControlFlow<()>,
) -> Result<VoxelPacking, VoxelError> {
    options.check()?;
    let grid = grid_of(solid, options.resolution)?;
    let total = grid.counts.iter().product();
    let (scale, error) = (1.0 - 8.0 * f64::EPSILON, solid.error());
    let mut clearance: Vec<f64> = map_voxels(total, |voxel| {
        let center = grid.center(voxel);
        if !solid.contains(center) {
            return 0.0;
        }
        ((solid.closest_point(center) - center).length() * scale - error).max(0.0)
    });
    let mut heap: BinaryHeap<VoxelEntry> = (0..total)
        .filter(|&voxel| clearance[voxel] > 0.0)
        .map(|voxel| VoxelEntry {
            clearance: clearance[voxel],
            voxel: voxel as u32,
        })
        .collect();
    if heap.is_empty() {
        return Err(VoxelError::NoInterior { side: grid.side });
    }
    let mut balls: Vec<SolidBall> = Vec::new();
    let mut swallowed: Vec<u64> = Vec::new();
    let mut end = PackEnd::Full;
    let (whole, mut filled) = (solid.volume(), 0.0);
    while let Some(VoxelEntry {
        clearance: known,
        voxel,
    }) = heap.pop()
    {
        if options.count.is_some_and(|most| balls.len() >= most) {
            end = PackEnd::Count;
            break;
        }
        if options.fill.is_some_and(|wanted| filled >= wanted * whole) {
            end = PackEnd::Fill;
            break;
        }
        let voxel = voxel as usize;
        let now = clearance[voxel];
        if now <= 0.0 {
            continue;
        }
        // What became nearer since it was queued goes back to where it belongs.
        if now < known {
            heap.push(VoxelEntry {
                clearance: now,
                voxel: voxel as u32,
            });
            continue;
        }
        if let Some(radius) = options.min_radius.filter(|&least| now < least) {
            if balls.is_empty() {
                return Err(VoxelError::NothingFits { radius });
            }
            end = PackEnd::MinRadius;
            break;
        }
        let ball = SolidBall {
            center: grid.center(voxel),
            radius: now,
        };
        let mut count = 0;
        grid.around(ball.center, 2.0 * now, |other| {
            if clearance[other] <= 0.0 {
                return;
            }
            let left = ball.distance_at_least(grid.center(other));
            if left <= 0.0 {
                clearance[other] = 0.0;
                count += 1;
            } else if left < clearance[other] {
                clearance[other] = left;
            }
        });
        balls.push(ball);
        swallowed.push(count);
        filled += ball.volume();
        let now = PackProgress {
            count: balls.len(),
            fill: filled / whole,
            radius: ball.radius,
        };
        if progress(&now).is_break() {
            end = PackEnd::Cancelled;
            break;
        }
    }
    // The last voxel may have gone with the ball that was asked for.
    if end == PackEnd::Full && options.count.is_some_and(|most| balls.len() >= most) {
        end = PackEnd::Count;
    }
    let voxel_volume = grid.side * grid.side * grid.side;
    let secondary_radii = swallowed
        .iter()
        .map(|&count| {
            libm::cbrt(count as f64 * voxel_volume * (3.0 / (4.0 * std::f64::consts::PI)))
        })
        .collect();
    Ok(VoxelPacking {
        packing: Packing {
            balls,
            solid_volume: whole,
            end,
            work: PackWork {
                levels: 1,
                cells: total,
                ..PackWork::default()
            },
        },
        secondary_radii,
        side: grid.side,
    })
}

fn grid_of(solid: &(impl Interior + ?Sized), resolution: u32) -> Result<VoxelGrid, VoxelError> {
    let bounds = solid.bounds();
    if !has_size(&bounds) {
        return Err(VoxelError::NoSize);
    }
    let size = bounds.diagonal();
    let side = size.max_element() / f64::from(resolution);
    let counts = (size / side).to_array().map(|n| n.ceil().max(1.0));
    if resolution == 0 || counts.iter().product::<f64>() > MOST_VOXELS {
        return Err(VoxelError::BadResolution { resolution });
    }
    let counts = counts.map(|n| n as usize);
    // Centred, so that symmetric solids have symmetric grids.
    let covered = DVec3::from_array(counts.map(|n| n as f64)) * side;
    Ok(VoxelGrid {
        origin: bounds.center() - 0.5 * covered,
        side,
        counts,
    })
}
