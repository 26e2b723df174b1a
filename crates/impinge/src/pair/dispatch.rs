//! Dispatch: which algorithm answers a query of two kinds of shapes.
//!
//! [`Dispatch`] is the choice by kind; [`ShapeDispatch`] adds everything that an intersection or
//! distance query needs; [`pair_method`] returns the algorithm used for two convex shapes.

use std::sync::Arc;

use glam::DVec3;

use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::convex_piece::{ConvexPiece, PieceCache, has_closed_form, radii};
use super::convex_surface::ConvexSurface;
use super::pair_registry::PairFunctions;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::bvh::engines::{MeshEngine, PreparedPair};
use crate::bvh::wide::{WideCache, WideTree};
use crate::convex::{Convex, ConvexClass, ConvexMethod, ConvexQueryKind, HalfSpace, choose_method};
use crate::math::Pose;
use crate::query::{Bounded, FacePair, Outcome, Separation};

/// How two shapes are queried.
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

/// How two shapes are queried by `Q`, with functions `F` for user-defined kinds.
pub(super) enum ShapeDispatch<Q, F: ?Sized> {
    /// Two convex parts.
    One(Box<(ConvexPiece, ConvexPiece, PieceCache)>),
    /// Sets of convex parts.
    Parts(Box<(Composite, Composite, PieceCache)>),
    /// A convex part and a surface, by the surface's default index.
    Surface(Box<ConvexSurface>),
    /// Two surfaces, by their default indexes.
    Wide(Box<(Composite, Composite, [Arc<WideTree>; 2], WideCache)>),
    /// Two surfaces, by the engine of choice.
    Engine(Composite, Composite, Box<dyn PreparedPair>),
    /// A half-space and a bounded shape; whether the half-space is the second.
    Plane(HalfSpace, Box<Composite>, bool),
    Planes(HalfSpace, HalfSpace),
    Compound(Box<CompoundPair<Q>>),
    /// Whether the function wants the shapes swapped.
    Custom(Arc<F>, Box<[Shape; 2]>, bool),
}

impl<Q: MakeQuery, F: ?Sized> ShapeDispatch<Q, F> {
    /// The route for two shapes; `function` picks the one of the user's functions that answers, `accepts` says which engines do.
    pub(super) fn new(
        question: QueryKind,
        a: &Shape,
        b: &Shape,
        config: &PairConfig,
        function: impl FnOnce(PairFunctions) -> Option<Arc<F>>,
        accepts: impl FnOnce(MeshEngine) -> bool,
    ) -> Result<Self, Unsupported> {
        let refuse = |reason| refusal(question, a, b, reason);
        Ok(match dispatch(question, a, b, config)? {
            Dispatch::Compound => Self::Compound(Box::new(CompoundPair::new(a, b, config)?)),
            Dispatch::Custom(functions, swapped) => {
                let function =
                    function(functions).ok_or(refuse(UnsupportedReason::NotRegistered))?;
                Self::Custom(function, Box::new([a.clone(), b.clone()]), swapped)
            }
            Dispatch::Planes(p, q) => Self::Planes(p, q),
            Dispatch::Plane(plane, other, swapped) => Self::Plane(plane, Box::new(other), swapped),
            Dispatch::Parts(Composite::One(p), Composite::One(q)) => {
                Self::One(Box::new((p, q, PieceCache::default())))
            }
            Dispatch::Parts(p, q) => match (p.surface(), q.surface(), config.engine) {
                (Some(mesh_a), Some(mesh_b), Some(engine)) => {
                    if !accepts(engine) {
                        return Err(refuse(UnsupportedReason::Engine));
                    }
                    let pair = engine.prepare(mesh_a.mesh().clone(), mesh_b.mesh().clone());
                    Self::Engine(p, q, pair)
                }
                (Some(mesh_a), Some(mesh_b), None) => {
                    let trees = [mesh_a.wide().clone(), mesh_b.wide().clone()];
                    Self::Wide(Box::new((p, q, trees, WideCache::default())))
                }
                _ => match ConvexSurface::new(&p, &q) {
                    Some(pair) => Self::Surface(Box::new(pair)),
                    None => Self::Parts(Box::new((p, q, PieceCache::default()))),
                },
            },
        })
    }
}

