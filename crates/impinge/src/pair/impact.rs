//! Time of impact of two moving shapes.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::cloud_distance::PointProbe;
use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::conservative_advancement::{MovingShapes, free};
use super::containment::Containment;
use super::convex_piece::{ConvexPiece, PieceCache, gap, piece_method};
use super::depth::solid_mesh;
use super::dispatch::{Dispatch, dispatch, map_bounded, refusal, swap_pair};
use super::distance::DistanceQuery;
use super::half_space::HalfSpaceAbove;
use super::intersection::IntersectionQuery;
use super::item_bvh::{DescentEnd, Stacks, WorkMeter};
use super::pair_registry::ImpactFn;
use super::placed_box::reach;
use super::point_containment::contained;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::bound::Aabb;
use crate::bvh::wide::WideTree;
use crate::ccd::{ImpactCache, ImpactOptions, impact, relative_pose};
use crate::convex::{Convex, HalfSpace, SupportMap};
use crate::math::{Motion, Pose};
use crate::mesh::TriMesh;
use crate::query::{Bounded, FaceId, FacePair, Impact, Limits, Outcome};

/// The time of impact of two moving shapes.
///
/// Meshes, height fields and polytopes against a mesh or height field use
/// [`impact`]; everything else uses conservative advancement, where a gap below
/// [`PairConfig::impact_tolerance`] counts as contact.
#[doc(alias = "TOI")]
#[doc(alias = "shape cast")]
#[doc(alias = "sweep test")]
#[doc(alias = "CCD")]
#[doc(alias = "time of impact")]
pub struct ImpactQuery {
    way: ImpactDispatch,
    tolerance: f64,
    stacks: Stacks,
}

enum ImpactDispatch {
    Trees(Box<MeshTrees>),
    Movers(Box<Moving>, bool),
    Compound(Box<CompoundPair<ImpactQuery>>, [Option<Aabb>; 2]),
    Custom(Arc<ImpactFn>, Box<[Shape; 2]>, bool),
}

struct MeshTrees {
    trees: [Arc<WideTree>; 2],
    /// Whether all faces of a side are one shape.
    is_one: [bool; 2],
    cache: ImpactCache,
    start: Start,
}

/// Two shapes of which at least one is round, or a half-space.
struct Moving {
    movers: MovingShapes,
    start: Start,
    gap: DistanceQuery,
}

/// The queries about shapes where they are at the beginning.
struct Start {
    meet: IntersectionQuery,
    sides: Sides,
    engulfed: Option<Containment>,
    probe: PointProbe,
    stacks: Stacks,
}

enum Sides {
    Parts(Box<(Composite, Composite, PieceCache)>),
    /// A half-space and a bounded shape; whether the half-space is `b`.
    Plane(HalfSpace, Box<Composite>, bool),
}

impl fmt::Debug for ImpactQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImpactQuery").finish_non_exhaustive()
    }
}

impl MakeQuery for ImpactQuery {
    fn make(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        Self::new(a, b, config)
    }
}

