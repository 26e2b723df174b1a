//! Contact manifold of two convex parts by face clipping.
//!
//! **Question.** Given the contact normal of two parts, which contact points does a solver need to keep them apart?
//! **Idea.** Each part has a support facet towards the other. If the normal is that of one of the two facets (the reference face), the
//! other facet is clipped to the prism over it, and the points below the plane are contacts. Otherwise an edge or a round
//! surface touches, in one point.
//! **Source.** Clipping after Sutherland and Hodgman 1974, doi:10.1145/360767.360802.
//! **Promise.** Contact points lie on the two parts up to rounding, and include the deepest one; each is identified by the features it
//! comes from, so that it can be matched in the next frame.

use glam::DVec3;

use super::convex_piece::ConvexPiece;
use super::support_face::{ALONG, SupportFace, support_face};
use crate::convex::{ConvexPenetration, Feature, SupportMap};
use crate::math::Pose;

/// Measures of points that differ by less than this fraction of them are equal.
const TIE: f64 = 1e-9;

/// A gap of this fraction of the spread of the points halves how far out a point counts.
const LEVEL_WITHIN: f64 = 0.02;

/// A point that is less deep than the deepest by this fraction of the spread stands for it.
const DEEPEST_WITHIN: f64 = 2e-5;

/// Cosine and sine of about 17 degrees.
const SLANT: (f64, f64) = (0.956, 0.293);

/// A corner that is cut off names the cut within this fraction of the size of its polygon.
const NAMED_WITHIN: f64 = 1e-3;

/// A point of contact between two parts, its features those of the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ManifoldPoint {
    pub(super) point_a: DVec3,
    pub(super) point_b: DVec3,
    pub(super) normal: DVec3,
    pub(super) depth: f64,
    pub(super) features: [Feature; 2],
}

/// A corner of a polygon while it is clipped.
#[derive(Clone, Copy, Debug)]
struct ClippedCorner {
    point: DVec3,
    /// The feature of the clipped polygon, and of the one it is clipped by.
    features: [Feature; 2],
    /// The side of the clipped polygon that leads on from here.
    side: Feature,
}

/// Memory of the clipping of facets, kept by queries so that repeated ones do not allocate.
#[derive(Debug, Default)]
pub(super) struct Clipping {
    pub(super) facets: [SupportFace; 2],
    pub(super) cutter: Cutter,
}

/// A polygon that is cut, and what cutting needs.
#[derive(Debug, Default)]
pub(super) struct Cutter {
    polygon: Vec<ClippedCorner>,
    kept: Vec<ClippedCorner>,
    heights: Vec<f64>,
}

/// Adds the contact points of two parts, given the way they touch or come nearest within the margin: `way.depth` is negative for a gap. There is at least one.
pub(super) fn contact_points(
    a: &ConvexPiece,
    b: &ConvexPiece,
    a_from_b: &Pose,
    way: &ConvexPenetration,
    margin: f64,
    with: &mut Clipping,
    out: &mut Vec<ManifoldPoint>,
) {
    let Clipping {
        facets: [facet_a, facet_b],
        cutter,
    } = with;
    support_face(a, &Pose::IDENTITY, way.normal, facet_a);
    support_face(b, a_from_b, -way.normal, facet_b);
    let (facet_a, facet_b) = (&*facet_a, &*facet_b);
    let radii = [a.radius(), b.radius()];
    let along_a = face_alignment(facet_a, way.normal);
    let along_b = face_alignment(facet_b, -way.normal);
    let first = out.len();
    // The first part is the reference while it can be: names would change with the other.
    if along_a >= ALONG {
        clip(facet_a, facet_b, radii, margin, false, cutter, out);
    } else if along_b >= ALONG {
        let radii = [radii[1], radii[0]];
        clip(facet_b, facet_a, radii, margin, true, cutter, out);
    } else if facet_a.corners.len() == 2 && facet_b.corners.len() == 2 {
        side_by_side(facet_a, facet_b, way.normal, radii, margin, cutter, out);
    }
    let deepest = out[first..]
        .iter()
        .map(|t| t.depth)
        .fold(f64::NEG_INFINITY, f64::max);
    let size = way
        .point_a
        .abs()
        .max_element()
        .max(way.point_b.abs().max_element());
    if way.depth > deepest + 1e-9 * size.max(way.depth.abs()) {
        out.push(ManifoldPoint {
            point_a: way.point_a,
            point_b: way.point_b,
            normal: way.normal,
            depth: way.depth,
            features: [
                feature_at(facet_a, way.point_a - way.normal * radii[0]),
                feature_at(facet_b, way.point_b + way.normal * radii[1]),
            ],
        });
    }
}

