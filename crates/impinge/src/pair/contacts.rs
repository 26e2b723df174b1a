//! Contact points of two shapes.
//!
//! **Idea.** Every two convex parts within the margin give contact points by
//! [manifold clipping](super::manifold_clipping). Contacts at [internal edges](super::internal_edges) of a
//! surface are discarded. The contacts of surfaces are gathered into
//! [patches](super::contact_patches). A closed convex mesh takes part as its
//! [hull](super::contact_hull). A shape inside a solid has the contact of its
//! [minimum translation](super::containment). Page: `docs/algorithms/shape-pairs.md`.
//! **Promise.** Shapes that intersect have a contact, including a shape inside a solid. Separated
//! shapes have one exactly if their distance is within the margin, and two nearest points are among
//! the contacts.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::contact_hull::ContactHull;
use super::contact_id::{contact_id, mixed, named as named_feature};
use super::contact_patches::{PatchScratch, filter, gather};
use super::contact_resolution::{DeepestPoint, drop_resolved};
use super::containment::Containment;
use super::convex_piece::{ConvexPiece, PieceCache, piece_method};
use super::dispatch::{Dispatch, dispatch, refusal};
use super::half_space::HalfSpaceAbove;
use super::hull_contacts::{HullPair, hulls_of};
use super::intersection::IntersectionQuery;
use super::item_bvh::{Stacks, WorkMeter, each_near_pair};
use super::manifold_clipping::{ManifoldPoint, contact_points, reduce_points};
use super::pair_registry::ContactFn;
use super::plane_contacts::{PlaneScratch, lie_on_plane, report_on_plane};
use super::shape::Shape;
use super::surface_contacts::{
    ContactCandidate, ContactGrade, ProposalScratch, propose, search_limit,
};
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::bvh::wide::{WideCache, WideTree};
use crate::convex::{ConvexPenetration, Feature, HalfSpace};
use crate::math::Pose;
use crate::query::{Limits, NearPair, Sink};

/// Cosine above which two normals count as one.
const SAME_NORMAL: f64 = 1.0 - 1e-6;

/// Touches beyond which they are not compared with each other, and all are reported.
const MAX_COMPARED: usize = 1024;

/// A point where two shapes touch, or come within the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "manifold")]
#[doc(alias = "contact manifold")]
pub struct ContactPoint {
    /// The point on `a`.
    pub point_a: DVec3,
    /// The point on `b`, in the frame of `a`.
    pub point_b: DVec3,
    /// The unit direction from `a` to `b`.
    pub normal: DVec3,
    /// How far the points are past one another along the normal; negative for a gap.
    pub depth: f64,
    /// The part of `a` that touches: of meshes and height fields a face, edge (by one of its half-edges) or vertex, of particles and clouds a vertex.
    pub feature_a: Feature,
    /// The part of `b` that touches.
    pub feature_b: Feature,
    /// The child of `a`, when it is a compound; else 0.
    pub child_a: u32,
    /// The child of `b`, when it is a compound; else 0.
    pub child_b: u32,
    /// The same for the same features: a contact keeps it from frame to frame.
    pub id: u64,
}

/// Where two shapes touch.
#[doc(alias = "contact manifold")]
#[doc(alias = "manifold")]
#[doc(alias = "narrow phase")]
pub struct ContactQuery {
    way: ContactDispatch,
    max_contacts: usize,
    found: Vec<NamedTouch>,
    engulfed: Option<Containment>,
    /// Whether the surfaces meet, where contacts of surfaces are gathered into patches.
    surfaces: Option<Box<IntersectionQuery>>,
    scratch: Scratch,
    stacks: Stacks,
}

/// Memory that is kept, so that repeated queries do not allocate.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    proposal: ProposalScratch,
    pub(super) candidates: Vec<ContactCandidate>,
    patches: PatchScratch,
    plane: PlaneScratch,
    chosen: Vec<usize>,
    /// Points by the number of their normal and their place before.
    grouped: Vec<(usize, usize, NamedTouch)>,
    normals: Vec<DVec3>,
    deepest: Vec<DeepestPoint>,
    given: Vec<u64>,
}

/// A touch and the parts that it is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedTouch {
    pub(super) touch: ManifoldPoint,
    pub(super) parts: [u32; 2],
    /// Where it was among those found, which distinguishes points of the same parts.
    pub(super) place: u32,
}

