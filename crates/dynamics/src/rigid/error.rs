//! Why a world refused something.

use impinge::broad::BroadError;
use impinge::mesh::MassError;
use impinge::pair::{ShapeKind, Unsupported};
use thiserror::Error;

use super::body::BodyId;

/// Why a body, a setting or a step was refused.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RigidError {
    /// A number is NaN, infinite or outside its range.
    #[error("{what} is {value}, which is out of range")]
    OutOfRange {
        /// What the number means.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// No solid fills a shape of this kind, so it has no mass of its own.
    #[error("a {kind} bounds no solid; give its mass properties or make it fixed")]
    NoSolid {
        /// The kind.
        kind: ShapeKind,
    },
    /// A mesh has no mass.
    #[error("the mesh has no mass: {0}")]
    Mesh(#[from] MassError),
    /// The inertia tensor is not physically possible.
    #[error("the inertia tensor is not symmetric and positive definite")]
    Inertia,
    /// There is no such body.
    #[error("there is no body {}", .id.index())]
    NoBody {
        /// The id.
        id: BodyId,
    },
    /// Two shapes have no contact query.
    #[error("bodies {} and {} cannot touch: {reason}", .pair[0].index(), .pair[1].index())]
    Pair {
        /// The bodies.
        pair: [BodyId; 2],
        /// Why.
        reason: Unsupported,
    },
    /// The broad phase refused a body.
    #[error("the bounds of a body were refused: {0}")]
    Bounds(#[from] BroadError),
    /// A body left the range of coordinates.
    #[error("body {} left the range of coordinates", .id.index())]
    Diverged {
        /// The body.
        id: BodyId,
    },
    /// More bodies than can be numbered.
    #[error("a world holds at most {most} bodies")]
    TooMany {
        /// The most.
        most: usize,
    },
}

/// The number, if it is finite and at least `least`.
pub(super) fn at_least(what: &'static str, value: f64, least: f64) -> Result<f64, RigidError> {
    if value.is_finite() && value >= least {
        Ok(value)
    } else {
        Err(RigidError::OutOfRange { what, value })
    }
}
