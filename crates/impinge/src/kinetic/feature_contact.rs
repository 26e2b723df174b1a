//! Which features of two faces touch, and when.
//!
//! A face has three vertices and three edges, most of which it shares with others. Each has an
//! *owner*, the first face that has it, and a pair of features is tested only by the pair of its
//! owners. If features touch, so do the boxes of their owners; so no contact is lost.

use glam::DVec3;

use super::Keyframes;
use crate::ccd::linear::{
    FirstContact, LinearTests, MinSeparationOptions, MinSeparationTime, MovingPoint,
    edge_edge_min_separation, vertex_face_min_separation,
};
use crate::query::{FaceId, FacePair, VertexId};

/// Two features that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactFeatures {
    /// A vertex of the first object meets a face of the second.
    VertexFace(VertexId, FaceId),
    /// A face of the first object is met by a vertex of the second.
    FaceVertex(FaceId, VertexId),
    /// Two edges meet, each given by its vertices.
    EdgeEdge([VertexId; 2], [VertexId; 2]),
}

/// Two features that touch for the first time between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeatureContact {
    /// Before this time they do not touch.
    pub lower: f64,
    /// By this time they touch. For a [sampled](Keyframes::sampled) plan: they may, within its
    /// deviation.
    pub upper: f64,
    /// Whether that is certain. False only for a sampled plan, when the search for an approach ran
    /// out of parts: then `upper` is the end of the segment, and all that is known is that nothing
    /// touches before `lower`.
    pub is_found: bool,
    /// The faces that own the features.
    pub faces: FacePair,
    /// The two features.
    pub touch: ContactFeatures,
}

/// How wide the bracket of a contact may be, as a part of its segment.
pub(super) const WIDTH: f64 = 1.0 / (1_u64 << 30) as f64;

/// Vertices 0–2 of `a` against face `b`, 3–5 of `b` against face `a`, then edge `i` of `a` with edge `j` of `b` at 6 + 3 i + j.
pub(super) const FEATURES: u8 = 15;

/// Which vertices (bits 0–2) and edges (bits 3–5, edge `k` from corner `k` to the next) each face owns.
pub(super) fn owners(faces: &[[u32; 3]]) -> Vec<u8> {
    let mut owned = vec![0_u8; faces.len()];
    let mut claims: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(6 * faces.len());
    for (face, &corners) in faces.iter().enumerate() {
        for k in 0..3 {
            let (v, w) = (corners[k], corners[(k + 1) % 3]);
            claims.push((v, u32::MAX, face as u32, k as u8));
            claims.push((v.min(w), v.max(w), face as u32, 3 + k as u8));
        }
    }
    claims.sort_unstable();
    claims.dedup_by_key(|claim| (claim.0, claim.1));
    for (_, _, face, bit) in claims {
        owned[face as usize] |= 1 << bit;
    }
    owned
}

/// Two moving faces in a stretch of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct MovingFacePair {
    pub(super) corners: [[u32; 3]; 2],
    pub(super) owned: [u8; 2],
    points: [[MovingPoint; 3]; 2],
    start: f64,
    end: f64,
    margin: f64,
    /// Parts of the stretch that a search for an approach may look at.
    max_parts: u32,
}

/// A feature and when it touches, in times of the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FeatureTouch {
    pub(super) feature: u8,
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Whether it touched when the stretch began.
    pub(super) at_start: bool,
    /// Whether it certainly touches by `upper`.
    pub(super) is_found: bool,
}

impl MovingFacePair {
    /// None when the faces certainly stay apart along an axis.
    #[inline]
    pub(super) fn new(
        flight: &Keyframes,
        corners: [[u32; 3]; 2],
        owned: [u8; 2],
        segment: u32,
        from: f64,
    ) -> Option<Self> {
        let tracks = flight.tracks();
        let starts = corners.as_flattened().iter();
        let start = starts
            .map(|&v| tracks.beginning_of(v, segment))
            .fold(from, f64::max);
        let end = tracks.segment_end(segment);
        if start >= end {
            return None;
        }
        let place = |v: u32, time: f64| flight.place(v, segment, time);
        let starts = corners.map(|face| face.map(|v| place(v, start)));
        let ends = corners.map(|face| face.map(|v| place(v, end)));
        // A point deviates by at most that much, and so does the other.
        let margin = 2.0 * flight.deviation();
        Self::of(corners, owned, [starts, ends], [start, end], margin)
    }