/// Two surfaces with their trees, and what these and single faces remember.
type SurfacePair = (
    Composite,
    Composite,
    [Arc<WideTree>; 2],
    WideCache,
    PieceCache,
);

enum ContactDispatch {
    Parts(Box<(Composite, Composite, PieceCache)>),
    Wide(Box<SurfacePair>),
    Hulls(Box<HullPair>),
    Plane(HalfSpace, Box<Composite>, bool),
    Compound(Box<CompoundPair<ContactQuery>>),
    Custom(Arc<ContactFn>, Box<[Shape; 2]>, bool),
}

impl fmt::Debug for ContactQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContactQuery").finish_non_exhaustive()
    }
}

impl MakeQuery for ContactQuery {
    fn make(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        Self::new(a, b, config)
    }
}

impl ContactQuery {
    /// The query about two shapes.
    ///
    /// # Errors
    /// [`Unsupported`] for two half-spaces and for kinds without registered functions.
    ///
    /// ```
    /// use impinge::{convex::HalfSpace, pair::{ContactQuery, PairConfig, UnsupportedReason, Shape}};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let refused = ContactQuery::new(&ground, &ground, &PairConfig::default()).unwrap_err();
    /// assert_eq!(refused.reason, UnsupportedReason::Unbounded);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let plain = Self::plain(a, b, config)?;
        // Every contact of every two faces is wanted of the faces.
        if config.max_contacts == usize::MAX {
            return Ok(plain);
        }
        let (p, q) = match &plain.way {
            ContactDispatch::Parts(pair) => (&pair.0, &pair.1),
            ContactDispatch::Wide(pair) => (&pair.0, &pair.1),
            _ => return Ok(plain),
        };
        let Some(taken) = hulls_of(p, q) else {
            return Ok(plain);
        };
        let pair = HullPair::new([a, b], taken, plain, config)?;
        let way = ContactDispatch::Hulls(Box::new(pair));
        Ok(Self::with_way(way, None, config))
    }

    /// Whether a shape inside the other has a contact.
    pub(super) fn has_containment(&self) -> bool {
        self.engulfed.is_some()
    }

    /// The query about two shapes, meshes face by face.
    fn plain(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
        let refuse = |reason| refusal(QueryKind::Contact, a, b, reason);
        let way = match dispatch(QueryKind::Contact, a, b, config)? {
            Dispatch::Compound => {
                ContactDispatch::Compound(Box::new(CompoundPair::new(a, b, config)?))
            }
            Dispatch::Custom(functions, swapped) => {
                let function = functions
                    .contact
                    .ok_or(refuse(UnsupportedReason::NotRegistered))?;
                ContactDispatch::Custom(function, Box::new([a.clone(), b.clone()]), swapped)
            }
            Dispatch::Planes(..) => return Err(refuse(UnsupportedReason::Unbounded)),
            Dispatch::Plane(plane, other, swapped) => {
                ContactDispatch::Plane(plane, Box::new(other), swapped)
            }
            Dispatch::Parts(p, q) => match (p.surface(), q.surface()) {
                (Some(mesh_a), Some(mesh_b)) => {
                    let trees = [mesh_a.wide().clone(), mesh_b.wide().clone()];
                    let caches = (WideCache::default(), PieceCache::default());
                    ContactDispatch::Wide(Box::new((p, q, trees, caches.0, caches.1)))
                }
                _ => ContactDispatch::Parts(Box::new((p, q, PieceCache::default()))),
            },
        };
        let engulfed = match way {
            ContactDispatch::Parts(_) | ContactDispatch::Wide(_) => {
                Containment::new([a, b], config)
            }
            _ => None,
        };
        let surfaces = match &way {
            ContactDispatch::Parts(pair) if has_patches([&pair.0, &pair.1], config) => {
                Some(surface_query(a, b, config)?)
            }
            ContactDispatch::Wide(_) if config.max_contacts != usize::MAX => {
                Some(surface_query(a, b, config)?)
            }
            _ => None,
        };
        let mut query = Self::with_way(way, engulfed, config);
        query.surfaces = surfaces.map(Box::new);
        Ok(query)
    }

    fn with_way(way: ContactDispatch, engulfed: Option<Containment>, config: &PairConfig) -> Self {
        Self {
            way,
            max_contacts: config.max_contacts,
            found: Vec::new(),
            engulfed,
            surfaces: None,
            scratch: Scratch::default(),
            stacks: Stacks::default(),
        }
    }

    /// Reports the contact points of the placed shapes: where they overlap, or come within `margin` of each other.
    ///
    /// Points come in patches of one normal, each with at most [`PairConfig::max_contacts`] points, its deepest among them. Two convex shapes
    /// have one patch, and so has a closed convex mesh of up to 256 sides with either; surfaces have at most 8. Particles and clouds have as many
    /// as they have points that touch. A negative margin counts as 0.
    ///
    /// Shapes that are apart and within the margin have points with negative depths, two nearest points among them. Where meshes are
    /// [solids](PairConfig::solid), a shape inside one has a single point, whose depth and normal are those of the minimum translation.
    ///
    /// ```
    /// use impinge::{DVec3, Pose, convex::Cuboid, pair::{ContactQuery, PairConfig, Shape}};
    /// let cube = Shape::from(Cuboid::new([1.0, 1.0, 1.0])?);
    /// let mut query = ContactQuery::new(&cube, &cube, &PairConfig::default())?;
    /// let mut points = Vec::new();
    /// query.at(&Pose::from_translation([0.5, 0.0, 2.0])?, 0.01, &mut points);
    /// assert_eq!(points.len(), 4);
    /// assert!(points.iter().all(|p| (p.normal - DVec3::Z).length() < 1e-9 && p.depth.abs() < 1e-9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(&mut self, a_from_b: &Pose, margin: f64, sink: &mut dyn Sink<ContactPoint>) {
        let margin = margin.max(0.0);
        let Self {
            found,
            scratch,
            stacks,
            ..
        } = self;
        found.clear();
        match &mut self.way {
            ContactDispatch::Parts(pair) => {
                let (a, b, cache) = &mut **pair;
                if let (Composite::One(p), Composite::One(q)) = (&*a, &*b) {
                    if let Some(way) = piece_method(p, q, a_from_b, margin, cache) {
                        of_pieces(
                            p,
                            q,
                            a_from_b,
                            &way,
                            margin,
                            self.max_contacts,
                            scratch,
                            found,
                        );
                    }
                } else {
                    let is_surface = self.surfaces.is_some();
                    let searches = if is_surface {
                        search_limit(self.max_contacts)
                    } else {
                        u32::MAX
                    };
                    let memory = (&mut *scratch, &mut *stacks);
                    let spare = each_part([a, b], a_from_b, margin, searches, cache, memory);
                    let parts = (&mut self.engulfed, self.surfaces.as_deref_mut());
                    let most = self.max_contacts;
                    finish([a, b], a_from_b, parts, spare, most, scratch, found);
                }
                report([a, b], [None; 2], found, &mut scratch.given, sink);
            }
            ContactDispatch::Wide(pair) => {
                let (a, b, [tree_a, tree_b], wide, cache) = &mut **pair;
                let mut spare = None;
                scratch.candidates.clear();
                let limits = Limits::default();
                let room = margin + rounding_room(a, b, a_from_b);
                {
                    let mut propose =
                        proposer([a, b], a_from_b, margin, cache, scratch, &mut spare);
                    let mut near = |pair: NearPair| propose(pair.faces.a.raw(), pair.faces.b.raw());
                    let _ = tree_a.near_pairs(tree_b, a_from_b, room, limits, wide, &mut near);
                }
                let parts = (&mut self.engulfed, self.surfaces.as_deref_mut());
                let most = self.max_contacts;
                finish([a, b], a_from_b, parts, spare, most, scratch, found);
                report([a, b], [None; 2], found, &mut scratch.given, sink);
            }
            ContactDispatch::Hulls(pair) => {
                let is_told =
                    pair.contacts(a_from_b, margin, self.max_contacts, scratch, stacks, found);
                if is_told {
                    let [a, b] = &pair.parts;
                    let hulls = [0, 1].map(|k| pair.hulls[k].as_deref());
                    report([a, b], hulls, found, &mut scratch.given, sink);
                } else {
                    pair.plain.at(a_from_b, margin, sink);
                }
            }
            ContactDispatch::Plane(plane, other, swapped) => {
                let pose = if *swapped {
                    a_from_b.inverse()
                } else {
                    *a_from_b
                };
                let above = HalfSpaceAbove::new(plane, &pose);
                let limit = self.max_contacts;
                let mut meter = WorkMeter::with(Limits::default(), stacks);
                let nodes = &mut meter.stacks.nodes;
                lie_on_plane(&above, other, margin, limit, &mut scratch.plane, nodes);
                meter.give_back(stacks);
                report_on_plane(&scratch.plane.found, *swapped, a_from_b, sink);
            }
            ContactDispatch::Compound(pair) => {
                let mut meter = WorkMeter::with(Limits::default(), stacks);
                let room = margin + pair.rounding(a_from_b);
                pair.each(a_from_b, room, &mut meter, &mut |children, query| {
                    let [child_a, child_b] = children.children;
                    let mut stopped = ControlFlow::Continue(());
                    let mut renamed = |point: ContactPoint| {
                        stopped = sink.accept(ContactPoint {
                            point_a: children.point(point.point_a),
                            point_b: children.point(point.point_b),
                            normal: children.vector(point.normal),
                            child_a,
                            child_b,
                            id: mixed(mixed(point.id, child_a), child_b),
                            ..point
                        });
                        stopped
                    };
                    query.at(&children.pose, margin, &mut renamed);
                    stopped
                });
                meter.give_back(stacks);
            }
            ContactDispatch::Custom(function, shapes, swapped) => {
                let [a, b] = &**shapes;
                if *swapped {
                    let mut turned =
                        |point: ContactPoint| sink.accept(swapped_point(&point, a_from_b));
                    function(b, a, &a_from_b.inverse(), margin, &mut turned);
                } else {
                    function(a, b, a_from_b, margin, sink);
                }
            }
        }
    }
}

