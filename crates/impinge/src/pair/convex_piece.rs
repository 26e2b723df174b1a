//! One convex part of a shape, and closed-form queries of two of them.
//!
//! **Idea.** A part is a core and a radius. If the cores are points, segments, triangles or a point
//! and a box, their nearest points have a closed form, and the radii are subtracted. Other cores
//! use GJK.
//! **Promise.** Whether two polytopes intersect is exact at the placed coordinates. Distances are
//! within the bounds given.

use glam::DVec3;

use super::capsule_capsule::{capsule_cores, capsules_meet};
use super::placed_box::{ROUNDING, placed_box};
use crate::bound::Aabb;
use crate::convex::{
    CachedPlane, Convex, ConvexPenetration, GjkCache, InnerOuterBalls, SatCache, SupportMap,
    SupportPoint, TriangleOverlap, contact_penetration, cuboids_intersect, distance, intersects,
    penetration, triangle_in_cuboid, triangle_in_polyhedron, triangle_penetration,
};
use crate::geom::{
    closest_point_on_triangle, segment_distance, triangle_distance, triangles_intersect,
};
use crate::math::Pose;
use crate::query::{Bounded, Outcome, Separation};

/// A convex part of a shape.
#[derive(Clone, Debug)]
pub(super) enum ConvexPiece {
    Convex(Convex),
    Triangle([DVec3; 3]),
    Ball { center: DVec3, radius: f64 },
}

/// What a pair of parts remembers between queries.
#[derive(Clone, Debug, Default)]
pub(super) struct PieceCache {
    pub(super) gjk: GjkCache,
    pub(super) plane: CachedPlane,
    sat: SatCache,
}

impl SupportMap for ConvexPiece {
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        match self {
            Self::Convex(shape) => shape.support(direction, hint),
            Self::Triangle(corners) => {
                let along = corners.map(|p| p.dot(direction));
                let mut best = 0;
                for i in 1..3 {
                    if along[i] > along[best] {
                        best = i;
                    }
                }
                SupportPoint {
                    point: corners[best],
                    vertex: best as u32,
                }
            }
            Self::Ball { center, .. } => SupportPoint {
                point: *center,
                vertex: 0,
            },
        }
    }
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        match self {
            Self::Convex(shape) => shape.support_certain(direction),
            _ => self.support(direction, 0),
        }
    }
    fn is_certain(&self) -> bool {
        match self {
            Self::Convex(shape) => shape.is_certain(),
            _ => true,
        }
    }
    fn radius(&self) -> f64 {
        match self {
            Self::Convex(shape) => shape.radius(),
            Self::Triangle(_) => 0.0,
            Self::Ball { radius, .. } => *radius,
        }
    }
    fn curvature_radius(&self) -> f64 {
        match self {
            Self::Convex(shape) => shape.curvature_radius(),
            Self::Triangle(_) | Self::Ball { .. } => 0.0,
        }
    }
    fn vertex_count(&self) -> Option<u32> {
        match self {
            Self::Convex(shape) => shape.vertex_count(),
            Self::Triangle(_) => Some(3),
            Self::Ball { .. } => Some(1),
        }
    }
    fn vertex(&self, index: u32) -> DVec3 {
        match self {
            Self::Convex(shape) => shape.vertex(index),
            Self::Triangle(corners) => corners[(index as usize).min(2)],
            Self::Ball { center, .. } => *center,
        }
    }
    fn bounds(&self) -> Aabb {
        match self {
            Self::Convex(shape) => shape.bounds(),
            Self::Triangle(corners) => Aabb::enclosing(*corners),
            Self::Ball { center, radius } => Aabb::enclosing([*center]).inflated(*radius),
        }
    }
    fn center(&self) -> DVec3 {
        match self {
            Self::Convex(shape) => shape.center(),
            Self::Triangle([a, b, c]) => *a / 3.0 + *b / 3.0 + *c / 3.0,
            Self::Ball { center, .. } => *center,
        }
    }
    fn extent(&self) -> InnerOuterBalls {
        match self {
            Self::Convex(shape) => shape.extent(),
            Self::Triangle(corners) => triangle_extent(corners),
            Self::Ball { center, .. } => InnerOuterBalls {
                center: *center,
                inner: 0.0,
                outer: 0.0,
                largest: center.abs().max_element(),
            },
        }
    }
}

