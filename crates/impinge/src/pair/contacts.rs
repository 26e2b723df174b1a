//! Contact points of two shapes.
//!
//! **Idea.** Every two convex parts within the margin give contact points by [face clipping](super::face_clipping). Contacts at
//! [internal edges](super::internal_edges) of a surface are discarded. Points with the same normal are reduced to the few that matter. A shape
//! inside a solid has the contact of its [minimum translation](super::containment).
//! **Promise.** Shapes that intersect have a contact, including a shape inside a solid. Separated shapes have one exactly if their distance
//! is within the margin, and two nearest points are among the contacts.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use glam::DVec3;

use super::composite::Composite;
use super::compound_pair::{CompoundPair, MakeQuery};
use super::config::PairConfig;
use super::contact_id::{contact_id, mixed, named};
use super::containment::Containment;
use super::convex_piece::{PieceCache, piece_method};
use super::dispatch::{Dispatch, dispatch, refusal};
use super::face_clipping::{Clipping, ManifoldPoint, clip, contact_points, reduce_points};
use super::half_space::HalfSpaceAbove;
use super::internal_edges::{EdgeNormalRegion, standing};
use super::item_bvh::{ItemHierarchy, ItemNode, Stacks, WorkMeter, each_near_pair};
use super::pair_registry::ContactFn;
use super::shape::Shape;
use super::support_face::support_face;
use super::unsupported::{QueryKind, Unsupported, UnsupportedReason};
use crate::bvh::wide::{WideCache, WideTree};
use crate::convex::{Feature, HalfSpace, SupportMap};
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
    scratch: Scratch,
    stacks: Stacks,
}

/// Memory that is kept, so that asking again does not allocate.
#[derive(Debug, Default)]
struct Scratch {
    clipping: Clipping,
    /// Points of two parts.
    own: Vec<ManifoldPoint>,
    other: Vec<ManifoldPoint>,
    chosen: Vec<usize>,
    /// Points by the number of their normal and their place before.
    grouped: Vec<(usize, usize, NamedTouch)>,
    normals: Vec<DVec3>,
    given: Vec<u64>,
    corners: Vec<(DVec3, Feature)>,
}

