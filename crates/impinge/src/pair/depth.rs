//! How deep two shapes are in one another.

use super::config::PairConfig;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::convex::{Convex, Depth, GjkCache, penetration};
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome};

/// How deep two shapes are in one another.
#[derive(Debug)]
pub struct DepthQuery {
    a: Convex,
    b: Convex,
    cache: GjkCache,
}

impl DepthQuery {
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
                question: Question::Depth,
                a: a.kind(),
                b: b.kind(),
                reason: Reason::NotRegistered,
            }),
        }
    }

    /// The depth of the placed shapes; none when they are apart.
    pub fn at(&mut self, a_from_b: &Pose, _limits: Limits<'_>) -> Bounded<Option<Depth>> {
        match penetration(&self.a, &self.b, a_from_b, &mut self.cache) {
            Some(found) => Bounded {
                value: Some(found.value),
                lower: found.lower,
                upper: found.upper,
                outcome: found.outcome,
            },
            None => Bounded {
                value: None,
                lower: 0.0,
                upper: 0.0,
                outcome: Outcome::Complete,
            },
        }
    }
}
