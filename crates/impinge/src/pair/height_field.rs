//! Height fields: surfaces over a regular grid.
//!
//! **Idea.** The vertices are `(i·dx, j·dy, h)` over a grid; each cell has two faces, cut along the
//! diagonal from its lowest to its highest indices, facing up. A pyramid stores the lowest and
//! highest height over squares of 1, 2, 4 … cells, so that the boxes of the hierarchy are computed
//! from indices and not stored.
//! **Promise.** The boxes contain every face below them exactly: heights are compared, and grid
//! coordinates are the same products that the faces use.

use std::sync::{Arc, OnceLock};

use glam::DVec3;
use thiserror::Error;

use super::item_bvh::{ChildNodes, ItemNode};
use super::mesh_shape::MeshShape;
use crate::bound::Aabb;
use crate::math::{MAX_COORDINATE, is_valid_point};
use crate::mesh::TriMesh;
use crate::query::FaceId;

/// Why a height field was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Fewer than two points in a direction, or more cells than faces can be numbered.
    #[error("a grid of {columns} by {rows} points has no cells, or too many")]
    BadGrid {
        /// Points along x.
        columns: usize,
        /// Points along y.
        rows: usize,
    },
    /// Not one height per point.
    #[error("{heights} heights for {points} points")]
    BadCount {
        /// How many were given.
        heights: usize,
        /// How many are needed.
        points: usize,
    },
    /// A spacing is not positive or the grid leaves the range of coordinates.
    #[error("spacing {value} is not positive, or the grid exceeds {MAX_COORDINATE:e}")]
    BadSpacing {
        /// What was given.
        value: f64,
    },
    /// A height is not finite or out of range.
    #[error("height {value} of point {index} is not finite or exceeds {MAX_COORDINATE:e}")]
    BadHeight {
        /// Which point.
        index: usize,
        /// Its height.
        value: f64,
    },
}

/// A surface over a regular grid, two faces per cell.
#[derive(Clone, Debug)]
pub struct HeightField {
    columns: u32,
    rows: u32,
    spacing: [f64; 2],
    heights: Vec<f64>,
    /// Lowest and highest heights; level 0 is over cells.
    levels: Vec<HeightLevel>,
    mesh: OnceLock<Arc<MeshShape>>,
}

#[derive(Clone, Debug)]
struct HeightLevel {
    columns: u32,
    rows: u32,
    ranges: Vec<[f64; 2]>,
}

impl HeightField {
    /// The surface through the heights: `heights[j · columns + i]` stands at `(i · spacing[0], j · spacing[1])`.
    ///
    /// # Errors
    /// [`HeightFieldError`] for a grid without cells, a wrong number of heights, or numbers out of range.
    ///
    /// ```
    /// use impinge::pair::HeightField;
    /// let ramp = HeightField::new(3, 2, [1.0, 1.0], vec![0.0, 1.0, 2.0, 0.0, 1.0, 2.0])?;
    /// assert_eq!((ramp.face_count(), ramp.bounds().max.z), (4, 2.0));
    /// assert!(HeightField::new(1, 2, [1.0, 1.0], vec![0.0; 2]).is_err());
    /// # Ok::<(), impinge::pair::HeightFieldError>(())
    /// ```
    pub fn new(
        columns: usize,
        rows: usize,
        spacing: [f64; 2],
        heights: Vec<f64>,
    ) -> Result<Self, HeightFieldError> {
        let bad_grid = HeightFieldError::BadGrid { columns, rows };
        let points = columns.checked_mul(rows).ok_or(bad_grid)?;
        if columns < 2 || rows < 2 || points > TriMesh::MAX_FACES / 2 {
            return Err(bad_grid);
        }
        if heights.len() != points {
            return Err(HeightFieldError::BadCount {
                heights: heights.len(),
                points,
            });
        }
        for (value, count) in spacing.into_iter().zip([columns, rows]) {
            let is_valid = value > 0.0 && value * (count as f64) <= MAX_COORDINATE;
            if !is_valid {
                return Err(HeightFieldError::BadSpacing { value });
            }
        }
        for (index, &value) in heights.iter().enumerate() {
            if !is_valid_point(DVec3::splat(value)) {
                return Err(HeightFieldError::BadHeight { index, value });
            }
        }
        let (columns, rows) = (columns as u32, rows as u32);
        let levels = levels(columns, rows, &heights);
        Ok(Self {
            columns,
            rows,
            spacing,
            heights,
            levels,
            mesh: OnceLock::new(),
        })
    }

