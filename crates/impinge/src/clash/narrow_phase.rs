//! Narrow phase of two parts: which kind of clash they have, if any.

use glam::DVec3;
use std::ops::ControlFlow;

use super::convex_part::ConvexPart;
use super::duplicate::are_duplicates;
use super::find_clashes::ClashOptions;
use super::mesh_facts::SolidInfo;
use super::part::{Clash, ClashKind, InnerPart, Span};
use crate::bound::Aabb;
use crate::bvh::wide::{SingleTreeCache, WideCache, WideTree};
use crate::bvh::{MeshIndex, Solid};
use crate::depth::{DepthOptions, deepest_point, deepest_point_of_a, penetration_depth};
use crate::geom::{Contact, triangle_contact, triangle_overlap};
use crate::math::{Pose, Sign, orient3d};
use crate::mesh::TriMesh;
use crate::query::{Bounded, FacePair, Limits, Penetration};

/// The search for the deepest point of either solid, or of the first alone.
type DepthSearch = fn(
    &Solid<'_>,
    &Solid<'_>,
    &Pose,
    &DepthOptions,
    Limits<'_>,
    &mut WideCache,
) -> Bounded<Option<Penetration>>;

/// Test budget of a depth that decides the kind, or that is refined; its bounds are valid even when it runs out.
pub(super) const MOST_TESTS: u64 = 2_000_000;
/// Relative accuracy of a penetration depth.
const RELATIVE: f64 = 1e-3;
/// Depths below this fraction of the smaller part's size are not distinguished from 0, unless that decides the kind.
const ABSOLUTE: f64 = 1e-4;

