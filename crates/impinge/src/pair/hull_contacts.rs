//! Contacts of convex meshes as their hulls.
//!
//! **Idea.** A closed convex mesh with few sides is treated as its [hull](super::contact_hull),
//! against convex shapes and surfaces alike. A surface has no inside: if one shape lies inside the
//! other without touching its faces, the faces are queried instead.

use std::sync::Arc;

use super::composite::Composite;
use super::config::PairConfig;
use super::contact_hull::ContactHull;
use super::contacts::{
    ContactQuery, NamedTouch, Scratch, each_part, finish, of_pieces, rounding_room, surface_query,
};
use super::convex_piece::{ConvexPiece, PieceCache, piece_method};
use super::intersection::IntersectionQuery;
use super::item_bvh::Stacks;
use super::shape::Shape;
use super::surface_contacts::search_limit;
use super::unsupported::Unsupported;
use crate::convex::Convex;
use crate::math::Pose;

/// Roundings within which a gap beside the margin is decided face by face: distances between hulls
/// and round shapes come from a search.
const HULL_ROOM: f64 = 1e6;

/// Two shapes of which at least one is a convex mesh, taken as its hull.
pub(super) struct HullPair {
    pub(super) parts: [Composite; 2],
    pub(super) hulls: [Option<Arc<ContactHull>>; 2],
    cache: PieceCache,
    /// Whether the surfaces meet, and what answers if one lies inside the other.
    surfaces: IntersectionQuery,
    pub(super) plain: ContactQuery,
}

impl HullPair {
    /// The pair with convex meshes as hulls, `plain` being the query of their faces.
    pub(super) fn new(
        [a, b]: [&Shape; 2],
        (parts, hulls): HullParts,
        plain: ContactQuery,
        config: &PairConfig,
    ) -> Result<Self, Unsupported> {
        Ok(Self {
            parts,
            hulls,
            cache: PieceCache::default(),
            surfaces: surface_query(a, b, config)?,
            plain,
        })
    }

    /// Finds the contacts; false if one shape lies inside the other, so that its surface has to be
    /// queried.
    pub(super) fn contacts(
        &mut self,
        a_from_b: &Pose,
        margin: f64,
        max_contacts: usize,
        scratch: &mut Scratch,
        stacks: &mut Stacks,
        found: &mut Vec<NamedTouch>,
    ) -> bool {
        let [a, b] = &self.parts;
        let cache = &mut self.cache;
        if let (Composite::One(p), Composite::One(q)) = (a, b) {
            let within = margin + HULL_ROOM * rounding_room(a, b, a_from_b);
            let Some(way) = piece_method(p, q, a_from_b, within, cache) else {
                return true;
            };
            // The faces may reach a little farther than a search over the hull finds.
            if -way.depth > margin || (way.depth >= 0.0 && !self.surfaces.any(a_from_b)) {
                return false;
            }
            of_pieces(p, q, a_from_b, &way, margin, max_contacts, scratch, found);
            return true;
        }
        let searches = search_limit(max_contacts);
        let memory = (&mut *scratch, stacks);
        let spare = each_part([a, b], a_from_b, margin, searches, cache, memory);
        let is_overlap = spare.is_some() || scratch.candidates.iter().any(|c| c.is_overlap);
        // A hull that touches no face may lie inside a solid.
        let may_be_inside = !is_overlap && self.plain.has_containment();
        if may_be_inside || is_overlap != self.surfaces.any(a_from_b) {
            return false;
        }
        let parts = (&mut None, Some(&mut self.surfaces));
        finish([a, b], a_from_b, parts, spare, max_contacts, scratch, found);
        true
    }
}

/// The parts of two shapes, and the hulls among them.
pub(super) type HullParts = ([Composite; 2], [Option<Arc<ContactHull>>; 2]);

/// Two shapes, convex meshes taken as their hulls; none if there are no such meshes, or a shape has
/// no faces to clip.
pub(super) fn hulls_of(a: &Composite, b: &Composite) -> Option<HullParts> {
    let hull_of = |parts: &Composite| match parts {
        Composite::Mesh(mesh) => mesh.contact_hull().cloned(),
        _ => None,
    };
    let is_fit = |parts: &Composite| !matches!(parts, Composite::Balls(_) | Composite::Cloud(_));
    if !is_fit(a) || !is_fit(b) {
        return None;
    }
    let hulls = [hull_of(a), hull_of(b)];
    let taken = |parts: &Composite, hull: &Option<Arc<ContactHull>>| match hull {
        Some(hull) => Composite::One(ConvexPiece::Convex(Convex::Polyhedron(
            hull.polyhedron().clone(),
        ))),
        None => parts.clone(),
    };
    let parts = [taken(a, &hulls[0]), taken(b, &hulls[1])];
    hulls.iter().any(Option::is_some).then_some((parts, hulls))
}