/// The balls of a triangle.
fn triangle_extent([a, b, c]: &[DVec3; 3]) -> InnerOuterBalls {
    let center = *a / 3.0 + *b / 3.0 + *c / 3.0;
    let reach = (*a - center)
        .abs()
        .max((*b - center).abs())
        .max((*c - center).abs());
    InnerOuterBalls {
        center,
        inner: 0.0,
        // Twice the largest coordinate is more than the length.
        outer: 2.0 * reach.max_element(),
        largest: a.abs().max(b.abs()).max(c.abs()).max_element(),
    }
}

/// A core whose nearest points have a closed form.
#[derive(Clone, Copy, Debug)]
enum ClosedFormCore {
    Point(DVec3),
    Segment([DVec3; 2]),
    Triangle([DVec3; 3]),
    /// Half the sides of a box around the origin of its frame.
    Cuboid(DVec3),
}

impl ClosedFormCore {
    fn placed(self, pose: &Pose) -> Self {
        match self {
            Self::Point(p) => Self::Point(*pose * p),
            Self::Segment(ends) => Self::Segment(ends.map(|p| *pose * p)),
            Self::Triangle(corners) => Self::Triangle(corners.map(|p| *pose * p)),
            cuboid @ Self::Cuboid(_) => cuboid,
        }
    }

    fn corners(self) -> [DVec3; 3] {
        match self {
            Self::Point(p) => [p; 3],
            Self::Segment([p, q]) => [p, q, q],
            Self::Triangle(corners) => corners,
            Self::Cuboid(_) => [DVec3::ZERO; 3],
        }
    }
}

impl ConvexPiece {
    fn core(&self) -> Option<ClosedFormCore> {
        Some(match self {
            Self::Triangle(corners) => ClosedFormCore::Triangle(*corners),
            Self::Ball { center, .. } => ClosedFormCore::Point(*center),
            Self::Convex(Convex::Ball(_)) => ClosedFormCore::Point(DVec3::ZERO),
            Self::Convex(shape @ (Convex::Capsule(_) | Convex::Segment(_))) => {
                ClosedFormCore::Segment([shape.vertex(0), shape.vertex(1)])
            }
            Self::Convex(Convex::Triangle(triangle)) => {
                ClosedFormCore::Triangle(triangle.corners())
            }
            Self::Convex(Convex::Cuboid(cuboid)) => ClosedFormCore::Cuboid(cuboid.half_extent()),
            Self::Convex(_) => return None,
        })
    }

    /// Whether the part is the hull of finitely many points.
    pub(super) fn is_polytope(&self) -> bool {
        self.vertex_count().is_some() && self.radius() == 0.0
    }

    /// The box around the placed part, never too small.
    pub(super) fn placed_box(&self, pose: &Pose) -> Aabb {
        match self {
            Self::Convex(shape) => placed_box(shape, pose),
            Self::Triangle(corners) => Aabb::enclosing(corners.map(|p| *pose * p)),
            Self::Ball { center, radius } => {
                let center = *pose * *center;
                let room = ROUNDING * (center.abs().max_element() + radius);
                Aabb::enclosing([center]).inflated(radius + room)
            }
        }
    }
}

