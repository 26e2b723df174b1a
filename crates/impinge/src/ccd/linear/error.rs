//! Why a moving point is refused.

use thiserror::Error;

/// Why a point cannot move.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LinearError {
    /// A coordinate is not finite or larger than [`MAX_COORDINATE`](crate::math::MAX_COORDINATE).
    #[error(
        "coordinate {axis} of the {moment} is {value}, which is not a number of magnitude at most 2^150"
    )]
    Coordinate {
        /// `x`, `y` or `z`.
        axis: char,
        /// `start` or `end`.
        moment: &'static str,
        /// What was given.
        value: f64,
    },
}
