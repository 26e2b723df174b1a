//! Why a convex shape was refused.

use glam::DVec3;
use thiserror::Error;

use crate::math::{MAX_COORDINATE, is_valid_point};

/// Why a convex shape was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is not a positive number in range.
    #[error("{what} must be above 0 and at most {MAX_COORDINATE:e}, found {value}")]
    BadSize {
        /// Which size.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A point is not finite or too far out.
    #[error("point {index} is not finite or has a coordinate beyond {MAX_COORDINATE:e}: {point}")]
    BadPoint {
        /// Which of the points.
        index: usize,
        /// What was given.
        point: DVec3,
    },
    /// A hull of no points was requested.
    #[error("a polyhedron needs at least one point")]
    NoPoints,
    /// More points than ids.
    #[error("{count} points are more than a polyhedron can number")]
    TooManyPoints {
        /// How many were given.
        count: usize,
    },
    /// A normal has no direction.
    #[error("normal {normal} has no direction")]
    BadNormal {
        /// What was given.
        normal: DVec3,
    },
}

/// The size, if it is a positive number in range. NaN fails every comparison.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    if value > 0.0 && value <= MAX_COORDINATE {
        Ok(value)
    } else {
        Err(ShapeError::BadSize { what, value })
    }
}

/// The sizes, if all are.
pub(super) fn all_positive(what: &'static str, values: DVec3) -> Result<DVec3, ShapeError> {
    for value in values.to_array() {
        positive(what, value)?;
    }
    Ok(values)
}

/// The points, if all are valid.
pub(super) fn valid<const N: usize>(points: [DVec3; N]) -> Result<[DVec3; N], ShapeError> {
    for (index, &point) in points.iter().enumerate() {
        if !is_valid_point(point) {
            return Err(ShapeError::BadPoint { index, point });
        }
    }
    Ok(points)
}