/// Whether contacts of two shapes are gathered into patches: one has faces, and neither consists of points.
fn has_patches(shapes: [&Composite; 2], config: &PairConfig) -> bool {
    let has_faces = |parts: &Composite| matches!(parts, Composite::Mesh(_) | Composite::Field(_));
    let is_round = |parts: &Composite| matches!(parts, Composite::Balls(_) | Composite::Cloud(_));
    config.max_contacts != usize::MAX
        && shapes.into_iter().any(has_faces)
        && !shapes.into_iter().any(is_round)
}

/// The query whether two surfaces meet; what lies inside is apart.
pub(super) fn surface_query(
    a: &Shape,
    b: &Shape,
    config: &PairConfig,
) -> Result<IntersectionQuery, Unsupported> {
    let surfaces = PairConfig {
        solid: false,
        engine: None,
        ..config.clone()
    };
    IntersectionQuery::new(a, b, &surfaces)
}

/// Leaves out patches that a move along the normal of another resolves.
fn resolve(
    shapes: [&Composite; 2],
    a_from_b: &Pose,
    surfaces: &mut IntersectionQuery,
    scratch: &mut Scratch,
    found: &mut Vec<NamedTouch>,
) {
    let room = rounding_room(shapes[0], shapes[1], a_from_b);
    let deepest = &mut scratch.deepest;
    drop_resolved(shapes, a_from_b, room, surfaces, deepest, found);
}

