//! Which algorithm two convex shapes are asked with.

use super::convex_piece::{ConvexPiece, has_closed_form, radii};
use super::unsupported::QueryKind;
use crate::convex::{Convex, ConvexClass, ConvexMethod, ConvexQueryKind, choose_method};

/// An algorithm for two convex shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PairMethod {
    /// A closed form for the nearest points of points, segments, triangles, or of a point and a box; radii are subtracted.
    ClosedForm,
    /// The fifteen axes of two boxes, the last separating one first.
    SeparatingAxes,
    /// The search for the nearest difference, from where it ended last unless the shapes stand elsewhere now. It climbs along edges on polyhedra of many vertices.
    Differences,
    /// The plane that the pair keeps while it moves, for polyhedra of many vertices that are asked again and again; where there is none, the
    /// search by differences.
    KeptPlane,
    /// The polytope that grows in the difference body.
    Expansion,
}

/// The algorithm that answers first; where it leaves something open, the next takes over: a closed form whose cores meet the expansion,
/// axes and differences an exact decision in integers.
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
