//! Fallback for two round shapes whose intersection GJK leaves open.
//!
//! **Question.** Is the origin inside the Minkowski difference, outside, or within rounding of its
//! boundary?
//! **Idea.** Near touching, the shortest difference and its direction are dominated by rounding.
//! The faces of a polytope of support points are not: their edges are as long as the body is flat,
//! so that their normals are accurate enough. The polytope grows where the origin lies farthest in
//! front of a face. A support plane that separates the origin proves the shapes disjoint; a
//! polytope that contains the origin proves that they intersect.
//! **Source.** The polytope of Van den Bergen 2001, with the origin outside; ours.
//! **Cost.** Up to [`MAX_SIDES`] support points, usually some dozens. Used only when a faster
//! search gives up.
//! **Promise.** Both proofs include the rounding of support points. What is left undecided is
//! within a few roundings of touching, unless the cap was reached.

use glam::DVec3;

use super::epa::Epa;
use super::support_map::SupportMap;

/// Support points that may be added.
pub(super) const MAX_SIDES: u32 = 256;

/// Position of the origin relative to the Minkowski difference.
#[derive(Clone, Copy, Debug)]
pub(super) struct OriginPosition {
    /// Lower bound on the distance of the Minkowski difference from the origin, scaled, rounding not yet subtracted; negative
    /// when no plane separates them.
    pub(super) gap: f64,
    /// Whether the polytope contains the origin by more than rounding.
    pub(super) is_inside: bool,
    /// Whether the polytope contains the origin, but by no more than rounding.
    pub(super) is_on_border: bool,
    /// The point of the Minkowski difference nearest to the origin, scaled, and its two witness points; none unless the origin
    /// lies outside the polytope.
    pub(super) nearest: Option<(DVec3, [DVec3; 2])>,
}

impl<A: SupportMap + ?Sized, B: SupportMap + ?Sized> Epa<'_, A, B> {
    /// The position of the origin relative to the Minkowski difference. The search ends early once the gap is proven to be
    /// larger than `enough` (scaled).
    pub(super) fn standing(mut self, enough: f64) -> OriginPosition {
        let mut standing = OriginPosition {
            gap: f64::NEG_INFINITY,
            is_inside: false,
            is_on_border: false,
            nearest: None,
        };
        if !self.begin() {
            return standing;
        }
        let mut has_given_up = false;
        for _ in 0..MAX_SIDES {
            self.update_faces(|epa, plane, corners| {
                // Before a side what counts is its plane, behind it the triangle itself.
                if plane.distance < 0.0 {
                    let corner = epa.scratch.corners[corners[0] as usize].y;
                    plane.normal.dot(corner).min(0.0)
                } else {
                    plane.distance
                }
            });
            let Some((face, height)) = self.scratch.next_to_grow() else {
                break;
            };
            let plane = self.scratch.faces[face];
            if height > self.slack {
                // A side that was given up on keeps it open.
                standing.is_inside = !has_given_up;
                break;
            }
            let corner = self.farthest(plane.normal);
            let reach = plane.normal.dot(corner.y);
            standing.gap = standing.gap.max(-reach);
            if standing.gap - self.slack > enough {
                break;
            }
            let is_beyond = reach > height + self.slack;
            if is_beyond {
                self.scratch.corners.push(corner);
            }
            if !is_beyond || !self.scratch.polytope.add(corner.y, face) {
                // Nothing lies beyond this side as far as its rounded normal can tell; another may part them.
                self.scratch.give_up(face);
                has_given_up = true;
            }
        }
        if standing.is_inside {
            return standing;
        }
        // All sides are known, and none of them has the origin before it.
        let polytope = &self.scratch.polytope;
        let is_known = self.scratch.faces.len() == polytope.face_count();
        standing.is_on_border = is_known && standing.gap <= self.slack;
        let mut least = f64::INFINITY;
        for (face, plane) in self.scratch.faces.iter().enumerate() {
            let Some(corners) = polytope.face(face) else {
                continue;
            };
            if plane.distance < 0.0 && -plane.distance < least {
                standing.is_on_border = false;
                least = -plane.distance;
                let weights = self.foot(corners);
                let points = self.points(corners, weights);
                let mut nearest = DVec3::ZERO;
                for (&i, weight) in corners.iter().zip(weights) {
                    nearest += self.scratch.corners[i as usize].y * weight;
                }
                standing.nearest = Some((nearest, points));
            }
        }
        standing
    }
}