impl ImpactQuery {
    /// The query about two shapes.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces, open meshes treated as solids, and kinds without registered functions.
    ///
    /// ```
    /// use impinge::{convex::HalfSpace, pair::{ImpactQuery, PairConfig, Shape}};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// assert!(ImpactQuery::new(&ground, &ground, &PairConfig::default()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let refuse = |reason| refusal(QueryKind::Impact, a, b, reason);
        let asked = |refused: Unsupported| Unsupported {
            question: QueryKind::Impact,
            ..refused
        };
        // The engine of choice answers about two poses, not about motions.
        let still = PairConfig {
            engine: None,
            ..config.clone()
        };
        let start = |sides| -> Result<_, Unsupported> {
            Ok(Start {
                meet: IntersectionQuery::new(a, b, &still).map_err(asked)?,
                sides,
                engulfed: Containment::new([a, b], &still),
                probe: PointProbe::default(),
                stacks: Stacks::default(),
            })
        };
        let distance = || DistanceQuery::new(a, b, &still).map_err(asked);
        let way = match dispatch(QueryKind::Impact, a, b, config)? {
            Dispatch::Compound => ImpactDispatch::Compound(
                Box::new(CompoundPair::new(a, b, config)?),
                [a, b].map(|shape| shape.bounds(&Pose::IDENTITY)),
            ),
            Dispatch::Custom(functions, swapped) => {
                let function = functions
                    .impact
                    .ok_or(refuse(UnsupportedReason::NotRegistered))?;
                ImpactDispatch::Custom(function, Box::new([a.clone(), b.clone()]), swapped)
            }
            Dispatch::Planes(..) => return Err(refuse(UnsupportedReason::Unbounded)),
            Dispatch::Plane(plane, other, swapped) => {
                let sides = Sides::Plane(plane, Box::new(other.clone()), swapped);
                let moving = Moving {
                    movers: MovingShapes::Plane(plane, Box::new(other)),
                    start: start(sides)?,
                    gap: distance()?,
                };
                ImpactDispatch::Movers(Box::new(moving), swapped)
            }
            Dispatch::Parts(p, q) => {
                let both = (p.clone(), q.clone(), PieceCache::default());
                let start = start(Sides::Parts(Box::new(both)))?;
                let is_one = [&p, &q].map(|parts| matches!(parts, Composite::One(_)));
                match (tree_of(&p), tree_of(&q)) {
                    (Some(tree_a), Some(tree_b)) if is_one != [true; 2] => {
                        ImpactDispatch::Trees(Box::new(MeshTrees {
                            trees: [tree_a, tree_b],
                            is_one,
                            cache: ImpactCache::default(),
                            start,
                        }))
                    }
                    _ => {
                        let moving = Moving {
                            movers: MovingShapes::Parts(Box::new((p, q, PieceCache::default()))),
                            start,
                            gap: distance()?,
                        };
                        ImpactDispatch::Movers(Box::new(moving), false)
                    }
                }
            }
        };
        Ok(Self {
            way,
            tolerance: config.impact_tolerance,
            stacks: Stacks::default(),
        })
    }

    /// The first contact of the moving shapes; none when they do not touch within the step. The shapes are certainly apart before `lower`;
    /// at `upper` they meet, when it is finite; a point that goes through a face has met it by then.
    ///
    /// ```
    /// use impinge::{Pose, convex::{Ball, HalfSpace}, math::Motion, pair::{ImpactQuery, PairConfig, Shape}, query::Limits};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let mut query = ImpactQuery::new(&ground, &ball, &PairConfig::default())?;
    /// let (above, below) = (Pose::from_translation([0.0, 0.0, 3.0])?, Pose::from_translation([0.0, 0.0, -1.0])?);
    /// let falling = Motion::between(&above, &below);
    /// let hit = query.during(&Motion::still(&Pose::IDENTITY), &falling, Limits::default());
    /// assert!(hit.lower <= 0.5 && hit.value.is_some_and(|hit| (hit.time - 0.5).abs() < 1e-6));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn during(
        &mut self,
        a: &Motion,
        b: &Motion,
        limits: Limits<'_>,
    ) -> Bounded<Option<Impact>> {
        match &mut self.way {
            ImpactDispatch::Trees(pair) => pair.during(a, b, limits),
            ImpactDispatch::Movers(pair, swapped) => {
                let Moving { movers, start, gap } = &mut **pair;
                if let Some(hit) = start.impact(a, b) {
                    return hit;
                }
                let meet = &mut start.meet;
                // For round shapes a yes may be wrong by rounding; a lower bound above 0 refutes it.
                let mut is_met = |t: f64| {
                    let pose = relative_pose(a, b, t);
                    meet.any(&pose) && gap.at(&pose, Limits::default()).lower <= 0.0
                };
                let mut meter = WorkMeter::with(limits, &mut self.stacks);
                let motions = if *swapped { [b, a] } else { [a, b] };
                let found = movers.impact(motions, self.tolerance, &mut meter, &mut is_met);
                meter.give_back(&mut self.stacks);
                if *swapped { swap_impact(found) } else { found }
            }
            ImpactDispatch::Compound(pair, bounds) => {
                of_children(pair, bounds, a, b, limits, &mut self.stacks)
            }
            ImpactDispatch::Custom(function, shapes, swapped) => {
                let [shape_a, shape_b] = &**shapes;
                if *swapped {
                    let found = function(shape_b, shape_a, b, a, limits);
                    swap_impact(found)
                } else {
                    function(shape_a, shape_b, a, b, limits)
                }
            }
        }
    }
}

/// The impact as the other shape sees it.
fn swap_impact(found: Bounded<Option<Impact>>) -> Bounded<Option<Impact>> {
    map_bounded(found, |hit| {
        hit.map(|hit| Impact {
            normal: -hit.normal,
            faces: swap_pair(hit.faces),
            ..hit
        })
    })
}

impl MeshTrees {
    fn during(&mut self, a: &Motion, b: &Motion, limits: Limits<'_>) -> Bounded<Option<Impact>> {
        let options = ImpactOptions::default();
        let [tree_a, tree_b] = &self.trees;
        let found = impact(tree_a, tree_b, a, b, &options, limits, &mut self.cache);
        // Surfaces that do not touch at the start may still be one inside the other.
        let touches_at_once = found.value.is_some_and(|hit| hit.time == 0.0);
        if !touches_at_once && let Some(hit) = self.start.impact(a, b) {
            return hit;
        }
        let is_one = self.is_one;
        map_bounded(found, |hit| {
            hit.map(|hit| Impact {
                faces: FacePair {
                    a: if is_one[0] {
                        FaceId::new(0)
                    } else {
                        hit.faces.a
                    },
                    b: if is_one[1] {
                        FaceId::new(0)
                    } else {
                        hit.faces.b
                    },
                },
                ..hit
            })
        })
    }
}

