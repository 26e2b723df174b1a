//! The second surface, in the frame of the first.
//!
//! **Idea.** Far from the second cloud, the plane through its nearest point gives side and distance
//! as well as an evaluation, at the cost of one search in a tree. The function itself is evaluated
//! only where that plane is within a few spacings.

use glam::DVec3;

use crate::cloud::evaluation::{Evaluation, SurfaceSample};
use crate::cloud::kd_tree::distance_sq;
use crate::cloud::{CloudSurface, EvaluationScratch, Neighbour, PointId};
use crate::math::{Pose, is_valid_point};
use crate::query::Limits;

/// Within this many spacings of the plane at the nearest point the function decides: it differs from the plane by noise and curvature only.
const CLEAR: f64 = 2.0;

/// The second surface and where it is.
pub(super) struct SecondSurface<'a> {
    pub(super) surface: &'a CloudSurface,
    pub(super) a_from_b: Pose,
    b_from_a: Pose,
}

/// The result of a lookup of the second surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfaceLook {
    /// Its point nearest to the place.
    pub(super) nearest: PointId,
    /// The distance to that.
    pub(super) distance: f64,
    /// f_b, or the distance from the plane at the nearest point.
    pub(super) value: f64,
    /// The normal, in the frame of `a`.
    pub(super) normal: DVec3,
    /// The spacing at the nearest point.
    pub(super) spacing: f64,
}

/// What looks cost, and what they may.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EvaluationBudget<'l> {
    pub(super) lookups: u64,
    limits: Limits<'l>,
    /// Evaluations before the search.
    start: u64,
    /// Whether a limit was met.
    pub(super) is_spent: bool,
}

impl<'l> EvaluationBudget<'l> {
    /// Nothing yet, of at most what the limits allow; the scratch memory counts how many evaluations there were before.
    pub(super) fn within(limits: Limits<'l>, scratch: &EvaluationScratch) -> Self {
        Self {
            limits,
            start: scratch.evaluations,
            ..Self::default()
        }
    }

    /// Whether more may be spent; once it may not, never again.
    #[inline]
    pub(super) fn may_go_on(&mut self, scratch: &EvaluationScratch) -> bool {
        let spent = scratch.evaluations.saturating_sub(self.start) + self.lookups;
        self.is_spent = self.is_spent || !self.limits.allows(spent) || self.limits.is_stopped();
        !self.is_spent
    }
}

impl<'a> SecondSurface<'a> {
    pub(super) fn new(surface: &'a CloudSurface, a_from_b: &Pose) -> Self {
        Self {
            surface,
            a_from_b: *a_from_b,
            b_from_a: a_from_b.inverse(),
        }
    }

    /// Whether the two sides are distinguished everywhere.
    pub(super) fn is_oriented(&self) -> bool {
        !self.surface.normals.is_empty()
    }

    /// The nearest point to a place of `a`; a hint that is near makes it cheaper, and changes nothing else.
    #[inline]
    fn nearest(&self, x: DVec3, hint: Option<PointId>) -> Option<Neighbour> {
        let graph = &*self.surface.graph;
        match hint {
            Some(point) => {
                let distance_sq = distance_sq(graph.points[point.index()], x);
                Some(graph.tree.nearest_from(x, Neighbour { point, distance_sq }))
            }
            None => graph.tree.nearest(x),
        }
    }

    /// A look from a place in the frame of `a`; none where the function is undefined, and none when a limit was met.
    pub(super) fn look(
        &self,
        place: DVec3,
        hint: Option<PointId>,
        scratch: &mut EvaluationScratch,
        cost: &mut EvaluationBudget<'_>,
    ) -> Option<SurfaceLook> {
        if !cost.may_go_on(scratch) {
            return None;
        }
        let x = self.b_from_a * place;
        if !is_valid_point(x) {
            return None;
        }
        let near = self.nearest(x, hint)?;
        let graph = &*self.surface.graph;
        let spacing = graph.spacing(near.point);
        let normals = &self.surface.normals;
        let normal = normals.get(near.point.index()).copied();
        if let Some(normal) = normal.filter(|&n| n != DVec3::ZERO) {
            let value = normal.dot(graph.points[near.point.index()] - x);
            if value.abs() > CLEAR * spacing {
                cost.lookups += 1;
                return Some(SurfaceLook {
                    nearest: near.point,
                    distance: near.distance(),
                    value,
                    normal: *self.a_from_b.rotation() * normal,
                    spacing,
                });
            }
        }
        let sample = sample(self.surface, x, near.point, scratch)?;
        Some(SurfaceLook {
            nearest: near.point,
            distance: near.distance(),
            value: sample.value,
            normal: *self.a_from_b.rotation() * sample.normal,
            spacing,
        })
    }

    /// f_b at a place in the frame of `a`, and the nearest point; mean and normal are given in that frame too.
    pub(super) fn evaluate(
        &self,
        place: DVec3,
        hint: PointId,
        scratch: &mut EvaluationScratch,
    ) -> Option<(SurfaceSample, PointId)> {
        let x = self.b_from_a * place;
        let (mut sample, nearest) = evaluate_near(self.surface, x, hint, scratch)?;
        sample.normal = *self.a_from_b.rotation() * sample.normal;
        sample.mean = self.a_from_b * sample.mean;
        Some((sample, nearest))
    }
}

/// A surface's function at a place, in its own frame, and the nearest point; the hint is a point that is near.
pub(super) fn evaluate_near(
    surface: &CloudSurface,
    x: DVec3,
    hint: PointId,
    scratch: &mut EvaluationScratch,
) -> Option<(SurfaceSample, PointId)> {
    if !is_valid_point(x) {
        return None;
    }
    let graph = &*surface.graph;
    let known = Neighbour {
        point: hint,
        distance_sq: distance_sq(graph.points[hint.index()], x),
    };
    let near = graph.tree.nearest_from(x, known);
    Some((sample(surface, x, near.point, scratch)?, near.point))
}

#[inline]
fn sample(
    surface: &CloudSurface,
    x: DVec3,
    nearest: PointId,
    scratch: &mut EvaluationScratch,
) -> Option<SurfaceSample> {
    scratch.evaluations += 1;
    match surface.evaluate_from(x, nearest, scratch) {
        Evaluation::Value(sample) => Some(sample),
        Evaluation::Undefined { .. } => None,
    }
}