    /// Of places at the start and at the end.
    #[inline]
    pub(super) fn of(
        corners: [[u32; 3]; 2],
        owned: [u8; 2],
        [starts, ends]: [[[DVec3; 3]; 2]; 2],
        [start, end]: [f64; 2],
        margin: f64,
    ) -> Option<Self> {
        let limits = |[a, b, c]: [DVec3; 3]| (a.min(b).min(c), a.max(b).max(c));
        let [[a0, b0], [a1, b1]] = [starts, ends].map(|faces| faces.map(limits));
        let ahead = (a0.1 + margin).cmplt(b0.0) & (a1.1 + margin).cmplt(b1.0);
        let behind = (b0.1 + margin).cmplt(a0.0) & (b1.1 + margin).cmplt(a1.0);
        if (ahead | behind).any() {
            return None;
        }
        let moving = |side: usize| {
            let point = |k: usize| MovingPoint::new(starts[side][k], ends[side][k]).ok();
            Some([point(0)?, point(1)?, point(2)?])
        };
        Some(Self {
            corners,
            owned,
            points: [moving(0)?, moving(1)?],
            start,
            end,
            margin,
            max_parts: MinSeparationOptions::default().max_parts,
        })
    }

    /// When the stretch begins.
    pub(super) fn start(&self) -> f64 {
        self.start
    }

    /// All features that touch, each with its first time.
    pub(super) fn touches(&self, tests: &mut LinearTests, mut each: impl FnMut(FeatureTouch)) {
        let [a, b] = self.corners;
        let [owned_a, owned_b] = self.owned;
        for (k, vertex) in a.iter().enumerate() {
            if owned_a >> k & 1 == 1 && !b.contains(vertex) {
                let met = self.vertex_face(tests, self.points[0][k], self.points[1]);
                self.report(k as u8, met, &mut each);
            }
        }
        for (k, vertex) in b.iter().enumerate() {
            if owned_b >> k & 1 == 1 && !a.contains(vertex) {
                let met = self.vertex_face(tests, self.points[1][k], self.points[0]);
                self.report(3 + k as u8, met, &mut each);
            }
        }
        for i in 0..3 {
            if owned_a >> (3 + i) & 1 == 0 {
                continue;
            }
            let next = (i + 1) % 3;
            for j in 0..3 {
                let after = (j + 1) % 3;
                let is_shared = [b[j], b[after]].iter().any(|v| [a[i], a[next]].contains(v));
                if owned_b >> (3 + j) & 1 == 0 || is_shared {
                    continue;
                }
                let edge_a = [self.points[0][i], self.points[0][next]];
                let edge_b = [self.points[1][j], self.points[1][after]];
                let met = self.edge_edge(tests, edge_a, edge_b);
                self.report((6 + 3 * i + j) as u8, met, &mut each);
            }
        }
    }

    fn report(
        &self,
        feature: u8,
        met: Option<MinSeparationTime>,
        each: &mut impl FnMut(FeatureTouch),
    ) {
        let Some(MinSeparationTime {
            lower,
            upper,
            is_found,
        }) = met
        else {
            return;
        };
        let time = |share: f64| self.start + (self.end - self.start) * share;
        each(FeatureTouch {
            feature,
            lower: time(lower),
            upper: time(upper),
            at_start: upper <= 0.0,
            is_found,
        });
    }

    #[inline]
    fn vertex_face(
        &self,
        tests: &mut LinearTests,
        vertex: MovingPoint,
        face: [MovingPoint; 3],
    ) -> Option<MinSeparationTime> {
        if self.margin == 0.0 {
            return tests.vertex_face(vertex, face).map(certain);
        }
        vertex_face_min_separation(vertex, face, self.margin, &self.nearing(tests))
    }

