//! Tunnelling: whether a moving point has passed through a face.
//!
//! **Question.** A point and a face are about to touch, at a time that is not representable. By
//! when have they certainly touched?
//! **Idea.** The point is in front of the face at one time and behind it at another, and in between
//! it cannot move as far as to the border of the face. Its path is continuous, so it intersects the
//! face.
//! **Promise.** A yes is certain, rounding included. **Limits.** Near the border of a face the
//! answer is no.

use glam::DVec3;

use super::convex_piece::{ConvexPiece, rounding};
use super::placed_box::reach;
use crate::ccd::relative_pose;
use crate::convex::{Convex, SupportMap};
use crate::math::Motion;

/// A face, a point, and how they move.
#[derive(Clone, Copy, Debug)]
pub(super) struct TunnellingTest<'m> {
    corners: [DVec3; 3],
    normal: DVec3,
    point: DVec3,
    face_motion: &'m Motion,
    point_motion: &'m Motion,
    /// The point moves no faster in the frame of the face while it is near.
    fastest: f64,
    /// Rounding of heights and of distances from the border.
    room: f64,
}

impl<'m> TunnellingTest<'m> {
    /// Two parts of which one is a face and the other a point, no farther apart than the face is long; none otherwise.
    pub(super) fn new([a, b]: [&ConvexPiece; 2], motions: [&'m Motion; 2]) -> Option<Self> {
        let (face, corners, point, [face_motion, point_motion]) =
            match (corners_of(a), corners_of(b)) {
                (Some(corners), None) => (a, corners, point_of(b)?, motions),
                (None, Some(corners)) => (b, corners, point_of(a)?, [motions[1], motions[0]]),
                _ => return None,
            };
        let [p, q, r] = corners;
        let normal = (q - p).cross(r - p).try_normalize()?;
        let bounds = face.bounds();
        let radius = reach(&bounds, face_motion.center()) + 2.0 * bounds.diagonal().length();
        let fastest = face_motion.max_speed(radius)
            + point_motion.max_speed(point.distance(point_motion.center()));
        let pose = relative_pose(face_motion, point_motion, 0.0);
        let far = face_motion.farthest(radius) + point_motion.farthest(point.length());
        let room = 4.0 * rounding(a, b, &pose) + 64.0 * f64::EPSILON * far;
        Some(Self {
            corners,
            normal,
            point,
            face_motion,
            point_motion,
            fastest,
            room,
        })
    }

    /// The point in the frame of the face.
    fn place(&self, time: f64) -> DVec3 {
        relative_pose(self.face_motion, self.point_motion, time) * self.point
    }

    fn height(&self, place: DVec3) -> f64 {
        self.normal.dot(place - self.corners[0])
    }

    /// How far inside the border of the face a place is, seen along its normal; negative outside.
    fn depth(&self, place: DVec3) -> f64 {
        let mut depth = f64::INFINITY;
        for i in 0..3 {
            let (from, to) = (self.corners[i], self.corners[(i + 1) % 3]);
            let inward = self.normal.cross(to - from).normalize_or_zero();
            depth = depth.min(inward.dot(place - from));
        }
        depth
    }

    /// Whether the point surely goes through the face between two times.
    pub(super) fn happens(&self, from: f64, to: f64) -> bool {
        let (first, last) = (self.place(from), self.place(to));
        let travel = self.fastest * (to - from) * (1.0 + 1e-9) + self.room;
        let (before, behind) = (self.height(first), self.height(last));
        before.abs() > self.room
            && behind.abs() > self.room
            && (before > 0.0) != (behind > 0.0)
            && before.abs() <= travel
            && self.depth(first) > travel
    }
}

fn corners_of(part: &ConvexPiece) -> Option<[DVec3; 3]> {
    match part {
        ConvexPiece::Triangle(corners) => Some(*corners),
        ConvexPiece::Convex(Convex::Triangle(triangle)) => Some(triangle.corners()),
        _ => None,
    }
}

fn point_of(part: &ConvexPiece) -> Option<DVec3> {
    match part {
        ConvexPiece::Ball {
            center,
            radius: 0.0,
        } => Some(*center),
        _ => None,
    }
}
