//! Penetration depth of two shapes.
//!
//! Two convex shapes, and a half-space with anything bounded, have one answer up to rounding.
//! Closed meshes use [`penetration_depth`]. Everything else, such as unions and round shapes
//! against meshes that are not convex, is bracketed by [a search](super::min_translation).

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::cloud_distance::{deep_points, depths};
use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::convex_piece::{ConvexPiece, PieceCache, depth};
use super::dispatch::{Dispatch, dispatch, map_bounded, refusal};
use super::half_space::{HalfSpaceAbove, outcome};
use super::item_bvh::{Stacks, WorkMeter, each_near_pair};
use super::mesh_shape::MeshShape;
use super::min_translation::MinTranslation;
use super::pair_registry::DepthFn;
use super::shape::Shape;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::bvh::wide::{DepthScratch, SingleTreeCache, WideCache};
use crate::convex::{Convex, ConvexPenetration, HalfSpace, Polyhedron, SupportMap};
use crate::depth::{DepthOptions, penetration_depth};
use crate::math::Pose;
use crate::mesh::TriMesh;
use crate::query::{Bounded, Limits, Outcome};

/// Points of a round shape at which its depth in a mesh is measured.
const SAMPLED: u32 = 64;

/// Ways out of a mesh that its deepest points suggest.
const LIKELY: usize = 8;

/// How deep two shapes are in one another: the length of the shortest translation of `b` after which they share no inner point.
#[doc(alias = "MTV")]
#[doc(alias = "EPA")]
#[doc(alias = "penetration depth")]
#[doc(alias = "minimum translation")]
pub struct DepthQuery {
    way: DepthDispatch,
    known: DepthBounds,
    stacks: Stacks,
}

enum DepthDispatch {
    One(Box<(ConvexPiece, ConvexPiece, PieceCache)>),
    Plane(HalfSpace, Box<Composite>, bool),
    Solids([Arc<MeshShape>; 2], Box<WideCache>),
    Parts(Box<(Composite, Composite, PieceCache, MinTranslation)>),
    Compound(Box<(CompoundPair<DepthQuery>, MinTranslation)>),
    Custom(Arc<DepthFn>, Box<[Shape; 2]>, bool),
}

impl fmt::Debug for DepthQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DepthQuery").finish_non_exhaustive()
    }
}

impl MakeQuery for DepthQuery {
    fn make(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        Self::new(a, b, config)
    }
}

