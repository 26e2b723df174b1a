//! Chooses the method for two convex shapes, by class, size and motion.
//!
//! **Question.** Which of the methods for convex shapes is cheapest here?
//! **Idea.** A table, by measurement of every method on hulls of 4 to 2048 vertices: in small steps beside each other, in and out of each other,
//! and anywhere. `impinge-bench convex-methods` measures them all beside the choice.
//!
//! | query | shapes | motion | method |
//! |---|---|---|---|
//! | intersection | two boxes | any | [`BoxAxes`](ConvexMethod::BoxAxes) |
//! | intersection | polyhedra, together at least [`KEEP_PLANE_FROM`] vertices | small steps | [`KeptPlane`](ConvexMethod::KeptPlane) |
//! | intersection | all others | any | [`MinkowskiDifference`](ConvexMethod::Differences) |
//! | distance | all | any | [`MinkowskiDifference`](ConvexMethod::Differences) |
//! | depth | all | any | [`Expansion`](ConvexMethod::Expansion) |
//!
//! Separating axes of polyhedra and the walk between features were never cheapest; they remain callable by
//! name ([`polyhedra_intersect`](super::polyhedra_intersect()), [`walk`](super::feature_walk())), and clipped edges in `impinge-study`.
//! For objects that are not convex, [`PieceCost`](super::PieceCost) says whether pieces pay; the Monte-Carlo test of `impinge-study` proves
//! only that solids meet and is never chosen.
//! **Promise.** Every method that is chosen gives the same answer; only the work differs.

use super::polyhedron::Polyhedron;
use super::shape::Convex;

/// From this many vertices on, both hulls together, a kept plane beats differences in small steps.
pub const CACHED_PLANE_FROM: usize = 256;

/// A query about two convex shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConvexQueryKind {
    /// Whether they meet.
    Intersection,
    /// How far apart they are.
    Distance,
    /// How deep they are in each other.
    Depth,
}

/// What a choice depends on in a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConvexClass {
    /// A box.
    Box,
    /// The hull of points, with this many vertices.
    Polyhedron {
        /// How many.
        vertices: usize,
    },
    /// Anything else: round shapes, segments, triangles, those of the user.
    Other,
}

impl From<&Polyhedron> for ConvexClass {
    fn from(shape: &Polyhedron) -> Self {
        Self::Polyhedron {
            vertices: shape.vertices().len(),
        }
    }
}

impl From<&Convex> for ConvexClass {
    fn from(shape: &Convex) -> Self {
        match shape {
            Convex::Cuboid(_) => Self::Box,
            Convex::Polyhedron(shape) => Self::from(&**shape),
            _ => Self::Other,
        }
    }
}

/// A method for two convex shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConvexMethod {
    /// The fifteen axes of two boxes: [`cuboids_intersect`](super::cuboids_intersect()).
    BoxAxes,
    /// The search for the nearest difference: [`intersects`](super::intersects()) and [`distance`](super::distance()).
    Differences,
    /// The plane that a pair keeps: [`CachedPlane`](super::CachedPlane).
    KeptPlane,
    /// The polytope that grows: [`penetration`](super::penetration()).
    Expansion,
}

/// A method and why it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvexChoice {
    /// What answers.
    pub method: ConvexMethod,
    /// Why, in words.
    pub reason: &'static str,
}

/// The cheapest method for a query; `is_coherent` says that the shapes move in small steps between queries.
///
/// ```
/// use impinge::convex::{ConvexClass, ConvexMethod, ConvexQueryKind, CACHED_PLANE_FROM, choose_method};
/// let hull = |vertices| ConvexClass::Polyhedron { vertices };
/// let small = choose_method(ConvexQueryKind::Intersection, [hull(8), hull(8)], true);
/// assert_eq!(small.method, ConvexMethod::Differences);
/// let large = choose_method(ConvexQueryKind::Intersection, [hull(CACHED_PLANE_FROM), hull(8)], true);
/// assert_eq!(large.method, ConvexMethod::KeptPlane);
/// let boxes = choose_method(ConvexQueryKind::Intersection, [ConvexClass::Box; 2], false);
/// assert!(boxes.method == ConvexMethod::BoxAxes && !boxes.reason.is_empty());
/// ```
#[must_use]
pub fn choose_method(
    question: ConvexQueryKind,
    classes: [ConvexClass; 2],
    is_coherent: bool,
) -> ConvexChoice {
    let (method, reason) = match (question, classes) {
        (ConvexQueryKind::Depth, _) => (
            ConvexMethod::Expansion,
            "only the growing polytope tells depths",
        ),
        (ConvexQueryKind::Distance, _) => (
            ConvexMethod::Differences,
            "the search by differences begins where it ended and was never beaten",
        ),
        (ConvexQueryKind::Intersection, [ConvexClass::Box, ConvexClass::Box]) => (
            ConvexMethod::BoxAxes,
            "two boxes have fifteen axes, and most need one",
        ),
        (
            ConvexQueryKind::Intersection,
            [
                ConvexClass::Polyhedron { vertices: m },
                ConvexClass::Polyhedron { vertices: n },
            ],
        ) if is_coherent && m.saturating_add(n) >= CACHED_PLANE_FROM => (
            ConvexMethod::KeptPlane,
            "a kept plane looks at a few vertices where differences look at all",
        ),
        (ConvexQueryKind::Intersection, _) => (
            ConvexMethod::Differences,
            "few vertices are compared all at once, and meeting shapes are proven so by a few",
        ),
    };
    ConvexChoice { method, reason }
}
