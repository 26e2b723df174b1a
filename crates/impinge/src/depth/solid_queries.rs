//! Queries of one solid: depth of a point, nearest face, first hit of a ray.

use glam::DVec3;

use crate::bvh::wide::{DepthScratch, NodeView};
use crate::bvh::{MeshIndex, Solid};
use crate::geom::{Ray, closest_point_on_triangle, ray_triangle};
use crate::math::Pose;
use crate::math::sort::sort_few;
use crate::mesh::point_in_mesh::Location;
use crate::query::{FaceId, Work};

/// How far the nearest point of a surface is, and its face.
#[derive(Clone, Copy, Debug)]
pub(super) struct NearestSurface {
    pub(super) distance: f64,
    pub(super) face: FaceId,
}

impl Solid<'_> {
    /// How deep a point lies inside: its distance from the surface, negative outside.
    ///
    /// Minus infinity for an empty mesh.
    ///
    /// ```
    /// use impinge::bvh::wide::WideTree;
    /// use impinge::depth::Solid;
    /// use impinge::generate::cuboid;
    /// use impinge::DVec3;
    /// use std::sync::Arc;
    /// let tree = WideTree::new(Arc::new(cuboid(DVec3::splat(2.0), [1; 3])?));
    /// let solid = Solid::closed(&tree)?;
    /// assert_eq!(solid.depth_at(DVec3::new(0.75, 0.0, 0.0)), 0.25);
    /// assert_eq!(solid.depth_at(DVec3::new(3.0, 0.0, 0.0)), -2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn depth_at(&self, p: DVec3) -> f64 {
        self.depth_with(p, &mut DepthScratch::default())
    }

    /// The same with scratch memory kept between points.
    pub(crate) fn depth_with(&self, p: DVec3, scratch: &mut DepthScratch) -> f64 {
        let (parts, mut work) = (&mut scratch.parts, Work::default());
        let Some(nearest) = self.nearest(p, None, &mut work, parts) else {
            return f64::NEG_INFINITY;
        };
        match self.location(p, &mut scratch.probe) {
            Location::Inside => nearest.distance,
            Location::Outside => -nearest.distance,
            Location::OnBoundary => 0.0,
        }
    }

    /// The nearest point of the surface; a face that is likely to hold it makes the search faster.
    pub(super) fn nearest(
        &self,
        p: DVec3,
        hint: Option<FaceId>,
        work: &mut Work,
        stack: &mut Vec<(f64, NodeView)>,
    ) -> Option<NearestSurface> {
        let mesh = self.tree().mesh();
        let mut best: Option<NearestSurface> = None;
        let offer = |face: FaceId, best: &mut Option<NearestSurface>| {
            let closest = closest_point_on_triangle(p, &mesh.triangle(face));
            let better = match best {
                None => true,
                Some(b) => (closest.distance, face) < (b.distance, b.face),
            };
            if better {
                *best = Some(NearestSurface {
                    distance: closest.distance,
                    face,
                });
            }
        };
        if let Some(face) = hint {
            offer(face, &mut best);
        }
        let whole = self.tree().whole()?;
        stack.clear();
        stack.push((0.0, whole));
        while let Some((at_least, part)) = stack.pop() {
            if best.is_some_and(|b| at_least > b.distance) {
                continue;
            }
            for &face in self.tree().faces_of(&part) {
                work.face_tests += 1;
                offer(FaceId::new(face), &mut best);
            }
            let bottom = stack.len();
            for child in self.tree().parts(&part) {
                work.volume_tests += 1;
                let at_least = child.bounds.distance_at_least(p);
                if best.is_none_or(|b| at_least <= b.distance) {
                    stack.push((at_least, child));
                }
            }
            sort_few(&mut stack[bottom..], |x, y| y.0.total_cmp(&x.0));
        }
        best
    }

    /// How far a ray from `p` along the unit vector `direction` goes before it meets the surface, hits nearer than
    /// `from` not counted.
    pub(super) fn first_hit(
        &self,
        p: DVec3,
        direction: DVec3,
        from: f64,
        stack: &mut Vec<NodeView>,
    ) -> Option<f64> {
        let ray = Ray::new(p, direction).ok()?;
        let mesh = self.tree().mesh();
        let mut nearest: Option<f64> = None;
        stack.clear();
        stack.extend(self.tree().whole());
        while let Some(part) = stack.pop() {
            let b = &part.bounds;
            let away = b.center - p;
            // The ball around the box: simple, and rays are few.
            let radius = b.outer_radius();
            let along = away.dot(direction);
            let aside = (away - direction * along).length();
            if aside > radius * (1.0 + 1e-9) || along < -radius {
                continue;
            }
            if nearest.is_some_and(|n| along - radius > n) {
                continue;
            }
            for &face in self.tree().faces_of(&part) {
                if let Some(hit) = ray_triangle(&ray, &mesh.triangle(FaceId::new(face)))
                    && hit.t >= from
                {
                    nearest = Some(nearest.map_or(hit.t, |n| n.min(hit.t)));
                }
            }
            stack.extend(self.tree().parts(&part));
        }
        nearest
    }

    /// No vertex is farther than this from the frame's origin.
    pub(super) fn reach(&self) -> f64 {
        let whole = self.tree().whole();
        whole.map_or(0.0, |w| w.bounds.center.length() + w.bounds.outer_radius())
    }
}

/// Two solids, the second placed in the frame of the first.
#[derive(Clone, Copy)]
pub(super) struct SolidPair<'s> {
    pub(super) a: &'s Solid<'s>,
    pub(super) b: &'s Solid<'s>,
    pub(super) a_from_b: &'s Pose,
}

impl<'s> SolidPair<'s> {
    pub(super) fn new(a: &'s Solid<'s>, b: &'s Solid<'s>, a_from_b: &'s Pose) -> Self {
        Self { a, b, a_from_b }
    }

    /// What positions computed for them may be off by.
    pub(super) fn slack(&self) -> f64 {
        let reach = self.a.reach() + self.b.reach() + self.a_from_b.translation().length();
        (64.0 * f64::EPSILON + 4.0 * self.a_from_b.deviation()) * reach
    }
}
