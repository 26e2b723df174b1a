//! Whether two meshes, or the surfaces behind two clouds, probably share a point.

use thiserror::Error;

use super::dispatch::refusal;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::average_case::{
    AverageAnswer, AverageError, AverageOptions, AverageQuery, ContactRegion,
};
#[cfg(feature = "clouds")]
use crate::cloud::{CloudAnswer, CloudCollision, CloudCollisionOptions};
use crate::math::Pose;
use crate::query::Limits;
#[cfg(feature = "clouds")]
use crate::query::Work;

/// Probabilistic intersection of the surfaces of two meshes: a verdict with a confidence, in a time
/// that hardly depends on the number of faces and that [`Limits`] may bound.
///
/// A search stopped by a limit states the confidence that such searches had: *yes* with 0.5 while
/// nothing is known, and never a high one for *no*.
///
/// Two clouds that have a [surface](crate::cloud::CloudShape::with_surface) are queried by
/// [`CloudCollision`](crate::cloud::CloudCollision): points need not coincide.
///
/// Only a *no* can be certain. Surfaces that nearly touch, apart by less than a tenth of the size
/// of a mesh, are often reported as touching, whatever the stated confidence, which is an average
/// over all distances. See [`average`](crate::average_case) for the method and its errors;
/// [`IntersectionQuery`](super::IntersectionQuery) is never wrong.
///
/// ```
/// use impinge::average_case::AverageOptions;
/// use impinge::pair::{ProbabilisticQuery, MeshShape, Shape};
/// use impinge::{Pose, generate, query::{Limits, Outcome}};
/// use std::sync::Arc;
/// let ball = Shape::from(MeshShape::new(Arc::new(generate::icosphere(1.0, 16)?)));
/// let mut query = ProbabilisticQuery::new(&ball, &ball, AverageOptions::default())?;
///
/// let meeting = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
/// assert!(meeting.verdict.answer && meeting.verdict.confidence > 0.9);
/// let apart = query.at(&Pose::from_translation([9.0, 0.0, 0.0])?, Limits::default());
/// assert!(!apart.verdict.answer && apart.verdict.certain);
///
/// // Out of time: the best that is known by then. That the boxes around both overlap says nothing yet.
/// let hurried = Limits { max_tests: Some(1), ..Limits::default() };
/// let cut = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, hurried);
/// assert!(cut.outcome == Outcome::OutOfBudget && cut.verdict.confidence == 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProbabilisticQuery(ProbabilisticEngine);

#[derive(Clone, Debug)]
enum ProbabilisticEngine {
    Meshes(Box<AverageQuery>),
    #[cfg(feature = "clouds")]
    Clouds(Box<CloudCollision>),
}

/// Why a [`ProbabilisticQuery`] is refused.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ProbabilisticError {
    /// Shapes that are neither both meshes nor both clouds with surfaces.
    #[error(transparent)]
    Shapes(#[from] Unsupported),
    /// Options that are invalid.
    #[error(transparent)]
    Options(#[from] AverageError),
}

impl ProbabilisticQuery {
    /// The query of two meshes, or of two clouds with surfaces, which need none of the options.
    /// Trees are built here, unless an earlier query did.
    ///
    /// # Errors
    /// Shapes of other kinds, clouds without a surface, and options that no search can follow.
    ///
    /// ```
    /// use impinge::average_case::AverageOptions;
    /// use impinge::convex::Ball;
    /// use impinge::pair::{ProbabilisticQuery, Shape};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let refused = ProbabilisticQuery::new(&ball, &ball, AverageOptions::default()).unwrap_err();
    /// assert_eq!(refused.to_string(), "intersection of ball and ball: only two meshes, or two clouds with surfaces, can be asked what is likely");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, options: AverageOptions) -> Result<Self, ProbabilisticError> {
        if let (Shape::Mesh(a), Shape::Mesh(b)) = (a, b) {
            let [a, b] = [a, b].map(|mesh| mesh.average().clone());
            let query = AverageQuery::new(a, b, options)?;
            return Ok(Self(ProbabilisticEngine::Meshes(Box::new(query))));
        }
        #[cfg(feature = "clouds")]
        if let (Shape::Cloud(cloud_a), Shape::Cloud(cloud_b)) = (a, b)
            && let (Some(tree_a), Some(tree_b)) = (cloud_a.surface_tree(), cloud_b.surface_tree())
        {
            let how = CloudCollisionOptions::default();
            let collision = CloudCollision::new(tree_a.clone(), tree_b.clone(), how);
            return Ok(Self(ProbabilisticEngine::Clouds(Box::new(collision))));
        }
        Err(refusal(QueryKind::Intersection, a, b, UnsupportedReason::NotMeshes).into())
    }

    /// Whether the placed surfaces probably share a point; when a limit is met first, the best that is known by then.
    ///
    /// Of two clouds one pair of leaves is likely where a meeting was found, and `best` is how likely a meeting is; evaluations of their functions count as tests of faces.
    pub fn at(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> AverageAnswer {
        match &mut self.0 {
            ProbabilisticEngine::Meshes(query) => query.at(a_from_b, limits),
            #[cfg(feature = "clouds")]
            ProbabilisticEngine::Clouds(query) => about_clouds(&query.at(a_from_b, limits)),
        }
    }

    /// Where surfaces are likely to meet, as the last answer found it: up to [`AverageOptions::max_regions`]. None for clouds.
    ///
    /// ```
    /// use impinge::average_case::AverageOptions;
    /// use impinge::pair::{ProbabilisticQuery, MeshShape, Shape};
    /// use impinge::{Pose, generate, query::Limits};
    /// use std::sync::Arc;
    /// let ball = Shape::from(MeshShape::new(Arc::new(generate::icosphere(1.0, 16)?)));
    /// let options = AverageOptions { max_regions: 3, ..AverageOptions::default() };
    /// let mut query = ProbabilisticQuery::new(&ball, &ball, options)?;
    /// let _ = query.at(&Pose::from_translation([1.0, 0.2, 0.1])?, Limits::default());
    /// assert_eq!(query.regions().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn regions(&self) -> &[ContactRegion] {
        match &self.0 {
            ProbabilisticEngine::Meshes(query) => query.regions(),
            #[cfg(feature = "clouds")]
            ProbabilisticEngine::Clouds(_) => &[],
        }
    }
}

#[cfg(feature = "clouds")]
fn about_clouds(found: &CloudAnswer) -> AverageAnswer {
    let verdict = found.verdict;
    AverageAnswer {
        verdict,
        outcome: found.outcome,
        likely_pairs: u32::from(verdict.answer),
        meetings: f64::from(u8::from(verdict.answer)),
        best: if verdict.answer {
            verdict.confidence
        } else {
            1.0 - verdict.confidence
        },
        work: Work {
            volume_tests: found.node_pairs,
            face_tests: found.evaluations,
            updates: 0,
        },
    }
}
