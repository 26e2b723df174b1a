//! Intersection of two shapes: whether they share a point, and which faces do.

use std::fmt;
use std::ops::ControlFlow;

use super::cloud_distance::{self, PointProbe};
use super::composite::Composite;
use super::compound_pair::MakeQuery;
use super::config::PairConfig;
use super::convex_piece::meet;
use super::dispatch::{ShapeDispatch, swap_pair};
use super::half_space::{HalfSpaceAbove, outcome, planes};
use super::item_bvh::{DescentEnd, ItemHierarchy, ItemNode, Stacks, WorkMeter, each_near_pair};
use super::pair_registry::IntersectionFn;
use super::placed_box::ROUNDING;
use super::point_containment::contained;
use super::race::{PairRace, QuickDecision, RaceStats};
use super::shape::Shape;
use super::sphere_pair::SphereSearch;
use super::split_pair::SplitPair;
use super::temporal_coherence::meet_coherently;
use super::unsupported::{QueryKind, Unsupported};
use crate::bvh::MeshIndex;
use crate::convex::HalfSpace;
use crate::math::Pose;
use crate::query::{FaceId, FacePair, First, Limits, Outcome, Sink};

/// Whether two shapes share a point, and which faces do; touching counts.
///
/// Exact at the placed coordinates for polytopes, meshes and height fields; up to rounding where something is round. A compound's children
/// are placed by the product of two poses, rounded.
#[doc(alias = "narrow phase")]
#[doc(alias = "overlap test")]
#[doc(alias = "narrowphase")]
#[doc(alias = "DCD")]
#[doc(alias = "discrete collision detection")]
pub struct IntersectionQuery {
    way: IntersectionDispatch,
    race: Option<Box<PairRace>>,
    /// The two meshes, when threads share them.
    split: Option<Box<SplitPair>>,
    is_solid: bool,
    probe: PointProbe,
    stacks: Stacks,
    /// For two sets of particles with trees.
    #[cfg_attr(
        not(feature = "spheres"),
        expect(dead_code, reason = "there are no trees")
    )]
    spheres: Option<Box<SphereSearch>>,
}

type IntersectionDispatch = ShapeDispatch<IntersectionQuery, IntersectionFn>;

impl fmt::Debug for IntersectionQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntersectionQuery").finish_non_exhaustive()
    }
}

impl MakeQuery for IntersectionQuery {
    fn make(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        Self::new(a, b, config)
    }
}