/// Adds the contacts of two convex shapes, given the way they overlap or come nearest.
#[expect(
    clippy::too_many_arguments,
    reason = "the shapes, the question and the memory of the query"
)]
pub(super) fn of_pieces(
    p: &ConvexPiece,
    q: &ConvexPiece,
    a_from_b: &Pose,
    way: &ConvexPenetration,
    margin: f64,
    max_contacts: usize,
    scratch: &mut Scratch,
    found: &mut Vec<NamedTouch>,
) {
    let Scratch {
        proposal: ProposalScratch { clipping, own, .. },
        chosen,
        ..
    } = scratch;
    own.clear();
    contact_points(p, q, a_from_b, way, margin, clipping, own);
    reduce_points(own, 0, max_contacts, chosen);
    found.extend((0..).zip(own).map(|(place, touch)| NamedTouch {
        touch: *touch,
        parts: [0; 2],
        place,
    }));
}

/// Makes `scratch.candidates` the contacts of every two parts within the margin. Returns the deepest of those that gave none.
pub(super) fn each_part(
    [a, b]: [&Composite; 2],
    a_from_b: &Pose,
    margin: f64,
    max_searches: u32,
    cache: &mut PieceCache,
    (scratch, stacks): (&mut Scratch, &mut Stacks),
) -> Option<NamedTouch> {
    scratch.candidates.clear();
    scratch.proposal.searches_left = max_searches;
    let mut meter = WorkMeter::with(Limits::default(), stacks);
    let room = margin + rounding_room(a, b, a_from_b);
    let mut spare = None;
    each_near_pair(
        a,
        b,
        a_from_b,
        room,
        &mut meter,
        &mut proposer([a, b], a_from_b, margin, cache, scratch, &mut spare),
    );
    meter.give_back(stacks);
    spare
}