/// How two shapes touch where they are.
struct Witness {
    point: DVec3,
    normal: DVec3,
    parts: [u32; 2],
}

impl Start {
    /// The impact of shapes that meet from the beginning; none when they do not.
    fn impact(&mut self, a: &Motion, b: &Motion) -> Option<Bounded<Option<Impact>>> {
        let pose = relative_pose(a, b, 0.0);
        if !self.meet.any(&pose) {
            return None;
        }
        // That they meet is known, even where no direction is.
        let witness = self.witness(&pose).unwrap_or(Witness {
            point: pose.translation(),
            normal: DVec3::ZERO,
            parts: [0; 2],
        });
        let world_from_a = a.at(0.0);
        Some(Bounded {
            value: Some(Impact {
                time: 0.0,
                point: world_from_a * witness.point,
                normal: world_from_a.transform_vector(witness.normal),
                faces: FacePair {
                    a: FaceId::new(witness.parts[0]),
                    b: FaceId::new(witness.parts[1]),
                },
            }),
            lower: 0.0,
            upper: 0.0,
            outcome: Outcome::Complete,
        })
    }

    /// Two parts that touch, in the frame of `a`.
    fn witness(&mut self, pose: &Pose) -> Option<Witness> {
        match &mut self.sides {
            Sides::Plane(plane, other, swapped) => {
                let mut meter = WorkMeter::with(Limits::default(), &mut self.stacks);
                let witness = on_plane(plane, other, *swapped, pose, &mut meter);
                meter.give_back(&mut self.stacks);
                witness
            }
            Sides::Parts(sides) => {
                let (a, b, cache) = &mut **sides;
                let deepest = deepest_parts(&mut self.meet, [&*a, &*b], pose, cache);
                if let Some((parts, way)) = deepest {
                    return Some(Witness {
                        point: gap(&a.part(parts[0]), &b.part(parts[1]), pose, cache)
                            .value
                            .point_a,
                        normal: face_normal([&*a, &*b], parts, pose, way),
                        parts,
                    });
                }
                // No surfaces meet: one lies in the other, and the shortest way out takes the place
                // of a normal.
                let point = contained(a, b, pose, &mut self.probe)?;
                let engulfed = self.engulfed.as_mut();
                let named = engulfed.and_then(|engulfed| engulfed.touch([&*a, &*b], pose));
                Some(Witness {
                    point,
                    normal: named.map_or(DVec3::ZERO, |named| named.touch.normal),
                    parts: named.map_or([0; 2], |named| named.parts),
                })
            }
        }
    }
}

/// The two parts that overlap most, and the direction in which the part of `b` leaves that of `a`;
/// none when no parts meet.
fn deepest_parts(
    meet: &mut IntersectionQuery,
    [a, b]: [&Composite; 2],
    pose: &Pose,
    cache: &mut PieceCache,
) -> Option<([u32; 2], DVec3)> {
    let mut best: Option<([u32; 2], f64, DVec3)> = None;
    let mut weigh = |pair: FacePair| {
        let parts = [pair.a.raw(), pair.b.raw()];
        let found = piece_method(&a.part(parts[0]), &b.part(parts[1]), pose, 0.0, cache);
        // Parts that touch in a point may have no direction.
        let (depth, normal) = found.map_or((0.0, DVec3::ZERO), |way| (way.depth, way.normal));
        if best.is_none_or(|(_, most, _)| depth > most) {
            best = Some((parts, depth, normal));
        }
        ControlFlow::Continue(())
    };
    let _ = meet.all(pose, Limits::default(), &mut weigh);
    best.map(|(parts, _, normal)| (parts, normal))
}

/// The normal of the touching face of `a`, or of `b` and turned, where `a` has no faces; `way`
/// where neither has, which is zero where no direction is known. A closed mesh's points out of it,
/// an open one's to the side on which the other shape is.
fn face_normal(sides: [&Composite; 2], parts: [u32; 2], pose: &Pose, way: DVec3) -> DVec3 {
    let of = |side: usize| {
        let ConvexPiece::Triangle([p, q, r]) = sides[side].part(parts[side]) else {
            return None;
        };
        let normal = (q - p).cross(r - p).try_normalize()?;
        let is_closed = matches!(sides[side], Composite::Mesh(mesh) if mesh.is_closed());
        Some((normal, is_closed))
    };
    let (normal, is_closed) = match (of(0), of(1)) {
        (Some(of_a), _) => of_a,
        (None, Some((normal, is_closed))) => (-pose.transform_vector(normal), is_closed),
        (None, None) => return way.normalize_or_zero(),
    };
    if !is_closed && normal.dot(way) < 0.0 {
        -normal
    } else {
        normal
    }
}

