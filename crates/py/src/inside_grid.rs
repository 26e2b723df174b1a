//! A grid over a closed mesh: cells that no face comes near lie wholly inside or wholly outside, so that most of many points need
//! no ray.
//!
//! Exact: a coordinate's cell number never falls as the coordinate grows, so a point whose number lies outside those of a face's two
//! extremes lies outside its box. A cell that no face's box reaches therefore holds no point of the surface, and nor do the gaps between
//! neighbouring cells of this kind: one point of a run of them decides for all.

use impinge::bound::Aabb;
use impinge::bvh::Solid;
use impinge::bvh::wide::SingleTreeCache;
use impinge::glam::DVec3;
use impinge::math::is_valid_point;
use impinge::mesh::TriMesh;
use impinge::mesh::point_in_mesh::{InsideError, Location};
use rayon::prelude::*;

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

/// What is known about the cells of a closed mesh.
#[derive(Debug)]
pub(crate) struct InsideGrid {
    bounds: Aabb,
    scale: DVec3,
    cells: Vec<Cell>,
}

impl InsideGrid {
    /// The grid for so many points; none when it is not worth its time.
    pub(crate) fn new(mesh: &TriMesh, solid: &Solid<'_>, points: usize) -> Option<Self> {
        if points < WORTH || points < mesh.faces().len() / 4 {
            return None;
        }
        let bounds = mesh.bounds();
        let scale = DVec3::splat(SIDE as f64) / (bounds.max - bounds.min);
        if !scale.is_finite() {
            return None;
        }
        let mut grid = Self {
            bounds,
            scale,
            cells: vec![Cell::Outside; SIDE * SIDE * SIDE],
        };
        grid.mark(mesh)?;
        let rows = grid.rows(solid);
        grid.cells = rows.into_iter().flatten().collect();
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

    /// The rows of cells along x, with one point located for each run of cells without a face.
    fn rows(&self, solid: &Solid<'_>) -> Vec<Vec<Cell>> {
        let rows = self.cells.par_chunks(SIDE).enumerate();
        rows.map_init(SingleTreeCache::default, |cache, (row, cells)| {
            let (y, z) = (row % SIDE, row / SIDE);
            let mut known = cells.to_vec();
            let mut run = None;
            for (x, cell) in known.iter_mut().enumerate() {
                if *cell == Cell::Mixed {
                    run = None;
                    continue;
                }
                *cell = *run.get_or_insert_with(|| self.locate([x, y, z], solid, cache));
            }
            known
        })
        .collect()
    }

    /// Where the middle of a cell without a face lies.
    fn locate(&self, cell: [usize; 3], solid: &Solid<'_>, cache: &mut SingleTreeCache) -> Cell {
        let at = DVec3::from(cell.map(|k| k as f64 + 0.5));
        let middle = self.bounds.min + at / self.scale;
        if self.number(middle) != cell {
            // Coordinates so large that the cell has no middle.
            return Cell::Mixed;
        }
        match solid.locate_with(middle, cache) {
            Ok(Location::Inside) => Cell::Inside,
            Ok(Location::Outside) => Cell::Outside,
            Ok(Location::OnBoundary) | Err(_) => Cell::Mixed,
        }
    }

    /// Whether the point is in the solid, its surface included.
    pub(crate) fn contains(
        &self,
        p: DVec3,
        solid: &Solid<'_>,
        cache: &mut SingleTreeCache,
    ) -> Result<bool, InsideError> {
        if is_valid_point(p) {
            if !(p.cmpge(self.bounds.min) & p.cmple(self.bounds.max)).all() {
                return Ok(false);
            }
            let [x, y, z] = self.number(p);
            match self.cells.get(Self::row(y, z) + x) {
                Some(Cell::Inside) => return Ok(true),
                Some(Cell::Outside) => return Ok(false),
                _ => {}
            }
        }
        let place = solid.locate_with(p, cache)?;
        Ok(place != Location::Outside)
    }
}