/// The nearest points of two cores, where they have a closed form.
fn core_separation(a: &ConvexPiece, b: &ConvexPiece, a_from_b: &Pose) -> Option<Separation> {
    let (core_a, core_b) = (a.core()?, b.core()?);
    match (core_a, core_b) {
        (ClosedFormCore::Cuboid(half), ClosedFormCore::Point(p)) => {
            Some(point_in_box(half, *a_from_b * p))
        }
        (ClosedFormCore::Point(p), ClosedFormCore::Cuboid(half)) => {
            let found = point_in_box(half, a_from_b.inverse() * p);
            Some(Separation {
                distance: found.distance,
                point_a: p,
                point_b: *a_from_b * found.point_a,
            })
        }
        (ClosedFormCore::Cuboid(_), _) | (_, ClosedFormCore::Cuboid(_)) => None,
        (core_a, core_b) => Some(match (core_a, core_b.placed(a_from_b)) {
            (ClosedFormCore::Point(p), ClosedFormCore::Point(q)) => Separation {
                distance: p.distance(q),
                point_a: p,
                point_b: q,
            },
            (ClosedFormCore::Segment([p0, p1]), ClosedFormCore::Segment([q0, q1])) => {
                segment_distance(p0, p1, q0, q1)
            }
            (ClosedFormCore::Point(p), ClosedFormCore::Triangle(corners)) => {
                let found = closest_point_on_triangle(p, &corners);
                Separation {
                    distance: found.distance,
                    point_a: p,
                    point_b: found.point,
                }
            }
            (ClosedFormCore::Triangle(corners), ClosedFormCore::Point(p)) => {
                let found = closest_point_on_triangle(p, &corners);
                Separation {
                    distance: found.distance,
                    point_a: found.point,
                    point_b: p,
                }
            }
            (p, q) => triangle_distance(&p.corners(), &q.corners()),
        }),
    }
}

/// The point of a box nearest to a point, as `point_a`.
fn point_in_box(half: DVec3, p: DVec3) -> Separation {
    let nearest = p.clamp(-half, half);
    Separation {
        distance: nearest.distance(p),
        point_a: nearest,
        point_b: p,
    }
}

/// How a polytope and a triangle overlap, where separating axes tell.
fn polytope_overlap(a: &ConvexPiece, b: &ConvexPiece, a_from_b: &Pose) -> TriangleOverlap {
    match (a, b) {
        (ConvexPiece::Convex(shape), ConvexPiece::Triangle(corners)) => {
            let placed = corners.map(|p| *a_from_b * p);
            match shape {
                Convex::Cuboid(shape) => triangle_in_cuboid(shape, &placed),
                Convex::Polyhedron(shape) => triangle_in_polyhedron(shape, &placed),
                _ => TriangleOverlap::Open,
            }
        }
        (ConvexPiece::Triangle(corners), ConvexPiece::Convex(shape)) => {
            if !matches!(shape, Convex::Cuboid(_) | Convex::Polyhedron(_)) {
                return TriangleOverlap::Open;
            }
            let b_from_a = a_from_b.inverse();
            let placed = corners.map(|p| b_from_a * p);
            let found = match shape {
                Convex::Cuboid(shape) => triangle_in_cuboid(shape, &placed),
                Convex::Polyhedron(shape) => triangle_in_polyhedron(shape, &placed),
                _ => TriangleOverlap::Open,
            };
            match found {
                TriangleOverlap::Deep(way) => TriangleOverlap::Deep(ConvexPenetration {
                    depth: way.depth,
                    normal: -a_from_b.transform_vector(way.normal),
                    point_a: *a_from_b * way.point_b,
                    point_b: *a_from_b * way.point_a,
                }),
                found => found,
            }
        }
        _ => TriangleOverlap::Open,
    }
}

/// Whether the nearest points of two cores have a closed form.
pub(super) fn has_closed_form(a: &ConvexPiece, b: &ConvexPiece) -> bool {
    match (a.core(), b.core()) {
        (Some(ClosedFormCore::Cuboid(_)), Some(other))
        | (Some(other), Some(ClosedFormCore::Cuboid(_))) => {
            matches!(other, ClosedFormCore::Point(_))
        }
        (a, b) => a.is_some() && b.is_some(),
    }
}

/// The radii of two parts together.
pub(super) fn radii(a: &ConvexPiece, b: &ConvexPiece) -> f64 {
    a.radius() + b.radius()
}

/// Rounding of distances between two parts.
pub(super) fn rounding(a: &ConvexPiece, b: &ConvexPiece, a_from_b: &Pose) -> f64 {
    let far_a = a.extent().largest + a.radius();
    let far_b = b.extent().largest + b.radius();
    let translation = a_from_b.translation().abs().max_element();
    2.0 * ROUNDING * (far_a + 2.0 * far_b + translation) + f64::MIN_POSITIVE
}

