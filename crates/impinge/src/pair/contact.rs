//! Where two shapes touch.

use glam::DVec3;

use super::config::PairConfig;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::convex::{Convex, Feature, GjkCache, distance, penetration};
use crate::math::Pose;
use crate::query::Sink;

/// A point where two shapes touch, or come within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The point on `a`.
    pub point_a: DVec3,
    /// The point on `b`, in the frame of `a`.
    pub point_b: DVec3,
    /// The unit direction from `a` to `b`.
    pub normal: DVec3,
    /// How deep the points are past one another along the normal; negative for a gap.
    pub depth: f64,
    /// The part of `a` that touches.
    pub feature_a: Feature,
    /// The part of `b` that touches.
    pub feature_b: Feature,
    /// The child of `a`, when it is a compound; else 0.
    pub child_a: u32,
    /// The child of `b`, when it is a compound; else 0.
    pub child_b: u32,
    /// The same for the same features: a contact keeps it from frame to frame.
    pub id: u64,
}

/// Where two shapes touch.
#[derive(Debug)]
pub struct ContactQuery {
    a: Convex,
    b: Convex,
    cache: GjkCache,
}

impl ContactQuery {
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
                question: Question::Contact,
                a: a.kind(),
                b: b.kind(),
                reason: Reason::NotRegistered,
            }),
        }
    }

    /// Reports the contact points of the placed shapes: where they overlap, or come within `margin`.
    pub fn at(&mut self, a_from_b: &Pose, margin: f64, sink: &mut dyn Sink<ContactPoint>) {
        let (normal, depth, point_a, point_b) =
            match penetration(&self.a, &self.b, a_from_b, &mut self.cache) {
                Some(found) => (
                    found.value.normal,
                    found.value.depth,
                    found.value.point_a,
                    found.value.point_b,
                ),
                None => {
                    let found = distance(&self.a, &self.b, a_from_b, &mut self.cache).value;
                    let normal = (found.point_b - found.point_a).normalize_or_zero();
                    (normal, -found.distance, found.point_a, found.point_b)
                }
            };
        if -depth <= margin {
            let face = Feature::Face(0);
            let _ = sink.accept(ContactPoint {
                point_a,
                point_b,
                normal,
                depth,
                feature_a: face,
                feature_b: face,
                child_a: 0,
                child_b: 0,
                id: 0,
            });
        }
    }
}
