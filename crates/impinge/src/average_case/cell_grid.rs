//! The area of faces in the cells of a box.
//!
//! **Question.** In how many of 8·8·8 cells is there as much surface as a plane could have in it?
//! **Idea.** Cut each face by the planes of the grid, one axis after the other, and add up the areas.
//! **Source.** Klein 2005, 3.2.1. Ours: cells that are no cubes have their own largest section, and a threshold below 1.
//! **Cost.** Faces within one cell cost no cut; others one for each plane they cross.

use glam::DVec3;

use super::box_overlap::largest_section;
use crate::bound::Aabb;

/// Cells along each side, unless another number is chosen.
const PUBLISHED_SIDE: usize = 8;
/// What rounding may take from a cell that is exactly full.
const SLACK: f64 = 1e-9;

/// Areas by cell: that of (x, y, z) is at x + 8 (y + 8 z), for 8 cells along each side.
///
/// ```
/// use impinge::average_case::CellGrid;
/// use impinge::{DVec3, bound::Aabb};
/// let mut grid = CellGrid::new(&Aabb { min: DVec3::ZERO, max: DVec3::splat(8.0) });
/// // Half of the square z = 0.5: parallel to the cells' sides.
/// grid.add(&[DVec3::new(0.0, 0.0, 0.5), DVec3::new(8.0, 0.0, 0.5), DVec3::new(0.0, 8.0, 0.5)]);
/// assert!((grid.areas().iter().sum::<f64>() - 32.0).abs() < 1e-9);
/// assert_eq!(grid.count(1.0), 0);
/// assert_eq!(grid.count(0.5_f64.sqrt()), 28);
/// ```
#[derive(Clone, Debug)]
pub struct CellGrid {
    low: DVec3,
    cell: DVec3,
    side: usize,
    areas: Vec<f64>,
}

impl CellGrid {
    /// The empty cells of a box; a box of no extent along an axis has cells of none.
    #[must_use]
    pub fn new(bounds: &Aabb) -> Self {
        Self::with_side(bounds, PUBLISHED_SIDE)
    }

    /// The same with so many cells along each side.
    pub(super) fn with_side(bounds: &Aabb, side: usize) -> Self {
        Self {
            low: bounds.min,
            cell: bounds.diagonal() / side as f64,
            side,
            areas: vec![0.0; side * side * side],
        }
    }

    /// The same cells for another box, emptied.
    pub(super) fn reset(&mut self, bounds: &Aabb) {
        self.low = bounds.min;
        self.cell = bounds.diagonal() / self.side as f64;
        self.areas.fill(0.0);
    }

    /// Adds the area of a face to the cells that contain it. Parts outside the box are added to the
    /// nearest cells.
    pub fn add(&mut self, face: &[DVec3; 3]) {
        let whole = ClippedFace::new(face);
        let [x0, x1] = self.span(&whole, 0);
        let [y0, y1] = self.span(&whole, 1);
        let [z0, z1] = self.span(&whole, 2);
        if x0 == x1 && y0 == y1 && z0 == z1 {
            self.areas[x0 + self.side * (y0 + self.side * z0)] += whole.area();
            return;
        }
        let mut rest = whole;
        for x in x0..=x1 {
            let (slice, others) = self.part(&rest, 0, x, x1);
            rest = others;
            let [y0, y1] = self.span(&slice, 1);
            let mut rest_y = slice;
            for y in y0..=y1 {
                let (rod, others) = self.part(&rest_y, 1, y, y1);
                rest_y = others;
                let [z0, z1] = self.span(&rod, 2);
                let mut rest_z = rod;
                for z in z0..=z1 {
                    let (piece, others) = self.part(&rest_z, 2, z, z1);
                    rest_z = others;
                    self.areas[x + self.side * (y + self.side * z)] += piece.area();
                }
            }
        }
    }

    /// The areas of all cells.
    #[must_use]
    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// How many cells hold at least `kappa` times their largest planar section.
    #[must_use]
    pub fn count(&self, kappa: f64) -> u32 {
        let enough = self.enough(kappa);
        self.areas.iter().filter(|&&area| area >= enough).count() as u32
    }

    /// The area from which on a cell counts.
    pub(super) fn enough(&self, kappa: f64) -> f64 {
        let section = largest_section(self.cell);
        // Cells of no area at all hold nothing.
        (kappa * section * (1.0 - SLACK)).max(f64::MIN_POSITIVE)
    }

    /// The first and last cell along an axis that a piece is in.
    fn span(&self, piece: &ClippedFace, axis: usize) -> [usize; 2] {
        let (low, high) = piece.extent(axis);
        let place = |at: f64| {
            let cells = (at - self.low[axis]) / self.cell[axis];
            // NaN for cells of no extent becomes 0.
            (cells as usize).min(self.side - 1)
        };
        [place(low), place(high)]
    }

    /// What of a piece is in the cells with this number along an axis, and what is beyond.
    fn part(
        &self,
        piece: &ClippedFace,
        axis: usize,
        cell: usize,
        last: usize,
    ) -> (ClippedFace, ClippedFace) {
        if cell == last {
            return (*piece, ClippedFace::NOTHING);
        }
        piece.parted(axis, self.low[axis] + self.cell[axis] * (cell + 1) as f64)
    }
}

/// A convex piece of a face: three corners and one more for each of six planes.
#[derive(Clone, Copy, Debug)]
struct ClippedFace {
    corners: [DVec3; 10],
    count: usize,
}

impl ClippedFace {
    const NOTHING: Self = Self {
        corners: [DVec3::ZERO; 10],
        count: 0,
    };

    fn new(face: &[DVec3; 3]) -> Self {
        let mut piece = Self::NOTHING;
        piece.corners[..3].copy_from_slice(face);
        piece.count = 3;
        piece
    }

    fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    fn extent(&self, axis: usize) -> (f64, f64) {
        let mut extent = (f64::INFINITY, f64::NEG_INFINITY);
        for p in self.corners() {
            extent = (extent.0.min(p[axis]), extent.1.max(p[axis]));
        }
        extent
    }

    fn push(&mut self, p: DVec3) {
        if self.count < self.corners.len() {
            self.corners[self.count] = p;
            self.count += 1;
        }
    }

    /// What is below a plane and what is above it.
    fn parted(&self, axis: usize, at: f64) -> (Self, Self) {
        let (mut below, mut above) = (Self::NOTHING, Self::NOTHING);
        for i in 0..self.count {
            let (p, q) = (self.corners[i], self.corners[(i + 1) % self.count]);
            let (from, to) = (p[axis] - at, q[axis] - at);
            if from <= 0.0 {
                below.push(p);
            }
            if from >= 0.0 {
                above.push(p);
            }
            if (from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0) {
                let middle = p + (q - p) * (from / (from - to));
                below.push(middle);
                above.push(middle);
            }
        }
        (below, above)
    }

    fn area(&self) -> f64 {
        let corners = self.corners();
        let Some(&first) = corners.first() else {
            return 0.0;
        };
        let mut sum = DVec3::ZERO;
        for pair in corners.windows(2) {
            sum += (pair[0] - first).cross(pair[1] - first);
        }
        0.5 * sum.length()
    }
}
