//! A surface that is rougher than its mesh.
//!
//! **Idea.** A height map over the surface. Where the height rises along the motion, the force leans back by
//! the slope: tangential force = −|force| · gradient of the height.
//! **Source.** Minsky et al. 1990, *Feeling and seeing: issues in force display*, Sandpaper: force from the gradient of a
//! height field.
//! **Promise.** The tangential force is at most |force| times the steepest slope of the map.

use impinge::DVec3;
use thiserror::Error;

use crate::{QuantityError, quantity};

/// Why a texture was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum TextureError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// The numbers do not fill the grid.
    #[error("a map of {columns} × {rows} needs as many numbers and at least 2 × 2, found {found}")]
    Size {
        /// Along u.
        columns: usize,
        /// Along v.
        rows: usize,
        /// Numbers given.
        found: usize,
    },
    /// A height is NaN or infinite.
    #[error("height {index} is not finite")]
    NotFinite {
        /// Its place.
        index: usize,
    },
    /// A normal points down or sideways.
    #[error("normal {index} of the normal map does not point up")]
    NormalNotUp {
        /// Its place.
        index: usize,
    },
    /// The directions of a texture must not be parallel.
    #[error("the u and v directions of a texture must not be parallel or zero")]
    NoFrame,
}

/// Slopes of a height over a grid that repeats in both directions.
///
/// ```
/// use impinge_dynamics::effect::HeightMap;
/// // Two ridges 10 mm apart, 1 mm high.
/// let map = HeightMap::from_heights(2, 2, 0.005, &[0.0, 0.001, 0.0, 0.001])?;
/// assert!((map.slope(0.0025, 0.0)[0] - 0.2).abs() < 1e-12);
/// assert!((map.max_slope() - 0.2).abs() < 1e-12);
/// // The same from a normal map: one normal per cell.
/// let map = HeightMap::from_normals(2, 2, 0.005, &[[-0.2, 0.0, 1.0]; 4])?;
/// assert!((map.slope(0.001, 0.007)[0] - 0.2).abs() < 1e-12);
/// # Ok::<(), impinge_dynamics::effect::TextureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HeightMap {
    columns: usize,
    rows: usize,
    spacing: f64,
    field: Field,
    max_slope: f64,
}

#[derive(Clone, Debug, PartialEq)]
enum Field {
    /// Bilinear between the grid's points.
    Heights(Vec<f64>),
    /// Constant in each cell.
    Slopes(Vec<[f64; 2]>),
}

fn check_size(columns: usize, rows: usize, found: usize) -> Result<(), TextureError> {
    if columns < 2 || rows < 2 || columns.checked_mul(rows) != Some(found) {
        return Err(TextureError::Size {
            columns,
            rows,
            found,
        });
    }
    Ok(())
}

