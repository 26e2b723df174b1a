//! Whether two shapes share a point, and which faces do.

use super::config::PairConfig;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::convex::{Convex, GjkCache, intersects};
use crate::math::Pose;
use crate::query::{FaceId, FacePair, Limits, Outcome, Sink};

/// Whether two shapes share a point, and which faces do; touching counts.
#[derive(Debug)]
pub struct IntersectionQuery {
    a: Convex,
    b: Convex,
    cache: GjkCache,
}

impl IntersectionQuery {
    /// The question about two shapes.
    ///
    /// # Errors
    /// [`Unsupported`] when it has no answer.
    pub fn new(a: &Shape, b: &Shape, _config: &PairConfig) -> Result<Self, Unsupported> {
        match (a.convex(), b.convex()) {
            (Some(a), Some(b)) => Ok(Self {
                a,
                b,
                cache: GjkCache::new(),
            }),
            _ => Err(Unsupported {
                question: Question::Intersection,
                a: a.kind(),
                b: b.kind(),
                reason: Reason::NotRegistered,
            }),
        }
    }

    /// Whether the placed shapes share a point.
    pub fn any(&mut self, a_from_b: &Pose) -> bool {
        intersects(&self.a, &self.b, a_from_b, &mut self.cache)
    }

    /// Reports every pair of faces that share a point.
    pub fn all(
        &mut self,
        a_from_b: &Pose,
        _limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        if self.any(a_from_b)
            && sink
                .accept(FacePair {
                    a: FaceId::new(0),
                    b: FaceId::new(0),
                })
                .is_break()
        {
            return Outcome::StoppedBySink;
        }
        Outcome::Complete
    }
}