    /// Points along x and y.
    ///
    /// ```
    /// use impinge::pair::HeightField;
    /// let flat = HeightField::new(3, 2, [1.0; 2], vec![0.0; 6])?;
    /// assert_eq!(flat.size(), [3, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.columns, self.rows]
    }

    /// How many faces there are: two per cell.
    #[must_use]
    pub fn face_count(&self) -> u32 {
        2 * (self.columns - 1) * (self.rows - 1)
    }

    /// The corners of a face, counter-clockwise from above; none when there is no such face. The faces of the cell in column `i` and row `j`
    /// have the numbers `2 · (j · (columns − 1) + i)` and the next: before and beyond the diagonal.
    ///
    /// ```
    /// use impinge::{DVec3, pair::HeightField, query::FaceId};
    /// let flat = HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 4])?;
    /// assert_eq!(flat.face(FaceId::new(0)), Some([DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)]));
    /// assert_eq!(flat.face(FaceId::new(2)), None);
    /// # Ok::<(), impinge::pair::HeightFieldError>(())
    /// ```
    #[must_use]
    pub fn face(&self, face: FaceId) -> Option<[DVec3; 3]> {
        let corners = self.corners(face.raw())?;
        Some(corners.map(|v| self.point(v)))
    }

    /// The numbers of the grid points at the corners of a face.
    pub(super) fn corners(&self, face: u32) -> Option<[u32; 3]> {
        if face >= self.face_count() {
            return None;
        }
        let across = self.columns - 1;
        let (cell, i) = (face / 2, face / 2 % across);
        let first = cell / across * self.columns + i;
        let [v00, v10] = [first, first + 1];
        let [v01, v11] = [v00 + self.columns, v10 + self.columns];
        Some(if face.is_multiple_of(2) {
            [v00, v10, v11]
        } else {
            [v00, v11, v01]
        })
    }

    pub(super) fn point(&self, v: u32) -> DVec3 {
        let (i, j) = (v % self.columns, v / self.columns);
        let z = self.heights.get(v as usize).copied().unwrap_or(0.0);
        DVec3::new(
            f64::from(i) * self.spacing[0],
            f64::from(j) * self.spacing[1],
            z,
        )
    }

    /// The vertices that share an edge with a vertex.
    pub(super) fn around(&self, v: u32) -> impl Iterator<Item = u32> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        let (i, j) = (v % columns, v / columns);
        let steps = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)];
        steps.into_iter().filter_map(move |(di, dj)| {
            let (i, j) = (i.checked_add_signed(di)?, j.checked_add_signed(dj)?);
            (i < columns && j < rows).then_some(j * columns + i)
        })
    }

    /// A number for the edge between two neighbouring vertices.
    pub(super) fn edge(&self, v: u32, w: u32) -> u32 {
        let low = v.min(w);
        let direction = match v.max(w) - low {
            1 => 0,
            across if across == self.columns => 1,
            _ => 2,
        };
        3 * low + direction
    }

    /// The box around the surface.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.node_bounds(self.top())
    }

    /// The surface as a mesh with the same faces and vertices, made when first requested.
    ///
    /// ```
    /// use impinge::pair::HeightField;
    /// let flat = HeightField::new(3, 3, [1.0, 1.0], vec![0.0; 9])?;
    /// assert_eq!(flat.mesh().mesh().face_count(), 8);
    /// # Ok::<(), impinge::pair::HeightFieldError>(())
    /// ```
    pub fn mesh(&self) -> &Arc<MeshShape> {
        self.mesh.get_or_init(|| {
            let points = (0..self.columns * self.rows).map(|v| self.point(v));
            let faces = (0..self.face_count()).filter_map(|face| self.corners(face));
            // Coordinates and counts were checked, so that this cannot fail.
            let mesh = TriMesh::new(points.collect(), faces.collect()).unwrap_or_default();
            Arc::new(MeshShape::new(Arc::new(mesh)))
        })
    }

    pub(super) fn top(&self) -> ItemNode {
        let level = self.levels.len().saturating_sub(1) as u8;
        ItemNode::Cells { level, i: 0, j: 0 }
    }

    pub(super) fn node_bounds(&self, node: ItemNode) -> Aabb {
        match node {
            ItemNode::Cells { level, i, j } => {
                let Some(own) = self.levels.get(usize::from(level)) else {
                    return Aabb::EMPTY;
                };
                let [low, high] = own.ranges[(j * own.columns + i) as usize];
                let side = 1_u32 << level;
                let at = |i: u32, j: u32, z: f64| {
                    let i = i.min(self.columns - 1);
                    let j = j.min(self.rows - 1);
                    DVec3::new(
                        f64::from(i) * self.spacing[0],
                        f64::from(j) * self.spacing[1],
                        z,
                    )
                };
                Aabb {
                    min: at(i * side, j * side, low),
                    max: at((i + 1) * side, (j + 1) * side, high),
                }
            }
            ItemNode::Part(face) => {
                let corners = self.corners(face).unwrap_or([0; 3]);
                Aabb::enclosing(corners.map(|v| self.point(v)))
            }
            ItemNode::Branch(_) | ItemNode::Bucket { .. } => Aabb::EMPTY,
        }
    }

    pub(super) fn below(&self, node: ItemNode) -> ChildNodes {
        let mut below = ChildNodes::none();
        let ItemNode::Cells { level, i, j } = node else {
            return below;
        };
        if level == 0 {
            let cell = j * (self.columns - 1) + i;
            below.push(ItemNode::Part(2 * cell));
            below.push(ItemNode::Part(2 * cell + 1));
            return below;
        }
        let level = level - 1;
        if let Some(finer) = self.levels.get(usize::from(level)) {
            for (di, dj) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let (i, j) = (2 * i + di, 2 * j + dj);
                if i < finer.columns && j < finer.rows {
                    below.push(ItemNode::Cells { level, i, j });
                }
            }
        }
        below
    }
}