impl DepthQuery {
    /// The query about two shapes. Meshes are treated as solids, whatever the configuration says.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces, for open meshes and height fields against anything but a half-space, for two clouds, and for kinds that
    /// nobody registered.
    ///
    /// ```
    /// use impinge::{convex::Ball, generate, pair::{DepthQuery, MeshShape, PairConfig, Shape}};
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let mesh = Shape::from(MeshShape::new(std::sync::Arc::new(generate::icosphere(1.0, 2)?)));
    /// assert!(DepthQuery::new(&ball, &mesh, &PairConfig::default()).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let refuse = |reason| refusal(QueryKind::Depth, a, b, reason);
        let way = match dispatch(QueryKind::Depth, a, b, config)? {
            Dispatch::Compound => {
                let children = CompoundPair::new(a, b, config)?;
                DepthDispatch::Compound(Box::new((
                    children,
                    MinTranslation::new(QueryKind::Depth, a, b, config)?,
                )))
            }
            Dispatch::Custom(functions, swapped) => {
                let function = functions
                    .depth
                    .ok_or(refuse(UnsupportedReason::NotRegistered))?;
                DepthDispatch::Custom(function, Box::new([a.clone(), b.clone()]), swapped)
            }
            Dispatch::Planes(..) => return Err(refuse(UnsupportedReason::Unbounded)),
            Dispatch::Plane(plane, other, swapped) => {
                DepthDispatch::Plane(plane, Box::new(other), swapped)
            }
            Dispatch::Parts(p, q) => {
                for parts in [&p, &q] {
                    match parts {
                        Composite::Field(_) => return Err(refuse(UnsupportedReason::Surface)),
                        Composite::Mesh(mesh) if !mesh.is_closed() => {
                            return Err(refuse(UnsupportedReason::OpenMesh));
                        }
                        _ => {}
                    }
                }
                if let (Composite::Cloud(_), Composite::Cloud(_)) = (&p, &q) {
                    return Err(refuse(UnsupportedReason::Points));
                }
                let (p, q) = (as_convex(p), as_convex(q));
                match (p, q) {
                    (Composite::One(p), Composite::One(q)) => {
                        DepthDispatch::One(Box::new((p, q, PieceCache::default())))
                    }
                    (p, q) => match (as_solid(&p), as_solid(&q)) {
                        (Some(p), Some(q)) => DepthDispatch::Solids([p, q], Box::default()),
                        _ => {
                            let exit = MinTranslation::new(QueryKind::Depth, a, b, config)?;
                            DepthDispatch::Parts(Box::new((p, q, PieceCache::default(), exit)))
                        }
                    },
                }
            }
        };
        Ok(Self {
            way,
            known: DepthBounds::default(),
            stacks: Stacks::default(),
        })
    }

    /// The depth of the placed shapes, the direction in which `b` leaves, and the points that touch last; none when they are
    /// apart. Touching is depth 0, up to rounding.
    ///
    /// `lower` and `upper` hold the depth; the value is the best way out known, as long as `upper` up to rounding.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::{Ball, HalfSpace}, pair::{DepthQuery, PairConfig, Shape}, query::Limits};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let ball = Shape::from(Ball::new(1.0)?);
    /// let mut query = DepthQuery::new(&ground, &ball, &PairConfig::default())?;
    /// let found = query.at(&Pose::from_translation([0.0, 0.0, 0.5])?, Limits::default());
    /// assert!(found.value.is_some_and(|d| d.depth == 0.5 && d.normal == DVec3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(
        &mut self,
        a_from_b: &Pose,
        limits: Limits<'_>,
    ) -> Bounded<Option<ConvexPenetration>> {
        let Self { way, known, stacks } = self;
        known.clear();
        match way {
            DepthDispatch::One(pair) => {
                let (a, b, cache) = &mut **pair;
                match depth(a, b, a_from_b, cache) {
                    Some(found) => map_bounded(found, Some),
                    None => apart(),
                }
            }
            DepthDispatch::Plane(plane, other, swapped) => {
                let pose = if *swapped {
                    a_from_b.inverse()
                } else {
                    *a_from_b
                };
                let mut meter = WorkMeter::with(limits, stacks);
                let found = in_plane(&HalfSpaceAbove::new(plane, &pose), other, &mut meter);
                meter.give_back(stacks);
                if *swapped {
                    map_bounded(found, |d| d.map(|d| swap_depth(&d, a_from_b)))
                } else {
                    found
                }
            }
            DepthDispatch::Solids([a, b], cache) => of_solids(a, b, a_from_b, limits, cache),
            DepthDispatch::Parts(pair) => {
                let (a, b, cache, exit) = &mut **pair;
                let mut meter = WorkMeter::with(limits, stacks);
                let ended = match (&*a, &*b) {
                    (Composite::Mesh(mesh), other) => {
                        known.in_mesh(mesh, other, a_from_b, false, &mut meter.stacks);
                        super::item_bvh::DescentEnd::Complete
                    }
                    (other, Composite::Mesh(mesh)) => {
                        known.in_mesh(mesh, other, &a_from_b.inverse(), true, &mut meter.stacks);
                        known.turn(a_from_b);
                        super::item_bvh::DescentEnd::Complete
                    }
                    (a, b) => {
                        let mut offer = |lower, normal| known.offer(lower, normal);
                        let points = depths(a, b, a_from_b, cache, &mut meter, &mut offer);
                        points.unwrap_or_else(|| {
                            each_near_pair(a, b, a_from_b, 0.0, &mut meter, &mut |i, j| {
                                let found = depth(&a.part(i), &b.part(j), a_from_b, cache);
                                if let Some(found) = found {
                                    known.offer(found.lower, found.value.normal);
                                }
                                ControlFlow::Continue(())
                            })
                        })
                    }
                };
                meter.give_back(stacks);
                let found = exit.at(a_from_b, known.lower, &known.normals, limits);
                with_outcome(found, outcome(ended))
            }
            DepthDispatch::Compound(pair) => {
                let (children, exit) = &mut **pair;
                let mut meter = WorkMeter::with(limits, stacks);
                let ended = children.each(a_from_b, 0.0, &mut meter, &mut |pair, query| {
                    let found = query.at(&pair.pose, limits);
                    if let Some(value) = found.value {
                        known.offer(found.lower, pair.vector(value.normal));
                    }
                    ControlFlow::Continue(())
                });
                meter.give_back(stacks);
                let found = exit.at(a_from_b, known.lower, &known.normals, limits);
                with_outcome(found, outcome(ended))
            }
            DepthDispatch::Custom(function, shapes, swapped) => {
                let [a, b] = &**shapes;
                if *swapped {
                    let found = function(b, a, &a_from_b.inverse(), limits);
                    map_bounded(found, |d| d.map(|d| swap_depth(&d, a_from_b)))
                } else {
                    function(a, b, a_from_b, limits)
                }
            }
        }
    }
}