impl IntersectionQuery {
    /// The query about two shapes.
    ///
    /// # Errors
    /// [`Unsupported`] for kinds without registered functions, open meshes treated as solids, and engines that are not exact.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Ball, HalfSpace}, pair::{IntersectionQuery, PairConfig, Shape}};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let mut query = IntersectionQuery::new(&ground, &ball, &PairConfig::default())?;
    /// assert!(query.any(&Pose::from_translation([0.0, 0.0, 1.0])?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let way = IntersectionDispatch::new(
            QueryKind::Intersection,
            a,
            b,
            config,
            |functions| functions.intersection,
            |engine| engine.is_exact(),
        )?;
        let (mut race, mut split) = (None, None);
        if let (IntersectionDispatch::Wide(_), Shape::Mesh(a), Shape::Mesh(b)) = (&way, a, b) {
            race = config.race.then(|| PairRace::new(a, b, config.solid));
            let pieces = config.pieces.min(b.mesh().face_count() / LEAST_PIECE);
            split = (pieces > 1).then(|| Box::new(SplitPair::shared(a, b, pieces)));
        }
        Ok(Self {
            way,
            race: race.map(Box::new),
            split,
            is_solid: config.solid,
            probe: PointProbe::default(),
            stacks: Stacks::default(),
            spheres: SphereSearch::of(a, b),
        })
    }

    /// Whether the placed shapes share a point.
    ///
    /// ```
    /// use impinge::{Pose, convex::Cuboid, generate, pair::{IntersectionQuery, MeshShape, PairConfig, Shape}};
    /// let small = Shape::from(Cuboid::new([0.1, 0.1, 0.1])?);
    /// let ball = Shape::from(MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 8)?)));
    /// let mut surfaces = IntersectionQuery::new(&small, &ball, &PairConfig::default())?;
    /// let config = PairConfig { solid: true, ..PairConfig::default() };
    /// let mut solids = IntersectionQuery::new(&small, &ball, &config)?;
    /// assert!(!surfaces.any(&Pose::IDENTITY) && solids.any(&Pose::IDENTITY));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn any(&mut self, a_from_b: &Pose) -> bool {
        if self.race.is_some() || self.split.is_some() {
            return self.first(a_from_b).is_some();
        }
        self.meets(a_from_b)
    }

    /// The first pair of faces that share a point; none inside when they are known to meet otherwise, one within the other.
    pub(crate) fn first(&mut self, a_from_b: &Pose) -> Option<Option<FacePair>> {
        match self.race.as_mut().and_then(|race| race.decide(a_from_b)) {
            Some(QuickDecision::Apart) => return None,
            Some(QuickDecision::Meet(faces)) => return Some(faces),
            None => {}
        }
        let first = match &mut self.split {
            Some(split) => split.first(a_from_b),
            None => {
                let mut first = First::default();
                let _ = self.all(a_from_b, Limits::default(), &mut first);
                first.0
            }
        };
        let is_inside = first.is_none()
            && self.is_solid
            && if self.split.is_some() {
                self.is_contained(a_from_b)
            } else {
                self.meets(a_from_b)
            };
        let found = (first.is_some() || is_inside).then_some(first);
        if let Some(race) = &mut self.race {
            race.learn(found, a_from_b);
        }
        found
    }

    /// How often each decider answered, if quick deciders race the exact engine: see
    /// [`PairConfig::race`].
    ///
    /// ```
    /// use impinge::{Pose, generate, pair::{IntersectionQuery, MeshShape, PairConfig, Shape}};
    /// let ball = Shape::from(MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 4)?)));
    /// let config = PairConfig { race: true, ..PairConfig::default() };
    /// let mut query = IntersectionQuery::new(&ball, &ball, &config)?;
    /// for x in [2.5, 2.4, 1.5, 1.4] {
    ///     assert_eq!(query.any(&Pose::from_translation([x, 0.1, 0.2])?), x < 2.0);
    /// }
    /// let stats = query.race_stats().ok_or("they race")?;
    /// assert_eq!((stats.new_plane, stats.kept_plane), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn race_stats(&self) -> Option<RaceStats> {
        self.race.as_ref().map(|race| race.stats())
    }

    /// Whether the placed shapes share a point, by the exact engine.
    fn meets(&mut self, a_from_b: &Pose) -> bool {
        match &mut self.way {
            IntersectionDispatch::One(pair) => {
                let (a, b, cache) = &mut **pair;
                meet_coherently(a, b, a_from_b, cache)
            }
            IntersectionDispatch::Surface(pair) => {
                pair.any(a_from_b) || self.is_contained(a_from_b)
            }
            IntersectionDispatch::Planes(a, b) => planes(a, b, a_from_b).distance == 0.0,
            IntersectionDispatch::Custom(function, shapes, swapped) => {
                let [a, b] = &**shapes;
                if *swapped {
                    function(b, a, &a_from_b.inverse())
                } else {
                    function(a, b, a_from_b)
                }
            }
            IntersectionDispatch::Compound(pair) => {
                let mut meter = WorkMeter::with(Limits::default(), &mut self.stacks);
                let margin = pair.rounding(a_from_b);
                let ended = pair.each(a_from_b, margin, &mut meter, &mut |children, query| {
                    if query.any(&children.pose) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
                meter.give_back(&mut self.stacks);
                ended == DescentEnd::Stopped
            }
            _ => {
                let mut has_points = false;
                if let IntersectionDispatch::Parts(pair) = &mut self.way {
                    let (a, b, cache) = &mut **pair;
                    #[cfg(feature = "spheres")]
                    if let Some(spheres) = &mut self.spheres
                        && let Some(answer) = spheres.meets([a, b], a_from_b)
                    {
                        return answer;
                    }
                    if let Some(answer) =
                        cloud_distance::meets(a, b, a_from_b, cache, &mut self.stacks)
                    {
                        return answer;
                    }
                    has_points = matches!(
                        (&*a, &*b),
                        (Composite::Cloud(_), _) | (_, Composite::Cloud(_))
                    );
                }
                // A point inside is found sooner than one on the surface.
                if has_points && self.is_contained(a_from_b) {
                    return true;
                }
                let mut first = First::default();
                let _ = self.all(a_from_b, Limits::default(), &mut first);
                first.0.is_some() || (!has_points && self.is_contained(a_from_b))
            }
        }
    }

    /// Reports every pair of faces that share a point, each once. A shape without faces has face 0, a particle and a point of a cloud its number, a child of a
    /// compound the numbers of [`Compound::child_of`](super::Compound::child_of). A shape inside a solid mesh whose surface it does not
    /// meet has no pair.
    ///
    /// ```
    /// use impinge::{Pose, convex::Cuboid, generate, query::{Count, Limits}};
    /// use impinge::pair::{IntersectionQuery, MeshShape, PairConfig, Shape};
    /// let (cube, mesh) = (Cuboid::new([1.0, 1.0, 1.0])?, generate::cuboid([4.0, 4.0, 4.0].into(), [1; 3])?);
    /// let mesh = Shape::from(MeshShape::new(std::sync::Arc::new(mesh)));
    /// let mut query = IntersectionQuery::new(&cube.into(), &mesh, &PairConfig::default())?;
    /// let mut count = Count::default();
    /// let _ = query.all(&Pose::from_translation([2.5, 0.5, 0.1])?, Limits::default(), &mut count);
    /// assert_eq!(count.0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn all(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
        sink: &mut dyn Sink<FacePair>,
    ) -> Outcome {
        match &mut self.way {
            IntersectionDispatch::One(_)
            | IntersectionDispatch::Planes(..)
            | IntersectionDispatch::Custom(..) => {
                if !limits.allows(0) || limits.is_stopped() {
                    return Outcome::OutOfBudget;
                }
                if self.meets(a_from_b) && sink.accept(pair_of(0, 0)).is_break() {
                    return Outcome::StoppedBySink;
                }
                Outcome::Complete
            }
            IntersectionDispatch::Parts(pair) => {
                let (a, b, cache) = &mut **pair;
                let margin = rounding_margin(a, b, a_from_b);
                let mut meter = WorkMeter::with(limits, &mut self.stacks);
                let ended = each_near_pair(a, b, a_from_b, margin, &mut meter, &mut |i, j| {
                    if meet(&a.part(i), &b.part(j), a_from_b, cache) {
                        return sink.accept(pair_of(i, j));
                    }
                    ControlFlow::Continue(())
                });
                meter.give_back(&mut self.stacks);
                outcome(ended)
            }
            IntersectionDispatch::Surface(pair) => pair.all(a_from_b, limits, sink),
            IntersectionDispatch::Wide(pair) => {
                // Threads that share a pair know no limits.
                let is_free = limits.max_tests.is_none() && limits.stop.is_none();
                if let Some(split) = self.split.as_mut().filter(|_| is_free) {
                    return split.each(a_from_b, sink);
                }
                let (_, _, [a, b], cache) = &mut **pair;
                a.intersections(b, a_from_b, limits, cache, sink)
            }
            IntersectionDispatch::Engine(_, _, pair) => pair.intersections(a_from_b, limits, sink),
            IntersectionDispatch::Plane(plane, other, swapped) => {
                let pose = if *swapped {
                    a_from_b.inverse()
                } else {
                    *a_from_b
                };
                let mut meter = WorkMeter::with(limits, &mut self.stacks);
                let told = below_plane(plane, other, &pose, *swapped, &mut meter, sink);
                meter.give_back(&mut self.stacks);
                told
            }
            IntersectionDispatch::Compound(pair) => {
                let (side_a, side_b) = (pair.a.clone(), pair.b.clone());
                let mut meter = WorkMeter::with(limits, &mut self.stacks);
                let mut inner = Outcome::Complete;
                let margin = pair.rounding(a_from_b);
                let ended = pair.each(a_from_b, margin, &mut meter, &mut |children, query| {
                    let [i, j] = children.children;
                    let mut renamed = |pair: FacePair| {
                        sink.accept(FacePair {
                            a: side_a.face(i, pair.a),
                            b: side_b.face(j, pair.b),
                        })
                    };
                    inner = query.all(&children.pose, limits, &mut renamed);
                    match inner {
                        Outcome::Complete => ControlFlow::Continue(()),
                        _ => ControlFlow::Break(()),
                    }
                });
                meter.give_back(&mut self.stacks);
                match ended {
                    DescentEnd::Stopped => inner,
                    ended => outcome(ended),
                }
            }
        }
    }

    /// Whether a shape lies inside a solid mesh without touching its surface.
    fn is_contained(&mut self, a_from_b: &Pose) -> bool {
        if !self.is_solid {
            return false;
        }
        let Some((a, b)) = self.way.sides() else {
            return false;
        };
        contained(a, b, a_from_b, &mut self.probe).is_some()
    }
}