    #[inline]
    fn edge_edge(
        &self,
        tests: &mut LinearTests,
        edge_a: [MovingPoint; 2],
        edge_b: [MovingPoint; 2],
    ) -> Option<MinSeparationTime> {
        if self.margin == 0.0 {
            return tests.edge_edge(edge_a, edge_b).map(certain);
        }
        edge_edge_min_separation(edge_a, edge_b, self.margin, &self.nearing(tests))
    }

    fn nearing(&self, tests: &LinearTests) -> MinSeparationOptions {
        MinSeparationOptions {
            tolerance: self.margin,
            width: tests.width(),
            max_parts: self.max_parts,
        }
    }

    /// A feature by the numbers of faces and vertices.
    pub(super) fn named(&self, faces: FacePair, touched: &FeatureTouch) -> FeatureContact {
        let [a, b] = self.corners.map(|face| face.map(VertexId::new));
        let edge = |face: [VertexId; 3], k: usize| [face[k], face[(k + 1) % 3]];
        let number = touched.feature as usize;
        let touch = match number {
            0..=2 => ContactFeatures::VertexFace(a[number], faces.b),
            3..=5 => ContactFeatures::FaceVertex(faces.a, b[number - 3]),
            _ => {
                let pair = number - 6;
                ContactFeatures::EdgeEdge(edge(a, pair / 3 % 3), edge(b, pair % 3))
            }
        };
        FeatureContact {
            lower: touched.lower,
            upper: touched.upper,
            is_found: touched.is_found,
            faces,
            touch,
        }
    }
}

/// A contact that was decided exactly.
fn certain(when: FirstContact) -> MinSeparationTime {
    MinSeparationTime {
        lower: when.lower,
        upper: when.upper,
        is_found: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vertex above a face, and what a search with this many parts finds about it.
    fn falling(margin: f64, max_parts: u32) -> Vec<FeatureTouch> {
        let face = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(DVec3::from_array);
        let above = [[1.0, 1.0, 3.0], [1.5, 1.0, 4.0], [1.0, 1.5, 4.0]].map(DVec3::from_array);
        let below = above.map(|p| p - 4.0 * DVec3::Z);
        let corners = [[0, 1, 2], [3, 4, 5]];
        let places = [[face, above], [face, below]];
        let mut meeting =
            MovingFacePair::of(corners, [0x3F; 2], places, [10.0, 12.0], margin).unwrap();
        meeting.max_parts = max_parts;
        let mut found = Vec::new();
        meeting.touches(&mut LinearTests::default(), |t| found.push(t));
        found
    }

    #[test]
    fn an_approach_that_was_not_found_says_so() {
        let enough = MinSeparationOptions::default().max_parts;
        assert!(falling(0.0, enough).iter().all(|t| t.is_found));
        let tip = |found: Vec<FeatureTouch>| found.into_iter().find(|t| t.feature == 3).unwrap();
        let found = tip(falling(0.25, enough));
        // The tip is 0.25 away at 10 + 2 · 2.75 / 4.
        assert!(found.is_found && found.lower <= 11.375 && found.upper < 11.7);
        let lost = tip(falling(0.25, 2));
        assert!(!lost.is_found && lost.upper == 12.0 && lost.lower <= 11.375);
        let faces = FacePair {
            a: FaceId::new(0),
            b: FaceId::new(1),
        };
        let meeting_is_named = |touched: &FeatureTouch| {
            let corners = [[0, 1, 2], [3, 4, 5]];
            let still = [[[DVec3::ZERO; 3]; 2]; 2];
            let meeting = MovingFacePair::of(corners, [0; 2], still, [0.0, 1.0], 0.0).unwrap();
            meeting.named(faces, touched).is_found
        };
        assert!(meeting_is_named(&found) && !meeting_is_named(&lost));
    }
}
