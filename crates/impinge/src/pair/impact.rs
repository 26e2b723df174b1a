//! When two moving shapes first touch.

use super::config::PairConfig;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::convex::{Convex, GjkCache, approach};
use crate::math::Motion;
use crate::query::{Bounded, FaceId, FacePair, Impact, Limits};

/// When two moving shapes first touch.
#[derive(Debug)]
pub struct ImpactQuery {
    a: Convex,
    b: Convex,
    cache: GjkCache,
}

impl ImpactQuery {
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
                question: Question::Impact,
                a: a.kind(),
                b: b.kind(),
                reason: Reason::NotRegistered,
            }),
        }
    }

    /// The first contact of the moving shapes; none when they do not touch within the step.
    pub fn during(
        &mut self,
        a: &Motion,
        b: &Motion,
        _limits: Limits<'_>,
    ) -> Bounded<Option<Impact>> {
        let found = approach(&self.a, &self.b, a, b, 1e-9, &mut self.cache);
        let faces = FacePair {
            a: FaceId::new(0),
            b: FaceId::new(0),
        };
        Bounded {
            value: found.value.map(|hit| Impact {
                time: hit.time,
                point: hit.point,
                normal: hit.normal,
                faces,
            }),
            lower: found.lower,
            upper: found.upper,
            outcome: found.outcome,
        }
    }
}