impl<Q, F: ?Sized> ShapeDispatch<Q, F> {
    /// Two bounded shapes of which one may lie inside the other without touching its surface.
    pub(super) fn sides(&self) -> Option<(&Composite, &Composite)> {
        match self {
            Self::Parts(pair) => Some((&pair.0, &pair.1)),
            Self::Surface(pair) => Some((&pair.sides.0, &pair.sides.1)),
            Self::Wide(pair) => Some((&pair.0, &pair.1)),
            Self::Engine(a, b, _) => Some((a, b)),
            _ => None,
        }
    }
}

/// An algorithm for two convex shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PairMethod {
    /// A closed form for the nearest points of points, segments, triangles, or of a point and a box; radii are subtracted.
    ClosedForm,
    /// The fifteen axes of two boxes, the last separating one first.
    SeparatingAxes,
    /// GJK, warm-started when the relative pose changed little. It climbs along edges on polyhedra of many vertices.
    Differences,
    /// The separating plane that the pair keeps while it moves, for polyhedra of many vertices that are queried repeatedly; where there is
    /// none, GJK.
    KeptPlane,
    /// EPA.
    Expansion,
}

/// The algorithm that is tried first. If it is undecided, the next takes over: EPA after a closed
/// form whose cores intersect, an exact decision in integers after SAT and GJK.
///
/// ```
/// use impinge::convex::{Ball, Convex, Cuboid, Cylinder};
/// use impinge::pair::{PairMethod, QueryKind, pair_method};
/// let (ball, cube) = (Convex::from(Ball::new(1.0)?), Convex::from(Cuboid::new([1.0, 1.0, 1.0])?));
/// assert_eq!(pair_method(QueryKind::Distance, &ball, &cube), PairMethod::ClosedForm);
/// assert_eq!(pair_method(QueryKind::Intersection, &cube, &cube), PairMethod::SeparatingAxes);
/// let pillar = Convex::from(Cylinder::new(1.0, 1.0)?);
/// assert_eq!(pair_method(QueryKind::Distance, &pillar, &cube), PairMethod::Differences);
/// assert_eq!(pair_method(QueryKind::Depth, &pillar, &cube), PairMethod::Expansion);
/// # Ok::<(), impinge::convex::ShapeError>(())
/// ```
#[must_use]
#[doc(alias = "dispatch")]
pub fn pair_method(question: QueryKind, a: &Convex, b: &Convex) -> PairMethod {
    let are_boxes = matches!((a, b), (Convex::Cuboid(_), Convex::Cuboid(_)));
    let classes = [a, b].map(ConvexClass::from);
    let choice = choose_method(ConvexQueryKind::Intersection, classes, true);
    let [a, b] = [a, b].map(|shape| ConvexPiece::Convex(shape.clone()));
    let has_form = has_closed_form(&a, &b);
    let is_round = radii(&a, &b) > 0.0;
    match question {
        QueryKind::Intersection if are_boxes => PairMethod::SeparatingAxes,
        QueryKind::Intersection if choice.method == ConvexMethod::KeptPlane => {
            PairMethod::KeptPlane
        }
        QueryKind::Depth | QueryKind::Contact if !(has_form && is_round) => PairMethod::Expansion,
        _ if has_form => PairMethod::ClosedForm,
        _ => PairMethod::Differences,
    }
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

/// The separation of shapes that touch at a point.
pub(super) fn touching_at(point: DVec3) -> Bounded<Separation> {
    Bounded {
        value: Separation {
            distance: 0.0,
            point_a: point,
            point_b: point,
        },
        lower: 0.0,
        upper: 0.0,
        outcome: Outcome::Complete,
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
