//! How far apart two shapes are.

use super::config::PairConfig;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::convex::{Convex, GjkCache, distance};
use crate::math::Pose;
use crate::query::{Bounded, Limits, Separation};

/// How far apart two shapes are.
#[derive(Debug)]
pub struct DistanceQuery {
    a: Convex,
    b: Convex,
    cache: GjkCache,
}

impl DistanceQuery {
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
                question: Question::Distance,
                a: a.kind(),
                b: b.kind(),
                reason: Reason::NotRegistered,
            }),
        }
    }

    /// The distance of the placed shapes.
    pub fn at(&mut self, a_from_b: &Pose, _limits: Limits<'_>) -> Bounded<Option<Separation>> {
        let found = distance(&self.a, &self.b, a_from_b, &mut self.cache);
        Bounded {
            value: Some(found.value),
            lower: found.lower,
            upper: found.upper,
            outcome: found.outcome,
        }
    }
}
