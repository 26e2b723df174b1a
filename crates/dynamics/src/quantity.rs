//! Numbers that constructors accept.

use thiserror::Error;

/// Why a number was refused.
///
/// ```
/// use impinge_dynamics::{QuantityError, stability::SlewLimiter};
/// let refused = SlewLimiter::new(-1.0);
/// assert!(matches!(refused, Err(QuantityError::NotPositive { what: "force rate", .. })));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// It must be finite and above 0.
    #[error("{what} must be finite and positive, found {value}")]
    NotPositive {
        /// The quantity's name.
        what: &'static str,
        /// The number found.
        value: f64,
    },
    /// It must be finite and not below 0.
    #[error("{what} must be finite and not negative, found {value}")]
    Negative {
        /// The quantity's name.
        what: &'static str,
        /// The number found.
        value: f64,
    },
    /// It must lie in a range.
    #[error("{what} must lie between {least} and {most}, found {value}")]
    OutOfRange {
        /// The quantity's name.
        what: &'static str,
        /// The number found.
        value: f64,
        /// Smallest number allowed.
        least: f64,
        /// Largest number allowed.
        most: f64,
    },
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<f64, QuantityError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(QuantityError::NotPositive { what, value })
    }
}

/// Refuses the first of several numbers that is not positive, each with its name.
pub(crate) fn all_positive<const N: usize>(
    quantities: [(&'static str, f64); N],
) -> Result<[f64; N], QuantityError> {
    for (what, value) in quantities {
        positive(what, value)?;
    }
    Ok(quantities.map(|(_, value)| value))
}

pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<f64, QuantityError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(QuantityError::Negative { what, value })
    }
}

pub(crate) fn between(
    what: &'static str,
    value: f64,
    least: f64,
    most: f64,
) -> Result<f64, QuantityError> {
    // Written so that NaN fails.
    if value >= least && value <= most {
        Ok(value)
    } else {
        Err(QuantityError::OutOfRange {
            what,
            value,
            least,
            most,
        })
    }
}
