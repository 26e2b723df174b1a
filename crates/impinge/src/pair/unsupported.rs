//! Why a query of two shapes is refused.

use std::fmt;

use thiserror::Error;

use super::shape::ShapeKind;

/// The queries of two shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueryKind {
    /// Do they share a point, and where?
    Intersection,
    /// How far apart are they?
    Distance,
    /// How deep are they in one another?
    Depth,
    /// Where do they touch?
    Contact,
    /// When do they first touch?
    Impact,
}

impl QueryKind {
    /// All queries, in the order of the columns of the support matrix.
    pub const ALL: [Self; 5] = [
        Self::Intersection,
        Self::Distance,
        Self::Depth,
        Self::Contact,
        Self::Impact,
    ];

    /// Its name, as in reports.
    ///
    /// ```
    /// assert_eq!(impinge::pair::QueryKind::Depth.name(), "depth");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intersection => "intersection",
            Self::Distance => "distance",
            Self::Depth => "depth",
            Self::Contact => "contact",
            Self::Impact => "impact",
        }
    }
}

impl fmt::Display for QueryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reason for an unsupported query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Error)]
#[non_exhaustive]
pub enum UnsupportedReason {
    /// A mesh with open edges has no inside.
    #[error("the mesh has open edges, so it has no inside")]
    OpenMesh,
    /// A height field is a surface and has no inside.
    #[error("a height field is a surface, so it has no inside")]
    Surface,
    /// Points have no inside, so that two sets of them do not overlap.
    #[error("two clouds are points, so neither has an inside")]
    Points,
    /// Two half-spaces overlap without bound.
    #[error("two half-spaces overlap without bound")]
    Unbounded,
    /// Only of meshes it is known how full their boxes are, and only of clouds with a surface where that is.
    #[error("only two meshes, or two clouds with surfaces, can be asked what is likely")]
    NotMeshes,
    /// There is no registered function for it.
    #[error("no function is registered for these kinds")]
    NotRegistered,
    /// The chosen engine does not answer it exactly.
    #[error("the chosen mesh engine does not answer it")]
    Engine,
}

/// A query that is not supported for two shapes, reported when the query is built.
///
/// ```
/// use impinge::pair::{DepthQuery, HeightField, PairConfig, UnsupportedReason, Shape};
/// use impinge::convex::Ball;
/// let ground = Shape::from(HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 4])?);
/// let ball = Shape::from(Ball::new(1.0)?);
/// let refused = DepthQuery::new(&ground, &ball, &PairConfig::default()).unwrap_err();
/// assert_eq!(refused.reason, UnsupportedReason::Surface);
/// assert_eq!(refused.to_string(), "depth of height field and ball: a height field is a surface, so it has no inside");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{question} of {a} and {b}: {reason}")]
pub struct Unsupported {
    /// The query.
    pub question: QueryKind,
    /// The kind of the first shape.
    pub a: ShapeKind,
    /// The kind of the second shape.
    pub b: ShapeKind,
    /// The reason.
    pub reason: UnsupportedReason,
}
