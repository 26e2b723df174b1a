//! Why a model was refused, and the checks that say so before anything is allocated.

use thiserror::Error;

use crate::mesh::MeshError;

/// The most faces a generated model may have.
pub const MAX_FACES: u64 = 50_000_000;

/// Why a model was not made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The model would have more than [`MAX_FACES`] faces.
    #[error("{faces} faces are more than the {MAX_FACES} a generated model may have")]
    TooManyFaces {
        /// How many it would have.
        faces: u64,
    },
    /// A count is below what the shape needs.
    #[error("{parameter} is {value}, but must be at least {least}")]
    TooSmall {
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        value: u32,
        /// The least allowed.
        least: u32,
    },
    /// A length is zero, negative or not a number.
    #[error("{parameter} is {value}, but must be positive and finite")]
    NotPositive {
        /// The parameter's name.
        parameter: &'static str,
        /// Its value.
        value: f64,
    },
    /// The parameters do not fit together.
    #[error("{why}")]
    Contradiction {
        /// What does not fit.
        why: &'static str,
    },
    /// The result was refused as a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Refuses the first of several counts that is below the least, each with its name.
pub(super) fn all_at_least<const N: usize>(
    counts: [(&'static str, u32, u32); N],
) -> Result<(), GenerateError> {
    counts
        .into_iter()
        .try_for_each(|(parameter, value, least)| at_least(parameter, value, least))
}

pub(super) fn at_least(
    parameter: &'static str,
    value: u32,
    least: u32,
) -> Result<(), GenerateError> {
    if value < least {
        return Err(GenerateError::TooSmall {
            parameter,
            value,
            least,
        });
    }
    // Every count makes at least that many faces; the bound keeps face formulas from overflowing.
    affordable(value.into())
}

/// A product that stays far enough below overflow for a few of them to be added.
pub(super) fn times<const N: usize>(factors: [u64; N]) -> u64 {
    factors
        .into_iter()
        .fold(1, u64::saturating_mul)
        .min(u64::MAX / 16)
}

pub(super) fn positive(parameter: &'static str, value: f64) -> Result<(), GenerateError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(GenerateError::NotPositive { parameter, value })
    }
}

/// Refuses the first of several lengths that is not positive, each with its name.
pub(super) fn all_positive<const N: usize>(
    lengths: [(&'static str, f64); N],
) -> Result<(), GenerateError> {
    lengths
        .into_iter()
        .try_for_each(|(parameter, value)| positive(parameter, value))
}

pub(super) fn agree(holds: bool, why: &'static str) -> Result<(), GenerateError> {
    if holds {
        Ok(())
    } else {
        Err(GenerateError::Contradiction { why })
    }
}

pub(super) fn affordable(faces: u64) -> Result<(), GenerateError> {
    if faces > MAX_FACES {
        return Err(GenerateError::TooManyFaces { faces });
    }
    Ok(())
}
