//! Thinning: fewer points, with a bound on the error.
//!
//! Space is divided into cubes aligned to the origin, so that a point is in the same cube in every
//! frame, and the first point of each cube stays. Every dropped point then has a remaining one
//! within the cube's diagonal; the largest such distance is measured and returned as the *error*.
//! If the distance from the remaining points is `d`, that from all points lies in `[d - error, d]`.

use glam::DVec3;
use thiserror::Error;

use super::morton_grid::MortonGrid;
use super::morton_sort::{KeyFilter, KeyRange, MortonSort, id_of};
use super::scan_frame::ScanFrame;

/// A size of cubes that is not a positive number.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("the size of cells must be a positive number, not {value}")]
pub struct CubeSizeError {
    /// What was given.
    pub value: f64,
}

pub(super) fn checked(cell: f64) -> Result<f64, CubeSizeError> {
    if cell >= f64::MIN_POSITIVE && cell.is_finite() {
        Ok(cell)
    } else {
        Err(CubeSizeError { value: cell })
    }
}

/// Result of thinning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thinning {
    /// Remaining points.
    pub kept: usize,
    /// Dropped points.
    pub dropped: usize,
    /// Every dropped point has a remaining one within this distance.
    pub error: f64,
    /// The size of the cubes; 0 when there were none because all points stay.
    pub cell: f64,
}

impl Thinning {
    /// What was measured when points were dropped.
    pub(super) fn of(parts: &[KeyRange], total: usize, cell: f64) -> Self {
        let kept = parts.iter().map(|part| part.kept).sum();
        let error_sq = parts.iter().fold(0.0_f64, |m, part| m.max(part.error_sq));
        Self {
            cell,
            kept,
            dropped: total - kept,
            // Squares, their sum and the root are rounded by less than this; squares of tiny ways may vanish.
            error: if kept == total {
                0.0
            } else {
                error_sq.sqrt() * (1.0 + 1e-15) + 1e-150
            },
        }
    }

    /// When all points stay.
    pub(super) fn nothing(total: usize) -> Self {
        Self {
            kept: total,
            dropped: 0,
            error: 0.0,
            cell: 0.0,
        }
    }

    /// Bounds on the distance from all points, given the `distance` from the remaining ones.
    ///
    /// ```
    /// let thinned = impinge::scan::Thinning { kept: 1, dropped: 9, error: 0.25, cell: 0.2 };
    /// assert_eq!(thinned.bracket(1.0), (0.75, 1.0));
    /// ```
    #[must_use]
    pub fn bracket(&self, distance: f64) -> (f64, f64) {
        let lower = distance - self.error;
        // One unit of rounding, unless nothing was subtracted.
        let lower = if self.error > 0.0 && lower + self.error != distance {
            lower.next_down()
        } else {
            lower
        };
        (lower, distance)
    }
}

/// Thins lists of points, in memory that it keeps.
///
/// ```
/// use impinge::{DVec3, scan::{ScanFrame, Thinner}};
/// let points = [DVec3::X, DVec3::ZERO, DVec3::splat(0.01)];
/// let mut few = Vec::new();
/// let thinned = Thinner::default().thin(&ScanFrame::new(&points)?, 0.1, &mut few)?;
/// assert_eq!((few, thinned.dropped), (vec![DVec3::X, DVec3::ZERO], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Thinner {
    order: MortonSort,
    stays: Vec<bool>,
}

impl Thinner {
    /// Writes the first point of each cube to `out`, in the order of the frame.
    ///
    /// # Errors
    /// [`CubeSizeError`] when the size is not a positive number.
    pub fn thin(
        &mut self,
        frame: &ScanFrame<'_>,
        cell: f64,
        out: &mut Vec<DVec3>,
    ) -> Result<Thinning, CubeSizeError> {
        let lattice = MortonGrid::of_cubes(&frame.bounds(), checked(cell)?);
        let points = frame.points();
        self.order
            .deal(&points, &mut [], lattice.code_bits(), &|p| {
                (lattice.code(p), 0)
            });
        self.order.sort(KeyFilter::All);
        self.order.drop_crowded(points, &lattice);
        self.stays.clear();
        self.stays.resize(points.len(), false);
        for &key in self.order.kept().flatten() {
            self.stays[id_of(key)] = true;
        }
        out.clear();
        let stays = points.iter().zip(&self.stays).filter(|(_, stays)| **stays);
        out.extend(stays.map(|(&p, _)| p));
        Ok(Thinning::of(self.order.parts(), points.len(), cell))
    }
}
