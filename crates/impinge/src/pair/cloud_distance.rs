//! Distance and depth of a point cloud against another shape.
//!
//! Two clouds are [traversed simultaneously](crate::cloud::KdTree::closest_points). Against a
//! convex part, bounds come from [middles of boxes](super::best_point), against the surface of a
//! mesh from the boxes themselves, by its tree. Everything else uses the general traversal of sets
//! of parts.

use glam::{DMat3, DVec3};

use super::best_point::{PointMeasure, STRETCH, best_point, middle_and_radius};
use super::composite::Composite;
use super::convex_piece::{ConvexPiece, PieceCache, depth, gap, meet};
use super::dispatch::{map_bounded, touching_at};
use super::half_space::outcome;
use super::item_bvh::{DescentEnd, Stacks, WorkMeter};
use super::placed_box::ROUNDING;
use crate::bound::Aabb;
use crate::bvh::wide::{
    ClosestFace, ConvexCore, ConvexProbe, CoreKind, DepthScratch, SingleTreeCache, WideTree,
};
use crate::bvh::{MeshIndex, Solid};
use crate::cloud::{ClosestPointsScratch, CloudShape};
use crate::convex::SupportMap;
use crate::math::{Pose, is_valid_point};
use crate::query::{Bounded, Limits, Outcome, Separation};

/// Two bounded shapes of which one is a cloud, and which.
struct CloudPair<'p> {
    cloud: &'p CloudShape,
    a: &'p Composite,
    b: &'p Composite,
    a_from_b: &'p Pose,
    is_cloud_a: bool,
}

impl<'p> CloudPair<'p> {
    /// The sides with the cloud as `a`, when `a` is one, else as `b`.
    fn new(a: &'p Composite, b: &'p Composite, a_from_b: &'p Pose) -> Option<Self> {
        let (cloud, is_cloud_a) = match (a, b) {
            (Composite::Cloud(cloud), _) => (cloud, true),
            (_, Composite::Cloud(cloud)) => (cloud, false),
            _ => return None,
        };
        Some(Self {
            cloud,
            a,
            b,
            a_from_b,
            is_cloud_a,
        })
    }

    fn other(&self) -> &'p Composite {
        if self.is_cloud_a { self.b } else { self.a }
    }

    /// Takes points of the cloud to the frame of the other shape; exact placement when the cloud is `b`.
    fn other_from_cloud(&self) -> Pose {
        if self.is_cloud_a {
            self.a_from_b.inverse()
        } else {
            *self.a_from_b
        }
    }

    /// A place of the cloud's frame and a part of the other shape, in the order of the query.
    fn ordered<'q>(&self, place: &'q ConvexPiece, part: &'q ConvexPiece) -> [&'q ConvexPiece; 2] {
        if self.is_cloud_a {
            [place, part]
        } else {
            [part, place]
        }
    }

    /// Rounding of places and distances in either frame.
    fn rounding(&self) -> f64 {
        let far = |bounds: Aabb| {
            if bounds.is_empty() {
                return 0.0;
            }
            bounds.min.abs().max(bounds.max.abs()).max_element()
        };
        let moved = self.a_from_b.translation().abs().max_element();
        let size = far(self.a.whole()) + 2.0 * far(self.b.whole()) + 2.0 * moved;
        rounding_of(self.a_from_b) * size + f64::MIN_POSITIVE
    }
}

fn at(place: DVec3) -> ConvexPiece {
    ConvexPiece::Ball {
        center: place,
        radius: 0.0,
    }
}

/// The nearest parts so far.
#[derive(Clone, Copy, Debug)]
struct NearestPiece {
    within: f64,
    best: Option<Bounded<Separation>>,
    /// Which point that is.
    point: u32,
    lower: f64,
}

impl NearestPiece {
    fn new(within: f64) -> Self {
        Self {
            within,
            best: None,
            point: u32::MAX,
            lower: f64::INFINITY,
        }
    }

    /// Of equally near points the first is kept.
    fn offer(&mut self, own: Bounded<Separation>, point: u32) {
        self.lower = self.lower.min(own.lower);
        let distance = own.value.distance;
        let is_nearer = self
            .best
            .is_none_or(|best| (distance, point) < (best.value.distance, self.point));
        if distance <= self.within && is_nearer {
            self.best = Some(own);
            self.point = point;
        }
    }