fn face_alignment(facet: &SupportFace, direction: DVec3) -> f64 {
    if facet.corners.len() >= 3 {
        facet.normal.dot(direction)
    } else {
        -1.0
    }
}

/// The corner, side or face of a facet that a point of it lies on.
pub(super) fn feature_at(facet: &SupportFace, p: DVec3) -> Feature {
    let count = facet.corners.len();
    let size = facet
        .corners
        .iter()
        .map(|&c| c.distance(p))
        .fold(0.0, f64::max);
    let near = 1e-7 * size;
    for (corner, &feature) in facet.corners.iter().zip(&facet.vertices) {
        if corner.distance(p) <= near {
            return feature;
        }
    }
    if count >= 3 {
        for i in 0..count {
            let (from, to) = (facet.corners[i], facet.corners[(i + 1) % count]);
            let along = (to - from).normalize_or_zero();
            let off = p - from;
            if (off - along * along.dot(off)).length() <= near {
                return facet.sides[i];
            }
        }
    }
    facet.feature
}

/// Clips `incident` to the prism over `reference` and adds what is below its plane. `radii` are those of reference and incident.
pub(super) fn clip(
    reference: &SupportFace,
    incident: &SupportFace,
    radii: [f64; 2],
    margin: f64,
    is_swapped: bool,
    cutter: &mut Cutter,
    out: &mut Vec<ManifoldPoint>,
) {
    let n = reference.normal;
    let count = reference.corners.len();
    cutter.begin((0..incident.corners.len()).map(|i| ClippedCorner {
        point: incident.corners[i],
        features: [incident.vertices[i], reference.feature],
        side: incident.sides[i],
    }));
    for i in 0..count {
        let (from, to) = (reference.corners[i], reference.corners[(i + 1) % count]);
        let inward = n.cross(to - from).normalize_or_zero();
        cutter.cut(from, inward, reference.sides[i]);
        if cutter.polygon.is_empty() {
            return;
        }
    }
    let foot = reference.corners[0];
    for cut in &cutter.polygon {
        let height = n.dot(cut.point - foot);
        let gap = height - radii[0] - radii[1];
        if gap <= margin {
            let on_reference = cut.point - n * (height - radii[0]);
            let on_incident = cut.point - n * radii[1];
            out.push(if is_swapped {
                ManifoldPoint {
                    point_a: on_incident,
                    point_b: on_reference,
                    normal: -n,
                    depth: -gap,
                    features: cut.features,
                }
            } else {
                ManifoldPoint {
                    point_a: on_reference,
                    point_b: on_incident,
                    normal: n,
                    depth: -gap,
                    features: [cut.features[1], cut.features[0]],
                }
            });
        }
    }
}

impl Cutter {
    fn begin(&mut self, polygon: impl Iterator<Item = ClippedCorner>) {
        self.polygon.clear();
        self.polygon.extend(polygon);
    }

