//! Which way two shapes are asked about: the dispatch that all questions share.

use super::config::PairConfig;
use super::parts::Parts;
use super::registry::PairFunctions;
use super::shape::Shape;
use super::unsupported::{Question, Reason, Unsupported};
use crate::convex::HalfSpace;
use crate::math::Pose;
use crate::query::{Bounded, FacePair, Separation};

/// How two shapes are asked about.
pub(super) enum Plan {
    /// At least one is a compound.
    Compound,
    /// At least one is of the user's own kind; whether the functions want them swapped.
    Custom(PairFunctions, bool),
    /// Two half-spaces.
    Planes(HalfSpace, HalfSpace),
    /// A half-space and a bounded shape; whether the half-space is the second.
    Plane(HalfSpace, Parts, bool),
    /// Two bounded shapes.
    Parts(Parts, Parts),
}

/// The plan for two shapes.
pub(super) fn plan(
    question: Question,
    a: &Shape,
    b: &Shape,
    config: &PairConfig,
) -> Result<Plan, Unsupported> {
    if let (Shape::Compound(_), _) | (_, Shape::Compound(_)) = (a, b) {
        return Ok(Plan::Compound);
    }
    if config.solid
        && matches!(
            question,
            Question::Intersection | Question::Distance | Question::Impact
        )
        && [a, b].into_iter().any(is_open)
    {
        return Err(refusal(question, a, b, Reason::OpenMesh));
    }
    if let (Shape::Custom(_), _) | (_, Shape::Custom(_)) = (a, b)
        && let Some(registry) = &config.registry
        && let Some((functions, swapped)) = registry.find(a, b)
        && functions.answer(question)
    {
        return Ok(Plan::Custom(functions, swapped));
    }
    if let (Shape::HalfSpace(p), Shape::HalfSpace(q)) = (a, b) {
        return Ok(Plan::Planes(*p, *q));
    }
    match (a, b, Parts::of(a), Parts::of(b)) {
        (_, _, Some(a), Some(b)) => Ok(Plan::Parts(a, b)),
        (Shape::HalfSpace(plane), _, _, Some(other)) => Ok(Plan::Plane(*plane, other, false)),
        (_, Shape::HalfSpace(plane), Some(other), _) => Ok(Plan::Plane(*plane, other, true)),
        _ => Err(refusal(question, a, b, Reason::NotRegistered)),
    }
}

pub(super) fn refusal(question: Question, a: &Shape, b: &Shape, reason: Reason) -> Unsupported {
    Unsupported {
        question,
        a: a.kind(),
        b: b.kind(),
        reason,
    }
}

fn is_open(shape: &Shape) -> bool {
    matches!(shape, Shape::Mesh(mesh) if !mesh.is_closed())
}

/// An answer about `b` and `a`, in the frame of `b`, as one about `a` and `b`.
pub(super) fn swap_separation(found: Separation, a_from_b: &Pose) -> Separation {
    Separation {
        distance: found.distance,
        point_a: *a_from_b * found.point_b,
        point_b: *a_from_b * found.point_a,
    }
}

pub(super) fn swap_pair(pair: FacePair) -> FacePair {
    FacePair {
        a: pair.b,
        b: pair.a,
    }
}

/// The same bounds around another value.
pub(super) fn map_bounded<T, U>(found: Bounded<T>, map: impl FnOnce(T) -> U) -> Bounded<U> {
    Bounded {
        value: map(found.value),
        lower: found.lower,
        upper: found.upper,
        outcome: found.outcome,
    }
}