/// What is known of the depth before the search: no way out is shorter than `lower`, and these directions may lead out.
#[derive(Debug, Default)]
struct DepthBounds {
    lower: f64,
    normals: Vec<DVec3>,
    probe: SingleTreeCache,
    scratch: DepthScratch,
    /// Points of a cloud that are deep in a mesh.
    deeper: Vec<DVec3>,
}

impl DepthBounds {
    fn clear(&mut self) {
        self.lower = 0.0;
        self.normals.clear();
    }

    fn offer(&mut self, lower: f64, normal: DVec3) {
        if lower > self.lower || self.normals.is_empty() {
            self.lower = lower.max(self.lower);
            // The deepest last is tried first.
            self.normals.push(normal);
        }
    }

    /// What single points of a shape tell: a point that deep in a solid needs that much to leave it, and the swept ball around it
    /// its radius more.
    fn in_mesh(
        &mut self,
        mesh: &MeshShape,
        other: &Composite,
        mesh_from_other: &Pose,
        is_a: bool,
        stacks: &mut Stacks,
    ) {
        let solid = mesh.solid();
        let sign = if is_a { -1.0 } else { 1.0 };
        let mut probe = std::mem::take(&mut self.probe);
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut deeper = std::mem::take(&mut self.deeper);
        if let Composite::Cloud(cloud) = other {
            let bounds = cloud.bounds();
            let size = mesh.bounds().diagonal().max_element()
                + bounds.min.abs().max(bounds.max.abs()).max_element()
                + mesh_from_other.translation().abs().max_element();
            let rounding = 64.0 * f64::EPSILON * size;
            let memory = (stacks, &mut scratch, &mut deeper);
            deep_points(cloud, &solid, mesh_from_other, rounding, memory);
        }
        let mut look = |p: DVec3, radius: f64| {
            let p = *mesh_from_other * p;
            let rounding = 64.0
                * f64::EPSILON
                * (p.abs().max_element() + mesh.bounds().diagonal().max_element());
            let depth = solid.depth_with(p, &mut scratch) + radius - rounding;
            if depth > 0.0 {
                let limits = Limits::default();
                let nearest = mesh.wide().closest_face(p, limits, &mut probe);
                let way = nearest
                    .ok()
                    .and_then(|found| found.value)
                    .map(|f| f.point - p);
                let out = way.map_or(DVec3::Z, |way| {
                    let way = if depth - radius < 0.0 { -way } else { way };
                    way.normalize_or_zero()
                });
                self.offer(depth, out * sign);
            }
        };
        match other {
            Composite::Balls(balls) => {
                for (p, radius) in balls.balls() {
                    look(p, radius);
                }
            }
            Composite::Cloud(_) => {
                for &p in &deeper[deeper.len().saturating_sub(LIKELY)..] {
                    look(p, 0.0);
                }
            }
            Composite::One(part) => {
                let radius = part.radius();
                look(part.center(), radius);
                for v in 0..part.vertex_count().unwrap_or(0).min(SAMPLED) {
                    look(part.vertex(v), radius);
                }
                if part.vertex_count().is_none() {
                    for axis in DVec3::AXES {
                        look(part.support_certain(axis).point, radius);
                        look(part.support_certain(-axis).point, radius);
                    }
                }
            }
            _ => {}
        }
        (self.probe, self.scratch, self.deeper) = (probe, scratch, deeper);
    }

