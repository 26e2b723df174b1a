//! Layers of voxels in bricks of 8·8·8: a tree of two levels with 512 children.
//!
//! A uniform brick takes four bytes, the others a byte per voxel. Each brick stores the distance of
//! the nearest one that is not free, so that far points cost one look-up.

use super::distance_transform::{FAR, TransformLine, rounded_root};
use super::parallel::{each_slice, map_indexed};
use super::voxel_grid::VoxelGrid;
use super::voxel_overlap::BrickRange;

/// Voxels along a brick.
const WIDE: usize = 8;
const VOXELS: usize = WIDE * WIDE * WIDE;
/// A brick whose voxels are alike; the layer is in the lowest byte.
const UNIFORM: u32 = 1 << 31;
/// A voxel inside, beside the square of its distance in its slice, which takes 15 bits.
const INSIDE: u16 = 1 << 15;
/// Without a voxel of the surface near it in its slice; the squares of layers are smaller.
const FAR_IN_SLICE: u16 = INSIDE - 1;
/// What lines, tables and lists may take beside the voxels, relatively and in bytes.
const BESIDE: (f64, f64) = (1.1, 16384.0);
/// Above the outermost layer that is kept.
pub(super) const FREE: i8 = i8::MIN;
/// The deepest layer, and the highest.
pub(super) const DEEPEST: u8 = 126;
/// Distances of points of two bricks from their centres, in bricks; a little more for rounding.
const IN_BRICKS: f64 = 1.733;

/// What is known of a voxel before layers are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VoxelSide {
    Outside,
    Surface,
    Inside,
}

/// The layer of every voxel of a grid.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VoxelBricks {
    counts: [usize; 3],
    table: Vec<u32>,
    store: Vec<i8>,
    /// Of each brick: no voxel that is not free has its centre nearer than this many sides to that of a voxel of this brick.
    room: Vec<f32>,
}

impl VoxelBricks {
    /// Bytes that [`VoxelBricks::new`] takes at most: two for the square of each voxel, then for rows of bricks one for each voxel of each brick,
    /// then another for those that are kept.
    pub(super) fn bytes_to_build(grid: &VoxelGrid) -> f64 {
        let bricks = grid.counts.iter().map(|n| n.div_ceil(WIDE) as f64);
        let rows = bricks.product::<f64>() * VOXELS as f64;
        let (part, fixed) = BESIDE;
        part * (rows + rows.max(2.0 * grid.total())) + fixed
    }

    /// Counts layers from the surface: up to `highest` outside.
    pub(super) fn new(grid: &VoxelGrid, sides: Vec<VoxelSide>, highest: u8) -> Self {
        let [nx, ny, nz] = grid.counts;
        let squares = squares_and_sides(sides, nx, ny);
        let counts = grid.counts.map(|n| n.div_ceil(WIDE));
        let [bx, by, bz] = counts;
        // One row of bricks along z and x at a time, for all y of the row.
        let rows = map_indexed(by, |line: &mut TransformLine, row| {
            let mut layers = vec![FREE; bz * bx * VOXELS];
            for y in row * WIDE..ny.min(row * WIDE + WIDE) {
                for x in 0..nx {
                    line.values.clear();
                    let column = (0..nz).map(|z| in_slice(squares[(z * ny + y) * nx + x]));
                    line.values.extend(column);
                    line.lower(u32::from(DEEPEST) + 1);
                    for (z, &square) in line.values.iter().enumerate() {
                        let side = side(squares[(z * ny + y) * nx + x]);
                        let brick = (z / WIDE) * bx + x / WIDE;
                        layers[brick * VOXELS + within(x, y, z)] = layer(side, square, highest);
                    }
                }
            }
            layers
        });
        drop(squares);
        let is_uniform = |voxels: &[i8]| voxels.iter().all(|l| *l == voxels[0]);
        let kept = rows.iter().flat_map(|layers| layers.chunks_exact(VOXELS));
        let kept = kept.filter(|voxels| !is_uniform(voxels)).count();
        let mut bricks = Self {
            counts,
            table: vec![UNIFORM; bx * by * bz],
            store: Vec::with_capacity(kept * VOXELS),
            room: Vec::new(),
        };
        for (row, layers) in rows.into_iter().enumerate() {
            for (i, voxels) in layers.chunks_exact(VOXELS).enumerate() {
                let (z, x) = (i / bx, i % bx);
                bricks.table[(z * by + row) * bx + x] = if is_uniform(voxels) {
                    UNIFORM | u32::from(voxels[0] as u8)
                } else {
                    let at = bricks.store.len() / VOXELS;
                    bricks.store.extend_from_slice(voxels);
                    at as u32
                };
            }
        }
        bricks.room = bricks.measure_room();
        bricks
    }