/// The pyramid of lowest and highest heights, up to a single square.
fn levels(columns: u32, rows: u32, heights: &[f64]) -> Vec<HeightLevel> {
    let (across, along) = (columns - 1, rows - 1);
    let mut ranges = Vec::with_capacity((across * along) as usize);
    for j in 0..along {
        for i in 0..across {
            let first = (j * columns + i) as usize;
            let below = first + columns as usize;
            let z = [first, first + 1, below, below + 1].map(|v| heights[v]);
            let low = z.into_iter().fold(f64::INFINITY, f64::min);
            let high = z.into_iter().fold(f64::NEG_INFINITY, f64::max);
            ranges.push([low, high]);
        }
    }
    let mut levels = vec![HeightLevel {
        columns: across,
        rows: along,
        ranges,
    }];
    while let Some(finer) = levels.last()
        && finer.ranges.len() > 1
    {
        let (columns, rows) = (finer.columns.div_ceil(2), finer.rows.div_ceil(2));
        let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; (columns * rows) as usize];
        for j in 0..finer.rows {
            for i in 0..finer.columns {
                let [low, high] = finer.ranges[(j * finer.columns + i) as usize];
                let sum = &mut ranges[(j / 2 * columns + i / 2) as usize];
                *sum = [sum[0].min(low), sum[1].max(high)];
            }
        }
        levels.push(HeightLevel {
            columns,
            rows,
            ranges,
        });
    }
    levels
}
