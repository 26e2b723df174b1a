//! Distance of two shapes.

use std::fmt;

use super::best_pair::{best_pair, box_gap};
use super::cloud_distance::{self, CloudScratch, PointProbe};
use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::convex_piece::{PieceCache, gap};
use super::dispatch::{ShapeDispatch, map_bounded, swap_separation, touching_at};
use super::half_space::{HalfSpaceAbove, outcome, planes};
use super::intersection::rounding_margin;
use super::item_bvh::{Stacks, WorkMeter};
use super::pair_registry::DistanceFn;
use super::point_containment::contained;
use super::shape::Shape;
use super::sphere_pair::SphereSearch;
use super::unsupported::{QueryKind, Unsupported};
use crate::bound::Aabb;
use crate::math::Pose;
use crate::query::{Bounded, Limits, Outcome, Separation};

/// How far apart two shapes are, with two nearest points; 0 exactly where [`IntersectionQuery`](super::IntersectionQuery) says that they meet: shapes that are not proven to be
/// apart, rounding of a few parts in 10^14 of the size included, are at distance 0 and meet.
#[doc(alias = "closest points")]
#[doc(alias = "GJK")]
#[doc(alias = "narrow phase")]
pub struct DistanceQuery {
    way: DistanceDispatch,
    is_solid: bool,
    probe: PointProbe,
    cloud: CloudScratch,
    stacks: Stacks,
    /// For two sets of particles with trees.
    #[cfg_attr(
        not(feature = "spheres"),
        expect(dead_code, reason = "there are no trees")
    )]
    spheres: Option<Box<SphereSearch>>,
}

type DistanceDispatch = ShapeDispatch<DistanceQuery, DistanceFn>;

impl fmt::Debug for DistanceQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DistanceQuery").finish_non_exhaustive()
    }
}

impl MakeQuery for DistanceQuery {
    fn make(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        Self::new(a, b, config)
    }
}

impl DistanceQuery {
    /// The query about two shapes.
    ///
    /// # Errors
    /// [`Unsupported`] for kinds without registered functions, open meshes treated as solids, and engines that compute no distance.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Ball, Capsule}, pair::{DistanceQuery, PairConfig, Shape}, query::Limits};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let capsule = Shape::from(Capsule::new([0.0; 3], [0.0, 0.0, 4.0], 1.0)?);
    /// let mut query = DistanceQuery::new(&ball, &capsule, &PairConfig::default())?;
    /// let found = query.at(&Pose::from_translation([5.0, 0.0, -2.0])?, Limits::default());
    /// assert_eq!(found.value.map(|s| s.distance), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let way = DistanceDispatch::new(
            QueryKind::Distance,
            a,
            b,
            config,
            |functions| functions.distance,
            |engine| engine.is_exact() && engine.answers_distance(),
        )?;
        Ok(Self {
            way,
            is_solid: config.solid,
            probe: PointProbe::default(),
            cloud: CloudScratch::default(),
            stacks: Stacks::default(),
            spheres: SphereSearch::of(a, b),
        })
    }

    /// The smallest distance of the placed shapes and two points that have it, in the frame of `a`; none when nothing is within
    /// [`Limits::max_distance`], when a shape is empty, or when a limit was met before anything was seen.
    ///
    /// ```
    /// use impinge::{Pose, convex::Ball, generate, pair::{DistanceQuery, MeshShape, PairConfig, Shape}, query::Limits};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let cube = generate::cuboid([2.0, 2.0, 2.0].into(), [1; 3])?;
    /// let cube = Shape::from(MeshShape::new(std::sync::Arc::new(cube)));
    /// let mut query = DistanceQuery::new(&cube, &ball, &PairConfig::default())?;
    /// let found = query.at(&Pose::from_translation([4.0, 0.0, 0.0])?, Limits::default());
    /// assert!(found.value.is_some_and(|s| (s.distance - 2.0).abs() < 1e-12));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(&mut self, a_from_b: &Pose, limits: Limits<'_>) -> Bounded<Option<Separation>> {
        let within = limits.within();
        let found = match &mut self.way {
            DistanceDispatch::One(pair) => {
                let (a, b, cache) = &mut **pair;
                let found = gap(a, b, a_from_b, cache);
                map_bounded(found, |s| (s.distance <= within).then_some(s))
            }
            DistanceDispatch::Parts(pair) => {
                let (a, b, cache) = &mut **pair;
                let stacks = &mut self.stacks;
                #[cfg(feature = "spheres")]
                if let Some(spheres) = &mut self.spheres
                    && let Some(found) = spheres.distance([a, b], a_from_b, limits, cache)
                {
                    return found;
                }
                let memory = (&mut *cache, &mut *stacks, &mut self.cloud);
                cloud_distance::distance(a, b, a_from_b, limits, memory)
                    .unwrap_or_else(|| of_parts(a, b, a_from_b, cache, limits, stacks))
            }
            DistanceDispatch::Surface(pair) => pair.distance(a_from_b, limits),
            DistanceDispatch::Wide(pair) => {
                let (_, _, [a, b], cache) = &mut **pair;
                a.distance(b, a_from_b, limits, cache)
            }
            // `new` rejects engines without distances. One from elsewhere may still break its word;
            // then the faces themselves are searched.
            DistanceDispatch::Engine(a, b, pair) => {
                let stacks = &mut self.stacks;
                pair.distance(a_from_b, limits).unwrap_or_else(|| {
                    of_parts(a, b, a_from_b, &mut PieceCache::default(), limits, stacks)
                })
            }
            DistanceDispatch::Plane(plane, other, false) => {
                let mut meter = WorkMeter::with(limits, &mut self.stacks);
                let found =
                    HalfSpaceAbove::new(plane, a_from_b).distance(other, within, &mut meter);
                meter.give_back(&mut self.stacks);
                found
            }
            DistanceDispatch::Plane(plane, other, true) => {
                let above = HalfSpaceAbove::new(plane, &a_from_b.inverse());
                let mut meter = WorkMeter::with(limits, &mut self.stacks);
                let found = above.distance(other, within, &mut meter);
                meter.give_back(&mut self.stacks);
                map_bounded(found, |s| s.map(|s| swap_separation(s, a_from_b)))
            }
            DistanceDispatch::Planes(a, b) => {
                let found = planes(a, b, a_from_b);
                Bounded {
                    value: (found.distance <= within).then_some(found),
                    lower: found.distance,
                    upper: found.distance,
                    outcome: Outcome::Complete,
                }
            }
            DistanceDispatch::Compound(pair) => {
                of_children(pair, a_from_b, limits, &mut self.stacks)
            }
            DistanceDispatch::Custom(function, shapes, swapped) => {
                let [a, b] = &**shapes;
                if *swapped {
                    let found = function(b, a, &a_from_b.inverse(), limits);
                    map_bounded(found, |s| s.map(|s| swap_separation(s, a_from_b)))
                } else {
                    function(a, b, a_from_b, limits)
                }
            }
        };
        if self.is_solid
            && found.value.is_none_or(|s| s.distance > 0.0)
            && let Some(point) = self.common_point(a_from_b)
        {
            return map_bounded(touching_at(point), Some);
        }
        found
    }

    /// A point of both, when one lies inside the other, a solid mesh, without touching its surface.
    fn common_point(&mut self, a_from_b: &Pose) -> Option<glam::DVec3> {
        let (a, b) = self.way.sides()?;
        contained(a, b, a_from_b, &mut self.probe)
    }
}