/// Calls a function with the shapes themselves where searches are common, so that it is compiled for each; with the parts otherwise.
macro_rules! with_shapes {
    ($a:expr, $b:expr, |$p:ident, $q:ident| $call:expr) => {
        match ($a, $b) {
            (ConvexPiece::Convex(Convex::Polyhedron(p)), ConvexPiece::Convex(other)) => {
                let $p = &**p;
                match other {
                    Convex::Polyhedron(q) => {
                        let $q = &**q;
                        $call
                    }
                    Convex::Cuboid($q) => $call,
                    Convex::Capsule($q) => $call,
                    $q => $call,
                }
            }
            (ConvexPiece::Convex(other), ConvexPiece::Convex(Convex::Polyhedron(q))) => {
                let $q = &**q;
                match other {
                    Convex::Cuboid($p) => $call,
                    Convex::Capsule($p) => $call,
                    $p => $call,
                }
            }
            (ConvexPiece::Convex(Convex::Cuboid($p)), ConvexPiece::Convex(Convex::Cuboid($q))) => {
                $call
            }
            (ConvexPiece::Convex(Convex::Cuboid($p)), ConvexPiece::Convex(Convex::Capsule($q))) => {
                $call
            }
            (ConvexPiece::Convex(Convex::Capsule($p)), ConvexPiece::Convex(Convex::Cuboid($q))) => {
                $call
            }
            ($p, $q) => $call,
        }
    };
}

/// Whether two placed parts share a point.
pub(super) fn meet(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    cache: &mut PieceCache,
) -> bool {
    match (a, b) {
        (ConvexPiece::Convex(Convex::Cuboid(a)), ConvexPiece::Convex(Convex::Cuboid(b))) => {
            return cuboids_intersect(a, b, a_from_b, &mut cache.sat);
        }
        (ConvexPiece::Convex(Convex::Capsule(p)), ConvexPiece::Convex(Convex::Capsule(q))) => {
            if let Some(answer) = capsules_meet(p, q, a_from_b) {
                return answer;
            }
        }
        (ConvexPiece::Convex(Convex::Polyhedron(_)), _)
        | (_, ConvexPiece::Convex(Convex::Polyhedron(_))) => {
            let cache = &mut cache.gjk;
            return with_shapes!(a, b, |p, q| intersects(p, q, a_from_b, cache));
        }
        _ => (),
    }
    if let (Some(ClosedFormCore::Triangle(p)), Some(ClosedFormCore::Triangle(q))) =
        (a.core(), b.core())
    {
        return triangles_intersect(&p, &q.map(|v| *a_from_b * v));
    }
    if let (ConvexPiece::Convex(Convex::Cuboid(a)), ConvexPiece::Convex(Convex::Cuboid(b))) = (a, b)
    {
        return cuboids_intersect(a, b, a_from_b, &mut cache.sat);
    }
    if let (
        ConvexPiece::Ball {
            center: p,
            radius: 0.0,
        },
        ConvexPiece::Ball {
            center: q,
            radius: 0.0,
        },
    ) = (a, b)
    {
        return *p == *a_from_b * *q;
    }
    let radii = radii(a, b);
    if radii > 0.0
        && let Some(cores) = core_separation(a, b, a_from_b)
    {
        return cores.distance <= radii;
    }
    let cache = &mut cache.gjk;
    with_shapes!(a, b, |p, q| intersects(p, q, a_from_b, cache))
}

