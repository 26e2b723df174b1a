//! Which algorithm two convex shapes are asked with.

use super::part::{Part, has_closed_form, radii};
use super::unsupported::Question;
use crate::convex::{Convex, ConvexClass, ConvexMethod, ConvexQuestion, choose};

/// An algorithm for two convex shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
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
/// use impinge::pair::{Method, Question, method};
/// let (ball, cube) = (Convex::from(Ball::new(1.0)?), Convex::from(Cuboid::new([1.0, 1.0, 1.0])?));
/// assert_eq!(method(Question::Distance, &ball, &cube), Method::ClosedForm);
/// assert_eq!(method(Question::Intersection, &cube, &cube), Method::SeparatingAxes);
/// let pillar = Convex::from(Cylinder::new(1.0, 1.0)?);
/// assert_eq!(method(Question::Distance, &pillar, &cube), Method::Differences);
/// assert_eq!(method(Question::Depth, &pillar, &cube), Method::Expansion);
/// # Ok::<(), impinge::convex::ShapeError>(())
/// ```
#[must_use]
#[doc(alias = "dispatch")]
pub fn method(question: Question, a: &Convex, b: &Convex) -> Method {
    let are_boxes = matches!((a, b), (Convex::Cuboid(_), Convex::Cuboid(_)));
    let classes = [a, b].map(ConvexClass::from);
    let choice = choose(ConvexQuestion::Intersection, classes, true);
    let [a, b] = [a, b].map(|shape| Part::Convex(shape.clone()));
    let has_form = has_closed_form(&a, &b);
    let is_round = radii(&a, &b) > 0.0;
    match question {
        Question::Intersection if are_boxes => Method::SeparatingAxes,
        Question::Intersection if choice.method == ConvexMethod::KeptPlane => Method::KeptPlane,
        Question::Depth | Question::Contact if !(has_form && is_round) => Method::Expansion,
        _ if has_form => Method::ClosedForm,
        _ => Method::Differences,
    }
}