    /// What others must not exceed; nothing is nearer than what touches.
    fn limit(&self) -> f64 {
        match self.best {
            Some(best) if best.value.distance == 0.0 => f64::NEG_INFINITY,
            Some(best) => best.value.distance,
            None => self.within,
        }
    }

    fn answer(self, unexplored: f64, outcome: Outcome) -> Bounded<Option<Separation>> {
        let seen = self.best.map_or(self.within, |best| best.value.distance);
        Bounded {
            value: self.best.map(|best| best.value),
            lower: self.lower.min(unexplored.max(0.0)).min(seen),
            upper: self.best.map_or(f64::INFINITY, |best| best.upper),
            outcome,
        }
    }
}

/// Memory of queries about clouds, kept between them so that they do not allocate.
#[derive(Debug, Default)]
pub(super) struct CloudScratch {
    pairs: ClosestPointsScratch,
    touched: Vec<ClosestFace>,
    probe: SingleTreeCache,
}

/// The distance of a cloud and another shape; none when neither is a cloud, or the shape is one of many parts without a surface.
pub(super) fn distance(
    a: &Composite,
    b: &Composite,
    a_from_b: &Pose,
    limits: Limits<'_>,
    (cache, stacks, scratch): (&mut PieceCache, &mut Stacks, &mut CloudScratch),
) -> Option<Bounded<Option<Separation>>> {
    let sides = CloudPair::new(a, b, a_from_b)?;
    if let (Composite::Cloud(p), Composite::Cloud(q)) = (a, b) {
        let found = p
            .tree()
            .closest_points_with(q.tree(), a_from_b, limits, &mut scratch.pairs);
        return Some(map_bounded(found, |pair| pair.map(|pair| pair.separation)));
    }
    let nearest = NearestPiece::new(limits.within());
    let tree = sides.cloud.tree();
    let surface = match sides.other() {
        Composite::One(_) => None,
        other => {
            // Places that are out of range have no nearest face; parts have.
            let placed = sides.cloud.bounds().transformed(&sides.other_from_cloud());
            if !is_valid_point(placed.min) || !is_valid_point(placed.max) {
                return None;
            }
            Some(other.surface()?)
        }
    };
    let mut meter = WorkMeter::with(limits, stacks);
    let (nearest, searched) = match (sides.other(), surface) {
        (Composite::One(part), _) => {
            let mut of_part = PieceDistance::new(&sides, part, cache, nearest);
            let searched = best_point(tree, nearest.limit(), &mut meter, &mut of_part);
            (of_part.nearest, searched)
        }
        (_, None) => return None,
        (_, Some(surface)) => {
            let mut of_surface = SurfaceDistance {
                tree: surface.wide(),
                other_from_cloud: sides.other_from_cloud(),
                rounding: sides.rounding(),
                scratch,
                sides: &sides,
                cache,
                nearest,
            };
            let searched = best_point(tree, nearest.limit(), &mut meter, &mut of_surface);
            (of_surface.nearest, searched)
        }
    };
    meter.give_back(stacks);
    Some(nearest.answer(searched.unexplored, outcome(searched.ended)))
}

/// The distance from a convex part.
struct PieceDistance<'q> {
    sides: &'q CloudPair<'q>,
    part: &'q ConvexPiece,
    cache: &'q mut PieceCache,
    nearest: NearestPiece,
    /// The middle of a ball around the part, in the frame of the cloud, and its radius with all rounding.
    center: DVec3,
    radius: f64,
}

impl<'q> PieceDistance<'q> {
    fn new(
        sides: &'q CloudPair<'q>,
        part: &'q ConvexPiece,
        cache: &'q mut PieceCache,
        nearest: NearestPiece,
    ) -> Self {
        let extent = part.extent();
        let center = if sides.is_cloud_a {
            *sides.a_from_b * extent.center
        } else {
            sides.a_from_b.inverse() * extent.center
        };
        Self {
            sides,
            part,
            cache,
            nearest,
            center,
            radius: (extent.outer + part.radius()) * STRETCH + sides.rounding(),
        }
    }

    /// The distance of a box of the cloud from the ball around the part.
    fn ball_at_least(&self, bounds: &Aabb) -> f64 {
        let away = (self.center - self.center.clamp(bounds.min, bounds.max)).length();
        away * (2.0 - STRETCH) - self.radius
    }

    fn gap(&mut self, place: DVec3) -> Bounded<Separation> {
        let place = at(place);
        let [p, q] = self.sides.ordered(&place, self.part);
        gap(p, q, self.sides.a_from_b, self.cache)
    }
}

