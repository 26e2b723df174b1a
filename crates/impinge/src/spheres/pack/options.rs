//! Options of a packing.

use thiserror::Error;

use super::prototype_ascent::Ascent;

/// When to stop, and how to search. Packing ends at the first of the given bounds.
///
/// ```
/// use impinge::spheres::PackOptions;
/// let options = PackOptions { count: Some(1000), ..PackOptions::default() };
/// assert_eq!(options.seed, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackOptions {
    /// Stop at this many spheres.
    pub count: Option<usize>,
    /// Stop when this fraction of the volume is filled.
    pub fill: Option<f64>,
    /// Stop when only smaller spheres fit.
    pub min_radius: Option<f64>,
    /// Moves the lattice of prototypes. Each seed gives one packing, whatever the number of threads.
    pub seed: u64,
    /// How prototypes move.
    pub ascent: Ascent,
}

impl Default for PackOptions {
    fn default() -> Self {
        Self {
            count: Some(1000),
            fill: None,
            min_radius: None,
            seed: 0,
            ascent: Ascent::default(),
        }
    }
}

/// Why no packing was made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PackError {
    /// None of the bounds is set: there always is room for a smaller ball.
    #[error(
        "give a number of balls, a part to fill or a smallest radius: a packing has no end of its own"
    )]
    Endless,
    /// A part that is not between 0 and 1.
    #[error("the part to fill must lie above 0 and below 1, not {value}")]
    BadFill {
        /// What was given.
        value: f64,
    },
    /// A radius that is no positive number.
    #[error("the smallest radius must be a positive number, not {value}")]
    BadRadius {
        /// What was given.
        value: f64,
    },
    /// The box around the solid is empty, a point, or not finite.
    #[error("the solid has no size, or is too far from the origin for its size")]
    NoSize,
    /// No ball fits.
    #[error(
        "there is no interior that a ball fits into: the solid is thinner than {thinner_than:e} everywhere"
    )]
    NoInterior {
        /// Balls down to this diameter were looked for.
        thinner_than: f64,
    },
}

impl PackOptions {
    /// Checks that the bounds are valid, and that one of them is set.
    ///
    /// # Errors
    /// [`PackError::BadFill`], [`PackError::BadRadius`], [`PackError::Endless`].
    ///
    /// ```
    /// use impinge::spheres::PackOptions;
    /// assert!(PackOptions::default().check().is_ok());
    /// assert!(PackOptions { count: None, ..PackOptions::default() }.check().is_err());
    /// ```
    pub fn check(&self) -> Result<(), PackError> {
        if let Some(value) = self.fill
            && !(value > 0.0 && value < 1.0)
        {
            return Err(PackError::BadFill { value });
        }
        if let Some(value) = self.min_radius
            && !(value > 0.0 && value.is_finite())
        {
            return Err(PackError::BadRadius { value });
        }
        if self.count.is_none() && self.fill.is_none() && self.min_radius.is_none() {
            return Err(PackError::Endless);
        }
        Ok(())
    }
}

/// Progress of a packing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackProgress {
    /// Balls so far.
    pub count: usize,
    /// The part of the volume that they fill.
    pub fill: f64,
    /// The radius of the last ball.
    pub radius: f64,
}

/// Why a packing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackEnd {
    /// It has the number of balls that was wanted.
    Count,
    /// It fills the part that was wanted.
    Fill,
    /// No larger ball than the smallest wanted fits.
    MinRadius,
    /// The solid is full but for gaps that the search does not resolve.
    Full,
    /// The caller had enough.
    Cancelled,
}

/// Counters of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PackWork {
    /// Levels of cells.
    pub levels: usize,
    /// Cells of all levels.
    pub cells: usize,
    /// Ascents of prototypes, without the exact refinement.
    pub ascents: usize,
    /// Balls found after one that is smaller by more than 0.1 %, which batches do not explain. The packing itself is sorted.
    pub unordered: usize,
    /// Those of them that were found after one smaller by more than 4 %.
    pub late: usize,
}
