//! Why a soft body refused something.

use thiserror::Error;

/// Why a soft body, or a step of it, was refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SphereSpringError {
    /// A number is NaN, infinite or outside its range.
    #[error("{what} is {value}, which is out of range")]
    OutOfRange {
        /// What the number means.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// A spring or anchor names a sphere that is not there, or the same one twice.
    #[error("{what} {index} joins spheres that are not two of the {spheres} there are")]
    BadEnds {
        /// Spring or anchor.
        what: &'static str,
        /// Which one.
        index: usize,
        /// How many spheres there are.
        spheres: usize,
    },
    /// Two springs join the same spheres.
    #[error("spheres {} and {} are joined by two springs", .ends[0], .ends[1])]
    Twice {
        /// The spheres.
        ends: [u32; 2],
    },
    /// More spheres or springs than can be numbered.
    #[error("at most {most} spheres and springs can be numbered")]
    TooMany {
        /// The most.
        most: usize,
    },
    /// The springs are too stiff for the step: positions are no longer finite.
    #[error("the step diverged at sphere {sphere}; take a shorter one or softer springs")]
    Diverged {
        /// The first such sphere.
        sphere: usize,
    },
}

/// The number, if it is finite and at least `least`.
pub(super) fn at_least(
    what: &'static str,
    value: f64,
    least: f64,
) -> Result<f64, SphereSpringError> {
    if value.is_finite() && value >= least {
        Ok(value)
    } else {
        Err(SphereSpringError::OutOfRange { what, value })
    }
}