impl PointMeasure for PieceDistance<'_> {
    fn at_least(&mut self, place: DVec3, _: f64) -> f64 {
        self.gap(place).lower
    }

    fn box_at_least(&mut self, bounds: &Aabb, interest: f64) -> f64 {
        let by_ball = self.ball_at_least(bounds);
        if by_ball > interest {
            return by_ball;
        }
        let (middle, radius) = middle_and_radius(bounds);
        by_ball.max(self.at_least(middle, interest + radius) - radius)
    }

    fn visit(&mut self, point: u32) -> f64 {
        let own = self.gap(self.sides.cloud.point(point));
        self.nearest.offer(own, point);
        self.nearest.limit()
    }
}

/// The distance from a surface with a tree.
struct SurfaceDistance<'q> {
    sides: &'q CloudPair<'q>,
    tree: &'q WideTree,
    other_from_cloud: Pose,
    rounding: f64,
    scratch: &'q mut CloudScratch,
    cache: &'q mut PieceCache,
    nearest: NearestPiece,
}

impl SurfaceDistance<'_> {
    /// The face nearest to a place of the other shape's frame, when it is within a distance.
    fn closest(&mut self, place: DVec3, within: f64) -> Option<Bounded<Option<ClosestFace>>> {
        let limits = Limits {
            max_distance: within.is_finite().then_some(within),
            ..Limits::default()
        };
        let probe = &mut self.scratch.probe;
        self.tree.closest_face(place, limits, probe).ok()
    }

    fn gap(&mut self, point: DVec3, face: u32) -> Bounded<Separation> {
        let (place, part) = (at(point), self.sides.other().part(face));
        let [p, q] = self.sides.ordered(&place, &part);
        gap(p, q, self.sides.a_from_b, self.cache)
    }

    /// The distance 0 when the point lies on one of the faces around it, as decided exactly.
    fn touching(&mut self, point: DVec3, place: DVec3) -> Option<Bounded<Separation>> {
        let CloudScratch { touched, probe, .. } = &mut *self.scratch;
        touched.clear();
        let within = 8.0 * self.rounding;
        let limits = Limits::default();
        let _ = self
            .tree
            .faces_within(place, within, limits, probe, touched);
        let mut on_surface = false;
        for face in &self.scratch.touched {
            let (place, part) = (at(point), self.sides.other().part(face.face.raw()));
            let [p, q] = self.sides.ordered(&place, &part);
            on_surface |= meet(p, q, self.sides.a_from_b, self.cache);
        }
        on_surface.then(|| touching_at(if self.sides.is_cloud_a { point } else { place }))
    }
}

impl PointMeasure for SurfaceDistance<'_> {
    fn at_least(&mut self, place: DVec3, interest: f64) -> f64 {
        let place = self.other_from_cloud * place;
        match self.closest(place, interest + 2.0 * self.rounding) {
            Some(found) if found.value.is_some() => found.lower - self.rounding,
            Some(_) => f64::INFINITY,
            // A place that is out of range tells nothing.
            None => f64::NEG_INFINITY,
        }
    }

    /// By the box itself and not a ball around it: the boxes of points on a surface are flat.
    fn box_at_least(&mut self, bounds: &Aabb, interest: f64) -> f64 {
        let half = bounds.half_extent();
        let core = ConvexCore {
            kind: CoreKind::Cuboid,
            axes: DMat3::IDENTITY,
            center: bounds.center(),
            half,
            radius: 0.0,
            inner: 0.0,
            outer: half.length() * STRETCH,
            points: Vec::new(),
        };
        let probe = ConvexProbe::new(self.tree, core);
        let within = interest.max(0.0) + 2.0 * self.rounding;
        let walk = &mut self.scratch.probe;
        let pose = &self.other_from_cloud;
        let least = self
            .tree
            .convex_at_least(&probe, pose, within, self.rounding, walk);
        least - self.rounding
    }

    fn visit(&mut self, number: u32) -> f64 {
        let point = self.sides.cloud.point(number);
        let place = self.other_from_cloud * point;
        let interest = self.nearest.limit().max(0.0) + 2.0 * self.rounding;
        if let Some(found) = self.closest(place, interest)
            && let Some(face) = found.value
        {
            let mut own = self.gap(point, face.face.raw());
            if own.value.distance <= 4.0 * self.rounding
                && own.value.distance > 0.0
                && let Some(touching) = self.touching(point, place)
            {
                own = touching;
            }
            // Another face may be nearer by rounding.
            own.lower = own.lower.min((found.lower - self.rounding).max(0.0));
            self.nearest.offer(own, number);
        }
        // Of points that touch the first is found as well, whatever the order of the search.
        self.nearest.limit().max(0.0)
    }
}