/// How a shape touches a half-space, in the frame of `a`: at its lowest point.
fn on_plane(
    plane: &HalfSpace,
    other: &Composite,
    swapped: bool,
    pose: &Pose,
    meter: &mut WorkMeter<'_>,
) -> Option<Witness> {
    let plane_from_other = if swapped { pose.inverse() } else { *pose };
    let above = HalfSpaceAbove::new(plane, &plane_from_other);
    let (part, height) = above.lowest(other, f64::INFINITY, meter).0?;
    Some(if swapped {
        Witness {
            point: *pose * height.point,
            normal: -pose.transform_vector(plane.normal()),
            parts: [part, 0],
        }
    } else {
        Witness {
            point: height.point,
            normal: plane.normal(),
            parts: [0, part],
        }
    })
}

/// The tree of a surface, or of the surface of a polytope; none for what is round.
fn tree_of(parts: &Composite) -> Option<Arc<WideTree>> {
    if let Some(mesh) = parts.surface() {
        return Some(mesh.wide().clone());
    }
    let Composite::One(part) = parts else {
        return None;
    };
    if !part.is_polytope() {
        return None;
    }
    let mesh = match part {
        // Its vertices are known, its faces are not.
        ConvexPiece::Convex(Convex::Custom(_)) => return None,
        ConvexPiece::Convex(shape) => solid_mesh(shape).or_else(|| flat_mesh(shape))?,
        _ => return None,
    };
    Some(Arc::new(WideTree::new(Arc::new(mesh))))
}

/// A polygon, triangle, segment or point as a mesh.
fn flat_mesh(shape: &Convex) -> Option<TriMesh> {
    let count = shape.vertex_count()?;
    let points: Vec<DVec3> = (0..count).map(|v| shape.vertex(v)).collect();
    let order: Vec<u32> = match shape {
        Convex::Polyhedron(polyhedron) if polyhedron.dimension() == 2 => {
            polyhedron.face(0).to_vec()
        }
        _ => (0..count).collect(),
    };
    let faces = match *order.as_slice() {
        [] => return None,
        [v] => vec![[v; 3]],
        [v, w] => vec![[v, w, w]],
        [first, ref rest @ ..] => rest.windows(2).map(|w| [first, w[0], w[1]]).collect(),
    };
    TriMesh::new(points, faces).ok()
}

/// The earliest impact of two children.
fn of_children(
    pair: &mut CompoundPair<ImpactQuery>,
    bounds: &[Option<Aabb>; 2],
    a: &Motion,
    b: &Motion,
    limits: Limits<'_>,
    stacks: &mut Stacks,
) -> Bounded<Option<Impact>> {
    let travel = |bounds: &Option<Aabb>, motion: &Motion| {
        bounds.map_or(f64::INFINITY, |bounds| {
            motion.max_travel(reach(&bounds, motion.center()), 0.0, 1.0)
        })
    };
    // Nothing farther apart at the start than both travel can meet.
    let margin = travel(&bounds[0], a) + travel(&bounds[1], b);
    let margin = margin.min(f64::MAX);
    let (side_a, side_b) = (pair.a.clone(), pair.b.clone());
    let start = relative_pose(a, b, 0.0);
    let mut best = free();
    let mut meter = WorkMeter::with(limits, stacks);
    let ended = pair.each(&start, margin, &mut meter, &mut |children, query| {
        let [i, j] = children.children;
        let (Some((pose_a, _)), Some((pose_b, _))) = (side_a.child(i), side_b.child(j)) else {
            return ControlFlow::Continue(());
        };
        let own = query.during(&a.of_child(&pose_a), &b.of_child(&pose_b), limits);
        let is_first = match (own.value, best.value) {
            (Some(own), Some(best)) => own.time < best.time,
            (own, _) => own.is_some(),
        };
        if is_first {
            best.value = own.value.map(|hit| Impact {
                faces: FacePair {
                    a: side_a.face(i, hit.faces.a),
                    b: side_b.face(j, hit.faces.b),
                },
                ..hit
            });
        }
        best.lower = best.lower.min(own.lower);
        best.upper = best.upper.min(own.upper);
        if own.outcome != Outcome::Complete {
            best.outcome = own.outcome;
        }
        ControlFlow::Continue(())
    });
    meter.give_back(stacks);
    if ended == DescentEnd::OutOfBudget {
        best.lower = 0.0;
        best.outcome = Outcome::OutOfBudget;
    }
    best
}