impl HeightMap {
    /// Heights in metres, row by row, `spacing` metres apart.
    ///
    /// # Errors
    /// [`TextureError`] when the numbers do not fill the grid or one is not finite.
    pub fn from_heights(
        columns: usize,
        rows: usize,
        spacing: f64,
        heights: &[f64],
    ) -> Result<Self, TextureError> {
        check_size(columns, rows, heights.len())?;
        let spacing = quantity::positive("texture spacing", spacing)?;
        if let Some(index) = heights.iter().position(|h| !h.is_finite()) {
            return Err(TextureError::NotFinite { index });
        }
        let mut map = Self {
            columns,
            rows,
            spacing,
            field: Field::Heights(heights.to_vec()),
            max_slope: 0.0,
        };
        // In a cell each part of the gradient is between those of two opposite edges, so the corners of the
        // cell bound its length.
        let corners = (0..columns * rows).flat_map(|cell| {
            let (column, row) = (cell % columns, cell / columns);
            [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
                .map(|(s, t)| map.bilinear_slope(column, row, s, t))
        });
        let steepest = corners.fold(0.0, |m: f64, [u, v]| m.max(libm::hypot(u, v)));
        map.max_slope = steepest;
        Ok(map)
    }

    /// Normals of cells, row by row, `spacing` metres apart. Their third part points out of the surface.
    ///
    /// # Errors
    /// [`TextureError`] when the numbers do not fill the grid, or a normal does not point up.
    pub fn from_normals(
        columns: usize,
        rows: usize,
        spacing: f64,
        normals: &[[f64; 3]],
    ) -> Result<Self, TextureError> {
        check_size(columns, rows, normals.len())?;
        let spacing = quantity::positive("texture spacing", spacing)?;
        let mut slopes = Vec::with_capacity(normals.len());
        let mut max_slope = 0.0_f64;
        for (index, &[u, v, up]) in normals.iter().enumerate() {
            let slope = [-u / up, -v / up];
            // Written so that NaN fails.
            if !(up > 0.0 && slope.iter().all(|s| s.is_finite())) {
                return Err(TextureError::NormalNotUp { index });
            }
            max_slope = max_slope.max(libm::hypot(slope[0], slope[1]));
            slopes.push(slope);
        }
        Ok(Self {
            columns,
            rows,
            spacing,
            field: Field::Slopes(slopes),
            max_slope,
        })
    }

    /// The steepest slope anywhere.
    #[must_use]
    pub fn max_slope(&self) -> f64 {
        self.max_slope
    }

    /// The gradient of the height at a place, in metres along u and v.
    #[must_use]
    pub fn slope(&self, u: f64, v: f64) -> [f64; 2] {
        let (column, s) = cell(u / self.spacing, self.columns);
        let (row, t) = cell(v / self.spacing, self.rows);
        match &self.field {
            Field::Heights(_) => self.bilinear_slope(column, row, s, t),
            Field::Slopes(slopes) => {
                let slope = slopes.get(row * self.columns + column);
                slope.copied().unwrap_or_default()
            }
        }
    }

    fn bilinear_slope(&self, column: usize, row: usize, s: f64, t: f64) -> [f64; 2] {
        let Field::Heights(heights) = &self.field else {
            return [0.0; 2];
        };
        let at = |i: usize, j: usize| {
            let place = (row + j) % self.rows * self.columns + (column + i) % self.columns;
            heights.get(place).copied().unwrap_or_default()
        };
        let along_u = (at(1, 0) - at(0, 0)) * (1.0 - t) + (at(1, 1) - at(0, 1)) * t;
        let along_v = (at(0, 1) - at(0, 0)) * (1.0 - s) + (at(1, 1) - at(1, 0)) * s;
        [along_u / self.spacing, along_v / self.spacing]
    }
}

/// The cell of a coordinate on a periodic grid, and the position in the cell from 0 to 1.
fn cell(coordinate: f64, count: usize) -> (usize, f64) {
    let turns = coordinate / count as f64;
    let within = (turns - turns.floor()) * count as f64;
    if !within.is_finite() {
        return (0, 0.0);
    }
    let whole = within.floor();
    ((whole as usize).min(count - 1), within - whole)
}

/// A height map laid on a plane.
///
/// ```
/// use impinge::DVec3;
/// use impinge_dynamics::effect::{HeightMap, Texture};
/// let ridges = HeightMap::from_heights(2, 2, 0.005, &[0.0, 0.001, 0.0, 0.001])?;
/// let texture = Texture::new(ridges, [0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0])?;
/// let force = texture.apply(DVec3::new(0.001, 0.0, 0.0), DVec3::Y * 2.0);
/// // Uphill along x: the force leans back.
/// assert!((force - DVec3::new(-0.4, 2.0, 0.0)).length() < 1e-12);
/// # Ok::<(), impinge_dynamics::effect::TextureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    map: HeightMap,
    origin: DVec3,
    u: DVec3,
    v: DVec3,
}

impl Texture {
    /// The map with its corner at `origin` and its axes along `u` and `v`, which are made orthonormal.
    ///
    /// # Errors
    /// [`TextureError`] when the directions are parallel or not finite.
    pub fn new(
        map: HeightMap,
        origin: impl Into<DVec3>,
        u: impl Into<DVec3>,
        v: impl Into<DVec3>,
    ) -> Result<Self, TextureError> {
        let origin = origin.into();
        quantity::not_negative("magnitude of the texture's origin", origin.length())?;
        let u = u.into().try_normalize().ok_or(TextureError::NoFrame)?;
        let v = v.into().try_normalize().ok_or(TextureError::NoFrame)?;
        let v = (v - u * u.dot(v))
            .try_normalize()
            .filter(|_| u.cross(v).length() > 1e-9)
            .ok_or(TextureError::NoFrame)?;
        Ok(Self { map, origin, u, v })
    }

    /// The contact force at a point of the surface, leaning as the texture does.
    #[must_use]
    pub fn apply(&self, point: DVec3, force: DVec3) -> DVec3 {
        let place = point - self.origin;
        let [along_u, along_v] = self.map.slope(self.u.dot(place), self.v.dot(place));
        force - (self.u * along_u + self.v * along_v) * force.length()
    }
}