/// Adds the contacts of two parts to the candidates; of those that give none, makes `spare` the deepest.
fn proposer<'s>(
    shapes: [&'s Composite; 2],
    a_from_b: &'s Pose,
    margin: f64,
    cache: &'s mut PieceCache,
    scratch: &'s mut Scratch,
    spare: &'s mut Option<NamedTouch>,
) -> impl FnMut(u32, u32) -> ControlFlow<()> + 's {
    let Scratch {
        proposal,
        candidates,
        ..
    } = scratch;
    move |i, j| {
        let left = propose(
            shapes,
            [i, j],
            a_from_b,
            margin,
            cache,
            proposal,
            candidates,
        );
        *spare = deeper(*spare, left);
        ControlFlow::Continue(())
    }
}

/// A contact of `b` and `a`, in the frame of `b`, as one of `a` and `b`.
pub(super) fn swapped_point(point: &ContactPoint, a_from_b: &Pose) -> ContactPoint {
    ContactPoint {
        point_a: *a_from_b * point.point_b,
        point_b: *a_from_b * point.point_a,
        normal: -a_from_b.transform_vector(point.normal),
        feature_a: point.feature_b,
        feature_b: point.feature_a,
        child_a: point.child_b,
        child_b: point.child_a,
        ..*point
    }
}

pub(super) fn rounding_room(a: &Composite, b: &Composite, a_from_b: &Pose) -> f64 {
    let far = |parts: &Composite| {
        let bounds = parts.whole();
        if bounds.is_empty() {
            0.0
        } else {
            bounds.min.abs().max(bounds.max.abs()).max_element()
        }
    };
    let moved = a_from_b.translation().abs().max_element();
    4.0 * super::placed_box::ROUNDING * (far(a) + 2.0 * far(b) + moved)
}

/// The deeper of two contacts; among equals the one of the lower parts.
fn deeper(one: Option<NamedTouch>, other: Option<NamedTouch>) -> Option<NamedTouch> {
    let (Some(p), Some(q)) = (one, other) else {
        return one.or(other);
    };
    let order = p.touch.depth.total_cmp(&q.touch.depth);
    let is_first = order.then(q.parts.cmp(&p.parts)).is_ge();
    Some(if is_first { p } else { q })
}

/// Sees to it that shapes that meet have a contact: that of the way out, where one lies inside the other, or else the deepest of faces that the
/// surfaces themselves do not turn to each other.
fn settle(
    shapes: [&Composite; 2],
    a_from_b: &Pose,
    engulfed: &mut Option<Containment>,
    spare: Option<NamedTouch>,
    candidates: &mut Vec<ContactCandidate>,
) {
    let room = rounding_room(shapes[0], shapes[1], a_from_b);
    if candidates.iter().any(|c| c.named.touch.depth >= -room) {
        return;
    }
    let proper = |named: NamedTouch| ContactCandidate {
        named,
        grade: ContactGrade::Proper,
        is_overlap: true,
    };
    if let Some(engulfed) = engulfed
        && let Some(named) = engulfed.touch(shapes, a_from_b)
    {
        // What is near on the inner side of the surface is not apart.
        candidates.clear();
        candidates.push(proper(named));
        return;
    }
    candidates.extend(spare.map(proper));
}

