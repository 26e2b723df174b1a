//! The way in which two shapes are asked whether they meet and how far apart they are: one choice for both questions.

use std::sync::Arc;

use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::convex_piece::{ConvexPiece, PieceCache};
use super::dispatch::{Dispatch, dispatch, refusal};
use super::pair_registry::PairFunctions;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::bvh::engines::{MeshEngine, PreparedPair};
use crate::bvh::wide::{WideCache, WideTree};
use crate::convex::HalfSpace;

/// How two shapes are asked by questions `Q`, with functions `F` for kinds of the user's own.
pub(super) enum ShapeDispatch<Q, F: ?Sized> {
    /// Two convex parts.
    One(Box<(ConvexPiece, ConvexPiece, PieceCache)>),
    /// Sets of convex parts.
    Parts(Box<(Composite, Composite, PieceCache)>),
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
                _ => Self::Parts(Box::new((p, q, PieceCache::default()))),
            },
        })
    }
}

impl<Q, F: ?Sized> ShapeDispatch<Q, F> {
    /// Two bounded shapes of which one may lie inside the other without touching its surface.
    pub(super) fn sides(&self) -> Option<(&Composite, &Composite)> {
        match self {
            Self::Parts(pair) => Some((&pair.0, &pair.1)),
            Self::Wide(pair) => Some((&pair.0, &pair.1)),
            Self::Engine(a, b, _) => Some((a, b)),
            _ => None,
        }
    }
}
