//! Ball cast: what does a moving ball hit first?
//!
//! **Idea.** The traversal of a ray whose line may be off by the radius; leaves are met in
//! [closed form](crate::geom::swept_ball_triangle).
//! **Promise.** The first of all faces, as if every one were tested; of several at the same time the
//! one of the lowest number. Radius 0 gives what [`WideTree::first_hit`] gives.

use std::ops::ControlFlow;

use glam::DVec3;
use thiserror::Error;

use super::local_ray::LocalRay;
use super::ray_cast::RayVisitor;
use super::ray_or_segment::RayOrSegment;
use super::relative_pose::exp2;
use super::single_tree::SingleTreeCache;
use super::tree::WideTree;
use crate::geom::{RayError, SweptBallHit, TriangleFeature, swept_ball_triangle};
use crate::query::{Bounded, FaceId, Limits};

/// Where a moving ball first meets a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BallFaceHit {
    /// The face.
    pub face: FaceId,
    /// The time, from 0 at the start of the way to 1 at its end; 0 when the ball touches at the start.
    pub t: f64,
    /// Where the centre of the ball is then.
    pub center: DVec3,
    /// The point of the face that is touched.
    pub point: DVec3,
    /// The unit direction from that point to the centre. Where they coincide, the normal of the face on
    /// the side that the ball comes from.
    pub normal: DVec3,
    /// The part of the face that is touched.
    pub feature: TriangleFeature,
    /// The place in the face, as weights of the corners.
    pub barycentric: [f64; 3],
}

/// Why a ball was not cast.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BallCastError {
    /// An end of the way is not finite or too large.
    #[error(transparent)]
    Line(#[from] RayError),
    /// The radius is negative or not finite.
    #[error("the radius of a ball must be finite and not negative, found {radius}")]
    Radius {
        /// As given.
        radius: f64,
    },
}

impl WideTree {
    /// The first face that a ball touches whose centre moves straight from `from` to `to`, and
    /// bounds on its `t`.
    ///
    /// # Errors
    /// [`BallCastError`] for a radius that is negative, or ends that are out of range.
    ///
    /// ```
    /// use impinge::bvh::wide::{SingleTreeCache, WideTree};
    /// use impinge::{DVec3, TriMesh, query::Limits};
    /// use std::sync::Arc;
    /// let face = TriMesh::from_points([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])?;
    /// let tree = WideTree::new(Arc::new(face));
    /// let (from, to) = (DVec3::new(0.25, 0.25, 3.0), DVec3::new(0.25, 0.25, -1.0));
    /// let mut cache = SingleTreeCache::default();
    /// let hit = tree.first_ball_hit(1.0, from, to, Limits::default(), &mut cache)?.value.ok_or("a hit")?;
    /// assert_eq!((hit.t, hit.normal), (0.5, DVec3::Z));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sphere cast")]
    pub fn first_ball_hit(
        &self,
        radius: f64,
        from: DVec3,
        to: DVec3,
        limits: Limits<'_>,
        cache: &mut SingleTreeCache,
    ) -> Result<Bounded<Option<BallFaceHit>>, BallCastError> {
        if !(radius >= 0.0 && radius.is_finite()) {
            return Err(BallCastError::Radius { radius });
        }
        let line = RayOrSegment::segment(from, to)?;
        let mut first = FirstBallHit {
            tree: self,
            line: &line,
            ends: [from, to],
            radius,
            found: None,
        };
        let unit = exp2(-self.frame.exponent);
        let error = (line.error() + radius * (1.0 + 8.0 * f64::EPSILON)) * unit;
        let local = LocalRay::new(&self.frame, line.start(), line.direction(), 1.0, error);
        let (outcome, unexplored) = self.update_front(local, limits, cache, &mut first);
        let found = first.found;
        Ok(Bounded {
            value: found,
            lower: unexplored.min(first.limit()).max(0.0),
            upper: found.map_or(f64::INFINITY, |hit| hit.t),
            outcome,
        })
    }
}

struct FirstBallHit<'s> {
    tree: &'s WideTree,
    line: &'s RayOrSegment,
    ends: [DVec3; 2],
    radius: f64,
    found: Option<BallFaceHit>,
}

impl FirstBallHit<'_> {
    fn touched(&self, face: FaceId, triangle: &[DVec3; 3]) -> Option<SweptBallHit> {
        let [from, to] = self.ends;
        if self.radius > 0.0 {
            return swept_ball_triangle(from, to, self.radius, triangle);
        }
        let hit = self.line.hit(face, triangle)?;
        Some(SweptBallHit {
            t: hit.t,
            point: hit.point,
            feature: TriangleFeature::Face,
            barycentric: hit.barycentric,
        })
    }
}

impl RayVisitor for FirstBallHit<'_> {
    fn limit(&self) -> f64 {
        self.found.map_or(1.0, |hit| hit.t)
    }

    fn visit(&mut self, face: FaceId) -> ControlFlow<()> {
        let triangle = self.tree.mesh.triangle(face);
        let Some(hit) = self.touched(face, &triangle) else {
            return ControlFlow::Continue(());
        };
        let is_first = self
            .found
            .is_none_or(|found| (hit.t, face) < (found.t, found.face));
        if is_first {
            let [from, to] = self.ends;
            let center = if hit.t < 1.0 {
                from + (to - from) * hit.t
            } else {
                to
            };
            let normal = if self.radius > 0.0 {
                (center - hit.point).try_normalize()
            } else {
                None
            };
            self.found = Some(BallFaceHit {
                face,
                t: hit.t,
                center,
                point: hit.point,
                normal: normal.unwrap_or_else(|| face_normal(&triangle, from, to)),
                feature: hit.feature,
                barycentric: hit.barycentric,
            });
        }
        ControlFlow::Continue(())
    }
}

/// The normal of a face on the side of `from`; against the way where the face has none.
fn face_normal(triangle: &[DVec3; 3], from: DVec3, to: DVec3) -> DVec3 {
    let [a, b, c] = *triangle;
    let against = (from - to).try_normalize().unwrap_or(DVec3::Z);
    let Some(normal) = (b - a).cross(c - a).try_normalize() else {
        return against;
    };
    let side = normal.dot(from - a);
    let side = if side == 0.0 {
        normal.dot(against)
    } else {
        side
    };
    if side < 0.0 { -normal } else { normal }
}