/// Makes `found` the contacts of two shapes, given those of their parts; with the query of their surfaces, without those that a move along another
/// resolves.
pub(super) fn finish(
    shapes: [&Composite; 2],
    a_from_b: &Pose,
    (engulfed, surfaces): (&mut Option<Containment>, Option<&mut IntersectionQuery>),
    spare: Option<NamedTouch>,
    max_contacts: usize,
    scratch: &mut Scratch,
    found: &mut Vec<NamedTouch>,
) {
    let Scratch {
        candidates,
        patches,
        ..
    } = scratch;
    // A descent's order is its own; that of the parts is the same for every tree.
    candidates.sort_unstable_by_key(|c| (c.named.parts, c.named.place));
    let has_patches = max_contacts != usize::MAX
        && shapes
            .iter()
            .all(|parts| !matches!(parts, Composite::Balls(_) | Composite::Cloud(_)));
    if has_patches {
        let room = rounding_room(shapes[0], shapes[1], a_from_b);
        let is_meeting = spare.is_some() || candidates.iter().any(|c| c.is_overlap);
        filter(shapes, a_from_b, room, is_meeting, candidates, patches);
    }
    settle(shapes, a_from_b, engulfed, spare, candidates);
    if has_patches {
        gather(candidates, max_contacts, patches, found);
    } else {
        found.extend(candidates.iter().map(|c| c.named));
        merge(found, max_contacts, scratch);
    }
    if let Some(surfaces) = surfaces {
        resolve(shapes, a_from_b, surfaces, scratch, found);
    }
}

/// Leaves out points that two faces report twice, and reduces those of one normal.
fn merge(found: &mut Vec<NamedTouch>, max_contacts: usize, scratch: &mut Scratch) {
    if found.len() > MAX_COMPARED {
        return;
    }
    let Scratch {
        grouped,
        normals,
        chosen,
        proposal: ProposalScratch { own, .. },
        ..
    } = scratch;
    grouped.clear();
    normals.clear();
    for (place, named) in found.drain(..).enumerate() {
        let normal = named.touch.normal;
        let known = normals
            .iter()
            .position(|other| other.dot(normal) >= SAME_NORMAL);
        let Some(group) = known else {
            grouped.push((normals.len(), place, named));
            normals.push(normal);
            continue;
        };
        let size = named.touch.point_b.abs().max_element();
        let is_told = grouped.iter().any(|(other_group, _, other)| {
            let off = other.touch.point_b - named.touch.point_b;
            *other_group == group
                && off.abs().max_element() <= 1e-9 * size
                && (other.touch.depth - named.touch.depth).abs() <= 1e-9 * size
        });
        if !is_told {
            grouped.push((group, place, named));
        }
    }
    grouped.sort_unstable_by_key(|&(group, place, _)| (group, place));
    for group in grouped.chunk_by(|p, q| p.0 == q.0) {
        own.clear();
        own.extend(group.iter().map(|(_, _, named)| named.touch));
        reduce_points(own, 0, max_contacts, chosen);
        let mut kept = own.iter().peekable();
        for (_, _, named) in group {
            if kept.peek() == Some(&&named.touch) {
                found.push(*named);
                kept.next();
            }
        }
    }
}

/// Names the points and hands them over.
fn report(
    shapes: [&Composite; 2],
    hulls: [Option<&ContactHull>; 2],
    found: &[NamedTouch],
    given: &mut Vec<u64>,
    sink: &mut dyn Sink<ContactPoint>,
) {
    given.clear();
    for named in found {
        let features = [0, 1].map(|k| {
            let feature = named.touch.features[k];
            match hulls[k] {
                Some(hull) => hull.named(feature),
                None => named_feature(shapes[k], named.parts[k], feature),
            }
        });
        let mut id = contact_id(features);
        if found.len() <= MAX_COMPARED {
            // Two points of the same features, as on a rim, are told apart by their order.
            while given.contains(&id) {
                id = mixed(id, 1);
            }
            given.push(id);
        }
        let touch = &named.touch;
        let point = ContactPoint {
            point_a: touch.point_a,
            point_b: touch.point_b,
            normal: touch.normal,
            depth: touch.depth,
            feature_a: features[0],
            feature_b: features[1],
            child_a: 0,
            child_b: 0,
            id,
        };
        if sink.accept(point).is_break() {
            return;
        }
    }
}