/// Whether a point of a cloud lies in or on a convex part; none unless one shape is a cloud and the other one part.
pub(super) fn meets(
    a: &Composite,
    b: &Composite,
    a_from_b: &Pose,
    cache: &mut PieceCache,
    stacks: &mut Stacks,
) -> Option<bool> {
    let sides = CloudPair::new(a, b, a_from_b)?;
    let Composite::One(part) = sides.other() else {
        return None;
    };
    let mut inside = InPiece {
        of: PieceDistance::new(&sides, part, cache, NearestPiece::new(0.0)),
        is_met: false,
    };
    let mut meter = WorkMeter::with(Limits::default(), stacks);
    best_point(sides.cloud.tree(), 0.0, &mut meter, &mut inside);
    meter.give_back(stacks);
    Some(inside.is_met)
}

/// Whether a point is in or on a convex part.
struct InPiece<'q> {
    of: PieceDistance<'q>,
    is_met: bool,
}

impl PointMeasure for InPiece<'_> {
    fn at_least(&mut self, place: DVec3, _: f64) -> f64 {
        self.of.gap(place).lower
    }

    fn box_at_least(&mut self, bounds: &Aabb, interest: f64) -> f64 {
        self.of.box_at_least(bounds, interest)
    }

    fn visit(&mut self, point: u32) -> f64 {
        if !self.is_met {
            let sides = self.of.sides;
            let place = at(sides.cloud.point(point));
            let [p, q] = sides.ordered(&place, self.of.part);
            self.is_met = meet(p, q, sides.a_from_b, self.of.cache);
        }
        if self.is_met { f64::NEG_INFINITY } else { 0.0 }
    }
}

/// Offers how deep points of the cloud are in a convex part, deeper and deeper, with the direction in which `b` leaves; none unless one shape is a cloud and
/// the other one part. Says whether the work was finished.
pub(super) fn depths(
    a: &Composite,
    b: &Composite,
    a_from_b: &Pose,
    cache: &mut PieceCache,
    meter: &mut WorkMeter<'_>,
    offer: &mut dyn FnMut(f64, DVec3),
) -> Option<DescentEnd> {
    let sides = CloudPair::new(a, b, a_from_b)?;
    let Composite::One(part) = sides.other() else {
        return None;
    };
    let mut deepest = DepthInPiece {
        sides: &sides,
        part,
        cache,
        best: 0.0,
        offer,
    };
    let searched = best_point(sides.cloud.tree(), 0.0, meter, &mut deepest);
    Some(searched.ended)
}

/// How deep a point is in a convex part, with the sign reversed.
struct DepthInPiece<'q> {
    sides: &'q CloudPair<'q>,
    part: &'q ConvexPiece,
    cache: &'q mut PieceCache,
    best: f64,
    offer: &'q mut dyn FnMut(f64, DVec3),
}

impl PointMeasure for DepthInPiece<'_> {
    fn at_least(&mut self, place: DVec3, _: f64) -> f64 {
        let place = at(place);
        let [p, q] = self.sides.ordered(&place, self.part);
        match depth(p, q, self.sides.a_from_b, self.cache) {
            Some(found) => -found.upper,
            None => gap(p, q, self.sides.a_from_b, self.cache).lower,
        }
    }

    fn visit(&mut self, point: u32) -> f64 {
        let place = at(self.sides.cloud.point(point));
        let [p, q] = self.sides.ordered(&place, self.part);
        if let Some(found) = depth(p, q, self.sides.a_from_b, self.cache)
            && -found.lower < self.best
        {
            self.best = -found.lower;
            (self.offer)(found.lower, found.value.normal);
        }
        self.best
    }
}