    /// Keeps the part of the polygon, segment or point on the inner side of a plane.
    fn cut(&mut self, on: DVec3, inward: DVec3, by: Feature) {
        let Self {
            polygon,
            kept,
            heights,
        } = self;
        let count = polygon.len();
        let size = polygon
            .iter()
            .map(|c| (c.point - on).length())
            .fold(0.0, f64::max);
        // Corners on the border stay, so that a contact does not flicker between a corner and two cuts beside it.
        let room = 1e-12 * size;
        heights.clear();
        heights.extend(polygon.iter().map(|c| inward.dot(c.point - on)));
        if heights.iter().all(|&h| h >= -room) {
            return;
        }
        kept.clear();
        let sides = if count == 2 { 1 } else { count };
        for i in 0..count {
            if heights[i] >= -room {
                kept.push(polygon[i]);
            }
            if i >= sides {
                continue;
            }
            let j = (i + 1) % count;
            if (heights[i] >= -room) != (heights[j] >= -room) {
                let share = (heights[i] / (heights[i] - heights[j])).clamp(0.0, 1.0);
                let point = polygon[i].point + (polygon[j].point - polygon[i].point) * share;
                // A corner that is just outside keeps its name while it moves in and out.
                let lost = if heights[i] >= -room { j } else { i };
                let is_close = point.distance(polygon[lost].point) <= NAMED_WITHIN * size;
                kept.push(ClippedCorner {
                    point,
                    features: if is_close {
                        polygon[lost].features
                    } else {
                        [polygon[i].side, by]
                    },
                    side: if heights[i] >= -room {
                        by
                    } else {
                        polygon[i].side
                    },
                });
            }
        }
        std::mem::swap(polygon, kept);
    }
}

/// Two parallel segments: the ends of what they have side by side.
fn side_by_side(
    a: &SupportFace,
    b: &SupportFace,
    normal: DVec3,
    radii: [f64; 2],
    margin: f64,
    cutter: &mut Cutter,
    out: &mut Vec<ManifoldPoint>,
) {
    let (from, to) = (a.corners[0], a.corners[1]);
    let along = to - from;
    let across = (b.corners[1] - b.corners[0]).normalize_or_zero();
    if along.normalize_or_zero().cross(across).length() > 1e-6 {
        return;
    }
    cutter.begin((0..2).map(|i| ClippedCorner {
        point: b.corners[i],
        features: [b.vertices[i], a.feature],
        side: b.feature,
    }));
    cutter.cut(from, along.normalize_or_zero(), a.vertices[0]);
    cutter.cut(to, -along.normalize_or_zero(), a.vertices[1]);
    for cut in &cutter.polygon {
        let gap = normal.dot(cut.point - from) - radii[0] - radii[1];
        if gap <= margin {
            let on_b = cut.point - normal * radii[1];
            out.push(ManifoldPoint {
                point_a: on_b - normal * gap,
                point_b: on_b,
                normal,
                depth: -gap,
                features: [cut.features[1], cut.features[0]],
            });
        }
    }
}

