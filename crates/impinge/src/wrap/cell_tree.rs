//! An octree over the cubes of the lattice, fine only near the mesh.

use glam::DVec3;
#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::lattice::{Lattice, Node, moved};
use crate::bound::Aabb;
use crate::bvh::wide::{SingleTreeCache, WideTree};
use crate::query::Limits;

/// Cells whose distances are measured together.
const BLOCK: usize = 1 << 16;
/// Points that one thread measures at a time.
const CHUNK: usize = 256;
/// Half the diagonal of a cube with side 1, rounded up.
const HALF_DIAGONAL: f64 = 0.866_025_404;

const INNER: u32 = 0;
const NEAR: u32 = 1;
const FREE: u32 = 2;

/// A cube of the lattice, counted from the root's lowest corner.
type Cell = [u32; 3];

/// Where a cell belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    /// To the near cell of this number.
    Near(usize),
    /// To the free leaf of this number.
    Free(usize),
    /// To nothing: it is outside the root.
    Beyond,
}

/// A cube of many cells without any part of the mesh in or near it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeLeaf {
    pub(super) cell: Cell,
    pub(super) level: u32,
}

/// Too many cells at this level of the tree, 0 being the cells themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooManyCells {
    pub(super) level: u32,
}

/// The cells near a mesh and the free space around them.
///
/// A cell owns two nodes: its lowest corner and its centre. Nodes of free leaves are farther from
/// the mesh than [`Lattice::reach`] by at least an edge, so a tetrahedron with such a node is not
/// cut.
#[derive(Debug)]
pub(super) struct CellTree {
    /// The root's lowest cell in the lattice.
    origin: [i64; 3],
    depth: u32,
    /// Kind and number of each node of the tree: the root, then children in groups of eight.
    slots: Vec<u32>,
    pub(super) near: Vec<Cell>,
    /// The distances of the two nodes of each near cell; infinite where it does not matter.
    pub(super) distances: Vec<[f64; 2]>,
    pub(super) free: Vec<FreeLeaf>,
}

impl CellTree {
    /// The cells around the faces of a mesh, at most `max_cells` of them near it.
    pub(super) fn new(
        tree: &WideTree,
        bounds: &Aabb,
        lattice: &Lattice,
        max_cells: usize,
    ) -> Result<Self, TooManyCells> {
        let spacing = lattice.spacing;
        let pad = (lattice.reach / spacing).ceil() + 2.0;
        let low = (bounds.min / spacing).floor() - pad;
        let high = (bounds.max / spacing).ceil() + pad;
        let cells = (high - low).max_element();
        let mut depth = 0;
        while f64::from(1_u32 << depth) < cells && depth < 31 {
            depth += 1;
        }
        let mut this = Self {
            origin: low.to_array().map(|n| n as i64),
            depth,
            slots: vec![0],
            near: Vec::new(),
            distances: Vec::new(),
            free: Vec::new(),
        };
        let mut cells: Vec<(Cell, u32)> = vec![([0; 3], 0)];
        for level in (0..=depth).rev() {
            cells = this.divide(tree, lattice, level, &cells, max_cells)?;
        }
        this.measure_corners(tree, lattice);
        Ok(this)
    }

    /// Decides cells of one level, each with its slot; the cells of the next level that are
    /// undecided.
    fn divide(
        &mut self,
        tree: &WideTree,
        lattice: &Lattice,
        level: u32,
        cells: &[(Cell, u32)],
        max_cells: usize,
    ) -> Result<Vec<(Cell, u32)>, TooManyCells> {
        let side = 1_u32 << level;
        let radius = HALF_DIAGONAL * f64::from(side) * lattice.spacing;
        let within = lattice.reach + lattice.spacing + radius + lattice.slack();
        let mut next = Vec::new();
        let mut divided = 0;
        for block in cells.chunks(BLOCK) {
            let centres: Vec<DVec3> = block
                .iter()
                .map(|&(cell, _)| {
                    let middle = [i64::from(side); 3];
                    lattice.position(moved(self.corner(cell), middle))
                })
                .collect();
            let distances = distances(tree, &centres, within);
            for (&(cell, slot), distance) in block.iter().zip(distances) {
                let code = if distance.is_infinite() {
                    self.free.push(FreeLeaf { cell, level });
                    code(FREE, self.free.len() - 1)
                } else if level == 0 {
                    self.near.push(cell);
                    self.distances.push([f64::INFINITY, distance]);
                    code(NEAR, self.near.len() - 1)
                } else {
                    divided += 1;
                    let first = self.slots.len() as u32;
                    self.slots.resize(self.slots.len() + 8, 0);
                    let half = side / 2;
                    next.extend((0..8).map(|child| {
                        let corner: Cell =
                            std::array::from_fn(|k| cell[k] + half * ((child >> k) & 1));
                        (corner, first + child)
                    }));
                    code(INNER, (first as usize - 1) / 8)
                };
                self.slots[slot as usize] = code;
                if self.near.len().max(divided) > max_cells {
                    return Err(TooManyCells { level });
                }
            }
        }
        Ok(next)
    }

