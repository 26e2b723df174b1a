//! How much of its convex hull a solid fills.
//!
//! **Question.** Which part of the convex hull of a closed mesh certainly lies inside?
//!
//! **Idea.** Let `K` be the set behind the planes of all faces. No point of the surface is in the
//! interior of `K`, because each lies on the plane of its own face; so `K` is inside the solid if
//! one interior point of it is. If no vertex is more than `δ` in front of any plane, and every
//! plane is at least `r` away from a point `c`, then the hull shrunk towards `c` by `δ / (r + δ)`
//! lies in `K`: along the normal of a plane at distance `d ≥ r`, a vertex at `d + δ` is moved to at
//! most `d`.
//!
//! A convex solid fills its hull. A solid with rounded coordinates (a box turned and stored) is not
//! exactly convex, but fills its hull up to the size of the rounding.
//!
//! **Cost.** One descent of the tree per face, once per solid; solids that are not nearly convex
//! are rejected after few faces.

use glam::DVec3;

use super::MeshIndex;
use super::wide::{NodeView, WideTree};
use crate::query::FaceId;

/// Vertices before a plane by less than this fraction of the solid's reach are not looked for.
const FLOOR: f64 = 1e-5;

/// A solid with a vertex farther before a plane than this fraction of its reach is not nearly convex.
const MOST: f64 = 1e-4;

/// The part of a solid's hull that lies inside: the hull shrunk towards a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NearConvex {
    /// The point that stays where it is.
    pub(crate) center: DVec3,
    /// The part by which every other point comes nearer to it; 0 for a convex solid.
    pub(crate) shrink: f64,
}

impl NearConvex {
    /// The kernel of a convex mesh.
    pub(crate) fn of_convex() -> Self {
        Self {
            center: DVec3::ZERO,
            shrink: 0.0,
        }
    }

    /// The kernel about the middle of the vertices, if that lies inside; none when the mesh is not nearly convex.
    ///
    /// Whether the middle is inside remains to be tested.
    pub(crate) fn of_nearly_convex(tree: &WideTree) -> Option<Self> {
        let mesh = tree.mesh();
        let whole = tree.whole()?;
        let reach = whole.bounds.outer_radius();
        let anchor = whole.bounds.center;
        let sum = mesh.face_ids().fold(DVec3::ZERO, |sum, face| {
            let [p, q, r] = mesh.triangle(face);
            sum + ((p - anchor) + (q - anchor) + (r - anchor))
        });
        let center = anchor + sum / (3 * mesh.face_count()) as f64;
        let (mut beyond, mut nearest) = (FLOOR * reach, f64::INFINITY);
        let mut stack = Vec::new();
        for face in mesh.face_ids() {
            let corners = mesh.triangle(face);
            let [p, q, r] = corners;
            let normal = (q - p).cross(r - p).try_normalize()?;
            let height = |p: DVec3| (p - center).dot(normal);
            let plane = corners
                .map(height)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            nearest = nearest.min(plane);
            if nearest <= 0.0 {
                return None;
            }
            stack.clear();
            stack.push(whole);
            while let Some(part) = stack.pop() {
                for &face in tree.faces_of(&part) {
                    for p in mesh.triangle(FaceId::new(face)) {
                        beyond = beyond.max(height(p) - plane);
                    }
                }
                if beyond > MOST * reach {
                    return None;
                }
                let may_hold_more = |part: &NodeView| {
                    height(part.bounds.center) + part.bounds.radius(normal) - plane > beyond
                };
                stack.extend(tree.parts(&part).filter(may_hold_more));
            }
        }
        // Heights are off by a few roundings of the reach, which the floor exceeds by far.
        Some(Self {
            center,
            shrink: beyond / (nearest + beyond) * (1.0 + FLOOR),
        })
    }

    /// A point of the hull, shrunk.
    pub(crate) fn shrunk(&self, p: DVec3) -> DVec3 {
        p + (self.center - p) * self.shrink
    }
}