/// The distance of two placed parts.
pub(super) fn gap(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    cache: &mut PieceCache,
) -> Bounded<Separation> {
    let radii = radii(a, b);
    let at_once = match (a, b) {
        (ConvexPiece::Convex(Convex::Capsule(p)), ConvexPiece::Convex(Convex::Capsule(q))) => {
            // Where rounding decides, both questions look at the same number.
            let cores = capsule_cores(p, q, a_from_b);
            cores.filter(|cores| (cores.distance - radii).abs() > rounding(a, b, a_from_b))
        }
        _ => None,
    };
    let Some(cores) = at_once.or_else(|| core_separation(a, b, a_from_b)) else {
        let gjk = &mut cache.gjk;
        return with_shapes!(a, b, |p, q| distance(p, q, a_from_b, gjk));
    };
    let gap = cores.distance - radii;
    let rounding = rounding(a, b, a_from_b);
    if radii == 0.0 && gap <= 16.0 * rounding {
        // Whether they touch is decided exactly there.
        return distance(a, b, a_from_b, &mut cache.gjk);
    }
    let toward_b = (cores.point_b - cores.point_a).normalize_or_zero();
    let value = if gap > 0.0 {
        Separation {
            distance: gap,
            point_a: cores.point_a + toward_b * a.radius(),
            point_b: cores.point_b - toward_b * b.radius(),
        }
    } else {
        let share = if radii > 0.0 { a.radius() / radii } else { 0.0 };
        let point = cores.point_a + toward_b * (cores.distance * share);
        Separation {
            distance: 0.0,
            point_a: point,
            point_b: point,
        }
    };
    Bounded {
        value,
        lower: (gap - rounding).max(0.0),
        upper: (gap + rounding).max(0.0),
        outcome: Outcome::Complete,
    }
}

/// The depth of two placed parts, none when they are apart.
pub(super) fn depth(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    cache: &mut PieceCache,
) -> Option<Bounded<ConvexPenetration>> {
    let radii = radii(a, b);
    if radii > 0.0
        && let Some(cores) = core_separation(a, b, a_from_b)
    {
        if cores.distance > radii {
            return None;
        }
        let rounding = rounding(a, b, a_from_b);
        // Near the core the direction is lost; the search finds one.
        if cores.distance > 64.0 * rounding {
            let normal = (cores.point_b - cores.point_a).normalize_or_zero();
            let depth = radii - cores.distance;
            return Some(Bounded {
                value: ConvexPenetration {
                    depth,
                    normal,
                    point_a: cores.point_a + normal * a.radius(),
                    point_b: cores.point_b - normal * b.radius(),
                },
                lower: (depth - rounding).max(0.0),
                upper: depth + rounding,
                outcome: Outcome::Complete,
            });
        }
    }
    let found = penetration(a, b, a_from_b, &mut cache.gjk);
    let size = a.bounds().diagonal().max_element() + b.bounds().diagonal().max_element();
    if found.is_some_and(|found| found.lower > SMALL_GAP * size) {
        return found;
    }
    // Near touching there is a depth exactly where the yes-or-no test says that they meet.
    if !meet(a, b, a_from_b, cache) {
        return None;
    }
    found.or_else(|| {
        let value = grazing(a, b, a_from_b, size, cache)?;
        let rounding = rounding(a, b, a_from_b);
        let depth = value.depth.max(0.0);
        Some(Bounded {
            value: ConvexPenetration { depth, ..value },
            lower: (depth - rounding).max(0.0),
            upper: depth + rounding,
            outcome: Outcome::Complete,
        })
    })
}

/// A gap below this fraction of the size is measured along the normal of the cores and not between two points.
const SMALL_GAP: f64 = 1e-7;

