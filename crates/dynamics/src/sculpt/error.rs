//! Why sculpting refused something.

use impinge::generate::GenerateError;
use impinge::{MeshError, PoseError};
use thiserror::Error;

use crate::QuantityError;

/// Why clay, a tool or an option was refused.
///
/// ```
/// use impinge::TriMesh;
/// use impinge_dynamics::sculpt::{Clay, SculptError};
/// assert!(matches!(Clay::new(&TriMesh::default()), Err(SculptError::NotSolid)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SculptError {
    /// A number is out of range.
    #[error(transparent)]
    Quantity(#[from] QuantityError),
    /// A model could not be made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A mesh could not be made.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A pose could not be made.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// The clay has no inside.
    #[error("the clay must be a closed manifold mesh with faces")]
    NotSolid,
    /// The clay's faces look inwards.
    #[error("the clay's faces look inwards: its volume is {volume}")]
    InsideOut {
        /// The signed volume.
        volume: f64,
    },
    /// The guard needs clay that does not intersect itself.
    #[error("the clay intersects itself before the first stroke, so no stroke could be allowed")]
    SelfIntersecting,
    /// A tool without parts, or a part without faces.
    #[error("the tool has no part with faces")]
    NoTool,
    /// A pot has a range of sizes.
    #[error("a pot has 10 to 10000 polygons, not {polygons}")]
    Polygons {
        /// The number requested.
        polygons: usize,
    },
}
