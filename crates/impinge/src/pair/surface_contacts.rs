//! Contacts of two parts, at least one of which is a face of a surface.
//!
//! **Idea.** Two parts propose the contact of their own minimum translation. It is kept if its
//! normal is a normal of the [surface](super::internal_edges); otherwise it is turned to a normal
//! that both shapes have there: that of the side that a convex part turns to the face, or that of
//! one of the two faces. Each proposal has a grade of trust; [patches](super::contact_patches)
//! decide among those of a region.

use glam::DVec3;

use super::composite::Composite;
use super::contacts::NamedTouch;
use super::convex_piece::{ConvexPiece, PieceCache, has_closed_form, meet, piece_method};
use super::internal_edges::{EdgeNormalRegion, outward_normal, standing};
use super::manifold_clipping::{Clipping, ManifoldPoint, clip, contact_points};
use super::support_face::support_face;
use crate::convex::{ConvexPenetration, Feature, SupportMap};
use crate::math::Pose;

/// Cosine from which on a side of a convex part faces a triangle.
const FACING: f64 = 0.85;

/// Cosine below which the normals of two faces are opposed.
const OPPOSED: f64 = -0.5;

/// Faces of a surface whose minimum translation against a convex shape is searched for. Others that overlap it are clipped
/// along their normals at once: where so many touch, their borders lie inside the surface, and a way across them is no way out.
const MAX_SEARCHES: u32 = 48;

/// How many searches a query may make; all, if every contact is wanted.
pub(super) fn search_limit(max_contacts: usize) -> u32 {
    if max_contacts == usize::MAX {
        u32::MAX
    } else {
        MAX_SEARCHES
    }
}

/// How far a contact of two parts can be trusted to be one of the shapes; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ContactGrade {
    /// The minimum translation of the two parts, along a normal of both surfaces.
    Proper,
    /// Turned to a normal along which the other shape ends at this part.
    Facing,
    /// Turned to the normal of a face, though the other shape goes on beyond this part.
    Turned,
    /// A gap between two faces that have passed each other, if the shapes overlap here.
    Passed,
    /// A gap on the inner side of a closed surface.
    Inner,
}

/// A contact of two parts that may be one of the shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactCandidate {
    pub(super) named: NamedTouch,
    pub(super) grade: ContactGrade,
    /// Whether the parts overlap.
    pub(super) is_overlap: bool,
}

/// Memory of [`propose`], kept so that repeated queries do not allocate.
#[derive(Debug, Default)]
pub(super) struct ProposalScratch {
    pub(super) clipping: Clipping,
    /// Points of two parts.
    pub(super) own: Vec<ManifoldPoint>,
    other: Vec<ManifoldPoint>,
    /// Searches that are left in this query.
    pub(super) searches_left: u32,
}

/// Two parts and what is known of the surfaces that they belong to, in the frame of `a`.
struct PartPair<'p> {
    shapes: [&'p Composite; 2],
    numbers: [u32; 2],
    a: ConvexPiece,
    b: ConvexPiece,
    a_from_b: &'p Pose,
    /// From the centre of `a` to that of `b`.
    middle: DVec3,
    /// Normals of the faces on their outer sides.
    normals: [Option<DVec3>; 2],
}