/// The distance of two sets of parts.
fn of_parts(
    a: &Composite,
    b: &Composite,
    a_from_b: &Pose,
    cache: &mut PieceCache,
    limits: Limits<'_>,
    stacks: &mut Stacks,
) -> Bounded<Option<Separation>> {
    let within = limits.within();
    let mut meter = WorkMeter::with(limits, stacks);
    let mut best: Option<Bounded<Separation>> = None;
    let mut lower = f64::INFINITY;
    // What the yes-or-no test finds to meet is visited here too.
    let margin = rounding_margin(a, b, a_from_b);
    let bound = |p: &Aabb, q: &Aabb| box_gap(p, q) - margin;
    let searched = best_pair(a, b, a_from_b, within, &mut meter, &bound, &mut |i, j| {
        let own = gap(&a.part(i), &b.part(j), a_from_b, cache);
        lower = lower.min(own.lower);
        let beaten = best.is_some_and(|best| best.value.distance <= own.value.distance);
        if own.value.distance <= within && !beaten {
            best = Some(own);
        }
        match best {
            // Nothing is nearer than what touches.
            Some(best) if best.value.distance == 0.0 => f64::NEG_INFINITY,
            Some(best) => best.value.distance,
            None => within,
        }
    });
    meter.give_back(stacks);
    Bounded {
        value: best.map(|best| best.value),
        lower: lower
            .min(searched.unexplored.max(0.0))
            .min(best.map_or(within, |best| best.value.distance)),
        upper: best.map_or(f64::INFINITY, |best| best.upper),
        outcome: outcome(searched.ended),
    }
}

/// The smallest distance of two children.
fn of_children(
    pair: &mut CompoundPair<DistanceQuery>,
    a_from_b: &Pose,
    limits: Limits<'_>,
    stacks: &mut Stacks,
) -> Bounded<Option<Separation>> {
    let within = limits.within();
    let mut meter = WorkMeter::with(limits, stacks);
    let mut best: Option<Separation> = None;
    let mut lower = f64::INFINITY;
    let mut upper = f64::INFINITY;
    let mut is_complete = true;
    let margin = pair.rounding(a_from_b);
    let bound = |p: &Aabb, q: &Aabb| box_gap(p, q) - margin;
    let searched = pair.best(
        a_from_b,
        within,
        &mut meter,
        &bound,
        &mut |children, query| {
            let limit = best.map_or(within, |best| best.distance);
            let own = query.at(
                &children.pose,
                Limits {
                    max_distance: limit.is_finite().then_some(limit),
                    ..limits
                },
            );
            lower = lower.min(own.lower);
            upper = upper.min(own.upper);
            is_complete &= own.outcome == Outcome::Complete;
            if let Some(s) = own.value
                && best.is_none_or(|best| s.distance < best.distance)
            {
                best = Some(Separation {
                    distance: s.distance,
                    point_a: children.point(s.point_a),
                    point_b: children.point(s.point_b),
                });
            }
            best.map_or(within, |best| best.distance)
        },
    );
    meter.give_back(stacks);
    Bounded {
        value: best,
        lower: lower
            .min(searched.unexplored.max(0.0))
            .min(best.map_or(within, |best| best.distance)),
        upper,
        outcome: if is_complete {
            outcome(searched.ended)
        } else {
            Outcome::OutOfBudget
        },
    }
}