/// How two placed parts overlap, or where they are nearest: `depth` is negative for a gap. None when they are farther apart than `within`.
///
/// The normal is as good for the smallest gaps and overlaps as for large ones.
pub(super) fn piece_method(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    within: f64,
    cache: &mut PieceCache,
) -> Option<ConvexPenetration> {
    let radii = radii(a, b);
    if radii > 0.0
        && let Some(cores) = core_separation(a, b, a_from_b)
    {
        if cores.distance - radii > within {
            return None;
        }
        if cores.distance > 64.0 * rounding(a, b, a_from_b) {
            let normal = (cores.point_b - cores.point_a).normalize_or_zero();
            return Some(ConvexPenetration {
                depth: radii - cores.distance,
                normal,
                point_a: cores.point_a + normal * a.radius(),
                point_b: cores.point_b - normal * b.radius(),
            });
        }
        return contact_penetration(a, b, a_from_b, &mut cache.gjk);
    }
    match polytope_overlap(a, b, a_from_b) {
        TriangleOverlap::Deep(way) => return Some(way),
        TriangleOverlap::Apart if within <= 0.0 => return None,
        _ => (),
    }
    let size = a.bounds().diagonal().max_element() + b.bounds().diagonal().max_element();
    // Faces of a surface mostly miss; two shapes that are asked for their contacts mostly meet.
    let is_face = |p: &ConvexPiece| matches!(p, ConvexPiece::Triangle(_));
    if !is_face(a)
        && !is_face(b)
        && let Some(found) = contact_penetration(a, b, a_from_b, &mut cache.gjk)
        && found.depth > SMALL_GAP * size
    {
        return Some(found);
    }
    let found = if within > 0.0 {
        gap(a, b, a_from_b, cache).value
    } else if meet(a, b, a_from_b, cache) {
        // The distance is 0 exactly there.
        Separation {
            distance: 0.0,
            point_a: DVec3::ZERO,
            point_b: DVec3::ZERO,
        }
    } else {
        return None;
    };
    if found.distance > within {
        return None;
    }
    if found.distance > SMALL_GAP * size
        && let Some(normal) = (found.point_b - found.point_a).try_normalize()
    {
        return Some(ConvexPenetration {
            depth: -found.distance,
            normal,
            point_a: found.point_a,
            point_b: found.point_b,
        });
    }
    if found.distance == 0.0
        && let (Some(ClosedFormCore::Triangle(p)), Some(ClosedFormCore::Triangle(q))) =
            (a.core(), b.core())
        && let Some(found) = triangle_penetration(&p, &q.map(|v| *a_from_b * v))
    {
        return Some(found);
    }
    if found.distance == 0.0
        && let Some(found) = contact_penetration(a, b, a_from_b, &mut cache.gjk)
    {
        return Some(found);
    }
    let is_met = found.distance == 0.0;
    let found = grazing(a, b, a_from_b, size, cache)?;
    Some(ConvexPenetration {
        // Those that meet are not apart by a rounding.
        depth: if is_met {
            found.depth.max(0.0)
        } else {
            found.depth
        },
        ..found
    })
}

/// How two placed parts of this size touch whose gap or overlap is small beside it, measured after one has been widened a little.
fn grazing(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    size: f64,
    cache: &mut PieceCache,
) -> Option<ConvexPenetration> {
    let pad = 8.0 * SMALL_GAP * size + f64::MIN_POSITIVE;
    let padded = PaddedPiece { part: a, pad };
    let found = penetration(&padded, b, a_from_b, &mut cache.gjk)?.value;
    Some(ConvexPenetration {
        depth: found.depth - pad,
        normal: found.normal,
        point_a: found.point_a - found.normal * pad,
        point_b: found.point_b,
    })
}

/// A part with a ball swept over it.
struct PaddedPiece<'p> {
    part: &'p ConvexPiece,
    pad: f64,
}

impl SupportMap for PaddedPiece<'_> {
    fn support(&self, direction: DVec3, hint: u32) -> SupportPoint {
        self.part.support(direction, hint)
    }
    fn support_certain(&self, direction: DVec3) -> SupportPoint {
        self.part.support_certain(direction)
    }
    fn is_certain(&self) -> bool {
        self.part.is_certain()
    }
    fn radius(&self) -> f64 {
        self.part.radius() + self.pad
    }
    fn curvature_radius(&self) -> f64 {
        self.part.curvature_radius()
    }
    fn vertex_count(&self) -> Option<u32> {
        self.part.vertex_count()
    }
    fn vertex(&self, index: u32) -> DVec3 {
        self.part.vertex(index)
    }
    fn bounds(&self) -> Aabb {
        self.part.bounds().inflated(self.pad)
    }
    fn center(&self) -> DVec3 {
        self.part.center()
    }
    fn extent(&self) -> InnerOuterBalls {
        self.part.extent()
    }
}