/// Adds the contacts of two parts of two shapes. Returns how the parts overlap when there are none.
pub(super) fn propose(
    shapes: [&Composite; 2],
    numbers: [u32; 2],
    a_from_b: &Pose,
    margin: f64,
    cache: &mut PieceCache,
    scratch: &mut ProposalScratch,
    out: &mut Vec<ContactCandidate>,
) -> Option<NamedTouch> {
    let [a, b] = [shapes[0].part(numbers[0]), shapes[1].part(numbers[1])];
    let middle = *a_from_b * b.center() - a.center();
    let turned = |v: DVec3| a_from_b.rotation().transpose() * v;
    let closed = shapes.map(|parts| match parts {
        Composite::Mesh(mesh) => mesh.outward(),
        _ => None,
    });
    let normals = [
        outward_normal(shapes[0], numbers[0], middle, closed[0]),
        outward_normal(shapes[1], numbers[1], turned(-middle), closed[1])
            .map(|n| a_from_b.transform_vector(n)),
    ];
    let pair = PartPair {
        shapes,
        numbers,
        a,
        b,
        a_from_b,
        middle,
        normals,
    };
    let is_searched =
        normals[0].is_some() != normals[1].is_some() && !has_closed_form(&pair.a, &pair.b);
    let is_limited = is_searched && scratch.searches_left == 0;
    let plain = if is_limited && meet(&pair.a, &pair.b, a_from_b, cache) {
        pair.along_face()
    } else {
        None
    };
    let is_plain = plain.is_some();
    let way = match plain {
        Some(way) => way,
        None => piece_method(&pair.a, &pair.b, a_from_b, margin, cache)?,
    };
    let is_overlap = way.depth >= 0.0;
    if is_searched && is_overlap {
        scratch.searches_left = scratch.searches_left.saturating_sub(1);
    }
    let sides = if is_overlap { closed } else { [None; 2] };
    let is_normal = [0, 1].map(|k| !is_plain && pair.standing(k, way.normal, sides[k]));
    scratch.own.clear();
    let grade = if is_normal == [true; 2] {
        let ProposalScratch { clipping, own, .. } = scratch;
        contact_points(&pair.a, &pair.b, a_from_b, &way, margin, clipping, own);
        let is_behind = [
            closed[0].is_some() && normals[0].is_some_and(|n| n.dot(way.normal) < -1e-6),
            closed[1].is_some() && normals[1].is_some_and(|n| n.dot(way.normal) > 1e-6),
        ];
        let is_opposed = matches!(normals, [Some(p), Some(q)] if p.dot(q) < OPPOSED);
        match is_behind {
            _ if is_overlap => ContactGrade::Proper,
            [true, true] if is_opposed => ContactGrade::Passed,
            [false, false] => ContactGrade::Proper,
            _ => ContactGrade::Inner,
        }
    } else if is_overlap {
        pair.turn(closed, margin, scratch)
    } else {
        // A neighbour of the face is nearer, and has the contact.
        return None;
    };
    let spare = scratch.own.is_empty().then_some(NamedTouch {
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
    for touch in &scratch.own {
        let place = out.len() as u32;
        out.push(ContactCandidate {
            named: NamedTouch {
                touch: *touch,
                parts: numbers,
                place,
            },
            grade,
            is_overlap,
        });
    }
    spare
}

impl PartPair<'_> {
    /// Whether a direction from `a` to `b` is a normal of the surface of shape `k`.
    fn standing(&self, k: usize, normal: DVec3, outward: Option<f64>) -> bool {
        let turned = |v: DVec3| self.a_from_b.rotation().transpose() * v;
        let [normal, toward] = if k == 0 {
            [normal, self.middle]
        } else {
            [turned(-normal), turned(-self.middle)]
        };
        let found = standing(self.shapes[k], self.numbers[k], normal, toward, outward);
        found == EdgeNormalRegion::Normal
    }

    /// How a convex part and a face overlap along the normal of the face.
    fn along_face(&self) -> Option<ConvexPenetration> {
        let (normal, point_a, point_b, radius) = match self.normals {
            [Some(n), None] => {
                let into = self.a_from_b.rotation().transpose() * -n;
                let lowest = *self.a_from_b * self.b.support_certain(into).point;
                (n, self.a.vertex(0), lowest, self.b.radius())
            }
            [None, Some(n)] => {
                let lowest = self.a.support_certain(-n).point;
                (
                    -n,
                    lowest,
                    *self.a_from_b * self.b.vertex(0),
                    self.a.radius(),
                )
            }
            _ => return None,
        };
        let depth = normal.dot(point_a - point_b) + radius;
        (depth >= 0.0).then(|| ConvexPenetration {
            depth,
            normal,
            point_a: if self.normals[0].is_some() {
                point_b + normal * (depth - radius)
            } else {
                point_a + normal * radius
            },
            point_b: if self.normals[0].is_some() {
                point_b - normal * radius
            } else {
                point_a - normal * (depth - radius)
            },
        })
    }

    /// Makes `scratch.own` the contacts along a normal that both shapes have here.
    fn turn(
        &self,
        closed: [Option<f64>; 2],
        margin: f64,
        scratch: &mut ProposalScratch,
    ) -> ContactGrade {
        let ProposalScratch {
            clipping,
            own,
            other,
            ..
        } = scratch;
        let deepest = |touches: &[ManifoldPoint]| {
            let depths = touches.iter().map(|t| t.depth);
            depths.fold(f64::NEG_INFINITY, f64::max)
        };
        // A convex part against a face: its side that faces the face.
        let side = match self.normals {
            [Some(n), None] => Some((1, -n)),
            [None, Some(n)] => Some((0, -n)),
            _ => None,
        };
        if let Some((k, direction)) = side {
            self.clip_to(k, direction, FACING, margin, clipping, own);
            if deepest(own) >= 0.0 {
                return ContactGrade::Facing;
            }
            own.clear();
        }
        let mut best = None;
        for k in 0..2 {
            let Some(normal) = self.normals[k] else {
                continue;
            };
            other.clear();
            self.clip_to(k, normal, -1.0, margin, clipping, other);
            if other.is_empty() {
                continue;
            }
            let from_a = if k == 0 { normal } else { -normal };
            // The other shape has to end here, or its next face reaches deeper.
            let is_end =
                self.normals[1 - k].is_some() && self.standing(1 - k, from_a, closed[1 - k]);
            let rank = (!is_end, deepest(other));
            if best.is_none_or(|best| rank < best) {
                best = Some(rank);
                std::mem::swap(own, other);
            }
        }
        match best {
            Some((false, _)) => ContactGrade::Facing,
            _ => ContactGrade::Turned,
        }
    }

    /// Adds the points of the other part below the facet of part `k` that points most in a direction, if their cosine is large enough.
    fn clip_to(
        &self,
        k: usize,
        direction: DVec3,
        least_cosine: f64,
        margin: f64,
        clipping: &mut Clipping,
        out: &mut Vec<ManifoldPoint>,
    ) {
        let Clipping {
            facets: [reference, incident],
            cutter,
        } = clipping;
        let (own, other) = (&self.a, &self.b);
        let (own_pose, other_pose) = (&Pose::IDENTITY, self.a_from_b);
        let (own, own_pose, other, other_pose) = if k == 0 {
            (own, own_pose, other, other_pose)
        } else {
            (other, other_pose, own, own_pose)
        };
        support_face(own, own_pose, direction, reference);
        if reference.corners.len() < 3 || reference.normal.dot(direction) < least_cosine {
            return;
        }
        support_face(other, other_pose, -reference.normal, incident);
        let radii = [own.radius(), other.radius()];
        clip(reference, incident, radii, margin, k == 1, cutter, out);
    }
}
