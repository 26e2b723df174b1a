//! Minkowski difference of two placed shapes.

use glam::DVec3;

use super::boolean_gjk::MinkowskiPoint;
use super::cache::GjkCache;
use super::pair_setup::PairSetup;
use super::simplex::SimplexVertex;
use super::support_map::SupportMap;
use crate::math::Pose;

/// Two shapes, where the second stands, and the scale of their differences.
pub(super) struct MinkowskiDifference<'s, A: ?Sized, B: ?Sized> {
    pub(super) a: &'s A,
    pub(super) b: &'s B,
    pub(super) pose: &'s Pose,
    pub(super) scale: f64,
}

impl<'s, A: SupportMap + ?Sized, B: SupportMap + ?Sized> MinkowskiDifference<'s, A, B> {
    #[inline(always)]
    pub(super) fn new(a: &'s A, b: &'s B, pose: &'s Pose, setting: &PairSetup) -> Self {
        Self {
            a,
            b,
            pose,
            scale: setting.scale,
        }
    }

    /// The difference of a point of `a` and a point of `b`, given in its own frame.
    #[inline(always)]
    pub(super) fn of(&self, vertices: [u32; 2], point_a: DVec3, in_b: DVec3) -> SimplexVertex {
        let point_b = *self.pose * in_b;
        SimplexVertex {
            y: (point_a - point_b) * self.scale,
            point_a,
            point_b,
            vertices,
        }
    }

    /// The difference of two vertices.
    #[inline(always)]
    pub(super) fn of_vertices(&self, [i, j]: [u32; 2]) -> SimplexVertex {
        self.of([i, j], self.a.vertex(i), self.b.vertex(j))
    }

    /// A direction in the frame of `b`.
    #[inline(always)]
    fn in_b(&self, direction: DVec3) -> DVec3 {
        let rotation = self.pose.rotation();
        DVec3::new(
            rotation.x_axis.dot(direction),
            rotation.y_axis.dot(direction),
            rotation.z_axis.dot(direction),
        )
    }

    /// The difference farthest against a direction.
    #[inline(always)]
    pub(super) fn against(&self, direction: DVec3, cache: &mut GjkCache) -> SimplexVertex {
        cache.steps += 1;
        let p = self.a.support(-direction, cache.hints[0]);
        let q = self.b.support(self.in_b(direction), cache.hints[1]);
        cache.hints = [p.vertex, q.vertex];
        self.of([p.vertex, q.vertex], p.point, q.point)
    }

    /// The difference farthest along a direction, without its points.
    #[inline(always)]
    pub(super) fn along(&self, direction: DVec3, cache: &mut GjkCache) -> MinkowskiPoint {
        cache.steps += 1;
        let p = self.a.support(direction, cache.hints[0]);
        let q = self.b.support(self.in_b(-direction), cache.hints[1]);
        let vertices = [p.vertex, q.vertex];
        cache.hints = vertices;
        MinkowskiPoint {
            y: (p.point - *self.pose * q.point) * self.scale,
            vertices,
        }
    }

    /// The difference farthest against a direction, compared with every vertex.
    pub(super) fn against_certain(&self, direction: DVec3) -> SimplexVertex {
        let p = self.a.support_certain(-direction);
        let q = self.b.support_certain(self.in_b(direction));
        self.of([p.vertex, q.vertex], p.point, q.point)
    }
}
