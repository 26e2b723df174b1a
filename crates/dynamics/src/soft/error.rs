//! Why a soft body refused something.

use impinge::deform::{FrameError, SceneError};
use thiserror::Error;

/// Why a soft body, or a step of it, was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SoftError {
    /// A number is NaN, infinite or outside its range.
    #[error("{what} is {value}, which is out of range")]
    OutOfRange {
        /// What the number means.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A constraint, face or pin names a particle that is not there, or one twice.
    #[error("{what} {index} does not name different particles of the {particles} there are")]
    BadParticle {
        /// Constraint, face or pin.
        what: &'static str,
        /// Which one.
        index: usize,
        /// How many particles there are.
        particles: usize,
    },
    /// The faces make no scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A frame was refused by the scene.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Faces cross before the first step, so that no step can keep them apart.
    #[error("{pairs} pairs of faces cross each other; start from a state without crossings")]
    Crossing {
        /// The number of crossing pairs.
        pairs: usize,
    },
    /// A particle left the range of coordinates; nothing has moved.
    #[error("the step diverged at particle {particle}")]
    Diverged {
        /// The first such particle.
        particle: usize,
    },
}

/// The number, if it is finite and at least `least`.
pub(super) fn at_least(what: &'static str, value: f64, least: f64) -> Result<f64, SoftError> {
    if value.is_finite() && value >= least {
        Ok(value)
    } else {
        Err(SoftError::OutOfRange { what, value })
    }
}
