//! When two meshes really meet first on a motion, by looking at many instants exactly.

use std::sync::Arc;

use impinge::bvh::MeshIndex;
use impinge::bvh::wide::{WideCache, WideTree};
use impinge::math::Motion;
use impinge::query::Limits;
use impinge::{DVec3, Pose, TriMesh};

use crate::ground_truth::AnswerVerdict;
use crate::runner::SentMotion;

/// Instants along a motion at which is looked.
const SAMPLES: usize = 256;
/// Halvings that bring a time with contact nearer to the first.
const HALVINGS: usize = 30;
/// Later than the truth by more than this is a miss; ours aims at brackets of 1e-9.
const OUR_ERROR: f64 = 4e-9;
/// The same for a peer, whose times are approximate.
const PEER_ERROR: f64 = 1e-3;
/// A time of impact at which the gap is wider than this part of A's diagonal is none.
const GAP: f64 = 1e-2;

/// The judge of times of impact of one pair of meshes.
pub(crate) struct MotionTruth {
    a: WideTree,
    b: WideTree,
    cache: WideCache,
}

impl MotionTruth {
    pub(crate) fn new(a: &TriMesh, b: &TriMesh) -> Self {
        Self {
            a: WideTree::new(Arc::new(a.clone())),
            b: WideTree::new(Arc::new(b.clone())),
            cache: WideCache::default(),
        }
    }

    fn hits(&mut self, motion: &Motion, t: f64) -> bool {
        self.a.intersects(&self.b, &motion.at(t), &mut self.cache)
    }

    /// The first of many times at which the meshes intersect, infinite if at none of them.
    pub(crate) fn first_hit(&mut self, motion: &Motion) -> f64 {
        for k in 0..=SAMPLES {
            let t = k as f64 / SAMPLES as f64;
            if !self.hits(motion, t) {
                continue;
            }
            // The time at hand is certain; bisection only brings it nearer to the first contact.
            let (mut before, mut after) = ((t - 1.0 / SAMPLES as f64).max(0.0), t);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (before + after);
                if self.hits(motion, middle) {
                    after = middle;
                } else {
                    before = middle;
                }
            }
            return after;
        }
        f64::INFINITY
    }

    /// Judges an answer: never later than the truth, and near contact where it says so.
    pub(crate) fn judge(&mut self, motion: &Motion, answer: f64, is_ours: bool) -> AnswerVerdict {
        let late = if is_ours { OUR_ERROR } else { PEER_ERROR };
        // A contact that lasts less than the distance of two samples may escape us, but not the answer.
        if answer > self.first_hit(motion) + late {
            return AnswerVerdict::Wrong;
        }
        if answer.is_infinite() || self.hits(motion, answer.clamp(0.0, 1.0)) {
            return AnswerVerdict::Right;
        }
        let near = GAP * self.a.mesh().bounds().diagonal().length();
        let pose = motion.at(answer.clamp(0.0, 1.0));
        let gap = self
            .a
            .distance(&self.b, &pose, Limits::default(), &mut self.cache)
            .value
            .map_or(f64::INFINITY, |s| s.distance);
        let allowed = if is_ours { 1e-6 * near } else { near };
        if gap <= allowed {
            AnswerVerdict::Right
        } else {
            AnswerVerdict::Wrong
        }
    }
}

/// The motion that was sent.
pub(crate) fn motion_of(start: &Pose, sent: &SentMotion) -> anyhow::Result<Motion> {
    let center = start.inverse().transform_point(DVec3::from(sent.center));
    Ok(Motion::from_velocity(
        start,
        sent.velocity,
        sent.turn,
        center,
    )?)
}