/// Faces of a piece of a mesh that threads share, at least.
const LEAST_PIECE: usize = 256;

pub(super) fn pair_of(a: u32, b: u32) -> FacePair {
    FacePair {
        a: FaceId::new(a),
        b: FaceId::new(b),
    }
}

/// How much boxes must be widened so that nothing that is found to meet is skipped: 0 for polytopes.
pub(super) fn rounding_margin(a: &Composite, b: &Composite, a_from_b: &Pose) -> f64 {
    let is_exact = |parts: &Composite| match parts {
        Composite::One(part) => part.is_polytope(),
        Composite::Balls(balls) => balls.radius() == 0.0,
        _ => true,
    };
    if is_exact(a) && is_exact(b) {
        return 0.0;
    }
    let far = |parts: &Composite| {
        let bounds = parts.whole();
        if bounds.is_empty() {
            return 0.0;
        }
        bounds.min.abs().max(bounds.max.abs()).max_element()
    };
    4.0 * ROUNDING * (far(a) + 2.0 * far(b) + a_from_b.translation().abs().max_element())
}

/// Reports the parts that reach below a plane.
fn below_plane(
    plane: &HalfSpace,
    other: &Composite,
    plane_from_other: &Pose,
    swapped: bool,
    meter: &mut WorkMeter<'_>,
    sink: &mut dyn Sink<FacePair>,
) -> Outcome {
    let above = HalfSpaceAbove::new(plane, plane_from_other);
    let mut open = std::mem::take(&mut meter.stacks.nodes);
    open.clear();
    open.extend(other.root().map(|root| (0.0, root)));
    let mut told = Outcome::Complete;
    while let Some((_, node)) = open.pop() {
        if !meter.volume() {
            told = Outcome::OutOfBudget;
            break;
        }
        if above.box_height(&other.bounds(node)) > 0.0 {
            continue;
        }
        if let ItemNode::Part(part) = node {
            if above.height_of(other, part).height <= 0.0 {
                let pair = pair_of(0, part);
                let pair = if swapped { swap_pair(pair) } else { pair };
                if sink.accept(pair).is_break() {
                    told = Outcome::StoppedBySink;
                    break;
                }
            }
        } else {
            let below = other.below(node);
            open.extend(below.as_slice().iter().rev().map(|&node| (0.0, node)));
        }
    }
    meter.stacks.nodes = open;
    told
}
