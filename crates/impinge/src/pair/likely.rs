//! Whether two meshes probably share a point, when there is little time.

use thiserror::Error;

use super::plan::refusal;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::average::{AverageAnswer, AverageError, AverageOptions, AverageQuery, ContactRegion};
use crate::math::Pose;
use crate::query::Limits;

/// Whether the surfaces of two meshes probably share a point: a verdict with a confidence, in a time that hardly depends on how many faces
/// they have and that [`Limits`] may cut short at any moment.
///
/// Only a *no* can be certain. See [`average`](crate::average) for how it comes about and how often it errs; [`IntersectionQuery`](super::IntersectionQuery)
/// is never wrong.
///
/// ```
/// use impinge::average::AverageOptions;
/// use impinge::pair::{LikelyQuery, MeshShape, Shape};
/// use impinge::{Pose, generate, query::{Limits, Outcome}};
/// use std::sync::Arc;
/// let ball = Shape::from(MeshShape::new(Arc::new(generate::icosphere(1.0, 16)?)));
/// let mut query = LikelyQuery::new(&ball, &ball, AverageOptions::default())?;
///
/// let meeting = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
/// assert!(meeting.verdict.answer && meeting.verdict.confidence > 0.9);
/// let apart = query.at(&Pose::from_translation([9.0, 0.0, 0.0])?, Limits::default());
/// assert!(!apart.verdict.answer && apart.verdict.certain);
///
/// // Out of time: the best that is known by then.
/// let hurried = Limits { max_tests: Some(2), ..Limits::default() };
/// let cut = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, hurried);
/// assert!(cut.outcome == Outcome::OutOfBudget && !cut.verdict.certain);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct LikelyQuery(AverageQuery);

/// Why a [`LikelyQuery`] is refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LikelyError {
    /// Shapes that are not both meshes.
    #[error(transparent)]
    Shapes(#[from] Unsupported),
    /// Options that make no sense.
    #[error(transparent)]
    Options(#[from] AverageError),
}

impl LikelyQuery {
    /// The question about two meshes. Their trees are built here, unless an earlier question did.
    ///
    /// # Errors
    /// Shapes of other kinds, and options that no search can follow.
    ///
    /// ```
    /// use impinge::average::AverageOptions;
    /// use impinge::convex::Ball;
    /// use impinge::pair::{LikelyQuery, Shape};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let refused = LikelyQuery::new(&ball, &ball, AverageOptions::default()).unwrap_err();
    /// assert_eq!(refused.to_string(), "intersection of ball and ball: only two meshes can be asked what is likely");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, options: AverageOptions) -> Result<Self, LikelyError> {
        let (Shape::Mesh(mesh_a), Shape::Mesh(mesh_b)) = (a, b) else {
            return Err(refusal(Question::Intersection, a, b, Reason::NotMeshes).into());
        };
        let [a, b] = [mesh_a, mesh_b].map(|mesh| mesh.average().clone());
        Ok(Self(AverageQuery::new(a, b, options)?))
    }

    /// Whether the placed surfaces probably share a point; when a limit is met first, the best that is known by then.
    pub fn at(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> AverageAnswer {
        self.0.at(a_from_b, limits)
    }

    /// Where surfaces are likely to meet, as the last answer found it: up to [`AverageOptions::max_regions`].
    ///
    /// ```
    /// use impinge::average::AverageOptions;
    /// use impinge::pair::{LikelyQuery, MeshShape, Shape};
    /// use impinge::{Pose, generate, query::Limits};
    /// use std::sync::Arc;
    /// let ball = Shape::from(MeshShape::new(Arc::new(generate::icosphere(1.0, 16)?)));
    /// let options = AverageOptions { max_regions: 3, ..AverageOptions::default() };
    /// let mut query = LikelyQuery::new(&ball, &ball, options)?;
    /// let _ = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
    /// assert_eq!(query.regions().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn regions(&self) -> &[ContactRegion] {
        self.0.regions()
    }
}