/// Two parts and the query about them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartPair<'p> {
    pub(super) numbers: [u32; 2],
    pub(super) trees: [&'p WideTree; 2],
    pub(super) facts: [&'p SolidInfo; 2],
    pub(super) boxes: [&'p Aabb; 2],
    pub(super) world_from_a: &'p Pose,
    pub(super) a_from_b: Pose,
    pub(super) options: &'p ClashOptions,
}

/// How well a depth is to be known, and what that may cost.
#[derive(Clone, Copy, Debug)]
struct DepthEffort {
    absolute: f64,
    tests: u64,
}

impl PartPair<'_> {
    /// The clash of the two, if they have one.
    pub(super) fn decide(&self, cache: &mut WideCache) -> Option<Clash> {
        let [a, b] = [0, 1].map(|i| (self.trees[i], self.facts[i]));
        if are_duplicates(a, b, &self.a_from_b, self.boxes, self.shallow()) {
            let common = a.0.mesh().triangles().next()?[0];
            return self.clash(ClashKind::Duplicate, None, 0.0, [common; 2], None);
        }
        match self.meeting(cache) {
            Some(meeting) => self.how_they_meet(&meeting, cache),
            None => self.how_they_are_apart(cache),
        }
    }

    /// The depth of a clash once more, as well as it can be known.
    pub(super) fn refined(&self, clash: &Clash, cache: &mut WideCache) -> Option<Span> {
        let known = clash.depth?;
        let effort = self.effort(MOST_TESTS);
        let found = match clash.kind {
            ClashKind::Contained => self.way_out(known.lower, effort, cache),
            _ => self.depth(effort, cache)?.1,
        };
        // Both hold, so that their intersection does; rounding must not part them.
        let lower = known.lower.max(found.lower);
        Some(Span {
            lower,
            upper: known.upper.min(found.upper).max(lower),
        })
    }

    /// What two files that round coordinates can make of one place.
    fn rounding(&self) -> f64 {
        2.0 * self.options.precision
    }

    /// Overlaps no deeper than this count as touching.
    fn shallow(&self) -> f64 {
        self.options.tolerance.max(self.rounding())
    }

    /// Two faces that meet; two that pass through each other, if there are such.
    fn meeting(&self, cache: &mut WideCache) -> Option<MeetingFaces> {
        let [a, b] = self.trees;
        let mut found = None;
        let mut sink = |faces: FacePair| {
            let crosses = self.pass_through(faces);
            if crosses || found.is_none() {
                found = Some(MeetingFaces { faces, crosses });
            }
            if crosses {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let _ = a.intersections(b, &self.a_from_b, Limits::default(), cache, &mut sink);
        found
    }

    fn triangles(&self, faces: FacePair) -> [[DVec3; 3]; 2] {
        let [a, b] = self.trees.map(WideTree::mesh);
        let placed = b
            .triangle(faces.b)
            .map(|p| self.a_from_b.transform_point(p));
        [a.triangle(faces.a), placed]
    }

    /// Whether the interiors of the faces meet and neither lies in the plane of the other.
    fn pass_through(&self, faces: FacePair) -> bool {
        let [p, q] = self.triangles(faces);
        let leaves = |[x, y, z]: [DVec3; 3], other: [DVec3; 3]| {
            other.iter().any(|&v| orient3d(x, y, z, v) != Sign::Zero)
        };
        triangle_contact(&p, &q) == Contact::Crossing && leaves(p, q) && leaves(q, p)
    }

    fn how_they_meet(&self, meeting: &MeetingFaces, cache: &mut WideCache) -> Option<Clash> {
        let shallow = self.shallow();
        let mut depth = self.depth(self.effort(self.options.depth_tests), cache);
        // Where the bounds do not decide the kind, they are narrowed until they do, or until the search is given up.
        let is_open = |span: &Span| match shallow == 0.0 {
            true => !meeting.crosses && span.lower == 0.0 && span.upper > 0.0,
            false => span.lower <= shallow && shallow < span.upper,
        };
        if depth.is_some_and(|(_, span)| is_open(&span)) {
            let effort = self.effort(MOST_TESTS);
            let absolute = match shallow == 0.0 {
                true => effort.absolute,
                false => effort.absolute.min(shallow / 16.0),
            };
            depth = self.depth(DepthEffort { absolute, ..effort }, cache);
        }
        let overlap = match &depth {
            // Where faces pass through each other, the parts overlap, even if too little for a number.
            Some((_, span)) if shallow == 0.0 => meeting.crosses || span.lower > 0.0,
            Some((_, span)) => span.upper > shallow,
            None => meeting.crosses,
        };
        let points = match depth.and_then(|(deep, _)| deep) {
            Some(deep) if overlap => [deep.point_a, deep.point_b],
            _ => [self.common_point(meeting.faces); 2],
        };
        let span = depth.map(|(_, span)| span);
        if overlap {
            return self.clash(ClashKind::Crossing, span, 0.0, points, None);
        }
        let is_rounding = self.rounding() > self.options.tolerance
            && (meeting.crosses || span.is_some_and(|span| span.lower > 0.0));
        self.touching(span, 0.0, points, None, is_rounding)
    }

    /// Shallow overlaps are ignored when a tolerance is given, unless distances are requested.
    fn touching(
        &self,
        depth: Option<Span>,
        distance: f64,
        points: [DVec3; 2],
        inner: Option<InnerPart>,
        is_within_precision: bool,
    ) -> Option<Clash> {
        if self.options.tolerance > 0.0 && self.options.clearance.is_none() {
            return None;
        }
        let clash = self.clash(ClashKind::Touching, depth, distance, points, inner)?;
        Some(Clash {
            is_within_precision,
            ..clash
        })
    }

    /// A point of two faces that meet.
    fn common_point(&self, faces: FacePair) -> DVec3 {
        let [p, q] = self.triangles(faces);
        let overlap = triangle_overlap(&p, &q);
        let corners = overlap.corners();
        match corners {
            [] => p[0],
            _ => corners.iter().sum::<DVec3>() / corners.len() as f64,
        }
    }

    fn how_they_are_apart(&self, cache: &mut WideCache) -> Option<Clash> {
        if let Some(inner) = self.containment() {
            return self.how_it_is_contained(inner, cache);
        }
        let (clearance, rounding) = (self.options.clearance, self.rounding());
        if clearance.is_none() && rounding == 0.0 {
            return None;
        }
        let farthest = clearance.unwrap_or(0.0).max(rounding);
        let [a, b] = self.trees;
        let limits = Limits {
            max_distance: Some(farthest),
            ..Limits::default()
        };
        let near = a.distance(b, &self.a_from_b, limits, cache).value?;
        let points = [near.point_a, near.point_b];
        if near.distance <= rounding {
            return self.touching(None, near.distance, points, None, true);
        }
        if near.distance > farthest {
            return None;
        }
        self.clash(ClashKind::Clearance, None, near.distance, points, None)
    }

    fn how_it_is_contained(&self, inner: InnerPart, cache: &mut WideCache) -> Option<Clash> {
        let effort = self.effort(self.options.depth_tests);
        let depth = self.depth(effort, cache);
        let points = match depth.and_then(|(deep, _)| deep) {
            Some(deep) => [deep.point_a, deep.point_b],
            None => [self.facts[0].samples().first().copied()?; 2],
        };
        let deepest = depth.map_or(0.0, |(_, span)| span.lower);
        let shallow = self.shallow();
        let mut span = self.way_out(deepest, effort, cache);
        if span.lower <= shallow && shallow < span.upper {
            span = self.way_out(deepest, self.effort(MOST_TESTS), cache);
        }
        if shallow > 0.0 && span.upper <= shallow {
            // As where surfaces meet; the distance of solids that overlap is 0.
            let is_rounding = self.rounding() > self.options.tolerance;
            return self.touching(Some(span), 0.0, points, Some(inner), is_rounding);
        }
        let [a, b] = self.trees;
        let gap = a.distance(b, &self.a_from_b, Limits::default(), cache);
        let distance = gap.value.map_or(0.0, |s| s.distance);
        self.clash(
            ClashKind::Contained,
            Some(span),
            distance,
            points,
            Some(inner),
        )
    }

    /// What lies inside what, where surfaces do not meet.
    fn containment(&self) -> Option<InnerPart> {
        if !self.boxes[0].overlaps(self.boxes[1]) {
            return None;
        }
        let mut cache = SingleTreeCache::default();
        let mut inside = [0; 2];
        let [of_a, of_b] = self.facts.map(SolidInfo::samples);
        if let Some(facts) = &self.facts[0].solid {
            let solid = Solid::with_facts(self.trees[0], facts);
            let mut placed = of_b.iter().map(|&p| self.a_from_b.transform_point(p));
            inside[1] = placed
                .by_ref()
                .filter(|&p| solid.contains(p, &mut cache))
                .count();
        }
        if let Some(facts) = &self.facts[1].solid {
            let solid = Solid::with_facts(self.trees[1], facts);
            let is_inside = |&&p: &&DVec3| solid.contains_placed(&self.a_from_b, p, &mut cache);
            inside[0] = of_a.iter().filter(is_inside).count();
        }
        match inside {
            [0, 0] => None,
            [n, 0] if n == of_a.len() => Some(InnerPart::A),
            [0, n] if n == of_b.len() => Some(InnerPart::B),
            _ => Some(InnerPart::Pieces),
        }
    }

    /// How far one part must be moved until it is out of the other, where a point of it is `deepest` inside.
    ///
    /// That point must come out too, and boxes that are apart hold parts that are: these bound the way where no search does.
    fn way_out(&self, deepest: f64, effort: DepthEffort, cache: &mut WideCache) -> Span {
        let [p, q] = self.boxes;
        let apart = (p.max - q.min).min(q.max - p.min).min_element();
        let mut span = Span {
            lower: deepest,
            upper: apart.max(deepest),
        };
        if let Some(parts) = self.both_convex()
            && let Some([out, off]) = ConvexPart::way_out(parts, self.meshes(), &self.a_from_b)
        {
            let lower = (out - off).max(0.0);
            return Span {
                lower,
                upper: out + off,
            };
        }
        if let [Some(p), Some(q)] = [0, 1].map(|i| self.facts[i].solid.as_ref()) {
            let (a, b) = (
                Solid::with_facts(self.trees[0], p),
                Solid::with_facts(self.trees[1], q),
            );
            let (options, limits) = effort.split();
            let found = penetration_depth(&a, &b, &self.a_from_b, &options, limits, cache);
            span.lower = span.lower.max(found.lower);
            span.upper = span.upper.min(found.upper).max(span.lower);
        }
        span
    }

    fn meshes(&self) -> [&TriMesh; 2] {
        self.trees.map(|tree| &**tree.mesh())
    }

    fn both_convex(&self) -> Option<[&ConvexPart; 2]> {
        let [a, b] = self.facts.map(|facts| facts.convex.as_ref());
        Some([a?, b?])
    }

    /// How good a depth has to be for so many tests.
    fn effort(&self, tests: u64) -> DepthEffort {
        let size = self.facts[0].size.min(self.facts[1].size);
        DepthEffort {
            absolute: (ABSOLUTE * size).max(self.options.tolerance / 16.0),
            tests,
        }
    }

    /// The deepest point, and how deep it is; none when neither part is closed.
    fn depth(
        &self,
        effort: DepthEffort,
        cache: &mut WideCache,
    ) -> Option<(Option<Penetration>, Span)> {
        if let Some(parts) = self.both_convex() {
            let found = ConvexPart::deepest(parts, self.meshes(), &self.a_from_b);
            let span = Span {
                lower: (found.depth - found.off).max(0.0),
                upper: found.depth + found.off,
            };
            let [deepest, nearest] = found.points;
            let deep = (found.depth > 0.0).then_some(Penetration {
                depth: found.depth,
                point_a: if found.is_point_of_a {
                    deepest
                } else {
                    nearest
                },
                point_b: if found.is_point_of_a {
                    nearest
                } else {
                    deepest
                },
                is_point_of_a: found.is_point_of_a,
            });
            return Some((deep, span));
        }
        let found = self.searched_depth(effort, cache)?;
        let upper = found.upper.min(self.most_depth()).max(found.lower);
        let lower = found.lower;
        Some((found.value, Span { lower, upper }))
    }

    /// No surface point of one part is deeper in the other than boxes allow.
    fn most_depth(&self) -> f64 {
        let [p, q] = self.boxes;
        let (low, high) = (p.min.max(q.min), p.max.min(q.max));
        let within = |outer: &Aabb, is_closed: bool| {
            if !is_closed {
                return 0.0;
            }
            let middle = (outer.min * 0.5 + outer.max * 0.5).clamp(low.min(high), high.max(low));
            let along = (middle - outer.min).min(outer.max - middle);
            along.min_element().max(0.0)
        };
        let is_closed = self.facts.map(|facts| facts.solid.is_some());
        within(q, is_closed[1]).max(within(p, is_closed[0]))
    }

    /// The deepest point by branch and bound.
    fn searched_depth(
        &self,
        effort: DepthEffort,
        cache: &mut WideCache,
    ) -> Option<Bounded<Option<Penetration>>> {
        let (options, limits) = effort.split();
        let ([a, b], a_from_b) = (self.trees, &self.a_from_b);
        match [0, 1].map(|i| self.facts[i].solid.as_ref()) {
            [p, Some(q)] => {
                let b = Solid::with_facts(b, q);
                let (a, search): (_, DepthSearch) = match p {
                    Some(p) => (Solid::with_facts(a, p), deepest_point),
                    None => (Solid::surface(a), deepest_point_of_a),
                };
                Some(search(&a, &b, a_from_b, &options, limits, cache))
            }
            [Some(p), None] => {
                let (a, b) = (Solid::with_facts(a, p), Solid::surface(b));
                let b_from_a = self.a_from_b.inverse();
                let mut found = deepest_point_of_a(&b, &a, &b_from_a, &options, limits, cache);
                // The points are in the frame of b and named the other way round.
                if let Some(deep) = &mut found.value {
                    *deep = Penetration {
                        depth: deep.depth,
                        point_a: self.a_from_b.transform_point(deep.point_b),
                        point_b: self.a_from_b.transform_point(deep.point_a),
                        is_point_of_a: !deep.is_point_of_a,
                    };
                }
                Some(found)
            }
            [None, None] => None,
        }
    }

    fn clash(
        &self,
        kind: ClashKind,
        depth: Option<Span>,
        distance: f64,
        points: [DVec3; 2],
        inner: Option<InnerPart>,
    ) -> Option<Clash> {
        Some(Clash {
            a: self.numbers[0],
            b: self.numbers[1],
            kind,
            depth,
            distance,
            points: points.map(|p| self.world_from_a.transform_point(p)),
            inner,
            is_within_precision: false,
        })
    }
}

impl DepthEffort {
    fn split(self) -> (DepthOptions, Limits<'static>) {
        let options = DepthOptions {
            absolute: self.absolute,
            relative: RELATIVE,
        };
        let limits = Limits {
            max_tests: Some(self.tests),
            ..Limits::default()
        };
        (options, limits)
    }
}

/// Two faces that meet, and whether they pass through each other.
#[derive(Clone, Copy, Debug)]
struct MeetingFaces {
    faces: FacePair,
    crosses: bool,
}