    /// How far each brick is from those that are not free.
    fn measure_room(&self) -> Vec<f32> {
        let [bx, by, bz] = self.counts;
        let free = UNIFORM | u32::from(FREE as u8);
        let sides: Vec<VoxelSide> = self
            .table
            .iter()
            .map(|code| {
                if *code == free {
                    VoxelSide::Outside
                } else {
                    VoxelSide::Surface
                }
            })
            .collect();
        let most = super::distance_transform::MOST;
        let squares = in_slices(&sides, bx, by, most);
        let mut room = vec![0.0; sides.len()];
        let mut line = TransformLine::default();
        for y in 0..by {
            for x in 0..bx {
                line.values.clear();
                line.values
                    .extend((0..bz).map(|z| squares[(z * by + y) * bx + x]));
                line.lower(most);
                for (z, &square) in line.values.iter().enumerate() {
                    let bricks = if square == FAR {
                        f64::from(most)
                    } else {
                        f64::from(square).sqrt()
                    };
                    room[(z * by + y) * bx + x] =
                        ((bricks - IN_BRICKS).max(0.0) * WIDE as f64) as f32 * (1.0 - 1e-6);
                }
            }
        }
        room
    }

    /// The layer of a voxel of the grid.
    #[inline]
    pub(super) fn layer(&self, voxel: [usize; 3]) -> i8 {
        let code = self.table[self.brick(voxel)];
        if code & UNIFORM != 0 {
            return code as u8 as i8;
        }
        let [x, y, z] = voxel;
        self.store[code as usize * VOXELS + within(x, y, z)]
    }

    /// No voxel that is not free has its centre nearer to that of this one than this many sides.
    #[inline]
    pub(super) fn room(&self, voxel: [usize; 3]) -> f64 {
        f64::from(self.room[self.brick(voxel)])
    }

    /// The voxels of every brick that lie in the grid.
    pub(super) fn ranges(&self, counts: [usize; 3]) -> impl Iterator<Item = BrickRange> + '_ {
        let [bx, by, _] = self.counts;
        self.table.iter().enumerate().map(move |(i, &code)| {
            let first = [i % bx, i / bx % by, i / (bx * by)].map(|at| at * WIDE);
            BrickRange {
                first,
                end: [0, 1, 2].map(|axis| (first[axis] + WIDE).min(counts[axis])),
                uniform: (code & UNIFORM != 0).then_some(code as u8 as i8),
            }
        })
    }

    #[inline]
    fn brick(&self, [x, y, z]: [usize; 3]) -> usize {
        let [bx, by, _] = self.counts;
        ((z / WIDE) * by + y / WIDE) * bx + x / WIDE
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.table.as_slice())
            + size_of_val(self.store.as_slice())
            + size_of_val(self.room.as_slice())
    }
}

/// The place of a voxel in its brick.
#[inline]
fn within(x: usize, y: usize, z: usize) -> usize {
    ((z % WIDE) * WIDE + y % WIDE) * WIDE + x % WIDE
}

fn layer(side: VoxelSide, square: u16, highest: u8) -> i8 {
    let steps = if square == FAR {
        u32::MAX
    } else {
        rounded_root(square)
    };
    match side {
        VoxelSide::Surface => 0,
        VoxelSide::Inside => steps.min(u32::from(DEEPEST)) as i8,
        VoxelSide::Outside if steps <= u32::from(highest) => -(steps as i8),
        VoxelSide::Outside => FREE,
    }
}

/// Squares of distances in slices, together with the sides, which are given back at once.
fn squares_and_sides(sides: Vec<VoxelSide>, nx: usize, ny: usize) -> Vec<u16> {
    let mut squares = in_slices(&sides, nx, ny, u32::from(DEEPEST) + 1);
    each_slice(&mut squares, nx * ny, |z, slice| {
        let sides = &sides[z * nx * ny..][..slice.len()];
        for (square, side) in slice.iter_mut().zip(sides) {
            let inside = if *side == VoxelSide::Inside {
                INSIDE
            } else {
                0
            };
            *square = (*square).min(FAR_IN_SLICE) | inside;
        }
    });
    squares
}

/// The square of the distance in its slice; [`FAR`] beyond what is counted.
fn in_slice(code: u16) -> u16 {
    match code & !INSIDE {
        FAR_IN_SLICE => FAR,
        square => square,
    }
}

/// The side of a voxel. Only voxels of the surface are at no distance from it in their slices.
fn side(code: u16) -> VoxelSide {
    match code {
        0 => VoxelSide::Surface,
        _ if code & INSIDE != 0 => VoxelSide::Inside,
        _ => VoxelSide::Outside,
    }
}

/// Squares of distances to the nearest voxel of the surface in the same slice along z.
fn in_slices(sides: &[VoxelSide], nx: usize, ny: usize, most: u32) -> Vec<u16> {
    let mut squares = vec![FAR; sides.len()];
    each_slice(&mut squares, nx * ny, |z, slice| {
        let sides = &sides[z * nx * ny..][..slice.len()];
        let mut line = TransformLine::default();
        for y in 0..ny {
            line.values.clear();
            let marks = sides[y * nx..][..nx].iter();
            line.values
                .extend(marks.map(|side| if *side == VoxelSide::Surface { 0 } else { FAR }));
            line.lower(most);
            slice[y * nx..][..nx].copy_from_slice(&line.values);
        }
        for x in 0..nx {
            line.values.clear();
            line.values.extend((0..ny).map(|y| slice[y * nx + x]));
            line.lower(most);
            for (y, &square) in line.values.iter().enumerate() {
                slice[y * nx + x] = square;
            }
        }
    });
    squares
}
