//! Chooses the method for two convex shapes, by class, size and motion.
//!
//! The choice follows a table, from measurements of every method on hulls of 4 to 2048 vertices:
//! moving in small steps while disjoint, moving in and out of contact, and at random poses.
//! `impinge-bench convex-methods` measures all of them. `docs/algorithms/convex-choice.md`.
//!
//! | query | shapes | motion | method |
//! |---|---|---|---|
//! | intersection | two boxes | any | [SAT](ConvexMethod::BoxAxes) |
//! | intersection | polyhedra, together at least [`CACHED_PLANE_FROM`] vertices | small steps | [cached plane](ConvexMethod::KeptPlane) |
//! | intersection | all others | any | [GJK](ConvexMethod::Differences) |
//! | distance | all | any | [GJK](ConvexMethod::Differences) |
//! | depth | all | any | [EPA](ConvexMethod::Expansion) |
//!
//! SAT of polyhedra and the feature walk were never cheapest; they can be called directly
//! ([`polyhedra_intersect`](super::polyhedra_intersect()), [`feature_walk`](super::feature_walk())).
//! For objects that are not convex, [`PieceCost`](super::PieceCost) says whether convex pieces pay.
//! Every chosen method gives the same answer; only the work differs.

use super::polyhedron::Polyhedron;
use super::shape::Convex;

/// From this many vertices of both hulls on, a cached plane is faster than GJK in small steps.
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

/// The properties of a shape that the choice depends on.
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
    /// SAT, the fifteen axes of two boxes: [`cuboids_intersect`](super::cuboids_intersect()).
    BoxAxes,
    /// GJK, warm-started: [`intersects`](super::intersects()) and [`distance`](super::distance()).
    Differences,
    /// A separating plane cached from the last query: [`CachedPlane`](super::CachedPlane).
    KeptPlane,
    /// EPA: [`penetration`](super::penetration()).
    Expansion,
}

/// A method and the reason for its choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvexChoice {
    /// The method.
    pub method: ConvexMethod,
    /// The reason, in words.
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
        (ConvexQueryKind::Depth, _) => (ConvexMethod::Expansion, "only EPA returns a depth"),
        (ConvexQueryKind::Distance, _) => (
            ConvexMethod::Differences,
            "GJK starts from its last simplex and was the fastest in every measurement",
        ),
        (ConvexQueryKind::Intersection, [ConvexClass::Box, ConvexClass::Box]) => (
            ConvexMethod::BoxAxes,
            "SAT: two boxes have fifteen axes, and the first one tried mostly separates them",
        ),
        (
            ConvexQueryKind::Intersection,
            [
                ConvexClass::Polyhedron { vertices: m },
                ConvexClass::Polyhedron { vertices: n },
            ],
        ) if is_coherent && m.saturating_add(n) >= CACHED_PLANE_FROM => (
            ConvexMethod::KeptPlane,
            "a cached plane visits a few vertices where GJK visits all",
        ),
        (ConvexQueryKind::Intersection, _) => (
            ConvexMethod::Differences,
            "GJK: few vertices are compared at once, and few steps prove an intersection",
        ),
    };
    ConvexChoice { method, reason }
}