    fn turn(&mut self, a_from_b: &Pose) {
        for normal in &mut self.normals {
            *normal = a_from_b.transform_vector(*normal);
        }
    }
}

fn apart() -> Bounded<Option<ConvexPenetration>> {
    Bounded {
        value: None,
        lower: 0.0,
        upper: 0.0,
        outcome: Outcome::Complete,
    }
}

fn with_outcome(
    found: Bounded<Option<ConvexPenetration>>,
    outcome: Outcome,
) -> Bounded<Option<ConvexPenetration>> {
    Bounded {
        outcome: if outcome == Outcome::Complete {
            found.outcome
        } else {
            outcome
        },
        ..found
    }
}

/// A depth of `b` in `a`, in the frame of `b`, as one of `a` in `b`.
fn swap_depth(found: &ConvexPenetration, a_from_b: &Pose) -> ConvexPenetration {
    ConvexPenetration {
        depth: found.depth,
        normal: -a_from_b.transform_vector(found.normal),
        point_a: *a_from_b * found.point_b,
        point_b: *a_from_b * found.point_a,
    }
}

fn in_plane(
    above: &HalfSpaceAbove,
    other: &Composite,
    meter: &mut WorkMeter<'_>,
) -> Bounded<Option<ConvexPenetration>> {
    let (lowest, searched) = above.lowest(other, 0.0, meter);
    let rounding = above.rounding(&other.whole());
    let value = lowest.map(|(_, height)| ConvexPenetration {
        depth: -height.height,
        normal: above.plane.normal(),
        point_a: height.foot,
        point_b: height.point,
    });
    let depth = value.map_or(0.0, |d| d.depth);
    Bounded {
        value,
        lower: (depth - rounding).max(0.0),
        upper: (depth + if value.is_some() { rounding } else { 0.0 }).max(-searched.unexplored),
        outcome: outcome(searched.ended),
    }
}

/// A closed convex mesh as the polyhedron that it is.
fn as_convex(parts: Composite) -> Composite {
    match &parts {
        Composite::Mesh(mesh) => match mesh.hull() {
            Some(hull) => Composite::One(ConvexPiece::Convex(Convex::Polyhedron(hull.clone()))),
            None => parts,
        },
        _ => parts,
    }
}

/// A mesh, or a polyhedron with an inside as one.
fn as_solid(parts: &Composite) -> Option<Arc<MeshShape>> {
    match parts {
        Composite::Mesh(mesh) => Some(mesh.clone()),
        Composite::One(ConvexPiece::Convex(shape)) => {
            let mesh = solid_mesh(shape)?;
            Some(Arc::new(MeshShape::new(Arc::new(mesh))))
        }
        _ => None,
    }
}

/// The surface of a polyhedron or box as a mesh; none for other shapes and those without inside.
pub(super) fn solid_mesh(shape: &Convex) -> Option<TriMesh> {
    let own;
    let polyhedron = match shape {
        Convex::Polyhedron(polyhedron) => polyhedron.as_ref(),
        Convex::Cuboid(_) => {
            let corners: Vec<DVec3> = (0..8).map(|v| shape.vertex(v)).collect();
            own = Polyhedron::new(&corners).ok()?;
            &own
        }
        _ => return None,
    };
    if polyhedron.dimension() != 3 {
        return None;
    }
    let mut faces = Vec::new();
    for face in 0..polyhedron.face_count() as u32 {
        if let [first, rest @ ..] = polyhedron.face(face) {
            faces.extend(rest.windows(2).map(|w| [*first, w[0], w[1]]));
        }
    }
    TriMesh::new(polyhedron.vertices().to_vec(), faces).ok()
}

fn of_solids(
    a: &MeshShape,
    b: &MeshShape,
    a_from_b: &Pose,
    limits: Limits<'_>,
    cache: &mut WideCache,
) -> Bounded<Option<ConvexPenetration>> {
    let solid_a = a.solid();
    let solid_b = b.solid();
    let options = DepthOptions::default();
    let found = penetration_depth(&solid_a, &solid_b, a_from_b, &options, limits, cache);
    map_bounded(found, |escape| {
        escape.map(|escape| ConvexPenetration {
            depth: escape.translation.length(),
            normal: escape.exit.direction,
            point_a: escape.exit.point,
            point_b: escape.exit.point - escape.translation,
        })
    })
}