    fn measure_corners(&mut self, tree: &WideTree, lattice: &Lattice) {
        // Farther corners have no inner neighbour, and are no centre of a ball that is rolled along
        // the mesh.
        let within = (lattice.level + lattice.spacing).max(lattice.reach + lattice.cell_diameter())
            + lattice.slack();
        for first in (0..self.near.len()).step_by(BLOCK) {
            let block = &self.near[first..self.near.len().min(first + BLOCK)];
            let corners: Vec<DVec3> = block
                .iter()
                .map(|&cell| lattice.position(self.corner(cell)))
                .collect();
            let found = distances(tree, &corners, within);
            for (pair, distance) in self.distances[first..].iter_mut().zip(found) {
                pair[0] = distance;
            }
        }
    }

    /// The lowest corner of a cell, as a node.
    pub(super) fn corner(&self, cell: Cell) -> Node {
        std::array::from_fn(|k| 2 * (self.origin[k] + i64::from(cell[k])))
    }

    /// The leaf that holds a cell.
    pub(super) fn leaf(&self, cell: [i64; 3]) -> Leaf {
        let size = 1_i64 << self.depth;
        if cell.iter().any(|&c| c < 0 || c >= size) {
            return Leaf::Beyond;
        }
        let mut code = self.slots[0];
        let mut level = self.depth;
        while code & 3 == INNER && level > 0 {
            level -= 1;
            let child = (0..3).fold(0, |sum, k| sum | (((cell[k] >> level) & 1) << k));
            code = self.slots[1 + 8 * (code >> 2) as usize + child as usize];
        }
        let number = (code >> 2) as usize;
        match code & 3 {
            NEAR => Leaf::Near(number),
            _ => Leaf::Free(number),
        }
    }

    /// The leaf that holds a node, and which of the two nodes of its cell it is: 0 the corner, 1
    /// the centre.
    pub(super) fn leaf_of_node(&self, node: Node) -> (Leaf, usize) {
        // Right for negative numbers too: an odd one less its lowest bit is the even one below.
        let which = (node[0] & 1) as usize;
        let cell = std::array::from_fn(|k| (node[k] >> 1) - self.origin[k]);
        (self.leaf(cell), which)
    }
}

fn code(kind: u32, number: usize) -> u32 {
    ((number as u32) << 2) | kind
}

/// The distance of each point from the mesh; infinite where it exceeds `within`.
fn distances(tree: &WideTree, points: &[DVec3], within: f64) -> Vec<f64> {
    let measure = |chunk: &[DVec3]| -> Vec<f64> {
        let limits = Limits {
            max_distance: Some(within),
            ..Limits::default()
        };
        let mut cache = SingleTreeCache::default();
        let mut distance = |&p: &DVec3| {
            // The caller has made sure that the points are in range.
            let found = tree.closest_face(p, limits, &mut cache).ok();
            let face = found.and_then(|found| found.value);
            face.map_or(f64::INFINITY, |face| face.distance)
        };
        chunk.iter().map(&mut distance).collect()
    };
    #[cfg(feature = "parallel")]
    let measured: Vec<Vec<f64>> = points.par_chunks(CHUNK).map(measure).collect();
    #[cfg(not(feature = "parallel"))]
    let measured: Vec<Vec<f64>> = points.chunks(CHUNK).map(measure).collect();
    measured.concat()
}