/// Points of the cloud that are deep in a solid, in the cloud's frame, each deeper than the one before; the last is the deepest.
pub(super) fn deep_points(
    cloud: &CloudShape,
    solid: &Solid<'_>,
    solid_from_cloud: &Pose,
    rounding: f64,
    (stacks, scratch, deeper): (&mut Stacks, &mut DepthScratch, &mut Vec<DVec3>),
) {
    deeper.clear();
    let mut deepest = DepthInSolid {
        cloud,
        solid,
        solid_from_cloud,
        rounding,
        scratch,
        best: 0.0,
        deeper,
    };
    let mut meter = WorkMeter::with(Limits::default(), stacks);
    best_point(cloud.tree(), 0.0, &mut meter, &mut deepest);
    meter.give_back(stacks);
}

/// How deep a place is in a solid, with the sign reversed.
struct DepthInSolid<'q, 't> {
    cloud: &'q CloudShape,
    solid: &'q Solid<'t>,
    solid_from_cloud: &'q Pose,
    rounding: f64,
    scratch: &'q mut DepthScratch,
    best: f64,
    deeper: &'q mut Vec<DVec3>,
}

impl DepthInSolid<'_, '_> {
    fn measure(&mut self, place: DVec3) -> f64 {
        let place = *self.solid_from_cloud * place;
        -self.solid.depth_with(place, self.scratch)
    }
}

impl PointMeasure for DepthInSolid<'_, '_> {
    fn at_least(&mut self, place: DVec3, _: f64) -> f64 {
        self.measure(place) - self.rounding
    }

    fn visit(&mut self, point: u32) -> f64 {
        let place = self.cloud.point(point);
        let measured = self.measure(place);
        if measured < self.best {
            self.best = measured;
            self.deeper.push(place);
        }
        self.best
    }
}

/// Memory of queries where points lie in a solid, kept between them so that they do not allocate.
#[derive(Debug, Default)]
pub(super) struct PointProbe {
    pub(super) cache: SingleTreeCache,
    /// Nodes of a cloud that are still to be visited.
    open: Vec<u32>,
}

/// A point of the cloud in or on a closed mesh, in the frame of the query: that of the mesh, or of the cloud when the mesh is `placed` in it. Decided on
/// placed coordinates.
///
/// Where the surface is farther from the middle of a box than its corners are, all points in it are on one side, and one is tested for all.
pub(super) fn point_in_solid(
    cloud: &CloudShape,
    solid: &Solid<'_>,
    solid_from_cloud: &Pose,
    placed: Option<&Pose>,
    scratch: &mut PointProbe,
) -> Option<DVec3> {
    let PointProbe { cache, open } = scratch;
    let tree = cloud.tree();
    let around = solid.tree().mesh().bounds();
    let far = |bounds: &Aabb| {
        if bounds.is_empty() {
            return 0.0;
        }
        bounds.min.abs().max(bounds.max.abs()).max_element()
    };
    let moved = solid_from_cloud.translation().abs().max_element();
    let rounding =
        rounding_of(solid_from_cloud) * (far(&around) + 2.0 * far(&cloud.bounds()) + moved);
    let reach = around.inflated(rounding);
    open.clear();
    open.extend(tree.top());
    while let Some(node) = open.pop() {
        let bounds = tree.node_bounds(node);
        if !bounds.transformed(solid_from_cloud).overlaps(&reach) {
            continue;
        }
        let mut asked = usize::MAX;
        if let Some([low, high]) = tree.halves(node) {
            let radius = bounds.half_extent().length() * STRETCH + rounding;
            let limits = Limits {
                max_distance: Some(radius),
                ..Limits::default()
            };
            let middle = *solid_from_cloud * bounds.center();
            let near = solid.tree().closest_face(middle, limits, cache);
            if near.is_ok_and(|near| near.value.is_none()) {
                asked = 1;
            } else {
                open.extend([high, low]);
                continue;
            }
        }
        for (_, p) in tree.points_of(node).take(asked) {
            let place = *solid_from_cloud * p;
            let (is_in, found) = match placed {
                Some(pose) => (solid.contains_placed(pose, p, cache), p),
                None => (
                    around.contains(place) && solid.contains(place, cache),
                    place,
                ),
            };
            if is_in {
                return Some(found);
            }
        }
    }
    None
}

/// Rounding of a place that is taken to another frame and perhaps back, in units of the coordinates involved: also by as much as the pose is not quite
/// rigid.
fn rounding_of(pose: &Pose) -> f64 {
    let rotation = *pose.rotation();
    let off = rotation.transpose() * rotation - DMat3::IDENTITY;
    let deviation = off
        .to_cols_array()
        .iter()
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    8.0 * deviation + 4.0 * ROUNDING
}