/// Keeps at most `count` of the touches from `first` on: the deepest, and those that span the largest area.
///
/// Four points are the farthest in four directions that are fixed in the frame of the points, so that a body that rocks a little keeps its points; what is as
/// deep as the deepest is preferred to a gap farther out.
pub(super) fn reduce_points(
    touches: &mut Vec<ManifoldPoint>,
    first: usize,
    count: usize,
    chosen: &mut Vec<usize>,
) {
    let own = &touches[first.min(touches.len())..];
    if own.len() <= count {
        return;
    }
    if count == 0 {
        touches.truncate(first);
        return;
    }
    chosen.clear();
    let share = 1.0 / own.len() as f64;
    let middle: DVec3 = own.iter().map(|t| t.point_b * share).sum();
    let most = |measure: &dyn Fn(&ManifoldPoint) -> f64| {
        own.iter().map(measure).fold(f64::NEG_INFINITY, f64::max)
    };
    let deepest = most(&|t| t.depth);
    let spread = most(&|t| t.point_b.distance(middle));
    let weight = |t: &ManifoldPoint| {
        let off = (deepest - t.depth) / (LEVEL_WITHIN * spread + f64::MIN_POSITIVE);
        1.0 / (1.0 + off * off)
    };
    if count >= 4 {
        for direction in spanning_directions(own[0].normal) {
            let far = |t: &ManifoldPoint| (t.point_b - middle).dot(direction).max(0.0) * weight(t);
            if let Some(next) = largest(own, &[], &far)
                && !chosen.contains(&next)
            {
                chosen.push(next);
            }
        }
    }
    let is_level = |i: &usize| deepest - own[*i].depth <= DEEPEST_WITHIN * spread;
    if !chosen.iter().any(is_level) {
        // The deepest; among equals the one farthest out, which is a corner.
        let is_deepest = |t: &ManifoldPoint| deepest - t.depth <= 1e-9 * (spread + deepest.abs());
        let far = |t: &ManifoldPoint| {
            if is_deepest(t) {
                t.point_b.distance(middle)
            } else {
                -1.0
            }
        };
        if let Some(deep) = largest(own, &[], &far) {
            if chosen.len() >= count {
                let off = |i: usize| own[i].point_b.distance_squared(own[deep].point_b);
                let nearest = (0..chosen.len()).reduce(|p, q| {
                    let is_nearer = off(chosen[q]) < off(chosen[p]);
                    if is_nearer { q } else { p }
                });
                if let Some(nearest) = nearest {
                    chosen.swap_remove(nearest);
                }
            }
            chosen.push(deep);
        }
    }
    while chosen.len() < count {
        let added = |t: &ManifoldPoint| added_area(own, chosen, t) * weight(t);
        match largest(own, chosen, &added) {
            Some(next) => chosen.push(next),
            None => break,
        }
    }
    chosen.sort_unstable();
    // Ascending, so that none is overwritten before it was moved.
    for (place, &i) in chosen.iter().enumerate() {
        touches[first + place] = touches[first + i];
    }
    touches.truncate(first + chosen.len());
}

/// Four directions across a normal, each a quarter turn from the last. They change with the normal, but jump only where it passes far from an axis.
fn spanning_directions(normal: DVec3) -> [DVec3; 4] {
    let axis = if normal.x.abs() < 0.9 {
        DVec3::X
    } else {
        DVec3::Y
    };
    let side = normal.cross(axis).normalize_or_zero();
    let other = normal.cross(side);
    // Along no side of a box that lies along the axes: its corners are then farthest, and not its sides.
    let u = side * SLANT.0 + other * SLANT.1;
    let v = normal.cross(u);
    [u, v, -u, -v]
}

/// The touch with the largest measure that is not taken; among equals the first, whatever the rounding.
fn largest(
    own: &[ManifoldPoint],
    taken: &[usize],
    measure: &dyn Fn(&ManifoldPoint) -> f64,
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (i, touch) in own.iter().enumerate() {
        let value = measure(touch);
        let is_larger = |(_, other): (usize, f64)| value > other + TIE * other.abs();
        if !taken.contains(&i) && best.is_none_or(is_larger) {
            best = Some((i, value));
        }
    }
    best.map(|(i, _)| i)
}

/// How much a touch adds to what the chosen ones span: a length, an area, or the area outside their first triangle.
fn added_area(own: &[ManifoldPoint], chosen: &[usize], t: &ManifoldPoint) -> f64 {
    match chosen {
        [] => 0.0,
        [p] => own[*p].point_b.distance(t.point_b),
        [p, q] => {
            let (p, q) = (own[*p].point_b, own[*q].point_b);
            (q - p).cross(t.point_b - p).length()
        }
        [p, q, r, ..] => {
            let corners = [own[*p].point_b, own[*q].point_b, own[*r].point_b];
            let n = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let mut added = 0.0_f64;
            for i in 0..3 {
                let (from, to) = (corners[i], corners[(i + 1) % 3]);
                added = added.max(-(to - from).cross(t.point_b - from).dot(n));
            }
            added
        }
    }
}
