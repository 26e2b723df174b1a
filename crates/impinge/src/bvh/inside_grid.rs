//! A grid over a closed mesh: cells that no face comes near lie wholly inside or wholly outside, so that most of many points need
//! no ray.
//!
//! Exact: a coordinate's cell number never falls as the coordinate grows, so a point whose number lies outside those of a face's two
//! extremes lies outside its box. A cell that no face's box reaches therefore holds no point of the surface, and nor do the gaps between
//! neighbouring cells of this kind: one point of a run of them decides for all.

use glam::DVec3;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use super::MeshIndex;
use super::solid::Solid;
use super::wide::SingleTreeCache;
use crate::bound::Aabb;
use crate::math::is_valid_point;
use crate::mesh::TriMesh;
use crate::mesh::point_in_mesh::{InsideError, Location};

/// Cells along each axis.
const SIDE: usize = 64;
/// Points that are worth a grid.
const WORTH: usize = 20_000;
/// Cells that faces may mark together; larger faces are not worth a grid.
const MOST_MARKS: usize = 1 << 22;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Outside,
    Inside,
    Mixed,
}

/// A closed mesh and what is known about the cells of a grid over it, for locating many points.
///
/// ```
/// use impinge::bvh::{InsideGrid, Solid, wide::WideTree};
/// use impinge::{DVec3, generate::icosphere, mesh::point_in_mesh::Location};
/// use std::sync::Arc;
/// let ball = WideTree::new(Arc::new(icosphere(1.0, 8)?));
/// let solid = Solid::closed(&ball)?;
/// assert!(InsideGrid::new(&solid, 10).is_none());
/// let grid = InsideGrid::new(&solid, 100_000).ok_or("worth it")?;
/// assert_eq!(grid.locate_with(DVec3::ZERO, &mut Default::default())?, Location::Inside);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct InsideGrid<'s, 't> {
    solid: &'s Solid<'t>,
    bounds: Aabb,
    scale: DVec3,
    cells: Vec<Cell>,
}

impl<'s, 't> InsideGrid<'s, 't> {
    /// The grid for so many points; none when it is not worth its time, and of a solid by winding numbers, which change
    /// away from the surface, too.
    #[must_use]
    pub fn new(solid: &'s Solid<'t>, points: usize) -> Option<Self> {
        let mesh = solid.tree().mesh();
        if !solid.is_by_parity() || points < WORTH || points < mesh.face_count() / 4 {
            return None;
        }
        let bounds = mesh.bounds();
        let scale = DVec3::splat(SIDE as f64) / (bounds.max - bounds.min);
        if !scale.is_finite() {
            return None;
        }
        let mut grid = Self {
            solid,
            bounds,
            scale,
            cells: vec![Cell::Outside; SIDE * SIDE * SIDE],
        };
        grid.mark(mesh)?;
        grid.cells = grid.known();
        Some(grid)
    }

    /// The numbers of the cell of a point within the bounds.
    fn number(&self, p: DVec3) -> [usize; 3] {
        let at = (p - self.bounds.min) * self.scale;
        at.to_array().map(|x| (x as usize).min(SIDE - 1))
    }

    fn row(y: usize, z: usize) -> usize {
        (z * SIDE + y) * SIDE
    }

    /// Marks the cells that the boxes of faces reach; none when there are too many.
    fn mark(&mut self, mesh: &TriMesh) -> Option<()> {
        let mut marks = 0;
        for [a, b, c] in mesh.triangles() {
            let low = self.number(a.min(b).min(c));
            let high = self.number(a.max(b).max(c));
            marks += (0..3).map(|k| high[k] - low[k] + 1).product::<usize>();
            if marks > MOST_MARKS {
                return None;
            }
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    let row = Self::row(y, z);
                    if let Some(cells) = self.cells.get_mut(row + low[0]..=row + high[0]) {
                        cells.fill(Cell::Mixed);
                    }
                }
            }
        }
        Some(())
    }

    /// The cells in rows along x, with one point located for each run of cells without a face.
    fn known(&self) -> Vec<Cell> {
        let fill = |cache: &mut SingleTreeCache, (row, cells): (usize, &[Cell])| {
            let (y, z) = (row % SIDE, row / SIDE);
            let mut known = cells.to_vec();
            let mut run = None;
            for (x, cell) in known.iter_mut().enumerate() {
                if *cell == Cell::Mixed {
                    run = None;
                    continue;
                }
                *cell = *run.get_or_insert_with(|| self.locate_cell([x, y, z], cache));
            }
            known
        };
        #[cfg(feature = "parallel")]
        let rows: Vec<Vec<Cell>> = {
            let rows = self.cells.par_chunks(SIDE).enumerate();
            rows.map_init(SingleTreeCache::default, fill).collect()
        };
        #[cfg(not(feature = "parallel"))]
        let rows: Vec<Vec<Cell>> = {
            let mut cache = SingleTreeCache::default();
            let rows = self.cells.chunks(SIDE).enumerate();
            rows.map(|row| fill(&mut cache, row)).collect()
        };
        rows.concat()
    }

    /// Where the middle of a cell without a face lies.
    fn locate_cell(&self, cell: [usize; 3], cache: &mut SingleTreeCache) -> Cell {
        let at = DVec3::from(cell.map(|k| k as f64 + 0.5));
        let middle = self.bounds.min + at / self.scale;
        if self.number(middle) != cell {
            // Coordinates so large that the cell has no middle.
            return Cell::Mixed;
        }
        match self.solid.locate_with(middle, cache) {
            Ok(Location::Inside) => Cell::Inside,
            Ok(Location::Outside) => Cell::Outside,
            Ok(Location::OnBoundary) | Err(_) => Cell::Mixed,
        }
    }

    /// Where the point lies, as [`Solid::locate_with`] says.
    ///
    /// # Errors
    /// [`InsideError::InvalidPoint`].
    ///
    /// ```
    /// use impinge::bvh::{InsideGrid, Solid, wide::WideTree};
    /// use impinge::{DVec3, generate::tetrahedron, mesh::point_in_mesh::Location};
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(tetrahedron(1.0)?));
    /// let solid = Solid::closed(&tree)?;
    /// if let Some(grid) = InsideGrid::new(&solid, 100_000) {
    ///     assert_eq!(grid.locate_with(DVec3::splat(9.0), &mut Default::default())?, Location::Outside);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn locate_with(
        &self,
        p: DVec3,
        cache: &mut SingleTreeCache,
    ) -> Result<Location, InsideError> {
        if is_valid_point(p) {
            if !(p.cmpge(self.bounds.min) & p.cmple(self.bounds.max)).all() {
                return Ok(Location::Outside);
            }
            let [x, y, z] = self.number(p);
            match self.cells.get(Self::row(y, z) + x) {
                Some(Cell::Inside) => return Ok(Location::Inside),
                Some(Cell::Outside) => return Ok(Location::Outside),
                _ => {}
            }
        }
        self.solid.locate_with(p, cache)
    }
}
