//! Which way two shapes are asked about: the dispatch that all questions share.

use super::composite::Composite;
use super::config::PairConfig;
use super::pair_registry::PairFunctions;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::convex::HalfSpace;
use crate::math::Pose;
use crate::query::{Bounded, FacePair, Separation};

/// How two shapes are asked about.
pub(super) enum Dispatch {
    /// At least one is a compound.
    Compound,
    /// At least one is of the user's own kind; whether the functions want them swapped.
    Custom(PairFunctions, bool),
    /// Two half-spaces.
    Planes(HalfSpace, HalfSpace),
    /// A half-space and a bounded shape; whether the half-space is the second.
    Plane(HalfSpace, Composite, bool),
    /// Two bounded shapes.
    Parts(Composite, Composite),
}

/// The plan for two shapes.
pub(super) fn dispatch(
    question: QueryKind,
    a: &Shape,
    b: &Shape,
    config: &PairConfig,
) -> Result<Dispatch, Unsupported> {
    if let (Shape::Compound(_), _) | (_, Shape::Compound(_)) = (a, b) {
        return Ok(Dispatch::Compound);
    }
    if config.solid
        && matches!(
            question,
            QueryKind::Intersection | QueryKind::Distance | QueryKind::Impact
        )
        && [a, b].into_iter().any(is_open)
    {
        return Err(refusal(question, a, b, UnsupportedReason::OpenMesh));
    }
    if let (Shape::Custom(_), _) | (_, Shape::Custom(_)) = (a, b)
        && let Some(registry) = &config.registry
        && let Some((functions, swapped)) = registry.find(a, b)
        && functions.answer(question)
    {
        return Ok(Dispatch::Custom(functions, swapped));
    }
    if let (Shape::HalfSpace(p), Shape::HalfSpace(q)) = (a, b) {
        return Ok(Dispatch::Planes(*p, *q));
    }
    match (a, b, Composite::of(a), Composite::of(b)) {
        (_, _, Some(a), Some(b)) => Ok(Dispatch::Parts(a, b)),
        (Shape::HalfSpace(plane), _, _, Some(other)) => Ok(Dispatch::Plane(*plane, other, false)),
        (_, Shape::HalfSpace(plane), Some(other), _) => Ok(Dispatch::Plane(*plane, other, true)),
        _ => Err(refusal(question, a, b, UnsupportedReason::NotRegistered)),
    }
}

pub(super) fn refusal(
    question: QueryKind,
    a: &Shape,
    b: &Shape,
    reason: UnsupportedReason,
) -> Unsupported {
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
