//! Narrow phase of two parts: which kind of clash they have, if any.

use glam::DVec3;
use std::ops::ControlFlow;

use super::duplicate::are_duplicates;
use super::mesh_facts::SolidInfo;
use super::part::{Clash, ClashKind, InnerPart, Span};
use crate::bound::Aabb;
use crate::bvh::wide::{SingleTreeCache, WideCache, WideTree};
use crate::bvh::{MeshIndex, Solid};
use crate::depth::{DepthOptions, deepest_point, deepest_point_of_a, penetration_depth};
use crate::geom::{Contact, triangle_contact, triangle_overlap};
use crate::math::{Pose, Sign, orient3d};
use crate::query::{Bounded, FacePair, Limits, Penetration};

/// Test budget of one penetration depth; the bounds are valid even when it runs out.
const DEPTH_TESTS: u64 = 2_000_000;
/// Relative accuracy of a penetration depth.
const RELATIVE: f64 = 1e-3;
/// Absolute accuracy of a penetration depth, as a fraction of the smaller part's size.
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
    pub(super) tolerance: f64,
    pub(super) clearance: Option<f64>,
}

impl PartPair<'_> {
    /// The clash of the two, if they have one.
    pub(super) fn decide(&self, cache: &mut WideCache) -> Option<Clash> {
        let [a, b] = [0, 1].map(|i| (self.trees[i], self.facts[i]));
        if are_duplicates(a, b, &self.a_from_b, self.boxes, self.tolerance) {
            let common = a.0.mesh().triangles().next()?[0];
            return self.clash(ClashKind::Duplicate, None, 0.0, [common; 2], None);
        }
        match self.meeting(cache) {
            Some(meeting) => self.how_they_meet(&meeting, cache),
            None => self.how_they_are_apart(cache),
        }
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
        let depth = self.depth(cache);
        let overlap = match &depth {
            // Where faces pass through each other, the parts overlap, even if too little for a number.
            Some(depth) if self.tolerance == 0.0 => meeting.crosses || depth.lower > 0.0,
            Some(depth) => depth.upper > self.tolerance,
            None => meeting.crosses,
        };
        let points = match depth.as_ref().and_then(|depth| depth.value) {
            Some(deep) if overlap => [deep.point_a, deep.point_b],
            _ => [self.common_point(meeting.faces); 2],
        };
        let span = depth.map(|depth| Span {
            lower: depth.lower,
            upper: depth.upper,
        });
        if overlap {
            return self.clash(ClashKind::Crossing, span, 0.0, points, None);
        }
        // Shallow overlaps are ignored, unless a distance is asked for.
        (self.tolerance == 0.0 || self.clearance.is_some())
            .then(|| self.clash(ClashKind::Touching, span, 0.0, points, None))
            .flatten()
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
            let depth = self.depth(cache);
            let deepest = depth.as_ref().and_then(|depth| depth.value);
            let points = match deepest {
                Some(deep) => [deep.point_a, deep.point_b],
                None => [self.facts[0].samples().first().copied()?; 2],
            };
            let span = self.way_out(depth.map_or(0.0, |depth| depth.lower), cache);
            if self.tolerance > 0.0 && span.upper <= self.tolerance {
                // As where surfaces meet: ignored, unless a distance is asked for, which is 0.
                return self.clearance.and_then(|_| {
                    self.clash(ClashKind::Touching, Some(span), 0.0, points, Some(inner))
                });
            }
            let [a, b] = self.trees;
            let gap = a.distance(b, &self.a_from_b, Limits::default(), cache);
            let distance = gap.value.map_or(0.0, |s| s.distance);
            return self.clash(
                ClashKind::Contained,
                Some(span),
                distance,
                points,
                Some(inner),
            );
        }
        let clearance = self.clearance?;
        let [a, b] = self.trees;
        let limits = Limits {
            max_distance: Some(clearance),
            ..Limits::default()
        };
        let near = a.distance(b, &self.a_from_b, limits, cache).value?;
        (near.distance <= clearance)
            .then(|| {
                let points = [near.point_a, near.point_b];
                self.clash(ClashKind::Clearance, None, near.distance, points, None)
            })
            .flatten()
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
    fn way_out(&self, deepest: f64, cache: &mut WideCache) -> Span {
        let [p, q] = self.boxes;
        let apart = (p.max - q.min).min(q.max - p.min).min_element();
        let mut span = Span {
            lower: deepest,
            upper: apart.max(deepest),
        };
        if let [Some(p), Some(q)] = [0, 1].map(|i| self.facts[i].solid.as_ref()) {
            let (a, b) = (
                Solid::with_facts(self.trees[0], p),
                Solid::with_facts(self.trees[1], q),
            );
            let (options, limits) = self.effort();
            let found = penetration_depth(&a, &b, &self.a_from_b, &options, limits, cache);
            span.lower = span.lower.max(found.lower);
            span.upper = span.upper.min(found.upper).max(span.lower);
        }
        span
    }

    /// How good a depth has to be, and what it may cost.
    fn effort(&self) -> (DepthOptions, Limits<'static>) {
        let size = self.facts[0].size.min(self.facts[1].size);
        let options = DepthOptions {
            absolute: (ABSOLUTE * size).max(self.tolerance / 16.0),
            relative: RELATIVE,
        };
        let limits = Limits {
            max_tests: Some(DEPTH_TESTS),
            ..Limits::default()
        };
        (options, limits)
    }

    /// How deep the parts are in each other; none when neither is closed.
    fn depth(&self, cache: &mut WideCache) -> Option<Bounded<Option<Penetration>>> {
        let (options, limits) = self.effort();
        let [a, b] = self.trees;
        match [0, 1].map(|i| self.facts[i].solid.as_ref()) {
            [Some(p), Some(q)] => {
                let (a, b) = (Solid::with_facts(a, p), Solid::with_facts(b, q));
                Some(deepest_point(
                    &a,
                    &b,
                    &self.a_from_b,
                    &options,
                    limits,
                    cache,
                ))
            }
            [None, Some(q)] => {
                let (a, b) = (Solid::surface(a), Solid::with_facts(b, q));
                Some(deepest_point_of_a(
                    &a,
                    &b,
                    &self.a_from_b,
                    &options,
                    limits,
                    cache,
                ))
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
        })
    }
}

/// Two faces that meet, and whether they pass through each other.
#[derive(Clone, Copy, Debug)]
struct MeetingFaces {
    faces: FacePair,
    crosses: bool,
}