/// A touch and the parts that it is of.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedTouch {
    pub(super) touch: ManifoldPoint,
    pub(super) parts: [u32; 2],
    /// Where it was among those found, which tells points of the same parts apart.
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
    /// [`Unsupported`] for two half-spaces and for kinds that nobody registered.
    ///
    /// ```
    /// use impinge::{convex::HalfSpace, pair::{ContactQuery, PairConfig, UnsupportedReason, Shape}};
    /// let ground = Shape::from(HalfSpace::new([0.0, 0.0, 1.0], [0.0; 3])?);
    /// let refused = ContactQuery::new(&ground, &ground, &PairConfig::default()).unwrap_err();
    /// assert_eq!(refused.reason, UnsupportedReason::Unbounded);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(a: &Shape, b: &Shape, config: &PairConfig) -> Result<Self, Unsupported> {
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
        Ok(Self {
            way,
            max_contacts: config.max_contacts,
            found: Vec::new(),
            engulfed,
            scratch: Scratch::default(),
            stacks: Stacks::default(),
        })
    }

    /// Reports the contact points of the placed shapes: where they overlap, or come within `margin` of each other.
    ///
    /// Two convex parts have at most [`PairConfig::max_contacts`], the deepest among them; so has what a surface turns in one
    /// direction, unless more than a thousand faces touch. A negative margin counts as 0.
    ///
    /// Shapes that are apart and within the margin have points with negative depths, two nearest points among them. Where meshes are
    /// [solids](PairConfig::solid), a shape inside one has a single point, whose depth and normal tell a way out.
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
                    let Scratch {
                        own,
                        clipping,
                        chosen,
                        ..
                    } = scratch;
                    own.clear();
                    if let Some(way) = piece_method(p, q, a_from_b, margin, cache) {
                        contact_points(p, q, a_from_b, &way, margin, clipping, own);
                    }
                    reduce_points(own, 0, self.max_contacts, chosen);
                    found.extend((0..).zip(own).map(|(place, touch)| NamedTouch {
                        touch: *touch,
                        parts: [0; 2],
                        place,
                    }));
                } else {
                    let mut meter = WorkMeter::with(Limits::default(), stacks);
                    let room = margin + rounding_room(a, b, a_from_b);
                    let mut spare = None;
                    each_near_pair(a, b, a_from_b, room, &mut meter, &mut |i, j| {
                        let left =
                            of_parts([a, b], [i, j], a_from_b, margin, cache, scratch, found);
                        spare = deeper(spare, left);
                        ControlFlow::Continue(())
                    });
                    meter.give_back(stacks);
                    settle([a, b], a_from_b, &mut self.engulfed, spare, found);
                    merge(found, self.max_contacts, scratch);
                }
                report([a, b], found, &mut scratch.given, sink);
            }
            ContactDispatch::Wide(pair) => {
                let (a, b, [tree_a, tree_b], wide, cache) = &mut **pair;
                let mut spare = None;
                let mut near = |pair: NearPair| {
                    let numbers = [pair.faces.a.raw(), pair.faces.b.raw()];
                    let left = of_parts([a, b], numbers, a_from_b, margin, cache, scratch, found);
                    spare = deeper(spare, left);
                    ControlFlow::Continue(())
                };
                let limits = Limits::default();
                let room = margin + rounding_room(a, b, a_from_b);
                let _ = tree_a.near_pairs(tree_b, a_from_b, room, limits, wide, &mut near);
                // The tree's order is its own; that of the faces is the same for every tree.
                found.sort_unstable_by_key(|named| (named.parts, named.place));
                settle([a, b], a_from_b, &mut self.engulfed, spare, found);
                merge(found, self.max_contacts, scratch);
                report([a, b], found, &mut scratch.given, sink);
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
                lie_on_plane(&above, other, margin, limit, scratch, nodes);
                meter.give_back(stacks);
                report_on_plane(&scratch.own, *swapped, a_from_b, sink);
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

/// A contact of `b` and `a`, in the frame of `b`, as one of `a` and `b`.
fn swapped_point(point: &ContactPoint, a_from_b: &Pose) -> ContactPoint {
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

fn rounding_room(a: &Composite, b: &Composite, a_from_b: &Pose) -> f64 {
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
    found: &mut Vec<NamedTouch>,
) {
    let room = rounding_room(shapes[0], shapes[1], a_from_b);
    if found.iter().any(|named| named.touch.depth >= -room) {
        return;
    }
    if let Some(engulfed) = engulfed
        && let Some(named) = engulfed.touch(shapes, a_from_b)
    {
        // What is near on the inner side of the surface is not apart.
        found.clear();
        found.push(named);
        return;
    }
    found.extend(spare);
}

/// Adds the contact points of two parts of two shapes. Returns how they overlap when there are none.
fn of_parts(
    shapes: [&Composite; 2],
    numbers: [u32; 2],
    a_from_b: &Pose,
    margin: f64,
    cache: &mut PieceCache,
    scratch: &mut Scratch,
    found: &mut Vec<NamedTouch>,
) -> Option<NamedTouch> {
    let [a, b] = [shapes[0].part(numbers[0]), shapes[1].part(numbers[1])];
    let way = piece_method(&a, &b, a_from_b, margin, cache)?;
    let is_apart = way.depth < 0.0;
    let outward = |parts: &Composite| match parts {
        Composite::Mesh(mesh) if !is_apart => mesh.outward(),
        _ => None,
    };
    let middle = *a_from_b * b.center() - a.center();
    let turned = |v: DVec3| a_from_b.rotation().transpose() * v;
    let at_a = standing(
        shapes[0],
        numbers[0],
        way.normal,
        middle,
        outward(shapes[0]),
    );
    let at_b = standing(
        shapes[1],
        numbers[1],
        turned(-way.normal),
        turned(-middle),
        outward(shapes[1]),
    );
    let Scratch {
        own,
        other,
        clipping,
        ..
    } = scratch;
    own.clear();
    match (at_a, at_b) {
        (EdgeNormalRegion::Normal, EdgeNormalRegion::Normal) => {
            contact_points(&a, &b, a_from_b, &way, margin, clipping, own);
        }
        // A neighbour of the face is nearer, and has the contact.
        _ if is_apart => return None,
        (at_a, at_b) => {
            let Clipping {
                facets: [reference, incident],
                cutter,
            } = clipping;
            if let EdgeNormalRegion::Slanted(normal) = at_a {
                support_face(&a, &Pose::IDENTITY, normal, reference);
                support_face(&b, a_from_b, -normal, incident);
                let radii = [0.0, b.radius()];
                clip(reference, incident, radii, margin, false, cutter, own);
            }
            if let EdgeNormalRegion::Slanted(normal) = at_b {
                let normal = a_from_b.transform_vector(normal);
                support_face(&b, a_from_b, normal, reference);
                support_face(&a, &Pose::IDENTITY, -normal, incident);
                let radii = [0.0, a.radius()];
                other.clear();
                clip(reference, incident, radii, margin, true, cutter, other);
                let deepest = |touches: &[ManifoldPoint]| {
                    let depths = touches.iter().map(|t| t.depth);
                    depths.fold(f64::NEG_INFINITY, f64::max)
                };
                if own.is_empty() || (!other.is_empty() && deepest(other) < deepest(own)) {
                    std::mem::swap(own, other);
                }
            }
        }
    }
    let spare = own.is_empty().then_some(NamedTouch {
        touch: ManifoldPoint {
            point_a: way.point_a,
            point_b: way.point_b,
            normal: way.normal,
            depth: way.depth,
            features: [Feature::Face(0); 2],
        },
        parts: numbers,
        place: 0,
    });
    for touch in own {
        found.push(NamedTouch {
            touch: *touch,
            parts: numbers,
            place: found.len() as u32,
        });
    }
    spare
}

/// Leaves out points that two faces report twice, and reduces those of one normal.
fn merge(found: &mut Vec<NamedTouch>, max_contacts: usize, scratch: &mut Scratch) {
    if found.len() > MAX_COMPARED {
        return;
    }
    let Scratch {
        grouped,
        normals,
        own,
        chosen,
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
    found: &[NamedTouch],
    given: &mut Vec<u64>,
    sink: &mut dyn Sink<ContactPoint>,
) {
    given.clear();
    for named in found {
        let features = [0, 1].map(|k| named_feature(shapes[k], named, k));
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

fn named_feature(parts: &Composite, of: &NamedTouch, side: usize) -> Feature {
    named(parts, of.parts[side], of.touch.features[side])
}

/// Finds where a shape touches a plane: the points are in the scratch's own.
fn lie_on_plane(
    above: &HalfSpaceAbove,
    other: &Composite,
    margin: f64,
    max_contacts: usize,
    scratch: &mut Scratch,
    open: &mut Vec<(f64, ItemNode)>,
) {
    let normal = above.plane.normal();
    let pose = &above.plane_from_other;
    let Scratch {
        own: found,
        chosen,
        corners,
        clipping,
        ..
    } = scratch;
    let facet_below = &mut clipping.facets[0];
    found.clear();
    open.clear();
    open.extend(other.root().map(|root| (0.0, root)));
    while let Some((_, node)) = open.pop() {
        if above.box_height(&other.bounds(node)) > margin {
            continue;
        }
        let ItemNode::Part(number) = node else {
            let below = other.below(node);
            open.extend(below.as_slice().iter().rev().map(|&node| (0.0, node)));
            continue;
        };
        let part = other.part(number);
        support_face(&part, pose, -normal, facet_below);
        let radius = part.radius();
        let lowest = above.plane.height_of(&part, pose);
        // The number that the other questions look at.
        if lowest.height > margin {
            continue;
        }
        let lowered = facet_below.corners.iter().map(|&p| p - normal * radius);
        corners.clear();
        corners.extend(lowered.zip(facet_below.vertices.iter().copied()));
        // The lowest point of a round part, and of one whose facet is tilted.
        let is_low = corners.iter().any(|(p, _)| {
            let room = 1e-9 * (p.abs().max_element() + lowest.height.abs());
            (*p - lowest.foot).dot(normal) <= lowest.height + room
        });
        if !is_low {
            corners.push((lowest.point, facet_below.feature));
        }
        if corners
            .iter()
            .all(|(p, _)| (*p - lowest.foot).dot(normal) > margin)
        {
            corners.clear();
            corners.push((lowest.point, facet_below.feature));
        }
        let first = found.len();
        for &(point, feature) in corners.iter() {
            let height = if point == lowest.point {
                lowest.height
            } else {
                (point - lowest.foot).dot(normal)
            };
            let features = [Feature::Face(0), named(other, number, feature)];
            // Every point of a cloud comes once.
            let is_known = !matches!(other, Composite::Cloud(_))
                && found.iter().any(|touch| touch.features == features);
            if height <= margin && (!is_known || matches!(other, Composite::One(_))) {
                found.push(ManifoldPoint {
                    point_a: point - normal * height,
                    point_b: point,
                    normal,
                    depth: -height,
                    features,
                });
            }
        }
        if matches!(other, Composite::One(_)) {
            reduce_points(found, first, max_contacts, chosen);
        }
    }
    if !matches!(other, Composite::One(_)) && found.len() <= MAX_COMPARED {
        reduce_points(found, 0, max_contacts, chosen);
    }
}

/// Names the points on a plane and hands them over.
fn report_on_plane(
    found: &[ManifoldPoint],
    swapped: bool,
    a_from_b: &Pose,
    sink: &mut dyn Sink<ContactPoint>,
) {
    for touch in found {
        let point = ContactPoint {
            point_a: touch.point_a,
            point_b: touch.point_b,
            normal: touch.normal,
            depth: touch.depth,
            feature_a: touch.features[0],
            feature_b: touch.features[1],
            child_a: 0,
            child_b: 0,
            id: contact_id(touch.features),
        };
        let point = if swapped {
            let mut turned = swapped_point(&point, a_from_b);
            turned.id = contact_id([turned.feature_a, turned.feature_b]);
            turned
        } else {
            point
        };
        if sink.accept(point).is_break() {
            return;
        }
    }
}
